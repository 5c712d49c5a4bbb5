//! Shortening a behaviour that shows a failure, by replaying it with steps left out.
//!
//! Source: Zeller & Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28,
//! 2002, with two differences. What is left of a behaviour seldom is one: an action whose turn
//! comes where it is not enabled is skipped. And as states can be compared, what leads from a state
//! back to itself is left out at once. The result is short and need not be shortest.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{catch, named, note_tolerated, tolerated};
use crate::statement::asked::visit::visit_steps;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};
use crate::statement::trace::Trace;
use crate::walk::explore::{Place, StateId, Visitor, look_at, look_at_step};

/// Initial states that are tried in the place of the walk's own.
const INITIAL_STATES: usize = 64;
/// Actions that are tried in their turn before a behaviour is taken as short as it is: some seconds
/// on a slow model. A number and not a time, so that the result is the same each time.
const PATIENCE: u64 = 3_000_000;

/// Steps to leave out next: runs of them, of half the length each time all were tried, until
/// no single step can be spared.
#[derive(Clone, Debug)]
pub struct Cuts {
    size: usize,
    at: usize,
    shortened: bool,
}

impl Cuts {
    /// Cuts for a behaviour of `length` steps.
    pub fn new(length: usize) -> Self {
        Self {
            size: length.div_ceil(2),
            at: 0,
            shortened: false,
        }
    }

    /// The run to try on a behaviour of `length` steps.
    pub fn next(&mut self, length: usize) -> Option<Range<usize>> {
        while self.at >= length {
            if length == 0 || (self.size <= 1 && !self.shortened) {
                return None;
            }
            if self.size <= 1 {
                *self = Self::new(length);
            } else {
                self.size = self.size.div_ceil(2);
                self.at = 0;
            }
        }
        Some(self.at..length.min(self.at + self.size))
    }

    /// The run could be spared; what came after it stands in its place.
    pub fn spared(&mut self) {
        self.shortened = true;
    }

    /// The run is needed.
    pub fn needed(&mut self) {
        self.at += self.size;
    }
}

/// Test of whether a behaviour fails, and what else there is to know to shorten it.
pub(crate) struct Shrinker<'a, S: TransitionSystem, V, F> {
    pub system: &'a S,
    /// Tests what has to fail, and if possible nothing else.
    pub visitor: &'a V,
    /// Function that finds from the tally the place at which it fails, as far as the visitor has come.
    pub fails: F,
    /// True if the failure may lie in steps that are offered and not taken.
    pub all_offers: bool,
    /// The initial states of the system.
    pub initial: &'a [StateOf<S>],
    /// Predicate: true if the shrinker is to be content with what there is.
    pub stop: &'a dyn Fn() -> bool,
}

/// A behaviour that fails, up to where it does.
pub(crate) struct Failing<S: TransitionSystem, T> {
    /// The behaviour, the failing step included if it was taken.
    pub trace: Trace<S>,
    /// Place at which it fails; the state is of no meaning.
    pub place: Place,
    /// Tally of what the visitor saw, at least since the last step that was left out.
    pub tally: T,
}

impl<S, V, F> Shrinker<'_, S, V, F>
where
    S: TransitionSystem,
    V: Visitor<S>,
    F: Fn(&V::Tally) -> Option<Place>,
{
    /// A short behaviour that fails as `walk` does; `None` if that does not fail when replayed.
    pub fn shrink(&self, walk: &Trace<S>) -> Option<Failing<S, V::Tally>> {
        let mut patience = PATIENCE.max(4 * walk.length() as u64);
        let mut actions = walk.steps.iter().map(|(action, _)| action);
        let start = Trace {
            initial: walk.initial.clone(),
            steps: Vec::new(),
        };
        let mut best = self.replay(start, &mut actions, &mut patience)?;
        loop {
            let before = best.place.length;
            self.without_loops(&mut best, &mut patience);
            self.without_one_kind(&mut best, &mut patience);
            self.starting_elsewhere(&mut best, &mut patience);
            self.without_runs(&mut best, &mut patience);
            if best.place.length == before || patience == 0 {
                break;
            }
        }
        // The replay does not know which of its state's steps the last one is.
        let length = best.trace.length();
        if best.place.step.is_some() && best.place.length as usize == length {
            let (action, _) = best.trace.steps.last()?;
            let from = best.trace.states().nth(length - 1)?;
            let mut position = None;
            let mut count = 0;
            let _ = tolerated(|| {
                visit_steps(self.system, from, &mut |offered, _| {
                    if offered == *action && position.is_none() {
                        position = Some(count);
                    }
                    count += 1;
                });
            });
            best.place.step = Some(position?);
        }
        Some(best)
    }

    /// Takes those of `actions` that are enabled in their turn from the end of `trace`, which has
    /// not failed so far, until there is a failure.
    fn replay<'b>(
        &self,
        mut trace: Trace<S>,
        actions: &mut dyn Iterator<Item = &'b ActionOf<S>>,
        patience: &mut u64,
    ) -> Option<Failing<S, V::Tally>>
    where
        S: 'b,
    {
        let mut tally = self.visitor.tally();
        let mut actions = actions.fuse();
        loop {
            let place = Place {
                length: trace.length() as u32,
                state: StateId(0),
                step: None,
            };
            let from = trace.last();
            let examined = catch(|| {
                let image = look_at(self.visitor, &mut tally, place, from);
                let is_expanded = self.visitor.is_expanded(&mut tally, place, from);
                if self.all_offers && is_expanded {
                    let mut count = 0;
                    let mut visit = |action: ActionOf<S>, _: &StateOf<S>| {
                        self.visitor.offered(&mut tally, &action);
                        count += 1;
                    };
                    named("`next` of the implementation", || {
                        visit_steps(self.system, from, &mut visit);
                    });
                    self.visitor.leave(&mut tally, place, from, count);
                }
                (image, is_expanded)
            });
            let image = match examined {
                Ok(_) if (self.fails)(&tally).is_some() => break,
                Ok((image, true)) => image,
                // No behaviour of the instance goes on from here.
                Ok((_, false)) => return None,
                Err(panic) => {
                    note_tolerated(&panic);
                    self.visitor.panicked(&mut tally, place, panic);
                    break;
                }
            };
            let (action, to) = actions.find_map(|action| {
                *patience = patience.checked_sub(1)?;
                // Where the model panics on the way, the action is as good as not enabled.
                let to = catch(|| self.system.call_successor(from, action)).ok()??;
                Some((action, to))
            })?;
            let step = place.of_step(0);
            let taken = catch(|| {
                look_at_step(self.visitor, &mut tally, step, (from, &image), action, &to);
            });
            if let Err(panic) = taken {
                note_tolerated(&panic);
                self.visitor.panicked(&mut tally, step, panic);
            }
            trace.steps.push((action.clone(), to));
            if (self.fails)(&tally).is_some() {
                break;
            }
        }
        let place = (self.fails)(&tally)?;
        Some(Failing {
            trace,
            place,
            tally,
        })
    }

    /// Takes the first `kept` steps of `best`, then those of its further actions that `wanted` wants.
    /// True if that is shorter and fails; if so, it is the best from now on.
    fn try_without(
        &self,
        best: &mut Failing<S, V::Tally>,
        kept: usize,
        wanted: &dyn Fn(usize, &ActionOf<S>) -> bool,
        patience: &mut u64,
    ) -> bool {
        if *patience == 0 || (self.stop)() {
            *patience = 0;
            return false;
        }
        let start = Trace {
            initial: best.trace.initial.clone(),
            steps: best.trace.steps[..kept].to_vec(),
        };
        let actions = best.trace.steps.iter().enumerate().skip(kept);
        let mut actions = actions
            .map(|(position, (action, _))| (position, action))
            .filter(|(position, action)| wanted(*position, action))
            .map(|(_, action)| action);
        let found = self.replay(start, &mut actions, patience);
        Self::accept(best, found)
    }

    fn accept(best: &mut Failing<S, V::Tally>, found: Option<Failing<S, V::Tally>>) -> bool {
        match found {
            Some(found) if found.place.length < best.place.length => {
                *best = found;
                true
            }
            _ => false,
        }
    }

    /// Leaves out what leads from a state back to itself.
    fn without_loops(&self, best: &mut Failing<S, V::Tally>, patience: &mut u64) {
        let states: Vec<_> = best.trace.states().collect();
        let mut last_visit = HashMap::new();
        for (position, state) in states.iter().enumerate() {
            last_visit.insert(*state, position);
        }
        let mut needed = vec![false; best.trace.length()];
        let mut at = 0;
        while at < needed.len() {
            // The last step is what fails, so it stays even if it leads nowhere new.
            at = last_visit[states[at]].min(needed.len() - 1);
            needed[at] = true;
            at += 1;
        }
        self.try_without(best, 0, &|position, _| needed[position], patience);
    }

    /// Leaves out all steps of one process, or of one rule.
    fn without_one_kind(&self, best: &mut Failing<S, V::Tally>, patience: &mut u64) {
        let mut processes = Vec::new();
        for (action, _) in &best.trace.steps {
            let process = self.system.call_process(action);
            if !processes.contains(&process) {
                processes.push(process);
            }
        }
        for process in processes {
            let others = |_, action: &_| self.system.call_process(action) != process;
            self.try_without(best, 0, &others, patience);
        }
        for rule in 0..self.system.call_rules().len() {
            let others = |_, action: &_| self.system.call_rule(action).0 != rule;
            self.try_without(best, 0, &others, patience);
        }
    }

    /// Starts in another initial state.
    fn starting_elsewhere(&self, best: &mut Failing<S, V::Tally>, patience: &mut u64) {
        for initial in self.initial.iter().take(INITIAL_STATES) {
            if *patience == 0 || (self.stop)() {
                return;
            }
            let start = Trace {
                initial: initial.clone(),
                steps: Vec::new(),
            };
            let mut actions = best.trace.steps.iter().map(|(action, _)| action);
            let found = self.replay(start, &mut actions, patience);
            Self::accept(best, found);
        }
    }

    fn without_runs(&self, best: &mut Failing<S, V::Tally>, patience: &mut u64) {
        let mut cuts = Cuts::new(best.trace.length());
        while let Some(run) = cuts.next(best.trace.length()) {
            if *patience == 0 {
                return;
            }
            let rest = |position, _: &_| !run.contains(&position);
            if self.try_without(best, run.start, &rest, patience) {
                cuts.spared();
            } else {
                cuts.needed();
            }
        }
    }
}

/// `trace` without some of its steps, and without those that are not enabled any more.
#[cfg(any(feature = "proptest", feature = "quickcheck"))]
pub(crate) fn without<S: TransitionSystem>(
    system: &S,
    trace: &Trace<S>,
    run: Range<usize>,
) -> Trace<S> {
    let mut rest = Trace {
        initial: trace.initial.clone(),
        steps: trace.steps[..run.start].to_vec(),
    };
    for (action, _) in &trace.steps[run.end..] {
        if let Some(to) = system.call_successor(rest.last(), action) {
            rest.steps.push((action.clone(), to));
        }
    }
    rest
}
