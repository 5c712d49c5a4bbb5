//! Candidate actions in a state, for events whose content was not recorded.

use strum::VariantArray;

use super::{Action, Followed, Model};
use crate::native::on_the_fly::Reference;
use crate::tso::{Access, HandshakeRound, Phase, Who};

impl Model {
    /// Visits a superset of the enabled actions of a thread: as its mutator, or without one as the collector or as a
    /// joining mutator.
    pub fn steps_of(&self, thread: u32, from: &Followed, visit: &mut impl FnMut(Action)) {
        match from.mutator_of(thread) {
            Some(mutator) => {
                self.accesses(Who::Mutator(mutator), visit);
                self.of_mutator(mutator, from, visit);
            }
            None => {
                self.accesses(Who::Gc, visit);
                // All mutators without a thread are equivalent.
                if let Some(mutator) = from.absent().iter().next() {
                    let rounds = HandshakeRound::VARIANTS.iter();
                    let owed = rounds.copied().map(Some).chain([None]);
                    owed.for_each(|owes| {
                        visit(Action::Join {
                            mutator,
                            thread,
                            owes,
                        });
                    });
                }
            }
        }
    }

    /// Visits the accesses, except allocation.
    pub(super) fn accesses(&self, by: Who, visit: &mut impl FnMut(Action)) {
        let (refs, fields) = (self.scope().refs, self.scope().fields);
        let values = || (0..refs).map(Some).chain([None]);
        let mut take = |access| visit(Action::Take { by, access });
        take(Access::Fence);
        for &round in HandshakeRound::VARIANTS {
            take(Access::Ask(round));
            take(Access::Answered(round));
            take(Access::Asked(round));
            take(Access::Done(round));
        }
        for mark in [false, true] {
            take(Access::SetFm(mark));
            take(Access::SetFa(mark));
        }
        for &phase in Phase::VARIANTS {
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
            for &phase in Phase::VARIANTS {
                take(Access::LoadPhase { reference, phase });
            }
            let src = reference;
            for (field, value) in (0..fields).flat_map(|f| values().map(move |value| (f, value))) {
                take(Access::Load { src, field, value });
                take(Access::Store { src, field, value });
                take(Access::Scan { src, field, value });
                for was in values() {
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

    /// Visits the other actions of a mutator.
    pub(super) fn of_mutator(&self, mutator: u8, from: &Followed, visit: &mut impl FnMut(Action)) {
        visit(Action::Leave { mutator });
        for (slot, generation) in (0..u32::from(self.scope().refs)).zip(from.generations) {
            let reference = Reference { slot, generation };
            visit(Action::Hold { mutator, reference });
            let mark = None;
            visit(Action::Alloc {
                mutator,
                reference,
                mark,
            });
        }
    }
}
