//! Locks of any number of threads, and what they are for.

pub mod exclusion;
pub mod spin;
pub mod szymanski;
pub mod test_and_set;
pub mod ticket;

use refmap::Drawing;
use refmap::drawing::Row;

/// Greatest number of threads.
pub const MAX_THREADS: usize = 12;

/// The place of each thread.
fn drawing<T: std::fmt::Debug>(threads: &[T]) -> Drawing {
    let rows = threads.iter().enumerate().map(|(thread, at)| {
        let place = format!("{at:?}").to_lowercase();
        Row::of(format!("thread {thread}")).value("at", place)
    });
    rows.fold(Drawing::default(), Drawing::row)
}
