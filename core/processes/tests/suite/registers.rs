//! Tests that dead registers are cleared and that wrong declarations of registers are found.

use refmap::Process;
use refmap_processes::{
    At, Command, Composition, Configuration, Data, Location, Register, Registers, assign, choice,
    choose, forever, request, respond, sequence, when,
};

use super::reach;

/// A loop that draws a number, reads it, and stores whether it was large.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Drawer {
    /// A register.
    drawn: u8,
    was_large: bool,
}

const DRAWN: Register = Register(0);

impl Data for Drawer {
    const REGISTERS: &'static [&'static str] = &["drawn"];

    fn clear(&mut self, _registers: Registers) {
        self.drawn = 0;
    }

    fn havoc(&self, _register: Register, visit: &mut dyn FnMut(Self)) {
        let others = (0..4).filter(|drawn| *drawn != self.drawn);
        others.for_each(|drawn| visit(Self { drawn, ..*self }));
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: At<1>,
    drawer: Drawer,
}

impl Configuration for State {
    fn location(&self, process: usize) -> Location {
        self.at[process]
    }

    fn go_to(&mut self, process: usize, location: Location) {
        self.at[process] = location;
    }
}

type Step = Command<Drawer, (), ()>;

fn draw() -> Step {
    choose("draw", |from: &Drawer, visit| {
        (0..4).for_each(|drawn| visit(Drawer { drawn, ..*from }));
    })
}

fn keep() -> Step {
    assign("keep", |d: &mut Drawer| d.was_large = d.drawn > 1)
}

/// Draws and keeps, then takes two steps that do not read the drawn number.
fn composition(draw: Step, keep: Step) -> Composition<State, (), ()> {
    let small = when(
        "was it small?",
        |d: &Drawer| !d.was_large,
        assign("rest", |_| ()),
    );
    let body = forever(sequence([draw, keep, small]));
    let mut composition = Composition::new();
    composition
        .process(
            Process::new("drawer"),
            &body,
            |s: &State| &s.drawer,
            |s| &mut s.drawer,
        )
        .expect("the process is well formed");
    composition
}

fn states(composition: &Composition<State, (), ()>) -> Vec<State> {
    let mut initial = Vec::new();
    composition.start(State::default(), &mut |state| initial.push(state));
    let (states, _) = reach(initial, |from, visit| {
        composition.steps(from, &mut |act, to| visit(act.to_string(), to.clone()));
    });
    states.into_iter().collect()
}

/// The four locations have two states before drawing, eight before keeping, two at the guard and one before resting.
/// Without clearing, the last two would occur with several numbers each.
#[test]
fn dead_registers_are_cleared() {
    let declared = composition(draw().writes(DRAWN), keep().reads(DRAWN));
    assert_eq!(states(&declared).len(), 2 + 8 + 2 + 1);
    assert!(
        states(&declared)
            .iter()
            .all(|s| declared.test_registers(s).is_ok())
    );
    // Declared as read by every step that could read it, the register is never dead.
    let cautious = composition(draw().reads(DRAWN), keep().reads(DRAWN));
    // Before drawing and at the guard, the flag is a function of the number; before resting the number is small.
    assert_eq!(states(&cautious).len(), 4 + 8 + 4 + 2);
}

#[test]
fn an_undeclared_read_is_reported() {
    let silent = composition(draw().writes(DRAWN), keep());
    let found: Vec<_> = states(&silent)
        .iter()
        .filter_map(|state| silent.test_registers(state).err())
        .collect();
    assert!(!found.is_empty());
    let message = "`keep` of drawer depends on what register `drawn` holds, and does not say so";
    assert!(found.iter().all(|error| error.to_string() == message));
    // The wrong declaration hides behaviour: no state has a large number.
    assert!(states(&silent).iter().all(|s| !s.drawer.was_large));
}

/// A command is declared to write a register and keeps its value.
#[test]
fn a_declared_write_that_does_not_happen_is_reported() {
    let idle = assign("draw", |_: &mut Drawer| ()).writes(DRAWN);
    let never_drawn = composition(idle, keep().reads(DRAWN));
    let mut state = State::default();
    never_drawn.start(State::default(), &mut |started| state = started);
    let found = never_drawn
        .test_registers(&state)
        .expect_err("it does not write");
    assert_eq!(found.label, "draw");
}

/// Registers are numbered from 0, and there are at most 64.
#[test]
fn a_set_of_registers_has_the_inserted_registers() {
    let numbers = [0u8, 5, 6, 63];
    let set = Registers::from(numbers.map(Register));
    assert!(set.iter().map(|register| register.0).eq(numbers));
    for number in 0..64 {
        assert_eq!(set.contains(Register(number)), numbers.contains(&number));
    }
    assert_eq!(Registers::NONE.iter().count(), 0);
}

/// `clear_dead` clears exactly the registers that are dead at the location of the process.
#[test]
fn clear_dead_depends_on_the_location() {
    let declared = composition(draw().writes(DRAWN), keep().reads(DRAWN));
    let [draws, keeps] = ["draw", "keep"].map(|label| declared.at(0, label));
    for location in (0..4).map(Location) {
        let mut state = State {
            at: [location],
            drawer: Drawer {
                drawn: 3,
                was_large: true,
            },
        };
        declared.clear_dead(&mut state);
        assert!(!(draws.contains(location) && keeps.contains(location)));
        let drawn = if keeps.contains(location) { 3 } else { 0 };
        assert_eq!(state.drawer.drawn, drawn);
        assert!(state.drawer.was_large);
    }
}

/// A process that requests a number, and one that draws it and responds.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Meeting {
    at: At<2>,
    data: [Drawer; 2],
}

impl Configuration for Meeting {
    fn location(&self, process: usize) -> Location {
        self.at[process]
    }

    fn go_to(&mut self, process: usize, location: Location) {
        self.at[process] = location;
    }
}

type Part = Command<Drawer, (), u8>;

/// Errors of the test of registers over all reachable states. `place` is the index of the process that draws. Between
/// drawing and responding, one step leaves the drawn number alone.
fn said_of(place: usize, tell: Part) -> Vec<String> {
    let draw = choose("draw", |from: &Drawer, visit| {
        (0..4).for_each(|drawn| visit(Drawer { drawn, ..*from }));
    });
    let wait = assign("wait", |_: &mut Drawer| ());
    let teller = forever(sequence([draw.writes(DRAWN), wait, tell]));
    let learn = |d: &mut Drawer, told: &u8| d.was_large = *told > 1;
    let asker = forever(request("ask", |_: &Drawer| (), learn));
    let mut composition = Composition::<Meeting, (), u8>::new();
    for number in 0..2 {
        let (name, command) = if number == place {
            ("teller", &teller)
        } else {
            ("asker", &asker)
        };
        let placed = composition.process(
            Process::new(name),
            command,
            move |s: &Meeting| &s.data[number],
            move |s| &mut s.data[number],
        );
        placed.expect("the process is well formed");
    }
    let mut initial = Vec::new();
    composition.start(Meeting::default(), &mut |state| initial.push(state));
    let (states, _) = reach(initial, |from, visit| {
        composition.steps(from, &mut |act, to| visit(act.to_string(), to.clone()));
    });
    let said = states.iter().map(|state| composition.test_registers(state));
    said.filter_map(Result::err)
        .map(|e| e.to_string())
        .collect()
}

/// The test of a response compares what the requesting process learns, whichever of the two comes first.
#[test]
fn an_undeclared_read_of_a_response_is_reported() {
    fn tell(_: &(), d: &mut Drawer) -> Option<u8> {
        Some(d.drawn)
    }
    for place in 0..2 {
        let silent = said_of(place, respond("tell", tell));
        assert!(!silent.is_empty());
        let message =
            "`tell` of teller depends on what register `drawn` holds, and does not say so";
        assert!(silent.iter().all(|said| said == message), "{silent:?}");
        assert!(said_of(place, respond("tell", tell).reads(DRAWN)).is_empty());
        // A register that one response reads need not be declared by another.
        let either = choice([
            respond("tell", tell).reads(DRAWN),
            respond("refuse", |_: &(), _: &mut Drawer| Some(0)),
        ]);
        assert!(said_of(place, either).is_empty());
    }
}
