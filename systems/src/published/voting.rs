//! Acceptors that vote for values in ballots: what a quorum votes for in one ballot is chosen.
//!
//! Source: Lamport, *The Paxos Algorithm, or How to Win a Turing Award* (lecture, 2019), module `Voting`.
//!
//! The quorums are the sets of just more than half of the acceptors.

use std::collections::BTreeSet;

use refmap::{Action as _, IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::consensus::{self, MAX_VALUES};
use crate::subsets::subsets;

/// Greatest number of acceptors.
pub const MAX_ACCEPTORS: usize = 4;
/// Greatest number of ballots.
pub const MAX_BALLOTS: usize = 4;

/// An instance of the algorithm.
pub struct Voting {
    /// Number of acceptors.
    pub acceptors: usize,
    /// Number of values.
    pub values: usize,
    /// Number of ballots.
    pub ballots: usize,
    /// Condition of a vote.
    pub votes: Votes,
}

/// Conditions an acceptor checks before it votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Votes {
    /// No other value has a vote in the ballot, and the value is safe: no other has been or can be chosen in an earlier one.
    Safely,
    /// No other value has a vote in the ballot. Wrong: another one may have been chosen in an earlier ballot.
    WithoutQuorum,
}

/// A vote of an acceptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Vote {
    #[state(range = 0..MAX_BALLOTS)]
    pub ballot: usize,
    #[state(range = 0..MAX_VALUES)]
    pub value: usize,
}

/// State of each acceptor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The votes of an acceptor.
    #[state(each = "acceptor", max_len = MAX_ACCEPTORS)]
    pub votes: Vec<BTreeSet<Vote>>,
    /// The ballot below which an acceptor does not vote any more, if there is one.
    #[state(each = "acceptor", max_len = MAX_ACCEPTORS, range = 0..MAX_BALLOTS)]
    pub max_bal: Vec<Option<usize>>,
}

/// Why a value is safe in a ballot: none of a quorum votes in an earlier one any more, and this is the last one in which
/// one of it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Shown {
    pub quorum: IndexSet,
    /// The last ballot before in which one of it voted, and one that voted there, for the value; none if none did.
    pub voted: Option<(usize, usize)>,
}

/// A step of an acceptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Voting)]
#[rule(process = "acceptor")]
#[process(0..system.acceptors)]
pub enum Action {
    /// An acceptor does not vote below a ballot any more.
    #[rule(source = "Voting, IncreaseMaxBal(a, b)")]
    IncreaseMaxBal(#[process] usize, #[action(range = 0..system.ballots)] usize),
    /// An acceptor votes.
    #[rule(source = "Voting, VoteFor(a, b, v)")]
    VoteFor {
        #[process]
        acceptor: usize,
        vote: Vote,
        /// Why the value is safe; none where that is not looked at.
        shown: Option<Shown>,
    },
}

impl State {
    /// Whether an acceptor has voted so.
    fn has_voted(&self, acceptor: usize, vote: Vote) -> bool {
        self.votes[acceptor].contains(&vote)
    }

    /// Whether an acceptor has voted in a ballot.
    fn has_voted_at(&self, acceptor: usize, ballot: usize) -> bool {
        self.votes[acceptor]
            .iter()
            .any(|vote| vote.ballot == ballot)
    }

    /// Whether this shows that a value is safe in a ballot: *ShowsSafeAt*.
    fn is_shown_safe(&self, shown: Shown, vote: Vote) -> bool {
        let Shown { quorum, voted } = shown;
        let silent_from = |first: usize| {
            let mut between = first..vote.ballot;
            between.all(|ballot| !quorum.iter().any(|one| self.has_voted_at(one, ballot)))
        };
        let mut members = quorum.iter();
        members.all(|one| self.max_bal[one] >= Some(vote.ballot))
            && match voted {
                None => silent_from(0),
                Some((ballot, voter)) => {
                    self.has_voted(voter, Vote { ballot, ..vote }) && silent_from(ballot + 1)
                }
            }
    }

    /// The values that are chosen: those that a quorum has voted for in one ballot.
    pub fn chosen(&self, system: &Voting) -> IndexSet {
        let is_chosen = |value: &usize| {
            (0..system.ballots).any(|ballot| {
                let vote = Vote {
                    ballot,
                    value: *value,
                };
                let mut quorums = system.quorums().into_iter();
                quorums.any(|quorum| quorum.iter().all(|one| self.has_voted(one, vote)))
            })
        };
        (0..system.values).filter(is_chosen).collect()
    }
}

impl Voting {
    /// The sets of just more than half of the acceptors.
    fn quorums(&self) -> Vec<IndexSet> {
        let size = self.acceptors / 2 + 1;
        let all = subsets(IndexSet::below(self.acceptors));
        let quorums = all.filter(|quorum| quorum.len() == size);
        quorums.collect()
    }

    /// Visits what an acceptor may show before it votes in a ballot.
    fn visit_shown(
        &self,
        quorums: &[IndexSet],
        ballot: usize,
        mut visit: impl FnMut(Option<Shown>),
    ) {
        if self.votes == Votes::WithoutQuorum {
            return visit(None);
        }
        for quorum in quorums.iter().copied() {
            let voted = None;
            visit(Some(Shown { quorum, voted }));
            for earlier in 0..ballot {
                for voter in quorum.iter() {
                    let voted = Some((earlier, voter));
                    visit(Some(Shown { quorum, voted }));
                }
            }
        }
    }
}

impl TransitionSystem for Voting {
    type State = State;
    type Action = Action;
    type Observation = consensus::State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            votes: vec![BTreeSet::new(); self.acceptors],
            max_bal: vec![None; self.acceptors],
        });
    }

    fn candidates(&self, _: &State, visit: &mut impl FnMut(Action)) {
        Action::candidates(self, visit);
        let quorums = self.quorums();
        for acceptor in 0..self.acceptors {
            for ballot in 0..self.ballots {
                for value in 0..self.values {
                    let vote = Vote { ballot, value };
                    self.visit_shown(&quorums, ballot, |shown| {
                        visit(Action::VoteFor {
                            acceptor,
                            vote,
                            shown,
                        });
                    });
                }
            }
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::IncreaseMaxBal(acceptor, ballot) => {
                guard("it is higher", Some(ballot) > state.max_bal[acceptor])?;
                state.max_bal[acceptor] = Some(ballot);
            }
            Action::VoteFor {
                acceptor,
                vote,
                shown,
            } => {
                let others_agree = |votes: &BTreeSet<Vote>| {
                    let mut same_ballot = votes.iter().filter(|other| other.ballot == vote.ballot);
                    same_ballot.all(|other| other.value == vote.value)
                };
                let mut others = state.votes.iter().enumerate();
                let is_not_too_low = state.max_bal[acceptor] <= Some(vote.ballot);
                let has_voted = state.has_voted_at(acceptor, vote.ballot);
                guard("it is not too low", is_not_too_low)
                    .and(guard("it has not voted", !has_voted))
                    .and(guard(
                        "no other value has a vote",
                        others.all(|(other, votes)| other == acceptor || others_agree(votes)),
                    ))?;
                if self.votes == Votes::Safely {
                    guard("the value is safe", state.is_shown_safe(shown?, vote))?;
                }
                state.votes[acceptor].insert(vote);
                state.max_bal[acceptor] = Some(vote.ballot);
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> consensus::State {
        consensus::State {
            chosen: state.chosen(self),
        }
    }

    /// All acceptors are in the last ballot.
    fn may_stop(&self, state: &State) -> bool {
        let last = Some(self.ballots - 1);
        state.max_bal.iter().all(|ballot| *ballot == last)
    }
}
