//! The catalogue of everything that this repository claims.

mod ben_ari;
mod tso;
mod yrc;

use refmap::catalogue::Catalogue;

/// The name of the program.
pub const NAME: &str = "refmap";
/// What it is for.
pub const ABOUT: &str =
    "Checks that one transition system refines another, and shows why when it does not.";

/// Every check, every claim and every table.
pub fn catalogue() -> Catalogue {
    Catalogue {
        checks: [ben_ari::checks(), tso::checks(), yrc::checks()]
            .into_iter()
            .flatten()
            .collect(),
        claims: [ben_ari::claims(), tso::claims(), yrc::claims()]
            .into_iter()
            .flatten()
            .collect(),
        tables: yrc::tables(),
    }
}
