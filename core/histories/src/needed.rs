//! Which of the events under way have to be tried before one that ends.
//!
//! All that come before it in some order and commute with what comes after them up to there may as well
//! come later: between events that are under way at the same time there is no order but that of their
//! threads. So of each thread only those events are tried that do not commute with the one that ends, or
//! with one that is tried for it, and what comes before them in their thread.
//!
//! Source: these are the stubborn sets of Valmari, *Stubborn sets for reduced state space generation*,
//! 1990, with threads in the place of transitions.

use super::observed::{Effect, Observed};
use super::window::{Log, Window};

/// Of each lane, the last event that is tried.
#[derive(Debug, Default)]
pub(super) struct Needed {
    /// Of no lane, if all events are.
    last: Vec<Option<u64>>,
}

/// An event under way, or delayed.
#[derive(Clone, Copy)]
struct Member {
    lane: u32,
    number: u64,
    /// Whether it may still take effect after later events of its thread.
    is_delayed: bool,
}

impl Needed {
    /// For the first event of `target`.
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
                // What its own thread did later comes before it only if it is delayed.
                let is_apart = other.lane != member.lane || member.is_delayed;
                if is_apart && !commute(observed, log, member.number, other.number) {
                    let last = &mut last[other.lane as usize];
                    *last = (*last).max(Some(other.number));
                }
            }
        }
    }

    /// Whether the event is tried.
    pub fn has(&self, lane: u32, number: u64) -> bool {
        match self.last.get(lane as usize) {
            None => true,
            Some(last) => last.is_some_and(|last| number <= last),
        }
    }
}

fn commute<O: Observed>(observed: &O, log: &Log<O::Event>, one: u64, other: u64) -> bool {
    match (&log.get(one).event, &log.get(other).event) {
        (Some(one), Some(other)) => observed.commute(one, other),
        _ => false,
    }
}
