//! `list`: prints the catalogue as text and as JSON.

use std::io::{self, Write};

use serde_json::json;

use super::command::Listing;
use super::error::CommandError;
use crate::catalogue::{Catalogue, ParameterKind};
use crate::json;
use refmap::internal::wrap;

pub(super) fn list(
    name: &str,
    catalogue: &Catalogue,
    listing: Listing,
    width: usize,
    output: &mut dyn Write,
) -> Result<(), CommandError> {
    match listing {
        Listing::Text => text(name, catalogue, width, output),
        Listing::Json => {
            let tables: Vec<_> = catalogue
                .published()
                .map(|(table, _)| table.head())
                .collect();
            let mut listed = json!({
                "checks": catalogue.checks, "claims": catalogue.claims()?, "grids": tables,
                "fences": [], "stress": [], "validators": [],
            });
            #[cfg(feature = "programs")]
            {
                listed["fences"] = json!(catalogue.fences);
            }
            #[cfg(feature = "histories")]
            {
                listed["stress"] = json!(catalogue.stress);
                listed["validators"] = json!(catalogue.all_validators().collect::<Vec<_>>());
            }
            Ok(json::print(&listed, output)?)
        }
    }
}

fn text(
    name: &str,
    catalogue: &Catalogue,
    width: usize,
    output: &mut dyn Write,
) -> Result<(), CommandError> {
    let claims = catalogue.claims()?;
    for check in &catalogue.checks {
        let line = format!("{}: {} [{}]", check.name, check.about, check.source);
        paragraph(output, width, line, 2)?;
        for parameter in check.parameters.iter() {
            let by_default = |default: Option<String>| match default {
                Some(default) => format!("{default} by default"),
                None => "has to be given".to_owned(),
            };
            let values = match &parameter.kind {
                ParameterKind::Number {
                    least,
                    most,
                    default,
                } => {
                    let range = least.zip(*most);
                    let range = range.map(|(least, most)| format!("{least} to {most}"));
                    let range = range.unwrap_or_else(|| "a number".to_owned());
                    let default = default.map(|default| default.to_string());
                    format!("{range}, {}", by_default(default))
                }
                ParameterKind::Choice { values, default } => {
                    format!("{}, {}", values.join(" or "), by_default(default.clone()))
                }
                ParameterKind::Text { default } => by_default(default.clone()),
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
    for claim in claims {
        // On one line, whatever its length, so that it can be copied.
        writeln!(output, "  {name} {}", claim.command)?;
        let (expected, source, says) = (&claim.expect, &claim.source, &claim.says);
        let line = format!("      {expected}  [{source}] {says}");
        paragraph(output, width, line, 6)?;
    }
    for (table, published) in catalogue.published() {
        paragraph(output, width, format!("  {name} table {}", table.name), 6)?;
        let (size, source) = (published.size(), published.source);
        let line = format!("      {size}  [{source}] {}", table.about);
        paragraph(output, width, line, 6)?;
    }
    #[cfg(feature = "programs")]
    fences(name, catalogue, width, output)?;
    #[cfg(feature = "histories")]
    objects(name, catalogue, width, output)?;
    Ok(())
}

/// Programs that may lack fences.
#[cfg(feature = "programs")]
fn fences(
    name: &str,
    catalogue: &Catalogue,
    width: usize,
    output: &mut dyn Write,
) -> io::Result<()> {
    if !catalogue.fences.is_empty() {
        paragraph(output, width, String::new(), 0)?;
        let line = format!("fences are searched by {name} fences PROGRAM --memory MODEL for:");
        paragraph(output, width, line, 2)?;
    }
    for problem in &catalogue.fences {
        let (name, about, source) = (problem.name, problem.about, problem.source);
        paragraph(output, width, format!("  {name}: {about} [{source}]"), 6)?;
    }
    Ok(())
}

/// Objects on real threads, and validators of histories.
#[cfg(feature = "histories")]
fn objects(
    name: &str,
    catalogue: &Catalogue,
    width: usize,
    output: &mut dyn Write,
) -> io::Result<()> {
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
