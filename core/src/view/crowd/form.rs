//! Crowds as a search sees them, without the types of their parts.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::chosen::MEMBERS;
use super::configuration::{Configuration, Part};
use super::instance::{CrowdState, StateOfCrowd};
use super::left_out::{
    AnyQuestion, FirstMet, Learnt, LeftOutClasses, LeftOutMembers, MemberChanges, PosedAt, meet,
};
use super::refined::CrowdRefinement;
use super::statement::Crowd;
use crate::state::hiding::Hiding;
use crate::state::{
    BEGUN_ANEW, BitReader, BitWriter, CounterName, Limits, NameVisitor, Row, State,
};
use crate::statement::erased::ErasedState;

/// A crowd of whatever types.
pub(crate) trait CrowdForm: Sync {
    /// As [`Crowd::members`].
    fn members(&self) -> &str;
    /// As [`Crowd::bounds`].
    fn bounds(&self) -> String;
    /// As [`Crowd::IN_LINE`].
    fn in_line(&self) -> bool;
    /// Members of which each invariant speaks, with its name.
    fn widths(&self) -> Vec<(String, usize)>;
    /// The least gap between neighbouring counters that is as good as every larger one; none if there are no counters.
    fn far(&self) -> Option<u64>;
    /// The initial shared parts, each with those that members may have beside it.
    fn beginnings(&self) -> Vec<Configuration>;
    /// Parts of a state.
    fn split(&self, state: &ErasedState) -> Configuration;
    /// The state of these parts, beside members that are left out, or of no others.
    fn joined(&self, parts: &Configuration, beside: Option<LeftOutExamples>) -> ErasedState;
    /// Change of all others in the step that has led to a state.
    fn changed(&self, state: &ErasedState, at: &PosedAt) -> OthersChange;
    /// The changes of all others that were met, each with the first level.
    fn changes(&self) -> Vec<u32>;
    /// The class of a member after one of these.
    fn class_after(&self, change: usize, member: &Part) -> u64;
    /// Keeps the questions that a search has met first and that are not kept. False if there are none.
    fn learn(&self) -> bool;
    /// The same of those that enabled steps since they may be true of no member that is left out: views are finer then.
    fn learn_denied(&self) -> bool;
    /// True if some question is kept.
    fn keeps(&self) -> bool;
    /// True if a search has met a question that is not kept, and by which *yes* enabled a step.
    fn has_met(&self) -> bool;
    /// The views where the rest was met first.
    fn met_at(&self) -> Vec<Configuration>;
    /// True if a step was met that chooses another member.
    fn chooses(&self) -> bool;
    /// Notes that one was met, if it was.
    fn note_choice(&self, chooses: bool);
    /// Begins another search, in which nothing is met but that steps choose another member.
    fn begin(&self);
    /// Keeps no question, from now on.
    fn forget(&self);
}

/// A member of each class that is left out, as far as one is known, and the moment at which this is asked.
pub(crate) type LeftOutExamples = (Vec<Arc<Part>>, PosedAt);

/// Change of all others in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OthersChange {
    /// None.
    Nothing,
    /// One that can be told of each by itself, by its number.
    Each(usize),
    /// One that depends on how far counters have come.
    Counters,
}

/// A crowd, and what a search has learnt of it.
pub(crate) struct Formed<R: CrowdRefinement> {
    /// The refinement.
    pub refinement: R,
    crowd: R::Implementation,
    learnt: RwLock<Arc<Learnt<MemberIn<R>>>>,
    /// As [`CrowdForm::far`].
    far: OnceLock<Option<u64>>,
}

type MemberIn<R> = <<R as CrowdRefinement>::Implementation as Crowd>::Member;
type StateIn<R> = StateOfCrowd<<R as CrowdRefinement>::Implementation>;

impl<R: CrowdRefinement> Formed<R> {
    /// A crowd of which nothing is known.
    pub fn new(refinement: R) -> Self {
        Self {
            crowd: refinement.implementation(),
            refinement,
            learnt: RwLock::new(Arc::new(Learnt::new(Vec::new(), true, false))),
            far: OnceLock::new(),
        }
    }

    fn learnt(&self) -> Arc<Learnt<MemberIn<R>>> {
        let learnt = self.learnt.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&learnt)
    }

    /// Begins with these questions.
    fn begin_with(&self, kept: Vec<AnyQuestion<MemberIn<R>>>, is_open: bool) {
        let mut learnt = self.learnt.write().unwrap_or_else(PoisonError::into_inner);
        let chooses = learnt.met().chooses;
        *learnt = Arc::new(Learnt::new(kept, is_open, chooses));
    }

    /// Keeps questions beside those that are kept. False if there are none.
    fn keep(&self, mut met: FirstMet<AnyQuestion<MemberIn<R>>>, of_first: bool) -> bool {
        let learnt = self.learnt();
        met.sort_by(|(one, _), (other, _)| one.cmp(other));
        if of_first && let Some((first, _)) = met.first() {
            let first = first.clone();
            met.retain(|(at, _)| *at == first);
        }
        met.truncate(learnt.room());
        let questions = met.into_iter().map(|(_, question)| question);
        let is_any = questions.len() > 0;
        if is_any {
            let kept = learnt.kept.iter().cloned();
            self.begin_with(kept.chain(questions).collect(), true);
        }
        is_any
    }

    /// A part, as a visitor leaves it whose names it has.
    fn written<P: State<R::Implementation>>(
        &self,
        mut part: P,
        class: Option<u64>,
        names: &mut NamesTaken,
    ) -> Arc<Part> {
        names.is_member = class.is_some();
        part.visit_names(&mut PartNames(&mut |name| names.take(name)));
        let mut writer = BitWriter::growing();
        part.write(&self.crowd, Limits::NONE, &mut writer);
        let code = writer.code();
        let code = code.expect("a number of a part is in its range");
        Arc::new(Part {
            words: code.words().to_vec(),
            counters: std::mem::take(&mut names.counters),
            class: class.unwrap_or(0),
        })
    }

    /// The part that was written so, with names of members.
    fn read<P: State<R::Implementation>>(&self, part: &Part, names: &[usize]) -> P {
        let mut reader = BitReader::new(&part.words);
        let mut read = P::read(&self.crowd, Limits::NONE, &mut reader);
        let mut values = part.counters.iter().map(|(_, value)| *value);
        read.visit_names(&mut PartNames(&mut |name| match name {
            NameIn::Counter(counter) => *counter.value = values.next().unwrap_or(0),
            NameIn::Member(number) => *number = names[*number],
        }));
        read
    }

    fn parts(&self, state: &StateIn<R>) -> Configuration {
        let mut names = NamesTaken {
            far: self.far(),
            ..NamesTaken::default()
        };
        let learnt = self.learnt();
        let class = |member: &MemberIn<R>| {
            let _shown = Hiding::suspend();
            learnt.class(member)
        };
        let shared = self.written(state.shared.clone(), None, &mut names);
        let members = state.members.iter();
        let members = members.map(|member| {
            let class = Some(class(member));
            self.written(member.clone(), class, &mut names)
        });
        Configuration {
            shared,
            members: members.collect(),
            absent: Vec::new(),
            names: names.members,
        }
    }
}

/// The names in the parts of a state, in whose place there are numbers in the order in which they are visited.
#[derive(Default)]
struct NamesTaken {
    far: Option<u64>,
    /// True if the part is that of a member.
    is_member: bool,
    /// The groups of counters, and whether they have begun anew.
    are_new: Vec<(u8, bool)>,
    /// The counters of a part,
    counters: Vec<(u8, u64)>,
    /// and the names of members, each once.
    members: Vec<usize>,
}

impl NamesTaken {
    /// # Panics
    ///
    /// If some counters of a group have begun anew beside others of it, or have to be kept further apart than those of the initial states, or if a member holds the name of one.
    fn take(&mut self, name: NameIn<'_>) {
        match name {
            NameIn::Counter(counter) => {
                let CounterName { group, is_new, .. } = counter;
                assert!(
                    Some(counter.far) <= self.far,
                    "a counter that no initial state has tells more steps apart than those that it has, or there are none"
                );
                match self.are_new.iter().find(|(other, _)| *other == group) {
                    Some((_, are_new)) => assert!(*are_new == is_new, "{BEGUN_ANEW}"),
                    None => self.are_new.push((group, is_new)),
                }
                let number = self.counters.len() as u64;
                let value = std::mem::replace(counter.value, number);
                self.counters.push((group, value));
            }
            NameIn::Member(number) => {
                assert!(
                    !self.is_member,
                    "the part of a member holds the name of a member: the shared part alone does"
                );
                let place = self.members.iter().position(|name| name == number);
                let place = place.unwrap_or_else(|| {
                    self.members.push(*number);
                    self.members.len() - 1
                });
                *number = place;
            }
        }
    }
}

impl<R: CrowdRefinement> CrowdForm for Formed<R> {
    fn members(&self) -> &str {
        self.crowd.members()
    }

    fn bounds(&self) -> String {
        self.crowd.bounds()
    }

    fn in_line(&self) -> bool {
        R::Implementation::IN_LINE
    }

    fn widths(&self) -> Vec<(String, usize)> {
        let invariants = self.refinement.invariants().into_iter();
        let widths = invariants.map(|one| (one.name().to_owned(), one.members()));
        widths.collect()
    }

    fn far(&self) -> Option<u64> {
        *self.far.get_or_init(|| {
            let mut far = None;
            let mut visit = |name: NameIn<'_>| {
                if let NameIn::Counter(counter) = name {
                    far = far.max(Some(counter.far));
                }
            };
            let mut names = PartNames(&mut visit);
            for (mut shared, mut members) in self.crowd.of(1).beginnings() {
                shared.visit_names(&mut names);
                members
                    .iter_mut()
                    .for_each(|one| one.visit_names(&mut names));
            }
            far
        })
    }

    fn beginnings(&self) -> Vec<Configuration> {
        let all = self.crowd.of(1).beginnings().into_iter();
        let all = all.map(|(shared, members)| self.parts(&CrowdState::new(shared, members)));
        all.collect()
    }

    fn split(&self, state: &ErasedState) -> Configuration {
        self.parts(state.get())
    }

    fn joined(&self, parts: &Configuration, beside: Option<LeftOutExamples>) -> ErasedState {
        let left_out = match beside {
            None => LeftOutMembers::Nobody,
            Some((examples, at)) => LeftOutMembers::Of(Arc::new(LeftOutClasses {
                all: parts.absent.clone(),
                examples: examples.iter().map(|one| self.read(one, &[])).collect(),
                learnt: self.learnt(),
                at,
            })),
        };
        let members = parts.members.iter().map(|one| self.read(one, &[]));
        let shared: <R::Implementation as Crowd>::Shared = self.read(&parts.shared, &parts.names);
        ErasedState::from(CrowdState::beside(shared, members.collect(), left_out))
    }

    fn changed(&self, state: &ErasedState, at: &PosedAt) -> OthersChange {
        let changes = &state.get::<StateIn<R>>().changes;
        if changes.is_empty() {
            return OthersChange::Nothing;
        }
        if self.far().is_some() || changes.iter().any(|change| !change.is_of_member()) {
            return OthersChange::Counters;
        }
        let is_same = |others: &MemberChanges<_>| {
            let mut pairs = changes.iter().zip(others);
            changes.len() == others.len() && pairs.all(|(one, other)| one.is(&**other))
        };
        OthersChange::Each(meet(&mut self.learnt().met().changes, at, changes, is_same))
    }

    fn changes(&self) -> Vec<u32> {
        let learnt = self.learnt();
        let met = learnt.met();
        met.changes.iter().map(|((level, ..), _)| *level).collect()
    }

    fn class_after(&self, change: usize, member: &Part) -> u64 {
        let learnt = self.learnt();
        let changes = learnt.met().changes[change].1.clone();
        let mut member = self.read(member, &[]);
        changes.iter().for_each(|change| change.apply(&mut member));
        learnt.class(&member)
    }

    fn learn(&self) -> bool {
        let met = self.learnt().met().questions.clone();
        self.keep(met, true)
    }

    fn learn_denied(&self) -> bool {
        let met = self.learnt().met().denied.clone();
        self.keep(met, false)
    }

    fn keeps(&self) -> bool {
        !self.learnt().kept.is_empty()
    }

    fn has_met(&self) -> bool {
        !self.learnt().met().questions.is_empty()
    }

    fn met_at(&self) -> Vec<Configuration> {
        let learnt = self.learnt();
        let met = learnt.met();
        let denied = met.denied.iter().map(|((_, view, _), _)| view);
        let changes = met.changes.iter().map(|((_, view, _), _)| view);
        denied.chain(changes).cloned().collect()
    }

    fn chooses(&self) -> bool {
        self.learnt().met().chooses
    }

    fn note_choice(&self, chooses: bool) {
        self.learnt().met().chooses |= chooses;
    }

    fn begin(&self) {
        let learnt = self.learnt();
        self.begin_with(learnt.kept.clone(), learnt.is_open);
    }

    fn forget(&self) {
        self.begin_with(Vec::new(), false);
    }
}

/// A name in a part of a state.
enum NameIn<'a> {
    Counter(CounterName<'a>),
    /// The name of a member in the shared part.
    Member(&'a mut usize),
}

/// Visitor of the names in a part.
struct PartNames<'v>(&'v mut dyn FnMut(NameIn<'_>));

impl NameVisitor for PartNames<'_> {
    fn counter(&mut self, counter: CounterName<'_>) {
        (self.0)(NameIn::Counter(counter));
    }

    fn member(&mut self, group: u8, number: &mut usize) {
        if group == MEMBERS {
            (self.0)(NameIn::Member(number));
        }
    }

    fn rows(&mut self, _: u8, rows: &mut [&mut dyn Row]) {
        for row in rows {
            (0..row.length()).for_each(|at| row.visit_element(at, self));
        }
    }
}
