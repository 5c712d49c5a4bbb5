//! A table, for the terminal or in Markdown.

/// A heading with its columns and rows. The first columns are text, the others numbers.
#[derive(Debug)]
pub struct Table {
    pub heading: String,
    pub columns: Vec<&'static str>,
    /// Number of text columns, from the left.
    pub text_columns: usize,
    pub rows: Vec<Vec<String>>,
}

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Text,
    Markdown,
}

impl Table {
    /// The table as lines, each with a line break behind it.
    pub fn render(&self, style: Style) -> String {
        let widths = self.widths();
        let headings: Vec<_> = self.columns.iter().map(|name| (*name).to_owned()).collect();
        let mut lines = match style {
            Style::Text => vec![self.heading.clone()],
            Style::Markdown => vec![format!("### {}", self.heading), String::new()],
        };
        lines.push(self.line(style, &widths, &headings));
        if style == Style::Markdown {
            let rule = |(column, width): (usize, &usize)| {
                if column < self.text_columns {
                    "-".repeat(*width)
                } else {
                    format!("{}:", "-".repeat(width - 1))
                }
            };
            let rules: Vec<_> = widths.iter().enumerate().map(rule).collect();
            lines.push(format!("| {} |", rules.join(" | ")));
        }
        lines.extend(self.rows.iter().map(|row| self.line(style, &widths, row)));
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells
                .max()
                .unwrap_or(0)
                .max(self.columns[column].len())
                .max(3)
        };
        (0..self.columns.len()).map(width).collect()
    }

    fn line(&self, style: Style, widths: &[usize], cells: &[String]) -> String {
        let aligned: Vec<_> = cells
            .iter()
            .zip(widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                if column < self.text_columns {
                    format!("{cell:width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        match style {
            Style::Text => format!("  {}", aligned.join("  ")).trim_end().to_owned(),
            Style::Markdown => format!("| {} |", aligned.join(" | ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            heading: "two programs".to_owned(),
            columns: vec!["program", "seconds"],
            text_columns: 1,
            rows: vec![
                vec!["a".to_owned(), "1.25".to_owned()],
                vec!["another".to_owned(), "12.50".to_owned()],
            ],
        }
    }

    #[test]
    fn text_is_aligned() {
        let text = "two programs\n  program  seconds\n  a           1.25\n  another    12.50\n";
        assert_eq!(table().render(Style::Text), text);
    }

    #[test]
    fn markdown_is_aligned_and_says_which_columns_are_numbers() {
        let markdown = "### two programs\n\n\
                        | program | seconds |\n\
                        | ------- | ------: |\n\
                        | a       |    1.25 |\n\
                        | another |   12.50 |\n";
        assert_eq!(table().render(Style::Markdown), markdown);
    }
}
