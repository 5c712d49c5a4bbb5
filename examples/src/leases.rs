//! A server that lends one thing to two clients, stated as processes that meet.
//!
//! The one idea: a process is stated over its own data alone, and reads like the pseudo-code of one.
//! Processes interact by a rendezvous: a request and its response, which they take as one step. The lender
//! whose leases expire without notice is the one that lends the thing twice.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::report::Value;
use refmap::{
    Invariant, Process, Refinement, Report, Rule, Settings, TransitionSystem, check, guard,
};
use refmap_processes::{
    Act, At, Command, Composition, Configuration, Data, Location, assign, choice, forever, request,
    respond, sequence, while_do,
};
use serde::Serialize;

/// A client's request and the server's response.
enum Ask {
    Acquire,
    Release,
}
type Granted = bool;

/// A client's data: whether it holds the thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Client {
    holds: bool,
}

/// The server's data: whether it has lent the thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Server {
    lent: bool,
}

impl Data for Client {}
impl Data for Server {}

/// Asks until it is given the thing, uses it, and brings it back.
fn client() -> Command<Client, Ask, Granted> {
    let acquire = request(
        "acquire",
        |_| Ask::Acquire,
        |c: &mut Client, granted| c.holds = *granted,
    );
    let release = request(
        "release",
        |_| Ask::Release,
        |c: &mut Client, _| c.holds = false,
    );
    forever(sequence([
        while_do("has it?", |c: &Client| !c.holds, acquire),
        assign("use", |_| ()),
        release,
    ]))
}

/// End of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lease {
    Endless,
    /// The lease expires after some time, without a message to the client.
    Expires,
}

/// The server: it responds to every request.
fn server(lease: Lease) -> Command<Server, Ask, Granted> {
    let answer = respond("answer", |ask: &Ask, s: &mut Server| {
        let granted = match ask {
            Ask::Acquire => !s.lent,
            Ask::Release => false,
        };
        s.lent = match ask {
            Ask::Acquire => true,
            Ask::Release => false,
        };
        Some(granted)
    });
    forever(match lease {
        Lease::Endless => answer,
        Lease::Expires => choice([answer, assign("expire", |s: &mut Server| s.lent = false)]),
    })
}

/// The processes' data, and their control locations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct State {
    at: At<3>,
    clients: [Client; 2],
    server: Server,
}

impl Configuration for State {
    fn location(&self, process: usize) -> Location {
        self.at[process]
    }

    fn go_to(&mut self, process: usize, location: Location) {
        self.at[process] = location;
    }
}

/// The implementation.
struct Leases(Composition<State, Ask, Granted>);

impl Leases {
    fn new(lease: Lease) -> Self {
        let mut all = Composition::new();
        for n in 0..2 {
            let process = Process::numbered("client", n as u16);
            all.process(
                process,
                &client(),
                move |s: &State| &s.clients[n],
                move |s| &mut s.clients[n],
            )
            .expect("a client is well formed");
        }
        all.process(
            Process::new("server"),
            &server(lease),
            |s| &s.server,
            |s| &mut s.server,
        )
        .expect("the server is well formed");
        Self(all)
    }
}

/// The observable of both systems: the users of the thing.
type Users = [bool; 2];

impl AsRef<[Rule]> for Leases {
    fn as_ref(&self) -> &[Rule] {
        self.0.rules()
    }
}

impl TransitionSystem for Leases {
    type State = State;
    type Action = Act;
    type Observation = Users;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        self.0.start(State::default(), visit);
    }

    fn fire(&self, act: &Act, state: &mut State) -> Option<()> {
        self.0.fire(act, state)
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Act, &State)) {
        self.0.steps(from, visit);
    }

    fn observe(&self, state: &State) -> Users {
        [0, 1].map(|n| state.clients[n].holds)
    }

    /// A process is shown at the label of what it does next.
    fn show(&self, state: &State) -> Value {
        self.0.show(state)
    }
}

/// The specification: one user at a time.
struct OneAtATime;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "client", source = "one user at a time")]
enum Step {
    Take(#[action(range = 0..2)] usize),
    Return(#[action(range = 0..2)] usize),
}

impl TransitionSystem for OneAtATime {
    type State = Users;
    type Action = Step;
    type Observation = Users;

    fn initial(&self, visit: &mut impl FnMut(Users)) {
        visit([false; 2]);
    }

    fn fire(&self, step: &Step, users: &mut Users) -> Option<()> {
        match *step {
            Step::Take(n) => {
                guard("nobody uses the thing", *users == [false; 2])?;
                users[n] = true;
            }
            Step::Return(n) => {
                guard("the client uses it", users[n])?;
                users[n] = false;
            }
        }
        Some(())
    }

    fn observe(&self, users: &Users) -> Users {
        *users
    }
}

/// The claim: the clients use the thing one at a time.
struct LeasesRefineOneAtATime(Leases);

impl Refinement for LeasesRefineOneAtATime {
    type Implementation = Leases;
    type Specification = OneAtATime;

    fn implementation(&self) -> &Leases {
        &self.0
    }

    fn specification(&self) -> &OneAtATime {
        &OneAtATime
    }

    fn map(&self, state: &State) -> Users {
        self.0.observe(state)
    }

    /// A step simulates a take or a return where it changes the user.
    fn abstract_steps(&self, from: &State, _: &Act, to: &State) -> AbstractSteps<Step> {
        let changed = (0..2).find(|n| from.clients[*n].holds != to.clients[*n].holds);
        match changed {
            Some(n) if to.clients[n].holds => One(Step::Take(n)),
            Some(n) => One(Step::Return(n)),
            None => Stutter,
        }
    }

    /// A process is at a command that it can take next: so an invariant speaks of locations.
    fn invariants(&self) -> Vec<Invariant<Leases>> {
        let uses = [0, 1].map(|n| self.0.0.at(n, "use"));
        let at_use = move |s: &State, n: usize| uses[n].contains(s.at[n]);
        vec![
            Invariant::new(
                "users_have_a_lease",
                "why they are one at a time",
                |s: &State| s.server.lent,
            )
            .when(move |s: &State| at_use(s, 0) || at_use(s, 1)),
        ]
    }
}

fn run(lease: Lease) -> Report {
    let claim = LeasesRefineOneAtATime(Leases::new(lease));
    check(&claim, &Settings::default()).expect("every setting is allowed")
}

pub fn main() {
    println!("{}", run(Lease::Endless));
    println!("{}", run(Lease::Expires));
}

// The second report says how it comes about: one client is given the thing, the lease expires, and the
// other one is given it as well. A server that takes a thing back needs a client that can tell: one
// that has to show its lease wherever it uses the thing.
//
// The change that makes the first check fail: let the server answer `release` with `true`.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    #[test]
    fn an_endless_lease_is_one_at_a_time() {
        let report = run(Lease::Endless);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        assert!(report.unexercised.is_empty(), "{:?}", report.unexercised);
    }

    #[test]
    fn a_lease_that_expires_is_lent_twice() {
        let report = run(Lease::Expires);
        assert_eq!(report.verdict, Some(Verdict::Violated));
        let shown = report.counterexample.expect("a violation is shown");
        let mut commands = shown.steps.iter().filter_map(|step| step.action.as_ref());
        assert!(commands.any(|act| *act == "expire"), "{shown:?}");
    }
}
