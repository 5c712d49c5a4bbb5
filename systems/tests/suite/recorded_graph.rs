//! The memory that the recorded graphs of the models take, each step labelled with its rule and its process.

use std::sync::Mutex;

use refmap::explore::{Options, Panic, Place, Record, Visitor, explore};
use refmap::{ActionOf, StateOf, TransitionSystem};
use refmap_processes::DeadRegisters;
use refmap_systems::ben_ari::{Level3, Scope as BenAri};
use refmap_systems::tso::{Granularity, Initial, OnTheFly, Scope as Tso, Variant};
use refmap_systems::yrc::design::{self, Design};

/// Labels a step with the number of its rule and process, in the order in which they turn up.
struct Labelled<'a, S> {
    system: &'a S,
    labels: Mutex<Vec<(usize, Option<u16>)>>,
}

impl<S: TransitionSystem> Visitor<S> for Labelled<'_, S> {
    type Tally = ();
    type Image = ();

    fn tally(&self) {}
    fn merge(&self, (): &mut (), (): ()) {}
    fn examine(&self, (): &mut (), _: Place, _: &StateOf<S>) {}
    fn image(&self, (): &mut (), _: &StateOf<S>) {}
    fn step(
        &self,
        (): &mut (),
        _: Place,
        _: (&StateOf<S>, &()),
        action: &ActionOf<S>,
        _: &StateOf<S>,
    ) -> u32 {
        let rule = self.system.rule_of(action).0;
        let label = (rule, self.system.process_of(action).number);
        let mut labels = self.labels.lock().expect("no holder of this lock panics");
        let number = labels.iter().position(|other| *other == label);
        number.unwrap_or_else(|| {
            labels.push(label);
            labels.len() - 1
        }) as u32
    }
    fn leave(&self, (): &mut (), _: Place, _: &StateOf<S>, _: u32) {}
    fn panicked(&self, (): &mut (), _: Place, _: Panic) {}
    fn stop(&self, (): &()) -> Option<u32> {
        None
    }
}

/// The bytes that a step takes, those of its state included.
fn bytes_of_a_step(system: &impl TransitionSystem) -> f64 {
    let labelled = Labelled {
        system,
        labels: Mutex::default(),
    };
    let options = Options {
        record: Record::Graph,
        threads: 1,
        ..Options::default()
    };
    let explored = explore(system, &labelled, &options);
    let graph = explored.graph.expect("there is room for the graph");
    graph.bytes() as f64 / graph.len() as f64
}

#[test]
fn a_recorded_step_takes_few_bytes() {
    let ben_ari = bytes_of_a_step(&Level3::new(BenAri::new(3, 2, 1)));
    let scope = Tso {
        mutators: 1,
        refs: 1,
        fields: 1,
        buffer: 1,
        collector_buffer: 4,
        initial: Initial::Canonical,
        granularity: Granularity::Fine,
        registers: DeadRegisters::Cleared,
    };
    let tso = OnTheFly::new(scope, Variant::default()).expect("it is in range");
    let tso = bytes_of_a_step(&tso);
    let yrc = bytes_of_a_step(&Design {
        objects: 1,
        fields: 1,
        mutators: 1,
        queue: 2,
        stripes: 1,
        variant: design::Variant::default(),
    });
    // Where states have three steps each, what is kept of a state tells.
    for (a_step, most) in [(ben_ari, 3.2), (tso, 5.3), (yrc, 4.2)] {
        assert!(a_step <= most, "{ben_ari} {tso} {yrc}");
    }
}
