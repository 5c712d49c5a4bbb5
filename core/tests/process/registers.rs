//! Registers that are dead are cleared, and what is said of registers is tested.

use refmap::Process;
use refmap::process::{
    At, Command, Composition, Configuration, Data, Location, Register, Registers, assign, forever,
    guess, sequence, when,
};

use super::reach;

/// A loop that draws a number, looks at it, and keeps whether it was large.
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

    fn spoil(&self, _register: Register, visit: &mut dyn FnMut(Self)) {
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
    guess("draw", |from: &Drawer, visit| {
        (0..4).for_each(|drawn| visit(Drawer { drawn, ..*from }));
    })
}

fn keep() -> Step {
    assign("keep", |d: &mut Drawer| d.was_large = d.drawn > 1)
}

/// Draws, keeps, and then does two things that have nothing to do with what was drawn.
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
        composition.steps(from, &mut |act, to| visit(act.to_string(), to));
    });
    states.into_iter().collect()
}

/// Four locations: before drawing two states, before keeping eight, at the guard two, before resting
/// one. Without clearing, the last three would each be met with several numbers.
#[test]
fn what_nobody_reads_is_cleared() {
    let declared = composition(draw().writes(DRAWN), keep().reads(DRAWN));
    assert_eq!(states(&declared).len(), 2 + 8 + 2 + 1);
    assert!(
        states(&declared)
            .iter()
            .all(|s| declared.test_registers(s).is_ok())
    );
    // Said to be read wherever it could be, it is never dead.
    let cautious = composition(draw().reads(DRAWN), keep().reads(DRAWN));
    // Before drawing and at the guard, what was kept is that of the number; before resting it is small.
    assert_eq!(states(&cautious).len(), 4 + 8 + 4 + 2);
}

#[test]
fn a_read_that_is_not_declared_is_found_out() {
    let silent = composition(draw().writes(DRAWN), keep());
    let found: Vec<_> = states(&silent)
        .iter()
        .filter_map(|state| silent.test_registers(state).err())
        .collect();
    assert!(!found.is_empty());
    let message = "`keep` of drawer depends on what register `drawn` holds, and does not say so";
    assert!(found.iter().all(|error| error.to_string() == message));
    // And so it matters: large numbers are never seen.
    assert!(states(&silent).iter().all(|s| !s.drawer.was_large));
}

/// What is said to be written but keeps what was there.
#[test]
fn a_write_that_is_none_is_found_out() {
    let idle = assign("draw", |_: &mut Drawer| ()).writes(DRAWN);
    let never_drawn = composition(idle, keep().reads(DRAWN));
    let mut state = State::default();
    never_drawn.start(State::default(), &mut |started| state = started);
    let found = never_drawn
        .test_registers(&state)
        .expect_err("it does not write");
    assert_eq!(found.label.as_str(), "draw");
}
