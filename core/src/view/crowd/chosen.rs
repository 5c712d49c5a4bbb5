//! Names that a shared part keeps of members.

use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};

use crate::state::hiding::Hiding;
use crate::state::{Exact, Kept, Limits, NameVisitor, Names, Shape, Sink, Source, State};

/// The group of the members of a crowd, apart from those that its parts may have besides.
pub(super) const MEMBERS: u8 = u8::MAX;

/// The name of a member of a crowd, which the shared part keeps: the owner of a lock, the client that is served.
///
/// It is compared with another one, that of the member that takes a step ([`Others::me`](super::Others::me)) among them, and nothing else can be asked of it:
/// there is no order and no number. The part of a member holds none.
///
/// ```compile_fail,E0369
/// # use refmap::crowd::Chosen;
/// let is_first = |one: Chosen, other: Chosen| one < other;
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Chosen(pub(super) usize);

/// A member, or a reference to it, with its name.
#[derive(Clone, Copy, Debug)]
pub struct Named<P> {
    /// Its name.
    pub name: Chosen,
    /// Its part.
    pub part: P,
}

impl Chosen {
    /// # Panics
    ///
    /// If numbers of members are hidden.
    fn shown(self) -> usize {
        assert!(
            !Hiding::is_begun(),
            "the number of a member is looked at, as text or by its hash"
        );
        self.0
    }
}

impl Hash for Chosen {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shown().hash(state);
    }
}

impl Debug for Chosen {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.shown(), f)
    }
}

impl Serialize for Chosen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown().serialize(serializer)
    }
}

impl Names for Chosen {
    /// Its group is that of the members of a crowd.
    fn each_name(&mut self, _: u8, visit: &mut dyn NameVisitor) {
        visit.member(MEMBERS, &mut self.0);
    }
}

impl<X: ?Sized> State<X> for Chosen {
    const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::of_parts(&[]);

    fn shape(system: &X, limits: Limits) -> Shape {
        usize::shape(system, limits.varint())
    }

    #[inline(always)]
    fn write(&self, system: &X, limits: Limits, sink: &mut impl Sink) {
        self.0.write(system, limits.varint(), sink);
    }

    #[inline(always)]
    fn read(system: &X, limits: Limits, source: &mut impl Source) -> Self {
        Self(usize::read(system, limits.varint(), source))
    }

    #[inline(always)]
    fn width(system: &X, limits: Limits) -> u32 {
        usize::width(system, limits.varint())
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.each_name(MEMBERS, visit);
    }
}
