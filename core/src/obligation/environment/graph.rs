//! (a), (b) and (c) of `environment`, decided on the recorded graph by backward reachability.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::{HashMap, HashMapExt};

use crate::obligation::found::TellProgress;
use crate::obligation::futures::with_future;
use crate::obligation::kept::{PanickedAt, kept};
use crate::obligation::label::Label;
use crate::state::numbered::Numbered;
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::catch;
use crate::statement::asked::visit::visit_offers;
use crate::statement::constraint::Constraint;
use crate::statement::erased::ErasedState;
use crate::statement::refinement::Refinement;
use crate::statement::rule::Process;
use crate::statement::system::{ActionOf, StateOf};
use crate::view::auxiliary::Base;
use crate::walk::bits::Bits;
use crate::walk::explore::{Graph, NodeId, States, Work};
use crate::walk::parallel::run_in_ranges;
use crate::walk::steps::Steps;

/// Functions that are called for the needs of a state.
const OFFERS: &str = "`candidates`, `fire` or `next` of the specification, or `hash`, `eq` or `clone` of a state or an action,";

/// An action that a state can no longer lead to.
pub(in crate::obligation) struct Refusal<A> {
    pub at: Offer,
    pub process: Process,
    pub action: A,
}

/// A state, and the place of an action among those that the specification offers there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::obligation) struct Offer {
    pub state: NodeId,
    order: usize,
}

/// A process whose rest is not its own affair.
pub(in crate::obligation) struct Unrest {
    pub state: NodeId,
    pub step: Option<u32>,
    pub process: Process,
    pub reason: UnrestReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::obligation) enum UnrestReason {
    /// (b) fails.
    ForEver,
    /// (c) fails.
    ByOther,
}

pub(in crate::obligation) struct EnvironmentFindings<R: Refinement> {
    /// Per rule of the specification, how many pairs of a state and an action were tested.
    pub checked: Vec<u64>,
    /// Per rule of the specification, the first refusal.
    pub refusals: Vec<Option<Refusal<ActionOf<R::Specification>>>>,
    /// Per rule of the specification, the processes of the environment of which it was tested; a bit each.
    pub tested: Vec<u32>,
    /// Processes that take actions of the specification, and that the environment does not have.
    pub undeclared: BTreeSet<Process>,
    /// Number of pairs of a process and a state, or a step, that were tested for (b) and (c).
    pub rest_checked: u64,
    pub unrest: Option<Unrest>,
    /// Requirements that can only be met beyond a bound of the instance: per rule of the specification, and coming to rest.
    pub beyond: Beyond,
}

/// Requirements that are met only if they are met after a state of which a bound of the instance leaves steps out.
#[derive(Default)]
pub(in crate::obligation) struct Beyond {
    /// Per rule of the specification; empty if no state is such.
    pub rules: Vec<bool>,
    /// Coming to rest.
    pub rest: bool,
}

/// Data from which `environment` is decided.
pub(in crate::obligation) struct Decidable<'a, R: Refinement> {
    pub refinement: &'a R,
    /// Constraint that leaves states unexpanded.
    pub constraint: Option<&'a Constraint<R::Implementation>>,
    pub reached: &'a dyn States<R::Implementation>,
    pub graph: &'a Graph,
    pub labels: &'a [Label],
    /// Inputs with which steps were answered, by number.
    pub inputs: &'a [ActionOf<R::Specification>],
    pub threads: usize,
    pub tell: TellProgress<'a>,
}

/// Decides (a), (b) and (c).
///
/// A bound of the instance leaves steps out: all of a state outside of a constraint, and those of stopped threads. What is refused
/// although all may happen from such a state on is refused. What is met by the steps that are recorded is met. What is met in
/// the first case alone is not decided.
pub(in crate::obligation) fn decide<R: Refinement>(
    of: &Decidable<'_, R>,
) -> Result<EnvironmentFindings<R>, PanickedAt> {
    let Decidable {
        graph,
        labels,
        inputs,
        tell,
        ..
    } = *of;
    let numbers: HashMap<_, _> = inputs.iter().zip(0u32..).collect();
    let mut looked_at = look_at(of, &numbers)?;
    let lasting = with_future(of.refinement, of.constraint, of.reached, graph)?;
    if let Some(lasting) = lasting {
        // What the image of a wrong prediction offers is offered in no behaviour of the system without the variable.
        looked_at.iter_mut().for_each(|part| part.forget(&lasting));
    }
    tell(None);
    let mut outside = Bits::none(graph.states());
    for state in looked_at.iter().flat_map(|part| &part.outside) {
        outside.insert(state.0);
    }
    let mut cut = outside.clone();
    for state in looked_at.iter().flat_map(|part| &part.stopped) {
        cut.insert(state.0);
    }
    let fibres = fibres(of)?;
    let fibres = fibres.as_deref();
    let steps = Steps::of(graph, labels);
    let backward = |cut| Backward {
        steps: steps.without(cut),
        fibres,
    };
    let mut parts = looked_at
        .iter_mut()
        .map(|part| std::mem::take(&mut part.rest));
    let mut rest = Rest(parts.next().unwrap_or_default());
    parts.for_each(|part| rest.0.extend(part));
    rest.0.push(ALL);
    let mut findings = find(of, &looked_at, &rest, &backward(&cut));
    if !cut.is_empty() {
        rest.0[graph.states()] = 0;
        let recorded = find(of, &looked_at, &rest, &backward(&outside));
        let refusals = findings.refusals.iter().zip(&recorded.refusals);
        findings = EnvironmentFindings {
            beyond: Beyond {
                rules: refusals
                    .map(|(refusal, recorded)| refusal.is_none() && recorded.is_some())
                    .collect(),
                rest: findings.unrest.is_none() && recorded.unrest.is_some(),
            },
            refusals: findings.refusals,
            unrest: findings.unrest,
            ..recorded
        };
    }
    Ok(findings)
}

/// Per state whose steps are recorded, the number of its fibre: of what it is without the guesses of an auxiliary variable. None
/// if the implementation makes none.
fn fibres<R: Refinement>(of: &Decidable<'_, R>) -> Result<Option<Vec<u32>>, PanickedAt> {
    let view = of.refinement.implementation().call_caveats().view();
    let Some(base) = view.map(Base::of).filter(Base::guesses) else {
        return Ok(None);
    };
    let mut numbers = Numbered::default();
    let number = |id: NodeId| {
        let state = kept(of.refinement, of.reached, id.into())?;
        let without = catch(|| base.without_guesses(&ErasedState::from(state)));
        let without = without.map_err(|panic| (id.into(), "`caveats`", panic))?;
        Ok(numbers.number(without))
    };
    of.graph
        .nodes()
        .map(number)
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Findings if the states whose steps are not recorded are as the last entry of `rest` says.
fn find<R: Refinement>(
    of: &Decidable<'_, R>,
    looked_at: &[RestFacts<ActionOf<R::Specification>>],
    rest: &Rest,
    backward: &Backward<'_>,
) -> EnvironmentFindings<R> {
    let rules = of.refinement.specification().call_rules().len();
    let mut findings = EnvironmentFindings {
        checked: vec![0; rules],
        tested: vec![0; rules],
        undeclared: BTreeSet::new(),
        refusals: (0..rules).map(|_| None).collect(),
        rest_checked: 0,
        unrest: None,
        beyond: Beyond::default(),
    };
    comes_to_rest(of.refinement, of.reached, rest, backward, &mut findings);
    for part in looked_at {
        findings.undeclared.extend(&part.undeclared);
    }
    let unmet = meets_at_once(of, rest, looked_at, backward, &mut findings);
    meets_later(of, &unmet, rest, looked_at, backward, &mut findings);
    findings
}

impl<R: Refinement> EnvironmentFindings<R> {
    /// Notes that an action is refused in a state; the first state counts, and in it the action that
    /// the specification offers first.
    fn refuse(
        &mut self,
        refinement: &R,
        rule: usize,
        at: Offer,
        process: usize,
        action: &ActionOf<R::Specification>,
    ) {
        let first = &mut self.refusals[rule];
        if first.as_ref().is_none_or(|first| at < first.at) {
            *first = Some(Refusal {
                at,
                process: refinement.call_environment()[process],
                action: action.clone(),
            });
        }
    }
}

/// A bit each of everything that there is.
const ALL: u32 = u32::MAX;

/// Per state whose steps are recorded, the set of environment processes at rest; and of all others together, of which it is
/// not known what follows, that all are.
struct Rest(Vec<u32>);

impl Rest {
    fn contains(&self, state: NodeId, process: usize) -> bool {
        self.0[state.0 as usize] >> process & 1 == 1
    }
}

/// The graph, searched backwards.
struct Backward<'a> {
    steps: Steps<'a, Label>,
    /// Per such state, the number of its fibre, if there are guesses.
    fibres: Option<&'a [u32]>,
}

impl<'a> Backward<'a> {
    /// The states whose steps are known.
    fn ids(&self) -> impl Iterator<Item = NodeId> {
        self.steps.known().map(NodeId)
    }

    /// The steps of a state.
    fn steps(&self, state: NodeId) -> impl Iterator<Item = (NodeId, Label)> {
        let steps = self.steps.steps(state.0);
        steps.map(|(target, label)| (NodeId(target), label))
    }

    /// Gives each state the marks of its whole fibre: the system without the guesses may do whatever it may do with one of them. A
    /// behaviour from here on has a guess of its own, with which it is one of the view.
    fn guess_anew(&self, marks: &mut [u32]) {
        let Some(fibres) = self.fibres else {
            return;
        };
        let mut of_fibres = vec![0; fibres.len()];
        for id in self.ids() {
            of_fibres[fibres[id.0 as usize] as usize] |= marks[id.0 as usize];
        }
        for id in self.ids() {
            marks[id.0 as usize] = of_fibres[fibres[id.0 as usize] as usize];
        }
    }

    /// Spreads the bits of `marks` from the targets of the steps that `permitted` admits to their
    /// origins, until nothing changes.
    fn spread(&self, marks: &mut [u32], permitted: impl Fn(NodeId, Label) -> bool) {
        self.steps.graph.settle(|origin| {
            if self.steps.is_cut(origin.0) {
                return false;
            }
            let before = marks[origin.0 as usize];
            let mut marked = before;
            for (target, label) in self.steps(origin) {
                let new = marks[target.0 as usize] & !marked;
                if new != 0 && permitted(origin, label) {
                    marked |= new;
                }
            }
            marks[origin.0 as usize] = marked;
            marked != before
        });
    }
}

/// Decides (b) and (c).
fn comes_to_rest<R: Refinement>(
    refinement: &R,
    reached: &dyn States<R::Implementation>,
    rest: &Rest,
    backward: &Backward<'_>,
    findings: &mut EnvironmentFindings<R>,
) {
    let processes = refinement.call_environment();
    let mut unsettled = 0u32;
    let mut by_other: Option<Unrest> = None;
    for id in backward.ids() {
        let resting = rest.0[id.0 as usize];
        let mut soon = resting;
        findings.rest_checked += processes.len() as u64;
        for (position, (target, label)) in backward.steps(id).enumerate() {
            let then = rest.0[target.0 as usize];
            soon |= then;
            if target.0 == backward.steps.others {
                continue;
            }
            findings.rest_checked += processes.len() as u64;
            let own = label.agent.map_or(0, |agent| 1 << agent);
            let foreign = (resting ^ then) & !own;
            if foreign != 0 && by_other.is_none() {
                by_other = Some(Unrest {
                    state: id,
                    step: Some(position as u32),
                    process: processes[foreign.trailing_zeros() as usize],
                    reason: UnrestReason::ByOther,
                });
            }
        }
        unsettled |= !soon & (u32::MAX >> (32 - processes.len()));
    }
    let mut for_ever: Option<Unrest> = None;
    if unsettled != 0 {
        let mut marks = rest.0.clone();
        backward.spread(&mut marks, |_, _| true);
        backward.guess_anew(&mut marks);
        let restless = marks
            .iter()
            .map(|mark| unsettled & !mark)
            .enumerate()
            .find(|(_, processes)| *processes != 0);
        for_ever = restless.map(|(state, restless)| Unrest {
            state: NodeId(state as u32),
            step: None,
            process: processes[restless.trailing_zeros() as usize],
            reason: UnrestReason::ForEver,
        });
    }
    // A step makes a trace longer than the state does from which it is taken.
    let length =
        |unrest: &Unrest| reached.length(unrest.state.into()) + u32::from(unrest.step.is_some());
    findings.unrest = [for_ever, by_other]
        .into_iter()
        .flatten()
        .min_by_key(length);
}

/// An action that the specification offers the environment in some abstract state.
#[derive(Clone, PartialEq, Eq, Hash)]
struct NeededAction<A> {
    process: usize,
    rule: usize,
    /// The number of its inputs; that of all numbers if no step is answered by them.
    input: u32,
    action: A,
}

/// Facts found about states of a row when they were looked at.
struct RestFacts<A> {
    states: Range<u32>,
    /// Per state, the set of environment processes at rest.
    rest: Vec<u32>,
    /// Per state, the place of what its image needs, if some process is at rest.
    needed: Vec<u32>,
    /// Needs of images, each once.
    needs: Vec<Vec<NeededAction<A>>>,
    /// The states outside of the constraint.
    outside: Vec<NodeId>,
    /// The states in which a bound has stopped a thread.
    stopped: Vec<NodeId>,
    undeclared: BTreeSet<Process>,
}

impl<A> RestFacts<A> {
    /// Forgets what is needed in other states than these.
    fn forget(&mut self, others: &Bits) {
        for (id, needed) in self.states.clone().zip(&mut self.needed) {
            if !others.contains(id) {
                *needed = u32::MAX;
            }
        }
    }

    /// The states with what each needs, in order.
    fn needs(&self) -> impl Iterator<Item = (NodeId, &[NeededAction<A>])> {
        let states = self.states.clone().zip(&self.needed);
        states.map(|(id, place)| {
            let needs = self.needs.get(*place as usize);
            (NodeId(id), needs.map_or(&[][..], |needs| needs))
        })
    }
}

/// The images that are remembered at a time.
const IMAGES: usize = 1 << 16;
/// States that a worker looks at before it adds them to those looked at by all.
const PATIENCE: u32 = 1 << 12;

/// Looks at the states whose steps are recorded, each once: which processes are at rest in it, and what its image needs.
///
/// PERF: a state needs what its image needs. Images are many, and what they need is one of a few lists, which are kept; of
/// the images those are remembered that were met last.
fn look_at<R: Refinement>(
    of: &Decidable<'_, R>,
    numbers: &HashMap<&ActionOf<R::Specification>, u32>,
) -> Result<Vec<RestFacts<ActionOf<R::Specification>>>, PanickedAt> {
    let Decidable {
        refinement,
        constraint,
        reached,
        threads,
        tell,
        ..
    } = *of;
    let all = of.graph.states() as u32;
    let implementation = refinement.implementation();
    let caveats = implementation.call_caveats();
    let is_outside = |state: &StateOf<R::Implementation>| {
        constraint.is_some_and(|constraint| !constraint.contains(state))
    };
    let is_stopped = |state: &StateOf<R::Implementation>| !caveats.cut_off(state).is_empty();
    let processes = refinement.call_environment();
    let at_rest = |state: &StateOf<R::Implementation>| {
        let at_rest = |(index, &process): (usize, &Process)| {
            u32::from(refinement.call_at_rest(state, process)) << index
        };
        processes.iter().enumerate().map(at_rest).sum::<u32>()
    };
    let done = AtomicU32::new(0);
    let look = |states: Range<u32>| {
        let count = states.len();
        let mut part = RestFacts {
            states: states.clone(),
            rest: Vec::with_capacity(count),
            needed: Vec::with_capacity(count),
            needs: Vec::new(),
            outside: Vec::new(),
            stopped: Vec::new(),
            undeclared: BTreeSet::new(),
        };
        let mut images: HashMap<_, u32> = HashMap::new();
        let mut lists: HashMap<_, u32> = HashMap::new();
        let first = states.start;
        for id in states.map(NodeId) {
            let place = id.0 - first;
            if place > 0 && place.is_multiple_of(PATIENCE) {
                let before = done.fetch_add(PATIENCE, Ordering::Relaxed);
                if first == 0 {
                    tell(Some(Work {
                        unit: "states looked at",
                        done: (before + PATIENCE).into(),
                        total: all.into(),
                    }));
                }
            }
            let state = kept(refinement, reached, id.into())?;
            let is_outside = catch(|| is_outside(&state));
            if is_outside.map_err(|panic| (id.into(), "the constraint", panic))? {
                part.outside.push(id);
                part.rest.push(ALL);
                part.needed.push(u32::MAX);
                continue;
            }
            let is_stopped = catch(|| is_stopped(&state));
            if is_stopped.map_err(|panic| (id.into(), "`caveats`", panic))? {
                part.stopped.push(id);
            }
            let resting =
                catch(|| at_rest(&state)).map_err(|panic| (id.into(), "`at_rest`", panic))?;
            part.rest.push(resting);
            if resting == 0 {
                part.needed.push(u32::MAX);
                continue;
            }
            let image = catch(|| refinement.call_map(&state))
                .map_err(|panic| (id.into(), "`map`", panic))?;
            if images.len() == IMAGES {
                images.clear();
            }
            let place = catch(|| {
                *images.entry(image).or_insert_with_key(|image| {
                    let needs = needs(refinement, image, numbers, &mut part.undeclared);
                    *lists.entry(needs).or_insert_with_key(|needs| {
                        part.needs.push(needs.clone());
                        part.needs.len() as u32 - 1
                    })
                })
            })
            .map_err(|panic| (id.into(), OFFERS, panic))?;
            part.needed.push(place);
        }
        Ok(part)
    };
    run_in_ranges(all, threads, look).into_iter().collect()
}

/// Decides (a) where a step of the state itself meets the need. Returns, per process, the inputs of the other needs.
fn meets_at_once<R: Refinement>(
    of: &Decidable<'_, R>,
    rest: &Rest,
    looked_at: &[RestFacts<ActionOf<R::Specification>>],
    backward: &Backward<'_>,
    findings: &mut EnvironmentFindings<R>,
) -> Vec<BTreeSet<u32>> {
    let inputs = of.inputs.len() + 1;
    let mut unmet = vec![vec![false; inputs]; of.refinement.call_environment().len()];
    let mut at_hand = vec![false; inputs];
    let all = looked_at.iter().flat_map(RestFacts::needs);
    for (id, needs) in all.filter(|(id, _)| !backward.steps.is_cut(id.0)) {
        let mark = |at_hand: &mut [bool], value| {
            for (_, label) in backward.steps(id) {
                if let Some(input) = label.input {
                    at_hand[input as usize] = value;
                }
            }
        };
        mark(&mut at_hand, true);
        for need in needs.iter().filter(|need| rest.contains(id, need.process)) {
            findings.checked[need.rule] += 1;
            findings.tested[need.rule] |= 1 << need.process;
            unmet[need.process][need.input as usize] |= !at_hand[need.input as usize];
        }
        mark(&mut at_hand, false);
    }
    let inputs = |unmet: Vec<bool>| (0..).zip(unmet).filter(|(_, unmet)| *unmet);
    let inputs = |unmet| inputs(unmet).map(|(input, _)| input).collect();
    unmet.into_iter().map(inputs).collect()
}

/// Decides (a) for the needs that only a later step can meet, 32 inputs at a time.
fn meets_later<R: Refinement>(
    of: &Decidable<'_, R>,
    unmet: &[BTreeSet<u32>],
    rest: &Rest,
    looked_at: &[RestFacts<ActionOf<R::Specification>>],
    backward: &Backward<'_>,
    findings: &mut EnvironmentFindings<R>,
) {
    let Decidable {
        refinement,
        inputs,
        tell,
        ..
    } = *of;
    let batches = unmet.iter().map(|inputs| inputs.len().div_ceil(32));
    let total = batches.sum::<usize>() as u64;
    let mut done = 0;
    for (process, of_process) in unmet.iter().enumerate() {
        let of_process: Vec<u32> = of_process.iter().copied().collect();
        for batch in of_process.chunks(32) {
            tell(Some(Work {
                unit: "batches of actions",
                done,
                total,
            }));
            done += 1;
            let mut bits = vec![0u32; inputs.len() + 1];
            for (bit, input) in batch.iter().enumerate() {
                bits[*input as usize] = 1 << bit;
            }
            let others = backward.steps.others as usize;
            let mut marks = vec![0u32; others + 1];
            marks[others] = rest.0[others];
            for id in backward.ids() {
                let inputs = backward.steps(id).filter_map(|(_, label)| label.input);
                for input in inputs {
                    marks[id.0 as usize] |= bits[input as usize];
                }
            }
            backward.spread(&mut marks, |origin, label| match label.agent {
                Some(agent) if label.visible => {
                    let agent = usize::from(agent);
                    agent != process && !rest.contains(origin, agent)
                }
                _ => true,
            });
            backward.guess_anew(&mut marks);
            let all = bits.iter().fold(0, |all, bit| all | bit);
            let needs = looked_at.iter().flat_map(RestFacts::needs);
            for (id, needs) in needs.filter(|(id, _)| !backward.steps.is_cut(id.0)) {
                let missing = all & !marks[id.0 as usize];
                if missing == 0 || !rest.contains(id, process) {
                    continue;
                }
                for (order, need) in needs.iter().enumerate() {
                    if need.process == process && bits[need.input as usize] & missing != 0 {
                        let at = Offer { state: id, order };
                        findings.refuse(refinement, need.rule, at, process, &need.action);
                    }
                }
            }
        }
    }
}

/// Actions that the specification offers the processes of the environment in `image`; other processes are noted.
fn needs<R: Refinement>(
    refinement: &R,
    image: &StateOf<R::Specification>,
    numbers: &HashMap<&ActionOf<R::Specification>, u32>,
    undeclared: &mut BTreeSet<Process>,
) -> Vec<NeededAction<ActionOf<R::Specification>>> {
    let specification = refinement.specification();
    let mut needs: Vec<NeededAction<_>> = Vec::new();
    visit_offers(specification, image, &mut |action| {
        let process = specification.call_process(&action);
        let declared = refinement.call_environment().iter();
        let Some(process) = declared.clone().position(|other| *other == process) else {
            undeclared.insert(process);
            return;
        };
        let rule = specification.call_rule(&action);
        let filed = specification.call_rules()[rule.0].process;
        let taken = refinement.call_environment()[process].name;
        assert!(
            filed == taken,
            "{action:?} is an action of {taken}, and its rule is filed under {filed}"
        );
        let inputs = specification.call_inputs(&action);
        if needs.iter().all(|need| need.action != inputs) {
            needs.push(NeededAction {
                process,
                rule: rule.0,
                input: numbers
                    .get(&inputs)
                    .map_or(numbers.len() as u32, |number| *number),
                action: inputs,
            });
        }
    });
    needs
}
