//! A one-place buffer, refined by a handshake on two wires.
//!
//! The one idea: a mapping says *when* an abstract step happens. Of the four steps of a handshake
//! one is the `put` and one is the `get`. A mapping that looks right for half of a handshake and is
//! wrong for the other half is shown by a report; the right one follows from reading it.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Refinement, Report, Settings, TransitionSystem, check, guard};
use serde::Serialize;

/// The specification: a buffer with one place. What can be observed is what was delivered last.
struct Buffer;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Place {
    held: Option<bool>,
    delivered: Option<bool>,
}

/// The implementation: the sender raises or lowers `req` when `data` is on its wire, and the
/// receiver answers by making `ack` equal to it. So the wires differ while a value is on its way.
struct Handshake;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Wires {
    data: bool,
    req: bool,
    ack: bool,
    delivered: Option<bool>,
}

/// The actions of the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
enum Access {
    #[rule(process = "sender", source = "Put")]
    Put(bool),
    #[rule(process = "receiver", source = "Get")]
    Get,
}

/// The actions of the handshake.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// The sender flips `req`; in the buffer, the value is put.
    #[rule(process = "sender", source = "Put")]
    Put(bool),
    /// The receiver reads the wire and flips `ack`; in the buffer, the value is got.
    #[rule(process = "receiver", source = "Get")]
    Get,
    /// The sender puts a value on its wire.
    #[rule(process = "sender", source = "Drive")]
    Drive(bool),
}

impl TransitionSystem for Buffer {
    type State = Place;
    type Action = Access;
    type Observation = Option<bool>;

    fn initial(&self, visit: &mut impl FnMut(Place)) {
        let (held, delivered) = (None, None);
        visit(Place { held, delivered });
    }

    fn fire(&self, access: &Access, place: &mut Place) -> Option<()> {
        match *access {
            Access::Put(value) => {
                guard("the place is free", place.held.is_none())?;
                place.held = Some(value);
            }
            Access::Get => place.delivered = Some(place.held.take()?),
        }
        Some(())
    }

    fn observe(&self, place: &Place) -> Option<bool> {
        place.delivered
    }
}

impl TransitionSystem for Handshake {
    type State = Wires;
    type Action = Step;
    type Observation = Option<bool>;

    fn initial(&self, visit: &mut impl FnMut(Wires)) {
        let (data, req, ack, delivered) = (false, false, false, None);
        visit(Wires {
            data,
            req,
            ack,
            delivered,
        });
    }

    fn fire(&self, step: &Step, wires: &mut Wires) -> Option<()> {
        let at_rest = wires.req == wires.ack;
        match *step {
            Step::Put(value) => {
                guard("the wires are at rest", at_rest)?;
                guard("the value is on its wire", wires.data == value)?;
                wires.req = !wires.req;
            }
            Step::Get => {
                guard("a value is on its way", !at_rest)?;
                wires.ack = wires.req;
                wires.delivered = Some(wires.data);
            }
            Step::Drive(value) => {
                guard("the wires are at rest", at_rest)?;
                guard("the value is another one", wires.data != value)?;
                wires.data = value;
            }
        }
        Some(())
    }

    fn observe(&self, wires: &Wires) -> Option<bool> {
        wires.delivered
    }
}

/// The condition under which the buffer holds a value: the one place in which the mappings below differ.
#[derive(Debug)]
enum Full {
    /// While `req` is up: true of a handshake that lowers its wires again after each value.
    WhileRequested,
    /// While the wires differ.
    WhileUnanswered,
}

/// The claim: `Handshake` refines `Buffer`.
struct HandshakeRefinesBuffer(Full);

impl Refinement for HandshakeRefinesBuffer {
    type Implementation = Handshake;
    type Specification = Buffer;

    fn implementation(&self) -> &Handshake {
        &Handshake
    }

    fn specification(&self) -> &Buffer {
        &Buffer
    }

    fn map(&self, wires: &Wires) -> Place {
        let full = match self.0 {
            Full::WhileRequested => wires.req,
            Full::WhileUnanswered => wires.req != wires.ack,
        };
        Place {
            held: full.then_some(wires.data),
            delivered: wires.delivered,
        }
    }

    /// Driving the wire is a stutter.
    fn abstract_steps(&self, _: &Wires, step: &Step, _: &Wires) -> AbstractSteps<Access> {
        match step {
            Step::Drive(_) => Stutter,
            Step::Put(value) => One(Access::Put(*value)),
            Step::Get => One(Access::Get),
        }
    }
}

fn run(full: Full) -> Report {
    let instance = [("full", format!("{full:?}"))];
    let report = check(&HandshakeRefinesBuffer(full), &Settings::default());
    let report = report.expect("every obligation is checked");
    report.named("handshake", instance)
}

pub fn main() {
    println!("{}", run(Full::WhileRequested));

    // The change that makes the check hold.
    println!("{}", run(Full::WhileUnanswered));
}

// The first report ends with the receiver's `get`. Its guard held and the value is delivered on both
// sides; only `held` is wrong: the mapped buffer is still full, since `req` is still up. The nearest
// action says so in one line: `held` would be none, and is false.
//
// The handshake is not to blame. It has two phases: with its second value `req` goes down, and the
// wires are at rest whenever they agree, up or down. What is on its way is told by their difference,
// and that is the second mapping.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::{Evidence, Verdict};

    #[test]
    fn a_request_that_was_answered_still_looks_full() {
        let report = run(Full::WhileRequested);
        assert_eq!(report.violated().collect::<Vec<_>>(), ["simulation"]);
        let counterexample = report.counterexample.expect("something is violated");
        assert_eq!(counterexample.length, 2);
        let get = &counterexample.nearest[0];
        assert!(get.answered && get.enabled);
        assert_eq!(get.differs.len(), 1);
        assert_eq!(get.differs[0].field, "held");
    }

    /// Before the first delivery `ack` is down: 2 · 2 states of the other wires. After it there are
    /// 2 · 2 · 2 for each of the two values delivered. In half of them there are two steps.
    #[test]
    fn the_handshake_is_a_buffer() {
        let report = run(Full::WhileUnanswered);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        assert_eq!(report.evidence, Evidence::Exhaustive);
        assert_eq!((report.states, report.transitions), (20, 30));
        assert!(report.unexercised.is_empty());
    }
}
