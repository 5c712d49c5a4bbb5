//! The specification: one atomic register, and all outputs of mutators that share it.

use std::collections::BTreeSet;

use refmap::{Process, Rule, RuleId, TransitionSystem};
use refmap_programs::{Behaviours, End, MemoryModel, Observation, Show, Shown, TooManyStates};
use refmap_systems::copying::{self, Instance};
use serde::{Serialize, Serializer};

/// One atomic register, and the mutators of an instance, which access it directly.
///
/// The specification does not determine which copy serves an operation. So the mutators may end in two ways: by
/// their last output, or by *complete in the copy*, which shows all remaining output
/// and ends with the last operation of each mutator served by the to-space object. The latter is enabled
/// from the initial state on, so an implementation in which it never happens violates `coverage`.
#[derive(Debug)]
pub struct Register {
    behaviours: Behaviours,
    /// Final observations.
    complete: BTreeSet<Observation>,
}

/// The output so far, and whether the mutators have ended in the copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Of each thread its output, and how it ended.
    #[state(each = "thread")]
    pub shown: Observation,
    /// Whether they have ended, each served by the to-space object last.
    pub in_copy: bool,
}

/// A step of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A thread shows further output.
    Show(Show),
    /// All threads show their remaining output and end, the mutators last served by the to-space object.
    CompleteInCopy(Observation),
}

impl refmap::Action<Register> for Action {
    fn rules(_: &Register) -> &[Rule] {
        const {
            &[
                Rule::new("show", "thread", "Ugawa et al., section 2"),
                Rule::new("complete_in_copy", "thread", "Ugawa et al., section 3.2.1"),
            ]
        }
    }

    fn rule(&self, _: &Register) -> RuleId {
        RuleId(usize::from(matches!(self, Self::CompleteInCopy(_))))
    }

    fn process(&self, register: &Register) -> Process {
        match self {
            Self::Show(show) => show.process(&register.behaviours),
            Self::CompleteInCopy(_) => Process::new("thread"),
        }
    }
}

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

/// Bound on the states of the mutators over a register; the largest instance has far fewer.
const MOST_STATES: u64 = 1_000_000;

impl Register {
    /// The register of an instance.
    ///
    /// # Errors
    ///
    /// If the instance is out of range, or too large.
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
        })
    }
}

/// Error: the refinement cannot be stated.
#[derive(Debug, thiserror::Error)]
pub enum NotStated {
    /// The instance is not in range.
    #[error(transparent)]
    Instance(#[from] copying::InstanceError),
    /// Progress is asked for under a model that reorders reads.
    #[error(
        "under {model} a loop without a bound reads ahead without end, so progress is not decided"
    )]
    Reordered {
        /// The model.
        model: MemoryModel,
    },
    /// It is too large.
    #[error("the specification is too large: {0}")]
    TooLarge(#[from] TooManyStates),
}

/// Whether a thread with the output `before` can end with the output `after`.
fn continues(before: &Shown, after: &Shown) -> bool {
    after.output.starts_with(&before.output) && (before.end == End::None || before == after)
}

/// Whether threads that have shown `before` may show `after` in the end, which is more.
fn can_complete(before: &Observation, after: &Observation) -> bool {
    let mut threads = before.iter().zip(after);
    before != after && threads.all(|(before, after)| continues(before, after))
}

impl TransitionSystem for Register {
    type State = State;
    type Action = Action;
    type Observation = Observation;

    /// Visits the initial states: a thread shows its output before its first access at once.
    fn initial(&self, visit: &mut impl FnMut(State)) {
        let in_copy = false;
        self.behaviours
            .initial(&mut |shown| visit(State { shown, in_copy }));
    }

    fn is_initial(&self, state: &State) -> bool {
        !state.in_copy && self.behaviours.is_initial(&state.shown)
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        self.behaviours
            .candidates(&from.shown, &mut |show| visit(Action::Show(show)));
        for shown in &self.complete {
            visit(Action::CompleteInCopy(shown.clone()));
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        (!state.in_copy).then_some(())?;
        match action {
            Action::Show(show) => self.behaviours.fire(show, &mut state.shown),
            Action::CompleteInCopy(shown) => {
                self.complete.contains(shown).then_some(())?;
                can_complete(&state.shown, shown).then_some(())?;
                state.shown.clone_from(shown);
                state.in_copy = true;
                Some(())
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
