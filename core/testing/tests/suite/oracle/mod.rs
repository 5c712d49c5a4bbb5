//! The obligations, decided the textbook way: every reachable state in a list, every step in a list,
//! and each obligation a question asked of all of them in turn.
//!
//! Written from the table of obligations of the architecture page and not from the engine, of which
//! it calls nothing: only the traits of a system and of a refinement, and the type `Verdict`. Slow
//! on purpose: whether an action of the environment is refused is decided by a forward search from
//! every state for every action.

use std::collections::{HashMap, HashSet, VecDeque};

use refmap::{
    Action, ActionOf, Invariant, Process, Refinement, Rule, RuleId, StateOf, TransitionSystem,
    Verdict, steps,
};

/// A state, by its number in the order of a breadth-first search.
pub type Number = usize;

/// Outcome of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// Whether it holds.
    pub verdict: Verdict,
    /// The length of a shortest counterexample, if it is violated.
    pub length: Option<u32>,
}

/// All that is known of a refinement's instance.
pub struct Oracle<'a, R: Refinement> {
    pub refinement: &'a R,
    pub invariants: Vec<Invariant<R::Implementation>>,
    pub states: Vec<StateOf<R::Implementation>>,
    pub initial_states: usize,
    /// Per state, its distance from the initial states.
    pub depths: Vec<u32>,
    /// Per state, its steps.
    pub steps: Vec<Vec<(ActionOf<R::Implementation>, Number)>>,
}

/// The abstract steps that a step is said to simulate.
struct Simulated<S: TransitionSystem> {
    actions: Vec<ActionOf<S>>,
    /// One more than actions; fewer if the specification has no step by one of them but the last.
    states: Vec<StateOf<S>>,
}

/// A forward search for an action of the environment.
pub struct Search {
    /// Number of steps before the one that takes the action; `None` if none can.
    pub earlier_steps: Option<u32>,
    /// Number of states visited.
    pub states: usize,
}

impl<'a, R: Refinement> Oracle<'a, R> {
    /// Visits every reachable state, breadth first.
    pub fn new(refinement: &'a R) -> Self {
        let system = refinement.implementation();
        let mut oracle = Self {
            refinement,
            invariants: refinement.invariants(),
            states: Vec::new(),
            initial_states: 0,
            depths: Vec::new(),
            steps: Vec::new(),
        };
        let mut numbers = HashMap::new();
        system.initial(&mut |state| {
            oracle.number(&mut numbers, state, 0);
        });
        oracle.initial_states = oracle.states.len();
        while let Some(state) = oracle.states.get(oracle.steps.len()).cloned() {
            let depth = oracle.depths[oracle.steps.len()] + 1;
            let mut steps = Vec::new();
            system.next(&state, &mut |action, to| {
                steps.push((action, oracle.number(&mut numbers, to.clone(), depth)));
            });
            oracle.steps.push(steps);
        }
        oracle
    }

    fn number(
        &mut self,
        numbers: &mut HashMap<StateOf<R::Implementation>, Number>,
        state: StateOf<R::Implementation>,
        depth: u32,
    ) -> Number {
        *numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            self.depths.push(depth);
            self.states.len() - 1
        })
    }

    /// The obligations in the order of the table, each with its fate.
    pub fn fates(&self) -> Vec<(String, Fate)> {
        let mut fates = vec![
            ("observation".into(), self.of_states(|s| self.misshown(s))),
            ("initiality".into(), self.initiality()),
            (
                "simulation".into(),
                self.of_steps(|s, a, t| !self.simulated(s, a, t)),
            ),
        ];
        let environment = self.refinement.environment();
        fates.push((
            "agency".into(),
            match environment {
                [] => NONE_DECLARED,
                _ => self.of_steps(|s, a, t| self.misattributed(s, a, t)),
            },
        ));
        for invariant in &self.invariants {
            fates.push((
                format!("invariant:{}", invariant.name()),
                self.of_states(|s| !invariant.holds(&self.states[s])),
            ));
        }
        if environment.is_empty() {
            fates.push(("environment".into(), NONE_DECLARED));
        } else {
            for (rule, stated) in self.abstract_rules().iter().enumerate() {
                if environment.iter().any(|p| p.name == stated.process) {
                    fates.push((
                        format!("environment:{}", stated.name),
                        self.where_simulated(|| {
                            let tested = (0..self.states.len()).any(|s| {
                                let mut offers = self.environment_offers(s).into_iter();
                                offers.any(|(_, action)| self.abstract_rule(&action) == rule)
                            });
                            if !tested {
                                return Fate {
                                    verdict: Verdict::Untested,
                                    length: None,
                                };
                            }
                            self.of_states(|s| {
                                let mut offers = self.environment_offers(s).into_iter();
                                offers.any(|(p, action)| {
                                    self.abstract_rule(&action) == rule
                                        && self.search(s, p, &action).earlier_steps.is_none()
                                })
                            })
                        }),
                    ));
                }
            }
            fates.push((
                "environment:at_rest".into(),
                self.where_simulated(|| {
                    let for_ever = self.of_states(|s| self.unrest_for_ever(s));
                    let by_other = self.of_steps(|s, a, t| self.unrest_by_other(s, a, t));
                    fate(for_ever.length.into_iter().chain(by_other.length))
                }),
            ));
        }
        fates.push(("deadlock".into(), self.of_states(|s| self.stuck(s))));
        fates.push(("coverage".into(), self.coverage()));
        fates
    }

    /// A process of the environment takes no action of the specification in any mapped state, which is a fault of the
    /// model, so that nothing else is worth a comparison.
    pub fn has_idle_process(&self) -> bool {
        let specification = self.refinement.specification();
        let mut idle: Vec<_> = self.refinement.environment().to_vec();
        for state in 0..self.states.len() {
            specification.next(&self.image(state), &mut |action, _| {
                idle.retain(|process| *process != action.process(specification));
            });
        }
        !idle.is_empty() && !self.states.is_empty()
    }

    fn of_states(&self, fails: impl Fn(Number) -> bool) -> Fate {
        let failing = (0..self.states.len()).filter(|s| fails(*s));
        fate(failing.map(|s| self.depths[s]))
    }

    fn of_steps(
        &self,
        fails: impl Fn(Number, &ActionOf<R::Implementation>, Number) -> bool,
    ) -> Fate {
        let one_fails = |s: &Number| self.steps[*s].iter().any(|(a, t)| fails(*s, a, *t));
        let failing = (0..self.states.len()).filter(one_fails);
        fate(failing.map(|s| self.depths[s] + 1))
    }

    /// The environment is not evaluated where simulation fails.
    fn where_simulated(&self, evaluate: impl Fn() -> Fate) -> Fate {
        match self.of_steps(|s, a, t| !self.simulated(s, a, t)).verdict {
            Verdict::Violated => Fate {
                verdict: Verdict::Incomplete,
                length: None,
            },
            _ => evaluate(),
        }
    }

    /// f(s).
    pub fn image(&self, state: Number) -> StateOf<R::Specification> {
        self.refinement.map(&self.states[state])
    }

    /// The states are those from the image of the source to the one with which the last step ends.
    fn simulated_steps(
        &self,
        from: Number,
        action: &ActionOf<R::Implementation>,
        to: Number,
    ) -> Simulated<R::Specification> {
        let (source, target) = (&self.states[from], &self.states[to]);
        let steps = self.refinement.abstract_steps(source, action, target);
        let actions = steps.actions().to_vec();
        let mut states = vec![self.image(from)];
        for action in actions.iter().take(actions.len().saturating_sub(1)) {
            let mut reached = Vec::new();
            let specification = self.refinement.specification();
            specification.next(&states[states.len() - 1], &mut |offered, to| {
                if offered == *action {
                    reached.push(to.clone());
                }
            });
            states.extend(reached.into_iter().next());
        }
        if !actions.is_empty() {
            states.push(self.image(to));
        }
        Simulated { actions, states }
    }

    /// π₁(f(s)) ≠ π₂(s).
    pub fn misshown(&self, state: Number) -> bool {
        self.refinement.specification().observe(&self.image(state))
            != self
                .refinement
                .implementation()
                .observe(&self.states[state])
    }

    fn initiality(&self) -> Fate {
        match self.initial_states {
            0 => fate([0]),
            _ => self.of_states(|s| self.starts_wrong(s)),
        }
    }

    /// An initial state whose image is not.
    pub fn starts_wrong(&self, state: Number) -> bool {
        state < self.initial_states
            && !self
                .refinement
                .specification()
                .is_initial(&self.image(state))
    }

    /// The specification takes the steps that are named, one after the other, from the image of the source to that of
    /// the target, and what they show on the way is what the step shows.
    pub fn simulated(
        &self,
        from: Number,
        action: &ActionOf<R::Implementation>,
        to: Number,
    ) -> bool {
        let specification = self.refinement.specification();
        let Simulated { actions, states } = self.simulated_steps(from, action, to);
        let mut steps = actions.iter().zip(&states).zip(&states[1..]);
        let all_allowed = steps.all(|((action, from), to)| specification.allows(from, action, to));
        let shown = |states: &[StateOf<R::Specification>]| {
            let mut shown: Vec<_> = states.iter().map(|s| specification.observe(s)).collect();
            shown.dedup();
            shown
        };
        all_allowed
            && states.len() == actions.len() + 1
            && states.last() == Some(&self.image(to))
            && shown(&states) == shown(&[self.image(from), self.image(to)])
    }

    /// Whether a step counts as one of `process`: it is its own, or of one that acts for it.
    fn is_step_of(&self, action: &ActionOf<R::Implementation>, process: Process) -> bool {
        let taken_by = action.process(self.refinement.implementation());
        taken_by == process || self.refinement.acts_for(taken_by) == process
    }

    /// Answered by an action of an environment process, of which the step is none.
    pub fn misattributed(
        &self,
        from: Number,
        action: &ActionOf<R::Implementation>,
        to: Number,
    ) -> bool {
        let answers = self.simulated_steps(from, action, to).actions;
        answers.iter().any(|answer| {
            self.is_of_environment(answer)
                && !self.is_step_of(action, answer.process(self.refinement.specification()))
        })
    }

    fn is_of_environment(&self, answer: &ActionOf<R::Specification>) -> bool {
        let process = answer.process(self.refinement.specification());
        self.refinement.environment().contains(&process)
    }

    /// No step, and no leave to be without.
    pub fn stuck(&self, state: Number) -> bool {
        self.steps[state].is_empty()
            && !self
                .refinement
                .implementation()
                .may_stop(&self.states[state])
    }

    fn abstract_rule(&self, action: &ActionOf<R::Specification>) -> usize {
        let RuleId(rule) = action.rule(self.refinement.specification());
        rule
    }

    fn rests(&self, state: Number, process: Process) -> bool {
        self.refinement.at_rest(&self.states[state], process)
    }

    /// The actions that may not be refused in a state: of an environment process that is at rest,
    /// enabled in the mapped state, and changing it.
    pub fn environment_offers(&self, state: Number) -> Vec<(Process, ActionOf<R::Specification>)> {
        let specification = self.refinement.specification();
        let mut offers = Vec::new();
        for action in self.changing(state) {
            let process = action.process(specification);
            if self.refinement.environment().contains(&process) && self.rests(state, process) {
                offers.push((process, action));
            }
        }
        offers
    }

    /// Looks for a step answered by `wanted`, results aside, and by nothing else of the environment, without an earlier visible step of
    /// `process`, the other environment processes making visible steps only while not at rest.
    pub fn search(
        &self,
        from: Number,
        process: Process,
        wanted: &ActionOf<R::Specification>,
    ) -> Search {
        let specification = self.refinement.specification();
        let wanted = wanted.inputs(specification);
        let mut seen = HashSet::from([from]);
        let mut queue = VecDeque::from([(from, 0)]);
        while let Some((at, distance)) = queue.pop_front() {
            for (action, to) in &self.steps[at] {
                let answers = self.simulated_steps(at, action, *to).actions;
                let mut inputs = answers
                    .iter()
                    .filter(|answer| self.is_of_environment(answer));
                if let (Some(answer), None) = (inputs.next(), inputs.next())
                    && answer.inputs(specification) == wanted
                {
                    return Search {
                        earlier_steps: Some(distance),
                        states: seen.len(),
                    };
                }
                let others_at_rest = || {
                    let mut others = self.refinement.environment().iter().copied();
                    others.any(|other| {
                        other != process && self.is_step_of(action, other) && self.rests(at, other)
                    })
                };
                let barred =
                    !answers.is_empty() && (self.is_step_of(action, process) || others_at_rest());
                if !barred && seen.insert(*to) {
                    queue.push_back((*to, distance + 1));
                }
            }
        }
        Search {
            earlier_steps: None,
            states: seen.len(),
        }
    }

    /// An environment process that cannot come to rest from here.
    pub fn unrest_for_ever(&self, state: Number) -> bool {
        let mut seen = HashSet::from([state]);
        let mut queue = VecDeque::from([state]);
        while let Some(at) = queue.pop_front() {
            let targets = self.steps[at].iter().map(|(_, to)| *to);
            queue.extend(targets.filter(|to| seen.insert(*to)));
        }
        let mut environment = self.refinement.environment().iter();
        environment.any(|process| !seen.iter().any(|reached| self.rests(*reached, *process)))
    }

    /// A step that changes whether an environment process is at rest, and is not one of its steps.
    pub fn unrest_by_other(
        &self,
        from: Number,
        action: &ActionOf<R::Implementation>,
        to: Number,
    ) -> bool {
        let mut environment = self.refinement.environment().iter();
        environment.any(|process| {
            self.rests(from, *process) != self.rests(to, *process)
                && !self.is_step_of(action, *process)
        })
    }

    /// Number of steps.
    pub fn transitions(&self) -> usize {
        self.steps.iter().map(Vec::len).sum()
    }

    /// The largest distance of a state from an initial one.
    pub fn depth(&self) -> u32 {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    /// Whether some step simulates an action of the rule.
    pub fn is_simulated(&self, rule: usize) -> bool {
        let mut states = 0..self.states.len();
        states.any(|s| {
            self.steps[s].iter().any(|(a, t)| {
                let answers = self.simulated_steps(s, a, *t).actions;
                let mut rules = answers.iter().map(|answer| self.abstract_rule(answer));
                rules.any(|simulated| simulated == rule) && self.simulated(s, a, *t)
            })
        })
    }

    /// Whether the rule is enabled in the image of the state, and would change it.
    pub fn is_offered(&self, state: Number, rule: usize) -> bool {
        let mut offered = self.changing(state);
        offered.any(|action| self.abstract_rule(&action) == rule)
    }

    /// The actions that are enabled in the image of a state, and change it.
    fn changing(&self, state: Number) -> impl Iterator<Item = ActionOf<R::Specification>> {
        let image = self.image(state);
        let steps = steps(self.refinement.specification(), &image).into_iter();
        steps.filter_map(move |(action, to)| (to != image).then_some(action))
    }

    /// The rules of the specification.
    pub fn abstract_rules(&self) -> &[Rule] {
        ActionOf::<R::Specification>::rules(self.refinement.specification())
    }

    /// Whether a rule of the specification is waived.
    pub fn is_waived(&self, rule: usize) -> bool {
        let name = &self.abstract_rules()[rule].name;
        let waivers = self.refinement.waivers();
        waivers.iter().any(|waiver| waiver.rule == name)
    }

    fn coverage(&self) -> Fate {
        if self.transitions() == 0 {
            return fate([0]);
        }
        let rules = 0..self.abstract_rules().len();
        fate(rules.filter_map(|rule| {
            let missing = if self.is_simulated(rule) {
                fate([])
            } else {
                self.of_states(|s| self.is_offered(s, rule))
            };
            match (self.is_waived(rule), missing.verdict) {
                (false, _) => missing.length,
                (true, Verdict::Violated) => None,
                (true, _) => Some(0),
            }
        }))
    }

    /// `rule:NAME` for rules that never fire, `premise:NAME` for premises that are never true.
    pub fn unexercised(&self) -> Vec<String> {
        let mut unexercised = Vec::new();
        for (rule, fired) in self.fired().into_iter().enumerate() {
            if fired == 0 {
                let name = &ActionOf::<R::Implementation>::rules(self.refinement.implementation())
                    [rule]
                    .name;
                unexercised.push(format!("rule:{name}"));
            }
        }
        for invariant in &self.invariants {
            if !self.states.iter().any(|state| invariant.applies(state)) {
                unexercised.push(format!("premise:{}", invariant.name()));
            }
        }
        unexercised
    }

    /// Per rule of the implementation, its transitions.
    pub fn fired(&self) -> Vec<u64> {
        let system = self.refinement.implementation();
        let mut fired = vec![0; ActionOf::<R::Implementation>::rules(system).len()];
        for (action, _) in self.steps.iter().flatten() {
            fired[action.rule(system).0] += 1;
        }
        fired
    }
}

const NONE_DECLARED: Fate = Fate {
    verdict: Verdict::NoneDeclared,
    length: None,
};

/// The fate of an obligation with counterexamples of these lengths.
fn fate(lengths: impl IntoIterator<Item = u32>) -> Fate {
    let length = lengths.into_iter().min();
    Fate {
        verdict: match length {
            Some(_) => Verdict::Violated,
            None => Verdict::Holds,
        },
        length,
    }
}
