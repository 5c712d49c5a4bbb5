//! Question that is asked of a graph: where a behaviour may stay for ever that violates a property.

use crate::walk::bits::Bits;
use crate::walk::steps::Steps;

/// A property of behaviours, with the states of which it speaks.
#[derive(Clone, Debug)]
pub enum Claim {
    /// Whenever the premise holds, the conclusion holds then or later.
    LeadsTo {
        /// States in which the premise holds.
        premise: Bits,
        /// States in which the conclusion holds.
        conclusion: Bits,
    },
    /// The conclusion holds at some time.
    Eventually(Bits),
    /// The conclusion holds infinitely often.
    AlwaysEventually(Bits),
    /// If the premise holds at some time, then from some time on the conclusion holds for ever.
    EventuallyAlways {
        /// States in which the premise holds; `None` for a claim without one, as if it held everywhere.
        premise: Option<Bits>,
        /// States in which the conclusion holds.
        conclusion: Bits,
    },
    /// The conclusion holds in every state.
    Always(Bits),
    /// Weak fairness of an action that is enabled in these states, and taken by the steps that the question leaves out.
    WeaklyFair(Bits),
    /// Strong fairness of such an action.
    StronglyFair(Bits),
}

/// Course of a behaviour that violates a claim: it reaches a state of `start`, and from there on it stays `within`, visits
/// `wanted` infinitely often, and takes none of the steps `left_out`.
pub struct Question<'a> {
    pub(super) start: Bits,
    pub(super) within: Bits,
    pub(super) wanted: Option<Bits>,
    pub(super) left_out: Option<&'a LeftOut<'a>>,
}

/// Predicate: true of a step, given by its source, its class and its target, that the behaviour does not take in the end.
pub type LeftOut<'a> = dyn Fn(u32, u32, u32) -> bool + Sync + 'a;

impl<'a> Question<'a> {
    /// The question of whether a claim is violated by a behaviour of which all steps are known, these states being initial. `taken`
    /// tells the steps of the action of which fairness is claimed.
    pub fn of(claim: &Claim, steps: Steps<'_>, initial: &[u32], taken: &'a LeftOut<'a>) -> Self {
        let states = steps.states();
        let not = |bits: &Bits| Bits::of(states, |at| !bits.contains(at));
        let all = || Bits::of(states, |_| true);
        let staying = |start: Bits, within: Bits| Self {
            start,
            within,
            wanted: None,
            left_out: None,
        };
        let mut question = match claim {
            Claim::LeadsTo {
                premise,
                conclusion,
            } => {
                let within = not(conclusion);
                let start = Bits::of(states, |at| premise.contains(at) && within.contains(at));
                staying(start, within)
            }
            Claim::Eventually(conclusion) => {
                let within = not(conclusion);
                let mut start = Bits::none(states);
                let unmet = initial.iter().filter(|at| within.contains(**at));
                unmet.for_each(|at| start.insert(*at));
                staying(start, within)
            }
            Claim::AlwaysEventually(conclusion) => {
                let within = not(conclusion);
                staying(within.clone(), within)
            }
            // The premise may hold before the conclusion is false for the first time, after it, or in the same state.
            Claim::EventuallyAlways {
                premise,
                conclusion,
            } => Self {
                wanted: Some(not(conclusion)),
                ..staying(premise.clone().unwrap_or_else(all), all())
            },
            // Any behaviour goes on fairly from wherever it is.
            Claim::Always(conclusion) => staying(not(conclusion), all()),
            Claim::WeaklyFair(enabled) => Self {
                left_out: Some(taken),
                ..staying(enabled.clone(), enabled.clone())
            },
            Claim::StronglyFair(enabled) => Self {
                wanted: Some(enabled.clone()),
                left_out: Some(taken),
                ..staying(all(), all())
            },
        };
        for state in steps.unknown() {
            question.start.remove(state);
            question.within.remove(state);
        }
        question
    }

    /// Leaves out all other states: those that are not reached, of the states in which what is asked for begins.
    pub fn leave_out_others(&mut self, reached: &Bits) {
        self.start.retain(reached);
    }

    /// True if a behaviour that stays may take a step.
    #[inline]
    pub(super) fn allows(&self, from: u32, class: u32, to: u32) -> bool {
        self.within.contains(to)
            && !self
                .left_out
                .is_some_and(|left_out| left_out(from, class, to))
    }
}
