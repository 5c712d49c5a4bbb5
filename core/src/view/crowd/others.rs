//! The other members, as a step knows them: by questions about one at a time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::chosen::{Chosen, Named};
use super::left_out::{LeftOutMembers, MemberChanges};
use super::question::{
    Given, MemberChange, MemberQuestion, change, change_with, question, question_with,
};

/// Questions of one step that are open, at most.
const MOST_OPEN: usize = 16;

/// The members beside the one that takes a step, or all where none takes it.
///
/// A question is a function of one member that captures nothing, so that a step cannot count, and cannot tell members apart but by what they hold:
///
/// ```compile_fail,E0308
/// # use refmap::crowd::Others;
/// # use std::cell::Cell;
/// fn four_wait(others: &mut Others<'_, bool>) -> bool {
///     let count = Cell::new(0);
///     others.none(|waits| {
///         count.set(count.get() + u8::from(*waits));
///         false
///     });
///     count.get() == 4
/// }
/// ```
///
/// A value by which it is asked is copied, and holds no cell either:
///
/// ```compile_fail,E0277
/// # use refmap::crowd::Others;
/// # use std::cell::Cell;
/// fn count(others: &mut Others<'_, bool>, count: &'static Cell<u8>) {
///     others.none_with(count, |waits, count| {
///         count.set(count.get() + u8::from(*waits));
///         false
///     });
/// }
/// ```
///
/// Nor does a type of one's own that holds one, since what is not derived is not known to be data:
///
/// ```compile_fail,E0080
/// # use refmap::crowd::Others;
/// # use std::sync::atomic::{AtomicUsize, Ordering};
/// # use std::hash::{Hash, Hasher};
/// #[derive(Clone, Copy, Debug)]
/// struct Count(&'static AtomicUsize);
/// # impl PartialEq for Count { fn eq(&self, _: &Self) -> bool { true } }
/// # impl Eq for Count {}
/// # impl Hash for Count { fn hash<H: Hasher>(&self, _: &mut H) {} }
/// # impl serde::Serialize for Count { fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> { s.serialize_unit() } }
/// impl<S: ?Sized> refmap::State<S> for Count {}
///
/// fn count(others: &mut Others<'_, bool>, count: Count) {
///     others.none_with(count, |waits, Count(count)| {
///         count.fetch_add(usize::from(*waits), Ordering::Relaxed);
///         false
///     });
/// }
/// # let _: fn(&mut Others<'_, bool>, Count) = count;
/// ```
pub struct Others<'o, M> {
    members: &'o mut [M],
    me: Option<usize>,
    /// The member that is chosen, where one is.
    other: Option<usize>,
    is_line: bool,
    left_out: &'o LeftOutMembers<M>,
    asked: Answered<M>,
}

/// Questions of a step to which the members of its state have no answer, and what else became of it.
pub(super) struct Answered<M> {
    /// Answers that are given, in the order of the questions. Those after them are *false*.
    given: AnswerBits,
    /// The questions, each with its answer.
    pub open: Vec<OpenQuestion<M>>,
    /// True if it was asked for a member to be chosen.
    pub chooses: bool,
    /// Changes of all others, where some are not in the state,
    pub changes: MemberChanges<M>,
    /// and true if there were any.
    has_changed: bool,
    /// Panic of a question, which a step does not get to see.
    panic: Option<Box<dyn Any + Send>>,
}

/// A question to which the members of a state have no answer.
pub(super) struct OpenQuestion<M> {
    pub question: Arc<dyn MemberQuestion<M>>,
    side: Side,
    pub answer: bool,
}

impl<M: 'static> OpenQuestion<M> {
    /// True if the same is asked of the same members.
    pub fn is_of_same(&self, other: &Self) -> bool {
        self.side == other.side && self.question.is(&*other.question)
    }
}

impl<M> Clone for OpenQuestion<M> {
    fn clone(&self) -> Self {
        Self {
            question: self.question.clone(),
            ..*self
        }
    }
}

/// Answers to open questions, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AnswerBits {
    pub bits: u16,
    pub count: u8,
}

impl AnswerBits {
    pub fn get(self, place: usize) -> bool {
        place < self.count.into() && self.bits >> place & 1 == 1
    }

    /// The first of them, so many, and then one that is true.
    pub fn turned(self, place: usize) -> Self {
        Self {
            bits: self.bits & !(u16::MAX << place) | 1 << place,
            count: place as u8 + 1,
        }
    }
}

/// The members of whom is asked, by their places in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    All,
    Before,
    Behind,
}

/// The members on one side of a line, before the one that takes a step or behind it.
pub struct Beside<'b, 'o, M> {
    others: &'b mut Others<'o, M>,
    side: Side,
}

impl<M> Answered<M> {
    pub fn new(given: AnswerBits) -> Self {
        Self {
            given,
            open: Vec::new(),
            chooses: false,
            changes: Vec::new(),
            has_changed: false,
            panic: None,
        }
    }

    /// The answers to all open questions.
    pub fn answers(&self) -> AnswerBits {
        let open = self.open.iter().enumerate();
        AnswerBits {
            bits: open.fold(0, |bits, (place, open)| {
                bits | u16::from(open.answer) << place
            }),
            count: self.open.len() as u8,
        }
    }
}

impl<'o, M: Clone + 'static> Others<'o, M> {
    pub(super) fn new(
        members: &'o mut [M],
        me: Option<usize>,
        other: Option<usize>,
        is_line: bool,
        left_out: &'o LeftOutMembers<M>,
        given: AnswerBits,
    ) -> Self {
        Self {
            members,
            me,
            other,
            is_line,
            left_out,
            asked: Answered::new(given),
        }
    }

    /// The questions that were asked. A panic of one goes on from here.
    pub(super) fn answered(self) -> Answered<M> {
        match self.asked.panic {
            Some(panic) => std::panic::resume_unwind(panic),
            None => self.asked,
        }
    }

    /// Goes on if this is true of some other member.
    pub fn some(&mut self, holds: fn(&M) -> bool) -> Option<()> {
        self.ask(question(holds), Side::All).then_some(())
    }

    /// Goes on if this is true of no other member.
    pub fn none(&mut self, holds: fn(&M) -> bool) -> Option<()> {
        (!self.ask(question(holds), Side::All)).then_some(())
    }

    /// Goes on if this is true of some other member, beside a value.
    pub fn some_with<K: Given>(&mut self, key: K, holds: fn(&M, &K) -> bool) -> Option<()> {
        self.ask(question_with(key, holds), Side::All).then_some(())
    }

    /// Goes on if this is true of no other member, beside a value.
    pub fn none_with<K: Given>(&mut self, key: K, holds: fn(&M, &K) -> bool) -> Option<()> {
        (!self.ask(question_with(key, holds), Side::All)).then_some(())
    }

    /// The members before the one that takes the step.
    ///
    /// # Panics
    ///
    /// If members stand in no line ([`Crowd::IN_LINE`](super::Crowd::IN_LINE)).
    pub fn before(&mut self) -> Beside<'_, 'o, M> {
        self.beside(Side::Before)
    }

    /// The members behind the one that takes the step.
    ///
    /// # Panics
    ///
    /// If members stand in no line.
    pub fn behind(&mut self) -> Beside<'_, 'o, M> {
        self.beside(Side::Behind)
    }

    fn beside(&mut self, side: Side) -> Beside<'_, 'o, M> {
        assert!(
            self.is_line,
            "members stand in no line: say `const IN_LINE: bool = true;` of the crowd"
        );
        Beside { others: self, side }
    }

    /// Changes each of the other members, for itself. Nothing is asked of them after that.
    pub fn each(&mut self, apply: fn(&mut M)) {
        self.change(change(apply));
    }

    /// Changes each of the other members by a value, for itself.
    pub fn each_with<K: Given>(&mut self, key: K, apply: fn(&mut M, &K)) {
        self.change(change_with(key, apply));
    }

    /// Some other member of which this is true, whichever, with its part before the step. A step chooses one at most.
    pub fn choose(&mut self, holds: fn(&M) -> bool) -> Option<Named<M>> {
        self.chosen(question(holds))
    }

    /// Some other member of which this is true beside a value, whichever.
    pub fn choose_with<K: Given>(&mut self, key: K, holds: fn(&M, &K) -> bool) -> Option<Named<M>> {
        self.chosen(question_with(key, holds))
    }

    fn chosen(&mut self, question: impl MemberQuestion<M>) -> Option<Named<M>> {
        assert!(
            !self.asked.has_changed,
            "other members are asked before they are changed"
        );
        assert!(
            !self.asked.chooses,
            "a step chooses one other member at most"
        );
        self.asked.chooses = true;
        let other = self.other?;
        self.answer_of(&question, other).then(|| Named {
            name: Chosen(other),
            part: self.members[other].clone(),
        })
    }

    /// The name of the member that takes the step.
    ///
    /// # Panics
    ///
    /// If no member takes it.
    pub fn me(&self) -> Chosen {
        Chosen(self.me.expect("no member takes this step"))
    }

    fn change(&mut self, change: impl MemberChange<M>) {
        for (place, member) in self.members.iter_mut().enumerate() {
            if Some(place) != self.me && self.asked.panic.is_none() {
                let changed = catch_unwind(AssertUnwindSafe(|| change.apply(member)));
                self.asked.panic = changed.err();
            }
        }
        self.asked.has_changed = true;
        if let LeftOutMembers::Of(..) = self.left_out {
            self.asked.changes.push(Arc::new(change));
        }
    }

    /// Answer of a member that is here.
    fn answer_of(&mut self, question: &impl MemberQuestion<M>, place: usize) -> bool {
        let member = &self.members[place];
        match catch_unwind(AssertUnwindSafe(|| question.holds(member))) {
            Ok(answer) => answer,
            Err(panic) => {
                self.asked.panic.get_or_insert(panic);
                false
            }
        }
    }

    /// True if the answer of some other member is.
    fn ask(&mut self, question: impl MemberQuestion<M>, side: Side) -> bool {
        assert!(
            !self.asked.has_changed,
            "other members are asked before they are changed"
        );
        let places = match (side, self.me) {
            (Side::All, _) | (_, None) => 0..self.members.len(),
            (Side::Before, Some(me)) => 0..me,
            (Side::Behind, Some(me)) => me + 1..self.members.len(),
        };
        let are_asked = !matches!(self.left_out, LeftOutMembers::Everybody);
        for place in places.filter(|_| are_asked) {
            if Some(place) != self.me && self.answer_of(&question, place) {
                return true;
            }
        }
        match self.left_out.answer(&question) {
            Some(false) => false,
            Some(true) if side == Side::All => true,
            _ => self.open(Arc::new(question), side),
        }
    }

    /// Answer to a question that is open.
    fn open(&mut self, question: Arc<dyn MemberQuestion<M>>, side: Side) -> bool {
        let mut earlier = self.asked.open.iter();
        if let Some(same) = earlier.find(|open| open.side == side && open.question.is(&*question)) {
            return same.answer;
        }
        let place = self.asked.open.len();
        assert!(
            place < MOST_OPEN,
            "a step asks more than {MOST_OPEN} questions of members that a view leaves out"
        );
        let answer = self.asked.given.get(place);
        self.asked.open.push(OpenQuestion {
            question,
            side,
            answer,
        });
        answer
    }
}

impl<M: Clone + 'static> Beside<'_, '_, M> {
    /// Goes on if this is true of some member there.
    pub fn some(self, holds: fn(&M) -> bool) -> Option<()> {
        self.others.ask(question(holds), self.side).then_some(())
    }

    /// Goes on if this is true of no member there.
    pub fn none(self, holds: fn(&M) -> bool) -> Option<()> {
        (!self.others.ask(question(holds), self.side)).then_some(())
    }

    /// Goes on if this is true of some member there, beside a value.
    pub fn some_with<K: Given>(self, key: K, holds: fn(&M, &K) -> bool) -> Option<()> {
        let question = question_with(key, holds);
        self.others.ask(question, self.side).then_some(())
    }

    /// Goes on if this is true of no member there, beside a value.
    pub fn none_with<K: Given>(self, key: K, holds: fn(&M, &K) -> bool) -> Option<()> {
        let question = question_with(key, holds);
        (!self.others.ask(question, self.side)).then_some(())
    }
}
