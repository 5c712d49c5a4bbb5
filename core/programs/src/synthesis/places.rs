//! Sets of places, and the enumeration of all minimal sufficient ones.
//!
//! The algorithm dualizes the maximal failing sets (Gunopulos, Khardon, Mannila & Toivonen, *Data mining,
//! hypergraph transversals, and machine learning*): a set suffices if and only if it intersects the complement of
//! every maximal failing set. The next candidate is a minimal transversal of the complements known so far. If it
//! suffices, it is minimal, since every smaller set is a subset of a known failing set. If it fails, it is extended
//! to a maximal failing set, whose complement is added.

use std::fmt::{self, Debug};

/// Set of places, by number.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Places(u64);

impl Places {
    /// Greatest number of places.
    pub const MOST: usize = u64::BITS as usize;
    /// Empty set.
    pub const NONE: Self = Self(0);

    /// The first `count` places.
    pub fn first(count: usize) -> Self {
        assert!(count <= Self::MOST, "the caller has counted the places");
        match count {
            0 => Self::NONE,
            _ => Self(u64::MAX >> (Self::MOST - count)),
        }
    }

    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub fn contains(self, place: usize) -> bool {
        self.0 >> place & 1 == 1
    }

    #[must_use]
    pub fn with(self, place: usize) -> Self {
        Self(self.0 | 1 << place)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Iterates over the places in increasing order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |place| self.contains(*place))
    }
}

impl FromIterator<usize> for Places {
    fn from_iter<I: IntoIterator<Item = usize>>(places: I) -> Self {
        places.into_iter().fold(Self::NONE, Self::with)
    }
}

impl Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Enumerates the minimal sufficient sets among the first `count` places, smaller ones first; none if the full set
/// fails. `suffices` must be monotone: true of every superset of a set of which it is true.
///
/// # Errors
///
/// The first error of `suffices`.
pub(super) fn minimal<E>(
    count: usize,
    mut suffices: impl FnMut(Places) -> Result<bool, E>,
) -> Result<Vec<Places>, E> {
    let all = Places::first(count);
    if !suffices(all)? {
        return Ok(Vec::new());
    }
    // Sets that are known to suffice, so that none is tested twice.
    let mut sufficient = vec![all];
    let mut candidates = vec![Places::NONE];
    let mut minimal: Vec<Places> = Vec::new();
    loop {
        let open = candidates.iter().filter(|set| !minimal.contains(set));
        let Some(&candidate) = open.min_by_key(|set| (set.len(), **set)) else {
            minimal.sort_by_key(|set| (set.len(), *set));
            return Ok(minimal);
        };
        if sufficient.contains(&candidate) || suffices(candidate)? {
            sufficient.push(candidate);
            minimal.push(candidate);
            continue;
        }
        let mut failing = candidate;
        for place in all.without(candidate).iter() {
            let larger = failing.with(place);
            if sufficient.iter().any(|set| set.is_within(larger)) {
                continue;
            }
            if suffices(larger)? {
                sufficient.push(larger)
            } else {
                failing = larger
            }
        }
        candidates = meeting(&candidates, all.without(failing));
    }
}

/// Minimal transversals of `other` and of the sets whose minimal transversals are `sets` (Berge's multiplication).
fn meeting(sets: &[Places], other: Places) -> Vec<Places> {
    let (mut met, unmet): (Vec<_>, Vec<_>) = sets
        .iter()
        .copied()
        .partition(|set: &Places| set.meets(other));
    let old = met.len();
    for set in unmet {
        for place in other.iter() {
            let larger = set.with(place);
            if !met[..old].iter().any(|smaller| smaller.is_within(larger)) {
                met.push(larger);
            }
        }
    }
    met
}

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::random::Generator;
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    /// Reference implementation: tests all subsets.
    fn minimal_of_all_subsets(count: usize, suffices: impl Fn(Places) -> bool) -> Vec<Places> {
        let subsets = (0..1_u64 << count).map(Places);
        let mut enough: Vec<_> = subsets.filter(|set| suffices(*set)).collect();
        enough.sort_by_key(|set| (set.len(), *set));
        let mut minimal: Vec<Places> = Vec::new();
        for set in enough {
            if !minimal.iter().any(|smaller| smaller.is_within(set)) {
                minimal.push(set);
            }
        }
        minimal
    }

    #[test]
    fn the_search_finds_what_all_subsets_show_and_asks_nothing_twice() {
        let mut random = Generator::new(7);
        let mut sizes = BTreeSet::new();
        for _ in 0..2000 {
            let count = random.below(9);
            let below = 1 << count;
            let generators: Vec<_> = (0..random.below(6))
                .map(|_| Places((random.below(below) & random.below(below)) as u64))
                .collect();
            let enough = |set: Places| generators.iter().any(|smaller| smaller.is_within(set));
            let mut asked = BTreeSet::new();
            let found = minimal(count, |set| {
                assert!(asked.insert(set), "{set:?} is asked twice");
                Ok::<_, Infallible>(enough(set))
            });
            let Ok(found) = found;
            assert_eq!(found, minimal_of_all_subsets(count, enough));
            sizes.insert(found.len());
        }
        assert!(sizes.len() > 4, "{sizes:?}");
    }

    #[test]
    fn an_error_ends_the_search() {
        assert_eq!(minimal(3, |_| Err("no")), Err("no"));
        let suffices = |set: Places| match set.len() {
            1 => Err("one"),
            _ => Ok(set.len() > 1),
        };
        assert_eq!(minimal(3, suffices), Err("one"));
    }

    #[test]
    fn there_may_be_no_place_and_as_many_as_fit() {
        let found = minimal(0, |_| Ok::<_, Infallible>(true));
        assert_eq!(found, Ok(vec![Places::NONE]));
        for place in 0..64 {
            let one = Places::NONE.with(place);
            assert_eq!(one.iter().collect::<Vec<_>>(), [place]);
            assert!(Places::first(64).contains(place) && !Places::first(place).contains(place));
        }
        let last = |set: Places| Ok::<_, Infallible>(set.contains(63));
        assert_eq!(minimal(64, last), Ok(vec![Places::NONE.with(63)]));
    }
}
