//! One atomic register, as a specification: all that mutators which share it may show.

use std::collections::BTreeSet;

use refmap::{Process, Rule, RuleId, TransitionSystem};
use refmap_programs::{Behaviours, End, MemoryModel, Observation, Show, Shown, TooManyStates};
use refmap_systems::copying::{self, Instance};
use serde::{Serialize, Serializer};

/// One atomic register, and the mutators of an instance with nothing between it and them.
///
/// Which copy serves an operation is nobody's business. So the mutators may end in two ways: by
/// showing the last of what they show, or by *complete in the copy*, which shows all that is left
/// and ends with the last operation of each of them served by the to-space object. The latter is open
/// from the beginning, so that an implementation in which it never happens fails `coverage`.
#[derive(Debug)]
pub struct Register {
    behaviours: Behaviours,
    /// What is shown in the end.
    complete: BTreeSet<Observation>,
    rules: [Rule; 2],
}

/// What has been shown, and whether the mutators have ended in the copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct State {
    /// Of each thread what it has shown, and how it ended.
    pub shown: Observation,
    /// Whether they have ended, each served by the to-space object last.
    pub in_copy: bool,
}

impl<S: ?Sized> refmap::State<S> for State {}

/// A step of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A thread shows something more.
    Show(Show),
    /// All threads show all that is left and end, the mutators served by the to-space object last.
    CompleteInCopy(Observation),
}

impl refmap::Action for Action {}

/// `show …`, or `complete in the copy` with what the threads have shown by then.
impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Show(show) => show.serialize(serializer),
            Self::CompleteInCopy(shown) => {
                let outputs = shown.iter().flat_map(|thread| &thread.output);
                let outputs: Vec<_> = outputs.map(ToString::to_string).collect();
                let outputs = outputs.join(", ");
                serializer.collect_str(&format_args!(
                    "complete in the copy, having shown {outputs}"
                ))
            }
        }
    }
}

/// The most states of the mutators over a register; the largest instance has far fewer.
const MOST_STATES: u64 = 1_000_000;

impl Register {
    /// The register of an instance.
    ///
    /// # Errors
    ///
    /// If the instance is none, or too large.
    pub fn new(instance: &Instance) -> Result<Self, NotStated> {
        let program = copying::specification(instance)?;
        let behaviours = Behaviours::of(program, MemoryModel::Sc, MOST_STATES)?;
        let mut complete = BTreeSet::new();
        behaviours.initial(&mut |shown| {
            if shown.iter().all(|thread| thread.end == End::Ended) {
                complete.insert(shown);
            }
        });
        Ok(Self {
            behaviours,
            complete,
            rules: [
                Rule::new("show", "thread", "Ugawa et al., section 2"),
                Rule::new("complete_in_copy", "thread", "Ugawa et al., section 3.2.1"),
            ],
        })
    }
}

/// Why there is no such refinement.
#[derive(Debug, thiserror::Error)]
pub enum NotStated {
    /// There is no such instance.
    #[error(transparent)]
    Instance(#[from] copying::InstanceError),
    /// It is too large.
    #[error("the specification is too large: {0}")]
    TooLarge(#[from] TooManyStates),
}

/// Whether a thread that has shown `before` can have shown `after` in the end.
fn continues(before: &Shown, after: &Shown) -> bool {
    after.output.starts_with(&before.output) && (before.end == End::None || before == after)
}

impl TransitionSystem for Register {
    type State = State;
    type Action = Action;
    type Observation = Observation;

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn rule_of(&self, action: &Action) -> RuleId {
        match action {
            Action::Show(_) => RuleId(0),
            Action::CompleteInCopy(_) => RuleId(1),
        }
    }

    fn process_of(&self, action: &Action) -> Process {
        match action {
            Action::Show(show) => self.behaviours.process_of(show),
            Action::CompleteInCopy(_) => Process::new("thread"),
        }
    }

    /// Whatever may be shown: what a thread shows before its first access it shows at once.
    fn initial(&self, visit: &mut impl FnMut(State)) {
        let in_copy = false;
        self.behaviours
            .initial(&mut |shown| visit(State { shown, in_copy }));
    }

    fn is_initial(&self, state: &State) -> bool {
        !state.in_copy && self.behaviours.is_initial(&state.shown)
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        if from.in_copy {
            return;
        }
        let in_copy = false;
        self.behaviours.next(&from.shown, &mut |show, shown| {
            visit(Action::Show(show), State { shown, in_copy });
        });
        for shown in &self.complete {
            let mut threads = from.shown.iter().zip(shown);
            if from.shown != *shown && threads.all(|(before, after)| continues(before, after)) {
                let (shown, in_copy) = (shown.clone(), true);
                visit(
                    Action::CompleteInCopy(shown.clone()),
                    State { shown, in_copy },
                );
            }
        }
    }

    fn observe(&self, state: &State) -> Observation {
        state.shown.clone()
    }

    fn may_stop(&self, _: &State) -> bool {
        true
    }
}
