//! Depth-first attempt: looks for one order of the rest of a history before all orders are kept.
//!
//! The frontier keeps every configuration that some order leads to, which are very many where many events are under way and
//! do not commute. If there is an order of the whole history, one is enough. So before the configurations of an event become
//! as many as a *crowd*, one order is looked for to the end of the history: each event that ends is taken in the first way
//! that is found, and in another one where a later event is refused. A level of the attempt is an event that ends, and it
//! visits no configuration twice.
//!
//! An attempt ends with an order, or with nothing: then the frontier decides, and the next attempt is made at a crowd that is
//! larger by [`GROWTH`]. The effort of an attempt is bounded in proportion to its crowd. It holds all events that it reads.

use std::mem;

use super::{Pass, Search};
use crate::configuration::{Configuration, Way};
use crate::needed::Needed;
use crate::observed::{Observed, State};
use crate::window::{Log, Window};
use refmap::explore::Limit;

/// Factor from the crowd of one attempt to that of the next.
const GROWTH: usize = 8;
/// Number of configurations that an attempt may expand, for each of the crowd.
const EFFORT: usize = 32;
/// Greatest number of levels, each of which has a window.
const MOST_LEVELS: usize = 1 << 14;
/// Greatest number of events of a window. Delayed events stay in it for as long as the attempt lasts.
const WIDEST: usize = 1 << 8;

/// What is known of a place in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// An event, which is in the log.
    Event,
    /// The end of the history.
    End,
    /// Nothing: the history cannot be read there.
    Unknown,
}

/// Event that ends, or the end of the history.
struct Level<O: Observed> {
    /// The window before it ends.
    window: Window,
    /// Number of the event that begins next.
    next: u64,
    /// Lane of the event; none at the end of the history.
    lane: Option<u32>,
    pass: Pass<O>,
    /// Number of the configurations found that were tried.
    tried: usize,
}

impl<O: Observed> Level<O> {
    /// A configuration that has taken the event, and was not tried.
    fn untried(&mut self) -> Option<(Configuration<State<O>>, Way<O>)> {
        let found = &self.pass.found;
        while self.tried < found.entries.len() {
            self.tried += 1;
            if !found.is_superfluous(self.tried - 1) {
                return Some(found.entries[self.tried - 1].clone());
            }
        }
        None
    }
}

impl<O: Observed> Search<'_, O> {
    /// Looks for an order of the rest of the history, of which event `begun` begins next; `read` reads an event to the log.
    /// If one is found, the frontier is where it leads, and the greatest number of events in a window is returned.
    pub fn look_ahead(
        &mut self,
        log: &mut Log<O::Event>,
        begun: u64,
        read: &mut impl FnMut(&mut Log<O::Event>, u64) -> Ahead,
    ) -> Result<Option<usize>, Limit> {
        let most = self.crowd.saturating_mul(EFFORT);
        let mut left = most.min(self.settings.configurations);
        self.crowd = self.crowd.saturating_mul(GROWTH);
        let Some(mut first) = self.level(log, self.window.clone(), begun, read) else {
            return Ok(None);
        };
        for (configuration, way) in self.frontier.clone() {
            self.arrive_at(&mut first, log, configuration, way);
        }
        let mut levels = vec![first];
        let mut depth = 0;
        loop {
            let level = &mut levels[depth];
            if let Some((mut configuration, way)) = level.untried() {
                let lane = level.lane.expect("nothing is found at the end of a history");
                configuration.respond(lane);
                depth += 1;
                if depth == levels.len() {
                    let before = &levels[depth - 1];
                    let (mut window, next) = (before.window.clone(), before.next);
                    window.end::<State<O>, Way<O>>(&mut []);
                    if depth == MOST_LEVELS || window.width() > WIDEST {
                        return Ok(None);
                    }
                    match self.level(log, window, next, read) {
                        Some(level) => levels.push(level),
                        None => return Ok(None),
                    }
                }
                self.arrive_at(&mut levels[depth], log, configuration, way);
            } else if let Some(at) = level.pass.stack.pop() {
                if left == 0 {
                    return Ok(None);
                }
                left -= 1;
                let lane = level.lane;
                self.swap(level);
                let at_end = lane.is_none().then(|| self.settled(log, at));
                let settled = at_end.flatten();
                let expanded = if settled.is_some() {
                    Ok(())
                } else {
                    self.expand(log, at, lane)
                };
                self.swap(level);
                expanded?;
                if let Some(settled) = settled {
                    self.frontier = vec![settled];
                    let widths = levels.iter().map(|level| level.window.width());
                    return Ok(widths.max());
                }
            } else if depth > 0 {
                depth -= 1;
            } else {
                return Ok(None);
            }
        }
    }

    /// The level after a window, of which event `next` begins next.
    fn level(
        &self,
        log: &mut Log<O::Event>,
        mut window: Window,
        mut next: u64,
        read: &mut impl FnMut(&mut Log<O::Event>, u64) -> Ahead,
    ) -> Option<Level<O>> {
        loop {
            let time = match read(log, next) {
                Ahead::Event => Some(log.get(next).begin),
                Ahead::End => None,
                Ahead::Unknown => return None,
            };
            let lane = window.first_end(time);
            if lane.is_some() || time.is_none() {
                let mut pass = Pass::new();
                pass.clear(&window);
                if let Some(lane) = lane {
                    pass.needed = Needed::by(self.observed, log, &window, lane);
                }
                return Some(Level {
                    window,
                    next,
                    lane,
                    pass,
                    tried: 0,
                });
            }
            let effect = log.effect(self.observed, next);
            window.begin(next, log.get(next), effect);
            next += 1;
        }
    }

    fn arrive_at(
        &mut self,
        level: &mut Level<O>,
        log: &Log<O::Event>,
        configuration: Configuration<State<O>>,
        way: Way<O>,
    ) {
        self.swap(level);
        self.arrive(log, configuration, way, level.lane);
        self.swap(level);
    }

    /// Exchanges the point at which the search is with that of a level.
    fn swap(&mut self, level: &mut Level<O>) {
        mem::swap(&mut self.window, &mut level.window);
        mem::swap(&mut self.pass, &mut level.pass);
    }
}
