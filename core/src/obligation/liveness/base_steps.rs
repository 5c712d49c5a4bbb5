//! Fairness of a view: its actions are those of the system below it.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*: a variable is added to the steps of a specification, and its fairness
//! conditions are left as they are.
//!
//! So a step that changes nothing but a variable is no step of any action, a step of the view is one of an action if the pair of
//! its states without the variables is, and an action is enabled where the system below enables it, be it that a wrong guess forbids
//! it. What fairness is decided on are classes of steps; so the recorded steps get those of the steps below, and what is enabled in
//! a state is said by steps that lead nowhere.
//!
//! One condition is added: a stutter that is under way goes on. A behaviour of the system below is one of the view in which each
//! stutter ends, whatever the system does after it.

use super::assumed::{ConditionInstance, TakenRules};
use crate::obligation::found::SearchResult;
use crate::obligation::kept::{PanickedAt, kept};
use crate::obligation::label::Label;
use crate::state::numbered::Numbered;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{catch, named};
use crate::statement::erased::{ErasedAction, ErasedState};
use crate::statement::refinement::Refinement;
use crate::statement::rule::Process;
use crate::statement::system::TransitionSystem;
use crate::view::auxiliary::Base;
use crate::walk::explore::{Graph, NodeId};
use crate::walk::liveness::Strength;

/// Stands for all states that no question lets a behaviour go to.
const ELSEWHERE: NodeId = NodeId::NONE;
/// Stands for the rule and the process of a stutter that is under way.
const STUTTER: (u32, Process) = (u32::MAX, Process::new("stutter"));

/// The recorded steps of a view, with the actions that they take below it.
pub(super) struct BaseSteps {
    pub graph: Graph,
    /// A label of the graph: what is kept of the steps,
    pub labels: Vec<Label>,
    /// and the rules and processes that take them.
    pub taken: Vec<TakenRules>,
}

/// Steps of the system below from one of its states, those that change it: targets, rules and processes.
struct Changing {
    targets: Vec<(ErasedState, (u32, Process))>,
    all: TakenRules,
}

impl Changing {
    fn new(base: &Base<'_>, state: &ErasedState) -> Self {
        let mut changing = Self {
            targets: Vec::new(),
            all: TakenRules::new(),
        };
        named("`next` of the implementation", || {
            base.system.next(state, &mut |action, to| {
                if *to != *state {
                    let rule = base.system.rule(&action).0 as u32;
                    let taken = (rule, base.system.process(&action));
                    changing.all.insert(taken);
                    changing.targets.push((to.clone(), taken));
                }
            });
        });
        changing
    }

    /// The rules and processes of which a step leads to a state.
    fn to(&self, to: &ErasedState) -> TakenRules {
        let targets = self.targets.iter().filter(|(target, _)| target == to);
        targets.map(|(_, taken)| *taken).collect()
    }
}

impl BaseSteps {
    /// Those of the recorded steps of a view; `None` if the implementation is none.
    pub fn new<R: Refinement>(
        found: &SearchResult<'_, R>,
        recorded: &Graph,
        labels: &[Label],
    ) -> Result<Option<Self>, PanickedAt> {
        let Some(view) = found.refinement.implementation().call_caveats().view() else {
            return Ok(None);
        };
        let base = Base::of(view);
        let own_rules = base.system.rules().len() as u32;
        let states = recorded.states() as u32;
        let mut below = Numbered::default();
        let mut of_states = Vec::with_capacity(states as usize);
        let mut stuttering = Vec::with_capacity(states as usize);
        for id in recorded.nodes() {
            let state = ErasedState::from(kept(found.refinement, found.states, id.into())?);
            let asked = catch(|| (below.number(base.state(&state)), base.is_stuttering(&state)));
            let (number, is_stuttering) = asked.map_err(|panic| (id.into(), "`caveats`", panic))?;
            of_states.push(number);
            stuttering.push(is_stuttering);
        }
        let below = below.into_values();
        let mut changing = Vec::with_capacity(below.len());
        for (number, state) in (0..).zip(&below) {
            let steps = catch(|| Changing::new(&base, state)).map_err(|panic| {
                let at = of_states.iter().position(|of| *of == number);
                let at = at.unwrap_or_default() as u32;
                (NodeId(at).into(), "`next` of the implementation", panic)
            });
            changing.push(steps?);
        }
        let mut graph = Graph::new();
        let mut numbers = Numbered::default();
        for id in recorded.nodes() {
            let from = of_states[id.0 as usize] as usize;
            let steps = &changing[from];
            for (target, label) in recorded.steps(id) {
                let label = labels[label as usize];
                let mut taken = match of_states.get(target.0 as usize) {
                    Some(to) if *to as usize != from => steps.to(&below[*to as usize]),
                    _ => TakenRules::new(),
                };
                let is_stutter = label.taken.is_some_and(|(rule, _)| rule >= own_rules);
                if is_stutter && stuttering[id.0 as usize] {
                    taken.insert(STUTTER);
                }
                graph.push(target, numbers.number((label.between, taken)));
            }
            if !steps.all.is_empty() {
                graph.push(ELSEWHERE, numbers.number((None, steps.all.clone())));
            }
            graph.close();
        }
        graph.finish();
        let (mut labels, mut taken) = (Vec::new(), Vec::new());
        for (between, of_label) in numbers.into_values() {
            labels.push(Label {
                between,
                ..Label::default()
            });
            taken.push(of_label);
        }
        Ok(Some(Self {
            graph,
            labels,
            taken,
        }))
    }

    /// The condition that stutters go on, if there are any.
    pub fn stutters_go_on(&self) -> Option<ConditionInstance> {
        let stutters = self.taken.iter().any(|taken| taken.contains(&STUTTER));
        stutters.then(|| ConditionInstance {
            condition: usize::MAX,
            name: "each stutter ends".to_owned(),
            strength: Strength::Weak,
            rules: vec![STUTTER.0],
            process: None,
        })
    }
}

/// A view as the second evaluator of a lasso sees it: one state after the other, and nothing of what is recorded.
pub(super) struct Below<'a> {
    base: Base<'a>,
}

impl<'a> Below<'a> {
    /// Base of a system, if it is a view.
    pub fn of(system: &'a impl TransitionSystem) -> Option<Self> {
        let base = Base::of(system.call_caveats().view()?);
        Some(Self { base })
    }

    /// True if an action is enabled in a state of the view.
    pub fn enables(&self, instance: &ConditionInstance, state: &ErasedState) -> bool {
        if instance.takes(STUTTER.0, STUTTER.1) {
            return self.base.is_stuttering(state);
        }
        let all = Changing::new(&self.base, &self.base.state(state)).all;
        all.iter()
            .any(|(rule, process)| instance.takes(*rule, *process))
    }

    /// True if going from a state of the view to another, by one of some actions, is a step of an action.
    pub fn takes(
        &self,
        instance: &ConditionInstance,
        [from, to]: [&ErasedState; 2],
        actions: &[ErasedAction],
    ) -> bool {
        if instance.takes(STUTTER.0, STUTTER.1) {
            let mut actions = actions.iter();
            return self.base.is_stuttering(from)
                && actions.any(|action| self.base.action(action).is_none());
        }
        let [from, to] = [from, to].map(|state| self.base.state(state));
        let taken = Changing::new(&self.base, &from).to(&to);
        taken
            .iter()
            .any(|(rule, process)| instance.takes(*rule, *process))
    }
}
