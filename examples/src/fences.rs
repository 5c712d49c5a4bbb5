//! Two fences of a collector, the pending stores that they guard against, and a memory model that needs neither.
//!
//! The one idea: a fence makes a process wait for its own stores, and the stores still in a buffer when
//! another thread acts show why it is needed. The collector is that of `barrier`. It tells the program
//! what it is about to do by storing `fM`, `fA` and `phase`, and asks for an acknowledgement by a handshake.
//! Handshakes do not go through store buffers, and the stores do.

use refmap::Report;
use refmap_systems::tso::{Memory, Part, Variant};

/// The instance of `barrier`.
fn collector(memory: Memory, without: Part) -> Report {
    let variant = Variant {
        memory,
        ..Variant::without(without)
    };
    let report = super::collector::collector(variant);
    report.named("collector", [("without", without.to_string())])
}

pub fn main() {
    println!("{}", collector(Memory::Tso, Part::CollectorFence));
    println!("{}", collector(Memory::Tso, Part::MutatorFence));
    println!("{}", collector(Memory::Sc, Part::CollectorFence));
    println!("{}", collector(Memory::Sc, Part::MutatorFence));
}

// The collector's fence, at the beginning of a handshake. Without it the collector asks before its
// stores have arrived. The program answers handshake after handshake, and sees little of what they are
// about: in the end the sense of marks has arrived, and the rest of the cycle is in the buffer.
//
//       11  sys: commit for gc  [Gammie et al., Fig. 9, sys-dequeue-write-buffer]  stutters
//           collector  W {}  pending: phase := Init, phase := Mark, fA := 1
//
// Next the program is asked to mark what it holds. Marking finds that the object is white, and then looks at
// the phase, since without a collection there is nothing to mark; and the phase in memory is `Idle`. So
// it marks nothing, and says that it is done.
//
//       12  mutator: discard (2)  [Gammie et al., Fig. 6, Discard]
//           0 ○ → 1   1 ○ → null   phase Idle   fM 1   fA 0
//           mutator 0  roots {1}  W {}  pending: empty
//
// The collector has no work, and sweeps. Its own loads see through its own buffer, so that for it all
// is well. It frees object 1, which the program holds, while the word that a collection has begun is still on
// its way.
//
//       14  gc: sweep: load mark, sys: sys  [Gammie et al., Fig. 2, line 41]
//           mutator 0  roots {1}  W {}  pending: empty
//
// The program's fence, on its side. The collection has begun, and the program has a store pending that gave
// it nothing to mark: what it overwrites is null, and so is what it writes.
//
//       18  mutator: store: choose (1)  [Gammie et al., Fig. 6, Store]
//           mutator 0  roots {0, 1}  W {}  pending: 1.0 := null
//
// When it is asked what it holds it has let go of everything, and answers while the store is where it was.
// So nothing is marked, and rightly so, but for the store.
//
//       19  mutator: discard  [Gammie et al., Fig. 6, Discard]  answered by discard(mutator=0, kept=[])
//           0 ○ → 1   1 ○ not grey-protected → null   phase Mark   fM 1   fA 1
//           mutator 0  roots {}  W {}  pending: 1.0 := null
//
// The collector frees object 1. The store will come to a place that is free by then, or another object's:
//
//       21  gc: sweep: load mark, sys: sys  [Gammie et al., Fig. 2, line 41]
//           0 ○ → 1   1 free   phase Mark   fM 1   fA 1
//
// That is why the specification counts a pending store among what can be reached. With the fence, the program
// answers only when its buffer is empty.
//
// The last two reports are of a memory in which stores act at once. Nothing is ever pending, so there
// is nothing to wait for, and both hold. What the fences are needed for is the buffers, and nothing else.
//
// The change that makes the last two checks fail: give `Memory::Pso` in the place of `Memory::Sc`. Its
// buffers keep the stores to each location in order, which is less than TSO does.

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::quoted;
    use refmap::Verdict;

    const FENCES: [Part; 2] = [Part::CollectorFence, Part::MutatorFence];

    #[test]
    fn the_reports_on_this_page_are_real() {
        let reports = FENCES.map(|fence| collector(Memory::Tso, fence));
        let quoted = quoted(include_str!("fences.rs"), &reports);
        assert_eq!(quoted, Ok(14));
    }

    #[test]
    fn fences_are_for_the_buffers() {
        for (fence, steps) in FENCES.into_iter().zip([14, 21]) {
            let report = collector(Memory::Tso, fence);
            let found = report.counterexample.expect("something held is freed");
            assert_eq!((&*found.obligation, found.length), ("simulation", steps));
            let report = collector(Memory::Sc, fence);
            assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
            let report = collector(Memory::Pso, fence);
            assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        }
    }
}
