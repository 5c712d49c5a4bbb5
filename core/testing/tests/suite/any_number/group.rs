//! Groups of members of few kinds: crowds by the million.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::crowd::{Chosen, Crowd, CrowdInvariant, CrowdRefinement, Moment, Others};
use refmap::internal::Named;
use refmap::{Counter, State};
use serde::Serialize;

/// Kinds of members of a lock.
pub const IDLE: u8 = 0;
pub const CRITICAL: u8 = 1;
pub const WAITS: u8 = 2;

/// Condition on the others under which a member takes a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guard {
    Nothing,
    /// That none of them is of a kind.
    None(u8),
    /// That one of them is of a kind.
    Some(u8),
    /// That of each of these kinds there is one of them.
    Each(&'static [u8]),
    /// That none of those before it is of a kind.
    NoneBefore(u8),
    /// That one of those before it is of a kind.
    SomeBefore(u8),
    /// That one of those behind it is of a kind.
    SomeBehind(u8),
}

/// Use that a step makes of tickets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ticket {
    Nothing,
    /// The member takes the next one.
    Take,
    /// The member's one is served.
    IsServed,
    /// The one after it is served from now on, and the member has none any more.
    Serve,
    /// The member's one is even, as its text says.
    IsEven,
    /// The next one is taken by nobody.
    Skip,
    /// So many are served at once.
    Advance(u64),
    /// No other member has a lower one.
    IsLeast,
}

/// Use that a step makes of the name that the shared part keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Name {
    Nothing,
    /// It becomes that of the member.
    Take,
    /// It is that of the member.
    IsMe,
    /// It is that of another one, or there is none.
    IsNotMe,
    /// There is none any more.
    Forget,
    /// It becomes that of some other member of a kind.
    Choose(u8),
}

/// A step of a member of one kind, with one shared part.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub shared: [u8; 2],
    pub member: [u8; 2],
    pub guard: Guard,
    pub ticket: Ticket,
    pub name: Name,
    /// Kind of all others of another kind, after the step.
    pub others: Option<[u8; 2]>,
}

/// A step that asks nothing of others, from one shared part and kind to others.
pub const fn step(shared: [u8; 2], member: [u8; 2]) -> Move {
    Move {
        shared,
        member,
        guard: Guard::Nothing,
        ticket: Ticket::Nothing,
        name: Name::Nothing,
        others: None,
    }
}

/// States that are not to be reached.
#[derive(Clone, Copy, Debug)]
pub enum Bad {
    /// With this shared part, a member of this kind.
    One(u8, u8),
    /// Two members of these kinds.
    Two(u8, u8),
    /// So many members of one kind, of at most four.
    Many(u8, usize),
    /// A member of this kind of which the shared part does not keep the name.
    Nameless(u8),
}

/// Obligation that a bad state violates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asks {
    Invariant,
    /// That no step leads from a state that is not bad to one that is, and none is initial. Not of many members.
    Simulation,
    /// Of one member.
    Observation,
}

impl Asks {
    pub const ALL: [Self; 3] = [Self::Invariant, Self::Simulation, Self::Observation];

    /// True if a row may be unknown because of a bad state.
    pub fn is_about(self, row: &str) -> bool {
        match self {
            Self::Invariant => row == "invariant:good",
            Self::Simulation => ["simulation", "initiality"].contains(&row),
            Self::Observation => row == "observation",
        }
    }
}

/// Members in a line, or alike: a type for each, since it is one that says so.
#[derive(Clone, Debug)]
pub struct Rules<const IN_LINE: bool = false> {
    pub moves: Vec<Move>,
    pub initial: Vec<u8>,
    pub bad: Bad,
    pub asks: Asks,
    /// Number of the step that is said to simulate one of the specification, which has none.
    pub simulates: Option<usize>,
}

/// The shared part.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct Shared {
    pub place: u8,
    pub name: Option<Chosen>,
    /// The next ticket, and the one that is served, if there are tickets at all.
    pub tickets: Option<(Counter, Counter)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
pub struct Member {
    pub kind: u8,
    pub ticket: Option<Counter>,
}

/// The number of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Step(pub usize);

impl<const IN_LINE: bool> refmap::Action<Rules<IN_LINE>> for Step {}

impl<const IN_LINE: bool> Rules<IN_LINE> {
    pub fn in_line(self) -> Rules<true> {
        let Self {
            moves,
            initial,
            bad,
            asks,
            simulates,
        } = self;
        Rules {
            moves,
            initial,
            bad,
            asks,
            simulates,
        }
    }
}

impl<const IN_LINE: bool> Crowd for Rules<IN_LINE> {
    type Shared = Shared;
    type Member = Member;
    type Action = Step;
    type Observation = bool;

    const IN_LINE: bool = IN_LINE;

    fn members(&self) -> &str {
        "members"
    }

    fn bounds(&self) -> String {
        "few kinds".to_owned()
    }

    fn initial(&self, visit: &mut impl FnMut(Shared, &[Member])) {
        let mut moves = self.moves.iter();
        let has_tickets = moves.any(|step| step.ticket != Ticket::Nothing);
        let shared = Shared {
            place: 0,
            name: None,
            tickets: has_tickets.then_some((Counter::START, Counter::START)),
        };
        let kinds = self.initial.iter();
        let members = kinds.map(|kind| Member {
            kind: *kind,
            ticket: None,
        });
        let members: Vec<_> = members.collect();
        visit(shared, &members);
    }

    fn candidates(&self, _: &Shared, me: Option<&Member>, visit: &mut impl FnMut(Step)) {
        if me.is_some() {
            (0..self.moves.len()).map(Step).for_each(visit);
        }
    }

    fn fire(
        &self,
        Step(number): &Step,
        shared: &mut Shared,
        me: &mut Member,
        others: &mut Others<'_, Member>,
    ) -> Option<()> {
        let step = &self.moves[*number];
        if shared.place != step.shared[0] || me.kind != step.member[0] {
            return None;
        }
        let is = |it: &Member, kind: &u8| it.kind == *kind;
        match step.guard {
            Guard::Nothing => (),
            Guard::None(kind) => others.none_with(kind, is)?,
            Guard::Some(kind) => others.some_with(kind, is)?,
            Guard::Each(kinds) => {
                for kind in kinds {
                    others.some_with(*kind, is)?;
                }
            }
            Guard::NoneBefore(kind) => others.before().none_with(kind, is)?,
            Guard::SomeBefore(kind) => others.before().some_with(kind, is)?,
            Guard::SomeBehind(kind) => others.behind().some_with(kind, is)?,
        }
        shared.place = step.shared[1];
        me.kind = step.member[1];
        if let Some((next, serving)) = &mut shared.tickets {
            match step.ticket {
                Ticket::Nothing => (),
                Ticket::Take => {
                    me.ticket = Some(*next);
                    *next = next.next();
                }
                Ticket::IsServed => (me.ticket == Some(*serving)).then_some(())?,
                Ticket::Serve => {
                    (me.ticket == Some(*serving)).then_some(())?;
                    me.ticket = None;
                    *serving = serving.next();
                }
                Ticket::IsEven => {
                    let text = me.ticket?.to_string();
                    text.ends_with(['0', '2', '4', '6', '8']).then_some(())?;
                }
                Ticket::Skip => *next = next.next(),
                Ticket::Advance(more) => (0..more).for_each(|_| *serving = serving.next()),
                Ticket::IsLeast => others.none_with(me.ticket?, |it, mine| {
                    it.ticket.is_some_and(|ticket| ticket < *mine)
                })?,
            }
        }
        let my_name = Some(others.me());
        match step.name {
            Name::Nothing => (),
            Name::Take => shared.name = my_name,
            Name::IsMe => (shared.name == my_name).then_some(())?,
            Name::IsNotMe => (shared.name != my_name).then_some(())?,
            Name::Forget => shared.name = None,
            Name::Choose(kind) => shared.name = Some(others.choose_with(kind, is)?.name),
        }
        if let Some(kinds) = step.others {
            others.each_with(kinds, |it, [before, after]| {
                if it.kind == *before {
                    it.kind = *after;
                }
            });
        }
        Some(())
    }

    fn observe_member(&self, shared: &Shared, member: &Member) -> Option<bool> {
        Some(self.asks == Asks::Observation && self.is_bad(shared, member))
    }
}

impl<const IN_LINE: bool> Rules<IN_LINE> {
    /// True of one member that is bad by itself.
    fn is_bad(&self, shared: &Shared, member: &Member) -> bool {
        matches!(self.bad, Bad::One(place, kind) if shared.place == place && member.kind == kind)
    }
}

/// The specification: a member that is bad by itself is not, and of two kinds one is where the other is not.
#[derive(Clone, Debug)]
pub struct Never {
    bad: Bad,
    /// Kinds that members have initially.
    initial: Vec<u8>,
}

impl Crowd for Never {
    type Shared = ();
    /// The kind, from 1 on, of those that are spoken of; 0 of any other.
    type Member = u8;
    /// The kind that a member has from now on.
    type Action = u8;
    type Observation = bool;

    fn members(&self) -> &str {
        "members"
    }

    fn initial(&self, visit: &mut impl FnMut((), &[u8])) {
        // None that is spoken of.
        let initial = self.initial.iter().copied().filter(|kind| *kind == 0);
        visit((), &initial.collect::<Vec<_>>());
    }

    fn candidates(&self, (): &(), _: Option<&u8>, _: &mut impl FnMut(u8)) {}

    fn fire(&self, to: &u8, (): &mut (), me: &mut u8, others: &mut Others<'_, u8>) -> Option<()> {
        let Bad::Two(one, other) = self.bad else {
            return None;
        };
        if *me == *to {
            return None;
        }
        if *to != 0 {
            let partner = if *to == one + 1 { other } else { one };
            others.none_with(partner + 1, |it, partner| it == partner)?;
        }
        *me = *to;
        Some(())
    }

    fn observe_member(&self, (): &(), _: &u8) -> Option<bool> {
        Some(false)
    }
}

impl<const IN_LINE: bool> CrowdRefinement for Rules<IN_LINE> {
    type Implementation = Self;
    type Specification = Never;

    fn implementation(&self) -> Self {
        self.clone()
    }

    fn specification(&self) -> Never {
        let shared = Shared {
            place: 0,
            name: None,
            tickets: None,
        };
        let kinds = self.initial.iter().map(|kind| Member {
            kind: *kind,
            ticket: None,
        });
        Never {
            bad: self.bad,
            initial: kinds
                .map(|member| self.map_member(&shared, &member))
                .collect(),
        }
    }

    fn map(&self, _: &Shared) {}

    fn map_member(&self, shared: &Shared, member: &Member) -> u8 {
        match self.bad {
            _ if self.asks != Asks::Simulation => 0,
            Bad::One(..) => u8::from(self.is_bad(shared, member)),
            Bad::Two(one, other) if [one, other].contains(&member.kind) => member.kind + 1,
            Bad::Two(..) | Bad::Many(..) | Bad::Nameless(_) => 0,
        }
    }

    fn abstract_steps(
        &self,
        from: Moment<'_, Self>,
        Step(number): &Step,
        to: Moment<'_, Self>,
    ) -> AbstractSteps<u8> {
        let [from, to] = [from, to].map(|at| {
            let me = at.me.expect("a member takes it");
            self.map_member(at.shared, me)
        });
        if self.simulates == Some(*number) || from != to {
            One(to)
        } else {
            Stutter
        }
    }

    fn invariants(&self) -> Vec<CrowdInvariant<Self>> {
        let Self { bad, asks, .. } = *self;
        let is_asked = asks == Asks::Invariant;
        vec![match bad {
            Bad::One(place, kind) => CrowdInvariant::of_members(
                "good",
                "a test",
                move |shared: &Shared, [it]: [&Member; 1]| {
                    !is_asked || shared.place != place || it.kind != kind
                },
            ),
            Bad::Two(one, other) => CrowdInvariant::of_members(
                "good",
                "a test",
                move |_: &Shared, all: [&Member; 2]| {
                    let mut kinds = all.map(|it| it.kind);
                    kinds.sort_unstable();
                    !is_asked || kinds != [one.min(other), one.max(other)]
                },
            ),
            Bad::Nameless(kind) => CrowdInvariant::of_named(
                "good",
                "a test",
                move |shared: &Shared, [it]: [Named<&Member>; 1]| {
                    !is_asked || it.part.kind != kind || shared.name == Some(it.name)
                },
            ),
            Bad::Many(kind, 3) => many::<IN_LINE, 3>(is_asked, kind),
            Bad::Many(kind, _) => many::<IN_LINE, 4>(is_asked, kind),
        }]
    }
}

/// Says that not all of so many are of a kind.
fn many<const IN_LINE: bool, const N: usize>(
    is_asked: bool,
    kind: u8,
) -> CrowdInvariant<Rules<IN_LINE>> {
    CrowdInvariant::of_members("good", "a test", move |_: &Shared, all: [&Member; N]| {
        !is_asked || all.iter().any(|it| it.kind != kind)
    })
}
