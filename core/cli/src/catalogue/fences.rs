//! Programs for fence synthesis.

use std::fmt;

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::InputError;
use super::parameters::{Arguments, Parameters};
use refmap::internal::explore::Unreturned;
use refmap::obligation::Settings;
use refmap_programs::MemoryModel;
use refmap_programs::synthesis::{Answer, MinimalSet, Scenario, Synthesis, Undecided, synthesise};

type Scenarios = dyn Fn(&Arguments) -> Result<Vec<Scenario>, InputError> + Send + Sync;

/// Program with places for fences, and the properties required of it.
#[derive(Serialize)]
pub struct FenceProblem {
    /// Name on the command line.
    pub name: &'static str,
    /// Summary in one line: the program and its required properties.
    pub about: &'static str,
    /// Source.
    pub source: &'static str,
    /// Parameters, in the order in which they are listed.
    pub parameters: Parameters,
    /// Published sets of fences.
    pub published: Vec<PublishedFences>,
    #[serde(skip)]
    scenarios: Box<Scenarios>,
}

/// Published set of fences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedFences {
    /// Source.
    pub source: &'static str,
    /// Memory models for which it was published.
    pub memory: Vec<MemoryModel>,
    /// Places.
    pub fences: Vec<&'static str>,
}

/// Result of fence synthesis, with a comparison to the published sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FenceReport {
    /// Name of the program.
    pub program: String,
    /// The instance: each parameter with its value.
    pub parameters: Map<String, Value>,
    /// The synthesis.
    #[serde(flatten)]
    pub synthesis: Synthesis,
    /// Comparison with the sets that are published for this memory model; empty if no set was found.
    pub published: Vec<Comparison>,
}

/// Comparison of a published set of fences with the minimal ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Source of the published set.
    pub source: String,
    /// Places of the published set.
    pub fences: Vec<String>,
    /// True if the published set suffices.
    pub suffices: bool,
    /// Per minimal set within it, the fences that are redundant.
    pub superfluous: Vec<Vec<String>>,
    /// Per minimal set within it, the fences that a weaker one replaces.
    #[serde(skip_serializing_if = "is_empty_throughout")]
    pub stronger: Vec<Vec<String>>,
}

impl FenceProblem {
    /// Creates a problem. Its parameters are the fields of `P`, each with a long name. `scenarios` builds the program and the
    /// required properties from them.
    ///
    /// # Panics
    ///
    /// If a field of `P` has no long name.
    pub fn new<P: Args>(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        scenarios: impl Fn(&P) -> Result<Vec<Scenario>, InputError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            about,
            source,
            parameters: Parameters::of::<P>(),
            published: Vec::new(),
            scenarios: Box::new(move |arguments| scenarios(&arguments.of()?)),
        }
    }

    /// Adds a published set of fences.
    #[must_use]
    pub fn published(mut self, published: PublishedFences) -> Self {
        self.published.push(published);
        self
    }

    /// Reads arguments as they are typed to a shell.
    ///
    /// # Errors
    ///
    /// If an argument is unknown, out of range, or missing without a default.
    pub fn arguments(&self, line: &str) -> Result<Arguments, InputError> {
        self.parameters.read(self.name, line)
    }

    /// Finds every minimal set of fences under `model`.
    ///
    /// # Errors
    ///
    /// If the arguments are inconsistent, or `settings` do not fit.
    pub fn solve(
        &self,
        arguments: &Arguments,
        model: MemoryModel,
        settings: &Settings<'_>,
    ) -> Result<FenceReport, InputError> {
        let scenarios = (self.scenarios)(arguments)?;
        let synthesis = synthesise(&scenarios, model, settings).map_err(InputError::instance)?;
        let published = match synthesis.answer {
            Answer::Incomplete(_) => Vec::new(),
            Answer::Mended { .. } | Answer::Unmendable { .. } => self
                .published
                .iter()
                .filter(|published| published.memory.contains(&model))
                .map(|published| compare(published, &synthesis))
                .collect(),
        };
        Ok(FenceReport {
            program: self.name.to_owned(),
            parameters: arguments.values().clone(),
            synthesis,
            published,
        })
    }

    /// Report of a synthesis that a call of a model holds up which does not return.
    pub(crate) fn unreturned(
        &self,
        arguments: &Arguments,
        model: MemoryModel,
        unreturned: &Unreturned,
    ) -> FenceReport {
        FenceReport {
            program: self.name.to_owned(),
            parameters: arguments.values().clone(),
            synthesis: Synthesis {
                memory: model,
                scenarios: Vec::new(),
                places: Vec::new(),
                answer: Answer::Incomplete(Undecided {
                    fences: Vec::new(),
                    scenario: String::new(),
                    limit: Some(unreturned.limit),
                }),
                checks: 0,
                states: unreturned.states,
                cut_off: Vec::new(),
                seconds: unreturned.seconds,
            },
            published: Vec::new(),
        }
    }
}

fn is_empty_throughout(lists: &[Vec<String>]) -> bool {
    lists.iter().all(Vec::is_empty)
}

fn compare(published: &PublishedFences, synthesis: &Synthesis) -> Comparison {
    let is_weaker = |needed: &str, fence: &str| {
        let place = synthesis.places.iter().find(|place| place.name == fence);
        place.is_some_and(|place| place.weaker.iter().any(|weaker| weaker == needed))
    };
    let fences = &published.fences;
    let does = |needed: &String| {
        let mut fences = fences.iter();
        fences.any(|fence| needed == fence || is_weaker(needed, fence))
    };
    let within = synthesis.sets().iter();
    let within: Vec<_> = within.filter(|set| set.fences.iter().all(does)).collect();
    // Per minimal set, the published fences that are not in it: either those that are stronger than one of its
    // fences, or the others.
    let besides = |stronger: bool| -> Vec<Vec<String>> {
        let of = |set: &&MinimalSet| {
            let besides = fences.iter().filter(|fence| {
                let mut needed = set.fences.iter();
                !set.fences.iter().any(|needed| needed == *fence)
                    && needed.any(|needed| is_weaker(needed, fence)) == stronger
            });
            besides.map(|fence| (*fence).to_owned()).collect()
        };
        within.iter().map(of).collect()
    };
    Comparison {
        source: published.source.to_owned(),
        fences: fences.iter().map(|fence| (*fence).to_owned()).collect(),
        suffices: !within.is_empty(),
        superfluous: besides(false),
        stronger: besides(true),
    }
}

impl fmt::Debug for FenceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FenceProblem({:?})", self.name)
    }
}
