//! States that are taken apart to what members share and what each has.

use std::fmt::Debug;
use std::hash::Hash;

use super::parts::CrowdParts;

/// A state of members that are alike, taken apart and assembled.
///
/// It is derived with [`State`](macro@crate::State) where a field of a struct is marked:
///
/// ```
/// use refmap::State;
/// use refmap::crowd::Members;
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
/// struct Lock {
///     taken: bool,
///     #[state(symmetric)]
///     inside: Vec<bool>,
///     #[state(symmetric)]
///     asked: Vec<u8>,
/// }
///
/// let lock = Lock { taken: true, inside: vec![true, false], asked: vec![1, 3] };
/// let parts = lock.apart();
/// assert_eq!(parts.shared, true);
/// assert_eq!(parts.members, [(true, 1), (false, 3)]);
/// assert_eq!(Lock::assembled(&parts.shared, &parts.members), lock);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not taken apart to what members share and what each has",
    note = "`#[state(symmetric)]` on a field of a struct that derives `State` says which `Vec` has an element for each member; arrays are of one \
            number of members, and a state that holds numbers of members (`#[state(member)]`) is of members that know each other"
)]
pub trait Members: Sized {
    /// Part of a state that belongs to no member. It holds no member's number.
    type Shared: Clone + Debug + Eq + Hash + 'static;
    /// Part of a state that belongs to one member.
    type Member: Clone + Debug + Eq + Hash + 'static;

    /// The parts of the state.
    fn apart(&self) -> CrowdParts<Self::Shared, Self::Member>;
    /// The state of which these are the parts.
    fn assembled(shared: &Self::Shared, members: &[Self::Member]) -> Self;
}
