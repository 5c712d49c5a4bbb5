//! Counters of which differences matter: values in order, and the gaps between neighbouring ones.

use std::collections::BTreeSet;

/// Values of a group in order, each once.
fn sorted(values: &[(u8, u64)], group: u8) -> Vec<u64> {
    let of_group = values.iter().filter(|(other, _)| *other == group);
    let mut sorted: Vec<u64> = of_group.map(|(_, value)| *value).collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

/// The groups.
fn groups(values: &[(u8, u64)]) -> BTreeSet<u8> {
    values.iter().map(|(group, _)| *group).collect()
}

/// Moves the values of each group so that the least is 0 and no gap between neighbouring ones is larger than `far`.
pub(super) fn close(values: &mut [(u8, u64)], far: u64) {
    for group in groups(values) {
        let sorted = sorted(values, group);
        let mut closed = 0;
        let mut places = Vec::with_capacity(sorted.len());
        for (place, value) in sorted.iter().enumerate() {
            if place > 0 {
                closed += far.min(value - sorted[place - 1]);
            }
            places.push(closed);
        }
        for (_, value) in values.iter_mut().filter(|(other, _)| *other == group) {
            let place = sorted.partition_point(|other| other < value);
            *value = places[place];
        }
    }
}

/// The same values with each gap of `far` as it is, or larger, up to twice as large: all choices of these. A step that makes a gap smaller by `far` at most leaves
/// no other one of a still larger gap.
pub(super) fn spread(values: &[(u8, u64)], far: u64) -> Vec<Vec<(u8, u64)>> {
    let mut all = vec![values.to_vec()];
    for group in groups(values) {
        for upper in above_far_gaps(values, group, far) {
            let wider = all.iter().flat_map(|one| {
                let more = 1..=far;
                more.map(move |more| raised(one, values, group, upper, more))
            });
            let wider: Vec<_> = wider.collect();
            all.extend(wider);
        }
    }
    all
}

/// The closed values with one more of a group, in every place that it can have among them: each is given with the others, which have made room for it.
pub(super) fn placed(values: &[(u8, u64)], group: u8, far: u64) -> Vec<(Vec<(u8, u64)>, u64)> {
    let sorted = sorted(values, group);
    let (Some(least), Some(most)) = (sorted.first(), sorted.last()) else {
        return vec![(values.to_vec(), 0)];
    };
    let mut all = Vec::new();
    for value in &sorted {
        all.push((values.to_vec(), *value));
    }
    for beyond in 1..=far {
        all.push((raised(values, values, group, 0, beyond), *least));
        all.push((values.to_vec(), most + beyond));
    }
    for pair in sorted.windows(2) {
        let (lower, upper) = (pair[0], pair[1]);
        // A gap of `far` stands for every larger one.
        let wider = if upper - lower == far { far } else { 0 };
        for more in 0..=wider {
            for value in lower + 1..upper + more {
                all.push((raised(values, values, group, upper, more), value));
            }
        }
    }
    all
}

/// Values of a group above the gaps of `far`.
fn above_far_gaps(values: &[(u8, u64)], group: u8, far: u64) -> Vec<u64> {
    let sorted = sorted(values, group);
    let pairs = sorted.windows(2);
    let far = pairs.filter(|pair| pair[1] - pair[0] == far);
    far.map(|pair| pair[1]).collect()
}

/// The values, of which those of a group that were at least `from` are larger by so much.
fn raised(
    values: &[(u8, u64)],
    were: &[(u8, u64)],
    group: u8,
    from: u64,
    more: u64,
) -> Vec<(u8, u64)> {
    let pairs = values.iter().zip(were);
    let raised = pairs.map(|((of, value), (_, was))| {
        let is_above = *of == group && *was >= from;
        (*of, if is_above { value + more } else { *value })
    });
    raised.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::walk::random::Generator;

    fn closed(values: &[(u8, u64)], far: u64) -> Vec<(u8, u64)> {
        let mut values = values.to_vec();
        close(&mut values, far);
        values
    }

    fn draw(generator: &mut Generator) -> (Vec<(u8, u64)>, u64) {
        let far = 1 + generator.below(3) as u64;
        let mut value = || {
            (
                generator.below(4) as u8 / 3,
                100 + generator.below(9) as u64,
            )
        };
        let values: Vec<_> = (0..5).map(|_| value()).collect();
        (values[..generator.below(6)].to_vec(), far)
    }

    #[test]
    fn gaps_are_closed_and_order_is_kept() {
        let group = |values: [u64; 5]| values.map(|value| (0, value));
        assert_eq!(closed(&group([9, 4, 4, 5, 30]), 2), group([3, 0, 0, 1, 5]));
        let mut generator = Generator::new(5);
        for _ in 0..2000 {
            let (values, far) = draw(&mut generator);
            let now = closed(&values, far);
            assert_eq!(closed(&now, far), now);
            for (one, value) in values.iter().enumerate() {
                for (other, second) in values.iter().enumerate() {
                    if value.0 == second.0 {
                        assert_eq!(now[one].cmp(&now[other]), value.cmp(second));
                    }
                    // What is left out closes alike before and after.
                    let rest = |of: &[(u8, u64)]| closed(&[of[one], of[other]], far);
                    assert_eq!(rest(&values), rest(&now));
                }
            }
        }
    }

    /// All that closes to the same is met, each gap of `far` standing for itself and all up to twice as large.
    #[test]
    fn spread_values_close_to_the_same() {
        let mut generator = Generator::new(6);
        for _ in 0..2000 {
            let (values, far) = draw(&mut generator);
            let values = closed(&values, far);
            let all = spread(&values, far);
            let different: BTreeSet<_> = all.iter().collect();
            assert_eq!(different.len(), all.len());
            let gaps = groups(&values).into_iter();
            let gaps: usize = gaps
                .map(|group| above_far_gaps(&values, group, far).len())
                .sum();
            assert_eq!(all.len(), (far as usize + 1).pow(gaps as u32));
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
            let all = placed(&closed(others, far), last.0, far);
            let whole = closed(&values, far);
            let is_it = |(others, value): &(Vec<(u8, u64)>, u64)| {
                let mut placed = others.clone();
                placed.push((last.0, *value));
                closed(&placed, far) == whole
            };
            assert!(all.iter().any(is_it), "{last:?} beside {others:?}, {far}");
            for (others_placed, _) in &all {
                assert_eq!(closed(others_placed, far), closed(others, far));
            }
        }
    }
}
