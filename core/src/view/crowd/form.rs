//! Crowds as a search sees them, without the types of their parts.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::chosen::MEMBERS;
use super::counters::{Counted, close, spread};
use super::instance::{CrowdState, StateOfCrowd};
use super::left_out::{Classes, Learnt, LeftOutMembers, MOST_KEPT, MemberChanges};
use super::parts::CrowdParts;
use super::question::MemberQuestion;
use super::refined::CrowdRefinement;
use super::statement::Crowd;
use crate::state::{BEGUN_ANEW, CounterName, NameVisitor, Row, State};
use crate::statement::erased::{ErasedPart, ErasedState};

/// Parts of a state, of whatever types.
pub(crate) type ErasedParts = CrowdParts<ErasedPart, ErasedPart>;

/// Classes of members that are left out, of whatever types.
pub(crate) type ErasedClasses = Classes<ErasedPart>;

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
    fn beginnings(&self) -> Vec<ErasedParts>;
    /// Parts of a state.
    fn apart(&self, state: &ErasedState) -> ErasedParts;
    /// The state of these parts, beside members that are left out, or of no others.
    fn assembled(&self, parts: &ErasedParts, left_out: Option<ErasedClasses>) -> ErasedState;
    /// Visits the names in a state, which may be given others.
    fn visit_names(&self, parts: &ErasedParts, visit: &mut dyn FnMut(NameIn<'_>)) -> ErasedParts;
    /// The questions that are kept and true of a member, a bit for each.
    fn class(&self, member: &ErasedPart) -> u64;
    /// Change of all others in the step that has led to a state.
    fn changed(&self, state: &ErasedState) -> OthersChange;
    /// The class of a member after the changes that have led to a state.
    fn class_after(&self, state: &ErasedState, member: &ErasedPart) -> u64;
    /// Keeps the questions that a search has met and that are not kept. False if there are none.
    fn learn(&self) -> bool;
    /// The same of those that enabled steps since they may be true of no member that is left out: views are finer then.
    fn learn_denied(&self) -> bool;
    /// True if some question is kept.
    fn keeps(&self) -> bool;
    /// True if a search has met a question that is not kept, and by which *yes* enabled a step.
    fn has_met(&self) -> bool;
    /// True if a step was met that chooses another member.
    fn chooses(&self) -> bool;
    /// Keeps no question, from now on.
    fn forget(&self);
}

/// Change of all others in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OthersChange {
    /// None.
    Nothing,
    /// One that can be told of each by itself.
    Each,
    /// One that depends on how far counters have come.
    Counters,
}

/// A crowd, and what a search has learnt of it.
pub(crate) struct Formed<R: CrowdRefinement> {
    /// The refinement.
    pub refinement: R,
    crowd: R::Implementation,
    learnt: Mutex<Arc<Learnt<MemberIn<R>>>>,
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
            learnt: Mutex::new(Arc::new(Learnt::new(Vec::new()))),
            far: OnceLock::new(),
        }
    }

    fn learnt(&self) -> MutexGuard<'_, Arc<Learnt<MemberIn<R>>>> {
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps questions beside those that are kept. False if there are none.
    fn keep(&self, questions: Vec<Arc<dyn MemberQuestion<MemberIn<R>>>>) -> bool {
        let mut learnt = self.learnt();
        let room = MOST_KEPT - learnt.kept.len();
        if questions.is_empty() || room == 0 {
            return false;
        }
        let kept = learnt.kept.iter().cloned();
        let kept = Learnt::new(kept.chain(questions.into_iter().take(room)).collect());
        kept.met().chooses = learnt.met().chooses;
        *learnt = Arc::new(kept);
        true
    }

    fn typed(&self, parts: &ErasedParts, left_out: LeftOutMembers<MemberIn<R>>) -> StateIn<R> {
        let members = parts.members.iter();
        let members = members.map(|member| member.get::<MemberIn<R>>().clone());
        let shared = parts.shared.get::<<R::Implementation as Crowd>::Shared>();
        CrowdState::beside(shared.clone(), members.collect(), left_out)
    }

    fn erased(&self, state: &StateIn<R>) -> ErasedParts {
        let members = state.members.iter().cloned().map(ErasedPart::from);
        CrowdParts {
            shared: ErasedPart::from(state.shared.clone()),
            members: members.collect(),
        }
    }

    fn changes<'s>(&self, state: &'s ErasedState) -> &'s MemberChanges<MemberIn<R>> {
        &state.get::<StateIn<R>>().changes
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
            let form: &dyn CrowdForm = self;
            let beginnings = self.beginnings();
            let far = beginnings.iter().map(|parts| form.counted(parts).far);
            far.max().flatten()
        })
    }

    fn beginnings(&self) -> Vec<ErasedParts> {
        let all = self.crowd.of(1).beginnings();
        let all = all
            .into_iter()
            .map(|(shared, members)| self.erased(&CrowdState::new(shared, members)));
        all.collect()
    }

    fn apart(&self, state: &ErasedState) -> ErasedParts {
        self.erased(state.get::<StateIn<R>>())
    }

    fn assembled(&self, parts: &ErasedParts, left_out: Option<ErasedClasses>) -> ErasedState {
        let left_out = match left_out {
            None => LeftOutMembers::Nobody,
            Some(classes) => {
                let examples = classes.examples.iter();
                let examples = examples.map(|member| member.get::<MemberIn<R>>().clone());
                let all = classes.all;
                let examples = examples.collect();
                LeftOutMembers::Of(self.learnt().clone(), Classes { all, examples })
            }
        };
        ErasedState::from(self.typed(parts, left_out))
    }

    fn visit_names(&self, parts: &ErasedParts, visit: &mut dyn FnMut(NameIn<'_>)) -> ErasedParts {
        let mut state = self.typed(parts, LeftOutMembers::Nobody);
        let mut names = PartNames {
            visit,
            member: None,
        };
        state.shared.visit_names(&mut names);
        for (place, member) in state.members.iter_mut().enumerate() {
            names.member = Some(place);
            member.visit_names(&mut names);
        }
        self.erased(&state)
    }

    fn class(&self, member: &ErasedPart) -> u64 {
        self.learnt().class(member.get())
    }

    fn changed(&self, state: &ErasedState) -> OthersChange {
        let changes = self.changes(state);
        if changes.is_empty() {
            OthersChange::Nothing
        } else if self.far().is_none() && changes.iter().all(|change| change.is_of_member()) {
            OthersChange::Each
        } else {
            OthersChange::Counters
        }
    }

    fn class_after(&self, state: &ErasedState, member: &ErasedPart) -> u64 {
        let mut member = member.get::<MemberIn<R>>().clone();
        for change in self.changes(state) {
            change.apply(&mut member);
        }
        self.learnt().class(&member)
    }

    fn learn(&self) -> bool {
        let questions = self.learnt().met().questions.clone();
        self.keep(questions)
    }

    fn learn_denied(&self) -> bool {
        let questions = self.learnt().met().denied.clone();
        self.keep(questions)
    }

    fn keeps(&self) -> bool {
        !self.learnt().kept.is_empty()
    }

    fn has_met(&self) -> bool {
        !self.learnt().met().questions.is_empty()
    }

    fn chooses(&self) -> bool {
        self.learnt().met().chooses
    }

    fn forget(&self) {
        let mut learnt = self.learnt();
        let forgotten = Learnt::nothing();
        forgotten.met().chooses = learnt.met().chooses;
        *learnt = Arc::new(forgotten);
    }
}

/// A name in a state.
pub(crate) enum NameIn<'a> {
    /// A counter of the shared part, or of the member at a place.
    Counter(Option<usize>, CounterName<'a>),
    /// The name of a member in the shared part.
    Member(&'a mut usize),
}

/// Visitor of the names in a part.
struct PartNames<'v> {
    visit: &'v mut dyn FnMut(NameIn<'_>),
    /// Place of the member whose part it is.
    member: Option<usize>,
}

impl NameVisitor for PartNames<'_> {
    fn counter(&mut self, counter: CounterName<'_>) {
        (self.visit)(NameIn::Counter(self.member, counter));
    }

    fn member(&mut self, group: u8, number: &mut usize) {
        if group == MEMBERS {
            assert!(
                self.member.is_none(),
                "the part of a member holds the name of a member: the shared part alone does"
            );
            (self.visit)(NameIn::Member(number));
        }
    }

    fn rows(&mut self, _: u8, rows: &mut [&mut dyn Row]) {
        for row in rows {
            (0..row.length()).for_each(|at| row.visit_element(at, self));
        }
    }
}

impl dyn CrowdForm + '_ {
    /// Counters of a state.
    ///
    /// # Panics
    ///
    /// If some of a group have begun anew beside others of it.
    pub(super) fn counted(&self, parts: &ErasedParts) -> Counted {
        let mut shared = Vec::new();
        let mut members = vec![Vec::new(); parts.members.len()];
        let mut all_far = None;
        let mut are_new: Vec<(u8, bool)> = Vec::new();
        self.visit_names(parts, &mut |name| {
            let NameIn::Counter(member, counter) = name else {
                return;
            };
            let CounterName {
                group,
                far,
                value,
                is_new,
            } = counter;
            all_far = all_far.max(Some(far));
            match are_new.iter().find(|(other, _)| *other == group) {
                Some((_, are_new)) => assert!(*are_new == is_new, "{BEGUN_ANEW}"),
                None => are_new.push((group, is_new)),
            }
            let of = member.map_or(&mut shared, |member| &mut members[member]);
            of.push((group, *value));
        });
        let of_shared = shared.len();
        let of_members = members.iter().map(Vec::len).collect();
        shared.extend(members.into_iter().flatten());
        Counted {
            shared: of_shared,
            members: of_members,
            values: shared,
            far: all_far,
        }
    }

    /// The same parts with these values of their counters.
    pub(super) fn with_values(&self, parts: &ErasedParts, counted: &Counted) -> ErasedParts {
        let mut values = counted.values.iter();
        self.visit_names(parts, &mut |name| {
            if let NameIn::Counter(_, counter) = name
                && let Some((_, written)) = values.next()
            {
                *counter.value = *written;
            }
        })
    }

    /// Reads the counters of a state, where there are some.
    pub(crate) fn read_counters(&self, state: &ErasedState) {
        if self.far().is_some() {
            self.counted(&self.apart(state));
        }
    }

    /// The parts that stand for all whose counters have the same order and the same gaps, as far as these matter.
    pub(super) fn closed(&self, parts: &ErasedParts) -> ErasedParts {
        let Some(far) = self.far() else {
            return parts.clone();
        };
        let mut counted = self.counted(parts);
        close(&mut counted.values, far);
        self.with_values(parts, &counted)
    }

    /// The parts by which is asked what all do that closed parts stand for.
    pub(super) fn spread(&self, parts: &ErasedParts) -> Vec<ErasedParts> {
        let Some(far) = self.far() else {
            return vec![parts.clone()];
        };
        let counted = self.counted(parts);
        let all = spread(&counted.values, far);
        let all = all.into_iter().map(|values| Counted {
            values,
            ..counted.clone()
        });
        all.map(|counted| self.with_values(parts, &counted))
            .collect()
    }

    /// The names of members that a shared part keeps, each once, in the order in which they are visited.
    pub(super) fn names(&self, parts: &ErasedParts) -> Vec<usize> {
        let mut names = Vec::new();
        self.visit_names(parts, &mut |name| {
            if let NameIn::Member(number) = name
                && !names.contains(number)
            {
                names.push(*number);
            }
        });
        names
    }

    /// The same parts with other names of members.
    pub(super) fn renamed(
        &self,
        parts: &ErasedParts,
        rename: &dyn Fn(usize) -> usize,
    ) -> ErasedParts {
        self.visit_names(parts, &mut |name| {
            if let NameIn::Member(number) = name {
                *number = rename(*number);
            }
        })
    }
}
