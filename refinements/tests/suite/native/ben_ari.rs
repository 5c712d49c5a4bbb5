//! Validation of histories of Ben-Ari's native collector against "collect only garbage".

use refmap::{TransitionSystem, Verdict, successor};
use refmap_histories::{Event as Recorded, HistoryError, Ordered, Recorder, Settings, validate};
use refmap_refinements::native::ObservedMemory;
use refmap_systems::ben_ari::{AppendToFree, Level0, Memory, Scope, level_0};
use refmap_systems::native::ben_ari::{Bounds, BoundsError, Event, Fault, run};
use refmap_systems::native::free_list::{Action, Cells, FreeList};

const BOUNDS: Bounds = Bounds {
    nodes: 6,
    sons: 2,
    roots: 2,
};

type History = Vec<Recorded<Event>>;

fn recorded(fault: Fault, seed: u64, steps: u64) -> (History, bool) {
    let recorder = Recorder::new();
    let outcome = run(BOUNDS, fault, seed, steps, Some(&recorder), || true);
    let outcome = outcome.expect("the memory can be");
    (recorder.finish(), outcome.violation.is_some())
}

fn decided(history: &[Recorded<Event>]) -> (Verdict, String) {
    validated(history).expect("the history is in order")
}

fn validated(history: &[Recorded<Event>]) -> Result<(Verdict, String), HistoryError> {
    let observed = ObservedMemory::new(BOUNDS).expect("the memory can be");
    let events = Ordered::of(history.iter().cloned());
    let report = validate(&observed, events, &Settings::default())?.report();
    let found = report.counterexample.map(|found| found.explanation);
    let verdict = report.verdict.expect("there is one");
    Ok((verdict, found.unwrap_or_default()))
}

#[test]
fn ben_ari_histories_are_accepted() {
    let (history, failed) = recorded(Fault::None, 1, 20_000);
    assert!(!failed);
    let is_append = |event: &&Recorded<Event>| matches!(event.event, Some(Event::Append { .. }));
    assert!(history.iter().filter(is_append).count() > 10);
    assert_eq!(decided(&history).0, Verdict::Holds);
}

/// One pass over the memory does not reach every node.
#[test]
fn ben_ari_faults_are_refused() {
    let mut seeds = 0..;
    let history = seeds.find_map(|seed| {
        let (history, failed) = recorded(Fault::NoCount, seed, 200_000);
        failed.then_some(history)
    });
    let (verdict, why) = decided(&history.expect("some run fails"));
    assert_eq!(verdict, Verdict::Violated);
    assert!(why.contains("is accessible"), "{why}");
}

#[test]
fn ben_ari_histories_are_not_accepted_whatever_they_say() {
    let (history, _) = recorded(Fault::None, 2, 5_000);
    let changed = |to: Event| {
        let mut history = history.clone();
        let mut events = history.iter_mut().filter_map(|event| event.event.as_mut());
        let is_append = |event: &&mut Event| matches!(event, Event::Append { .. });
        *events.find(is_append).expect("something is appended") = to;
        validated(&history)
    };
    let appended = changed(Event::Append { node: 0 });
    let (verdict, why) = appended.expect("there is such a node");
    assert_eq!(verdict, Verdict::Violated);
    assert!(why.contains("node 0 is accessible: 0"), "{why}");
    let redirected = changed(Event::Redirect {
        node: 0,
        son: 1,
        to: BOUNDS.nodes,
    });
    let error = redirected.expect_err("there is no such node").to_string();
    assert!(error.contains("node 6"), "{error}");
    // Nothing was appended, or nothing happened: nothing to say.
    let quiet: History = history
        .into_iter()
        .filter(|event| matches!(event.event, Some(Event::Redirect { to: 0, .. })))
        .enumerate()
        .map(|(place, event)| Recorded {
            place: place as u64,
            ..event
        })
        .collect();
    assert!(!quiet.is_empty());
    assert_eq!(decided(&quiet).0, Verdict::Incomplete);
    assert_eq!(decided(&[]).0, Verdict::Incomplete);
    let (nodes, sons, roots) = (3, 1, 4);
    let error = ObservedMemory::new(Bounds { nodes, sons, roots }).err();
    assert_eq!(error, Some(BoundsError { nodes, sons, roots }));
}

/// The specification has the same steps as level 0 on common memories.
#[test]
fn the_specification_is_level_0() {
    let native = FreeList {
        bounds: Bounds {
            nodes: 3,
            sons: 2,
            roots: 1,
        },
    };
    let model = Level0 {
        scope: Scope::new(3, 2, 1),
        append: AppendToFree::FreeList,
    };
    let cells_of = |memory: &Memory| -> Vec<u8> {
        let cells = memory.shape.cells();
        cells.map(|(node, son)| memory.son(node, son)).collect()
    };
    let listed = |cells: &Cells| -> Vec<u8> {
        let value = serde_json::to_value(cells).expect("it is a list");
        serde_json::from_value(value).expect("its numbers are small")
    };
    let mut layer = Vec::new();
    native.initial(&mut |cells| model.initial(&mut |memory| layer.push((cells.clone(), memory))));
    let (mut seen, mut appends) = (layer.clone(), 0);
    for _ in 0..4 {
        let mut further = Vec::new();
        for (cells, memory) in &layer {
            assert_eq!(listed(cells), cells_of(memory));
            let mut steps: Vec<(Action, Cells)> = Vec::new();
            native.next(cells, &mut |action, to| {
                assert_eq!(successor(&native, cells, &action).as_ref(), Some(to));
                steps.push((action, to.clone()));
            });
            model.next(memory, &mut |action, to| {
                let action = match action {
                    level_0::Action::Mutate { n, i, k, .. } => Action::Mutate {
                        node: n.into(),
                        son: i.into(),
                        to: k.into(),
                    },
                    level_0::Action::Append { n } => {
                        appends += 1;
                        Action::Append { node: n.into() }
                    }
                };
                let at = steps.iter().position(|(other, _)| *other == action);
                let (_, cells) = steps.swap_remove(at.expect("both have the step"));
                let reached = (cells, *to);
                if !seen.contains(&reached) && further.len() < 100 {
                    seen.push(reached.clone());
                    further.push(reached);
                }
            });
            assert_eq!(steps, [], "the model has no such step");
        }
        layer = further;
    }
    assert!(appends > 20, "{appends}");
}
