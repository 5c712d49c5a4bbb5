//! The vectors of a length over a range of numbers.

/// The vectors of `length` numbers below `values`, in lexical order.
pub fn vectors(length: usize, values: usize) -> Vec<Vec<usize>> {
    let mut vectors = vec![Vec::new()];
    for _ in 0..length {
        let with_another = |vector: &Vec<usize>| {
            let with = |value| [&vector[..], &[value]].concat();
            (0..values).map(with).collect::<Vec<_>>()
        };
        vectors = vectors.iter().flat_map(with_another).collect();
    }
    vectors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vector_is_there_once() {
        assert_eq!(vectors(2, 2), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(vectors(0, 2), [Vec::<usize>::new()]);
    }
}
