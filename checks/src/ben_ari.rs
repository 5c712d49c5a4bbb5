//! Checks and claims of Ben-Ari's collector: three refinements, their composition, and the published mistakes.
//!
//! Paper: Havelund & Shankar, *A Refinement Proof for a Garbage Collector*. Counts without a source of their own
//! were found by this checker, and are pinned so that a change is noticed.

use refmap::obligation::Checkable;
use refmap_cli::catalogue::{Arguments, Check, Choice, Claim, InputError, Parameter};
use refmap_refinements::Checked;
use refmap_refinements::ben_ari::broken::{BrokenRefinement, Mapping};
use refmap_refinements::ben_ari::{Refinement1, Refinement2, Refinement3, composed};
use refmap_systems::ben_ari::broken::Fault;
use refmap_systems::ben_ari::{
    CollectorFairness, Figure14, InitialColours, MAX_MUTATORS, MAX_NODES, MAX_SONS, MutatorOrder,
    Scope, Shape,
};
use serde_json::Value;

pub(super) fn checks() -> Vec<Check> {
    vec![
        scoped(
            "ben-ari-1",
            "nodes are coloured and white ones collected: refines collect only garbage",
            "Havelund & Shankar, section 6.1",
            Refinement1::new,
        ),
        scoped(
            "ben-ari-2",
            "colours are propagated from the roots: refines ben-ari-1's collector",
            "Havelund & Shankar, section 6.2",
            Refinement2::new,
        ),
        scoped(
            "ben-ari-3",
            "nodes are scanned and black ones counted: refines ben-ari-2's collector",
            "Havelund & Shankar, section 6.3",
            Refinement3::new,
        ),
        scoped(
            "ben-ari",
            "the algorithm refines collect only garbage, by composition of the three",
            "Havelund & Shankar, Appendix B.3",
            composed,
        ),
        Check::new(
            "broken",
            "wrong implementations of collect only garbage that pass simulation",
            "Havelund & Shankar, section 2",
            broken_parameters(),
            |arguments| {
                let scope = broken_scope(arguments)
                    .validate()
                    .map_err(InputError::instance)?;
                let (fault, mapping) = fault().of(arguments);
                let refinement = BrokenRefinement::new(scope, fault, mapping);
                Ok(refinement.into_checker())
            },
        ),
    ]
}

/// Creates a check with the parameters of a scope.
fn scoped<R>(
    name: &'static str,
    about: &'static str,
    source: &'static str,
    refinement: fn(Scope) -> R,
) -> Check
where
    R: Checked + 'static,
{
    let build = move |arguments: &Arguments| -> Result<Box<dyn Checkable>, InputError> {
        let scope = scope(arguments).validate().map_err(InputError::instance)?;
        Ok(refinement(scope).into_checker())
    };
    let mut parameters = bounds();
    parameters.extend([
        colours().parameter(),
        figure_14().parameter(),
        mutator().parameter(),
        fairness().parameter(),
    ]);
    Check::new(name, about, source, parameters, build)
}

fn bounds() -> Vec<Parameter> {
    vec![
        Parameter::number(
            "nodes",
            1..=MAX_NODES as u64,
            3,
            "NODES, the nodes of the memory",
        ),
        Parameter::number("sons", 1..=MAX_SONS as u64, 2, "SONS, the cells of a node"),
        Parameter::number("roots", 1..=MAX_NODES as u64, 1, "ROOTS, at most NODES"),
        Parameter::number(
            "mutators",
            1..=MAX_MUTATORS as u64,
            1,
            "how many mutators run",
        ),
    ]
}

fn colours() -> Choice<InitialColours> {
    Choice::new(
        "colours",
        "the colours at the start",
        [
            ("any", InitialColours::Any),
            ("white", InitialColours::White),
        ],
    )
}

fn figure_14() -> Choice<Figure14> {
    Choice::new(
        "figure-14",
        "where TEST_L.1 goes: to COLOUR_ROOTS, or as printed to TEST_I",
        [
            ("corrected", Figure14::Corrected),
            ("as-printed", Figure14::AsPrinted),
        ],
    )
}

fn mutator() -> Choice<MutatorOrder> {
    Choice::new(
        "mutator",
        "the order of the mutator's two steps",
        [
            ("redirect-first", MutatorOrder::RedirectFirst),
            ("colour-first", MutatorOrder::ColourFirst),
        ],
    )
}

fn fairness() -> Choice<CollectorFairness> {
    Choice::new(
        "fairness",
        "what is assumed of the collector's progress",
        [
            ("weak", CollectorFairness::Weak),
            ("none", CollectorFairness::None),
        ],
    )
}

fn scope(arguments: &Arguments) -> Scope {
    Scope {
        colours: colours().of(arguments),
        mutator: mutator().of(arguments),
        figure_14: figure_14().of(arguments),
        fairness: fairness().of(arguments),
        ..broken_scope(arguments)
    }
}

/// Scope of a check whose only parameters are bounds.
fn broken_scope(arguments: &Arguments) -> Scope {
    let Shape { nodes, sons, roots } = Shape {
        nodes: arguments.number("nodes"),
        sons: arguments.number("sons"),
        roots: arguments.number("roots"),
    };
    Scope {
        mutators: arguments.number("mutators"),
        ..Scope::new(nodes, sons, roots)
    }
}

/// What is wrong with an implementation, and the mapping that it is checked with.
fn fault() -> Choice<(Fault, Mapping)> {
    let identity = |fault| (fault, Mapping::Identity);
    Choice::new(
        "fault",
        "what is wrong",
        [
            ("none", identity(Fault::None)),
            ("never-redirects-away", identity(Fault::NeverRedirectsAway)),
            ("idle-mutator", identity(Fault::IdleMutator)),
            ("idle-collector", identity(Fault::IdleCollector)),
            (
                "overwriting-collector",
                identity(Fault::OverwritingCollector),
            ),
            ("one-state-mapping", (Fault::None, Mapping::OneState)),
            ("no-initial-state", identity(Fault::NoInitialState)),
        ],
    )
}

fn broken_parameters() -> Vec<Parameter> {
    let mut parameters = bounds();
    parameters.push(fault().parameter());
    parameters
}

/// Arguments of an instance.
fn at(nodes: u8, sons: u8, roots: u8) -> Vec<(&'static str, Value)> {
    vec![
        ("nodes", nodes.into()),
        ("sons", sons.into()),
        ("roots", roots.into()),
    ]
}

fn with<const N: usize>(
    mut arguments: Vec<(&'static str, Value)>,
    more: [(&'static str, Value); N],
) -> Vec<(&'static str, Value)> {
    arguments.extend(more);
    arguments
}

pub(super) fn claims() -> Vec<Claim> {
    let mut claims = vec![
        Claim::holds(
            "ben-ari-3",
            with(at(3, 2, 1), [("colours", "white".into())]),
        )
        .counts(415_633, 3_659_911)
        .source(
            "Murphi model of the algorithm",
            "the published number of states and of rules fired",
        ),
    ];
    claims.extend(refinements());
    claims.extend(inductive());
    claims.extend(published_mistakes());
    claims.extend(broken());
    claims.extend(liveness());
    claims
}

/// The three refinements and the composed one, at each of seven sizes, from arbitrary colours.
fn refinements() -> Vec<Claim> {
    let sizes = [
        (2, 1, 1),
        (2, 2, 1),
        (3, 1, 1),
        (3, 2, 1),
        (3, 2, 2),
        (4, 1, 1),
        (4, 1, 2),
    ];
    let mut claims = Vec::new();
    for (nodes, sons, roots) in sizes {
        let at = || at(nodes, sons, roots);
        // The mutator can race the scan only if a node ahead of the scan can be found.
        let level_3 = |claim: Claim| match (nodes, sons, roots) {
            (4, 1, 1) => claim.exercising_all(),
            _ => claim,
        };
        claims.extend([
            Claim::holds("ben-ari-1", at())
                .exercising_all()
                .source("section 6.1", "level 1 refines the specification"),
            Claim::holds("ben-ari-2", at())
                .exercising_all()
                .source("section 6.2", "level 2 refines level 1"),
            level_3(Claim::holds("ben-ari-3", at()))
                .source("section 6.3", "level 3 refines level 2"),
            level_3(Claim::holds("ben-ari", at()))
                .source("Appendix B.3", "level 3 refines the specification"),
        ]);
    }
    claims
}

/// The invariants of each level are inductive and sufficient, from every type-correct state.
fn inductive() -> Vec<Claim> {
    let levels = ["ben-ari-1", "ben-ari-2", "ben-ari-3"];
    let sizes = [(2, 1, 1), (2, 2, 1), (3, 1, 1)];
    let claim = |level, (nodes, sons, roots)| {
        Claim::holds(level, at(nodes, sons, roots))
            .inductively()
            .source("Appendix B.2", "the invariants are inductive, and suffice")
    };
    let levels = levels.into_iter();
    levels
        .flat_map(|level| sizes.map(|size| claim(level, size)))
        .collect()
}

/// Fig. 14 as printed, the refuted order of the mutator's steps, and several mutators.
fn published_mistakes() -> Vec<Claim> {
    let printed = |arguments| with(arguments, [("figure-14", "as-printed".into())]);
    let colour_first = |arguments| with(arguments, [("mutator", "colour-first".into())]);
    let two = |arguments| with(arguments, [("mutators", 2.into())]);
    let mut claims = vec![
        Claim::violated("ben-ari-3", printed(at(1, 1, 1)), "simulation")
            .length(23)
            .source(
                "Fig. 14, TEST_L.1",
                "misprinted: the second cycle skips the roots",
            ),
        Claim::violated("ben-ari", printed(at(1, 1, 1)), "invariant:roots_black")
            .length(23)
            .source("Fig. 14, TEST_L.1", "misprinted, against the specification"),
        Claim::violated("ben-ari", printed(at(1, 1, 1)), "simulation")
            .only(&["simulation"])
            .length(30)
            .source(
                "Fig. 14, TEST_L.1",
                "misprinted: a root is appended to the free list",
            ),
        Claim::violated("ben-ari-3", printed(at(3, 2, 1)), "simulation")
            .length(45)
            .source("Fig. 14, TEST_L.1", "misprinted, at the default size"),
        Claim::violated(
            "ben-ari-3",
            colour_first(at(4, 1, 1)),
            "invariant:bw_behind_scan_is_pending",
        )
        .length(142)
        .source(
            "section 1; Pixley; van de Snepscheut",
            "colouring first is wrong",
        ),
        Claim::violated("ben-ari-3", colour_first(at(4, 1, 1)), "simulation")
            .only(&["simulation"])
            .length(166)
            .source(
                "section 1; Pixley; van de Snepscheut",
                "… the scan ends too early",
            ),
        Claim::violated("ben-ari", colour_first(at(4, 1, 1)), "simulation")
            .only(&["simulation"])
            .length(170)
            .source(
                "section 1; Pixley; van de Snepscheut",
                "… a live node is collected",
            ),
    ];
    for (nodes, sons, roots) in [
        (2, 1, 1),
        (2, 2, 1),
        (3, 1, 1),
        (3, 2, 1),
        (3, 2, 2),
        (4, 1, 2),
    ] {
        claims.push(
            Claim::holds("ben-ari", colour_first(at(nodes, sons, roots)))
                .only(&["simulation", "environment"])
                .source(
                    "section 1",
                    "the refuted order passes at every smaller size",
                ),
        );
    }
    claims.extend([
        Claim::violated(
            "ben-ari",
            two(colour_first(at(2, 1, 1))),
            "invariant:target_accessible(0)",
        )
        .length(35)
        .also(&["simulation", "invariant:inv1"])
        .source(
            "Pixley; deviation D3",
            "with two mutators the target can become garbage before it is used",
        ),
        Claim::violated(
            "ben-ari-3",
            two(at(2, 1, 1)),
            "invariant:target_accessible(0)",
        )
        .length(34)
        .source(
            "Pixley; deviation D3",
            "two mutators: a target can be garbage when coloured",
        ),
        Claim::violated("ben-ari-3", two(at(3, 1, 1)), "simulation")
            .only(&["simulation"])
            .length(82)
            .source(
                "Pixley; deviation D3",
                "two mutators: the scan ends while a black garbage node has a white son",
            ),
        Claim::holds("ben-ari", two(at(3, 1, 1)))
            .only(&["simulation"])
            .source("deviation D3", "… which collects nothing live at this size"),
        Claim::violated("ben-ari", two(at(4, 1, 1)), "simulation")
            .only(&["simulation"])
            .length(109)
            .source(
                "Pixley; deviation D3",
                "two mutators: a live node is collected",
            ),
    ]);
    claims
}

/// What is decided of liveness, and `simulation`, without which fairness through the mapping says nothing.
const LIVE: [&str; 4] = ["simulation", "fairness", "leads-to", "always-eventually"];

/// Garbage is collected in the end, if the collector goes on: a mutator that runs for ever cannot keep it in a cycle,
/// since in each round of propagation but the last there are more black nodes.
fn liveness() -> Vec<Claim> {
    let unfair = |arguments| with(arguments, [("fairness", "none".into())]);
    let fault = |arguments, name: &'static str| with(arguments, [("fault", name.into())]);
    let section = "section 1";
    vec![
        Claim::holds("ben-ari", at(3, 1, 1)).only(&LIVE).source(
            section,
            "garbage is eventually collected, if the collector goes on",
        ),
        Claim::holds("ben-ari", at(2, 2, 1))
            .only(&LIVE)
            .source(section, "… with two cells a node"),
        Claim::violated("ben-ari", unfair(at(2, 1, 1)), "leads-to:collected(1)")
            .only(&["leads-to:collected(1)"])
            .source(section, "… and not if it may stop"),
        Claim::violated("ben-ari", unfair(at(2, 1, 1)), "fairness:collector")
            .only(&["simulation", "fairness"])
            .source(section, "… then nothing need be collected"),
        Claim::holds("ben-ari-3", at(3, 1, 1))
            .only(&["simulation", "fairness"])
            .source("section 6.3", "level 3 goes on as level 2 does"),
        Claim::violated("ben-ari-3", unfair(at(2, 1, 1)), "fairness:collector")
            .only(&["simulation", "fairness"])
            .source("section 6.3", "… if it goes on itself"),
        Claim::holds("ben-ari-2", at(3, 1, 1))
            .only(&["simulation", "fairness"])
            .source("section 6.2", "level 2 goes on as level 1 does"),
        Claim::violated("ben-ari-2", unfair(at(2, 1, 1)), "fairness:collector")
            .only(&["simulation", "fairness"])
            .source("section 6.2", "… if it goes on itself"),
        Claim::holds("ben-ari-1", at(3, 1, 1))
            .only(&[
                "always-eventually",
                "leads-to:white_collected(1)",
                "leads-to:white_collected(2)",
            ])
            .source("section 6.1", "cycles end, and white garbage is collected"),
        Claim::violated("ben-ari-1", at(2, 1, 1), "fairness:collector")
            .only(&["simulation", "fairness"])
            .source(
                "section 6.1",
                "level 1 need not collect: it may colour garbage in every cycle",
            ),
        Claim::holds("broken", fault(at(2, 1, 1), "none"))
            .only(&LIVE[..3])
            .source(
                "section 5",
                "the specification collects, with one node to collect",
            ),
        Claim::violated(
            "broken",
            fault(at(3, 1, 1), "none"),
            "leads-to:collected(1)",
        )
        .only(&["leads-to"])
        .source(
            "section 5",
            "… and with two not each of them: mutators may make more and more garbage of the other",
        ),
    ]
}

/// Each passes simulation, and violates the named obligation.
fn broken() -> Vec<Claim> {
    let fault = |name: &'static str| with(at(2, 1, 1), [("fault", name.into())]);
    vec![
        Claim::holds("broken", fault("none"))
            .exercising_all()
            .source("section 5", "the specification refines itself"),
        Claim::violated(
            "broken",
            fault("never-redirects-away"),
            "environment:mutate",
        )
        .length(1)
        .source("section 2", "a mutator that makes no garbage"),
        Claim::violated("broken", fault("idle-mutator"), "environment:mutate")
            .length(1)
            .source("section 2", "a mutator that does nothing"),
        Claim::violated("broken", fault("idle-collector"), "coverage")
            .source("section 2", "a collector that never collects"),
        Claim::violated("broken", fault("overwriting-collector"), "agency")
            .length(2)
            .source("section 2", "a collector that mutates"),
        Claim::violated("broken", fault("one-state-mapping"), "observation")
            .length(1)
            .source("Definition 6 (1)", "a mapping that shows nothing"),
        Claim::violated("broken", fault("no-initial-state"), "initiality")
            .length(0)
            .source("Definition 6 (2)", "no initial state, so nothing to check"),
    ]
}
