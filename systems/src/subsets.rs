//! The subsets of a set of indices.

use refmap::IndexSet;

/// The subsets of `set`, the empty one first.
pub fn subsets(set: IndexSet) -> impl Iterator<Item = IndexSet> {
    (0..1_u64 << set.len()).map(move |chosen| {
        let elements = set.iter().enumerate();
        let chosen = elements.filter(|(place, _)| chosen >> place & 1 == 1);
        chosen.map(|(_, element)| element).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_subset_is_there_once() {
        let sets: Vec<_> = subsets(IndexSet::from_iter([1, 4])).collect();
        let expected = [vec![], vec![1], vec![4], vec![1, 4]];
        assert_eq!(sets, expected.map(IndexSet::from_iter));
    }
}
