//! First event that no order takes, where configurations were dropped because of events that end later.
//!
//! By the outlook a search may find that there is no order before it comes to the event that ends without a place in any. That
//! event is the first, by its end, such that no order goes as far when the outlook is asked of no event that ends later.

use super::observed::Observed;
use super::outlook::Horizon;
use super::search::Search;
use super::smallest::{End, Replay, replay};
use super::window::{Ending, Log};
use refmap::explore::Limit;

/// Number of configurations of one event beyond which the search for it, and its explanation, go no further.
pub(super) const ENOUGH: usize = 1 << 12;

/// First event that no order takes.
pub(super) struct First {
    pub end: Ending,
    /// The limit that came before it was known whether an earlier one is refused.
    pub unsure: Option<Limit>,
}

/// The first of the events of `candidates` that no order takes. Those are all events by their ends, of which the last is known to
/// be refused; `again` starts a search before event `next` of the log, which has no outlook on an event that ends after them.
pub(super) fn first<'a, O: Observed + 'a>(
    again: impl Fn() -> Search<'a, O>,
    log: &Log<O::Event>,
    whole: Replay,
    candidates: &[Ending],
) -> First {
    let mut unsure = None;
    let (mut low, mut high) = (0, candidates.len() - 1);
    while low < high {
        let middle = low.midpoint(high);
        let mut search = again();
        search.crowd = ENOUGH;
        search.horizon = Horizon {
            before: candidates.get(middle + 1).copied(),
            without: None,
        };
        let until = Some(candidates[middle]);
        let part = Replay { until, ..whole };
        match replay(&mut search, log, part, &mut |_, _| ()).0 {
            End::Refused => high = middle,
            End::Accepted | End::Unsettled => low = middle + 1,
            End::Undecided(limit) => {
                unsure = Some(limit);
                low = middle + 1;
            }
        }
    }
    First {
        end: candidates[high],
        unsure,
    }
}
