//! Candidate actions in a state, for events whose content was not recorded.

use super::{Action, Followed, Model};
use crate::native::on_the_fly::Reference;
use crate::tso::{Access, HandshakeRound, Phase, Who};

const PHASES: [Phase; 4] = [Phase::Idle, Phase::Init, Phase::Mark, Phase::Sweep];

impl Model {
    /// Visits a superset of the enabled actions of a thread: as its mutator, or without one as the collector or as a
    /// joining mutator.
    pub fn steps_of(&self, thread: u32, from: &Followed, visit: &mut impl FnMut(Action)) {
        let mut actions = Vec::new();
        match from.mutator_of(thread) {
            Some(mutator) => {
                self.accesses(Who::Mutator(mutator), &mut actions);
                self.of_mutator(mutator, from, &mut actions);
            }
            None => {
                self.accesses(Who::Gc, &mut actions);
                // All mutators without a thread are equivalent.
                if let Some(mutator) = from.absent().iter().next() {
                    let owed = HandshakeRound::ALL.map(Some).into_iter().chain([None]);
                    actions.extend(owed.map(|owes| Action::Join {
                        mutator,
                        thread,
                        owes,
                    }));
                }
            }
        }
        actions.into_iter().for_each(visit);
    }

    /// A superset of the enabled actions in a state, without joining, whose thread is not known.
    pub(super) fn actions(&self, from: &Followed) -> Vec<Action> {
        let mut actions = Vec::new();
        for by in Who::all(self.scope().mutators) {
            self.accesses(by, &mut actions);
            actions.push(Action::Commit { of: by });
        }
        for mutator in from.present() {
            self.of_mutator(mutator, from, &mut actions);
        }
        actions
    }

    /// The accesses, except allocation.
    fn accesses(&self, by: Who, actions: &mut Vec<Action>) {
        let (refs, fields) = (self.scope().refs, self.scope().fields);
        let values: Vec<_> = (0..refs).map(Some).chain([None]).collect();
        let mut take = |access| actions.push(Action::Take { by, access });
        take(Access::Fence);
        for round in HandshakeRound::ALL {
            take(Access::Ask(round));
            take(Access::Answered(round));
            take(Access::Asked(round));
            take(Access::Done(round));
        }
        for mark in [false, true] {
            take(Access::SetFm(mark));
            take(Access::SetFa(mark));
        }
        for phase in PHASES {
            take(Access::SetPhase(phase));
        }
        for reference in 0..refs {
            take(Access::Trace { reference });
            take(Access::Free { reference });
            take(Access::Discard { reference });
            for mark in [false, true] {
                let [won, fm] = [mark, mark];
                take(Access::LoadFm { reference, fm });
                take(Access::LoadMark { reference, mark });
                let mark = None;
                take(Access::Cas {
                    reference,
                    won,
                    mark,
                });
            }
            for phase in PHASES {
                take(Access::LoadPhase { reference, phase });
            }
            let places = (0..fields).map(|field| (reference, field));
            for ((src, field), value) in
                places.flat_map(|place| values.iter().map(move |value| (place, *value)))
            {
                take(Access::Load { src, field, value });
                take(Access::Store { src, field, value });
                take(Access::Scan { src, field, value });
                for was in values.iter().copied() {
                    take(Access::Overwrite {
                        src,
                        field,
                        was,
                        value,
                    });
                }
            }
        }
    }

    /// The other actions of a mutator.
    fn of_mutator(&self, mutator: u8, from: &Followed, actions: &mut Vec<Action>) {
        actions.push(Action::Leave { mutator });
        for (slot, generation) in (0..u32::from(self.scope().refs)).zip(from.generations) {
            let reference = Reference { slot, generation };
            actions.push(Action::Hold { mutator, reference });
            let mark = None;
            actions.push(Action::Alloc {
                mutator,
                reference,
                mark,
            });
        }
    }
}
