//! The lazy list-based set [Heller et al., *A Lazy Concurrent List-Based Set Algorithm*, 2005], of one key: `contains` waits for nobody. It
//! refines a set whose operations take effect at once, by a mapping of which one step is several: who marks a node answers all who look at it.
use refmap::AbstractSteps::{One, Several, Stutter};
use refmap::inclusion::{Comparison, Evidence, Included, Inclusion, check_inclusion};
use refmap::{Action, Settings, State, TransitionSystem, Verdict};
use refmap_testing::{Mapped, checked, mapped, verdict_on};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Seen {
    Idle,
    Asking,
    Told(bool),
}

// ---- A set ----
struct Set(usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Ask {
    Idle,
    Called,
    Done(bool),
    Told(bool),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = Set)]
struct Key {
    present: bool,
    #[state(symmetric, len = system.0)]
    readers: Vec<Ask>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Set)]
#[process(0..system.0)]
enum Do {
    Add,
    Remove,
    #[rule(process = "reader")]
    Call(#[process] usize),
    #[rule(process = "reader")]
    Contains(#[process] usize),
    #[rule(process = "reader")]
    Tell(#[process] usize),
    #[rule(process = "reader")]
    Leave(#[process] usize),
}

impl TransitionSystem for Set {
    type State = Key;
    type Action = Do;
    type Observation = (bool, Vec<Seen>);

    fn initial(&self, visit: &mut impl FnMut(Key)) {
        visit(Key {
            present: false,
            readers: vec![Ask::Idle; self.0],
        });
    }

    fn fire(&self, action: &Do, key: &mut Key) -> Option<()> {
        let reader = match *action {
            Do::Add => return (!key.present).then(|| key.present = true),
            Do::Remove => return key.present.then(|| key.present = false),
            Do::Call(r) | Do::Contains(r) | Do::Tell(r) | Do::Leave(r) => &mut key.readers[r],
        };
        *reader = match (action, *reader) {
            (Do::Call(_), Ask::Idle) => Ask::Called,
            (Do::Contains(_), Ask::Called) => Ask::Done(key.present),
            (Do::Tell(_), Ask::Done(v)) => Ask::Told(v),
            (Do::Leave(_), Ask::Told(_)) => Ask::Idle,
            _ => return None,
        };
        Some(())
    }

    fn observe(&self, state: &Key) -> (bool, Vec<Seen>) {
        let seen = |ask: &Ask| match *ask {
            Ask::Idle => Seen::Idle,
            Ask::Called | Ask::Done(_) => Seen::Asking,
            Ask::Told(v) => Seen::Told(v),
        };
        (state.present, state.readers.iter().map(seen).collect())
    }
}

// ---- The list ----
struct Lazy(usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Reader {
    Idle,
    Called,
    /// It has a node, which may be marked, whether or not it is still in the list.
    Found {
        marked: bool,
    },
    Done(bool),
    Told(bool),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = Lazy)]
struct List {
    /// The node in the list: whether it is marked.
    node: Option<bool>,
    #[state(symmetric, len = system.0)]
    readers: Vec<Reader>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Lazy)]
#[process(0..system.0)]
enum Step {
    Add,
    Mark,
    Unlink,
    #[rule(process = "reader")]
    Call(#[process] usize),
    #[rule(process = "reader")]
    Find(#[process] usize),
    #[rule(process = "reader")]
    Check(#[process] usize),
    #[rule(process = "reader")]
    Tell(#[process] usize),
    #[rule(process = "reader")]
    Leave(#[process] usize),
}

impl TransitionSystem for Lazy {
    type State = List;
    type Action = Step;
    type Observation = (bool, Vec<Seen>);

    fn initial(&self, visit: &mut impl FnMut(List)) {
        visit(List {
            node: None,
            readers: vec![Reader::Idle; self.0],
        });
    }

    fn fire(&self, step: &Step, list: &mut List) -> Option<()> {
        let reader = match *step {
            Step::Add => return list.node.replace(false).is_none().then_some(()),
            Step::Mark => {
                (!list.node.replace(true)?).then_some(())?;
                // An unmarked node that a reader has is the one in the list.
                for reader in &mut list.readers {
                    if let Reader::Found { marked } = reader {
                        *marked = true;
                    }
                }
                return Some(());
            }
            Step::Unlink => return list.node.take()?.then_some(()),
            Step::Call(r) | Step::Find(r) | Step::Check(r) | Step::Tell(r) | Step::Leave(r) => {
                &mut list.readers[r]
            }
        };
        *reader = match (step, *reader) {
            (Step::Call(_), Reader::Idle) => Reader::Called,
            (Step::Find(_), Reader::Called) => match list.node {
                None => Reader::Done(false),
                Some(marked) => Reader::Found { marked },
            },
            (Step::Check(_), Reader::Found { marked }) => Reader::Done(!marked),
            (Step::Tell(_), Reader::Done(v)) => Reader::Told(v),
            (Step::Leave(_), Reader::Told(_)) => Reader::Idle,
            _ => return None,
        };
        Some(())
    }

    fn observe(&self, state: &List) -> (bool, Vec<Seen>) {
        let seen = |reader: &Reader| match *reader {
            Reader::Idle => Seen::Idle,
            Reader::Told(v) => Seen::Told(v),
            _ => Seen::Asking,
        };
        (
            state.node == Some(false),
            state.readers.iter().map(seen).collect(),
        )
    }
}

/// When contains takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// When it looks at the mark
    Check,
    /// When its node is marked, by whoever marks it, or when it finds it marked
    Helped,
}

fn image(state: &List, effect: Effect) -> Key {
    let ask = |reader: &Reader| match *reader {
        Reader::Idle => Ask::Idle,
        Reader::Found { marked: true } if effect == Effect::Helped => Ask::Done(false),
        Reader::Called | Reader::Found { .. } => Ask::Called,
        Reader::Done(v) => Ask::Done(v),
        Reader::Told(v) => Ask::Told(v),
    };
    Key {
        present: state.node == Some(false),
        readers: state.readers.iter().map(ask).collect(),
    }
}

fn lazy_set(readers: usize, effect: Effect) -> Mapped<Lazy, Set> {
    let map = move |state: &List| image(state, effect);
    let answer = move |from: &List, step: &Step, to: &List| {
        let done = |state: &List, r: usize| matches!(map(state).readers[r], Ask::Done(_));
        let now_done = |r: &usize| !done(from, *r) && done(to, *r);
        let helped = || (0..readers).filter(now_done).map(Do::Contains);
        match *step {
            Step::Add => One(Do::Add),
            Step::Mark => Several([Do::Remove].into_iter().chain(helped()).collect()),
            Step::Unlink => Stutter,
            Step::Call(r) => One(Do::Call(r)),
            Step::Find(_) | Step::Check(_) => helped().next().into(),
            Step::Tell(r) => One(Do::Tell(r)),
            Step::Leave(r) => One(Do::Leave(r)),
        }
    };
    mapped(Lazy(readers), Set(readers), map, answer)
}

/// Up to this many readers.
const READERS: usize = 3;

/// It takes effect when the node is marked, and not when the mark is looked at: by then another node may have been added.
#[test]
fn the_lazy_set_refines_a_set_by_several_steps() {
    for readers in 1..=READERS {
        let settings = Settings::default();
        let report = checked(&lazy_set(readers, Effect::Helped), &settings);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        let report = checked(&lazy_set(readers, Effect::Check), &settings);
        let verdict = verdict_on(&report, "simulation");
        assert_eq!(verdict, Verdict::Violated, "{report}");
    }
}

fn without_a_mapping(readers: usize) -> Inclusion {
    let inclusion = check_inclusion(&Lazy(readers), &Set(readers), &Comparison::default());
    inclusion.expect("nothing panics")
}

/// No variable is missing, and the mapping that is found has one rule that takes several steps: a removal, and an answer for each reader.
#[test]
fn the_rule_of_the_lazy_set_that_is_several_steps_is_named() {
    for readers in 1..=READERS {
        let inclusion = without_a_mapping(readers);
        assert_eq!(inclusion.verdict, Included::Included);
        let Some(Evidence::Stuttering {
            stutters,
            is_function: true,
            or_history,
            mapping: Some(mapping),
        }) = &inclusion.evidence
        else {
            panic!("{inclusion}");
        };
        let several: Vec<_> = stutters
            .iter()
            .map(|one| (one.rule.as_str(), one.abstract_steps))
            .collect();
        assert_eq!(several, [("mark", readers as u32 + 1)], "{inclusion}");
        assert_eq!(Some(mapping.states), inclusion.states);
        // One reader may be answered later by a step of its own, and remembers that it was to be; of two that are answered at once, the
        // second would come too late.
        assert_eq!(*or_history, inclusion.rung == Some(1));
        assert_eq!(inclusion.rung, Some(if readers == 1 { 1 } else { 2 }));
        let told = inclusion.to_string();
        assert!(!told.contains("needed:"), "{told}");
        for line in [
            "no variable is missing if a step may be several abstract steps: `AbstractSteps::Several`",
            &format!("mark: up to {} abstract steps", readers + 1),
        ] {
            assert!(told.contains(line), "{told}");
        }
    }
}
