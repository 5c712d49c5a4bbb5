//! The README's example: its code is the code below, and the report it shows is the one that it prints.

use refmap::{Refinement, Rule, RuleId, Settings, TransitionSystem, Verdict, check};

struct Atomic([Rule; 1]);
impl TransitionSystem for Atomic {
    type State = u8;
    type Action = &'static str;
    type Observation = u8;
    fn rules(&self) -> &[Rule] { &self.0 }
    fn rule_of(&self, _: &&'static str) -> RuleId { RuleId(0) }
    fn initial(&self, visit: &mut impl FnMut(u8)) { visit(0) }
    fn next(&self, n: &u8, visit: &mut impl FnMut(&'static str, u8)) {
        visit("increment", (n + 1) % 4);
    }
    fn observe(&self, n: &u8) -> u8 { *n }
}

struct ReadThenWrite { threads: usize, rules: [Rule; 2] }
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
struct State { counter: u8, read: [Option<u8>; 2] }

impl<S: ?Sized> refmap::State<S> for State {}
impl TransitionSystem for ReadThenWrite {
    type State = State;
    type Action = (&'static str, usize); // what is done, and the thread that does it
    type Observation = u8;
    fn rules(&self) -> &[Rule] { &self.rules }
    fn rule_of(&self, action: &Self::Action) -> RuleId { RuleId((action.0 == "write") as usize) }
    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State { counter: 0, read: [None; 2] });
    }
    fn next(&self, from: &State, visit: &mut impl FnMut(Self::Action, State)) {
        for thread in 0..self.threads {
            let mut to = *from;
            match to.read[thread].take() {
                None => { to.read[thread] = Some(from.counter); visit(("read", thread), to) }
                Some(n) => { to.counter = (n + 1) % 4; visit(("write", thread), to) }
            }
        }
    }
    fn observe(&self, state: &State) -> u8 { state.counter }
}

struct Counter { implementation: ReadThenWrite, specification: Atomic }
impl Refinement for Counter {
    type Concrete = ReadThenWrite;
    type Abstract = Atomic;
    fn implementation(&self) -> &ReadThenWrite { &self.implementation }
    fn specification(&self) -> &Atomic { &self.specification }
    fn map(&self, state: &State) -> u8 { state.counter }
    fn abstract_action(&self, _: &State, action: &(&'static str, usize), _: &State) -> Option<&'static str> {
        (action.0 == "write").then_some("increment") // A write is the increment; a read is a stutter.
    }
}

#[test]
fn the_report_in_the_readme_is_real() {
// README
let counter = |threads| Counter {
    implementation: ReadThenWrite {
        threads,
        rules: [Rule::new("read", "thread", "README"), Rule::new("write", "thread", "README")],
    },
    specification: Atomic([Rule::new("increment", "thread", "README")]),
};
let one = check(&counter(1), &Settings::default()).unwrap();
assert_eq!(one.verdict, Some(Verdict::Holds));
let two = check(&counter(2), &Settings::default()).unwrap();
assert_eq!(two.verdict, Some(Verdict::Violated));
// END
let report = two.counterexample.unwrap().to_string();
assert!(include_str!("../../../../README.md").contains(&report), "\n{report}");
}

#[test]
fn the_code_in_the_readme_is_this() {
    let readme = include_str!("../../../../README.md");
    let shown = readme.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    let (items, body) = shown.split_at(shown.find("let counter").unwrap());
    let this = include_str!("readme.rs");
    assert!(this.contains(items));
    assert!(this.contains(&format!("// README\n{body}// END\n")));
}
