//! Why a history is not a behaviour: how far one gets, and the smallest part of it that cannot be.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::configuration::{Configuration, Kind, Link, Taken};
use super::event::Event;
use super::observed::{Effect, Observed};
use super::search::{Remember, Search, State, Stop, Way, happening, pending};
use super::validator::line;
use super::window::{Log, Window};
use crate::explore::Limit;
use crate::system::TransitionSystem;

/// As many of the longest prefixes are shown.
const MOST_PREFIXES: usize = 8;
/// As many of the last steps of each.
const MOST_STEPS: usize = 12;
/// As many configurations are tried as the beginning of a smaller part.
const MOST_BEGINNINGS: usize = 1 << 12;
/// As many are continued in all, until no smaller part is looked for.
const PATIENCE: u64 = 1 << 18;

/// Why a history is not a behaviour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The event that ended without a place in any order; none if all have one, and the effects of
    /// delayed events do not.
    pub event: Option<ShownEvent>,
    /// The longest orders of events there are up to then, by the number of events in them.
    pub prefixes: Vec<Prefix>,
    /// How many more there are of that length.
    pub more_prefixes: usize,
    /// A smaller part of the history that cannot be, if one was found.
    pub window: Option<SmallWindow>,
    /// The bound that came before all of this was looked at, if one did: there may be longer orders, and
    /// more of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cut_short: Option<Limit>,
}

/// An event, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownEvent {
    /// Its line; none in a trace of states.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u64>,
    /// Its thread.
    pub thread: u32,
    /// Its place in the order of its thread.
    pub place: u64,
    /// When it began, in nanoseconds.
    pub begin: u64,
    /// When it had ended; none if that was lost.
    pub end: Option<u64>,
    /// What it was.
    pub text: String,
}

/// An order of some of the events, of which the specification takes every step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prefix {
    /// How many events of the history it takes, those before its steps included.
    pub events: u64,
    /// Where the steps begin.
    pub before: Situation,
    /// Its last steps, of those that were looked at again.
    pub steps: Vec<PrefixStep>,
    /// What could come next, and why it cannot.
    pub next: Vec<Refused>,
}

impl Prefix {
    /// Where it leads.
    pub fn last(&self) -> &Situation {
        self.steps.last().map_or(&self.before, |step| &step.after)
    }
}

/// A state of the specification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Situation {
    /// Its fields.
    pub state: Value,
    /// The same as the specification draws it, if it does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drawing: Option<String>,
}

/// A step of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefixStep {
    /// The event; none if the specification moves by itself.
    pub event: Option<ShownEvent>,
    /// What the step is.
    pub kind: StepKind,
    /// The action of the specification; none if nothing changes.
    pub action: Option<Value>,
    /// The rule of which the action is an instance.
    pub rule: Option<String>,
    /// Where that rule is stated.
    pub source: Option<String>,
    /// Who takes the step, in the specification.
    pub process: Option<String>,
    /// The state that it leads to.
    pub after: Situation,
}

/// What a step of an order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// An event takes place and takes effect.
    Event,
    /// A delayed event takes place.
    Issue,
    /// A delayed event takes effect.
    Effect,
    /// The specification moves by itself.
    Internal,
}

/// What could come next, and cannot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The event.
    pub event: ShownEvent,
    /// The condition that fails.
    pub reason: String,
}

/// A part of the history that cannot be.
///
/// It is what is left when the events that ended before some moment are left out, at the latest such
/// moment at which the rest is still refused from *every* state that the search passed among the events
/// it looked at again, put in the place of the state at that moment. Events that were under way at the
/// moment stay in it; for them, and for delayed events, every way is tried in which the search had taken
/// them by then, which is as late as it could. So no state that the search knows of makes the rest
/// possible. Of other states of the specification nothing is said, and neither of events under way that
/// take effect earlier than the search took them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallWindow {
    /// Its events, as they begin.
    pub events: Vec<ShownEvent>,
    /// From how many states it was tried.
    pub states: usize,
}

/// Goes from `again` over the events of `log` from number `before` on, which end in a refusal: that of
/// event `refused`, or of delayed events that cannot take effect.
pub(super) fn explain<O: Observed>(
    mut again: Search<'_, O>,
    log: &Log<O::Event>,
    before: u64,
    refused: Option<u64>,
) -> Explanation {
    again.remember = Remember::Everything;
    for (configuration, way) in &mut again.frontier {
        *way = Some(Arc::new(Link {
            before: None,
            length: 0,
            step: Taken {
                kind: Kind::Start,
                event: None,
                action: None,
            },
            state: configuration.state.clone(),
        }));
    }
    let mut states = HashSet::new();
    let mut moments = VecDeque::new();
    let (end, next) = replay(&mut again, log, before, &mut |search, next| {
        let passed = search.frontier.iter();
        states.extend(passed.map(|(configuration, _)| configuration.state.clone()));
        moments.push_front(Moment::of(search, next));
    });
    let event = refused.map(|number| shown(again.observed, log, number));
    let mut explanation = Explanation {
        event,
        prefixes: Vec::new(),
        more_prefixes: 0,
        window: None,
        cut_short: again.cut_short,
    };
    match end {
        // What was visited last says nothing of the event that is refused later.
        End::Undecided(limit) => explanation.cut_short = Some(limit),
        End::Refused | End::Unsettled | End::Accepted => {
            let (prefixes, more) = prefixes(&again, log, next);
            explanation.prefixes = prefixes;
            explanation.more_prefixes = more;
        }
    }
    if explanation.cut_short.is_none() {
        match smallest(&again, log, moments, &states) {
            Ok(window) => explanation.window = window,
            Err(limit) => explanation.cut_short = Some(limit),
        }
    }
    explanation
}

/// How a replay ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// An event has no place.
    Refused,
    /// Delayed events cannot take effect.
    Unsettled,
    Accepted,
    Undecided(Limit),
}

/// Goes over the events from number `from` on, and says how that ended and how many had begun by then.
/// `visit` is called before an event ends, with the number of the event that begins next.
fn replay<'a, O: Observed>(
    search: &mut Search<'a, O>,
    log: &Log<O::Event>,
    from: u64,
    visit: &mut impl FnMut(&Search<'a, O>, u64),
) -> (End, u64) {
    for next in from..=log.end() {
        let time = (next < log.end()).then(|| log.get(next).begin);
        while let Some(lane) = search.window.first_end(time) {
            visit(search, next);
            match search.respond(log, lane) {
                Ok(()) => (),
                Err(Stop::Stuck(_)) => return (End::Refused, next),
                Err(Stop::Limit(limit)) => return (End::Undecided(limit), next),
            }
        }
        if next < log.end() {
            search.begin(log, next);
        }
    }
    let end = match search.settle(log) {
        Ok(()) => End::Accepted,
        Err(Stop::Stuck(_)) => End::Unsettled,
        Err(Stop::Limit(limit)) => End::Undecided(limit),
    };
    (end, log.end())
}

/// Before an event ends.
struct Moment {
    /// The event that begins next.
    next: u64,
    window: Window,
    /// What may be taken by then.
    ahead: HashSet<Configuration<()>>,
}

impl Moment {
    fn of<O: Observed>(search: &Search<'_, O>, next: u64) -> Self {
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

/// See [`SmallWindow`]. The latest moment comes first. Ends with the bound on time or memory that comes.
fn smallest<O: Observed>(
    again: &Search<'_, O>,
    log: &Log<O::Event>,
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
        let (end, next) = replay(&mut search, log, moment.next, &mut |_, _| ());
        continued += search.counts.configurations;
        if matches!(end, End::Refused | End::Unsettled) {
            numbers.extend(moment.next..next);
            let numbers = numbers.into_iter();
            return Ok(Some(SmallWindow {
                events: numbers
                    .map(|number| shown(again.observed, log, number))
                    .collect(),
                states: states.len(),
            }));
        }
    }
    Ok(None)
}

/// The longest of the orders that the search came to last, and how many more there are.
fn prefixes<O: Observed>(
    search: &Search<'_, O>,
    log: &Log<O::Event>,
    begun: u64,
) -> (Vec<Prefix>, usize) {
    let taken = |configuration: &Configuration<State<O>>| -> u64 {
        let ahead = configuration.all_ahead().iter();
        ahead.map(|ahead| u64::from(ahead.taken)).sum()
    };
    let visited = &search.visited.entries;
    let most = visited.iter().map(|(at, _)| taken(at)).max().unwrap_or(0);
    let under_way = search.window.lanes.iter().map(|lane| lane.queue.len());
    let ended = begun - under_way.sum::<usize>() as u64;
    let mut longest = visited.iter().filter(|(at, _)| taken(at) == most);
    let shown = longest.by_ref().take(MOST_PREFIXES);
    let prefixes = shown.map(|(at, way)| {
        let (before, steps) = last_steps(search.observed, log, way);
        Prefix {
            events: ended + most,
            before: before.unwrap_or_else(|| situation(search.observed, &at.state)),
            steps,
            next: refused(search, log, at),
        }
    });
    (prefixes.collect(), longest.count())
}

/// The last steps, and where they begin.
fn last_steps<O: Observed>(
    observed: &O,
    log: &Log<O::Event>,
    way: &Way<O>,
) -> (Option<Situation>, Vec<PrefixStep>) {
    let mut steps = VecDeque::new();
    let mut link = way.as_ref();
    while let Some(at) = link
        && steps.len() < MOST_STEPS
    {
        let kind = match at.step.kind {
            Kind::Start => break,
            Kind::Event => StepKind::Event,
            Kind::Issue => StepKind::Issue,
            Kind::Effect => StepKind::Effect,
            Kind::Internal => StepKind::Internal,
        };
        let action = at.step.action.as_ref();
        let specification = observed.specification();
        let rule = action.map(|action| &specification.rules()[specification.rule_of(action).0]);
        steps.push_front(PrefixStep {
            event: at.step.event.map(|number| shown(observed, log, number)),
            kind,
            action: action.and_then(|action| serde_json::to_value(action).ok()),
            rule: rule.map(|rule| rule.name.clone().into_owned()),
            source: rule.map(|rule| rule.source.clone().into_owned()),
            process: action.map(|action| specification.process_of(action).to_string()),
            after: situation(observed, &at.state),
        });
        link = at.before.as_ref();
    }
    (link.map(|at| situation(observed, &at.state)), steps.into())
}

/// What could come next, and why it cannot.
fn refused<O: Observed>(
    search: &Search<'_, O>,
    log: &Log<O::Event>,
    at: &Configuration<State<O>>,
) -> Vec<Refused> {
    let observed = search.observed;
    let possible = search.possible(log, at);
    let mut refused = Vec::new();
    for (lane, place) in (0..).zip(&search.window.lanes) {
        if place.is_idle() {
            continue;
        }
        let ahead = at.ahead(lane);
        let waiting = pending::<O>(log, place.pending(ahead));
        let refusal = |number: u64, waiting: &[&O::Event]| {
            let event = log.get(number);
            let what = event.event.as_ref()?;
            Some(observed.refusal(&at.state, &happening(event, what, waiting)))
        };
        if let Some(number) = place
            .next(ahead)
            .filter(|number| !possible.contains(number))
        {
            let reason = match log.effect(observed, number) {
                Effect::Delayed => Some("its thread delays as many events as it may".to_owned()),
                Effect::Draining if ahead.pending > 0 => {
                    Some("what its thread has delayed has not all taken effect".to_owned())
                }
                Effect::Draining | Effect::Within => refusal(number, &waiting),
            };
            refused.extend(reason.map(|reason| Refused {
                event: shown(observed, log, number),
                reason,
            }));
        }
        let oldest = place.pending(ahead).next();
        if let Some(number) = oldest.filter(|number| !possible.contains(number)) {
            let reason = refusal(number, &[]);
            refused.extend(reason.map(|reason| Refused {
                event: shown(observed, log, number),
                reason: format!("it cannot take effect: {reason}"),
            }));
        }
    }
    refused
}

fn situation<O: Observed>(observed: &O, state: &State<O>) -> Situation {
    Situation {
        state: serde_json::to_value(state).unwrap_or_default(),
        drawing: observed.specification().draw(state),
    }
}

fn shown<O: Observed>(observed: &O, log: &Log<O::Event>, number: u64) -> ShownEvent {
    let event = log.get(number);
    let Event {
        thread,
        place,
        begin,
        end,
        ..
    } = *event;
    let what = event.event.as_ref();
    ShownEvent {
        line: Some(line(number)),
        thread,
        place,
        begin,
        end,
        text: what.map_or_else(|| "not recorded".to_owned(), |what| observed.describe(what)),
    }
}
