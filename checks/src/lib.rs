//! The catalogue of everything that this repository claims.

mod ben_ari;
mod copying;
mod yrc;

use refmap::catalogue::Catalogue;

/// The name of the program.
pub const NAME: &str = "refmap";
/// What it is for.
pub const ABOUT: &str =
    "Checks that one transition system refines another, and shows why when it does not.";

/// Every check, every claim, every table and every grid.
pub fn catalogue() -> Catalogue {
    Catalogue {
        checks: [ben_ari::checks(), yrc::checks(), copying::checks()]
            .into_iter()
            .flatten()
            .collect(),
        claims: [ben_ari::claims(), yrc::claims(), copying::claims()]
            .into_iter()
            .flatten()
            .collect(),
        tables: yrc::tables(),
        grids: copying::grids(),
    }
}
