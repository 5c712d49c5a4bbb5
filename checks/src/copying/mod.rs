//! Copying protocols under memory models against one atomic register.

mod grids;

use refmap::catalogue::{Arguments, Check, Claim, InputError, Parameter};
use refmap::check;
use refmap::grid::Grid;
use refmap::memory::MemoryModel;
use refmap_refinements::copying::CopyingRefinement;
use refmap_systems::copying::{
    Instance, MAX_ALPHA, MAX_ITERATIONS, MAX_MUTATORS, Protocol, Scenario,
};
use serde_json::Value;

/// The name of the check.
const NAME: &str = "copying";

static PROTOCOLS: [&str; Protocol::ALL.len()] = {
    let mut names = [""; Protocol::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Protocol::ALL[at].name();
        at += 1;
    }
    names
};

static MODELS: [&str; MemoryModel::ALL.len()] = {
    let mut names = [""; MemoryModel::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = MemoryModel::ALL[at].name();
        at += 1;
    }
    names
};

static SCENARIOS: [&str; Scenario::ALL.len()] = {
    let mut names = [""; Scenario::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Scenario::ALL[at].name();
        at += 1;
    }
    names
};

pub(super) fn checks() -> Vec<Check> {
    let parameters = vec![
        Parameter::choice("protocol", &PROTOCOLS, "a row of Table 2"),
        Parameter::number("alpha", 0..=u64::from(MAX_ALPHA), 0, "α, in Clover alone"),
        Parameter::choice("memory", &MODELS, "the memory model"),
        Parameter::choice(
            "scenario",
            &SCENARIOS,
            "what a mutator does: writes and reads, or reads and writes",
        ),
        Parameter::number("mutators", 1..=u64::from(MAX_MUTATORS), 1, "mutators"),
        Parameter::number(
            "iterations",
            1..=u64::from(MAX_ITERATIONS),
            1,
            "how often the body of a loop runs before its thread is cut off",
        ),
        Parameter::names("without", "a part of the protocol to be taken away"),
        Parameter::names("with", "a part to be added that the protocol lacks"),
    ];
    vec![Check::new(
        NAME,
        "a copying protocol under a memory model: refines one atomic register",
        "Ugawa, Abe & Maeda, sections 3 and 4",
        parameters,
        |arguments, settings| {
            let model = arguments.choice("memory").parse();
            let model: MemoryModel = model.map_err(InputError::instance)?;
            let refinement = CopyingRefinement::new(&instance(arguments)?, model);
            let refinement = refinement.map_err(InputError::instance)?;
            Ok(check(&refinement, settings)?)
        },
    )]
}

fn instance(arguments: &Arguments) -> Result<Instance, InputError> {
    let protocol = arguments.choice("protocol").parse();
    let scenario = arguments.choice("scenario").parse();
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    Ok(Instance {
        protocol: protocol.map_err(InputError::instance)?,
        alpha: arguments.number("alpha"),
        scenario: scenario.map_err(InputError::instance)?,
        mutators: arguments.number("mutators"),
        iterations: arguments.number("iterations"),
        without: owned(arguments.names("without")),
        with: owned(arguments.names("with")),
    })
}

pub(super) fn grids() -> Vec<Grid> {
    vec![grids::table_2(), grids::ablations()]
}

pub(super) fn claims() -> Vec<Claim> {
    Vec::new()
}

/// `a=b c=d` as arguments; a name that may be given again has its values in a list.
#[allow(dead_code)]
fn words_as_arguments(words: &str) -> Vec<(&'static str, Value)> {
    let _ = words;
    Vec::new()
}
