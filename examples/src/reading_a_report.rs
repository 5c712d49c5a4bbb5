//! The report of a failed check, and how to read it.
//!
//! The one idea: a report is read from its ends. The top says *what* fails, the bottom *why* the
//! last step is not allowed, and the steps between only how one gets there.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::drawing::{Drawing, Row};
use refmap::{Action, Invariant, Process, Refinement, Report, Settings, TransitionSystem};
use refmap::{check, guard};
use serde::Serialize;

/// A bank account of two people, and a cash machine for each. It pays out 2 notes at a time.
struct Account {
    /// Whether the machine looks at the balance again when it pays.
    second_look: bool,
    /// Deposits are taken below this balance; the ledger says 3.
    full: i8,
}

/// The specification is a ledger: a withdrawal happens at once, and only if it is covered.
struct Ledger;

/// The control location of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
enum At {
    Idle,
    Approved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct State {
    balance: i8,
    machines: [At; 2],
}

/// The steps of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[serde(rename_all = "snake_case")]
#[action(system = Account)]
#[rule(process = "machine")]
#[process(0..2)]
enum Step {
    #[rule(process = "bank")]
    Deposit,
    Withdraw {
        #[process]
        machine: u8,
    },
    Approve {
        #[process]
        machine: u8,
    },
    /// Without a second look nothing is ever rejected.
    #[rule(when = system.second_look)]
    Reject {
        #[process]
        machine: u8,
    },
}

/// The steps of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "machine")]
enum Entry {
    #[rule(process = "bank")]
    Deposit,
    Withdraw {
        #[process(0..2)]
        machine: u8,
    },
}

impl TransitionSystem for Ledger {
    type State = i8;
    type Action = Entry;
    type Observation = i8;

    fn initial(&self, visit: &mut impl FnMut(i8)) {
        visit(2);
    }

    fn fire(&self, entry: &Entry, balance: &mut i8) -> Option<()> {
        match entry {
            Entry::Deposit => (*balance < 3).then(|| *balance += 1),
            Entry::Withdraw { .. } => (*balance >= 2).then(|| *balance -= 2),
        }
    }

    fn observe(&self, balance: &i8) -> i8 {
        *balance
    }
}

impl State {
    /// A machine goes from one location to another one.
    fn goes(&mut self, machine: u8, from: At, to: At) -> Option<()> {
        let at = &mut self.machines[usize::from(machine)];
        (*at == from).then(|| *at = to)
    }
}

impl TransitionSystem for Account {
    type State = State;
    type Action = Step;
    type Observation = i8;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let machines = [At::Idle; 2];
        visit(State {
            balance: 2,
            machines,
        });
    }

    fn fire(&self, step: &Step, state: &mut State) -> Option<()> {
        let is_covered = state.balance >= 2;
        match *step {
            Step::Deposit => (state.balance < self.full).then(|| state.balance += 1),
            Step::Withdraw { machine } => {
                guard("it is covered", is_covered || !self.second_look)?;
                state.balance -= 2;
                state.goes(machine, At::Approved, At::Idle)
            }
            Step::Approve { machine } => {
                guard("it is covered", is_covered)?;
                state.goes(machine, At::Idle, At::Approved)
            }
            Step::Reject { machine } => {
                guard("it is not covered", self.second_look && !is_covered)?;
                state.goes(machine, At::Approved, At::Idle)
            }
        }
    }

    fn observe(&self, state: &State) -> i8 {
        state.balance
    }

    /// No user has to use an account.
    fn may_stop(&self, _: &State) -> bool {
        true
    }

    /// An optional drawing of the state, shown in counterexamples.
    fn draw(&self, state: &State) -> Option<Drawing> {
        let notes = "▮".repeat(usize::try_from(state.balance).unwrap_or(0));
        let promised = state.machines.iter().filter(|at| **at == At::Approved);
        let safe = Row::new()
            .value("safe", notes)
            .value("promised", "▯▯".repeat(promised.count()));
        Some(Drawing::default().row(safe))
    }
}

/// The claim: the account is a ledger, a withdrawal happening when the notes come out.
struct AccountRefinesLedger(Account);

impl Refinement for AccountRefinesLedger {
    type Implementation = Account;
    type Specification = Ledger;

    fn implementation(&self) -> &Account {
        &self.0
    }

    fn specification(&self) -> &Ledger {
        &Ledger
    }

    fn map(&self, state: &State) -> i8 {
        state.balance
    }

    fn abstract_steps(&self, _: &State, step: &Step, _: &State) -> AbstractSteps<Entry> {
        match *step {
            Step::Deposit => One(Entry::Deposit),
            Step::Withdraw { machine } => One(Entry::Withdraw { machine }),
            Step::Approve { .. } | Step::Reject { .. } => Stutter,
        }
    }

    fn invariants(&self) -> Vec<Invariant<Account>> {
        vec![Invariant::new(
            "in_credit",
            "every bank",
            |state: &State| state.balance >= 0,
        )]
    }

    /// Deposits are the environment's: the account must accept them.
    fn environment(&self) -> &[Process] {
        const { &[Process::new("bank")] }
    }
}

fn run(second_look: bool, full: i8) -> Report {
    let refinement = AccountRefinesLedger(Account { second_look, full });
    let report = check(&refinement, &Settings::default()).expect("every obligation is checked");
    let second_look = ("second_look", second_look.to_string());
    report.named("account", [second_look, ("full", full.to_string())])
}

pub fn main() {
    println!("{}", run(false, 3));
    println!("{}", run(true, 1));

    // The change that makes the check hold.
    println!("{}", run(true, 3));
}

// The first report, part by part.
//
// 1. The verdict. It names the obligation and how many steps it takes to break it; no shorter way
// exists. `bounded` says that the search stopped there, so nothing is claimed about what lies deeper.
//
//     violated by simulation after 4 steps, bounded: the states reached before the search ended
//
// 2. The rows: what became of each obligation, and how often it was tested. `incomplete` is neither a
// pass nor a failure: the search ended first. Where two are violated at once, look at both. Here
// `in_credit` says that the damage is to be seen in the state, and not only in the step.
//
//       simulation           violated               26
//       agency               incomplete              8
//       invariant:in_credit  violated               15
//
// 3. The failure in a sentence, which names the concrete rule and the abstract one it should be.
//
//     simulation fails after 4 steps: machine 1 takes `withdraw` (Step::Withdraw), which is not the
//       specification's `withdraw` as answered
//
// 4. The last step, before the others: both states whole, `*` where they change. Is the step itself
// strange, or only the state in which it is taken? A withdrawal of 2 is what it should be; it is the
// balance of 0 that is strange.
//
//        4  machine 1: withdraw(machine=1)  [Step::Withdraw]  answered by withdraw(machine=1)
//            implementation                              specification
//            * balance   0 → -2                          * 0 → -2
//            * machines  [idle approved] → [idle idle]
//            safe    promised
//
// 5. The nearest abstract actions, the answer first. They say which repair would fit: a guard that is
// false asks for a guard, a field that differs for another effect or another mapping, and a stutter
// without a difference for another answer. Here it is the guard: the balance no longer covers it.
//
//       the nearest abstract actions, and why each does not fit:
//         withdraw(machine=1) (as answered): its guard is false here
//         a stutter: the state would be 0, and is -2
//         deposit: the state would be 1, and is -2
//
// 6. The way there, backwards, to the first step that should not have been possible or that relied on
// something. Stutters take one line each, and a drawing is repeated only where it changes. Step 2
// approved what step 1 had promised already, and the promise is nowhere in the balance.
//
//        0  initially
//            balance 2  machines [idle idle]
//            abstract: 2
//            safe ▮▮   promised
//        1  machine 0: approve(machine=0)  [Step::Approve]  stutters  machines[0]: idle → approved
//            safe ▮▮   promised ▯▯
//        2  machine 1: approve(machine=1)  [Step::Approve]  stutters  machines[1]: idle → approved
//            safe ▮▮   promised ▯▯▯▯
//        3  machine 0: withdraw(machine=0)  [Step::Withdraw]  answered by withdraw(machine=0)
//            balance: 2 → 0  machines[0]: approved → idle
//            abstract: 2 → 0
//            safe    promised ▯▯
//
// So a machine has to look again when it pays, and in the other two reports it does.
//
// 7. The refused action, where `environment` fails: the specification lets the environment do it and
// the implementation never does. In the second report
// deposits end at a balance of 1, from which no withdrawal leads away, and it ends thus:
//
//       refused from here on: deposit
//
// The last report holds.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;

    /// The reports quoted in this page are those that are printed.
    #[test]
    fn the_reports_on_this_page_are_real() {
        let reports = format!("{}{}", run(false, 3), run(true, 1));
        let page = include_str!("reading_a_report.rs");
        let mut quoted = 0;
        for line in page.lines().filter_map(|line| line.strip_prefix("//     ")) {
            assert!(reports.lines().any(|real| real == line), "{line}");
            quoted += 1;
        }
        assert_eq!(quoted, 28);
    }

    #[test]
    fn two_promises_of_the_same_notes_break_the_ledger() {
        let report = run(false, 3);
        let violated: Vec<_> = report.violated().collect();
        assert_eq!(violated, ["simulation", "invariant:in_credit"]);
        let counterexample = report.counterexample.expect("something is violated");
        assert_eq!(
            (counterexample.length, counterexample.nearest[0].enabled),
            (4, false)
        );
    }

    #[test]
    fn an_account_that_is_full_too_soon_refuses_a_deposit() {
        let report = run(true, 1);
        let violated: Vec<_> = report.violated().collect();
        assert_eq!(violated, ["environment:deposit"]);
        let refused = report.counterexample.and_then(|first| first.refused);
        assert_eq!(refused, Some("deposit".into()));
    }

    #[test]
    fn a_second_look_keeps_the_ledger() {
        let report = run(true, 3);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        assert_eq!((report.states, report.transitions), (14, 30));
        assert!(report.unexercised.is_empty());
    }
}
