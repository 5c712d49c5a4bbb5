//! Gaps of states that were drawn, made small: as few variables as possible differ from a state that was reached.

use std::cell::{Cell, RefCell};

use super::beside::NearbyState;
use super::draws::Draws;
use super::examination::carefully;
use super::findings::{Findings, Gap};
use super::goal::Goal;
use crate::statement::asked::model_call::{interruptible, tolerated};
use crate::statement::erased::ErasedState;
use crate::statement::refinement::Refinement;
use crate::walk::explore::Panic;

/// States that are tried at most in each of the two ways to make one gap small.
const MOST_TRIED: u32 = 1 << 16;
/// The greatest value that is tried of a variable.
const MOST_VALUES: u64 = 63;
/// The most variables of which all subsets are tried.
const FEW: usize = 8;

/// A gap, and the state that was reached beside it.
#[derive(Clone, Debug)]
pub(super) struct SmallGap {
    /// State from which the step is taken.
    pub state: ErasedState,
    /// The step.
    pub gap: Gap,
    /// Panic of a function of the model, if that is what fails.
    pub panic: Option<Panic>,
    /// The reached state from which it differs least.
    pub beside: Option<NearbyState>,
}

/// The gap of a goal that was found in the state of these values, made small as far as there is time for that; none if the model
/// does not make the state again.
pub(super) fn minimal(
    draws: &Draws<'_, '_>,
    goal: Goal,
    values: &[u64],
    gap: Gap,
    panic: Option<Panic>,
) -> Option<SmallGap> {
    let make = |values: &[u64]| tolerated(|| draws.variables.make(values));
    let search = Minimisation {
        draws,
        goal,
        tried: Cell::new(0),
        best: RefCell::new(values.to_vec()),
        case: RefCell::new(SmallGap {
            state: make(values)?,
            gap,
            panic,
            beside: None,
        }),
    };
    // A state that cannot be made is told where it is drawn; what is smallest until then is shown.
    let _ = interruptible(|| search.run());
    let implementation = draws.examination.refinement.implementation();
    let best = search.best.take();
    let beside = NearbyState::new(implementation, draws.variables, draws.reached, &best);
    let case = search.case.into_inner();
    Some(SmallGap { beside, ..case })
}

struct Minimisation<'s, 'd, 'a> {
    draws: &'s Draws<'d, 'a>,
    goal: Goal,
    tried: Cell<u32>,
    /// The values of the smallest gap so far, and the gap.
    best: RefCell<Vec<u64>>,
    case: RefCell<SmallGap>,
}

impl Minimisation<'_, '_, '_> {
    fn run(&self) {
        let mut least = usize::MAX;
        while let Some((base, differing)) = self.nearest() {
            if differing.len() >= least {
                break;
            }
            least = differing.len();
            self.revert(base, &differing);
        }
        self.transplant();
        self.tried.set(0);
        self.change_one();
    }

    /// The reached state that differs least from the smallest gap, and the variables in which it does.
    fn nearest(&self) -> Option<(usize, Vec<usize>)> {
        let reached = self.draws.reached;
        let best = self.best.borrow();
        let nearest = reached.nearest(&best)?;
        Some((nearest, reached.bases[nearest].differing(&best).collect()))
    }

    /// Gives each variable the value that it has in a reached state, where there is a gap all the same.
    fn revert(&self, base: usize, differing: &[usize]) {
        for place in differing {
            let mut values = self.best.borrow().clone();
            values[*place] = self.draws.reached.bases[base].values[*place];
            self.offer(values);
        }
    }

    /// Gives some of the values that differ to other reached states, fewer than differ now.
    fn transplant(&self) {
        let Some((_, differing)) = self.nearest() else {
            return;
        };
        let places = &differing[..differing.len().min(FEW)];
        let mut subsets: Vec<u32> = (1..1 << places.len()).collect();
        subsets.sort_by_key(|subset| subset.count_ones());
        let best = self.best.borrow().clone();
        for subset in subsets {
            if subset.count_ones() as usize >= differing.len() {
                return;
            }
            for base in &self.draws.reached.bases {
                let mut values = base.values.clone();
                for (number, place) in places.iter().enumerate() {
                    if subset >> number & 1 == 1 {
                        values[*place] = best[*place];
                    }
                }
                if self.tried.get() == MOST_TRIED || self.offer(values) {
                    return;
                }
            }
        }
    }

    /// Changes one variable of reached states, if more than one differ.
    fn change_one(&self) {
        let differ = |(_, differing): (usize, Vec<usize>)| differing.len() > 1;
        if !self.nearest().is_some_and(differ) {
            return;
        }
        let greatest = self.draws.variables.greatest();
        for base in &self.draws.reached.bases {
            for (place, most) in greatest.iter().enumerate() {
                for value in 0..=(*most).min(MOST_VALUES) {
                    let mut values = base.values.clone();
                    values[place] = value;
                    if self.tried.get() == MOST_TRIED || self.offer(values) {
                        return;
                    }
                }
            }
        }
    }

    /// Takes values if there is a gap in their state.
    fn offer(&self, values: Vec<u64>) -> bool {
        self.draws.examination.pause();
        self.tried.set(self.tried.get() + 1);
        let state = self.draws.variables.make(&values);
        let Some((gap, panic)) = self.gap(&state) else {
            return false;
        };
        self.best.replace(values);
        self.case.replace(SmallGap {
            state,
            gap,
            panic,
            beside: None,
        });
        true
    }

    /// The gap of the goal in a state, if there is one.
    fn gap(&self, state: &ErasedState) -> Option<(Gap, Option<Panic>)> {
        let examination = self.draws.examination;
        let mut findings = Findings::new(examination.invariants.len());
        let unrepeated = &mut findings.unrepeated;
        let (broken, _) = carefully(0, unrepeated, |care| examination.broken(care, state, None));
        if broken > 0 {
            return None;
        }
        examination.induct(0, state, &mut findings);
        findings.gaps[self.goal].take()
    }
}
