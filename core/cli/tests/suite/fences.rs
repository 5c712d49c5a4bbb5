//! Tests of the comparison between published fences and minimal ones.

use refmap::explore::Limits;
use refmap::{Invariant, Settings};
use refmap_cli::catalogue::{FenceProblem, InputError, Nothing, PublishedFences};
use refmap_programs::synthesis::{Answer, Scenario, synthesise};
use refmap_programs::{
    Behaviours, Fence, MemoryModel, Presence, Program, ProgramBuilder, ProgramRefinement,
};
use refmap_testing::WithInvariants;

/// One thread sends data guarded by a flag, the other one receives them; each has places for fences of all kinds.
pub fn message_passing() -> Program {
    sending_with(&["sent"])
}

/// The same with places of these names between the stores.
fn sending_with(places: &[&str]) -> Program {
    let mut program = ProgramBuilder::new("message passing");
    let (data, flag) = (program.location("data", 0), program.location("flag", 0));
    program.thread("sender", |t| {
        t.store(data, 1);
        for place in places {
            t.fence_kinds_at(place, Fence::ALL, Presence::Absent);
        }
        t.store(flag, 1);
    });
    program.thread("receiver", |t| {
        let [f, d] = ["f", "d"].map(|name| t.register(name));
        t.load(f, flag);
        t.fence_kinds_at("received", Fence::ALL, Presence::Absent);
        t.load(d, data);
        t.output(f);
        t.output(d);
    });
    program.build().expect("it is well formed")
}

/// The comparison says whether published fences suffice, which are redundant, and which a weaker one could replace.
/// Sets for another memory model are left out, and so are all if no set was found.
#[test]
fn published_fences_are_compared_with_the_minimal_ones() {
    let published = |memory, fences: &[&'static str]| PublishedFences {
        source: "a paper",
        memory: vec![memory],
        fences: fences.to_vec(),
    };
    let of_rmo: [&[&str]; 4] = [
        &["sent:release", "received:acquire"],
        &["sent:full", "received:acquire"],
        &["sent:release", "received:acquire", "received:release"],
        &["sent:acquire", "received:acquire"],
    ];
    let problem = FenceProblem::new("message passing", "", "", |_: &Nothing| {
        let robust = Scenario::robust("robust", message_passing(), 1000);
        Ok(vec![robust.map_err(InputError::instance)?])
    });
    let problem = problem.published(published(MemoryModel::Tso, &["sent:full"]));
    let problem = of_rmo.iter().fold(problem, |problem, fences| {
        problem.published(published(MemoryModel::RmoNo, fences))
    });
    let solve = |settings: &Settings<'_>| {
        let solved = problem
            .arguments("")
            .and_then(|none| problem.solve(&none, MemoryModel::RmoNo, settings));
        solved.expect("it can be searched")
    };
    let report = solve(&Settings::default());
    let sets = report.synthesis.sets();
    assert_eq!(sets.len(), 1);
    assert_eq!(sets[0].fences, of_rmo[0]);
    let none: Vec<Vec<String>> = vec![Vec::new()];
    let one = |fence: &str| vec![vec![fence.to_owned()]];
    let expected = [
        (true, none.clone(), none.clone()),
        (true, none.clone(), one("sent:full")),
        (true, one("received:release"), none),
        (false, Vec::new(), Vec::new()),
    ];
    let found = report.published.iter();
    let found: Vec<_> = found
        .map(|c| (c.suffices, c.superfluous.clone(), c.stronger.clone()))
        .collect();
    assert_eq!(found, expected);
    let json = serde_json::to_value(&report.published).expect("it has a JSON form");
    let says: Vec<_> = (0..4)
        .map(|at| json[at].get("stronger").is_some())
        .collect();
    assert_eq!(says, [false, true, false, false]);
    let cut = solve(&Settings {
        limits: Limits {
            states: Some(2),
            ..Limits::default()
        },
        ..Settings::default()
    });
    assert!(cut.synthesis.sets().is_empty() && cut.published.is_empty());
}

#[test]
fn published_fences_are_compared_with_each_minimal_set_among_them() {
    let problem = FenceProblem::new("message passing", "", "", |_: &Nothing| {
        let program = sending_with(&["sent", "later"]);
        let robust = Scenario::robust("robust", program, 1000);
        Ok(vec![robust.map_err(InputError::instance)?])
    });
    let problem = problem.published(PublishedFences {
        source: "a paper",
        memory: vec![MemoryModel::RmoNo],
        fences: vec!["sent:full", "later:release", "received:acquire"],
    });
    let none = problem.arguments("").expect("there are none");
    let report = problem.solve(&none, MemoryModel::RmoNo, &Settings::default());
    let published = report.expect("it can be searched").published;
    let one = |fence: &str| vec![fence.to_owned()];
    assert_eq!(
        published[0].superfluous,
        [one("later:release"), one("sent:full")]
    );
    assert_eq!(published[0].stronger, [one("sent:full"), Vec::new()]);
}

/// The invariants of a refinement must hold with its fences too.
#[test]
fn fences_have_to_make_invariants_hold() {
    let program = message_passing();
    let specification = Behaviours::of(program.clone(), MemoryModel::Sc, 1000).expect("small");
    let refinement = ProgramRefinement::new(program, MemoryModel::Sc, specification);
    let falsified = WithInvariants::new(refinement, |invariants| {
        invariants.push(Invariant::new("never", "a test", |_| false));
    });
    let scenarios = [Scenario::of("falsified", falsified)];
    let found = synthesise(&scenarios, MemoryModel::RmoNo, &Settings::default());
    let Answer::Unmendable {
        failure: Some(failure),
        ..
    } = found.expect("it can be searched").answer
    else {
        panic!("the invariant is false everywhere");
    };
    assert_eq!(failure.counterexample.obligation, "invariant:never");
}
