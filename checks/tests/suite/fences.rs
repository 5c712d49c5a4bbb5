//! Tests of `refmap fences`: its output, and the minimal sets that it finds.

use refmap::{Settings, Verdict, check};
use refmap_checks::catalogue;
use refmap_programs::synthesis::{Answer, Scenario, synthesise};
use refmap_programs::{MemoryModel, Program};
use refmap_refinements::Checked;
use refmap_refinements::copying::CopyingRefinement;
use refmap_systems::copying::{self, Instance, Protocol};
use refmap_systems::dekker;
use serde_json::{Value, json};

use crate::has;
use crate::program::{each_is_refused, json, refmap, status, text};

fn settings() -> Settings<'static> {
    Settings {
        threads: 3,
        ..Settings::default()
    }
}

/// The minimal sets of a program of the catalogue, at the defaults of its parameters.
fn sets(program: &str, model: MemoryModel) -> Vec<Vec<String>> {
    let catalogue = catalogue();
    let mut problems = catalogue.fences.iter();
    let problem = problems.find(|problem| problem.name == program);
    let problem = problem.expect("it is in the catalogue");
    let arguments = problem.arguments("").expect("all have defaults");
    let report = problem.solve(&arguments, model, &settings());
    let synthesis = report.expect("its arguments are fine").synthesis;
    if let Answer::Incomplete(_) = synthesis.answer {
        panic!("{synthesis}");
    }
    let sets = synthesis.sets().iter();
    sets.map(|set| set.fences.clone()).collect()
}

fn stopless(scenario: copying::Scenario) -> Instance {
    Instance::new(Protocol::Stopless, scenario)
}

const SCENARIOS: [copying::Scenario; 2] = [copying::Scenario::Wr, copying::Scenario::Rw];

/// One fence suffices where the paper has three: all accesses behind the copy wait for all before it,
/// those of the forwarding pointers included.
#[test]
fn stopless_needs_one_fence_after_the_copy() {
    for model in [MemoryModel::PsoNo, MemoryModel::RmoNo] {
        assert_eq!(sets("stopless", model), [["fence-after-copy"]]);
    }
    for model in [
        MemoryModel::Sc,
        MemoryModel::Tso,
        MemoryModel::PsoFull,
        MemoryModel::RmoFull,
    ] {
        assert_eq!(sets("stopless", model), [[""; 0]; 1]);
    }
}

/// [Section 4.2.3]: a release fence where a mutator acknowledges the handshake suffices, and so does one
/// in the write barrier. Where a CAS is no fence, the collector's `write-sync` is needed as well.
#[test]
fn staccato_is_mended_by_a_release_fence_at_the_yieldpoint() {
    let (answer, write) = ("yieldpoint-fence:release", "write-barrier-fence");
    for row in ["staccato", "staccato-fence", "staccato-rel-fence"] {
        for model in [MemoryModel::Sc, MemoryModel::Tso] {
            assert_eq!(sets(row, model), [[""; 0]; 1]);
        }
        for model in [MemoryModel::PsoFull, MemoryModel::RmoFull] {
            assert_eq!(sets(row, model), [[answer], [write]]);
        }
        for model in [MemoryModel::PsoNo, MemoryModel::RmoNo] {
            let expected = [["write-sync", answer], ["write-sync", write]];
            assert_eq!(sets(row, model), expected);
        }
    }
}

/// The paper's fence at the yieldpoint suffices; a full fence there is stronger than needed.
#[test]
fn a_published_fence_that_is_stronger_than_needed_is_said_to_be() {
    let report = json("fences staccato --memory rmo-no --json");
    let published = |fence: &str, stronger: Option<Value>| {
        let mut published = json!({
            "source": "section 4.2.3",
            "fences": ["read-sync", "write-sync", fence],
            "suffices": true,
            "superfluous": [["read-sync"]],
        });
        if let Some(stronger) = stronger {
            published["stronger"] = stronger;
        }
        published
    };
    let full = "yieldpoint-fence:full";
    assert_eq!(
        report["published"],
        json!([
            published(full, Some(json!([[full]]))),
            published("yieldpoint-fence:release", None),
        ])
    );
    let shown = text(&refmap("fences staccato --memory rmo-no").stdout);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "not minimal: not needed in it: read-sync; a weaker one is enough for: \
                    yieldpoint-fence:full.";
    has(&shown, sentence);
}

/// Under TSO the stores of the two threads are in order, and the barrier of the mutator needs no fence.
/// Each fence has a place of its own, so that no set contains one only because another shares its place.
#[test]
fn sapphire_needs_fewer_fences_than_lines_that_are_to_be_in_order() {
    let (iteration, llsc) = ("sapphire-iteration", "sapphire-llsc");
    let copied = "collector-fences:after-copy";
    assert_eq!(sets(iteration, MemoryModel::Tso), [[copied]]);
    assert_eq!(sets(llsc, MemoryModel::Tso), [[""; 0]; 1]);
    for model in [MemoryModel::PsoFull, MemoryModel::PsoNo] {
        assert_eq!(sets(iteration, model), [[copied, "mutator-fence"]]);
        assert_eq!(sets(llsc, model), [["mutator-fence"]]);
    }
    for model in [MemoryModel::RmoFull, MemoryModel::RmoNo] {
        assert_eq!(sets(iteration, model), [[copied, "mutator-fence"]]);
        let expected = [
            "collector-fences:after-ll",
            "fence-after-last",
            "mutator-fence",
        ];
        assert_eq!(sets(llsc, model), [expected]);
    }
}

/// A yieldpoint needs a fence behind it under TSO, and one before it too under the weaker models; at
/// the end of a mutator none is needed.
#[test]
fn yieldpoints_need_a_fence_on_each_side() {
    let (before, behind) = ("yieldpoint-fence:before", "yieldpoint-fence:behind");
    for row in ["baker", "replication", "pauseless"] {
        assert_eq!(sets(row, MemoryModel::Sc), [[""; 0]; 1]);
        assert_eq!(sets(row, MemoryModel::Tso), [[behind]]);
        for model in &MemoryModel::ALL[2..] {
            assert_eq!(sets(row, *model), [[before, behind]], "{row} under {model}");
        }
    }
    assert_eq!(sets("compressor", MemoryModel::Tso), [[behind]]);
    for model in &MemoryModel::ALL[2..] {
        let expected = [["fence-before-unprotect", before, behind]];
        assert_eq!(sets("compressor", *model), expected, "{model}");
    }
}

/// The fence that the paper tries is in the minimal set of three where a CAS is no fence, and not in the
/// minimal set of two where a CAS is one [section 4.2.3].
#[test]
fn chicken_needs_two_fences_and_three_where_a_cas_is_none() {
    for model in [MemoryModel::Sc, MemoryModel::Tso] {
        assert_eq!(sets("chicken", model), [[""; 0]; 1]);
    }
    let last = ["yieldpoint-fence", "write-barrier-fence"];
    for model in [MemoryModel::PsoFull, MemoryModel::RmoFull] {
        let expected = last.map(|last| ["fence-before-handshake", last]);
        assert_eq!(sets("chicken", model), expected);
    }
    for model in [MemoryModel::PsoNo, MemoryModel::RmoNo] {
        let expected = last.map(|last| ["fence-before-handshake", "fence-after-forward", last]);
        assert_eq!(sets("chicken", model), expected);
    }
}

/// Checks each of these sets directly, without the synthesis and its monotonicity lemma: exactly those
/// that contain the fence suffice.
fn assert_the_fence_after_the_copy_decides(chosen: impl Fn(u32) -> bool) {
    let program = copying::program(&stopless(copying::Scenario::Wr)).expect("it is stated");
    let places: Vec<_> = program.places.iter().map(|place| &place.name).collect();
    assert_eq!(places.len(), 11);
    for model in [MemoryModel::PsoNo, MemoryModel::RmoNo] {
        for bits in (0_u32..1 << places.len()).filter(|bits| chosen(bits.count_ones())) {
            let standing = |number: usize| bits >> number & 1 == 1;
            let holds = SCENARIOS.into_iter().all(|scenario| {
                let numbered = places.iter().enumerate();
                let fences = numbered.filter(|(number, _)| standing(*number));
                let instance = fences.fold(stopless(scenario), |instance, (_, name)| {
                    instance.with(name)
                });
                let refinement = CopyingRefinement::new(&instance, model).expect("it is stated");
                let report = refinement.checker().check(&settings());
                let report = report.expect("it is checked");
                report.verdict == Some(Verdict::Holds)
            });
            let has_it = places.iter().position(|name| *name == "fence-after-copy");
            assert_eq!(holds, has_it.is_some_and(standing), "{model}: {bits:b}");
        }
    }
}

#[test]
fn of_small_and_large_sets_of_fences_of_stopless_those_with_the_one_after_the_copy_hold() {
    assert_the_fence_after_the_copy_decides(|fences| !(3..=8).contains(&fences));
}

#[test]
#[ignore = "there are 2048 sets"]
fn slow_of_all_sets_of_fences_of_stopless_those_with_the_one_after_the_copy_hold() {
    assert_the_fence_after_the_copy_decides(|_| true);
}

/// The same fence suffices beyond the paper's bounds: with both scenarios at once, and with longer ones.
#[test]
fn the_fence_of_stopless_is_enough_for_longer_mutators() {
    let longer = |scenario, iterations, mutators| {
        let mut instance = stopless(scenario).mutators(mutators);
        instance.iterations = iterations;
        let refinement = CopyingRefinement::new(&instance, MemoryModel::Sc);
        let name = format!("{} {iterations} {mutators}", scenario.name());
        Scenario::of(name, refinement.expect("it is stated"))
    };
    let scenarios = [
        longer(copying::Scenario::Wr, 3, 1),
        longer(copying::Scenario::Rw, 3, 1),
        longer(copying::Scenario::Wrwr, 1, 1),
        longer(copying::Scenario::Rwrw, 1, 1),
    ];
    let found = synthesise(&scenarios, MemoryModel::RmoNo, &settings()).expect("it is searched");
    let sets: Vec<_> = found.sets().iter().map(|set| &set.fences).collect();
    assert_eq!(sets, [&["fence-after-copy"]], "{found}");
}

#[test]
fn dekker_needs_a_fence_where_it_looks_and_under_pso_one_where_it_leaves() {
    assert_eq!(sets("dekker", MemoryModel::Sc), [[""; 0]; 1]);
    assert_eq!(sets("dekker", MemoryModel::Tso), [["after-raising"]]);
    for model in [MemoryModel::PsoNo, MemoryModel::RmoFull] {
        assert_eq!(sets("dekker", model), [["after-raising", "before-leaving"]]);
    }
}

/// Both threads increment the counter, so mutual exclusion does not hold vacuously.
#[test]
fn dekker_with_its_fences_is_exercised() {
    let program: Program = dekker::program(2);
    let fenced = program.with_fences(["after-raising", "before-leaving"]);
    let specification =
        refmap_programs::Behaviours::of(dekker::specification(), MemoryModel::Sc, 1000);
    let refinement = refmap_programs::ProgramRefinement::new(
        fenced.expect("these are its places"),
        MemoryModel::RmoNo,
        specification.expect("it is small"),
    );
    let report = check(&refinement, &settings()).expect("it is checked");
    assert_eq!(report.verdict, Some(Verdict::Holds));
    let entered = report.coverage.iter();
    let entered = entered.filter(|row| row.rule == "counter := n + 1");
    let entered: Vec<_> = entered.map(|row| row.fired > 0).collect();
    assert_eq!(entered, [true, true]);
}

#[test]
fn every_program_with_places_can_be_searched() {
    for problem in &catalogue().fences {
        let arguments = problem.arguments("").expect("all have defaults");
        let report = problem.solve(&arguments, MemoryModel::Tso, &settings());
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", problem.name));
        assert!(!report.synthesis.places.is_empty(), "{}", problem.name);
        assert!(!problem.source.is_empty() && !problem.about.is_empty());
        for published in &problem.published {
            let places: Vec<_> = report.synthesis.places.iter().collect();
            for fence in &published.fences {
                let place = places.iter().find(|place| place.name == *fence);
                assert!(place.is_some(), "{}: {fence}", problem.name);
            }
        }
    }
}

#[test]
fn the_sets_are_printed_with_what_goes_wrong_without_each_fence() {
    let output = refmap("fences stopless --memory pso-no");
    assert_eq!(status(&output), 0);
    let shown = text(&output.stdout);
    for part in [
        "stopless  iterations 1\npso-no: wr, rw\n",
        "\n1 minimal set of fences\n\n1. fence-after-copy\n   holds: wr (",
        "   without fence-after-copy:\n     wr: simulation fails after 11 steps: ",
        "[mutator, ",
        "published in section 4.1.3: fence-after-wide-forward, fence-after-copy, fence-before-flip.",
        "not minimal",
    ] {
        assert!(shown.contains(part), "{part}\n\n{shown}");
    }
    assert!(output.stderr.is_empty());
    let verbose = text(&refmap("fences stopless --memory pso-no --verbose").stdout);
    has(&verbose, "the nearest abstract actions");
    let none = text(&refmap("fences stopless --memory tso").stdout);
    has(&none, "\nno fence is needed\n");
}

#[test]
fn the_json_has_the_sets_their_counterexamples_and_the_comparison() {
    let report = json("fences stopless --memory rmo-no --json");
    assert_eq!(report["program"], "stopless");
    assert_eq!(report["parameters"], json!({"iterations": 1}));
    assert_eq!(report["memory"], "rmo-no");
    assert_eq!(report["verdict"], "mended");
    assert_eq!(report["scenarios"], json!(["wr", "rw"]));
    let set = &report["sets"][0];
    assert_eq!(set["fences"], json!(["fence-after-copy"]));
    let without = &set["without"][0];
    assert_eq!(without["fence"], "fence-after-copy");
    let counterexample = &without["counterexample"];
    assert_eq!(counterexample["reachable"], true);
    let steps = counterexample["steps"].as_array().expect("a list");
    assert_eq!(counterexample["length"], steps.len() - 1);
    assert_eq!(
        report["published"],
        json!([{
            "source": "section 4.1.3",
            "fences": ["fence-after-wide-forward", "fence-after-copy", "fence-before-flip"],
            "suffices": true,
            "superfluous": [["fence-after-wide-forward", "fence-before-flip"]],
        }])
    );
}

/// Clover with α = 0 is wrong under SC [Table 2], so no fence mends it.
#[test]
fn what_no_fence_mends_exits_with_1_and_its_trace() {
    let output = refmap("fences clover --memory tso");
    assert_eq!(status(&output), 1);
    let shown = text(&output.stdout);
    has(
        &shown,
        "no set of fences suffices; with all of them:\n  wr: simulation fails",
    );
    let report = json("fences clover --memory tso --json");
    assert_eq!(report["verdict"], "unmendable");
    assert_eq!(report["failure"]["scenario"], "wr");
    assert_eq!(status(&refmap("fences clover --memory tso --alpha 2")), 0);
}

#[test]
fn a_limit_exits_with_3_and_claims_nothing() {
    for limit in ["--max-states 50", "--max-depth 3", "--max-seconds 0.000001"] {
        let output = refmap(&format!("fences stopless --memory pso-no {limit}"));
        assert_eq!(status(&output), 3, "{limit}");
        let shown = text(&output.stdout);
        has(&shown, "\nincomplete: with fences at fence-");
        assert!(!shown.contains("minimal"), "{shown}");
    }
    let report = json("fences stopless --memory pso-no --max-states 50 --json");
    assert_eq!(report["verdict"], "incomplete");
    assert_eq!(report["scenario"], "wr");
    assert_eq!(report["limit"], json!({"states": 50}));
    assert!(report.get("sets").is_none());
    assert_eq!(report["published"], json!([]));
}

#[test]
fn bad_input_is_refused_with_what_there_is() {
    each_is_refused(
        "",
        r#"
fences stoples --memory tso => there is no program with places for fences "stoples" (did you mean "stopless"?) … dekker, stopless, stopless-for-rmo
fences nothing-like-it --memory tso => dekker, stopless, stopless-for-rmo, chicken
fences stopless --memory x86 => sc, tso, pso-full, pso-no, rmo-full, rmo-no
fences stopless => --memory <MODEL>
fences stopless --memory tso --iterations 9 => 9 is not in 1..=8
fences => PROGRAM
check nothing-like-it => there is no check … ben-ari-1
table yrk => there is no table "yrk" (did you mean "yrc"?)"#,
    );
}

#[test]
fn the_programs_are_listed() {
    let listed = json("list --json");
    let names: Vec<_> = listed["fences"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|problem| problem["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names[..2], ["dekker", "stopless"]);
    assert!(text(&refmap("list").stdout).contains("fences PROGRAM --memory MODEL"));
}
