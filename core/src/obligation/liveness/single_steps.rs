//! The recorded graph with each step that simulates several abstract steps split into single ones.
//!
//! The states between are states of the abstract behaviour: they enable the specification's actions, and the steps from and
//! to them are taken. So they get nodes of their own, after those of the states. To the implementation they are nothing: a
//! step is taken as a whole. Of its conditions the first part of the step takes what the step takes, and the others take
//! nothing; a node between enables of the weak ones what the source enables, and of the strong ones none; and no behaviour
//! stays there. All of this is said by the classes of the steps, so that what decides a graph knows of states alone.

use crate::obligation::label::Label;
use crate::walk::bits::Bits;
use crate::walk::explore::{Graph, NodeId};
use crate::walk::liveness::{Conditions, Lasso, Strength};
use crate::walk::steps::Steps;

/// Stands for all states that no question lets a behaviour go to.
const ELSEWHERE: NodeId = NodeId::NONE;

/// Record of the implementation.
pub(super) struct RecordedImplementation<'a, A> {
    pub steps: Steps<'a>,
    pub conditions: &'a Conditions,
    pub labels: &'a [Label],
    /// The abstract states between, by number.
    pub between: &'a [Vec<A>],
}

/// The graph, whose labels are classes.
pub(super) struct SingleSteps {
    graph: Graph,
    /// The states of which the steps are not known.
    cut: Bits,
    classes: Vec<u32>,
    /// Conditions of the implementation, and one more.
    conditions: Conditions,
    /// Number of nodes that are states.
    states: u32,
    /// The others.
    inner: Vec<Inner>,
}

/// A behaviour of the implementation.
pub(super) struct Behaviour {
    pub lasso: Lasso,
    /// Per state, the number of the states between of the step that leaves it, if it has some; none of this where it does
    /// not matter by which step from one state to the next the behaviour goes.
    pub between: Option<Vec<Option<u32>>>,
}

impl Behaviour {
    /// A lasso, by whatever steps.
    pub fn of(lasso: Lasso) -> Self {
        Self {
            lasso,
            between: None,
        }
    }
}

/// A node between.
struct Inner {
    /// Source of its step.
    source: u32,
    /// The number of the states between of its step.
    number: u32,
    next: u32,
    /// The class of a step to elsewhere, if its conditions are any.
    enables: Option<u32>,
}

/// The classes of the split graph.
struct SplitClasses<'a> {
    assumed: &'a Conditions,
    conditions: Conditions,
    /// Class of the split graph for each class of the recorded one, once it is made.
    same: Vec<Option<u32>>,
}

impl SplitClasses<'_> {
    /// The class of the steps that take what those of a class of the recorded graph take.
    fn same(&mut self, class: u32) -> u32 {
        let place = class as usize;
        if self.same.len() <= place {
            self.same.resize(place + 1, None);
        }
        *self.same[place].get_or_insert_with(|| {
            let all = 0..self.assumed.len();
            let taken = all.filter(|condition| self.assumed.takes(class, *condition));
            self.conditions.class(taken)
        })
    }

    /// The class that takes the weak conditions of which some step takes the action, if there are any.
    fn weak(&mut self, classes: &[u32]) -> Option<u32> {
        let is_enabled = |condition: &usize| {
            self.assumed.strength(*condition) == Strength::Weak
                && classes
                    .iter()
                    .any(|class| self.assumed.takes(*class, *condition))
        };
        let enabled: Vec<usize> = (0..self.assumed.len()).filter(is_enabled).collect();
        (!enabled.is_empty()).then(|| self.conditions.class(enabled))
    }
}

impl SingleSteps {
    /// Splits the recorded steps. `between` are the numbers of the abstract states between, and `images` per state that of
    /// its image: those of the nodes between are added.
    pub fn new<A>(
        implementation: &RecordedImplementation<'_, A>,
        between: &[Vec<u32>],
        images: &mut Vec<u32>,
    ) -> Self {
        let RecordedImplementation {
            steps: recorded,
            conditions: assumed,
            labels,
            ..
        } = *implementation;
        let states = recorded.graph.states() as u32;
        let strengths = (0..assumed.len()).map(|condition| assumed.strength(condition));
        let mut classes = SplitClasses {
            assumed,
            conditions: Conditions::new(strengths.chain([Strength::Weak])),
            same: Vec::new(),
        };
        let nothing = classes.conditions.class([]);
        let goes_on = classes.conditions.class([assumed.len()]);
        let mut graph = Graph::new();
        let mut inner: Vec<Inner> = Vec::new();
        for state in 0..states {
            let first_of_state = inner.len();
            for (target, label) in recorded.graph.steps(NodeId(state)) {
                let target = Some(recorded.target(target));
                let target = target.filter(|_| target != Some(recorded.others));
                let target = target.unwrap_or(ELSEWHERE.0);
                let class = classes.same(recorded.labels[label as usize]);
                let Some(number) = labels[label as usize].between else {
                    graph.push(NodeId(target), class);
                    continue;
                };
                let passed = &between[number as usize];
                let first = states + inner.len() as u32;
                let class = if target == state { nothing } else { class };
                graph.push(NodeId(first), class);
                images.extend(passed);
                let nodes = (1..passed.len() as u32).map(|after| first + after);
                inner.extend(nodes.chain([target]).map(|next| Inner {
                    source: state,
                    number,
                    next,
                    enables: None,
                }));
            }
            graph.close();
            if first_of_state < inner.len() {
                let of_state = recorded.steps(state).filter(|(to, _)| *to != state);
                let of_state: Vec<u32> = of_state.map(|(_, class)| class).collect();
                let enables = classes.weak(&of_state);
                let nodes = inner[first_of_state..].iter_mut();
                nodes.for_each(|node| node.enables = enables);
            }
        }
        for node in &inner {
            graph.push(NodeId(node.next), goes_on);
            if let Some(enables) = node.enables {
                graph.push(ELSEWHERE, enables);
            }
            graph.close();
        }
        graph.finish();
        let cut = Bits::of(graph.states(), |at| at < states && recorded.is_cut(at));
        let SplitClasses { conditions, .. } = classes;
        Self {
            classes: (0..conditions.classes()).collect(),
            graph,
            cut,
            conditions,
            states,
            inner,
        }
    }

    /// The state of a node: of one between, that from which its step is taken.
    pub fn state_of(&self, node: u32) -> u32 {
        let inner = node.checked_sub(self.states);
        inner.map_or(node, |place| self.inner[place as usize].source)
    }

    /// The steps, of which those to states that were not expanded lead elsewhere.
    pub fn steps(&self) -> Steps<'_> {
        Steps::of(&self.graph, &self.classes).without(&self.cut)
    }

    /// Conditions that behaviours meet.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// The behaviour of the implementation that a lasso is.
    pub fn joined(&self, mut lasso: Lasso) -> Behaviour {
        // The node before one between is the same wherever a behaviour comes from: the loop begins and ends with it as well.
        while lasso.states[lasso.loop_start] >= self.states {
            let closing = lasso.states.pop();
            lasso.loop_start -= 1;
            assert_eq!(closing, Some(lasso.states[lasso.loop_start]));
        }
        let mut behaviour = Behaviour {
            lasso: Lasso {
                states: Vec::new(),
                loop_start: 0,
            },
            between: None,
        };
        let mut between = Vec::new();
        for (place, node) in lasso.states.iter().enumerate() {
            if place == lasso.loop_start {
                behaviour.lasso.loop_start = behaviour.lasso.states.len();
            }
            match node.checked_sub(self.states) {
                None => {
                    behaviour.lasso.states.push(*node);
                    between.push(None);
                }
                Some(inner) => {
                    let last = between.last_mut().expect("a behaviour begins in a state");
                    *last = Some(self.inner[inner as usize].number);
                }
            }
        }
        // A step that leads back to where it began is taken twice: a loop of one state is one of no steps.
        let last = between.len() - 1;
        if behaviour.lasso.loop_length() == 0 && between[last].is_some() {
            behaviour.lasso.states.push(behaviour.lasso.states[last]);
            between.push(between[last]);
        }
        behaviour.between = Some(between);
        behaviour
    }
}
