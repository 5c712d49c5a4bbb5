//! Questions about another member and changes of it, as values that can be told apart and kept.

use std::any::Any;

use crate::state::hiding::Hiding;
use crate::state::{CounterName, Kept, NameVisitor, Row, State};

/// A function of one member that can be told from others.
pub(super) trait OfMember: Any + Send + Sync {
    /// True if it is known to be the same function.
    fn is(&self, other: &dyn Any) -> bool;
    /// True if what it says of a member is the same, however far counters have come.
    fn is_of_member(&self) -> bool;
}

/// A question about one member, which is answered by what that holds, and by nothing else.
pub(super) trait MemberQuestion<M>: OfMember {
    /// The answer of a member.
    fn holds(&self, member: &M) -> bool;
}

/// A change of one member.
pub(super) trait MemberChange<M>: OfMember {
    /// Changes a member.
    fn apply(&self, member: &mut M);
}

/// A value beside a member, by which is asked: it is copied, so that nothing can be counted in it.
pub trait Given: Copy + State<()> {}

impl<K: Copy + State<()>> Given for K {}

/// A function of a member and a value beside it, which is nothing where a model gives none.
struct MemberFn<K, F> {
    /// Address of the function that the model has given.
    address: usize,
    key: K,
    function: F,
}

impl<K: Given, F> MemberFn<K, F> {
    const fn new(address: usize, key: K, function: F) -> Self {
        const {
            assert!(
                is_plain::<K, ()>(),
                "a value by which others are asked is plain data: derive `State`"
            );
        }
        Self {
            address,
            key,
            function,
        }
    }
}

impl<K: Given, F: Send + Sync + 'static> OfMember for MemberFn<K, F> {
    fn is(&self, other: &dyn Any) -> bool {
        let other = other.downcast_ref::<Self>();
        let _shown = Hiding::suspend();
        other.is_some_and(|other| self.address == other.address && self.key == other.key)
    }

    /// It has neither counters nor names of members beside it.
    fn is_of_member(&self) -> bool {
        let mut key = self.key;
        let mut names = NameCount(0);
        key.visit_names(&mut names);
        names.0 == 0
    }
}

impl<M, K: Given, F> MemberQuestion<M> for MemberFn<K, F>
where
    F: Fn(&M, &K) -> bool + Send + Sync + 'static,
{
    fn holds(&self, member: &M) -> bool {
        (self.function)(member, &self.key)
    }
}

impl<M, K: Given, F> MemberChange<M> for MemberFn<K, F>
where
    F: Fn(&mut M, &K) + Send + Sync + 'static,
{
    fn apply(&self, member: &mut M) {
        (self.function)(member, &self.key);
    }
}

/// A question that is a function of the member,
pub(super) fn question<M: 'static>(holds: fn(&M) -> bool) -> impl MemberQuestion<M> {
    MemberFn::new(holds as usize, (), move |member: &M, (): &()| holds(member))
}

/// or of the member and a value beside it.
pub(super) fn question_with<M: 'static, K: Given>(
    key: K,
    holds: fn(&M, &K) -> bool,
) -> impl MemberQuestion<M> {
    MemberFn::new(holds as usize, key, holds)
}

/// A change that is a function of the member,
pub(super) fn change<M: 'static>(change: fn(&mut M)) -> impl MemberChange<M> {
    MemberFn::new(change as usize, (), move |member: &mut M, (): &()| {
        change(member)
    })
}

/// or of the member and a value beside it.
pub(super) fn change_with<M: 'static, K: Given>(
    key: K,
    change: fn(&mut M, &K),
) -> impl MemberChange<M> {
    MemberFn::new(change as usize, key, change)
}

/// True of a type of which nothing but data is in its values, as what is derived says: no cell in which something could be counted.
pub(super) const fn is_plain<T: State<S>, S: ?Sized>() -> bool {
    matches!(T::KEPT, Kept::Encoded) && T::EXACT.is_exact()
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
