//! Decides the properties of a system, and has each lasso judged once more.

use std::collections::{HashMap, HashSet};

use refmap::liveness::{
    Bits, Claim, Conditions, Facts, Fault, Lasso, Met, Question, Steps, Strength, Word, judge,
    violation,
};

use super::system::{Pairs, PropertyKind, System};

/// What was found of a property.
#[derive(Clone, Debug)]
pub struct Decided {
    /// A fair behaviour that violates it, if there is one, with the reason why each fairness condition is met.
    pub violation: Option<(Lasso, Vec<Met>)>,
    /// Whether it is a `leads_to` whose premise holds in no state that is reached.
    pub vacuous: bool,
}

/// Decides the properties of a system, in their order. States in lassos are numbered as the system numbers them.
///
/// # Errors
///
/// A property has the fault of a lasso that was found for it and is none: the search was wrong, and nothing is known of the
/// property.
pub fn decide(system: &System) -> Vec<Result<Decided, Fault>> {
    let strengths: Vec<Strength> = system.conditions.iter().map(|one| one.strength).collect();
    let mut conditions = Conditions::new(strengths.iter().copied());
    let pairs = Pairs::new(system, &mut conditions);
    let decide_one = |kind: &PropertyKind| {
        let states = pairs.states();
        let (claim, taken) = claim(system, kind, states);
        let taken = |from, _, to| taken.contains(&(from, to));
        let question = Question::of(&claim, states, &system.initial, &taken);
        let Some(lasso) = violation(&pairs, &system.initial, &conditions, &question) else {
            let vacuous = match kind {
                PropertyKind::LeadsTo { premise, .. } => {
                    let reached = pairs.reached(&system.initial);
                    !premise.iter().any(|at| reached.contains(*at))
                }
                _ => false,
            };
            return Ok(Decided {
                violation: None,
                vacuous,
            });
        };
        let met = judge(&lasso, &strengths, &Naive::new(system, kind, &lasso))?;
        Ok(Decided {
            violation: Some((lasso, met)),
            vacuous: false,
        })
    };
    let properties = system.properties.iter();
    properties
        .map(|property| decide_one(&property.kind))
        .collect()
}

/// What a property claims, and the pairs that are steps of the action of which fairness is claimed.
fn claim(system: &System, kind: &PropertyKind, states: usize) -> (Claim, HashSet<(u32, u32)>) {
    let bits = |of: &[u32]| {
        let mut bits = Bits::none(states);
        of.iter().for_each(|at| bits.insert(*at));
        bits
    };
    let pairs = |rules: &[u32]| -> HashSet<(u32, u32)> {
        let steps = system.steps.iter();
        let of_rules = steps.filter(|(from, rule, to)| from != to && rules.contains(rule));
        of_rules.map(|(from, _, to)| (*from, *to)).collect()
    };
    let enabled = |pairs: &HashSet<(u32, u32)>| {
        let sources: Vec<u32> = pairs.iter().map(|(from, _)| *from).collect();
        bits(&sources)
    };
    let none = HashSet::new();
    match kind {
        PropertyKind::LeadsTo {
            premise,
            conclusion,
        } => {
            let claim = Claim::LeadsTo {
                premise: bits(premise),
                conclusion: bits(conclusion),
            };
            (claim, none)
        }
        PropertyKind::Eventually(one) => (Claim::Eventually(bits(one)), none),
        PropertyKind::AlwaysEventually(one) => (Claim::AlwaysEventually(bits(one)), none),
        PropertyKind::EventuallyAlways(one) => (Claim::EventuallyAlways(bits(one)), none),
        PropertyKind::Always(one) => (Claim::Always(bits(one)), none),
        PropertyKind::WeaklyFair(rules) => {
            let pairs = pairs(rules);
            (Claim::WeaklyFair(enabled(&pairs)), pairs)
        }
        PropertyKind::StronglyFair(rules) => {
            let pairs = pairs(rules);
            (Claim::StronglyFair(enabled(&pairs)), pairs)
        }
    }
}

/// What the lines of a system say of a lasso's states: its steps are looked up one by one.
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
            PropertyKind::EventuallyAlways(one) => {
                let one = holding(one);
                !word.eventually_always(|at| has(&one, at))
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
