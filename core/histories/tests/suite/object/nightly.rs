//! Rates at which the default effort finds the faults, and refuses none of the sound twins.

use std::collections::BTreeMap;
use std::time::Instant;

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{Effort, test};

use super::fifo::{self, Fifo};
use super::lock::{self, Lock};
use super::mailbox::{self, Mailbox};
use super::monitor::{self, Monitor};
use super::semaphore::{self, Semaphore};
use super::stack::{self, Stack};
use super::wire::{self, Wire};
use super::{counted, pair, ring, seeded};

const SEEDS: u64 = 20;

/// Faulty objects, each with its sound twin.
trait Pairs {
    fn pair<O: Object + Clone>(&mut self, name: &str, faulty: O, sound: O);
}

fn each(pairs: &mut impl Pairs) {
    macro_rules! pair {
        ($name:literal, $Object:ident {}, $module:ident::$fault:ident) => {
            pair!($name, |fault| $Object { fault }, $module::$fault)
        };
        ($name:literal, $of:expr, $module:ident::$fault:ident) => {
            let (fault, none) = ($module::Fault::$fault, $module::Fault::None);
            pairs.pair($name, $of(fault), $of(none));
        };
    }
    pair!("lost element", ring::ring, ring::LostElement);
    pair!("ABA", Stack {}, stack::Aba);
    pair!("double pop", Fifo {}, fifo::DoublePop);
    pair!("wrong full", Wire {}, wire::WrongFull);
    pair!("wrong empty", Wire {}, wire::WrongEmpty);
    pair!("stale length", counted::counted, counted::StaleLength);
    pair!("lost wake-up", Semaphore {}, semaphore::LostWakeUp);
    pair!("torn snapshot", pair::pair, pair::TornSnapshot);
    pair!("unlock by another", Lock {}, lock::UnlockByAnother);
    pair!("spurious wake-up", Monitor {}, monitor::SpuriousWakeUp);
    pair!("missing fence", Mailbox {}, mailbox::MissingFence);
}

/// Numbers of the results of an object, with the kinds of the runs that found something.
fn results<O: Object + Clone>(object: O, seeds: u64, effort: &Effort) -> BTreeMap<String, u64> {
    let mut results = BTreeMap::new();
    for seed in 1..=seeds {
        let effort = Effort {
            seed,
            ..effort.clone()
        };
        let tested = test(object.clone(), &effort);
        let run = tested
            .finding()
            .map(|finding| format!(" by {}", finding.run));
        let result = format!("{}{}", tested.verdict(), run.unwrap_or_default());
        *results.entry(result).or_insert(0) += 1;
    }
    results
}

/// Number of them that are violated.
fn violated(results: &BTreeMap<String, u64>) -> u64 {
    let violated = Verdict::Violated.to_string();
    let violated = results
        .iter()
        .filter(|(name, _)| name.starts_with(&violated));
    violated.map(|(_, number)| number).sum()
}

#[test]
#[ignore = "minutes"]
fn nightly_faults_are_found_from_nearly_every_seed() {
    struct Found(Vec<String>);
    impl Pairs for Found {
        fn pair<O: Object + Clone>(&mut self, name: &str, faulty: O, _: O) {
            let begun = Instant::now();
            let results = results(faulty, SEEDS, &seeded(1));
            println!("{name}: {results:?} in {:.1?}", begun.elapsed());
            if violated(&results) + 1 < SEEDS {
                self.0.push(format!("{name}: {results:?}"));
            }
        }
    }
    let mut seldom = Found(Vec::new());
    each(&mut seldom);
    assert!(seldom.0.is_empty(), "{:#?}", seldom.0);
}

/// A table of what real threads find by themselves. It depends on the machine.
#[test]
#[ignore = "minutes"]
fn nightly_faults_on_real_threads_alone() {
    struct Threads;
    impl Pairs for Threads {
        fn pair<O: Object + Clone>(&mut self, name: &str, faulty: O, _: O) {
            let effort = Effort {
                programs: 0,
                tiny_programs: 0,
                patience: std::time::Duration::from_secs(1),
                ..Effort::default()
            };
            let begun = Instant::now();
            let results = results(faulty, SEEDS, &effort);
            println!("{name}: {results:?} in {:.1?}", begun.elapsed());
        }
    }
    each(&mut Threads);
}

#[test]
#[ignore = "minutes"]
fn nightly_sound_twins_are_not_refused_from_any_seed() {
    struct Refused(Vec<String>);
    impl Pairs for Refused {
        fn pair<O: Object + Clone>(&mut self, name: &str, _: O, sound: O) {
            let effort = Effort {
                alone: 1,
                runs: 2,
                calls: 1_000,
                programs: 6,
                schedules: 50,
                tiny_programs: 1,
                executions: 500,
                ..Effort::default()
            };
            let begun = Instant::now();
            let results = results(sound, 1_000, &effort);
            println!("{name}: {results:?} in {:.1?}", begun.elapsed());
            if violated(&results) > 0 {
                self.0.push(format!("{name}: {results:?}"));
            }
        }
    }
    let mut refused = Refused(Vec::new());
    each(&mut refused);
    assert!(refused.0.is_empty(), "{:#?}", refused.0);
}
