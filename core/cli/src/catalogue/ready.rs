//! Validators of the ready specifications, which every catalogue has, for histories of refmap and of other tools.

use clap::Args;
use refmap_histories::foreign::Foreign;
use refmap_histories::specifications::queue::Order;
use refmap_histories::specifications::{
    Bounded, Counter, Map, Mutex, PriorityQueue, Queue, Register, RwLock, Semaphore, Sequential,
    Set, Store,
};
use serde_json::{Value, json};

use super::Nothing;
use super::translated::{Datum, Translated};
use super::validator::Validator;
use super::values::number;

/// Parameters of a bounded queue.
#[derive(Clone, Args)]
struct Capacity {
    /// greatest number of values that it holds
    #[arg(long, value_parser = number::<usize>(1..=1 << 30))]
    capacity: usize,
}

/// Parameters of a semaphore.
#[derive(Clone, Args)]
struct Permits {
    /// number of permits at first
    #[arg(long, value_parser = number::<u64>(0..=1 << 30))]
    permits: u64,
}

const LINEARIZABLE: &str = "Herlihy & Wing, Linearizability, TOPLAS 12(3), 1990";

/// The validators of the ready specifications.
pub fn ready() -> Vec<Validator> {
    vec![
        object(
            "register",
            "a register: read, write, compare and swap",
            |_: &Nothing, values| Register {
                initial: Datum::default(),
                values,
            },
            register,
        ),
        object(
            "counter",
            "a counter: read, add",
            |_: &Nothing, _| Counter::default(),
            counter,
        ),
        object(
            "fifo",
            "a queue without bound, first in, first out",
            |_: &Nothing, values| Queue {
                values,
                ..Queue::default()
            },
            queue,
        ),
        object(
            "bounded",
            "a queue of at most so many values, first in, first out",
            |of: &Capacity, values| Bounded {
                capacity: of.capacity,
                initial: Vec::new(),
                values,
            },
            bounded,
        ),
        object(
            "lifo",
            "a stack, last in, first out",
            |_: &Nothing, values| Queue {
                order: Order::Lifo,
                values,
                ..Queue::default()
            },
            queue,
        ),
        object(
            "priority-queue",
            "a queue of which the least value comes first",
            |_: &Nothing, values| PriorityQueue {
                values,
                ..PriorityQueue::default()
            },
            queue,
        ),
        object(
            "set",
            "a set: add, remove, contains, all",
            |_: &Nothing, values| Set {
                values,
                ..Set::default()
            },
            set,
        ),
        object(
            "map",
            "a map from keys to values",
            |_: &Nothing, values| Map::<Datum, Datum> {
                values,
                ..Map::default()
            },
            map,
        ),
        object(
            "store",
            "texts by key: get, put, append",
            |_: &Nothing, _| Store::default(),
            store,
        ),
        object(
            "mutex",
            "a lock that one holds",
            |_: &Nothing, _| Mutex::default(),
            mutex,
        ),
        object(
            "rw-lock",
            "a lock that one writer or some readers hold",
            |_: &Nothing, _| RwLock::default(),
            |_| None,
        ),
        object(
            "semaphore",
            "so many permits",
            |of: &Permits, _| Semaphore {
                permits: of.permits,
            },
            semaphore,
        ),
    ]
}

fn object<P: Args + 'static, S: Sequential + 'static>(
    name: &'static str,
    about: &'static str,
    build: fn(&P, Vec<Datum>) -> S,
    translate: fn(&Foreign) -> Option<Translated>,
) -> Validator
where
    S::Call: Send,
{
    Validator::of_object(name, about, LINEARIZABLE, build, translate)
}

/// The operation with this call; its answer is known if it has ended.
fn answered(operation: &Foreign, call: Value) -> Translated {
    Translated {
        call,
        answer: operation.end.and(operation.answer.clone()),
    }
}

/// The operation with this call, which answers nothing.
fn silent(call: Value) -> Translated {
    Translated { call, answer: None }
}

/// The operation with this call, which took place if it was answered.
fn succeeded(operation: &Foreign, call: Value) -> Translated {
    Translated {
        call,
        answer: operation.end.map(|_| json!(true)),
    }
}

/// The two values of a comparison.
fn pair(argument: &Value) -> Option<[&Value; 2]> {
    match argument.as_array()?.as_slice() {
        [from, to] => Some([from, to]),
        _ => None,
    }
}

fn register(operation: &Foreign) -> Option<Translated> {
    let argument = &operation.argument;
    Some(match operation.function.as_str() {
        "read" | "get" => answered(operation, json!("read")),
        "write" | "put" => silent(json!({"write": argument})),
        "cas" | "compare-and-swap" | "compare-and-set" => {
            let [from, to] = pair(argument)?;
            let call = json!({"compare_and_swap": {"from": from, "to": to}});
            succeeded(operation, call)
        }
        _ => return None,
    })
}

fn counter(operation: &Foreign) -> Option<Translated> {
    let argument = &operation.argument;
    Some(match operation.function.as_str() {
        "read" | "get" => answered(operation, json!("read")),
        "add" | "increment" => silent(json!({"add": argument})),
        _ => return None,
    })
}

fn queue(operation: &Foreign) -> Option<Translated> {
    let argument = &operation.argument;
    Some(match operation.function.as_str() {
        "enqueue" | "push" | "put" | "offer" | "send" => silent(json!({"push": argument})),
        "dequeue" | "pop" | "take" | "poll" | "receive" => answered(operation, json!("pop")),
        _ => return None,
    })
}

fn bounded(operation: &Foreign) -> Option<Translated> {
    let translated = queue(operation)?;
    // One that found no room has failed.
    Some(if translated.call == json!("pop") {
        translated
    } else {
        succeeded(operation, translated.call)
    })
}

fn set(operation: &Foreign) -> Option<Translated> {
    let argument = &operation.argument;
    Some(match operation.function.as_str() {
        // Jepsen's repeats the value, and does not say whether it was there.
        "add" => silent(json!({"add": argument})),
        "remove" => silent(json!({"remove": argument})),
        "read" => answered(operation, json!("all")),
        _ => return None,
    })
}

fn map(operation: &Foreign) -> Option<Translated> {
    let argument = &operation.argument;
    let key = operation.key.as_ref()?;
    Some(match operation.function.as_str() {
        "read" | "get" => answered(operation, json!({"get": key})),
        "write" | "put" => silent(json!({"put": {"key": key, "value": argument}})),
        "cas" | "compare-and-swap" | "compare-and-set" => {
            let [from, to] = pair(argument)?;
            let call = json!({"compare_and_swap": {"key": key, "from": from, "to": to}});
            succeeded(operation, call)
        }
        _ => return None,
    })
}

fn store(operation: &Foreign) -> Option<Translated> {
    let argument = &operation.argument;
    let key = operation.key.as_ref()?;
    let key = match key {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(match operation.function.as_str() {
        "read" | "get" => answered(operation, json!({"get": key})),
        "write" | "put" => silent(json!({"put": {"key": key, "text": argument}})),
        "append" => silent(json!({"append": {"key": key, "text": argument}})),
        _ => return None,
    })
}

fn mutex(operation: &Foreign) -> Option<Translated> {
    let owner = operation.thread;
    Some(match operation.function.as_str() {
        "acquire" | "lock" => silent(json!({"lock": owner})),
        "release" | "unlock" => silent(json!({"unlock": owner})),
        _ => return None,
    })
}

fn semaphore(operation: &Foreign) -> Option<Translated> {
    Some(match operation.function.as_str() {
        "acquire" => silent(json!("acquire")),
        "release" => silent(json!("release")),
        _ => return None,
    })
}
