//! Text rendering of a synthesis.

use std::fmt::{self, Display, Formatter};

use super::search::listed;
use super::{Answer, Failure, MinimalSet, Synthesis, Undecided, VacuousSet};
use refmap::internal::{Detail, TextOptions, counted, plain, wrap};
use refmap::report::Counterexample;

/// A synthesis with options for its display.
#[derive(Clone, Copy, Debug)]
pub struct SynthesisText<'a> {
    of: &'a Synthesis,
    options: TextOptions,
}

impl Synthesis {
    /// Formats the synthesis with `options`: counterexamples with one step per line, or with whole states if asked
    /// for.
    pub fn text(&self, options: TextOptions) -> SynthesisText<'_> {
        SynthesisText { of: self, options }
    }
}

impl Display for Synthesis {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.text(TextOptions::default()).fmt(f)
    }
}

impl Display for SynthesisText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let synthesis = self.of;
        let scenarios = synthesis.scenarios.join(", ");
        self.line(f, 0, &format!("{}: {scenarios}", synthesis.memory))?;
        let place = |place: &super::PlaceOfFences| {
            let kinds: Vec<_> = place.fences.iter().map(|fence| fence.name()).collect();
            format!("{} ({})", place.name, kinds.join(" and "))
        };
        let places: Vec<_> = synthesis.places.iter().map(place).collect();
        self.line(f, 0, &format!("places: {}", listed(&places)))?;
        self.line(
            f,
            0,
            &format!(
                "{}, {}, {:.2} s",
                counted(synthesis.checks, "check"),
                counted(synthesis.states, "state"),
                synthesis.seconds
            ),
        )?;
        if !synthesis.cut_off.is_empty() {
            let threads = synthesis.cut_off.join(", ");
            self.line(f, 0, &format!("cut off by the bound on loops: {threads}"))?;
        }
        match &synthesis.answer {
            Answer::Mended { sets, vacuous } => {
                self.sets(f, sets)?;
                self.vacuous(f, vacuous)
            }
            Answer::Unmendable { failure, vacuous } => {
                writeln!(f)?;
                match failure {
                    None => self.line(f, 0, "no set of fences suffices")?,
                    Some(failure) => {
                        self.line(f, 0, "no set of fences suffices; with all of them:")?;
                        self.failure(f, 2, failure)?;
                    }
                }
                self.vacuous(f, vacuous)
            }
            Answer::Incomplete(undecided) => self.undecided(f, undecided),
        }
    }
}

impl SynthesisText<'_> {
    /// Writes a line, wrapped and indented.
    fn line(&self, f: &mut Formatter<'_>, indent: usize, line: &str) -> fmt::Result {
        let width = self.options.width.saturating_sub(indent).max(20);
        for line in wrap(line, width, 4) {
            writeln!(f, "{:indent$}{}", "", line.trim_end())?;
        }
        Ok(())
    }

    fn sets(&self, f: &mut Formatter<'_>, sets: &[MinimalSet]) -> fmt::Result {
        writeln!(f)?;
        match sets {
            [only] if only.fences.is_empty() => self.line(f, 0, "no fence is needed")?,
            [_] => self.line(f, 0, "1 minimal set of fences")?,
            sets => self.line(f, 0, &format!("{} minimal sets of fences", sets.len()))?,
        }
        for (number, set) in sets.iter().enumerate() {
            if !set.fences.is_empty() {
                writeln!(f)?;
                self.line(f, 0, &format!("{}. {}", number + 1, listed(&set.fences)))?;
            }
            let holds = set.holds.iter();
            let holds: Vec<_> = holds
                .map(|held| format!("{} ({})", held.scenario, counted(held.states, "state")))
                .collect();
            self.line(f, 3, &format!("holds: {}", holds.join(", ")))?;
            for warning in &set.warnings {
                self.line(f, 3, &format!("warning: {warning}"))?;
            }
            for without in &set.without {
                let instead = if without.instead.is_empty() {
                    String::new()
                } else {
                    format!(", with {} instead", without.instead.join(" and "))
                };
                self.line(f, 3, &format!("without {}{instead}:", without.fence))?;
                self.failure(f, 5, &without.failure)?;
            }
        }
        Ok(())
    }

    fn failure(&self, f: &mut Formatter<'_>, indent: usize, failure: &Failure) -> fmt::Result {
        let Failure {
            scenario,
            counterexample,
        } = failure;
        if self.options.detail == Detail::WholeStates {
            let options = TextOptions {
                width: self.options.width.saturating_sub(indent).max(40),
                ..self.options
            };
            self.line(f, indent, &format!("{scenario}:"))?;
            for line in counterexample.text(options).to_string().lines() {
                writeln!(f, "{:indent$}{line}", "")?;
            }
            return Ok(());
        }
        let Counterexample {
            obligation, length, ..
        } = counterexample;
        self.line(
            f,
            indent,
            &format!(
                "{scenario}: {obligation} fails after {}: {}",
                counted(*length as u64, "step"),
                counterexample.explanation
            ),
        )?;
        for (number, step) in counterexample.steps.iter().enumerate() {
            let Some(action) = &step.action else {
                continue;
            };
            let process = step.process.as_deref().unwrap_or("?");
            let source = step.source.as_deref();
            let source = source.map_or_else(String::new, |source| format!("  [{source}]"));
            self.line(
                f,
                indent + 2,
                &format!("{number:2}  {process}: {}{source}", plain(action)),
            )?;
        }
        Ok(())
    }

    fn vacuous(&self, f: &mut Formatter<'_>, vacuous: &[VacuousSet]) -> fmt::Result {
        for set in vacuous {
            writeln!(f)?;
            let fences = listed(&set.fences);
            let note = set.note.as_deref().unwrap_or_default();
            self.line(
                f,
                0,
                &format!(
                    "with fences at {fences}, and wherever more stand, nothing goes wrong because \
                     something never happens: {} fails in {} {note}",
                    set.obligation, set.scenario
                ),
            )?;
        }
        Ok(())
    }

    fn undecided(&self, f: &mut Formatter<'_>, undecided: &Undecided) -> fmt::Result {
        writeln!(f)?;
        let by = undecided
            .limit
            .map_or_else(String::new, |limit| format!(" by {limit}"));
        let fences = listed(&undecided.fences);
        let ended = match &*undecided.scenario {
            "" => "the synthesis".to_owned(),
            scenario => format!("with fences at {fences} the check of {scenario}"),
        };
        let line = format!("incomplete: {ended} was ended{by}, so nothing is claimed");
        self.line(f, 0, &line)
    }
}
