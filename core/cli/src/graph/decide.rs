//! Decides the properties of a system, and has each lasso judged once more.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display, Formatter};

use refmap::Strength;
use refmap::explore::Limit;
use refmap::internal::explore::{Clock, Graph};
use refmap::internal::liveness::{
    Claim, Conditions, Facts, Fault, Lasso, Met, Question, Word, judge, violation,
};
use refmap::internal::{Bits, Steps, until_enough};

use super::system::{Condition, Pace, PropertyKind, System, pairs};

/// Outcome of a property.
#[derive(Clone, Debug)]
pub struct Decided {
    /// A fair behaviour that violates it, if there is one, with the reason why each fairness condition is met.
    pub violation: Option<(Lasso, Vec<Met>)>,
    /// Reason why it holds whatever the system does, if it does.
    pub vacuous: Option<Vacuous>,
}

/// Reason why a property says nothing of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuous {
    /// The premise holds in no state that is reached.
    Premise,
    /// The action of which fairness is claimed is enabled in no state that is reached.
    Action,
}

impl Display for Vacuous {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Premise => "the premise holds in no state that is reached",
            Self::Action => "its action is enabled in no state that is reached",
        })
    }
}

/// Reason why a property is not decided.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Undecided {
    /// The lasso that was found for it is none: the search was wrong, and nothing is known of the property.
    #[error("{0}")]
    Fault(Fault),
    /// A limit was reached before.
    #[error("interrupted by {0}")]
    Limit(Limit),
}

impl From<Fault> for Undecided {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A system, prepared for its properties to be decided. States in lassos are numbered as the system numbers them.
pub struct Decider<'s> {
    system: &'s System,
    strengths: Vec<Strength>,
    conditions: Conditions,
    /// The pairs of different states that steps join, labelled by their classes,
    pairs: Graph,
    /// which are these.
    classes: Vec<u32>,
    pace: Pace<'s>,
    reached: Bits,
}

impl<'s> Decider<'s> {
    /// Prepares a system.
    pub fn new(system: &'s System) -> Self {
        Self::with_pace(system, Pace::default())
    }

    /// Prepares a system, of which everything is to be done in the time of a clock.
    ///
    /// # Errors
    ///
    /// The limit that was reached before.
    pub fn within(system: &'s System, clock: Clock<'s>) -> Result<Self, Limit> {
        in_time(Some(clock), || Self::with_pace(system, Pace::of(clock)))
    }

    fn with_pace(system: &'s System, pace: Pace<'s>) -> Self {
        let strengths: Vec<Strength> = system.conditions.iter().map(|one| one.strength).collect();
        let mut conditions = Conditions::new(strengths.iter().copied());
        let pairs = pairs(system, &mut conditions, &pace);
        let classes: Vec<u32> = (0..conditions.classes()).collect();
        let reached = Steps::of(&pairs, &classes)
            .looking(&|| pace.look())
            .reached(&system.initial);
        Self {
            system,
            strengths,
            conditions,
            pairs,
            classes,
            pace,
            reached,
        }
    }

    /// Decides a property.
    ///
    /// # Errors
    ///
    /// Reason why it is not decided.
    pub fn decide(&self, kind: &PropertyKind) -> Result<Decided, Undecided> {
        in_time(self.pace.clock(), || self.decided(kind)).map_err(Undecided::Limit)?
    }

    fn decided(&self, kind: &PropertyKind) -> Result<Decided, Undecided> {
        let look = || self.pace.look();
        let steps = Steps::of(&self.pairs, &self.classes).looking(&look);
        let Claimed {
            claim,
            taken,
            occasions,
        } = claimed(self.system, kind, steps.states());
        let taken = |from, _, to| taken.contains(&(from, to));
        let initial = &self.system.initial;
        let mut question = Question::of(&claim, steps, initial, &taken);
        question.leave_out_others(&self.reached);
        let Some(lasso) = violation(steps, initial, &self.conditions, &question) else {
            let missing =
                occasions.filter(|(_, states)| !states.iter().any(|at| self.reached.contains(*at)));
            return Ok(Decided {
                violation: None,
                vacuous: missing.map(|(vacuous, _)| vacuous),
            });
        };
        let facts = Naive::new(self.system, kind, &lasso);
        let met = judge(&lasso, &self.strengths, &facts)?;
        Ok(Decided {
            violation: Some((lasso, met)),
            vacuous: None,
        })
    }

    /// The fairness conditions whose actions are enabled in no state that is reached: they assume nothing.
    pub fn idle_conditions(&self) -> impl Iterator<Item = &'s Condition> {
        let steps = self.system.steps.iter();
        let mut enabled = vec![false; self.system.rules.len()];
        for (_, rule, _) in steps.filter(|(from, _, to)| from != to && self.reached.contains(*from))
        {
            enabled[*rule as usize] = true;
        }
        let conditions = self.system.conditions.iter();
        conditions.filter(move |one| !one.rules.iter().any(|rule| enabled[*rule as usize]))
    }
}

/// Result of some work, unless it is broken off since the time of its clock is over.
fn in_time<T>(clock: Option<Clock<'_>>, work: impl FnOnce() -> T) -> Result<T, Limit> {
    let mut done = None;
    until_enough(|| done = Some(work()));
    // A limit that was reached stays so.
    let limit = || clock.and_then(|clock| clock.out_of_time());
    done.ok_or_else(|| limit().unwrap_or(Limit::Cancelled))
}

/// Claim of a property, with its action and its occasions.
struct Claimed {
    claim: Claim,
    /// The pairs that are steps of the action of which fairness is claimed.
    taken: HashSet<(u32, u32)>,
    /// The states of which one has to be reached for the property to say anything, and what it is if none is; none for a
    /// property that speaks of every behaviour.
    occasions: Option<(Vacuous, Vec<u32>)>,
}

fn claimed(system: &System, kind: &PropertyKind, states: usize) -> Claimed {
    let bits = |of: &[u32]| {
        let mut bits = Bits::none(states);
        of.iter().for_each(|at| bits.insert(*at));
        bits
    };
    let of_behaviours = |claim| Claimed {
        claim,
        taken: HashSet::new(),
        occasions: None,
    };
    let after = |claim, premise: &[u32]| Claimed {
        occasions: Some((Vacuous::Premise, premise.to_vec())),
        ..of_behaviours(claim)
    };
    let fair = |claim: fn(Bits) -> Claim, rules: &[u32]| {
        let steps = system.steps.iter();
        let of_rules = steps.filter(|(from, rule, to)| from != to && rules.contains(rule));
        let taken: HashSet<(u32, u32)> = of_rules.map(|(from, _, to)| (*from, *to)).collect();
        let enabled: Vec<u32> = taken.iter().map(|(from, _)| *from).collect();
        Claimed {
            claim: claim(bits(&enabled)),
            taken,
            occasions: Some((Vacuous::Action, enabled)),
        }
    };
    match kind {
        PropertyKind::LeadsTo {
            premise,
            conclusion,
        } => {
            let claim = Claim::LeadsTo {
                premise: bits(premise),
                conclusion: bits(conclusion),
            };
            after(claim, premise)
        }
        PropertyKind::Eventually(one) => of_behaviours(Claim::Eventually(bits(one))),
        PropertyKind::AlwaysEventually(one) => of_behaviours(Claim::AlwaysEventually(bits(one))),
        PropertyKind::EventuallyAlways {
            premise,
            conclusion,
        } => {
            let claim = Claim::EventuallyAlways {
                premise: premise.as_deref().map(bits),
                conclusion: bits(conclusion),
            };
            match premise {
                Some(premise) => after(claim, premise),
                None => of_behaviours(claim),
            }
        }
        PropertyKind::Always(one) => of_behaviours(Claim::Always(bits(one))),
        PropertyKind::WeaklyFair(rules) => fair(Claim::WeaklyFair, rules),
        PropertyKind::StronglyFair(rules) => fair(Claim::StronglyFair, rules),
    }
}

/// A system as its lines state it, by which the states of a lasso are judged: steps are looked up one by one.
struct Naive<'a> {
    system: &'a System,
    kind: &'a PropertyKind,
    states: &'a [u32],
    /// The rules of the steps from each of them to another state,
    enabled: HashMap<u32, HashSet<u32>>,
    /// and by source and target, both among them.
    between: HashMap<(u32, u32), HashSet<u32>>,
}

impl<'a> Naive<'a> {
    fn new(system: &'a System, kind: &'a PropertyKind, lasso: &'a Lasso) -> Self {
        let visited: HashSet<u32> = lasso.states.iter().copied().collect();
        let mut enabled: HashMap<u32, HashSet<u32>> = HashMap::new();
        let mut between: HashMap<(u32, u32), HashSet<u32>> = HashMap::new();
        let steps = system.steps.iter();
        for (from, rule, to) in steps.filter(|(from, _, to)| from != to && visited.contains(from)) {
            enabled.entry(*from).or_default().insert(*rule);
            if visited.contains(to) {
                between.entry((*from, *to)).or_default().insert(*rule);
            }
        }
        Self {
            system,
            kind,
            states: &lasso.states,
            enabled,
            between,
        }
    }

    fn enables(&self, at: usize, rules: &[u32]) -> bool {
        let enabled = self.enabled.get(&self.states[at]);
        enabled.is_some_and(|enabled| rules.iter().any(|rule| enabled.contains(rule)))
    }

    fn between(&self, from: usize, to: usize) -> Option<&HashSet<u32>> {
        self.between.get(&(self.states[from], self.states[to]))
    }

    fn goes_by(&self, from: usize, to: usize, rules: &[u32]) -> bool {
        let between = self.between(from, to);
        between.is_some_and(|between| rules.iter().any(|rule| between.contains(rule)))
    }
}

impl Facts for Naive<'_> {
    fn is_initial(&self, at: usize) -> bool {
        self.system.initial.contains(&self.states[at])
    }

    fn is_step(&self, from: usize, to: usize) -> bool {
        self.between(from, to).is_some()
    }

    fn enabled(&self, at: usize, condition: usize) -> bool {
        self.enables(at, &self.system.conditions[condition].rules)
    }

    fn takes(&self, from: usize, to: usize, condition: usize) -> bool {
        self.goes_by(from, to, &self.system.conditions[condition].rules)
    }

    fn violates(&self, word: &Word) -> bool {
        let holding = |label: &[u32]| label.iter().copied().collect::<HashSet<u32>>();
        let has = |label: &HashSet<u32>, at: usize| label.contains(&self.states[at]);
        let taken = |rules: &[u32]| {
            let mut steps = word.steps_around();
            steps.any(|(from, to)| self.goes_by(from, to, rules))
        };
        match self.kind {
            PropertyKind::LeadsTo {
                premise,
                conclusion,
            } => {
                let (premise, conclusion) = (holding(premise), holding(conclusion));
                !word.leads_to(|at| has(&premise, at), |at| has(&conclusion, at))
            }
            PropertyKind::Eventually(one) => {
                let one = holding(one);
                !word.eventually(|at| has(&one, at))
            }
            PropertyKind::AlwaysEventually(one) => {
                let one = holding(one);
                !word.always_eventually(|at| has(&one, at))
            }
            PropertyKind::EventuallyAlways {
                premise,
                conclusion,
            } => {
                let (premise, conclusion) = (premise.as_deref().map(holding), holding(conclusion));
                let comes = |at| premise.as_ref().is_none_or(|premise| has(premise, at));
                !word.eventually_always(comes, |at| has(&conclusion, at))
            }
            PropertyKind::Always(one) => {
                let one = holding(one);
                word.eventually(|at| !has(&one, at))
            }
            PropertyKind::WeaklyFair(rules) => {
                word.around().all(|at| self.enables(at, rules)) && !taken(rules)
            }
            PropertyKind::StronglyFair(rules) => {
                word.around().any(|at| self.enables(at, rules)) && !taken(rules)
            }
        }
    }
}
