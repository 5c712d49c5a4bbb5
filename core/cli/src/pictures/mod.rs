//! Pictures: pages of HTML that show a report, a counterexample and its drawings, and the explorer in the browser.
//!
//! Each page is one file that is complete without a script, needs no other file, and makes no request.

mod behaviour;
mod canvas;
mod edge;
mod escape;
mod explanation;
mod figures;
mod history;
mod layout;
mod legend;
mod measures;
mod page;
mod row;
mod svg;

pub mod check;
pub mod explorer;
#[cfg(feature = "graph")]
pub mod graph;
pub mod include;
pub mod still;
#[cfg(feature = "histories")]
pub mod stress;
