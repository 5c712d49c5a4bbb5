//! Attempt at a first order of the rest of a history, before all orders are kept.
//!
//! The frontier keeps every configuration that some order leads to, which are very many where many events are under way and
//! do not commute. If there is an order of the whole history, one is enough. So before the configurations of an event become
//! as many as a *crowd*, one order is followed to the end of the history, depth first: each event that ends is taken, and
//! where that is refused, the attempt goes back to what is most promising of all that it has left:
//!
//! 1. The most events that only look. That they saw what they saw confirms the order before them.
//! 2. Of these the fewest other events before their ends: what nothing has asked for yet may as well come later.
//! 3. Of these the one that has come furthest.
//!
//! A level of the attempt is an event that ends, and no configuration is visited twice in a level. An attempt ends with an
//! order, or with nothing: then the frontier decides, and the next attempt is made at a crowd that is larger by [`GROWTH`].
//! The effort of an attempt is bounded in proportion to its crowd. It holds all events that it reads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;

use super::{Pass, Search};
use crate::configuration::{Configuration, Way};
use crate::needed::Needed;
use crate::observed::{Observed, State};
use crate::outlook::{Ahead, read_ahead};
use crate::window::{Log, Window};
use refmap::explore::Limit;

/// Factor from the crowd of one attempt to that of the next.
pub(crate) const GROWTH: usize = 8;
/// Number of configurations that an attempt may expand, for each of the crowd.
const EFFORT: usize = 32;
/// Greatest number of levels, each of which has a window.
const MOST_LEVELS: usize = 1 << 14;
/// Number of configurations of a level beyond which the outlook from each is asked, if a crowd is not less.
const FEW: usize = 1 << 3;
/// Greatest number of events of a window. Delayed events stay in it for as long as the attempt lasts.
const WIDEST: usize = 1 << 8;

/// Event that ends, or the end of the history.
struct Level<O: Observed> {
    /// The window before it ends.
    window: Window,
    /// Number of the event that begins next.
    next: u64,
    /// Lane of the event; none at the end of the history.
    lane: Option<u32>,
    pass: Pass<O>,
    /// Number of events before it that have ended and only look.
    looked: usize,
}

/// Configuration that is left, by how promising it is.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Left {
    looked: usize,
    others: Reverse<usize>,
    level: usize,
    place: Reverse<usize>,
}

/// Reason why an attempt ends with nothing.
enum Nothing {
    /// No order is known within the attempt's bounds.
    Unknown,
    Limit(Limit),
}

struct Attempt<'s, 'a, O: Observed> {
    search: &'s mut Search<'a, O>,
    log: &'s mut Log<O::Event>,
    /// Reads an event to the log.
    read: &'s mut dyn FnMut(&mut Log<O::Event>, u64) -> Ahead,
    levels: Vec<Level<O>>,
    left: BinaryHeap<Left>,
    /// Number of configurations in all levels.
    kept: usize,
    /// Number of configurations of a level beyond which the outlook from each is asked.
    few: usize,
}

impl<O: Observed> Search<'_, O> {
    /// Looks for an order of the rest of the history, of which event `begun` begins next; `read` reads an event to the log.
    /// If one is found, the frontier is where it leads, and the greatest number of events in a window is returned.
    pub fn look_ahead(
        &mut self,
        log: &mut Log<O::Event>,
        begun: u64,
        crowd: usize,
        read: &mut dyn FnMut(&mut Log<O::Event>, u64) -> Ahead,
    ) -> Result<Option<usize>, Limit> {
        let effort = crowd.saturating_mul(EFFORT);
        let mut attempt = Attempt {
            search: self,
            log,
            read,
            levels: Vec::new(),
            left: BinaryHeap::new(),
            kept: 0,
            few: FEW.min(crowd),
        };
        match attempt.run(begun, effort) {
            Ok(found) => {
                let widths = attempt.levels.iter().map(|level| level.window.width());
                let widest = widths.max();
                self.frontier = vec![found];
                Ok(widest)
            }
            Err(Nothing::Unknown) => Ok(None),
            Err(Nothing::Limit(limit)) => Err(limit),
        }
    }
}

impl<O: Observed> Attempt<'_, '_, O> {
    /// The configuration at the end of an order.
    fn run(
        &mut self,
        begun: u64,
        effort: usize,
    ) -> Result<(Configuration<State<O>>, Way<O>), Nothing> {
        self.level(self.search.window.clone(), begun, 0)?;
        for (configuration, way) in self.search.frontier.clone() {
            self.arrive(0, configuration, way)?;
        }
        for _ in 0..effort {
            let Some(Left { level, place, .. }) = self.left.pop() else {
                break;
            };
            if self.kept > self.search.settings.configurations {
                break;
            }
            let Reverse(place) = place;
            let lane = self.levels[level].lane;
            let found = self.levels[level].pass.found.entries.len();
            if lane.is_none() {
                let settled = self.within(level, |search, log| search.settled(log, place));
                if let Some(settled) = settled {
                    return Ok(settled);
                }
            }
            self.look_out(level);
            let expanded = self.within(level, |search, log| {
                let configuration = &search.pass.visited.entries[place].0;
                if search.has_hope(log, configuration) {
                    search.expand(log, place, lane)
                } else {
                    Ok(())
                }
            });
            expanded.map_err(Nothing::Limit)?;
            self.leave(level);
            for number in found..self.levels[level].pass.found.entries.len() {
                let entry = &self.levels[level].pass.found.entries[number];
                let (configuration, way) = entry.clone();
                self.pass(level, configuration, way)?;
            }
        }
        Err(Nothing::Unknown)
    }

    /// Adds the level after a window, of which event `next` begins next.
    fn level(&mut self, mut window: Window, mut next: u64, looked: usize) -> Result<(), Nothing> {
        if self.levels.len() == MOST_LEVELS || window.width() > WIDEST {
            return Err(Nothing::Unknown);
        }
        let observed = self.search.observed;
        loop {
            let time = match (self.read)(self.log, next) {
                Ahead::Event => Some(self.log.place(next).begin),
                Ahead::End => None,
                Ahead::Unknown => return Err(Nothing::Unknown),
            };
            let lane = window.first_end(time);
            if lane.is_some() || time.is_none() {
                let mut pass = Pass::new();
                pass.clear(&window);
                if let Some(lane) = lane {
                    pass.needed = Needed::by(observed, self.log, &window, lane);
                }
                self.levels.push(Level {
                    window,
                    next,
                    lane,
                    pass,
                    looked,
                });
                return Ok(());
            }
            let effect = self.log.effect(observed, next);
            window.begin(next, self.log.place(next), effect);
            next += 1;
        }
    }

    /// Asks for the outlook from the configurations of a level from now on, if they are more than a few.
    fn look_out(&mut self, level: usize) {
        let Level {
            window, next, pass, ..
        } = &mut self.levels[level];
        if pass.expected.is_some() || !self.search.confirms || pass.len() <= self.few {
            return;
        }
        let most = self.search.reach;
        let is_whole = read_ahead(self.log, *next, most, self.read);
        let expected = self.search.expected(self.log, window, *next, is_whole);
        pass.expected = Some(expected);
    }

    /// Adds a configuration to a level.
    fn arrive(
        &mut self,
        level: usize,
        configuration: Configuration<State<O>>,
        way: Way<O>,
    ) -> Result<(), Nothing> {
        let Level { lane, pass, .. } = &self.levels[level];
        let (lane, known) = (*lane, pass.found.entries.len());
        self.within(level, |search, log| {
            search.arrive(log, configuration, way, lane);
        });
        self.leave(level);
        // It may have taken the event before.
        match self.levels[level].pass.found.entries.get(known) {
            None => Ok(()),
            Some(entry) => {
                let (configuration, way) = entry.clone();
                self.pass(level, configuration, way)
            }
        }
    }

    /// Passes the end of a level's event with a configuration that has taken it.
    fn pass(
        &mut self,
        level: usize,
        mut configuration: Configuration<State<O>>,
        way: Way<O>,
    ) -> Result<(), Nothing> {
        let Level {
            window,
            next,
            lane,
            looked,
            ..
        } = &self.levels[level];
        let lane = lane.expect("nothing is taken at the end of a history");
        configuration.respond(lane);
        if level + 1 == self.levels.len() {
            let (mut window, next, looked) = (window.clone(), *next, *looked);
            let ended = window.lanes[lane as usize].queue.front().copied();
            let looks = ended.is_some_and(|ended| self.only_looks(ended));
            // Every lane keeps its delayed events: another configuration may not have given them effect.
            window.end::<State<O>, Way<O>>(&mut []);
            self.level(window, next, looked + usize::from(looks))?;
        }
        self.arrive(level + 1, configuration, way)
    }

    fn only_looks(&self, number: u64) -> bool {
        self.log.only_looks(self.search.observed, number)
    }

    /// Leaves the configurations that are new in a level for later.
    fn leave(&mut self, level: usize) {
        while let Some(place) = self.levels[level].pass.stack.pop() {
            let Level {
                window,
                pass,
                looked,
                ..
            } = &self.levels[level];
            let (mut looked, mut others) = (*looked, 0);
            for ahead in pass.visited.entries[place].0.all_ahead() {
                let queue = &window.lanes[ahead.lane as usize].queue;
                for number in queue.iter().take(ahead.taken as usize) {
                    if self.only_looks(*number) {
                        looked += 1;
                    } else {
                        others += 1;
                    }
                }
            }
            self.kept += 1;
            self.left.push(Left {
                looked,
                others: Reverse(others),
                level,
                place: Reverse(place),
            });
        }
    }

    /// Runs the search at a level.
    fn within<T>(
        &mut self,
        level: usize,
        run: impl FnOnce(&mut Search<'_, O>, &Log<O::Event>) -> T,
    ) -> T {
        let level = &mut self.levels[level];
        let mut swap = |search: &mut Search<'_, O>| {
            mem::swap(&mut search.window, &mut level.window);
            mem::swap(&mut search.pass, &mut level.pass);
        };
        swap(self.search);
        let result = run(self.search, self.log);
        swap(self.search);
        result
    }
}
