//! Specifications that ask of other members: an abstract step is one whatever members a view leaves out.

use refmap::AbstractSteps::{self, One};
use refmap::crowd::{Chosen, Crowd, CrowdRefinement, Moment, Others};
use refmap::internal::check_by_views;
use refmap::{Action, State, Verdict};
use serde::Serialize;

use super::without_invariants;

/// Members that took a turn before two others became what keeps a third one from going: more than small instances have.
const TURNS: u8 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Kind {
    Idle,
    Used,
    First,
    Second,
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Step {
    Turn,
    Go,
}

/// Question by which the specification keeps a member from going.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keeps {
    /// None: all may go.
    Nothing,
    /// A first one, which there is.
    First,
    /// A first one beside a second one, which there are.
    Both,
    /// Another one that has gone, which there is none of, since one goes.
    Gone,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Shared {
    turn: u8,
    /// The member that is to go, where it is known before.
    goes: Option<Chosen>,
}

/// Turns of members, of which the last goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Turns {
    /// Members that are idle take turns, and so does the one that goes, beside others that are idle.
    Idle,
    /// The one that goes is named first, and the second one makes a first one of all others.
    Named,
}

/// The same, of which a member goes unless it is kept from it.
#[derive(Clone, Copy, Debug)]
struct Kept {
    turns: Turns,
    keeps: Keeps,
}

impl Crowd for Turns {
    type Shared = Shared;
    type Member = Kind;
    type Action = Step;
    type Observation = ();

    fn members(&self) -> &str {
        "members"
    }

    fn initial(&self, visit: &mut impl FnMut(Shared, &[Kind])) {
        let shared = Shared {
            turn: 0,
            goes: None,
        };
        visit(shared, &[Kind::Idle]);
    }

    fn fire(
        &self,
        step: &Step,
        shared: &mut Shared,
        me: &mut Kind,
        others: &mut Others<'_, Kind>,
    ) -> Option<()> {
        let [from, to] = match (self, shared.turn) {
            (Self::Idle, 0..TURNS) | (Self::Named, 0) => [Kind::Idle, Kind::Used],
            (Self::Idle, TURNS) => [Kind::Idle, Kind::First],
            (Self::Idle, 5) | (Self::Named, 1) => [Kind::Idle, Kind::Second],
            (Self::Idle, 6) => [Kind::Idle, Kind::Gone],
            (Self::Named, 2) => [Kind::Used, Kind::Gone],
            _ => return None,
        };
        let goes = to == Kind::Gone;
        (*me == from && goes == (*step == Step::Go)).then_some(())?;
        *me = to;
        shared.turn += 1;
        if *self == Self::Named {
            match to {
                Kind::Used => shared.goes = Some(others.me()),
                Kind::Second => others.each(become_first),
                _ => (),
            }
        }
        Some(())
    }
}

fn become_first(kind: &mut Kind) {
    if *kind == Kind::Idle {
        *kind = Kind::First;
    }
}

impl Crowd for Kept {
    type Shared = ();
    type Member = Kind;
    /// The kind that the member has from now on.
    type Action = Becomes;
    type Observation = ();

    fn members(&self) -> &str {
        "members"
    }

    fn initial(&self, visit: &mut impl FnMut((), &[Kind])) {
        visit((), &[Kind::Idle]);
    }

    fn candidates(&self, (): &(), _: Option<&Kind>, _: &mut impl FnMut(Becomes)) {}

    fn fire(
        &self,
        Becomes(kind): &Becomes,
        (): &mut (),
        me: &mut Kind,
        others: &mut Others<'_, Kind>,
    ) -> Option<()> {
        if *kind == Kind::Gone {
            match self.keeps {
                Keeps::Nothing => (),
                Keeps::First => others.none(|it| *it == Kind::First)?,
                Keeps::Both => {
                    if others.some(|it| *it == Kind::Second).is_some() {
                        others.none(|it| *it == Kind::First)?;
                    }
                }
                Keeps::Gone => others.none(|it| *it == Kind::Gone)?,
            }
        }
        *me = *kind;
        if *kind == Kind::Second && self.turns == Turns::Named {
            others.each(become_first);
        }
        Some(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct Becomes(Kind);

impl Action<Kept> for Becomes {}

impl CrowdRefinement for Kept {
    type Implementation = Turns;
    type Specification = Self;

    fn implementation(&self) -> Turns {
        self.turns
    }

    fn specification(&self) -> Self {
        *self
    }

    fn map(&self, _: &Shared) {}

    fn map_member(&self, _: &Shared, kind: &Kind) -> Kind {
        *kind
    }

    fn abstract_steps(
        &self,
        _: Moment<'_, Turns>,
        _: &Step,
        to: Moment<'_, Turns>,
    ) -> AbstractSteps<Becomes> {
        One(Becomes(*to.me.expect("a member takes it")))
    }
}

/// A step that two members keep from happening which no view shows together is found out, and one that nobody does holds.
#[test]
fn what_two_members_keep_from_happening_is_not_believed() {
    for (keeps, holds) in [
        (Keeps::Nothing, true),
        (Keeps::First, false),
        (Keeps::Both, false),
        (Keeps::Gone, true),
    ] {
        for turns in [Turns::Idle, Turns::Named] {
            for views in [Some(1), Some(2), None] {
                let kept = Kept { turns, keeps };
                let report =
                    check_by_views(&kept, &without_invariants(views)).expect("it is a crowd");
                let expected = if holds {
                    Verdict::Holds
                } else {
                    Verdict::Incomplete
                };
                assert_eq!(
                    report.verdict,
                    Some(expected),
                    "{kept:?} {views:?} {report}"
                );
            }
        }
    }
}
