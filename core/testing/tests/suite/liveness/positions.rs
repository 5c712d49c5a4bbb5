//! Each state of a graph of hundreds counts, wherever it stands: predicates, enabledness, and initial states.

use refmap::explore::Storage;
use refmap::obligation::{Selection, Until};
use refmap::{
    Fairness, Process, Property, Refinement, Report, Rule, RuleId, Settings, TransitionSystem,
    Verdict,
};
use refmap_testing::{Machine, Mapped, alike, checked, itself, row_of};

/// More than three words of a bit each, and not a whole number of them.
const STATES: u16 = 200;

fn decided<const N: usize>(refinement: &impl Refinement, kinds: [&str; N], run: &Run) -> Report {
    let settings = Settings {
        threads: run.threads,
        storage: run.storage,
        until: Until::End,
        obligations: Selection::only(kinds),
        ..Settings::default()
    };
    checked(refinement, &settings)
}

/// The stem of the lasso that violates a row, if it is violated by one.
fn stem(report: &Report, name: &str) -> Option<usize> {
    let row = row_of(report, name);
    assert_eq!(
        row.verdict == Verdict::Holds,
        row.counterexamples.is_empty()
    );
    row.counterexamples.first()?.loop_start
}

/// The properties of one form for each state.
fn for_each(
    property: impl Fn(String, u16) -> Property<Machine<u16>>,
) -> Vec<Property<Machine<u16>>> {
    let states = 0..STATES;
    states
        .map(|state| property(state.to_string(), state))
        .collect()
}

/// Parameters of a search.
struct Run {
    threads: usize,
    storage: Storage,
}

/// Runs with several workers, whose shares end at other states.
const RUNS: [Run; 3] = [
    Run {
        threads: 1,
        storage: Storage::Packed,
    },
    Run {
        threads: 3,
        storage: Storage::Whole,
    },
    Run {
        threads: 7,
        storage: Storage::Packed,
    },
];

/// From state 0 one goes to any other, and stays there.
#[test]
fn a_predicate_is_true_where_it_says_so_and_nowhere_else() {
    let next = |state: &u16| match state {
        0 => (1..STATES).map(|to| (("go", 0), to)).collect(),
        _ => Vec::new(),
    };
    let mut refinement = itself(Machine::new(&[("go", "p")], [0_u16], next, |_| 0));
    refinement.implementation.may_stop = |_| true;
    refinement.liveness = for_each(|name, one| {
        Property::leads_to(name, "", move |s: &u16| *s == one, |s: &u16| *s == 0)
    });
    refinement.liveness.extend(for_each(|name, one| {
        Property::eventually(name, "", move |s: &u16| *s != one && *s != 0)
    }));
    // A property that holds in all states but one.
    refinement.liveness.extend(for_each(|name, one| {
        Property::always_eventually(name, "", move |s: &u16| *s != one)
    }));
    refinement.implementation.fairness = vec![Fairness::weak("goes", ["go"])];
    let kinds = ["leads-to", "eventually", "always-eventually"];
    for run in RUNS {
        let report = decided(&refinement, kinds, &run);
        assert_eq!(report.states, u64::from(STATES), "{report}");
        for state in 1..STATES {
            for kind in kinds {
                let name = format!("{kind}:{state}");
                assert_eq!(stem(&report, &name), Some(1), "{name}: {report}");
            }
        }
        for kind in ["leads-to", "always-eventually"] {
            let name = format!("{kind}:0");
            assert_eq!(stem(&report, &name), None, "{name}: {report}");
        }
    }
}

/// All states one after the other, round and round.
#[test]
fn a_predicate_that_one_state_alone_meets_is_met_in_a_ring() {
    let next = |state: &u16| vec![(("go", 0), (state + 1) % STATES)];
    let mut refinement = itself(Machine::new(&[("go", "p")], [0_u16], next, |_| 0));
    refinement.liveness =
        for_each(|name, one| Property::always_eventually(name, "", move |s: &u16| *s == one));
    refinement.liveness.extend(for_each(|name, one| {
        let before = (one + STATES - 1) % STATES;
        Property::leads_to(
            name,
            "",
            move |s: &u16| *s == before,
            move |s: &u16| *s == one,
        )
    }));
    // The loop comes by each.
    refinement.liveness.extend(for_each(|name, one| {
        Property::eventually_always(name, "", move |s: &u16| *s != one)
    }));
    refinement.implementation.fairness = vec![Fairness::weak("goes", ["go"])];
    let kinds = ["leads-to", "always-eventually", "eventually-always"];
    for run in RUNS {
        let report = decided(&refinement, kinds, &run);
        for state in 0..STATES {
            for (kind, expected) in kinds.into_iter().zip([None, None, Some(0)]) {
                let name = format!("{kind}:{state}");
                assert_eq!(stem(&report, &name), expected, "{name}: {report}");
            }
        }
    }
}

/// Each state is initial, and stays.
#[test]
fn every_initial_state_is_one() {
    let next = |_: &u16| Vec::new();
    let initial: Vec<u16> = (0..STATES).collect();
    let mut refinement = itself(Machine::new(&[("go", "p")], initial, next, |_| 0));
    refinement.implementation.may_stop = |_| true;
    refinement.liveness =
        for_each(|name, one| Property::eventually(name, "", move |s: &u16| *s != one));
    refinement.liveness.extend(for_each(|name, one| {
        Property::leads_to(name, "", move |s: &u16| *s == one, |s: &u16| *s >= STATES)
    }));
    let held = Property::eventually("all", "", |s: &u16| *s < STATES);
    refinement.liveness.push(held);
    let kinds = ["leads-to", "eventually"];
    for run in RUNS {
        let report = decided(&refinement, kinds, &run);
        assert_eq!(report.initial_states, u64::from(STATES), "{report}");
        for state in 0..STATES {
            for kind in kinds {
                let name = format!("{kind}:{state}");
                assert_eq!(stem(&report, &name), Some(0), "{name}: {report}");
            }
        }
        assert_eq!(stem(&report, "eventually:all"), None, "{report}");
    }
}

/// The numbers of processes, one to a state: in words of a bit each, in bytes, and beyond.
const NUMBERS: [u16; 12] = [0, 1, 7, 8, 9, 16, 63, 64, 255, 256, 300, u16::MAX];

/// Ring in which each state is left by a process of its own, and where the specification offers another way out.
struct Ring {
    rules: Vec<Rule>,
    /// Whether each state has the other way out.
    leaves: bool,
    /// Whether the way round is taken by a rule of each state, too.
    rule_of_each: bool,
    fairness: Vec<Fairness>,
}

/// A step: whether it leaves the ring, and the state from which.
type Move = (bool, u16);

impl Ring {
    fn new(leaves: bool) -> Self {
        let rules = (0..STATES).map(|state| Rule {
            name: format!("leave {state}").into(),
            ..Rule::new("", if state % 2 == 0 { "even" } else { "odd" }, "a test")
        });
        Self {
            rules: rules.chain([Rule::new("go", "ring", "a test")]).collect(),
            leaves,
            rule_of_each: false,
            fairness: Vec::new(),
        }
    }

    fn number(state: u16) -> u16 {
        // Two neighbours have one number, and are of two kinds.
        NUMBERS[usize::from(state / 2) % NUMBERS.len()]
    }
}

impl refmap::Action<Ring> for Move {
    fn rules(system: &Ring) -> &[Rule] {
        &system.rules
    }

    fn rule(&self, system: &Ring) -> RuleId {
        let (leaves, state) = self;
        let own = *leaves || system.rule_of_each;
        RuleId(usize::from(if own { *state } else { STATES }))
    }

    fn process(&self, system: &Ring) -> Process {
        let kind = system.rules[self.rule(system).0].process;
        Process::numbered(kind, Ring::number(self.1))
    }
}

impl TransitionSystem for Ring {
    type State = u16;
    type Action = Move;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u16)) {
        visit(0);
    }

    fn candidates(&self, from: &u16, visit: &mut impl FnMut(Move)) {
        visit((false, *from));
        visit((true, *from));
    }

    fn fire(&self, (leaves, from): &Move, state: &mut u16) -> Option<()> {
        (from == state && *from < STATES).then_some(())?;
        *state = if *leaves {
            self.leaves.then_some(from + STATES)?
        } else {
            (from + 1) % STATES
        };
        Some(())
    }

    fn observe(&self, _: &u16) {}

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

/// The implementation goes round, and the specification promises something of each state.
fn rings(leaves: bool) -> Mapped<Ring, Ring> {
    alike(Ring::new(false), Ring::new(leaves))
}

fn fair(refinement: &Mapped<Ring, Ring>, threads: usize) -> Report {
    let settings = Settings {
        threads,
        obligations: Selection::only(["fairness"]),
        ..Settings::default()
    };
    checked(refinement, &settings)
}

/// More than 128 conditions, each enabled in one state.
#[test]
fn an_action_is_enabled_where_it_is_and_nowhere_else() {
    let rule = |state| format!("leave {state}");
    let all = ["go"];
    let mut refinement = rings(true);
    refinement.implementation.fairness = vec![Fairness::weak("goes", all).jointly()];
    let strong = |state| Fairness::strong(rule(state), [rule(state)]);
    refinement.specification.fairness = (0..STATES).map(strong).collect();
    for threads in [1, 3] {
        let report = fair(&refinement, threads);
        for state in 0..STATES {
            let name = format!("fairness:leave {state}");
            assert_eq!(stem(&report, &name), Some(0), "{name}: {report}");
        }
    }
    // In weak fairness the rest of the ring is where they are not enabled.
    let weak = |state| Fairness::weak(rule(state), [rule(state)]);
    refinement.specification.fairness = (0..STATES).map(weak).collect();
    assert_eq!(fair(&refinement, 2).verdict, Some(Verdict::Holds));
    // Where it may stop anywhere, each of them is starved.
    refinement.implementation.fairness.clear();
    let report = fair(&refinement, 2);
    for state in 0..STATES {
        let name = format!("fairness:leave {state}");
        let expected = Some(usize::from(state));
        assert_eq!(stem(&report, &name), expected, "{name}: {report}");
    }
}

/// More than 128 conditions of the implementation, without any of which it may stop.
#[test]
fn each_condition_of_the_implementation_counts() {
    let mut refinement = rings(false);
    refinement.implementation.rule_of_each = true;
    refinement.specification.rule_of_each = true;
    let rule = |state| format!("leave {state}");
    let all = (0..STATES).map(rule);
    refinement.specification.fairness = vec![Fairness::weak("goes", all).jointly()];
    let conditions = |left_out: Option<u16>| {
        let states = (0..STATES).filter(move |state| Some(*state) != left_out);
        let condition = |state: u16| match state % 3 {
            0 => Fairness::strong(rule(state), [rule(state)]),
            _ => Fairness::weak(rule(state), [rule(state)]).of(Ring::number(state)),
        };
        states.map(condition).collect()
    };
    for left_out in [0, 1, 31, 32, 63, 64, 65, 95, 127, 128, 192, STATES - 1] {
        refinement.implementation.fairness = conditions(Some(left_out));
        let report = fair(&refinement, 2);
        let expected = Some(usize::from(left_out));
        assert_eq!(
            stem(&report, "fairness:goes"),
            expected,
            "{left_out}: {report}"
        );
    }
    refinement.implementation.fairness = conditions(None);
    assert_eq!(fair(&refinement, 2).verdict, Some(Verdict::Holds));
}

/// Two states have a process of each number, one of each kind.
#[test]
fn each_number_of_a_process_counts() {
    let mut refinement = rings(false);
    let go = |name: String| Fairness::weak(name, ["go"]);
    refinement.specification.fairness = vec![go("one goes".to_owned()).jointly()];
    let of_number = |number: &u16| go(format!("of {number}")).of(*number);
    for (place, left_out) in NUMBERS.iter().enumerate() {
        let others = NUMBERS.iter().filter(|number| *number != left_out);
        refinement.implementation.fairness = others.map(of_number).collect();
        let report = fair(&refinement, 2);
        let expected = Some(2 * place);
        assert_eq!(
            stem(&report, "fairness:one goes"),
            expected,
            "{left_out}: {report}"
        );
    }
    refinement.implementation.fairness = vec![go("each goes".to_owned())];
    assert_eq!(fair(&refinement, 2).verdict, Some(Verdict::Holds));
}
