//! The successors of a state: directly from the model, or those of local transitions from a cache.
//!
//! States with the same projection have the same local transitions, with the same verdicts. When a search
//! first meets a projection, the model computes them and the visitor judges them; their packed targets then say
//! where they lead in any other context. A projection is uncacheable if one of them is not as it should be: then
//! all steps of its states are taken and looked at one by one, and what is wrong is found and shown as it is
//! without a cache.

use std::fmt::Debug;

use super::projections::{Projections, Slot};
use super::{LocalVisitor, Place, Visitor};
use crate::local::{LocalOf, PackedLocal, Split, SplitAction};
use crate::model_call::catch;
use crate::packed::{Reader, bits_of, write};
use crate::system::{ActionOf, StateOf, TransitionSystem};

/// How a search computes the successors of states that are kept as `K`.
///
/// All workers read the shared cache while they expand a wave, in which each fills a cache of its own; after
/// the wave these are merged.
pub(super) trait Successors<S: TransitionSystem, V: Visitor<S>, K>: Sync {
    /// Whether all come from the model.
    const IS_DIRECT: bool = false;
    /// What is cached: by all, or by one worker since the wave began.
    type Cache: Send + Sync;

    /// A cache of nothing.
    fn cache(&self) -> Self::Cache;

    /// Prefetches what the shared cache has of states to be expanded soon. The first is the next one.
    fn prefetch(&self, shared: &Self::Cache, upcoming: &[K]);

    /// Adds the targets of the steps that are cached to `targets`, and their labels if the graph is recorded, counting these
    /// steps, and visits all others. Those that are cached come first.
    fn next(
        &self,
        of: (&S, &V),
        caches: (&Self::Cache, &mut Self::Cache),
        at: (Place, &K, &StateOf<S>),
        tally: &mut V::Tally,
        targets: (&mut Vec<K>, &mut Vec<u32>),
        visit: &mut impl FnMut(ActionOf<S>, StateOf<S>),
    );

    /// Moves what a worker has learned to the shared cache.
    fn merge(&self, shared: &mut Self::Cache, learned: &mut Self::Cache);

    /// Limits a cache to so many bytes.
    fn limit(&self, shared: &mut Self::Cache, bytes: u64);
}

/// All successors come from the model.
pub(super) struct Direct;

impl<S: TransitionSystem, V: Visitor<S>, K> Successors<S, V, K> for Direct {
    const IS_DIRECT: bool = true;
    type Cache = ();

    fn cache(&self) {}

    #[inline(always)]
    fn prefetch(&self, (): &(), _upcoming: &[K]) {}

    #[inline(always)]
    fn next(
        &self,
        (system, _): (&S, &V),
        _caches: (&(), &mut ()),
        (.., from): (Place, &K, &StateOf<S>),
        _tally: &mut V::Tally,
        _targets: (&mut Vec<K>, &mut Vec<u32>),
        visit: &mut impl FnMut(ActionOf<S>, StateOf<S>),
    ) {
        system.next(from, visit);
    }

    fn merge(&self, (): &mut (), (): &mut ()) {}

    fn limit(&self, (): &mut (), _bytes: u64) {}
}

/// How many states ahead the targets of a projection are prefetched; its slot, twice as many.
const AHEAD: usize = 8;

/// Those of local transitions are cached, where states are packed into a word.
pub(super) struct Cached<S: PackedLocal> {
    /// The projection of an initial state, for what is the same in all states.
    template: LocalOf<S>,
    /// The bits of the projection.
    bits: u64,
}

/// What is cached, and room to learn about one projection.
pub(super) struct Cache<S: PackedLocal, J> {
    projections: Projections<J>,
    /// Its transitions, and their packed targets.
    ///
    /// PERF: they are few, and allocating for each projection takes as long.
    steps: Vec<(S::LocalAction, S::Local)>,
    targets: Vec<u64>,
}

impl<S: PackedLocal> Cached<S> {
    /// For a system with an initial state `template`; none if a state takes more than a word, or if its
    /// components are packed at the same place.
    pub fn new(system: &S, template: &Split<S>) -> Option<Self> {
        let layout = PackedLocal::layout(system);
        let bits = bits_of(|fields| system.local_fields(&template.local, fields));
        let others = bits_of(|fields| system.context_fields(&template.context, fields));
        let fits = layout.words() == 1 && bits & (others | layout.unused(0)) == 0;
        fits.then(|| Self {
            template: template.local.clone(),
            bits,
        })
    }

    /// The bits of the projection.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    fn read(&self, system: &S, projection: u64) -> LocalOf<S> {
        let words = [projection];
        system.local_fields(&self.template, &mut Reader { words: &words })
    }

    /// Computes the local transitions of a projection, leaves their packed targets, and says how they are judged;
    /// none if the projection is uncacheable.
    ///
    /// The projection is written again, and every target is read back: each stands for many states.
    fn learn<V: LocalVisitor<S>>(
        &self,
        (system, visitor): (&S, &V),
        projection: u64,
        Cache { steps, targets, .. }: &mut Cache<S, V::Judged>,
    ) -> Option<V::Judged> {
        let computed = catch(|| {
            steps.clear();
            targets.clear();
            let from = self.read(system, projection);
            if write(|words| system.local_fields(&from, words)) != Some(projection) {
                return None;
            }
            system.next_local(&from, &mut |action, to| steps.push((action, to)));
            for (_, to) in &*steps {
                let target = write(|words| system.local_fields(to, words))?;
                if target & !self.bits != 0 || self.read(system, target) != *to {
                    return None;
                }
                targets.push(target);
            }
            visitor.judge(&from, steps)
        });
        // What panics does so again where the search takes each step.
        computed.ok().flatten()
    }

    /// What a worker has learned of a projection, now if it has not.
    #[inline(always)]
    fn find_or_learn<V: LocalVisitor<S>>(
        &self,
        of: (&S, &V),
        projection: u64,
        learned: &mut Cache<S, V::Judged>,
    ) -> Slot {
        learned.projections.find(projection).unwrap_or_else(|| {
            let judged = self.learn(of, projection, learned);
            let judged = judged.as_ref().map(|judged| (&*learned.targets, judged));
            learned.projections.add(projection, judged)
        })
    }

    /// Computes once more what is cached of a projection, and tells the visitor if it is something else.
    #[cold]
    fn ask_again<V: LocalVisitor<S>>(
        &self,
        (system, visitor): (&S, &V),
        (place, projection): (Place, u64),
        (cached, judged): (&[[u64; 1]], &V::Judged),
        room: &mut Cache<S, V::Judged>,
        tally: &mut V::Tally,
    ) {
        let again = self.learn((system, visitor), projection, room);
        let cached = cached.iter().map(|[target]| target & self.bits);
        let is_same = cached.clone().eq(room.targets.iter().copied());
        if is_same && again.as_ref() == Some(judged) {
            return;
        }
        let read = |target| self.read(system, target);
        let first: Vec<_> = cached.map(read).collect();
        let targets: Vec<_> = room.targets.iter().copied().map(read).collect();
        let show = |targets: &[LocalOf<S>], judged: &dyn Debug| {
            format!("transitions to {targets:?}, of which was found {judged:?}")
        };
        let again = match &again {
            Some(judged) => show(&targets, judged),
            None => "one that is not as it should be".to_owned(),
        };
        visitor.contradicted(tally, place, show(&first, judged), again);
    }
}

impl<S: PackedLocal, V: LocalVisitor<S>> Successors<S, V, [u64; 1]> for Cached<S> {
    type Cache = Cache<S, V::Judged>;

    fn cache(&self) -> Self::Cache {
        Cache {
            projections: Projections::new(self.bits),
            steps: Vec::new(),
            targets: Vec::new(),
        }
    }

    #[inline(always)]
    fn prefetch(&self, shared: &Self::Cache, upcoming: &[[u64; 1]]) {
        if let Some([key]) = upcoming.get(2 * AHEAD) {
            shared.projections.prefetch(key & self.bits);
        }
        if let Some([key]) = upcoming.get(AHEAD) {
            shared.projections.prefetch_targets(key & self.bits);
        }
    }

    #[inline(always)]
    fn next(
        &self,
        (system, visitor): (&S, &V),
        (shared, learned): (&Self::Cache, &mut Self::Cache),
        (place, [key], from): (Place, &[u64; 1], &Split<S>),
        tally: &mut V::Tally,
        (targets, labels): (&mut Vec<[u64; 1]>, &mut Vec<u32>),
        visit: &mut impl FnMut(ActionOf<S>, Split<S>),
    ) {
        if shared.projections.is_disabled() {
            return system.next(from, visit);
        }
        let projection = key & self.bits;
        let context = key & !self.bits;
        learned.projections.lookups += 1;
        let shared = &shared.projections;
        let (is_shared, slot) = match shared.find(projection) {
            Some(slot) => (true, slot),
            None => (
                false,
                self.find_or_learn((system, visitor), projection, learned),
            ),
        };
        let projections = match is_shared {
            true => shared,
            false => &learned.projections,
        };
        let Some(judged) = projections.judged(slot) else {
            return system.next(from, visit);
        };
        projections.extend(slot, context, targets);
        labels.extend_from_slice(visitor.labels(judged));
        visitor.count(tally, judged);
        if visitor.asks_again(tally) {
            let cached = (&**targets, &judged.clone());
            let of = (system, visitor);
            self.ask_again(of, (place, projection), cached, learned, tally);
        }
        system.next_context(from, &mut |action, to| {
            visit(SplitAction::Context(action), to);
        });
    }

    fn merge(&self, shared: &mut Self::Cache, learned: &mut Self::Cache) {
        shared.projections.absorb(&mut learned.projections);
    }

    fn limit(&self, shared: &mut Self::Cache, bytes: u64) {
        shared.projections.limit(bytes);
    }
}
