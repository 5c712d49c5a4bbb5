//! Page: one HTML file that is complete without a script, needs no other file, and makes no request.

use std::fmt::Write;

use refmap::report::Step;
use serde_json::Value;

use super::behaviour::{Behaviour, is_stutter};
use super::escape::{Escaped, json};
use super::svg::ARROW;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// SHA-256 of the style and of the script, in base64: the policy of a page allows these and nothing else. A test
/// computes them.
const STYLE_HASH: &str = "OJ43QWS97sgfwoRXShmm3WSaIXHWoelirx8TBW0wgaA=";
const SCRIPT_HASH: &str = "6/rb1nkAgh5nBZTXy7ZYSh4ZLXXZK8jbtmkXVATgXpQ=";

/// What tells keys apart, for those who read the page with a script.
const KEYS: &str = "<p class=\"keys\" id=\"keys\" hidden><kbd>←</kbd> <kbd>→</kbd> steps, <kbd>c</kbd> only what changes, \
    <kbd>p</kbd> one process, <kbd>l</kbd> link to the step, <kbd>/</kbd> <label for=\"filter\">fields:</label> \
    <input id=\"filter\" type=\"search\" autocomplete=\"off\"> <span id=\"say\" role=\"status\"></span></p>";

/// The page of this title and body, with its data once more as JSON.
pub fn page(title: &str, body: &str, data: Option<&Value>) -> String {
    let title = Escaped(title);
    let data = data.map_or(String::new(), |data| {
        format!(
            "<script type=\"application/json\" id=\"report\">{}</script>\n",
            json(data)
        )
    });
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; script-src \
         'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<svg class=\"hidden\" aria-hidden=\"true\"><defs>{ARROW}</defs></svg>\n<main>\n{body}</main>\n{data}<script>{SCRIPT}</script>\n\
         </body>\n</html>\n"
    )
}

/// The steps of a behaviour by process, one lane each: every mark is a link to its step.
pub fn lanes(steps: &[Step], prefix: &str, has_loop: bool) -> String {
    let mut processes: Vec<&str> = Vec::new();
    for process in steps.iter().filter_map(|step| step.process.as_deref()) {
        if !processes.contains(&process) {
            processes.push(process);
        }
    }
    if processes.is_empty() {
        return KEYS.to_owned();
    }
    let [first, last] = Behaviour::shown(steps.len());
    let shown: Vec<usize> = first.chain(last).filter(|index| *index > 0).collect();
    let names = processes.iter().map(|name| name.chars().count()).max();
    let left = 14 + 7 * names.unwrap_or(0).min(30);
    let (width, height) = (left + 9 * shown.len() + 6, 20 * processes.len() + 4);
    let mut html = format!(
        "<nav class=\"lanes\" aria-label=\"Steps by process\"><svg width=\"{width}\" height=\"{height}\">"
    );
    for (lane, process) in processes.iter().enumerate() {
        let name: String = process.chars().take(30).collect();
        let y = 20 * lane + 14;
        let _ = write!(html, "<text x=\"2\" y=\"{y}\">{}</text>", Escaped(name));
    }
    for (place, index) in shown.iter().enumerate() {
        let step = &steps[*index];
        let lane = processes
            .iter()
            .position(|name| Some(*name) == step.process.as_deref());
        let (x, y) = (left + 9 * place, 20 * lane.unwrap_or(0) + 3);
        let class = match (index + 1 == steps.len() && !has_loop, is_stutter(step)) {
            (true, _) => " class=\"end\"",
            (false, true) => " class=\"stutter\"",
            (false, false) => "",
        };
        let _ = write!(
            html,
            "<a href=\"#{prefix}step-{index}\"{class} aria-label=\"step {index}\"><rect x=\"{x}\" y=\"{y}\" \
             width=\"7\" height=\"14\"/></a>"
        );
    }
    html.push_str("</svg></nav>\n");
    html.push_str(KEYS);
    html
}
