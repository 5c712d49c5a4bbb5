//! Test that the reports quoted in a page are those that its program prints.

use refmap::Report;

/// The lines of `page` that are quotations, which stand five columns in.
///
/// # Errors
///
/// The first quoted line that, indentation aside, is no line of `reports`.
pub fn quoted(page: &str, reports: &[Report]) -> Result<usize, String> {
    let reports: Vec<_> = reports.iter().map(ToString::to_string).collect();
    let real: Vec<_> = reports.iter().flat_map(|report| report.lines()).collect();
    let quotations = page.lines().filter_map(|line| line.strip_prefix("//     "));
    let mut quoted = 0;
    for line in quotations {
        if !real.iter().any(|real| real.trim() == line.trim()) {
            return Err(line.to_owned());
        }
        quoted += 1;
    }
    Ok(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_printed_is_quoted() {
        assert_eq!(quoted("// Text.\n//\n", &[]), Ok(0));
        let page = "// It says:\n//     nothing\n";
        assert_eq!(quoted(page, &[]), Err("nothing".to_owned()));
    }
}
