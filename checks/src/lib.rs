//! The catalogue of everything that this repository claims, and the comparison that its benchmark page shows.

mod ben_ari;
pub mod compare;
mod copying;
mod fences;
mod native;
mod tso;
mod words;
mod yrc;

use refmap_cli::catalogue::Catalogue;

/// The name of the program.
pub const NAME: &str = "refmap";
/// What it is for.
pub const ABOUT: &str =
    "Checks that one transition system refines another, and shows why when it does not.";

/// Every check, claim and table, every program whose fences are searched, and what can be run on
/// real threads.
pub fn catalogue() -> Catalogue {
    Catalogue {
        checks: [
            ben_ari::checks(),
            tso::checks(),
            yrc::checks(),
            copying::checks(),
        ]
        .into_iter()
        .flatten()
        .collect(),
        claims: [
            ben_ari::claims(),
            tso::claims(),
            yrc::claims(),
            copying::claims(),
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
