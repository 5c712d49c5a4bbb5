//! Stubborn sets: the events under way that the search must try before an event that ends.
//!
//! If an order takes an event before the one that ends, and it commutes with everything between the two, it may as
//! well come later: events that are under way at the same time are ordered only within their threads. So, per
//! thread, the search tries only the events that do not commute with the ending one, or with one that is itself
//! tried, and their predecessors in their thread.
//!
//! Source: the stubborn sets of Valmari, *Stubborn sets for reduced state space generation*, 1990, with threads in
//! place of transitions.

use super::call::call;
use super::observed::{Effect, Observed};
use super::window::{Log, Window};

/// Stubborn set: the last event to try, per lane.
#[derive(Debug, Default)]
pub(super) struct Needed {
    /// Empty if all events are tried.
    last: Vec<Option<u64>>,
}

/// An event under way, or delayed.
#[derive(Clone, Copy)]
struct Member {
    lane: u32,
    number: u64,
    /// True if the event may take effect after later events of its thread.
    is_delayed: bool,
}

impl Needed {
    /// Computes the set for the first event of `target`.
    pub fn by<O: Observed>(
        observed: &O,
        log: &Log<O::Event>,
        window: &Window,
        target: u32,
    ) -> Self {
        let first = window.lanes[target as usize].queue.front();
        let mut waiting = Vec::new();
        for (lane, place) in (0..).zip(&window.lanes) {
            let numbers = place.delayed.iter().chain(place.queue.iter());
            waiting.extend(numbers.map(|number| Member {
                lane,
                number: *number,
                is_delayed: log.effect(observed, *number) == Effect::Delayed,
            }));
        }
        let mut last = vec![None; window.lanes.len()];
        last[target as usize] = first.copied();
        let mut members: Vec<Member> = Vec::new();
        let mut looked = 0;
        loop {
            waiting.retain(|member| {
                let is_in = last[member.lane as usize].is_some_and(|last| member.number <= last);
                if is_in {
                    members.push(*member);
                }
                !is_in
            });
            let Some(member) = members.get(looked) else {
                return Self { last };
            };
            looked += 1;
            for other in &waiting {
                // A later event of the same thread can precede it only if it is delayed.
                let is_apart = other.lane != member.lane || member.is_delayed;
                if is_apart && !commute(observed, log, member.number, other.number) {
                    let last = &mut last[other.lane as usize];
                    *last = (*last).max(Some(other.number));
                }
            }
        }
    }

    /// True if the search tries the event.
    pub fn has(&self, lane: u32, number: u64) -> bool {
        match self.last.get(lane as usize) {
            None => true,
            Some(last) => last.is_some_and(|last| number <= last),
        }
    }
}

fn commute<O: Observed>(observed: &O, log: &Log<O::Event>, one: u64, other: u64) -> bool {
    match (&log.get(one).event, &log.get(other).event) {
        (Some(one), Some(other)) => {
            call("`commute` of the adapter", || observed.commute(one, other))
        }
        _ => false,
    }
}
