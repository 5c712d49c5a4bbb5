//! Specifications of concurrent objects.
//!
//! Each is a [`Sequential`] object: a state, calls, and what each call does and answers. [`Operations`] of it is a
//! [`TransitionSystem`](refmap::TransitionSystem) whose actions are operations: a model to explore or to refine, and what a history is
//! validated against. State an object of your own in the same way.
//!
//! ```
//! use refmap::Verdict;
//! use refmap_histories::specifications::{Called, Operations, Register, register::Call};
//! use refmap_histories::{Ordered, Recorder, Settings, validate};
//!
//! let recorder = Recorder::new();
//! let mut thread = recorder.thread();
//! let begin = thread.begin();
//! thread.end(begin, Called { call: Call::Write(5), answer: Some(().into()) });
//! let begin = thread.begin();
//! thread.end(begin, Called { call: Call::Read, answer: Some(Some(5).into()) });
//! drop(thread);
//! let register = Operations(Register::<u64>::default());
//! let events = Ordered::of(recorder.finish());
//! assert_eq!(validate(&register, events, &Settings::default())?.verdict(), Verdict::Holds);
//! # Ok::<(), refmap_histories::HistoryError>(())
//! ```
//!
//! An event is `{"call":{"push":3},"answer":true}`: a call without arguments is its name, one of one argument has it as its
//! value, and one of several an object of them. `null` is the answer of a call that finds no value. Without `answer` it is unknown; a
//! call that answers nothing needs none.
//!
//! | object | calls, and how they are answered |
//! |---|---|
//! | [`Register`] | `"read"`: the value; `{"write":1}`: nothing; `{"compare_and_swap":{"from":1,"to":2}}`: whether |
//! | [`Counter`] | `"read"`: the number; `{"add":1}`: nothing; `{"fetch_add":1}`: the number before |
//! | [`Queue`] (a stack by its order), [`PriorityQueue`] | `{"push":1}`: nothing; `"pop"`: a value or `null` |
//! | [`Bounded`] | `{"push":1}`: whether there was room; `"pop"`: a value or `null` |
//! | [`Set`] | `{"add":1}`, `{"remove":1}`: whether it changed the set; `{"contains":1}`: whether; `"all"`: a list |
//! | [`Map`] | `{"get":"a"}`, `{"remove":"a"}`: the value or `null`; `{"put":{"key":"a","value":1}}`: nothing; `{"swap":{"key":"a","value":1}}`: the value before or `null`; `{"compare_and_swap":{"key":"a","from":null,"to":1}}`: whether |
//! | [`Store`] | `{"get":"a"}`: its text; `{"put":{"key":"a","text":"x"}}`, `{"append":{"key":"a","text":"y"}}`: nothing |
//! | [`Mutex`] | `{"lock":0}`, `{"unlock":0}`: nothing; `{"try_lock":0}`: whether. The number is the owner's |
//! | [`RwLock`] | `{"read":0}`, `{"unlock_read":0}`, `{"write":0}`, `{"unlock_write":0}`: nothing; `{"try_read":0}`, `{"try_write":0}`: whether. The number is the owner's |
//! | [`Semaphore`] | `"acquire"`, `"release"`: nothing; `"try_acquire"`: whether |
//!
//! Views are made of another object: [`MayRefuse`], in which calls fail spuriously, [`Approximate`], in which calls that look answer
//! something near, and [`Delayed`], in which calls take effect later than they answer. [`Relaxed`] is a queue out of order.
//!
//! Source: Herlihy & Wing, *Linearizability: a correctness condition for concurrent objects*, TOPLAS 12(3), 1990.
//! Left out: objects whose operations take effect in several steps.

mod answer;
mod collections;
mod delayed;
mod oldest;
mod operation;
mod operations;
mod relaxed;
mod sequential;
mod value;
mod views;

pub mod bounded;
pub mod counter;
pub mod map;
pub mod mutex;
pub mod priority_queue;
pub mod queue;
pub mod register;
pub mod rw_lock;
pub mod semaphore;
pub mod set;
pub mod store;

pub use answer::{Answer, AnswerKind, AnswerTo, Answered, NoValue};
pub use bounded::Bounded;
pub use collections::Sequence;
pub use counter::Counter;
pub use delayed::Delayed;
pub use map::Map;
pub use mutex::Mutex;
pub use operation::{Called, Operation};
pub use priority_queue::PriorityQueue;
pub use queue::Queue;
pub use register::Register;
pub use relaxed::Relaxed;
pub use rw_lock::RwLock;
pub use semaphore::Semaphore;
pub use sequential::{Foresight, Operations, Sequential};
pub use set::Set;
pub use store::Store;
pub use value::Value;
pub use views::{Approximate, MayRefuse};
