//! Checks and claims of copying protocols: refinement of one atomic register under memory models.

mod tables;

use refmap::obligation::stepper::Stepper;
use refmap::obligation::{CheckError, Checkable, Checker, Liveness, Settings};
use refmap::report::Report;
use refmap_cli::catalogue::{
    Arguments, Check, Choice, Claim, InputError, Parameter, ParameterKind,
};
use refmap_cli::table::Table;
use refmap_programs::MemoryModel;
use refmap_refinements::copying::CopyingRefinement;
use refmap_systems::copying::{
    Instance, MAX_ALPHA, MAX_ITERATIONS, MAX_MUTATORS, Progress, Protocol, Scenario,
};
use serde_json::Value;

/// Name of the check.
const NAME: &str = "copying";

fn protocol() -> Choice<Protocol> {
    let help = "a row of Table 2";
    Choice::named("protocol", help, Protocol::ALL, Protocol::name).required()
}

fn memory() -> Choice<MemoryModel> {
    let help = "the memory model";
    Choice::named("memory", help, MemoryModel::ALL, MemoryModel::name).required()
}

fn scenario() -> Choice<Scenario> {
    let help = "what a mutator does: writes and reads, or reads and writes";
    Choice::named("scenario", help, Scenario::ALL, Scenario::name).required()
}

fn progress() -> Choice<Option<Progress>> {
    let help = "what happens in the end: whose operations or copy are completed, and which threads have to go on for it";
    let asked = Progress::ALL.map(|progress| (progress.name(), Some(progress)));
    Choice::new("progress", help, [("none", None)].into_iter().chain(asked))
}

fn parameters() -> Vec<Parameter> {
    vec![
        protocol().parameter(),
        Parameter::number("alpha", 0..=u64::from(MAX_ALPHA), 0, "α, in Clover alone"),
        memory().parameter(),
        scenario().parameter(),
        Parameter::number("mutators", 1..=u64::from(MAX_MUTATORS), 1, "mutators"),
        Parameter::number(
            "iterations",
            1..=u64::from(MAX_ITERATIONS),
            1,
            "how often the body of a loop runs before its thread is cut off",
        ),
        progress().parameter(),
        Parameter::names("without", "a part of the protocol to be taken away"),
        Parameter::names("with", "a part to be added that the protocol lacks"),
    ]
}

pub(super) fn checks() -> Vec<Check> {
    vec![Check::new(
        NAME,
        "a copying protocol under a memory model: refines one atomic register",
        "Ugawa, Abe & Maeda, sections 3 and 4",
        parameters(),
        |arguments| {
            let refinement = CopyingRefinement::new(&instance(arguments), memory().of(arguments));
            let checker = Checker::owning(refinement.map_err(InputError::instance)?);
            Ok(match progress().of(arguments) {
                None => Box::new(checker),
                Some(_) => Box::new(Progressing(checker)),
            })
        },
    )]
}

/// A check of which progress is asked: what happens in the end is decided by default.
struct Progressing(Checker<'static, CopyingRefinement>);

fn with_liveness<'a>(settings: &Settings<'a>) -> Settings<'a> {
    Settings {
        liveness: Liveness::Included,
        ..settings.clone()
    }
}

impl Checkable for Progressing {
    fn check(&self, settings: &Settings<'_>) -> Result<Report, CheckError> {
        self.0.check(&with_liveness(settings))
    }

    fn declared(&self, settings: &Settings<'_>) -> Result<Vec<String>, CheckError> {
        self.0.declared(&with_liveness(settings))
    }

    fn step_through(
        &self,
        settings: &Settings<'_>,
        receive: &mut dyn FnMut(Stepper<'_>),
    ) -> Result<(), CheckError> {
        self.0.step_through(&with_liveness(settings), receive)
    }
}

fn instance(arguments: &Arguments) -> Instance {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    Instance {
        protocol: protocol().of(arguments),
        alpha: arguments.number("alpha"),
        scenario: scenario().of(arguments),
        mutators: arguments.number("mutators"),
        iterations: arguments.number("iterations"),
        progress: progress().of(arguments),
        without: owned(arguments.names("without")),
        with: owned(arguments.names("with")),
    }
}

pub(super) fn tables() -> Vec<Table> {
    vec![tables::table_2(), tables::progress(), tables::ablations()]
}

/// Claims; counts and lengths were found by this checker.
pub(super) fn claims() -> Vec<Claim> {
    let mut claims = published();
    claims.extend(ours());
    claims.extend(made());
    claims
}

/// Claims of the paper.
fn published() -> Vec<Claim> {
    let stopless = "Ugawa et al., section 4.1.3";
    let staccato = "Ugawa et al., section 4.2.3";
    let clover = "Ugawa et al., section 4.3.3";
    vec![
        holds("protocol=stopless memory=tso", 336).source(stopless, "fine on the x86"),
        violated("protocol=stopless memory=pso-no", 11).source(
            stopless,
            "first counterexample: the forwarding pointer of the copy comes after the flip",
        ),
        violated("protocol=stopless memory=pso-no with=fence-before-flip", 12).source(
            stopless,
            "second: that of the wide version comes after the update of `from_fwd`",
        ),
        violated(
            "protocol=stopless memory=pso-no with=fence-before-flip with=fence-after-wide-forward",
            16,
        )
        .source(
            stopless,
            "third: the collector writes over what the mutator wrote",
        ),
        holds("protocol=stopless-for-rmo memory=rmo-no", 459)
            .source(stopless, "with a third fence, fine under every model"),
        holds("protocol=staccato memory=tso", 756)
            .exercising_all()
            .source(staccato, "fine on the x86; all accesses are made"),
        violated("protocol=staccato memory=pso-full", 20).source(
            staccato,
            "a write is pending while the mutator answers the handshake",
        ),
        holds("protocol=staccato-fence memory=rmo-no", 902)
            .source(staccato, "fine with a full fence at the yieldpoint"),
        holds("protocol=staccato-rel-fence memory=rmo-no", 940)
            .source(staccato, "… and with a release fence"),
        violated("protocol=clover memory=sc", 12)
            .source(clover, "the initial value is α: fails under SC"),
        holds("protocol=clover-fix memory=sc", 113).source(clover, "fine if the collector skips α"),
        violated("protocol=clover-fix alpha=1 memory=pso-no scenario=rw", 7)
            .source(clover, "α is seen before the copy"),
        holds(
            "protocol=clover-for-rmo alpha=1 memory=rmo-no scenario=rw",
            2213,
        )
        .source(clover, "… and not with a fence between them"),
    ]
}

/// Claims that are not in the paper.
fn ours() -> Vec<Claim> {
    let mutators = "Ugawa et al., section 2, several mutators";
    let scenarios = "Ugawa et al., section 3.2.2, longer mutators";
    vec![
        holds("protocol=stopless memory=rmo-no with=fence-after-copy", 926).source(
            "Ugawa et al., section 4.1.3",
            "of the three fences one is enough",
        ),
        violated(
            "protocol=staccato-rel-fence memory=rmo-no without=copying-cas-result",
            21,
        )
        .source(
            "Ugawa et al., Algorithm 2",
            "Staccato's collector has to ask whether its CAS succeeded",
        ),
        holds(
            "protocol=chicken memory=rmo-no with=fence-after-forward with=yieldpoint-fence \
             with=fence-before-handshake",
            598,
        )
        .source(
            "Ugawa et al., section 4.2.3",
            "what Chicken needs besides the fence that the paper tries",
        ),
        violated("protocol=x86-sapphire memory=tso with=literal-fence", 9).source(
            "Ugawa et al., section 4.4.1",
            "the fence where the text has it does not help under TSO",
        ),
        violated("protocol=baker memory=tso without=yieldpoint-fence", 5).source(
            "Ugawa et al., section 4.5",
            "a stop at a yieldpoint needs a fence, under TSO already",
        ),
        violated("protocol=sapphire-iteration memory=sc mutators=2", 14).source(
            mutators,
            "Sapphire's two writes are no atomic write: two mutators see different orders",
        ),
        holds("protocol=stopless-for-rmo memory=rmo-no mutators=2", 13175)
            .source(mutators, "… Stopless's CAS is"),
        holds("protocol=staccato-fence memory=sc mutators=2", 19623)
            .source(mutators, "… and so is Staccato's"),
        holds("protocol=staccato-fence memory=rmo-no mutators=2", 89431)
            .source(mutators, "… under the weakest model too"),
        holds("protocol=staccato-fence memory=rmo-no scenario=wrwr", 4022)
            .source(scenarios, "writes and reads twice"),
        holds(
            "protocol=stopless-for-rmo memory=rmo-no scenario=rwrw iterations=2",
            5248,
        )
        .source(scenarios, "reads and writes twice, loops twice"),
    ]
}

/// Claims of progress, with two mutators unless one suffices.
fn made() -> Vec<Claim> {
    let nature = "Herlihy & Shavit, On the Nature of Progress";
    let obligations = |words: &str| match words.contains("progress=copied") {
        true => ["simulation", "eventually"],
        false => ["simulation", "always-eventually"],
    };
    let made = |words: &str, says| {
        let claim = Claim::holds(NAME, words_as_arguments(words));
        claim.only(&obligations(words)).source(nature, says)
    };
    let missed = |words: &str, by: &'static str, says| {
        let claim = Claim::violated(NAME, words_as_arguments(words), by);
        claim.only(&obligations(words)).source(nature, says)
    };
    let own = "always-eventually:completes-odd(0)";
    let any = "always-eventually:completes-odd";
    let copied = "eventually:copied";
    vec![
        made(
            "protocol=chicken memory=sc scenario=w mutators=2 progress=wait-free",
            "Chicken is wait-free for mutators: they complete operations whatever other threads do",
        ),
        made(
            "protocol=chicken memory=tso progress=wait-free",
            "… reads and writes under TSO",
        ),
        missed(
            "protocol=stopless memory=sc scenario=w mutators=2 progress=wait-free",
            own,
            "Stopless is not: another mutator may write between read and CAS, for ever",
        ),
        made(
            "protocol=stopless memory=sc scenario=w mutators=2 progress=lock-free",
            "… but lock-free: then that one completes operations",
        ),
        missed(
            "protocol=stopless memory=tso scenario=w mutators=2 progress=wait-free",
            own,
            "… nor under TSO",
        ),
        missed(
            "protocol=clover-fix memory=sc scenario=w mutators=2 progress=wait-free",
            own,
            "Clover is not wait-free either",
        ),
        made(
            "protocol=clover-fix memory=sc scenario=w mutators=2 progress=lock-free",
            "… it is lock-free as long as no mutator writes α",
        ),
        missed(
            "protocol=clover-fix alpha=1 memory=sc scenario=w progress=lock-free",
            any,
            "… where one does it is neither: it waits for the end of the copy",
        ),
        missed(
            "protocol=compressor memory=sc scenario=w progress=lock-free",
            any,
            "Compressor is neither: a mutator waits for the thread that has claimed the page",
        ),
        missed(
            "protocol=compressor memory=tso scenario=w progress=lock-free",
            any,
            "… nor under TSO",
        ),
        made(
            "protocol=compressor memory=sc scenario=w mutators=2 progress=starvation-free",
            "… operations are completed if all threads go on",
        ),
        made(
            "protocol=sapphire-iteration memory=sc scenario=w mutators=2 progress=copied",
            "Sapphire completes the copy after the mutators' last write",
        ),
        missed(
            "protocol=sapphire-iteration memory=sc scenario=w mutators=2 progress=copied-under-load",
            copied,
            "… and not as long as they write",
        ),
        made(
            "protocol=sapphire-llsc memory=sc scenario=w mutators=2 progress=copied-alone",
            "… with LL and SC it does, whatever they do",
        ),
        made(
            "protocol=chicken memory=sc scenario=w mutators=2 progress=copied-under-load",
            "Chicken does while they write",
        ),
        missed(
            "protocol=chicken memory=sc scenario=w progress=copied-alone",
            copied,
            "… and not if one stops: it waits for the handshake",
        ),
        missed(
            "protocol=baker memory=sc scenario=w progress=copied-under-load",
            copied,
            "a stop may always come too late for the yieldpoint: weak fairness does not do",
        ),
        made(
            "protocol=baker memory=sc scenario=w progress=copied-under-load-strongly",
            "… strong fairness does",
        ),
        missed(
            "protocol=baker memory=sc scenario=w mutators=2 progress=copied-under-load-strongly",
            copied,
            "… and not where two mutators have to be at one together",
        ),
    ]
}

fn holds(words: &str, states: u64) -> Claim {
    Claim::holds(NAME, words_as_arguments(words)).states(states)
}

fn violated(words: &str, length: usize) -> Claim {
    Claim::violated(NAME, words_as_arguments(words), "simulation").length(length)
}

/// Parses `a=b c=d` as arguments; the scenario is WR unless another is named. A parameter that may be repeated has
/// its values in a list.
fn words_as_arguments(words: &str) -> Vec<(&'static str, Value)> {
    let given = |parameter: &str| -> Vec<&str> {
        let words = words
            .split_whitespace()
            .filter_map(|word| word.split_once('='));
        let values = words.filter(|(name, _)| *name == parameter);
        values.map(|(_, value)| value).collect()
    };
    let mut arguments = Vec::new();
    for parameter in parameters() {
        let values = given(parameter.name);
        match (&parameter.kind, values.as_slice()) {
            (_, []) => (),
            (ParameterKind::Names, names) => {
                arguments.push((parameter.name, names.to_vec().into()))
            }
            (ParameterKind::Number { .. }, values) => {
                let number: u64 = values[0].parse().expect("a number is given");
                arguments.push((parameter.name, number.into()));
            }
            (_, values) => arguments.push((parameter.name, values[0].into())),
        }
    }
    let named = arguments.iter().any(|(name, _)| *name == "scenario");
    if !named {
        arguments.push(("scenario", "wr".into()));
    }
    arguments
}
