//! Properties of the terminal.

use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};

use refmap::internal::{Colour, TextOptions};

/// Shortens text to at most `columns`, with an ellipsis at its end if something is cut off.
pub(super) fn shortened(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        text.to_owned()
    } else {
        text.chars()
            .take(columns.saturating_sub(1))
            .chain((columns > 0).then_some('…'))
            .collect()
    }
}

/// Smallest width of text, in columns.
const LEAST_WIDTH: usize = 40;

/// Format of text on the output.
#[derive(Clone, Copy)]
pub(super) struct Screen {
    pub options: TextOptions,
    /// Columns, where lines are to fit: those of a terminal, or those of `COLUMNS`.
    pub columns: Option<usize>,
}

/// Screen of standard output, with options for text: the width of `COLUMNS` or of the terminal, and colours if it is a terminal
/// and neither `NO_COLOR` nor a similar variable forbids them.
pub(super) fn standard_output() -> Screen {
    let plain = TextOptions::default();
    let columns = std::env::var("COLUMNS").ok();
    let columns: Option<usize> = columns.and_then(|columns| columns.parse().ok());
    let of_terminal = || {
        let stdout = io::stdout();
        let size = stdout
            .is_terminal()
            .then(|| terminal_size::terminal_size_of(stdout));
        size.flatten().map(|(width, _)| usize::from(width.0))
    };
    let columns = columns.filter(|columns| *columns > 0).or_else(of_terminal);
    let columns = columns.map(|columns| columns.max(LEAST_WIDTH));
    let options = TextOptions {
        width: columns.unwrap_or(plain.width),
        colour: match AutoStream::choice(&io::stdout()) {
            ColorChoice::Never => Colour::Plain,
            _ => Colour::Ansi,
        },
        ..plain
    };
    Screen { options, columns }
}
