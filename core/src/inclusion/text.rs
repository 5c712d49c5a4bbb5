//! An inclusion as text for people.

use std::fmt::{self, Display, Formatter};

use super::inclusion::{Bound, Evidence, Included, Inclusion, Past, Shown, Stutter};
use crate::report::number::{counted, grouped};
use crate::report::value::compact;

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
        write!(f, "{}", self.verdict)?;
        match (self.verdict, &self.limit) {
            (Included::Included, _) => f.write_str(
                ": whatever can be observed of the implementation can be observed of the specification",
            )?,
            (Included::NotIncluded, _) => {
                f.write_str(": no mapping and no auxiliary variable makes this a refinement")?;
            }
            (Included::Incomplete, Some(limit)) => write!(f, ": ended by {limit}")?,
            (Included::Incomplete, None) => {}
        }
        f.write_str("\n")?;
        for Bound { bound, outside } in &self.bounds {
            match outside {
                Some(outside) => writeln!(
                    f,
                    "bounded: {} outside of the constraint `{bound}` not expanded",
                    counted(*outside, "state")
                )?,
                None => writeln!(f, "bounded: {bound}")?,
            }
        }
        if !self.variables.is_empty() {
            writeln!(
                f,
                "of the implementation without its auxiliary variables: {}",
                self.variables.join(", ")
            )?;
        }
        writeln!(
            f,
            "{} of the implementation, {} of the specification, {}, {:.2} s",
            counted(self.states, "state"),
            grouped(self.specification_states),
            counted(self.pairs, "pair"),
            self.seconds,
        )?;
        f.write_str(
            "finite observations, hence safety: nothing is said of fairness or deadlock\n",
        )?;
        match (self.rung, &self.evidence) {
            (Some(rung), None) => writeln!(f, "\nrung {rung}: {}", missing(rung))?,
            (None, None) if self.verdict == Included::Included => {
                writeln!(f, "\nwhich variable a mapping needs is not known")?;
            }
            _ => {}
        }
        if let Some(limit) = &self.evidence_limit {
            writeln!(f, "evidence was not found before {limit}")?;
        }
        match &self.evidence {
            Some(evidence) => write!(f, "\n{evidence}"),
            None => Ok(()),
        }
    }
}

/// Variable that is missing if a rung is the first to succeed.
fn missing(rung: u8) -> &'static str {
    match rung {
        1 => "a mapping, perhaps with a history variable",
        2 => "a stuttering variable is needed",
        _ => "a prophecy variable is needed",
    }
}

impl Display for Evidence {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mapping { mapping } => {
                writeln!(
                    f,
                    "rung 1: no variable is missing; a mapping of {} is:",
                    counted(mapping.states, "state")
                )?;
                write!(f, "{mapping}")?;
                match mapping.function() {
                    Some(function) => write!(f, "\nas a function:\n{function}"),
                    None => Ok(()),
                }
            }
            Self::History { pasts } => {
                writeln!(
                    f,
                    "rung 1: a history variable is needed: no mapping has one image a state"
                )?;
                match pasts {
                    Some([one, other]) => {
                        writeln!(f, "one state, reached in two ways, needs different images")?;
                        write_past(f, "the first past", one)?;
                        write_past(f, "the second past", other)?;
                        writeln!(f, "to be remembered: which of the two it was")
                    }
                    None => writeln!(
                        f,
                        "no choice of one image a state serves all steps; two pasts that show it were not found"
                    ),
                }
            }
            Self::Undecided => writeln!(
                f,
                "rung 1: no variable is missing, or a history variable; neither a mapping was found nor that there is none"
            ),
            Self::Stuttering {
                stutters,
                is_function,
            } => {
                writeln!(f, "rung 2: a stuttering variable is needed")?;
                for stutter in stutters {
                    write_stutter(f, stutter)?;
                }
                if !is_function {
                    writeln!(
                        f,
                        "and a history variable may be: images were not found to be a function of the state"
                    )?;
                }
                Ok(())
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

fn write_past(f: &mut Formatter<'_>, name: &str, past: &Past) -> fmt::Result {
    writeln!(f, "{name}")?;
    write_steps(f, &past.steps)?;
    let images: Vec<String> = past.images.iter().map(compact).collect();
    writeln!(f, "    needs {}", images.join(", or "))
}

fn write_stutter(f: &mut Formatter<'_>, stutter: &Stutter) -> fmt::Result {
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
    Ok(())
}

fn write_steps(f: &mut Formatter<'_>, steps: &[Shown]) -> fmt::Result {
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

fn line(step: &Shown) -> String {
    let state = compact(&step.state);
    match &step.action {
        Some(action) => format!("{}: {state}", compact(action)),
        None => state,
    }
}
