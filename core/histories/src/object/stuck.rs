//! Calls that never return: whether the specification permits that they wait.
//!
//! Source: Burckhardt, Dern, Musuvathi & Tan, *Line-Up: A Complete and Automatic Linearizability Checker*, PLDI 2010, section 2.3: a
//! stuck history is linearizable if after its complete calls each pending one is blocked.

use refmap::{StateOf, successor};
use serde::{Deserialize, Serialize};

use super::judge::timed;
use super::kind::Run;
use crate::{Effect, Event, Happening, NoSuch, Observed};

/// Event of a run in which threads wait for ever.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Seen<E> {
    /// A call that has returned.
    Returned(E),
    /// A call that never does: it is possible where no answer is.
    Waits(E),
}

/// Adapter of a specification for calls that wait.
struct Waiting<'a, S>(&'a S);

impl<S: Observed> Observed for Waiting<'_, S> {
    type Specification = S::Specification;
    type Event = Seen<S::Event>;

    fn specification(&self) -> &S::Specification {
        self.0.specification()
    }

    fn shows(
        &self,
        from: &StateOf<S::Specification>,
        happening: &Happening<'_, Self::Event>,
        visit: &mut impl FnMut(Option<refmap::ActionOf<S::Specification>>),
    ) {
        let of = |event: &Self::Event| match event {
            Seen::Returned(event) | Seen::Waits(event) => event.clone(),
        };
        let event = of(happening.event);
        let pending: Vec<_> = happening.pending.iter().copied().map(of).collect();
        let pending: Vec<_> = pending.iter().collect();
        let inner = Happening {
            thread: happening.thread,
            place: happening.place,
            event: &event,
            pending: &pending,
        };
        match happening.event {
            Seen::Returned(_) => self.0.shows(from, &inner, visit),
            Seen::Waits(_) => {
                let mut can_return = false;
                self.0.shows(from, &inner, &mut |action| {
                    can_return |= action.is_none_or(|action| {
                        successor(self.specification(), from, &action).is_some()
                    });
                });
                if !can_return {
                    visit(None);
                }
            }
        }
    }

    fn internal(
        &self,
        from: &StateOf<S::Specification>,
        visit: &mut impl FnMut(refmap::ActionOf<S::Specification>),
    ) {
        self.0.internal(from, visit);
    }

    fn effect(&self, event: &Self::Event) -> Effect {
        match event {
            Seen::Returned(event) => self.0.effect(event),
            Seen::Waits(_) => Effect::Within,
        }
    }

    fn check(&self, event: &Self::Event) -> Result<(), NoSuch> {
        match event {
            Seen::Returned(event) | Seen::Waits(event) => self.0.check(event),
        }
    }
}

/// True if the specification permits that the calls of a run that have not returned never do.
pub(super) fn is_permitted<S: Observed>(
    specification: &S,
    run: Run,
    events: &[Event<S::Event>],
) -> bool {
    let events: Vec<_> = events.iter().map(|event| timed(run, event)).collect();
    let last = events
        .iter()
        .map(|event| event.end.unwrap_or(event.begin))
        .max();
    let after = last.map_or(0, |last| last + 1);
    let of = |event: &Event<S::Event>, begin, end, seen: fn(S::Event) -> Seen<S::Event>| Event {
        thread: event.thread,
        place: event.place,
        begin,
        end: Some(end),
        event: event.event.clone().map(seen),
    };
    let returned = events.iter().filter_map(|event| {
        let end = event.end?;
        Some(of(event, event.begin, end, Seen::Returned))
    });
    let waiting = events.iter().filter(|event| event.end.is_none());
    // All of them wait in the state after the last call that has returned.
    let waiting = waiting.map(|event| of(event, after, after + 1, Seen::Waits));
    let events = crate::Ordered::of(returned.chain(waiting));
    crate::validate(&Waiting(specification), events, &crate::Settings::default())
        .is_ok_and(|validation| matches!(validation.outcome, crate::Outcome::Behaviour))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specifications::Answer;
    use crate::specifications::rw_lock::{Call, RwLock};
    use crate::specifications::{Called, Operations};

    /// Threads wait as they may if each of them does, whichever has begun first.
    #[test]
    fn each_call_that_waits_is_asked_for() {
        let permits = |held: Call, waiting: &[Call]| {
            let specification = Operations(RwLock { owners: 4 });
            let event = |(thread, call): (u32, Call), end| {
                let answer = (end == Some(1)).then_some(Answer::Nothing);
                Event {
                    thread,
                    place: 0,
                    begin: u64::from(thread) * 2,
                    end,
                    event: Some(Called { call, answer }),
                }
            };
            let mut events = vec![event((0, held), Some(1))];
            let waiting = (1..).zip(waiting.iter().copied());
            events.extend(waiting.map(|waiting| event(waiting, None)));
            is_permitted(&specification, Run::Schedules, &events)
        };
        let (write, read) = (Call::Write, Call::Read);
        assert!(permits(Call::Write(0), &[write(1), read(2), write(3)]));
        assert!(permits(Call::Read(0), &[write(1), write(2)]));
        assert!(!permits(Call::Read(0), &[read(1), write(2)]));
        assert!(!permits(Call::Read(0), &[write(1), read(2)]));
        assert!(!permits(Call::Read(0), &[write(1), write(2), read(3)]));
    }
}
