//! Members that take tickets, hold a thing, and name each other, by random rules; and permutations and shifts of their states, by hand.

use std::hash::{BuildHasher, RandomState};

use refmap::random::Generator;
use refmap::{Action, Constraint, Counter, Distance, Invariant, State, TransitionSystem};
use refmap_testing::{Mapped, alike};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
pub struct Member {
    pub place: u8,
    pub ticket: Option<Ticket>,
    pub seen: Epoch,
    #[state(member)]
    pub friend: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
pub struct World {
    pub mode: u8,
    #[state(member)]
    pub holder: Option<u8>,
    #[state(member)]
    pub waiting: Vec<u8>,
    pub next: Ticket,
    pub serving: Ticket,
    pub epoch: Epoch,
    #[state(symmetric)]
    pub members: Vec<Member>,
    #[state(symmetric)]
    pub flags: Vec<bool>,
    #[state(symmetric, member)]
    pub chosen: Vec<u8>,
}

/// Effect of a step beside that on the place of the member and the mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Nothing,
    Take,
    Serve,
    Hold,
    Release,
    Befriend,
    Choose,
    Flag,
    Wait,
    Wake,
    Bump,
    See,
}

const EFFECTS: [Effect; 12] = [
    Effect::Nothing,
    Effect::Take,
    Effect::Serve,
    Effect::Hold,
    Effect::Release,
    Effect::Befriend,
    Effect::Choose,
    Effect::Flag,
    Effect::Wait,
    Effect::Wake,
    Effect::Bump,
    Effect::See,
];

#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub place: [u8; 2],
    pub mode: [u8; 2],
    pub effect: Effect,
}

/// Something that depends on a name itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    Nothing,
    /// The first member is barred.
    First,
    /// The last member is, where it names itself.
    ItsOwnNumber,
    /// Every second ticket is not given, as its text says.
    Odd,
    /// One ticket is not given, which is counted from the first one.
    Third,
    /// Tickets begin anew.
    Anew,
    /// The epoch ends, as its hash says.
    Epoch,
    /// An invariant of one member,
    InvariantOfOne,
    /// and one of a ticket.
    InvariantOfTicket,
    /// The number of a member is shown.
    Shown,
    /// A number is not told to be one of a member.
    Action,
    /// A constraint on a counter.
    Constraint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "member")]
pub enum Step {
    Moves {
        #[process]
        member: u8,
        rule: u8,
    },
    Names {
        #[process]
        member: u8,
        #[member]
        other: Option<u8>,
        rule: u8,
    },
    Takes {
        #[process]
        member: u8,
        #[counter]
        ticket: Ticket,
        rule: u8,
    },
    #[rule(process = "other")]
    Untold {
        #[process(fixed)]
        member: u8,
        rule: u8,
    },
}

#[derive(Clone, Debug)]
pub struct Members {
    pub count: u8,
    pub moves: Vec<Move>,
    pub wrong: Wrong,
    /// Ticket with which it begins.
    pub begin: u64,
    pub is_bounded: bool,
    /// Most members at a place, and the place.
    pub most: (usize, u8),
}

/// Tickets that are out at once, and epochs that are not seen.
const AHEAD: u64 = 2;
type Ticket = Counter<AHEAD>;
type Epoch = Counter<AHEAD, 1>;

/// The ticket after so many.
fn after(steps: u64) -> Ticket {
    (0..steps).fold(Ticket::START, |ticket, _| ticket.next())
}

impl Members {
    pub fn draw(seed: u64) -> Self {
        let generator = &mut Generator::new(seed);
        let mut below = |count: usize| generator.below(count) as u8;
        let count = 2 + below(2);
        let moves = (0..4 + below(5)).map(|_| Move {
            place: [below(2), below(3)],
            mode: if below(3) == 0 {
                [below(2), below(2)]
            } else {
                [0, 0]
            },
            effect: EFFECTS[usize::from(below(EFFECTS.len()))],
        });
        Self {
            count,
            moves: moves.collect(),
            wrong: Wrong::Nothing,
            begin: 0,
            is_bounded: below(3) == 0,
            most: (1 + usize::from(below(2)), 1 + below(2)),
        }
    }

    pub fn state(&self) -> World {
        let count = usize::from(self.count);
        World {
            mode: 0,
            holder: None,
            waiting: Vec::new(),
            next: after(self.begin),
            serving: after(self.begin),
            epoch: Epoch::START,
            members: vec![
                Member {
                    place: 0,
                    ticket: None,
                    seen: Epoch::START,
                    friend: None,
                };
                count
            ],
            flags: vec![false; count],
            chosen: (0..self.count).collect(),
        }
    }

    fn is_barred(&self, from: &World, member: u8, effect: Effect) -> bool {
        match self.wrong {
            Wrong::First => member == 0,
            Wrong::ItsOwnNumber => from.chosen[usize::from(member)] == 1,
            Wrong::Odd => effect == Effect::Take && from.next.to_string().ends_with('1'),
            Wrong::Third => effect == Effect::Take && from.next == after(3),
            Wrong::Epoch => effect == Effect::Bump && RandomState::new().hash_one(from.epoch) == 7,
            _ => false,
        }
    }
}

impl TransitionSystem for Members {
    type State = World;
    type Action = Step;
    type Observation = (u8, usize);

    fn initial(&self, visit: &mut impl FnMut(World)) {
        visit(self.state());
    }

    fn candidates(&self, from: &World, visit: &mut impl FnMut(Step)) {
        for ((rule, one), member) in (0..)
            .zip(&self.moves)
            .flat_map(|one| (0..self.count).map(move |m| (one, m)))
        {
            match one.effect {
                Effect::Befriend | Effect::Choose => (0..self.count).for_each(|other| {
                    visit(Step::Names {
                        member,
                        other: Some(other),
                        rule,
                    });
                }),
                _ if self.wrong == Wrong::Action => visit(Step::Untold { member, rule }),
                Effect::Take => visit(Step::Takes {
                    member,
                    ticket: from.next,
                    rule,
                }),
                _ => visit(Step::Moves { member, rule }),
            }
        }
    }

    fn fire(&self, step: &Step, world: &mut World) -> Option<()> {
        let (member, other, rule) = match *step {
            Step::Takes { ticket, .. } if ticket != world.next => return None,
            Step::Moves { member, rule }
            | Step::Takes { member, rule, .. }
            | Step::Untold { member, rule } => (member, None, rule),
            Step::Names {
                member,
                other,
                rule,
            } => (member, other, rule),
        };
        let Move {
            place,
            mode,
            effect,
        } = self.moves[usize::from(rule)];
        let at = usize::from(member);
        let is_there = world.members[at].place == place[0] && world.mode == mode[0];
        if !is_there || self.is_barred(world, member, effect) {
            return None;
        }
        let seen = world.members.iter().map(|one| one.seen).min()?;
        let me = &mut world.members[at];
        me.place = place[1];
        world.mode = mode[1];
        match effect {
            Effect::Nothing => (),
            Effect::Take
                if me.ticket.is_some()
                    || world.next.ahead(world.serving) >= Distance::Exactly(AHEAD) =>
            {
                return None;
            }
            Effect::Take => {
                me.ticket = Some(world.next);
                world.next = match self.wrong {
                    Wrong::Anew => Ticket::START,
                    _ => world.next.next(),
                };
            }
            Effect::Serve => {
                (me.ticket.take()? == world.serving).then_some(())?;
                world.serving = world.serving.next();
            }
            Effect::Hold => world.holder.replace(member).is_none().then_some(())?,
            Effect::Release => (world.holder.take()? == member).then_some(())?,
            Effect::Befriend => me.friend = other,
            Effect::Choose => world.chosen[at] = other?,
            Effect::Flag => world.flags[at] ^= true,
            Effect::Wait => {
                (!world.waiting.contains(&member)).then(|| world.waiting.push(member))?;
            }
            Effect::Wake => {
                (*world.waiting.first()? == member).then(|| world.waiting.remove(0))?;
            }
            Effect::Bump => {
                (world.epoch.ahead(seen) < Distance::Exactly(AHEAD)).then_some(())?;
                world.epoch = world.epoch.next();
            }
            Effect::See => me.seen = world.epoch,
        }
        Some(())
    }

    fn observe(&self, state: &World) -> (u8, usize) {
        let shown = match self.wrong {
            Wrong::Shown => usize::from(state.members[0].place),
            _ => state.flags.iter().filter(|flag| **flag).count(),
        };
        (state.mode, shown)
    }

    fn may_stop(&self, state: &World) -> bool {
        state.mode == 1
    }
}

/// Members that are members.
pub type Themselves = Mapped<Members, Members>;

pub fn themselves(members: &Members) -> Themselves {
    let wrong = members.wrong;
    let specification = Members {
        wrong: match wrong {
            Wrong::Shown | Wrong::InvariantOfOne => Wrong::Nothing,
            other => other,
        },
        ..members.clone()
    };
    let mut themselves = alike(members.clone(), specification);
    let (most, place) = members.most;
    let few = move |state: &World| {
        let there = state.members.iter().filter(|one| one.place == place);
        there.count() <= most
    };
    let apart = |state: &World| {
        let friends = state.members.iter().filter_map(|one| one.friend);
        friends.clone().all(|friend| Some(friend) != state.holder)
    };
    let absolute = move |state: &World| match wrong {
        Wrong::InvariantOfOne => state.members[0].place == 0,
        Wrong::InvariantOfTicket => state.next != after(9),
        _ => state.serving <= state.next,
    };
    themselves.invariants = vec![
        Invariant::new("few", "a test", few),
        Invariant::new("apart", "a test", apart),
        Invariant::new("absolute", "a test", absolute),
    ];
    let within = move |state: &World| match wrong {
        Wrong::Constraint => state.next < after(12),
        _ => state.waiting.len() < 2,
    };
    let is_bounded = members.is_bounded || wrong == Wrong::Constraint;
    themselves.constraint = is_bounded.then(|| Constraint::new("few wait", within));
    themselves
}

/// A state with its members exchanged, by hand.
pub fn permuted(by: &[u8], state: &World) -> World {
    let to = |member: u8| by[usize::from(member)];
    let mut permuted = state.clone();
    permuted.holder = state.holder.map(to);
    permuted.waiting = state.waiting.iter().map(|one| to(*one)).collect();
    for (at, member) in state.members.iter().enumerate() {
        let place = usize::from(by[at]);
        permuted.members[place] = Member {
            friend: member.friend.map(to),
            ..member.clone()
        };
        permuted.flags[place] = state.flags[at];
        permuted.chosen[place] = to(state.chosen[at]);
    }
    permuted
}

/// A state with its counters shifted down, by hand.
pub fn normal(state: &World) -> World {
    let mut normal = state.clone();
    let tickets = state.members.iter().filter_map(|one| one.ticket);
    let least = tickets.chain([state.next, state.serving]).min();
    let seen = state.members.iter().map(|one| one.seen);
    let least_seen = seen.chain([state.epoch]).min();
    fn down<const GROUP: u8>(
        counter: Counter<AHEAD, GROUP>,
        least: Option<Counter<AHEAD, GROUP>>,
    ) -> Counter<AHEAD, GROUP> {
        let mut at = least.expect("there is one");
        let mut down = Counter::START;
        while at < counter {
            (at, down) = (at.next(), down.next());
        }
        down
    }
    let down_ticket = |ticket| down(ticket, least);
    let seen_down = |seen| down(seen, least_seen);
    normal.next = down_ticket(state.next);
    normal.serving = down_ticket(state.serving);
    normal.epoch = seen_down(state.epoch);
    for member in &mut normal.members {
        member.ticket = member.ticket.map(down_ticket);
        member.seen = seen_down(member.seen);
    }
    normal
}

/// All permutations of so many, the one that exchanges nothing first.
pub fn permutations(count: u8) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |one: &Vec<u8>| -> Vec<Vec<u8>> {
            let others = (0..count).filter(|other| !one.contains(other));
            others.map(|other| [&one[..], &[other]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
