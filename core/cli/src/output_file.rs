//! Output file of a command: tested to be writable before the command runs, and written at its end.
//!
//! A file is written under a temporary name beside it and then renamed, so that it is complete or as it was, even if the
//! command is killed. One that takes the place of another has its permissions and, where the system permits that, its owner;
//! symbolic links to it are kept, and further hard links keep what was there. A stream, such as a FIFO, a device or
//! `/dev/stdout`, receives the contents of the file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::Builder;

use crate::temporary::Temporary;

/// Greatest length of a chain of symbolic links, as on Linux.
const MOST_LINKS: usize = 40;

/// Interval between two looks for a reader of a FIFO.
const PAUSE: Duration = Duration::from_millis(20);

/// File to be written at the end of a command.
#[derive(Debug)]
pub struct OutputFile {
    place: Place,
    identity: Option<Identity>,
}

#[derive(Debug)]
enum Place {
    /// A file at this path, to which the links resolve, and what is there already.
    File(PathBuf, Option<Metadata>),
    /// A device, opened.
    Device(File),
    /// A FIFO; opening it blocks until there is a reader.
    Fifo(PathBuf),
    StandardOutput,
    StandardError,
}

/// Identity of the file that a path leads to, the same for two paths to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// A file of the system, by its device and its number there.
    #[cfg(unix)]
    Numbered(u64, u64),
    /// A path without links: of a file that does not exist yet, or of any where files have no numbers.
    Path(PathBuf),
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
        let identity = Identity::of(path);
        let is_same = |stream: Option<Identity>| identity.is_some() && stream == identity;
        let place = match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => Place::StandardOutput,
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => Place::StandardError,
            // A file that a stream goes to, too, would lose what the stream still has to say if it were replaced.
            _ if is_same(of_stream(io::stdout())) => Place::StandardOutput,
            _ if is_same(of_stream(io::stderr())) => Place::StandardError,
            _ => Place::of(path)?,
        };
        Ok(Self { place, identity })
    }

    /// Identity of the file; none of a device, which keeps nothing that could be written over.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// Creates an anonymous temporary file for content that is assembled before it can be written; it disappears
    /// when closed, or if the command is killed. It is in the folder of the output file, which has enough space.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn scratch(&self) -> io::Result<File> {
        match &self.place {
            Place::File(path, _) => tempfile::tempfile_in(folder(path)),
            _ => tempfile::tempfile(),
        }
    }

    /// True if the output is a stream, not a named file.
    pub fn is_stream(&self) -> bool {
        !matches!(self.place, Place::File(..))
    }

    /// Writes the output of `content`. A FIFO without a reader is waited for until `cancel` is set.
    ///
    /// # Errors
    ///
    /// If writing fails. Then a file is as it was, and a new one does not exist.
    pub fn write(
        self,
        cancel: &AtomicBool,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.place {
            Place::File(path, existing) => replace(&path, existing.as_ref(), content),
            Place::Device(file) => unless_gone(buffered(file, content)),
            Place::Fifo(path) => unless_gone(buffered(with_reader(&path, cancel)?, content)),
            Place::StandardOutput => unless_gone(buffered(io::stdout(), content)),
            Place::StandardError => unless_gone(buffered(io::stderr(), content)),
        }
    }

    /// Leaves the file unwritten, and returns the state of the path. The reader of a FIFO reads its end.
    pub fn leave(self) -> Unwritten {
        match self.place {
            Place::File(_, Some(existing)) if existing.len() > 0 => Unwritten::Earlier,
            Place::Fifo(path) => {
                // Without a reader there is nobody to tell.
                let _ = without_waiting(&path);
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
                if !names_a_file(&path) {
                    return Err(ErrorKind::IsADirectory.into());
                }
                test_folder(&path)?;
                return Ok(Self::File(path, None));
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
        if !existing.is_file() {
            return Ok(Self::Device(file));
        }
        let path = path.canonicalize()?;
        test_folder(&path)?;
        Ok(Self::File(path, Some(existing)))
    }
}

impl Identity {
    /// Identity of the file at a path; none where there is no telling, or of a device.
    pub fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(existing) => Self::of_existing(&existing, || path.canonicalize().ok()),
            Err(_) => {
                let path = followed(path).ok()?;
                let folder = folder(&path).canonicalize().ok()?;
                Some(Self::Path(folder.join(path.file_name()?)))
            }
        }
    }

    #[cfg(unix)]
    fn of_existing(file: &Metadata, _path: impl FnOnce() -> Option<PathBuf>) -> Option<Self> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let kind = file.file_type();
        let is_device = kind.is_char_device() || kind.is_block_device();
        (!is_device).then(|| Self::Numbered(file.dev(), file.ino()))
    }

    #[cfg(not(unix))]
    fn of_existing(_file: &Metadata, path: impl FnOnce() -> Option<PathBuf>) -> Option<Self> {
        path().map(Self::Path)
    }
}

/// Identity of the file that a stream of the process leads to.
#[cfg(unix)]
fn of_stream(stream: impl std::os::fd::AsFd) -> Option<Identity> {
    let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
    Identity::of_existing(&file.metadata().ok()?, || None)
}

#[cfg(not(unix))]
fn of_stream<T>(_stream: T) -> Option<Identity> {
    None
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

/// True if a path ends in a name, and neither in a separator nor in dots.
fn names_a_file(path: &Path) -> bool {
    let Some(Component::Normal(name)) = path.components().next_back() else {
        return false;
    };
    let written = path.as_os_str().as_encoded_bytes();
    written.ends_with(name.as_encoded_bytes())
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Tests that a file can be made beside this one. A draft has a name; the file of the test has none, where the system supports
/// that.
fn test_folder(path: &Path) -> io::Result<()> {
    let folder = folder(path);
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => {
            let problem = format!("no file can be made in {}: {error}", folder.display());
            Err(io::Error::new(error.kind(), problem))
        }
    }
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

/// Writes a whole file, and has it take the place of what is there.
fn replace(
    path: &Path,
    existing: Option<&Metadata>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let draft = Temporary::make(|| draft().tempfile_in(folder(path)))?;
    let file = draft.get().as_file();
    buffered(file, content)?;
    if let Some(existing) = existing {
        keep_owner(file, existing);
        file.set_permissions(existing.permissions())?;
    }
    // Some systems tell only now that there is no room.
    file.sync_all()?;
    let Err(failed) = draft.keep(|draft| draft.persist(path)) else {
        return Ok(());
    };
    // What took long to find is not thrown away.
    let problem = match failed.file.keep() {
        Ok((_, draft)) => format!("{}; it is in {}", failed.error, draft.display()),
        Err(_) => failed.error.to_string(),
    };
    Err(io::Error::new(failed.error.kind(), problem))
}

/// Gives a file the owner and the group of another, as far as the system permits it.
#[cfg(unix)]
fn keep_owner(file: &File, of: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(of.uid()), Some(of.gid()))
        .or_else(|_| fchown(file, None, Some(of.gid())));
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _of: &Metadata) {}

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
fn is_fifo(file: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&file.file_type())
}

#[cfg(not(unix))]
fn is_fifo(_file: &Metadata) -> bool {
    false
}

/// Opens a FIFO as soon as it has a reader.
fn with_reader(path: &Path, cancel: &AtomicBool) -> io::Result<File> {
    loop {
        match without_waiting(path)? {
            // As long as this one is open the reader sees no end.
            Some(_open) => return OpenOptions::new().write(true).open(path),
            None if cancel.load(Ordering::Relaxed) => {
                return Err(io::Error::other("interrupted: nobody reads from it"));
            }
            None => thread::sleep(PAUSE),
        }
    }
}

/// Opens a FIFO that has a reader, and closes it to tell that reader its end.
#[cfg(unix)]
fn without_waiting(path: &Path) -> io::Result<Option<File>> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    let opened = options
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path);
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn without_waiting(path: &Path) -> io::Result<Option<File>> {
    OpenOptions::new().write(true).open(path).map(Some)
}
