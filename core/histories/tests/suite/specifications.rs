//! Tests of the ready specifications against plain objects and a search over all orders.

mod json;
mod near;
mod plain;

use std::collections::HashSet;

use refmap::explore::Limit;
use refmap::random::Generator;
use refmap::{Verdict, disagreement, steps, successor};
use refmap_histories::specifications::{
    Answer, AnswerTo, Called, Delayed, MayRefuse, Operation, Operations, Queue, Sequential,
    bounded::Call::Push, queue::Call::Pop, register::Call as Access,
};
use refmap_histories::{Effect, Event, Observed, Outcome, Settings};

use plain::{
    AnswerOf, CallOf, Plain, PlainBounded, PlainCounter, PlainFifo, PlainLifo, PlainMap,
    PlainMutex, PlainPriorityQueue, PlainRegister, PlainRelaxed, PlainRwLock, PlainSemaphore,
    PlainSet, PlainStore, PlainSum, PlainWeakQueue, PlainWeakRegister,
};

use crate::oracle::Oracle;

use super::{event_in, is_behaviour, validated};

type StateOfObject<P> = <<P as Plain>::Object as Sequential>::State;
type EventOf<P> = Event<Called<CallOf<P>, AnswerOf<P>>>;

fn answers<S: Sequential>(
    object: &Operations<S>,
    from: &S::State,
    call: &S::Call,
) -> Vec<S::Answer> {
    let mut answers = Vec::new();
    object
        .0
        .answers(from, call, &mut |answer| answers.push(answer));
    answers
}

/// States that few calls reach, the initial one first.
fn few_states<P: Plain>(object: &Operations<P::Object>, most: usize) -> Vec<StateOfObject<P>> {
    let mut states = vec![object.0.initial()];
    let mut known: HashSet<_> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() && states.len() < most {
        for (_, to) in steps(object, &states[at]) {
            if known.insert(to.clone()) {
                states.push(to);
            }
        }
        at += 1;
    }
    states
}

/// On sequential runs a specification answers as the plain object, and takes no other answer.
fn agrees_with_the_plain_object<P: Plain>() {
    let (mut possible, mut impossible) = (0, 0);
    for seed in 0..1200 {
        let mut random = Generator::numbered(seed, 1);
        let domain = [3, 100][random.below(2)];
        let (object, mut plain) = P::pair(domain);
        let object = Operations(object);
        let mut state = object.0.initial();
        let all = P::some_answers(domain);
        for _ in 0..random.below(201) {
            let owner = random.below(domain as usize) as u32;
            let call = plain.call(owner, domain, &mut random);
            let outcomes = plain.outcomes(&call).into_iter();
            let expected: Vec<_> = outcomes.map(|(_, answer)| answer).collect();
            let answer = plain.execute(&call);
            assert_eq!(
                answers(&object, &state, &call),
                expected,
                "{call:?} {state:?}"
            );
            let first = random.below(all.len());
            for wrong in all.iter().cycle().skip(first).take(4) {
                let answered = Operation {
                    call: call.clone(),
                    answer: wrong.clone(),
                };
                let to = successor(&object, &state, &answered);
                assert_eq!(
                    to.is_some(),
                    expected.contains(wrong),
                    "{answered:?} {state:?}"
                );
            }
            let Some(answer) = answer else {
                impossible += 1;
                continue;
            };
            possible += 1;
            let operation = Operation { call, answer };
            let to = successor(&object, &state, &operation);
            state = to.unwrap_or_else(|| panic!("{operation:?} {state:?}"));
        }
    }
    assert!(possible > 30_000, "{possible} {impossible}");
}

/// Steps and `answers` agree on the states of a small domain, and steps are those of all calls of it.
fn agrees_with_itself<P: Plain>() {
    let object = Operations(P::pair(2).0);
    let states = few_states::<P>(&object, 200);
    assert!(states.len() > 1);
    for state in &states {
        assert_eq!(
            disagreement(&object, state, &states[..states.len().min(20)]),
            None
        );
        let offered = steps(&object, state);
        for call in P::calls(2) {
            let of_call = offered
                .iter()
                .filter(|(operation, _)| operation.call == call);
            let expected: Vec<_> = of_call
                .map(|(operation, _)| operation.answer.clone())
                .collect();
            assert_eq!(
                answers(&object, state, &call),
                expected,
                "{call:?} {state:?}"
            );
            for answer in P::some_answers(2).into_iter().chain(expected) {
                let operation = Operation {
                    call: call.clone(),
                    answer,
                };
                let step = offered.iter().find(|(offered, _)| *offered == operation);
                let to = step.map(|(_, to)| to.clone());
                assert_eq!(
                    successor(&object, state, &operation),
                    to,
                    "{operation:?} {state:?}"
                );
            }
        }
        let calls = P::calls(2);
        assert!(
            offered
                .iter()
                .all(|(operation, _)| calls.contains(&operation.call))
        );
    }
}

/// Claims of `commute`, `only_looks` and `tells` are right on the states of a small domain. Returns the number of claims of
/// each, so that a test sees them.
fn claims_are_right<P: Plain>() -> [usize; 3] {
    let object = Operations(P::pair(3).0);
    let states = few_states::<P>(&object, 120);
    let calls = P::calls(3);
    let mut claims = [0; 3];
    let after = |state: &_, call: &CallOf<P>| -> Vec<_> {
        let of = |answer: AnswerOf<P>| {
            let operation = Operation {
                call: call.clone(),
                answer: answer.clone(),
            };
            let to = successor(&object, state, &operation).expect("it is an answer");
            (answer, to)
        };
        answers(&object, state, call).into_iter().map(of).collect()
    };
    for call in &calls {
        if object.0.only_looks(call) {
            claims[1] += 1;
            for state in &states {
                assert!(
                    after(state, call).iter().all(|(_, to)| to == state),
                    "{call:?} {state:?}"
                );
            }
        }
        if !<AnswerOf<P> as AnswerTo<_>>::tells(call) {
            claims[2] += 1;
            let all = states
                .iter()
                .flat_map(|state| answers(&object, state, call));
            assert_eq!(all.collect::<HashSet<_>>().len(), 1, "{call:?}");
        }
    }
    for one in &calls {
        for other in &calls {
            let commute = |one: &CallOf<P>, other: &CallOf<P>| {
                let [one, other] = [one, other].map(|call| Called {
                    call: call.clone(),
                    answer: None,
                });
                object.commute(&one, &other)
            };
            assert_eq!(commute(one, other), commute(other, one));
            let parts = [one, other].map(|call| object.0.part(call));
            assert_eq!(parts[0].is_some(), parts[1].is_some());
            if parts[0] != parts[1] {
                assert!(commute(one, other), "{one:?} {other:?}");
            }
            if !commute(one, other) {
                continue;
            }
            claims[0] += 1;
            for state in &states {
                let alone = answers(&object, state, other);
                for (answer, between) in after(state, one) {
                    // Answers of the other are the same, none if it is not possible.
                    assert_eq!(
                        answers(&object, &between, other),
                        alone,
                        "{one:?} {other:?} {state:?}"
                    );
                    for (other_answer, to) in after(&between, other) {
                        let mut first = after(state, other).into_iter();
                        let first = first.find(|(first, _)| *first == other_answer);
                        let (_, between) = first.expect("it was possible");
                        let swapped = after(&between, one);
                        assert!(
                            swapped.contains(&(answer.clone(), to)),
                            "{one:?} {other:?} {state:?}"
                        );
                    }
                }
            }
        }
    }
    claims
}

/// True if some sequence of these operations, each once or not at all, leads to a state in which an operation is possible.
fn has_hope<S: Sequential>(
    object: &Operations<S>,
    state: &S::State,
    operation: &Called<S::Call, S::Answer>,
    others: &[&Called<S::Call, S::Answer>],
) -> bool {
    let after = |operation: &Called<S::Call, S::Answer>| -> Vec<S::State> {
        let fits = |answer: &_| {
            operation
                .answer
                .as_ref()
                .is_none_or(|known| known == answer)
        };
        let possible = answers(object, state, &operation.call).into_iter();
        let possible = possible.filter(fits).map(|answer| Operation {
            call: operation.call.clone(),
            answer,
        });
        possible
            .filter_map(|operation| successor(object, state, &operation))
            .collect()
    };
    !after(operation).is_empty()
        || others.iter().enumerate().any(|(at, other)| {
            let rest = [&others[..at], &others[at + 1..]].concat();
            after(other)
                .into_iter()
                .any(|to| has_hope(object, &to, operation, &rest))
        })
}

/// States that are said to be hopeless for an operation are: no sequence of other operations makes it possible. Returns the number of
/// them.
fn hopeless_states_have_no_hope<P: Plain>() -> usize {
    let mut found = 0;
    for seed in 0..3000 {
        let mut random = Generator::numbered(seed, 5);
        let domain = 2 + random.below(2) as u32;
        let (object, mut plain) = P::pair(domain);
        let object = Operations(object);
        let mut state = object.0.initial();
        let mut others = Vec::new();
        let said = random.below(3);
        for number in 0..said + random.below(5) {
            let call = plain.call(0, domain, &mut random);
            let Some(answer) = plain.execute(&call) else {
                continue;
            };
            let answered = Operation { call, answer };
            if number < said {
                state = successor(&object, &state, &answered).expect("it was possible");
            } else {
                others.push(Called::from(answered));
            }
        }
        let call = plain.call(0, domain, &mut random);
        let all = P::some_answers(domain);
        let wrong = all[random.below(all.len())].clone();
        let answer = plain.execute(&call).filter(|_| random.below(4) > 0);
        let answer = Some(answer.unwrap_or(wrong));
        let operation = Called { call, answer };
        if !others.is_empty() {
            let number = random.below(others.len());
            match random.below(3) {
                0 => drop(others.remove(number)),
                1 => others[number].answer = None,
                _ => (),
            }
        }
        others.push(operation.clone());
        let matter = others
            .iter()
            .filter(|other| object.matters(&operation, other));
        let is_said = object.confirms(&operation) && object.is_hopeless(&state, &operation, matter);
        let others: Vec<_> = others.iter().collect();
        let has_hope = has_hope(&object, &state, &operation, &others);
        assert!(!is_said || !has_hope, "{state:?} {operation:?} {others:?}");
        found += usize::from(is_said);
    }
    found
}

/// Settings of a history.
struct Shape {
    threads: usize,
    /// Greatest number of operations under way at a time.
    under_way: usize,
    operations: usize,
    domain: u32,
    losses: Losses,
}

/// Number of operations of which one, on the average, loses something.
struct Losses {
    ends: usize,
    answers: usize,
}

/// Operation of a thread that is under way.
enum Stage<C, A> {
    Begun(C),
    Done(C, A),
}

/// Time at which an operation began, and how far it is.
type Begun<P> = (u64, Stage<CallOf<P>, AnswerOf<P>>);

/// History of a plain object under a lock. An answer or an end is lost now and then; an operation that waits for ever has no end.
fn history<P: Plain>(plain: &mut P, shape: &Shape, random: &mut Generator) -> Vec<EventOf<P>> {
    struct Thread<P: Plain> {
        place: u64,
        has_ended: bool,
        stage: Option<Begun<P>>,
    }
    let one = |_| Thread::<P> {
        place: 0,
        has_ended: false,
        stage: None,
    };
    let mut threads: Vec<_> = (0..shape.threads).map(one).collect();
    let (mut events, mut begun, mut time) = (Vec::new(), 0, 0);
    for _ in 0..shape.operations * 40 {
        time += random.below(2) as u64;
        let under_way = threads
            .iter()
            .filter(|thread| thread.stage.is_some())
            .count();
        let number = random.below(shape.threads);
        let thread = &mut threads[number];
        let (thread_number, place) = (number as u32, thread.place);
        let mut record = |begin, end, call, answer| {
            events.push(Event {
                thread: thread_number,
                place,
                begin,
                end,
                event: Some(Called { call, answer }),
            });
        };
        thread.stage = match thread.stage.take() {
            None if thread.has_ended || begun == shape.operations => None,
            None if under_way >= shape.under_way => None,
            None => {
                begun += 1;
                let owner = thread_number % shape.domain;
                Some((time, Stage::Begun(plain.call(owner, shape.domain, random))))
            }
            Some((begin, Stage::Begun(call))) if random.below(2 * shape.losses.ends) == 0 => {
                // It takes no effect.
                thread.has_ended = true;
                record(begin, None, call, None);
                None
            }
            Some((begin, Stage::Begun(call))) => match plain.execute(&call) {
                Some(answer) => Some((begin, Stage::Done(call, answer))),
                None => Some((begin, Stage::Begun(call))),
            },
            Some((begin, Stage::Done(call, answer))) => {
                let end = (random.below(shape.losses.ends) > 0).then_some(time);
                thread.has_ended = end.is_none();
                let is_known = random.below(shape.losses.answers) > 0;
                record(begin, end, call, is_known.then_some(answer));
                thread.place += 1;
                None
            }
        };
    }
    for (number, thread) in (0..).zip(threads) {
        let (begin, call) = match thread.stage {
            None => continue,
            Some((begin, Stage::Begun(call) | Stage::Done(call, _))) => (begin, call),
        };
        let event = Some(Called { call, answer: None });
        events.push(Event {
            thread: number,
            place: thread.place,
            begin,
            end: None,
            event,
        });
    }
    events.sort_by_key(|event| event.begin);
    events
}

/// Answer to whether the events have an order; none if that takes too many configurations.
fn is_accepted<P: Plain>(
    object: P::Object,
    events: &[EventOf<P>],
    random: &mut Generator,
) -> Option<bool> {
    let settings = Settings {
        crowd: [1, 100, usize::MAX][random.below(3)],
        configurations: 1 << 13,
        ..Settings::default()
    };
    let validation = validated(&Operations(object), events, &settings);
    assert_eq!(
        (&validation.panicked, &validation.disagreement),
        (&None, &None)
    );
    match validation.outcome {
        Outcome::Behaviour => Some(true),
        Outcome::Refuted(_) => Some(false),
        Outcome::Undecided(Limit::States(_)) => None,
        other => panic!("{other:?} {events:?}"),
    }
}

/// True if the plain object has an order of the events: all are tried.
fn has_an_order<P: Plain>(plain: &P, events: &[EventOf<P>], taken: u32) -> bool {
    let is_taken = |at: usize| taken >> at & 1 == 1;
    let left = || (0..events.len()).filter(|at| !is_taken(*at));
    if left().all(|at| events[at].end.is_none()) {
        return true;
    }
    left().any(|at| {
        let event = &events[at];
        let mut others = left();
        let may_come = others.all(|other| {
            let other = &events[other];
            let is_earlier = other.thread == event.thread && other.place < event.place;
            !is_earlier && other.end.is_none_or(|end| end >= event.begin)
        });
        let Called { call, answer } = event.event.as_ref().expect("it is recorded");
        let fits = |found: &_| answer.as_ref().is_none_or(|answer| answer == found);
        let mut outcomes = plain.outcomes(call).into_iter();
        may_come
            && outcomes
                .any(|(after, found)| fits(&found) && has_an_order(&after, events, taken | 1 << at))
    })
}

/// The histories of many threads that use the plain object under a lock are linearizable: none is refused, and most are decided.
fn accepts_what_happened<P: Plain>() {
    let mut undecided = 0;
    for seed in 0..40 {
        let mut random = Generator::numbered(seed, 2);
        let threads = 4 + random.below(67);
        let shape = Shape {
            threads,
            under_way: 2 + random.below(3),
            operations: 20 + random.below(120),
            domain: [5, 100][random.below(2)],
            losses: Losses {
                ends: 120,
                answers: 120,
            },
        };
        let (object, mut plain) = P::pair(shape.domain);
        let events = history(&mut plain, &shape, &mut random);
        match is_accepted::<P>(object, &events, &mut random) {
            Some(is_accepted) => assert!(is_accepted, "seed {seed}: {events:?}"),
            None => undecided += 1,
        }
    }
    assert!(undecided < 20, "{undecided}");
}

/// Verdicts on small histories, most of which have a wrong answer, are those of a search over all orders.
fn decides_as_a_search_over_all_orders<P: Plain>() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..2000 {
        let mut random = Generator::numbered(seed, 3);
        let threads = 2 + random.below(3);
        let shape = Shape {
            threads,
            under_way: threads,
            operations: 3 + random.below(6),
            domain: 2 + random.below(2) as u32,
            losses: Losses {
                ends: 12,
                answers: 8,
            },
        };
        let (object, mut plain) = P::pair(shape.domain);
        let before = plain.clone();
        let mut events = history(&mut plain, &shape, &mut random);
        let all = P::some_answers(shape.domain);
        if random.below(4) > 0 {
            let known = events.iter_mut().filter_map(|event| event.event.as_mut());
            let mut known: Vec<_> = known.filter_map(|called| called.answer.as_mut()).collect();
            if !known.is_empty() {
                let number = random.below(known.len());
                *known[number] = all[random.below(all.len())].clone();
            }
        }
        let expected = has_an_order(&before, &events, 0);
        let found = is_accepted::<P>(object, &events, &mut random);
        assert_eq!(found, Some(expected), "seed {seed}: {events:?}");
        *if expected {
            &mut accepted
        } else {
            &mut refused
        } += 1;
    }
    assert!(accepted > 400 && refused > 200, "{accepted} {refused}");
}

/// Register, 1 at first, of which a write takes effect later than it answers, by the next compare-and-swap of its thread.
fn delayed_register() -> Delayed<Operations<<PlainRegister as Plain>::Object>> {
    Delayed {
        object: Operations(PlainRegister::pair(2).0),
        effect: |called| match called.call {
            Access::Write(_) => Effect::Delayed,
            Access::Read => Effect::Within,
            Access::CompareAndSwap { .. } => Effect::Draining,
        },
    }
}

/// A write that has not taken effect is that of its thread, however many come and go after it.
#[test]
fn a_delayed_call_is_that_of_its_thread_among_many() {
    let register = delayed_register();
    let swap = Access::CompareAndSwap { from: 1, to: 1 };
    let event = |thread, place, begin, call, answer| {
        event_in(
            thread,
            place,
            begin..=begin,
            Called {
                call,
                answer: Some(answer),
            },
        )
    };
    for (last, is_accepted) in [(200, true), (0, false)] {
        let write = event(0, 0, 0, Access::Write(0), Answer::Nothing);
        let others = (1..150).map(|thread| event(thread, 0, thread.into(), swap, Answer::Is(true)));
        let place = u64::from(last == 0);
        let last = event(last, place, 200, swap, Answer::Is(true));
        let events: Vec<_> = [write].into_iter().chain(others).chain([last]).collect();
        let found = is_behaviour(&register, &events, &Settings::default());
        assert_eq!(found, is_accepted);
    }
}

#[test]
fn delayed_calls_take_effect_later() {
    let (_, plain) = PlainRegister::pair(2);
    let register = delayed_register();
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..2_000 {
        let mut random = Generator::numbered(seed, 7);
        let threads = 1 + random.below(3);
        let mut free = vec![(0, 0); threads];
        let mut time = 0;
        let mut events = Vec::new();
        for _ in 0..1 + random.below(7) {
            let thread = random.below(threads);
            let (place, after) = free[thread];
            time += random.below(2) as u64;
            let begin = time.max(after);
            time = begin;
            let end = begin + random.below(6) as u64;
            free[thread] = (place + 1, end);
            let call = plain.call(0, 2, &mut random);
            let answer = match call {
                Access::Read => Some(Answer::Value(random.below(2) as u32)),
                Access::Write(_) => Some(Answer::Nothing),
                Access::CompareAndSwap { .. } => Some(Answer::Is(random.below(2) == 0)),
            };
            let answer = answer.filter(|_| random.below(8) > 0);
            events.push(event_in(
                thread as u32,
                place,
                begin..=end,
                Called { call, answer },
            ));
        }
        let expected = Oracle::new(&register, &events, None).accepts();
        let found = is_behaviour(&register, &events, &Settings::default());
        assert_eq!(found, expected, "{seed}: {events:?}");
        if expected {
            accepted += 1
        } else {
            refused += 1
        }
    }
    assert!(accepted > 400 && refused > 400, "{accepted} {refused}");
}

/// A refusal with which the object does something does not determine the state after it.
#[test]
#[should_panic = "is a refusal, and changes the state"]
fn a_refusal_changes_nothing() {
    let queue = MayRefuse {
        object: PlainBounded::pair(2).0,
        refusal: |call| matches!(call, Push(_)).then_some(Answer::Is(true)),
    };
    let initial = queue.initial();
    steps(&Operations(queue), &initial);
}

/// An operation that was not recorded is one with values of the domain.
#[test]
fn an_unrecorded_operation_has_a_value_of_the_domain() {
    let popped = Called {
        call: Pop,
        answer: Some(Answer::Value(7)),
    };
    let events = [None, Some(popped)].into_iter().zip(0..);
    let events = events.map(|(event, place)| Event {
        thread: 0,
        place,
        begin: 2 * place,
        end: Some(2 * place + 1),
        event,
    });
    let events: Vec<_> = events.collect();
    for (values, verdict) in [(vec![7], Verdict::Holds), (vec![6], Verdict::Violated)] {
        let initial = Vec::new();
        let queue = Operations(Queue {
            initial,
            values,
            ..Queue::default()
        });
        let validation = validated(&queue, &events, &Settings::default());
        assert_eq!(validation.verdict(), verdict);
    }
}

/// A store says of states that they are hopeless for a get, and a queue for a pop.
#[test]
fn hopeless_states_are_known() {
    let said = [
        hopeless_states_have_no_hope::<PlainStore>(),
        hopeless_states_have_no_hope::<PlainFifo>(),
        hopeless_states_have_no_hope::<PlainBounded>(),
        hopeless_states_have_no_hope::<PlainWeakQueue>(),
    ];
    assert!(said.iter().all(|said| *said > 50), "{said:?}");
}

/// The tests of a specification; what its calls claim is given as the number of pairs that commute, and of calls that only
/// look, and that tell nothing, of three values or owners.
macro_rules! tests {
    ($($name:ident $plain:ty, $claims:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn agrees_with_the_plain_object() {
                super::agrees_with_the_plain_object::<$plain>();
            }

            #[test]
            fn agrees_with_itself() {
                super::agrees_with_itself::<$plain>();
            }

            #[test]
            fn claims_are_right() {
                assert_eq!(super::claims_are_right::<$plain>(), $claims);
            }

            #[test]
            fn hopeless_states_have_no_hope() {
                super::hopeless_states_have_no_hope::<$plain>();
            }

            #[test]
            fn accepts_what_happened() {
                super::accepts_what_happened::<$plain>();
            }

            #[test]
            fn decides_as_a_search_over_all_orders() {
                super::decides_as_a_search_over_all_orders::<$plain>();
            }
        }
    )*};
}

tests! {
    register PlainRegister, [3 + 16, 4, 3];
    counter PlainCounter, [9 + 1, 1, 3];
    fifo PlainFifo, [3, 0, 3];
    bounded PlainBounded, [0, 0, 0];
    lifo PlainLifo, [3, 0, 3];
    priority_queue PlainPriorityQueue, [9, 0, 3];
    set PlainSet, [54 + 3 + 7, 4, 0];
    // Of 24 calls a key, 5 only look, and 3 put.
    // Of 7 calls a key, 1 only looks, and 6 write.
    store PlainStore, [6 * 7 * 7 + 3, 3, 18];
    map PlainMap, [6 * 24 * 24 + 3 * 25 + 9, 15, 9];
    mutex PlainMutex, [0, 0, 6];
    rw_lock PlainRwLock, [36 + 24 + 6, 0, 12];
    semaphore PlainSemaphore, [0, 0, 2];
    weak_register PlainWeakRegister, [3 + 16, 4, 3];
    weak_queue PlainWeakQueue, [3, 0, 3];
    sum PlainSum, [9 + 1, 1, 3];
    relaxed PlainRelaxed, [3, 0, 3];
}
