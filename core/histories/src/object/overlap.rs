//! Overlap of the calls of a history.

use crate::Event;

/// Number of calls that began while another thread had one under way.
pub(super) fn overlapping<E>(events: &[Event<E>]) -> u64 {
    let end = |event: &Event<E>| event.end.unwrap_or(u64::MAX);
    // The latest end so far, with its thread, and the latest of any other thread.
    let mut latest: Option<(u64, u32)> = None;
    let mut of_others: Option<u64> = None;
    let mut overlapping = 0;
    for event in events {
        let other = match latest {
            Some((end, thread)) if thread != event.thread => Some(end),
            Some(_) | None => of_others,
        };
        overlapping += u64::from(other.is_some_and(|other| other > event.begin));
        match latest {
            Some((time, thread)) if thread != event.thread => {
                if end(event) > time {
                    of_others = Some(time);
                    latest = Some((end(event), event.thread));
                } else {
                    of_others = of_others.max(Some(end(event)));
                }
            }
            Some((time, thread)) => latest = Some((time.max(end(event)), thread)),
            None => latest = Some((end(event), event.thread)),
        }
    }
    overlapping
}

/// Greatest number of threads that had a call under way at once.
pub(super) fn most_under_way<E>(events: &[Event<E>]) -> u64 {
    let mut ends: Vec<u64> = Vec::new();
    let mut most = 0;
    for event in events {
        let thread = event.thread as usize;
        if ends.len() <= thread {
            ends.resize(thread + 1, 0);
        }
        ends[thread] = event.end.unwrap_or(u64::MAX);
        let others = (0..)
            .zip(&ends)
            .filter(|(other, end)| *other != thread && **end > event.begin);
        most = most.max(1 + others.count() as u64);
    }
    most
}

#[cfg(test)]
mod tests {
    use refmap::random::Generator;

    use super::*;

    /// Looks at all earlier calls of each call.
    fn oracle(events: &[Event<()>]) -> u64 {
        let began_within = |(at, event): (usize, &Event<()>)| {
            events[..at].iter().any(|earlier| {
                let is_under_way = earlier.end.is_none_or(|end| end > event.begin);
                earlier.thread != event.thread && is_under_way
            })
        };
        events
            .iter()
            .enumerate()
            .filter(|at| began_within(*at))
            .count() as u64
    }

    /// Counts at the begin of each call.
    fn most_by_oracle(events: &[Event<()>]) -> u64 {
        let under_way = |now: &Event<()>| {
            let is_under_way = |event: &&Event<()>| {
                let begun = event.begin <= now.begin && !std::ptr::eq(*event, now);
                begun && event.thread != now.thread && event.end.is_none_or(|end| end > now.begin)
            };
            1 + events.iter().filter(is_under_way).count() as u64
        };
        events.iter().map(under_way).max().unwrap_or(0)
    }

    /// A history of threads that make calls one after another. Some calls never end.
    fn history(generator: &mut Generator) -> Vec<Event<()>> {
        let mut events = Vec::new();
        for thread in 0..1 + generator.below(4) as u32 {
            let mut now = 0;
            for place in 0..generator.below(12) as u64 {
                let begin = now + generator.below(4) as u64;
                now = begin + generator.below(6) as u64;
                let never_ends = generator.below(20) == 0;
                events.push(Event {
                    thread,
                    place,
                    begin,
                    end: (!never_ends).then_some(now),
                    event: Some(()),
                });
                if never_ends {
                    break;
                }
            }
        }
        events.sort_unstable_by_key(|event| (event.begin, event.thread, event.place));
        events
    }

    #[test]
    fn calls_are_counted_as_the_oracle_counts_them() {
        let mut generator = Generator::new(1);
        let mut most = 0;
        for _ in 0..20_000 {
            let events = history(&mut generator);
            let expected = oracle(&events);
            assert_eq!(overlapping(&events), expected, "{events:?}");
            most = most.max(expected);
        }
        assert!(most > 20, "{most} calls overlap at most");
    }

    #[test]
    fn calls_under_way_are_counted_as_the_oracle_counts_them() {
        let mut generator = Generator::new(2);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..5_000 {
            let mut events = history(&mut generator);
            // Calls that begin at once are counted in no order.
            events.dedup_by_key(|event| event.begin);
            let most = most_under_way(&events);
            assert_eq!(most, most_by_oracle(&events), "{events:?}");
            seen.insert(most);
        }
        assert!((0..=4).all(|most| seen.contains(&most)), "{seen:?}");
    }

    #[test]
    fn calls_that_touch_do_not_overlap() {
        let event = |thread, begin, end| Event {
            thread,
            place: 0,
            begin,
            end,
            event: Some(()),
        };
        let endless = [event(0, 1, None), event(1, 2, Some(3))];
        assert_eq!(overlapping(&endless), 1);
        let touching = [event(0, 1, Some(2)), event(1, 2, Some(3))];
        assert_eq!(overlapping(&touching), 0);
        assert_eq!(overlapping::<()>(&[]), 0);
    }
}
