//! Symmetry of the collector and of its specification: references, mutators and the two senses of marks are
//! interchangeable, since no step depends on which of them it is, and loops over them run in any order.
//!
//! Dead registers that are cleared stay cleared under a permutation. If dead registers are kept there is no
//! symmetry: their initial values name a reference.

use std::cmp::Ordering;

use refmap::{Process, StateOf, Symmetric, TransitionSystem};

use super::label::{Label, SysStep};
use super::request::Act;
use super::scope::{MAX_MUTATORS, MAX_REFS, Memory};
use super::specification::{Action, CollectOnlyGarbage, FieldStore, Program};
use super::state::{Mark, Marking, Mutators, State, Store, Who, place_of};
use super::system::OnTheFly;
use crate::heap::{Object as Ref, Objects as Refs, mutator as process};

/// A permutation of references and of mutators, with an exchange of the senses of marks or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// Image of each reference.
    refs: [Ref; MAX_REFS],
    /// Image of each set of references.
    sets: [Refs; 1 << MAX_REFS],
    /// Image of each mutator.
    mutators: [u8; MAX_MUTATORS],
    /// Whether the senses of marks are image.
    senses: bool,
}

/// All permutations of the first `count` of `N` elements, the identity first.
fn permutations_of<const N: usize>(count: u8) -> Vec<[u8; N]> {
    let mut all = vec![std::array::from_fn(|n| n as u8)];
    for last in 1..usize::from(count) {
        let shorter: Vec<[u8; N]> = all.clone();
        for place in 0..last {
            all.extend(shorter.iter().map(|order| {
                let mut longer = *order;
                longer.swap(place, last);
                longer
            }));
        }
    }
    all
}

fn permutations(refs: u8, mutators: u8, senses: &[bool]) -> Vec<Permutation> {
    let mut all = Vec::new();
    for senses in senses {
        for refs in permutations_of(refs) {
            let of_mutators = permutations_of(mutators).into_iter();
            all.extend(of_mutators.map(|mutators| Permutation::new(refs, mutators, *senses)));
        }
    }
    all
}

impl Permutation {
    fn new(refs: [Ref; MAX_REFS], mutators: [u8; MAX_MUTATORS], senses: bool) -> Self {
        let image = |set: Refs| {
            let members = set.iter().map(|reference| refs[usize::from(reference)]);
            members.fold(Refs::default(), |all, reference| all.with(Some(reference)))
        };
        Self {
            sets: std::array::from_fn(|set| image(Refs(set as u8))),
            refs,
            mutators,
            senses,
        }
    }

    /// Image of a reference.
    pub fn reference(&self, reference: Ref) -> Ref {
        self.refs[usize::from(reference)]
    }

    fn refs(&self, refs: Refs) -> Refs {
        self.sets[usize::from(refs.0)]
    }

    fn mutator(&self, mutator: u8) -> u8 {
        self.mutators[usize::from(mutator)]
    }

    fn mutators(&self, mutators: Mutators) -> Mutators {
        let mut image = Mutators::default();
        mutators
            .iter()
            .for_each(|m| image.set(self.mutator(m), true));
        image
    }

    fn who(&self, who: Who) -> Who {
        match who {
            Who::Gc => Who::Gc,
            Who::Mutator(mutator) => Who::Mutator(self.mutator(mutator)),
        }
    }

    fn mark(&self, mark: Mark) -> Mark {
        mark != self.senses
    }

    fn store(&self, store: Store) -> Store {
        match store {
            Store::Mark(reference, mark) => Store::Mark(self.reference(reference), self.mark(mark)),
            Store::Field(src, field, dst) => Store::Field(
                self.reference(src),
                field,
                dst.map(|dst| self.reference(dst)),
            ),
            Store::FA(mark) => Store::FA(self.mark(mark)),
            Store::FM(mark) => Store::FM(self.mark(mark)),
            Store::Phase(phase) => Store::Phase(phase),
        }
    }

    fn marking(&self, marking: &Marking) -> Marking {
        let of = |mark: Option<Mark>| mark.map(|mark| self.mark(mark));
        Marking {
            reference: marking.reference.map(|reference| self.reference(reference)),
            mark: of(marking.mark),
            cas_mark: of(marking.cas_mark),
            fm: of(marking.fm),
            phase: marking.phase,
            w: self.refs(marking.w),
            ghost_honorary_grey: self.refs(marking.ghost_honorary_grey),
        }
    }

    /// Image of a state, except its dead registers.
    fn state(&self, memory: Memory, state: &State) -> State {
        let mut to = *state;
        to.gc.marking = self.marking(&state.gc.marking);
        to.gc.src = self.reference(state.gc.src);
        to.gc.refs = self.refs(state.gc.refs);
        to.gc.muts = self.mutators(state.gc.muts);
        to.gc.mutator = self.mutator(state.gc.mutator);
        for (old, mutator) in (0..).zip(&state.mutators) {
            let new = self.mutator(old);
            to.at[place_of(new)] = state.at[place_of(old)];
            let place = &mut to.mutators[usize::from(new)];
            *place = *mutator;
            place.marking = self.marking(&mutator.marking);
            place.roots = self.refs(mutator.roots);
            place.src = self.reference(mutator.src);
            place.dst = mutator.dst.map(|dst| self.reference(dst));
            place.refs = self.refs(mutator.refs);
            place.ghost_honorary_root = self.refs(mutator.ghost_honorary_root);
        }
        let sys = &mut to.sys;
        for (old, object) in (0..).zip(&state.sys.heap) {
            let place = &mut sys.heap[usize::from(self.reference(old))];
            *place = *object;
            if let Some(object) = place {
                object.mark = self.mark(object.mark);
                for value in &mut object.fields {
                    *value = value.map(|value| self.reference(value));
                }
            }
        }
        sys.fa = self.mark(sys.fa);
        sys.fm = self.mark(sys.fm);
        for who in state.buffer_owners() {
            let place = &mut sys.buffers[self.who(who).index()];
            *place = state.sys.buffers[who.index()];
            place
                .iter_mut()
                .for_each(|store| *store = self.store(*store));
            if memory == Memory::Pso {
                place.sort_by_key(|store| store.location());
            }
        }
        sys.lock = sys.lock.map(|who| self.who(who));
        sys.pending = self.mutators(sys.pending);
        sys.w = self.refs(sys.w);
        sys.ghost_in_sync = self.mutators(sys.ghost_in_sync);
        to
    }

    /// Hash of the image of a state, of its heap and of the locations and roots of its mutators.
    fn outline(&self, state: &State) -> u64 {
        let mut outline = 0;
        for (old, mutator) in (0..).zip(&state.mutators) {
            let place = 20 * u32::from(self.mutator(old));
            let roots = u64::from(self.refs(mutator.roots).0) & 0xf;
            let reference = mutator
                .marking
                .reference
                .map_or(7, |r| u64::from(self.reference(r)));
            let at = u64::from(state.at[place_of(old)].0) & 0xff;
            outline |= (at << 8 | roots << 3 | reference) << place;
        }
        let mut heap = 0;
        for (old, object) in (0..).zip(&state.sys.heap) {
            let Some(object) = object else {
                continue;
            };
            let fields = object.fields.iter().fold(0, |number, value| {
                number * 5 + value.map_or(0, |value| 1 + u64::from(self.reference(value)))
            });
            let mark = u64::from(self.mark(object.mark));
            heap |= (fields << 2 | mark << 1 | 1) << (8 * self.reference(old));
        }
        outline ^ heap.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn field_store(&self, store: FieldStore) -> FieldStore {
        FieldStore {
            src: self.reference(store.src),
            field: store.field,
            dst: store.dst.map(|dst| self.reference(dst)),
        }
    }
}

impl Symmetric for OnTheFly {
    type Permutation = Permutation;

    fn permutations(&self) -> Vec<Permutation> {
        permutations(self.scope.refs, self.scope.mutators, &[false, true])
    }

    fn permute(&self, by: &Permutation, state: &State) -> State {
        let mut to = by.state(self.variant.memory, state);
        self.processes.clear_dead(&mut to);
        to
    }

    /// The step of the image process with the same label and target.
    fn permute_action(&self, by: &Permutation, from: &State, action: &Act, to: &State) -> Act {
        let number = action
            .process
            .number
            .map(|mutator| by.mutator(mutator as u8));
        let wanted = match number {
            Some(mutator) => process(mutator, self.scope.mutators),
            None => action.process,
        };
        let label = match action.label {
            Label::Sys(SysStep::Commit(who)) => SysStep::Commit(by.who(who)).into(),
            // These labels contain no permuted identity.
            Label::Round(..)
            | Label::Flip(_)
            | Label::SetFa(_)
            | Label::StorePhase(_)
            | Label::MarkLoop(_)
            | Label::Sweep(_)
            | Label::Mutator(_)
            | Label::Answer(_)
            | Label::Marking(..)
            | Label::Sys(SysStep::Answer) => action.label,
        };
        let leading = |from: &State, by: (Process, Label), to: &State| {
            let mut acts = Vec::new();
            self.next(from, &mut |act, target| {
                if (act.process, act.label) == by && target == to {
                    acts.push(act);
                }
            });
            acts
        };
        let image = [from, to].map(|state| self.permute(by, state));
        let acts = leading(&image[0], (wanted, label), &image[1]);
        // Of several with the same target, the one at the same position.
        let place = match acts.len() {
            0 | 1 => Some(0),
            _ => {
                let acts = leading(from, (action.process, action.label), to);
                acts.iter().position(|act| act == action)
            }
        };
        let act = place.and_then(|place| acts.get(place));
        act.copied().unwrap_or(*action)
    }

    /// The least image, by outline and then by value, with the sense of marks `false`.
    fn canonical(&self, all: &[Permutation], state: &State) -> State {
        let alike = || {
            all.iter()
                .filter(|by| by.mark(state.sys.fm) == Mark::default())
        };
        // PERF: the outline decides most comparisons, and costs less than the image.
        let mut least = None;
        let mut is_shared = false;
        for by in alike() {
            let outline = by.outline(state);
            match least.map(|(least, _)| outline.cmp(&least)) {
                None | Some(Ordering::Less) => (least, is_shared) = (Some((outline, by)), false),
                Some(Ordering::Equal) => is_shared = true,
                Some(Ordering::Greater) => (),
            }
        }
        let (least, first) = least.expect("some permutation makes it so");
        let image = |by: &Permutation| match std::ptr::eq(by, &all[0]) {
            true => *state, // the identity
            false => self.permute(by, state),
        };
        if !is_shared {
            return image(first);
        }
        let members = alike().filter(|by| by.outline(state) == least);
        let least = members.map(image).min();
        least.expect("the first is one of them")
    }
}

impl Symmetric for CollectOnlyGarbage {
    type Permutation = Permutation;

    fn permutations(&self) -> Vec<Permutation> {
        permutations(self.refs, self.mutators, &[false, true])
    }

    fn permute(&self, by: &Permutation, program: &Program) -> Program {
        let mut to = *program;
        for (old, cell) in (0..).zip(&program.heap) {
            let place = &mut to.heap[usize::from(by.reference(old))];
            *place = *cell;
            for value in place.iter_mut().flatten() {
                *value = value.map(|value| by.reference(value));
            }
        }
        for mutator in 0..self.mutators {
            let [old, new] = [mutator, by.mutator(mutator)].map(usize::from);
            to.roots[new] = by.refs(program.roots[old]);
            to.pending[new] = program.pending[old];
            let stores = to.pending[new].iter_mut();
            stores.for_each(|store| *store = by.field_store(*store));
            if self.memory == Memory::Pso {
                to.pending[new].sort_by_key(|store| (store.src, store.field));
            }
        }
        to
    }

    fn permute_action(
        &self,
        by: &Permutation,
        _from: &StateOf<Self>,
        action: &Action,
        _to: &StateOf<Self>,
    ) -> Action {
        match *action {
            Action::Alloc { mutator, reference } => Action::Alloc {
                mutator: by.mutator(mutator),
                reference: by.reference(reference),
            },
            Action::Discard { mutator, kept } => Action::Discard {
                mutator: by.mutator(mutator),
                kept: by.refs(kept),
            },
            Action::Load {
                mutator,
                src,
                field,
            } => Action::Load {
                mutator: by.mutator(mutator),
                src: by.reference(src),
                field,
            },
            Action::Store { mutator, store } => Action::Store {
                mutator: by.mutator(mutator),
                store: by.field_store(store),
            },
            Action::Commit { mutator, store } => Action::Commit {
                mutator: by.mutator(mutator),
                store: by.field_store(store),
            },
            Action::Free { reference } => Action::Free {
                reference: by.reference(reference),
            },
        }
    }
}
