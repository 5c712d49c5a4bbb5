//! The table of the paper, and ablations: the protocols without each of their parts, and with each part that they
//! lack.

use refmap_cli::table::{Axis, Expected, Failing, Published, PublishedRow, Rows, Table};
use refmap_programs::MemoryModel;
use refmap_systems::copying::table_2::{Cell, Row, TABLE_2};
use refmap_systems::copying::{Progress, Protocol};

use super::NAME;

/// Creates a table with the memory models as columns, and WR and RW as parts.
fn table(
    name: &'static str,
    about: &'static str,
    source: &'static str,
    named: &[&'static str],
    rows: Vec<PublishedRow>,
) -> Table {
    let published = Published {
        source,
        named: named.to_vec(),
        columns: Axis {
            parameter: "memory",
            values: MemoryModel::ALL.map(MemoryModel::name).to_vec(),
        },
        parts: Axis {
            parameter: "scenario",
            values: vec!["wr", "rw"],
        },
        rows,
    };
    Table {
        name,
        about,
        check: NAME,
        rows: Rows::Published(published),
    }
}

/// Every cell of Table 2, including those with a dash.
pub(super) fn table_2() -> Table {
    let about = "copying protocols under six memory models: 23 rows, both scenarios";
    let rows = TABLE_2.iter().map(|row| {
        let cells = row
            .published
            .iter()
            .enumerate()
            .map(|(column, cell)| match cell {
                Some(cell) => Expected::published(failing(*cell)),
                None => Expected::found(not_conducted(row.protocol, MemoryModel::ALL[column])),
            });
        PublishedRow {
            given: of_row(row.protocol, row.alpha),
            cells: cells.collect(),
        }
    });
    let (source, named) = ("Ugawa et al., Table 2", ["protocol", "alpha"]);
    table("copying", about, source, &named, rows.collect())
}

/// Arguments of a row of Table 2.
fn of_row(protocol: Protocol, alpha: Option<u8>) -> String {
    let alpha = alpha.map_or_else(String::new, |alpha| format!(" --alpha {alpha}"));
    format!("--protocol {protocol}{alpha}")
}

fn failing(cell: Cell) -> Failing {
    match cell {
        Cell::Holds => H,
        Cell::WrFails => W,
        Cell::RwFails => R,
        Cell::BothFail => B,
    }
}

/// Result of a cell with a dash: the protocol uses no CAS, so the two variants of a model do not differ.
fn not_conducted(protocol: Protocol, model: MemoryModel) -> Failing {
    match (protocol, model) {
        (Protocol::X86Sapphire, MemoryModel::PsoNo | MemoryModel::RmoNo) => W,
        _ => H,
    }
}

const H: Failing = Failing::NONE;
const W: Failing = Failing(1);
const R: Failing = Failing(2);
const B: Failing = Failing(3);

/// Progress that is asked of every row.
const ASKED: [Progress; 4] = [
    Progress::WaitFree,
    Progress::LockFree,
    Progress::Copied,
    Progress::CopiedUnderLoad,
];

/// The progress of every row of Table 2 with two mutators that write, under SC. All results were found by this checker.
pub(super) fn progress() -> Table {
    let rows = TABLE_2.iter().map(|row| PublishedRow {
        given: of_row(row.protocol, row.alpha) + " --memory sc --mutators 2",
        cells: made(row).map(Expected::found).to_vec(),
    });
    let published = Published {
        source: "Herlihy & Shavit, On the Nature of Progress",
        named: vec!["protocol", "alpha", "memory", "mutators"],
        columns: Axis {
            parameter: "progress",
            values: ASKED.map(Progress::name).to_vec(),
        },
        parts: Axis {
            parameter: "scenario",
            values: vec!["w"],
        },
        rows: rows.collect(),
    };
    Table {
        name: "copying-progress",
        about: "the same rows: which are wait-free for mutators, which lock-free, and when the copy is completed",
        check: NAME,
        rows: Rows::Published(published),
    }
}

/// The progress that a row makes, of that which is asked: F where it is not made.
fn made(row: &Row) -> [Failing; ASKED.len()] {
    const F: Failing = W;
    match (row.protocol, row.alpha) {
        // A CAS is tried again until no other comes between.
        (Protocol::Stopless | Protocol::StoplessForRmo, _)
        | (Protocol::Clover | Protocol::CloverFix | Protocol::CloverForRmo, Some(0 | 2)) => {
            [F, H, H, F]
        }
        // Moreover a mutator that writes α waits for the end of the copy.
        (Protocol::Clover | Protocol::CloverFix | Protocol::CloverForRmo, _) => [F, F, H, F],
        // A mutator waits for the thread that has claimed the page, and the collector for a stop.
        (Protocol::Compressor, _) => [F, F, H, F],
        // The collector copies again until no mutator writes in between, or waits for a stop.
        (
            Protocol::SapphireIteration
            | Protocol::X86Sapphire
            | Protocol::Baker
            | Protocol::Replication
            | Protocol::Pauseless,
            _,
        ) => [H, H, H, F],
        (
            Protocol::Chicken
            | Protocol::Staccato
            | Protocol::StaccatoFence
            | Protocol::StaccatoRelFence
            | Protocol::SapphireLlsc
            | Protocol::Schism,
            _,
        ) => [H; ASKED.len()],
    }
}

/// Change to the protocol.
use Change::{With, Without};

#[derive(Clone, Copy)]
enum Change {
    Without,
    With,
}

struct Ablation {
    protocol: Protocol,
    alpha: Option<u8>,
    change: Change,
    part: &'static str,
    cells: [Failing; MemoryModel::ALL.len()],
}

const fn ablation(
    protocol: Protocol,
    alpha: Option<u8>,
    change: Change,
    part: &'static str,
    cells: [Failing; MemoryModel::ALL.len()],
) -> Ablation {
    Ablation {
        protocol,
        alpha,
        change,
        part,
        cells,
    }
}

/// Every row of Table 2 without each of its parts, and with each that it lacks. All results were found by this
/// checker, except that the paper states that Chicken needs more than its fence, and where the fence of Sapphire
/// for the x86 has to stand.
pub(super) fn ablations() -> Table {
    let about = "the same rows without each of their fences, CASes, checks and logs, and with each they lack";
    let rows = ABLATIONS.iter().map(|ablation| {
        let change = match ablation.change {
            Without => "without",
            With => "with",
        };
        let row = of_row(ablation.protocol, ablation.alpha);
        PublishedRow {
            given: format!("{row} --{change} {}", ablation.part),
            cells: ablation.cells.map(Expected::found).to_vec(),
        }
    });
    table(
        "copying-ablations",
        about,
        "Ugawa et al., section 4",
        &["protocol", "alpha", "without", "with"],
        rows.collect(),
    )
}

/// Columns are SC, TSO, PSO-full, PSO-no, RMO-full and RMO-no. H means that both hold, W and R that WR or RW fails,
/// B that both fail.
#[rustfmt::skip]
const ABLATIONS: [Ablation; 122] = [
    ablation(Protocol::Stopless, None, Without, "status-cas", [W, W, B, B, B, B]),
    ablation(Protocol::Stopless, None, With, "fence-after-wide-install", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-between-reads", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-before-fill", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-after-fill", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-after-wide-forward", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-after-to-forward", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-before-copy", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-after-copy", [H, H, H, H, H, H]),
    ablation(Protocol::Stopless, None, With, "fence-after-status", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-before-flip", [H, H, H, B, H, B]),
    ablation(Protocol::Stopless, None, With, "fence-in-flip", [H, H, H, B, H, B]),
    ablation(Protocol::StoplessForRmo, None, Without, "status-cas", [W, W, W, W, W, W]),
    ablation(Protocol::StoplessForRmo, None, With, "fence-after-wide-install", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, With, "fence-between-reads", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, With, "fence-before-fill", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, With, "fence-after-fill", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, Without, "fence-after-wide-forward", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, With, "fence-after-to-forward", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, With, "fence-before-copy", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, Without, "fence-after-copy", [H, H, H, B, H, B]),
    ablation(Protocol::StoplessForRmo, None, With, "fence-after-status", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, Without, "fence-before-flip", [H, H, H, H, H, H]),
    ablation(Protocol::StoplessForRmo, None, With, "fence-in-flip", [H, H, H, H, H, H]),
    ablation(Protocol::Chicken, None, Without, "commit-cas", [W, W, B, B, B, B]),
    ablation(Protocol::Chicken, None, With, "fence-after-forward", [H, H, W, W, W, W]),
    ablation(Protocol::Chicken, None, With, "fence-before-handshake", [H, H, W, B, W, B]),
    ablation(Protocol::Chicken, None, With, "yieldpoint-fence", [H, H, W, B, W, B]),
    ablation(Protocol::Chicken, None, With, "write-barrier-fence", [H, H, W, B, W, B]),
    ablation(Protocol::Staccato, None, Without, "commit-cas", [W, W, W, W, W, W]),
    ablation(Protocol::Staccato, None, Without, "copying-cas-result", [H, H, W, W, W, W]),
    ablation(Protocol::Staccato, None, Without, "read-sync", [H, H, W, W, W, W]),
    ablation(Protocol::Staccato, None, Without, "write-sync", [H, H, W, B, W, B]),
    ablation(Protocol::Staccato, None, Without, "yieldpoint-fence", [H, H, W, W, W, W]),
    ablation(Protocol::Staccato, None, With, "yieldpoint-fence:full", [H, H, H, H, H, H]),
    ablation(Protocol::Staccato, None, Without, "yieldpoint-fence:acquire", [H, H, W, W, W, W]),
    ablation(Protocol::Staccato, None, With, "yieldpoint-fence:release", [H, H, H, H, H, H]),
    ablation(Protocol::Staccato, None, With, "write-barrier-fence", [H, H, H, H, H, H]),
    ablation(Protocol::StaccatoFence, None, Without, "commit-cas", [W, W, W, W, W, W]),
    ablation(Protocol::StaccatoFence, None, Without, "copying-cas-result", [H, H, H, H, H, W]),
    ablation(Protocol::StaccatoFence, None, Without, "read-sync", [H, H, H, H, H, H]),
    ablation(Protocol::StaccatoFence, None, Without, "write-sync", [H, H, H, B, H, B]),
    ablation(Protocol::StaccatoFence, None, Without, "yieldpoint-fence", [H, H, W, W, W, W]),
    ablation(Protocol::StaccatoFence, None, Without, "yieldpoint-fence:full", [H, H, W, W, W, W]),
    ablation(Protocol::StaccatoFence, None, With, "yieldpoint-fence:acquire", [H, H, H, H, H, H]),
    ablation(Protocol::StaccatoFence, None, With, "yieldpoint-fence:release", [H, H, H, H, H, H]),
    ablation(Protocol::StaccatoFence, None, With, "write-barrier-fence", [H, H, H, H, H, H]),
    ablation(Protocol::StaccatoRelFence, None, Without, "commit-cas", [W, W, W, W, W, W]),
    ablation(Protocol::StaccatoRelFence, None, Without, "copying-cas-result", [H, H, H, H, H, W]),
    ablation(Protocol::StaccatoRelFence, None, Without, "read-sync", [H, H, H, H, H, H]),
    ablation(Protocol::StaccatoRelFence, None, Without, "write-sync", [H, H, H, B, H, B]),
    ablation(Protocol::StaccatoRelFence, None, Without, "yieldpoint-fence", [H, H, W, W, W, W]),
    ablation(Protocol::StaccatoRelFence, None, With, "yieldpoint-fence:full", [H, H, H, H, H, H]),
    ablation(Protocol::StaccatoRelFence, None, With, "yieldpoint-fence:acquire", [H, H, H, H, H, H]),
    ablation(Protocol::StaccatoRelFence, None, Without, "yieldpoint-fence:release", [H, H, W, W, W, W]),
    ablation(Protocol::StaccatoRelFence, None, With, "write-barrier-fence", [H, H, H, H, H, H]),
    ablation(Protocol::Clover, Some(0), Without, "alpha-cas", [W, W, W, W, W, W]),
    ablation(Protocol::Clover, Some(0), With, "fence-before-alpha", [W, W, W, W, W, W]),
    ablation(Protocol::Clover, Some(0), With, "yieldpoint-fence", [W, W, W, W, W, W]),
    ablation(Protocol::Clover, Some(1), Without, "alpha-cas", [H, H, B, B, B, B]),
    ablation(Protocol::Clover, Some(1), With, "fence-before-alpha", [H, H, H, H, H, H]),
    ablation(Protocol::Clover, Some(1), With, "yieldpoint-fence", [H, H, H, B, H, B]),
    ablation(Protocol::Clover, Some(2), Without, "alpha-cas", [W, W, B, B, B, B]),
    ablation(Protocol::Clover, Some(2), With, "fence-before-alpha", [H, H, H, H, H, H]),
    ablation(Protocol::Clover, Some(2), With, "yieldpoint-fence", [H, H, H, B, H, B]),
    ablation(Protocol::CloverFix, Some(0), Without, "alpha-cas", [H, H, H, H, H, H]),
    ablation(Protocol::CloverFix, Some(0), Without, "alpha-check", [W, W, W, W, W, W]),
    ablation(Protocol::CloverFix, Some(0), With, "fence-before-alpha", [H, H, H, H, H, H]),
    ablation(Protocol::CloverFix, Some(0), With, "yieldpoint-fence", [H, H, H, H, H, H]),
    ablation(Protocol::CloverFix, Some(1), Without, "alpha-cas", [H, H, B, B, B, B]),
    ablation(Protocol::CloverFix, Some(1), Without, "alpha-check", [H, H, H, B, H, B]),
    ablation(Protocol::CloverFix, Some(1), With, "fence-before-alpha", [H, H, H, H, H, H]),
    ablation(Protocol::CloverFix, Some(1), With, "yieldpoint-fence", [H, H, H, B, H, B]),
    ablation(Protocol::CloverFix, Some(2), Without, "alpha-cas", [W, W, B, B, B, B]),
    ablation(Protocol::CloverFix, Some(2), Without, "alpha-check", [H, H, H, B, H, B]),
    ablation(Protocol::CloverFix, Some(2), With, "fence-before-alpha", [H, H, H, H, H, H]),
    ablation(Protocol::CloverFix, Some(2), With, "yieldpoint-fence", [H, H, H, B, H, B]),
    ablation(Protocol::CloverForRmo, Some(0), Without, "alpha-cas", [H, H, H, H, H, H]),
    ablation(Protocol::CloverForRmo, Some(0), Without, "alpha-check", [W, W, W, W, W, W]),
    ablation(Protocol::CloverForRmo, Some(0), Without, "fence-before-alpha", [H, H, H, H, H, H]),
    ablation(Protocol::CloverForRmo, Some(0), With, "yieldpoint-fence", [H, H, H, H, H, H]),
    ablation(Protocol::CloverForRmo, Some(1), Without, "alpha-cas", [H, H, W, W, W, W]),
    ablation(Protocol::CloverForRmo, Some(1), Without, "alpha-check", [H, H, H, H, H, H]),
    ablation(Protocol::CloverForRmo, Some(1), Without, "fence-before-alpha", [H, H, H, B, H, B]),
    ablation(Protocol::CloverForRmo, Some(1), With, "yieldpoint-fence", [H, H, H, H, H, H]),
    ablation(Protocol::CloverForRmo, Some(2), Without, "alpha-cas", [W, W, W, W, W, W]),
    ablation(Protocol::CloverForRmo, Some(2), Without, "alpha-check", [H, H, H, H, H, H]),
    ablation(Protocol::CloverForRmo, Some(2), Without, "fence-before-alpha", [H, H, H, B, H, B]),
    ablation(Protocol::CloverForRmo, Some(2), With, "yieldpoint-fence", [H, H, H, H, H, H]),
    ablation(Protocol::SapphireIteration, None, Without, "collector-fences", [H, W, W, W, W, W]),
    ablation(Protocol::SapphireIteration, None, Without, "collector-fences:before-copy", [H, H, H, H, H, H]),
    ablation(Protocol::SapphireIteration, None, Without, "collector-fences:after-copy", [H, W, W, W, W, W]),
    ablation(Protocol::SapphireIteration, None, Without, "fence-after-last", [H, H, H, H, H, H]),
    ablation(Protocol::SapphireIteration, None, Without, "mutator-fence", [H, H, W, W, W, W]),
    ablation(Protocol::SapphireLlsc, None, Without, "collector-fences", [H, H, H, H, W, W]),
    ablation(Protocol::SapphireLlsc, None, Without, "collector-fences:after-ll", [H, H, H, H, W, W]),
    ablation(Protocol::SapphireLlsc, None, Without, "collector-fences:before-sc", [H, H, H, H, H, H]),
    ablation(Protocol::SapphireLlsc, None, Without, "fence-after-last", [H, H, H, H, R, R]),
    ablation(Protocol::SapphireLlsc, None, Without, "mutator-fence", [H, H, W, W, W, W]),
    ablation(Protocol::X86Sapphire, None, With, "literal-fence", [H, W, W, W, W, W]),
    ablation(Protocol::X86Sapphire, None, Without, "check-fence", [H, W, B, B, B, B]),
    ablation(Protocol::X86Sapphire, None, With, "fence-after-last", [H, H, W, W, W, W]),
    ablation(Protocol::X86Sapphire, None, With, "mutator-fence", [H, H, H, H, H, H]),
    ablation(Protocol::Baker, None, Without, "yieldpoint-fence", [H, W, W, W, W, W]),
    ablation(Protocol::Baker, None, Without, "yieldpoint-fence:before", [H, H, W, W, W, W]),
    ablation(Protocol::Baker, None, Without, "yieldpoint-fence:behind", [H, W, W, W, W, W]),
    ablation(Protocol::Baker, None, Without, "yieldpoint-fence:end", [H, H, H, H, H, H]),
    ablation(Protocol::Replication, None, Without, "yieldpoint-fence", [H, W, W, W, W, W]),
    ablation(Protocol::Replication, None, Without, "yieldpoint-fence:before", [H, H, W, W, W, W]),
    ablation(Protocol::Replication, None, Without, "yieldpoint-fence:behind", [H, W, W, W, W, W]),
    ablation(Protocol::Replication, None, Without, "yieldpoint-fence:end", [H, H, H, H, H, H]),
    ablation(Protocol::Replication, None, Without, "log", [W, W, W, W, W, W]),
    ablation(Protocol::Compressor, None, Without, "fence-before-unprotect", [H, H, B, B, B, B]),
    ablation(Protocol::Compressor, None, Without, "yieldpoint-fence", [H, W, W, W, W, W]),
    ablation(Protocol::Compressor, None, Without, "yieldpoint-fence:before", [H, H, W, W, W, W]),
    ablation(Protocol::Compressor, None, Without, "yieldpoint-fence:behind", [H, W, W, W, W, W]),
    ablation(Protocol::Compressor, None, Without, "yieldpoint-fence:end", [H, H, H, H, H, H]),
    ablation(Protocol::Pauseless, None, Without, "yieldpoint-fence", [H, W, W, W, W, W]),
    ablation(Protocol::Pauseless, None, Without, "yieldpoint-fence:before", [H, H, W, W, W, W]),
    ablation(Protocol::Pauseless, None, Without, "yieldpoint-fence:behind", [H, W, W, W, W, W]),
    ablation(Protocol::Pauseless, None, Without, "yieldpoint-fence:end", [H, H, H, H, H, H]),
    ablation(Protocol::Schism, None, Without, "publication-fence", [H, H, B, B, B, B]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use refmap_programs::Presence;
    use refmap_systems::copying::parts;

    /// The ablations contain exactly the parts of the protocols.
    #[test]
    fn every_part_of_every_row_is_there_once() {
        let mut expected = Vec::new();
        for row in TABLE_2 {
            for part in parts(row.protocol) {
                let change = match part.presence {
                    Presence::Present => "without",
                    Presence::Absent => "with",
                };
                expected.push((row.protocol, row.alpha, change, part.name));
            }
        }
        let listed = ABLATIONS.iter().map(|ablation| {
            let change = match ablation.change {
                Without => "without",
                With => "with",
            };
            (ablation.protocol, ablation.alpha, change, ablation.part)
        });
        let mut listed: Vec<_> = listed.collect();
        listed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(listed, expected);
    }
}
