//! Steps that see only a part of a state, and leave the rest of it, their *frame*, as it is.
//!
//! In a system of processes the steps of some of them depend on few variables, and many states differ
//! only in the others. A model says beside itself what that part is, and gives its steps as steps of
//! the part alone, so that by their type they can neither read nor write anything else. A search then
//! has the model take, and the obligations judged, of the steps of each part once, however many states
//! there are that it is a part of. A refinement that maps parts to parts can be judged so by the frame
//! rule: what is a step of the part is a step of the whole, with any frame.
//!
//! Source: Blom, van de Pol & Weber, *LTSmin: Distributed and Symbolic Reachability*, CAV 2010, whose
//! groups of transitions project a state to the variables they depend on and remember what follows.

use crate::packed::{Field, Fields, Packed};
use crate::refinement::Refinement;
use crate::system::{ActionOf, StateOf, TransitionSystem};

/// A system some of whose steps see and change only a part of a state.
///
/// [`next`](TransitionSystem::next) visits the steps of the part first, each with the part replaced,
/// and then those of the rest. A check tests that on some of the states, and reports a model that
/// breaks it.
pub trait Framed: TransitionSystem {
    /// The variables that these steps see.
    type Part: Clone + Eq + Send + Sync + 'static;

    /// The part of `state`.
    fn part(&self, state: &StateOf<Self>) -> Self::Part;
    /// Replaces the part of `state`, and nothing else of it.
    fn put(&self, part: &Self::Part, state: &mut StateOf<Self>);
    /// Visits every step of the part that is enabled in `from`.
    fn next_of_part(&self, from: &Self::Part, visit: &mut impl FnMut(ActionOf<Self>, Self::Part));
    /// Visits every other step enabled in `from`.
    fn next_of_rest(
        &self,
        from: &StateOf<Self>,
        visit: &mut impl FnMut(ActionOf<Self>, StateOf<Self>),
    );
}

/// The part that the steps of a system see.
pub type PartOf<S> = <S as Framed>::Part;

/// A framed system whose states are packed, each variable of the part in a place of its own.
pub trait PackedPart: Framed + Packed {
    /// Passes each variable of `part` through `fields`, as [`fields`](Packed::fields) does with those
    /// of a state, at the same places.
    fn part_fields(&self, part: &PartOf<Self>, fields: &mut impl Fields) -> PartOf<Self>;
}

/// A refinement between framed systems of which the part maps to the part, and the frame to the frame.
///
/// It has to agree with [`map`](Refinement::map) and [`answer`](Refinement::answer). A check tests the
/// one in every state, and the other in some.
pub trait FramedRefinement: Refinement<Concrete: Framed, Abstract: Framed> {
    /// The part of f(s), from the part of s.
    fn map_part(&self, part: &PartOf<Self::Concrete>) -> PartOf<Self::Abstract>;

    /// The abstract action, of a step of the part, that a step of the part simulates, or `None` for a
    /// stutter.
    fn answer_part(
        &self,
        from: &PartOf<Self::Concrete>,
        action: &ActionOf<Self::Concrete>,
        to: &PartOf<Self::Concrete>,
    ) -> Option<ActionOf<Self::Abstract>>;
}

/// All steps from a state: those of the part, in their frame, and those of the rest. What `next` has
/// to be.
pub fn next_framed<S: Framed>(
    system: &S,
    from: &StateOf<S>,
    visit: &mut impl FnMut(ActionOf<S>, StateOf<S>),
) {
    system.next_of_part(&system.part(from), &mut |action, part| {
        let mut to = from.clone();
        system.put(&part, &mut to);
        visit(action, to);
    });
    system.next_of_rest(from, visit);
}

/// How a system is not framed as it says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misframed {
    /// `next` visits other steps than those of the part and of the rest, or in another order.
    #[error(
        "step {position} of `next` is {next}, and of the steps of the part and the rest it is {framed}"
    )]
    Steps {
        /// Which step of a state, counted from 0.
        position: usize,
        /// The step that `next` visits, as `Debug` shows it.
        next: String,
        /// The step that it should be.
        framed: String,
    },
    /// The variables of the part are packed by `part_fields` otherwise than by `fields`.
    #[error("`part_fields` writes a part otherwise than `fields` does")]
    Packing,
    /// `answer_part` answers otherwise than `answer` does.
    #[error("`answer` to {action} is {answer}, and `answer_part` is {framed}")]
    Answer {
        /// The action, as `Debug` shows it.
        action: String,
        /// The answer.
        answer: String,
        /// What it should be.
        framed: String,
    },
    /// `map` does not take the part to what `map_part` says, or what it takes the rest to depends on the
    /// part.
    #[error("`map` leads to {map}, and part and rest are mapped by themselves to {framed}")]
    Map {
        /// The image, as `Debug` shows it.
        map: String,
        /// What it should be.
        framed: String,
    },
}

/// The bits that the part of a state takes, if a packed state is one word.
pub(crate) fn bits_of_part<S: PackedPart>(system: &S, part: &PartOf<S>) -> Option<u64> {
    let mut bits = Bits { in_first_word: 0 };
    system.part_fields(part, &mut bits);
    let layout = system.layout();
    let fits = layout.words() == 1 && bits.in_first_word & layout.unused(0) == 0;
    fits.then_some(bits.in_first_word)
}

/// Gathers the bits of the variables that are passed through it.
struct Bits {
    in_first_word: u64,
}

impl Fields for Bits {
    fn number(&mut self, field: Field, value: u64) -> u64 {
        self.in_first_word |= field.bits();
        value
    }
}
