//! The outcome of a check, as data. Renderings: [`Report`] displays as text for people and
//! serialises to the JSON that `--json` prints; a [`Counterexample`] is written for other tools in
//! [ITF](Counterexample::itf), as [Mermaid](Counterexample::mermaid) and as [DOT](Counterexample::dot).

#[doc(hidden)]
pub mod outline;
pub(crate) mod repetition;
pub(crate) mod story;
#[doc(hidden)]
pub mod summary;
pub(crate) mod text;

mod dot;
// Documented where histories are: in `refmap-histories`.
#[doc(hidden)]
pub mod history;
pub(crate) mod itf;
pub(crate) mod layout;
mod mermaid;

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};
use serde_json::Map;
/// Value of a state, an action or a parameter in a report.
#[doc(no_inline)]
pub use serde_json::Value;

pub use crate::statement::shown::difference::Change;
pub(crate) use crate::statement::shown::difference::changes;

use crate::statement::drawing::Drawing;
use crate::statement::shown::number::counted;
use crate::statement::shown::value::compact;
use crate::walk::explore::{Limit, Spilled, StatesKept, Written};
use crate::walk::liveness::Strength;
use history::Recorded;

/// Verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was tested wherever it speaks, within the instance.
    Holds,
    /// It fails, and a counterexample shows it.
    Violated,
    /// The search ended first; nothing is claimed about the rest.
    Incomplete,
    /// Of an obligation about the environment: the refinement declares none. Not a pass.
    #[serde(rename = "none declared")]
    NoneDeclared,
    /// Of an obligation about the environment: no process ever rested where it speaks. Not a pass.
    Untested,
    /// Of an obligation that is not decided for every number of members: an instance may violate it. Not a pass.
    #[serde(rename = "not decided")]
    NotDecided,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Incomplete => "incomplete",
            Self::NoneDeclared => "none declared",
            Self::Untested => "untested",
            Self::NotDecided => "not decided",
        })
    }
}

/// Evidence on which a verdict rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Every reachable state of the instance.
    Exhaustive,
    /// The states reached before the search ended.
    Bounded,
    /// Random walks.
    Sampled,
    /// Views of systems with any number of members.
    Views,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Report {
    /// The name of the check.
    pub check: String,
    /// Claim of the check, in a sentence, with its source; absent if none is stated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub claim: Option<String>,
    /// The instance: each parameter with its value.
    pub parameters: Map<String, Value>,
    /// Verdict on all the obligations chosen; `None` if none was chosen.
    pub verdict: Option<Verdict>,
    /// Evidence on which the verdict rests.
    pub evidence: Evidence,
    /// True if the search went through every state that the instance has within its constraint and its bounds: no limit and
    /// no violation ended it before. Of random walks never.
    #[serde(default)]
    pub complete: bool,
    /// The random walks, if they are what it rests on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub walks: Option<Sample>,
    /// The members of which there may be any number, if that was asked: states are then those that views leave, and transitions their steps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub every_number: Option<EveryNumber>,
    /// The type-correct states that were drawn, if `inductive:*` was decided by them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub samples: Option<DrawnStates>,
    /// The recorded history, if `refmap-histories` validated one: what it rests on, and how far one gets with it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub history: Option<Box<Recorded>>,
    /// The symmetry by which states were identified, if they were; counts are then those of the
    /// representatives.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symmetry: Option<Identified>,
    /// Limit that ended the search early, if one did.
    pub limit: Option<Limit>,
    /// Number of the process whose limit that is, if several searched, unless it is one on all of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit_process: Option<usize>,
    /// Call of a function of the model that had not returned when that limit ended the check, if there was one. The counts are then
    /// those of the last time that progress was told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unreturned: Option<UnreturnedCall>,
    /// Distinct initial states.
    pub initial_states: u64,
    /// Distinct reachable states, initial ones included. Of random walks, which remember no states:
    /// those visited, each counted as often as it was.
    pub states: u64,
    /// Steps (state, action, successor) from reachable states, without explicit stuttering. Of random
    /// walks: the steps taken.
    pub transitions: u64,
    /// The greatest distance of a reachable state from an initial one, in transitions. Of random
    /// walks: the length of the longest.
    pub depth: u32,
    /// Time taken.
    pub seconds: f64,
    /// The most memory that the process was seen to hold.
    pub peak_memory_bytes: u64,
    /// Form in which states were kept; absent where none were, as on random walks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub states_kept: Option<StatesKept>,
    /// Account of the checkpoints, if the search was to write any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub checkpoints: Option<Written>,
    /// Account of the disk, if states were to go there when memory is short.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spilled: Option<Spilled>,
    /// Workers, of each process.
    pub threads: usize,
    /// Processes that searched together, if there were to be several: the bytes of memory are those of all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub processes: Option<usize>,
    /// The obligations chosen, in the order of the architecture page.
    pub obligations: Vec<Obligation>,
    /// Per rule of the implementation, how often it fired.
    pub coverage: Vec<RuleCoverage>,
    /// Doubts about the verdict: that it says less than it seems to, mostly.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Parts of the specification that are stated as predicates, so that they could not be compared with its steps.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub taken_at_word: Vec<String>,
    /// The states, spread over the whole run, at which the model was asked everything again, to see that its functions
    /// are functions and that the methods it overrides agree with the others.
    #[serde(default)]
    pub asked_again: u64,
    /// States, of these, at which what the specification overrides was not compared with its `next` and `initial`, since
    /// these visit too much; a smaller instance compares it everywhere.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub not_compared: u64,
    /// States without a step, those where the system may stop included.
    pub deadlocks: u64,
    /// Behaviour that a bound of the instance has left out, if it has: threads that would have gone on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cut_off: Option<CutOff>,
    /// The constraint that bounded exploration, if there is one. What it left out is not among the states, transitions and
    /// deadlocks; that it was looked at is among what rows have tested.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub constraint: Option<Constrained>,
    /// The obligations that the refinement has, and that were not asked for: those of liveness, and in a check of every number of members
    /// all that speak of more than a state or a step.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub not_asked: Vec<String>,
    /// `rule:NAME` for a rule that never fired, `premise:NAME` for an invariant whose premise was
    /// never true; `rule:*`, with the reason, where a step may be of several rules, of which one is named; `run:KIND`, with the
    /// reason, for runs that a test of an object has left out.
    pub unexercised: Vec<String>,
    /// The counterexample that the verdict rests on: a shortest one, or what a random walk was
    /// shortened to.
    pub counterexample: Option<Counterexample>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Report {
    /// The same report, of a check by this name at these parameters.
    #[must_use]
    pub fn named<K: Into<String>, V: Into<Value>>(
        mut self,
        check: &str,
        parameters: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.check = check.to_owned();
        self.parameters = parameters
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        self
    }

    /// The same report, of a check that claims this, by this source.
    #[must_use]
    pub fn claiming(mut self, sentence: &str, source: &str) -> Self {
        let said = [sentence.to_owned(), format!("[{source}]")];
        let said = said
            .into_iter()
            .filter(|part| !["", "[]"].contains(&&**part));
        let claim = said.collect::<Vec<_>>().join(" ");
        self.claim = (!claim.is_empty()).then_some(claim);
        self
    }

    /// The row of an obligation.
    pub fn obligation(&self, name: &str) -> Option<&Obligation> {
        self.obligations.iter().find(|row| row.name == name)
    }

    /// The names of the obligations that are violated.
    pub fn violated(&self) -> impl Iterator<Item = &str> {
        self.obligations
            .iter()
            .filter(|row| row.verdict == Verdict::Violated)
            .map(|row| row.name.as_str())
    }
}

/// Call of a function of the model that does not return.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct UnreturnedCall {
    /// Name of the function: "`next` of the implementation".
    pub function: String,
    /// State on which it was called, if it was called on one that is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub state: Option<Value>,
}

/// Something that makes a verdict say less than it seems to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Warning {
    /// Subject of the warning.
    pub about: About,
    /// Doubt, in a sentence.
    pub text: String,
}

/// Subject of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// A fairness condition that assumes nothing.
    Fairness,
    /// The specification allows every step.
    Specification,
    /// All states show the same.
    Observation,
    /// A rule of the specification is never enabled.
    SpecificationRule,
    /// A waiver gives no reason.
    Waiver,
    /// `may_stop` excuses every deadlock.
    MayStop,
    /// `type_correct` leaves reachable states out.
    TypeCorrect,
    /// No state satisfies the constraint.
    Constraint,
    /// The environment leaves a process out, or has one that does nothing.
    Environment,
    /// The implementation leaves out behaviours of what it stands for.
    Implementation,
    /// An action is filed under a rule of another name.
    Rule,
}

/// Threads that a bound of the instance has stopped: the verdict says nothing of what they would have
/// done besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct CutOff {
    /// The bound: `each loop once`.
    #[serde(default)]
    pub bound: String,
    /// Number of the states without a step that are such that one has been stopped. Of random walks: number
    /// of visits.
    pub states: u64,
    /// The names of those that it has stopped in any state: beside them others may go on for ever.
    pub threads: Vec<String>,
}

/// Constraint that bounded exploration, and the states and steps that it left out. Of random walks: visits, and steps taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Constrained {
    /// Its name: `counters up to 2`.
    pub name: String,
    /// Distinct states outside of it to which a step leads, or that are initial: they were looked at, and not expanded.
    pub states_outside: u64,
    /// Steps that lead to them.
    pub steps_outside: u64,
}

/// Identification of states with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Identified {
    /// The permutations by which they were.
    pub permutations: usize,
    /// True if they were by shifts of counters, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shifts: bool,
    /// The states on which it was tested that permutations change nothing: on some all, on others one.
    pub tested_states: u64,
}

/// Members of which there may be any number, and the views by which a check speaks of all these numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct EveryNumber {
    /// Name of the members, in the plural.
    pub members: String,
    /// Bounds that every instance has besides; empty if none are named.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub bounds: String,
    /// Members of a view,
    pub view_members: usize,
    /// and of a configuration that is made of views. Instances with fewer were searched as they are.
    pub configuration_members: usize,
    /// Number of views.
    pub views: u64,
    /// Number of members with which an obligation fails, if one does with few: its counterexample is a behaviour of that instance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed_with: Option<usize>,
}

/// The random walks that a check made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Sample {
    /// Number of walks that were asked for.
    pub walks: u32,
    /// The most steps that each takes.
    pub steps: u32,
    /// Seed that determines them.
    pub seed: u64,
    /// Number of walks that were begun before the search ended, the one that violates an obligation included.
    pub begun: u32,
}

/// The type-correct states that a check drew, to decide `inductive:*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct DrawnStates {
    /// Number of states that were asked for.
    pub samples: u64,
    /// Seed that determines them.
    pub seed: u64,
    /// Number of states that were drawn before the check ended, one as often as it was drawn.
    pub drawn: u64,
    /// Number of these that satisfy all the invariants.
    pub satisfying: u64,
    /// Number of different ones of these that are on none of the walks from whose states they were drawn.
    pub unmet: u64,
    /// Number of different states on those walks.
    pub on_walks: u64,
}

/// Outcome of one obligation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Obligation {
    /// `simulation`, `invariant:NAME`, `environment:RULE`, …
    pub name: String,
    /// Verdict on it.
    pub verdict: Verdict,
    /// Number of times that it was tested.
    pub checked: u64,
    /// Further things to know: why it was not evaluated, which rules are missing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
    /// True if something fails without this invariant; of `inductive:NAME` alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub needed: Option<bool>,
    /// The first counterexample to it, and for `simulation` the first one of each further rule.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub counterexamples: Vec<Counterexample>,
}

/// Number of times that a rule of the implementation fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct RuleCoverage {
    /// Its name.
    pub rule: String,
    /// The kind of process it belongs to.
    pub process: String,
    /// Transitions by it, from reachable states; of random walks, steps taken.
    pub fired: u64,
}

/// A behaviour that shows that an obligation fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Counterexample {
    /// The obligation.
    pub obligation: String,
    /// Number of transitions that it takes.
    pub length: usize,
    /// True if it starts in an initial state; otherwise it is a counterexample to induction, or one that views leave.
    pub reachable: bool,
    /// True if it starts in a state that views leave, and that may be reached by no instance.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub by_views: bool,
    /// The initial state, and then each step with the state it leads to.
    pub steps: Vec<Step>,
    /// The action that `environment` found refused.
    pub refused: Option<Value>,
    /// Fault at the end of it, in a sentence.
    pub explanation: String,
    /// Start of the loop in which the behaviour goes round for ever: the place among `steps` of the state with which the
    /// loop begins, and to which the last step leads back. It is the last one where nothing happens any more. Of liveness
    /// alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub loop_start: Option<usize>,
    /// Reasons why the loop meets each fairness condition of the implementation.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fairness: Vec<ConditionMet>,
    /// Abstract actions that come nearest where a simulation fails, and why each does not fit.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub nearest: Vec<Nearest>,
    /// The reached state from which the first state of a counterexample to induction, or of one in a state that views leave, differs least, as far as
    /// is known: what differs is what an invariant, or larger views, would have to exclude.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nearest_reached: Option<Box<NearestReached>>,
}

/// A state on a random walk, beside one of which it is not claimed that it is reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct NearestReached {
    /// The state.
    pub state: Value,
    /// Number of the walk.
    pub walk: u32,
    /// Seed of the walk.
    pub seed: u64,
    /// Number of steps that the walk takes to it.
    pub steps: u32,
    /// The variables that differ, first as they are in this state, and then as they are in the other. None do if the other is
    /// reached itself.
    pub differs: Vec<Change>,
}

impl Counterexample {
    /// Failure, and the number of steps after which it comes about; `explanation` says why.
    pub fn failure(&self) -> String {
        format!("{} {}", self.obligation, self.fails())
    }

    /// Words that say that it fails, and after how many steps.
    pub fn fails(&self) -> String {
        match self.loop_start {
            _ if self.steps.is_empty() => "fails".to_owned(),
            None => format!("fails after {}", counted(self.length as u64, "step")),
            Some(start) if start == self.length => {
                format!(
                    "fails: after {} nothing happens any more",
                    counted(start as u64, "step")
                )
            }
            Some(start) => format!(
                "fails: after {} a loop of {}",
                counted(start as u64, "step"),
                counted((self.length - start) as u64, "step")
            ),
        }
    }

    /// Kind of its first state, in words.
    pub(crate) fn beginning(&self) -> &'static str {
        if self.reachable {
            "initially"
        } else if self.by_views {
            "in a state that views leave"
        } else {
            "in some type-correct state"
        }
    }
}

/// Reason why a behaviour meets a fairness condition of the implementation for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct ConditionMet {
    /// The condition, with its process where there are several.
    pub condition: String,
    /// `weak` or `strong`.
    pub strength: Strength,
    /// Reason why the loop meets it.
    pub because: String,
}

/// A step of a counterexample, and the state to which it leads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Texts)]
pub struct Step {
    /// The action; null for the initial state.
    pub action: Option<Value>,
    /// The rule of which the action is an instance.
    pub rule: Option<String>,
    /// Source in which that rule is stated.
    pub source: Option<String>,
    /// Process that takes the step.
    pub process: Option<String>,
    /// The state reached.
    pub state: Value,
    /// The abstract steps simulated before the last one, where it simulates several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub abstract_before: Vec<AbstractStep>,
    /// The abstract action simulated; null for a stutter, and where the model gives none.
    pub abstract_action: Option<Value>,
    /// The mapped state; null where the mapping gives none.
    pub abstract_state: Value,
    /// The state reached as the implementation says that it is drawn, as text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drawing: Option<String>,
    /// The mapped state as the specification says that it is drawn, as text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub abstract_drawing: Option<String>,
    /// The state reached as a drawing: that of which `drawing` is the text, or one by rows where the implementation says none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub picture: Option<Drawing>,
    /// The same of the mapped state.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub abstract_picture: Option<Drawing>,
}

impl Step {
    /// The abstract actions simulated, in their order; none for a stutter.
    pub fn simulated(&self) -> impl Iterator<Item = &Value> {
        let before = self.abstract_before.iter().map(|step| &step.action);
        before.chain(&self.abstract_action)
    }

    /// These as text, each written by `write`; `None` for a stutter.
    pub fn answer(&self) -> Option<String> {
        let actions: Vec<String> = self.simulated().map(compact).collect();
        (!actions.is_empty()).then(|| actions.join(", then "))
    }
}

/// An abstract step that a concrete step simulates before its last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct AbstractStep {
    /// The action.
    pub action: Value,
    /// The state to which it leads; null where the specification takes no such step.
    pub state: Value,
}

/// An abstract action that a failed step does not simulate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Nearest {
    /// The action; null for a stutter.
    pub action: Option<Value>,
    /// True if it is the one that the refinement names.
    pub answered: bool,
    /// True if its guard holds in the mapped state before the step.
    pub enabled: bool,
    /// Conjuncts of its guard that are false, where it is not enabled, if they have names (see [`guard`](crate::guard)).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub false_conjuncts: Vec<String>,
    /// Differences of its target from the mapped state after the step, where it is enabled.
    pub differs: Vec<Change>,
}
