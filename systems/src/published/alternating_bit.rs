//! The alternating bit protocol: values with a bit, and bits that acknowledge them, over lines that lose messages.
//!
//! Source: Lamport, *Specifying Systems*, section 14.6 and module `AlternatingBit`.
//!
//! Fairness: weakly `re_snd_msg`, weakly `snd_ack`, strongly `rcv_msg`, and strongly `rcv_ack`, since a line may lose what
//! is on it again and again.
//!
//! Deviations. D1: where the model of the source sets states with too long a queue aside, nothing is sent while a queue is
//! full. The same states are left.

use std::collections::VecDeque;

use refmap::{Fairness, TransitionSystem, guard};
use serde::Serialize;

use super::alternating_bit_correctness::{self, MAX_DATA};
use super::conditions::Conditions;

/// Greatest length of a queue.
pub const MAX_QUEUE: usize = 4;

/// An instance of the protocol.
pub struct AlternatingBit {
    /// Number of values.
    pub data: usize,
    /// Greatest number of messages on the line from the sender, and of bits on the one to it.
    pub queue: usize,
    /// When the sender sends a new value.
    pub sends: Sends,
    /// The fairness conditions.
    pub fairness: Conditions,
}

/// When the sender sends a new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Sends {
    /// When the last one is acknowledged.
    AfterAck,
    /// At any time. Wrong: what is not acknowledged may be lost.
    AtAnyTime,
}

/// A message of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Message {
    /// The bit of the value.
    pub bit: bool,
    #[state(range = 0..MAX_DATA)]
    pub value: usize,
}

/// State of the sender, of the receiver, and of the lines between them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `sBit`, `sAck`, `rBit`, `sent` and `rcvd`.
    #[serde(flatten)]
    pub ends: alternating_bit_correctness::State,
    /// The messages to the receiver.
    #[state(max_len = MAX_QUEUE)]
    pub msg_q: VecDeque<Message>,
    /// The bits to the sender.
    #[state(max_len = MAX_QUEUE)]
    pub ack_q: VecDeque<bool>,
}

/// A step of the sender, of the receiver, or of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = AlternatingBit)]
pub enum Action {
    /// The sender sends a new value.
    #[rule(process = "sender", source = "AlternatingBit, SndNewValue(d)")]
    SndNewValue(#[action(range = 0..system.data)] usize),
    /// The sender sends the last value again, which is not acknowledged.
    #[rule(process = "sender", source = "AlternatingBit, ReSndMsg")]
    ReSndMsg,
    /// The receiver receives a message.
    #[rule(process = "receiver", source = "AlternatingBit, RcvMsg")]
    RcvMsg,
    /// The receiver sends the bit of the last message.
    #[rule(process = "receiver", source = "AlternatingBit, SndAck")]
    SndAck,
    /// The sender receives a bit.
    #[rule(process = "sender", source = "AlternatingBit, RcvAck")]
    RcvAck,
    /// The message in this place is lost.
    #[rule(process = "line", source = "AlternatingBit, LoseMsg")]
    LoseMsg(#[action(range = 0..system.queue)] usize),
    /// The bit in this place is lost.
    #[rule(process = "line", source = "AlternatingBit, LoseAck")]
    LoseAck(#[action(range = 0..system.queue)] usize),
}

impl Message {
    /// The last value that was sent, with its bit.
    fn of(ends: alternating_bit_correctness::State) -> Self {
        Self {
            bit: ends.s_bit,
            value: ends.sent,
        }
    }
}

impl AlternatingBit {
    fn has_room<T>(&self, queue: &VecDeque<T>) -> Option<()> {
        guard("the line has room", queue.len() < self.queue)
    }
}

impl TransitionSystem for AlternatingBit {
    type State = State;
    type Action = Action;
    type Observation = alternating_bit_correctness::State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for ends in alternating_bit_correctness::State::initial(self.data) {
            visit(State {
                ends,
                msg_q: VecDeque::new(),
                ack_q: VecDeque::new(),
            });
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let State { ends, msg_q, ack_q } = state;
        match *action {
            Action::SndNewValue(value) => {
                match self.sends {
                    Sends::AfterAck => ends.send_new_value(value)?,
                    Sends::AtAnyTime => (ends.s_bit, ends.sent) = (!ends.s_bit, value),
                }
                self.has_room(msg_q)?;
                msg_q.push_back(Message::of(*ends));
            }
            Action::ReSndMsg => {
                guard("it is not acknowledged", ends.s_ack != ends.s_bit)
                    .and(self.has_room(msg_q))?;
                msg_q.push_back(Message::of(*ends));
            }
            Action::RcvMsg => {
                let message = msg_q.pop_front()?;
                (ends.r_bit, ends.rcvd) = (message.bit, message.value);
            }
            Action::SndAck => {
                self.has_room(ack_q)?;
                ack_q.push_back(ends.r_bit);
            }
            Action::RcvAck => ends.s_ack = ack_q.pop_front()?,
            Action::LoseMsg(place) => drop(msg_q.remove(place)?),
            Action::LoseAck(place) => drop(ack_q.remove(place)?),
        }
        Some(())
    }

    fn observe(&self, state: &State) -> alternating_bit_correctness::State {
        state.ends
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.of(vec![
            Fairness::weak("send_again", ["re_snd_msg"]),
            Fairness::weak("send_ack", ["snd_ack"]),
            Fairness::strong("receive_message", ["rcv_msg"]),
            Fairness::strong("receive_ack", ["rcv_ack"]),
        ])
    }
}
