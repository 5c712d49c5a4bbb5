//! Programs: the calls that threads make in a run.

use std::fmt::{self, Display};
use std::str::FromStr;

#[cfg(any(feature = "shuttle", feature = "loom"))]
use refmap::random::Generator;

/// Number of choices of a call in a small program: more than there are calls, and few enough to be read.
#[cfg(any(feature = "shuttle", feature = "loom"))]
pub(super) const CHOICES: usize = 1_000;

/// Program of one run: for each call of each thread a number, which chooses among the calls that the thread's handle may make then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Program {
    pub threads: Vec<Vec<u32>>,
}

impl Program {
    /// A random program: each thread makes 1 to `most` calls.
    #[cfg(any(feature = "shuttle", feature = "loom"))]
    pub fn random(generator: &mut Generator, threads: u32, most: usize) -> Self {
        let thread = |generator: &mut Generator| -> Vec<u32> {
            let calls = 1 + generator.below(most);
            (0..calls)
                .map(|_| generator.below(CHOICES) as u32)
                .collect()
        };
        let threads = (0..threads).map(|_| thread(generator));
        Self {
            threads: threads.collect(),
        }
    }

    /// Programs of which each is this one without some calls, those without many first.
    pub fn smaller(&self) -> impl Iterator<Item = Self> {
        let longest = self.threads.iter().map(Vec::len).max().unwrap_or(0);
        let sizes = std::iter::successors(Some(longest), |size| Some(size / 2));
        let cuts = sizes.take_while(|size| *size > 0).flat_map(|size| {
            let threads = self.threads.iter().enumerate();
            threads.flat_map(move |(thread, calls)| {
                (0..calls.len())
                    .step_by(size)
                    .map(move |from| (thread, from, (from + size).min(calls.len())))
            })
        });
        cuts.map(|(thread, from, to)| {
            let mut smaller = self.clone();
            smaller.threads[thread].drain(from..to);
            smaller
        })
    }
}

/// The numbers of a thread, between threads a slash: `0,3/2`.
impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, thread) in self.threads.iter().enumerate() {
            f.write_str(if at > 0 { "/" } else { "" })?;
            write_numbers(f, thread)?;
        }
        Ok(())
    }
}

/// Numbers with commas between them.
pub(super) fn write_numbers(f: &mut fmt::Formatter<'_>, numbers: &[u32]) -> fmt::Result {
    for (at, number) in numbers.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        write!(f, "{comma}{number}")?;
    }
    Ok(())
}

/// Numbers that [`write_numbers`] wrote.
pub(super) fn read_numbers(text: &str) -> Result<Vec<u32>, std::num::ParseIntError> {
    let numbers = text.split(',').filter(|_| !text.is_empty());
    numbers.map(u32::from_str).collect()
}

impl FromStr for Program {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let threads = text.split('/').map(read_numbers);
        Ok(Self {
            threads: threads.collect::<Result<_, _>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each call of each thread is left out in one of the smaller programs, and no other.
    #[test]
    fn each_call_of_each_thread_is_left_out() {
        let program: Program = "1,2/3,4,5//6".parse().expect("it is a program");
        let smaller: Vec<_> = program
            .smaller()
            .map(|smaller| smaller.to_string())
            .collect();
        for single in [
            "2/3,4,5//6",
            "1/3,4,5//6",
            "1,2/4,5//6",
            "1,2/3,5//6",
            "1,2/3,4//6",
            "1,2/3,4,5//",
        ] {
            assert!(
                smaller.contains(&single.to_owned()),
                "{single}: {smaller:?}"
            );
        }
        // Those without many come first.
        assert_eq!(smaller[0], "/3,4,5//6", "{smaller:?}");
        assert_eq!(smaller[1], "1,2///6", "{smaller:?}");
        assert!(!smaller.contains(&program.to_string()), "{smaller:?}");
    }
}
