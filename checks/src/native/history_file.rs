//! The file to which `--record` writes a history: whole or not at all.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use refmap::catalogue::{InputError, RecordedHistory};
use refmap::validate::{Event, Header, Writer};
use serde::Serialize;
use tempfile::NamedTempFile;

/// A place beside the file asked for, found to be writable before anything is run.
pub(super) struct HistoryFile {
    path: PathBuf,
    draft: NamedTempFile,
}

/// A history that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the history to {}: {source}", .path.display())]
struct RecordError {
    path: PathBuf,
    source: io::Error,
}

/// What is known of a recorded history beside its events.
pub(super) struct About {
    pub header: Header,
    /// Whether it is of a run that failed.
    pub fails: bool,
    /// How many times as long an operation takes when it is recorded.
    pub overhead: Option<f64>,
}

impl HistoryFile {
    pub fn prepare(path: &Path) -> Result<Self, InputError> {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let draft = match path.is_dir() {
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => NamedTempFile::new_in(folder.unwrap_or(Path::new("."))),
        };
        match draft {
            Ok(draft) => Ok(Self {
                path: path.to_owned(),
                draft,
            }),
            Err(source) => Err(refused(path, source)),
        }
    }

    /// Writes `history`.
    pub fn write<E: Serialize>(
        self,
        about: About,
        history: &[Event<E>],
    ) -> Result<RecordedHistory, InputError> {
        let Self { path, draft } = self;
        let write = || -> io::Result<()> {
            let mut writer = Writer::new(BufWriter::new(&draft), &about.header)?;
            for event in history {
                writer.write(event)?;
            }
            writer.finish()?;
            Ok(())
        };
        write()
            .and_then(|()| draft.persist(&path).map_err(|error| error.error))
            .map_err(|source| refused(&path, source))?;
        Ok(RecordedHistory {
            file: path,
            events: history.len() as u64,
            fails: about.fails,
            overhead: about.overhead,
        })
    }
}

fn refused(path: &Path, source: io::Error) -> InputError {
    let path = path.to_owned();
    InputError::instance(RecordError { path, source })
}
