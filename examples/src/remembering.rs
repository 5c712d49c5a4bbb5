//! A thermometer without a mapping: what it has forgotten, and a step that is two.
//!
//! The one idea: where no mapping works, the implementation does not have to change. A variable is added to it that nothing
//! reads but the mapping, and refmap says which. A thermometer shows the latest reading, the lowest and the highest; its
//! specification keeps every reading, as the set of `MinMax1` in Lamport & Merz, *Auxiliary Variables in TLA+*, which
//! `MinMax2` has forgotten. Then the specification takes two steps for each reading, and the thermometer one.

use refmap::AbstractSteps::{self, One, Several, Stutter};
use refmap::auxiliary::{
    History, Pausing, Recording, Remembering, Stuttering, Stutters, WithHistory, WithStuttering,
    enabled,
};
use refmap::inclusion::{Comparison, Inclusion, check_inclusion};
use refmap::{
    Action, IndexSet, Refinement, Report, Settings, State, TransitionSystem, check, guard,
};
use serde::Serialize;

/// Readings are degrees below this.
const DEGREES: u8 = 3;

/// All that can be seen of a thermometer, and all that it has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Display {
    latest: u8,
    low: u8,
    high: u8,
}

/// The implementation: a thermometer with a mark at the lowest reading and one at the highest.
struct Thermometer;

/// A reading is taken and shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Action, State)]
#[rule(process = "thermometer")]
enum Reading {
    Read(#[action(range = 0..DEGREES)] u8),
}

impl Display {
    fn first(latest: u8) -> Self {
        let (low, high) = (latest, latest);
        Self { latest, low, high }
    }
}

impl TransitionSystem for Thermometer {
    type State = Display;
    type Action = Reading;
    type Observation = Display;

    fn initial(&self, visit: &mut impl FnMut(Display)) {
        (0..DEGREES).map(Display::first).for_each(visit);
    }

    fn fire(&self, Reading::Read(degree): &Reading, display: &mut Display) -> Option<()> {
        display.latest = *degree;
        display.low = display.low.min(*degree);
        display.high = display.high.max(*degree);
        Some(())
    }

    fn observe(&self, display: &Display) -> Display {
        display.clone()
    }
}

// ANCHOR: log
/// The specification: a log of all readings, of which the extremes are shown.
struct Log;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Pages {
    readings: IndexSet,
    display: Display,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "log")]
enum Entry {
    Record(#[action(range = 0..DEGREES)] u8),
}

impl Pages {
    fn first(reading: u8) -> Self {
        Self {
            readings: IndexSet::from_iter([usize::from(reading)]),
            display: Display::first(reading),
        }
    }

    fn add(&mut self, reading: u8) {
        self.readings.insert(usize::from(reading));
    }

    /// Shows a reading, and the extremes of all that was ever written.
    fn show(&mut self, latest: u8) {
        let degrees = || self.readings.iter().map(|degree| degree as u8);
        self.display = Display {
            latest,
            low: degrees().min().unwrap_or(latest),
            high: degrees().max().unwrap_or(latest),
        };
    }
}

impl TransitionSystem for Log {
    type State = Pages;
    type Action = Entry;
    type Observation = Display;

    fn initial(&self, visit: &mut impl FnMut(Pages)) {
        (0..DEGREES).map(Pages::first).for_each(visit);
    }

    fn fire(&self, Entry::Record(reading): &Entry, pages: &mut Pages) -> Option<()> {
        pages.add(*reading);
        pages.show(*reading);
        Some(())
    }

    fn observe(&self, pages: &Pages) -> Display {
        pages.display.clone()
    }
}
// ANCHOR_END: log

// ANCHOR: history
/// A history variable: all readings since the start.
struct Readings;

impl History<Thermometer> for Readings {
    type Value = IndexSet;

    fn initial(&self, _: &Thermometer, state: &Display) -> IndexSet {
        IndexSet::from_iter([usize::from(state.latest)])
    }

    fn after(
        &self,
        _: &Thermometer,
        before: &IndexSet,
        _: &Display,
        Reading::Read(degree): &Reading,
        _: &Display,
    ) -> IndexSet {
        let mut readings = *before;
        readings.insert(usize::from(*degree));
        readings
    }
}

type WithReadings = WithHistory<Thermometer, Readings>;
/// A display, and the readings that were remembered.
type Remembered = Remembering<Display, IndexSet>;

const WITH_READINGS: WithReadings = WithHistory {
    system: Thermometer,
    history: Readings,
};
// ANCHOR_END: history

/// The claim: a thermometer that remembers its readings refines the log.
struct RememberingIsLogging;

// ANCHOR: remembering
impl Refinement for RememberingIsLogging {
    type Implementation = WithReadings;
    type Specification = Log;

    fn implementation(&self) -> &WithReadings {
        &WITH_READINGS
    }

    fn specification(&self) -> &Log {
        &Log
    }

    fn map(&self, from: &Remembered) -> Pages {
        Pages {
            readings: from.history,
            display: from.state.clone(),
        }
    }

    fn abstract_steps(
        &self,
        _: &Remembered,
        Recording(Reading::Read(degree)): &Recording<Reading>,
        _: &Remembered,
    ) -> AbstractSteps<Entry> {
        One(Entry::Record(*degree))
    }
}
// ANCHOR_END: remembering

// ANCHOR: slow_log
/// Another specification: a log that writes a reading first, and then shows it.
struct SlowLog;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Writing {
    pages: Pages,
    /// The reading that is written and not shown yet.
    written: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "log")]
enum SlowEntry {
    Write(#[action(range = 0..DEGREES)] u8),
    Show,
}

impl TransitionSystem for SlowLog {
    type State = Writing;
    type Action = SlowEntry;
    type Observation = Display;

    fn initial(&self, visit: &mut impl FnMut(Writing)) {
        for reading in 0..DEGREES {
            let (pages, written) = (Pages::first(reading), None);
            visit(Writing { pages, written });
        }
    }

    fn fire(&self, entry: &SlowEntry, log: &mut Writing) -> Option<()> {
        match *entry {
            SlowEntry::Write(reading) => {
                guard("the last reading is shown", log.written.is_none())?;
                log.pages.add(reading);
                log.written = Some(reading);
            }
            SlowEntry::Show => log.pages.show(log.written.take()?),
        }
        Some(())
    }

    fn observe(&self, state: &Writing) -> Display {
        state.pages.display.clone()
    }
}
// ANCHOR_END: slow_log

/// The claim: a thermometer that remembers its readings refines the slow log.
struct RememberingIsWriting;

// ANCHOR: several
impl Refinement for RememberingIsWriting {
    type Implementation = WithReadings;
    type Specification = SlowLog;

    fn implementation(&self) -> &WithReadings {
        &WITH_READINGS
    }

    fn specification(&self) -> &SlowLog {
        &SlowLog
    }

    fn map(&self, from: &Remembered) -> Writing {
        Writing {
            pages: RememberingIsLogging.map(from),
            written: None,
        }
    }

    /// A reading is two steps. The state between them shows nothing of its own.
    fn abstract_steps(
        &self,
        _: &Remembered,
        Recording(Reading::Read(degree)): &Recording<Reading>,
        _: &Remembered,
    ) -> AbstractSteps<SlowEntry> {
        Several(vec![SlowEntry::Write(*degree), SlowEntry::Show])
    }
}
// ANCHOR_END: several

/// Number of stutters before a reading: the one place in which the stuttering variables differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    /// One.
    Once,
    /// One for each degree. Wrong: of a reading of 0 there is no last one.
    PerDegree,
}

// ANCHOR: stuttering
/// A stuttering variable: steps before each reading, in the last of which it is logged.
impl Stutters<WithReadings> for Pause {
    type Value = u8;

    fn rules(&self) -> Vec<&'static str> {
        vec!["read"]
    }

    fn before(&self, system: &WithReadings, state: &Remembered) -> Vec<(Recording<Reading>, u8)> {
        enabled(
            system,
            state,
            |Recording(Reading::Read(degree))| match self {
                Self::Once => Some(1),
                Self::PerDegree => Some(*degree),
            },
        )
    }

    fn least(&self) -> u8 {
        1
    }

    fn decrease(&self, value: &u8) -> u8 {
        value.saturating_sub(1)
    }
}
// ANCHOR_END: stuttering

type WithPauses = WithStuttering<WithReadings, Pause>;
/// A state of the thermometer, with its readings and the stutter that is under way.
type Paused = Pausing<Remembered, Recording<Reading>, u8>;

/// The same claim, of a thermometer that remembers, and pauses before each reading.
struct PausingIsWriting(WithPauses);

// ANCHOR: pausing
impl Refinement for PausingIsWriting {
    type Implementation = WithPauses;
    type Specification = SlowLog;

    fn implementation(&self) -> &WithPauses {
        &self.0
    }

    fn specification(&self) -> &SlowLog {
        &SlowLog
    }

    /// After the last stutter a reading is written and not shown.
    fn map(&self, from: &Paused) -> Writing {
        let mut writing = RememberingIsWriting.map(&from.state);
        if let Some(stutter) = from.stutter.as_ref().filter(|one| one.value == 1) {
            let Recording(Reading::Read(degree)) = stutter.action;
            writing.pages.add(degree);
            writing.written = Some(degree);
        }
        writing
    }

    fn abstract_steps(
        &self,
        _: &Paused,
        step: &Stuttering<Recording<Reading>, u8>,
        _: &Paused,
    ) -> AbstractSteps<SlowEntry> {
        match step {
            Stuttering::Stutter(stutter) if stutter.value == 1 => {
                let Recording(Reading::Read(degree)) = stutter.action;
                One(SlowEntry::Write(degree))
            }
            Stuttering::Stutter(_) => Stutter,
            Stuttering::Step(_) => One(SlowEntry::Show),
        }
    }
}
// ANCHOR_END: pausing

// ANCHOR: past
/// The thermometer as it is, in the log.
fn without_a_past() -> Inclusion {
    check_inclusion(&Thermometer, &Log, &Comparison::default()).expect("no function panics")
}
// ANCHOR_END: past

/// The thermometer that remembers, in the log that takes two steps.
fn without_a_pause() -> Inclusion {
    check_inclusion(&WITH_READINGS, &SlowLog, &Comparison::default()).expect("no function panics")
}

fn remembering() -> Report {
    let report = check(&RememberingIsLogging, &Settings::default());
    let report = report.expect("every obligation is checked");
    report.named("remembering", [("degrees", DEGREES)])
}

fn writing() -> Report {
    let report = check(&RememberingIsWriting, &Settings::default());
    let report = report.expect("every obligation is checked");
    report.named("writing", [("degrees", DEGREES)])
}

fn pausing(pause: Pause, settings: &Settings<'_>) -> Report {
    let refinement = PausingIsWriting(WithStuttering::new(WITH_READINGS, pause));
    let report = check(&refinement, settings).expect("every obligation is checked");
    report.named("pausing", [("pause", format!("{pause:?}"))])
}

/// Names of the texts that the book quotes.
#[cfg(test)]
pub const OUTPUTS: [&str; 3] = ["no history", "no stuttering", "auxiliary:terminates"];

/// Text that the book quotes, by its name.
#[cfg(test)]
pub fn output(name: &str) -> Option<String> {
    let told = |inclusion: Inclusion| inclusion.evidence.map(|evidence| evidence.to_string());
    match name {
        "no history" => told(without_a_past()),
        "no stuttering" => {
            // The mapping that follows is left out.
            let told = told(without_a_pause())?;
            let (before, _) = told.split_once("a mapping of ")?;
            Some(before.to_owned())
        }
        "auxiliary:terminates" => {
            let report = pausing(Pause::PerDegree, &Settings::default());
            let row = report.obligation(name)?;
            Some(row.counterexamples.first()?.to_string())
        }
        _ => None,
    }
}

pub fn main() {
    println!("{}", without_a_past());
    println!("{}", remembering());
    println!("{}", without_a_pause());
    println!("{}", writing());
    println!("{}", pausing(Pause::Once, &Settings::default()));

    // The change that makes the check fail.
    println!("{}", pausing(Pause::PerDegree, &Settings::default()));
}

// The wrong variable counts from the reading down to 1. A reading of 0 begins below that: the system stutters for ever, and 0
// is never read again. Every other row holds, since what the thermometer still does is right. So what a variable takes away is
// looked for in the system that does not have it.
//
// Change it: let `after` forget the readings below 1. Which row fails, and after how many steps?

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;
    use refmap::inclusion::{Evidence, Included};

    /// The same display with a reading between the extremes and without it.
    #[test]
    fn a_thermometer_has_forgotten_what_the_log_has() {
        let inclusion = without_a_past();
        assert_eq!(inclusion.verdict, Included::Included);
        assert_eq!(inclusion.rung, Some(1));
        let Some(Evidence::History {
            pasts: Some(pasts),
            stutters,
        }) = inclusion.evidence
        else {
            panic!("two pasts show it");
        };
        assert!(stutters.is_empty());
        let ends = pasts
            .each_ref()
            .map(|past| &past.steps.last().expect("it ends").state);
        assert_eq!(ends[0], ends[1]);
        assert_ne!(pasts[0].images, pasts[1].images);
    }

    /// A set of readings, of which one is the latest: 3 sets of one reading, 3 of two and 1 of three. From each state there are 3
    /// steps.
    #[test]
    fn a_thermometer_that_remembers_refines_the_log() {
        for report in [remembering(), writing()] {
            assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
            assert_eq!((report.states, report.transitions), (12, 36));
        }
    }

    #[test]
    fn a_reading_is_two_steps_of_the_slow_log() {
        let inclusion = without_a_pause();
        assert_eq!(
            (inclusion.verdict, inclusion.rung),
            (Included::Included, Some(2))
        );
        let Some(Evidence::Stuttering {
            stutters,
            or_history,
            mapping: Some(mapping),
            ..
        }) = inclusion.evidence
        else {
            panic!("a step has to be several");
        };
        // No history makes one step of two.
        assert!(!or_history);
        assert_eq!(mapping.states, 12);
        assert_eq!(
            (stutters[0].rule.as_str(), stutters[0].abstract_steps),
            ("read", 2)
        );
    }

    /// Of 12 states each has 3 stutters before its readings.
    #[test]
    fn with_a_pause_each_step_is_one() {
        let report = pausing(Pause::Once, &Settings::default());
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(report.states, 12 + 36);
        let row = report
            .obligation("auxiliary:terminates")
            .expect("it stutters");
        assert_eq!(row.verdict, Verdict::Holds);
    }

    /// The side condition is all that fails, and without it the check would hold.
    #[test]
    fn a_pause_without_an_end_loses_readings() {
        let settings = Settings {
            until: refmap::obligation::Until::End,
            ..Settings::default()
        };
        let report = pausing(Pause::PerDegree, &settings);
        assert_eq!(
            report.violated().collect::<Vec<_>>(),
            ["auxiliary:terminates"],
            "{report}"
        );
        let report = pausing(
            Pause::PerDegree,
            &Settings {
                without: vec!["auxiliary:*".to_owned()],
                ..Settings::default()
            },
        );
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
}
