//! Refinements between systems that are given step by step, whose rules are of processes of several kinds; and what the decomposition says of
//! them.

use std::collections::BTreeSet;

use refmap::obligation::{Liveness, Until};
use refmap::{
    AbstractSteps, Constraint, Fairness, Process, Property, Refinement, Report, Rule, RuleId,
    Settings, TransitionSystem, Verdict,
};
use refmap_testing::decomposed::{Large, Marks, marks};
use refmap_testing::textbook::{Pairs, Said};
use refmap_testing::{Random, checked, row_of, until_with};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Label {
    pub rule: u16,
    /// Number of the process, which is of the rule's kind.
    pub number: Option<u16>,
    /// Index among its state's steps.
    pub position: u16,
}

/// Kind of processes, with the numbers of those that there are.
pub type Kind = (&'static str, &'static [Option<u16>]);

/// An action of a fairness condition: rules, each with a process.
pub type Taken = BTreeSet<(u16, Option<u16>)>;

/// System, step by step.
#[derive(Clone)]
pub struct Web {
    pub rules: Vec<Rule>,
    /// The kinds of processes, of which each takes every so manieth rule.
    pub kinds: &'static [Kind],
    pub initial: Vec<u32>,
    pub steps: Vec<Vec<(Label, u32)>>,
    pub fairness: Vec<Fairness>,
}

impl Web {
    /// Rules r0, r1, … and so many states without a step.
    pub fn new(kinds: &'static [Kind], rules: usize, states: usize) -> Self {
        let rule = |rule: usize| Rule {
            name: format!("r{rule}").into(),
            ..Rule::new("", kinds[rule % kinds.len()].0, "a test")
        };
        Self {
            rules: (0..rules).map(rule).collect(),
            kinds,
            initial: Vec::new(),
            steps: vec![Vec::new(); states],
            fairness: Vec::new(),
        }
    }

    /// The numbers of the processes that take a rule.
    pub fn numbers(&self, rule: usize) -> &'static [Option<u16>] {
        self.kinds[rule % self.kinds.len()].1
    }

    pub fn add(&mut self, from: u32, rule: usize, number: Option<u16>, to: u32) -> Label {
        let steps = &mut self.steps[from as usize];
        let label = Label {
            rule: rule as u16,
            number,
            position: steps.len() as u16,
        };
        steps.push((label, to));
        label
    }

    /// Adds a step by some process of a rule, which is one of the first so many.
    pub fn add_any(&mut self, rng: &mut Random, rules: usize, from: u32, to: u32) -> Label {
        let rule = rng.below(rules);
        let number = rng.pick(self.numbers(rule));
        self.add(from, rule, number, to)
    }

    /// A step between two states, a known one mostly, or one that is added.
    pub fn known_or(
        &mut self,
        rng: &mut Random,
        known: usize,
        (from, to): (u32, u32),
        add: impl FnOnce(&mut Self, &mut Random) -> Label,
    ) -> Label {
        let mut steps = self.steps[from as usize].iter();
        let step = steps.find(|(_, target)| *target == to).copied();
        match step.filter(|_| rng.percent(known)) {
            Some((label, _)) => label,
            None => add(self, rng),
        }
    }

    /// Labels of all steps that change the state.
    pub fn changing(&self) -> impl Iterator<Item = (u32, Label, u32)> {
        let steps = (0..).zip(&self.steps);
        let steps = steps.flat_map(|(from, steps)| steps.iter().map(move |step| (from, step)));
        let steps = steps.map(|(from, (label, to))| (from, *label, *to));
        steps.filter(|(from, _, to)| from != to)
    }

    /// The actions of a condition: of each process that takes one, or of all.
    pub fn actions(&self, condition: &Fairness) -> Vec<Taken> {
        let rule_is_of = |label: &Label| {
            let own = &*self.rules[usize::from(label.rule)].name;
            condition.rules().any(|rule| rule == own)
        };
        let taken = self.changing().map(|(_, label, _)| label);
        let taken = taken.filter(rule_is_of);
        let taken = taken.filter(|label| {
            let single = condition.process();
            single.is_none_or(|number| label.number == Some(number))
        });
        let taken: Taken = taken.map(|label| (label.rule, label.number)).collect();
        if condition.is_joint() {
            let any = Some(taken).filter(|taken| !taken.is_empty());
            return any.into_iter().collect();
        }
        let process =
            |(rule, number): &(u16, Option<u16>)| (self.rules[usize::from(*rule)].process, *number);
        let processes: BTreeSet<_> = taken.iter().map(process).collect();
        let of = |one: &(&str, Option<u16>)| {
            let own = taken.iter().filter(|label| process(label) == *one);
            own.copied().collect()
        };
        processes.iter().map(of).collect()
    }

    /// The pairs of different states that steps of an action join.
    pub fn pairs(&self, action: &Taken) -> Pairs {
        let steps = self.changing();
        let steps = steps.filter(|(_, label, _)| action.contains(&(label.rule, label.number)));
        steps.map(|(from, _, to)| (from, to)).collect()
    }

    /// The system as the decomposition has it.
    pub fn large(&self) -> Large {
        let conditions = self.fairness.iter().flat_map(|condition| {
            let actions = self.actions(condition).into_iter();
            actions.map(|action| (condition.strength(), self.pairs(&action)))
        });
        Large {
            states: self.steps.len() as u32,
            initial: self.initial.clone(),
            steps: self.changing().map(|(from, _, to)| (from, to)).collect(),
            conditions: conditions.collect(),
        }
    }
}

impl refmap::Action<Web> for Label {
    fn rules(system: &Web) -> &[Rule] {
        &system.rules
    }

    fn rule(&self, _: &Web) -> RuleId {
        RuleId(self.rule.into())
    }

    fn process(&self, system: &Web) -> Process {
        Process {
            name: system.rules[usize::from(self.rule)].process,
            number: self.number,
        }
    }
}

impl TransitionSystem for Web {
    type State = u32;
    type Action = Label;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        self.initial.iter().copied().for_each(visit);
    }

    fn candidates(&self, from: &u32, visit: &mut impl FnMut(Label)) {
        let steps = self.steps[*from as usize].iter();
        steps.map(|(label, _)| *label).for_each(visit);
    }

    fn fire(&self, action: &Label, state: &mut u32) -> Option<()> {
        let steps = &self.steps[*state as usize];
        let (label, to) = steps.get(usize::from(action.position))?;
        (label == action).then(|| *state = *to)
    }

    fn observe(&self, _: &u32) {}

    fn may_stop(&self, _: &u32) -> bool {
        true
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

/// Abstract steps that a step simulates.
#[derive(Clone)]
pub struct Answer {
    pub before: Vec<(Label, u32)>,
    pub last: Option<Label>,
}

/// Refinement, step by step.
#[derive(Clone)]
pub struct Webs {
    pub implementation: Web,
    pub specification: Web,
    pub images: Vec<u32>,
    /// Per state and step.
    pub answers: Vec<Vec<Answer>>,
    pub properties: Vec<Property<Web>>,
    /// Claims of the properties, by their names.
    pub said: Vec<(&'static str, Said<Marks>)>,
    pub within: Option<Marks>,
}

impl Webs {
    pub fn new(implementation: Web, specification: Web, images: Vec<u32>) -> Self {
        Self {
            answers: vec![Vec::new(); implementation.steps.len()],
            implementation,
            specification,
            images,
            properties: Vec::new(),
            said: Vec::new(),
            within: None,
        }
    }

    pub fn answer(&self, from: u32, action: &Label) -> &Answer {
        &self.answers[from as usize][usize::from(action.position)]
    }

    /// Adds a property of each kind.
    pub fn add_properties(&mut self, premise: Marks, conclusion: Marks, mostly: Marks) {
        let of = |marks: &Marks| {
            let marks = marks.clone();
            move |at: &u32| marks[*at as usize]
        };
        let (p, q, r) = (of(&premise), of(&conclusion), of(&mostly));
        self.properties = vec![
            Property::leads_to("p", "", p.clone(), q.clone()),
            Property::eventually("p", "", q.clone()),
            Property::always_eventually("p", "", q),
            Property::eventually_always("p", "", r.clone()),
            Property::eventually_always_after("after", "", p, r),
        ];
        let leads_to = Said::LeadsTo {
            premise: premise.clone(),
            conclusion: conclusion.clone(),
        };
        let always = |premise| Said::EventuallyAlways {
            premise,
            conclusion: mostly.clone(),
        };
        self.said = vec![
            ("leads-to:p", leads_to),
            ("eventually:p", Said::Eventually(conclusion.clone())),
            ("always-eventually:p", Said::AlwaysEventually(conclusion)),
            ("eventually-always:p", always(vec![true; premise.len()])),
            ("eventually-always:after", always(premise)),
        ];
    }

    /// The rows of liveness, each with what it says: of a condition of the specification, fairness of each action, through the mapping.
    pub fn rows(&self, large: &Large) -> Vec<(String, Vec<Said<Marks>>)> {
        let said = self.said.iter();
        let said = said.map(|(name, said)| (name.to_string(), vec![said.clone()]));
        let conditions = self.specification.fairness.iter().map(|condition| {
            let actions = self.specification.actions(condition).into_iter();
            let actions = actions.map(|action| self.specification.pairs(&action));
            let said = actions.map(|action| self.promised(large, condition, &action));
            (format!("fairness:{}", condition.name()), said.collect())
        });
        said.chain(conditions).collect()
    }

    fn promised(&self, large: &Large, condition: &Fairness, action: &Pairs) -> Said<Marks> {
        let image = |at: u32| self.images[at as usize];
        let enabled =
            (0..large.states).filter(|at| action.iter().any(|(from, _)| *from == image(*at)));
        let taken = large.steps.iter().copied();
        let taken = taken.filter(|(from, to)| action.contains(&(image(*from), image(*to))));
        let enabled = marks(large.states, enabled);
        Said::Fair(condition.strength(), enabled, taken.collect())
    }
}

impl Refinement for Webs {
    type Implementation = Web;
    type Specification = Web;

    fn implementation(&self) -> &Web {
        &self.implementation
    }

    fn specification(&self) -> &Web {
        &self.specification
    }

    fn map(&self, state: &u32) -> u32 {
        self.images[*state as usize]
    }

    fn abstract_steps(&self, from: &u32, action: &Label, _: &u32) -> AbstractSteps<Label> {
        let Answer { before, last } = self.answer(*from, action);
        if before.is_empty() {
            return (*last).into();
        }
        let before = before.iter().map(|(label, _)| *label);
        AbstractSteps::Several(before.chain(*last).collect())
    }

    fn liveness(&self) -> Vec<Property<Web>> {
        self.properties.clone()
    }

    fn constraint(&self) -> Option<Constraint<Web>> {
        let within = self.within.clone()?;
        let contains = move |at: &u32| within[*at as usize];
        Some(Constraint::new("some states", contains))
    }
}

pub fn decided(webs: &Webs, threads: usize) -> Report {
    let settings = Settings {
        liveness: Liveness::Included,
        ..until_with(Until::End, threads)
    };
    checked(webs, &settings)
}

/// Row that was compared.
pub struct Compared {
    pub name: String,
    pub said: Vec<Said<Marks>>,
    /// The least stem of a lasso that violates it, if there is one.
    pub stem: Option<usize>,
    /// True if it says anything of what is reached.
    pub says_something: bool,
}

/// The least stem of a fair lasso that violates one of some properties, if there is one.
pub fn stem(large: &Large, said: &[Said<Marks>]) -> Option<usize> {
    said.iter().filter_map(|said| large.stem(said)).min()
}

/// Asserts that the rows of a report say what the decomposition says.
pub fn compare(webs: &Webs, large: &Large, report: &Report) -> Vec<Compared> {
    let reached = large.reached();
    let is_any_reached = |of: &Marks| (0..of.len()).any(|at| of[at] && reached[at]);
    let simulation = row_of(report, "simulation");
    assert_ne!(simulation.verdict, Verdict::Violated, "{report}");
    let compared = webs.rows(large).into_iter().map(|(name, said)| {
        let row = row_of(report, &name);
        let found = row.counterexamples.first().and_then(|one| one.loop_start);
        let stem = stem(large, &said);
        assert_eq!(found, stem, "{name}: {report}");
        let says_something = said.iter().any(|said| match said {
            Said::LeadsTo { premise, .. } | Said::EventuallyAlways { premise, .. } => {
                is_any_reached(premise)
            }
            Said::Fair(_, enabled, _) => is_any_reached(enabled),
            _ => true,
        });
        let verdict = match (stem, says_something) {
            (Some(_), _) => Verdict::Violated,
            (None, true) => Verdict::Holds,
            (None, false) if name.starts_with("fairness:") => Verdict::Incomplete,
            (None, false) => Verdict::Violated,
        };
        assert_eq!(row.verdict, verdict, "{name}: {report}");
        Compared {
            name,
            said,
            stem,
            says_something,
        }
    });
    compared.collect()
}
