//! Making a program small that fails, where a failure takes luck: each candidate is played several
//! times, and kept if it fails often enough.

use std::ops::ControlFlow;

use proptest::strategy::ValueTree;
use refmap::random::Cuts;

use super::program::Program;

/// The smallest program found that fails, beginning with that of `tree`, which does. `fails` says
/// whether a candidate does, and breaks off when there is no more time.
pub(crate) fn shorten(
    mut tree: impl ValueTree<Value = Program>,
    mut fails: impl FnMut(&Program) -> ControlFlow<(), bool>,
) -> Program {
    let mut best = tree.current();
    let _ = simplify(&mut tree, &mut best, &mut fails);
    loop {
        let before = best.clone();
        let ended = cut(&mut best, &mut fails);
        if ended.is_break() || best == before {
            return best;
        }
    }
}

/// As proptest does it: by its tree of what is simpler.
fn simplify(
    tree: &mut impl ValueTree<Value = Program>,
    best: &mut Program,
    fails: &mut impl FnMut(&Program) -> ControlFlow<(), bool>,
) -> ControlFlow<()> {
    let mut goes_on = tree.simplify();
    while goes_on {
        let candidate = tree.current();
        goes_on = match candidate != *best && fails(&candidate)? {
            true => {
                *best = candidate;
                tree.simplify()
            }
            false => tree.complicate(),
        };
    }
    ControlFlow::Continue(())
}

/// Leaves out runs of operations of each thread, then threads that do nothing, then what makes threads
/// linger.
fn cut(
    best: &mut Program,
    fails: &mut impl FnMut(&Program) -> ControlFlow<(), bool>,
) -> ControlFlow<()> {
    let mut keep_if_fails = |best: &mut Program, candidate: Program| {
        let failed = fails(&candidate)?;
        if failed {
            *best = candidate;
        }
        ControlFlow::Continue(failed)
    };
    for thread in 0..best.threads.len() {
        let mut cuts = Cuts::new(best.threads[thread].len());
        while let Some(run) = cuts.next(best.threads[thread].len()) {
            let mut candidate = best.clone();
            candidate.threads[thread].drain(run);
            match keep_if_fails(best, candidate)? {
                true => cuts.spared(),
                false => cuts.needed(),
            }
        }
    }
    for thread in (0..best.threads.len()).rev() {
        if best.threads[thread].is_empty() && best.threads.len() > 1 {
            let mut candidate = best.clone();
            candidate.threads.remove(thread);
            keep_if_fails(best, candidate)?;
        }
    }
    for thread in 0..best.threads.len() {
        for place in 0..best.threads[thread].len() {
            if best.threads[thread][place].dwell.is_some() {
                let mut candidate = best.clone();
                candidate.threads[thread][place].dwell = None;
                keep_if_fails(best, candidate)?;
            }
        }
    }
    if best.collector.is_some() {
        let mut candidate = best.clone();
        candidate.collector = None;
        keep_if_fails(best, candidate)?;
    }
    ControlFlow::Continue(())
}
