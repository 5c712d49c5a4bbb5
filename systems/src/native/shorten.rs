//! Making a program small that fails, where a failure takes luck: each candidate is played several
//! times, and kept if it fails often enough. As long as what is left is not short, candidates that need
//! more luck are taken too.

use std::ops::ControlFlow;

use proptest::strategy::ValueTree;
use refmap::internal::Cuts;

use super::program::Program;

/// How often a candidate is played that may fail as a larger program did, at first …
const TRIES: u32 = 20;
/// … and at most: with so many, one that fails once in a hundred plays is mostly seen to.
const MOST_TRIES: u32 = 320;
/// How many operations are few enough to be read at a glance.
const FEW: usize = 12;

/// The smallest program found that fails, beginning with that of `tree`, which does. `fails` says
/// whether a candidate does in so many plays, and breaks off when there is no more time.
pub(crate) fn shorten(
    mut tree: impl ValueTree<Value = Program>,
    mut fails: impl FnMut(&Program, u32) -> ControlFlow<(), bool>,
) -> Program {
    let mut best = tree.current();
    let mut tries = TRIES;
    let _ = simplify(&mut tree, &mut best, &mut |candidate| {
        fails(candidate, tries)
    });
    loop {
        let before = best.clone();
        let ended = cut(&mut best, &mut |candidate| fails(candidate, tries));
        let is_stuck = best == before;
        let is_done = is_stuck && (best.len() <= FEW || tries >= MOST_TRIES);
        if ended.is_break() || is_done {
            return best;
        }
        if is_stuck {
            tries *= 4;
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

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy;
    use proptest::test_runner::TestRunner;
    use refmap::random::Generator;

    use super::*;
    use crate::native::{Operation, programs};

    /// Programs that fail in one play of `rarely`, if they have a store at all.
    fn shortened(rarely: usize) -> Vec<usize> {
        let mut runner = TestRunner::deterministic();
        let mut luck = Generator::new(7);
        let stores = |program: &Program| {
            let mut steps = program.threads.iter().flatten();
            steps.any(|step| matches!(step.operation, Operation::Store { .. }))
        };
        let trees = (0..200).map(|_| {
            programs(2)
                .new_tree(&mut runner)
                .expect("it rejects nothing")
        });
        let long = trees.filter(|tree| stores(&tree.current()) && tree.current().len() > 20);
        let shortened = long.map(|tree| {
            let short = shorten(tree, |candidate, tries| {
                let failures = (0..tries).filter(|_| luck.below(rarely) == 0).count();
                ControlFlow::Continue(stores(candidate) && failures >= 2)
            });
            assert!(stores(&short));
            short.len()
        });
        shortened.collect()
    }

    #[test]
    fn what_is_left_fails() {
        let lengths = shortened(1);
        assert!(lengths.len() > 50 && lengths.iter().all(|length| *length == 1));
    }

    /// What takes luck is made short too, though not to the last operation.
    #[test]
    fn a_program_that_fails_rarely_is_made_short() {
        let lengths = shortened(60);
        assert!(
            lengths.len() > 50 && lengths.iter().all(|length| *length <= FEW),
            "{lengths:?}"
        );
    }
}
