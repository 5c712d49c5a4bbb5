//! `list`: prints the catalogue as text, as JSON, and as Markdown for a page of claims.

use std::io::{self, Write};

use serde_json::json;

use crate::catalogue::{Catalogue, Claim, ParameterKind};
use refmap::internal::{counted, wrap};

/// Format of the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    Text,
    Json,
    Markdown,
}

pub(super) fn list(
    name: &str,
    catalogue: &Catalogue,
    listing: Listing,
    width: usize,
    output: &mut dyn Write,
) -> io::Result<()> {
    match listing {
        Listing::Text => text(name, catalogue, width, output),
        Listing::Json => {
            let tables: Vec<_> = catalogue
                .published()
                .map(|(table, _)| table.head())
                .collect();
            let listed = json!({
                "checks": catalogue.checks, "claims": catalogue.claims, "grids": tables,
                "fences": catalogue.fences, "stress": catalogue.stress,
                "validators": catalogue.validators,
            });
            super::json::print(&listed, output)
        }
        Listing::Markdown => write!(output, "{}", markdown(name, catalogue)),
    }
}

fn text(name: &str, catalogue: &Catalogue, width: usize, output: &mut dyn Write) -> io::Result<()> {
    for check in &catalogue.checks {
        let line = format!("{}: {} [{}]", check.name, check.about, check.source);
        paragraph(output, width, line, 2)?;
        for parameter in &check.parameters {
            let values = match &parameter.kind {
                ParameterKind::Number {
                    least,
                    most,
                    default,
                } => format!("{least} to {most}, {default} by default"),
                ParameterKind::Choice { values, default } => {
                    let default = default.map(|default| format!("{default} by default"));
                    let default = default.unwrap_or_else(|| "has to be given".to_owned());
                    format!("{}, {default}", values.join(" or "))
                }
                ParameterKind::Flag => "a flag".to_owned(),
                ParameterKind::Names => "a name; may be given again".to_owned(),
            };
            let line = format!("  --{:<12}  {}: {values}", parameter.name, parameter.help);
            paragraph(output, width, line, 18)?;
        }
    }
    paragraph(output, width, String::new(), 0)?;
    paragraph(
        output,
        width,
        format!("claims, which {name} without arguments checks:"),
        2,
    )?;
    for claim in &catalogue.claims {
        // On one line, whatever its length, so that it can be copied.
        writeln!(output, "  {name} {}", claim.command())?;
        let (expected, source, says) = (expected(claim), claim.source, claim.says);
        paragraph(
            output,
            width,
            format!("      {expected}  [{source}] {says}"),
            6,
        )?;
    }
    for (table, published) in catalogue.published() {
        paragraph(output, width, format!("  {name} table {}", table.name), 6)?;
        let (size, source) = (published.size(), published.source);
        let line = format!("      {size}  [{source}] {}", table.about);
        paragraph(output, width, line, 6)?;
    }
    if !catalogue.fences.is_empty() {
        paragraph(output, width, String::new(), 0)?;
        let line = format!("fences are searched by {name} fences PROGRAM --memory MODEL for:");
        paragraph(output, width, line, 2)?;
    }
    for problem in &catalogue.fences {
        let (name, about, source) = (problem.name, problem.about, problem.source);
        paragraph(output, width, format!("  {name}: {about} [{source}]"), 6)?;
    }
    if !catalogue.stress.is_empty() {
        paragraph(output, width, String::new(), 0)?;
        paragraph(
            output,
            width,
            format!("on real threads are run by {name} stress NAME:"),
            2,
        )?;
    }
    for stress in &catalogue.stress {
        let (name, about, source) = (stress.name, stress.about, stress.source);
        paragraph(output, width, format!("  {name}: {about} [{source}]"), 6)?;
    }
    if !catalogue.validators.is_empty() {
        paragraph(output, width, String::new(), 0)?;
        let line = format!("histories are validated by {name} validate FILE --against NAME, for:");
        paragraph(output, width, line, 2)?;
    }
    for validator in &catalogue.validators {
        let (name, about, source) = (validator.name, validator.about, validator.source);
        paragraph(output, width, format!("  {name}: {about} [{source}]"), 6)?;
    }
    Ok(())
}

fn paragraph(output: &mut dyn Write, width: usize, line: String, indent: usize) -> io::Result<()> {
    for line in wrap(&line, width, indent) {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

/// Formats the claims as a Markdown table, one row each.
pub fn markdown(name: &str, catalogue: &Catalogue) -> String {
    let mut markdown = String::from("| claim | expected | source |\n|---|---|---|\n");
    for claim in &catalogue.claims {
        // A bar would end the cell.
        let command = claim.command().replace('|', "\\|");
        let (expected, source, says) = (expected(claim), claim.source, claim.says);
        markdown += &format!("| `{name} {command}` | {expected} | {source}: {says} |\n");
    }
    for (table, published) in catalogue.published() {
        let (size, source) = (published.size(), published.source);
        let row = (table.name, table.about);
        markdown += &format!(
            "| `{name} table {}` | {size} | {source}: {} |\n",
            row.0, row.1
        );
    }
    markdown
}

/// Formats the expectation of a claim briefly.
pub(super) fn expected(claim: &Claim) -> String {
    let expect = &claim.expect;
    let mut text = expect.verdict.to_string();
    if let Some(by) = expect.by {
        text += &format!(" by {by}");
    }
    if let Some(length) = expect.length {
        text += &format!(" after {}", counted(length as u64, "step"));
    }
    if !expect.also.is_empty() {
        text += &format!(", and by {}", expect.also.join(", "));
    }
    if let Some(states) = expect.states {
        text += &format!(", {}", counted(states, "state"));
    }
    if let Some(transitions) = expect.transitions {
        text += &format!(", {}", counted(transitions, "transition"));
    }
    text
}
