//! Tests of the format of a history, and of every error in it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use refmap::explore::{Limit, Limits, Watch};
use refmap::internal::input::Source;
use refmap::random::Generator;
use refmap::report::Verdict;
use refmap_histories::{
    Event, Header, History, HistoryError, LONGEST_LINE, Ordered, Outcome, Problem, Settings,
    Writer, validate,
};
use serde_json::json;

use super::event_in;
use super::memory::{Access, ObservedMemory, Stores};

const HEADER: &str = r#"{"history":"refmap","version":1,"parameters":{"cells":2}}"#;
const STORE: &str =
    r#"{"thread":0,"place":0,"begin":10,"end":20,"event":{"store":{"cell":0,"value":1}}}"#;

fn read(text: impl AsRef<[u8]>) -> Result<Vec<Event<Access>>, HistoryError> {
    History::open(text.as_ref())?.events().collect()
}

/// The line that ends a history of so many events.
fn end(events: u64) -> String {
    json!({"history": "end", "events": events}).to_string()
}

/// The error in a history with these lines after the header.
fn problem(lines: &[&str]) -> HistoryError {
    let text = format!("{HEADER}\n{}\n", lines.join("\n"));
    read(text).expect_err("the history is damaged")
}

#[test]
fn what_is_written_is_read() {
    let event = |thread, place, begin, end, event| Event {
        thread,
        place,
        begin,
        end,
        event,
    };
    let store = Access::Store { cell: 0, value: 1 };
    let load = Access::Load {
        cell: 0,
        value: None,
    };
    let events = [
        event(0, 0, 10, Some(20), Some(store)),
        event(u32::MAX, 0, 10, None, Some(load)),
        event(0, 1, 20, Some(u64::MAX), None),
    ];
    let header = Header::new([("cells", 2)]);
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    for event in &events {
        writer.write(event).unwrap();
    }
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert!(text.starts_with(&format!("{HEADER}\n{STORE}\n")), "{text}");
    let history = History::open(text.as_bytes()).unwrap();
    assert_eq!(*history.header(), header);
    let read: Result<Vec<Event<Access>>, _> = history.events().collect();
    assert_eq!(read.unwrap(), events);
}

#[test]
fn a_history_needs_its_header() {
    let problem = |text: &str| {
        let error = read(text).expect_err("there is no such header");
        assert_eq!(error.line, 1);
        error.problem
    };
    for none in [
        "\n{}\n",
        "[]\n",
        "{}\n",
        STORE,
        "what is this\n",
        "{\"history\"\n",
    ] {
        assert!(matches!(problem(none), Problem::NoHeader), "{none}");
    }
    // A text of nothing is a history of nothing, which does not say that it ends.
    for nothing in ["", "\n", " \n\n\t"] {
        let history = History::open(nothing.as_bytes()).expect("there is nothing in it");
        let observed = ObservedMemory(Stores::AtOnce);
        let validation = validate(&observed, history.events(), &Settings::default());
        let validation = validation.expect("nothing is malformed");
        assert_eq!(validation.verdict(), Verdict::Incomplete, "{nothing:?}");
        assert!(validation.no_end.is_some(), "{nothing:?}");
    }
    let cut = problem("{\"history\"");
    assert!(matches!(cut, Problem::NoEnd { within_line: true }));
    for twice in [
        r#"{"history":"refmap","version":1,"version":2}"#,
        r#"{"history":"refmap","version":1,"parameters":{"version":1,"version":1}}"#,
        r#"{"history":"refmap","version":1,"parameters":{"a":{"version":1,"version":2},"b":{"c":3}}}"#,
        r#"{"history":"refmap","version":1,"parameters":[{"version":1,"version":2},{"c":3}]}"#,
        r#"{"history":"refmap","version":1,"parameters":[{"c":3},{"version":1,"version":2}]}"#,
        r#"{"history":"refmap","version":1,"parameters":[{"version":1,"version":2},{"c":3,"c":4}]}"#,
    ] {
        let twice = problem(twice);
        assert!(matches!(twice, Problem::TwiceInHeader { field } if field == "version"));
    }
    let other = problem(r#"{"history":"jepsen","version":1}"#);
    assert!(matches!(other, Problem::OtherFormat { found } if found == "jepsen"));
    for (text, version) in [
        (r#"{"history":"refmap","version":2}"#, json!(2)),
        (r#"{"history":"refmap"}"#, json!(null)),
    ] {
        let other = problem(text);
        assert!(matches!(other, Problem::OtherVersion { found } if found == version));
    }
    for (text, named) in [
        (r#"{"history":"refmap","version":1,"host":"x"}"#, "host"),
        (
            r#"{"history":"refmap","version":1,"parameters":3}"#,
            "parameters",
        ),
    ] {
        let other = problem(text);
        assert!(matches!(other, Problem::HeaderField { field } if field == named));
    }
    let empty = format!("{}\n{}", r#"{"history":"refmap","version":1}"#, end(0));
    assert_eq!(read(empty).unwrap(), []);
}

#[test]
fn damage_is_reported_with_its_line_and_reason() {
    let malformed = |lines: &[&str], reason: &str| {
        let error = problem(lines);
        assert_eq!(error.line, 1 + lines.len() as u64, "{error}");
        assert!(
            matches!(error.problem, Problem::Malformed { .. }),
            "{error}"
        );
        assert!(error.to_string().contains(reason), "{error}");
    };
    malformed(
        &[
            STORE,
            r#"{"thread":1,"place":0,"begin":30,"end":40,"event":null,"host":"x"}"#,
        ],
        "unknown field `host`",
    );
    malformed(
        &[r#"{"thread":1,"place":0,"begin":30,"end":40}"#],
        "missing field `event`",
    );
    malformed(
        &[r#"{"thread":1,"place":0,"begin":3.5,"end":40,"event":null}"#],
        "floating point `3.5`",
    );
    malformed(
        &[r#"{"thread":-1,"place":0,"begin":3,"end":40,"event":null}"#],
        "`-1`",
    );
    malformed(
        &[r#"{"thread":0,"place":0,"begin":3,"end":4,"event":{"free":1}}"#],
        "unknown variant `free`",
    );
    malformed(
        &[r#"{"thread":0,"place":0,"begin":3,"end":4,"event":{"load":{"cell":0,"valeu":1}}}"#],
        "unknown field `valeu`",
    );

    let truncated = problem(&[STORE, r#"{"thread":1,"place":0,"beg"#]);
    assert_eq!(truncated.to_string(), "line 3: the line is truncated");
    let unfinished = read(format!("{HEADER}\n{}", &STORE[..40])).expect_err("it is truncated");
    assert_eq!(
        unfinished.to_string(),
        "line 2: the history has no end: the input ends in the middle of this line"
    );

    let event = |thread: u32, place: u64, begin: u64, end: Option<u64>| {
        let mut event = json!({"thread": thread, "place": place, "begin": begin, "event": null});
        if let Some(end) = end {
            event["end"] = end.into();
        }
        event.to_string()
    };
    let says = |lines: &[String], text: &str| {
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        let error = problem(&lines);
        assert_eq!(error.line, 1 + lines.len() as u64);
        assert!(error.to_string().contains(text), "{error}");
    };
    says(
        &[event(0, 0, 30, Some(29))],
        "ends at 29, before it begins at 30",
    );
    says(
        &[event(0, 0, 10, Some(20)), event(0, 1, 19, Some(30))],
        "the clock of thread 0 ran backwards: the event begins at 19",
    );
    says(
        &[event(0, 0, 10, Some(11)), event(1, 0, 9, Some(30))],
        "the event begins at 9, and the line before it at 10",
    );
    says(
        &[event(0, 0, 10, Some(11)), event(0, 2, 12, Some(30))],
        "this is event 2 of thread 0, where event 1 has to come",
    );
    says(
        &[event(0, 0, 10, Some(11)), event(0, 0, 12, Some(30))],
        "this is event 0 of thread 0, where event 1 has to come",
    );
    says(&[event(7, 1, 10, Some(11))], "where event 0 has to come");
    says(
        &[event(0, 0, 10, None), event(0, 1, 12, Some(30))],
        "after an event that has no end",
    );
}

/// A history is cut after any byte. It is read up to there, and the cut is told with its line, whatever is cut: no prefix of
/// a line is a line. Only the line break at its end may be missing.
#[test]
fn a_cut_is_told_wherever_it_is() {
    let mut writer = Writer::new(Vec::new(), &Header::new([("cells", 2)])).unwrap();
    for event in long(3) {
        writer.write(&event.unwrap()).unwrap();
    }
    let whole = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert!(whole.ends_with(&format!("{}\n", end(3))), "{whole}");
    for at in 1..whole.len() - 1 {
        let cut = &whole[..at];
        let breaks = cut.matches('\n').count();
        let is_whole_line = cut.ends_with('\n') || whole[at..].starts_with('\n');
        let events = match History::open(cut.as_bytes()) {
            Ok(history) => history.events::<Access>(),
            Err(error) => {
                assert!(breaks == 0 && !is_whole_line, "{cut}: {error}");
                assert_eq!(error.line, 1);
                assert!(matches!(
                    error.problem,
                    Problem::NoEnd { within_line: true }
                ));
                continue;
            }
        };
        let mut events: Vec<_> = events.collect();
        let error = events
            .pop()
            .expect("there is an item")
            .expect_err("it is cut");
        assert!(events.iter().all(Result::is_ok), "{cut}");
        let lines = breaks + usize::from(is_whole_line && !cut.ends_with('\n'));
        assert_eq!(events.len(), lines - 1, "{cut}");
        let last = lines + usize::from(!is_whole_line);
        assert_eq!(error.line, last as u64, "{cut}: {error}");
        assert!(
            matches!(error.problem, Problem::NoEnd { within_line } if within_line != is_whole_line),
            "{cut}: {error}"
        );
    }
    for sound in [&whole[..], whole.trim_end()] {
        assert_eq!(read(sound).unwrap().len(), 3);
    }
    // A character of two bytes is cut.
    let text = "{\"é".as_bytes();
    let cut = [HEADER.as_bytes(), b"\n", &text[..3]].concat();
    let error = read(cut).expect_err("it is cut");
    assert!(
        matches!(error.problem, Problem::NoEnd { within_line: true }),
        "{error}"
    );
}

/// The end counts the events, and nothing follows it.
#[test]
fn an_end_that_is_wrong_is_told() {
    let says = |lines: &[&str], line: u64, text: &str| {
        let error = problem(lines);
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    says(
        &[&end(1)],
        2,
        "ends after 1 event, as this line says, and there are 0",
    );
    says(
        &[STORE, &end(2)],
        3,
        "ends after 2 events, as this line says, and there are 1",
    );
    says(
        &[STORE, &end(1), STORE],
        4,
        "a line after the end of the history",
    );
    says(
        &[STORE, &end(1), HEADER],
        4,
        "a line after the end of the history",
    );
    says(
        &[STORE, HEADER],
        3,
        "not the end of a history, {\"history\":\"end\",\"events\":NUMBER}",
    );
    says(
        &[STORE, r#"{"history":"end"}"#],
        3,
        "missing field `events`",
    );
    says(
        &[STORE, r#"{"history":"end","events":-1}"#],
        3,
        "not the end of a history",
    );
    // In any form.
    let other = format!("{HEADER}\n{STORE}\n{{ \"events\": 1, \"history\": \"end\" }}");
    assert_eq!(read(other).unwrap().len(), 1);
}

#[test]
fn nothing_is_read_after_the_first_error() {
    let mut events = History::open(format!("{HEADER}\nx\n{STORE}\n").as_bytes())
        .map(|history| {
            let events: Vec<Result<Event<Access>, _>> = history.events().collect();
            events
        })
        .expect("the header is sound")
        .into_iter();
    assert!(events.next().is_some_and(|first| first.is_err()));
    assert!(events.next().is_none());
}

/// A line without an end, of arbitrary length.
struct Endless {
    header: &'static [u8],
    read: u64,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = if self.header.is_empty() {
            buffer.fill(b' ');
            buffer.len()
        } else {
            self.header.read(buffer)?
        };
        self.read += read as u64;
        Ok(read)
    }
}

/// A large file without line breaks is rejected in bounded memory, after the end of the history too.
#[test]
fn a_line_without_an_end_is_not_kept() {
    for (header, line) in [
        ("{\"history\":\"refmap\",\"version\":1}\n", 2),
        (
            "{\"history\":\"refmap\",\"version\":1}\n{\"history\":\"end\",\"events\":0}\n",
            3,
        ),
    ] {
        let mut input = Endless {
            header: header.as_bytes(),
            read: 0,
        };
        {
            let input: Box<dyn BufRead> = Box::new(BufReader::new(&mut input));
            let mut events = History::open(input).unwrap().events::<Access>();
            let error = events.next().unwrap().unwrap_err();
            assert_eq!(error.line, line);
            assert!(matches!(error.problem, Problem::TooLong { limit } if limit == LONGEST_LINE));
            assert!(events.next().is_none());
        }
        assert!(input.read < 2 * LONGEST_LINE as u64);
    }
}

/// A reader that fails after some bytes.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            Err(io::Error::other("the disk is gone"))
        } else {
            self.0.read(buffer)
        }
    }
}

/// An input fails after any byte, the last one too: the fault is told with the line that cannot be read.
#[test]
fn an_input_that_fails_says_where() {
    let whole = written(Vec::new()).unwrap();
    for at in 0..=whole.len() {
        let read = &whole[..at];
        let input = BufReader::new(Failing(read));
        let events = History::open(input).and_then(|history| {
            let events: Result<Vec<Event<Access>>, _> = history.events().collect();
            events
        });
        let line = 1 + read.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(
            events.expect_err("the input fails").to_string(),
            format!("line {line}: cannot be read: the disk is gone")
        );
    }
}

/// A disk that has room for so many bytes, and writes them when it is flushed or is given more than it holds back.
struct Full {
    room: usize,
    held_back: usize,
    most: usize,
}

impl Write for Full {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.held_back += buffer.len();
        if self.held_back > self.most {
            self.flush()?;
        }
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let left = self.room.checked_sub(self.held_back);
        self.room = left.ok_or_else(|| io::Error::other("the disk is full"))?;
        self.held_back = 0;
        Ok(())
    }
}

/// Writes a history of three events.
fn written<W: Write>(output: W) -> io::Result<W> {
    let mut writer = begun(output)?;
    for event in long(3).skip(1) {
        writer.write(&event.expect("it is well-formed"))?;
    }
    writer.finish()
}

/// Writer of a history of which one event is written.
fn begun<W: Write>(output: W) -> io::Result<Writer<W>> {
    let mut writer = Writer::new(output, &Header::new([("cells", 2)]))?;
    for event in long(1) {
        writer.write(&event.expect("it is well-formed"))?;
    }
    Ok(writer)
}

/// An output fails after any byte, at once or when it is flushed: no history is said to be written that is not.
#[test]
fn an_output_that_fails_is_told() {
    let whole = written(Vec::new()).unwrap().len();
    let part = begun(Vec::new()).unwrap().suspend().unwrap().len();
    for most in [0, 40, whole] {
        let full = |room| Full {
            room,
            held_back: 0,
            most,
        };
        for room in 0..whole + 2 {
            let is_written = written(full(room)).is_ok();
            assert_eq!(is_written, room >= whole, "{room} of {whole} bytes");
            let is_suspended = begun(full(room)).and_then(Writer::suspend).is_ok();
            assert_eq!(is_suspended, room >= part, "{room} of {part} bytes");
        }
    }
}

/// A source that is silent, of which the beginning is decided all the same.
#[test]
fn who_waits_for_an_input_keeps_the_limits() {
    let cancel = AtomicBool::new(false);
    let settings = Settings {
        limits: Limits {
            seconds: Some(0.3),
            ..Limits::default()
        },
        watch: Watch {
            cancel: Some(&cancel),
            ..Watch::default()
        },
        ..Settings::default()
    };
    let (reader, mut writer) = io::pipe().unwrap();
    let source = Source::open(move || Ok(reader), settings.clock()).unwrap();
    writeln!(writer, "{HEADER}\n{STORE}").unwrap();
    let history = History::open(source).unwrap();
    let validation = validate(&ObservedMemory(Stores::AtOnce), history.events(), &settings);
    let validation = validation.unwrap();
    assert!(
        matches!(validation.outcome, Outcome::Undecided(Limit::Seconds(_))),
        "{:?}",
        validation.outcome
    );
    assert_eq!((validation.events, validation.no_end), (1, None));
    let unread = validation.unread.as_deref().unwrap_or_default();
    let far = HEADER.len() + STORE.len() + 2;
    assert!(
        unread.contains(&format!("when {far} bytes were read")),
        "{unread}"
    );
    // Before there is a header.
    cancel.store(true, Ordering::Relaxed);
    let (reader, _writer) = io::pipe().unwrap();
    let source = Source::open(move || Ok(reader), settings.clock()).unwrap();
    let error = History::open(source).expect_err("there is no header");
    let limit = match error.problem {
        Problem::Interrupted(interrupted) => interrupted.limit,
        problem => panic!("{problem}"),
    };
    assert_eq!(limit, Limit::Cancelled);
}

/// Arbitrary bytes yield a verdict or an error with a line of the file, without a panic.
#[test]
fn any_bytes_have_an_answer() {
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    for event in long(20) {
        writer.write(&event.unwrap()).unwrap();
    }
    let sound = writer.finish().unwrap();
    let (mut read, mut refused) = (0, 0);
    for seed in 0..2000 {
        let mut random = Generator::new(seed);
        let mut bytes = sound.clone();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] = b"0123456789{}\":,\n"[random.below(16)],
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        let subject = ObservedMemory(Stores::AtOnce);
        let validated = History::open(bytes.as_slice())
            .and_then(|history| validate(&subject, history.events(), &Settings::default()));
        match validated {
            Ok(_) => read += 1,
            Err(error) => {
                assert!((1..=lines).contains(&error.line), "seed {seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(read > 20 && refused > 1000, "{read} {refused}");
}

/// A history of arbitrary length, generated lazily.
fn long(events: u64) -> impl Iterator<Item = Result<Event<Access>, HistoryError>> {
    (0..events).map(|number| {
        let value = (number / 2 % 3) as u8;
        Ok(event_in(
            (number % 2) as u32,
            number / 2,
            10 * number..=10 * number + 15,
            match number % 2 {
                0 => Access::Store { cell: 0, value },
                _ => Access::load(1, 0),
            },
        ))
    })
}

#[test]
fn a_long_history_needs_no_more_than_its_window() {
    for stores in [Stores::AtOnce, Stores::Delayed] {
        let settings = Settings {
            // Without a bound, arbitrarily many stores could be delayed, since no event waits for them.
            buffer: Some(4),
            ..Settings::default()
        };
        let events = Ordered::new(long(50_000));
        let validation = validate(&ObservedMemory(stores), events, &settings).unwrap();
        assert!(matches!(validation.outcome, Outcome::Behaviour));
        assert_eq!(validation.events, 50_000);
        assert!(
            validation.widest_window <= 8,
            "{}",
            validation.widest_window
        );
    }
}
