//! The catalogue of everything that this repository claims.
//!
//! ```
//! use refmap::{Settings, Verdict};
//!
//! let catalogue = refmap_checks::catalogue();
//! let arguments = [("nodes", 2.into()), ("sons", 1.into())];
//! let report = catalogue.check("ben-ari-1")?.run(&arguments, &Settings::default())?;
//! assert_eq!(report.verdict, Some(Verdict::Holds));
//! # Ok::<(), refmap_cli::catalogue::InputError>(())
//! ```
//!
//! The book (`examples/book`) begins with a catalogue of your own.

mod arguments;
mod ben_ari;
mod copying;
mod fences;
mod native;
mod published;
mod tso;
mod yrc;

use refmap_cli::catalogue::Catalogue;

/// Name of the program.
pub const NAME: &str = "refmap";
/// Description of the program.
pub const ABOUT: &str =
    "Checks that one transition system refines another, and shows why when it does not.";

/// Catalogue of all checks, claims and tables, programs for fence synthesis, stress runs and validators.
pub fn catalogue() -> Catalogue {
    Catalogue {
        checks: [
            ben_ari::checks(),
            tso::checks(),
            yrc::checks(),
            copying::checks(),
            published::checks(),
        ]
        .into_iter()
        .flatten()
        .collect(),
        claims: [
            ben_ari::claims(),
            tso::claims(),
            yrc::claims(),
            copying::claims(),
            published::claims(),
        ]
        .into_iter()
        .flatten()
        .collect(),
        tables: [tso::tables(), yrc::tables(), copying::tables()]
            .into_iter()
            .flatten()
            .collect(),
        fences: fences::problems(),
        stress: native::runs(),
        validators: native::validators(),
    }
}
