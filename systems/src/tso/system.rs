//! The transition system: the collector, its mutators and the system in parallel composition [section 3.1].

use refmap::drawing::Drawing;
use refmap::obligation::ObligationKind;
use refmap::report::Value;
use refmap::{Caveats, Fairness, Process, Rule, TransitionSystem, fire_by_next};
use refmap_processes::{Composition, Location, Locations, Undeclared};
use strum::VariantArray;
use tinyvec::ArrayVec;

use super::label::{Label, MutatorStep};
use super::lipton_reduction::LiptonReduction;
use super::local_fusion::LocalFusion;
use super::packing::Packing;
use super::progress::{self, Progress};
use super::request::{Act, Processes};
use super::scope::{Granularity, Initial, MAX_MUTATORS, MAX_REFS, Scope, ScopeError, Variant};
use super::specification::{CollectOnlyGarbage, Program};
use super::state::{Gc, Mutator, Mutators, Object, Phase, State, Sys, Who, place_of};
use super::{collector, memory, mutator};
use crate::heap::{self, Objects as Refs};

/// The system for an instance.
pub struct OnTheFly {
    /// The instance.
    pub scope: Scope,
    pub variant: Variant,
    /// The progress that is assumed; all of it by default.
    pub assumed: Vec<Progress>,
    pub(super) processes: Processes,
    at_rest: Vec<Locations>,
    fusion: Fusion,
    pub(super) packing: Packing,
}

/// Reduction of interleavings, beyond the commands that the processes fuse by themselves.
enum Fusion {
    None,
    Local(LocalFusion),
    Lipton(LiptonReduction),
}

impl OnTheFly {
    /// The system for an instance and a variant.
    ///
    /// # Errors
    ///
    /// If the instance is empty or too large.
    pub fn new(scope: Scope, variant: Variant) -> Result<Self, ScopeError> {
        scope.check()?;
        let mut processes = Composition::new()
            .with(scope.granularity.of_processes())
            .registers(scope.registers);
        processes.process(
            Process::new("gc"),
            &collector::collector(&scope, variant),
            |s: &State| &s.gc,
            |s| &mut s.gc,
        )?;
        processes.process(
            Process::new("sys"),
            &memory::system(&scope, variant),
            |s| &s.sys,
            |s| &mut s.sys,
        )?;
        for me in 0..scope.mutators {
            processes.process(
                heap::mutator(me, scope.mutators),
                &mutator::mutator(me, &scope, variant),
                move |s| &s.mutators[usize::from(me)],
                move |s| &mut s.mutators[usize::from(me)],
            )?;
        }
        let at_rest = (0..scope.mutators)
            .map(|me| processes.at(place_of(me), MutatorStep::Discard))
            .collect();
        Ok(Self {
            scope,
            variant,
            assumed: Progress::VARIANTS.to_vec(),
            packing: Packing::new(scope, |process| processes.locations(process)),
            fusion: match scope.granularity {
                Granularity::Fine => Fusion::None,
                Granularity::Coarse => Fusion::Local(LocalFusion::new(&processes, variant)),
                Granularity::Reduced => Fusion::Lipton(LiptonReduction::new(&processes, variant)),
            },
            processes,
            at_rest,
        })
    }

    /// Locations at which a process has a step with an accepted label; `None` if this variant has no such step.
    pub fn find(&self, who: Who, accepts: impl Fn(Label) -> bool) -> Option<Locations> {
        self.processes.find_any(who.process(), accepts)
    }

    /// Whether a mutator is at its top-level choice.
    pub fn is_at_rest(&self, state: &State, mutator: u8) -> bool {
        self.at_rest[usize::from(mutator)].contains(state.at[place_of(mutator)])
    }

    /// Tests the declared register reads of the programs in a state.
    ///
    /// # Errors
    ///
    /// The first command that reads a register which it does not declare.
    pub fn test_registers(&self, state: &State) -> Result<(), Undeclared> {
        self.processes.test_registers(state)
    }

    /// Visits the steps that a process begins, where no step moves more mutators than that.
    pub(super) fn steps_of(
        &self,
        process: usize,
        from: &State,
        visit: &mut dyn FnMut(Act, &State),
    ) {
        match &self.fusion {
            Fusion::Local(fusion) => fusion.steps_of(&self.processes, process, from, visit),
            Fusion::None | Fusion::Lipton(_) => {
                let mut state = *from;
                let processes = &self.processes;
                processes.steps_of(process, &|_| true, &mut state, &mut |act, to| {
                    visit(act, to)
                });
            }
        }
    }

    /// Visits the initial states with a heap and roots: every process is idle [ConcurrentGC].
    pub(super) fn begin(
        &self,
        heap: ArrayVec<[Option<Object>; MAX_REFS]>,
        roots: &[Refs],
        visit: &mut impl FnMut(State),
    ) {
        let in_sync = Mutators::first(self.scope.mutators);
        let mut gc = Gc::default();
        gc.marking.fm = Some(INITIAL_MARK);
        let state = State {
            at: [Location::default(); MAX_MUTATORS + 2],
            gc,
            mutators: roots
                .iter()
                .map(|roots| Mutator {
                    roots: *roots,
                    ..Mutator::default()
                })
                .collect(),
            sys: Sys {
                memory: self.variant.memory,
                heap,
                fa: INITIAL_MARK,
                fm: INITIAL_MARK,
                phase: Phase::Idle,
                buffers: (0..=self.scope.mutators).map(|_| ArrayVec::new()).collect(),
                lock: None,
                handshake: Default::default(),
                pending: Mutators::default(),
                w: Refs::default(),
                ghost_phase: Default::default(),
                ghost_in_sync: in_sync,
            },
        };
        self.processes.start(state, &mut |state| visit(state));
    }

    /// Visits the canonical initial states.
    pub(super) fn canonical(&self, visit: &mut impl FnMut(State)) {
        let Scope { refs, fields, .. } = self.scope;
        let mut heap: ArrayVec<_> = (0..refs).map(|_| None).collect();
        let mut first = Object::new(INITIAL_MARK, fields);
        if refs > 1 {
            first.fields[0] = Some(1);
            heap[1] = Some(Object::new(INITIAL_MARK, fields));
        }
        heap[0] = Some(first);
        let roots = vec![Refs::one(0); usize::from(self.scope.mutators)];
        self.begin(heap, &roots, visit);
    }

    /// Visits every initial state of the specification.
    fn all(&self, visit: &mut impl FnMut(State)) {
        self.specification().initial(&mut |program| {
            let object = |fields| Object {
                mark: INITIAL_MARK,
                fields,
            };
            let heap = program.heap.iter().map(|cell| cell.map(object)).collect();
            self.begin(heap, &program.roots, visit);
        });
    }

    /// The specification for the same instance.
    pub fn specification(&self) -> CollectOnlyGarbage {
        CollectOnlyGarbage {
            mutators: self.scope.mutators,
            refs: self.scope.refs,
            fields: self.scope.fields,
            buffer: self.scope.buffer,
            memory: self.variant.memory,
        }
    }
}

/// Initial sense of marks [Fig. 2, line 1].
const INITIAL_MARK: bool = false;

impl AsRef<[Rule]> for OnTheFly {
    fn as_ref(&self) -> &[Rule] {
        self.processes.rules()
    }
}

impl TransitionSystem for OnTheFly {
    type State = State;
    type Action = Act;
    type Observation = Program;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        match self.scope.initial {
            Initial::Canonical => self.canonical(visit),
            Initial::All => self.all(visit),
        }
    }

    /// As `next` has it, which states the steps that are run together.
    fn fire(&self, act: &Act, state: &mut State) -> Option<()> {
        fire_by_next(self, act, state)
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Act, &State)) {
        let processes = &self.processes;
        match &self.fusion {
            Fusion::None => processes.steps(from, &mut |act, to| visit(act, to)),
            Fusion::Local(fusion) => fusion.next(processes, from, &mut |act, to| visit(act, to)),
            Fusion::Lipton(reduction) => {
                reduction.next(processes, from, &mut |act, to| visit(act, to));
            }
        }
    }

    fn observe(&self, state: &State) -> Program {
        state.program()
    }

    fn fairness(&self) -> Vec<Fairness> {
        progress::conditions(&self.assumed, &self.scope, self.processes.rules())
    }

    /// Not decided is that for which it has not been shown that it speaks of the steps of which its steps consist.
    fn caveats(&self) -> Caveats<'_, State> {
        if self.scope.granularity == Granularity::Fine {
            return Caveats::default();
        }
        let coarse = Caveats::default()
            .undecided(
                [
                    ObligationKind::Fairness,
                    ObligationKind::LeadsTo,
                    ObligationKind::Eventually,
                    ObligationKind::AlwaysEventually,
                    ObligationKind::EventuallyAlways,
                ],
                "steps are run together, and fairness is of the steps of which they consist; it is decided at fine \
                 granularity (--granularity fine)",
            )
            .undecided(
                [ObligationKind::Environment],
                "steps are run together, and that this keeps every choice of the mutators open is not \
                 shown; it is decided at fine granularity (--granularity fine)",
            );
        if self.scope.granularity != Granularity::Reduced {
            return coarse;
        }
        coarse
            .undecided(
                [ObligationKind::Invariant],
                "steps are run together over states in which an invariant may be broken; it is decided \
                 with granularity coarse or fine",
            )
            .undecided(
                [ObligationKind::Coverage],
                "steps that only discard, load or fence are left out; it is decided with granularity \
                 coarse or fine",
            )
    }

    fn show(&self, state: &State) -> Value {
        self.processes.show(state)
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(state.draw())
    }
}
