//! A desk that serves its clients, and an implementation that starves one: liveness under fairness.
//!
//! The one idea: what must happen in the end is said with the specification, as fairness of its rules, and shown by the
//! implementation from its own, weaker or stronger, conditions. A clerk who may serve whom he likes need not ever serve the
//! second client: the counterexample is a *lasso*, a way to a loop that goes round for ever. What mends it depends on how
//! the clerk chooses.

use refmap::AbstractSteps::{self, One};
use refmap::obligation::{Liveness, Until};
use refmap::{
    Action, Fairness, Property, Refinement, Report, Settings, State, TransitionSystem, check, guard,
};
use serde::Serialize;

const CLIENTS: usize = 2;

/// The specification: a client asks, and each that waits is served in the end.
struct Desk;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[process(0..CLIENTS)]
enum Visit {
    #[rule(process = "client")]
    Ask {
        #[process]
        client: usize,
    },
    #[rule(process = "desk")]
    Serve {
        #[process]
        client: usize,
    },
}

type Waiting = [bool; CLIENTS];

impl TransitionSystem for Desk {
    type State = Waiting;
    type Action = Visit;
    type Observation = Waiting;

    fn initial(&self, visit: &mut impl FnMut(Waiting)) {
        visit([false; CLIENTS]);
    }

    fn fire(&self, step: &Visit, waiting: &mut Waiting) -> Option<()> {
        match *step {
            Visit::Ask { client } => (!waiting[client]).then(|| waiting[client] = true),
            Visit::Serve { client } => waiting[client].then(|| waiting[client] = false),
        }
    }

    fn observe(&self, waiting: &Waiting) -> Waiting {
        *waiting
    }

    // ANCHOR: promise
    /// The processes of `serve` are numbered, so this is a condition of each client.
    fn fairness(&self) -> Vec<Fairness> {
        vec![Fairness::weak("each is served", ["serve"])]
    }
    // ANCHOR_END: promise
}

/// Choice of the clerk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// Whom he likes.
    Any,
    /// The first client, if both wait.
    First,
    /// By turns, if both wait.
    ByTurns,
}

/// Fairness of the clerk, which is the implementation's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clerk {
    /// He works: if a client waits all the time, he serves one.
    Works,
    /// He is weakly fair to each client.
    WeaklyFair,
    /// He is strongly fair to each client.
    StronglyFair,
}

/// The implementation: one clerk.
struct Counter {
    choice: Choice,
    clerk: Clerk,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Queue {
    waiting: Waiting,
    /// First of two clients, except under `Any`.
    #[state(range = 0..2)]
    next: usize,
}

impl TransitionSystem for Counter {
    type State = Queue;
    type Action = Visit;
    type Observation = Waiting;

    fn initial(&self, visit: &mut impl FnMut(Queue)) {
        visit(Queue {
            waiting: [false; CLIENTS],
            next: 0,
        });
    }

    fn fire(&self, step: &Visit, queue: &mut Queue) -> Option<()> {
        if let Visit::Serve { client } = *step {
            let both_wait = queue.waiting == [true; 2];
            let may_choose = self.choice == Choice::Any || !both_wait;
            guard("its turn has come", may_choose || client == queue.next)?;
            queue.next = match self.choice {
                Choice::ByTurns => 1 - client,
                Choice::Any | Choice::First => 0,
            };
        }
        Desk.fire(step, &mut queue.waiting)
    }

    fn observe(&self, queue: &Queue) -> Waiting {
        queue.waiting
    }

    // ANCHOR: clerk
    fn fairness(&self) -> Vec<Fairness> {
        vec![match self.clerk {
            Clerk::Works => Fairness::weak("the clerk works", ["serve"]).jointly(),
            Clerk::WeaklyFair => Fairness::weak("the clerk is fair", ["serve"]),
            Clerk::StronglyFair => Fairness::strong("the clerk is fair", ["serve"]),
        }]
    }
    // ANCHOR_END: clerk
}

struct CounterRefinesDesk(Counter);

impl Refinement for CounterRefinesDesk {
    type Implementation = Counter;
    type Specification = Desk;

    fn implementation(&self) -> &Counter {
        &self.0
    }

    fn specification(&self) -> &Desk {
        &Desk
    }

    fn map(&self, queue: &Queue) -> Waiting {
        queue.waiting
    }

    fn abstract_steps(&self, _: &Queue, visit: &Visit, _: &Queue) -> AbstractSteps<Visit> {
        One(visit.clone())
    }

    // ANCHOR: properties
    fn liveness(&self) -> Vec<Property<Counter>> {
        let waits = |client: usize| move |queue: &Queue| queue.waiting[client];
        let served = |client: usize| move |queue: &Queue| !queue.waiting[client];
        vec![
            Property::leads_to("client 0", "this page", waits(0), served(0)),
            Property::leads_to("client 1", "this page", waits(1), served(1)),
        ]
    }
    // ANCHOR_END: properties
}

/// Checks everything, liveness as well.
fn run(choice: Choice, clerk: Clerk) -> Report {
    let settings = Settings {
        liveness: Liveness::Included,
        until: Until::End,
        threads: 1,
        ..Settings::default()
    };
    let parameters = [
        ("choice", format!("{choice:?}")),
        ("clerk", format!("{clerk:?}")),
    ];
    check(&CounterRefinesDesk(Counter { choice, clerk }), &settings)
        .expect("the conditions are on rules that are there")
        .named("desk", parameters)
}

/// The counterexample to one obligation, by its name, where the clerk serves whom he likes.
#[cfg(test)]
pub fn counterexample(obligation: &str) -> Option<String> {
    let report = run(Choice::Any, Clerk::Works);
    let row = report.obligation(obligation)?;
    Some(row.counterexamples.first()?.to_string())
}

pub fn main() {
    println!("{}", run(Choice::Any, Clerk::Works));
    for (choice, clerk) in CASES {
        let report = run(choice, clerk);
        let verdict = report.verdict.expect("something was asked");
        println!("{choice:?}, {clerk:?}: {verdict}");
    }
}

/// All ways to choose, each with all that may be known of the clerk.
const CASES: [(Choice, Clerk); 9] = {
    use Choice::{Any, ByTurns, First};
    use Clerk::{StronglyFair, WeaklyFair, Works};
    [
        (Any, Works),
        (Any, WeaklyFair),
        (Any, StronglyFair),
        (First, Works),
        (First, WeaklyFair),
        (First, StronglyFair),
        (ByTurns, Works),
        (ByTurns, WeaklyFair),
        (ByTurns, StronglyFair),
    ]
};

// Exercise: let the clerk be weakly fair to each client, and serve the first one first. The second one's turn comes and goes:
// weak fairness demands nothing of an action that is enabled only now and then.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    /// Everything is safe; who is served in the end depends on both.
    #[test]
    fn what_mends_starvation() {
        let holds = CASES.map(|(choice, clerk)| {
            let report = run(choice, clerk);
            for name in ["simulation", "observation", "deadlock", "leads-to:client 0"] {
                let row = report.obligation(name).expect("it is chosen");
                let starves_both = choice == Choice::Any && clerk == Clerk::Works;
                if name != "leads-to:client 0" || !starves_both {
                    assert_eq!(row.verdict, Verdict::Holds, "{report}");
                }
            }
            report.verdict == Some(Verdict::Holds)
        });
        let expected = [
            [false, true, true],
            [false, false, true],
            [true, true, true],
        ];
        assert_eq!(holds, *expected.as_flattened());
    }

    /// The second client starves in a loop in which the first is served again and again.
    #[test]
    fn the_lasso_serves_the_first_client_only() {
        let report = run(Choice::First, Clerk::WeaklyFair);
        let fairness = report
            .obligation("fairness:each is served")
            .expect("it is chosen");
        assert_eq!(fairness.verdict, Verdict::Violated, "{report}");
        let row = report
            .obligation("leads-to:client 1")
            .expect("it is chosen");
        let lasso = &row.counterexamples[0];
        let start = lasso.loop_start.expect("it is a lasso");
        assert!(lasso.length > start, "{report}");
        for step in &lasso.steps[start..] {
            assert_eq!(step.state["waiting"][1], true, "{report}");
        }
    }
}
