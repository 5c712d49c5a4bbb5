//! Refinements: one file each, with the mapping, the abstract actions that steps simulate, and the invariants.
//!
//! ```
//! use refmap::{Settings, Verdict, check};
//! use refmap_refinements::ben_ari::Refinement1;
//! use refmap_systems::ben_ari::Scope;
//!
//! let report = check(&Refinement1::new(Scope::new(2, 1, 1)), &Settings::default())?;
//! assert_eq!(report.verdict, Some(Verdict::Holds));
//! # Ok::<(), refmap::obligation::CheckError>(())
//! ```
//!
//! The case studies of the book (`examples/book/src/case-studies`) tell what each family taught.

/// The systems of a refinement that has them as its fields.
macro_rules! between {
    ($implementation:ty, $specification:ty) => {
        type Implementation = $implementation;
        type Specification = $specification;

        fn implementation(&self) -> &$implementation {
            &self.implementation
        }

        fn specification(&self) -> &$specification {
            &self.specification
        }
    };
}

pub mod auxiliary;
pub mod barriers;
pub mod ben_ari;
pub mod caches;
mod checked;
pub mod copying;
pub mod locks;
pub mod native;
pub mod published;
pub mod stacks;
pub mod tso;
pub mod yrc;

pub use checked::{Checked, CheckedCrowd};
