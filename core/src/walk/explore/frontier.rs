//! The frontier: the states reached and not yet expanded, and which of them come next.

use std::collections::VecDeque;
use std::ops::Range;

/// Consecutive states to which paths of one length were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub states: Range<u64>,
    pub length: u32,
}

impl Span {
    /// Number of its states.
    pub fn len(&self) -> u64 {
        self.states.end - self.states.start
    }

    /// Its states in order, at most so many at a time.
    pub fn parts(&self, most: u64) -> impl Iterator<Item = Self> + use<> {
        let Self { states, length } = self.clone();
        let starts = states.clone().step_by(most as usize);
        starts.map(move |start| Self {
            states: start..states.end.min(start.saturating_add(most)),
            length,
        })
    }
}

/// The states reached and not yet expanded, those nearest to the initial states first.
pub(super) struct Frontier(VecDeque<Span>);

impl Frontier {
    /// The spans of a search, the one that is expanded first before the others.
    pub fn new(unexpanded: Vec<Span>) -> Self {
        Self(unexpanded.into())
    }

    /// Adds states just reached.
    pub fn push(&mut self, states: Range<u64>, length: u32) {
        if !states.is_empty() {
            self.0.push_back(Span { states, length });
        }
    }

    /// Its spans after the one that is being expanded, of which `left` is left.
    pub fn after(&self, left: &Span) -> Vec<Span> {
        [left].into_iter().chain(&self.0).cloned().collect()
    }

    /// The states to be expanded next: all that have the least distance.
    pub fn next(&mut self) -> Option<Span> {
        self.0.pop_front()
    }

    /// All that is left.
    pub fn rest(self) -> impl Iterator<Item = Span> {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(states: Range<u64>, length: u32) -> Span {
        Span { states, length }
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

    #[test]
    fn the_oldest_come_first() {
        let mut frontier = Frontier::new(vec![span(0..5, 0)]);
        frontier.push(5..5, 1);
        frontier.push(5..7, 1);
        assert_eq!(frontier.next(), Some(span(0..5, 0)));
        assert_eq!(frontier.next(), Some(span(5..7, 1)));
        assert_eq!(frontier.next(), None);
    }
}
