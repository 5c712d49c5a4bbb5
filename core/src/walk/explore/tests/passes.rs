//! Levels that are passed twice: lengths count the steps that lead farther, and no others, whatever the threads, the disk, and how often a search is ended and resumed.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{CODE, Number, ONE_WORD, TWO_WORDS, Web};
use crate::walk::explore::*;
use crate::walk::random::Generator;

/// True of a step that leads farther.
fn is_far(from: u64, position: usize) -> bool {
    (from * 31 + position as u64 * 17) % 5 < 2
}

/// True of a state of which steps are taken that lead no farther.
fn is_near(state: u64) -> bool {
    state % 7 != 3
}

/// The number of steps that lead farther on the way to each number that is reached, by a search that expands the nearest first.
fn distances<const BITS: u32>(web: &Web<BITS>) -> BTreeMap<u64, u32> {
    let mut waiting: VecDeque<(u64, u32)> = (0..web.initial).map(|number| (number, 0)).collect();
    let mut distances = BTreeMap::new();
    while let Some((number, distance)) = waiting.pop_front() {
        if distances.contains_key(&number) {
            continue;
        }
        distances.insert(number, distance);
        for (position, target) in web.targets[number as usize].iter().enumerate() {
            if is_far(number, position) {
                waiting.push_back((*target, distance + 1));
            } else if is_near(number) {
                waiting.push_front((*target, distance));
            }
        }
    }
    distances
}

/// Visitor of a web of which each level is passed twice.
struct Passes {
    distances: BTreeMap<u64, u32>,
    /// Numbers that were met, and at which length.
    met: Mutex<Vec<(u64, u32)>>,
}

type Looked = Vec<(u32, u64, Option<u32>)>;

impl<const BITS: u32> Visitor<Web<BITS>> for Passes {
    type Tally = Looked;
    type Image = ();

    const PASSES_TWICE: bool = true;

    fn tally(&self) -> Looked {
        Vec::new()
    }

    fn tell(&self, tally: &Looked) -> Option<Value> {
        Some(json!(tally))
    }

    fn hear(&self, into: &mut Looked, told: &Value, _: &dyn Fn(StateId) -> StateId) -> bool {
        let told: Looked = serde_json::from_value(told.clone()).unwrap();
        into.extend(told);
        true
    }

    fn is_sampled(&self, state: StateId) -> bool {
        state.0.is_multiple_of(5)
    }

    fn find_again(&self, _: &mut Looked, _: Looked) {}

    fn merge(&self, into: &mut Looked, from: Looked) {
        into.extend(from);
    }

    fn met(&self, place: Place, state: &Number<BITS>) -> bool {
        self.met.lock().unwrap().push((state.0, place.length));
        is_near(state.0)
    }

    fn leads_farther(&self, from: &Number<BITS>, position: &usize, _: &Number<BITS>) -> bool {
        is_far(from.0, *position)
    }

    fn examine(&self, tally: &mut Looked, place: Place, state: &Number<BITS>) {
        tally.push((place.length, state.0, None));
    }

    /// All of the level were met, and of those before it.
    fn is_expanded(&self, _: &mut Looked, place: Place, _: &Number<BITS>) -> bool {
        let mut met: BTreeMap<_, _> = self.met.lock().unwrap().iter().copied().collect();
        // One of the sample is expanded once more, when others have been met.
        met.retain(|_, distance| *distance <= place.length);
        let within = self.distances.iter();
        let within = within.filter(|(_, distance)| **distance <= place.length);
        let within: BTreeMap<_, _> = within
            .map(|(number, distance)| (*number, *distance))
            .collect();
        assert_eq!(met, within);
        true
    }

    fn image(&self, _: &mut Looked, _: &Number<BITS>) {}

    fn step(
        &self,
        tally: &mut Looked,
        place: Place,
        (from, ()): (&Number<BITS>, &()),
        position: &usize,
        to: &Number<BITS>,
    ) -> u32 {
        assert!(is_far(from.0, *position));
        assert_eq!(place.step, Some(*position as u32));
        tally.push((place.length, to.0, place.step));
        0
    }

    fn leave(&self, _: &mut Looked, _: Place, _: &Number<BITS>, _: u32) {}

    fn panicked(&self, _: &mut Looked, _: Place, panic: Panic) {
        panic!("{panic:?}");
    }

    fn stop(&self, _: &Looked) -> Option<u32> {
        None
    }
}

/// Folder for checkpoints, which goes when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("refmap-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Self(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Explores a random web, which takes so many searches that a limit ends before the last one, and says how many went on from a checkpoint.
fn compare<const BITS: u32>(seed: u64, numbers: usize, spills: bool, ends: usize) -> u32 {
    let mut generator = Generator::new(seed);
    let web = Web::<BITS>::new(&mut generator, numbers);
    let distances = distances(&web);
    let steps = |number: &u64, wanted: bool| {
        let steps = web.targets[*number as usize].iter().enumerate();
        let steps = steps.filter(|(position, _)| is_far(*number, *position) == wanted);
        steps
            .map(|(position, to)| (position, *to))
            .collect::<Vec<_>>()
    };
    let folder = Scratch::new(&format!("passes-{BITS}-{seed}-{spills}"));
    let spilling = spills.then(|| Spilling {
        folder: std::env::temp_dir(),
        from_bytes: Some(1000),
    });
    let mut most: Vec<_> = (0..ends)
        .map(|_| Some(1 + generator.below(distances.len()) as u64))
        .collect();
    most.sort_unstable();
    most.push(None);
    let mut last = None;
    let mut resumed = 0;
    for states in most {
        // Before the initial states are expanded there is none.
        let is_resumed = Checkpoints::label_of(&folder.0).is_ok();
        resumed += u32::from(is_resumed);
        let threads = 1 + generator.below(3);
        let visitor = Passes {
            distances: distances.clone(),
            met: Mutex::default(),
        };
        let journal = (ends > 0).then(|| {
            let checkpoints = Checkpoints {
                folder: folder.0.clone(),
                every: Duration::from_secs(if generator.below(2) == 0 { 0 } else { 1000 }),
                start: if is_resumed {
                    Start::Resumed
                } else {
                    Start::Anew
                },
                label: Value::Null,
            };
            Journal::open(&checkpoints, Map::new()).unwrap()
        });
        let options = Options {
            threads,
            limits: Limits {
                states,
                ..Limits::default()
            },
            ..Options::default()
        };
        let means = Means {
            journal,
            spill: spilling.as_ref(),
            ..Means::default()
        };
        let explored = explore_on(&web, &visitor, &options, means).unwrap();
        last = Some((explored, visitor, is_resumed));
    }
    let (explored, visitor, is_resumed) = last.expect("there is a last search");
    assert_eq!(explored.end, End::Complete, "{seed}");
    let mut met = visitor.met.lock().unwrap().clone();
    met.sort_unstable();
    if is_resumed {
        met.dedup();
    }
    let expected: Vec<_> = distances
        .iter()
        .map(|(one, other)| (*one, *other))
        .collect();
    assert_eq!(met, expected, "{seed}");
    let mut looked = explored.tally.clone();
    looked.sort_unstable();
    let mut expected = Looked::new();
    let mut transitions = 0;
    for (number, distance) in &distances {
        expected.push((*distance, *number, None));
        for (position, to) in steps(number, true) {
            expected.push((distance + 1, to, Some(position as u32)));
            transitions += 1;
        }
        if is_near(*number) {
            transitions += steps(number, false).len() as u64;
        }
    }
    expected.sort_unstable();
    assert_eq!(looked, expected, "{seed}");
    assert_eq!(explored.states(), distances.len());
    assert_eq!(explored.transitions, transitions);
    assert_eq!(Some(&explored.depth), distances.values().max());
    for id in (0..explored.states() as u64).map(StateId) {
        let state = explored.state(&web, id).expect("it is kept");
        let place = explored.place(id);
        assert_eq!(place.length, distances[&state.0]);
        let trace = explored
            .trace_of_passes(&web, &visitor, None, place)
            .unwrap();
        let states: Vec<_> = trace.states().cloned().collect();
        let actions = trace.steps.iter().map(|(position, _)| *position);
        let steps = states.iter().map(|from| from.0).zip(actions);
        let far = steps.filter(|(from, position)| is_far(*from, *position));
        assert_eq!(far.count() as u32, place.length);
        assert_eq!(trace.last(), &state);
    }
    resumed
}

#[test]
fn lengths_count_what_leads_farther() {
    for seed in 0..40 {
        for spills in [false, true] {
            compare::<ONE_WORD>(seed, 300, spills, 0);
            compare::<TWO_WORDS>(seed, 300, spills, 0);
            compare::<CODE>(seed, 300, spills, 0);
        }
    }
}

/// Each search goes on from the checkpoint that the one before it has left in the midst of one of the two passes.
#[test]
fn searches_that_go_on_pass_twice_what_is_left() {
    let mut resumed = 0;
    for seed in 0..40 {
        let ends = 1 + seed as usize % 4;
        for spills in [false, true] {
            resumed += compare::<ONE_WORD>(seed, 300, spills, ends);
            resumed += compare::<CODE>(seed, 300, spills, ends);
        }
    }
    assert!(resumed > 200, "{resumed}");
}
