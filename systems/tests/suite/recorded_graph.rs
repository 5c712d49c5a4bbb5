//! The memory that the recorded graphs of the models take, each step labelled with its rule and its process.

use std::sync::Mutex;

use refmap::internal::explore::{Options, Record, explore};
use refmap::{Action as _, ActionOf, TransitionSystem};
use refmap_systems::ben_ari::{Level3, Scope as BenAri};
use refmap_systems::tso::{Granularity, OnTheFly, Scope as Tso, Variant};
use refmap_systems::yrc::design::{self, Design};
use refmap_testing::Labelling;

/// The bytes that a step takes, those of its state included.
fn bytes_of_a_step<S: TransitionSystem>(system: &S) -> f64 {
    let labels: Mutex<Vec<(usize, Option<u16>)>> = Mutex::default();
    // The number of its rule and process, in the order in which they turn up.
    let labelling = Labelling(|action: &ActionOf<S>| {
        let label = (action.rule(system).0, action.process(system).number);
        let mut labels = labels.lock().expect("no holder of this lock panics");
        let number = labels.iter().position(|other| *other == label);
        number.unwrap_or_else(|| {
            labels.push(label);
            labels.len() - 1
        }) as u32
    });
    let options = Options {
        record: Record::Graph,
        threads: 1,
        ..Options::default()
    };
    let explored = explore(system, &labelling, &options);
    let graph = explored.graph.expect("there is room for the graph");
    graph.bytes() as f64 / graph.len() as f64
}

#[test]
fn a_recorded_step_takes_few_bytes() {
    let ben_ari = bytes_of_a_step(&Level3::new(BenAri::new(3, 2, 1)));
    let scope = Tso::new(1, 1, Granularity::Fine);
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
