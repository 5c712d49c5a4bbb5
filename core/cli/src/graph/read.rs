//! Reads a system from a line of JSON.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, BufRead};

use refmap::Strength;
use refmap::internal::input::Interrupted;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::json::{Object, Text};
use super::system::{Condition, Property, PropertyKind, System};

/// Error of a line.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// It is no JSON, or none of this form.
    #[error("{}", json_error(.0))]
    Form(serde_json::Error),
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(io::Error),
    /// A limit was reached before its end.
    #[error("{0}")]
    Interrupted(Interrupted),
    /// A list has to have something in it.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// A condition is about no rule.
    #[error("`rules` of {0} is empty")]
    NoRules(String),
    /// There are no such states.
    #[error("state {state} in {place}: there are {states} states, numbered from 0")]
    State {
        /// The number given.
        state: u64,
        /// Place of the number in the line.
        place: String,
        /// Number of states.
        states: u64,
    },
    /// There are no states.
    #[error("`states` is 0: there has to be one at least")]
    NoStates,
    /// A property speaks of a label that is not there.
    #[error("property `{property}` speaks of the label `{label}`, which is not among `labels`")]
    Label {
        /// The property.
        property: String,
        /// The label.
        label: String,
    },
    /// A rule has no step.
    #[error("{place} speaks of the rule `{rule}`, of which there is no step")]
    Rule {
        /// Place that names the rule.
        place: String,
        /// The rule.
        rule: String,
    },
    /// A property lacks what it needs, or has what it cannot have.
    #[error("property `{property}` is of the kind `{kind}`, which {needs}")]
    Property {
        /// The property.
        property: String,
        /// Its kind.
        kind: &'static str,
        /// Requirement of the kind.
        needs: &'static str,
    },
    /// A system has the name of an earlier one.
    #[error("there is a system of the name `{0}` already")]
    Name(String),
    /// A property has the name of an earlier one.
    #[error("two properties are named `{0}`")]
    PropertyName(String),
    /// There is more than can be numbered.
    #[error("there are more than 2³¹ steps or states")]
    TooLarge,
}

impl From<serde_json::Error> for GraphError {
    fn from(error: serde_json::Error) -> Self {
        if !error.is_io() {
            return Self::Form(error);
        }
        let error = io::Error::from(error);
        Interrupted::in_error(&error).map_or(Self::Io(error), Self::Interrupted)
    }
}

/// Message of serde without the line, which is always the first.
fn json_error(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("{text}, at column {}", error.column())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object that describes a system")]
struct Line {
    name: String,
    states: u64,
    initial: Vec<u64>,
    labels: Labels,
    steps: Steps,
    fairness: Vec<Object<Fairness>>,
    properties: Vec<Object<Claimed>>,
}

/// Steps, each with the number of its rule, by the order in which rules first occur. PERF: a text for each step would take more
/// memory than all else that is kept of it.
#[derive(Default)]
struct Steps {
    steps: Vec<(u64, u32, u64)>,
    rules: HashMap<String, u32>,
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Steps;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Steps, A::Error> {
                let mut all = Steps::default();
                while let Some(step) = seq.next_element_seed(Step(&mut all.rules))? {
                    all.steps.push(step);
                }
                Ok(all)
            }
        }
        from.deserialize_seq(Each)
    }
}

/// Form of a step.
const STEP: &str = "a step, [from, \"rule\", to]";

/// Reader of a step, with the rules that are known.
struct Step<'a>(&'a mut HashMap<String, u32>);

impl<'de> DeserializeSeed<'de> for Step<'_> {
    type Value = (u64, u32, u64);

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_tuple(3, self)
    }
}

impl<'de> Visitor<'de> for Step<'_> {
    type Value = (u64, u32, u64);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STEP)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let missing = |at| A::Error::invalid_length(at, &STEP);
        let from = seq.next_element()?.ok_or_else(|| missing(0))?;
        let rule = seq.next_element_seed(Rule(self.0))?;
        let rule = rule.ok_or_else(|| missing(1))?;
        let to = seq.next_element()?.ok_or_else(|| missing(2))?;
        Ok((from, rule, to))
    }
}

/// Reader of a rule's name, with the rules that are known.
struct Rule<'a>(&'a mut HashMap<String, u32>);

impl<'de> DeserializeSeed<'de> for Rule<'_> {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<u32, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Rule<'_> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<u32, E> {
        if let Some(number) = self.0.get(name) {
            return Ok(*number);
        }
        let number = u32::try_from(self.0.len()).map_err(E::custom)?;
        self.0.insert(name.to_owned(), number);
        Ok(number)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fairness {
    name: String,
    kind: Text<Kind>,
    rules: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Weak,
    Strong,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claimed {
    name: String,
    kind: Text<ClaimedKind>,
    #[serde(default, deserialize_with = "given")]
    premise: Option<String>,
    #[serde(default, deserialize_with = "given")]
    conclusion: Option<String>,
    #[serde(default, deserialize_with = "given")]
    rules: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ClaimedKind {
    LeadsTo,
    Eventually,
    AlwaysEventually,
    EventuallyAlways,
    Always,
    WeakFairness,
    StrongFairness,
}

/// A value that is there, and not null.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Labels, each once, in the order of the line: states are numbered in it, and so found in the same order at every run.
struct Labels(Vec<(String, Vec<u64>)>);

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Labels;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from labels to lists of states")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Labels, A::Error> {
                let (mut labels, mut known) = (Vec::new(), HashSet::new());
                while let Some((label, states)) = map.next_entry::<String, Vec<u64>>()? {
                    if !known.insert(label.clone()) {
                        let message = format!("the label `{label}` is there twice");
                        return Err(Error::custom(message));
                    }
                    labels.push((label, states));
                }
                Ok(Labels(labels))
            }
        }
        from.deserialize_map(Each)
    }
}

/// Reads the system that a line describes.
///
/// # Errors
///
/// If it describes none.
pub fn read(line: impl BufRead) -> Result<System, GraphError> {
    let Object(line): Object<Line> = serde_json::from_reader(line)?;
    if line.states == 0 {
        return Err(GraphError::NoStates);
    }
    if line.initial.is_empty() {
        return Err(GraphError::Empty("initial"));
    }
    if line.properties.is_empty() {
        return Err(GraphError::Empty("properties"));
    }
    let mut numbers = Numbers {
        states: line.states,
        numbers: HashMap::new(),
        given: Vec::new(),
    };
    let initial = numbers.all(&line.initial, || "`initial`".to_owned())?;
    let mut labels = HashMap::new();
    for (label, states) in &line.labels.0 {
        let states = numbers.all(states, || format!("the label `{label}`"))?;
        labels.insert(label.as_str(), states);
    }
    let Steps {
        steps: given,
        rules,
    } = line.steps;
    let mut steps = Vec::with_capacity(given.len());
    for (place, (from, rule, to)) in given.into_iter().enumerate() {
        let name = || format!("step {place}");
        steps.push((numbers.one(from, name)?, rule, numbers.one(to, name)?));
    }
    if steps.len() > 1 << 31 || numbers.given.len() > 1 << 31 {
        return Err(GraphError::TooLarge);
    }
    let of_rules = |names: &[String], place: String| {
        if names.is_empty() {
            return Err(GraphError::NoRules(place));
        }
        let number = |rule: &String| {
            rules.get(rule).copied().ok_or_else(|| GraphError::Rule {
                place: place.clone(),
                rule: rule.clone(),
            })
        };
        let mut numbers: Vec<u32> = names.iter().map(number).collect::<Result<_, _>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    };
    let mut conditions = Vec::new();
    for Object(fairness) in line.fairness {
        conditions.push(Condition {
            strength: match fairness.kind.0 {
                Kind::Weak => Strength::Weak,
                Kind::Strong => Strength::Strong,
            },
            rules: of_rules(&fairness.rules, format!("fairness `{}`", fairness.name))?,
            name: fairness.name,
        });
    }
    let mut properties = Vec::new();
    let mut named = HashSet::new();
    for Object(claimed) in line.properties {
        if !named.insert(claimed.name.clone()) {
            return Err(GraphError::PropertyName(claimed.name));
        }
        properties.push(property(claimed, &labels, &of_rules)?);
    }
    let mut names: Vec<(String, u32)> = rules.clone().into_iter().collect();
    names.sort_unstable_by_key(|(_, number)| *number);
    Ok(System {
        name: line.name,
        count: line.states,
        given: numbers.given,
        initial,
        steps,
        rules: names.into_iter().map(|(name, _)| name).collect(),
        conditions,
        properties,
    })
}

/// The states of which something is said.
struct Numbers {
    states: u64,
    numbers: HashMap<u64, u32>,
    given: Vec<u64>,
}

impl Numbers {
    fn one(&mut self, state: u64, place: impl Fn() -> String) -> Result<u32, GraphError> {
        if state >= self.states {
            return Err(GraphError::State {
                state,
                place: place(),
                states: self.states,
            });
        }
        let given = &mut self.given;
        Ok(*self.numbers.entry(state).or_insert_with(|| {
            given.push(state);
            given.len() as u32 - 1
        }))
    }

    fn all(&mut self, states: &[u64], place: impl Fn() -> String) -> Result<Vec<u32>, GraphError> {
        states
            .iter()
            .map(|state| self.one(*state, &place))
            .collect()
    }
}

/// A property with the states of its labels and the places of its rules.
fn property(
    claimed: Claimed,
    labels: &HashMap<&str, Vec<u32>>,
    rules: &impl Fn(&[String], String) -> Result<Vec<u32>, GraphError>,
) -> Result<Property, GraphError> {
    let label = |label: String| {
        labels
            .get(label.as_str())
            .cloned()
            .ok_or_else(|| GraphError::Label {
                property: claimed.name.clone(),
                label,
            })
    };
    let misfit = |kind, needs| GraphError::Property {
        property: claimed.name.clone(),
        kind,
        needs,
    };
    let Claimed {
        premise,
        conclusion,
        rules: named,
        ..
    } = claimed;
    let place = || format!("property `{}`", claimed.name);
    let needs_labels = "has `premise` and `conclusion`";
    let needs_label = "has `conclusion`, and no `premise` or `rules`";
    let needs_one_label = "has `conclusion`, may have `premise`, and has no `rules`";
    let needs_rules = "has `rules`, and no `premise` or `conclusion`";
    let kind = match (claimed.kind.0, premise, conclusion, named) {
        (ClaimedKind::LeadsTo, Some(premise), Some(conclusion), None) => PropertyKind::LeadsTo {
            premise: label(premise)?,
            conclusion: label(conclusion)?,
        },
        (ClaimedKind::Eventually, None, Some(one), None) => PropertyKind::Eventually(label(one)?),
        (ClaimedKind::AlwaysEventually, None, Some(one), None) => {
            PropertyKind::AlwaysEventually(label(one)?)
        }
        (ClaimedKind::EventuallyAlways, premise, Some(conclusion), None) => {
            PropertyKind::EventuallyAlways {
                premise: premise.map(label).transpose()?,
                conclusion: label(conclusion)?,
            }
        }
        (ClaimedKind::Always, None, Some(one), None) => PropertyKind::Always(label(one)?),
        (ClaimedKind::WeakFairness, None, None, Some(named)) => {
            PropertyKind::WeaklyFair(rules(&named, place())?)
        }
        (ClaimedKind::StrongFairness, None, None, Some(named)) => {
            PropertyKind::StronglyFair(rules(&named, place())?)
        }
        (ClaimedKind::LeadsTo, ..) => return Err(misfit("leads_to", needs_labels)),
        (ClaimedKind::Eventually, ..) => return Err(misfit("eventually", needs_label)),
        (ClaimedKind::AlwaysEventually, ..) => {
            return Err(misfit("always_eventually", needs_label));
        }
        (ClaimedKind::EventuallyAlways, ..) => {
            return Err(misfit("eventually_always", needs_one_label));
        }
        (ClaimedKind::Always, ..) => return Err(misfit("always", needs_label)),
        (ClaimedKind::WeakFairness, ..) => return Err(misfit("weak_fairness", needs_rules)),
        (ClaimedKind::StrongFairness, ..) => return Err(misfit("strong_fairness", needs_rules)),
    };
    Ok(Property {
        name: claimed.name,
        kind,
    })
}
