//! An inclusion as text for people.

use std::fmt::{self, Display, Formatter};

use super::inclusion::{Bound, Evidence, Included, Inclusion, MissingStutter, PassedState, Past};
use super::table::Table;
use crate::report::summary::{checkpoints, spilled};
use crate::statement::shown::number::{counted, grouped};
use crate::statement::shown::value::compact;

/// Obligations of a check that a mapping which is found meets, and those that it may not.
const OF_SAFETY: &str = "it meets `observation`, `initiality` and `simulation`; `coverage`, `agency`, `environment` and liveness may need another \
                         mapping, or a variable";

impl Display for Included {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Included => "included",
            Self::NotIncluded => "not included",
            Self::Incomplete => "incomplete",
        })
    }
}

impl Display for Inclusion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}{}", self.verdict, self.head())?;
        match &self.evidence {
            Some(evidence) => write!(f, "\n{evidence}"),
            None => Ok(()),
        }
    }
}

impl Inclusion {
    /// Text that stands between the verdict and the evidence: the meaning of the verdict, its bounds, and how much was looked at.
    pub fn head(&self) -> impl Display + '_ {
        fmt::from_fn(|f| self.write_head(f))
    }

    fn write_head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.verdict, &self.limit) {
            (Included::Included, _) => f.write_str(
                ": whatever can be observed of the implementation can be observed of the specification",
            )?,
            (Included::NotIncluded, _) => {
                f.write_str(
                    ": by the steps that its `next` visits the specification cannot show what the implementation shows, so no mapping \
                     and no auxiliary variable helps",
                )?;
            }
            (Included::Incomplete, limit) => match (&self.unclaimed, limit) {
                (Some(reason), _) => write!(f, ": {reason}")?,
                (None, Some(limit)) => write!(f, ": ended by {limit}")?,
                (None, None) => (),
            },
        }
        f.write_str("\n")?;
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        write_bounds(f, &self.bounds)?;
        if !self.variables.is_empty() {
            writeln!(
                f,
                "of the implementation without its auxiliary variables: {}",
                self.variables.join(", ")
            )?;
        }
        if let Some(states) = self.states {
            write!(f, "{} of the implementation, ", counted(states, "state"))?;
        }
        writeln!(
            f,
            "{} of the specification, {}, {:.2} s",
            match self.states {
                Some(_) => grouped(self.specification_states),
                None => counted(self.specification_states, "state"),
            },
            counted(self.pairs, "pair"),
            self.seconds,
        )?;
        let checkpoints = self.checkpoints.as_ref().map(checkpoints);
        let spilled = self.spilled.as_ref().and_then(spilled);
        for line in checkpoints.into_iter().chain(spilled) {
            writeln!(f, "{line}")?;
        }
        f.write_str("finite observations, hence safety: nothing is said of fairness, deadlock, coverage, agency or the environment",
        )?;
        match (self.rung, &self.evidence) {
            (Some(rung), None) => write!(f, "\n\nrung {rung}: {}", missing(rung))?,
            (None, None) if self.verdict == Included::Included => {
                write!(f, "\n\nwhich variable a mapping needs is not known")?;
            }
            _ => {}
        }
        if let Some(limit) = &self.evidence_limit {
            write!(f, "\nevidence was not found before {limit}")?;
        }
        Ok(())
    }
}

/// Lack of a mapping if a rung is the first to succeed, as far as that alone says it.
fn missing(rung: u8) -> &'static str {
    match rung {
        1 => {
            "a mapping, perhaps with several abstract steps for a step, or with a history variable"
        }
        2 => "a mapping, with several abstract steps for a step, perhaps with a history variable",
        _ => "a prophecy variable is needed",
    }
}

impl Display for Evidence {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mapping { mapping } => {
                write!(f, "rung 1: no variable is missing; ")?;
                write_mapping(f, mapping)
            }
            Self::History { pasts, stutters } => {
                let rung = if stutters.is_empty() { 1 } else { 2 };
                writeln!(
                    f,
                    "rung {rung}: a history variable is needed, unless a prophecy variable will do: no mapping has one image a state, \
                     however many abstract steps a step is"
                )?;
                match pasts {
                    Some([one, other]) => {
                        writeln!(f, "one state, reached in two ways, needs different images")?;
                        write_past(f, "the first past", one)?;
                        write_past(f, "the second past", other)?;
                        writeln!(f, "to be remembered: which of the two it was")?;
                    }
                    None => writeln!(
                        f,
                        "no choice of one image a state serves all steps; two pasts that show it were not found"
                    )?,
                }
                if !stutters.is_empty() {
                    writeln!(
                        f,
                        "beside it a step is several abstract steps: `AbstractSteps::Several`, or a stuttering variable"
                    )?;
                }
                write_stutters(f, stutters)
            }
            Self::Undecided => writeln!(
                f,
                "rung 1: no variable is missing, or a history variable; neither a mapping was found nor that there is none"
            ),
            Self::Stuttering {
                stutters,
                or_history,
                mapping,
                ..
            } => {
                let rung = if *or_history { 1 } else { 2 };
                if let Some(mapping) = mapping {
                    writeln!(
                        f,
                        "rung {rung}: no variable is missing if a step may be several abstract steps: `AbstractSteps::Several`"
                    )?;
                    write_stutters(f, stutters)?;
                    writeln!(
                        f,
                        "in place of several steps: a stuttering variable{}",
                        if *or_history {
                            ", or a history variable"
                        } else {
                            ""
                        }
                    )?;
                    write_mapping(f, mapping)
                } else {
                    writeln!(
                        f,
                        "rung {rung}: a step is several abstract steps (`AbstractSteps::Several`, or a stuttering variable), unless a \
                         prophecy variable will do"
                    )?;
                    write_stutters(f, stutters)?;
                    writeln!(
                        f,
                        "and a history variable may be needed: images were not found to be a function of the state"
                    )
                }
            }
            Self::Prophecy {
                past,
                images,
                futures,
                fails,
            } => {
                writeln!(
                    f,
                    "rung 3: a prophecy variable is needed: no image serves every future of this state"
                )?;
                write_steps(f, past)?;
                for (number, future) in futures.iter().enumerate() {
                    writeln!(
                        f,
                        "future {}, which shows {}",
                        number + 1,
                        future.shows.join(", ")
                    )?;
                    write_steps(f, &future.steps)?;
                }
                for (image, fails) in images.iter().zip(fails) {
                    writeln!(f, "    not future {} from {}", fails + 1, compact(image))?;
                }
                Ok(())
            }
            Self::Trace {
                steps,
                unmatched,
                shows,
                could_show,
            } => {
                writeln!(f, "a shortest trace that the specification does not have")?;
                write_steps(f, steps)?;
                writeln!(f, "  ✗ {}", line(unmatched))?;
                writeln!(f, "shows {shows}")?;
                if could_show.is_empty() {
                    writeln!(f, "the specification can show nothing more")
                } else {
                    writeln!(
                        f,
                        "the specification could show {}",
                        could_show.join(", or ")
                    )
                }
            }
        }
    }
}

/// Writes a mapping as a table.
fn write_mapping(f: &mut Formatter<'_>, mapping: &Table) -> fmt::Result {
    writeln!(f, "a mapping of {} is:", counted(mapping.states, "state"))?;
    write!(f, "{mapping}")?;
    writeln!(f, "{OF_SAFETY}")
}

/// Writes the bounds of an instance, a line for each.
fn write_bounds(f: &mut Formatter<'_>, bounds: &[Bound]) -> fmt::Result {
    for Bound { bound, outside } in bounds {
        match outside {
            Some(outside) => writeln!(
                f,
                "bounded: {} outside of the constraint `{bound}` not expanded",
                counted(*outside, "state")
            )?,
            None => writeln!(f, "bounded: {bound}")?,
        }
    }
    Ok(())
}

fn write_past(f: &mut Formatter<'_>, name: &str, past: &Past) -> fmt::Result {
    writeln!(f, "{name}")?;
    write_steps(f, &past.steps)?;
    let images: Vec<String> = past.images.iter().map(compact).collect();
    writeln!(f, "    needs {}", images.join(", or "))
}

/// Writes the steps that are several abstract steps, those of each rule with one of them.
fn write_stutters(f: &mut Formatter<'_>, stutters: &[MissingStutter]) -> fmt::Result {
    for stutter in stutters {
        writeln!(
            f,
            "{}: up to {} abstract steps, in {}",
            stutter.rule,
            stutter.abstract_steps,
            counted(stutter.steps, "step")
        )?;
        writeln!(f, "    from {}", compact(&stutter.from))?;
        for state in &stutter.through {
            writeln!(f, "    ⇒ {}", compact(state))?;
        }
    }
    Ok(())
}

/// Writes a behaviour, the abstract states below each of its states.
fn write_steps(f: &mut Formatter<'_>, steps: &[PassedState]) -> fmt::Result {
    for step in steps {
        writeln!(f, "  {}", line(step))?;
        for state in &step.specification {
            writeln!(f, "      ↦ {}", compact(state))?;
        }
        let more = step.specification_states - step.specification.len() as u64;
        if more > 0 && !step.specification.is_empty() {
            writeln!(f, "      and {} more", grouped(more))?;
        }
    }
    Ok(())
}

fn line(step: &PassedState) -> String {
    let state = compact(&step.state);
    match &step.action {
        Some(action) => format!("{}: {state}", compact(action)),
        None => state,
    }
}
