//! Checks and claims of YRC: the TLA+ module, which holds vacuously, and the design that it describes.
//!
//! The counts of the module equal those of the reachable states, counted by hand: any set of roots for each thread,
//! times the lock free or held by one of the threads.

use refmap_cli::catalogue::{Arguments, Check, Choice, Claim, Parameter};
use refmap_cli::table::{Instance, Rows, Sweep, Table, combinations, rows};
use refmap_refinements::Checked;
use refmap_refinements::yrc::{DesignRefinement, ModuleRefinement};
use refmap_systems::heap::{MAX_OBJECTS, MAX_THREADS};
use refmap_systems::yrc::design::{
    self, Barrier, Design, Granularity, Increments, Merge, Mutators, Progress, Reservation,
    TrialDeletion, Variant,
};
use refmap_systems::yrc::module::{MAX_QUEUE, Module};
use serde_json::Value;

use super::arguments::arguments_of;

pub(super) fn checks() -> Vec<Check> {
    let module_check = Check::new(
        "yrc-module",
        "the formulas of YRC's TLA+ module: pass their own properties, and allow no store",
        "the TLA+ module yrc_proof",
        vec![
            Parameter::number("objects", 1..=MAX_OBJECTS as u64, 2, "Objects"),
            Parameter::number("threads", 1..=MAX_THREADS as u64, 1, "Threads"),
            Parameter::number("queue", 1..=MAX_QUEUE as u64, 2, "QueueSize"),
            Parameter::number("threshold", 0..=MAX_OBJECTS as u64, 1, "RootsThreshold"),
        ],
        |arguments| Ok(ModuleRefinement::new(module(arguments)).into_checker()),
    );
    let design_check = Check::new(
        "yrc",
        "the design that YRC's TLA+ module describes, and its variants: refines collect only garbage",
        "the TLA+ module yrc_proof, comments",
        design_parameters(),
        |arguments| Ok(DesignRefinement::new(design(arguments)).into_checker()),
    );
    vec![module_check, design_check]
}

/// Parameter sweep: every combination at slot granularity with reservation. The instances are those at which some
/// combination first fails: one object, two objects, two threads, two stripes.
pub(super) fn tables() -> Vec<Table> {
    let instance = |objects: u8, mutators: u8, stripes: u8| {
        vec![
            ("objects", objects.into()),
            ("mutators", mutators.into()),
            ("stripes", stripes.into()),
        ]
    };
    vec![Table {
        name: "yrc",
        about: "mutators during a collection, barrier, increments, merge, trial deletion of YRC",
        check: "yrc",
        rows: Rows::Sweep(Sweep {
            rows: rows(
                combinations(&[
                    ("mutators-during-collection", &mutators().names()),
                    ("barrier", &barrier().names()),
                    ("increments", &increments().names()),
                    ("merge", &merge().names()),
                    ("trial-deletion", &trial_deletion().names()),
                ]),
                &[
                    instance(1, 1, 1),
                    instance(2, 1, 1),
                    instance(1, 2, 1),
                    instance(1, 2, 2),
                ]
                .map(Instance::from),
            ),
            on_the_way: None,
        }),
    }]
}

fn design_parameters() -> Vec<Parameter> {
    use design::{MAX_OBJECTS, MAX_QUEUE, MAX_STRIPES};
    vec![
        Parameter::number("objects", 1..=MAX_OBJECTS as u64, 1, "objects"),
        Parameter::number("mutators", 1..=MAX_THREADS as u64, 1, "mutator threads"),
        Parameter::number("queue", 1..=MAX_QUEUE as u64, 2, "entries of a queue"),
        Parameter::number(
            "stripes",
            1..=MAX_STRIPES as u64,
            1,
            "pairs of queues, shared by the threads",
        ),
        Parameter::flag(
            "unreserved",
            "stores start without room for their entries, and wait in the middle",
        ),
        barrier().parameter(),
        increments().parameter(),
        merge().parameter(),
        mutators().parameter(),
        trial_deletion().parameter(),
        granularity().parameter(),
        progress().parameter(),
    ]
}

fn barrier() -> Choice<Barrier> {
    Choice::new(
        "barrier",
        "the order of the write barrier",
        [
            ("store-first", Barrier::StoreFirst),
            ("increment-first", Barrier::IncrementFirst),
        ],
    )
}

fn increments() -> Choice<Increments> {
    Choice::new(
        "increments",
        "what becomes of an increment",
        [
            ("buffered", Increments::Buffered),
            ("direct", Increments::Direct),
        ],
    )
}

fn merge() -> Choice<Merge> {
    Choice::new(
        "merge",
        "the order in which queues are merged",
        [
            ("increments-first", Merge::IncrementsFirst),
            ("decrements-first", Merge::DecrementsFirst),
            ("all-increments-first", Merge::AllIncrementsFirst),
            ("all-decrements-first", Merge::AllDecrementsFirst),
            ("atomic", Merge::Atomic),
        ],
    )
}

fn mutators() -> Choice<Mutators> {
    Choice::new(
        "mutators-during-collection",
        "what threads may do during a collection",
        [
            ("free", Mutators::Free),
            ("stopped-at-barriers", Mutators::StoppedAtBarriers),
            ("stopped-anywhere", Mutators::StoppedAnywhere),
            ("store-lock", Mutators::StoreLock),
        ],
    )
}

fn trial_deletion() -> Choice<TrialDeletion> {
    Choice::new(
        "trial-deletion",
        "what it works on",
        [
            ("in-place", TrialDeletion::InPlace),
            ("captured", TrialDeletion::Captured),
            ("validated", TrialDeletion::Validated),
            ("validated-in-flight", TrialDeletion::ValidatedInFlight),
        ],
    )
}

fn granularity() -> Choice<Granularity> {
    Choice::new(
        "granularity",
        "what the collector does in a step",
        [("slot", Granularity::Slot), ("phase", Granularity::Phase)],
    )
}

fn progress() -> Choice<Progress> {
    Choice::new(
        "fairness",
        "what is assumed: that the collector goes on, and that threads do after the write of a field, in strong or weak fairness",
        [
            ("strong-operations", Progress::StrongOperations),
            ("operations", Progress::Operations),
            ("collector", Progress::Collector),
            ("none", Progress::None),
        ],
    )
}

fn design(arguments: &Arguments) -> Design {
    Design {
        objects: arguments.number("objects"),
        fields: 1,
        mutators: arguments.number("mutators"),
        queue: arguments.number("queue"),
        stripes: arguments.number("stripes"),
        variant: Variant {
            barrier: barrier().of(arguments),
            increments: increments().of(arguments),
            merge: merge().of(arguments),
            mutators: mutators().of(arguments),
            trial_deletion: trial_deletion().of(arguments),
            granularity: granularity().of(arguments),
            progress: progress().of(arguments),
            reservation: match arguments.flag("unreserved") {
                true => Reservation::Unreserved,
                false => Reservation::Reserved,
            },
        },
    }
}

fn module(arguments: &Arguments) -> Module {
    Module {
        objects: arguments.number("objects"),
        threads: arguments.number("threads"),
        queue: arguments.number("queue"),
        threshold: arguments.number("threshold"),
    }
}

pub(super) fn claims() -> Vec<Claim> {
    let at = |objects: u8, threads: u8| -> Vec<(&'static str, Value)> {
        vec![("objects", objects.into()), ("threads", threads.into())]
    };
    let module = |objects, threads| {
        Claim::violated("yrc-module", at(objects, threads), "environment:store").length(1)
    };
    let own = ["simulation", "invariant"];
    let mut claims = vec![
        module(2, 1).source(
            "yrc_proof, MutatorWrite",
            "no store is possible: the module says nothing",
        ),
        module(2, 2).source("yrc_proof, MutatorWrite", "… nor with two threads"),
        module(3, 2).source("yrc_proof, MutatorWrite", "… nor with three objects"),
        Claim::holds("yrc-module", at(2, 1))
            .only(&own)
            .states(8)
            .source(
                "yrc_proof, THEOREM",
                "it passes its three properties: 4 sets of roots, 2 locks",
            ),
        Claim::holds("yrc-module", at(2, 2))
            .only(&own)
            .states(48)
            .source("yrc_proof, THEOREM", "16 sets of roots, 3 locks"),
        Claim::holds("yrc-module", at(3, 2))
            .only(&own)
            .states(192)
            .source("yrc_proof, THEOREM", "64 sets of roots, 3 locks"),
    ];
    claims.extend(design_claims());
    claims
}

/// Claims of the design; counts and lengths were found by this checker.
fn design_claims() -> Vec<Claim> {
    let violated = |words: &str, by, length| {
        Claim::violated("yrc", arguments_of(&design_parameters(), words), by).length(length)
    };
    let holds = |words: &str, states| {
        Claim::holds("yrc", arguments_of(&design_parameters(), words)).states(states)
    };
    let mut claims =
        vec![
        violated("", "simulation", 15).only(&["simulation"]).source(
            "yrc_proof, Safety Argument",
            "as described, it frees an object that the only thread holds: a decrement is merged \
             before the increment that came first, and cancels the count of the local",
        ),
        violated("", CONDEMNED, 14).source(
            "yrc_proof, CycleInvariant",
            "… and condemns it a step earlier",
        ),
        violated("granularity=phase", "simulation", 12)
            .only(&["simulation"])
            .source("yrc_proof, Safety Argument", "… also if each phase is one step"),
    ];
    claims.extend(nothing_in_flight(&violated, &holds));
    claims.extend(no_decrement_overtakes(&violated, &holds));
    claims.extend(validation(&violated, &holds));
    claims.extend(reservation(&violated, &holds));
    claims.extend(three_objects(&holds));
    claims.extend(liveness());
    claims
}

const CONDEMNED: &str = "invariant:no_external_reference_condemned";
const DESCRIBED: &str = "yrc_proof, Collection Cycle";
const BARRIER_SOURCE: &str = "yrc_proof, Write Barrier";
const MERGE_SOURCE: &str = "yrc_proof, Merge Operation";

type Violated<'a> = &'a dyn Fn(&str, &'static str, usize) -> Claim;
type Holds<'a> = &'a dyn Fn(&str, u64) -> Claim;

/// The first rule: no collection runs between the write of a field and its increment.
fn nothing_in_flight(violated: Violated<'_>, holds: Holds<'_>) -> Vec<Claim> {
    let anywhere = "mutators-during-collection=stopped-anywhere";
    vec![
        holds(
            "objects=2 mutators-during-collection=stopped-at-barriers",
            2250,
        )
        .source(DESCRIBED, "safe where threads stop between operations"),
        holds(
            "mutators=2 mutators-during-collection=stopped-at-barriers",
            277,
        )
        .exercising_all()
        .source(DESCRIBED, "… with two threads; all rules fire"),
        violated(anywhere, CONDEMNED, 15).source(
            BARRIER_SOURCE,
            "unsafe where they stop with an edge written and its increment not buffered",
        ),
        holds(
            &format!("objects=2 barrier=increment-first {anywhere}"),
            4298,
        )
        .source(BARRIER_SOURCE, "safe if the increment comes first"),
    ]
}

/// The second rule: no decrement is merged before the increments that precede it.
fn no_decrement_overtakes(violated: Violated<'_>, holds: Holds<'_>) -> Vec<Claim> {
    let lock = "mutators-during-collection=store-lock";
    let striped = "mutators=2 stripes=2";
    vec![
        violated(&format!("objects=2 {lock}"), CONDEMNED, 16).source(
            MERGE_SOURCE,
            "with stores shut out, unsafe: a load and a drop between the merges of the two queues",
        ),
        holds(&format!("objects=2 merge=decrements-first {lock}"), 6299)
            .source(MERGE_SOURCE, "safe if the decrements are merged first"),
        violated(
            &format!("{striped} merge=decrements-first {lock}"),
            CONDEMNED,
            14,
        )
        .source(MERGE_SOURCE, "… which does not do with two stripes"),
        holds(
            &format!("{striped} merge=all-decrements-first {lock}"),
            5227,
        )
        .source(
            MERGE_SOURCE,
            "safe if those of all stripes are merged first",
        ),
        holds(&format!("objects=2 merge=atomic {lock}"), 4409)
            .source(MERGE_SOURCE, "safe if all queues are merged at once"),
        holds(&format!("objects=2 increments=direct {lock}"), 3156)
            .source(MERGE_SOURCE, "safe if increments are not buffered"),
        holds(&format!("objects=2 trial-deletion=validated {lock}"), 6564).source(
            MERGE_SOURCE,
            "safe if pending entries are looked at before the commit",
        ),
    ]
}

/// Threads that continue to store: validation must see what is pending, including what is in flight.
fn validation(violated: Violated<'_>, holds: Holds<'_>) -> Vec<Claim> {
    let source = "yrc_proof, Safety Argument";
    vec![
        violated("barrier=increment-first", CONDEMNED, 14).source(
            source,
            "with threads going on, the other order does not help",
        ),
        violated(
            "barrier=increment-first merge=atomic",
            "invariant:counts",
            14,
        )
        .source(source, "… nor a merge in one step"),
        violated(
            "barrier=increment-first trial-deletion=captured",
            CONDEMNED,
            13,
        )
        .source(source, "… nor a side table"),
        violated("trial-deletion=validated", CONDEMNED, 14)
            .source(source, "… nor validation of what is buffered"),
        holds("barrier=increment-first trial-deletion=validated", 622)
            .source(source, "both do, with one object …"),
        violated(
            "objects=2 barrier=increment-first trial-deletion=validated",
            "invariant:no_freed_object_touched",
            19,
        )
        .source(
            source,
            "… and not with two: the decrement of an overwritten reference is not yet buffered",
        ),
        violated(
            "objects=2 barrier=increment-first trial-deletion=validated",
            "simulation",
            29,
        )
        .only(&["simulation"])
        .source(source, "… and later hits an object that is there by then"),
        holds("objects=2 trial-deletion=validated-in-flight", 81867).source(
            source,
            "safe if validation looks at what is in flight, in either order",
        ),
        holds(
            "objects=2 barrier=increment-first trial-deletion=validated-in-flight",
            83591,
        )
        .source(source, "… increments first"),
        holds(
            "objects=2 trial-deletion=validated-in-flight granularity=phase",
            29033,
        )
        .source(source, "… a phase a step"),
    ]
}

/// Without reservation, a thread in its barrier and the collector deadlock.
fn reservation(violated: Violated<'_>, holds: Holds<'_>) -> Vec<Claim> {
    let anywhere = "barrier=increment-first mutators-during-collection=stopped-anywhere";
    vec![
        violated(
            "unreserved mutators-during-collection=stopped-at-barriers",
            "deadlock",
            7,
        )
        .source(
            BARRIER_SOURCE,
            "without reservation, each waits for the other",
        ),
        violated(
            "unreserved mutators-during-collection=store-lock",
            "deadlock",
            7,
        )
        .source(BARRIER_SOURCE, "… where stores are shut out too"),
        holds(&format!("objects=2 unreserved {anywhere}"), 6835)
            .source(BARRIER_SOURCE, "… and not where a collection need not wait"),
    ]
}

/// Under which fairness garbage is freed: the safe variants with two objects.
fn liveness() -> Vec<Claim> {
    let arguments = |words: &str| {
        let words = format!("objects=2 {words}");
        arguments_of(&design_parameters(), &words)
    };
    let live = ["simulation", "always-eventually", "leads-to"];
    let freed = |words: &str| Claim::holds("yrc", arguments(words)).only(&live);
    let kept = |words: &str| {
        let claim = Claim::violated("yrc", arguments(words), "leads-to:freed(0)");
        claim.only(&["simulation", "leads-to:freed(0)"])
    };
    let lock = "mutators-during-collection=store-lock";
    let stopped = "mutators-during-collection=stopped-at-barriers";
    let anywhere = "barrier=increment-first mutators-during-collection=stopped-anywhere";
    let weak = [
        stopped.to_owned(),
        format!("merge=decrements-first {lock}"),
        format!("merge=all-decrements-first {lock}"),
        format!("merge=atomic {lock}"),
        format!("increments=direct {lock}"),
        format!("trial-deletion=validated {lock}"),
    ];
    let mut claims = Vec::new();
    for variant in weak {
        claims.extend([
            freed(&format!("{variant} fairness=operations")).source(
                DESCRIBED,
                "garbage is freed, if the collector goes on and threads do within a store",
            ),
            kept(&format!("{variant} fairness=collector"))
                .source(DESCRIBED, "… and not if a thread may stop there"),
        ]);
    }
    claims.push(
        kept(&format!("{stopped} fairness=none"))
            .source(DESCRIBED, "… nor if the collector may stop"),
    );
    for variant in [anywhere.to_owned(), format!("unreserved {anywhere}")] {
        claims.extend([
            freed(&variant).source(
                DESCRIBED,
                "where threads are stopped anywhere, garbage is freed if their fairness is strong",
            ),
            kept(&format!("{variant} fairness=operations")).source(
                DESCRIBED,
                "… and not if it is weak: one collection follows another, and the decrement waits",
            ),
        ]);
    }
    let in_flight = "trial-deletion=validated-in-flight";
    let free = [
        in_flight.to_owned(),
        format!("barrier=increment-first {in_flight}"),
        format!("{in_flight} granularity=phase"),
    ];
    for variant in free {
        claims.extend([
            freed(&format!("{variant} fairness=operations"))
                .source(DESCRIBED, "where threads run freely weak fairness suffices"),
            kept(&format!("{variant} fairness=collector")).source(DESCRIBED, "… and is needed"),
        ]);
    }
    claims
}

/// The safe variants again, with three objects. (The one that validates what is in flight has 10 386 073 states
/// there: a test that is run on request.)
fn three_objects(holds: Holds<'_>) -> Vec<Claim> {
    let stopped = "mutators-during-collection=stopped";
    let lock = "mutators-during-collection=store-lock";
    let claims = [
        (format!("{stopped}-at-barriers"), 65_453),
        (
            format!("barrier=increment-first {stopped}-anywhere"),
            138_491,
        ),
        (format!("merge=decrements-first {lock}"), 366_441),
        (format!("merge=all-decrements-first {lock}"), 366_441),
        (format!("merge=atomic {lock}"), 255_304),
        (format!("increments=direct {lock}"), 144_096),
        (format!("trial-deletion=validated {lock}"), 432_712),
    ];
    claims
        .iter()
        .map(|(words, states)| {
            holds(&format!("objects=3 {words}"), *states).source(DESCRIBED, "… with three objects")
        })
        .collect()
}
