//! Page: one HTML file that is complete without a script, needs no other file, and makes no request.

use std::fmt::Write;

use refmap::report::Step;
use serde_json::Value;

use super::behaviour::is_stutter;
use super::escape::Escaped;
use super::svg::ARROW;
use crate::json::within_page;

/// Style of drawings.
pub const DRAWING: &str = include_str!("drawing.css");
const STYLE: &str = concat!(include_str!("drawing.css"), include_str!("page.css"));
const STEPS: &str = include_str!("steps.js");
const EXPLORER: &str = include_str!("explorer/explorer.js");
/// SHA-256 of the style and of the scripts, in base64: the policy of a page allows these and nothing else. A test computes
/// them.
const STYLE_HASH: &str = "fY+q9gMQI0xa2XrnxyzcWOevlb6VxvRDRnfE+X6sKA4=";
const STEPS_HASH: &str = "A2f6BajedgvlR67Ti8kBX/kwCIEkDW9LU6prP/xsMEU=";
const EXPLORER_HASH: &str = "iE8EamISY+h9zc6JxlEMbFm8O0pUGiPe6cmjqlZg2l4=";

/// Script of a page, which answers keys.
#[derive(Clone, Copy)]
pub enum Script {
    /// Goes from step to step, and filters.
    Steps,
    /// Follows links.
    Explorer,
}

impl Script {
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Steps => (STEPS, STEPS_HASH),
            Self::Explorer => (EXPLORER, EXPLORER_HASH),
        }
    }
}

/// The page of this title and body, with its data once more as JSON.
pub fn page(title: &str, body: &str, data: Option<&Value>, script: Script) -> String {
    let title = Escaped(title);
    let data = data.map_or(String::new(), |data| {
        format!(
            "<script type=\"application/json\" id=\"report\">{}</script>\n",
            within_page(data)
        )
    });
    let (script, hash) = script.text();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; script-src \
         'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<svg class=\"hidden\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>{ARROW}</defs></svg>\n<main>\n{body}</main>\n{data}<script>{script}</script>\n\
         </body>\n</html>\n"
    )
}

/// Legend of the keys of the steps.
pub const STEP_KEYS: &str = "<p class=\"keys\" id=\"keys\" hidden><kbd>←</kbd> <kbd>→</kbd> steps, <kbd>c</kbd> only what \
    changes, <kbd>p</kbd> one process, <kbd>l</kbd> link to the step, <kbd>/</kbd> <label for=\"filter\">fields:</label> \
    <input id=\"filter\" type=\"search\" autocomplete=\"off\"> <span id=\"say\" role=\"status\"></span></p>\n";

/// The steps of a behaviour by process, one lane each.
pub struct Lanes<'s> {
    pub steps: &'s [Step],
    /// The numbers of those that are shown, ascending.
    pub shown: &'s [usize],
    /// The step that is looked at, or the one that fails.
    pub at: Option<usize>,
    /// Suffix of its label, which tells this navigation from others on the page.
    pub of: &'s str,
}

/// Lanes in which every mark is a link to its step, as `to` says.
pub fn lanes(of: &Lanes<'_>, to: &dyn Fn(usize) -> String) -> String {
    let steps = of.steps;
    let shown: Vec<usize> = of
        .shown
        .iter()
        .copied()
        .filter(|index| *index > 0)
        .collect();
    let mut processes: Vec<&str> = Vec::new();
    for process in shown
        .iter()
        .filter_map(|index| steps[*index].process.as_deref())
    {
        if !processes.contains(&process) {
            processes.push(process);
        }
    }
    if processes.is_empty() {
        return String::new();
    }
    let names = processes.iter().map(|name| name.chars().count()).max();
    let left = 14 + 7 * names.unwrap_or(0);
    // Between marks of steps of which some between them are left out is a gap.
    let is_apart = |pair: &[usize]| pair[0] + 1 < pair[1];
    let gaps = shown.windows(2).filter(|pair| is_apart(pair)).count();
    let (width, height) = (
        left + 9 * (shown.len() + gaps) + 6,
        20 * processes.len() + 4,
    );
    let mut html = format!(
        "<nav class=\"lanes\" aria-label=\"Steps by process{}\"><svg width=\"{width}\" height=\"{height}\">",
        Escaped(of.of)
    );
    for (lane, process) in processes.iter().enumerate() {
        let y = 20 * lane + 14;
        let _ = write!(html, "<text x=\"2\" y=\"{y}\">{}</text>", Escaped(process));
    }
    let mut place = 0;
    for (number, index) in shown.iter().enumerate() {
        let step = &steps[*index];
        if number > 0 && is_apart(&shown[number - 1..=number]) {
            let x = left + 9 * place;
            let _ = write!(html, "<text class=\"gap\" x=\"{x}\" y=\"14\">⋯</text>");
            place += 1;
        }
        let lane = processes
            .iter()
            .position(|name| Some(*name) == step.process.as_deref());
        let (x, y) = (left + 9 * place, 20 * lane.unwrap_or(0) + 3);
        place += 1;
        let class = match (of.at == Some(*index), is_stutter(step)) {
            (true, _) => " class=\"end\"",
            (false, true) => " class=\"stutter\"",
            (false, false) => "",
        };
        let _ = write!(
            html,
            "<a href=\"{}\"{class} aria-label=\"step {index}\"><rect x=\"{x}\" y=\"{y}\" width=\"7\" height=\"14\"/></a>",
            to(*index)
        );
    }
    html.push_str("</svg></nav>\n");
    html
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn a_page_allows_its_own_style_and_script() {
        let parts = [
            (STYLE, STYLE_HASH),
            (STEPS, STEPS_HASH),
            (EXPLORER, EXPLORER_HASH),
        ];
        for (text, hash) in parts {
            let computed = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text));
            assert_eq!(hash, computed, "of {}", &text[..40]);
        }
    }
}
