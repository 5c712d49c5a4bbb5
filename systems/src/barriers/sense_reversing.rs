//! A barrier that reverses its sense: the last thread that arrives in a round lets all go by turning a flag, which is not turned back until the next round.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 3.1: the
//! sense-reversing centralized barrier, after Hensgen, Finkel & Manber 1988.
//!
//! Deviations. D1: instead of a count that it decrements, a thread looks in the step in which it arrives whether any other has not.

use refmap::crowd::{Crowd, Others};
use refmap::{Counter, guard};
use serde::Serialize;

/// The barrier.
#[derive(Clone, Copy, Debug)]
pub struct SenseReversing {
    /// Use that is made of senses.
    pub senses: Senses,
}

/// Use that is made of senses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Senses {
    /// As published: each thread reverses its own one when it arrives, and the last one that of all.
    Reversed,
    /// No thread reverses its own one. Wrong: a thread leaves as soon as it arrives.
    Kept,
    /// There is none of all: a thread waits for the own ones of all others (`sense_rev_N` of Cubicle-W). Wrong: it is safe, and stops, since one that is fast
    /// reverses its own one again before the others have seen it.
    OfEach,
}

/// Place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// Before the barrier.
    Works,
    /// At the barrier, it waits.
    Waits,
    /// At the barrier, it is the last one, and is to let all go.
    LetsGo,
}

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Thread {
    /// Its place.
    pub at: Label,
    /// Its own sense.
    pub local_sense: bool,
    /// Ghost: the round in which it is. No guard reads it.
    pub round: Counter,
}

/// The shared part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Shared {
    /// The sense of all.
    pub sense: bool,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
pub enum Action {
    /// It arrives, and others have not.
    #[rule(source = "central_barrier, local_sense := not local_sense; fetch_and_decrement > 1")]
    Arrive,
    #[rule(source = "central_barrier, local_sense := not local_sense; fetch_and_decrement = 1")]
    ArriveLast,
    /// It lets all go, and goes.
    #[rule(source = "central_barrier, sense := local_sense")]
    LetGo,
    /// It goes.
    #[rule(source = "central_barrier, repeat until sense = local_sense")]
    Leave,
}

impl Thread {
    /// It goes from the barrier, into the next round.
    fn leave(&mut self, from: Label) -> Option<()> {
        guard("it is there", self.at == from)?;
        self.at = Label::Works;
        self.round = self.round.next();
        Some(())
    }
}

impl SenseReversing {
    /// A thread arrives at the barrier.
    fn arrive(self, thread: &mut Thread, to: Label) -> Option<()> {
        guard("it is before the barrier", thread.at == Label::Works)?;
        thread.at = to;
        if self.senses != Senses::Kept {
            thread.local_sense = !thread.local_sense;
        }
        Some(())
    }
}

impl Crowd for SenseReversing {
    type Shared = Shared;
    type Member = Thread;
    type Action = Action;
    type Observation = bool;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut(Shared, &[Thread])) {
        let thread = Thread {
            at: Label::Works,
            local_sense: true,
            round: Counter::START,
        };
        visit(Shared { sense: true }, &[thread]);
    }

    fn fire(
        &self,
        action: &Action,
        shared: &mut Shared,
        me: &mut Thread,
        others: &mut Others<'_, Thread>,
    ) -> Option<()> {
        let has_sense = |it: &Thread, sense: &bool| it.local_sense == *sense;
        match action {
            Action::Arrive => {
                self.arrive(me, Label::Waits)?;
                if self.senses != Senses::OfEach {
                    others.some_with(shared.sense, has_sense)?;
                }
            }
            Action::ArriveLast => {
                guard("there is a sense of all", self.senses != Senses::OfEach)?;
                self.arrive(me, Label::LetsGo)?;
                others.none_with(shared.sense, has_sense)?;
            }
            Action::LetGo => {
                me.leave(Label::LetsGo)?;
                shared.sense = me.local_sense;
            }
            Action::Leave => {
                me.leave(Label::Waits)?;
                if self.senses == Senses::OfEach {
                    others.none_with(!me.local_sense, has_sense)?;
                } else {
                    guard("it may go", shared.sense == me.local_sense)?;
                }
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &Shared, thread: &Thread) -> Option<bool> {
        Some(thread.at != Label::Works)
    }
}
