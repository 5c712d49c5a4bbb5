//! What may be done in a state: for events of which it is not known what they were.

use super::{Action, Followed, Model};
use crate::native::on_the_fly::Reference;
use crate::tso::{Access, Phase, Round, Who};

const PHASES: [Phase; 4] = [Phase::Idle, Phase::Init, Phase::Mark, Phase::Sweep];

impl Model {
    /// Every action that may be enabled in a state, and many that are not; but for joining, which takes a
    /// thread of which nothing is known.
    pub(super) fn actions(&self, from: &Followed) -> Vec<Action> {
        let mut actions = Vec::new();
        let values: Vec<_> = (0..self.refs).map(Some).chain([None]).collect();
        for by in Who::all(self.mutators) {
            let mut take = |access| actions.push(Action::Take { by, access });
            take(Access::Fence);
            let absent = from.absent();
            for round in Round::ALL {
                take(Access::Ask { round, absent });
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
            for reference in 0..self.refs {
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
                let places = (0..self.fields).map(|field| (reference, field));
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
            actions.push(Action::Commit { of: by });
        }
        for mutator in from.present() {
            actions.push(Action::Leave { mutator });
            for (slot, generation) in (0..u32::from(self.refs)).zip(from.generations) {
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
        actions
    }
}
