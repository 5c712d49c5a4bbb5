//! Ben-Ari's on-the-fly collector in three layers under the specification "collect only garbage".
//!
//! Source: Havelund & Shankar, *A Refinement Proof for a Garbage Collector*, sections 4–6,
//! Figs. 2–14 and Appendix A. Every location and rule below is one of theirs. A rule is named as in
//! Appendix A.3 where that has it; the rules of levels 2 and 3 that only the figures show are named
//! in its manner, and their sources give location and number.
//!
//! Deviations.
//!
//! - D1: the initial colours are a parameter. The paper assumes nothing about them, which is
//!   [`InitialColours::Any`]; with [`InitialColours::White`] bugs that need black garbage from the
//!   start take a cycle longer to show.
//! - D2: a guard that only keeps a PVS function total (`Q < NODES`) is left out where the type implies
//!   it. Nothing is hidden.
//! - D3: several mutators may run. The paper has one; each further one obeys the same two rules.
//! - D4: Fig. 14 has no label for COUNT, and Fig. 13 forgets L; both are put back.
//! - D6: a repair of the algorithm for several mutators, which is ours and not the paper's. Between a scan and the count after it the
//!   collector looks at each mutator, and colours the target of one that is midway ([`Midway::Coloured`]), or waits until it is not
//!   ([`Midway::Awaited`]). For that a mutator announces its target before it redirects a cell to it, and retires the announcement when it
//!   has coloured it ([`MutatorOrder::Announced`]); or the collector reads what MUTATE.1 sets besides the cell, MU and Q, and the mutator
//!   is that of the paper. Other orders of the same steps, and other places to look, are here to show what is needed.

mod announced;
mod any_number;
pub mod broken;
mod colours;
mod command;
mod drawing;
pub mod lemmas;
mod level;
pub mod level_0;
pub mod level_1;
pub mod level_2;
pub mod level_3;
mod locals;
mod look;
mod memory;
mod mutator;
mod scope;
mod shape;
mod shared;

pub use crate::heap::Objects as NodeSet;
pub use any_number::{AnyLevel0, AnyLevel3};
pub use colours::Colours;
pub use command::{Mutant, Mutation};
pub use level::{Collector, Level};
pub use level_0::Level0;
pub use level_1::Level1;
pub use level_2::Level2;
pub use level_3::Level3;
pub use locals::{Flag, Flags, Locals, MutatorAt, Mutators};
pub use look::{ToLookAt, has_seen};
pub use memory::{AppendToFree, Memory};
pub use mutator::{MutatorAction, Step};
pub use scope::{
    CollectorFairness, Figure14, Finishing, InitialColours, Look, MAX_MUTATORS, Midway,
    MutatorOrder, Scope, ScopeError,
};
pub use shape::{MAX_NODES, MAX_SONS, Node, Shape};
pub use shared::Shared;

/// The processes of every level.
pub mod process {
    use refmap::Process;

    pub use crate::heap::mutator;

    /// The collector.
    pub const COLLECTOR: Process = Process::new("collector");
}
