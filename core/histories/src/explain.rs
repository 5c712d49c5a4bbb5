//! Explanation of a refuted history: its longest valid prefixes.

use std::collections::VecDeque;
use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use serde::Serialize;
use serde_json::Value;

use super::call::call;
use super::configuration::{Configuration, Kind, Link, Taken, Way};
use super::observed::{Effect, Happening, Observed, State};
use super::search::{Remember, Search, rules_of};
use super::smallest::{End, Moment, Replay, replay, smallest};
use super::window::Log;
use refmap::drawing::Drawing;
use refmap::explore::Limit;
use refmap::internal::json;
use refmap::report::history::{Explanation, Prefix, PrefixStep, Refused, Situation, StepKind};
use refmap::{Action as _, TransitionSystem};

/// Greatest number of longest prefixes to show.
const MOST_PREFIXES: usize = 8;
/// Greatest number of last steps to show of each.
const MOST_STEPS: usize = 12;

/// Error: the full search finds an order that the adapter allowed the reduced search to skip.
pub(super) struct Misled;

/// Replays a part of `log`, starting at `again`, up to the refusal: of event `refused`, or of delayed events that cannot take
/// effect. If `cut_short`, a limit came before all was known of the refusal.
pub(super) fn explain<O: Observed>(
    mut again: Search<'_, O>,
    log: &Log<O::Event>,
    part: Replay,
    refused: Option<u64>,
    cut_short: Option<Limit>,
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
    let (end, next) = replay(&mut again, log, part, &mut |search, next| {
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
        cut_short: cut_short.or(again.cut_short),
    };
    match end {
        // The configurations visited last are unrelated to the event that is refused later.
        End::Undecided(limit) => explanation.cut_short = Some(limit),
        // So are those of another refusal, if the outlook on this one was not asked.
        End::Refused if again.window.first_number() != refused => (),
        End::Refused | End::Unsettled | End::Accepted => {
            let limit = prefixes(&again, log, next, &mut explanation);
            explanation.cut_short = explanation.cut_short.or(limit.err());
        }
    }
    if explanation.cut_short.is_none() {
        // From other states the outlook on the refused event says more.
        again.horizon.before = part.until.map(|(end, number)| (end, number + 1));
        match smallest(&again, log, part.until, moments, &states) {
            Ok(window) => explanation.window = window,
            Err(limit) => explanation.cut_short = Some(limit),
        }
    }
    Ok(explanation)
}

/// Adds the longest prefixes among the configurations visited last, and their number. A prefix is as long as there are events
/// with an end in it: of those without an end, the search takes no more than an order needs.
fn prefixes<O: Observed>(
    search: &Search<'_, O>,
    log: &Log<O::Event>,
    begun: u64,
    explanation: &mut Explanation,
) -> Result<(), Limit> {
    let length = |configuration: &Configuration<State<O>>| {
        let mut taken: u64 = 0;
        let mut endless: u64 = 0;
        for ahead in configuration.all_ahead() {
            taken += u64::from(ahead.taken);
            let lane = &search.window.lanes[ahead.lane as usize];
            let latest = (ahead.taken as usize).checked_sub(1);
            let latest = latest.and_then(|latest| lane.queue.get(latest));
            endless += u64::from(latest.is_some_and(|latest| log.get(*latest).end.is_none()));
        }
        (taken - endless, taken)
    };
    let entries = &search.pass.visited.entries;
    let visited = || entries.iter().map(|(at, way)| (length(at), at, way));
    let most = visited().map(|((length, _), ..)| length).max().unwrap_or(0);
    let under_way = search.window.lanes.iter().map(|lane| lane.queue.len());
    let ended = begun - under_way.sum::<usize>() as u64;
    let mut longest = visited().filter(|((length, _), ..)| *length == most);
    for ((_, taken), at, way) in longest.by_ref().take(MOST_PREFIXES) {
        let (before, steps) = last_steps(search.observed, log, way);
        explanation.prefixes.push(Prefix {
            events: ended + taken,
            before: before.unwrap_or_else(|| situation(search.observed, &at.state)),
            steps,
            next: refused(search, log, at)?,
        });
    }
    explanation.more_prefixes = longest.count();
    Ok(())
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
        let rule = action.and_then(|action| {
            let rule = call("`rule` of the specification", || {
                action.rule(specification).0
            });
            rules_of(specification).get(rule)
        });
        let process = action.map(|action| {
            call("`process` of the specification", || {
                action.process(specification).to_string()
            })
        });
        steps.push_front(PrefixStep {
            event: at.step.event.map(|number| log.shown(observed, number)),
            kind,
            action: action.and_then(value),
            rule: rule.map(|rule| rule.name.clone().into_owned()),
            source: rule.map(|rule| rule.source.clone().into_owned()),
            process,
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
) -> Result<Vec<Refused>, Limit> {
    let observed = search.observed;
    let possible = search.possible(log, at)?;
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
            let happening = Happening::of(event, what, waiting);
            Some(call("`refusal` of the adapter", || {
                observed.refusal(&at.state, &happening)
            }))
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
    Ok(refused)
}

fn situation<O: Observed>(observed: &O, state: &State<O>) -> Situation {
    let picture = call("`draw` of the specification", || {
        observed.specification().draw(state)
    });
    Situation {
        state: call("`Serialize` of a state or an action, or `show`,", || {
            Some(observed.specification().show(state))
        })
        .unwrap_or_default(),
        drawing: picture.as_ref().and_then(Drawing::text),
        picture,
    }
}

/// A state or an action as JSON, if it can be written so.
pub(super) fn value(of: &(impl Serialize + std::fmt::Debug)) -> Option<Value> {
    call("`Serialize` of a state or an action", || Some(json(of)))
}
