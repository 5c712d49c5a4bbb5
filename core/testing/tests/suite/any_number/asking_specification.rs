//! Specifications that ask of other members: an abstract step is one whatever members a view leaves out.

use refmap::AbstractSteps::{self, One};
use refmap::crowd::{Crowd, CrowdRefinement, Moment, Others};
use refmap::{Action, State, Verdict, check_any_number};
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

#[derive(Clone, Copy, Debug)]
struct Turns;

/// The same, of which a member goes unless it is kept from it.
#[derive(Clone, Copy, Debug)]
struct Kept(Keeps);

impl Crowd for Turns {
    type Shared = u8;
    type Member = Kind;
    type Action = Step;
    type Observation = ();

    fn members(&self) -> &str {
        "members"
    }

    fn initial(&self, visit: &mut impl FnMut(u8, &[Kind])) {
        visit(0, &[Kind::Idle]);
    }

    fn fire(
        &self,
        step: &Step,
        turn: &mut u8,
        me: &mut Kind,
        _: &mut Others<'_, Kind>,
    ) -> Option<()> {
        let becomes = match *turn {
            0..TURNS => Kind::Used,
            TURNS => Kind::First,
            5 => Kind::Second,
            6 => Kind::Gone,
            _ => return None,
        };
        let goes = becomes == Kind::Gone;
        (*me == Kind::Idle && goes == (*step == Step::Go)).then_some(())?;
        *me = becomes;
        *turn += 1;
        Some(())
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
            match self.0 {
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
        Turns
    }

    fn specification(&self) -> Self {
        *self
    }

    fn map(&self, _: &u8) {}

    fn map_member(&self, _: &u8, kind: &Kind) -> Kind {
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
        for views in [Some(1), Some(2), None] {
            let report =
                check_any_number(&Kept(keeps), &without_invariants(views)).expect("it is a crowd");
            let expected = if holds {
                Verdict::Holds
            } else {
                Verdict::Incomplete
            };
            assert_eq!(
                report.verdict,
                Some(expected),
                "{keeps:?} {views:?} {report}"
            );
        }
    }
}
