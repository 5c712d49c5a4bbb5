//! Tests with two of everything, and more where two are a special case; and past one byte and the first half of a word. The second
//! process, step, register or target counts as the first does.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use refmap::{Action, Process};
use refmap_processes::{
    At, Choices, Command, Composition, Configuration, Data, Granularity, Label, Location,
    ProcessError, Register, Registers, assign, choice, choose, forever, request, respond,
    respond_any, sequence, when, when_else, while_do,
};

use super::reach;

/// As many registers as there may be, and a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wide {
    registers: [u8; 64],
    seen: u8,
}

impl Default for Wide {
    fn default() -> Self {
        Self {
            registers: [0; 64],
            seen: 0,
        }
    }
}

impl Data for Wide {
    const REGISTERS: &'static [&'static str] = &[
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26",
        "r27", "r28", "r29", "r30", "r31", "r32", "r33", "r34", "r35", "r36", "r37", "r38", "r39",
        "r40", "r41", "r42", "r43", "r44", "r45", "r46", "r47", "r48", "r49", "r50", "r51", "r52",
        "r53", "r54", "r55", "r56", "r57", "r58", "r59", "r60", "r61", "r62", "r63",
    ];

    fn clear(&mut self, registers: Registers) {
        for register in registers.iter() {
            self.registers[usize::from(register.0)] = 0;
        }
    }

    fn havoc(&self, register: Register, visit: &mut dyn FnMut(Self)) {
        for value in 0..3 {
            let mut havocked = self.clone();
            havocked.registers[usize::from(register.0)] = value;
            visit(havocked);
        }
    }
}

/// Four processes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: At<4>,
    data: [Wide; 4],
}

impl Configuration for State {
    fn location(&self, process: usize) -> Location {
        self.at[process]
    }

    fn go_to(&mut self, process: usize, location: Location) {
        self.at[process] = location;
    }
}

type Step = Command<Wide, u8, u8>;

fn composed(
    granularity: Granularity,
    commands: Vec<Step>,
) -> Result<Composition<State, u8, u8>, ProcessError> {
    let mut composition = Composition::new().with(granularity);
    for (number, command) in commands.into_iter().enumerate() {
        composition.process(
            Process::numbered("process", number as u16),
            &command,
            move |state: &State| &state.data[number],
            move |state| &mut state.data[number],
        )?;
    }
    Ok(composition)
}

fn fine(commands: Vec<Step>) -> Composition<State, u8, u8> {
    composed(Granularity::Fine, commands).expect("they are well formed")
}

fn states(composition: &Composition<State, u8, u8>) -> BTreeSet<State> {
    let mut initial = Vec::new();
    composition.start(State::default(), &mut |state| initial.push(state));
    let (states, _) = reach(initial, |from, visit| {
        composition.steps(from, &mut |act, to| visit(act.to_string(), to.clone()));
    });
    states
}

fn nothing(label: impl Into<Label>) -> Step {
    assign(label.into(), |_: &mut Wide| ())
}

/// Registers of which these hold 1.
fn ones(live: &[u8]) -> [u8; 64] {
    std::array::from_fn(|register| u8::from(live.contains(&(register as u8))))
}

/// Of 64 registers those are kept that a later step reads, of each process, on whichever way.
#[test]
fn each_of_64_registers_lives_until_it_is_read() {
    let set = |label: &'static str| {
        let all: [Register; 64] = std::array::from_fn(|register| Register(register as u8));
        assign(label, |of: &mut Wide| of.registers = [1; 64]).writes(all)
    };
    let look = |label: &'static str, register| nothing(label).reads(Register(register));
    let process = || {
        sequence([
            set("set"),
            when_else(
                "which?",
                |of: &Wide| of.seen == 0,
                choice([look("a", 63), look("b", 40)]),
                choice([look("c", 33), look("d", 0)]),
            ),
        ])
    };
    let composition = fine(vec![process(), process()]);
    for process in 0..2 {
        let live_at = |label: &str, live: &[u8]| {
            let at = composition.at(process, label);
            let states = states(&composition);
            let mut here = states.iter().filter(|state| at.contains(state.at[process]));
            let first = here.next().expect("it is reached");
            assert_eq!(first.data[process].registers, ones(live), "{label}");
        };
        live_at("which?", &[0, 33, 40, 63]);
        live_at("a", &[40, 63]);
        live_at("set", &[]);
        // The same of a state that no step produced.
        let mut made = State::default();
        for number in 0..2 {
            made.data[number].registers = [1; 64];
            let locations = (0..composition.locations(number) as u16).map(Location);
            let mut here = locations.filter(|at| composition.at(number, "c").contains(*at));
            made.go_to(number, here.next().expect("it has one"));
        }
        composition.clear_dead(&mut made);
        assert_eq!(made.data[process].registers, ones(&[0, 33]));
    }
}

/// An undeclared read of any register, in any step of any process, is told, whichever value makes a difference; in a response,
/// whoever asks.
#[test]
fn each_undeclared_read_is_told() {
    let quiet = || forever(nothing("rest"));
    let all = [0_u8, 1, 31, 32, 63].into_iter();
    for (register, told_apart) in
        all.flat_map(|register| (0..3).map(move |value| (register, value)))
    {
        let look = assign("look", move |of: &mut Wide| {
            of.seen = u8::from(of.registers[usize::from(register)] == told_apart);
        });
        let second_step = || forever(choice([nothing("first"), look.clone()]));
        for commands in [
            vec![second_step()],
            vec![quiet(), second_step()],
            vec![quiet(), quiet(), quiet(), second_step()],
        ] {
            let number = commands.len() - 1;
            let composition = fine(commands);
            let told = composition.test_registers(&State::default());
            let told = told.expect_err("it reads what it does not declare");
            assert_eq!(
                told.to_string(),
                format!(
                    "`look` of process {number} depends on what register `r{register}` holds, and does not say so"
                )
            );
        }
        let tell = || {
            let tell = move |_: &u8, of: &mut Wide| {
                Some(u8::from(of.registers[usize::from(register)] == told_apart))
            };
            forever(respond("tell", tell))
        };
        let ask = || {
            forever(request(
                "ask",
                |_: &Wide| 0,
                |of: &mut Wide, told| of.seen = *told,
            ))
        };
        for commands in [
            vec![tell(), ask()],
            vec![tell(), quiet(), ask()],
            vec![quiet(), ask(), quiet(), tell()],
        ] {
            let told = fine(commands).test_registers(&State::default());
            assert!(told.is_err_and(|told| told.label == "tell"));
        }
    }
}

/// Past 256 locations and rules, each step leads to its location and has the rule of its command, of the first process with these
/// commands and of another of its name.
#[test]
fn each_of_many_steps_has_its_location_and_its_rule() {
    let count = 300;
    let steps = || {
        sequence((0..count).map(|n| {
            let label = Label::from(format!("step {n}"));
            assign(label, |of: &mut Wide| of.seen = of.seen.wrapping_add(1))
        }))
    };
    let composition = fine(vec![nothing("other"), steps(), nothing("third"), steps()]);
    assert_eq!(composition.rules().len(), count + 2);
    for process in [1, 3] {
        assert_eq!(composition.locations(process), count + 1);
        let mut state = State::default();
        for n in 0..count {
            let mut next = None;
            composition.steps_of(process, &|_| true, &mut state, &mut |act, to| {
                assert_eq!(act.label.as_str(), format!("step {n}"));
                assert_eq!(
                    composition.rules()[act.rule(&composition).0].name,
                    format!("step {n}")
                );
                next = Some(to.clone());
            });
            state = next.expect("there is a next step");
            assert_eq!(state.at[process], Location(n as u16 + 1));
            assert_eq!(state.data[process].seen, (n + 1) as u8);
        }
        composition.steps_of(process, &|_| true, &mut state, &mut |act, _| {
            panic!("it has ended: {act}")
        });
    }
}

/// Each of 300 results has its number: of a choice, of one that is fused with the next step, of a rendezvous, and of fused steps.
#[test]
fn each_of_many_results_has_its_number() {
    let count = 300;
    let chosen = |label: &'static str| {
        choose(label, move |of: &Wide, visit| {
            (0..count).for_each(|_| visit(of.clone()));
        })
    };
    let ask = request("ask", |_: &Wide| 0, |_: &mut Wide, _| ());
    let answer = respond_any("answer", move |_: &u8, of: &Wide, visit| {
        (0..count).for_each(|_| visit(of.clone(), 0));
    });
    let all = [
        vec![chosen("alone")],
        vec![sequence([chosen("next").fuse_with_next(), nothing("a")])],
        vec![ask, answer],
        vec![sequence([
            nothing("a"),
            chosen("then").fuse_with_previous(),
        ])],
    ];
    for commands in all {
        let composition = composed(Granularity::Fused(Choices::FusedWithNext), commands);
        let composition = composition.expect("they are well formed");
        let mut choices = Vec::new();
        composition.steps(&State::default(), &mut |act, _| choices.push(act.choice));
        assert_eq!(choices, Vec::from_iter(0..count));
    }
}

/// A request meets each of three processes that respond, and nobody else.
#[test]
fn a_request_meets_the_third_that_responds() {
    let answer = |with: u8| forever(respond("answer", move |_: &u8, _: &mut Wide| Some(with)));
    let ask = forever(request(
        "ask",
        |_: &Wide| 0,
        |of: &mut Wide, told| of.seen = *told,
    ));
    let composition = fine(vec![answer(1), answer(2), answer(3), ask]);
    let mut met = Vec::new();
    composition.steps(&State::default(), &mut |act, to| {
        let (with, _) = act.with.expect("it is a rendezvous");
        met.push((with.number, to.data[3].seen));
    });
    assert_eq!(met, [(Some(0), 1), (Some(1), 2), (Some(2), 3)]);
}

/// The steps of a location lead to the targets of each, and a step is found at the last of many locations.
#[test]
fn each_step_of_a_location_has_its_targets() {
    let command = sequence([
        choice([
            sequence([nothing("left"), nothing("a")]),
            sequence([nothing("right"), nothing("b")]),
            nothing("on"),
        ]),
        nothing("last"),
    ]);
    let composition = fine(vec![command]);
    let at = |label: &str| {
        let found = composition.at(0, label);
        let locations = (0..composition.locations(0) as u16).map(Location);
        locations
            .filter(|at| found.contains(*at))
            .collect::<Vec<_>>()
    };
    let targets: BTreeSet<_> = composition.targets(0, Location(0)).into_iter().collect();
    let expected = ["a", "b", "last"].map(|label| at(label)[0]);
    assert_eq!(targets, BTreeSet::from(expected));
}

#[test]
fn three_locations_alike_have_their_names() {
    let again = while_do("full?", |of: &Wide| of.seen == 0, nothing("more"));
    let composition = fine(vec![sequence([nothing("begin"), forever(forever(again))])]);
    let names =
        (0..composition.locations(0) as u16).map(|at| composition.location_name(0, Location(at)));
    let names: Vec<_> = names.collect();
    let alike = names.iter().filter(|name| name.starts_with("full?"));
    assert_eq!(alike.count(), 3, "{names:?}");
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
}

/// Faults in the second of two branches, targets or cycles are refused like the first.
#[test]
fn the_second_of_two_faults_is_refused() {
    let chosen = || choose("choose", |of: &Wide, visit| visit(of.clone())).fuse_with_next();
    let answer = || respond("answer", |_: &u8, _: &mut Wide| Some(0));
    let guarded = |then: Step, otherwise: Step| {
        when_else("guard", |_: &Wide| true, then, otherwise).fuse_with_previous()
    };
    let refused = |behind: Step| {
        let fused = Granularity::Fused(Choices::FusedWithNext);
        composed(fused, vec![sequence([chosen(), behind])]).err()
    };
    assert_eq!(refused(guarded(nothing("a"), nothing("b"))), None);
    for behind in [
        choice([nothing("a"), answer()]),
        choice([answer(), nothing("a")]),
        guarded(nothing("a"), answer()),
        guarded(answer(), nothing("a")),
    ] {
        let refused = refused(behind);
        assert!(matches!(
            refused,
            Some(ProcessError::NotFusibleWithNext { .. })
        ));
    }
    let fused = |label: &'static str| nothing(label).fuse_with_previous();
    let two = sequence([
        nothing("a"),
        fused("b"),
        nothing("c"),
        forever(sequence([fused("d"), fused("e")])),
    ]);
    let refused = composed(Granularity::Fine, vec![two]).err();
    assert!(matches!(refused, Some(ProcessError::FusedCycle { label, .. }) if label == "d"));
    // Of the ways from one location only one leads back.
    let back_by = |ways: [&'static str; 3]| {
        let way = |label: &'static str| match label {
            "back" => fused(label),
            on => sequence([fused(on), nothing(if on == "on" { "a" } else { "b" })]),
        };
        forever(choice(ways.map(way)))
    };
    for ways in [
        ["back", "on", "off"],
        ["on", "back", "off"],
        ["on", "off", "back"],
    ] {
        let refused = composed(Granularity::Fine, vec![back_by(ways)]).err();
        assert!(
            matches!(refused, Some(ProcessError::FusedCycle { .. })),
            "{ways:?}"
        );
    }
    let on = || sequence([nothing("on"), fused("last")]);
    for [then, otherwise] in [[fused("then"), on()], [on(), fused("then")]] {
        let guard = when_else("guard", |_: &Wide| true, then, otherwise).fuse_with_previous();
        let refused = composed(Granularity::Fine, vec![forever(guard)]).err();
        assert!(matches!(refused, Some(ProcessError::FusedCycle { .. })));
    }
}

/// A location of which only one step is fused with the previous one is settled, whichever it is.
#[test]
fn one_of_two_fused_steps_fuses_nothing() {
    let fused = |label: &'static str| nothing(label).fuse_with_previous();
    for branches in [[nothing("a"), fused("b")], [fused("a"), nothing("b")]] {
        let command = sequence([nothing("begin"), choice(branches)]);
        let composition = composed(Granularity::Fused(Choices::Separate), vec![command]);
        let composition = composition.expect("it is well formed");
        assert_eq!(states(&composition).len(), 3);
    }
}

/// Fused steps are taken of both processes of a rendezvous, with each result of each.
#[test]
fn both_processes_of_a_rendezvous_settle() {
    let draw = |label: &'static str| {
        let draw = choose(label, |of: &Wide, visit| {
            (1..4).for_each(|seen| visit(Wide { seen, ..of.clone() }));
        });
        draw.fuse_with_previous()
    };
    let command = |first: Step| sequence([first, draw("draw"), nothing("end")]);
    let ask = request("ask", |_: &Wide| 0, |_: &mut Wide, _| ());
    let answer = respond("answer", |_: &u8, _: &mut Wide| Some(0));
    let all = vec![command(ask), command(answer)];
    let composition = composed(Granularity::Fused(Choices::Separate), all);
    let composition = composition.expect("they are well formed");
    let mut met = BTreeSet::new();
    let mut choices = Vec::new();
    composition.steps(&State::default(), &mut |act, to| {
        choices.push(act.choice);
        met.insert([to.data[0].seen, to.data[1].seen]);
    });
    let expected = (1..4).flat_map(|one| (1..4).map(move |other| [one, other]));
    assert!(met.iter().copied().eq(expected), "{met:?}");
    assert_eq!(choices, Vec::from_iter(0..9));
}

#[test]
fn a_fused_choice_goes_on_with_each_next_step() {
    let chosen = choose("choose", |of: &Wide, visit| {
        (1..3).for_each(|seen| visit(Wide { seen, ..of.clone() }));
    });
    let next = ["a", "b", "c"].map(nothing);
    let command = sequence([chosen.fuse_with_next(), choice(next)]);
    let composition = composed(Granularity::Fused(Choices::FusedWithNext), vec![command]);
    let composition = composition.expect("it is well formed");
    let mut taken = Vec::new();
    composition.steps(&State::default(), &mut |act, to| {
        taken.push((to.data[0].seen, act.label.as_str(), act.choice));
    });
    let expected = [1, 2]
        .into_iter()
        .flat_map(|seen| ["a", "b", "c"].map(|label| (seen, label)));
    let expected = expected
        .zip(0..)
        .map(|((seen, label), number)| (seen, label, number));
    assert!(expected.eq(taken.iter().copied()), "{taken:?}");
}

/// A choice that is fused with the next step is refused if any of its results blocks that step and any other does not.
#[test]
fn a_fused_choice_is_refused_whichever_result_blocks() {
    for enabled in 0..1_u8 << 3 {
        let chosen = choose("which", |of: &Wide, visit| {
            (0..3).for_each(|seen| visit(Wide { seen, ..of.clone() }));
        });
        let ask = request("ask", |of: &Wide| of.seen, |_: &mut Wide, _| ());
        let answer = respond("answer", move |asked: &u8, _: &mut Wide| {
            (enabled >> asked & 1 == 1).then_some(0)
        });
        let all = vec![sequence([chosen.fuse_with_next(), ask]), answer];
        let composition = composed(Granularity::Fused(Choices::FusedWithNext), all);
        let composition = composition.expect("they are well formed");
        let steps = || composition.steps(&State::default(), &mut |_, _| ());
        let refused = catch_unwind(AssertUnwindSafe(steps)).is_err();
        assert_eq!(refused, enabled != 0 && enabled != 0b111, "{enabled:03b}");
    }
}

/// Steps that all processes are to take at once at the beginning are taken of each.
#[test]
fn all_processes_settle_at_the_beginning() {
    let command = || {
        let begin = assign("begin", |of: &mut Wide| of.seen = 1);
        sequence([begin.fuse_with_previous(), nothing("end")])
    };
    let all = (0..4).map(|_| command()).collect();
    let composition = composed(Granularity::Fused(Choices::Separate), all);
    let composition = composition.expect("they are well formed");
    let mut begun = Vec::new();
    composition.start(State::default(), &mut |state| begun.push(state));
    let [state] = &begun[..] else {
        panic!("one state: {begun:?}");
    };
    assert!(state.data.iter().all(|of| of.seen == 1));
}

/// Two choices of one label go on to the same places, both where their guards hold and where they do not.
#[test]
fn choices_of_one_label_lead_to_the_same_places() {
    let refused = |ways: [Step; 2]| {
        let [one, other] = ways;
        let either = choice([
            sequence([nothing("s"), one]),
            sequence([nothing("t"), other]),
        ]);
        composed(Granularity::Fine, vec![either]).err()
    };
    let holds = |_: &Wide| true;
    let then = |label: &'static str| when("guard", holds, nothing(label));
    let otherwise = |label: &'static str| when_else("guard", holds, sequence([]), nothing(label));
    for ways in [[then("a"), then("b")], [otherwise("a"), otherwise("b")]] {
        let refused = refused(ways);
        assert!(
            matches!(refused, Some(ProcessError::DuplicateLabel { ref label, .. }) if label == "guard"),
            "{refused:?}"
        );
    }
}
