//! Changes of a refinement of which it is known how they change what a check says, without an oracle.

use refmap::obligation::Until;
use refmap::report::Obligation;
use refmap::{Report, Verdict};
use refmap_testing::Random;

use crate::comparison::{fate, run};
use crate::oracle::Fate;
use crate::table::random::{Size, draw};
use crate::table::{Correspondence, Label, PROCESSES, Table};

/// Counts of effective changes and verdicts.
#[derive(Debug, Default)]
pub struct Changes {
    pub rules_permuted: u64,
    pub steps_permuted: u64,
    pub states_renamed: u64,
    pub unions: u64,
    pub hold: u64,
    pub violated: u64,
}

/// Checks the refinement of a seed, and what it is changed to.
pub fn compare_changed(seed: u64, changes: &mut Changes) {
    let refinement = draw(seed, Size::Small);
    let rng = &mut Random(!seed);
    let threads = 1 + seed as usize % 3;
    let before = run(&refinement, 1, Until::End);
    match before.verdict {
        Some(Verdict::Holds) => changes.hold += 1,
        Some(Verdict::Violated) => changes.violated += 1,
        _ => (),
    }
    let same = |changed: &Correspondence| {
        let after = run(changed, threads, Until::End);
        assert_eq!(Said::of(&after), Said::of(&before), "{seed}: {changed:#?}");
    };
    let permuted = with_rules_permuted(&refinement, rng);
    let moved = |(one, other): (&Table, &Table)| one.rules[0].name != other.rules[0].name;
    changes.rules_permuted += u64::from(moved((&permuted.concrete, &refinement.concrete)));
    same(&permuted);
    let permuted = with_steps_permuted(&refinement, rng);
    changes.steps_permuted += u64::from(permuted.concrete.steps != refinement.concrete.steps);
    same(&permuted);
    let renamed = with_states_renamed(&refinement, rng);
    changes.states_renamed += u64::from(renamed.images != refinement.images);
    same(&renamed);

    let rows = refinement.images.len();
    let system = PROCESSES[usize::from(SYSTEM)];
    let fits = rows <= 10 && !refinement.concrete.initial.is_empty();
    let is_model_at_fault = before.obligation("model").is_some();
    let acts_for_itself = refinement.acts_for[usize::from(SYSTEM)] == system;
    let is_apart = acts_for_itself && !refinement.environment.contains(&system);
    if fits && is_apart && !is_model_at_fault {
        changes.unions += 1;
        for beside in [Beside::Refined, Beside::Unrefined] {
            let union = beside.united_with(&refinement);
            let after = run(&union, threads, Until::End);
            beside.adds(&before, &after);
        }
    }
}

/// Content of a report, sorted.
#[derive(Debug, PartialEq)]
struct Said {
    verdict: Option<Verdict>,
    counts: [u64; 5],
    rows: Vec<(String, Fate, u64)>,
    coverage: Vec<(String, u64)>,
    unexercised: Vec<String>,
}

impl Said {
    fn of(report: &Report) -> Self {
        let row = |row: &Obligation| (row.name.clone(), fate(row), row.checked);
        let mut rows: Vec<_> = report.obligations.iter().map(row).collect();
        rows.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        let coverage = report.coverage.iter();
        let mut coverage: Vec<_> = coverage.map(|row| (row.rule.clone(), row.fired)).collect();
        coverage.sort();
        let mut unexercised = report.unexercised.clone();
        unexercised.sort();
        Self {
            verdict: report.verdict,
            counts: [
                report.initial_states,
                report.states,
                report.transitions,
                report.depth.into(),
                report.deadlocks,
            ],
            rows,
            coverage,
            unexercised,
        }
    }
}

/// A permutation of so many things: where each goes.
fn permutation(rng: &mut Random, count: usize) -> Vec<usize> {
    let mut to: Vec<_> = (0..count).collect();
    for last in (1..count).rev() {
        to.swap(last, rng.below(last + 1));
    }
    to
}

/// Each thing where the permutation says.
fn moved<T: Clone>(things: &[T], to: &[usize]) -> Vec<T> {
    let mut moved = things.to_vec();
    for (thing, to) in things.iter().zip(to) {
        moved[*to] = thing.clone();
    }
    moved
}

fn with_rules_permuted(refinement: &Correspondence, rng: &mut Random) -> Correspondence {
    let mut changed = refinement.clone();
    let mut permute = |table: &mut Table| {
        let to = permutation(rng, table.rules.len());
        table.rules = moved(&table.rules, &to);
        for (label, _) in table.steps.iter_mut().flatten() {
            label.rule = to[usize::from(label.rule)] as u8;
        }
        to
    };
    permute(&mut changed.concrete);
    let to = permute(&mut changed.specification);
    let rename = |answer: &mut Label| answer.rule = to[usize::from(answer.rule)] as u8;
    let answers = changed.answers.iter_mut().flatten();
    answers.flatten().for_each(rename);
    if let Some((.., Some(answer))) = &mut changed.wrong_answer {
        rename(answer);
    }
    changed
}

fn with_steps_permuted(refinement: &Correspondence, rng: &mut Random) -> Correspondence {
    let mut changed = refinement.clone();
    let implementation = &mut changed.concrete;
    for (row, steps) in implementation.steps.iter_mut().enumerate() {
        let to = permutation(rng, steps.len());
        *steps = moved(steps, &to);
        changed.answers[row] = moved(&changed.answers[row], &to);
        if let Some((wrong, step, _)) = &mut changed.wrong_answer
            && *wrong == row
        {
            *step = to[*step];
        }
    }
    for steps in &mut changed.specification.steps {
        let to = permutation(rng, steps.len());
        *steps = moved(steps, &to);
    }
    let to = permutation(rng, implementation.initial.len());
    implementation.initial = moved(&implementation.initial, &to);
    changed
}

fn with_states_renamed(refinement: &Correspondence, rng: &mut Random) -> Correspondence {
    let mut changed = refinement.clone();
    let mut rename = |table: &mut Table| {
        let to = permutation(rng, table.steps.len());
        table.steps = moved(&table.steps, &to);
        table.shown = moved(&table.shown, &to);
        table.may_stop = moved(&table.may_stop, &to);
        let steps = table.steps.iter_mut().flatten();
        let targets = steps.map(|(_, target)| target);
        targets
            .chain(&mut table.initial)
            .for_each(|row| *row = to[*row]);
        to
    };
    let to = rename(&mut changed.concrete);
    let to_abstract = rename(&mut changed.specification);
    changed.images = moved(&changed.images, &to);
    let images = changed.images.iter_mut();
    let wrong = changed.wrong_image.iter_mut().map(|(_, image)| image);
    images
        .chain(wrong)
        .for_each(|image| *image = to_abstract[*image]);
    changed.answers = moved(&changed.answers, &to);
    if let Some((row, _)) = &mut changed.wrong_image {
        *row = to[*row];
    }
    if let Some((row, ..)) = &mut changed.wrong_answer {
        *row = to[*row];
    }
    for claim in &mut changed.claims {
        claim.conclusion = moved(&claim.conclusion, &to);
        let premise = claim.premise.as_ref();
        claim.premise = premise.map(|premise| moved(premise, &to));
    }
    let at_rest = &changed.at_rest;
    changed.at_rest = std::array::from_fn(|process| moved(&at_rest[process], &to));
    changed
}

const SYSTEM: u8 = 2;
/// The rule of the system, in either table.
const SWEEP: u8 = 2;

/// A system of two states that go round, in the implementation and in the specification.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beside {
    Refined,
    /// The first step is said to be a stutter.
    Unrefined,
}

impl Beside {
    /// Both, of which one or the other is entered initially.
    fn united_with(self, refinement: &Correspondence) -> Correspondence {
        let mut union = refinement.clone();
        let own = |table: &mut Table| {
            let first = table.steps.len();
            for to in [first + 1, first] {
                let label = Label {
                    rule: SWEEP,
                    process: SYSTEM,
                    input: 0,
                    result: to as u8,
                };
                table.steps.push(vec![(label, to)]);
                table.shown.push(0);
                table.may_stop.push(true);
            }
            table.initial.push(first);
            first
        };
        let row = own(&mut union.concrete);
        let image = own(&mut union.specification);
        union.images.extend([image, image + 1]);
        for block in [image, image + 1] {
            let (label, _) = union.specification.steps[block][0];
            union.answers.push(vec![Some(label)]);
        }
        if self == Self::Unrefined {
            union.answers[row] = vec![None];
        }
        for claim in &mut union.claims {
            claim.conclusion.extend([true; 2]);
            let premise = claim.premise.iter_mut();
            premise.for_each(|premise| premise.extend([false; 2]));
        }
        union
            .at_rest
            .iter_mut()
            .for_each(|rows| rows.extend([true; 2]));
        union
    }

    /// The report of the union says what that of the one system says, and of the other what is known.
    fn adds(self, before: &Report, after: &Report) {
        assert_eq!(after.initial_states, before.initial_states + 1);
        assert_eq!(after.states, before.states + 2);
        assert_eq!(after.transitions, before.transitions + 2);
        assert_eq!(after.depth, before.depth.max(1));
        assert_eq!(after.deadlocks, before.deadlocks);
        assert_eq!(after.obligations.len(), before.obligations.len());
        for (row, before) in after.obligations.iter().zip(&before.obligations) {
            assert_eq!(row.name, before.name);
            let (mut expected, found) = (fate(before), fate(row));
            let is_of_environment = row.name.starts_with("environment:");
            match row.name.as_str() {
                // More may be exercised.
                "coverage" => continue,
                "simulation" if self == Self::Unrefined => {
                    let length = expected.length.map_or(1, |length| length.min(1));
                    expected.verdict = Verdict::Violated;
                    expected.length = Some(length);
                }
                _ if is_of_environment && self == Self::Unrefined => {
                    expected.verdict = Verdict::Incomplete;
                    expected.length = None;
                }
                _ => (),
            }
            assert_eq!(found, expected, "{}: {self:?}", row.name);
        }
        if self == Self::Unrefined {
            assert_eq!(after.verdict, Some(Verdict::Violated));
        }
    }
}
