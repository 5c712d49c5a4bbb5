//! Executions of the x86-TSO model, projected to the events that the native collector would record, are
//! accepted: the fusion of steps into accesses loses no recorded behaviour.

use refmap::random::Generator;
use refmap::{TransitionSystem, Verdict, successor};
use refmap_histories::{Event as Recorded, Observed, Ordered, Settings, validate};
use refmap_refinements::native::ObservedModel;
use refmap_systems::native::model::{Action, Model};
use refmap_systems::native::on_the_fly::{Event, Phase, Reference, Stage};
use refmap_systems::tso::{
    self, AnswerStep, FlipStep, HandshakePhase, HandshakeType, Label, MarkLoopStep, Marking,
    MarkingStep, MutatorStep, RoundStep, SetFaStep, State, SweepStep, Who,
};

pub(super) const MUTATORS: u8 = 2;
pub(super) const OBJECTS: u8 = 3;
/// The collector's thread.
const COLLECTOR: u32 = 7;
/// Time between two steps.
const STEP: u64 = 100;

/// The events recorded of an execution so far.
#[derive(Default)]
struct Projection {
    history: Vec<Recorded<Event>>,
    places: [u64; 8],
    generations: [u32; OBJECTS as usize],
    held: [[u32; OBJECTS as usize]; MUTATORS as usize],
    /// Of a held lock: since when, the sense of the mark, and whether a mark has been stored.
    locked: Option<(u64, Option<bool>, bool)>,
    /// Begin of the current handshake request, if there is one.
    asking: Option<u64>,
}

impl Projection {
    fn record(&mut self, thread: u32, begin: u64, end: u64, event: Event) {
        let place = &mut self.places[thread as usize];
        self.history.push(Recorded {
            thread,
            place: *place,
            begin,
            end: Some(end),
            event: Some(event),
        });
        *place += 1;
    }

    fn reference(&self, slot: u8) -> Reference {
        Reference {
            slot: slot.into(),
            generation: self.generations[usize::from(slot)],
        }
    }

    fn named(&self, value: Option<u8>) -> Option<Reference> {
        value.map(|slot| self.reference(slot))
    }

    /// Records a step of a mutator or of the collector.
    fn step(&mut self, who: Who, label: Label, from: &State, to: &State, time: u64) {
        let thread = match who {
            Who::Gc => COLLECTOR,
            Who::Mutator(mutator) => mutator.into(),
        };
        let marks = |state: &State| -> Marking {
            match who {
                Who::Gc => state.gc.marking,
                Who::Mutator(mutator) => state.mutator(mutator).marking,
            }
        };
        let (before, after) = (marks(from), marks(to));
        let step = match label {
            Label::Marking(_, step) => Some(step),
            _ => None,
        };
        let marked = || before.reference.map(|slot| self.reference(slot));
        let event = match (step, marked()) {
            (Some(MarkingStep::LoadFm), Some(reference)) => {
                after.fm.map(|fm| Event::Sense { reference, fm })
            }
            (Some(MarkingStep::LoadMark), Some(reference)) => {
                after.mark.map(|mark| Event::Look { reference, mark })
            }
            (Some(MarkingStep::LoadPhase), Some(reference)) => Some(Event::Test {
                reference,
                phase: phase_of(after.phase),
            }),
            (Some(MarkingStep::Lock), _) => {
                self.locked = Some((time, before.fm, false));
                None
            }
            (Some(MarkingStep::StoreMark), _) => {
                self.locked = self.locked.map(|(since, mark, _)| (since, mark, true));
                None
            }
            (Some(MarkingStep::Unlock), Some(reference)) => {
                let (since, mark, won) = self.locked.take().expect("it has been locked");
                let event = Event::Mark {
                    reference,
                    won,
                    mark,
                };
                self.record(thread, since, time + 1, event);
                None
            }
            _ => match who {
                Who::Gc => self.of_collector(label, from, to, time),
                Who::Mutator(me) => self.of_mutator(me, label, from, to, time),
            },
        };
        if let Some(event) = event {
            self.record(thread, time, time + 1, event);
        }
    }

    fn of_mutator(
        &mut self,
        me: u8,
        label: Label,
        from: &State,
        to: &State,
        time: u64,
    ) -> Option<Event> {
        let (before, after) = (from.mutator(me), to.mutator(me));
        let place = usize::from(me);
        let field = u32::from(before.field);
        let step = match label {
            Label::Mutator(step) => step,
            Label::Answer(AnswerStep::Poll) => {
                return after.is_asked.then(|| Event::Asked {
                    stage: stage_of(from),
                });
            }
            Label::Answer(AnswerStep::Fence) => return Some(Event::Fence),
            Label::Answer(AnswerStep::Done(_)) => {
                return Some(Event::Handshake {
                    stage: stage_of(from),
                });
            }
            _ => return None,
        };
        match step {
            MutatorStep::Alloc => {
                let new = after.roots.without(before.roots).iter().next()?;
                self.held[place][usize::from(new)] = 1;
                Some(Event::Alloc {
                    reference: Some(self.reference(new)),
                    mark: to.sys.object(new).map(|object| object.mark),
                })
            }
            MutatorStep::Discard => {
                let mut end = time;
                for gone in before.roots.without(after.roots).iter() {
                    let reference = self.reference(gone);
                    let times = std::mem::take(&mut self.held[place][usize::from(gone)]);
                    for _ in 0..times {
                        self.record(me.into(), end, end, Event::Discard { reference });
                        end += 1;
                    }
                }
                assert!(end < time + STEP, "there is time for all");
                None
            }
            MutatorStep::Load => {
                let stores = from.sys.pending_stores(Who::Mutator(me)).iter().rev();
                let mut own = stores.filter_map(|store| match *store {
                    tso::Store::Field(r, f, value) => {
                        ((r, f) == (before.src, before.field)).then_some(value)
                    }
                    _ => None,
                });
                let object = from.sys.object(before.src).expect("it is held");
                let value = own
                    .next()
                    .unwrap_or(object.fields[usize::from(before.field)]);
                if let Some(value) = value {
                    self.held[place][usize::from(value)] += 1;
                }
                Some(Event::Load {
                    src: self.reference(before.src),
                    field,
                    value: self.named(value),
                })
            }
            MutatorStep::LoadDeleted => Some(Event::Overwrite {
                src: self.reference(before.src),
                field,
                was: self.named(after.marking.reference),
                value: self.named(before.dst),
            }),
            MutatorStep::Store => Some(Event::Store {
                src: self.reference(before.src),
                field,
                value: self.named(before.dst),
            }),
            MutatorStep::ChooseLoad
            | MutatorStep::ChooseStore
            | MutatorStep::ChooseDst
            | MutatorStep::RootsUnmarked
            | MutatorStep::TakeInserted
            | MutatorStep::Fence => None,
        }
    }

    fn of_collector(&mut self, label: Label, from: &State, to: &State, time: u64) -> Option<Event> {
        match label {
            Label::Round(_, RoundStep::Fence) => Some(Event::Fence),
            Label::Round(_, RoundStep::SetType) => {
                self.asking = Some(time);
                None
            }
            // The last to be asked: by the collector's own list, since others may have answered.
            Label::Round(_, RoundStep::SetPending) if from.gc.muts.iter().count() == 1 => {
                let stage = stage_of(from);
                let since = self.asking.take().expect("it has begun to ask");
                self.record(COLLECTOR, since, time + 1, Event::Ask { stage });
                None
            }
            Label::Round(round, RoundStep::Poll)
                if to.gc.muts.is_empty() && round.handshake() == HandshakeType::Noop =>
            {
                Some(Event::Answered {
                    stage: stage_of(from),
                })
            }
            Label::Round(_, RoundStep::TakeWork) => Some(Event::Answered {
                stage: stage_of(from),
            }),
            Label::Flip(FlipStep::StoreFm) => to.gc.marking.fm.map(|fm| Event::SetFm { fm }),
            Label::SetFa(SetFaStep::StoreFa) => to.gc.marking.fm.map(|fa| Event::SetFa { fa }),
            Label::MarkLoop(MarkLoopStep::ChooseSrc) => Some(Event::Trace {
                reference: self.reference(to.gc.src),
            }),
            Label::MarkLoop(MarkLoopStep::LoadField) => Some(Event::Scan {
                src: self.reference(from.gc.src),
                field: from.gc.field.into(),
                value: self.named(to.gc.marking.reference),
            }),
            Label::Sweep(SweepStep::Free) => {
                let reference = self.reference(from.gc.src);
                self.generations[usize::from(from.gc.src)] += 1;
                Some(Event::Free { reference })
            }
            Label::StorePhase(_) => Some(Event::SetPhase {
                phase: phase_of(to.gc.marking.phase),
            }),
            _ => None,
        }
    }
}

fn phase_of(phase: tso::Phase) -> Phase {
    match phase {
        tso::Phase::Idle => Phase::Idle,
        tso::Phase::Init => Phase::Init,
        tso::Phase::Mark => Phase::Mark,
        tso::Phase::Sweep => Phase::Sweep,
    }
}

/// The handshake that was begun last.
fn stage_of(state: &State) -> Stage {
    match (state.sys.handshake, state.sys.ghost_phase) {
        (HandshakeType::GetRoots, _) => Stage::GetRoots,
        (HandshakeType::GetWork, _) => Stage::GetWork,
        (HandshakeType::Noop, HandshakePhase::Idle) => Stage::Idle,
        (HandshakeType::Noop, HandshakePhase::IdleInit) => Stage::IdleFlip,
        (HandshakeType::Noop, HandshakePhase::InitMark) => Stage::Init,
        (HandshakeType::Noop, _) => Stage::Mark,
    }
}

/// Two mutators that share one object, one of them by fork.
fn shared(model: &Model, projection: &mut Projection) -> State {
    let mut state = None;
    model.initial(&mut |initial| state = Some(initial));
    let mut state = state.expect("there is one");
    let reference = projection.reference(0);
    let (owes, mark) = (None, Some(false));
    let join = |mutator| Action::Join {
        mutator,
        thread: mutator.into(),
        owes,
    };
    let alloc = Event::Alloc {
        reference: Some(reference),
        mark,
    };
    let events = [
        (0, Event::Join { owes: None }, join(0)),
        (
            0,
            alloc,
            Action::Alloc {
                mutator: 0,
                reference,
                mark,
            },
        ),
        (1, Event::Join { owes: None }, join(1)),
        (
            1,
            Event::Hold { reference },
            Action::Hold {
                mutator: 1,
                reference,
            },
        ),
    ];
    for (time, (thread, event, action)) in (0..).zip(events) {
        let to = successor(model, &state, &action);
        state = to.expect("mutators may begin so");
        projection.record(thread, time, time, event);
    }
    projection.held[0][0] = 1;
    projection.held[1][0] = 1;
    state.model
}

/// The recorded events of a random execution.
pub(super) fn run(model: &Model, seed: u64, steps: u64) -> Vec<Recorded<Event>> {
    let mut random = Generator::new(seed);
    let mut projection = Projection::default();
    let mut state = shared(model, &mut projection);
    for time in (1..=steps).map(|step| step * STEP) {
        let mut offered = Vec::new();
        model
            .access_model()
            .model()
            .next(&state, &mut |act, to| offered.push((act, *to)));
        // Processes alike, and the collector as often as all others.
        let wanted = match random.below(6) {
            0 | 1 => "gc",
            2 => "sys",
            3 => "mutator 0",
            4 => "mutator 1",
            _ => "",
        };
        let of_wanted = |name: &str| wanted.is_empty() || name == wanted;
        offered.retain(|(act, _)| of_wanted(&act.process.to_string()));
        if offered.is_empty() {
            continue;
        }
        let (act, to) = offered.swap_remove(random.below(offered.len()));
        // What is held is marked, and by both at once if both hold it.
        if act.label == MutatorStep::Discard.into() && random.below(16) > 0 {
            continue;
        }
        let who = match &*act.process.to_string() {
            "gc" => Some(Who::Gc),
            "mutator 0" => Some(Who::Mutator(0)),
            "mutator 1" => Some(Who::Mutator(1)),
            _ => None,
        };
        if let Some(who) = who {
            projection.step(who, act.label, &state, &to, time);
        }
        state = to;
    }
    // Cut off in the middle of asking, when some may have been asked.
    if let Some(since) = projection.asking {
        let stage = stage_of(&state);
        projection.record(COLLECTOR, since, since, Event::Ask { stage });
        if let Some(asking) = projection.history.last_mut() {
            asking.end = None;
        }
    }
    let mut history = projection.history;
    history.sort_by_key(|event| (event.begin, event.thread, event.place));
    history
}

#[test]
fn runs_of_the_model_are_accepted() {
    let model = Model::new(MUTATORS, OBJECTS, 1).expect("the model has such an instance");
    let observed = ObservedModel::new(model);
    let model = observed.specification();
    let mut seen = [0; 4];
    for seed in 0..10 {
        let history = run(model, seed, 6000);
        let events = Ordered::of(history.iter().cloned());
        let validation = validate(&observed, events, &Settings::default());
        let report = validation.expect("the history is in order").report();
        // Whether anything of interest happened is looked at below, for all of them.
        let behaviour = &report.obligations[0];
        assert_eq!(behaviour.name, "behaviour");
        assert_eq!(behaviour.verdict, Verdict::Holds, "seed {seed}: {report}");
        for event in history.iter().filter_map(|recorded| recorded.event) {
            seen[0] += u32::from(matches!(event, Event::Free { .. }));
            seen[1] += u32::from(matches!(event, Event::Mark { won: true, .. }));
            seen[2] += u32::from(matches!(event, Event::Mark { won: false, .. }));
            seen[3] += u32::from(matches!(event, Event::Scan { value: Some(_), .. }));
        }
    }
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}
