//! Accesses of the x86-TSO model: each is an execution of the model, and each refusal states a true reason.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use refmap::random::Generator;
use refmap::{Action as _, TransitionSystem, successor};
use refmap_histories::{Happening, Observed};
use refmap_refinements::native::ObservedModel;
use refmap_systems::native::model::{Action, Followed, Model};
use refmap_systems::native::on_the_fly::{Event, Reference, Stage};
use refmap_systems::tso::{Access, HandshakeRound, State, Who};

/// Whether a state is reachable from another one by steps of accepted processes, by naive search.
fn is_run(model: &Model, from: &Followed, to: &State, is_meant: impl Fn(&str) -> bool) -> bool {
    let mut seen = HashSet::from([from.model]);
    let mut work = VecDeque::from([from.model]);
    while let Some(state) = work.pop_front() {
        if state == *to {
            return true;
        }
        model.access_model().model().next(&state, &mut |act, next| {
            if is_meant(&act.process.to_string()) && seen.len() < 50_000 && seen.insert(*next) {
                work.push_back(*next);
            }
        });
    }
    false
}

/// Two mutators, of which the first stores a reference to an object in another object, and discards it as a root.
fn chaining() -> [Action; 10] {
    let by = Who::Mutator(0);
    let take = |access| Action::Take { by, access };
    let (reference, src, field, value) = (1, 0, 0, Some(1));
    [
        join(0),
        join(1),
        alloc(0),
        alloc(1),
        take(Access::Overwrite {
            src,
            field,
            was: None,
            value,
        }),
        take(Access::LoadFm {
            reference,
            fm: false,
        }),
        take(Access::LoadMark {
            reference,
            mark: false,
        }),
        take(Access::Store { src, field, value }),
        Action::Commit { of: by },
        take(Access::Discard { reference }),
    ]
}

/// The thread of the same number becomes a mutator.
fn join(mutator: u8) -> Action {
    Action::Join {
        mutator,
        thread: mutator.into(),
        owes: None,
    }
}

/// The first mutator gets an object.
fn alloc(slot: u32) -> Action {
    Action::Alloc {
        mutator: 0,
        reference: Reference {
            slot,
            generation: 0,
        },
        mark: Some(false),
    }
}

/// The state after a sequence of actions.
fn reached(model: &Model, actions: &[Action]) -> Followed {
    let mut state = None;
    model.initial(&mut |initial| state = Some(initial));
    let mut state = state.expect("there is one");
    for action in actions {
        let to = successor(model, &state, action);
        state = to.unwrap_or_else(|| panic!("{action:?}\n{}", state.model.draw()));
    }
    state
}

/// Each refusal states a true reason.
#[test]
fn a_refusal_tells_what_is_so() {
    let model = Model::new(2, 3, 1).expect("the model has such an instance");
    let observed = ObservedModel::new(model);
    let model = observed.specification();
    let told = |actions: &[Action], thread, event, reason: &str| {
        let from = reached(model, actions);
        let happening = Happening {
            thread,
            place: 0,
            event: &event,
            pending: &[],
        };
        observed.shows(&from, &happening, &mut |action| {
            let action = action.unwrap_or_else(|| panic!("{event:?} is nothing"));
            assert_eq!(successor(model, &from, &action), None, "{event:?}");
        });
        let refusal = observed.refusal(&from, &happening);
        assert!(refusal.contains(reason), "{event:?}: {refusal}");
    };
    let all = chaining();
    let [at_rest, storing, sensed, stored] = [4, 5, 6, 8].map(|taken| &all[..taken]);
    let [zero, one, free] = [0, 1, 2].map(|slot| Reference {
        slot,
        generation: 0,
    });
    let joining = |owes| Event::Join { owes };
    told(at_rest, 0, joining(None), "thread 0 is a mutator already");
    told(
        at_rest,
        2,
        joining(None),
        "more mutators than the header says",
    );
    let owing = joining(Some(Stage::Idle));
    told(&all[..1], 1, owing, "nobody owes the answer");
    let hold = |reference| Event::Hold { reference };
    told(at_rest, 0, hold(zero), "no other mutator holds #0.0");
    told(at_rest, 1, hold(free), "#2.0 is no object");
    told(storing, 0, hold(zero), "`insertion: load fM` next");
    told(storing, 0, Event::Leave, "`insertion: load fM` next");
    told(stored, 0, Event::Leave, "stores of its own are pending");
    // What is marked is the other object.
    let sense = |reference| Event::Sense {
        reference,
        fm: true,
    };
    told(storing, 0, sense(one), "fM is 0");
    told(storing, 0, sense(zero), "`insertion: load fM` next");
    let look = |reference| Event::Look {
        reference,
        mark: true,
    };
    told(sensed, 0, look(one), "its mark is 0");
    told(sensed, 0, look(zero), "`insertion: load mark` next");
    // The collector loads `fM`, and marks nothing: all mutators have gone, and answer at once.
    let gc = |access| Action::Take {
        by: Who::Gc,
        access,
    };
    let flipping = [
        join(0),
        alloc(0),
        Action::Leave { mutator: 0 },
        gc(Access::Fence),
        gc(Access::Ask(HandshakeRound::Idle)),
        gc(Access::Answered(HandshakeRound::Idle)),
    ];
    told(&flipping, 9, sense(zero), "`flip: load fM` next");
}

/// Each access is an execution of the model, by steps of one process and of the memory. Tested on random walks that
/// avoid repetitive steps.
#[test]
fn accesses_are_runs_of_the_model() {
    let model = Model::new(2, 2, 1).expect("the model has such an instance");
    let mut random = Generator::new(3);
    let mut taken: HashMap<usize, usize> = HashMap::new();
    for _ in 0..12 {
        let mut state = reached(&model, &chaining());
        for _ in 0..1000 {
            let mut steps = Vec::new();
            model.next(&state, &mut |action, to| {
                assert_eq!(successor(&model, &state, &action), Some(*to));
                steps.push((action, *to));
            });
            // Rules alike, and with roots to mark.
            let rules: BTreeSet<_> = steps.iter().map(|(a, _)| a.rule(&model).0).collect();
            let rules: Vec<_> = rules.into_iter().collect();
            let rule = rules[random.below(rules.len())];
            steps.retain(|(action, _)| action.rule(&model).0 == rule);
            let (action, to) = steps[random.below(steps.len())];
            // Mutators that are mostly at rest, so that the collector gets to mark what they do not hold.
            let is_rare = match action {
                Action::Take { access, .. } => matches!(
                    access,
                    Access::Discard { .. } | Access::Load { .. } | Access::Overwrite { .. }
                ),
                Action::Alloc { .. } | Action::Hold { .. } => true,
                _ => false,
            };
            if matches!(action, Action::Leave { .. }) || is_rare && random.below(64) > 0 {
                continue;
            }
            *taken.entry(rule).or_default() += 1;
            let mutator = |mutator: u8| format!("mutator {mutator}");
            let by = match action {
                Action::Take { by: Who::Gc, .. } => Some("gc".to_owned()),
                Action::Take {
                    by: Who::Mutator(by),
                    ..
                }
                | Action::Alloc { mutator: by, .. } => Some(mutator(by)),
                Action::Commit { .. } => Some("sys".to_owned()),
                Action::Join { .. } | Action::Hold { .. } | Action::Leave { .. } => None,
            };
            if let Some(by) = by.filter(|_| taken[&rule] <= 20) {
                let is_meant = |process: &str| process == by || process == "sys";
                assert!(is_run(&model, &state, &to.model, is_meant), "{action:?}");
                let is_cas = matches!(
                    action,
                    Action::Take {
                        access: Access::Cas { .. },
                        ..
                    }
                );
                assert!(is_cas || to.model.sys.lock.is_none());
            }
            state = to;
        }
    }
    let names: Vec<_> = Action::rules(&model)
        .iter()
        .map(|rule| &rule.name)
        .collect();
    let missing: Vec<_> = (0..names.len())
        .filter(|rule| !taken.contains_key(rule))
        .collect();
    // LocalFusion is not offered, and leaving was not taken.
    assert_eq!(missing, [0, 2], "{names:?}");
}
