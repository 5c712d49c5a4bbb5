//! Tests of histories of a store, in which reads confirm the order of many appends, against a search over all orders.

use std::collections::HashSet;

use refmap::explore::Limit;
use refmap::random::Generator;
use refmap::report::history::Partial;
use refmap_histories::specifications::store::Call;
use refmap_histories::specifications::{Answer, Called, Operations, Store};
use refmap_histories::{
    Event, HistoryError, Ordered, Outcome, Problem, Settings, Validation, validate,
};

type Recorded = Called<Call, Answer<String>>;

/// Operation on the only key.
#[derive(Clone, Debug)]
enum What {
    Get(Option<String>),
    Put(String),
    Append(String),
}

/// Operation between two times; without a second one it may not have taken place.
#[derive(Clone, Debug)]
struct Operation {
    thread: u32,
    begin: u64,
    end: Option<u64>,
    what: What,
}

impl What {
    /// The text after it; none if it is not possible.
    fn after(&self, text: &str) -> Option<String> {
        match self {
            Self::Get(got) => {
                let is_possible = got.as_ref().is_none_or(|got| got == text);
                is_possible.then(|| text.to_owned())
            }
            Self::Put(new) => Some(new.clone()),
            Self::Append(end) => Some(format!("{text}{end}")),
        }
    }

    fn called(&self) -> Recorded {
        let key = || "key".to_owned();
        match self {
            Self::Get(got) => Called {
                call: Call::Get(key()),
                answer: got.clone().map(Answer::Value),
            },
            Self::Put(text) => Called {
                call: Call::Put {
                    key: key(),
                    text: text.clone(),
                },
                answer: Some(Answer::Nothing),
            },
            Self::Append(text) => Called {
                call: Call::Append {
                    key: key(),
                    text: text.clone(),
                },
                answer: Some(Answer::Nothing),
            },
        }
    }
}

/// Sets of operations that some order takes, each with the text after it: all there are.
///
/// Source: Wing & Gong, *Testing and verifying concurrent objects*, JPDC 17, 1993.
fn orders(operations: &[Operation]) -> HashSet<(u32, String)> {
    let mut reached = HashSet::from([(0, String::new())]);
    let mut waiting = vec![(0, String::new())];
    while let Some((taken, text)) = waiting.pop() {
        let left = || (0..operations.len()).filter(|at| taken >> at & 1 == 0);
        for at in left() {
            let operation = &operations[at];
            let may_come = left().all(|other| {
                let other_one = &operations[other];
                let is_earlier = other_one.thread == operation.thread && other < at;
                !is_earlier && other_one.end.is_none_or(|end| end >= operation.begin)
            });
            let after = operation.what.after(&text).filter(|_| may_come);
            if let Some(after) = after.map(|text| (taken | 1 << at, text))
                && reached.insert(after.clone())
            {
                waiting.push(after);
            }
        }
    }
    reached
}

/// Set of the operations that end by a time.
fn ended(operations: &[Operation], by: u64) -> u32 {
    let all = (0..).zip(operations);
    let ended = all.filter(|(_, operation)| operation.end.is_some_and(|end| end <= by));
    ended.map(|(at, _)| 1 << at).sum()
}

/// Number of operations with an end.
fn with_end(operations: &[Operation], taken: u32) -> u64 {
    u64::from((taken & ended(operations, u64::MAX)).count_ones())
}

/// Random history of few texts or of many, of which one answer may be wrong.
fn history(random: &mut Generator, most: usize) -> Vec<Operation> {
    let threads = 2 + random.below(5);
    let is_unique = random.below(3) > 0;
    let number = 3 + random.below(most - 2);
    let [puts, gets] = [[0, 1, 3][random.below(3)], 3 + random.below(5)];
    let mut text = String::new();
    // Per thread its operation, with its begin, and whether it has taken place.
    let mut under_way: Vec<Option<(u64, What, bool)>> = vec![None; threads];
    let mut over = vec![false; threads];
    let mut operations = Vec::new();
    let (mut begun, mut time) = (0, 0);
    while begun < number || under_way.iter().any(Option::is_some) {
        time += 1;
        let thread = random.below(threads);
        match under_way[thread].take() {
            None if begun == number || over[thread] => {
                if over.iter().all(|over| *over) {
                    break;
                }
            }
            None => {
                let letter = if is_unique { begun } else { random.below(2) };
                let mut new = char::from(b'a' + letter as u8).to_string();
                if !is_unique && random.below(3) == 0 {
                    new.push('a');
                }
                begun += 1;
                let kind = random.below(6 + puts + gets);
                let what = match kind {
                    0 if !is_unique => What::Append(String::new()),
                    kind if kind < 6 => What::Append(new),
                    kind if kind < 6 + puts && !is_unique && random.below(4) == 0 => {
                        What::Put(String::new())
                    }
                    kind if kind < 6 + puts => What::Put(new),
                    _ => What::Get(None),
                };
                under_way[thread] = Some((time, what, false));
            }
            Some((begin, mut what, false)) => {
                if random.below(12) == 0 {
                    // It is lost before it takes place.
                    over[thread] = true;
                    operations.push((thread, begin, None, what));
                    continue;
                }
                text = what.after(&text).expect("any text is got");
                if let What::Get(got) = &mut what
                    && random.below(12) > 0
                {
                    *got = Some(text.clone());
                }
                under_way[thread] = Some((begin, what, true));
            }
            Some((begin, what, true)) => {
                let is_lost = random.below(12) == 0;
                over[thread] = is_lost;
                operations.push((thread, begin, (!is_lost).then_some(time), what));
            }
        }
    }
    let operations = operations.into_iter().map(|(thread, begin, end, what)| {
        let thread = thread as u32;
        Operation {
            thread,
            begin,
            end,
            what,
        }
    });
    let mut operations: Vec<_> = operations.collect();
    operations.sort_by_key(|operation| operation.begin);
    spoil(&mut operations, random);
    operations
}

/// Makes some answers wrong.
fn spoil(operations: &mut [Operation], random: &mut Generator) {
    let got = operations
        .iter_mut()
        .filter_map(|operation| match &mut operation.what {
            What::Get(Some(got)) => Some(got),
            What::Get(None) | What::Put(_) | What::Append(_) => None,
        });
    let mut got: Vec<_> = got.collect();
    if got.is_empty() || random.below(8) == 0 {
        return;
    }
    let at = random.below(got.len());
    let other = got[random.below(got.len())].clone();
    let mut letters: Vec<char> = got[at].chars().collect();
    let place = random.below(letters.len().max(1));
    match random.below(4) {
        0 => letters = other.chars().collect(),
        1 if !letters.is_empty() => drop(letters.remove(place)),
        2 if place > 0 => letters.swap(place - 1, place),
        _ => letters.push('b'),
    }
    *got[at] = letters.into_iter().collect();
}

fn decide(operations: &[Operation], settings: &Settings<'_>, has_end: bool) -> Validation {
    let mut places = [0; 32];
    let events = operations.iter().map(|operation| {
        let place = &mut places[operation.thread as usize];
        *place += 1;
        Ok(Event {
            thread: operation.thread,
            place: *place - 1,
            begin: operation.begin,
            end: operation.end,
            event: Some(operation.what.called()),
        })
    });
    let stop = (!has_end).then_some(Err(HistoryError {
        line: operations.len() as u64 + 1,
        problem: Problem::NoEnd { within_line: false },
    }));
    let events: Vec<_> = events.chain(stop).collect();
    let ordered = Ordered::new(events.into_iter());
    validate(&Operations(Store::default()), ordered, settings).expect("it is in order")
}

/// Decides a history with the outlook asked wherever there are several configurations, and compares all that is told with what a
/// search over all orders finds. Returns whether there is an order.
fn agree(seed: u64, most: usize) -> bool {
    let mut random = Generator::numbered(seed, 40);
    let operations = history(&mut random, most);
    let case = format!("seed {seed}: {operations:#?}");
    let settings = Settings {
        crowd: [1, 1, 2, 4, usize::MAX][random.below(5)],
        context: [1, 2, 3, 5, 128][random.below(5)],
        ..Settings::default()
    };
    let has_end = random.below(4) > 0;
    let validation = decide(&operations, &settings, has_end);
    let orders = orders(&operations);
    let takes = |by: u64| {
        let needed = ended(&operations, by);
        orders.iter().any(|(taken, _)| taken & needed == needed)
    };
    let refused = operations.iter().filter_map(|operation| operation.end);
    let refused = refused.filter(|end| !takes(*end)).min();
    let explanation = match &validation.outcome {
        Outcome::Behaviour => None,
        Outcome::Refuted(explanation) => Some(explanation),
        other => panic!("{other:?} {case}"),
    };
    let told = explanation.and_then(|explanation| explanation.event.as_ref()?.end);
    assert_eq!(told, refused, "{case}");
    let begun = &operations[..validation.events as usize];
    let threads: HashSet<_> = begun.iter().map(|operation| operation.thread).collect();
    let ended_ones = begun.iter().filter(|operation| operation.end.is_some());
    let ended_ones = ended_ones.count();
    let unknown = |operation: &&Operation| matches!(operation.what, What::Get(None));
    assert_eq!(validation.threads, threads.len(), "{case}");
    assert_eq!(validation.interesting, ended_ones as u64, "{case}");
    let expected = Partial {
        unknown: 0,
        open: (begun.len() - ended_ones) as u64,
        incomplete: begun.iter().filter(unknown).count() as u64,
    };
    assert_eq!(validation.partial, expected, "{case}");
    if refused.is_none() {
        // An event is in the window until its end, and until it is taken if it has none.
        let under_way = begun.iter().enumerate().map(|(at, operation)| {
            let earlier = begun[..at].iter();
            let is_under_way =
                |other: &&Operation| other.end.is_none_or(|end| end >= operation.begin);
            1 + earlier.filter(is_under_way).count()
        });
        let widest = under_way.max().unwrap_or(0);
        assert_eq!(validation.widest_window, widest, "{case}");
    }
    if let (Some(explanation), Some(end)) = (explanation, refused) {
        let is_at_stop = operations.iter().all(|operation| operation.begin <= end);
        assert_eq!(
            validation.is_refused_at_stop,
            is_at_stop && !has_end,
            "{case}"
        );
        let until = operations
            .iter()
            .filter(|operation| operation.begin <= end)
            .count();
        assert_eq!(validation.events, until as u64, "{case}");
        if let Some(limit) = explanation.cut_short {
            // An explanation goes no further than some thousands of configurations, and says so; a short history has fewer.
            assert!(limit == Limit::States(1 << 12) && most > 10, "{case}");
            return false;
        }
        let before = ended(&operations, end - 1);
        let longest = orders.iter().filter(|(taken, _)| taken & before == before);
        let longest = longest.map(|(taken, _)| with_end(&operations, *taken));
        let prefix = &explanation.prefixes[0];
        let shown = prefix.steps.iter().filter_map(|step| step.event.as_ref());
        let endless = shown.filter(|event| event.end.is_none()).count() as u64;
        assert!(prefix.events >= endless, "{case}");
        if settings.context == 128 {
            assert_eq!(Some(prefix.events - endless), longest.max(), "{case}");
        }
    }
    refused.is_none()
}

/// Verdicts, the event that is refused, and the longest prefix are those of a search over all orders.
#[test]
fn reads_confirm_orders() {
    let accepted = (0..2000).filter(|seed| agree(*seed, 10)).count();
    assert!((500..1500).contains(&accepted), "{accepted}");
}

#[test]
#[ignore = "takes minutes"]
fn nightly_reads_confirm_orders() {
    for seed in 2000..200_000 {
        agree(seed, 12);
    }
}

/// Clients of a store that append to one key, all at a time, one round after another; in each round one of them reads.
fn rounds(clients: u32, rounds: u64, has_reads: bool) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut text = String::new();
    for round in 0..rounds {
        let begin = 10 * round;
        // The last to begin is the first to take place.
        for client in (0..clients).rev() {
            text.push_str(&format!("{client}.{round} "));
        }
        for client in 0..clients {
            operations.push(Operation {
                thread: client,
                begin,
                end: Some(begin + 3),
                what: What::Append(format!("{client}.{round} ")),
            });
        }
        if has_reads {
            operations.push(Operation {
                thread: 0,
                begin: begin + 5,
                end: Some(begin + 6),
                what: What::Get(Some(text.clone())),
            });
        }
    }
    operations
}

/// Decides rounds of which the third read has this answer instead of its own; returns the line that is refused, and the number of
/// configurations.
fn decide_rounds(change: impl FnOnce(&mut Vec<&str>)) -> (Option<u64>, u64) {
    let mut operations = rounds(25, 6, true);
    let mut gets = operations
        .iter_mut()
        .filter_map(|operation| match &mut operation.what {
            What::Get(got) => got.as_mut(),
            What::Put(_) | What::Append(_) => None,
        });
    let got = gets.nth(2).expect("there are six");
    let mut texts: Vec<_> = got.split_inclusive(' ').collect();
    change(&mut texts);
    *got = texts.concat();
    let validation = decide(&operations, &Settings::default(), true);
    let line = match &validation.outcome {
        Outcome::Behaviour => None,
        Outcome::Refuted(explanation) => explanation.event.as_ref().and_then(|event| event.line),
        other => panic!("{other:?}"),
    };
    // A refusal rests on the claim of the adapter by which configurations were dropped; an order that was found does not.
    let words = validation.taken_at_word.iter();
    let told = words.filter(|word| word.contains("`is_hopeless` of the adapter"));
    assert_eq!(told.count(), usize::from(line.is_some()));
    (line, validation.configurations)
}

/// Of 25 appends at a time there are more orders than could be kept. One read tells which it was.
#[test]
fn reads_confirm_the_order_of_many_appends() {
    /// Line of the read of a round.
    fn read(round: u64) -> u64 {
        26 * round + 1
    }
    let (line, configurations) = decide_rounds(|_| ());
    assert_eq!(line, None);
    assert!(configurations < 5000, "{configurations}");
    for (change, round) in [
        // It is not what the next one says.
        ((|texts| texts.swap(60, 61)) as fn(&mut Vec<&str>), 4),
        // What had ended is not read.
        (
            |texts| {
                texts.remove(60);
            },
            3,
        ),
        (|texts| texts.truncate(74), 3),
        // Nothing of the kind was appended.
        (|texts| texts.push("."), 3),
        (|texts| texts[0] = ".", 3),
    ] {
        let (line, configurations) = decide_rounds(change);
        assert_eq!(line, Some(read(round)), "{configurations}");
        assert!(configurations < 10_000, "{configurations}");
    }
}

/// Without reads the order of appends is any, and the first that is looked for is one.
#[test]
fn appends_that_nobody_reads_have_an_order() {
    let validation = decide(&rounds(25, 6, false), &Settings::default(), true);
    assert!(matches!(validation.outcome, Outcome::Behaviour));
    assert!(validation.configurations < 200_000);
    let mut words = validation.taken_at_word.iter();
    assert!(words.all(|word| !word.contains("`is_hopeless`")));
}
