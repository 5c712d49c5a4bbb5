//! The states of a table in words, from one word to more than the engine keeps.

use refmap::{Field, Fields, Layout, Packed};

use super::{PLACES, State, Table};

/// Where the variables of a state are, and what else is written beside them.
#[derive(Clone, Debug)]
pub struct Packing {
    layout: Layout,
    pub place: Field,
    pub secret: Field,
    pub lane: Field,
    /// Whole words of padding.
    padding: Vec<Field>,
    /// What the padding says of a state.
    says: Padding,
}

/// What padding says of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Padding {
    /// Nothing: states differ in one word only.
    Nothing,
    /// The state once more, spread over all bits.
    Mixed,
}

/// Values of `State::secret`: a table has at most 12 rows.
const SECRETS: u64 = 3;

impl Packing {
    /// The packing of a seed, for so many lanes: over 1 to 6 words, with the variables in the first
    /// or in the last.
    pub fn of(seed: u64, lanes: u16) -> Self {
        let mut layout = Layout::new();
        let words = seed % 6;
        let variables_last = seed / 6 % 2 == 1;
        let mut padding = Vec::new();
        let pad = |layout: &mut Layout| (0..words).map(|_| layout.bits_of(64)).collect();
        if variables_last {
            padding = pad(&mut layout);
        }
        let place = layout.below(PLACES.into());
        let secret = layout.below(SECRETS);
        let lane = layout.below(lanes.into());
        if !variables_last {
            padding = pad(&mut layout);
        }
        let says = match seed / 12 % 2 {
            0 => Padding::Nothing,
            _ => Padding::Mixed,
        };
        Self {
            layout,
            place,
            secret,
            lane,
            padding,
            says,
        }
    }
}

impl Packed for Table {
    fn layout(&self) -> &Layout {
        &self.packing.layout
    }

    fn fields(&self, state: &State, fields: &mut impl Fields) -> State {
        let packing = &self.packing;
        let known = u64::from(state.place) << 32 | u64::from(state.secret) << 16;
        let mut mixed = known | u64::from(state.lane);
        for field in &packing.padding {
            mixed = (mixed ^ mixed >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let padding = match packing.says {
                Padding::Nothing => 0,
                Padding::Mixed => mixed,
            };
            fields.number(*field, padding);
        }
        State {
            place: fields.byte(packing.place, state.place),
            secret: fields.byte(packing.secret, state.secret),
            lane: fields.number(packing.lane, state.lane.into()) as u16,
        }
    }
}
