//! From "collect only garbage" to the write barrier, in three steps.
//!
//! The one idea: a barrier rules out one execution, and a checker shows which. The collector is the x86-TSO
//! on-the-fly collector of Gammie, Hosking & Engelhardt: it marks and frees while the program goes on
//! loading and storing, and stores wait in a buffer before others see them. Its purpose is a
//! specification of its own, in which the collector may free whatever no program can reach, and nothing else.

use super::collector::collector;
use refmap::Report;
use refmap_systems::tso::{Part, Variant};

/// The instance: one mutator, which holds object 0; object 0 refers to object 1.
fn named(name: &str, variant: Variant) -> Report {
    collector(variant).named(name, [("references", 2)])
}

/// The first step: the collector frees what it has not marked, and the mutator marks none of its roots when
/// it is asked for them.
fn without_roots() -> Report {
    named("without-roots", Variant::without(Part::RootMarking))
}

/// The second: the collector of the paper.
fn of_the_paper() -> Report {
    named("of-the-paper", Variant::default())
}

/// The third: a store does not mark what it overwrites.
fn without_the_barrier() -> Report {
    named(
        "without-the-barrier",
        Variant::without(Part::DeletionBarrier),
    )
}

pub fn main() {
    println!("{}", without_roots());
    println!("{}", of_the_paper());
    println!("{}", without_the_barrier());
}

// The first collector flips the sense of marks, so that every object is white, and goes through four
// handshakes with the program. In a fifth it asks the program to mark what it holds, and the program answers
// without marking anything. So the collector finds no work, and sweeps. The program still holds an object:
//
//       19  gc: get-roots: poll, sys: sys (1)  [Gammie et al., Fig. 4, polling]  stutters
//            at[0]: get-roots: poll → sweep: load mark  gc.marking.phase: Mark → Sweep  gc.src: 0 → 1
//        mutator 0  roots {1}  W {}  pending: empty
//
// The last step is one that the specification has as well, `free`, but not there. It says which condition
// fails:
//
//     free(reference=1) (as answered): its guard is false here
//
// In the second collector the program does what it is asked: it marks what it holds, and the collector
// marks what can be reached from that. And it does more. Before a store the program marks what it
// overwrites, and what it writes. The check holds.
//
//       simulation   holds              13 280
//
// What are those marks for? The program is honest: it loads and stores by its own references only. Take
// the first of the marks away, and the third report tells. The program marks what it holds, which is
// object 0. That makes it grey: it is marked, and what it refers to is still to be looked at.
//
//       18  mutator: discard (1)  [Gammie et al., Fig. 6, Discard]
//           0 ◐ → 1   1 ○ → null   phase Mark   fM 1   fA 1
//
// Now the program loads object 1 from there. It has answered, so the collector does not request its roots again.
//
//       19  mutator: load: choose  [Gammie et al., Fig. 6, Load]
//           mutator 0  roots {0, 1}  W {}  pending: empty
//
// Then it clears the field. The store waits in its buffer, and the collector could still find object 1
// through memory, if it were to look now.
//
//           mutator 0  roots {0, 1}  W {}  pending: 0.0 := null
//
// When the store is committed, that path is gone. Object 1 is white and held, and there is no grey
// object from which it can be found. This is the moment at which it is lost.
//
//           0 ◐ → null   1 ○ not grey-protected → null   phase Mark   fM 1   fA 1
//
// The rest is work. Object 0 turns out to refer to nothing, and there is nothing left to trace. So what is white
// is freed, four steps later, while the program holds it.
//
//       25  gc: sweep: load mark, sys: sys  [Gammie et al., Fig. 2, line 41]
//           0 ● → null   1 free   phase Mark   fM 1   fA 1
//
// The mark on what is overwritten keeps exactly this from happening: object 1 would be grey when its last path
// goes. `refmap check tso --without deletion-barrier` has the same execution step by step, with the
// invariants; the one that goes first is `marked_deletions`, which says of a pending store that what it
// overwrites is marked.
//
// The change that makes the second check fail: let `of_the_paper` leave out `Part::InsertionBarrier`, the mark
// on what a store writes.

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::quoted;
    use refmap::Verdict;

    #[test]
    fn the_reports_on_this_page_are_real() {
        let reports = [without_roots(), of_the_paper(), without_the_barrier()];
        let quoted = quoted(include_str!("barrier.rs"), &reports);
        assert_eq!(quoted, Ok(13));
    }

    #[test]
    fn only_the_whole_collector_collects_only_garbage() {
        let steps = |report: Report| {
            assert_eq!(report.verdict, Some(Verdict::Violated));
            let found = report
                .counterexample
                .expect("something is freed that is held");
            assert_eq!(found.obligation, "simulation");
            found.length
        };
        assert_eq!(steps(without_roots()), 20);
        assert_eq!(of_the_paper().verdict, Some(Verdict::Holds));
        assert_eq!(steps(without_the_barrier()), 25);
        let changed = named("changed", Variant::without(Part::InsertionBarrier));
        assert_eq!(changed.verdict, Some(Verdict::Violated), "{changed}");
    }
}
