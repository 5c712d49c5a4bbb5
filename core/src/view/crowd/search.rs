//! The views of a crowd, as the states of a system: a step leads from a view to the views of what the configurations do that are complete with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use foldhash::{HashMap, HashSet};
use serde::Serialize;

use super::configuration::{Configuration, Likeness, Part, classes};
use super::form::{CrowdForm, OthersChange};
use super::known::Known;
use super::left_out::PosedAt;
use crate::state::hiding::Hiding;
use crate::statement::action::Action;
use crate::statement::asked::model_call::{Panic, catch, named};
use crate::statement::erased::{ErasedState, ErasedStep, ErasedSystem};
use crate::statement::system::{TransitionSystem, steps};

/// Sets of classes that the members which are left out may have after a change, at most.
const MOST_CONTEXTS: usize = 1 << 10;

/// The views of a crowd. A configuration is posed once, at the least of its views of those that were met last: so steps of a level are taken when all its views are known, as they
/// are in a search that goes in levels.
pub(crate) struct ViewsOf<'c> {
    crowd: &'c dyn CrowdForm,
    like: Likeness<'c>,
    /// The instance with as many members as a configuration has.
    instance: ErasedSystem<'c>,
    /// Number of members of a view,
    pub size: usize,
    /// and of members that a configuration has more. None is left out of a configuration that has no more.
    pub more: usize,
    known: RwLock<Known>,
    /// Members that were met in a search before this one.
    earlier: HashSet<Arc<Part>>,
    /// Classes before each change of all others and after it, of the members that were known at a level.
    changed: Mutex<HashMap<(usize, u32), Arc<ClassesAfter>>>,
    /// True if the classes of members that are left out cannot be told after a step.
    is_unkept: AtomicBool,
}

/// Classes that members of a class have after a change.
type ClassesAfter = BTreeMap<u64, BTreeSet<u64>>;

/// Label of a step from a view: a configuration that is looked at there, or none where views follow to which its own steps lead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Posing(pub Option<Arc<Posed>>);

impl Action<ViewsOf<'_>> for Posing {}

/// A configuration of which it is asked what it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Posed {
    /// Its number among those that are posed at the same view.
    pub number: u32,
    pub state: ErasedState,
    pub steps: Vec<ErasedStep>,
    /// Panic in which these end, that of the last one if there is one.
    pub panic: Option<Panic>,
}

impl<'c> ViewsOf<'c> {
    /// Views of so many members, of which configurations have so many more; `earlier` are members that are known.
    pub fn new(
        crowd: &'c dyn CrowdForm,
        instance: ErasedSystem<'c>,
        size: usize,
        more: usize,
        earlier: HashSet<Arc<Part>>,
    ) -> Self {
        let like = Likeness {
            in_line: crowd.in_line(),
            far: crowd.far(),
            rewritten: Box::new(|parts| crowd.split(&crowd.joined(&parts, None))),
        };
        Self {
            crowd,
            like,
            instance,
            size,
            more,
            known: RwLock::default(),
            earlier,
            changed: Mutex::default(),
            is_unkept: AtomicBool::new(false),
        }
    }

    /// True if the classes of members that are left out cannot be told after a step: no question is to be kept.
    pub fn is_unkept(&self) -> bool {
        self.is_unkept.load(Ordering::Relaxed)
    }

    /// Number of initial states of the instance.
    pub fn initial_states(&self) -> u64 {
        let members = (self.size + self.more) as u32;
        let all = self.crowd.beginnings().into_iter();
        all.map(|one| (one.members.len() as u64).pow(members)).sum()
    }

    /// Adds a view that is met at a level.
    pub fn meet(&self, level: u32, view: &Configuration) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.add(view.clone(), level);
    }

    /// All members, if some were met by which a change of all others that was taken before may lead elsewhere.
    pub fn unseen(&self) -> Option<HashSet<Arc<Part>>> {
        let known = self.known();
        let mut changes = self.crowd.changes().into_iter().enumerate();
        let is_unseen = changes.any(|(change, level)| {
            let after = self.classes_after(change, level);
            let is_new = |member: &Arc<Part>| {
                let seen = after.get(&member.class);
                let class = || self.crowd.class_after(change, member);
                !seen.is_some_and(|seen| seen.contains(&class()))
            };
            known.members.keys().any(is_new)
        });
        is_unseen.then(|| {
            self.earlier
                .iter()
                .chain(known.members.keys())
                .cloned()
                .collect()
        })
    }

    /// The configurations that are posed at a view.
    pub fn posed(&self, view: &Configuration) -> Vec<ErasedState> {
        let (level, all) = self.completed(view);
        let spread = all.iter().flat_map(|one| one.spread(&self.like));
        let states = (0..)
            .zip(spread)
            .map(|(number, one)| self.state(&one, (level, view.clone(), number)));
        states.collect()
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The level of a view, and the configurations all of whose views are known then, of which it is the least one of that level.
    fn completed(&self, view: &Configuration) -> (u32, Vec<Configuration>) {
        let known = self.known();
        let level = known.levels[view];
        let all = known.completed(view, self.size, self.more, &self.like);
        (level, all)
    }

    /// The state of a configuration.
    fn state(&self, parts: &Configuration, at: PosedAt) -> ErasedState {
        let beside = (self.more > 0).then(|| {
            let known = self.known();
            let examples = parts
                .absent
                .iter()
                .filter_map(|class| known.examples.get(class));
            let examples = examples.filter(|(level, _)| *level <= at.0);
            let examples = examples.map(|(_, member)| Arc::clone(member)).collect();
            (examples, at)
        });
        self.crowd.joined(parts, beside)
    }

    /// Asks a configuration what it does, and where that leads.
    fn pose(&self, parts: &Configuration, at: PosedAt) -> (Posed, BTreeSet<Configuration>) {
        let mut posed = Posed {
            number: at.2,
            state: self.state(parts, at.clone()),
            steps: Vec::new(),
            panic: None,
        };
        let taken = catch(|| {
            let _hidden = Hiding::begin();
            named("`next` of the implementation", || {
                steps(&self.instance, &posed.state)
            })
        });
        let mut targets = BTreeSet::new();
        match taken {
            Ok(steps) => posed.steps = steps,
            Err(panic) => posed.panic = Some(panic),
        }
        for (position, (_, to)) in posed.steps.iter().enumerate() {
            match catch(|| self.views_after(parts, to, &at)) {
                Ok(Some(views)) => targets.extend(views),
                Ok(None) => self.is_unkept.store(true, Ordering::Relaxed),
                Err(panic) => {
                    posed.panic = Some(panic);
                    posed.steps.truncate(position + 1);
                    break;
                }
            }
        }
        (posed, targets)
    }

    /// The views of the target of a step from a configuration; none if the classes of those that are left out cannot be told.
    fn views_after(
        &self,
        from: &Configuration,
        to: &ErasedState,
        at: &PosedAt,
    ) -> Option<Vec<Configuration>> {
        let mut target = {
            // Counters that have come further than views tell panic as they are read, while they are hidden.
            let _hidden = Hiding::begin();
            self.crowd.split(to).canonical(&self.like)
        };
        let change = if self.more > 0 && self.crowd.keeps() {
            self.crowd.changed(to, at)
        } else {
            OthersChange::Nothing
        };
        let contexts = match change {
            OthersChange::Nothing => vec![from.absent.clone()],
            OthersChange::Each(change) => self.contexts(&from.absent, change, at.0)?,
            OthersChange::Counters => return None,
        };
        let mut views = Vec::new();
        for absent in contexts {
            target.absent = absent;
            views.extend(target.views(self.size, &self.like));
        }
        Some(views)
    }

    /// All that may be left out after a change of all others, by the members that are known at a level; none if that is too much.
    fn contexts(&self, absent: &[u64], change: usize, level: u32) -> Option<Vec<Vec<u64>>> {
        let all_after = self.classes_after(change, level);
        // Of a class that is left out there is one at least; whether there are others, and members of no class, is open.
        let mut contexts = vec![Vec::new()];
        for class in [0].into_iter().chain(absent.iter().copied()) {
            let after: Vec<u64> = all_after
                .get(&class)
                .into_iter()
                .flatten()
                .copied()
                .collect();
            if after.len() > 10 || contexts.len() << after.len() > MOST_CONTEXTS {
                return None;
            }
            let mut with = BTreeSet::new();
            for mask in u32::from(class != 0)..1 << after.len() {
                let some = after.iter().enumerate();
                let some = some.filter(|(place, _)| mask >> place & 1 == 1);
                for context in &contexts {
                    let some = some.clone().map(|(_, class)| *class);
                    with.insert(classes(context.iter().copied().chain(some)));
                }
            }
            contexts = with.into_iter().collect();
        }
        Some(contexts)
    }

    /// The classes after a change, by the class before it, of the members that are known at a level.
    fn classes_after(&self, change: usize, level: u32) -> Arc<ClassesAfter> {
        let lock = || self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(after) = lock().get(&(change, level)) {
            return Arc::clone(after);
        }
        let mut after = ClassesAfter::new();
        let known = self.known();
        let met = known.members.iter().filter(|(_, met)| **met <= level);
        for member in met.map(|(member, _)| member).chain(&self.earlier) {
            let class = self.crowd.class_after(change, member);
            after.entry(member.class).or_default().insert(class);
        }
        let after = Arc::new(after);
        lock().insert((change, level), Arc::clone(&after));
        after
    }
}

impl TransitionSystem for ViewsOf<'_> {
    type State = Configuration;
    type Action = Posing;
    type Observation = ();

    /// The views of the initial states.
    fn initial(&self, visit: &mut impl FnMut(Configuration)) {
        for beginning in self.crowd.beginnings() {
            let members = &beginning.members;
            let mut contexts = vec![Vec::new()];
            if self.more > 0 {
                for class in classes(members.iter().map(|member| member.class)) {
                    let with = contexts
                        .iter()
                        .map(|all: &Vec<u64>| [&all[..], &[class]].concat());
                    let with: Vec<_> = with.collect();
                    contexts.extend(with);
                }
            }
            for number in 0..members.len().pow(self.size as u32) {
                let places = (0..self.size as u32).map(|place| members.len().pow(place));
                let members = places.map(|part| members[number / part % members.len()].clone());
                let view = Configuration {
                    members: members.collect(),
                    ..beginning.clone()
                };
                let view = view.canonical(&self.like);
                for absent in &contexts {
                    let absent = absent.clone();
                    let view = Configuration {
                        absent,
                        ..view.clone()
                    };
                    visit(view);
                }
            }
        }
    }

    fn fire(&self, _: &Posing, _: &mut Configuration) -> Option<()> {
        unreachable!("a view is asked for all of its steps")
    }

    fn observe(&self, _: &Configuration) {}

    fn next(&self, from: &Configuration, visit: &mut impl FnMut(Posing, &Configuration)) {
        let (level, all) = self.completed(from);
        let mut number = 0;
        for one in all {
            for parts in one.spread(&self.like) {
                let (posed, mut targets) = self.pose(&parts, (level, from.clone(), number));
                number += 1;
                let known = self.known();
                // The same as long as the search goes on, and whenever it is asked again.
                targets.retain(|view| known.levels.get(view).is_none_or(|met| *met > level));
                drop(known);
                visit(Posing(Some(Arc::new(posed))), from);
                targets.iter().for_each(|view| visit(Posing(None), view));
            }
        }
    }
}
