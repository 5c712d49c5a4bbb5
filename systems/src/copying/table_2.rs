//! The published results: [Ugawa et al., Table 2], as data.

use Cell::{BothFail, Holds, WrFails};
use refmap_programs::MemoryModel;

use super::instance::Protocol;

/// Result of a protocol under a memory model, in both scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// Neither scenario fails.
    Holds,
    WrFails,
    RwFails,
    BothFail,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub protocol: Protocol,
    /// Its α, if it has one.
    pub alpha: Option<u8>,
    /// The cells, in the order of [`MemoryModel::ALL`]; none where the paper has a dash.
    pub published: [Option<Cell>; MemoryModel::ALL.len()],
}

const fn row(
    protocol: Protocol,
    alpha: Option<u8>,
    published: [Option<Cell>; MemoryModel::ALL.len()],
) -> Row {
    Row {
        protocol,
        alpha,
        published,
    }
}

const H: Option<Cell> = Some(Holds);
const W: Option<Cell> = Some(WrFails);
const B: Option<Cell> = Some(BothFail);

/// The 23 rows in the paper's order; columns are SC, TSO, PSO-full, PSO-no, RMO-full and RMO-no. The
/// one entry of the row Clover (α = 0) spans all of them.
pub const TABLE_2: [Row; 23] = [
    row(Protocol::Stopless, None, [H, H, H, B, H, B]),
    row(Protocol::StoplessForRmo, None, [H, H, H, H, H, H]),
    row(Protocol::Chicken, None, [H, H, W, B, W, B]),
    row(Protocol::Staccato, None, [H, H, W, W, W, W]),
    row(Protocol::StaccatoFence, None, [H, H, H, H, H, H]),
    row(Protocol::StaccatoRelFence, None, [H, H, H, H, H, H]),
    row(Protocol::Clover, Some(0), [W, W, W, W, W, W]),
    row(Protocol::Clover, Some(1), [H, H, H, B, H, B]),
    row(Protocol::Clover, Some(2), [H, H, H, B, H, B]),
    row(Protocol::CloverFix, Some(0), [H, H, H, H, H, H]),
    row(Protocol::CloverFix, Some(1), [H, H, H, B, H, B]),
    row(Protocol::CloverFix, Some(2), [H, H, H, B, H, B]),
    row(Protocol::CloverForRmo, Some(0), [H, H, H, H, H, H]),
    row(Protocol::CloverForRmo, Some(1), [H, H, H, H, H, H]),
    row(Protocol::CloverForRmo, Some(2), [H, H, H, H, H, H]),
    row(Protocol::SapphireIteration, None, [H, H, H, None, H, None]),
    row(Protocol::SapphireLlsc, None, [H, H, H, None, H, None]),
    row(Protocol::X86Sapphire, None, [H, H, W, None, W, None]),
    row(Protocol::Baker, None, [H, H, H, None, H, None]),
    row(Protocol::Replication, None, [H, H, H, None, H, None]),
    row(Protocol::Compressor, None, [H, H, H, H, H, H]),
    row(Protocol::Pauseless, None, [H, H, H, None, H, None]),
    row(Protocol::Schism, None, [H, H, H, None, H, None]),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// [Section 4.5]: dashes are the cells that were not conducted.
    #[test]
    fn there_are_124_conducted_cells() {
        let cells = TABLE_2.iter().flat_map(|row| row.published);
        assert_eq!(cells.flatten().count(), 124);
        assert!(
            TABLE_2
                .iter()
                .all(|row| row.protocol.has_alpha() == row.alpha.is_some())
        );
    }
}
