//! Members of several groups, of which those of one hold names of another, compared with all products of permutations and the least state.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use refmap::internal::Quotient;
use refmap::internal::explore::Quotienting;
use refmap::obligation::{Checker, Symmetry, Until};
use refmap::random::Generator;
use refmap::{
    Action, BoundedVec, Counter, IndexSet, Refinement, Settings, State, TransitionSystem, Verdict,
    guard,
};
use refmap_testing::{Machine, row_of, with_invariant};
use serde::Serialize;

use super::queue::permutations;
use super::search;

const OBJECTS: u8 = 1;
const SENSES: u8 = 7;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Thread {
    place: u8,
    #[state(member = OBJECTS)]
    held: Option<u8>,
    #[state(member = OBJECTS)]
    roots: IndexSet,
    #[state(member = SENSES)]
    seen: Option<bool>,
    #[state(member)]
    friend: Option<u8>,
    ticket: Counter,
    /// What is known of each object.
    #[state(symmetric = OBJECTS)]
    known: Vec<Known>,
    /// Objects by which numbers are known.
    #[state(member = OBJECTS)]
    values: BTreeMap<u8, u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Known {
    level: u8,
    #[state(member)]
    from: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Object {
    #[state(member = SENSES)]
    mark: bool,
    #[state(member = OBJECTS)]
    fields: [Option<u8>; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Edge(#[state(member)] u8, #[state(member = OBJECTS)] u8, u8);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct World {
    mode: u8,
    #[state(member = SENSES)]
    sense: Option<bool>,
    #[state(member)]
    queue: Vec<u8>,
    #[state(member = OBJECTS)]
    free: BTreeSet<u8>,
    edges: BTreeSet<Edge>,
    next: Counter,
    #[state(symmetric)]
    threads: Vec<Thread>,
    #[state(symmetric, member = OBJECTS)]
    chosen: Vec<Option<u8>>,
    #[state(symmetric = OBJECTS)]
    objects: Vec<Option<Object>>,
    #[state(symmetric = OBJECTS, member)]
    owners: BoundedVec<Option<u8>, 8>,
    #[state(symmetric = SENSES)]
    senses: [(); 2],
}

/// Permutations of threads, of objects, and of senses.
type Permutation = [Vec<u8>; 3];

/// A state with its members exchanged, by hand.
fn permuted([threads, objects, senses]: &Permutation, world: &World) -> World {
    let thread = |number: u8| threads[usize::from(number)];
    let object = |number: u8| objects[usize::from(number)];
    let sense = |sense: bool| senses[usize::from(sense)] == 1;
    let mut to = world.clone();
    to.sense = world.sense.map(sense);
    to.queue = world.queue.iter().map(|one| thread(*one)).collect();
    to.free = world.free.iter().map(|one| object(*one)).collect();
    let edges = world.edges.iter();
    to.edges = edges
        .map(|Edge(from, to, value)| Edge(thread(*from), object(*to), *value))
        .collect();
    for (old, one) in (0..).zip(&world.threads) {
        let mut known = one.known.clone();
        for (old, one) in (0..).zip(&one.known) {
            known[usize::from(object(old))] = Known {
                from: one.from.map(thread),
                ..one.clone()
            };
        }
        let place = usize::from(thread(old));
        let values = one.values.iter();
        to.threads[place] = Thread {
            held: one.held.map(object),
            roots: one
                .roots
                .iter()
                .map(|one| object(one as u8).into())
                .collect(),
            seen: one.seen.map(sense),
            friend: one.friend.map(thread),
            known,
            values: values.map(|(key, value)| (object(*key), *value)).collect(),
            ..one.clone()
        };
        to.chosen[place] = world.chosen[usize::from(old)].map(object);
    }
    for (old, one) in (0..).zip(&world.objects) {
        let place = usize::from(object(old));
        to.objects[place] = one.as_ref().map(|one| Object {
            mark: sense(one.mark),
            fields: one.fields.map(|field| field.map(object)),
        });
        to.owners[place] = world.owners[usize::from(old)].map(thread);
    }
    to
}

fn products(threads: u8, objects: u8) -> Vec<Permutation> {
    let mut all = Vec::new();
    for of_threads in permutations(threads) {
        for of_objects in permutations(objects) {
            for of_senses in permutations(2) {
                all.push([of_threads.clone(), of_objects.clone(), of_senses]);
            }
        }
    }
    all
}

/// The least state of a class, with counters that begin at 0.
fn least(all: &[Permutation], world: &World) -> World {
    let mut world = world.clone();
    refmap::internal::normalise::<(), _>(&mut world);
    let members = all.iter().map(|by| permuted(by, &world));
    members.min().expect("a class has a member")
}

/// The ticket after so many.
fn after(steps: u8) -> Counter {
    (0..steps).fold(Counter::START, |ticket, _| ticket.next())
}

/// Draws a state: `density` of ten names are there.
fn draw(generator: &mut Generator, [threads, objects]: [u8; 2], density: usize) -> World {
    let base = generator.below(3) as u8;
    let mut some =
        |count: u8| (generator.below(10) < density).then(|| generator.below(count.into()) as u8);
    let thread = |some: &mut dyn FnMut(u8) -> Option<u8>| Thread {
        place: some(2).unwrap_or(0),
        held: some(objects),
        roots: (0..2)
            .filter_map(|_| some(objects).map(usize::from))
            .collect(),
        seen: some(2).map(|sense| sense == 1),
        friend: some(threads),
        ticket: after(base + some(2).unwrap_or(0)),
        known: (0..objects)
            .map(|_| Known {
                level: some(2).unwrap_or(0),
                from: some(threads),
            })
            .collect(),
        values: (0..2)
            .filter_map(|_| Some((some(objects)?, some(2).unwrap_or(0))))
            .collect(),
    };
    World {
        mode: 0,
        sense: some(2).map(|sense| sense == 1),
        queue: (0..2).filter_map(|_| some(threads)).collect(),
        free: (0..2).filter_map(|_| some(objects)).collect(),
        edges: (0..3)
            .filter_map(|_| Some(Edge(some(threads)?, some(objects)?, some(2).unwrap_or(0))))
            .collect(),
        next: after(base + 2),
        threads: (0..threads).map(|_| thread(&mut some)).collect(),
        chosen: (0..threads).map(|_| some(objects)).collect(),
        objects: (0..objects)
            .map(|_| {
                some(2).map(|mark| Object {
                    mark: mark == 1,
                    fields: [some(objects), some(objects)],
                })
            })
            .collect(),
        owners: (0..objects).map(|_| some(threads)).collect(),
        senses: [(); 2],
    }
}

fn canonical(world: &World) -> World {
    let still = Machine::of([world.clone()], |_| ());
    let quotient = Quotient::of(&still).expect("there are names");
    quotient.canonical(&still, world)
}

/// A random permutation of so many.
fn shuffled(generator: &mut Generator, count: u8) -> Vec<u8> {
    let mut places: Vec<u8> = (0..count).collect();
    for place in 1..places.len() {
        places.swap(place, generator.below(place + 1));
    }
    places
}

/// Two states have one canonical form if they have one least state, and the form is of their class.
#[test]
fn the_canonical_form_is_that_of_the_least_state() {
    let generator = &mut Generator::new(3);
    let (mut alike, mut others) = (0, 0);
    for case in 0..250 {
        let counts = [1 + case % 3, 1 + case / 3 % 3];
        let all = products(counts[0], counts[1]);
        // States with few names have many that are alike.
        let density = [1, 3, 6, 9][generator.below(4)];
        let world = draw(generator, counts, density);
        let form = canonical(&world);
        let of_class = least(&all, &world);
        assert_eq!(least(&all, &form), of_class, "{world:?}");
        for _ in 0..4 {
            let by = &all[generator.below(all.len())];
            let mut other = permuted(by, &world);
            other.next = other.next.next();
            for thread in &mut other.threads {
                thread.ticket = thread.ticket.next();
            }
            // Or one that differs in one name or two.
            if generator.below(2) == 0 {
                let thread = generator.below(other.threads.len());
                let object = generator.below(other.objects.len());
                let name = |generator: &mut Generator, count: u8| {
                    Some(generator.below(count.into()) as u8)
                };
                match generator.below(7) {
                    0 => other.threads[thread].held = name(generator, counts[1]),
                    1 => other.owners[object] = name(generator, counts[0]),
                    2 => other.threads[thread].known[object].level ^= 1,
                    3 => other.threads[thread].known[object].from = name(generator, counts[0]),
                    4 => {
                        let value = generator.below(2) as u8;
                        other.threads[thread].values.insert(object as u8, value);
                    }
                    5 => {
                        let edge = Edge(thread as u8, object as u8, 1);
                        if !other.edges.remove(&edge) {
                            other.edges.insert(edge);
                        }
                    }
                    _ => {
                        for one in other.objects[object].iter_mut() {
                            one.mark ^= true;
                        }
                    }
                }
            }
            let is_alike = least(&all, &other) == of_class;
            assert_eq!(canonical(&other) == form, is_alike, "{world:?} {other:?}");
            alike += usize::from(is_alike);
            others += usize::from(!is_alike);
        }
    }
    assert!(alike > 300 && others > 100, "{alike} {others}");
}

/// With more members than all permutations could be tried of in time.
#[test]
fn the_canonical_form_of_many_members_is_that_of_all_of_a_class() {
    let generator = &mut Generator::new(4);
    for case in 0..60 {
        let counts = [[7, 2], [2, 8], [6, 6]][case % 3];
        let density = [1, 3, 6][generator.below(3)];
        let world = draw(generator, counts, density);
        let form = canonical(&world);
        for _ in 0..3 {
            let by = [counts[0], counts[1], 2].map(|count| shuffled(generator, count));
            assert_eq!(canonical(&permuted(&by, &world)), form, "{world:?}");
        }
    }
}

/// Each of seven threads holds an object of its own, and names the thread before it: no two alone can be exchanged.
#[test]
fn pairs_of_two_groups_are_told_apart() {
    let generator = &mut Generator::new(5);
    let mut world = draw(generator, [6, 6], 0);
    for thread in 0..6 {
        world.threads[thread].held = Some(thread as u8);
    }
    let form = canonical(&world);
    for _ in 0..3 {
        let by = [6, 6, 2].map(|count| shuffled(generator, count));
        assert_eq!(canonical(&permuted(&by, &world)), form);
    }
}

/// All sequences of so many numbers, each below `below`.
fn sequences(length: usize, below: u8) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = |one: &Vec<u8>| -> Vec<Vec<u8>> {
            (0..below)
                .map(|last| [&one[..], &[last]].concat())
                .collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Number of classes that the canonical forms of states tell apart, each of which is of the class of its state.
fn classes(counts: [u8; 2], of: Vec<Vec<u8>>, change: impl Fn(&mut World, &[u8])) -> usize {
    let all = products(counts[0], counts[1]);
    let mut forms = HashSet::new();
    for one in of {
        let mut world = draw(&mut Generator::new(1), counts, 0);
        change(&mut world, &one);
        let form = canonical(&world);
        assert_eq!(least(&all, &form), least(&all, &world), "{world:?}");
        forms.insert(form);
    }
    forms.len()
}

/// Where each member names one of its group, those that are named as often as others are not always alike: of three, one may name itself and
/// the other two each other. The classes are the functional graphs, of which the On-Line Encyclopedia of Integer Sequences has the number as
/// A001372.
#[test]
fn functions_have_a_form_for_each_functional_graph() {
    for (count, graphs) in [(1, 1), (2, 3), (3, 7), (4, 19)] {
        let functions = sequences(count.into(), count);
        let of_threads = classes([count, 1], functions.clone(), |world, function| {
            for (thread, to) in world.threads.iter_mut().zip(function) {
                thread.friend = Some(*to);
            }
        });
        let of_objects = classes([1, count], functions, |world, function| {
            for (object, to) in world.objects.iter_mut().zip(function) {
                *object = Some(Object {
                    mark: false,
                    fields: [Some(*to), None],
                });
            }
        });
        assert_eq!([of_threads, of_objects], [graphs; 2]);
    }
}

/// Maps within members, from names of another group: what of them is compared before the names have an order does not depend on one. The classes
/// are matrices of which rows are exchanged, and columns: by Burnside's lemma (3⁶ + 3·3⁴ + 2·3² + 3³ + 3·3³ + 2·3) / 12 of two rows and three
/// columns, whose entries are one of two values or none.
#[test]
fn maps_within_members_have_a_form_for_each_matrix() {
    let of_maps = classes([2, 3], sequences(6, 3), |world, entries| {
        for (thread, row) in world.threads.iter_mut().zip(entries.chunks(3)) {
            let entries = (0..).zip(row.iter().copied());
            thread.values = entries.filter(|(_, value)| *value < 2).collect();
        }
    });
    assert_eq!(of_maps, 92);
}

/// Threads that take objects, link them and mark them.
struct Threads {
    counts: [u8; 2],
    /// True if a rule is of the first object alone.
    is_wrong: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Threads)]
#[rule(process = "thread")]
#[process(0..system.counts[0])]
enum Step {
    Take {
        #[process]
        thread: u8,
        #[member(OBJECTS)]
        #[action(range = 0..system.counts[1])]
        object: u8,
    },
    Link {
        #[process]
        thread: u8,
        #[member(OBJECTS)]
        #[action(range = 0..system.counts[1])]
        to: u8,
    },
    Mark(#[process] u8),
    Drop(#[process] u8),
    #[rule(process = "collector")]
    Flip,
}

impl TransitionSystem for Threads {
    type State = World;
    type Action = Step;
    type Observation = usize;

    fn initial(&self, visit: &mut impl FnMut(World)) {
        let mut world = draw(&mut Generator::new(1), self.counts, 0);
        world.free = (0..self.counts[1]).collect();
        refmap::internal::normalise::<(), _>(&mut world);
        for sense in [false, true] {
            world.sense = Some(sense);
            visit(world.clone());
        }
    }

    fn fire(&self, step: &Step, world: &mut World) -> Option<()> {
        match *step {
            Step::Take { thread, object } => {
                guard(
                    "the object is not the first one",
                    !self.is_wrong || object > 0,
                )?;
                guard("the object is free", world.free.remove(&object))?;
                let held = &mut world.threads[usize::from(thread)].held;
                guard("nothing is held", held.replace(object).is_none())?;
                world.objects[usize::from(object)] = Some(Object {
                    mark: world.sense?,
                    fields: [None; 2],
                });
                world.owners[usize::from(object)] = Some(thread);
            }
            Step::Link { thread, to } => {
                let held = world.threads[usize::from(thread)].held?;
                guard("it is an object", world.objects[usize::from(to)].is_some())?;
                let object = world.objects[usize::from(held)].as_mut()?;
                guard(
                    "it is another one",
                    object.fields[0].replace(to) != Some(to),
                )?;
            }
            Step::Mark(thread) => {
                let held = world.threads[usize::from(thread)].held?;
                let object = world.objects[usize::from(held)].as_mut()?;
                object.mark ^= true;
            }
            Step::Drop(thread) => {
                let held = world.threads[usize::from(thread)].held.take()?;
                world.owners[usize::from(held)] = None;
            }
            Step::Flip => world.sense = Some(!world.sense?),
        }
        Some(())
    }

    fn observe(&self, state: &World) -> usize {
        state.free.len()
    }

    fn may_stop(&self, _: &World) -> bool {
        true
    }
}

/// Threads that are threads.
fn themselves(counts: [u8; 2], is_wrong: bool) -> impl Refinement<Implementation = Threads> {
    let are_unlinked = |state: &World| {
        let mut objects = state.objects.iter().flatten();
        objects.all(|one| {
            let linked = one.fields[0].map(|to| &state.objects[usize::from(to)]);
            linked.is_none_or(|to| to.as_ref().is_none_or(|to| to.mark == one.mark))
        })
    };
    with_invariant(Threads { counts, is_wrong }, "linked alike", are_unlinked)
}

/// A search has a state of each class and its steps, and shows a behaviour of the model.
#[test]
fn several_groups_decide_what_all_products_of_permutations_decide() {
    for counts in [[2, 2], [1, 3], [3, 1]] {
        let refinement = themselves(counts, false);
        let all = products(counts[0], counts[1]);
        let plain = search(&refinement, |state| least(&all, state)).expect("it is small");
        for threads in [1, 2] {
            let settings = Settings {
                symmetry: Symmetry::Full,
                until: Until::End,
                threads,
                ..Settings::default()
            };
            let report = Checker::new(&refinement).check(&settings);
            let report = report.expect("there are names");
            assert_eq!(report.obligation("model"), None, "{report}");
            let figures = (report.states, report.transitions);
            assert_eq!(figures, (plain.states, plain.transitions), "{report}");
            let identified = report.symmetry.expect("states were identified");
            assert_eq!(identified.permutations, all.len());
            let name = "invariant:linked alike";
            let shown = row_of(&report, name).counterexamples.first();
            let violated = plain.violated.get(name).copied();
            assert_eq!(shown.map(|shown| shown.length), violated, "{report}");
        }
    }
}

/// An object that matters by itself is told, with the group of the exchange.
#[test]
fn a_name_of_another_group_that_matters_is_found_out() {
    let refinement = themselves([1, 2], true);
    let settings = Settings {
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    let report = Checker::new(&refinement).check(&settings);
    let report = report.expect("there are names");
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let model = report.obligation("model").expect("it is told");
    let explanation = &model.counterexamples[0].explanation;
    let told = "next does not commute with the permutation of members of group 1 to [1, 0]";
    assert!(explanation.contains(told), "{explanation}");
}
