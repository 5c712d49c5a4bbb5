//! Crowds that few members violate, by views alone: what a view leaves out is not forgotten, and nothing else is believed of it.

use refmap::AbstractSteps::{self, Stutter};
use refmap::crowd::{Chosen, Crowd, CrowdInvariant, CrowdRefinement, Moment, Others};
use refmap::internal::check_by_views;
use refmap::{Action, Counter, Report, State, Verdict};
use refmap_testing::row_of;
use serde::Serialize;

use super::group::{Asks, Bad, Guard, Move, Name, Rules, step};
use super::plain::is_unsafe;
use super::settings;

/// Kinds of members: that of all initially, and others.
const N: u8 = 0;
const W: u8 = 1;
const D: u8 = 2;
const L: u8 = 3;
const E: u8 = 4;

const fn guarded(guard: Guard, shared: [u8; 2], member: [u8; 2]) -> Move {
    Move {
        guard,
        ..step(shared, member)
    }
}

const fn named(name: Name, shared: [u8; 2], member: [u8; 2]) -> Move {
    Move {
        name,
        ..step(shared, member)
    }
}

fn rules(moves: &[Move], bad: Bad) -> Rules {
    Rules {
        moves: moves.to_vec(),
        initial: vec![N],
        bad,
        asks: Asks::Invariant,
        simulates: None,
    }
}

fn by_views<const IN_LINE: bool>(rules: &Rules<IN_LINE>) -> Report {
    check_by_views(rules, &settings(Some(1))).expect("it is a crowd")
}

/// A crowd that so many members violate, and no fewer, is not known to hold. The same holds where the last step is left out.
fn assert_met<const IN_LINE: bool>(mut rules: Rules<IN_LINE>, members: usize) {
    assert!((1..members).all(|fewer| !is_unsafe(&rules, fewer)));
    assert!(is_unsafe(&rules, members));
    let report = by_views(&rules);
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
    rules.moves.pop();
    let report = by_views(&rules);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// Another one of a kind may be left out where one of those that were is shown.
#[test]
fn another_one_of_a_kind_may_be_left_out() {
    let mut three = rules(
        &[
            step([0, 1], [W, D]),
            step([1, 2], [W, D]),
            guarded(Guard::Some(W), [2, 3], [D, E]),
        ],
        Bad::One(3, E),
    );
    three.initial = vec![W];
    assert_met(three, 3);
}

/// Members of which nothing is kept are changed with all others.
#[test]
fn what_nothing_is_kept_of_is_changed() {
    let becomes_w = Move {
        others: Some([N, W]),
        ..step([0, 1], [N, L])
    };
    let three = [
        becomes_w,
        step([1, 2], [W, D]),
        guarded(Guard::Some(W), [2, 3], [L, E]),
    ];
    assert_met(rules(&three, Bad::One(3, E)), 3);
}

/// A change of all others is one of those, too, that are met only after it was.
#[test]
fn what_is_met_later_is_changed_too() {
    let three = [
        Move {
            others: Some([5, W]),
            ..step([0, 1], [N, L])
        },
        // Not in the first configuration, in which the change is met.
        step([0, 0], [N, 6]),
        step([0, 0], [6, 5]),
        step([1, 2], [N, D]),
        guarded(Guard::Some(W), [2, 3], [L, E]),
    ];
    assert_met(rules(&three, Bad::One(3, E)), 3);
}

/// A member that was left out has the name that is kept of one that was, and another one has not.
#[test]
fn a_name_is_of_one_that_is_left_out_or_of_none() {
    let owner_beside_another = [
        named(Name::Take, [0, 1], [N, L]),
        step([1, 1], [N, W]),
        named(Name::IsMe, [1, 2], [L, E]),
    ];
    assert_met(rules(&owner_beside_another, Bad::Two(E, W)), 2);
    let two_beside_the_owner = [
        named(Name::Take, [0, 1], [N, L]),
        named(Name::IsNotMe, [1, 1], [N, W]),
    ];
    assert_met(rules(&two_beside_the_owner, Bad::Two(W, W)), 3);
}

/// Of a member that is left out it is not known on which side it stands.
#[test]
fn one_that_is_left_out_stands_on_either_side() {
    let three = [
        step([0, 0], [N, W]),
        guarded(Guard::Some(W), [0, 1], [N, L]),
        guarded(Guard::NoneBefore(W), [1, 2], [L, E]),
    ];
    assert_met(rules(&three, Bad::Two(N, E)).in_line(), 3);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Shared {
    phase: u8,
    first: Option<Chosen>,
    second: Option<Chosen>,
    /// The next ticket, if there are tickets.
    next: Option<Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Part {
    kind: u8,
    ticket: Option<Counter>,
}

/// Number of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct Step(u8);

impl<const N: usize> Action<Told<N>> for Step {}

type Fire = fn(u8, &mut Shared, &mut Part, &mut Others<'_, Part>) -> Option<()>;

/// A crowd as functions say, with the first of their steps alone, and an invariant of so many members.
#[derive(Clone, Copy, Debug)]
struct Told<const N: usize> {
    steps: u8,
    has_tickets: bool,
    fire: Fire,
    holds: fn(&Shared, [&Part; N]) -> bool,
}

impl<const N: usize> Crowd for Told<N> {
    type Shared = Shared;
    type Member = Part;
    type Action = Step;
    type Observation = ();

    fn members(&self) -> &str {
        "members"
    }

    fn initial(&self, visit: &mut impl FnMut(Shared, &[Part])) {
        let shared = Shared {
            phase: 0,
            first: None,
            second: None,
            next: self.has_tickets.then_some(Counter::START),
        };
        let part = Part {
            kind: self::N,
            ticket: None,
        };
        visit(shared, &[part]);
    }

    fn candidates(&self, _: &Shared, me: Option<&Part>, visit: &mut impl FnMut(Step)) {
        if me.is_some() {
            (0..self.steps).map(Step).for_each(visit);
        }
    }

    fn fire(
        &self,
        Step(number): &Step,
        shared: &mut Shared,
        me: &mut Part,
        others: &mut Others<'_, Part>,
    ) -> Option<()> {
        (self.fire)(*number, shared, me, others)
    }
}

/// Nothing is done.
#[derive(Clone, Copy, Debug)]
struct Nothing;

impl Crowd for Nothing {
    type Shared = ();
    type Member = ();
    type Action = ();
    type Observation = ();

    fn members(&self) -> &str {
        "members"
    }

    fn initial(&self, visit: &mut impl FnMut((), &[()])) {
        visit((), &[()]);
    }

    fn fire(&self, (): &(), (): &mut (), (): &mut (), _: &mut Others<'_, ()>) -> Option<()> {
        None
    }
}

impl<const N: usize> CrowdRefinement for Told<N> {
    type Implementation = Self;
    type Specification = Nothing;

    fn implementation(&self) -> Self {
        *self
    }

    fn specification(&self) -> Nothing {
        Nothing
    }

    fn map(&self, _: &Shared) {}

    fn map_member(&self, _: &Shared, _: &Part) {}

    fn abstract_steps(
        &self,
        _: Moment<'_, Self>,
        _: &Step,
        _: Moment<'_, Self>,
    ) -> AbstractSteps<()> {
        Stutter
    }

    fn invariants(&self) -> Vec<CrowdInvariant<Self>> {
        vec![CrowdInvariant::of_members("good", "a test", self.holds)]
    }
}

/// It is not known of these steps that they hold, and known of all but the last one.
fn assert_told<const N: usize>(told: Told<N>) {
    let report =
        |told: &Told<N>| check_by_views(told, &settings(Some(N - 1))).expect("it is a crowd");
    let unknown = report(&told);
    assert_eq!(unknown.verdict, Some(Verdict::Incomplete), "{unknown}");
    let held = report(&Told {
        steps: told.steps - 1,
        ..told
    });
    assert_eq!(held.verdict, Some(Verdict::Holds), "{held}");
}

/// Goes on from one phase to the next one, and from one kind to another.
fn go(shared: &mut Shared, [from, to]: [u8; 2], me: &mut Part, kinds: [u8; 2]) -> Option<()> {
    if shared.phase != from || me.kind != kinds[0] {
        return None;
    }
    shared.phase = to;
    me.kind = kinds[1];
    Some(())
}

/// Takes the next ticket in the first phase, and becomes of a kind.
fn take(shared: &mut Shared, me: &mut Part, kind: u8) -> Option<()> {
    go(shared, [0, 0], me, [N, kind])?;
    me.ticket = shared.next;
    shared.next = shared.next.map(Counter::next);
    Some(())
}

fn are_no(kinds: [u8; 2], [one, other]: [&Part; 2]) -> bool {
    [one.kind, other.kind] != kinds && [other.kind, one.kind] != kinds
}

/// Two members that are left out and have names are two, also where two others are shown.
#[test]
fn names_that_are_left_out_are_several() {
    fn fire(
        number: u8,
        shared: &mut Shared,
        me: &mut Part,
        others: &mut Others<'_, Part>,
    ) -> Option<()> {
        match number {
            0 => {
                go(shared, [0, 1], me, [N, W])?;
                shared.first = Some(others.me());
            }
            1 => {
                go(shared, [1, 2], me, [N, W])?;
                shared.second = Some(others.me());
            }
            _ => {
                if shared.first == shared.second {
                    return None;
                }
                go(shared, [2, 3], me, [N, E])?;
            }
        }
        Some(())
    }
    assert_told(Told {
        steps: 3,
        has_tickets: false,
        fire,
        holds: |_, all| are_no([N, E], all),
    });
}

/// A question that depends on how far counters have come is answered by the members that are shown, and open beside.
#[test]
fn a_question_by_a_counter_is_open() {
    fn fire(
        number: u8,
        shared: &mut Shared,
        me: &mut Part,
        others: &mut Others<'_, Part>,
    ) -> Option<()> {
        match number {
            0 => take(shared, me, W)?,
            1 => take(shared, me, L)?,
            2 => {
                let ticket = me.ticket?;
                others.some_with(ticket, |it, mine| {
                    it.kind == W && it.ticket.is_some_and(|other| other < *mine)
                })?;
                go(shared, [0, 1], me, [W, D])?;
            }
            // Only now: what is kept is kept from the step before on.
            _ => go(shared, [1, 2], me, [D, E])?,
        }
        Some(())
    }
    assert_told(Told {
        steps: 4,
        has_tickets: true,
        fire,
        // Where none with an earlier ticket is seen, there is none.
        holds: |_, [one, other, idle]| {
            let is_before = one.kind == E && other.kind == L && one.ticket < other.ticket;
            !(is_before && idle.kind == N)
        },
    });
}

/// Of counters that no initial state has it is not known how far apart they are to be kept.
#[test]
fn counters_do_not_come_later() {
    fn fire(_: u8, shared: &mut Shared, me: &mut Part, _: &mut Others<'_, Part>) -> Option<()> {
        go(shared, [0, 1], me, [N, W])?;
        me.ticket = Some(Counter::START);
        Some(())
    }
    let late = Told {
        steps: 1,
        has_tickets: false,
        fire,
        holds: |_, [_, _]| true,
    };
    let report = check_by_views(&late, &settings(Some(1))).expect("it is a crowd");
    let explanation = &row_of(&report, "model").counterexamples[0].explanation;
    let words = "a counter that no initial state has";
    assert!(explanation.contains(words), "{explanation}");
}

/// A change that depends on how far counters have come is not told of a member without them.
#[test]
fn a_change_by_a_counter_may_be_of_any() {
    fn fire(
        number: u8,
        shared: &mut Shared,
        me: &mut Part,
        others: &mut Others<'_, Part>,
    ) -> Option<()> {
        match number {
            0 => take(shared, me, W)?,
            1 => {
                let ticket = me.ticket?;
                go(shared, [0, 1], me, [W, L])?;
                others.each_with(ticket, |it, mine| {
                    if it.ticket.is_some_and(|other| other > *mine) {
                        it.kind = D;
                    }
                });
            }
            _ => {
                others.some(|it| it.kind == D)?;
                go(shared, [1, 2], me, [L, E])?;
            }
        }
        Some(())
    }
    assert_told(Told {
        steps: 3,
        has_tickets: true,
        fire,
        // Where none with a later ticket is seen, there is none.
        holds: |_, [one, other, idle]| {
            let is_after = one.kind == E && other.kind == W && other.ticket < one.ticket;
            !(is_after && idle.kind == N)
        },
    });
}

/// There need not be a member that is left out: what waits for none of a kind goes on where a change of all others leaves no other kind.
#[test]
fn there_need_not_be_another_one() {
    fn fire(
        number: u8,
        shared: &mut Shared,
        me: &mut Part,
        others: &mut Others<'_, Part>,
    ) -> Option<()> {
        match number {
            0 => {
                go(shared, [0, 1], me, [N, L])?;
                others.each(|it| it.kind = W);
            }
            // By this one it is kept of some that they wait.
            1 => {
                others.some(|it| it.kind == W)?;
                go(shared, [1, 1], me, [L, L])?;
            }
            2 => go(shared, [1, 2], me, [W, D])?,
            _ => {
                others.none(|it| it.kind == W)?;
                go(shared, [2, 3], me, [L, E])?;
            }
        }
        Some(())
    }
    assert_told(Told {
        steps: 4,
        has_tickets: false,
        fire,
        holds: |_, all| are_no([D, E], all),
    });
}

/// Of members that are alike, it makes no difference which one has a name.
#[test]
fn a_name_is_of_any_of_those_that_are_alike() {
    let alike = rules(&[named(Name::Take, [0, 1], [N, N])], Bad::One(2, N));
    let report = check_by_views(&alike, &settings(Some(2))).expect("it is a crowd");
    let found = report.every_number.expect("it is asked for");
    // Nobody is named, one of the two that are shown is, and one that is not.
    assert_eq!(found.views, 3);
}

/// An invariant of two members is one of both orders of them.
#[test]
fn an_invariant_is_asked_in_each_order() {
    fn fire(_: u8, shared: &mut Shared, me: &mut Part, _: &mut Others<'_, Part>) -> Option<()> {
        go(shared, [0, 1], me, [N, E])
    }
    let orders: [fn(&Shared, [&Part; 2]) -> bool; 2] = [
        |_, [one, other]| [one.kind, other.kind] != [N, E],
        |_, [one, other]| [one.kind, other.kind] != [E, N],
    ];
    for holds in orders {
        assert_told(Told {
            steps: 1,
            has_tickets: false,
            fire,
            holds,
        });
    }
}
