//! Processes and their rendezvous, against an interpreter so plain that it is obviously right.

mod interpreter;
mod program;
mod registers;

use std::collections::{BTreeMap, BTreeSet};

use interpreter::Interpreter;
use program::{Clients, Program, State};
use refmap::random::Generator;
use refmap_processes::{
    Choices, Command, Composition, Configuration, Granularity, Location, ProcessError, assign,
    choice, forever, guess, request, respond, sequence, when, while_do,
};

/// What a search reaches: how many states, and how often each command leads from one to another.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reached {
    states: usize,
    steps: BTreeMap<String, usize>,
}

/// Reaches all states from `initial`.
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
            visit(format!("{}: {} {with}", act.process, act.label), to);
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
    // The comparison is worth something only if much happens.
    assert!(
        states > 10_000 && rendezvous > 5_000,
        "{states} {rendezvous}"
    );
}

/// A coarse granularity reaches just those states of the fine one in which no quiet step is next; where choices
/// are late, those in which no choice has just been made, either.
#[test]
fn quiet_steps_and_late_choices_are_run_together_and_nothing_else_changes() {
    let (mut fine_states, mut coarse_states) = (0, [0, 0]);
    for seed in 0..200 {
        let clients = Clients::random(&mut Generator::new(seed));
        let (fine, _) = explore(&clients, Granularity::Fine);
        for (place, choices) in [Choices::AtOnce, Choices::Late].into_iter().enumerate() {
            let (coarse, _) = explore(&clients, Granularity::Coarse(choices));
            let settled = fine.iter().filter(|s| clients.is_settled(s, choices));
            let settled: BTreeSet<State> = settled.cloned().collect();
            assert_eq!(coarse, settled, "seed {seed}, {choices:?}: {clients:?}");
            coarse_states[place] += coarse.len();
        }
        fine_states += fine.len();
    }
    let [at_once, late] = coarse_states;
    assert!(
        at_once * 10 < fine_states * 9 && late * 10 < at_once * 9,
        "{late} of {at_once} of {fine_states}"
    );
}

/// Where one choice can go on and another waits, a process that has chosen the latter would not be seen.
#[test]
#[should_panic(expected = "`which` of client is said to be late")]
fn a_late_choice_does_not_decide_whether_the_process_can_go_on() {
    let mut composition =
        Composition::<State, u8, u8>::new().with(Granularity::Coarse(Choices::Late));
    let client = sequence([
        guess("which", |_: &Program, visit| {
            (0..2).for_each(|x| visit(Program { x }));
        })
        .late(),
        request("ask", |p: &Program| p.x, |_: &mut Program, _| ()),
    ]);
    let server = respond("answer", |asked: &u8, _: &mut Program| {
        (*asked == 0).then_some(0)
    });
    for (number, (name, command)) in [("client", client), ("server", server)].iter().enumerate() {
        let placed = composition.process(
            refmap::Process::new(name),
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
    let process = refmap::Process::new("client");
    composition.process(process, command, |s| &s.programs[0], |s| &mut s.programs[0])
}

fn step(label: &str) -> Plain {
    assign(label, |_: &mut Program| ())
}

#[test]
fn what_is_no_process_is_refused_by_name() {
    let ask = |label: &str| request(label, |_: &Program| 0, |_: &mut Program, _| ());
    let not_late = |label: &str| {
        format!(
            "`{label}` of client cannot be late: that takes a guess, and behind it a step that is no response"
        )
    };
    let choose = || guess("g", |_: &Program, visit| visit(Program { x: 0 })).late();
    let late = [
        (step("a").late(), not_late("a")),
        (choose(), not_late("g")),
        (
            sequence([choose(), respond("b", |_: &u8, _: &mut Program| Some(0))]),
            not_late("g"),
        ),
        (
            sequence([choose(), when("v", |_| true, step("a")).quiet()]),
            not_late("g"),
        ),
    ];
    for (command, message) in late {
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
            sequence([step("a"), ask("b").quiet()]),
            "`b` of client is no local step, so it cannot be quiet",
        ),
        (
            forever(sequence([step("a").quiet(), step("b").quiet()])),
            "the quiet steps of client from `a` on may go round in a circle",
        ),
        (
            while_do(
                "w",
                |_: &Program| true,
                when("v", |_| false, step("a").quiet()).quiet(),
            )
            .quiet(),
            "the quiet steps of client from `w` on may go round in a circle",
        ),
    ];
    for (command, message) in wrong {
        assert_eq!(placed(&command).expect_err(message).to_string(), message);
    }
    // A choice behind which the process goes round for ever is late or not; that it goes round is what is wrong.
    let round = forever(sequence([step("a").quiet(), step("b").quiet()]));
    assert!(matches!(
        placed(&sequence([choose(), round])),
        Err(ProcessError::QuietCircle { .. })
    ));
    assert!(matches!(
        placed(&sequence([step("a"), forever(step("b").quiet())])),
        Err(ProcessError::QuietCircle { label, .. }) if label == "b"
    ));
    let loops = forever(sequence([step("a"), step("b").quiet()]));
    assert_eq!(placed(&loops), Ok(()));
}

#[test]
#[should_panic(expected = "client 0 has no command `nowhere`")]
fn a_location_that_is_nowhere_is_refused() {
    let clients = Clients::random(&mut Generator::new(1));
    clients.composition(Granularity::Fine).at(0, "nowhere");
}

/// What is asked of a process at its locations, which are numbered as they are met.
#[test]
fn a_composition_tells_what_can_be_done_where() {
    let ask = request("ask", |p: &Program| p.x, |_: &mut Program, _| ());
    let serve = respond("serve", |_: &u8, _: &mut Program| Some(0));
    let guesses = guess("guess", |_: &Program, visit| visit(Program { x: 0 }));
    let command: Plain = sequence([
        choice([step("left"), step("right")]),
        when("more?", |p: &Program| p.x > 0, ask),
        serve,
        guesses,
    ]);
    let mut composition = Composition::<State, u8, u8>::new();
    for number in 0..2 {
        let process = refmap::Process::numbered("client", number as u16);
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
    assert_eq!(here(4), (vec!["guess"], to(&[5]), true, true));
    assert_eq!(here(5), (vec![], to(&[]), true, false));
    let either = choice([step("a"), respond("b", |_: &u8, _: &mut Program| Some(0))]);
    let mut composition = Composition::<State, u8, u8>::new();
    let client = refmap::Process::new("client");
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
        let client = refmap::Process::new("client");
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
fn a_process_that_is_too_large_is_refused() {
    let steps = |count: usize| sequence((0..count).map(|n| step(&format!("step {n}"))));
    // The end of the process is a location too.
    assert_eq!(placed(&steps((1 << 16) - 1)), Ok(()));
    let refused = placed(&steps(1 << 16)).expect_err("it is too large");
    assert_eq!(refused.to_string(), "client has more than 65536 locations");
}

/// Two processes of one name, and one of another, that do the same: a quiet beginning, a guess with a quiet step behind
/// it, and an end.
fn three(granularity: Granularity) -> Composition<State, u8, u8> {
    let add = |label: &str| assign(label, |p: &mut Program| p.x += 1);
    let guesses = guess("guess", |_: &Program, visit| {
        (3..6).for_each(|x| visit(Program { x }));
    });
    let command: Plain = sequence([
        add("begin").quiet().from_source("a page"),
        guesses,
        guess("again", |p: &Program, visit| visit(Program { x: p.x + 2 })).quiet(),
        add("then").quiet(),
        add("end"),
    ]);
    let mut composition = Composition::<State, u8, u8>::new().with(granularity);
    for (number, name) in ["client", "client", "server"].into_iter().enumerate() {
        let placed = composition.process(
            refmap::Process::numbered(name, number as u16),
            &command,
            move |s| &s.programs[number],
            move |s| &mut s.programs[number],
        );
        placed.expect("the process is well formed");
    }
    composition
}

/// Processes of one name share their rules and others have their own; a step that is run with the one before it has
/// none. Each act is of the rule that is named as its command is.
#[test]
fn every_step_has_the_rule_of_its_command() {
    let quiet = ["begin", "again", "then"];
    for granularity in [Granularity::Fine, Granularity::Coarse(Choices::AtOnce)] {
        let composition = three(granularity);
        let rules = composition.rules();
        let named = |name| {
            let of = rules.iter().filter(|rule| rule.process == name);
            of.map(|rule| &*rule.name).collect::<BTreeSet<_>>()
        };
        let mut expected = BTreeSet::from(["begin", "guess", "again", "then", "end"]);
        if granularity != Granularity::Fine {
            expected.retain(|label| !quiet.contains(label));
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
                let rule = &rules[act.rule().0];
                assert_eq!(
                    (&*rule.name, rule.process),
                    (act.label.as_str(), act.process.name)
                );
                visit(act.to_string(), to);
            });
        });
        // Each process by itself: the beginning, after it, three numbers at each of three places, and the end of each.
        let one: usize = match granularity {
            Granularity::Fine => 2 + 3 * 3 + 3,
            Granularity::Coarse(_) => 1 + 3 + 3,
        };
        assert_eq!(states.len(), one.pow(3));
    }
}

/// A beginning is where all processes begin, wherever they were, with the quiet steps there taken; steps that are not
/// wanted are not taken, and the results of a guess are counted.
#[test]
fn processes_begin_where_they_begin_and_choose_in_order() {
    for (granularity, x, at) in [
        (Granularity::Fine, 0, 0),
        (Granularity::Coarse(Choices::AtOnce), 1, 1),
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
