//! Output file of a command: tested to be writable before the command runs, and written at its end.
//!
//! A new file is written under a temporary name and then renamed, so it is either complete or absent, even if the
//! command is killed. An existing file is written in place, which preserves its permissions, its owner and links to
//! it. A stream, such as a FIFO, a device or `/dev/stdout`, receives the contents of the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

/// Greatest length of a chain of symbolic links, as on Linux.
const MOST_LINKS: usize = 40;

/// File to be written at the end of a command.
#[derive(Debug)]
pub struct OutputFile {
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// No file exists at this path, to which the links resolve.
    New(PathBuf),
    /// An existing file, opened and not yet changed.
    Existing(PathBuf, File),
    /// A device, opened.
    Device(File),
    /// A FIFO; opening it blocks until there is a reader.
    Fifo(PathBuf),
    StandardOutput,
    StandardError,
}

/// State of the path if the file is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// No file exists.
    Nothing,
    /// A file of an earlier run exists.
    Earlier,
}

impl OutputFile {
    /// Resolves `path` and tests that it can be written, without a change.
    ///
    /// # Errors
    ///
    /// If the path cannot be written, or is a directory.
    pub fn prepare(path: &Path) -> io::Result<Self> {
        let place = match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => Place::StandardOutput,
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => Place::StandardError,
            _ => Place::of(path)?,
        };
        Ok(Self { place })
    }

    /// Creates an anonymous temporary file for content that is assembled before it can be written; it disappears
    /// when closed, or if the command is killed. It is in the folder of the output file, which has enough space.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn scratch(&self) -> io::Result<File> {
        match &self.place {
            Place::New(path) => tempfile::tempfile_in(folder(path)),
            Place::Existing(path, _) => {
                tempfile::tempfile_in(folder(path)).or_else(|_| tempfile::tempfile())
            }
            _ => tempfile::tempfile(),
        }
    }

    /// Whether the output is a stream, not a named file.
    pub fn is_stream(&self) -> bool {
        !matches!(self.place, Place::New(_) | Place::Existing(..))
    }

    /// Writes the output of `content`.
    ///
    /// # Errors
    ///
    /// If writing fails. Then a new file does not exist, and an existing one is empty.
    pub fn write(self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match self.place {
            Place::New(path) => {
                let draft = draft().tempfile_in(folder(&path))?;
                buffered(draft.as_file(), content)?;
                draft.persist(path).map(drop).map_err(|error| error.error)
            }
            Place::Existing(_, file) => {
                file.set_len(0)?;
                // A partial file could be mistaken for a complete one. If truncation fails too, the error to report
                // is that of writing.
                buffered(&file, content).inspect_err(|_| drop(file.set_len(0)))
            }
            Place::Device(file) => unless_gone(buffered(file, content)),
            Place::Fifo(path) => {
                let file = OpenOptions::new().write(true).open(path)?;
                unless_gone(buffered(file, content))
            }
            Place::StandardOutput => unless_gone(buffered(io::stdout(), content)),
            Place::StandardError => unless_gone(buffered(io::stderr(), content)),
        }
    }

    /// Leaves the file unwritten, and returns the state of the path. The reader of a FIFO reads its end.
    pub fn leave(self) -> Unwritten {
        match self.place {
            Place::Existing(_, file) if file.metadata().is_ok_and(|file| file.len() > 0) => {
                Unwritten::Earlier
            }
            Place::Fifo(path) => {
                end(&path);
                Unwritten::Nothing
            }
            _ => Unwritten::Nothing,
        }
    }
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        let existing = match fs::metadata(path) {
            Ok(existing) => existing,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let path = followed(path)?;
                // A draft for the final write has a name; this file has none, where the system supports that.
                tempfile::tempfile_in(folder(&path))?;
                return Ok(Self::New(path));
            }
            Err(error) => return Err(error),
        };
        if existing.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        if is_fifo(&existing) {
            return Ok(Self::Fifo(path.to_owned()));
        }
        let file = OpenOptions::new().write(true).open(path)?;
        Ok(match existing.is_file() {
            true => Self::Existing(path.to_owned(), file),
            false => Self::Device(file),
        })
    }
}

/// Resolves symbolic links to a file that does not exist yet.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links lead from one to the next"))
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Creates a file with the permissions that the umask permits.
fn draft() -> Builder<'static, 'static> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut builder = Builder::new();
        builder.permissions(fs::Permissions::from_mode(0o666));
        builder
    }
    #[cfg(not(unix))]
    Builder::new()
}

fn buffered(
    file: impl Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    content(&mut file)?;
    file.flush()
}

/// Treats a closed pipe as success: the reader of a stream may stop reading.
fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

#[cfg(unix)]
fn is_fifo(file: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&file.file_type())
}

#[cfg(not(unix))]
fn is_fifo(_file: &fs::Metadata) -> bool {
    false
}

/// Signals end of file to a waiting reader of a FIFO. Does not block if there is none.
#[cfg(unix)]
fn end(path: &Path) {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    let _ = options
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path);
}

#[cfg(not(unix))]
fn end(_path: &Path) {}
