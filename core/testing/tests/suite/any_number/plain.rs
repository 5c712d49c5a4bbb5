//! The plainest meaning of a group: a state is a list of members with numbers, and what a step asks of them is counted.

use std::collections::{HashSet, VecDeque};

use refmap::TransitionSystem;
use refmap::crowd::Crowd;
use refmap::internal::CrowdState;

use super::group::{Bad, Guard, Member, Move, Name, Rules, Shared, Ticket};

/// A state of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Plain {
    place: u8,
    /// Number of the member whose name is kept.
    name: Option<usize>,
    next: u64,
    serving: u64,
    /// Kind and ticket of each.
    members: Vec<(u8, Option<u64>)>,
}

fn initial<const IN_LINE: bool>(rules: &Rules<IN_LINE>, members: usize) -> Vec<Plain> {
    let kinds = &rules.initial;
    let all = (0..kinds.len().pow(members as u32)).map(|number| {
        let kind = |place: u32| kinds[number / kinds.len().pow(place) % kinds.len()];
        Plain {
            place: 0,
            name: None,
            next: 0,
            serving: 0,
            members: (0..members as u32)
                .map(|place| (kind(place), None))
                .collect(),
        }
    });
    all.collect()
}

/// The targets of a step of a member.
fn targets(step: &Move, me: usize, from: &Plain) -> Vec<Plain> {
    let others = |is_of: &dyn Fn(usize) -> bool, kind: u8| {
        let others = from.members.iter().enumerate();
        let others = others.filter(|(place, one)| *place != me && is_of(*place) && one.0 == kind);
        others.count()
    };
    let all = |kind| others(&|_| true, kind);
    let is_enabled = match step.guard {
        Guard::Nothing => true,
        Guard::None(kind) => all(kind) == 0,
        Guard::Some(kind) => all(kind) > 0,
        Guard::Each(kinds) => kinds.iter().all(|kind| all(*kind) > 0),
        Guard::NoneBefore(kind) => others(&|place| place < me, kind) == 0,
        Guard::SomeBefore(kind) => others(&|place| place < me, kind) > 0,
        Guard::SomeBehind(kind) => others(&|place| place > me, kind) > 0,
    };
    if !is_enabled || from.place != step.shared[0] || from.members[me].0 != step.member[0] {
        return Vec::new();
    }
    let mut to = from.clone();
    to.place = step.shared[1];
    to.members[me].0 = step.member[1];
    let ticket = from.members[me].1;
    let is_served = ticket == Some(from.serving);
    match step.ticket {
        Ticket::Nothing => (),
        Ticket::Take => {
            to.members[me].1 = Some(from.next);
            to.next += 1;
        }
        Ticket::IsServed if !is_served => return Vec::new(),
        Ticket::Serve if !is_served => return Vec::new(),
        Ticket::IsServed => (),
        Ticket::Serve => {
            to.members[me].1 = None;
            to.serving += 1;
        }
        Ticket::IsEven if ticket.is_none_or(|ticket| ticket % 2 == 1) => return Vec::new(),
        Ticket::IsEven => (),
        Ticket::Skip => to.next += 1,
        Ticket::Advance(more) => to.serving += more,
        Ticket::IsLeast => {
            let Some(mine) = ticket else {
                return Vec::new();
            };
            let mut others = from.members.iter().enumerate();
            if others.any(|(place, one)| place != me && one.1.is_some_and(|one| one < mine)) {
                return Vec::new();
            }
        }
    }
    let mut all = Vec::new();
    match step.name {
        Name::IsMe if from.name != Some(me) => return Vec::new(),
        Name::IsNotMe if from.name == Some(me) => return Vec::new(),
        Name::Nothing | Name::IsMe | Name::IsNotMe => all.push(to),
        Name::Take => {
            to.name = Some(me);
            all.push(to);
        }
        Name::Forget => {
            to.name = None;
            all.push(to);
        }
        Name::Choose(kind) => {
            for (place, one) in from.members.iter().enumerate() {
                if place != me && one.0 == kind {
                    to.name = Some(place);
                    all.push(to.clone());
                }
            }
        }
    }
    if let Some([before, after]) = step.others {
        for to in &mut all {
            for (place, one) in to.members.iter_mut().enumerate() {
                if place != me && one.0 == before {
                    one.0 = after;
                }
            }
        }
    }
    all
}

impl Bad {
    fn is(self, state: &Plain) -> bool {
        let count = |kind| state.members.iter().filter(|one| one.0 == kind).count();
        match self {
            Self::One(place, kind) => state.place == place && count(kind) > 0,
            Self::Two(one, other) if one == other => count(one) > 1,
            Self::Two(one, other) => count(one) > 0 && count(other) > 0,
            Self::Many(kind, members) => count(kind) >= members,
            Self::Nameless(kind) => {
                let mut members = state.members.iter().enumerate();
                members.any(|(number, one)| one.0 == kind && state.name != Some(number))
            }
        }
    }
}

/// States of an instance that the plainest search looks at.
pub const MOST_SEARCHED: usize = 3000;

/// True if a bad state is reached with so many members, and all that were looked at.
pub fn search<const IN_LINE: bool>(
    rules: &Rules<IN_LINE>,
    members: usize,
) -> (bool, HashSet<Plain>) {
    let mut seen = HashSet::new();
    let mut left: VecDeque<_> = initial(rules, members).into();
    while let Some(state) = left.pop_front() {
        if rules.bad.is(&state) {
            return (true, seen);
        }
        // Tickets may grow for ever.
        if seen.len() < MOST_SEARCHED && seen.insert(state.clone()) {
            for step in &rules.moves {
                for me in 0..members {
                    left.extend(targets(step, me, &state));
                }
            }
        }
    }
    (false, seen)
}

/// True if a bad state is reached with so many members.
pub fn is_unsafe<const IN_LINE: bool>(rules: &Rules<IN_LINE>, members: usize) -> bool {
    search(rules, members).0
}

/// States, members and tickets as their JSON has them.
fn plain(state: &CrowdState<Shared, Member>) -> Plain {
    let number = |value: &serde_json::Value| value.as_u64();
    let shared = serde_json::to_value(&state.shared).expect("it is JSON");
    let members = state.members.iter().map(|member| {
        let member = serde_json::to_value(member).expect("it is JSON");
        (
            number(&member["kind"]).expect("it has a kind") as u8,
            number(&member["ticket"]),
        )
    });
    Plain {
        place: state.shared.place,
        name: number(&shared["name"]).map(|name| name as usize),
        next: number(&shared["tickets"][0]).unwrap_or(0),
        serving: number(&shared["tickets"][1]).unwrap_or(0),
        members: members.collect(),
    }
}

/// The instance with so many members is the plainest one, as far as that was searched.
pub fn assert_instance<const IN_LINE: bool>(rules: &Rules<IN_LINE>, members: usize) -> usize {
    let (is_unsafe, all) = search(rules, members);
    let is_whole = !is_unsafe && all.len() < MOST_SEARCHED;
    let instance = Crowd::of(rules, members);
    let mut seen = HashSet::new();
    let mut left = VecDeque::new();
    instance.initial(&mut |state| left.push_back(state));
    while let Some(state) = left.pop_front() {
        if all.contains(&plain(&state)) && seen.insert(plain(&state)) {
            let mut tos: Vec<Plain> = Vec::new();
            instance.next(&state, &mut |step, to| {
                tos.push(plain(to));
                let mut again = state.clone();
                assert_eq!(instance.fire(&step, &mut again), Some(()), "{step:?}");
                assert_eq!(again, *to, "{step:?}");
                left.push_back(to.clone());
            });
            let members = 0..members;
            let moves = rules.moves.iter();
            let moves = moves.flat_map(|step| members.clone().map(move |me| (step, me)));
            let mut expected: Vec<_> = moves
                .flat_map(|(step, me)| targets(step, me, &plain(&state)))
                .collect();
            tos.sort_unstable();
            expected.sort_unstable();
            assert_eq!(tos, expected, "{state:?}");
        }
    }
    assert!(!is_whole || seen == all, "{rules:?}");
    seen.len()
}
