//! The states of a table in words, from one word to more than the engine keeps at one place.

use refmap::state::{Kept, Limits, Shape, Sink, Source};

use super::{PLACES, State, Table};

/// Form in which states are written: their variables, and the numbers beside them.
#[derive(Clone, Debug)]
pub struct Packing {
    lanes: u16,
    /// Whole words of padding.
    padding: u32,
    /// Whether the variables come behind the padding.
    variables_last: bool,
    /// Content of the padding.
    says: Padding,
}

/// Content of padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Padding {
    /// Nothing: states differ in one word only.
    Nothing,
    /// The state once more, spread over all bits.
    Mixed,
}

/// Values of `State::secret`: a table has at most 12 rows.
const SECRETS: u8 = 3;

impl Packing {
    /// The packing of a seed, for so many lanes: over 1 to 6 words, with the variables in the first
    /// or in the last.
    pub fn of(seed: u64, lanes: u16) -> Self {
        Self {
            lanes,
            padding: (seed % 6) as u32,
            variables_last: seed / 6 % 2 == 1,
            says: match seed / 12 % 2 {
                0 => Padding::Nothing,
                _ => Padding::Mixed,
            },
        }
    }

    /// The greatest values of the variables.
    fn most(&self) -> [u64; 3] {
        [
            (PLACES - 1).into(),
            (SECRETS - 1).into(),
            (self.lanes - 1).into(),
        ]
    }
}

fn write_padding(state: &State, packing: &Packing, sink: &mut impl Sink) {
    let known = u64::from(state.place) << 32 | u64::from(state.secret) << 16;
    let mut mixed = known | u64::from(state.lane);
    for _ in 0..packing.padding {
        mixed = (mixed ^ mixed >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        sink.number(
            u64::MAX,
            match packing.says {
                Padding::Nothing => 0,
                Padding::Mixed => mixed,
            },
        );
    }
}

fn skip_padding(packing: &Packing, source: &mut impl Source) {
    for _ in 0..packing.padding {
        source.number(u64::MAX);
    }
}

impl refmap::State<Table> for State {
    const KEPT: Kept = Kept::Encoded;

    fn shape(table: &Table, _: Limits) -> Shape {
        let bits = table
            .packing
            .most()
            .map(|most| u64::BITS - most.leading_zeros());
        Shape::by_hand(Some(
            bits.iter().sum::<u32>() + u64::BITS * table.packing.padding,
        ))
    }

    fn write(&self, table: &Table, _: Limits, sink: &mut impl Sink) {
        let packing = &table.packing;
        if packing.variables_last {
            write_padding(self, packing, sink);
        }
        let values = [self.place.into(), self.secret.into(), self.lane.into()];
        for (most, value) in packing.most().into_iter().zip(values) {
            sink.number(most, value);
        }
        if !packing.variables_last {
            write_padding(self, packing, sink);
        }
    }

    fn read(table: &Table, _: Limits, source: &mut impl Source) -> Self {
        let packing = &table.packing;
        if packing.variables_last {
            skip_padding(packing, source);
        }
        let [place, secret, lane] = packing.most().map(|most| source.number(most));
        if !packing.variables_last {
            skip_padding(packing, source);
        }
        Self {
            place: place as u8,
            secret: secret as u8,
            lane: lane as u16,
        }
    }
}
