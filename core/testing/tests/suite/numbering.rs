//! States are met in the order of a sequential search, whatever the threads: what leads to a state is the first step
//! that does.

use std::collections::HashMap;

use refmap::explore::Storage;
use refmap::obligation::Selection;
use refmap::{Refinement, Settings, TransitionSystem, Verdict, check};
use refmap_testing::with_invariant;
use serde_json::json;

/// Layers of states, each of which is reached from two of the layer before, which threads may well come to in the
/// wrong order: they are as far from each other as states that are expanded together.
struct Layers;

/// The states of a layer, and the layers behind the first state.
const WIDTH: u32 = 1 << 14;
const LAYERS: u32 = 4;

/// The target of a step of a state, by its number.
fn target(from: u32, step: u32) -> Option<u32> {
    match from.checked_sub(1) {
        None => (step < WIDTH).then_some(1 + step),
        Some(from) if from >= (LAYERS - 1) * WIDTH => None,
        Some(from) => {
            let (layer, place) = (from / WIDTH, from % WIDTH);
            let pair = place / 512 * 256 + place % 256;
            let first = 1 + (layer + 1) * WIDTH + pair;
            (step < 2).then_some(first + step * WIDTH / 2)
        }
    }
}

impl TransitionSystem for Layers {
    type State = u32;
    type Action = u32;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        visit(0);
    }

    fn candidates(&self, from: &u32, visit: &mut impl FnMut(u32)) {
        let steps = if *from == 0 { WIDTH } else { 2 };
        (0..steps).for_each(visit);
    }

    fn fire(&self, step: &u32, state: &mut u32) -> Option<()> {
        *state = target(*state, *step)?;
        Some(())
    }

    fn observe(&self, _: &u32) {}
}

/// The layers as an implementation of themselves, with a state that should not be reached.
fn layers(goal: u32) -> impl Refinement {
    with_invariant(Layers, "elsewhere", move |state: &u32| *state != goal)
}

/// First predecessor of each state, found by a search so plain that it is right.
fn first_sources() -> HashMap<u32, u32> {
    let mut sources = HashMap::from([(0, 0)]);
    let mut all = vec![0];
    let mut next = 0;
    while next < all.len() {
        let from = all[next];
        for to in (0..WIDTH).map_while(|step| target(from, step)) {
            if let std::collections::hash_map::Entry::Vacant(entry) = sources.entry(to) {
                entry.insert(from);
                all.push(to);
            }
        }
        next += 1;
    }
    sources
}

#[test]
fn a_state_is_reached_by_the_first_step_that_leads_to_it() {
    let sources = first_sources();
    assert_eq!(sources.len() as u32, LAYERS * WIDTH + 1);
    for goal in
        [WIDTH / 4, WIDTH / 2 - 1, WIDTH - 100].map(|place| 1 + (LAYERS - 1) * WIDTH + place)
    {
        let mut expected = vec![goal];
        while expected[0] != 0 {
            expected.insert(0, sources[&expected[0]]);
        }
        for (storage, threads) in [
            (Storage::Packed, 1),
            (Storage::Packed, 2),
            (Storage::Packed, 3),
            (Storage::Whole, 2),
        ] {
            let settings = Settings {
                storage,
                threads,
                obligations: Selection::only(["invariant"]),
                ..Settings::default()
            };
            let report = check(&layers(goal), &settings).expect("the settings fit");
            assert_eq!(report.verdict, Some(Verdict::Violated));
            let shown = report.counterexample.expect("the goal is reached");
            let shown: Vec<_> = shown.steps.iter().map(|step| step.state.clone()).collect();
            let expected: Vec<_> = expected.iter().map(|state| json!(state)).collect();
            assert_eq!(shown, expected, "{storage:?} {threads}");
        }
    }
}
