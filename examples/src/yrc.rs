//! A TLA+ module that holds vacuously, the design that it is about, and a reordering that repairs it.
//!
//! The one idea: a check that holds says something only of the steps that the system takes. YRC is a garbage
//! collector that counts references; it buffers what changes the counts, and finds cycles by trial
//! deletion while threads go on storing. Its TLA+ module passes every property that it states,
//! since none of its steps stores a reference, so that no collection starts. Its comments describe a
//! design in which threads do store.

use refmap::obligation::Selection;
use refmap::{Report, Settings};
use refmap_refinements::Checked;
use refmap_refinements::yrc::{DesignRefinement, ModuleRefinement};
use refmap_systems::yrc::design::{Barrier, Design, Mutators, Variant};
use refmap_systems::yrc::module::Module;

/// The properties that the module states are invariants of its refinement. What it is for is not
/// among them, and is the specification: "collect only garbage", over a heap that threads work on.
fn module() -> Report {
    let module = Module {
        objects: 2,
        threads: 1,
        queue: 2,
        threshold: 1,
    };
    let instance = [
        ("objects", 2),
        ("threads", 1),
        ("queue", 2),
        ("threshold", 1),
    ];
    run(&ModuleRefinement::new(module), Selection::Default).named("module", instance)
}

/// One object that may refer to itself and one thread are enough for it to fail. Queues of one entry
/// would do too; those of two make the third trace shorter.
///
/// The catalogue has many variants of the design. These two choices are enough here: in which order
/// a store writes its field and buffers its entries, and what threads do during a collection.
fn design(barrier: Barrier, mutators: Mutators, obligations: Selection) -> Report {
    let variant = Variant {
        barrier,
        mutators,
        ..Variant::default()
    };
    let design = Design {
        objects: 1,
        fields: 1,
        mutators: 1,
        queue: 2,
        stripes: 1,
        variant,
    };
    let instance = [
        ("barrier", format!("{barrier:?}")),
        ("mutators", format!("{mutators:?}")),
    ];
    run(&DesignRefinement::new(design), obligations).named("design", instance)
}

fn run<R: Checked>(refinement: &R, obligations: Selection) -> Report {
    let settings = Settings {
        obligations,
        ..Settings::default()
    };
    let report = refinement.checker().check(&settings);
    report.expect("every obligation is checked")
}

/// Simulation alone lets a trace run on to the damage. An invariant of the design would end it a
/// step before, when the object is condemned and not yet freed.
fn damage() -> Selection {
    Selection::only(["simulation"])
}

pub fn main() {
    println!("{}", module());
    println!("{}", design(Barrier::StoreFirst, Mutators::Free, damage()));

    // The pair: threads are stopped during a collection, wherever they are.
    let stopped = Mutators::StoppedAnywhere;
    println!("{}", design(Barrier::StoreFirst, stopped, damage()));

    // The change that makes the check hold. It is asked everything, so as not to hold like the
    // module.
    println!(
        "{}",
        design(Barrier::IncrementFirst, stopped, Selection::Default)
    );
}

// The module. What it states holds of it:
//
//       simulation                holds                 100
//       invariant:Safety          holds                   8
//       invariant:RCInvariant     holds                   8
//       invariant:CycleInvariant  holds                   8
//       invariant:TypeOK          holds                   8
//
// But 8 states are few for a collector: 4 sets of roots, with the lock free or taken.
// `MutatorWrite` says that `edges` changes and that `edges` is unchanged, so it fires only where it
// changes nothing. `environment` asks for what threads may do by the specification: store, once
// they hold an object.
//
//       environment:store         violated               12
//       refused from here on: store(thread=0, to=0, field=0, value=0)
//
// Without a store there is no edge, no decrement and no candidate, so a collection never starts.
// The list of what is never exercised says so of each rule, and of `CycleInvariant` that its
// premise is never true: it held 8 times of nothing.
//
//     never exercised: rule:mutator_write_merge_inc, rule:mutator_write_merge_dec, rule:collector_start,
//       rule:collector_mark_gray, rule:collector_scan, rule:collector_collect, rule:collector_end,
//       premise:CycleInvariant
//
// The design as its comments describe it. A store writes the field, and then buffers an increment
// for the new value and a decrement for the old. The trace is a story of three parts.
//
// First, the thread allocates object 0, whose count of 1 is for the local that holds it, and stores
// it in its own field. Before it has buffered the increment, the collector takes the lock and
// merges the increments: there are none.
//
//        4  collector: merge  [yrc_proof, Collection Cycle, 1]  stutters  collector.at.merge: 0 → 1
//
// Then the thread buffers its increment, one merge too late, and clears the field again, for which
// it buffers a decrement. The edge has come and gone, and the two entries would cancel each other.
//
//        5  mutator: increment(thread=0)  [yrc_proof, Write Barrier, 2]  stutters  increments[0][0]: 0 → 1
//        7  mutator: decrement(thread=0)  [yrc_proof, Write Barrier, 3]  stutters  decrements[0][0]: 0 → 1
//
// But the collector merges the decrements next, and this one has overtaken its increment. So what
// it cancels is the count of the local.
//
//        8  merge  [yrc_proof, Collection Cycle, 1]          rc[0]: 1 → 0  candidates + 0
//
// The rest follows by the rules. A candidate with a count of 0 is white, what is white is
// condemned, and what is condemned is freed. The last step has it all in one column: the thread
// still holds object 0, and in `increments` is the entry that would have saved it.
//
//              held        [[0]]                                                       held       [[0]]
//              increments  [[1]]
//
// The pair. If threads are stopped during a collection no entry comes between the two merges, and
// none overtakes another. In the third report the thread stores object 0 in its field, clears it,
// and stores it once more. There it is stopped: the field is written, and the increment is not
// buffered.
//
//              in_flight   [increment(new=0, old=none)]
//
// Now the merges do as they should. The first increment and its decrement cancel each other, the
// count of 1 that is left is for the local, and the decrement has made object 0 a candidate.
//
//        8  merge  [yrc_proof, Collection Cycle, 1]          rc[0]: 1 → 2  increments[0][0]: 1 → 0
//        9  merge  [yrc_proof, Collection Cycle, 1]          rc[0]: 2 → 1  candidates + 0
//
// Trial deletion takes off a count what the fields that it reads contribute. It reads the edge of
// the last store, which has contributed nothing yet, and so the edge cancels the count of the
// local.
//
//       11  mark_grey  [yrc_proof, Collection Cycle, 2]      rc[0]: 1 → 0  collector.at: mark_grey → scan
//
// The change is one of order. With the increment first, a thread stopped in the middle has buffered
// a count without an edge, where it had an edge without a count. A count too high keeps an object
// for longer; one too low kills it. The last report holds and, unlike the module, of something: all
// that is never exercised is a rule that needs a second thread.
//
//     never exercised: rule:pass
//
// The order does not mend the second report, as the last test shows: where threads go on storing,
// the collector has to look at what changed before it commits. `refmap check yrc` has those
// variants.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::{Evidence, Verdict};
    use serde_json::json;

    #[test]
    fn the_reports_on_this_page_are_real() {
        let stopped = Mutators::StoppedAnywhere;
        let reports = [
            module(),
            design(Barrier::StoreFirst, Mutators::Free, damage()),
            design(Barrier::StoreFirst, stopped, damage()),
            design(Barrier::IncrementFirst, stopped, Selection::Default),
        ];
        let reports: String = reports.iter().map(ToString::to_string).collect();
        let page = include_str!("yrc.rs");
        let mut quoted = 0;
        for line in page.lines().filter_map(|line| line.strip_prefix("//     ")) {
            assert!(reports.lines().any(|real| real == line), "{line}");
            quoted += 1;
        }
        assert_eq!(quoted, 21);
    }

    /// 4 sets of roots, and a lock that is free or taken.
    #[test]
    fn the_module_passes_its_properties_and_says_nothing() {
        let report = module();
        assert_eq!(report.evidence, Evidence::Exhaustive);
        assert_eq!(report.states, 8);
        let own = ["Safety", "RCInvariant", "CycleInvariant", "TypeOK"];
        let own = own.map(|name| format!("invariant:{name}"));
        for name in own.iter().map(String::as_str).chain(["simulation"]) {
            let row = report.obligation(name).expect("it is checked");
            assert_eq!(row.verdict, Verdict::Holds, "{name}");
        }
        let violated: Vec<_> = report.violated().collect();
        assert_eq!(violated, ["environment:store", "coverage"]);
        assert_eq!(report.unexercised.len(), 8);
        assert_eq!(report.counterexample.map(|first| first.length), Some(1));
    }

    #[test]
    fn as_described_a_decrement_overtakes_its_increment() {
        let report = design(Barrier::StoreFirst, Mutators::Free, damage());
        assert_eq!(report.violated().collect::<Vec<_>>(), ["simulation"]);
        let counterexample = report.counterexample.expect("something is violated");
        assert_eq!(counterexample.length, 15);
        let last = &counterexample.steps[15];
        assert_eq!(last.rule.as_deref(), Some("free"));
        assert_eq!(last.state["held"], json!([[0]]));
        assert_eq!(last.state["increments"], json!([[1]]));
        let count = |step: usize| &counterexample.steps[step].state["rc"][0];
        assert_eq!((count(7), count(8)), (&json!(1), &json!(0)));
    }

    #[test]
    fn stopped_after_a_store_an_edge_cancels_the_count_of_a_local() {
        let report = design(Barrier::StoreFirst, Mutators::StoppedAnywhere, damage());
        assert_eq!(report.violated().collect::<Vec<_>>(), ["simulation"]);
        let counterexample = report.counterexample.expect("something is violated");
        assert_eq!(counterexample.length, 16);
        assert_eq!(counterexample.steps[16].state["held"], json!([[0]]));
        let cancelled = &counterexample.steps[11];
        assert_eq!(cancelled.rule.as_deref(), Some("mark_grey"));
        assert_eq!(cancelled.state["rc"], json!([0]));
        assert_eq!(cancelled.state["fields"], json!([[0]]));
    }

    #[test]
    fn the_increment_first_mends_it() {
        let stopped = Mutators::StoppedAnywhere;
        let report = design(Barrier::IncrementFirst, stopped, Selection::Default);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        assert_eq!(report.evidence, Evidence::Exhaustive);
        assert_eq!((report.states, report.transitions), (145, 198));
        assert_eq!(report.unexercised, ["rule:pass"]);
    }

    #[test]
    fn the_order_is_not_enough_where_threads_go_on() {
        let report = design(Barrier::IncrementFirst, Mutators::Free, damage());
        assert_eq!(report.violated().collect::<Vec<_>>(), ["simulation"]);
        let length = report.counterexample.map(|first| first.length);
        assert_eq!(length, Some(15));
    }
}
