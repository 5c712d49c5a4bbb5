//! Ben-Ari's collector refines "collect only garbage" in three steps.
//!
//! Source: Havelund & Shankar, section 6 and Appendix B.

mod any_number;
pub mod broken;
mod collected;
mod level_1;
mod level_2;
mod level_3;
mod lowered;
mod scan;
mod several;

use refmap::{Composed, compose};
use refmap_systems::ben_ari::Scope;

pub use any_number::AnyMutators;
pub use level_1::Refinement1;
pub use level_2::Refinement2;
pub use level_3::Refinement3;
pub use lowered::Lowered;

/// The algorithm against the specification, by way of levels 1 and 2 [Appendix B.3, `ref`].
pub fn composed(scope: Scope) -> Composed<Refinement1, Composed<Refinement2, Refinement3>> {
    let lower = compose(Refinement2::new(scope), Refinement3::new(scope));
    compose(Refinement1::new(scope), lower)
}
