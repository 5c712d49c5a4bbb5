//! Questions about another member and changes of it, as values that can be told apart and kept.

use std::any::Any;
use std::fmt::Debug;
use std::ptr::fn_addr_eq;

use crate::state::hiding::Hiding;
use crate::state::{CounterName, Kept, NameVisitor, Row, State};

/// A question about one member, which is answered by what that holds, and by nothing else.
pub(super) trait MemberQuestion<M>: Any + Send + Sync {
    /// The answer of a member.
    fn holds(&self, member: &M) -> bool;
    /// True if it is known to be the same question.
    fn is(&self, other: &dyn MemberQuestion<M>) -> bool;
    /// True if its answers are those of a member, however far counters have come.
    fn is_of_member(&self) -> bool;
}

/// A change of one member.
pub(super) trait MemberChange<M>: Send + Sync {
    /// Changes a member.
    fn apply(&self, member: &mut M);
    /// True if what it makes of a member is the same, however far counters have come.
    fn is_of_member(&self) -> bool;
}

/// A value beside a member, by which is asked: it is copied, so that nothing can be counted in it.
pub trait Given: Copy + State<()> {}

impl<K: Copy + State<()>> Given for K {}

/// A question that is a function of the member.
pub(super) struct QuestionFn<M>(pub fn(&M) -> bool);

/// A question that is a function of the member and a value beside it.
pub(super) struct QuestionFnWith<M, K> {
    key: K,
    holds: fn(&M, &K) -> bool,
}

/// A change that is a function of the member.
pub(super) struct ChangeFn<M>(pub fn(&mut M));

/// A change that is a function of the member and a value beside it.
pub(super) struct ChangeFnWith<M, K> {
    key: K,
    change: fn(&mut M, &K),
}

impl<M: 'static> MemberQuestion<M> for QuestionFn<M> {
    fn holds(&self, member: &M) -> bool {
        (self.0)(member)
    }

    fn is(&self, other: &dyn MemberQuestion<M>) -> bool {
        let other = (other as &dyn Any).downcast_ref::<Self>();
        other.is_some_and(|other| fn_addr_eq(self.0, other.0))
    }

    fn is_of_member(&self) -> bool {
        true
    }
}

impl<M, K: Given> QuestionFnWith<M, K> {
    pub const fn new(key: K, holds: fn(&M, &K) -> bool) -> Self {
        const { assert_plain::<K>() };
        Self { key, holds }
    }
}

impl<M, K: Given> ChangeFnWith<M, K> {
    pub const fn new(key: K, change: fn(&mut M, &K)) -> Self {
        const { assert_plain::<K>() };
        Self { key, change }
    }
}

/// # Panics
///
/// While it is compiled, if values of the type are more than data.
const fn assert_plain<K: Given>() {
    assert!(
        is_plain::<K, ()>(),
        "a value by which others are asked is plain data: derive `State`"
    );
}

impl<M: 'static, K: Given> MemberQuestion<M> for QuestionFnWith<M, K> {
    fn holds(&self, member: &M) -> bool {
        (self.holds)(member, &self.key)
    }

    fn is(&self, other: &dyn MemberQuestion<M>) -> bool {
        let other = (other as &dyn Any).downcast_ref::<Self>();
        let _shown = Hiding::suspend();
        other.is_some_and(|other| fn_addr_eq(self.holds, other.holds) && self.key == other.key)
    }

    fn is_of_member(&self) -> bool {
        has_no_names(self.key)
    }
}

impl<M: 'static> MemberChange<M> for ChangeFn<M> {
    fn apply(&self, member: &mut M) {
        (self.0)(member);
    }

    fn is_of_member(&self) -> bool {
        true
    }
}

impl<M: 'static, K: Given> MemberChange<M> for ChangeFnWith<M, K> {
    fn apply(&self, member: &mut M) {
        (self.change)(member, &self.key);
    }

    fn is_of_member(&self) -> bool {
        has_no_names(self.key)
    }
}

/// True of a type of which nothing but data is in its values, as what is derived says: no cell in which something could be counted.
pub(super) const fn is_plain<T: State<S>, S: ?Sized>() -> bool {
    matches!(T::KEPT, Kept::Encoded) && T::EXACT.is_exact()
}

/// True of a value without counters and names of members.
fn has_no_names<K: Given>(mut key: K) -> bool {
    let mut names = NameCount(0);
    key.visit_names(&mut names);
    names.0 == 0
}

/// Visitor that counts names.
#[derive(Debug)]
struct NameCount(usize);

impl NameVisitor for NameCount {
    fn counter(&mut self, _: CounterName<'_>) {
        self.0 += 1;
    }

    fn member(&mut self, _: u8, _: &mut usize) {
        self.0 += 1;
    }

    fn rows(&mut self, _: u8, _: &mut [&mut dyn Row]) {
        self.0 += 1;
    }
}
