//! Remains of a search or of random walks, by which obligations are judged and violations shown.

use crate::statement::shown::number::counted;
use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::counterexample::counterexample;
use super::row::ObligationRow;
use super::settings::Settings;
use super::tested::Tested;
use crate::report::{Counterexample, Obligation, Verdict};
use crate::statement::asked::model_call::{UNNAMED, catch, take_tolerated, tolerated};
use crate::statement::constraint::Constraint;
use crate::statement::refinement::Refinement;
use crate::statement::system::StateOf;
use crate::statement::trace::Trace;
use crate::view::consistency::sample::is_looked_at;
use crate::walk::explore::Lifting;
use crate::walk::explore::StatesKept;
use crate::walk::explore::{
    Limit, Panic, Phase, Place, Progress, Spilled, StateId, States, Watch, Work, Written, trace,
};

/// The figures of a search, or of random walks.
pub(super) struct Totals {
    /// Whether every reachable state was visited with all its steps.
    pub complete: bool,
    /// Reason why what is found nowhere may be found beyond a bound of the instance, if the bound left something out.
    pub cut: Option<String>,
    /// The limit that came first, if one did.
    pub limit: Option<Limit>,
    /// Number of the process whose limit that is, of several, unless it is one on all of them.
    pub limit_process: Option<usize>,
    /// Distinct initial states.
    pub initial_states: u64,
    /// Distinct states reached; of random walks, states visited, counting each visit.
    pub states: u64,
    /// Transitions from the states expanded; of random walks, steps taken.
    pub transitions: u64,
    /// The greatest distance of a state from an initial one; of random walks, the most steps of one.
    pub depth: u32,
    /// States reached that were not looked at, since the time was up.
    pub unexamined: u64,
    pub seconds: f64,
    pub peak_memory_bytes: u64,
    /// Form in which states were kept; none if they were not.
    pub kept: Option<StatesKept>,
    /// Panic of a function of the model that was not called for a state or a step (`initial`, say), if there was one.
    pub panic: Option<Panic>,
    /// Reason why an initial state cannot be packed, if there is one.
    pub initial_misfit: Option<String>,
    /// Account of the checkpoints, if there were to be any.
    pub written: Option<Written>,
    /// Account of the disk, if states were to go there.
    pub spilled: Option<Spilled>,
}

impl Totals {
    /// Reports to the watcher, if there is one, how far the check has come when the search is over.
    pub fn tell(&self, watch: &Watch<'_>, phase: Phase, work: Option<Work>) {
        let Some(progress) = watch.progress else {
            return;
        };
        progress(&Progress {
            phase,
            states: self.states,
            transitions: self.transitions,
            depth: self.depth,
            frontier: 0,
            elapsed: Duration::try_from_secs_f64(self.seconds).unwrap_or_default(),
            work,
            disk: None,
            peers: None,
        });
    }

    /// The row of an obligation that failed none of its tests.
    pub fn unviolated(&self, checked: u64) -> Obligation {
        let verdict = if self.complete {
            Verdict::Holds
        } else {
            Verdict::Incomplete
        };
        let judged = Obligation::new(verdict, checked);
        match self.unexamined {
            0 => judged,
            unexamined => judged.noted(&format!(
                "not looked at, since the time was up: {} that the search reached",
                counted(unexamined, "state")
            )),
        }
    }
}

/// The most states that are looked at once more where a few do.
const FEW: u64 = 24;
/// The most images that are remembered where states are on disk. PERF: those of one time of the search are much the same.
const REMEMBERED_BESIDE_DISK: usize = 1 << 16;

/// Says what a behaviour shows.
type Explain<'e, S> = &'e dyn Fn(&Trace<S>) -> Counterexample;

/// Remains of a search, or of random walks, but the counters of the obligations.
pub(super) struct SearchResult<'a, R: Refinement> {
    pub refinement: &'a R,
    /// Constraint that bounded the exploration.
    pub constraint: Option<&'a Constraint<R::Implementation>>,
    pub settings: &'a Settings<'a>,
    pub totals: Totals,
    /// The states that were reached, with the behaviours that led to them.
    pub states: &'a dyn States<R::Implementation>,
    /// The symmetry by which states were identified.
    pub symmetry: Option<&'a dyn Lifting<R::Implementation>>,
    /// When the check began.
    pub started: Instant,
    /// Faults of the model when it was asked again to explain a violation.
    unrepeated: RefCell<Vec<Counterexample>>,
}

/// Reports how far a part of what is under way has come, to be called on the thread that called for the check.
pub(super) type TellProgress<'a> = &'a (dyn Fn(Option<Work>) + Sync);

impl<'a, R: Refinement> SearchResult<'a, R> {
    pub fn new(
        refinement: &'a R,
        settings: &'a Settings<'a>,
        started: Instant,
        totals: Totals,
        states: &'a dyn States<R::Implementation>,
        symmetry: Option<&'a dyn Lifting<R::Implementation>>,
    ) -> Self {
        Self {
            refinement,
            constraint: None,
            settings,
            totals,
            states,
            symmetry,
            started,
            unrepeated: RefCell::new(Vec::new()),
        }
    }

    /// The row of an obligation that is tested at states or steps. `fails` tests it once more at the end of a behaviour.
    pub fn judge(
        &self,
        row: &ObligationRow,
        tested: Tested,
        fails: &dyn Fn(&Trace<R::Implementation>) -> bool,
        explain: Explain<'_, R::Implementation>,
    ) -> Obligation {
        match tested.first {
            None => self.totals.unviolated(tested.checked),
            Some(place) => {
                let first = self.explained_again(row, place, fails, explain);
                self.violated(tested.checked, place, vec![first])
            }
        }
    }

    /// The row of an obligation that fails, first at `place`.
    pub fn violated(
        &self,
        checked: u64,
        place: Place,
        counterexamples: Vec<Counterexample>,
    ) -> Obligation {
        Obligation {
            note: self.states.provenance(place.state).map(str::to_owned),
            ..Obligation::violated(checked, counterexamples)
        }
    }

    /// Explanation of the behaviour found to `place`; where the model does not offer its steps again, that
    /// is told.
    pub fn explained(
        &self,
        place: Place,
        explain: Explain<'_, R::Implementation>,
    ) -> Counterexample {
        let implementation = self.refinement.implementation();
        let within = |state: &_| self.is_expanded(state);
        let within = self
            .constraint
            .is_some()
            .then_some(&within as &dyn Fn(&_) -> bool);
        let trace = || {
            trace(
                self.states,
                implementation,
                self.symmetry,
                within,
                None,
                place,
            )
        };
        // What the search did not ask may panic, or what did not panic then.
        let explained = match catch(trace) {
            Ok(Ok(trace)) => catch(|| explain(&trace)).map_err(|panic| {
                let told = panic.told(UNNAMED);
                format!("{told}; its behaviour was to be shown")
            }),
            Ok(Err(unrepeatable)) => Err(unrepeatable.to_string()),
            Err(panic) => {
                let told = panic.told(match self.symmetry {
                    None => "`fields`, or `hash`, `eq` or `clone` of a state or an action,",
                    Some(_) => "`fields`, `permute_action`, or `hash`, `eq` or `clone` of a state or an action,",
                });
                Err(format!("{told}; the search's behaviour was taken again"))
            }
        };
        if let Some(panic) = take_tolerated() {
            let found = Counterexample::without_steps(panic.told(UNNAMED));
            self.unrepeated.borrow_mut().push(found);
        }
        explained.unwrap_or_else(|explanation| {
            let found = Counterexample::without_steps(explanation);
            self.unrepeated.borrow_mut().push(found.clone());
            found
        })
    }

    /// A behaviour with an explanation that was found without it, and that is told even if the behaviour is lost.
    pub fn told(&self, place: Place, explanation: String) -> Counterexample {
        let mut told = self.explained(place, &|trace| {
            counterexample(self.refinement, trace, explanation.clone())
        });
        if told.explanation != explanation {
            told.explanation = format!("{explanation}; {}", told.explanation);
        }
        told
    }

    /// Explanation of the behaviour found to `place`, where `row` fails: that is tested once more.
    pub fn explained_again(
        &self,
        row: &ObligationRow,
        place: Place,
        fails: &dyn Fn(&Trace<R::Implementation>) -> bool,
        explain: Explain<'_, R::Implementation>,
    ) -> Counterexample {
        self.explained(place, &|trace| {
            // Of a trace that a permutation has changed another row may fail.
            if self.symmetry.is_some() || tolerated(|| fails(trace)).unwrap_or(true) {
                return explain(trace);
            }
            let explanation = format!(
                "`{}` failed here when the search came by, and does not fail when it is tested again: something that \
                 it asks is not a function of the state",
                row.name
            );
            let found = counterexample(self.refinement, trace, explanation);
            self.unrepeated.borrow_mut().push(found.clone());
            found
        })
    }

    /// The most images that a pass over all states remembers to have looked at: where states are on disk, images would be more than
    /// memory too.
    pub fn most_remembered(&self) -> usize {
        if self.settings.spill.is_some() {
            REMEMBERED_BESIDE_DISK
        } else {
            usize::MAX
        }
    }

    /// Faults of the model since the last time that this was asked.
    pub fn take_unrepeated(&self) -> Vec<Counterexample> {
        self.unrepeated.take()
    }

    /// Whether neither a limit on time or memory nor the user has ended the check.
    pub fn in_time(&self) -> bool {
        if matches!(
            self.totals.limit,
            Some(Limit::OutOfMemory | Limit::MemoryBytes(_))
        ) {
            // To look at states takes memory too.
            return false;
        }
        let Settings { limits, watch, .. } = self.settings;
        limits.out_of_time(watch, self.started).is_none()
    }

    /// Whether steps are taken from a state: it satisfies the constraint.
    pub fn is_expanded(&self, state: &StateOf<R::Implementation>) -> bool {
        self.constraint
            .is_none_or(|constraint| constraint.contains(state))
    }

    /// The state of this number, unless states were not kept.
    pub fn state(&self, id: StateId) -> Option<StateOf<R::Implementation>> {
        self.states.state(self.refinement.implementation(), id)
    }

    /// The states that were kept, as long as there is time to look at them.
    pub fn kept(&self) -> impl Iterator<Item = (StateId, StateOf<R::Implementation>)> {
        (0..self.states.len() as u64)
            .map(StateId)
            .map_while(move |id| {
                let in_time = !id.0.is_multiple_of(1024) || self.in_time();
                let state = in_time.then(|| self.state(id));
                Some((id, state.flatten()?))
            })
    }

    /// Those of them that are in a sample, each read when it is asked for.
    pub fn sample(&self) -> impl Iterator<Item = StateOf<R::Implementation>> {
        (0..self.states.len() as u64)
            .filter(|id| is_looked_at(*id))
            .map_while(move |id| self.state(StateId(id)))
    }

    /// A few of the states that were kept, in turns from the beginning and from the end, which are farthest apart. Each is read
    /// when it is asked for.
    pub fn few(&self) -> impl Iterator<Item = StateOf<R::Implementation>> {
        let len = self.states.len() as u64;
        let every = len.div_ceil(FEW).max(1);
        let count = len.div_ceil(every);
        let positions = (0..count).map(move |turn| {
            if turn.is_multiple_of(2) {
                turn / 2
            } else {
                count - 1 - turn / 2
            }
        });
        positions.filter_map(move |position| self.state(StateId(position * every)))
    }

    /// Whether a pass over the kept states is one over all that were reached.
    pub fn looked_at_all(&self) -> bool {
        // What is on disk may not be read again.
        let last = (self.states.len() as u64).checked_sub(1).map(StateId);
        let is_kept = |last| self.state(last).is_some();
        self.totals.complete && self.in_time() && last.is_none_or(is_kept)
    }
}
