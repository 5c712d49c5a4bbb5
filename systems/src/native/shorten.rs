//! Shrinking of a failing program whose failure is probabilistic: each candidate is run several
//! times, and kept if it fails often enough. While the result is not short, candidates with a lower failure
//! probability are accepted too.

use std::ops::ControlFlow;

use proptest::strategy::ValueTree;
use refmap::internal::Cuts;

use super::program::Program;

/// Initial number of runs of a candidate …
const TRIES: u32 = 20;
/// … and the maximum: so many usually detect a failure with a probability of 1 %.
const MOST_TRIES: u32 = 320;
/// Number of operations below which a program is short.
const FEW: usize = 12;

/// The smallest failing program found, starting from that of `tree`, which fails. `fails` decides
/// whether a candidate fails in a number of runs, and breaks off when the time is up.
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

/// Shrinks by proptest's value tree.
fn simplify(
    tree: &mut impl ValueTree<Value = Program>,
    best: &mut Program,
    fails: &mut impl FnMut(&Program) -> ControlFlow<(), bool>,
) -> ControlFlow<()> {
    let mut goes_on = tree.simplify();
    while goes_on {
        let candidate = tree.current();
        goes_on = if candidate != *best && fails(&candidate)? {
            *best = candidate;
            tree.simplify()
        } else {
            tree.complicate()
        };
    }
    ControlFlow::Continue(())
}

/// Removes sequences of operations of each thread, then threads without operations, then delays.
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
            if keep_if_fails(best, candidate)? {
                cuts.spared()
            } else {
                cuts.needed()
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

    /// Lengths of shrunk programs that fail in one run of `rarely`, if they have a store.
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

    /// Rare failures are shrunk too, though not to a single operation.
    #[test]
    fn a_program_that_fails_rarely_is_made_short() {
        let lengths = shortened(60);
        assert!(
            lengths.len() > 50 && lengths.iter().all(|length| *length <= FEW),
            "{lengths:?}"
        );
    }
}
