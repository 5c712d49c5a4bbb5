//! Programs for which fences are searched.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Arguments, InputError, Parameter, arguments};
use refmap::obligation::Settings;
use refmap_programs::MemoryModel;
use refmap_programs::synthesis::{Answer, MinimalSet, Scenario, Synthesis, synthesise};

type Scenarios = dyn Fn(&Arguments) -> Result<Vec<Scenario>, InputError> + Send + Sync;

/// A program with places for fences, and what has to hold of it.
#[derive(Serialize)]
pub struct FenceProblem {
    /// Its name on the command line.
    pub name: &'static str,
    /// What has to hold of what, in a line.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its parameters, in the order in which they are listed.
    pub parameters: Vec<Parameter>,
    /// Sets of fences that somebody else has found.
    pub published: Vec<PublishedFences>,
    #[serde(skip)]
    scenarios: Box<Scenarios>,
}

/// A set of fences that somebody else has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedFences {
    /// Where.
    pub source: &'static str,
    /// The memory models that it is for.
    pub memory: Vec<MemoryModel>,
    /// The places.
    pub fences: Vec<&'static str>,
}

/// The fences of a problem, and how they compare with those that were published.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FenceReport {
    /// The name of the problem.
    pub program: String,
    /// The instance: each parameter with its value.
    pub parameters: Map<String, Value>,
    /// What was found.
    #[serde(flatten)]
    pub synthesis: Synthesis,
    /// What was published for this memory model; nothing if no set was found.
    pub published: Vec<Comparison>,
}

/// A published set of fences beside the minimal ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Where it is from.
    pub source: String,
    /// The places.
    pub fences: Vec<String>,
    /// Whether it suffices.
    pub suffices: bool,
    /// Of each minimal set within it, the fences that are not needed besides.
    pub superfluous: Vec<Vec<String>>,
    /// Of each minimal set within it, the fences in whose place it has a weaker one.
    #[serde(skip_serializing_if = "is_empty_throughout")]
    pub stronger: Vec<Vec<String>>,
}

impl FenceProblem {
    /// A problem. `scenarios` states the program at its arguments, and what has to hold of it.
    pub fn new(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        parameters: Vec<Parameter>,
        scenarios: impl Fn(&Arguments) -> Result<Vec<Scenario>, InputError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            about,
            source,
            parameters,
            published: Vec::new(),
            scenarios: Box::new(scenarios),
        }
    }

    /// The same with a set of fences that somebody else has found.
    #[must_use]
    pub fn published(mut self, published: PublishedFences) -> Self {
        self.published.push(published);
        self
    }

    /// Every minimal set of fences under `model`, at `given` arguments and at the defaults of the
    /// others.
    ///
    /// # Errors
    ///
    /// If an argument is unknown or out of range, or `settings` do not fit.
    pub fn solve(
        &self,
        given: &[(&str, Value)],
        model: MemoryModel,
        settings: &Settings<'_>,
    ) -> Result<FenceReport, InputError> {
        let arguments = arguments(self.name, &self.parameters, given)?;
        let scenarios = (self.scenarios)(&arguments)?;
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
            parameters: arguments.0,
            synthesis,
            published,
        })
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
    // Of each set the published fences that are not in it, those that are stronger than one of it or
    // those that are not.
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
