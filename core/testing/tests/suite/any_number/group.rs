//! Groups of members of few kinds: crowds by the million.

use std::cmp::Ordering;

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::crowd::{Crowd, CrowdParts, MemberOf, Members};
use refmap::state::{Kept, NameVisitor, Names, Row};
use refmap::{Constraint, Counter, Invariant, Refinement, State, TransitionSystem};

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
    /// That one of them is of a kind, which to leave out others may change.
    Some(u8),
    /// That of each of these kinds there is one of them.
    Each(&'static [u8]),
    /// That none of those before it is of a kind.
    NoneBefore(u8),
    /// That one of those before it is of a kind.
    SomeBefore(u8),
    /// That so many of them are of a kind, which is more than a view shows.
    AtLeast(u8, usize),
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
}

/// A step of a member of one kind, with one shared part.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub shared: [u8; 2],
    pub member: [u8; 2],
    pub guard: Guard,
    pub ticket: Ticket,
    /// Kind of all others of another kind, after the step.
    pub others: Option<[u8; 2]>,
}

impl Move {
    /// The kinds of other members for which it waits.
    pub fn waits_for(&self) -> Vec<u8> {
        match self.guard {
            Guard::Some(kind) | Guard::SomeBefore(kind) | Guard::AtLeast(kind, _) => vec![kind],
            Guard::Each(kinds) => kinds.to_vec(),
            Guard::Nothing | Guard::None(_) | Guard::NoneBefore(_) => Vec::new(),
        }
    }
}

/// States that are not to be reached.
#[derive(Clone, Copy, Debug)]
pub enum Bad {
    /// With this shared part, a member of this kind.
    One(u8, u8),
    /// Two members of these kinds.
    Two(u8, u8),
    /// So many members of one kind.
    Many(u8, usize),
}

/// Obligation that a bad state violates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asks {
    Invariant,
    /// That no step leads from a state that is not bad to one that is, and none is initial.
    Simulation,
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

impl Bad {
    pub fn speaks_of(self) -> usize {
        match self {
            Self::One(..) => 1,
            Self::Two(..) => 2,
            Self::Many(_, members) => members,
        }
    }

    pub fn is(self, state: &Group) -> bool {
        let count = |kind| state.members.iter().filter(|one| **one == kind).count();
        match self {
            Self::One(shared, kind) => state.shared == shared && count(kind) > 0,
            Self::Two(one, other) if one == other => count(one) > 1,
            Self::Two(one, other) => count(one) > 0 && count(other) > 0,
            Self::Many(kind, members) => count(kind) >= members,
        }
    }
}

/// A way in which a declaration is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wrong {
    Nothing,
    /// The first member is another one than the rest.
    First,
    /// One step moves two members.
    MovesTwo,
    /// One member is the leader from the beginning on.
    Leader,
    /// Members are assembled without the last one's kind.
    Assembled,
    /// The invariant speaks of more members than it says.
    Width,
    /// An index of a member is shared.
    Index,
    /// Two shared parts are taken for one.
    Forgotten,
    /// The invariant has another name with each number of members.
    Named,
    /// The premise of the invariant is never true.
    Premise,
    /// There is a constraint.
    Constraint,
    /// There is a bound.
    Bound,
    /// Members of different kinds are said to be of one.
    Kinds,
    /// A function panics of three members that are alike.
    Panics,
}

#[derive(Clone, Debug)]
pub struct Rules {
    pub moves: Vec<Move>,
    pub initial: Vec<u8>,
    pub bad: Bad,
    pub asks: Asks,
    /// Number of the step that is said to simulate one of the specification, which has none.
    pub simulates: Option<usize>,
    /// Kinds of members for which steps wait, as it is said.
    pub waits_for: Vec<u8>,
    pub wrong: Wrong,
}

/// A shared part, and the kinds of the members, which have tickets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Group {
    pub shared: u8,
    pub members: Vec<u8>,
    /// The next ticket, and the one that is served.
    pub next: Counter,
    pub serving: Counter,
    pub tickets: Vec<Option<Counter>>,
    /// True if there are tickets at all.
    pub is_counted: bool,
    /// Way in which it is taken apart.
    pub parts: Parting,
}

/// Way in which a state is taken apart and assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Parting {
    Right,
    /// Without the last member's kind.
    WithoutLast,
    /// Two shared parts are one.
    Forgetful,
}

impl Members for Group {
    /// Beside the shared part the next ticket, and the one that is served, if there are tickets.
    type Shared = (u8, Counter, Counter, bool, Parting);
    type Member = (u8, Option<Counter>);

    fn apart(&self) -> CrowdParts<Self::Shared, Self::Member> {
        let shared = match self.parts {
            Parting::Forgetful => self.shared.min(1),
            Parting::Right | Parting::WithoutLast => self.shared,
        };
        let members = self.members.iter().copied();
        let members = members.zip(self.tickets.iter().copied());
        CrowdParts {
            shared: (shared, self.next, self.serving, self.is_counted, self.parts),
            members: members.collect(),
        }
    }

    fn assembled(shared: &Self::Shared, members: &[Self::Member]) -> Self {
        let (mut members, tickets): (Vec<_>, _) = members.iter().copied().unzip();
        let (shared, next, serving, is_counted, parts) = *shared;
        if parts == Parting::WithoutLast
            && let [_, .., last] = &mut members[..]
        {
            *last = 0;
        }
        Self {
            shared,
            members,
            next,
            serving,
            tickets,
            is_counted,
            parts,
        }
    }
}

/// A member's ticket, as it is visited.
pub struct Tickets<'a>(&'a mut [Option<Counter>]);

impl Row for Tickets<'_> {
    fn length(&self) -> usize {
        self.0.len()
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        self.0[one].cmp(&self.0[other])
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.0.swap(one, other);
    }

    fn visit_element(&mut self, at: usize, visit: &mut dyn NameVisitor) {
        if let Some(ticket) = &mut self.0[at] {
            ticket.each_name(0, visit);
        }
    }
}

impl<S: ?Sized> State<S> for Group {
    const KEPT: Kept = Kept::Whole;

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        if self.is_counted {
            self.next.each_name(0, visit);
            self.serving.each_name(0, visit);
            visit.rows(0, &mut [&mut Tickets(&mut self.tickets)]);
        }
    }
}

/// The system of so many members.
pub struct Instance {
    pub rules: Rules,
    pub members: usize,
}

impl Instance {
    fn group(&self, members: Vec<u8>) -> Group {
        let mut tickets = self.rules.moves.iter();
        Group {
            shared: 0,
            next: Counter::START,
            serving: Counter::START,
            tickets: vec![None; members.len()],
            members,
            is_counted: tickets.any(|step| step.ticket != Ticket::Nothing),
            parts: match self.rules.wrong {
                Wrong::Assembled => Parting::WithoutLast,
                Wrong::Forgotten => Parting::Forgetful,
                _ => Parting::Right,
            },
        }
    }
}

impl refmap::Action<Instance> for (usize, usize) {}

impl TransitionSystem for Instance {
    type State = Group;
    /// The number of the step, and the member that takes it.
    type Action = (usize, usize);
    type Observation = bool;

    fn initial(&self, visit: &mut impl FnMut(Group)) {
        let kinds = &self.rules.initial;
        for number in 0..kinds.len().pow(self.members as u32) {
            let kind = |place: u32| kinds[number / kinds.len().pow(place) % kinds.len()];
            let mut members: Vec<_> = (0..self.members as u32).map(kind).collect();
            if self.rules.wrong == Wrong::Leader {
                members.fill(kinds[0]);
                for leader in 0..members.len() {
                    let mut members = members.clone();
                    members[leader] = 2;
                    visit(self.group(members));
                }
                return;
            }
            visit(self.group(members));
        }
    }

    fn candidates(&self, from: &Group, visit: &mut impl FnMut((usize, usize))) {
        let is_idle = |member: &u8| *member == IDLE;
        let panics = self.rules.wrong == Wrong::Panics && from.members.len() > 2;
        assert!(!panics || !from.members.iter().all(is_idle), "all are idle");
        for number in 0..self.rules.moves.len() {
            (0..from.members.len()).for_each(|mover| visit((number, mover)));
        }
    }

    fn fire(&self, (number, mover): &(usize, usize), group: &mut Group) -> Option<()> {
        let (number, mover, wrong) = (*number, *mover, self.rules.wrong);
        let step = &self.rules.moves[number];
        let members = &mut group.members;
        let of_kind = |kind: u8| {
            let others = members.iter().enumerate();
            let others = others.filter(|(place, one)| *place != mover && **one == kind);
            others.count()
        };
        let is_there = |kind: u8| of_kind(kind) > 0;
        let is_before = |kind: u8| members[..mover].contains(&kind);
        let ticket = &mut group.tickets[mover];
        let is_enabled = match step.guard {
            Guard::Nothing => true,
            Guard::None(kind) => !is_there(kind),
            Guard::Some(kind) => is_there(kind),
            Guard::Each(kinds) => kinds.iter().all(|kind| is_there(*kind)),
            Guard::NoneBefore(kind) => !is_before(kind),
            Guard::SomeBefore(kind) => is_before(kind),
            Guard::AtLeast(kind, least) => of_kind(kind) >= least,
        } && match step.ticket {
            Ticket::Nothing | Ticket::Take | Ticket::Skip | Ticket::Advance(_) => true,
            Ticket::IsServed | Ticket::Serve => *ticket == Some(group.serving),
            Ticket::IsEven => ticket.is_some_and(|ticket| ticket.to_string().ends_with(['0', '2'])),
        };
        let is_barred = wrong == Wrong::First && mover == 0 && number == 0;
        if group.shared != step.shared[0] || members[mover] != step.member[0] {
            return None;
        }
        (is_enabled && !is_barred).then_some(())?;
        group.shared = step.shared[1];
        if let Some([before, after]) = step.others {
            let others = members.iter_mut().filter(|one| **one == before);
            others.for_each(|one| *one = after);
        }
        members[mover] = step.member[1];
        match step.ticket {
            Ticket::Take => {
                *ticket = Some(group.next);
                group.next = group.next.next();
            }
            Ticket::Serve => {
                *ticket = None;
                group.serving = group.serving.next();
            }
            Ticket::Skip => group.next = group.next.next(),
            Ticket::Advance(more) => (0..more).for_each(|_| group.serving = group.serving.next()),
            Ticket::Nothing | Ticket::IsServed | Ticket::IsEven => (),
        }
        if wrong == Wrong::Index && number == 0 {
            group.shared = 10 + mover as u8;
        }
        if wrong == Wrong::MovesTwo && number == 0 && members.len() > 1 {
            let other = (mover + 1) % members.len();
            members[other] = (members[other] + 1) % 3;
        }
        Some(())
    }

    fn observe(&self, state: &Group) -> bool {
        self.rules.asks == Asks::Observation && self.rules.bad.is(state)
    }

    fn caveats(&self) -> refmap::Caveats<'_, Group> {
        let caveats = refmap::Caveats::default();
        if self.rules.wrong == Wrong::Bound {
            return caveats.bounded("two rounds", |_| Vec::new());
        }
        caveats
    }
}

/// The specification: a state is never bad.
pub struct Never;

impl TransitionSystem for Never {
    type State = bool;
    type Action = usize;
    type Observation = bool;

    fn initial(&self, visit: &mut impl FnMut(bool)) {
        visit(false);
    }

    fn candidates(&self, _: &bool, _: &mut impl FnMut(usize)) {}

    fn fire(&self, _: &usize, _: &mut bool) -> Option<()> {
        None
    }

    fn observe(&self, _: &bool) -> bool {
        false
    }
}

impl Refinement for Instance {
    type Implementation = Self;
    type Specification = Never;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Never {
        &Never
    }

    fn map(&self, state: &Group) -> bool {
        self.rules.asks == Asks::Simulation && self.rules.bad.is(state)
    }

    fn abstract_steps(&self, _: &Group, step: &(usize, usize), _: &Group) -> AbstractSteps<usize> {
        let (number, _) = *step;
        if self.rules.simulates == Some(number) {
            One(number)
        } else {
            Stutter
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let Rules { bad, asks, .. } = self.rules;
        let name = match self.rules.wrong {
            Wrong::Named => format!("good of {}", self.members),
            _ => "good".to_owned(),
        };
        let good = Invariant::new(name, "a test", move |state| {
            asks != Asks::Invariant || !bad.is(state)
        });
        vec![match self.rules.wrong {
            Wrong::Premise => good.when(|_| false),
            _ => good,
        }]
    }

    fn constraint(&self) -> Option<Constraint<Self>> {
        let constraint = || Constraint::new("few", |state: &Group| state.shared < 2);
        (self.rules.wrong == Wrong::Constraint).then(constraint)
    }
}

impl Crowd for Rules {
    type Instance = Instance;

    fn members(&self) -> &str {
        "members"
    }

    fn bounds(&self) -> String {
        "few kinds".to_owned()
    }

    fn kinds(&self) -> u32 {
        match self.wrong {
            Wrong::Kinds => 1,
            _ => self.waits_for.len() as u32,
        }
    }

    fn kind(&self, (member, _): &MemberOf<Self>) -> Option<u32> {
        let mut kinds = self.waits_for.iter();
        let kind = kinds.position(|kind| kind == member)? as u32;
        Some(kind.min(self.kinds() - 1))
    }

    fn instance(&self, members: usize) -> Instance {
        Instance {
            rules: self.clone(),
            members,
        }
    }

    fn in_line(&self) -> bool {
        let guards = self.moves.iter().map(|step| step.guard);
        let mut guards =
            guards.filter(|guard| matches!(guard, Guard::NoneBefore(_) | Guard::SomeBefore(_)));
        guards.next().is_some()
    }

    fn speaks_of(&self, obligation: &str) -> usize {
        match self.wrong {
            Wrong::Width => 1,
            _ if !self.asks.is_about(obligation) => 1,
            // A step makes a state bad that the others are part of.
            _ if obligation == "simulation" => self.bad.speaks_of() + 1,
            _ => self.bad.speaks_of(),
        }
    }
}
