//! Consistency of the overridden methods of each level, and its counts against those of a second program.

use std::collections::HashSet;

use crate::support::{agrees, agrees_on};
use refmap::{TransitionSystem, steps, successor};
use refmap_systems::ben_ari::broken::{Broken, Fault};
use refmap_systems::ben_ari::{
    AppendToFree, Figure14, InitialColours, Level0, Level1, Level2, Level3, Look, Memory, Midway,
    MutatorOrder, Scope, level_0,
};
use refmap_testing::reachable;
use strum::VariantArray;

/// Variants of the algorithm; with several mutators those of which the numbers of their three parts are `chosen`.
fn variants(chosen: impl Fn([usize; 3]) -> bool) -> Vec<Scope> {
    let mut scopes = Vec::new();
    for (nodes, sons, roots) in [(1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 1, 2)] {
        for mutators in [1, 2] {
            for mutator in [MutatorOrder::RedirectFirst, MutatorOrder::ColourFirst] {
                for figure_14 in [Figure14::Corrected, Figure14::AsPrinted] {
                    scopes.push(Scope {
                        mutators,
                        mutator,
                        figure_14,
                        ..Scope::new(nodes, sons, roots)
                    });
                }
            }
        }
    }
    for (first, mutator) in MutatorOrder::VARIANTS.iter().enumerate() {
        for (second, midway) in Midway::VARIANTS.iter().enumerate() {
            for (third, look) in Look::VARIANTS.iter().enumerate() {
                scopes.extend(chosen([first, second, third]).then(|| Scope {
                    mutators: 2,
                    mutator: *mutator,
                    midway: *midway,
                    look: *look,
                    ..Scope::new(2, 1, 1)
                }));
            }
        }
    }
    scopes
}

/// Chooses variants of which each pair of an order and a treatment, and of a treatment and a look, is one.
fn pairs([order, midway, look]: [usize; 3]) -> bool {
    (order + midway + look).is_multiple_of(Look::VARIANTS.len())
}

#[test]
fn the_specification_with_a_free_list_agrees_with_itself() {
    for scope in variants(pairs) {
        let append = AppendToFree::FreeList;
        agrees(&Level0 { scope, append });
    }
}

/// Each level of each fourth variant, which have all pairs of parts.
#[test]
fn each_level_agrees_with_itself() {
    for scope in variants(pairs) {
        agrees(&Level1::new(scope));
        agrees(&Level2::new(scope));
        agrees(&Level3::new(scope));
    }
}

#[test]
#[ignore = "half a minute"]
fn slow_each_level_of_every_variant_agrees_with_itself() {
    for scope in variants(|_| true) {
        agrees_on(&Level1::new(scope), usize::MAX);
        agrees_on(&Level2::new(scope), usize::MAX);
        agrees_on(&Level3::new(scope), usize::MAX);
    }
}

#[test]
fn the_broken_implementations_agree_with_themselves() {
    for fault in [
        Fault::None,
        Fault::NeverRedirectsAway,
        Fault::IdleMutator,
        Fault::IdleCollector,
        Fault::OverwritingCollector,
    ] {
        agrees(&Broken::new(Scope::new(2, 2, 1), fault));
    }
}

/// With the axiom the result of an append is open: `next` enumerates exactly what `allows` allows,
/// and those candidates fire that change the memory.
#[test]
fn the_axiom_of_append_allows_what_it_enumerates() {
    let specification = Level0::new(Scope::new(3, 1, 1));
    let states = reachable(&specification);
    for from in &states {
        let steps = steps(&specification, from);
        for to in &states {
            for (action, _) in &steps {
                let enumerated = steps.iter().any(|step| step.0 == *action && step.1 == *to);
                assert_eq!(specification.allows(from, action, to), enumerated);
            }
        }
        let mut offered = HashSet::new();
        specification.candidates(from, &mut |action| {
            if successor(&specification, from, &action).is_some_and(|to| to != *from) {
                offered.insert(action);
            }
        });
        let changing = steps.iter().filter(|(_, to)| to != from);
        assert_eq!(offered, changing.map(|(action, _)| *action).collect());
    }
}

/// None of the 8²⁴ memories is looked through where all nodes are accessible: there is nothing to append.
#[test]
fn nothing_is_looked_through_where_all_nodes_are_accessible() {
    let scope = Scope::new(8, 3, 1);
    let specification = Level0::new(scope);
    let nowhere = Memory::null_array(scope.shape);
    let chain = (1..8).fold(nowhere, |memory, node| memory.set_son(node - 1, 0, node));
    let all = steps(&specification, &chain);
    assert_eq!(all.len(), 8 * 24);
    let is_mutation = |action: &level_0::Action| matches!(action, level_0::Action::Mutate { .. });
    assert!(all.iter().all(|(action, _)| is_mutation(action)));
}

/// The free list is one of the results that the axiom leaves open.
#[test]
fn the_free_list_is_an_instance_of_the_axiom() {
    let scope = Scope::new(3, 1, 1);
    let free_list = Level0 {
        scope,
        append: AppendToFree::FreeList,
    };
    let axiom = Level0::new(scope);
    for from in reachable(&free_list) {
        for (action, to) in steps(&free_list, &from) {
            assert!(axiom.allows(&from, &action, &to));
        }
    }
}

/// The count is that of a naive search; pinned, so that a change of the model is noticed.
#[test]
fn level_1_has_169_states_at_2_1_1() {
    assert_eq!(reachable(&Level1::new(Scope::new(2, 1, 1))).len(), 169);
}

/// From white only, a proper subset of the states is reachable that are from any colours.
#[test]
fn white_is_an_instance_of_any() {
    let any = Scope::new(2, 2, 1);
    let white = Scope {
        colours: InitialColours::White,
        ..any
    };
    let from_any: HashSet<_> = reachable(&Level3::new(any)).into_iter().collect();
    let from_white = reachable(&Level3::new(white));
    assert!(from_white.len() < from_any.len());
    assert!(from_white.iter().all(|state| from_any.contains(state)));
}
