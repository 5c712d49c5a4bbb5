//! Labelled transition systems in the format of Aldebaran (`.aut`).
//!
//! Source: the manual page *aut* of CADP. `des (INITIAL, TRANSITIONS, STATES)`, then a line `(FROM, LABEL, TO)` for each
//! transition. A label stands in double quotes, in which any text may stand, or without them and then without comma, parenthesis and
//! quote. `tau` and `i` are invisible. Spaces around the parts, blank lines and CRLF are allowed.

use std::io::{self, BufRead};

use refmap::internal::explore::Clock;
use refmap::internal::grouped;
use refmap::internal::inclusion::{GraphError, LabelledGraph, LabelledStep, Labels, StepLabel};
use refmap::internal::input::Interrupted;

/// Length of a line above which it is refused, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// Bytes that a state takes in memory, at least, whether there are steps of it or not.
const STATE_BYTES: u64 = 16;

/// Reason why a file is no labelled transition system.
#[derive(Debug, thiserror::Error)]
pub enum AldebaranError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// A limit was reached before its end.
    #[error("{interrupted}, at line {}", grouped(*.line))]
    Interrupted {
        /// Number of the line that was being read, from 1 on.
        line: u64,
        /// The limit.
        interrupted: Interrupted,
    },
    /// It has no line.
    #[error("it has no header: a line `des (INITIAL, TRANSITIONS, STATES)`")]
    Empty,
    /// A line is not as it has to be.
    #[error("line {line}: {fault}")]
    Line {
        /// Its number, from 1 on.
        line: u64,
        /// The fault.
        fault: LineFault,
    },
    /// There are fewer or more transitions than the header says.
    #[error("the header announces {announced} transitions, and there are {found}")]
    Transitions {
        /// Number in the header.
        announced: u64,
        /// Number of lines.
        found: u64,
    },
}

impl AldebaranError {
    /// The error of an input at a line, from 1 on.
    pub fn at(line: u64, error: io::Error) -> Self {
        match Interrupted::in_error(&error) {
            Some(interrupted) => Self::Interrupted { line, interrupted },
            None => Self::Io(error),
        }
    }
}

/// Fault of a line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// It is too long.
    #[error("it is longer than {LONGEST_LINE} bytes")]
    TooLong,
    /// It is no text.
    #[error("it is no UTF-8")]
    NoText,
    /// It is no header.
    #[error("it is no header: expected `des (INITIAL, TRANSITIONS, STATES)`")]
    Header,
    /// It is no transition.
    #[error("it is no transition: expected `(FROM, LABEL, TO)`")]
    Transition,
    /// A label without quotes is empty, or has a character that it may not have.
    #[error(
        "the label `{0}` has to stand in double quotes: without them it has no comma, parenthesis or quote, and is not empty"
    )]
    StepLabel(String),
    /// A number is not a whole number in range.
    #[error("`{0}` is no whole number up to {max}", max = u32::MAX)]
    Number(String),
    /// A state is out of range, or there is none.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// Header of a file.
struct Header {
    initial: u32,
    transitions: u64,
    states: u32,
}

/// Reads a system, with the labels that it shares with others. The limits are those of the clock, and of the input while it is read.
///
/// # Errors
///
/// If a line cannot be read as one of the format, a state is out of range, or a limit is reached.
pub fn read(
    mut input: impl BufRead,
    labels: &mut Labels,
    clock: &Clock<'_>,
) -> Result<LabelledGraph, AldebaranError> {
    let mut header: Option<Header> = None;
    let mut steps: Vec<LabelledStep> = Vec::new();
    let mut buffer = Vec::new();
    let (mut line, mut bytes) = (0, 0);
    loop {
        buffer.clear();
        let mut limited = io::Read::take(&mut input, LONGEST_LINE + 1);
        let read = limited.read_until(b'\n', &mut buffer);
        let read = read.map_err(|error| AldebaranError::at(line + 1, error))?;
        if read == 0 {
            break;
        }
        line += 1;
        bytes += read as u64;
        let at = |fault| AldebaranError::Line { line, fault };
        let text = text(&buffer).map_err(at)?;
        if text.is_empty() {
            continue;
        }
        match &header {
            None => header = Some(read_header(text).map_err(at)?),
            Some(Header { states, .. }) => {
                let step = read_transition(text, labels).map_err(at)?;
                for state in [step.from, step.to] {
                    if state >= *states {
                        let last = states - 1;
                        return Err(at(GraphError::NoSuchState { state, last }.into()));
                    }
                }
                steps.push(step);
            }
        }
    }
    let Header {
        initial,
        transitions,
        states,
    } = header.ok_or(AldebaranError::Empty)?;
    let found = steps.len() as u64;
    if found != transitions {
        return Err(AldebaranError::Transitions {
            announced: transitions,
            found,
        });
    }
    let mentioned = steps.iter().flat_map(|step| [step.from, step.to]);
    let greatest = mentioned.fold(initial, u32::max);
    let needed = (u64::from(greatest) + found) * STATE_BYTES;
    if let Some(limit) = clock.limits.no_room_for(needed) {
        let interrupted = Interrupted { limit, bytes };
        return Err(AldebaranError::Interrupted { line, interrupted });
    }
    LabelledGraph::new(states, initial, &steps).map_err(|error| AldebaranError::Line {
        line: 1,
        fault: error.into(),
    })
}

fn text(line: &[u8]) -> Result<&str, LineFault> {
    if line.len() as u64 > LONGEST_LINE {
        return Err(LineFault::TooLong);
    }
    let text = std::str::from_utf8(line).map_err(|_| LineFault::NoText)?;
    Ok(text.trim())
}

/// Text between parentheses, if there is nothing around them.
fn in_parentheses(text: &str) -> Option<&str> {
    text.trim().strip_prefix('(')?.strip_suffix(')')
}

fn read_header(text: &str) -> Result<Header, LineFault> {
    let parts = text.strip_prefix("des").and_then(in_parentheses);
    let parts: Vec<&str> = parts.ok_or(LineFault::Header)?.split(',').collect();
    let [initial, transitions, states] = parts[..] else {
        return Err(LineFault::Header);
    };
    let header = Header {
        initial: number(initial)?,
        transitions: number(transitions)?,
        states: number(states)?,
    };
    let Some(last) = header.states.checked_sub(1) else {
        return Err(GraphError::NoStates.into());
    };
    if header.initial > last {
        let state = header.initial;
        return Err(GraphError::NoSuchState { state, last }.into());
    }
    Ok(header)
}

fn read_transition(text: &str, labels: &mut Labels) -> Result<LabelledStep, LineFault> {
    let parts = in_parentheses(text).ok_or(LineFault::Transition)?;
    let (from, rest) = parts.split_once(',').ok_or(LineFault::Transition)?;
    let (label, to) = rest.rsplit_once(',').ok_or(LineFault::Transition)?;
    Ok(LabelledStep {
        from: number(from)?,
        label: read_label(label.trim(), labels)?,
        to: number(to)?,
    })
}

fn read_label(text: &str, labels: &mut Labels) -> Result<StepLabel, LineFault> {
    let quoted = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    let label = match quoted {
        Some(quoted) => quoted,
        None if text.is_empty() || text.contains([',', '(', ')', '"']) => {
            return Err(LineFault::StepLabel(text.to_owned()));
        }
        None => text,
    };
    Ok(match label {
        "tau" | "i" => StepLabel::INVISIBLE,
        _ => labels.label(label),
    })
}

/// A whole number, of digits alone.
fn number<T: std::str::FromStr>(text: &str) -> Result<T, LineFault> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| LineFault::Number(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use refmap::explore::{Limit, Limits, Watch};

    use super::*;

    fn unbounded() -> Clock<'static> {
        Clock::new(Limits::default(), Watch::default())
    }

    fn read(text: &str) -> Result<LabelledGraph, AldebaranError> {
        super::read(text.as_bytes(), &mut Labels::new(), &unbounded())
    }

    #[test]
    fn a_system_is_read_however_it_is_spaced() {
        for text in [
            "des (1,3,3)\n(0,\"a\",1)\n(1, a , 2)\n(2,\"x, (y) \"z\"\",0)\n",
            "\r\n  des(1 , 3,3)\r\n\r\n ( 0 , \"a\" , 1 ) \r\n(1,a,2)\r\n(2,\"tau\",0)",
        ] {
            let graph = read(text).expect("it is one");
            assert_eq!(graph.states(), 3);
        }
        // Quotes are no part of a label, and what is invisible has none.
        let mut labels = Labels::new();
        for text in ["a", "\"a\""] {
            let label = read_label(text, &mut labels).expect("it is one");
            assert_eq!(labels.text(label), Some("a"));
        }
        for text in ["tau", "i", "\"tau\"", "\"i\""] {
            let label = read_label(text, &mut labels).expect("it is one");
            assert_eq!(label, StepLabel::INVISIBLE);
        }
        for text in ["\" tau\"", "i1", "\"\""] {
            let label = read_label(text, &mut labels).expect("it is one");
            assert_ne!(label, StepLabel::INVISIBLE);
        }
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        let cases = r"
 => it has no header: a line `des (INITIAL, TRANSITIONS, STATES)`
\n\n => it has no header: a line `des (INITIAL, TRANSITIONS, STATES)`
(0,a,1)\n => line 1: it is no header: expected `des (INITIAL, TRANSITIONS, STATES)`
des (0,1)\n => line 1: it is no header: expected `des (INITIAL, TRANSITIONS, STATES)`
des (0,0,0)\n => line 1: there are no states
des (2,0,2)\n => line 1: there is no state 2: the states are 0 to 1
des (0,-1,2)\n => line 1: `-1` is no whole number up to 4294967295
des (0,0,5000000000)\n => line 1: `5000000000` is no whole number up to 4294967295
des (0,1,2)\n\n(0,a,2)\n => line 3: there is no state 2: the states are 0 to 1
des (0,1,2)\n(0,a)\n => line 2: it is no transition: expected `(FROM, LABEL, TO)`
des (0,1,2)\n0,a,1\n => line 2: it is no transition: expected `(FROM, LABEL, TO)`
des (0,1,2)\n(0,a,1)x\n => line 2: it is no transition: expected `(FROM, LABEL, TO)`
des (0,1,2)\n(0,,1)\n => line 2: the label `` has to stand in double quotes: without them it has no comma, parenthesis or quote, and is not empty
des (0,1,2)\n(0,a,1.0)\n => line 2: `1.0` is no whole number up to 4294967295
des (0,2,2)\n(0,a,1)\n => the header announces 2 transitions, and there are 1
des (0,0,2)\n(0,a,1)\n => the header announces 0 transitions, and there are 1";
        for case in cases.lines().skip(1) {
            let (text, told) = case.split_once(" => ").expect(case);
            let text = text.replace("\\n", "\n");
            let error = read(&text).expect_err(case);
            assert_eq!(error.to_string(), told, "{text:?}");
        }
        let error = super::read(
            &b"des (0,1,2)\n(0,\xFF,1)\n"[..],
            &mut Labels::new(),
            &unbounded(),
        );
        assert_eq!(
            error.expect_err("no text").to_string(),
            "line 2: it is no UTF-8"
        );
    }

    /// A line can speak of more states than there is room for.
    #[test]
    fn states_without_steps_need_room_too() {
        let bounded = |bytes| {
            let limits = Limits {
                memory_bytes: Some(bytes),
                ..Limits::default()
            };
            let clock = Clock::new(limits, Watch::default());
            let text = "des (0,2,4294967295)\n(0,a,1)\n(1,a,4294967294)\n";
            super::read(text.as_bytes(), &mut Labels::new(), &clock)
        };
        match bounded(8 << 30) {
            Err(AldebaranError::Interrupted { line, interrupted }) => {
                assert_eq!((line, interrupted.bytes), (3, 46));
                assert_eq!(interrupted.limit, Limit::MemoryBytes(8 << 30));
            }
            other => panic!("{other:?}"),
        }
        assert!(read("des (0,1,4294967295)\n(0,a,1)\n").is_ok());
    }
}
