//! The catalogue of everything that this repository claims.
//!
//! ```
//! use refmap::{Settings, Verdict};
//!
//! let catalogue = refmap_checks::catalogue();
//! let check = catalogue.check("ben-ari-1")?;
//! let report = check.run(&check.arguments("--nodes 2 --sons 1")?, &Settings::default())?;
//! assert_eq!(report.verdict, Some(Verdict::Holds));
//! # Ok::<(), refmap_cli::catalogue::InputError>(())
//! ```
//!
//! The book (`examples/book`) begins with a catalogue of your own.

mod auxiliary;
mod barriers;
mod ben_ari;
mod caches;
mod copying;
mod fences;
mod locks;
mod named;
mod native;
mod published;
mod stacks;
mod tso;
mod yrc;

use refmap_cli::catalogue::Catalogue;

/// Name of the program.
pub const NAME: &str = "refmap";
/// Description of the program.
pub const ABOUT: &str =
    "Checks that one transition system refines another, and shows why when it does not.";

/// Page of claims, of which each row is decided.
const CLAIMS: &str = include_str!("../CLAIMS.md");

/// Catalogue of all checks, claims and tables, programs for fence synthesis, stress runs and validators.
pub fn catalogue() -> Catalogue {
    Catalogue {
        checks: [
            ben_ari::checks(),
            tso::checks(),
            yrc::checks(),
            copying::checks(),
            published::checks(),
            auxiliary::checks(),
            locks::checks(),
            barriers::checks(),
            caches::checks(),
            stacks::checks(),
        ]
        .into_iter()
        .flatten()
        .collect(),
        claims: CLAIMS.to_owned(),
        tables: [tso::tables(), yrc::tables(), copying::tables()]
            .into_iter()
            .flatten()
            .collect(),
        fences: fences::problems(),
        stress: native::runs(),
        validators: native::validators(),
    }
}
