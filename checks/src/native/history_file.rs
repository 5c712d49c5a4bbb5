//! File to which `--record` writes a history.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use refmap_cli::OutputFile;
use refmap_cli::catalogue::{InputError, RecordedHistory, StressSettings};
use refmap_histories::{Event, Header, Recorder, Writer};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// File for a history, tested to be writable before the run.
pub(super) struct HistoryFile {
    path: PathBuf,
    file: OutputFile,
}

/// Error: a history cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the history to {}: {source}", .path.display())]
struct RecordError {
    path: PathBuf,
    source: io::Error,
}

/// Header fields of a recorded history.
pub(super) struct About {
    pub header: Header,
    /// Whether the recorded run failed.
    pub fails: bool,
    /// Recording overhead: the factor by which an operation takes longer.
    pub overhead: Option<f64>,
}

impl HistoryFile {
    pub fn prepare(path: &Path) -> Result<Self, InputError> {
        match OutputFile::prepare(path) {
            Ok(file) => Ok(Self {
                path: path.to_owned(),
                file,
            }),
            Err(source) => Err(refused(path, source)),
        }
    }

    /// Records `run` for the seconds of the settings, or until it is cancelled: then the flag that it receives is set, and it
    /// must end. The recorded events go to a temporary file during the run, so memory does not grow with the
    /// history.
    pub fn record<E: Serialize + Send, T>(
        self,
        settings: &StressSettings<'_>,
        run: impl FnOnce(&Arc<Recorder<E>>, &Arc<AtomicBool>) -> T,
    ) -> Result<(Recording, T), InputError> {
        let path = self.path.clone();
        let recorded = recorded(&self.file, settings, run);
        let (scratch, events, outcome) = recorded.map_err(|source| refused(&path, source))?;
        let recording = Recording {
            file: self,
            scratch,
            events,
        };
        Ok((recording, outcome))
    }
}

/// Interval between two drains of the recorder.
const PAUSE: Duration = Duration::from_millis(10);

/// Time that a run has to end once its time is over, in seconds.
pub(super) const ENDING: f64 = 10.0;

fn recorded<E: Serialize + Send, T>(
    file: &OutputFile,
    settings: &StressSettings<'_>,
    run: impl FnOnce(&Arc<Recorder<E>>, &Arc<AtomicBool>) -> T,
) -> io::Result<(File, u64, T)> {
    let recorder = Arc::new(Recorder::new());
    let over = Arc::new(AtomicBool::new(false));
    // The final header is known only at the end. This placeholder has the length of a line, and is skipped then.
    let scratch = BufWriter::new(file.scratch()?);
    let mut writer = Writer::new(scratch, &Header::default())?;
    let mut events = 0;
    let begun = Instant::now();
    let outcome = thread::scope(|scope| {
        // They are dropped when the run has ended, also by a panic.
        let [(running, is_running), (_timed, is_timed)] = [(); 2].map(|()| mpsc::channel::<()>());
        let over = &over;
        // Not by the thread that writes, which may take long.
        scope.spawn(move || {
            while is_timed.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                let is_over = begun.elapsed().as_secs_f64() >= settings.seconds;
                if is_over || settings.cancel.load(Ordering::Relaxed) {
                    over.store(true, Ordering::Relaxed);
                }
            }
        });
        let drains = scope.spawn(|| {
            let mut written = Ok(());
            let is_running = is_running;
            while is_running.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if written.is_ok() {
                    written = recorder.drain(&mut writer).map(|more| events += more);
                }
                if written.is_err() {
                    over.store(true, Ordering::Relaxed);
                }
            }
            written
        });
        let outcome = settings.running(ENDING, || run(&recorder, over));
        // Of a run that panics, too.
        drop(running);
        let written = drains.join().expect("to write is an error at most");
        written.map(|()| outcome)
    })?;
    let recorder = Arc::into_inner(recorder).expect("those who recorded are gone");
    for event in recorder.finish() {
        writer.write(&event)?;
        events += 1;
    }
    let scratch = writer.finish()?.into_inner();
    let scratch = scratch.map_err(io::IntoInnerError::into_error)?;
    Ok((scratch, events as u64, outcome))
}

/// Recorded history that is not yet written.
pub(super) struct Recording {
    file: HistoryFile,
    scratch: File,
    events: u64,
}

impl Recording {
    /// Reads the events whose line `is_wanted` accepts.
    pub fn events<E: DeserializeOwned>(
        &mut self,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Event<E>>, InputError> {
        let path = self.file.path.clone();
        let mut read = || -> io::Result<Vec<Event<E>>> {
            let mut wanted = Vec::new();
            for line in after_header(&mut self.scratch)?.lines() {
                let line = line?;
                if is_wanted(&line) {
                    wanted.push(serde_json::from_str(&line)?);
                }
            }
            Ok(wanted)
        };
        read().map_err(|source| refused(&path, source))
    }

    /// Writes the history file; what it is, or why it cannot be written.
    pub fn write(self, about: About, cancel: &AtomicBool) -> Result<RecordedHistory, String> {
        let HistoryFile { path, file } = self.file;
        let mut scratch = self.scratch;
        let written = file.write(cancel, |file| {
            // The recorded lines follow, with the one that ends the history.
            let mut file = Writer::new(file, &about.header)?.suspend()?;
            io::copy(&mut after_header(&mut scratch)?, &mut file).map(drop)
        });
        written.map_err(|source| refused(&path, source).to_string())?;
        Ok(RecordedHistory {
            file: path,
            events: self.events,
            fails: about.fails,
            overhead: about.overhead,
        })
    }
}

/// Lines of events and of the end, without the header.
fn after_header(scratch: &mut File) -> io::Result<BufReader<&mut File>> {
    scratch.rewind()?;
    let mut lines = BufReader::new(scratch);
    lines.skip_until(b'\n')?;
    Ok(lines)
}

fn refused(path: &Path, source: io::Error) -> InputError {
    let path = path.to_owned();
    InputError::instance(RecordError { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events of many blocks of a file are read again, to the last.
    #[test]
    fn each_event_of_a_long_recording_is_read() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = HistoryFile::prepare(&folder.path().join("h.jsonl")).expect("there is room");
        let cancel = AtomicBool::new(false);
        let settings = StressSettings::new(60.0, 0, &cancel);
        let many = 10_000;
        let recorded = file.record(&settings, |recorder, _| {
            let mut log = recorder.thread();
            for number in 0..many {
                let begin = log.begin();
                log.end(begin, number);
            }
        });
        let (mut recording, ()) = recorded.expect("there is room");
        let events: Vec<Event<u32>> = recording
            .events(|line| line.contains("\"event\":"))
            .expect("they are there");
        let numbers = events.iter().map(|event| event.event);
        assert!(numbers.eq((0..many).map(Some)), "{}", events.len());
    }
}
