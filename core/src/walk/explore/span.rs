//! Spans: consecutive states that are still to be expanded.

use std::ops::Range;

/// Consecutive states to which paths of one length were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub states: Range<u64>,
    pub length: u32,
    /// Pass in which they are expanded.
    pub pass: Pass,
}

/// One of the passes of the states of a level: the last one, unless each level is [passed twice](super::Visitor::PASSES_TWICE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// States are met, and steps taken that lead no farther.
    First,
    /// The other steps are taken.
    Last,
}

impl Span {
    /// Number of its states.
    pub fn len(&self) -> u64 {
        self.states.end - self.states.start
    }

    /// The length of the paths that its steps make.
    pub fn leads_to(&self) -> u32 {
        match self.pass {
            Pass::First => self.length,
            Pass::Last => self.length + 1,
        }
    }

    /// Its states in order, at most so many at a time.
    pub fn parts(&self, most: u64) -> impl Iterator<Item = Self> + use<> {
        let Self {
            states,
            length,
            pass,
        } = self.clone();
        let starts = states.clone().step_by(most as usize);
        starts.map(move |start| Self {
            states: start..states.end.min(start.saturating_add(most)),
            length,
            pass,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(states: Range<u64>, length: u32) -> Span {
        Span {
            states,
            length,
            pass: Pass::Last,
        }
    }

    #[test]
    fn the_parts_of_a_span_are_all_of_it() {
        let parts = |states, most| span(states, 3).parts(most).collect::<Vec<_>>();
        assert_eq!(parts(2..7, 2), [2..4, 4..6, 6..7].map(|part| span(part, 3)));
        assert_eq!(parts(2..6, 4), [span(2..6, 3)]);
        assert_eq!(parts(2..2, 4), []);
        let last = u64::MAX - 3..u64::MAX;
        assert_eq!(parts(last.clone(), 8), [span(last, 3)]);
    }
}
