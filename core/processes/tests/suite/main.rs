//! Tests of processes and their rendezvous against a reference interpreter that is simple enough to be obviously
//! correct.

mod interpreter;
mod program;
mod registers;
mod two_of_everything;

use std::collections::{BTreeMap, BTreeSet};

use interpreter::Interpreter;
use program::{Clients, Program, State};
use refmap::random::Generator;
use refmap::{Action, Process};
use refmap_processes::{
    Choices, Command, Composition, Configuration, Granularity, Label, Location, ProcessError,
    assign, choice, choose, forever, request, respond, sequence, when, while_do,
};

/// Result of a search: the number of states, and of steps by each command.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reached {
    states: usize,
    steps: BTreeMap<String, usize>,
}

/// Searches all states that are reachable from `initial`.
fn reach<S: Clone + Ord>(
    initial: Vec<S>,
    steps: impl Fn(&S, &mut dyn FnMut(String, S)),
) -> (BTreeSet<S>, Reached) {
    let mut seen: BTreeSet<S> = initial.iter().cloned().collect();
    let mut open: Vec<S> = seen.iter().cloned().collect();
    let mut reached = Reached::default();
    while let Some(from) = open.pop() {
        steps(&from, &mut |label, to: S| {
            *reached.steps.entry(label).or_default() += 1;
            if seen.insert(to.clone()) {
                open.push(to);
            }
        });
    }
    reached.states = seen.len();
    (seen, reached)
}

fn explore(clients: &Clients, granularity: Granularity) -> (BTreeSet<State>, Reached) {
    let composition = clients.composition(granularity);
    let mut initial = Vec::new();
    composition.start(State::default(), &mut |state| initial.push(state));
    reach(initial, |from, visit| {
        composition.steps(from, &mut |act, to| {
            let with = act.with.map_or("", |(_, label)| label.as_str());
            visit(format!("{}: {} {with}", act.process, act.label), to.clone());
            let mut fired = from.clone();
            let enabled = composition.fire(&act, &mut fired);
            assert_eq!((enabled, &fired), (Some(()), to), "{act}");
        });
    })
}

#[test]
fn random_processes_do_what_an_interpreter_does() {
    let mut rendezvous = 0;
    let mut states = 0;
    for seed in 0..200 {
        let clients = Clients::random(&mut Generator::new(seed));
        let (_, reached) = explore(&clients, Granularity::Fine);
        let interpreter = Interpreter(&clients);
        let (_, expected) = reach(interpreter.initial(), |from, visit| {
            interpreter.steps(from, visit);
        });
        assert_eq!(reached, expected, "seed {seed}: {clients:?}");
        states += reached.states;
        let with_answer = reached
            .steps
            .iter()
            .filter(|(label, _)| !label.ends_with(' '));
        rendezvous += with_answer.map(|(_, times)| times).sum::<usize>();
    }
    // The comparison has value only if it covers many states and many rendezvous.
    assert!(
        states > 10_000 && rendezvous > 5_000,
        "{states} {rendezvous}"
    );
}

/// Local fusion reaches exactly the states of the fine granularity in which no step that fuses with its previous one
/// is next; where choices fuse with the next step, only those of them in which no choice has just been made.
fn fuse_locally(seeds: std::ops::Range<u64>) {
    let (mut fine_states, mut fused_states) = (0, [0, 0]);
    for seed in seeds {
        let clients = Clients::random(&mut Generator::new(seed));
        let (fine, _) = explore(&clients, Granularity::Fine);
        for (place, choices) in [Choices::Separate, Choices::FusedWithNext]
            .into_iter()
            .enumerate()
        {
            let (fused, _) = explore(&clients, Granularity::Fused(choices));
            let settled = fine.iter().filter(|s| clients.is_settled(s, choices));
            let settled: BTreeSet<State> = settled.cloned().collect();
            assert_eq!(fused, settled, "seed {seed}, {choices:?}: {clients:?}");
            fused_states[place] += fused.len();
        }
        fine_states += fine.len();
    }
    let [separate, with_next] = fused_states;
    assert!(
        separate * 10 < fine_states * 9 && with_next * 10 < separate * 9,
        "{with_next} of {separate} of {fine_states}"
    );
}

#[test]
fn local_fusion_reaches_exactly_the_settled_states() {
    fuse_locally(0..60);
}

#[test]
#[ignore = "takes some seconds"]
fn slow_local_fusion_of_more_processes() {
    fuse_locally(60..200);
}

/// If one result of a choice enables the next step and another does not, fusion would hide the process that blocks.
#[test]
#[should_panic(expected = "`which` of client is fused with the next step")]
fn a_fused_choice_does_not_decide_whether_the_next_step_is_enabled() {
    let mut composition =
        Composition::<State, u8, u8>::new().with(Granularity::Fused(Choices::FusedWithNext));
    let client = sequence([
        choose("which", |_: &Program, visit| {
            (0..2).for_each(|x| visit(Program { x }));
        })
        .fuse_with_next(),
        request("ask", |p: &Program| p.x, |_: &mut Program, _| ()),
    ]);
    let server = respond("answer", |asked: &u8, _: &mut Program| {
        (*asked == 0).then_some(0)
    });
    for (number, (name, command)) in [("client", client), ("server", server)].iter().enumerate() {
        let placed = composition.process(
            Process::new(name),
            command,
            move |s| &s.programs[number],
            move |s| &mut s.programs[number],
        );
        placed.expect("the process is well formed");
    }
    composition.start(State::default(), &mut |state| {
        composition.steps(&state, &mut |_, _| ());
    });
}

type Plain = Command<Program, u8, u8>;

fn placed(command: &Plain) -> Result<(), ProcessError> {
    let mut composition = Composition::<State, u8, u8>::new();
    let process = Process::new("client");
    composition.process(process, command, |s| &s.programs[0], |s| &mut s.programs[0])
}

fn step(label: &str) -> Plain {
    assign(label, |_: &mut Program| ())
}

#[test]
fn ill_formed_processes_are_rejected_by_name() {
    let ask = |label: &str| request(label, |_: &Program| 0, |_: &mut Program, _| ());
    let not_fusible = |label: &str| {
        format!(
            "`{label}` of client cannot be fused with the next step: only a choice can, before a step other than a \
             response"
        )
    };
    let fused_choice =
        || choose("g", |_: &Program, visit| visit(Program { x: 0 })).fuse_with_next();
    let misplaced = [
        (step("a").fuse_with_next(), not_fusible("a")),
        (fused_choice(), not_fusible("g")),
        (
            sequence([
                fused_choice(),
                respond("b", |_: &u8, _: &mut Program| Some(0)),
            ]),
            not_fusible("g"),
        ),
        (
            sequence([
                fused_choice(),
                when("v", |_| true, step("a")).fuse_with_previous(),
            ]),
            not_fusible("g"),
        ),
    ];
    for (command, message) in misplaced {
        assert_eq!(
            placed(&command).expect_err("it is wrong").to_string(),
            message
        );
    }
    let wrong: [(Plain, &str); 8] = [
        (
            sequence([step("a"), step("b"), step("a")]),
            "two commands of client are labelled `a`",
        ),
        (
            choice([step("a"), step("a")]),
            "two commands of client are labelled `a`",
        ),
        (
            choice([step("a"), sequence([])]),
            "a branch of a choice, or the body of a loop, of client has no step",
        ),
        (
            choice([]),
            "a branch of a choice, or the body of a loop, of client has no step",
        ),
        (
            forever(sequence([])),
            "a branch of a choice, or the body of a loop, of client has no step",
        ),
        (
            sequence([step("a"), ask("b").fuse_with_previous()]),
            "`b` of client is not a local step, so it cannot be fused with the previous step",
        ),
        (
            forever(sequence([
                step("a").fuse_with_previous(),
                step("b").fuse_with_previous(),
            ])),
            "the fused steps of client from `a` on form a cycle",
        ),
        (
            while_do(
                "w",
                |_: &Program| true,
                when("v", |_| false, step("a").fuse_with_previous()).fuse_with_previous(),
            )
            .fuse_with_previous(),
            "the fused steps of client from `w` on form a cycle",
        ),
    ];
    for (command, message) in wrong {
        assert_eq!(placed(&command).expect_err(message).to_string(), message);
    }
    // Before a cycle of fused steps, a choice may be fused or not: the error is the cycle.
    let cycle = forever(sequence([
        step("a").fuse_with_previous(),
        step("b").fuse_with_previous(),
    ]));
    assert!(matches!(
        placed(&sequence([fused_choice(), cycle])),
        Err(ProcessError::FusedCycle { .. })
    ));
    assert!(matches!(
        placed(&sequence([step("a"), forever(step("b").fuse_with_previous())])),
        Err(ProcessError::FusedCycle { label, .. }) if label == "b"
    ));
    let loops = forever(sequence([step("a"), step("b").fuse_with_previous()]));
    assert_eq!(placed(&loops), Ok(()));
}

#[test]
#[should_panic(expected = "client 0 has no command `nowhere`")]
fn an_unknown_label_is_rejected() {
    let clients = Clients::random(&mut Generator::new(1));
    clients.composition(Granularity::Fine).at(0, "nowhere");
}

/// Locations are numbered in the order of a breadth-first search.
#[test]
fn a_composition_describes_the_steps_at_each_location() {
    let ask = request("ask", |p: &Program| p.x, |_: &mut Program, _| ());
    let serve = respond("serve", |_: &u8, _: &mut Program| Some(0));
    let chosen = choose("choose", |_: &Program, visit| visit(Program { x: 0 }));
    let command: Plain = sequence([
        choice([step("left"), step("right")]),
        when("more?", |p: &Program| p.x > 0, ask),
        serve,
        chosen,
    ]);
    let mut composition = Composition::<State, u8, u8>::new();
    for number in 0..2 {
        let process = Process::numbered("client", number as u16);
        let placed = composition.process(
            process,
            &command,
            move |s| &s.programs[number],
            move |s| &mut s.programs[number],
        );
        placed.expect("the process is well formed");
    }
    assert_eq!((composition.processes(), composition.locations(1)), (2, 6));
    let here = |at: u16| {
        let at = Location(at);
        let labels: Vec<_> = composition.labels(1, at).map(|l| l.as_str()).collect();
        let targets = composition.targets(1, at).into_iter();
        let targets: BTreeSet<u16> = targets.map(|Location(to)| to).collect();
        let is_alone = composition.is_alone(1, at);
        (labels, targets, is_alone, composition.is_choice(1, at))
    };
    let to = |targets: &[u16]| targets.iter().copied().collect::<BTreeSet<u16>>();
    assert_eq!(here(0), (vec!["left", "right"], to(&[1]), true, true));
    assert_eq!(here(1), (vec!["more?"], to(&[2, 3]), true, false));
    assert_eq!(here(2), (vec!["ask"], to(&[3]), false, false));
    assert_eq!(here(3), (vec!["serve"], to(&[4]), false, false));
    assert_eq!(here(4), (vec!["choose"], to(&[5]), true, true));
    assert_eq!(here(5), (vec![], to(&[]), true, false));
    let either = choice([step("a"), respond("b", |_: &u8, _: &mut Program| Some(0))]);
    let mut composition = Composition::<State, u8, u8>::new();
    let client = Process::new("client");
    let placed = composition.process(client, &either, |s| &s.programs[0], |s| &mut s.programs[0]);
    placed.expect("the process is well formed");
    assert!(!composition.is_alone(0, Location(0)));
    assert!(composition.find(0, "a").is_some() && composition.find(0, "c").is_none());
}

/// Labels that are values of the model's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Own {
    Step(u8),
    /// It looks like the first step.
    Double,
}

impl refmap_processes::CommandLabel for Own {}

impl std::fmt::Display for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Step(number) => write!(f, "step {number}"),
            Self::Double => f.write_str("step 0"),
        }
    }
}

/// Labels of a type of the model's own are shown as their texts, and are found as values.
#[test]
fn labels_may_be_values_of_another_type() {
    let placed = |labels: &[Own]| {
        let steps = labels
            .iter()
            .map(|label| assign(*label, |p: &mut Program| p.x += 1));
        let mut composition = Composition::<State, u8, u8, Own>::new();
        let client = Process::new("client");
        let command = sequence(steps.collect::<Vec<_>>());
        composition
            .process(client, &command, |s| &s.programs[0], |s| &mut s.programs[0])
            .map(|()| composition)
    };
    let composition = placed(&[Own::Step(0), Own::Step(1)]).expect("its labels differ");
    let mut states = Vec::new();
    composition.start(State::default(), &mut |state| states.push(state));
    composition.steps(&states[0], &mut |act, _| {
        assert_eq!(
            (act.label, act.to_string().as_str()),
            (Own::Step(0), "client: step 0")
        );
    });
    let names: Vec<_> = composition.rules().iter().map(|rule| &*rule.name).collect();
    assert_eq!(names, ["step 0", "step 1"]);
    let at = composition.find_any(0, |label| matches!(label, Own::Step(1 | 2)));
    let at = at.expect("it has one of the two");
    assert_eq!(
        [0, 1].map(|here| at.contains(Location(here))),
        [false, true]
    );
    assert!(
        composition
            .find_any(0, |label| label == Own::Double)
            .is_none()
    );
    // What looks alike names no command.
    let alike = placed(&[Own::Step(0), Own::Double]).err();
    let message = alike.map(|error| error.to_string());
    assert_eq!(
        message.as_deref(),
        Some("two commands of client are labelled `step 0`")
    );
}

/// As many locations have numbers of their own; one more would be taken for the first.
#[test]
fn a_process_that_is_too_large_is_rejected() {
    let steps = |count: usize| sequence((0..count).map(|n| step(&format!("step {n}"))));
    // The end of the process is a location too.
    assert_eq!(placed(&steps((1 << 16) - 1)), Ok(()));
    let refused = placed(&steps(1 << 16)).expect_err("it is too large");
    assert_eq!(refused.to_string(), "client has more than 65536 locations");
}

/// Three processes with the same command, two of one name and one of another: a fused first step, a choice, two steps
/// that fuse with it, and a last step.
fn three(granularity: Granularity) -> Composition<State, u8, u8> {
    let add = |label: &str| assign(label, |p: &mut Program| p.x += 1);
    let chosen = choose("choose", |_: &Program, visit| {
        (3..6).for_each(|x| visit(Program { x }));
    });
    let command: Plain = sequence([
        add("begin").fuse_with_previous().from_source("a page"),
        chosen,
        choose("again", |p: &Program, visit| visit(Program { x: p.x + 2 })).fuse_with_previous(),
        add("then").fuse_with_previous(),
        add("end"),
    ]);
    let mut composition = Composition::<State, u8, u8>::new().with(granularity);
    for (number, name) in ["client", "client", "server"].into_iter().enumerate() {
        let placed = composition.process(
            Process::numbered(name, number as u16),
            &command,
            move |s| &s.programs[number],
            move |s| &mut s.programs[number],
        );
        placed.expect("the process is well formed");
    }
    composition
}

/// Processes of one name share their rules, and processes of different names do not. A step that is fused with the
/// previous one has no rule. Each act belongs to the rule that has its command's name.
#[test]
fn every_step_has_the_rule_of_its_command() {
    let fused = ["begin", "again", "then"];
    for granularity in [Granularity::Fine, Granularity::Fused(Choices::Separate)] {
        let composition = three(granularity);
        let rules = composition.rules();
        let named = |name| {
            let of = rules.iter().filter(|rule| rule.process == name);
            of.map(|rule| &*rule.name).collect::<BTreeSet<_>>()
        };
        let mut expected = BTreeSet::from(["begin", "choose", "again", "then", "end"]);
        if granularity != Granularity::Fine {
            expected.retain(|label| !fused.contains(label));
        }
        assert_eq!(
            (named("client"), named("server")),
            (expected.clone(), expected)
        );
        assert_eq!(rules.len(), 2 * named("client").len());
        for rule in rules {
            let source = if rule.name == "begin" { "a page" } else { "" };
            assert_eq!(rule.source, source);
        }
        let mut initial = Vec::new();
        composition.start(State::default(), &mut |state| initial.push(state));
        let (states, _) = reach(initial, |from, visit| {
            composition.steps(from, &mut |act, to| {
                let rule = &rules[act.rule(&composition).0];
                assert_eq!(
                    (&*rule.name, rule.process),
                    (act.label.as_str(), act.process.name)
                );
                visit(act.to_string(), to.clone());
            });
        });
        // States of one process: the initial one, the one after the first step, three numbers at each of three
        // locations, and three final ones.
        let one: usize = match granularity {
            Granularity::Fine => 2 + 3 * 3 + 3,
            Granularity::Fused(_) => 1 + 3 + 3,
        };
        assert_eq!(states.len(), one.pow(3));
    }
}

/// `start` moves every process from any location to its first one and takes the fused steps there. `steps_of` skips
/// steps that are not wanted, and numbers the results of a choice.
#[test]
fn start_resets_locations_and_choices_are_numbered_in_order() {
    for (granularity, x, at) in [
        (Granularity::Fine, 0, 0),
        (Granularity::Fused(Choices::Separate), 1, 1),
    ] {
        let composition = three(granularity);
        let mut elsewhere = State::default();
        for process in 0..3 {
            elsewhere.go_to(process, Location(4));
        }
        let mut found = Vec::new();
        composition.start(elsewhere, &mut |state| found.push(state));
        assert_eq!(found.len(), 1);
        for process in 0..3 {
            assert_eq!(found[0].location(process), Location(at));
            assert_eq!(found[0].programs[process].x, x);
        }
        for wanted in [true, false] {
            let mut from = found[0].clone();
            from.go_to(1, Location(1));
            let before = from.clone();
            let mut choices = Vec::new();
            composition.steps_of(1, &|_| wanted, &mut from, &mut |act, to| {
                choices.push((act.choice, to.programs[1].x));
            });
            let more = if granularity == Granularity::Fine {
                0
            } else {
                3
            };
            let all = [(0, 3 + more), (1, 4 + more), (2, 5 + more)];
            assert_eq!(choices, if wanted { &all[..] } else { &[] });
            assert_eq!(from, before);
        }
    }
}

/// The state of a process that counts beside two that wait for each other, with its locations in several places.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
struct Places {
    first: Location,
    rest: [Location; 2],
    /// A number that is a location's by chance.
    count: u16,
    programs: [Program; 3],
}

impl Configuration for Places {
    fn location(&self, process: usize) -> Location {
        match process {
            0 => self.first,
            other => self.rest[other - 1],
        }
    }

    fn go_to(&mut self, process: usize, location: Location) {
        match process {
            0 => self.first = location,
            other => self.rest[other - 1] = location,
        }
    }
}

/// A report shows where a process is by the labels of what it can do there, wherever the state keeps that, and leaves all
/// other numbers as they are.
#[test]
fn a_process_is_shown_at_its_labels() {
    let nothing = |label: &'static str| assign::<Program, u8, u8, Label>(label, |_| ());
    let commands = [
        // A choice of many, a loop, and an end.
        sequence([
            choice(["a", "b", "c", "d"].map(nothing)),
            while_do(
                "again?",
                |program: &Program| program.x < 2,
                assign("add", |program: &mut Program| program.x += 1),
            ),
            choice([nothing("left"), nothing("right")]),
        ]),
        forever(respond("answer", |_: &u8, _: &mut Program| Some(0))),
        // The head of the loop and the place after its body are two, and offer the same.
        sequence([
            nothing("begin"),
            forever(while_do("full?", |_: &Program| true, nothing("more"))),
        ]),
    ];
    let mut composition = Composition::<Places, u8, u8>::new();
    for (number, command) in commands.into_iter().enumerate() {
        let placed = composition.process(
            Process::numbered("process", number as u16),
            &command,
            move |state| &state.programs[number],
            move |state| &mut state.programs[number],
        );
        placed.expect("it is well formed");
    }
    let mut initial = Vec::new();
    composition.start(Places::default(), &mut |state| initial.push(state));
    let mut open = initial;
    let mut seen = Vec::new();
    let mut names = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
    while let Some(state) = open.pop() {
        if seen.contains(&state) {
            continue;
        }
        let shown = composition.show(&state);
        let rest = &shown["rest"];
        for (process, shown) in [&shown["first"], &rest[0], &rest[1]]
            .into_iter()
            .enumerate()
        {
            let name = composition.location_name(process, state.location(process));
            assert_eq!(shown, name);
            names[process].insert(name.to_owned());
        }
        assert_eq!(shown["count"], state.count);
        assert_eq!(shown["programs"][0]["x"], state.programs[0].x);
        composition.steps(&state, &mut |_, to| open.push(to.clone()));
        seen.push(state);
    }
    let expected = ["a or 3 others", "add", "again?", "left or right", "the end"];
    assert!(names[0].iter().eq(expected), "{names:?}");
    assert!(names[1].iter().eq(["answer"]), "{names:?}");
    // Two locations have two names, whatever they offer.
    for (process, names) in names.iter().enumerate() {
        assert_eq!(names.len(), composition.locations(process), "{names:?}");
    }
}
