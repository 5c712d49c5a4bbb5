//! Choices under Shuttle: which thread runs next, where several can.

use super::order::Order;

/// The choices of an exploration.
pub(super) enum Choices {
    Random { seed: u64, random: Random },
    Pct(Pct),
    Repeat { choices: Vec<u32>, next: usize },
}

impl Default for Choices {
    fn default() -> Self {
        let choices = Vec::new();
        Self::Repeat { choices, next: 0 }
    }
}

impl Choices {
    /// The choices that `order` makes, and the number of executions.
    pub(super) fn new(order: &Order) -> (Self, usize) {
        match *order {
            Order::Random { seed, executions } => {
                let random = Random(seed);
                (Self::Random { seed, random }, executions)
            }
            Order::Pct {
                seed,
                depth,
                executions,
            } => (Self::Pct(Pct::new(seed, depth)), executions),
            Order::Repeat(ref choices) => {
                let choices = choices.clone();
                (Self::Repeat { choices, next: 0 }, 1)
            }
            #[cfg(feature = "loom")]
            Order::Every { .. } => unreachable!("it is Loom's"),
        }
    }

    /// Begins an execution.
    pub(super) fn begin(&mut self, execution: u64) {
        match self {
            Self::Random { seed, random } => *random = Random::of(*seed, execution),
            Self::Pct(pct) => pct.begin(execution),
            Self::Repeat { next, .. } => *next = 0,
        }
    }

    /// The thread that runs next, of several that can. `current` has run so far, and `yields` if it
    /// asks for another one. It has gone round in a loop so many times `again` without reading anything new.
    pub(super) fn choose(
        &mut self,
        runnable: &[u32],
        current: u32,
        yields: bool,
        again: u32,
    ) -> u32 {
        match self {
            Self::Random { random, .. } => runnable[random.below(runnable.len() as u64) as usize],
            Self::Pct(pct) => pct.choose(runnable, current, yields, again),
            Self::Repeat { choices, next } => {
                let chosen = choices.get(*next).copied();
                *next += 1;
                let chosen = chosen.filter(|thread| runnable.contains(thread));
                let current = || runnable.contains(&current).then_some(current);
                chosen.or_else(current).unwrap_or(runnable[0])
            }
        }
    }
}

/// Probabilistic concurrency testing [Burckhardt et al., *A Randomized Scheduler with Probabilistic
/// Guarantees of Finding Bugs*, section 3].
///
/// Deviations. The length of an execution is the greatest so far, counted in choices; so the first
/// execution has no change of priorities. A thread that yields gets the lowest priority, since it may
/// wait for another one; so does one in a loop that reads the same again and again, after some rounds of which
/// each execution has its number, and one that has run alone for [`MOST_ALONE`](Self::MOST_ALONE) choices.
pub(super) struct Pct {
    seed: u64,
    depth: usize,
    random: Random,
    /// By thread. The thread with the highest one runs; those after a change are the lowest.
    priorities: Vec<u64>,
    /// The priority that the next change gives.
    lowest: u64,
    /// Choices at which the priority of the thread that runs changes.
    changes: Vec<u64>,
    /// Number of choices in this execution.
    made: u64,
    /// Greatest number of choices in an execution.
    longest: u64,
    /// Number of rounds after which a loop that reads the same yields.
    patience: u32,
    /// Number of choices since another thread ran last.
    alone: u32,
}

impl Pct {
    /// Initial priorities are above all that changes give.
    const INITIAL: u64 = 1 << 32;
    /// Number of choices after which a thread yields that runs alone: its loop may write, and wait all the same.
    const MOST_ALONE: u32 = 1_000;
    /// Number of patiences, of which each is twice the one before.
    const PATIENCES: u64 = 5;

    fn new(seed: u64, depth: usize) -> Self {
        Self {
            seed,
            depth,
            random: Random(seed),
            priorities: Vec::new(),
            lowest: Self::INITIAL,
            changes: Vec::new(),
            made: 0,
            longest: 0,
            patience: 0,
            alone: 0,
        }
    }

    fn begin(&mut self, execution: u64) {
        self.random = Random::of(self.seed, execution);
        self.priorities.clear();
        self.lowest = Self::INITIAL;
        self.made = 0;
        self.alone = 0;
        self.patience = 2 << (execution % Self::PATIENCES);
        self.changes.clear();
        // The first choice needs no change: priorities are random then.
        let last = self.longest.saturating_sub(1);
        let points = (self.depth.saturating_sub(1) as u64).min(last);
        // Distinct ones [Bentley & Floyd, *A Sample of Brilliance*, algorithm F2].
        for most in last - points + 1..=last {
            let point = 1 + self.random.below(most);
            let is_new = !self.changes.contains(&point);
            self.changes.push(if is_new { point } else { most });
        }
    }

    fn choose(&mut self, runnable: &[u32], current: u32, yields: bool, again: u32) -> u32 {
        let threads = runnable.iter().copied().max().unwrap_or(0).max(current);
        while self.priorities.len() <= threads as usize {
            let priority = Self::INITIAL + (self.random.next() >> 1);
            self.priorities.push(priority);
        }
        let waits = again >= self.patience || self.alone >= Self::MOST_ALONE;
        if yields || waits || self.changes.contains(&self.made) {
            self.lowest -= 1;
            self.priorities[current as usize] = self.lowest;
        }
        self.made += 1;
        self.longest = self.longest.max(self.made);
        let priority = |thread: &&u32| self.priorities[**thread as usize];
        let chosen = *runnable.iter().max_by_key(priority).expect("one can run");
        let is_alone = chosen == current;
        self.alone = if is_alone { self.alone + 1 } else { 0 };
        chosen
    }
}

/// SplitMix64 [Steele, Lea & Flood, *Fast Splittable Pseudorandom Number Generators*, figure 17].
pub(super) struct Random(u64);

impl Random {
    /// The numbers of one execution.
    fn of(seed: u64, execution: u64) -> Self {
        let mut seeds = Self(seed);
        let start = seeds.next();
        Self(start ^ Self(execution).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(end);
        (product >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as the depth says, each in another place, as far as there are so many.
    #[test]
    fn points_of_change_are_distinct() {
        for (depth, longest) in [(1, 9), (2, 1), (3, 3), (5, 5), (6, 40), (9, 4)] {
            let mut pct = Pct::new(7, depth);
            pct.longest = longest;
            for execution in 0..100 {
                pct.begin(execution);
                let mut points = pct.changes.clone();
                points.sort_unstable();
                points.dedup();
                let expected = (depth as u64 - 1).min(longest - 1);
                assert_eq!(points.len() as u64, expected, "{:?}", pct.changes);
                assert!(points.iter().all(|point| (1..longest).contains(point)));
            }
        }
    }
}
