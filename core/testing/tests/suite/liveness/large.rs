//! Random refinements of systems of hundreds of states, with more conditions than a word has bits, several initial states
//! and several workers, against plain decomposition.

use std::collections::HashMap;

use refmap::obligation::{Liveness, Until};
use refmap::{
    AbstractSteps, Fairness, Process, Property, Refinement, Report, Rule, RuleId, Settings,
    TransitionSystem, Verdict,
};
use refmap_testing::clustered::Clustered;
use refmap_testing::decomposed::{ALTERED, Large, Marks, marks};
use refmap_testing::textbook::{Pairs, Said};
use refmap_testing::{Random, checked, row_of};
use serde::Serialize;

const STATES: [usize; 6] = [63, 65, 100, 128, 129, 200];
/// Numbers of actions that may have a condition, each a rule of a process.
const ACTIONS: [usize; 6] = [5, 31, 64, 70, 128, 150];
/// Processes that take each rule.
const PROCESSES: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct At(u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct Step {
    rule: u16,
    process: u16,
    to: u16,
}

impl Step {
    /// The step to a state by an action, which is a rule of a process.
    fn by(action: u32, to: u32) -> Self {
        let action = action as usize;
        Self {
            rule: (action / PROCESSES) as u16,
            process: (action % PROCESSES) as u16,
            to: to as u16,
        }
    }
}

/// System that is given state by state.
struct Web {
    rules: Vec<Rule>,
    initial: Vec<u32>,
    steps: Vec<Vec<Step>>,
    fairness: Vec<Fairness>,
}

impl Web {
    fn new(states: usize, actions: usize) -> Self {
        let rules = 0..actions.div_ceil(PROCESSES);
        let rule = |number| Rule {
            name: format!("rule {number}").into(),
            process: "worker",
            source: "a test".into(),
        };
        Self {
            rules: rules.map(rule).collect(),
            initial: Vec::new(),
            steps: vec![Vec::new(); states],
            fairness: Vec::new(),
        }
    }

    fn add(&mut self, from: u32, step: Step) {
        let steps = &mut self.steps[from as usize];
        if !steps.contains(&step) {
            steps.push(step);
        }
    }

    /// The pairs of different states that some steps join.
    fn pairs(&self, takes: impl Fn(&Step) -> bool) -> Pairs {
        let steps = (0..).zip(&self.steps);
        let all = steps.flat_map(|(from, steps)| steps.iter().map(move |step| (from, step)));
        let of = all.filter(|(from, step)| *from != u32::from(step.to) && takes(step));
        of.map(|(from, step)| (from, u32::from(step.to))).collect()
    }

    /// The actions of a condition: one of each process, or of all.
    fn actions(&self, condition: &Fairness) -> Vec<Pairs> {
        let is_of = |step: &Step| {
            let name = &*self.rules[usize::from(step.rule)].name;
            condition.rules().any(|rule| rule == name)
        };
        if condition.is_joint() {
            return vec![self.pairs(is_of)];
        }
        let processes = 0..PROCESSES as u16;
        let processes = processes.filter(|one| condition.process().is_none_or(|of| of == *one));
        let of_process = |process| self.pairs(|step| step.process == process && is_of(step));
        processes.map(of_process).collect()
    }
}

impl refmap::Action<Web> for Step {
    fn rules(system: &Web) -> &[Rule] {
        &system.rules
    }

    fn rule(&self, _: &Web) -> RuleId {
        RuleId(self.rule.into())
    }

    fn process(&self, _: &Web) -> Process {
        Process::numbered("worker", self.process)
    }
}

impl TransitionSystem for Web {
    type State = At;
    type Action = Step;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(At)) {
        self.initial.iter().for_each(|at| visit(At(*at as u16)));
    }

    fn candidates(&self, At(from): &At, visit: &mut impl FnMut(Step)) {
        self.steps[usize::from(*from)]
            .iter()
            .copied()
            .for_each(visit);
    }

    fn fire(&self, step: &Step, At(state): &mut At) -> Option<()> {
        let steps = &self.steps[usize::from(*state)];
        steps.contains(step).then(|| *state = step.to)
    }

    fn observe(&self, _: &At) {}

    fn may_stop(&self, _: &At) -> bool {
        true
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

struct Case {
    implementation: Web,
    specification: Web,
    /// Per state, its image.
    images: Vec<u32>,
    /// Per step that changes the image, the abstract step that it simulates.
    answers: HashMap<(u16, Step), Step>,
    properties: Vec<Property<Web>>,
    said: Vec<(&'static str, Said<Marks>)>,
}

impl Refinement for Case {
    type Implementation = Web;
    type Specification = Web;

    fn implementation(&self) -> &Web {
        &self.implementation
    }

    fn specification(&self) -> &Web {
        &self.specification
    }

    fn map(&self, At(at): &At) -> At {
        At(self.images[usize::from(*at)] as u16)
    }

    fn abstract_steps(&self, At(from): &At, step: &Step, _: &At) -> AbstractSteps<Step> {
        self.answers.get(&(*from, *step)).copied().into()
    }

    fn liveness(&self) -> Vec<Property<Web>> {
        self.properties.clone()
    }
}

fn condition(random: &mut Random, name: String, rule: usize) -> Fairness {
    let rules = [format!("rule {rule}")];
    let condition = if random.percent(50) {
        Fairness::weak(name, rules)
    } else {
        Fairness::strong(name, rules)
    };
    match random.below(10) {
        0 => condition.jointly(),
        1 => condition.of(random.below(PROCESSES) as u16),
        _ => condition,
    }
}

fn case(seed: u64) -> Case {
    let random = &mut Random(seed);
    let actions = ACTIONS[seed as usize % ACTIONS.len()];
    let states = random.pick(&STATES);
    let system = Clustered::new(random, states, actions);
    let mut implementation = Web::new(states, actions);
    implementation.initial.clone_from(&system.initial);
    implementation.initial.sort_unstable();
    implementation.initial.dedup();
    // The order of numbers is not that in which they are found.
    let order = random.shuffled(implementation.initial.len());
    let initial = order.iter().map(|at| implementation.initial[*at as usize]);
    implementation.initial = initial.collect();
    for (from, action, to) in &system.steps {
        implementation.add(*from, Step::by(*action, *to));
    }
    let rules = implementation.rules.len();
    let conditions = (0..rules).map(|rule| condition(random, format!("condition {rule}"), rule));
    implementation.fairness = conditions.collect();

    // Neighbours have the same image, mostly.
    let images = 1 + random.below(states);
    let mut of_states = vec![0; states];
    for cluster in &system.clusters {
        let common = random.below(images) as u32;
        for at in cluster {
            let own = random.percent(60);
            of_states[*at as usize] = if own {
                random.below(images) as u32
            } else {
                common
            };
        }
    }
    let mut specification = Web::new(images, actions);
    let initial = implementation.initial.iter();
    specification.initial = initial.map(|at| of_states[*at as usize]).collect();
    specification.initial.sort_unstable();
    specification.initial.dedup();
    let mut answers = HashMap::new();
    for (from, steps) in (0..).zip(&implementation.steps) {
        for step in steps {
            let [image, target] = [from, usize::from(step.to)].map(|at| of_states[at]);
            if image != target {
                let known = specification.steps[image as usize].iter();
                let known = known.copied().find(|known| u32::from(known.to) == target);
                let answer = known.filter(|_| random.percent(50)).unwrap_or_else(|| {
                    let action = random.below(actions) as u32;
                    let own = u32::from(step.rule) * PROCESSES as u32 + u32::from(step.process);
                    Step::by(if random.percent(70) { own } else { action }, target)
                });
                specification.add(image, answer);
                answers.insert((from as u16, *step), answer);
            }
        }
    }
    let promised = (0..2).map(|number| {
        let rule = random.below(rules);
        condition(random, format!("promise {number}"), rule)
    });
    specification.fairness = promised.collect();

    let all = system.states;
    let chance = 20 + random.below(80);
    let premise = marks(all, system.some_states(random, 30));
    let conclusion = marks(all, system.some_states(random, chance));
    let seldom_chance = random.pick(&[0, 5, 40]);
    let seldom = marks(all, system.some_states(random, seldom_chance));
    let mostly: Marks = seldom.iter().map(|is_in| !is_in).collect();
    let of = |marks: &Marks| {
        let marks = marks.clone();
        move |At(at): &At| marks[usize::from(*at)]
    };
    let (p, q, r) = (of(&premise), of(&conclusion), of(&mostly));
    let properties = vec![
        Property::leads_to("p", "", p.clone(), q.clone()),
        Property::eventually("p", "", q.clone()),
        Property::always_eventually("p", "", q),
        Property::eventually_always("p", "", r.clone()),
        Property::eventually_always_after("after", "", p, r),
    ];
    let said = vec![
        (
            "leads-to:p",
            Said::LeadsTo {
                premise: premise.clone(),
                conclusion: conclusion.clone(),
            },
        ),
        ("eventually:p", Said::Eventually(conclusion.clone())),
        ("always-eventually:p", Said::AlwaysEventually(conclusion)),
        (
            "eventually-always:p",
            Said::EventuallyAlways {
                premise: vec![true; states],
                conclusion: mostly.clone(),
            },
        ),
        (
            "eventually-always:after",
            Said::EventuallyAlways {
                premise,
                conclusion: mostly,
            },
        ),
    ];
    Case {
        implementation,
        specification,
        images: of_states,
        answers,
        properties,
        said,
    }
}

/// The implementation as the decomposition has it.
fn large(system: &Web) -> Large {
    let conditions = system.fairness.iter().flat_map(|condition| {
        let actions = system.actions(condition).into_iter();
        actions.map(|action| (condition.strength(), action))
    });
    Large {
        states: system.steps.len() as u32,
        initial: system.initial.clone(),
        steps: system.pairs(|_| true),
        conditions: conditions.collect(),
    }
}

/// Fairness of each action of a condition of the specification, through the mapping.
fn promised(case: &Case, large: &Large, condition: &Fairness) -> Vec<Said<Marks>> {
    let image = |at: u32| case.images[at as usize];
    let actions = case.specification.actions(condition).into_iter();
    let actions = actions.filter(|action| !action.is_empty());
    let said = |action: Pairs| {
        let enabled =
            (0..large.states).filter(|at| action.iter().any(|(from, _)| *from == image(*at)));
        let taken = large.steps.iter().copied();
        let taken = taken.filter(|(from, to)| action.contains(&(image(*from), image(*to))));
        let enabled = marks(large.states, enabled);
        Said::Fair(condition.strength(), enabled, taken.collect())
    };
    actions.map(said).collect()
}

fn decided(case: &Case, threads: usize) -> Report {
    let settings = Settings {
        threads,
        liveness: Liveness::Included,
        until: Until::End,
        ..Settings::default()
    };
    checked(case, &settings)
}

/// Has refinements decided by one worker, and by two or three, as the decomposition decides them. Each kind of row holds in some
/// and is violated in some; and each alteration changes what is found in some of those that it is tried on.
fn compare(seeds: std::ops::Range<u64>, altered_every: u64) {
    let cases = seeds.end - seeds.start;
    let mut fates = [[0; 2]; 6];
    let mut mattered = [0; ALTERED.len()];
    let (mut vacuous_ones, mut greatest) = (0, 0);
    for seed in seeds {
        let case = case(seed);
        let large = large(&case.implementation);
        let reached = large.reached();
        let is_any_reached = |of: &Marks| (0..of.len()).any(|at| of[at] && reached[at]);
        let report = decided(&case, 1);
        greatest = greatest.max(report.states);
        let simulation = row_of(&report, "simulation");
        assert_ne!(simulation.verdict, Verdict::Violated, "{seed}: {report}");
        let mut rows: Vec<(String, Vec<Said<Marks>>)> = Vec::new();
        for (name, said) in &case.said {
            rows.push((name.to_string(), vec![said.clone()]));
        }
        for condition in case.specification.fairness() {
            let name = format!("fairness:{}", condition.name());
            rows.push((name, promised(&case, &large, &condition)));
        }
        for (kind, (name, said)) in rows.iter().enumerate() {
            let row = row_of(&report, name);
            let found = row.counterexamples.first().and_then(|one| one.loop_start);
            let stem = |large: &Large| said.iter().filter_map(|said| large.stem(said)).min();
            let expected = stem(&large);
            assert_eq!(found, expected, "{seed}: {name}: {report}");
            let says_something = said.iter().any(|said| match said {
                Said::LeadsTo { premise, .. } | Said::EventuallyAlways { premise, .. } => {
                    is_any_reached(premise)
                }
                Said::Fair(_, enabled, _) => is_any_reached(enabled),
                _ => true,
            });
            let verdict = match (expected, says_something) {
                (Some(_), _) => Verdict::Violated,
                (None, true) => Verdict::Holds,
                (None, false) if name.starts_with("fairness:") => Verdict::Incomplete,
                (None, false) => Verdict::Violated,
            };
            assert_eq!(row.verdict, verdict, "{seed}: {name}: {report}");
            vacuous_ones += u64::from(verdict == Verdict::Violated && expected.is_none());
            if says_something {
                fates[kind.min(5)][usize::from(expected.is_some())] += 1;
            }
            if seed % altered_every == 0 {
                for ((_, alter), mattered) in ALTERED.iter().zip(&mut mattered) {
                    let mut altered = large.clone();
                    alter(&mut altered);
                    *mattered += u64::from(stem(&altered) != expected);
                }
            }
        }
        let other = decided(&case, 2 + seed as usize % 2);
        assert_eq!(other.obligations, report.obligations, "{seed}");
    }
    for fate in fates {
        assert!(fate.iter().all(|count| *count > cases / 20), "{fates:?}");
    }
    assert!(greatest > 128, "{greatest}");
    assert!(vacuous_ones > cases / 20, "{vacuous_ones}");
    for ((what, _), count) in ALTERED.iter().zip(mattered) {
        assert!(count > cases / 20, "{what}: {mattered:?}");
    }
}

#[test]
fn large_refinements_are_decided_as_the_decomposition_decides_them() {
    compare(0..15, 2);
}

#[test]
#[ignore = "takes minutes"]
fn slow_large_refinements_are_decided_as_the_decomposition_decides_them() {
    compare(15..1_515, 2);
}
