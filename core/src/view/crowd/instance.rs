//! Instances of crowds, which are systems.

use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::chosen::MEMBERS;
use super::left_out::{LeftOutClasses, LeftOutMembers, MemberChanges, meet};
use super::others::{AnswerBits, Answered, OpenQuestion, Others};
use super::question::is_plain;
// A crowd has instances, and these are of a crowd: one concept.
use super::statement::Crowd;
use crate::state::hiding::Hiding;
use crate::state::{
    CounterName, Exact, Kept, Limits, NameVisitor, Row, RowOf, Shape, Sink, Source, State,
};
use crate::statement::action::Action;
use crate::statement::asked::model_call::{Culprit, Name};
use crate::statement::drawing::Drawing;
use crate::statement::erased::Caveats;
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::shown::json::json;
use crate::statement::system::TransitionSystem;

/// A crowd of so many members.
#[derive(Clone, Debug)]
pub struct Instance<C> {
    crowd: C,
    members: usize,
}

/// A state of a crowd: the shared part, and the members.
#[derive(Clone)]
pub struct CrowdState<S, M> {
    /// The part that belongs to no member.
    pub shared: S,
    /// The part of each member.
    pub members: Vec<M>,
    /// Members that are not in the state.
    pub(super) left_out: LeftOutMembers<M>,
    /// Changes of these in the step that has led here.
    pub(super) changes: MemberChanges<M>,
}

/// A step of a crowd: the action, and the member that takes it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CrowdStep<A> {
    /// The action.
    pub action: A,
    /// Number of the member that takes it, if one does.
    pub member: Option<usize>,
    /// Number of the other member that it chooses, if it does.
    pub other: Option<usize>,
    /// Answers that are supposed of members that are not in the state.
    pub(super) answers: AnswerBits,
}

/// Observation of a crowd: of the shared part, and of the members of which something is seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CrowdObservation<O> {
    /// That of the shared part, if there is one.
    pub shared: Option<O>,
    /// That of each member of which there is one.
    pub members: Vec<O>,
}

/// States of an instance of a crowd.
pub type StateOfCrowd<C> = CrowdState<<C as Crowd>::Shared, <C as Crowd>::Member>;

/// Receives a step, whether it fired, its target, and what was asked.
type VisitAnswered<'v, C> = dyn FnMut(&CrowdStep<<C as Crowd>::Action>, bool, &StateOfCrowd<C>, &Answered<<C as Crowd>::Member>)
    + 'v;

impl<S, M> CrowdState<S, M> {
    /// A state of an instance.
    pub fn new(shared: S, members: Vec<M>) -> Self {
        Self::beside(shared, members, LeftOutMembers::Nobody)
    }

    /// The same beside members that are not in the state.
    pub(super) fn beside(shared: S, members: Vec<M>, left_out: LeftOutMembers<M>) -> Self {
        Self {
            shared,
            members,
            left_out,
            changes: Vec::new(),
        }
    }

    /// The classes of the members that are not in the state, as far as they are known.
    fn classes(&self) -> &[u64] {
        match &self.left_out {
            LeftOutMembers::Of(left_out) => &left_out.all,
            LeftOutMembers::Nobody | LeftOutMembers::Anybody | LeftOutMembers::Everybody => &[],
        }
    }
}

impl<S: PartialEq, M: PartialEq> PartialEq for CrowdState<S, M> {
    fn eq(&self, other: &Self) -> bool {
        self.shared == other.shared
            && self.members == other.members
            && self.classes() == other.classes()
    }
}

impl<S: Eq, M: Eq> Eq for CrowdState<S, M> {}

impl<S: Hash, M: Hash> Hash for CrowdState<S, M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shared.hash(state);
        self.members.hash(state);
    }
}

impl<S: Debug, M: Debug> Debug for CrowdState<S, M> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrowdState")
            .field("shared", &self.shared)
            .field("members", &self.members)
            .finish()
    }
}

/// Last word of the name of a field that shows some of the members that are not in a state.
pub(crate) const BESIDES: &str = "besides";

/// The fields of a shared part that has fields, or else one that is called `shared`, and the members under their name.
pub(super) fn fields<S: Serialize + Debug, M: Serialize + Debug>(
    state: &CrowdState<S, M>,
    members: &str,
) -> Map<String, Value> {
    let mut fields = match json(&state.shared) {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        shared => Map::from_iter([("shared".to_owned(), shared)]),
    };
    fields.insert(members.to_owned(), json(&state.members));
    if let LeftOutMembers::Of(left_out) = &state.left_out
        && !left_out.examples.is_empty()
    {
        let besides = format!("{members} {BESIDES}");
        fields.insert(besides, json(&left_out.examples));
    }
    fields
}

impl<S: Serialize + Debug, M: Serialize + Debug> Serialize for CrowdState<S, M> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        fields(self, "members").serialize(serializer)
    }
}

impl<A: Debug> Debug for CrowdStep<A> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.action.fmt(f)?;
        if let Some(member) = self.member {
            write!(f, " of member {member}")?;
        }
        if let Some(other) = self.other {
            write!(f, " with member {other}")?;
        }
        Ok(())
    }
}

/// The member is the first argument of the rule, and the one that is chosen the last. An action that is a text has none.
impl<A: Serialize + Debug> Serialize for CrowdStep<A> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let (rule, mut arguments) = match json(&self.action) {
            Value::Object(variant) if variant.len() == 1 => {
                let (rule, content) = variant.into_iter().next().expect("it has one field");
                (Value::String(rule), content)
            }
            rule => (rule, Value::Null),
        };
        let name = match rule {
            // A text says all that there is to say of it, but for the process.
            Value::String(text) if text.contains(' ') => return text.serialize(serializer),
            Value::String(name) => name,
            // An action that is no variant is an argument.
            argument => {
                arguments = argument;
                "step".to_owned()
            }
        };
        let member = self.member.map(Value::from);
        let other = self.other.map(Value::from);
        let arguments = match arguments {
            Value::Object(mut fields) => {
                fields.extend(member.map(|member| ("member".to_owned(), member)));
                fields.extend(other.map(|other| ("other".to_owned(), other)));
                Value::Object(fields)
            }
            arguments => {
                let arguments = match arguments {
                    Value::Null => Vec::new(),
                    Value::Array(arguments) => arguments,
                    argument => vec![argument],
                };
                let mut all: Vec<_> = member.into_iter().chain(arguments).chain(other).collect();
                match all.len() {
                    0 => return name.serialize(serializer),
                    1 => all.remove(0),
                    _ => Value::Array(all),
                }
            }
        };
        Map::from_iter([(name, arguments)]).serialize(serializer)
    }
}

/// Visitor of a line, in which no member stands for another one: its counters are visited alone.
struct InLine<'v>(&'v mut dyn NameVisitor);

impl NameVisitor for InLine<'_> {
    fn counter(&mut self, counter: CounterName<'_>) {
        self.0.counter(counter);
    }

    fn member(&mut self, group: u8, number: &mut usize) {
        if group != MEMBERS {
            self.0.member(group, number);
        }
    }

    fn rows(&mut self, group: u8, rows: &mut [&mut dyn Row]) {
        self.0.rows(group, rows);
    }

    fn enter_set(&mut self) {
        self.0.enter_set();
    }

    fn leave_set(&mut self) {
        self.0.leave_set();
    }
}

impl<C: Crowd> State<Instance<C>> for CrowdState<C::Shared, C::Member> {
    const KEPT: Kept = Kept::all(&[C::Shared::KEPT, C::Member::KEPT]);
    const EXACT: Exact<Self> =
        Exact::of_parts(&[C::Shared::EXACT.is_exact(), C::Member::EXACT.is_exact()]);

    fn shape(system: &Instance<C>, limits: Limits) -> Shape {
        Shape::fields(&[
            C::Shared::shape(&system.crowd, limits),
            C::Member::shape(&system.crowd, limits).times(system.members),
        ])
    }

    #[inline(always)]
    fn write(&self, system: &Instance<C>, limits: Limits, sink: &mut impl Sink) {
        self.shared.write(&system.crowd, limits, sink);
        for member in &self.members {
            member.write(&system.crowd, limits, sink);
        }
    }

    #[inline(always)]
    fn read(system: &Instance<C>, limits: Limits, source: &mut impl Source) -> Self {
        let shared = C::Shared::read(&system.crowd, limits, source);
        let members = 0..system.members;
        let members = members.map(|_| C::Member::read(&system.crowd, limits, source));
        Self::new(shared, members.collect())
    }

    #[inline(always)]
    fn assign(&mut self, from: &Self) {
        self.shared.assign(&from.shared);
        self.left_out = from.left_out.clone();
        self.changes.clone_from(&from.changes);
        if self.members.len() != from.members.len() {
            return self.members.clone_from(&from.members);
        }
        for (member, from) in self.members.iter_mut().zip(&from.members) {
            member.assign(from);
        }
    }

    #[inline(always)]
    fn width(system: &Instance<C>, limits: Limits) -> u32 {
        let of_member = C::Member::width(&system.crowd, limits);
        let of_members = of_member.wrapping_mul(system.members as u32);
        C::Shared::width(&system.crowd, limits).wrapping_add(of_members)
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        if C::IN_LINE {
            let mut visit = InLine(visit);
            self.shared.visit_names(&mut visit);
            for member in &mut self.members {
                member.visit_names(&mut visit);
            }
            return;
        }
        self.shared.visit_names(visit);
        let visit_one = |member: &mut C::Member, visit: &mut dyn NameVisitor| {
            member.visit_names(visit);
        };
        visit.rows(
            MEMBERS,
            &mut [&mut RowOf::new(&mut self.members, visit_one)],
        );
    }
}

impl<C: Crowd> Action<Instance<C>> for CrowdStep<C::Action> {
    const WITHOUT_RANGE: Option<&'static str> = C::Action::WITHOUT_RANGE;

    fn rules(system: &Instance<C>) -> &[Rule] {
        C::Action::rules(&system.crowd)
    }

    fn rule(&self, system: &Instance<C>) -> RuleId {
        self.action.rule(&system.crowd)
    }

    fn process(&self, system: &Instance<C>) -> Process {
        let process = self.action.process(&system.crowd);
        match self.member {
            Some(member) => {
                let number = u16::try_from(member).ok();
                Process::named_by(&self.action, process.name, number)
            }
            None => process,
        }
    }

    fn inputs(&self, system: &Instance<C>) -> Self {
        Self {
            action: self.action.inputs(&system.crowd),
            ..self.clone()
        }
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.action.visit_names(visit);
        if !C::IN_LINE {
            for number in self.member.iter_mut().chain(&mut self.other) {
                visit.member(MEMBERS, number);
            }
        }
    }
}

impl<C: Crowd> Instance<C> {
    pub(super) fn new(crowd: C, members: usize) -> Self {
        const {
            assert!(
                is_plain::<C::Shared, C>() && is_plain::<C::Member, C>(),
                "the parts of a crowd are plain data: derive `State`"
            );
        }
        Self { crowd, members }
    }

    /// The crowd.
    pub fn crowd(&self) -> &C {
        &self.crowd
    }

    /// The initial shared parts, each once, with the parts that members may have beside it.
    pub(super) fn beginnings(&self) -> Vec<(C::Shared, Vec<C::Member>)> {
        let mut all: Vec<(C::Shared, Vec<C::Member>)> = Vec::new();
        self.crowd.initial(&mut |shared, members| {
            let place = all.iter().position(|(other, _)| *other == shared);
            let place = place.unwrap_or_else(|| {
                all.push((shared, Vec::new()));
                all.len() - 1
            });
            let (_, known) = &mut all[place];
            for member in members {
                if !known.contains(member) {
                    known.push(member.clone());
                }
            }
        });
        all
    }

    /// Takes a step with given answers to what the members of the state do not tell, and says whether it fired, and what was asked.
    fn run(
        &self,
        step: &CrowdStep<C::Action>,
        state: &mut StateOfCrowd<C>,
    ) -> (bool, Answered<C::Member>) {
        let CrowdState {
            shared,
            members,
            left_out,
            changes,
        } = state;
        let CrowdStep {
            action,
            member,
            other,
            answers,
        } = step;
        // The member is a copy, so that where it stands among the others says nothing.
        let mut me = member.map(|member| members[member].clone());
        let mut others = Others::new(members, *member, *other, C::IN_LINE, left_out, *answers);
        let function = Name::of("`fire`");
        let culprit = Culprit(step);
        let fired = match &mut me {
            Some(me) => self.crowd.fire(action, shared, me, &mut others),
            None => self.crowd.act(action, shared, &mut others),
        };
        let mut answered = others.answered();
        std::mem::forget(culprit);
        function.returned();
        if let (Some(member), Some(me)) = (member, me) {
            members[*member] = me;
        }
        *changes = std::mem::take(&mut answered.changes);
        (fired.is_some(), answered)
    }

    /// Takes a step, if it is enabled, and says whether it chooses another member.
    pub(super) fn chooses(&self, step: &CrowdStep<C::Action>, state: &mut StateOfCrowd<C>) -> bool {
        self.run(step, state).1.chooses
    }

    /// Visits what becomes of a step, for each answer that members which are not in the state may have. `state` is the source, and again after each.
    fn run_all(
        &self,
        step: &mut CrowdStep<C::Action>,
        from: &StateOfCrowd<C>,
        state: &mut StateOfCrowd<C>,
        visit: &mut VisitAnswered<'_, C>,
    ) {
        let mut left = vec![AnswerBits::default()];
        while let Some(given) = left.pop() {
            step.answers = given;
            let (fired, answered) = self.run(step, state);
            let all = answered.answers();
            left.extend(
                (usize::from(given.count)..all.count.into()).map(|place| all.turned(place)),
            );
            step.answers = all;
            visit(step, fired, state, &answered);
            reset::<C>(state, from);
        }
        step.answers = AnswerBits::default();
    }

    /// Visits the steps that members try, or none does, with each other member that may be chosen.
    fn visit_candidates(
        &self,
        from: &StateOfCrowd<C>,
        visit: &mut impl FnMut(CrowdStep<C::Action>),
    ) {
        for member in members(from) {
            let me = member.map(|member| &from.members[member]);
            self.crowd.candidates(&from.shared, me, &mut |action| {
                let others = (0..from.members.len()).filter(|other| Some(*other) != member);
                for other in [None].into_iter().chain(others.map(Some)) {
                    visit(CrowdStep {
                        action: action.clone(),
                        member,
                        other,
                        answers: AnswerBits::default(),
                    });
                }
            });
        }
    }

    /// Visits the steps by which a member tries an action, or none does: those that are enabled.
    fn visit_tried(
        &self,
        mut step: CrowdStep<C::Action>,
        from: &StateOfCrowd<C>,
        state: &mut StateOfCrowd<C>,
        visit: &mut impl FnMut(CrowdStep<C::Action>, &StateOfCrowd<C>),
    ) {
        // PERF: a state of an instance has one answer to each question.
        let chooses = if let LeftOutMembers::Nobody = from.left_out {
            let (fired, answered) = self.run(&step, state);
            if fired && !answered.chooses {
                visit(step.clone(), state);
            }
            reset::<C>(state, from);
            answered.chooses
        } else {
            self.visit_answered(&mut step, from, state, visit)
        };
        for other in (0..from.members.len()).filter(|_| chooses) {
            if Some(other) != step.member {
                step.other = Some(other);
                self.visit_answered(&mut step, from, state, visit);
            }
        }
    }

    /// Visits a step with all answers that members which are not in the state may have, and says whether it chooses another member.
    fn visit_answered(
        &self,
        step: &mut CrowdStep<C::Action>,
        from: &StateOfCrowd<C>,
        state: &mut StateOfCrowd<C>,
        visit: &mut impl FnMut(CrowdStep<C::Action>, &StateOfCrowd<C>),
    ) -> bool {
        let mut chooses = false;
        let has_other = step.other.is_some();
        self.run_all(step, from, state, &mut |step, fired, to, answered| {
            chooses |= answered.chooses;
            self.meet(fired, answered, from);
            if fired && answered.chooses == has_other {
                visit(step.clone(), to);
            }
        });
        chooses
    }

    /// Keeps what a search is to know of a step.
    fn meet(&self, fired: bool, answered: &Answered<C::Member>, from: &StateOfCrowd<C>) {
        let LeftOutMembers::Of(left_out) = &from.left_out else {
            return;
        };
        let is_met = answered.chooses || fired && !answered.open.is_empty();
        if !is_met {
            return;
        }
        let LeftOutClasses { learnt, at, .. } = &**left_out;
        let mut met = learnt.met();
        met.chooses |= answered.chooses;
        for OpenQuestion {
            question, answer, ..
        } in answered.open.iter().filter(|_| fired)
        {
            if learnt.is_new(question) {
                let all = if *answer {
                    &mut met.questions
                } else {
                    &mut met.denied
                };
                meet(all, at, question, |other| other.is(&**question));
            }
        }
    }

    /// Takes an abstract step beside members that are not known.
    ///
    /// It is one where it is one with the members of the state alone, and where whatever keeps it from being one is a member by itself: one of which a question is true whose answer
    /// is *no* wherever the step is taken, whoever is asked. There is a state that has this member beside the one that takes the step, and there it is none.
    fn fire_beside_anybody(
        &self,
        step: &CrowdStep<C::Action>,
        state: &mut StateOfCrowd<C>,
    ) -> Option<()> {
        let mut step = step.clone();
        let mut from = state.clone();
        let beside_these = self.outcomes(&mut step, &from, state);
        let target = beside_these.first()?.target.clone()?;
        if beside_these.len() > 1 {
            from.left_out = LeftOutMembers::Everybody;
            let beside_any = self.outcomes(&mut step, &from, state);
            let is_taken = |outcome: &&AbstractOutcome<C>| outcome.target.as_ref() == Some(&target);
            let taken: Vec<_> = beside_any.iter().filter(is_taken).collect();
            let refuses = |yes: &OpenQuestion<C::Member>| {
                let is_no = |no: &OpenQuestion<C::Member>| !no.answer && no.is_of_same(yes);
                yes.answer && taken.iter().all(|one| one.open.iter().any(is_no))
            };
            let mut others = beside_these.iter().filter(|outcome| !is_taken(outcome));
            if !others.all(|outcome| outcome.open.iter().any(refuses)) {
                return None;
            }
        }
        *state = target;
        Some(())
    }

    /// The outcomes of a step, for each answer that members which are not in the state may have; the first is that without them.
    fn outcomes(
        &self,
        step: &mut CrowdStep<C::Action>,
        from: &StateOfCrowd<C>,
        state: &mut StateOfCrowd<C>,
    ) -> Vec<AbstractOutcome<C>> {
        state.left_out = from.left_out.clone();
        let has_other = step.other.is_some();
        let mut outcomes = Vec::new();
        self.run_all(step, from, state, &mut |_, fired, to, answered| {
            let is_step = fired && answered.chooses == has_other;
            outcomes.push(AbstractOutcome {
                open: answered.open.clone(),
                target: is_step.then(|| to.clone()),
            });
        });
        outcomes
    }
}

/// An outcome of an abstract step.
struct AbstractOutcome<C: Crowd> {
    /// Questions about members that are not in the state.
    open: Vec<OpenQuestion<C::Member>>,
    /// Its target, if it is one.
    target: Option<StateOfCrowd<C>>,
}

impl<C: Crowd> TransitionSystem for Instance<C> {
    type State = CrowdState<C::Shared, C::Member>;
    type Action = CrowdStep<C::Action>;
    type Observation = CrowdObservation<C::Observation>;

    fn initial(&self, visit: &mut impl FnMut(Self::State)) {
        for (shared, parts) in self.beginnings() {
            if parts.is_empty() {
                continue;
            }
            let mut digits = vec![0; self.members];
            loop {
                let members = digits.iter().map(|digit: &usize| parts[*digit].clone());
                visit(CrowdState::new(shared.clone(), members.collect()));
                // The last one changes first.
                let Some(place) = digits.iter().rposition(|digit| digit + 1 < parts.len()) else {
                    break;
                };
                digits[place] += 1;
                digits[place + 1..].fill(0);
            }
        }
    }

    fn fire(&self, step: &Self::Action, state: &mut Self::State) -> Option<()> {
        if let LeftOutMembers::Anybody = state.left_out {
            return self.fire_beside_anybody(step, state);
        }
        let (fired, answered) = self.run(step, state);
        let is_this =
            answered.answers() == step.answers && answered.chooses == step.other.is_some();
        (fired && is_this).then_some(())
    }

    fn observe(&self, state: &Self::State) -> Self::Observation {
        let CrowdState {
            shared, members, ..
        } = state;
        let of_member = |member| self.crowd.observe_member(shared, member);
        CrowdObservation {
            shared: self.crowd.observe(shared),
            members: members.iter().filter_map(of_member).collect(),
        }
    }

    fn candidates(&self, from: &Self::State, visit: &mut impl FnMut(Self::Action)) {
        // Which answers members have that are not in the state is told by what is asked of them.
        if let LeftOutMembers::Of(..) = from.left_out {
            return self.next(from, &mut |step, _| visit(step));
        }
        self.visit_candidates(from, visit);
    }

    fn next(&self, from: &Self::State, visit: &mut impl FnMut(Self::Action, &Self::State)) {
        let mut state = from.clone();
        // A step is one or none whatever the members are that are not known: they answer nothing.
        if let LeftOutMembers::Anybody = from.left_out {
            return self.visit_candidates(from, &mut |step| {
                if self.fire(&step, &mut state).is_some() {
                    visit(step, &state);
                }
                reset::<C>(&mut state, from);
            });
        }
        for member in members(from) {
            let me = member.map(|member| &from.members[member]);
            let candidates = Name::of("`candidates`");
            self.crowd.candidates(&from.shared, me, &mut |action| {
                let step = CrowdStep {
                    action,
                    member,
                    other: None,
                    answers: AnswerBits::default(),
                };
                self.visit_tried(step, from, &mut state, visit);
            });
            candidates.returned();
        }
    }

    fn may_stop(&self, state: &Self::State) -> bool {
        let mut members = state.members.iter();
        members.all(|member| self.crowd.may_stop(&state.shared, member))
    }

    fn caveats(&self) -> Caveats<'_, Self::State> {
        self.crowd.caveats()
    }

    fn show(&self, state: &Self::State) -> Value {
        self.crowd.show(state)
    }

    fn draw(&self, state: &Self::State) -> Option<Drawing> {
        self.crowd.draw(state)
    }

    fn is_initial(&self, state: &Self::State) -> bool {
        // Counters of the initial states have begun anew, and are those of the state nevertheless.
        let _shown = Hiding::suspend_if_hidden();
        let mut beginnings = self.beginnings().into_iter();
        beginnings.any(|(shared, parts)| {
            shared == state.shared && state.members.iter().all(|member| parts.contains(member))
        })
    }
}

/// Those who may take a step: nobody, and each member.
fn members<S, M>(state: &CrowdState<S, M>) -> impl Iterator<Item = Option<usize>> {
    [None].into_iter().chain((0..state.members.len()).map(Some))
}

/// Makes a state what another one is.
fn reset<C: Crowd>(state: &mut StateOfCrowd<C>, from: &StateOfCrowd<C>) {
    State::<Instance<C>>::assign(state, from);
}
