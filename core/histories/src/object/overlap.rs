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
