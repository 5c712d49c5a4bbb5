//! Random systems, specifications and refinements: some that hold, and many that nearly do.
//!
//! A seed determines a case. Two ways lead to refinements that hold: the specification is a quotient
//! of a random implementation, or the implementation unfolds a random specification, with detours.
//! Then one thing is corrupted, or nothing is.

use refmap::{Process, Rule};

use refmap_testing::Random;

use super::{Claim, Correspondence, Label, PROCESSES, Packing, Table};

const WORKERS: [u8; 2] = [0, 1];
const SYSTEM: u8 = 2;
const BUFFER: u8 = 3;

fn concrete_rules() -> Vec<Rule> {
    vec![
        Rule::new("put", "worker", "0"),
        Rule::new("get", "worker", "1"),
        Rule::new("sweep", "system", "2"),
        Rule::new("flush", "buffer", "3"),
    ]
}

fn abstract_rules() -> Vec<Rule> {
    vec![
        Rule::new("store", "worker", "0"),
        Rule::new("load", "worker", "1"),
        Rule::new("tidy", "system", "2"),
        Rule::new("drain", "buffer", "3"),
        Rule::new("vacation", "worker", "4"),
        Rule::new("nap", "system", "5"),
    ]
}

/// The rules that no step is made to simulate.
const VACATION: u8 = 4;
const NAP: u8 = 5;

/// A rule for a step of a process, in either system.
fn rule_of(rng: &mut Random, process: u8) -> u8 {
    match process {
        SYSTEM => 2,
        BUFFER => 3,
        _ => rng.pick(&[0, 1]),
    }
}

/// Size of drawn systems.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// At most 12 states, all of them in one lane.
    Small,
    /// A hundred lanes, so that one level of the search has several hundred states.
    Wide,
    /// Some thousands of lanes, and no environment.
    Huge,
}

/// The case of a seed.
pub fn draw(seed: u64, size: Size) -> Correspondence {
    let rng = &mut Random(seed);
    let mut acts_for = PROCESSES;
    if rng.percent(50) {
        acts_for[usize::from(BUFFER)] = PROCESSES[usize::from(rng.pick(&WORKERS))];
    }
    if rng.percent(5) {
        acts_for[usize::from(SYSTEM)] = PROCESSES[usize::from(rng.pick(&WORKERS))];
    }
    let mut drawn = match rng.below(10) {
        0..4 => quotient(rng, acts_for),
        4..9 => unfolding(rng, acts_for),
        _ => chaos(rng, acts_for),
    };
    drawn.environment = match rng.below(10) {
        0..2 => vec![],
        2..5 => vec![PROCESSES[0]],
        5..9 => vec![PROCESSES[1], PROCESSES[0]],
        // A process of the environment acts for no other: see
        // [`crate::regressions::a_deputy_in_the_environment_is_refused`].
        _ => {
            if acts_for[usize::from(SYSTEM)] == PROCESSES[usize::from(SYSTEM)] {
                vec![PROCESSES[0], PROCESSES[usize::from(SYSTEM)]]
            } else {
                vec![PROCESSES[0]]
            }
        }
    };
    match size {
        Size::Small => (),
        Size::Wide => {
            drawn.concrete.lanes = 100;
            drawn.concrete.initial_lanes = rng.pick(&[1, 60, 100]);
            drawn.wrong_lane = rng.below(100) as u16;
        }
        Size::Huge => {
            drawn.concrete.lanes = 9000;
            drawn.concrete.initial_lanes = rng.pick(&[4500, 9000]);
            drawn.wrong_lane = rng.below(9000) as u16;
            drawn.environment.clear();
        }
    }
    extend_specification(rng, &mut drawn);
    corrupt(rng, &mut drawn);
    rest(rng, &mut drawn);
    claim(rng, &mut drawn);
    stop(rng, &mut drawn);
    if !rng.percent(5) {
        // A process that the environment has and that does nothing is a fault of the model.
        let images = drawn.images.iter();
        let steps = images.flat_map(|image| &drawn.specification.steps[*image]);
        let acting: Vec<_> = steps
            .map(|(label, _)| PROCESSES[usize::from(label.process)])
            .collect();
        drawn.environment.retain(|process| acting.contains(process));
    }
    drawn.concrete.packing = Packing::of(seed, drawn.concrete.lanes);
    drawn
}

fn correspondence(
    rows: usize,
    abstract_rows: usize,
    acts_for: [Process; PROCESSES.len()],
) -> Correspondence {
    Correspondence {
        acts_for,
        ..Correspondence::new(
            Table::new(concrete_rules(), rows),
            Table::new(abstract_rules(), abstract_rows),
        )
    }
}

/// Adds a step, unless the row has one with this label.
fn add(table: &mut Table, row: usize, label: Label, to: usize) -> bool {
    let new = table.steps[row].iter().all(|(other, _)| *other != label);
    if new {
        table.steps[row].push((label, to));
    }
    new
}

/// Zero initial rows now and then, else up to three.
fn draw_initial(rng: &mut Random, drawn: &mut Correspondence) {
    let rows = drawn.images.len();
    if rng.percent(97) {
        let count = rng.pick(&[1, 1, 1, 2, 3]);
        // A row drawn twice is one initial state.
        drawn.concrete.initial = (0..count).map(|_| rng.below(rows)).collect();
    }
    let images = drawn.concrete.initial.iter().map(|row| drawn.images[*row]);
    drawn.specification.initial = images.collect();
}

/// An implementation without rhyme or reason, and its quotient by a random partition.
fn quotient(rng: &mut Random, acts_for: [Process; PROCESSES.len()]) -> Correspondence {
    let rows = 1 + rng.below(12);
    let blocks = 1 + rng.below(rows.min(6));
    let mut drawn = correspondence(rows, blocks, acts_for);
    drawn.images = (0..rows).map(|_| rng.below(blocks)).collect();
    draw_initial(rng, &mut drawn);
    drawn.specification.shown = (0..blocks).map(|_| rng.below(3) as u8).collect();
    let densest = 1 + rng.below(4);
    for row in 0..rows {
        drawn.concrete.shown[row] = drawn.specification.shown[drawn.images[row]];
        for _ in 0..rng.below(densest + 1) {
            let to = rng.below(rows);
            let process = rng.pick(&[0, 0, 1, SYSTEM, SYSTEM, BUFFER]);
            let label = Label {
                rule: rule_of(rng, process),
                process,
                input: rng.below(2) as u8,
                result: to as u8,
            };
            if !add(&mut drawn.concrete, row, label, to) {
                continue;
            }
            let (from, target) = (drawn.images[row], drawn.images[to]);
            let stutter = from == target && rng.percent(70);
            let answer = (!stutter).then(|| {
                let process = super::index_of(acts_for[usize::from(process)]) as u8;
                Label {
                    rule: rule_of(rng, process),
                    process,
                    result: target as u8,
                    ..label
                }
            });
            if let Some(answer) = answer {
                add(&mut drawn.specification, from, answer, target);
            }
            drawn.answers[row].push(answer);
        }
    }
    drawn
}

fn random_specification(rng: &mut Random, table: &mut Table) {
    let rows = table.steps.len();
    let densest = 2 + rng.below(3);
    for row in 0..rows {
        table.shown[row] = rng.below(3) as u8;
        for _ in 0..1 + rng.below(densest) {
            let to = rng.below(rows);
            let process = rng.pick(&[0, 0, 0, 1, 1, SYSTEM, SYSTEM, BUFFER]);
            let label = Label {
                rule: rule_of(rng, process),
                process,
                input: rng.below(2) as u8,
                result: to as u8,
            };
            add(table, row, label, to);
        }
    }
}

/// A random specification, and an implementation that takes its steps from some states and reaches
/// those states by stutters from others.
fn unfolding(rng: &mut Random, acts_for: [Process; PROCESSES.len()]) -> Correspondence {
    let blocks = 1 + rng.below(5);
    let rows = (blocks * (1 + rng.below(4))).min(12);
    let mut drawn = correspondence(rows, blocks, acts_for);
    random_specification(rng, &mut drawn.specification);
    drawn.images = (0..rows).map(|row| row % blocks).collect();
    draw_initial(rng, &mut drawn);
    let kept = rng.pick(&[100, 70, 30]);
    let descents = rng.pick(&[0, 70, 100]);
    let detours = rng.pick(&[0, 30, 60]);
    let busy_workers = rng.percent(50);
    for row in 0..rows {
        let block = drawn.images[row];
        drawn.concrete.shown[row] = drawn.specification.shown[block];
        // Rows of one block are `blocks` apart.
        let in_block = |rng: &mut Random, block: usize| {
            block + blocks * rng.below((rows - block).div_ceil(blocks))
        };
        for (answer, target) in drawn.specification.steps[block].clone() {
            // The first row of a block takes all the steps of the block.
            if row >= blocks && !rng.percent(kept) {
                continue;
            }
            let deputies: Vec<u8> = (0..PROCESSES.len())
                .filter(|process| acts_for[*process] == PROCESSES[usize::from(answer.process)])
                .map(|process| process as u8)
                .collect();
            let Some(process) = (!deputies.is_empty()).then(|| rng.pick(&deputies)) else {
                continue;
            };
            let to = in_block(rng, target);
            let label = Label {
                rule: rule_of(rng, process),
                process,
                input: answer.input,
                result: to as u8,
            };
            if add(&mut drawn.concrete, row, label, to) {
                drawn.answers[row].push(Some(answer));
            }
        }
        let descent = (row >= blocks && rng.percent(descents)).then(|| row - blocks);
        let mut next = descent.or_else(|| rng.percent(detours).then(|| in_block(rng, block)));
        while let Some(to) = next {
            let process = if busy_workers {
                rng.pick(&[0, 1, SYSTEM])
            } else {
                SYSTEM
            };
            let label = Label {
                rule: rule_of(rng, process),
                process,
                input: 2,
                result: to as u8,
            };
            if add(&mut drawn.concrete, row, label, to) {
                drawn.answers[row].push(None);
            }
            next = rng.percent(detours).then(|| in_block(rng, block));
        }
    }
    drawn
}

/// Two systems that have nothing to do with each other.
fn chaos(rng: &mut Random, acts_for: [Process; PROCESSES.len()]) -> Correspondence {
    let mut drawn = quotient(rng, acts_for);
    let blocks = drawn.specification.steps.len();
    drawn.specification = Table::new(abstract_rules(), blocks);
    random_specification(rng, &mut drawn.specification);
    drawn.specification.initial = vec![rng.below(blocks)];
    for image in &mut drawn.images {
        *image = rng.below(blocks);
    }
    let labels: Vec<_> = drawn.specification.steps.iter().flatten().collect();
    for answer in drawn.answers.iter_mut().flatten() {
        *answer = if labels.is_empty() || rng.percent(50) {
            None
        } else {
            Some(rng.pick(&labels).0)
        };
    }
    drawn
}

/// Lets the specification do more than the implementation does, and waives some of that.
fn extend_specification(rng: &mut Random, drawn: &mut Correspondence) {
    let table = &mut drawn.specification;
    // Rows that are nobody's image.
    if rng.percent(30) {
        table.steps.push(Vec::new());
        table.shown.push(rng.below(3) as u8);
        table.may_stop.push(true);
    }
    let rows = table.steps.len();
    let more = rng.pick(&[0, 0, 0, 0, 1, 2]);
    for _ in 0..more {
        let rule = rng.pick(&[0, 1, 2, VACATION, VACATION, NAP, NAP]);
        let to = rng.below(rows);
        let label = Label {
            rule,
            process: match rule {
                2 | NAP => SYSTEM,
                _ => rng.pick(&WORKERS),
            },
            input: rng.below(2) as u8,
            result: to as u8,
        };
        let row = rng.below(rows);
        add(table, row, label, to);
    }
    if rng.percent(20) {
        table.initial.push(rng.below(rows));
    }
    for rule in [VACATION, NAP] {
        let mut labels = table.steps.iter().flatten();
        let stated = labels.any(|(label, _)| label.rule == rule);
        if rng.percent(if stated { 60 } else { 3 }) {
            drawn.waived.push(match rule {
                VACATION => "vacation",
                _ => "nap",
            });
        }
    }
    if rng.percent(5) {
        drawn
            .waived
            .push(rng.pick(&["store", "load", "tidy", "drain"]));
    }
}

/// Spoils one thing, more often than not.
fn corrupt(rng: &mut Random, drawn: &mut Correspondence) {
    let rows = drawn.images.len();
    let abstract_rows = drawn.specification.steps.len();
    let mut row = rng.below(rows);
    if drawn.concrete.steps[row].is_empty() {
        row = rng.below(rows);
    }
    match rng.below(22) {
        0 => {
            let steps = &mut drawn.specification.steps[drawn.images[row]];
            if !steps.is_empty() {
                steps.swap_remove(rng.below(steps.len()));
            }
        }
        1 | 2 => {
            let labels: Vec<_> = drawn.specification.steps.iter().flatten().collect();
            if !drawn.concrete.steps[row].is_empty() && !labels.is_empty() {
                let step = rng.below(drawn.concrete.steps[row].len());
                let answer = rng.percent(70).then(|| rng.pick(&labels).0);
                drawn.wrong_answer = Some((row, step, answer));
            }
        }
        3 => drawn.wrong_image = Some((row, rng.below(abstract_rows))),
        4 => drawn.concrete.shown[row] = 3,
        5 => drawn.specification.shown[drawn.images[row]] = 4,
        6..12 => {
            // A step by another process than its answer says, under a label that is still its own.
            let steps = &mut drawn.concrete.steps[row];
            if !steps.is_empty() {
                let step = rng.below(steps.len());
                let process = rng.below(PROCESSES.len()) as u8;
                let label = Label {
                    process,
                    rule: rule_of(rng, process),
                    ..steps[step].0
                };
                if steps.iter().all(|(other, _)| *other != label) {
                    steps[step].0 = label;
                }
            }
        }
        12 => {
            drawn.specification.initial.pop();
        }
        _ => (),
    }
}

/// Draws who is at rest where.
fn rest(rng: &mut Random, drawn: &mut Correspondence) {
    let rows = drawn.images.len();
    for (process, name) in PROCESSES.iter().enumerate() {
        let chance = rng.pick(&[50, 80, 90]);
        drawn.at_rest[process] = match rng.below(20) {
            0..7 => continue,
            // Changed by its own steps only: equal wherever a step of another leads.
            7..19 => {
                let mut group: Vec<usize> = (0..rows).collect();
                for _ in 0..rows {
                    for row in 0..rows {
                        for (label, to) in &drawn.concrete.steps[row] {
                            let taken_by = usize::from(label.process);
                            if taken_by != process && drawn.acts_for[taken_by] != *name {
                                let least = group[row].min(group[*to]);
                                group[row] = least;
                                group[*to] = least;
                            }
                        }
                    }
                }
                let of_group = rng.bits(rows, chance);
                group.into_iter().map(|group| of_group[group]).collect()
            }
            _ => rng.bits(rows, chance),
        };
    }
}

/// Draws invariants: true ones, false ones, and ones that claim little.
fn claim(rng: &mut Random, drawn: &mut Correspondence) {
    let rows = drawn.images.len();
    for name in ["first", "second", "third"] {
        if rng.percent(50) {
            continue;
        }
        let conclusion = match rng.below(4) {
            0..2 => vec![true; rows],
            2 => {
                let mut conclusion = vec![true; rows];
                conclusion[rng.below(rows)] = false;
                conclusion
            }
            _ => rng.bits(rows, 80),
        };
        let chance = rng.pick(&[10, 50]);
        let premise = rng.percent(50).then(|| rng.bits(rows, chance));
        drawn.claims.push(Claim {
            name,
            premise,
            conclusion,
        });
    }
}

/// Draws where the system may stop: mostly wherever it does.
fn stop(rng: &mut Random, drawn: &mut Correspondence) {
    if rng.percent(40) {
        let rows = drawn.images.len();
        let chance = rng.pick(&[0, 50]);
        drawn.concrete.may_stop = rng.bits(rows, chance);
    }
}

/// The case of a seed, in which steps are answered by several abstract steps wherever these fit, and now and then where
/// they do not.
pub fn draw_with_several_steps(seed: u64) -> Correspondence {
    let mut drawn = draw(seed, Size::Small);
    let rng = &mut Random(seed ^ 0x5EED);
    for row in 0..drawn.concrete.steps.len() {
        for position in 0..drawn.concrete.steps[row].len() {
            if rng.percent(40) {
                continue;
            }
            for attempt in (0..6).rev() {
                let Some(Several { before, last }) =
                    answer_of_several(rng, &drawn, (row, position))
                else {
                    continue;
                };
                let to = drawn.concrete.steps[row][position].1;
                let fits = fits(&drawn, (row, position), &before, last, drawn.images[to]);
                if fits || attempt == 0 && rng.percent(3) {
                    let labels = before.iter().map(|(label, _)| *label);
                    drawn.before.insert((row, position), labels.collect());
                    drawn.answers[row][position] = last;
                    break;
                }
            }
        }
    }
    drawn
}

/// Abstract steps: some with the rows to which they lead, and the last one.
struct Several {
    before: Vec<(Label, usize)>,
    last: Option<Label>,
}

/// One or two steps of the specification from the image of a row, and one that leads from there to that of the target,
/// or none.
fn answer_of_several(
    rng: &mut Random,
    drawn: &Correspondence,
    (row, position): (usize, usize),
) -> Option<Several> {
    let steps = &drawn.specification.steps;
    let mut at = drawn.images[row];
    let mut before = Vec::new();
    for _ in 0..1 + rng.below(2) {
        let steps = &steps[at];
        if steps.is_empty() {
            return None;
        }
        let step = steps[rng.below(steps.len())];
        before.push(step);
        at = step.1;
    }
    let to = drawn.images[drawn.concrete.steps[row][position].1];
    let mut leading = steps[at].iter().filter(|(_, target)| *target == to);
    let last = leading.next().map(|(label, _)| *label);
    Some(Several { before, last })
}

/// Whether abstract steps lead to the target, show nothing between, and are of processes that may take them.
fn fits(
    drawn: &Correspondence,
    (row, position): (usize, usize),
    before: &[(Label, usize)],
    last: Option<Label>,
    target: usize,
) -> bool {
    let shown = &drawn.specification.shown;
    let ends = before.last().is_some_and(|(_, end)| *end == target);
    let mut seen: Vec<u8> = vec![shown[drawn.images[row]]];
    seen.extend(before.iter().map(|(_, row)| shown[*row]));
    seen.push(shown[target]);
    seen.dedup();
    let taken_by = usize::from(drawn.concrete.steps[row][position].0.process);
    let may_take = |label: &Label| {
        let process = PROCESSES[usize::from(label.process)];
        !drawn.environment.contains(&process)
            || PROCESSES[taken_by] == process
            || drawn.acts_for[taken_by] == process
    };
    let labels = before.iter().map(|(label, _)| *label).chain(last);
    (last.is_some() || ends)
        && seen.len() <= 1 + usize::from(shown[drawn.images[row]] != shown[target])
        && labels.collect::<Vec<_>>().iter().all(may_take)
}
