//! Explanation of a refuted history: its longest valid prefixes.

use std::collections::VecDeque;
use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};

use super::configuration::{Configuration, Kind, Link, Taken, Way};
use super::observed::{Effect, Happening, Observed, State};
use super::search::{Remember, Search};
use super::smallest::{End, Moment, replay, smallest};
use super::window::Log;
use refmap::report::history::{Explanation, Prefix, PrefixStep, Refused, Situation, StepKind};
use refmap::{Drawing, TransitionSystem};

/// Greatest number of longest prefixes to show.
const MOST_PREFIXES: usize = 8;
/// Greatest number of last steps to show of each.
const MOST_STEPS: usize = 12;

/// Error: the full search finds an order that the adapter allowed the reduced search to skip.
pub(super) struct Misled;

/// Replays the events of `log` from number `before` on, starting at `again`, up to the refusal: of event `refused`,
/// or of delayed events that cannot take effect.
pub(super) fn explain<O: Observed>(
    mut again: Search<'_, O>,
    log: &Log<O::Event>,
    before: u64,
    refused: Option<u64>,
) -> Result<Explanation, Misled> {
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
    if again.misled {
        return Err(Misled);
    }
    let event = refused.map(|number| log.shown(again.observed, number));
    let mut explanation = Explanation {
        event,
        prefixes: Vec::new(),
        more_prefixes: 0,
        window: None,
        cut_short: again.cut_short,
    };
    match end {
        // The configurations visited last are unrelated to the event that is refused later.
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
    Ok(explanation)
}

/// The longest prefixes among the configurations visited last, with their total number.
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

/// The last steps, with the configuration before them.
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
            event: at.step.event.map(|number| log.shown(observed, number)),
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

/// The candidate next events, with the reason why each is impossible.
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
        let waiting = log.recorded(place.pending(ahead));
        let refusal = |number: u64, waiting: &[&O::Event]| {
            let event = log.get(number);
            let what = event.event.as_ref()?;
            Some(observed.refusal(&at.state, &Happening::of(event, what, waiting)))
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
                event: log.shown(observed, number),
                reason,
            }));
        }
        let oldest = place.pending(ahead).next();
        if let Some(number) = oldest.filter(|number| !possible.contains(number)) {
            let reason = refusal(number, &[]);
            refused.extend(reason.map(|reason| Refused {
                event: log.shown(observed, number),
                reason: format!("it cannot take effect: {reason}"),
            }));
        }
    }
    refused
}

fn situation<O: Observed>(observed: &O, state: &State<O>) -> Situation {
    let picture = observed.specification().draw(state);
    Situation {
        state: observed.specification().show(state),
        drawing: picture.as_ref().map(Drawing::to_string),
        picture,
    }
}
