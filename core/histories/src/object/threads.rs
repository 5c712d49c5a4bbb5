//! Runs on real threads.

use refmap::random::Generator;

use super::case::Case;
use super::crew::Choices;
use super::finding::Finding;
use super::kind::Run;
use super::once::Once;
#[cfg(feature = "shuttle")]
use super::schedules;
use super::tested::Part;
use super::{Object, calibration};
use crate::Recorder;

/// Greatest number by which the calls of a rule are ahead of those of others.
const MOST_AHEAD: u64 = 4;

/// Number of times as many runs as were asked for that are made while no two calls overlap, as on a machine that has no core to spare.
const MORE: u32 = 5;

/// Tries real threads that make many calls, each run on an object of its own.
pub(super) fn threads<O: Object>(case: &Case<'_, O>) -> Part {
    let effort = case.effort;
    let mut part = Part::new::<O>(Run::Threads);
    let numbers: Vec<u32> = case.object.threads().collect();
    let mut latest = Vec::new();
    let most = effort.runs.saturating_mul(MORE);
    for (run, threads) in (0..most).zip(numbers.iter().cycle()) {
        if run >= effort.runs && part.overlapping > 0 {
            break;
        }
        let choices = (0..*threads).map(|thread| -> Choices {
            let number = (u64::from(run) << 32) | u64::from(thread);
            let mut generator = Generator::numbered(effort.seed, number);
            Box::new((0..effort.calls).map(move |_| generator.bits() as u32))
        });
        let recorder = Recorder::new();
        if !part.begins(case, &run) {
            return part;
        }
        let once = Once::on_threads(
            case,
            recorder,
            choices.collect(),
            1 + u64::from(run) % MOST_AHEAD,
        );
        part.count(&once);
        if once.is_wrong() {
            part.found(finding(case, once));
            return part;
        }
        latest = once.events;
    }
    let mut generator = Generator::new(effort.seed);
    let mut refuses_wrong = || {
        let specification = &case.specification;
        calibration::refuses_wrong::<O>(specification, effort.patience, &latest, &mut generator)
    };
    // A record that is not decided becomes no easier by what is put into it.
    if part.undecided == 0 && !refuses_wrong() {
        part.notes.push(
            "wrong answers that were put into the record were not refused: the specification tells too little apart".to_owned(),
        );
    }
    part.conclude();
    part
}

/// The finding of a run, with a schedule of its calls that is wrong, if the object has schedules and one is found.
fn finding<O: Object>(case: &Case<'_, O>, once: Once<O>) -> Finding {
    #[cfg(feature = "shuttle")]
    let schedule = (case.object.has_schedules() && once.fault.is_none())
        .then(|| schedules::of_window(case, &once));
    #[cfg_attr(
        not(feature = "shuttle"),
        expect(unused_mut, reason = "without schedules")
    )]
    let mut finding = Finding::of(case, Run::Threads, once);
    #[cfg(feature = "shuttle")]
    match schedule {
        None => (),
        Some(None) => {
            finding.told += "; no schedule of these calls was found that shows it";
        }
        Some(Some(of_schedule)) => {
            finding.schedule = of_schedule.schedule;
            finding.repeat = of_schedule.repeat;
        }
    }
    finding
}
