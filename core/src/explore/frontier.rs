//! The frontier: the states reached and not yet expanded, and which of them come next.

use std::collections::VecDeque;
use std::ops::Range;

use super::options::Order;

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

/// The states reached and not yet expanded.
pub(super) struct Frontier {
    order: Order,
    /// The most states that are taken at a time, depth first.
    most: u64,
    spans: VecDeque<Span>,
}

impl Frontier {
    pub fn new(order: Order, most: u64) -> Self {
        Self {
            order,
            most,
            spans: VecDeque::new(),
        }
    }

    /// Adds states just reached.
    pub fn push(&mut self, states: Range<u64>, length: u32) {
        if !states.is_empty() {
            self.spans.push_back(Span { states, length });
        }
    }

    /// Adds the spans of a search that goes on, the one that was being expanded first.
    pub fn resume(&mut self, unexpanded: Vec<Span>) {
        let mut spans = unexpanded.into_iter();
        let first = spans.next();
        match self.order {
            Order::BreadthFirst => self.spans.extend(first.into_iter().chain(spans)),
            Order::DepthFirst => self.spans.extend(spans.chain(first)),
        }
    }

    /// Its spans after the one that is being expanded, of which `left` is left.
    pub fn after(&self, left: &Span) -> Vec<Span> {
        [left].into_iter().chain(&self.spans).cloned().collect()
    }

    /// The states to be expanded next: all that have the least distance, or some of the newest.
    pub fn next(&mut self) -> Option<Span> {
        match self.order {
            Order::BreadthFirst => self.spans.pop_front(),
            Order::DepthFirst => {
                let mut last = self.spans.pop_back()?;
                let states = &mut last.states;
                let start = states.end.saturating_sub(self.most).max(states.start);
                let taken = start..states.end;
                states.end = start;
                let length = last.length;
                self.push(last.states, length);
                Some(Span {
                    states: taken,
                    length,
                })
            }
        }
    }

    /// All that is left.
    pub fn rest(self) -> impl Iterator<Item = Span> {
        self.spans.into_iter()
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
    fn breadth_first_takes_the_oldest() {
        let mut frontier = Frontier::new(Order::BreadthFirst, 2);
        frontier.push(0..5, 0);
        frontier.push(5..5, 1);
        frontier.push(5..7, 1);
        assert_eq!(frontier.next(), Some(span(0..5, 0)));
        assert_eq!(frontier.next(), Some(span(5..7, 1)));
        assert_eq!(frontier.next(), None);
    }

    #[test]
    fn depth_first_takes_some_of_the_newest() {
        let mut frontier = Frontier::new(Order::DepthFirst, 2);
        frontier.push(0..5, 0);
        assert_eq!(frontier.next(), Some(span(3..5, 0)));
        frontier.push(5..6, 1);
        assert_eq!(frontier.next(), Some(span(5..6, 1)));
        assert_eq!(frontier.next(), Some(span(1..3, 0)));
        assert_eq!(frontier.rest().collect::<Vec<_>>(), [span(0..1, 0)]);
    }
}
