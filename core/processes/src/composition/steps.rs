//! The steps of processes that meet, and what is run together with each.

use super::{Composition, Configuration, Granularity};
use crate::act::Act;
use crate::label::CommandLabel;
use crate::party::{Offer, Role};

impl<S, Q, A, N> Composition<S, Q, A, N>
where
    S: Configuration + 'static,
    Q: 'static,
    A: 'static,
    N: CommandLabel,
{
    /// Visits the states in which all processes begin, with the data that `state` has.
    pub fn start(&self, mut state: S, visit: &mut dyn FnMut(S)) {
        for party in &self.parties {
            party.start(&mut state);
        }
        let all: Vec<usize> = (0..self.parties.len()).collect();
        self.settle(self.granularity, &mut state, &all, &mut |state| {
            visit(state.clone())
        });
    }

    /// Clears the registers that are dead where the processes are, if that is what becomes of them: for a
    /// state that was not made by steps.
    pub fn clear_dead(&self, state: &mut S) {
        for (number, party) in self.parties.iter().enumerate() {
            party.clear_dead(state, state.location(number));
        }
    }

    /// Visits the steps from a state.
    pub fn steps(&self, from: &S, visit: &mut dyn FnMut(Act<N>, S)) {
        let mut state = from.clone();
        for process in 0..self.parties.len() {
            self.steps_of(process, &|_| true, &mut state, &mut |act, to| {
                visit(act, to.clone());
            });
        }
    }

    /// Visits the steps that a process begins, those that are wanted by the place they have among the
    /// [labels](Self::labels). `state` is what a step leads to while that is visited, and is as it was
    /// in the end; whoever is visited may go on from there, and has to leave it as it was too.
    pub fn steps_of(
        &self,
        process: usize,
        is_wanted: &dyn Fn(usize) -> bool,
        state: &mut S,
        visit: &mut dyn FnMut(Act<N>, &mut S),
    ) {
        let offers = &self.point(process, state.location(process)).offers;
        for (step, offer) in offers.iter().enumerate() {
            if is_wanted(step) {
                self.step(self.granularity, state, (process, step), offer, visit);
            }
        }
    }

    /// Visits the results of a step that a process begins.
    pub(super) fn step(
        &self,
        granularity: Granularity,
        state: &mut S,
        (number, step): (usize, usize),
        offer: &Offer<N>,
        visit: &mut dyn FnMut(Act<N>, &mut S),
    ) {
        let party = &self.parties[number];
        let at = state.location(number);
        let mut act = Act {
            process: party.process(),
            label: offer.label,
            with: None,
            choice: 0,
            rule: offer.rule,
        };
        match offer.role {
            Role::Answers => (),
            Role::Alone if offer.is_late && granularity != Granularity::Fine => {
                self.choose_and_step(granularity, state, (number, step), offer, visit);
            }
            Role::Alone => party.alone(state, at, step, &mut |to| {
                self.settle(granularity, to, &[number], &mut |to| {
                    visit(act, to);
                    act.choice += 1;
                });
            }),
            Role::Asks => {
                let request = party.ask(state, at, step);
                for other in self.responding.iter().copied().filter(|n| *n != number) {
                    let answering = &self.parties[other];
                    let there = state.location(other);
                    let point = self.point(other, there);
                    for response in &point.responses {
                        act.with = Some((answering.process(), point.offers[*response].label));
                        act.choice = 0;
                        answering.answer(state, there, *response, &request, &mut |to, answer| {
                            party.receive(to, at, step, answer, &mut |to| {
                                self.settle(granularity, to, &[number, other], &mut |to| {
                                    visit(act, to);
                                    act.choice += 1;
                                });
                            });
                        });
                    }
                }
            }
        }
    }

    /// Visits the results of a late choice and of the step behind it.
    ///
    /// # Panics
    ///
    /// If whether that step can be taken depends on the choice: a process that has chosen wrongly, and waits
    /// for ever, would not be seen.
    fn choose_and_step(
        &self,
        granularity: Granularity,
        state: &mut S,
        (number, step): (usize, usize),
        offer: &Offer<N>,
        visit: &mut dyn FnMut(Act<N>, &mut S),
    ) {
        let party = &self.parties[number];
        let at = state.location(number);
        let (mut results, mut goes_on, mut waits) = (0, false, false);
        party.alone(state, at, step, &mut |to| {
            self.settle(granularity, to, &[number], &mut |to| {
                let before = results;
                let offers = &self.point(number, to.location(number)).offers;
                for (step, offer) in offers.iter().enumerate() {
                    let visit = &mut |mut act: Act<N>, to: &mut S| {
                        act.choice = results;
                        results += 1;
                        visit(act, to);
                    };
                    self.step(granularity, to, (number, step), offer, visit);
                }
                goes_on |= results > before;
                waits |= results == before;
            });
        });
        assert!(
            !(goes_on && waits),
            "`{}` of {} is said to be late, and whether what follows can be done depends on the choice",
            offer.label,
            party.process()
        );
    }

    /// Runs the quiet steps of processes that have just moved, if that is the granularity, and clears the
    /// registers that are dead where they come to. Those processes are not put back.
    fn settle(
        &self,
        granularity: Granularity,
        state: &mut S,
        moved: &[usize],
        visit: &mut dyn FnMut(&mut S),
    ) {
        for (position, number) in moved.iter().enumerate() {
            loop {
                let at = state.location(*number);
                let point = self.point(*number, at);
                if !point.is_quiet || granularity == Granularity::Fine {
                    self.parties[*number].clear_dead(state, at);
                    break;
                }
                if self.parties[*number].pass(state, at) {
                    continue;
                }
                for step in 0..point.offers.len() {
                    self.parties[*number].alone(state, at, step, &mut |to| {
                        self.settle(granularity, to, &moved[position..], visit);
                    });
                }
                return;
            }
        }
        visit(state);
    }
}
