//! The check of a backward simulation as text for people.

use std::fmt::{self, Display, Formatter};

use super::{
    BackwardCounterexample, BackwardObligation, BackwardReport, BackwardRow, BackwardVerdict,
};
use crate::inclusion::text::{write_bounds, write_steps};
use crate::report::number::{counted, grouped};
use crate::report::value::compact;

impl Display for BackwardVerdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Incomplete => "incomplete",
            Self::Vacuous => "vacuous",
        })
    }
}

impl Display for BackwardObligation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Display for BackwardReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict)?;
        match (self.verdict, &self.limit) {
            (BackwardVerdict::Holds, _) => f.write_str(
                ": the relation is a backward simulation, and whatever can be observed of the implementation can be observed of the \
                 specification",
            )?,
            (BackwardVerdict::Violated, _) => f.write_str(
                ": the relation is no backward simulation; whether there is another one is not said",
            )?,
            (BackwardVerdict::Incomplete, Some(limit)) => write!(f, ": ended by {limit}")?,
            (BackwardVerdict::Vacuous, _) => {
                f.write_str(": the implementation has no initial state, so nothing was tested")?;
            }
            (BackwardVerdict::Incomplete, None) => {}
        }
        f.write_str("\n")?;
        write_bounds(f, &self.bounds)?;
        if !self.variables.is_empty() {
            writeln!(
                f,
                "of the implementation with its auxiliary variables, whose side conditions are not decided here: {}",
                self.variables.join(", ")
            )?;
        }
        writeln!(
            f,
            "{} and {} of the implementation, {} of the specification, {}, {:.2} s",
            counted(self.states, "state"),
            counted(self.steps, "step"),
            grouped(self.specification_states),
            counted(self.pairs, "related pair"),
            self.seconds,
        )?;
        f.write_str("nothing is said of fairness or deadlock\n\n")?;
        for row in &self.obligations {
            write_row(f, row)?;
        }
        for row in &self.obligations {
            if let Some(counterexample) = &row.counterexample {
                let statement = row.obligation.statement();
                write!(f, "\n{}: {statement}\n{counterexample}", row.obligation)?;
            }
        }
        Ok(())
    }
}

fn write_row(f: &mut Formatter<'_>, row: &BackwardRow) -> fmt::Result {
    write!(f, "  {:20} {:10} ", row.obligation, row.verdict)?;
    let tested = row.obligation.tested();
    write!(f, "{} tested ({tested})", grouped(row.tested))?;
    if row.failed > 0 {
        write!(f, ", {} failed", grouped(row.failed))?;
    }
    f.write_str("\n")
}

impl Display for BackwardCounterexample {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Total { steps } => {
                write_steps(f, steps)?;
                writeln!(f, "the last state is related to none")
            }
            Self::Observation {
                steps,
                shows,
                related,
                related_shows,
            } => {
                write_steps(f, steps)?;
                writeln!(
                    f,
                    "the last state shows {shows}, and is related to {}, which shows {related_shows}",
                    compact(related)
                )
            }
            Self::Initial { steps, related } => {
                write_steps(f, steps)?;
                writeln!(
                    f,
                    "the state is initial, and is related to {}, which is not",
                    compact(related)
                )
            }
            Self::Step {
                steps,
                rule,
                shows,
                related,
            } => {
                write_steps(f, steps)?;
                let shows = shows.as_deref().unwrap_or("nothing new");
                writeln!(
                    f,
                    "the last step, of {rule}, shows {shows}, and is related to {} at its end, which no abstract steps that show the same \
                     reach from what is related to its beginning",
                    compact(related)
                )
            }
        }
    }
}
