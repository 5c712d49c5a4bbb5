//! Tests of operations as they are written, read and shown.

use std::collections::BTreeSet;
use std::fmt::Debug;

use refmap_histories::specifications::{
    Answer, Bounded, Called, Mutex, Operations, bounded, counter, map, mutex, priority_queue,
    queue, register, rw_lock, semaphore, set,
};
use refmap_histories::{Happening, Observed};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn called<C, A>(call: C, answer: Answer<A>) -> Called<C, Answer<A>> {
    let answer = Some(answer);
    Called { call, answer }
}

#[track_caller]
fn is_written<E: Serialize + DeserializeOwned + PartialEq + Debug>(event: E, json: &str) {
    assert_eq!(serde_json::to_string(&event).expect("it is written"), json);
    let read: E = serde_json::from_str(json).expect("it is read");
    assert_eq!(read, event);
}

#[track_caller]
fn is_refused<E: DeserializeOwned + Debug>(json: &str, why: &str) {
    let error = serde_json::from_str::<E>(json).expect_err("it is malformed");
    assert!(error.to_string().contains(why), "{error}");
}

type Of<C, V> = Called<C, Answer<V>>;

#[test]
fn each_call_and_answer_is_written_and_read() {
    use Answer::{Is, Nothing, Value};
    let read = register::Call::<u8>::Read;
    is_written(called(read, Value(1)), r#"{"call":"read","answer":1}"#);
    let write = register::Call::Write(1);
    is_written(
        called::<_, u8>(write, Nothing),
        r#"{"call":{"write":1},"answer":null}"#,
    );
    let swap = register::Call::CompareAndSwap { from: 1, to: 2 };
    let json = r#"{"call":{"compare_and_swap":{"from":1,"to":2}},"answer":true}"#;
    is_written(called::<_, u8>(swap, Is(true)), json);

    is_written(
        called(counter::Call::Read, Value(-1)),
        r#"{"call":"read","answer":-1}"#,
    );
    is_written(
        called(counter::Call::Add(2), Nothing),
        r#"{"call":{"add":2},"answer":null}"#,
    );
    let json = r#"{"call":{"fetch_add":2},"answer":5}"#;
    is_written(called(counter::Call::FetchAdd(2), Value(5)), json);

    let push = r#"{"call":{"push":3},"answer":null}"#;
    let (popped, empty) = (
        r#"{"call":"pop","answer":3}"#,
        r#"{"call":"pop","answer":null}"#,
    );
    is_written(called::<_, u8>(queue::Call::Push(3), Nothing), push);
    is_written(called(queue::Call::<u8>::Pop, Value(3)), popped);
    is_written(called(queue::Call::<u8>::Pop, Nothing), empty);
    is_written(
        called::<_, u8>(priority_queue::Call::Push(3), Nothing),
        push,
    );
    is_written(called(priority_queue::Call::<u8>::Pop, Value(3)), popped);
    is_written(called(priority_queue::Call::<u8>::Pop, Nothing), empty);
    is_written(
        called::<_, u8>(bounded::Call::Push(3), Is(false)),
        r#"{"call":{"push":3},"answer":false}"#,
    );
    is_written(called(bounded::Call::<u8>::Pop, Value(3)), popped);
    is_written(called(bounded::Call::<u8>::Pop, Nothing), empty);

    type Elements = BTreeSet<u8>;
    is_written(
        called::<_, Elements>(set::Call::Add(3), Is(true)),
        r#"{"call":{"add":3},"answer":true}"#,
    );
    is_written(
        called::<_, Elements>(set::Call::Remove(3), Is(true)),
        r#"{"call":{"remove":3},"answer":true}"#,
    );
    is_written(
        called::<_, Elements>(set::Call::Contains(3), Is(true)),
        r#"{"call":{"contains":3},"answer":true}"#,
    );
    let elements = Value(Elements::from([1, 2]));
    is_written(
        called(set::Call::<u8>::All, elements),
        r#"{"call":"all","answer":[1,2]}"#,
    );

    type Call = map::Call<String, u8>;
    let key = || "a".to_owned();
    is_written(
        called(Call::Get(key()), Value(1)),
        r#"{"call":{"get":"a"},"answer":1}"#,
    );
    is_written(
        called::<_, u8>(Call::Get(key()), Nothing),
        r#"{"call":{"get":"a"},"answer":null}"#,
    );
    is_written(
        called(Call::Remove(key()), Value(1)),
        r#"{"call":{"remove":"a"},"answer":1}"#,
    );
    let put = Call::Put {
        key: key(),
        value: 1,
    };
    is_written(
        called::<_, u8>(put, Nothing),
        r#"{"call":{"put":{"key":"a","value":1}},"answer":null}"#,
    );
    let swap = Call::Swap {
        key: key(),
        value: 1,
    };
    is_written(
        called(swap, Value(2)),
        r#"{"call":{"swap":{"key":"a","value":1}},"answer":2}"#,
    );
    let swap = Call::CompareAndSwap {
        key: key(),
        from: None,
        to: Some(1),
    };
    let json = r#"{"call":{"compare_and_swap":{"key":"a","from":null,"to":1}},"answer":true}"#;
    is_written(called::<_, u8>(swap, Is(true)), json);

    is_written(
        called(mutex::Call::Lock(2), Nothing),
        r#"{"call":{"lock":2},"answer":null}"#,
    );
    is_written(
        called(mutex::Call::Unlock(2), Nothing),
        r#"{"call":{"unlock":2},"answer":null}"#,
    );
    is_written(
        called(mutex::Call::TryLock(2), Is(false)),
        r#"{"call":{"try_lock":2},"answer":false}"#,
    );
    let nothing = [
        (rw_lock::Call::Read(2), "read"),
        (rw_lock::Call::UnlockRead(2), "unlock_read"),
        (rw_lock::Call::Write(2), "write"),
        (rw_lock::Call::UnlockWrite(2), "unlock_write"),
    ];
    for (call, name) in nothing {
        is_written(
            called(call, Nothing),
            &format!(r#"{{"call":{{"{name}":2}},"answer":null}}"#),
        );
    }
    is_written(
        called(rw_lock::Call::TryRead(2), Is(true)),
        r#"{"call":{"try_read":2},"answer":true}"#,
    );
    is_written(
        called(rw_lock::Call::TryWrite(2), Is(true)),
        r#"{"call":{"try_write":2},"answer":true}"#,
    );
    is_written(
        called(semaphore::Call::Acquire, Nothing),
        r#"{"call":"acquire","answer":null}"#,
    );
    is_written(
        called(semaphore::Call::Release, Nothing),
        r#"{"call":"release","answer":null}"#,
    );
    is_written(
        called(semaphore::Call::TryAcquire, Is(true)),
        r#"{"call":"try_acquire","answer":true}"#,
    );
}

/// An answer that is unknown has no field; the order of the fields does not matter.
#[test]
fn an_answer_may_be_unknown() {
    let unknown: Of<_, u8> = Called {
        call: queue::Call::<u8>::Pop,
        answer: None,
    };
    is_written(unknown, r#"{"call":"pop"}"#);
    let json = r#"{"answer":null,"call":"pop"}"#;
    let read: Of<queue::Call<u8>, u8> = serde_json::from_str(json).expect("it is read");
    assert_eq!(read, called(queue::Call::Pop, Answer::Nothing));
}

/// The call decides of which kind an answer is.
#[test]
fn answers_that_look_alike_are_told_apart() {
    let pushed = called::<_, bool>(bounded::Call::Push(true), Answer::Is(true));
    is_written(pushed, r#"{"call":{"push":true},"answer":true}"#);
    let popped = called(bounded::Call::<bool>::Pop, Answer::Value(true));
    is_written(popped, r#"{"call":"pop","answer":true}"#);
}

#[test]
fn other_answers_and_calls_are_malformed() {
    is_refused::<Of<queue::Call<u8>, u8>>(r#"{"call":{"push":3},"answer":3}"#, "answers nothing");
    is_refused::<Of<queue::Call<u8>, u8>>(r#"{"call":"pop","answer":true}"#, "invalid type");
    is_refused::<Of<register::Call<u8>, u8>>(r#"{"call":"read","answer":null}"#, "invalid type");
    is_refused::<Of<bounded::Call<u8>, u8>>(r#"{"call":{"push":3},"answer":null}"#, "invalid type");
    is_refused::<Of<queue::Call<u8>, u8>>(r#"{"call":"pop","result":3}"#, "unknown field");
    is_refused::<Of<queue::Call<u8>, u8>>(r#"{"answer":3}"#, "missing field `call`");
    is_refused::<Of<queue::Call<u8>, u8>>(r#"{"call":"take"}"#, "unknown variant");
    let json = r#"{"call":{"compare_and_swap":{"key":"a","to":1}}}"#;
    is_refused::<Of<map::Call<String, u8>, u8>>(json, "missing field `from`");
}

fn refusal<O: Observed>(observed: &O, event: O::Event) -> String {
    let mut initial = None;
    refmap::TransitionSystem::initial(observed.specification(), &mut |state| initial = Some(state));
    let happening = Happening {
        thread: 0,
        place: 0,
        event: &event,
        pending: &[],
    };
    observed.refusal(&initial.expect("there is one"), &happening)
}

#[test]
fn operations_are_described_and_refused_in_words() {
    let queue = Operations(Bounded {
        capacity: 2,
        initial: vec![3],
        values: Vec::new(),
    });
    let described = |called| queue.describe(&called);
    assert_eq!(
        described(called(bounded::Call::Push(3), Answer::Is(true))),
        "push(3) → true"
    );
    assert_eq!(
        described(called(bounded::Call::Pop, Answer::Nothing)),
        "pop → null"
    );
    assert_eq!(
        described(Called {
            call: bounded::Call::Pop,
            answer: None
        }),
        "pop → ?"
    );
    let popped = called(bounded::Call::Pop, Answer::Value(5));
    assert_eq!(refusal(&queue, popped), "pop answers 3 here, and not 5");
    let register = Operations(refmap_histories::specifications::Register::<u8>::default());
    let swap = register::Call::CompareAndSwap { from: 1, to: 2 };
    let swap = called(swap, Answer::Is(true));
    assert_eq!(
        register.describe(&swap),
        "compare_and_swap(from: 1, to: 2) → true"
    );
    assert_eq!(
        register.describe(&called(register::Call::Write(1), Answer::Nothing)),
        "write(1)"
    );
    let mutex = Operations(Mutex::default());
    let unlock = called(mutex::Call::Unlock(2), Answer::Nothing);
    let refused = "unlock(2) is not possible here: the lock is free";
    assert_eq!(refusal(&mutex, unlock), refused);
}

#[test]
fn a_call_that_answers_nothing_is_complete() {
    let queue = Operations(refmap_histories::specifications::Queue::<u8>::default());
    assert!(!queue.is_partial(&Called {
        call: queue::Call::Push(1),
        answer: None
    }));
    assert!(queue.is_partial(&Called {
        call: queue::Call::Pop,
        answer: None
    }));
    assert!(!queue.is_partial(&called(queue::Call::Pop, Answer::Nothing)));
}
