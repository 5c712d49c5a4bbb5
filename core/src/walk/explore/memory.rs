//! Memory that the process holds, as the operating system says, and memory that it may have.
//!
//! Where the operating system refuses memory, a small request ends the process: so much is allocated in
//! small pieces, by the models too, that not every piece can be asked for with care. What can be is every
//! large piece ([`room_for`]), and now and then, whether there is room for all the small ones to come.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time for which what the operating system said is believed. PERF: it takes some 20 microseconds to say it, in
/// which a hundred states are expanded; a search fills some ten megabytes in this time.
const BELIEVED: Duration = Duration::from_millis(10);

/// Memory that the process holds, looked up now and then.
#[derive(Default)]
pub(super) struct Resident {
    peak: u64,
    looked: Option<Instant>,
}

impl Resident {
    /// Bytes held, or `own` where the system does not say.
    pub fn look(&mut self, own: u64) -> u64 {
        let held = resident_bytes().unwrap_or(own);
        self.peak = self.peak.max(held);
        self.looked = Some(Instant::now());
        held
    }

    /// The same, or `None` if it was looked up just before.
    pub fn look_again(&mut self, own: u64) -> Option<u64> {
        let looked = |looked: Instant| looked.elapsed() < BELIEVED;
        (!self.looked.is_some_and(looked)).then(|| self.look(own))
    }

    /// The most that was held when it was looked up.
    pub fn peak(&self) -> u64 {
        self.peak
    }
}

/// Bytes resident, or `None` where the system has no `/proc`.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Bytes that could still be had without swapping, or `None` where the system has no `/proc`.
pub(super) fn available_bytes() -> Option<u64> {
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let mut lines = memory.lines();
    let line = lines.find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Memory that a large piece leaves for the small ones that follow before it is asked again whether there is room: those of
/// a wave of states, in the model too.
const LEFT_FOR_SMALL: usize = 32 << 20;
const LARGE: usize = 1 << 20;

/// An empty list with room for `count` entries; none if the operating system refuses it, or if it leaves too
/// little.
pub(super) fn room_for<T>(count: usize) -> Option<Vec<T>> {
    let list = piece(count)?;
    let leaves_enough = count * size_of::<T>() < LARGE || is_granted(LEFT_FOR_SMALL);
    leaves_enough.then_some(list)
}

fn piece<T>(count: usize) -> Option<Vec<T>> {
    #[cfg(test)]
    if tests::REFUSED.with_borrow(|refused| refused.contains(&(count * size_of::<T>()))) {
        return None;
    }
    let mut list = Vec::new();
    list.try_reserve_exact(count).ok()?;
    Some(list)
}

/// True if so many bytes more could be had. They are not touched.
pub(super) fn is_granted(bytes: usize) -> bool {
    // What is not used might never be asked for.
    black_box(piece::<u8>(bytes)).is_some()
}

/// Four fifths of the memory that the process may have, or `None` where the system does not say.
pub(super) fn four_fifths() -> Option<u64> {
    Some(granted_bytes()? / 5 * 4)
}

/// The memory of the machine, or less: what its control group has, or its address space.
fn granted_bytes() -> Option<u64> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let of_machine = read(Path::new("/proc/meminfo")).and_then(|text| total_bytes(&text));
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let of_group = control_group_bytes(&groups, read);
    let of_process =
        read(Path::new("/proc/self/limits")).and_then(|text| address_space_bytes(&text));
    let all = [of_machine, of_group, of_process];
    all.into_iter().flatten().min()
}

fn total_bytes(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let line = lines.find(|line| line.starts_with("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn address_space_bytes(limits: &str) -> Option<u64> {
    let mut lines = limits.lines();
    let soft = lines.find_map(|line| line.strip_prefix("Max address space"))?;
    // No number where there is no limit.
    soft.split_whitespace().next()?.parse().ok()
}

/// The least that the control group of the process, or one that it is in, may have; `groups` is what
/// `/proc/self/cgroup` says, of version 1 and of version 2.
fn control_group_bytes(groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let files = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        };
        let is_about_memory =
            controllers.is_empty() || controllers.split(',').any(|one| one == "memory");
        // In a container the group may be named as outside, where the root is already its own.
        let group = Path::new(group.trim_start_matches('/'));
        let groups = group.ancestors().filter(move |_| is_about_memory);
        groups.map(move |group| PathBuf::from(root).join(group).join(file))
    });
    let limits = files.filter_map(|file| read(&file)?.trim().parse().ok());
    limits.min()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::ops::Range;

    use super::*;

    thread_local! {
        /// Pieces of these sizes are not granted on this thread.
        pub static REFUSED: RefCell<Range<usize>> = const { RefCell::new(0..0) };
    }

    #[test]
    fn the_least_of_all_control_groups_counts() {
        let files = [
            ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("/sys/fs/cgroup/a/memory.max", "3000\n"),
            ("/sys/fs/cgroup/memory.max", "5000\n"),
            ("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4000\n"),
            (
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ];
        let read = |path: &Path| {
            let file = files.iter().find(|(name, _)| path == Path::new(name));
            file.map(|(_, text)| (*text).to_owned())
        };
        for (groups, most) in [
            ("0::/a/b\n", Some(3000)),
            ("0::/\n", Some(5000)),
            ("0::/somewhere/outside\n", Some(5000)),
            ("5:cpu,memory:/c\n4:pids:/a\n", Some(4000)),
            ("4:pids:/a\n", None),
            ("5:memory:/c\n0::/a\n", Some(3000)),
            ("", None),
        ] {
            assert_eq!(control_group_bytes(groups, read), most, "{groups}");
        }
    }

    #[test]
    fn the_machine_and_the_process_have_limits() {
        let meminfo = "MemTotal:       24000000 kB\nMemFree: 1 kB\n";
        assert_eq!(total_bytes(meminfo), Some(24_576_000_000));
        let limits = |soft| {
            format!("Limit Soft Hard Units\nMax address space    {soft}   unlimited  bytes\n")
        };
        assert_eq!(address_space_bytes(&limits("unlimited")), None);
        assert_eq!(address_space_bytes(&limits("1048576")), Some(1 << 20));
        let (all, most) = (granted_bytes().unwrap(), four_fifths().unwrap());
        assert!(most < all && most > all / 2);
    }

    /// The refusal does not depend on what an optimizer makes of memory that is not used.
    #[test]
    fn not_everything_is_granted() {
        assert!(is_granted(1 << 20));
        assert!(!is_granted(isize::MAX as usize));
    }

    /// It is looked up at first, not just after that, and again when that is some time ago.
    #[test]
    fn memory_is_looked_up_now_and_then() {
        let mut resident = Resident::default();
        let held = resident.look_again(1).expect("nothing is known yet");
        assert!(held > 0);
        resident.looked = Some(Instant::now() + Duration::from_secs(3600));
        assert_eq!(resident.look_again(1), None);
        resident.looked = Instant::now().checked_sub(BELIEVED);
        assert!(resident.look_again(1).is_some());
        assert!(resident.peak() >= held);
    }
}
