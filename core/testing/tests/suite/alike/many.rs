//! More members than a word has bits, members in arrays, and states of a fixed size.

use refmap::obligation::{Checker, Symmetry, Until};
use refmap::{
    Action, Counter, Distance, IndexSet, Refinement, Report, Settings, State, TransitionSystem,
    Verdict,
};
use refmap_testing::{Go, assert_verdict, row_of, with_invariant};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Locked)]
#[process(0..system.0)]
enum Step {
    Enter(#[process] usize),
    Leave(#[process] usize),
}

/// A lock of many.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Lock {
    #[state(member)]
    holder: Option<usize>,
    #[state(symmetric)]
    entered: Vec<bool>,
}

struct Locked(usize);

impl TransitionSystem for Locked {
    type State = Lock;
    type Action = Step;
    type Observation = bool;

    fn initial(&self, visit: &mut impl FnMut(Lock)) {
        visit(Lock {
            holder: None,
            entered: vec![false; self.0],
        });
    }

    fn fire(&self, step: &Step, lock: &mut Lock) -> Option<()> {
        match *step {
            Step::Enter(member) => {
                (lock.holder.is_none() && !lock.entered[member]).then_some(())?;
                lock.holder = Some(member);
                lock.entered[member] = true;
            }
            Step::Leave(member) => (lock.holder.take()? == member).then_some(())?,
        }
        Some(())
    }

    fn observe(&self, lock: &Lock) -> bool {
        lock.holder.is_some()
    }

    fn may_stop(&self, lock: &Lock) -> bool {
        lock.entered.iter().all(|one| *one)
    }
}

/// A ticket of which all are told that are out.
type Ticket = Counter<7>;

/// Members in an array, in states of a fixed size.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Ring {
    #[state(range = 0..=8)]
    turn: Ticket,
    #[state(symmetric, range = 0..=8)]
    tickets: [Ticket; 4],
    #[state(member, range = 0..4)]
    done: IndexSet,
    #[state(member, symmetric, range = 0..4)]
    before: [u8; 4],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Turn {
    Take(#[process(0..4)] usize),
}

struct Turns {
    /// The most tickets between the first and the last.
    most: u64,
}

impl TransitionSystem for Turns {
    type State = Ring;
    type Action = Turn;
    type Observation = usize;

    fn initial(&self, visit: &mut impl FnMut(Ring)) {
        // Whatever the way round.
        for [one, two, three] in [
            [1, 2, 3],
            [1, 3, 2],
            [2, 1, 3],
            [2, 3, 1],
            [3, 1, 2],
            [3, 2, 1],
        ] {
            let mut before = [three as u8; 4];
            before[one] = 0;
            before[two] = one as u8;
            before[three] = two as u8;
            visit(Ring {
                turn: Ticket::START,
                tickets: [Ticket::START; 4],
                done: IndexSet::EMPTY,
                before,
            });
        }
    }

    fn fire(&self, Turn::Take(member): &Turn, ring: &mut Ring) -> Option<()> {
        let least = ring.tickets.iter().min()?;
        let is_after = ring.done.contains(usize::from(ring.before[*member]));
        if ring.turn.ahead(*least) >= Distance::Exactly(self.most)
            || !(is_after || ring.done.is_empty())
        {
            return None;
        }
        ring.turn = ring.turn.next();
        ring.tickets[*member] = ring.turn;
        ring.done.insert(*member);
        if ring.done.len() == 4 {
            ring.done = IndexSet::from_iter([*member]);
        }
        Some(())
    }

    fn observe(&self, ring: &Ring) -> usize {
        ring.done.len()
    }

    fn may_stop(&self, _: &Ring) -> bool {
        true
    }
}

fn check<S: TransitionSystem>(system: S, symmetry: Symmetry) -> Report {
    let settings = Settings {
        symmetry,
        threads: 2,
        until: Until::End,
        ..Settings::default()
    };
    let report = Checker::new(&with_invariant(system, "true", |_| true)).check(&settings);
    report.expect("there are names")
}

/// States of which so many members have entered, with a holder or without: as many as that, twice.
#[test]
fn seventy_members_are_sorted() {
    for count in [1, 2, 3, 70] {
        let report = check(Locked(count), Symmetry::Full);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(report.states, 2 * count as u64 + 1);
    }
    let all = check(Locked(4), Symmetry::None);
    // Those without a holder are sets; of those with one it is one of the set.
    assert_eq!(all.states, 16 + 4 * 8);
}

/// Members of which each has three parts, in three fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Parts {
    #[state(symmetric)]
    first: Vec<bool>,
    #[state(symmetric, range = 0..3)]
    second: Vec<u8>,
    #[state(symmetric)]
    third: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Changing)]
#[process(0..system.0)]
enum Change {
    First(#[process] usize),
    Second(#[process] usize),
    Third(#[process] usize),
}

struct Changing(usize);

impl TransitionSystem for Changing {
    type State = Parts;
    type Action = Change;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Parts)) {
        visit(Parts {
            first: vec![false; self.0],
            second: vec![0; self.0],
            third: vec![false; self.0],
        });
    }

    fn fire(&self, change: &Change, parts: &mut Parts) -> Option<()> {
        match *change {
            Change::First(member) => parts.first[member] ^= true,
            Change::Second(member) => parts.second[member] = (parts.second[member] + 1) % 3,
            Change::Third(member) => parts.third[member] ^= true,
        }
        Some(())
    }

    fn observe(&self, _: &Parts) {}
}

/// Each of three fields tells members apart: classes are the multisets of what a member may have.
#[test]
fn members_are_sorted_by_all_of_their_parts() {
    for (count, classes) in [(1, 12), (2, 78), (3, 364)] {
        let report = check(Changing(count), Symmetry::Full);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(report.states, classes, "{report}");
    }
}

/// Members that stand in a ring can be turned, not exchanged at will: that permutations of another kind are no symmetry is not claimed, since states hold
/// their numbers.
#[test]
fn numbers_in_sets_and_arrays_are_followed() {
    let quotient = check(Turns { most: 5 }, Symmetry::Full);
    assert_eq!(quotient.verdict, Some(Verdict::Holds), "{quotient}");
    let identified = quotient.symmetry.expect("states were identified");
    assert_eq!((identified.permutations, identified.shifts), (24, true));
    // Without the symmetry counters leave their range.
    let whole = Settings::default();
    let turns = with_invariant(Turns { most: 5 }, "true", |_| true);
    let report = Checker::new(&turns).check(&whole);
    let report = report.expect("it is checked");
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    assert!(report.to_string().contains("turn"), "{report}");
}

/// A counter, and two of another group, of which one goes ahead of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Counted {
    first: Counter,
    second: Counter<5, 1>,
    ahead: Counter<5, 1>,
}

/// Counters of two groups, and the one of which a counter is compared with a number, if there is one.
struct Groups(Option<u8>);

impl TransitionSystem for Groups {
    type State = Counted;
    type Action = Go;
    type Observation = Distance;

    fn initial(&self, visit: &mut impl FnMut(Counted)) {
        visit(Counted {
            first: Counter::START,
            second: Counter::START,
            ahead: Counter::START,
        });
    }

    fn fire(&self, _: &Go, state: &mut Counted) -> Option<()> {
        let is_at_one = match self.0 {
            None => false,
            Some(0) => state.first == Counter::START.next(),
            Some(_) => state.second == Counter::START.next(),
        };
        (state.ahead.ahead(state.second) < Distance::Exactly(5) && !is_at_one).then_some(())?;
        state.first = state.first.next();
        state.second = state.second.next();
        state.ahead = state.ahead.next().next();
        Some(())
    }

    fn observe(&self, state: &Counted) -> Distance {
        state.ahead.ahead(state.second)
    }

    fn may_stop(&self, _: &Counted) -> bool {
        true
    }
}

/// The counters as an implementation of themselves, with an invariant that fails in the end.
fn groups(
    compared: Option<u8>,
) -> impl Refinement<Implementation = Groups, Specification = Groups> {
    let is_near = |state: &Counted| state.ahead.ahead(state.second) < Distance::Exactly(4);
    with_invariant(Groups(compared), "near", is_near)
}

/// Counters of each of two groups are shifted for themselves: a number that matters in either is found out, and a behaviour that is
/// shown has its numbers in both.
#[test]
fn counters_of_either_group_are_shifted() {
    let report = |of| {
        let settings = Settings {
            symmetry: Symmetry::Full,
            until: Until::End,
            ..Settings::default()
        };
        let report = Checker::new(&groups(of)).check(&settings);
        report.expect("its names can be exchanged")
    };
    let sound = report(None);
    assert_eq!(sound.obligation("model"), None, "{sound}");
    let row = row_of(&sound, "invariant:near");
    let shown = row.counterexamples[0].steps.iter().map(|step| &step.state);
    let expected: Vec<_> = (0..5)
        .map(|n| serde_json::json!({ "first": n, "second": n, "ahead": 2 * n }))
        .collect();
    assert!(shown.eq(&expected), "{sound}");
    for group in [0, 1] {
        let report = report(Some(group));
        assert_verdict(&report, "model", Verdict::Violated);
    }
}
