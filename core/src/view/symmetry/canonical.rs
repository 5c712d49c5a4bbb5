//! The state that stands for those that differ from it by names: counters begin at 0, and members are in order.
//!
//! Members of a group are sorted where no number of one is in the state. Otherwise they are told apart by their parts and by who names whom, as
//! the vertices of a graph are, and those that are still alike are tried in turn, as in McKay & Piperno, *Practical Graph Isomorphism II*,
//! Journal of Symbolic Computation 60, 2014, section 2 (search tree, refinement). Of automorphisms only exchanges of two members are used.

use std::cell::Cell;

use super::colours::{Colours, Reference};
use super::named::HasNames;
use super::rows::{Account, Groups, Look, Permutation, Sorted, Survey};
use crate::state::{VisitNames, normalise_groups, shift};
use crate::walk::random::generator::mix;

/// Exchanges and shifts of a state by which it stands for others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Renaming {
    /// By how much the counters of a group were shifted down.
    shifted: Vec<(u8, u64)>,
    /// The place to which each member went; of none if all are where they were.
    moved: Permutation,
}

impl Renaming {
    /// Undoes it, in a state or an action.
    pub fn undo(&self, visit: &mut VisitNames<'_>, groups: &Groups) {
        if !self.moved.order.is_empty() {
            visit(&mut self.moved.moved_back(groups));
        }
        shift(visit, &self.shifted);
    }
}

/// Buffers of a search for the state that stands for another.
#[derive(Default)]
struct Buffers {
    account: Account,
    moved: Permutation,
}

thread_local! {
    /// PERF: buffers of a thread are used for each of its states, since to allocate them takes longer than the search.
    static BUFFERS: Cell<Option<Box<Buffers>>> = const { Cell::new(None) };
}

/// Makes a state with these groups of members, and of counters, the one that stands for it.
pub(super) fn make_canonical(state: &mut dyn HasNames, groups: &Groups, counters: &[u8]) {
    if !counters.is_empty() {
        normalise_groups(&mut |visit| state.visit(visit), counters);
    }
    if groups.members() > 1 && (groups.have_names || !sort(state, groups)) {
        move_members(state, groups, |_| ());
    }
}

/// The same, with the way in which it was made.
pub(super) fn rename(state: &mut dyn HasNames, groups: &Groups, counters: &[u8]) -> Renaming {
    let shifted = normalise_groups(&mut |visit| state.visit(visit), counters);
    let moved = if groups.members() > 1 {
        move_members(state, groups, Permutation::clone)
    } else {
        Permutation::default()
    };
    Renaming { shifted, moved }
}

/// Puts the members of a state in order if it has no names, and says whether it has none.
///
/// PERF: a quarter of what [`move_members`] takes.
fn sort(state: &mut dyn HasNames, groups: &Groups) -> bool {
    let mut look = Look::new(groups);
    state.visit(&mut look);
    if look.are_unordered && !look.is_more {
        state.visit(&mut Sorted);
    }
    !look.is_more
}

/// Moves the members of a state to the places that they have in the state that stands for it; `with` is given the permutation, which is that of
/// none if they are there.
fn move_members<T>(
    state: &mut dyn HasNames,
    groups: &Groups,
    with: impl FnOnce(&Permutation) -> T,
) -> T {
    let mut buffers = BUFFERS.take().unwrap_or_default();
    let Buffers { account, moved } = &mut *buffers;
    moved.clear();
    if look_at(state, groups, account) {
        find_order(state, groups, account, moved);
        if !moved.order.is_empty() {
            state.visit(&mut moved.moved(groups));
        }
    }
    let result = with(moved);
    BUFFERS.set(Some(buffers));
    result
}

/// Takes account of a state, and says whether it has the members that are expected.
fn look_at(state: &mut dyn HasNames, groups: &Groups, account: &mut Account) -> bool {
    let hold_names = groups.hold_names || {
        state.visit(&mut Survey::new(groups, account, false));
        account.hold_names
    };
    if hold_names {
        // Parts are compared without the names in them, which are those of an order that is still to be found.
        state.visit_copy(&mut Survey::new(groups, account, true));
    }
    !account.is_odd
}

/// Finds the permutation that puts members in order: that of none if they are.
fn find_order(
    state: &mut dyn HasNames,
    groups: &Groups,
    account: &mut Account,
    moved: &mut Permutation,
) {
    account.colours.refine(&account.references);
    let mut best = None;
    if !account.colours.are_all_told() {
        let mut search = OrderSearch {
            state,
            groups,
            references: &account.references,
            related: &account.related(),
            is_partial: account.is_partial,
            best: None,
        };
        search.descend(&account.colours);
        best = search.best;
    }
    let order = match &best {
        Some(best) => &best.order.order,
        None => account.colours.order(),
    };
    let is_in_order = order.iter().enumerate().all(|(at, from)| at == *from);
    if !is_in_order {
        moved.set_order(order);
    }
}

/// An order of members that was come to.
struct Leaf {
    order: Permutation,
    /// Hash of the state in this order, if it was compared with others: equal ones are of one state.
    hash: Option<u64>,
}

/// Search for the order of members that gives the least hash.
struct OrderSearch<'a> {
    state: &'a mut dyn HasNames,
    groups: &'a Groups,
    references: &'a [Reference],
    related: &'a [bool],
    /// True if references tell less than the state.
    is_partial: bool,
    best: Option<Leaf>,
}

impl OrderSearch<'_> {
    /// Hash of the state with its members moved.
    fn hash(&mut self, moved: &Permutation) -> u64 {
        let Self { state, groups, .. } = self;
        state.visit(&mut moved.moved(groups));
        let hash = state.hash();
        state.visit(&mut moved.moved_back(groups));
        hash
    }

    /// True if to exchange two members of a colour changes nothing.
    fn are_exchangeable(&mut self, one: usize, other: usize) -> bool {
        if self.is_partial {
            let mut order: Vec<_> = (0..self.groups.members()).collect();
            order.swap(one, other);
            return self.state.hash() == self.hash(&Permutation::to_order(&order));
        }
        // PERF: their parts are the same, and so is who names whom.
        let named = |member: usize, instead: usize| {
            let told = |at: usize| if at == instead { usize::MAX } else { at } as u64;
            let references = self.references.iter();
            references.fold(0u64, |sum, reference| {
                let Reference {
                    within,
                    of,
                    position,
                } = reference;
                let (within, of) = (*within as usize, *of as usize);
                let position = position.rotate_left(20);
                let mut add = 0u64;
                if of == member {
                    add = add.wrapping_add(mix(position ^ told(within) << 1));
                }
                if within == member {
                    add = add.wrapping_add(mix(position ^ told(of) << 1 ^ 1));
                }
                sum.wrapping_add(add)
            })
        };
        named(one, other) == named(other, one)
    }

    /// Comes to an order of members.
    fn arrive(&mut self, order: &[usize]) {
        let order = Permutation::to_order(order);
        let Some(best) = self.best.take() else {
            self.best = Some(Leaf { order, hash: None });
            return;
        };
        let of_best = best.hash.unwrap_or_else(|| self.hash(&best.order));
        let hash = self.hash(&order);
        let order = if hash < of_best { order } else { best.order };
        self.best = Some(Leaf {
            order,
            hash: Some(hash.min(of_best)),
        });
    }

    /// Tries the members that are still alike in turn; colours are refined.
    fn descend(&mut self, colours: &Colours) {
        let alike = colours.first_alike(|member| self.related[member]);
        let mut tried: Vec<usize> = Vec::new();
        for member in alike {
            let mut others = tried.iter();
            if others.any(|other| self.are_exchangeable(*other, *member)) {
                continue;
            }
            tried.push(*member);
            let mut colours = colours.with_first(*member);
            colours.refine(self.references);
            if colours
                .first_alike(|member| self.related[member])
                .is_empty()
            {
                self.arrive(colours.order());
            } else {
                self.descend(&colours);
            }
        }
    }
}
