//! Stacks of nodes, which threads push and pop.

pub mod stack;
pub mod treiber;

use refmap::Drawing;
use refmap::drawing::Row;

/// Greatest number of nodes.
pub const MAX_NODES: usize = 4;
/// Greatest number of threads.
pub const MAX_THREADS: usize = 8;

/// The nodes on a stack, the top first, and each thread.
fn drawing<T: std::fmt::Debug>(stack: &[usize], threads: &[T]) -> Drawing {
    let stack = Row::new().value("stack", format!("{stack:?}"));
    let rows = threads.iter().enumerate().map(|(thread, at)| {
        Row::of(format!("thread {thread}")).value("at", format!("{at:?}").to_lowercase())
    });
    rows.fold(Drawing::default().row(stack), Drawing::row)
}
