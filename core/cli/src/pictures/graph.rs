//! Page of explicit transition systems: each property with its verdict, and a lasso where it is violated.

use std::collections::BTreeMap;
use std::fmt::Write;

use refmap::drawing::{Drawing, Node, Shade};
use refmap::internal::liveness::Lasso;
use refmap::internal::outline::Outline;
use refmap::report::{ConditionMet, Counterexample, Step};
use serde_json::{Map, Value};

use super::behaviour::{Behaviour, shown};
use super::canvas::MOST_NODES;
use super::escape::Escaped;
use super::explanation::{explanation, failure};
use super::figures::Figures;
use super::page::{Lanes, STEP_KEYS, Script, lanes, page};
use crate::graph::{PropertyKind, System};

/// Page under construction.
pub struct GraphPage {
    body: String,
    figures: Figures,
    lassos: usize,
}

/// Outcome of a property.
pub struct Outcome<'o> {
    /// Statement of the property, and its name.
    pub property: String,
    pub kind: &'o PropertyKind,
    /// True if it holds, and not vacuously.
    pub is_pass: bool,
    /// Verdict, in a word or a sentence.
    pub verdict: String,
    /// The lasso that violates it, with why it meets each condition.
    pub violation: Option<(&'o Lasso, Vec<String>)>,
}

impl GraphPage {
    pub fn new(command: &str) -> Self {
        Self {
            body: format!(
                "<h1>Explicit transition systems</h1>\n<p><code>{}</code></p>\n",
                Escaped(command)
            ),
            figures: Figures::default(),
            lassos: 0,
        }
    }

    /// Adds what cannot be read, or has a fault.
    pub fn error(&mut self, message: &str) {
        let _ = writeln!(self.body, "<p class=\"bad\">{}</p>", Escaped(message));
    }

    /// Adds a system. `rules` are those of the steps from a state to another.
    pub fn system(
        &mut self,
        system: &System,
        outcomes: &[Outcome<'_>],
        rules: &dyn Fn(u32, u32) -> String,
    ) {
        let _ = writeln!(
            self.body,
            "<h2>{}</h2>\n<p>{} states, {} steps.</p>\n<table><thead><tr><th scope=\"col\">property</th><th \
             scope=\"col\">verdict</th></tr></thead><tbody>",
            Escaped(&system.name),
            system.count,
            system.steps.len()
        );
        for outcome in outcomes {
            let class = if outcome.is_pass { "holds" } else { "violated" };
            let _ = writeln!(
                self.body,
                "<tr><td><code>{}</code></td><td class=\"{class}\">{}</td></tr>",
                Escaped(&outcome.property),
                Escaped(&outcome.verdict)
            );
        }
        self.body.push_str("</tbody></table>\n");
        for outcome in outcomes {
            if let Some((lasso, met)) = &outcome.violation {
                self.lasso(system, outcome, lasso, met, rules);
            }
        }
    }

    fn lasso(
        &mut self,
        system: &System,
        outcome: &Outcome<'_>,
        lasso: &Lasso,
        met: &[String],
        rules: &dyn Fn(u32, u32) -> String,
    ) {
        let mut states: Vec<u32> = lasso.states.clone();
        if lasso.loop_length() > 0 {
            states.push(lasso.states[lasso.loop_start]);
        }
        let steps: Vec<Step> = states
            .iter()
            .enumerate()
            .map(|(place, at)| {
                let before = place.checked_sub(1).map(|before| states[before]);
                let rules = before.map(|before| rules(before, *at));
                step(system, outcome.kind, *at, rules)
            })
            .collect();
        let fairness = system.conditions.iter().zip(met);
        let found = Counterexample {
            obligation: outcome.property.clone(),
            length: steps.len() - 1,
            reachable: true,
            by_views: false,
            steps,
            refused: None,
            explanation: "the loop goes on for ever".to_owned(),
            loop_start: Some(lasso.loop_start),
            fairness: fairness
                .map(|(condition, because)| ConditionMet {
                    condition: condition.name.clone(),
                    strength: condition.strength,
                    because: because.clone(),
                })
                .collect(),
            nearest: Vec::new(),
            nearest_reached: None,
        };
        let prefix = match self.lassos {
            0 => String::new(),
            number => format!("lasso-{}-", number + 1),
        };
        self.lassos += 1;
        let _ = writeln!(self.body, "<h3>{}</h3>", Escaped(&outcome.property));
        failure(&mut self.body, &found);
        let to = |step: usize| format!("#{prefix}step-{step}");
        let of = format!(", {}, {}", system.name, outcome.property);
        let outline = Outline::alone(&found);
        let shown = shown(outline.runs().flat_map(|(run, _)| run).collect());
        let trail = Lanes {
            steps: &found.steps,
            shown: &shown,
            at: None,
            of: &of,
        };
        self.body.push_str(&lanes(&trail, &to));
        if prefix.is_empty() {
            self.body.push_str(STEP_KEYS);
        }
        let behaviour = Behaviour::new(&found.steps, &prefix, &mut self.figures);
        self.body.push_str(&behaviour.html(&outline, &shown, &[]));
        explanation(&mut self.body, &found);
    }

    /// The whole page. `answer` is what `--json` prints.
    pub fn html(self, answer: &Value) -> String {
        page(
            "Explicit transition systems",
            &self.body,
            Some(answer),
            Script::Steps,
        )
    }
}

/// A state of a lasso, and the rules of the step that leads to it.
fn step(system: &System, kind: &PropertyKind, at: u32, rules: Option<String>) -> Step {
    let mut state = Map::new();
    state.insert("state".to_owned(), system.given[at as usize].into());
    let mut holds = |name: &str, of: &[u32]| {
        state.insert(name.to_owned(), Value::Bool(of.contains(&at)));
    };
    match kind {
        PropertyKind::LeadsTo {
            premise,
            conclusion,
        }
        | PropertyKind::EventuallyAlways {
            premise: Some(premise),
            conclusion,
        } => {
            holds("premise", premise);
            holds("conclusion", conclusion);
        }
        PropertyKind::Eventually(one)
        | PropertyKind::AlwaysEventually(one)
        | PropertyKind::EventuallyAlways {
            premise: None,
            conclusion: one,
        }
        | PropertyKind::Always(one) => holds("conclusion", one),
        PropertyKind::WeaklyFair(_) | PropertyKind::StronglyFair(_) => (),
    }
    let picture = drawing(system, at);
    Step {
        rule: rules.clone(),
        process: rules.as_ref().map(|_| "step".to_owned()),
        action: rules.map(Value::String),
        source: None,
        state: Value::Object(state),
        abstract_before: Vec::new(),
        abstract_action: None,
        abstract_state: Value::Null,
        drawing: picture.as_ref().map(Drawing::to_string),
        abstract_drawing: None,
        picture,
        abstract_picture: None,
    }
}

/// The system with the state at which it is, if it has few states.
fn drawing(system: &System, at: u32) -> Option<Drawing> {
    if system.given.len() > MOST_NODES {
        return None;
    }
    let mut edges: BTreeMap<u32, BTreeMap<u32, Vec<&str>>> = BTreeMap::new();
    for (from, rule, to) in &system.steps {
        let rules = edges.entry(*from).or_default().entry(*to).or_default();
        let rule = system.rules[*rule as usize].as_str();
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let nodes = (0..).zip(&system.given).map(|(state, given)| {
        let node = Node::new(given).shade(if state == at {
            Shade::Black
        } else {
            Shade::White
        });
        let node = if system.initial.contains(&state) {
            node.root()
        } else {
            node
        };
        let edges = edges.get(&state).into_iter().flatten();
        edges.fold(node, |node, (to, rules)| {
            node.to(rules.join(","), system.given[*to as usize])
        })
    });
    Some(Drawing::default().nodes(nodes))
}
