//! Minimization of a refuted history: its smallest impossible window.

use std::collections::BTreeSet;

use foldhash::HashSet;

use super::configuration::Configuration;
use super::observed::{Observed, State};
use super::search::{Search, Stop};
use super::window::{Ending, Log, Window};
use refmap::explore::Limit;
use refmap::report::history::SmallWindow;

/// Number of configurations of one event beyond which the search for it, and its explanation, go no further.
pub(super) const ENOUGH: usize = 1 << 12;
/// Greatest number of starting configurations to try.
const MOST_BEGINNINGS: usize = 1 << 12;
/// Greatest total number of expansions; then the minimization stops.
const PATIENCE: u64 = 1 << 18;

/// Result of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    /// An event is refused.
    Refused,
    /// Delayed events cannot take effect.
    Unsettled,
    Accepted,
    Undecided(Limit),
}

impl Stop {
    /// The end of a replay by it, where `stuck` is what it means to be stuck.
    fn end(self, stuck: End) -> End {
        match self {
            Self::Stuck(_) => stuck,
            Self::Limit(limit) => End::Undecided(limit),
            Self::Crowded | Self::Unasked => End::Undecided(Limit::States(ENOUGH as u64)),
        }
    }
}

/// Part of a log to replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replay {
    /// Number of its first event.
    pub from: u64,
    /// The last end of an event to process; all are, if there is none.
    pub until: Option<Ending>,
    /// True if the history ends where the log does.
    pub is_whole: bool,
}

/// Replays events; returns the result and the number of events that had begun. Calls `visit` before each end of an event, with
/// the number of the event that begins next.
pub(super) fn replay<'a, O: Observed>(
    search: &mut Search<'a, O>,
    log: &Log<O::Event>,
    replay: Replay,
    visit: &mut impl FnMut(&Search<'a, O>, u64),
) -> (End, u64) {
    for next in replay.from..=log.end() {
        let time = (next < log.end()).then(|| log.place(next).begin);
        while let Some(lane) = search.window.first_end(time) {
            if replay.until < search.window.first_ending() && replay.until.is_some() {
                return (End::Accepted, next);
            }
            visit(search, next);
            let mut responded = search.respond(log, lane);
            if let Err(Stop::Unasked) = responded {
                responded = search.respond_by_outlook(log, lane, next, replay.is_whole);
            }
            match responded {
                Ok(()) => (),
                Err(stop) => return (stop.end(End::Refused), next),
            }
        }
        if next < log.end() {
            search.begin(log, next);
        }
    }
    let end = match search.settle(log) {
        Ok(()) => End::Accepted,
        Err(stop) => stop.end(End::Unsettled),
    };
    (end, log.end())
}

/// Point of a replay before the end of an event.
pub(super) struct Moment {
    /// The event that begins next.
    next: u64,
    window: Window,
    /// Sets of events that can be taken by then.
    ahead: HashSet<Configuration<()>>,
}

impl Moment {
    pub fn of<O: Observed>(search: &Search<'_, O>, next: u64) -> Self {
        let frontier = search.frontier.iter();
        Self {
            next,
            window: search.window.clone(),
            ahead: frontier
                .map(|(configuration, _)| configuration.with_state(()))
                .collect(),
        }
    }
}

/// Computes a [`SmallWindow`], latest starting point first. Fails at a limit on time or memory.
pub(super) fn smallest<O: Observed>(
    again: &Search<'_, O>,
    log: &Log<O::Event>,
    until: Option<Ending>,
    moments: impl IntoIterator<Item = Moment>,
    states: &HashSet<State<O>>,
) -> Result<Option<SmallWindow>, Limit> {
    let mut continued = 0;
    for moment in moments {
        if let Some(limit) = again.exhausted() {
            return Err(limit);
        }
        let beginnings = moment.ahead.len() * states.len();
        if beginnings > MOST_BEGINNINGS || continued > PATIENCE {
            return Ok(None);
        }
        let ahead = moment.ahead.iter();
        let beginnings = ahead.flat_map(|ahead| {
            let states = states.iter();
            states.map(|state| (ahead.with_state(state.clone()), None))
        });
        let mut numbers: BTreeSet<u64> = moment.window.numbers().collect();
        let mut search = again.elsewhere(moment.window, beginnings.collect());
        let rest = Replay {
            from: moment.next,
            until,
            is_whole: false,
        };
        let (end, next) = replay(&mut search, log, rest, &mut |_, _| ());
        continued += search.counts.configurations;
        if matches!(end, End::Refused | End::Unsettled) {
            numbers.extend(moment.next..next);
            let numbers = numbers.into_iter();
            return Ok(Some(SmallWindow {
                events: numbers
                    .map(|number| log.shown(again.observed, number))
                    .collect(),
                states: states.len(),
            }));
        }
    }
    Ok(None)
}
