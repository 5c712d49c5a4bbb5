//! Generator of random histories: valid ones, by running the specification under random threads, and corruptions of
//! them.

use refmap::random::Generator;
use refmap::{TransitionSystem, successor};
use refmap_histories::{Effect, Event, Happening, Observed};

use super::event_in;
use super::heap::{Deed, Heap, OBJECTS};
use super::memory::{Access, Buffers, ObservedMemory};
use super::queue::{Queue, Result, Use};

/// Adapter for which random histories can be generated.
pub trait Subject: Observed {
    /// Any event, possible or not.
    fn any(&self, random: &mut Generator) -> Self::Event;
    /// The event with another value, if it has one.
    fn with_another_value(&self, event: &Self::Event) -> Option<Self::Event>;
    /// The event without its value, if it has one.
    fn without_value(&self, _event: &Self::Event) -> Option<Self::Event> {
        None
    }
    /// An event that frees an object which is reachable after `history`, if the subject has such an event.
    fn free_live(&self, _history: &[Event<Self::Event>]) -> Option<Self::Event> {
        None
    }
}

macro_rules! subjects {
    ($($memory:ty),+) => {
        $(impl Subject for $memory {
            fn any(&self, random: &mut Generator) -> Access {
                let cell = random.below(2);
                let (one, other) = (random.below(3) as u8, random.below(3) as u8);
                match random.below(8) {
                    0..3 => Access::Store { cell, value: one },
                    3..6 => Access::load(cell, one),
                    6 => Access::Fence,
                    _ => Access::Swap {
                        cell,
                        old: one,
                        new: other,
                    },
                }
            }

            fn with_another_value(&self, access: &Access) -> Option<Access> {
                match *access {
                    Access::Load {
                        cell,
                        value: Some(value),
                    } => Some(Access::load(cell, (value + 1) % 3)),
                    Access::Swap { cell, old, new } => Some(Access::Swap {
                        cell,
                        old: (old + 1) % 3,
                        new,
                    }),
                    _ => None,
                }
            }

            fn without_value(&self, access: &Access) -> Option<Access> {
                match *access {
                    Access::Load { cell, .. } => Some(Access::Load { cell, value: None }),
                    _ => None,
                }
            }
        })+
    };
}
subjects!(ObservedMemory, Buffers);

impl Subject for Queue {
    fn any(&self, random: &mut Generator) -> Use {
        let value = random.below(4) as u8;
        match random.below(5) {
            0..2 => Use::Put(value),
            2 => Use::Take(Result::Empty),
            _ => Use::Take(Result::Value(value)),
        }
    }

    fn with_another_value(&self, event: &Use) -> Option<Use> {
        match event {
            Use::Take(Result::Value(value)) => Some(Use::Take(Result::Value((value + 1) % 4))),
            _ => None,
        }
    }

    fn without_value(&self, event: &Use) -> Option<Use> {
        matches!(event, Use::Take(_)).then_some(Use::Take(Result::Unrecorded))
    }
}

impl Subject for Heap {
    fn any(&self, random: &mut Generator) -> Deed {
        let object = random.below(OBJECTS);
        let to = [None, Some(0), Some(1), Some(2)][random.below(4)];
        match random.below(10) {
            0..3 => Deed::Alloc { object },
            3 => Deed::Discard { object },
            4..6 => Deed::Store { object, to },
            6..9 => Deed::Load { object, to },
            _ => Deed::Free { object },
        }
    }

    fn with_another_value(&self, deed: &Deed) -> Option<Deed> {
        match *deed {
            Deed::Load { object, to: None } => Some(Deed::Load {
                object,
                to: Some(0),
            }),
            Deed::Load { object, .. } => Some(Deed::Load { object, to: None }),
            _ => None,
        }
    }

    fn free_live(&self, history: &[Event<Deed>]) -> Option<Deed> {
        let roots = |object| {
            let deeds = history.iter().filter_map(|event| event.event.as_ref());
            deeds.fold(false, |root, deed| match *deed {
                Deed::Alloc { object: of } if of == object => true,
                Deed::Discard { object: of } if of == object => false,
                _ => root,
            })
        };
        let live = (0..OBJECTS).find(|object| roots(*object));
        live.map(|object| Deed::Free { object })
    }
}

/// Number of threads and events.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub threads: usize,
    pub events: usize,
}

/// Records a run of the specification under random threads; `None` if a delayed event cannot take effect when its
/// turn comes.
pub fn history<S: Subject>(
    subject: &S,
    random: &mut Generator,
    size: Size,
) -> Option<Vec<Event<S::Event>>> {
    let specification = subject.specification();
    let mut state = None;
    specification.initial(&mut |initial| state = Some(initial));
    let mut state = state?;
    let mut threads: Vec<Thread<S::Event>> = (0..size.threads).map(|_| Thread::default()).collect();
    let mut history: Vec<Event<S::Event>> = Vec::new();
    let mut time = 0;
    let mut begun = 0;
    loop {
        let busy = threads
            .iter()
            .any(|thread| thread.under_way.is_some() || !thread.pending.is_empty());
        if begun == size.events && !busy {
            history.sort_by_key(|event| event.begin);
            return Some(history);
        }
        time += random.below(3) as u64;
        let mut moves = Vec::new();
        subject.internal(&state, &mut |action| moves.push(action));
        if !moves.is_empty() && random.below(3) == 0 {
            let action = &moves[random.below(moves.len())];
            state = successor(specification, &state, action)?;
            continue;
        }
        let number = random.below(size.threads);
        let thread = &mut threads[number];
        if !thread.pending.is_empty() && random.below(2) == 0 {
            let event = thread.pending.remove(0);
            let happening = Happening {
                thread: number as u32,
                place: 0,
                event: &event,
                pending: &[],
            };
            state = after(subject, &state, &happening)?;
            continue;
        }
        match thread.under_way.take() {
            None if begun < size.events => {
                thread.under_way = Some((time, None));
                begun += 1;
            }
            None => (),
            Some((begin, None)) => {
                let pending: Vec<_> = thread.pending.iter().collect();
                let mut found = None;
                for _ in 0..40 {
                    let event = subject.any(random);
                    let effect = subject.effect(&event);
                    if effect == Effect::Delayed {
                        found = Some((event, None));
                        break;
                    }
                    if effect == Effect::Draining && !pending.is_empty() {
                        continue;
                    }
                    let happening = Happening {
                        thread: number as u32,
                        place: thread.place,
                        event: &event,
                        pending: &pending,
                    };
                    if let Some(to) = after(subject, &state, &happening) {
                        found = Some((event, Some(to)));
                        break;
                    }
                }
                let (event, to) = found?;
                match to {
                    Some(to) => state = to,
                    None => thread.pending.push(event.clone()),
                }
                thread.under_way = Some((begin, Some(event)));
            }
            Some((begin, Some(event))) => {
                history.push(event_in(number as u32, thread.place, begin..=time, event));
                thread.place += 1;
            }
        }
    }
}

struct Thread<E> {
    place: u64,
    /// Start time of the event under way, and the event once it has taken place.
    under_way: Option<(u64, Option<E>)>,
    pending: Vec<E>,
}

impl<E> Default for Thread<E> {
    fn default() -> Self {
        Self {
            place: 0,
            under_way: None,
            pending: Vec::new(),
        }
    }
}

type State<S> = <<S as Observed>::Specification as TransitionSystem>::State;

fn after<S: Subject>(
    subject: &S,
    state: &State<S>,
    happening: &Happening<'_, S::Event>,
) -> Option<State<S>> {
    let mut to = None;
    subject.shows(state, happening, &mut |action| {
        to = to.take().or(match action {
            None => Some(state.clone()),
            Some(action) => successor(subject.specification(), state, &action),
        });
    });
    to
}

/// Kind of corruption of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    DropEvent,
    SwapTwo,
    ChangeValue,
    FreeLive,
}

impl Corruption {
    pub const ALL: [Self; 4] = [
        Self::DropEvent,
        Self::SwapTwo,
        Self::ChangeValue,
        Self::FreeLive,
    ];

    /// The corrupted history; `None` if this kind does not apply.
    pub fn spoil<S: Subject>(
        self,
        subject: &S,
        history: &[Event<S::Event>],
        random: &mut Generator,
    ) -> Option<Vec<Event<S::Event>>> {
        let mut spoilt = history.to_vec();
        let at = random.below(history.len());
        match self {
            Self::DropEvent => {
                let dropped = spoilt.remove(at);
                for event in &mut spoilt {
                    if event.thread == dropped.thread && event.place > dropped.place {
                        event.place -= 1;
                    }
                }
            }
            Self::SwapTwo => {
                let other = random.below(history.len());
                if at == other {
                    return None;
                }
                spoilt[at].event = history[other].event.clone();
                spoilt[other].event = history[at].event.clone();
            }
            Self::ChangeValue => {
                let event = history[at].event.as_ref()?;
                spoilt[at].event = Some(subject.with_another_value(event)?);
            }
            Self::FreeLive => {
                let time = history.iter().filter_map(|event| event.end).max()? + 1;
                spoilt.push(event_in(
                    history.iter().map(|event| event.thread).max()? + 1,
                    0,
                    time..=time,
                    subject.free_live(history)?,
                ));
            }
        }
        Some(spoilt)
    }
}

/// Kind of loss of recorded information, which preserves validity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    End,
    Value,
    Event,
}

impl Loss {
    pub const ALL: [Self; 3] = [Self::End, Self::Value, Self::Event];

    pub fn lose<S: Subject>(
        self,
        subject: &S,
        history: &[Event<S::Event>],
        random: &mut Generator,
    ) -> Option<Vec<Event<S::Event>>> {
        let mut partial = history.to_vec();
        let at = random.below(history.len());
        let event = &mut partial[at];
        match self {
            Self::End => {
                let (thread, place) = (event.thread, event.place);
                let mut later = history.iter();
                if later.any(|other| other.thread == thread && other.place > place) {
                    return None;
                }
                event.end = None;
            }
            Self::Value => {
                event.event = Some(subject.without_value(event.event.as_ref()?)?);
            }
            Self::Event => event.event = None,
        }
        Some(partial)
    }
}
