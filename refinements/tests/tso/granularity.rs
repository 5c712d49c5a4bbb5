//! What is run together at each granularity changes no verdict, and where it might, nothing is said.

use std::hash::{DefaultHasher, Hash, Hasher};

use refmap::explore::{Options, Panic, Place, Visitor, explore_packed};
use refmap::process::{Act, At};
use refmap::{Invariant, Quotient, Quotienting};
use refmap_systems::tso::{Gc, Marking, Mutator};

use super::*;

/// What of a system's states can be seen: gathered of all that are reached, up to symmetry.
struct Seen<'a> {
    system: &'a OnTheFly,
    invariants: Vec<Invariant<OnTheFly>>,
    symmetry: Quotient<OnTheFly>,
}

/// By their hashes: what is seen in states, and with steps that change it.
type Sights = [HashSet<u64>; 2];

/// What invariants and programs see of a state: no location, and no register that only its process reads.
fn seen(state: &State) -> State {
    let marking = |marking: Marking| Marking {
        w: marking.w,
        ghost_honorary_grey: marking.ghost_honorary_grey,
        ..Marking::default()
    };
    let mut seen = State {
        at: At::default(),
        gc: Gc {
            marking: Marking {
                fm: state.gc.marking.fm,
                phase: state.gc.marking.phase,
                ..marking(state.gc.marking)
            },
            ..Gc::default()
        },
        ..*state
    };
    for mutator in &mut seen.mutators {
        *mutator = Mutator {
            roots: mutator.roots,
            marking: marking(mutator.marking),
            ghost_phase: mutator.ghost_phase,
            ghost_honorary_root: mutator.ghost_honorary_root,
            ..Mutator::default()
        };
    }
    seen
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Seen<'_> {
    fn shown(&self, state: &State) -> State {
        self.symmetry.canonical(self.system, &seen(state))
    }
}

impl Visitor<OnTheFly> for Seen<'_> {
    type Tally = Sights;
    type Image = State;

    fn tally(&self) -> Sights {
        Sights::default()
    }

    fn merge(&self, into: &mut Sights, from: Sights) {
        for (into, from) in into.iter_mut().zip(from) {
            into.extend(from);
        }
    }

    /// With where it is: which invariants have something to say.
    fn examine(&self, sights: &mut Sights, _: Place, state: &State) -> State {
        let shown = self.shown(state);
        let invariants = self.invariants.iter();
        let applying: Vec<_> = invariants.map(|one| one.applies(state)).collect();
        sights[0].insert(hash((shown, applying)));
        shown
    }

    fn step(
        &self,
        sights: &mut Sights,
        _: Place,
        (_, from): (&State, &State),
        _: &Act,
        to: &State,
    ) -> u32 {
        let to = self.shown(to);
        if *from != to {
            sights[1].insert(hash((from, to)));
        }
        0
    }

    fn leave(&self, _: &mut Sights, _: Place, _: &State, _: u32) {}

    fn panicked(&self, _: &mut Sights, _: Place, panic: Panic) {
        panic!("{panic:?}");
    }

    fn stop(&self, _: &Sights) -> Option<u32> {
        None
    }
}

/// What can be seen at a granularity.
fn sights(scope: Scope, variant: Variant) -> Sights {
    let refinement = refinement(scope, variant);
    let system = refinement.implementation();
    let seen = Seen {
        system,
        invariants: refinement.invariants(),
        symmetry: Quotient::of(system),
    };
    let options = Options {
        threads: 2,
        symmetry: Some(&seen.symmetry),
        ..Options::default()
    };
    let explored = explore_packed(system, &seen, &options);
    assert!(explored.is_complete(), "{variant:?}");
    explored.tally
}

/// At coarse granularity just those states and changes are seen that are seen at fine granularity.
fn coarse_shows_what_fine_shows(mutators: u8, refs: u8, variant: Variant) {
    let buffer = buffer(variant);
    let [fine, coarse] = [Granularity::Fine, Granularity::Coarse]
        .map(|granularity| sights(scope(mutators, refs, buffer, granularity), variant));
    assert!(coarse == fine, "{mutators} {refs} {variant:?}");
    assert!(fine[0].len() > 100 && fine[1].len() > 100);
}

#[test]
fn tso_coarse_steps_show_what_fine_ones_show() {
    for variant in variants() {
        coarse_shows_what_fine_shows(1, 1, variant);
    }
}

#[test]
#[ignore = "some 20 minutes"]
fn tso_coarse_steps_show_what_fine_ones_show_with_two_references() {
    for variant in variants() {
        coarse_shows_what_fine_shows(1, 2, variant);
    }
}

#[test]
#[ignore = "some hours"]
fn tso_coarse_steps_show_what_fine_ones_show_with_two_mutators() {
    for variant in variants() {
        coarse_shows_what_fine_shows(2, 1, variant);
    }
}

/// At coarse granularity nothing is said of the environment, and why not.
#[test]
fn tso_leaves_the_environment_open_where_steps_are_run_together() {
    let open = report(
        coarse(1, 1, 1),
        Variant::default(),
        &Settings {
            threads: 1,
            ..Settings::default()
        },
    );
    assert_eq!(open.verdict, Some(Verdict::Incomplete), "{open}");
    let rows = open.obligations.iter();
    let rows = rows.filter(|row| row.verdict == Verdict::Incomplete);
    let reasons: Vec<_> = rows.map(|row| (&*row.name, row.note.as_deref())).collect();
    assert!(!reasons.is_empty());
    for (name, reason) in reasons {
        assert!(name.starts_with("environment"), "{name}");
        assert!(reason.is_some_and(|reason| reason.contains("fine granularity")));
    }
    let refinement = refinement(coarse(1, 1, 1), Variant::default());
    let settings = Settings {
        obligations: Selection::only(["environment"]),
        ..Settings::default()
    };
    let refused = Checker::new(&refinement).packed().check(&settings);
    let refused = refused.expect_err("it cannot be decided").to_string();
    assert!(refused.starts_with("environment cannot be decided here: steps are run together"));
}

/// The invariants that fail are the same at fine and at coarse granularity, whatever is left out.
#[test]
fn tso_coarse_steps_change_no_verdict() {
    let mut broken = 0;
    for part in Part::ALL {
        let settings = Settings {
            until: Until::End,
            obligations: Selection::only(AT_COARSE),
            ..Settings::default()
        };
        let violated = |granularity| -> Vec<String> {
            let scope = scope(1, 1, 1, granularity);
            let report = report(scope, Variant::without(part), &settings);
            report.violated().map(str::to_owned).collect()
        };
        let fine = violated(Granularity::Fine);
        broken += usize::from(!fine.is_empty());
        assert_eq!(fine, violated(Granularity::Coarse), "{part:?}");
    }
    assert!(broken >= 6, "{broken}");
}

/// Joined steps decide what coarse ones do, whatever the variant.
fn joining_changes_no_verdict(mutators: u8, refs: u8) -> usize {
    let mut violated = 0;
    for variant in variants() {
        let buffer = buffer(variant);
        let [coarse, reduced] = [
            coarse(mutators, refs, buffer),
            reduced(mutators, refs, buffer),
        ]
        .map(|scope| freed(scope, variant));
        assert_eq!(coarse.verdict, reduced.verdict, "{variant:?}");
        violated += usize::from(reduced.verdict == Some(Verdict::Violated));
        let by = |report: &Report| report.counterexample.as_ref().map(|c| c.obligation.clone());
        assert_eq!(by(&coarse), by(&reduced), "{variant:?}");
        if reduced.verdict == Some(Verdict::Holds) {
            assert!(reduced.states < coarse.states, "{variant:?}");
        }
    }
    violated
}

#[test]
fn tso_joined_steps_change_no_verdict() {
    joining_changes_no_verdict(1, 1);
}

#[test]
#[ignore = "some 8 minutes"]
fn tso_joined_steps_change_no_verdict_at_larger_instances() {
    assert!(joining_changes_no_verdict(1, 2) >= 9);
    assert!(joining_changes_no_verdict(2, 1) >= 5);
}

/// Where steps are joined, an obligation of which that might hide something is not decided.
#[test]
fn tso_joined_steps_leave_the_rest_open() {
    let all = report(reduced(1, 1, 1), Variant::default(), &Settings::default());
    assert_eq!(all.verdict, Some(Verdict::Incomplete), "{all}");
    for row in &all.obligations {
        let is_decided = AT_REDUCED.contains(&&*row.name);
        let expected = if is_decided {
            Verdict::Holds
        } else {
            Verdict::Incomplete
        };
        assert_eq!(row.verdict, expected, "{}", row.name);
        assert!(is_decided || row.note.is_some(), "{}", row.name);
    }
    let refinement = refinement(reduced(1, 1, 1), Variant::default());
    for name in [
        "invariant:valid_refs",
        "invariant",
        "coverage",
        "environment",
    ] {
        let settings = Settings {
            obligations: Selection::only([name]),
            ..Settings::default()
        };
        let refused = Checker::new(&refinement).packed().check(&settings);
        let refused = refused.expect_err("it cannot be decided").to_string();
        assert!(
            refused.starts_with(&format!("{name} cannot be decided here: steps")),
            "{refused}"
        );
    }
}
