//! The variables of the module, and its operators on them.

use refmap::BoundedVec;
use serde::Serialize;

use super::constants::Module;
use crate::heap::{MAX_OBJECTS, MAX_THREADS, Object, Objects};

/// The most entries of a queue.
pub const MAX_QUEUE: usize = 4;

/// Colours [colBlack, colGray, colWhite].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    /// Live, or freed.
    #[default]
    Black,
    /// Under trial deletion.
    Gray,
    /// Condemned.
    White,
}

/// The variables of the module, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[state(system = Module)]
pub struct State {
    /// `edges[x]`: the objects to which x points.
    #[state(len = system.objects, range = system.subsets())]
    pub edges: BoundedVec<Objects, MAX_OBJECTS>,
    /// `roots[t]`: the objects that the stack of thread t points to.
    #[state(len = system.threads, range = system.subsets())]
    pub roots: BoundedVec<Objects, MAX_THREADS>,
    /// `rc`
    #[state(len = system.objects, range = 0..=system.objects + system.threads)]
    pub rc: BoundedVec<i8, MAX_OBJECTS>,
    /// `color`
    #[state(len = system.objects)]
    pub color: BoundedVec<Colour, MAX_OBJECTS>,
    /// `inRoots`
    #[state(range = system.subsets())]
    pub in_roots: Objects,
    /// `toInc`; its length is `toIncLen`.
    #[state(max_len = system.queue, range = 0..system.objects)]
    pub to_inc: BoundedVec<Object, MAX_QUEUE>,
    /// `toDec`, without types; its length is `toDecLen`.
    #[state(max_len = system.queue, range = 0..system.objects)]
    pub to_dec: BoundedVec<Object, MAX_QUEUE>,
    /// `globalLock`
    #[state(range = 0..system.threads)]
    pub global_lock: Option<u8>,
    /// `mergedRoots`, without types.
    #[state(max_len = system.objects, range = 0..system.objects)]
    pub merged_roots: BoundedVec<Object, MAX_OBJECTS>,
    /// `collecting`
    pub collecting: bool,
}

impl State {
    /// `LogicalRC`: references to `obj` from objects and from stacks.
    pub fn logical_rc(&self, obj: Object) -> i8 {
        let count = |sets: &[Objects]| sets.iter().filter(|set| set.contains(obj)).count();
        (count(&self.edges) + count(&self.roots)) as i8
    }

    /// `ReachableSet`: the objects reachable from the stacks.
    pub fn reachable(&self) -> Objects {
        let roots = self.roots.iter().copied();
        self.reachable_from(roots.fold(Objects::default(), Objects::and))
    }

    /// `ReachableFrom`, of a set.
    pub fn reachable_from(&self, start: Objects) -> Objects {
        start.reaching(|object| self.edges[usize::from(object)])
    }
}
