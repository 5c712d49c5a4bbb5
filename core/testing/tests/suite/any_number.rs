//! Any number of members: what is said to hold for every number of them holds with one to five, on random crowds; and what is no crowd is told so.

use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};

use refmap::AbstractSteps::{self, Stutter};
use refmap::crowd::{Crowd, CrowdFault, CrowdParts, Members};
use refmap::explore::{Limit, Limits};
use refmap::obligation::{CheckError, Selection, Symmetry, Until};
use refmap::random::Generator;
use refmap::state::{Kept, NameVisitor, Row};
use refmap::{
    Constraint, Evidence, Invariant, Refinement, Report, Rule, RuleId, Search, Settings, State,
    TransitionSystem, Verdict, check_any_number,
};

/// Condition on the others under which a member takes a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Guard {
    Nothing,
    /// That none of them is of a kind.
    None(u8),
    /// That one of them is of a kind, which to leave out others may change.
    Some(u8),
    /// That none of those before it is of a kind.
    NoneBefore(u8),
    /// That one of those before it is of a kind.
    SomeBefore(u8),
}

/// Use that a step makes of tickets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ticket {
    Nothing,
    /// The member takes the next one.
    Take,
    /// The member's one is served.
    IsServed,
    /// The one after it is served from now on, and the member has none any more.
    Serve,
    /// The member's one is even, which is not for a difference to say.
    IsEven,
}

/// A step of a member of one kind, with one shared part.
#[derive(Clone, Copy, Debug)]
struct Move {
    shared: [u8; 2],
    member: [u8; 2],
    guard: Guard,
    ticket: Ticket,
}

/// States that are not to be reached.
#[derive(Clone, Copy, Debug)]
enum Bad {
    /// With this shared part, a member of this kind.
    One(u8, u8),
    /// Two members of these kinds.
    Two(u8, u8),
    /// Three members of one kind.
    Three(u8),
}

/// Obligation that a bad state violates.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asks {
    Invariant,
    /// That no step leads from a state that is not bad to one that is, and none is initial.
    Simulation,
    Observation,
}

impl Asks {
    const ALL: [Self; 3] = [Self::Invariant, Self::Simulation, Self::Observation];

    /// Whether a row may be unknown because of a bad state.
    fn is_about(self, row: &str) -> bool {
        match self {
            Self::Invariant => row == "invariant:good",
            Self::Simulation => ["simulation", "initiality"].contains(&row),
            Self::Observation => row == "observation",
        }
    }
}

impl Bad {
    fn speaks_of(self) -> usize {
        match self {
            Self::One(..) => 1,
            Self::Two(..) => 2,
            Self::Three(_) => 3,
        }
    }

    fn is(self, state: &Group) -> bool {
        let count = |kind| state.members.iter().filter(|one| **one == kind).count();
        match self {
            Self::One(shared, kind) => state.shared == shared && count(kind) > 0,
            Self::Two(one, other) if one == other => count(one) > 1,
            Self::Two(one, other) => count(one) > 0 && count(other) > 0,
            Self::Three(kind) => count(kind) > 2,
        }
    }
}

/// A way in which a declaration is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
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
    /// A function panics of three members that are alike.
    Panics,
}

#[derive(Clone, Debug)]
struct Rules {
    moves: Vec<Move>,
    initial: Vec<u8>,
    bad: Bad,
    asks: Asks,
    /// Members that a step may need, as it is said.
    witnesses: usize,
    wrong: Wrong,
}

/// A shared part, and the kinds of the members, which have tickets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Group {
    shared: u8,
    members: Vec<u8>,
    /// The next ticket, and the one that is served.
    next: u64,
    serving: u64,
    tickets: Vec<Option<u64>>,
    /// Whether there are tickets at all.
    is_counted: bool,
    /// Way in which it is taken apart.
    parts: Parting,
}

/// Way in which a state is taken apart and assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
enum Parting {
    Right,
    /// Without the last member's kind.
    WithoutLast,
    /// Two shared parts are one.
    Forgetful,
}

impl Members for Group {
    /// Beside the shared part the next ticket, and the one that is served, if there are tickets.
    type Shared = (u8, u64, u64, bool, Parting);
    type Member = (u8, Option<u64>);

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
struct Tickets<'a>(&'a mut [Option<u64>]);

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
            visit.counter(0, ticket);
        }
    }
}

impl<S: ?Sized> State<S> for Group {
    const KEPT: Kept = Kept::Whole;

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        if self.is_counted {
            visit.counter(0, &mut self.next);
            visit.counter(0, &mut self.serving);
            visit.rows(&mut [&mut Tickets(&mut self.tickets)]);
        }
    }
}

/// The system of so many members.
struct Instance {
    rules: Rules,
    members: usize,
}

impl Instance {
    fn group(&self, members: Vec<u8>) -> Group {
        let mut tickets = self.rules.moves.iter();
        Group {
            shared: 0,
            next: 0,
            serving: 0,
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

impl TransitionSystem for Instance {
    type State = Group;
    /// The number of the step, and the member that takes it.
    type Action = (usize, usize);
    type Observation = bool;

    fn rules(&self) -> &[Rule] {
        const { &[Rule::new("move", "group", "a test")] }
    }

    fn rule_of(&self, _: &(usize, usize)) -> RuleId {
        RuleId(0)
    }

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

    fn next(&self, from: &Group, visit: &mut impl FnMut((usize, usize), Group)) {
        let wrong = self.rules.wrong;
        let is_idle = |member: &u8| *member == IDLE;
        let panics = wrong == Wrong::Panics && from.members.len() > 2;
        assert!(!panics || !from.members.iter().all(is_idle), "all are idle");
        for (number, step) in self.rules.moves.iter().enumerate() {
            for (mover, kind) in from.members.iter().enumerate() {
                let is_there = |kind: u8| {
                    let mut others = from.members.iter().enumerate();
                    others.any(|(place, one)| place != mover && *one == kind)
                };
                let is_before = |kind: u8| from.members[..mover].contains(&kind);
                let ticket = from.tickets[mover];
                let is_enabled = match step.guard {
                    Guard::Nothing => true,
                    Guard::None(kind) => !is_there(kind),
                    Guard::Some(kind) => is_there(kind),
                    Guard::NoneBefore(kind) => !is_before(kind),
                    Guard::SomeBefore(kind) => is_before(kind),
                } && match step.ticket {
                    Ticket::Nothing | Ticket::Take => true,
                    Ticket::IsServed | Ticket::Serve => ticket == Some(from.serving),
                    Ticket::IsEven => ticket.is_some_and(|ticket| ticket % 2 == 0),
                };
                if from.shared != step.shared[0] || *kind != step.member[0] || !is_enabled {
                    continue;
                }
                if wrong == Wrong::First && mover == 0 && number == 0 {
                    continue;
                }
                let mut to = from.clone();
                to.shared = step.shared[1];
                to.members[mover] = step.member[1];
                match step.ticket {
                    Ticket::Take => {
                        to.tickets[mover] = Some(from.next);
                        to.next += 1;
                    }
                    Ticket::Serve => {
                        to.tickets[mover] = None;
                        to.serving += 1;
                    }
                    Ticket::Nothing | Ticket::IsServed | Ticket::IsEven => (),
                }
                if wrong == Wrong::Index && number == 0 {
                    to.shared = 10 + mover as u8;
                }
                if wrong == Wrong::MovesTwo && number == 0 && from.members.len() > 1 {
                    let other = (mover + 1) % from.members.len();
                    to.members[other] = (to.members[other] + 1) % 3;
                }
                visit((number, mover), to);
            }
        }
    }

    fn observe(&self, state: &Group) -> bool {
        self.rules.asks == Asks::Observation && self.rules.bad.is(state)
    }

    fn bound(&self) -> Option<String> {
        (self.rules.wrong == Wrong::Bound).then(|| "two rounds".to_owned())
    }
}

/// The specification: a state is never bad.
struct Never;

impl TransitionSystem for Never {
    type State = bool;
    type Action = usize;
    type Observation = bool;

    fn rules(&self) -> &[Rule] {
        const { &[Rule::new("stay", "group", "a test")] }
    }

    fn rule_of(&self, _: &usize) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(bool)) {
        visit(false);
    }

    fn next(&self, _: &bool, _: &mut impl FnMut(usize, bool)) {}

    fn observe(&self, _: &bool) -> bool {
        false
    }
}

impl Refinement for Instance {
    type Concrete = Self;
    type Abstract = Never;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Never {
        &Never
    }

    fn map(&self, state: &Group) -> bool {
        self.rules.asks == Asks::Simulation && self.rules.bad.is(state)
    }

    fn abstract_steps(&self, _: &Group, _: &(usize, usize), _: &Group) -> AbstractSteps<usize> {
        Stutter
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

    fn witnesses(&self) -> usize {
        self.witnesses
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

/// The plainest search: true if a bad state is reached with so many members.
fn is_unsafe(rules: &Rules, members: usize) -> bool {
    let instance = rules.instance(members);
    let mut seen = HashSet::new();
    let mut left = VecDeque::new();
    instance.initial(&mut |state| left.push_back(state));
    while let Some(state) = left.pop_front() {
        if rules.bad.is(&state) {
            return true;
        }
        // Tickets may grow for ever.
        if seen.len() < MOST_SEARCHED && seen.insert(state.clone()) {
            instance.next(&state, &mut |_, to| left.push_back(to));
        }
    }
    false
}

/// States of an instance that the plainest search looks at.
const MOST_SEARCHED: usize = 3000;

fn settings(views: Option<usize>) -> Settings<'static> {
    Settings {
        search: Search::AnyNumber { views },
        threads: 1,
        ..Settings::default()
    }
}

fn asked(rules: &Rules, size: usize) -> Result<Report, CheckError> {
    check_any_number(rules, &settings(Some(size)))
}

/// Fault for which a crowd is refused.
fn refused(rules: &Rules, size: usize) -> CrowdFault {
    match asked(rules, size) {
        Err(CheckError::Crowd(fault)) => *fault,
        other => panic!("{other:?}"),
    }
}

/// Kind of random crowds, by the steps that they may have.
#[derive(Clone, Copy, PartialEq)]
enum Family {
    /// Steps wait for nobody to be somewhere.
    Plain,
    /// They may wait for somebody, too.
    Witnesses,
    /// Members are in a line.
    Line,
    /// They have tickets.
    Tickets,
    /// All of these.
    All,
}

/// A random crowd with at most three kinds of members and three shared parts.
fn draw(generator: &mut Generator, family: Family) -> Rules {
    let kinds = 1 + generator.below(3) as u8;
    let shared = 1 + generator.below(3) as u8;
    let below = |generator: &mut Generator, most: u8| generator.below(most.into()) as u8;
    let (guards, tickets) = match family {
        Family::Plain => (2, 1),
        Family::Witnesses => (3, 1),
        Family::Line => (5, 1),
        Family::Tickets => (2, 4),
        Family::All => (5, 4),
    };
    let moves = (0..1 + generator.below(7)).map(|_| Move {
        shared: [below(generator, shared), below(generator, shared)],
        member: [below(generator, kinds), below(generator, kinds)],
        guard: match below(generator, guards) {
            0 => Guard::Nothing,
            1 => Guard::None(below(generator, kinds)),
            2 => Guard::Some(below(generator, kinds)),
            3 => Guard::NoneBefore(below(generator, kinds)),
            _ => Guard::SomeBefore(below(generator, kinds)),
        },
        ticket: match below(generator, tickets) {
            0 => Ticket::Nothing,
            1 => Ticket::Take,
            2 => Ticket::IsServed,
            _ => Ticket::Serve,
        },
    });
    let moves = moves.collect();
    let initial = if generator.below(4) == 0 { 0..2 } else { 0..1 };
    let last = kinds - 1;
    Rules {
        moves,
        initial: initial.filter(|kind| *kind < kinds).collect(),
        bad: match generator.below(3) {
            0 => Bad::One(below(generator, shared), last),
            1 => Bad::Two(last, below(generator, kinds)),
            _ => Bad::Three(last),
        },
        asks: Asks::ALL[generator.below(3)],
        witnesses: usize::from(guards > 2),
        wrong: Wrong::Nothing,
    }
}

/// Views of a random crowd, beyond which it is not known whether it holds.
const MOST_VIEWS: u64 = 300;

/// Counts of random crowds: those of which no bad state is reached with one to five members, and those that are said to hold for every number.
fn compare(seeds: std::ops::Range<u64>, family: Family) -> [u64; 2] {
    let mut counts = [0; 2];
    for seed in seeds {
        let rules = draw(&mut Generator::new(seed), family);
        let is_safe = (1..=5).all(|members| !is_unsafe(&rules, members));
        counts[0] += u64::from(is_safe);
        let few = Settings {
            limits: Limits {
                states: Some(MOST_VIEWS),
                ..Limits::default()
            },
            ..settings(None)
        };
        let report = check_any_number(&rules, &few).expect("it is a crowd");
        let holds = report.verdict == Some(Verdict::Holds);
        assert!(is_safe || !holds, "{seed}: {rules:?}");
        if report.limit.is_some() {
            assert_eq!(report.verdict, Some(Verdict::Incomplete), "{seed}");
            continue;
        }
        counts[1] += u64::from(holds);
        let found = report.every_number.expect("it is asked for");
        assert_eq!(report.evidence, Evidence::Views);
        if holds {
            assert!(report.complete && report.counterexample.is_none());
            let mut rows = report.obligations.iter().filter(|row| row.name != "agency");
            assert!(rows.all(|row| row.verdict == Verdict::Holds));
            continue;
        }
        // What is not known is shown, and whether it is a behaviour.
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{seed}");
        let shown = report.counterexample.expect("it is shown");
        assert!(rules.asks.is_about(&shown.obligation), "{seed}: {shown:?}");
        match found.failed_with {
            Some(members) => {
                assert!(shown.reachable && is_unsafe(&rules, members), "{seed}");
                assert!(members < found.configuration_members);
            }
            None => {
                let of_simulation = shown.obligation == "simulation";
                assert!(shown.by_views && !shown.reachable);
                assert_eq!(shown.length, usize::from(of_simulation), "{seed}");
            }
        }
        let larger = found.configuration_members == 4 + rules.witnesses;
        assert!(larger || found.failed_with.is_some(), "{seed}");
    }
    counts
}

#[test]
fn what_holds_for_every_number_holds_with_few() {
    // Crowds that are safe with one to five members, and those of which all are said to be.
    assert_eq!(compare(0..5000, Family::Plain), [2255, 2249]);
}

/// The same with steps that wait for some other member.
#[test]
fn what_needs_a_witness_holds_for_every_number() {
    assert_eq!(compare(0..1000, Family::Witnesses), [456, 453]);
}

/// The same with members in a line.
#[test]
fn what_is_in_a_line_holds_for_every_number() {
    assert_eq!(compare(0..400, Family::Line), [166, 165]);
}

/// The same with tickets, of which there is no end.
#[test]
fn what_has_tickets_holds_for_every_number() {
    assert_eq!(compare(0..150, Family::Tickets), [77, 77]);
}

/// The same with all of it at once.
#[test]
fn what_has_all_of_it_holds_for_every_number() {
    assert_eq!(compare(0..100, Family::All), [51, 50]);
}

#[test]
#[ignore = "minutes"]
fn slow_what_holds_for_every_number_holds_with_few() {
    let [safe, holds] = compare(0..200_000, Family::Plain);
    println!("{holds} of {safe} hold for every number");
    assert!(
        safe > 80_000 && holds * 1000 > safe * 990,
        "{holds} of {safe}"
    );
}

/// Steps that wait for some other member without a word are found out, or make no difference.
#[test]
fn steps_that_need_others_are_found_out() {
    let mut found_out = 0;
    for seed in 0..1500 {
        let mut rules = draw(&mut Generator::new(seed), Family::Witnesses);
        rules.witnesses = 0;
        match check_any_number(&rules, &settings(None)) {
            Err(CheckError::Crowd(fault)) => {
                found_out += 1;
                match *fault {
                    CrowdFault::NeedsOthers {
                        from,
                        to,
                        witnesses,
                    } => {
                        assert_ne!(from, to);
                        assert_eq!(witnesses, 0);
                    }
                    // A step that fails needs its witness as well.
                    CrowdFault::SpeaksOfMore { obligation, .. } => {
                        assert_eq!(obligation, "simulation", "{seed}");
                    }
                    other => panic!("{seed}: {other}"),
                }
            }
            Err(other) => panic!("{seed}: {other}"),
            Ok(report) => {
                let is_safe = (1..=5).all(|members| !is_unsafe(&rules, members));
                let holds = report.verdict == Some(Verdict::Holds);
                assert!(is_safe || !holds, "{seed}: {rules:?}");
            }
        }
    }
    assert!(found_out > 150, "{found_out}");
}

const fn step(shared: [u8; 2], member: [u8; 2]) -> Move {
    Move {
        shared,
        member,
        guard: Guard::Nothing,
        ticket: Ticket::Nothing,
    }
}

const IDLE: u8 = 0;
const CRITICAL: u8 = 1;
const WAITS: u8 = 2;

fn mutual_exclusion(moves: &[Move]) -> Rules {
    Rules {
        moves: moves.to_vec(),
        initial: vec![IDLE],
        bad: Bad::Two(CRITICAL, CRITICAL),
        asks: Asks::Invariant,
        witnesses: 0,
        wrong: Wrong::Nothing,
    }
}

/// Test and set: whoever finds the shared flag down raises it.
fn test_and_set() -> Rules {
    mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        step([1, 0], [CRITICAL, IDLE]),
    ])
}

/// A lock whose flag a third member takes down while the second one waits.
fn safe_for_two() -> Rules {
    mutual_exclusion(&[
        step([0, 1], [IDLE, CRITICAL]),
        step([1, 0], [CRITICAL, IDLE]),
        step([1, 2], [IDLE, WAITS]),
        step([2, 0], [IDLE, IDLE]),
        step([0, 0], [WAITS, IDLE]),
    ])
}

/// Whoever takes a ticket waits until it is served.
fn ticket_lock() -> Rules {
    let with = |ticket, member| Move {
        ticket,
        ..step([0, 0], member)
    };
    mutual_exclusion(&[
        with(Ticket::Take, [IDLE, WAITS]),
        with(Ticket::IsServed, [WAITS, CRITICAL]),
        with(Ticket::Serve, [CRITICAL, IDLE]),
    ])
}

#[test]
fn a_lock_with_tickets_holds_for_every_number() {
    for asks in Asks::ALL {
        let rules = Rules {
            asks,
            ..ticket_lock()
        };
        let report = check_any_number(&rules, &settings(None)).expect("it is a crowd");
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        let mut unsafe_one = rules.clone();
        // Whoever waits leaves, and serves the next one.
        unsafe_one.moves[1].ticket = Ticket::Nothing;
        let report = check_any_number(&unsafe_one, &settings(None)).expect("it is a crowd");
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
    }
    // Whether a ticket is even is not a matter of differences.
    let mut even = ticket_lock();
    even.moves[1].ticket = Ticket::IsEven;
    let fault = refused(&even, 2);
    assert!(
        matches!(fault, CrowdFault::CountersMatter { .. }),
        "{fault}"
    );
}

#[test]
fn a_lock_holds_for_every_number() {
    for asks in Asks::ALL {
        let rules = Rules {
            asks,
            ..test_and_set()
        };
        let report = asked(&rules, 2).expect("it is a crowd");
        let found = report.every_number.as_ref().expect("it is asked for");
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        // The flag is down and all are idle; it is up, and one is critical, or neither of the two in the view.
        assert_eq!((found.views, found.tested_members), (3, 4));
        let text = report.to_string();
        let words = "holds for every number of members (views of 2; few kinds)\n";
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_lock_that_is_safe_for_two_never_holds() {
    for asks in Asks::ALL {
        let rules = Rules {
            asks,
            ..safe_for_two()
        };
        assert_eq!(
            [1, 2, 3].map(|members| is_unsafe(&rules, members)),
            [false, false, true]
        );
        let report = asked(&rules, 2).expect("it is a crowd");
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert!(shown.by_views, "{report}");
        assert_eq!(report.verdict, Some(Verdict::Incomplete));
        let text = report.to_string();
        assert!(
            text.contains("unknown for every number of members (views of 2; few kinds), "),
            "{text}"
        );
        assert!(text.contains("in a state that views leave"), "{text}");
        // With configurations of four, three members are few.
        let report = asked(&rules, 3).expect("it is a crowd");
        let found = report.every_number.as_ref().expect("it is asked for");
        assert_eq!(found.failed_with, Some(3));
        assert_eq!(report.verdict, Some(Verdict::Incomplete));
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert!(shown.reachable && shown.length > 1, "{report}");
        let text = report.to_string();
        assert!(
            text.contains("(views of 3; few kinds), with 3 members "),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_crowd_is_refused() {
    let wrong = |wrong| {
        let rules = Rules {
            wrong,
            ..test_and_set()
        };
        refused(&rules, 2)
    };
    assert!(matches!(wrong(Wrong::First), CrowdFault::NotAlike { .. }));
    assert!(matches!(
        wrong(Wrong::MovesTwo),
        CrowdFault::MovesSeveral { .. }
    ));
    assert!(matches!(
        wrong(Wrong::Leader),
        CrowdFault::InitialNeedsOthers { .. }
    ));
    assert!(matches!(wrong(Wrong::Index), CrowdFault::NotAlike { .. }));
    let rules = Rules {
        wrong: Wrong::Assembled,
        ..mutual_exclusion(&[step([0, 1], [IDLE, CRITICAL])])
    };
    let fault = refused(&rules, 2);
    assert!(matches!(fault, CrowdFault::OtherParts { .. }), "{fault}");
}

/// An obligation that is never false of a state that is reached is found to speak of more than is said, on states that are put together.
#[test]
fn obligations_that_speak_of_more_are_found_out() {
    for asks in Asks::ALL {
        let rules = Rules {
            asks,
            wrong: Wrong::Width,
            ..test_and_set()
        };
        let fault = refused(&rules, 2);
        assert!(
            matches!(fault, CrowdFault::SpeaksOfMore { members: 1, .. }),
            "{fault}"
        );
    }
}

/// A shared part that is forgotten would make two states one, and a lock safe that is not.
#[test]
fn parts_that_are_not_all_of_a_state_are_found_out() {
    let rules = Rules {
        wrong: Wrong::Forgotten,
        ..safe_for_two()
    };
    let fault = refused(&rules, 2);
    assert!(
        matches!(fault, CrowdFault::OtherParts { count: 2, .. }),
        "{fault}"
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let told = |rules: &Rules, size| refused(rules, size).to_string();
    let three = Rules {
        bad: Bad::Three(CRITICAL),
        ..test_and_set()
    };
    assert_eq!(
        told(&three, 1),
        "invariant:good speaks of 3 members: views of 1 do not show them"
    );
    for size in [0, 7] {
        assert_eq!(
            told(&test_and_set(), size),
            format!("views of {size} members are not searched: it takes 1 to 6")
        );
    }
    let wrong = |wrong| Rules {
        wrong,
        ..test_and_set()
    };
    assert_eq!(
        told(&wrong(Wrong::Named), 2),
        "with 1 members there are other obligations than with 3"
    );
    for (bounded, bound) in [(Wrong::Constraint, "few"), (Wrong::Bound, "two rounds")] {
        assert_eq!(
            told(&wrong(bounded), 2),
            format!("there is a bound, `{bound}`: of what lies beyond it nothing is known")
        );
    }
    let settings = |change: fn(&mut Settings<'static>)| {
        let mut settings = settings(None);
        change(&mut settings);
        let refused = check_any_number(&test_and_set(), &settings);
        refused.expect_err("it is refused").to_string()
    };
    let told = settings(|settings| settings.obligations = Selection::only(["deadlock"]));
    assert!(
        told.starts_with("deadlock cannot be decided here: of every number of members"),
        "{told}"
    );
    assert_eq!(
        settings(|settings| settings.symmetry = Symmetry::Full),
        "--symmetry is none of a check of every number of members"
    );
    let nobody = Rules {
        initial: Vec::new(),
        ..test_and_set()
    };
    let report = asked(&nobody, 2).expect("it is asked");
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
}

/// Neither a limit nor a panic ends in `holds`, and an invariant that says nothing is told.
#[test]
fn what_is_not_known_does_not_hold() {
    let limited = Settings {
        limits: Limits {
            states: Some(1),
            ..Limits::default()
        },
        ..settings(Some(2))
    };
    let report = check_any_number(&test_and_set(), &limited).expect("it is a crowd");
    assert_eq!(report.limit, Some(Limit::States(1)));
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    let rules = |wrong| Rules {
        wrong,
        ..test_and_set()
    };
    let report = asked(&rules(Wrong::Premise), 2).expect("it is a crowd");
    assert_eq!(report.unexercised, ["premise:good"]);
    let report = asked(&rules(Wrong::Panics), 2).expect("it is a crowd");
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
    let model = report.obligation("model").expect("it is told");
    assert!(
        model.counterexamples[0]
            .explanation
            .contains("all are idle"),
        "{report}"
    );
    // Of one that was not looked for to the end, all is told that fails.
    let all = Settings {
        until: Until::End,
        ..settings(Some(2))
    };
    let report = check_any_number(&safe_for_two(), &all).expect("it is a crowd");
    assert!(report.complete);
    assert_eq!(report.verdict, Some(Verdict::Incomplete));
}
