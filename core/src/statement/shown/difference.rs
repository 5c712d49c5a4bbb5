//! Fields that differ between two states, found on their serialised form.

use std::fmt::{self, Display, Formatter};

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::{is_marked, name as name_of_key, pairs};
use super::value::{compact, is_name, name};
use super::visible::visible;

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Texts)]
pub struct Change {
    /// The way to it: `m[2][0]`, `mutators[0].q`; empty for the whole state.
    pub field: String,
    /// Its value in the first state; null if it is not there.
    pub from: Value,
    /// Its value in the second.
    pub to: Value,
}

/// The smallest fields in which two states differ, in the order of the states. A list whose elements have moved on, as those
/// of a queue do, is one field, and so is a map that has lost keys or has new ones.
pub fn changes(from: &Value, to: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    collect(String::new(), from, to, &mut found);
    found
}

fn collect(field: String, from: &Value, to: &Value, found: &mut Vec<Change>) {
    if from == to {
        return;
    }
    if let Some(keys) = KeyDifference::of(from, to) {
        for (key, value, other) in &keys.common {
            collect(key.within(&field), value, other, found);
        }
        if keys.removed.is_empty() && keys.added.is_empty() {
            return;
        }
    } else if let (Value::Array(a), Value::Array(b)) = (from, to)
        && a.len() == b.len()
        && !has_moved_on(a, b)
    {
        for (index, (value, other)) in a.iter().zip(b).enumerate() {
            collect(format!("{field}[{index}]"), value, other, found);
        }
        return;
    }
    found.push(Change {
        field,
        from: from.clone(),
        to: to.clone(),
    });
}

/// One line: the new value; of a list that has grown or shrunk what was added and removed, as `messages + commit` or
/// `queue − 3`, of a queue that has moved on what left at one end and joined at the other, and of a map the keys that are gone
/// and those that are new.
impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(keys) = KeyDifference::of(&self.from, &self.to) {
            let pair = |(key, value): &(EntryKey<'_>, &Value)| format!("{key}={}", compact(value));
            let of = |pairs: &[(EntryKey<'_>, &Value)]| pairs.iter().map(pair).collect();
            return self.signed(f, of(&keys.removed), of(&keys.added));
        }
        if let (Value::Array(from), Value::Array(to)) = (&self.from, &self.to)
            && let Some(edit) = Edit::of(from, to)
        {
            return self.edited(f, &edit);
        }
        let (from, to) = (compact(&self.from), compact(&self.to));
        match self.field.as_str() {
            // The whole state needs no name.
            "" => write!(f, "{from} → {to}"),
            field => write!(f, "{field}: {from} → {to}"),
        }
    }
}

impl Change {
    /// Line of the values that were removed, and of those that were added.
    fn signed(
        &self,
        f: &mut Formatter<'_>,
        removed: Vec<String>,
        added: Vec<String>,
    ) -> fmt::Result {
        f.write_str(name(&self.field))?;
        let signed = removed.iter().map(|one| ('−', one));
        for (sign, value) in signed.chain(added.iter().map(|one| ('+', one))) {
            write!(f, " {sign} {value}")?;
        }
        Ok(())
    }

    fn edited(&self, f: &mut Formatter<'_>, edit: &Edit<'_>) -> fmt::Result {
        let told = |values: &[&Value]| values.iter().copied().map(compact).collect::<Vec<_>>();
        let (removed, added) = (told(&edit.removed), told(&edit.added));
        let (end, other) = match edit.at {
            ChangedEnds::FrontAndBack => ("front", "back"),
            ChangedEnds::BackAndFront => ("back", "front"),
            ChangedEnds::Anywhere => return self.signed(f, removed, added),
        };
        let verb = |one: &'static str, several, count| if count == 1 { one } else { several };
        write!(
            f,
            "{}: {end} {} {}, {} {} the {other}",
            name(&self.field),
            removed.join(" "),
            verb("leaves", "leave", removed.len()),
            added.join(" "),
            verb("joins", "join", added.len()),
        )
    }
}

/// A key of a map, or the name of a field.
#[derive(Clone, Copy, PartialEq)]
enum EntryKey<'v> {
    Name(&'v str),
    Value(&'v Value),
}

impl EntryKey<'_> {
    /// The way to what is there.
    fn within(self, field: &str) -> String {
        match self {
            Self::Name(name) if field.is_empty() => visible(name).into_owned(),
            Self::Name(name) => format!("{field}.{}", visible(name)),
            Self::Value(Value::Array(_)) => format!("{field}{self}"),
            Self::Value(_) => format!("{field}[{self}]"),
        }
    }
}

impl Display for EntryKey<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(&visible(name)),
            Self::Value(value) => f.write_str(&compact(value)),
        }
    }
}

/// The fields of two records, or the keys of two maps, with what each has there.
struct KeyDifference<'v> {
    common: Vec<(EntryKey<'v>, &'v Value, &'v Value)>,
    removed: Vec<(EntryKey<'v>, &'v Value)>,
    added: Vec<(EntryKey<'v>, &'v Value)>,
}

impl<'v> KeyDifference<'v> {
    /// Keys of two values of one type; none if they are neither records nor maps, or different variants.
    fn of(from: &'v Value, to: &'v Value) -> Option<Self> {
        let (a, b) = (entries(from)?, entries(to)?);
        if let (Value::Object(a), Value::Object(b)) = (from, to)
            && let ([a], [b]) = (
                &*a.keys().collect::<Vec<_>>(),
                &*b.keys().collect::<Vec<_>>(),
            )
            && a != b
            && (is_name(a) && is_name(b))
        {
            return None;
        }
        // PERF: mostly both have the same keys in the same order.
        let at = |all: &[(EntryKey<'v>, &'v Value)], place: usize, key: EntryKey<'v>| {
            let has_key = |entry: &&(EntryKey<'v>, &'v Value)| is_same(entry.0, key);
            let found = all.get(place).filter(has_key);
            found
                .or_else(|| all.iter().find(has_key))
                .map(|(_, value)| *value)
        };
        let mut keys = Self {
            common: Vec::new(),
            removed: Vec::new(),
            added: Vec::new(),
        };
        for (place, (key, value)) in a.iter().enumerate() {
            match at(&b, place, *key) {
                Some(other) => keys.common.push((*key, value, other)),
                None => keys.removed.push((*key, value)),
            }
        }
        let added = (0..)
            .zip(b)
            .filter(|(place, (key, _))| at(&a, *place, *key).is_none());
        keys.added = added.map(|(_, entry)| entry).collect();
        Some(keys)
    }
}

/// The fields of a record, or the keys of a map, with their values.
fn entries(value: &Value) -> Option<Vec<(EntryKey<'_>, &Value)>> {
    if let Some(pairs) = pairs(value) {
        return Some(
            pairs
                .map(|(key, value)| (EntryKey::Value(key), value))
                .collect(),
        );
    }
    if is_marked(value) {
        return None;
    }
    let fields = value.as_object()?.iter();
    Some(
        fields
            .map(|(name, value)| (EntryKey::Name(name), value))
            .collect(),
    )
}

/// True if two keys of one map are the same: where all of its keys are names it has names, and where not values.
fn is_same(one: EntryKey<'_>, other: EntryKey<'_>) -> bool {
    match (one, other) {
        (EntryKey::Name(name), EntryKey::Value(value))
        | (EntryKey::Value(value), EntryKey::Name(name)) => {
            name_of_key(value).as_deref() == Some(name)
        }
        _ => one == other,
    }
}

/// True if less is said of a list by what left it and what joined it than by the positions that differ.
fn has_moved_on(from: &[Value], to: &[Value]) -> bool {
    let positions = from.iter().zip(to).filter(|(one, other)| one != other);
    let positions = positions.count();
    // One at least leaves, and one joins.
    positions >= 2
        && Edit::of(from, to).is_some_and(|edit| {
            let said = edit.removed.len() + edit.added.len();
            // An exchange is none of a queue.
            let is_of_queue = edit.at != ChangedEnds::Anywhere && edit.removed != edit.added;
            said < from.len() + to.len() && (said < positions || said == positions && is_of_queue)
        })
}

/// Elements that left a list, and those that joined it, where that says all: the others keep their order.
struct Edit<'v> {
    removed: Vec<&'v Value>,
    added: Vec<&'v Value>,
    at: ChangedEnds,
}

/// Ends of a list at which elements left, and joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChangedEnds {
    FrontAndBack,
    BackAndFront,
    /// Places that are not told.
    Anywhere,
}

impl<'v> Edit<'v> {
    /// None if something has changed its place.
    fn of(from: &'v [Value], to: &'v [Value]) -> Option<Self> {
        let edit = Self::shortest(from, to)?;
        let least = edit.removed.len() + edit.added.len();
        let is_as_short = |other: &Self| other.removed.len() + other.added.len() == least;
        let both = !edit.removed.is_empty() && !edit.added.is_empty();
        let ends = [Self::moved(from, to), Self::moved(to, from).map(Self::back)];
        let mut ends = ends.into_iter().flatten().filter(is_as_short);
        // What leaves and joins again goes round, if it is all of it; otherwise something may have changed its place.
        let is_told = |edit: &Self| {
            edit.removed == edit.added && edit.at != ChangedEnds::Anywhere
                || !edit.removed.iter().any(|one| edit.added.contains(one))
        };
        let told = ends.next().filter(|_| both).unwrap_or(edit);
        is_told(&told).then_some(told)
    }

    /// Edit with as many elements that stay as there may be; none if the lists are too long to find out.
    fn shortest(from: &'v [Value], to: &'v [Value]) -> Option<Self> {
        let is_same = |(one, other): &(&Value, &Value)| one == other;
        let front = from.iter().zip(to).take_while(is_same).count();
        let (from, to) = (&from[front..], &to[front..]);
        let back = from.iter().rev().zip(to.iter().rev());
        let back = back.take_while(is_same).count();
        let (from, to) = (&from[..from.len() - back], &to[..to.len() - back]);
        let width = to.len() + 1;
        if (from.len() + 1).saturating_mul(width) > MOST_COMPARED {
            return None;
        }
        // How many may stay of those from a place of each list on.
        let mut stay = vec![0u32; (from.len() + 1) * width];
        for (i, one) in from.iter().enumerate().rev() {
            for (j, other) in to.iter().enumerate().rev() {
                let of = |i: usize, j: usize| stay[i * width + j];
                stay[i * width + j] = if one == other {
                    of(i + 1, j + 1) + 1
                } else {
                    of(i + 1, j).max(of(i, j + 1))
                };
            }
        }
        let mut edit = Self {
            removed: Vec::new(),
            added: Vec::new(),
            at: ChangedEnds::Anywhere,
        };
        let (mut i, mut j) = (0, 0);
        while i < from.len() && j < to.len() {
            if from[i] == to[j] {
                (i, j) = (i + 1, j + 1);
            } else if stay[(i + 1) * width + j] >= stay[i * width + j + 1] {
                edit.removed.push(&from[i]);
                i += 1;
            } else {
                edit.added.push(&to[j]);
                j += 1;
            }
        }
        edit.removed.extend(&from[i..]);
        edit.added.extend(&to[j..]);
        Some(edit)
    }

    /// Elements left at the front and joined at the back, and at least one stayed.
    fn moved(from: &'v [Value], to: &'v [Value]) -> Option<Self> {
        let mut gone = 1..from.len();
        let gone = gone.find(|gone| to.starts_with(&from[*gone..]))?;
        Some(Self {
            removed: from[..gone].iter().collect(),
            added: to[from.len() - gone..].iter().collect(),
            at: ChangedEnds::FrontAndBack,
        })
    }

    /// The same in the other direction.
    fn back(self) -> Self {
        Self {
            removed: self.added,
            added: self.removed,
            at: ChangedEnds::BackAndFront,
        }
    }
}

/// Pairs of elements of two lists that are compared.
const MOST_COMPARED: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_the_smallest_fields_that_differ() {
        let from = json!({"m": [[0, 1], [0, 0]], "l": 1, "at": {"append": {"l": 1}}});
        let to = json!({"m": [[0, 1], [2, 0]], "l": 1, "at": "test"});
        let fields: Vec<_> = changes(&from, &to)
            .into_iter()
            .map(|change| change.field)
            .collect();
        assert_eq!(fields, ["m[1][0]", "at"]);
    }

    #[test]
    fn sees_no_difference_between_equal_states() {
        let state = json!({"m": [1, 2]});
        assert_eq!(changes(&state, &state), []);
    }

    #[test]
    fn of_a_list_what_was_added_and_removed_is_told() {
        for (from, to, told) in [
            (json!([]), json!([{"vote": {"by": 0}}]), "m + vote(by=0)"),
            (json!([1, 2, 3]), json!([2, 3]), "m − 1"),
            (json!([1, 3]), json!([1, 2, 3, 4]), "m + 2 + 4"),
            (json!([1, 2, 2]), json!([2]), "m − 1 − 2"),
            (json!([1, 2, 3]), json!([4, 3]), "m − 1 − 2 + 4"),
            // The others change their order: all is told.
            (json!([1, 2]), json!([2, 1, 3]), "m: [1 2] → [2 1 3]"),
            (json!("a"), json!("b"), "m: a → b"),
            // A queue.
            (
                json!([3, 5, 6]),
                json!([5, 6, 7]),
                "m: front 3 leaves, 7 joins the back",
            ),
            (
                json!([3, 5]),
                json!([5, 7]),
                "m: front 3 leaves, 7 joins the back",
            ),
            (
                json!([1, 2, 3]),
                json!([3, 4]),
                "m: front 1 2 leave, 4 joins the back",
            ),
            (
                json!([1, 2]),
                json!([2, 3, 4, 5]),
                "m: front 1 leaves, 3 4 5 join the back",
            ),
            (
                json!([1, 2, 3]),
                json!([2, 3, 1]),
                "m: front 1 leaves, 1 joins the back",
            ),
            (
                json!([5, 6, 7]),
                json!([4, 5, 6]),
                "m: back 7 leaves, 4 joins the front",
            ),
            (
                json!([{"id": 1, "hops": 0}, {"id": 2, "hops": 1}]),
                json!([{"id": 2, "hops": 1}, {"id": 3, "hops": 0}]),
                "m: front {id=1, hops=0} leaves, {id=3, hops=0} joins the back",
            ),
            (json!([1, 2, 3, 4, 5]), json!([1, 3, 4, 5, 6]), "m − 2 + 6"),
            (json!([1, 2, 3, 4]), json!([1, 9, 2, 3, 4]), "m + 9"),
            (json!([1, 1, 2]), json!([1, 2]), "m − 1"),
            (json!([1, 2, 1]), json!([2, 1]), "m − 1"),
            // Positions that differ are fewer, or the elements are those of an exchange.
            (json!([1, 3]), json!([2, 3]), "m[0]: 1 → 2"),
            (json!([1, 2, 3]), json!([1, 2, 4]), "m[2]: 3 → 4"),
            (json!([1, 2]), json!([2, 1]), "m[0]: 1 → 2"),
            (
                json!([false, true, true]),
                json!([true, true, false]),
                "m[0]: false → true",
            ),
            (
                json!([{"q": 1, "r": 1, "s": 1}, 0]),
                json!([{"q": 2, "r": 2, "s": 2}, 0]),
                "m[0].q: 1 → 2",
            ),
        ] {
            let found = changes(&json!({"m": from}), &json!({"m": to}));
            assert_eq!(found[0].to_string(), told);
        }
    }

    /// All lists of up to five of three elements, told each from each: to do as is told makes of the one the other.
    #[test]
    fn to_do_as_is_told_of_a_list_makes_the_other() {
        let mut lists: Vec<Vec<Value>> = vec![Vec::new()];
        for shorter in 0.. {
            if lists[shorter].len() == 5 {
                break;
            }
            let list = lists[shorter].clone();
            lists.extend((0..3).map(|last| [&list[..], &[json!(last)]].concat()));
        }
        for from in &lists {
            for to in &lists {
                let Some(edit) = Edit::of(from, to) else {
                    continue;
                };
                let (removed, added) = (edit.removed.len(), edit.added.len());
                match edit.at {
                    ChangedEnds::FrontAndBack => {
                        assert_eq!(from[removed..], to[..to.len() - added]);
                        assert!(removed > 0 && added > 0 && removed < from.len());
                    }
                    ChangedEnds::BackAndFront => {
                        assert_eq!(from[..from.len() - removed], to[added..])
                    }
                    ChangedEnds::Anywhere => {
                        // Elements that stay are those that neither left nor joined.
                        let stay = |list: &[Value], others: &[&Value]| -> Vec<Value> {
                            let stays = |one: &&Value| !others.contains(one);
                            list.iter().filter(stays).cloned().collect()
                        };
                        let gone = [&edit.removed[..], &edit.added[..]].concat();
                        assert_eq!(stay(from, &gone), stay(to, &gone), "{from:?} {to:?}");
                        assert_eq!(from.len() - removed, to.len() - added);
                    }
                }
            }
        }
    }

    #[test]
    fn of_a_map_the_keys_that_go_and_come_are_told_and_what_changes_within_the_others() {
        let told = |from: Value, to: Value| -> Vec<String> {
            let found = changes(&json!({"m": from}), &json!({"m": to}));
            found.iter().map(Change::to_string).collect()
        };
        let map = |pairs: Value| json!({"#map": pairs});
        for (from, to, expected) in [
            (
                map(json!([[[0, 1], {"q": [1], "at": "test"}], [[1, 0], 5]])),
                map(json!([[[0, 1], {"q": [1, 2], "at": "load"}], [[1, 0], 5]])),
                vec!["m[0 1].q + 2", "m[0 1].at: test → load"],
            ),
            (
                map(json!([[{"data": 1}, 3]])),
                map(json!([[{"data": 1}, 4], [{"data": 2}, 5]])),
                vec!["m[data(1)]: 3 → 4", "m + data(2)=5"],
            ),
            (
                map(json!([[{"row": 0, "column": 1}, true], [{"row": 0, "column": 2}, true]])),
                map(json!([[{"row": 0, "column": 2}, false], [{"row": 3, "column": 0}, true]])),
                vec![
                    "m[{row=0, column=2}]: true → false",
                    "m − {row=0, column=1}=true + {row=3, column=0}=true",
                ],
            ),
            (
                map(json!([[null, 1], [1, 2]])),
                map(json!([[null, 2], [1, 2]])),
                vec!["m[none]: 1 → 2"],
            ),
            // Maps within a map.
            (
                map(json!([[[1], {"#map": [[[2], 3]]}]])),
                map(json!([[[1], {"#map": [[[2], 4], [[3], 5]]}]])),
                vec!["m[1][2]: 3 → 4", "m[1] + [3]=5"],
            ),
            // All keys are names, and no key is.
            (
                json!({"ack": 1}),
                map(json!([["ack", 1], [{"data": 2}, 3]])),
                vec!["m + data(2)=3"],
            ),
            (json!({}), map(json!([[[1, 2], 3]])), vec!["m + [1 2]=3"]),
            (map(json!([[[1, 2], 3]])), json!({}), vec!["m − [1 2]=3"]),
            // A key whose value is nothing.
            (json!({"1": null}), json!({}), vec!["m − 1=none"]),
            (
                json!({"1": 5}),
                json!({"1": 6, "2": 7}),
                vec!["m.1: 5 → 6", "m + 2=7"],
            ),
            (json!({"1": 5}), json!({"2": 6}), vec!["m − 1=5 + 2=6"]),
            (
                json!({"1": 5}),
                json!({"1": 5, "2": 6, "3": 7}),
                vec!["m + 2=6 + 3=7"],
            ),
            (
                json!({"1": 5, "2": 6, "3": 7}),
                json!({"1": 5}),
                vec!["m − 2=6 − 3=7"],
            ),
            // Variants.
            (
                json!({"idle": {"turn": 1}}),
                json!({"busy": {"turn": 1}}),
                vec!["m: idle(turn=1) → busy(turn=1)"],
            ),
            (
                json!({"idle": {"turn": 1}}),
                json!({"idle": {"turn": 2}}),
                vec!["m.idle.turn: 1 → 2"],
            ),
            (
                json!({"idle": [1, 2]}),
                json!("busy"),
                vec!["m: idle(1, 2) → busy"],
            ),
            (
                json!({"#bigint": "1"}),
                json!({"#bigint": "2"}),
                vec!["m: 1 → 2"],
            ),
            (json!({"#bigint": "1"}), json!(3), vec!["m: 1 → 3"]),
            (
                json!({"#unserializable": "NaN"}),
                json!({"#unserializable": "inf"}),
                vec!["m: NaN → inf"],
            ),
            (json!(null), json!({"Some": null}), vec!["m: none → Some"]),
            // Names speak to no terminal.
            (
                json!({"\u{1b}[31m": 1, "b": 0}),
                json!({"\u{1b}[31m": 2, "b": 0}),
                vec!["m.\\u{1b}[31m: 1 → 2"],
            ),
        ] {
            assert_eq!(told(from.clone(), to.clone()), expected, "{from} {to}");
        }
    }

    /// A state that is a map has no name.
    #[test]
    fn a_state_may_be_a_map() {
        let from = json!({"#map": [[[0, 1], 3]]});
        let to = json!({"#map": [[[0, 1], 4], [[1, 1], 5]]});
        let found: Vec<_> = changes(&from, &to).iter().map(Change::to_string).collect();
        assert_eq!(found, ["[0 1]: 3 → 4", "the state + [1 1]=5"]);
    }
}
