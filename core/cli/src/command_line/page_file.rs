//! File to which `--html` writes a page.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::command::Page;
use super::files::Files;
use crate::output_file::OutputFile;

/// Error: a page cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the page to {}: {source}", .path.display())]
pub struct PageFileError {
    path: PathBuf,
    source: io::Error,
}

/// File for a page, tested to be writable before the command runs.
pub(super) struct PageFile<'a> {
    path: &'a Path,
    /// The command that makes the page, as it is shown there.
    pub command: &'a str,
    file: OutputFile,
}

impl<'a> PageFile<'a> {
    pub fn prepare(
        page: Option<&'a Page>,
        files: &mut Files,
    ) -> Result<Option<Self>, PageFileError> {
        let Some(Page { path, command }) = page else {
            return Ok(None);
        };
        match files.prepare("the page", path) {
            Ok(file) => Ok(Some(Self {
                path,
                command,
                file,
            })),
            Err(source) => Err(PageFileError {
                path: path.clone(),
                source,
            }),
        }
    }

    /// Writes the page.
    pub fn write(self, html: &str, cancel: &AtomicBool) -> Result<(), PageFileError> {
        let written = self
            .file
            .write(cancel, |file| file.write_all(html.as_bytes()));
        written.map_err(|source| PageFileError {
            path: self.path.to_owned(),
            source,
        })
    }
}
