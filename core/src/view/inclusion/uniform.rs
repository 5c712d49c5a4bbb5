//! Mappings that a person would write: each part of an image is decided by as few fields of a state as possible.
//!
//! Among the images that the greatest simulation leaves, many mappings may be found, most of which look like chance. So for each
//! part of an image it is tried whether one field decides it: the field of the same name first. Nothing that is decided depends
//! on it.

use std::collections::{BTreeMap, VecDeque};

use super::automaton::{Automaton, Bounds, Source, Stop};
use super::domains::{Changed, Domains};
use super::relation::Relation;
use super::shown::Tree;
use super::simulation::Sides;
use super::table::{Column, Texts, find_columns};

/// States of either side above which it is not tried.
const MOST_STATES: usize = 50_000;

/// Restricts the images of states, part by part, to those that one field decides, as far as a mapping is not known to be
/// excluded by it.
pub(super) fn restrict(
    domains: &mut Domains,
    relation: &mut Relation,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<(), Stop> {
    let mut texts = Texts::default();
    let all: Vec<u32> = domains.reached();
    // The root is no state of the system, and has one image.
    let mut images: Vec<u32> = all
        .iter()
        .flat_map(|state| domains.of(*state))
        .copied()
        .collect();
    images.sort_unstable();
    images.dedup();
    if all.len() > MOST_STATES || images.len() > MOST_STATES {
        return Ok(());
    }
    let Some(fields) = columns("state", &sides.implementation, &all, &mut texts) else {
        return Ok(());
    };
    let Some(parts) = columns("image", &sides.specification, &images, &mut texts) else {
        return Ok(());
    };
    let place = |state: &u32| all.binary_search(state).expect("the state is reached");
    for part in parts.iter().filter(|part| part.is_leaf) {
        let values: BTreeMap<u32, u32> = images
            .iter()
            .copied()
            .zip(part.values.iter().copied())
            .collect();
        let is_open = |state: &u32| {
            let mut values = domains.of(*state).iter().map(|image| values[image]);
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        if !all.iter().any(is_open) {
            continue;
        }
        let mut by: Vec<&Column> = fields.iter().filter(|field| field.is_leaf).collect();
        // Fields of the same name come first.
        by.sort_by_key(|field| last_name(&field.path) != last_name(&part.path));
        for field in by {
            let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for state in &all {
                let value = field.values[place(state)];
                groups.entry(value).or_default().push(*state);
            }
            let mut changes = Vec::new();
            if decide(
                &groups,
                &values,
                domains,
                &mut changes,
                relation,
                sides,
                bounds,
            )? {
                break;
            }
            domains.undo(&mut changes);
        }
    }
    Ok(())
}

/// Restricts the images of each group of states to those of one value of a part. False if a group has no such value.
fn decide(
    groups: &BTreeMap<u32, Vec<u32>>,
    values: &BTreeMap<u32, u32>,
    domains: &mut Domains,
    changes: &mut Vec<Changed>,
    relation: &mut Relation,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<bool, Stop> {
    for (field, group) in groups {
        let mut possible: Option<Vec<u32>> = None;
        for state in group {
            let mut here: Vec<u32> = domains
                .of(*state)
                .iter()
                .map(|image| values[image])
                .collect();
            bounds.works(here.len() as u32, 0)?;
            here.sort_unstable();
            here.dedup();
            possible = Some(match possible {
                None => here,
                Some(others) => others
                    .into_iter()
                    .filter(|value| here.binary_search(value).is_ok())
                    .collect(),
            });
        }
        let mut possible = possible.unwrap_or_default();
        // The value of the field itself comes first: it was copied.
        possible.sort_by_key(|value| value != field);
        let before = changes.len();
        let mut is_decided = false;
        for value in possible {
            let is_it = |image: &u32| values[image] == value;
            let changed = domains.restrict(group, is_it, changes);
            if domains.propagate(VecDeque::from(changed), changes, relation, sides, bounds)? {
                is_decided = true;
                break;
            }
            let mut later = changes.split_off(before);
            domains.undo(&mut later);
        }
        if !is_decided {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Parts of some states; none of explicit ones.
fn columns(
    path: &str,
    side: &Automaton<'_>,
    states: &[u32],
    texts: &mut Texts,
) -> Option<Vec<Column>> {
    let Source::Observed(observed) = &side.source else {
        return None;
    };
    let states = states.iter().filter_map(|state| observed.state(*state));
    let trees: Vec<Tree> = states
        .map(|state| Tree::read(&format!("{state:?}")))
        .collect();
    let trees: Vec<&Tree> = trees.iter().collect();
    let mut columns = Vec::new();
    find_columns(path, &trees, texts, &mut columns);
    Some(columns)
}

/// Last name on the way to a part, with the indices after it.
fn last_name(path: &str) -> &str {
    path.rsplit('.')
        .find(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
        .map_or(path, |name| {
            let at = name.as_ptr() as usize - path.as_ptr() as usize;
            &path[at..]
        })
}
