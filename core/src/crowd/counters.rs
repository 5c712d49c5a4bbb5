//! Counters of which differences matter: values in order, and the gaps between neighbouring ones.

/// Moves values so that the least is 0 and no gap between neighbouring ones is larger than `far`.
pub(super) fn close(values: &mut [&mut u64], far: u64) {
    let mut sorted: Vec<u64> = values.iter().map(|value| **value).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut closed = 0;
    let mut places = Vec::with_capacity(sorted.len());
    for (place, value) in sorted.iter().enumerate() {
        if place > 0 {
            closed += far.min(value - sorted[place - 1]);
        }
        places.push(closed);
    }
    for value in values {
        let place = sorted.partition_point(|other| other < value);
        **value = places[place];
    }
}

/// The same values with each gap of `far` as it is, or one larger: all choices of these.
pub(super) fn spread(values: &[u64], far: u64) -> Vec<Vec<u64>> {
    let mut all = vec![values.to_vec()];
    for upper in above_far_gaps(values, far) {
        let wider = all.iter().map(|one| raised(one, values, upper, 1));
        let wider: Vec<_> = wider.collect();
        all.extend(wider);
    }
    all
}

/// The closed values with one more, in every place that it can have among them: each is given with the others, which have made room for it.
pub(super) fn placed(values: &[u64], far: u64) -> Vec<(Vec<u64>, u64)> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let (Some(least), Some(most)) = (sorted.first(), sorted.last()) else {
        return vec![(values.to_vec(), 0)];
    };
    let mut all = Vec::new();
    for value in &sorted {
        all.push((values.to_vec(), *value));
    }
    for beyond in 1..=far {
        let raised: Vec<_> = values.iter().map(|value| value + beyond).collect();
        all.push((raised, *least));
        all.push((values.to_vec(), most + beyond));
    }
    for pair in sorted.windows(2) {
        let (lower, upper) = (pair[0], pair[1]);
        // A gap of `far` stands for every larger one.
        let wider = if upper - lower == far { far } else { 0 };
        for more in 0..=wider {
            for value in lower + 1..upper + more {
                all.push((raised(values, values, upper, more), value));
            }
        }
    }
    all
}

/// Values above the gaps of `far`.
fn above_far_gaps(values: &[u64], far: u64) -> Vec<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let pairs = sorted.windows(2);
    let far = pairs.filter(|pair| pair[1] - pair[0] == far);
    far.map(|pair| pair[1]).collect()
}

/// The values of which those that were at least `from` are larger by so much.
fn raised(values: &[u64], were: &[u64], from: u64, more: u64) -> Vec<u64> {
    let pairs = values.iter().zip(were);
    pairs
        .map(|(value, was)| if *was >= from { value + more } else { *value })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::random::Generator;

    fn closed(values: &[u64], far: u64) -> Vec<u64> {
        let mut values = values.to_vec();
        close(&mut values.iter_mut().collect::<Vec<_>>(), far);
        values
    }

    fn draw(generator: &mut Generator) -> (Vec<u64>, u64) {
        let far = 1 + generator.below(3) as u64;
        let values = (0..generator.below(5)).map(|_| 100 + generator.below(9) as u64);
        (values.collect(), far)
    }

    #[test]
    fn gaps_are_closed_and_order_is_kept() {
        assert_eq!(closed(&[9, 4, 4, 5, 30], 2), [3, 0, 0, 1, 5]);
        let mut generator = Generator::new(5);
        for _ in 0..2000 {
            let (values, far) = draw(&mut generator);
            let now = closed(&values, far);
            assert_eq!(closed(&now, far), now);
            for (one, value) in values.iter().enumerate() {
                for (other, second) in values.iter().enumerate() {
                    assert_eq!(now[one].cmp(&now[other]), value.cmp(second));
                    // What is left out closes alike before and after.
                    let rest = |of: &[u64]| closed(&[of[one], of[other]], far);
                    assert_eq!(rest(&values), rest(&now));
                }
            }
        }
    }

    /// All that closes to the same is met, each value of a gap of `far` standing for itself and one more.
    #[test]
    fn spread_values_close_to_the_same() {
        let mut generator = Generator::new(6);
        for _ in 0..2000 {
            let (values, far) = draw(&mut generator);
            let values = closed(&values, far);
            let all = spread(&values, far);
            let different: BTreeSet<_> = all.iter().collect();
            assert_eq!(different.len(), all.len());
            assert_eq!(all.len(), 1 << above_far_gaps(&values, far).len());
            for one in all {
                assert_eq!(closed(&one, far), values);
            }
        }
    }

    /// Whatever values there are, with one more they are among those in which the last one was placed.
    #[test]
    fn a_value_is_placed_wherever_it_can_be() {
        let mut generator = Generator::new(7);
        for _ in 0..2000 {
            let (values, far) = draw(&mut generator);
            let Some((last, others)) = values.split_last() else {
                continue;
            };
            let all = placed(&closed(others, far), far);
            let whole = closed(&values, far);
            let is_it = |(others, last): &(Vec<u64>, u64)| {
                let mut placed = others.clone();
                placed.push(*last);
                closed(&placed, far) == whole
            };
            assert!(all.iter().any(is_it), "{last} beside {others:?}, {far}");
            for (others_placed, _) in &all {
                assert_eq!(closed(others_placed, far), closed(others, far));
            }
        }
    }
}
