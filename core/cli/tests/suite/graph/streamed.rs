//! Results are told as they are found, from input that comes when it comes.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use refmap_cli::{CommandError, Status};
use serde_json::{Value, json};

use super::refused::{good, into};
use crate::has;

/// Output that is looked at while it is written.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn text(&self) -> String {
        let bytes = self.0.lock().expect("nobody panics").clone();
        String::from_utf8(bytes).expect("it is text")
    }

    /// Waits until something is written.
    fn wait_for(&self, part: &str) {
        for _ in 0..60_000 {
            if self.text().contains(part) {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("there is no {part} in {}", self.text());
    }
}

/// Runs `graph` on a FIFO. `says` is who writes to it, and is given what the command has printed and its cancellation.
fn of_fifo(
    options: &[&str],
    says: impl FnOnce(&Path, &Shared, &AtomicBool),
) -> (Result<Status, CommandError>, String) {
    let folder = tempfile::tempdir().expect("it is of its form");
    let fifo = folder.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("there is mkfifo").success());
    let (output, cancel) = (Shared::default(), AtomicBool::new(false));
    let status = thread::scope(|scope| {
        let decided = scope.spawn(|| into(options, &[&fifo], &cancel, &mut output.clone()));
        says(&fifo, &output, &cancel);
        decided.join().expect("it does not panic")
    });
    (status, output.text())
}

fn writer(fifo: &Path) -> fs::File {
    let writer = fs::OpenOptions::new().write(true).open(fifo);
    writer.expect("it has a reader")
}

#[cfg(unix)]
#[test]
fn what_is_decided_is_told_before_the_next_line_is_there() {
    for (options, first) in [
        (&[][..], "eventually p: holds\n"),
        (&["--json"], "\"verdict\": \"holds\""),
    ] {
        let (status, text) = of_fifo(options, |fifo, output, _| {
            let mut writer = writer(fifo);
            writeln!(writer, "{}", good()).expect("it is of its form");
            output.wait_for(first);
            writeln!(writer, "{{").expect("it is of its form");
            let mut other = good();
            other["name"] = json!("other");
            writeln!(writer, "{other}").expect("it is of its form");
            output.wait_for("other");
        });
        assert_eq!(status.expect("it is of its form"), Status::Unusable);
        if !options.is_empty() {
            let all: Value = serde_json::from_str(&text).expect("it is JSON");
            let names = [&all["graphs"][0]["name"], &all["graphs"][1]["name"]];
            assert_eq!(names, [&json!("good"), &json!("other")]);
            assert_eq!(all["errors"][0]["line"], 2);
        }
    }
}

/// Be it that nobody opens the FIFO, that nothing is said, or nothing more.
#[cfg(unix)]
#[test]
fn input_that_says_nothing_can_be_interrupted() {
    let cancel_at_once = |_: &Path, _: &Shared, cancel: &AtomicBool| {
        cancel.store(true, Ordering::Relaxed);
    };
    let cancel_when_open = |fifo: &Path, _: &Shared, cancel: &AtomicBool| {
        let _writer = writer(fifo);
        cancel.store(true, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(100));
    };
    let cancel_in_a_line = |fifo: &Path, output: &Shared, cancel: &AtomicBool| {
        let mut writer = writer(fifo);
        write!(writer, "{}\n\n \n\n{{\"name\":", good()).expect("it is of its form");
        output.wait_for("holds");
        cancel.store(true, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(100));
    };
    type Says<'s> = &'s dyn Fn(&Path, &Shared, &AtomicBool);
    let all: [(Says<'_>, usize, Value); 3] = [
        (&cancel_at_once, 0, Value::Null),
        (&cancel_when_open, 0, Value::Null),
        (&cancel_in_a_line, 1, json!(5)),
    ];
    for (says, graphs, line) in all {
        let (status, text) = of_fifo(&["--json"], says);
        assert_eq!(status.expect("it is of its form"), Status::Incomplete);
        let all: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(
            all["graphs"].as_array().expect("it is of its form").len(),
            graphs
        );
        assert_eq!(
            all["errors"].as_array().expect("it is of its form").len(),
            1
        );
        assert_eq!(all["errors"][0]["line"], line);
        let message = all["errors"][0]["message"]
            .as_str()
            .expect("it is of its form");
        assert!(message.starts_with("interrupted"), "{message}");
    }
}

/// Output that has no room, from some byte on.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.0.min(bytes.len());
        self.0 -= room;
        match room {
            0 => Err(io::ErrorKind::StorageFull.into()),
            room => Ok(room),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Output that cannot be written is an error, and keeps no page from being written whole.
#[test]
fn output_without_room_is_an_error_and_the_page_is_written() {
    let folder = tempfile::tempdir().expect("it is of its form");
    let file = folder.path().join("systems.jsonl");
    let mut other = good();
    other["name"] = json!("the last one");
    fs::write(&file, format!("{}\n{other}\n", good())).expect("it is of its form");
    let never = AtomicBool::new(false);
    for options in [&[][..], &["--json"]] {
        for room in [0, 10, 30, 60, 200] {
            let status = into(options, &[&file], &never, &mut Full(room));
            // A text of two systems has 90 bytes.
            let is_written = options.is_empty() && room == 200;
            assert_eq!(status.is_ok(), is_written, "{options:?} {room}");
            #[cfg(feature = "pictures")]
            {
                let page = folder.path().join("page.html");
                let with_page = [
                    options,
                    &["--html", page.to_str().expect("it is of its form")],
                ]
                .concat();
                let status = into(&with_page, &[&file], &never, &mut Full(room));
                assert_eq!(status.is_ok(), is_written, "{options:?} {room}");
                let html = fs::read_to_string(&page).expect("it is written");
                has(&html, "<h2>the last one</h2>");
                assert!(html.ends_with("</html>\n"));
                fs::remove_file(&page).expect("it is of its form");
            }
        }
    }
}
