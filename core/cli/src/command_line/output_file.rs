//! A file that a command writes beside its results: found to be writable before anything is run, and written at the end.
//!
//! A new file is written beside its place and then moved there, so it is whole or not there, and nothing is left where
//! the command is killed before. A file that exists is written in place: it keeps its permissions and its owner, and so
//! does what a link leads to. Streams, such as a FIFO, a device or `/dev/stdout`, get what would be in the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

/// The most links that lead from one to the next; as many as Linux follows.
const MOST_LINKS: usize = 40;

/// A file to be written at the end of a command.
#[derive(Debug)]
pub struct OutputFile {
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// There is no file yet at this path, to which links lead.
    New(PathBuf),
    /// There is one, opened and not yet changed.
    Existing(PathBuf, File),
    /// A device, opened.
    Device(File),
    /// A FIFO, whose opening waits for a reader.
    Fifo(PathBuf),
    StandardOutput,
    StandardError,
}

/// What is at the place of a file that is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// Nothing.
    Nothing,
    /// A file with contents that an earlier run has left there.
    Earlier,
}

impl OutputFile {
    /// Finds out where `path` leads, and that it can be written. Changes nothing.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or is a directory.
    pub fn prepare(path: &Path) -> io::Result<Self> {
        let place = match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => Place::StandardOutput,
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => Place::StandardError,
            _ => Place::of(path)?,
        };
        Ok(Self { place })
    }

    /// A file without a name, for what is put together before it can be written: it is gone when it is closed, and where
    /// the command is killed. It is beside the file, where there is as much room.
    ///
    /// # Errors
    ///
    /// If there can be none.
    pub fn scratch(&self) -> io::Result<File> {
        match &self.place {
            Place::New(path) => tempfile::tempfile_in(folder(path)),
            Place::Existing(path, _) => {
                tempfile::tempfile_in(folder(path)).or_else(|_| tempfile::tempfile())
            }
            _ => tempfile::tempfile(),
        }
    }

    /// Whether what is written is read as it comes, and is no file with a name of its own.
    pub fn is_stream(&self) -> bool {
        !matches!(self.place, Place::New(_) | Place::Existing(..))
    }

    /// Writes what `content` writes.
    ///
    /// # Errors
    ///
    /// If that fails. A new file is not there then, and one that existed is empty.
    pub fn write(self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match self.place {
            Place::New(path) => {
                let draft = draft().tempfile_in(folder(&path))?;
                buffered(draft.as_file(), content)?;
                draft.persist(path).map(drop).map_err(|error| error.error)
            }
            Place::Existing(_, file) => {
                file.set_len(0)?;
                // A part would be taken for the whole. Where the file cannot even be emptied, that it could not be
                // written is the error to tell.
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

    /// Writes nothing, and says what is there. The reader of a FIFO finds it at its end.
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
                // A draft is written here at the end; this one has no name, where the system offers that.
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

/// Where the links lead that lead to a file that does not exist yet.
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

/// A file with the permissions that the umask leaves.
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

/// The reader of a stream may stop reading when it has read enough.
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

/// A reader that waits finds that nothing comes. Without one this does not wait.
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
