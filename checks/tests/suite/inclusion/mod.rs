//! Inclusion of what is observed, without a mapping, agrees with the verdicts on mappings.

mod found;

use std::collections::{BTreeMap, HashSet};

use refmap::explore::Limits;
use refmap::inclusion::{Comparison, Evidence, Included, Inclusion};
use refmap::{Settings, StateOf, TransitionSystem, Verdict, check, steps};
use refmap_checks::catalogue;
use refmap_systems::ben_ari::Scope;

use found::Found;

/// States of either side above which a claim is left out.
const MOST_STATES: u64 = 600;

/// Compares the systems of a check with arguments as they are typed to a shell.
fn included(check: &str, arguments: &str, states: Option<u64>) -> Inclusion {
    let catalogue = catalogue();
    let check = catalogue.check(check).expect("it is a check");
    let arguments = check.arguments(arguments).expect("they are its arguments");
    let comparison = Comparison {
        limits: Limits {
            states,
            ..Limits::default()
        },
        ..Comparison::default()
    };
    let inclusion = check.include(&arguments, &comparison);
    inclusion.expect("nothing panics")
}

/// A mapping that holds is an inclusion; what is not included has no mapping that holds.
#[test]
fn a_refinement_that_holds_is_an_inclusion() {
    let catalogue = catalogue();
    let claims = catalogue.claims().expect("each row is a claim");
    let mut decided: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    for claim in &claims {
        let check = catalogue.check(&claim.check).expect("it is a check");
        let comparison = Comparison {
            limits: Limits {
                states: Some(MOST_STATES),
                ..Limits::default()
            },
            ..Comparison::default()
        };
        let inclusion = check.include(&claim.arguments, &comparison);
        let inclusion = inclusion.unwrap_or_else(|error| panic!("{}: {error}", claim.command));
        let holds = claim.expect.verdict == Verdict::Holds;
        match inclusion.verdict {
            Included::Incomplete => continue,
            Included::Included => {}
            Included::NotIncluded => assert!(!holds, "{}: {inclusion}", claim.command),
        }
        let numbers = decided.entry(&claim.check).or_default();
        numbers[usize::from(inclusion.verdict == Included::NotIncluded)] += 1;
    }
    let [included, refuted] = [0, 1].map(|at| decided.values().map(|one| one[at]).sum::<u32>());
    assert!(included > 20 && refuted > 3, "{decided:?}");
}

/// The mapping that is found of Ben-Ari's collector is one, as a check says of it.
fn assert_found(nodes: u8, sons: u8, roots: u8) {
    let arguments = format!("--nodes {nodes} --sons {sons} --roots {roots}");
    let inclusion = included("ben-ari-3", &arguments, None);
    assert_eq!(inclusion.rung, Some(1));
    let Some(Evidence::Mapping { mapping }) = &inclusion.evidence else {
        panic!("{inclusion}");
    };
    assert_eq!(Some(mapping.states), inclusion.states);
    let found = Found::new(Scope::new(nodes, sons, roots), mapping);
    let report = check(&found, &Settings::default()).expect("it can be checked");
    assert_eq!(Some(report.states), inclusion.states);
    for name in ["observation", "initiality", "simulation"] {
        let obligation = report.obligations.iter().find(|one| one.name == name);
        assert_eq!(
            obligation.map(|one| one.verdict),
            Some(Verdict::Holds),
            "{name}"
        );
    }
}

/// The states that are reached, by a plain search.
fn reached<S: TransitionSystem>(system: &S) -> HashSet<StateOf<S>> {
    let mut waiting = Vec::new();
    system.initial(&mut |state| waiting.push(state));
    let mut reached: HashSet<StateOf<S>> = waiting.iter().cloned().collect();
    while let Some(from) = waiting.pop() {
        for (_, to) in steps(system, &from) {
            if reached.insert(to.clone()) {
                waiting.push(to);
            }
        }
    }
    reached
}

#[test]
fn the_mapping_of_ben_aris_collector_is_found() {
    assert_found(2, 1, 1);
}

#[test]
#[ignore = "some ten seconds"]
fn slow_the_mapping_of_ben_aris_collector_is_found_of_three_nodes() {
    assert_found(3, 1, 1);
}

/// Row of the table of POFifo in Fifo: its arguments, its states, the rung, and the length of the shortest trace that dequeuers who
/// ignore the order show and Fifo does not.
struct PoFifoRow {
    arguments: &'static str,
    states: u64,
    rung: u8,
    ignored: Option<u64>,
}

/// A prophecy is needed exactly from two enqueuers of two data on [Lamport, *A Science of Concurrent Programs*, chapter 6].
#[test]
fn po_fifo_needs_a_prophecy_from_two_enqueuers_of_two_data_on() {
    let rows = [
        PoFifoRow {
            arguments: "--enqueuers 1 --dequeuers 1 --data 1 --ids 1",
            states: 8,
            rung: 2,
            ignored: None,
        },
        PoFifoRow {
            arguments: "--enqueuers 2 --dequeuers 1 --data 1 --ids 2",
            states: 68,
            rung: 2,
            ignored: None,
        },
        PoFifoRow {
            arguments: "--enqueuers 2 --dequeuers 2 --data 1 --ids 2",
            states: 136,
            rung: 2,
            ignored: None,
        },
        PoFifoRow {
            arguments: "--enqueuers 2 --dequeuers 1 --data 2 --ids 1",
            states: 102,
            rung: 3,
            ignored: Some(5),
        },
        PoFifoRow {
            arguments: "--enqueuers 2 --dequeuers 2 --data 2 --ids 2",
            states: 14_009,
            rung: 3,
            ignored: Some(5),
        },
    ];
    for PoFifoRow {
        arguments,
        states,
        rung,
        ignored,
    } in rows
    {
        let inclusion = included("po-fifo", arguments, None);
        let found = (inclusion.verdict, inclusion.states, inclusion.rung);
        assert_eq!(
            found,
            (Included::Included, Some(states), Some(rung)),
            "{arguments}"
        );
        if rung == 3 {
            let is_prophecy = matches!(inclusion.evidence, Some(Evidence::Prophecy { .. }));
            assert!(is_prophecy, "{inclusion}");
            assert!(inclusion.pairs < states * 3 / 2, "{}", inclusion.pairs);
        }
        let any = included("po-fifo", &format!("{arguments} --receives any"), None);
        assert_eq!(any.trace_length, ignored, "{arguments}");
        assert_eq!(
            any.verdict == Included::NotIncluded,
            ignored.is_some(),
            "{arguments}"
        );
    }
}

/// The variable that a mapping lacks, of a system without its auxiliary variables.
///
/// The lock needs both, as its source has both: a history, and beside it several steps for one. Lamport & Merz add a prophecy to the
/// senders that undo. For what is seen a history is enough, or a mapping of which a step is several: of a set, what was once chosen may
/// stay chosen, for it need never be sent, so that the image is what was ever chosen. Of a sequence, which is sent in its order, that
/// would be sent first; there the choice is made when it is sent, which is two steps. Of the ring, whose mapping has claims that are two
/// steps, another mapping is found at this instance, in which no step is more than one.
#[test]
fn the_variable_that_is_missing_is_named() {
    let mut others = Vec::new();
    for (check, arguments, missing) in [
        ("peterson", "", "nothing"),
        ("lock-in-steps", "", "history"),
        ("lock-stuttering", "", "history"),
        ("ring-claims", "", "nothing"),
        ("send-int", "", "prophecy"),
        ("send-set", "", "stuttering"),
        ("send-seq", "--data 2", "stuttering"),
        ("herlihy-wing", "", "prophecy"),
        ("herlihy-wing", "--search swap-downwards", "refuted"),
        ("new-linear-snapshot", "", "prophecy"),
        ("afek-simplified", "", "history"),
    ] {
        let inclusion = included(check, arguments, None);
        let evidence = serde_json::to_value(&inclusion.evidence).expect("it is JSON");
        let found = evidence["missing"].as_str();
        if found != Some(missing) {
            others.push(format!(
                "{check} {arguments}: {:?}, {found:?}",
                inclusion.rung
            ));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}
