//! The README's example: its code is the code below, and the report it shows is the one that it prints.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Action, Refinement, Settings, State, TransitionSystem, check};

struct Atomic; // The specification: a counter that is incremented at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
enum Change { Increment }
impl TransitionSystem for Atomic {
    type State = u8; type Action = Change; type Observation = u8;
    fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0) }
    fn fire(&self, _: &Change, n: &mut u8) -> Option<()> { *n = (*n + 1) % 4; Some(()) }
    fn observe(&self, n: &u8) -> u8 { *n }
}

struct Threads(usize); // The implementation: each thread reads the counter, and then writes what it read plus one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
struct Memory { counter: u8, read: Vec<Option<u8>> }
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
#[action(system = Threads)]
#[rule(process = "thread")]
enum Step { Read(#[process(0..system.0)] usize), Write(#[process(0..system.0)] usize) }
impl TransitionSystem for Threads {
    type State = Memory; type Action = Step; type Observation = u8;
    fn initial(&self, visit: &mut impl FnMut(Memory)) { visit(Memory { counter: 0, read: vec![None; self.0] }) }
    fn fire(&self, step: &Step, Memory { counter, read }: &mut Memory) -> Option<()> {
        match *step {
            Step::Read(t) => read[t].is_none().then(|| read[t] = Some(*counter)),
            Step::Write(t) => read[t].take().map(|n| *counter = (n + 1) % 4),
        }
    }
    fn observe(&self, memory: &Memory) -> u8 { memory.counter }
}

struct ThreadsRefineAtomic(Threads); // The claim, and why: the mapping, and the abstract action of each step.
impl Refinement for ThreadsRefineAtomic {
    type Implementation = Threads; type Specification = Atomic;
    fn implementation(&self) -> &Threads { &self.0 }
    fn specification(&self) -> &Atomic { &Atomic }
    fn map(&self, memory: &Memory) -> u8 { memory.counter }
    fn abstract_steps(&self, _: &Memory, step: &Step, _: &Memory) -> AbstractSteps<Change> {
        match step { Step::Read(_) => Stutter, Step::Write(_) => One(Change::Increment) }
    }
}

fn main() { println!("{}", check(&ThreadsRefineAtomic(Threads(2)), &Settings::default()).unwrap()); }
// END

#[test]
fn the_code_and_the_report_in_the_readme_are_real() {
    main();
    let readme = include_str!("../../../../README.md");
    let this = include_str!("readme.rs");
    let code = &this[this.find("use refmap").unwrap()..this.find("// END").unwrap()];
    assert!(readme.contains(&format!("```rust\n{code}```\n")));
    let report = |threads| check(&ThreadsRefineAtomic(Threads(threads)), &Settings::default()).unwrap();
    assert_eq!(report(1).verdict, Some(refmap::Verdict::Holds));
    let shown = report(2).counterexample.unwrap().to_string();
    assert!(readme.contains(&format!("```text\n{}\n```\n", shown.trim_end())), "\n{shown}");
}
