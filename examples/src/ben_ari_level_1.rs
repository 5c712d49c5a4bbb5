//! Ben-Ari's collector at level 1: it colours nodes, and collects the white ones.
//!
//! The one idea: a step may be right only because of the steps before it. Invariants state what those
//! have established, and the refinement assumes them.
//!
//! To be read beside Havelund & Shankar, *A Refinement Proof for a Garbage Collector*, section 6.1, and the
//! [page of the book](../book/src/case-studies/ben-ari-level-1.md) that shows the model and the refinement: the
//! variables are those of Fig. 6, the mutator is Fig. 8, the collector Fig. 9, and the names of rules and
//! locations are those of Appendix A.3.

use refmap::obligation::Until;
use refmap::{Action as _, Report, Settings, check};
use refmap_refinements::ben_ari::Refinement1;
use refmap_systems::ben_ari::level_1::Action;
use refmap_systems::ben_ari::{Level1, Mutant, Mutation, Scope, Shape, Step};

/// The rule that ends the colouring: COLOUR.2.
#[derive(Clone, Copy, Debug)]
enum StopColouring {
    /// When all accessible nodes are black, as in Fig. 9.
    Blackened,
    /// At any time.
    Unguarded,
}

/// Level 1 refines "collect only garbage" [section 6.1.2].
fn refinement(scope: Scope, stop: StopColouring) -> Refinement1 {
    let stop_colouring = Step::Collector(Action::StopColouring);
    let unguarded = Mutant {
        rule: stop_colouring.rule(&Level1::new(scope)),
        mutation: Mutation::DropGuard,
    };
    match stop {
        StopColouring::Blackened => Refinement1::new(scope),
        StopColouring::Unguarded => Refinement1::with_mutant(scope, unguarded),
    }
}

fn run(scope: Scope, stop: StopColouring) -> Report {
    // To the end, since a violated invariant is only the beginning of the story told below.
    let settings = Settings {
        until: Until::End,
        ..Settings::default()
    };
    let report = check(&refinement(scope, stop), &settings).expect("every obligation is checked");
    let Shape { nodes, sons, roots } = scope.shape;
    let instance = [
        ("nodes", nodes.to_string()),
        ("sons", sons.to_string()),
        ("roots", roots.to_string()),
        ("stop_colouring", format!("{stop:?}")),
    ];
    report.named("level 1", instance)
}

pub fn main() {
    let scope = Scope::new(2, 1, 1);
    println!("{}", run(scope, StopColouring::Blackened));

    // The change that makes the check fail.
    println!("{}", run(scope, StopColouring::Unguarded));
}

// The second report holds three counterexamples. They are best read from the longest to the
// shortest, since that is how one finds the invariants of a proof.
//
// `simulation` fails after three steps: root 0 is appended to the free list. It is white and so
// looks like garbage, but it is accessible, and then COLLECT.1 is not enabled. That the memory stays
// as it was, as after a stutter, is luck: the free list begins in a cell of that very root.
//
// The append is not the mistake, for it does what Fig. 9 says. One step earlier `inv1` is false
// already: the collector is at APPEND with an L that is accessible and white. One step earlier again
// `inv2` is false: the collector is at TEST_L, and a node from L on is accessible and white. The
// step that led there is COLOUR.2, and it is the guard it lacks that would have established `inv2`.
//
// So an invariant fails where the mistake is made, and the simulation where it does its damage.
// `observation` fails nowhere: a collector may ruin the memory and still show it faithfully.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::{Evidence, Verdict};

    #[test]
    fn level_1_collects_only_garbage() {
        let report = run(Scope::new(2, 1, 1), StopColouring::Blackened);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        assert_eq!(report.evidence, Evidence::Exhaustive);
        assert_eq!((report.states, report.transitions), (169, 569));
        assert!(report.unexercised.is_empty());
    }

    #[test]
    fn without_its_guard_stop_colouring_leads_to_the_append_of_a_root() {
        let report = run(Scope::new(2, 1, 1), StopColouring::Unguarded);
        assert_eq!(report.verdict, Some(Verdict::Violated));
        let lengths: Vec<_> = report
            .obligations
            .iter()
            .flat_map(|row| &row.counterexamples)
            .map(|first| (first.obligation.as_str(), first.length))
            .collect();
        assert_eq!(
            lengths,
            [
                ("simulation", 3),
                ("invariant:inv1", 2),
                ("invariant:inv2", 1)
            ]
        );
    }
}
