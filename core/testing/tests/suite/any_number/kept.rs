//! Members that are left out, of whom it is known what is true of some.

use refmap::AbstractSteps::{self, Stutter};
use refmap::crowd::{Crowd, CrowdRefinement, Moment, Others};
use refmap::{Action, Counter, State, Verdict, check_any_number, guard};
use serde::Serialize;

use super::without_invariants;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Member {
    is_up: bool,
    ticket: Counter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "member")]
enum Step {
    Up,
    Down,
}

/// Members with tickets, of which one goes down with all others where another one is up: a question by which a step is enabled, and a change of all that is not told of a member
/// without its ticket.
#[derive(Clone, Copy, Debug)]
struct Tickets;

impl Crowd for Tickets {
    type Shared = Counter;
    type Member = Member;
    type Action = Step;
    type Observation = ();

    fn members(&self) -> &str {
        "members"
    }

    fn initial(&self, visit: &mut impl FnMut(Counter, &[Member])) {
        let ticket = Counter::START;
        let is_up = false;
        visit(ticket, &[Member { is_up, ticket }]);
    }

    fn fire(
        &self,
        step: &Step,
        next: &mut Counter,
        me: &mut Member,
        others: &mut Others<'_, Member>,
    ) -> Option<()> {
        match step {
            Step::Up => {
                guard("it is down", !me.is_up)?;
                me.is_up = true;
                me.ticket = *next;
                *next = next.next();
            }
            Step::Down => {
                guard("it is up", me.is_up)?;
                others.some(|it| it.is_up)?;
                me.is_up = false;
                others.each(|it| it.is_up = false);
            }
        }
        Some(())
    }
}

/// Nothing is done.
#[derive(Clone, Copy, Debug)]
struct Nothing;

impl Crowd for Nothing {
    type Shared = ();
    type Member = ();
    type Action = Step;
    type Observation = ();

    fn members(&self) -> &str {
        "members"
    }

    fn initial(&self, visit: &mut impl FnMut((), &[()])) {
        visit((), &[()]);
    }

    fn fire(&self, _: &Step, (): &mut (), (): &mut (), _: &mut Others<'_, ()>) -> Option<()> {
        None
    }
}

impl CrowdRefinement for Tickets {
    type Implementation = Self;
    type Specification = Nothing;

    fn implementation(&self) -> Self {
        *self
    }

    fn specification(&self) -> Nothing {
        Nothing
    }

    fn map(&self, _: &Counter) {}

    fn map_member(&self, _: &Counter, _: &Member) {}

    fn abstract_steps(
        &self,
        _: Moment<'_, Self>,
        _: &Step,
        _: Moment<'_, Self>,
    ) -> AbstractSteps<Step> {
        Stutter
    }
}

/// A search that cannot keep what it has met comes to an end without.
#[test]
fn what_cannot_be_kept_is_not_met_again() {
    let report = check_any_number(&Tickets, &without_invariants(None)).expect("it is a crowd");
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}
