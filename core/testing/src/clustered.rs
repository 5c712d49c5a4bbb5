//! Random systems of hundreds of states in which fairness matters: clusters, in each of which a behaviour may go round for
//! ever, and steps that lead from one to later ones.
//!
//! Each rule has steps that all states of a cluster enable, all but one, or a few; they leave the cluster, or stay in it. So
//! a condition on a rule makes its cluster unfair, or a part of it, and mostly no other condition does. States are numbered
//! at random, so that no number has a role.

use crate::Random;
use crate::textbook::Pairs;

/// System without conditions.
#[derive(Clone, Debug)]
pub struct Clustered {
    pub states: u32,
    pub initial: Vec<u32>,
    /// The steps: source, rule, target.
    pub steps: Vec<(u32, u32, u32)>,
    /// The clusters, none of which leads to an earlier one.
    pub clusters: Vec<Vec<u32>>,
}

impl Clustered {
    /// A system of so many states and rules, at least one of each.
    pub fn new(random: &mut Random, states: usize, rules: usize) -> Self {
        let mut rest = random.shuffled(states);
        // A rule or two for each cluster.
        let most = (1 + states / 3).min(2 + rules * 2 / 3);
        let clusters = 1 + random.below(most);
        let mut all: Vec<Vec<u32>> = Vec::new();
        for left in (1..=clusters).rev() {
            let mean = rest.len() / left;
            let size = match left {
                1 => rest.len(),
                _ => (1 + random.below(2 * mean.max(1))).min(rest.len() - (left - 1)),
            };
            all.push(rest.split_off(rest.len() - size));
        }
        let mut system = Self {
            states: states as u32,
            initial: vec![random.pick(&all[0])],
            steps: Vec::new(),
            clusters: all,
        };
        for cluster in 0..system.clusters.len() {
            system.tie(random, cluster, rules);
        }
        for rule in 0..rules as u32 {
            for _ in 0..1 + random.below(2) {
                system.enable(random, rule);
            }
        }
        // Others may be initial, too.
        for _ in 0..random.below(4) {
            let state = random.below(states) as u32;
            system.initial.push(state);
        }
        let order = random.shuffled(system.steps.len());
        let steps = order.iter().map(|place| system.steps[*place as usize]);
        system.steps = steps.collect();
        system
    }

    /// Has a behaviour go round in a cluster, and from it to a later one.
    fn tie(&mut self, random: &mut Random, number: usize, rules: usize) {
        let cluster = self.clusters[number].clone();
        let rule = |random: &mut Random| random.below(rules) as u32;
        // One rule, so that what goes round takes few actions.
        let around = rule(random);
        if cluster.len() > 1 {
            for (from, to) in cluster.iter().zip(cluster.iter().cycle().skip(1)) {
                self.steps.push((*from, around, *to));
            }
            for _ in 0..random.below(1 + cluster.len() / 2) {
                let (from, to) = (random.pick(&cluster), random.pick(&cluster));
                self.steps.push((from, around, to));
            }
        }
        for _ in 0..1 + random.below(2) {
            if let Some(to) = self.later(random, number) {
                let exit = (random.pick(&cluster), rule(random), to);
                self.steps.push(exit);
            }
        }
    }

    /// Has some states of some cluster enable a rule.
    fn enable(&mut self, random: &mut Random, rule: u32) {
        let number = random.below(self.clusters.len());
        let cluster = self.clusters[number].clone();
        let sources = match random.below(5) {
            0 | 1 => cluster.clone(),
            2 if cluster.len() > 1 => cluster[1..].to_vec(),
            _ => (0..1 + random.below(2))
                .map(|_| random.pick(&cluster))
                .collect(),
        };
        let leaves = random.percent(80);
        for from in sources {
            let to = match self.later(random, number) {
                Some(to) if leaves => to,
                _ => random.pick(&cluster),
            };
            self.steps.push((from, rule, to));
        }
    }

    /// A state of a later cluster, mostly of one that is near.
    fn later(&self, random: &mut Random, number: usize) -> Option<u32> {
        let after = self.clusters.len() - number - 1;
        let near = if random.percent(70) {
            after.min(3)
        } else {
            after
        };
        (near > 0).then(|| {
            let to = number + 1 + random.below(near);
            random.pick(&self.clusters[to])
        })
    }

    /// The pairs of different states that steps by some rules join.
    pub fn pairs(&self, takes: impl Fn(u32) -> bool) -> Pairs {
        let steps = self.steps.iter();
        let of = steps.filter(|(from, rule, to)| from != to && takes(*rule));
        of.map(|(from, _, to)| (*from, *to)).collect()
    }

    /// Some states: none, one or more of each cluster. `chance` is how many clusters in a hundred have any.
    pub fn some_states(&self, random: &mut Random, chance: usize) -> Vec<u32> {
        let mut some = Vec::new();
        for cluster in &self.clusters {
            if !random.percent(chance) {
                continue;
            }
            match random.below(3) {
                0 => some.extend(cluster),
                1 => some.push(random.pick(cluster)),
                _ => some.extend(cluster.iter().filter(|_| random.percent(50))),
            }
        }
        some
    }
}
