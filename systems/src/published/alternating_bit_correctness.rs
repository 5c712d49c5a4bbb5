//! Specification of a transmission protocol: values are sent, received and acknowledged in turn.
//!
//! Source: Lamport, *Specifying Systems*, section 14.6 and module `ABCorrectness`.
//!
//! Fairness: weakly `c_rcv_msg`, and weakly `c_rcv_ack`.

use refmap::{Fairness, TransitionSystem, guard};
use serde::Serialize;

/// Greatest number of values.
pub const MAX_DATA: usize = 4;

/// An instance of the specification.
pub struct AbCorrectness {
    /// Number of values.
    pub data: usize,
}

/// State of the sender and the receiver, which alternate by their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The bit of the last value that was sent.
    pub s_bit: bool,
    /// The last bit that was acknowledged.
    pub s_ack: bool,
    /// The bit of the last value that was received.
    pub r_bit: bool,
    /// The last value that was sent.
    #[state(range = 0..MAX_DATA)]
    pub sent: usize,
    /// The last value that was received.
    #[state(range = 0..MAX_DATA)]
    pub rcvd: usize,
}

/// A step of the sender, or of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = AbCorrectness)]
pub enum Action {
    /// The sender has a new value to send.
    #[rule(process = "sender", source = "ABCorrectness, CSndNewValue(d)")]
    CSndNewValue(#[action(range = 0..system.data)] usize),
    /// The receiver receives it.
    #[rule(process = "receiver", source = "ABCorrectness, CRcvMsg")]
    CRcvMsg,
    /// The sender learns that it has been received.
    #[rule(process = "sender", source = "ABCorrectness, CRcvAck")]
    CRcvAck,
}

impl State {
    /// The initial states: nothing is on its way, and the bits agree.
    pub fn initial(data: usize) -> impl Iterator<Item = Self> {
        let bits = [false, true].into_iter();
        let with_sent = move |bit| (0..data).map(move |sent| (bit, sent));
        let with_rcvd = move |(bit, sent)| {
            (0..data).map(move |rcvd| Self {
                s_bit: bit,
                s_ack: bit,
                r_bit: bit,
                sent,
                rcvd,
            })
        };
        bits.flat_map(with_sent).flat_map(with_rcvd)
    }

    /// Rule *CSndNewValue*.
    pub fn send_new_value(&mut self, value: usize) -> Option<()> {
        guard("the last one is acknowledged", self.s_ack == self.s_bit)?;
        self.s_bit = !self.s_bit;
        self.sent = value;
        Some(())
    }
}

impl TransitionSystem for AbCorrectness {
    type State = State;
    type Action = Action;
    type Observation = State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        State::initial(self.data).for_each(visit);
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::CSndNewValue(value) => state.send_new_value(value)?,
            Action::CRcvMsg => {
                guard("there is a new value", state.r_bit != state.s_bit)?;
                state.r_bit = state.s_bit;
                state.rcvd = state.sent;
            }
            Action::CRcvAck => {
                guard("there is a new bit", state.r_bit != state.s_ack)?;
                state.s_ack = state.r_bit;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> State {
        *state
    }

    fn fairness(&self) -> Vec<Fairness> {
        vec![
            Fairness::weak("receive", ["c_rcv_msg"]),
            Fairness::weak("acknowledge", ["c_rcv_ack"]),
        ]
    }
}
