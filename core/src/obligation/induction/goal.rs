//! Goals of induction: that an invariant is inductive, or that the invariants suffice for the simulation.

use std::ops::{Index, IndexMut};

/// Condition that a step from a type-correct state that satisfies the invariants has to satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::obligation) enum Goal {
    /// An invariant, by its place among all of them.
    Invariant(usize),
    /// Definition 6.
    Simulation,
}

impl Goal {
    /// Goals of a refinement with so many invariants.
    pub fn all(invariants: usize) -> impl Iterator<Item = Self> {
        (0..invariants)
            .map(Self::Invariant)
            .chain([Self::Simulation])
    }
}

/// Something for each goal.
#[derive(Clone, Debug, Default)]
pub(in crate::obligation) struct PerGoal<T> {
    pub invariants: Vec<T>,
    pub simulation: T,
}

impl<T: Clone + Default> PerGoal<T> {
    /// The default of each, of so many invariants.
    pub fn new(invariants: usize) -> Self {
        Self {
            invariants: vec![T::default(); invariants],
            simulation: T::default(),
        }
    }
}

impl<T> PerGoal<T> {
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.invariants.iter().chain([&self.simulation])
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.invariants.iter_mut().chain([&mut self.simulation])
    }
}

impl<T> IntoIterator for PerGoal<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::vec::IntoIter<T>, std::iter::Once<T>>;

    fn into_iter(self) -> Self::IntoIter {
        let simulation = std::iter::once(self.simulation);
        self.invariants.into_iter().chain(simulation)
    }
}

impl<T> Index<Goal> for PerGoal<T> {
    type Output = T;

    fn index(&self, goal: Goal) -> &T {
        match goal {
            Goal::Invariant(place) => &self.invariants[place],
            Goal::Simulation => &self.simulation,
        }
    }
}

impl<T> IndexMut<Goal> for PerGoal<T> {
    fn index_mut(&mut self, goal: Goal) -> &mut T {
        match goal {
            Goal::Invariant(place) => &mut self.invariants[place],
            Goal::Simulation => &mut self.simulation,
        }
    }
}
