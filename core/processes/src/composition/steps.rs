//! Steps of a composition, and the local steps that are fused with each.

use super::{Composition, Granularity};
use crate::act::Act;
use crate::configuration::Configuration;
use crate::instance::{Offer, Role};
use crate::label::CommandLabel;

impl<S, Q, A, N> Composition<S, Q, A, N>
where
    S: Configuration + 'static,
    Q: 'static,
    A: 'static,
    N: CommandLabel,
{
    /// Visits the states in which all processes begin, with the data that `state` has.
    pub fn start(&self, mut state: S, visit: &mut dyn FnMut(S)) {
        for instance in &self.instances {
            instance.start(&mut state);
        }
        let all: Vec<usize> = (0..self.instances.len()).collect();
        self.settle(self.granularity, &mut state, &all, &mut |state| {
            visit(state.clone())
        });
    }

    /// Clears the dead registers of every process, for a state that no step produced. Does nothing for processes
    /// placed under [`DeadRegisters::Kept`](crate::DeadRegisters::Kept).
    pub fn clear_dead(&self, state: &mut S) {
        for (number, instance) in self.instances.iter().enumerate() {
            instance.clear_dead(state, state.location(number));
        }
    }

    /// Visits the steps from a state.
    pub fn steps(&self, from: &S, visit: &mut dyn FnMut(Act<N>, &S)) {
        let mut state = from.clone();
        for process in 0..self.instances.len() {
            self.steps_of(process, &|_| true, &mut state, &mut |act, to| {
                visit(act, to);
            });
        }
    }

    /// Takes the step of [`steps`](Self::steps) that `act` labels; none, and `state` stays as it is, if it is not enabled.
    pub fn fire(&self, act: &Act<N>, state: &mut S) -> Option<()> {
        let mut target = None;
        for (process, instance) in self.instances.iter().enumerate() {
            if instance.process() == act.process {
                let offers = &self.point(process, state.location(process)).offers;
                // A choice that is fused with the next step has the label of that one.
                let may_be = |step: usize| {
                    let offer: &Offer<N> = &offers[step];
                    offer.fuses_with_next || offer.label == act.label
                };
                self.steps_of(process, &may_be, state, &mut |taken, to| {
                    if taken == *act && target.is_none() {
                        target = Some(to.clone());
                    }
                });
            }
        }
        *state = target?;
        Some(())
    }

    /// Visits the steps that a process begins and that are wanted; `is_wanted` receives the step's index among the
    /// [labels](Self::labels). During a visit `state` is the target of the step, and afterwards it is restored. The
    /// visitor may take further steps from it, and must restore it.
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
                self.step(self.granularity, state, process, step, offer, visit);
            }
        }
    }

    /// Visits the results of a step that a process begins.
    pub(super) fn step(
        &self,
        granularity: Granularity,
        state: &mut S,
        number: usize,
        step: usize,
        offer: &Offer<N>,
        visit: &mut dyn FnMut(Act<N>, &mut S),
    ) {
        let instance = &self.instances[number];
        let at = state.location(number);
        let mut act = Act {
            process: instance.process(),
            label: offer.label,
            with: None,
            choice: 0,
            rule: offer.rule,
        };
        match offer.role {
            Role::Answers => (),
            Role::Alone if offer.fuses_with_next && granularity != Granularity::Fine => {
                self.choose_and_step(granularity, state, number, step, offer, visit);
            }
            Role::Alone => instance.alone(state, at, step, &mut |to| {
                self.settle(granularity, to, &[number], &mut |to| {
                    visit(act, to);
                    act.choice += 1;
                });
            }),
            Role::Asks => {
                let request = instance.ask(state, at, step);
                for other in self.responding.iter().copied().filter(|n| *n != number) {
                    let answering = &self.instances[other];
                    let there = state.location(other);
                    let point = self.point(other, there);
                    for response in &point.responses {
                        act.with = Some((answering.process(), point.offers[*response].label));
                        act.choice = 0;
                        answering.answer(state, there, *response, &request, &mut |to, answer| {
                            instance.receive(to, at, step, answer, &mut |to| {
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

    /// Visits the results of a choice fused with the next step.
    ///
    /// # Panics
    ///
    /// If the chosen value decides whether the next step is enabled: fusion would hide a process that is blocked
    /// by its choice.
    fn choose_and_step(
        &self,
        granularity: Granularity,
        state: &mut S,
        number: usize,
        step: usize,
        offer: &Offer<N>,
        visit: &mut dyn FnMut(Act<N>, &mut S),
    ) {
        let instance = &self.instances[number];
        let at = state.location(number);
        let (mut results, mut goes_on, mut waits) = (0, false, false);
        instance.alone(state, at, step, &mut |to| {
            self.settle(granularity, to, &[number], &mut |to| {
                let before = results;
                let offers = &self.point(number, to.location(number)).offers;
                for (step, offer) in offers.iter().enumerate() {
                    let visit = &mut |mut act: Act<N>, to: &mut S| {
                        act.choice = results;
                        results += 1;
                        visit(act, to);
                    };
                    self.step(granularity, to, number, step, offer, visit);
                }
                goes_on |= results > before;
                waits |= results == before;
            });
        });
        assert!(
            !(goes_on && waits),
            "`{}` of {} is fused with the next step, and the choice decides whether that step is enabled",
            offer.label,
            instance.process()
        );
    }

    /// Runs the fused steps of processes that have just moved, under local fusion, and clears the registers that are
    /// dead at their final locations. Does not restore those processes.
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
                if !point.is_fused || granularity == Granularity::Fine {
                    self.instances[*number].clear_dead(state, at);
                    break;
                }
                if self.instances[*number].pass(state, at) {
                    continue;
                }
                for step in 0..point.offers.len() {
                    self.instances[*number].alone(state, at, step, &mut |to| {
                        self.settle(granularity, to, &moved[position..], visit);
                    });
                }
                return;
            }
        }
        visit(state);
    }
}
