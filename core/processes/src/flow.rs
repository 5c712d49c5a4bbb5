//! Control-flow graph of a process.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::Serialize;

use super::command::{Basic, Command, Kind};
use super::label::CommandLabel;

/// Program location of a process, between two of its steps. A process starts at location 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State,
)]
pub struct Location(pub u16);

/// Error in the commands of a process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// Two commands have one label, so that an action would not name its command.
    #[error("two commands of {process} are labelled `{label}`")]
    DuplicateLabel {
        /// The process.
        process: String,
        /// The label.
        label: String,
    },
    /// A branch of a choice, or the body of a loop, has no step.
    #[error("a branch of a choice, or the body of a loop, of {process} has no step")]
    NoStep {
        /// The process.
        process: String,
    },
    /// A request or a response is marked to fuse with the previous step: two processes take it together.
    #[error(
        "`{label}` of {process} is not a local step, so it cannot be fused with the previous step"
    )]
    NotFusibleWithPrevious {
        /// The process.
        process: String,
        /// The label.
        label: String,
    },
    /// A step is marked to fuse with the next one and is not a choice, or the process does not itself begin the
    /// next step.
    #[error(
        "`{label}` of {process} cannot be fused with the next step: only a choice can, before a step other than a \
         response"
    )]
    NotFusibleWithNext {
        /// The process.
        process: String,
        /// The label.
        label: String,
    },
    /// Fused steps form a cycle, so that one step might not terminate.
    #[error("the fused steps of {process} from `{label}` on form a cycle")]
    FusedCycle {
        /// The process.
        process: String,
        /// The label of one of them.
        label: String,
    },
    /// The process has more locations than a [`Location`] can number.
    #[error("{process} has more than {most} locations")]
    TooLarge {
        /// The process.
        process: String,
        /// The limit.
        most: usize,
    },
}

/// A step that can be taken at a location, and where it leads: `otherwise` where a guard fails.
pub(super) struct Edge<L, Q, A, N> {
    pub basic: Basic<L, Q, A, N>,
    pub to: Location,
    pub otherwise: Location,
}

impl<L, Q, A, N: Copy> Clone for Edge<L, Q, A, N> {
    fn clone(&self) -> Self {
        Self {
            basic: self.basic.clone(),
            ..*self
        }
    }
}

impl<L, Q, A, N> Edge<L, Q, A, N> {
    pub fn targets(&self) -> impl Iterator<Item = Location> {
        [self.to, self.otherwise].into_iter()
    }
}

/// The steps that can be taken at a location.
type Edges<L, Q, A, N> = Vec<Edge<L, Q, A, N>>;

/// The locations of a process; of each, the steps that can be taken there.
pub(super) struct Flow<L, Q, A, N> {
    pub points: Vec<Edges<L, Q, A, N>>,
}

/// Number of the location that follows a command, before renumbering; 0 is the end of the process.
type Next = usize;

struct Builder<L, Q, A, N> {
    /// `None` for a location whose steps are not known yet.
    points: Vec<Option<Edges<L, Q, A, N>>>,
}

/// Error: a branch or a body without a step.
struct NoStep;

impl<L, Q, A, N: CommandLabel> Builder<L, Q, A, N> {
    fn place(&mut self, edges: Edges<L, Q, A, N>) -> Next {
        self.points.push(Some(edges));
        self.points.len() - 1
    }

    fn reserve(&mut self) -> Next {
        self.points.push(None);
        self.points.len() - 1
    }

    /// The steps at a location, which are known.
    fn edges(&self, at: Next) -> Result<Edges<L, Q, A, N>, NoStep> {
        self.points[at].clone().ok_or(NoStep)
    }

    /// The location at which `command` begins, if it is left for `next`.
    fn begin(&mut self, command: &Command<L, Q, A, N>, next: Next) -> Result<Next, NoStep> {
        let edge = |basic: &Basic<L, Q, A, N>, to: Next, otherwise: Next| Edge {
            basic: basic.clone(),
            to: Location(to as u16),
            otherwise: Location(otherwise as u16),
        };
        Ok(match command {
            Command::Basic(basic) => self.place(vec![edge(basic, next, next)]),
            Command::Sequence(parts) => {
                let mut next = next;
                for part in parts.iter().rev() {
                    next = self.begin(part, next)?;
                }
                next
            }
            Command::Choice(branches) => {
                let mut edges = Vec::new();
                for branch in branches {
                    let first = self.begin(branch, next)?;
                    if first == next {
                        return Err(NoStep);
                    }
                    edges.extend(self.edges(first)?);
                }
                if edges.is_empty() {
                    return Err(NoStep);
                }
                self.place(edges)
            }
            Command::When(guard, then, otherwise) => {
                let then = self.begin(then, next)?;
                let otherwise = self.begin(otherwise, next)?;
                self.place(vec![edge(guard, then, otherwise)])
            }
            Command::While(guard, body) => {
                let head = self.reserve();
                let body = self.begin(body, head)?;
                self.points[head] = Some(vec![edge(guard, body, next)]);
                head
            }
            Command::Forever(body) => {
                let head = self.reserve();
                let body = self.begin(body, head)?;
                self.points[head] = Some(self.edges(body)?);
                head
            }
        })
    }
}

impl<L, Q, A, N: CommandLabel> Flow<L, Q, A, N> {
    /// The most locations of a process.
    const MOST: usize = 1 << 16;

    pub fn of(process: &str, command: &Command<L, Q, A, N>) -> Result<Self, ProcessError> {
        let mut builder = Builder {
            points: vec![Some(Vec::new())],
        };
        let process = || process.to_owned();
        let begin = builder.begin(command, 0);
        if builder.points.len() > Self::MOST {
            return Err(ProcessError::TooLarge {
                process: process(),
                most: Self::MOST,
            });
        }
        let begin = begin.map_err(|NoStep| ProcessError::NoStep { process: process() })?;
        let flow = Self {
            points: reachable(builder.points, begin),
        };
        flow.check(process)?;
        Ok(flow)
    }

    fn check(&self, process: impl Fn() -> String) -> Result<(), ProcessError> {
        // The head of a loop without a guard repeats the edges of its body.
        let mut labels = HashMap::new();
        // Labels are told apart by what is shown of them.
        for point in &self.points {
            let mut here = HashSet::new();
            let twice = point
                .iter()
                .find(|edge| !here.insert(edge.basic.label.to_string()));
            if let Some(edge) = twice {
                return Err(ProcessError::DuplicateLabel {
                    process: process(),
                    label: edge.basic.label.to_string(),
                });
            }
        }
        for edge in self.points.iter().flatten() {
            let label = edge.basic.label;
            let same = (label, edge.to, edge.otherwise);
            if *labels.entry(label.to_string()).or_insert(same) != same {
                return Err(ProcessError::DuplicateLabel {
                    process: process(),
                    label: label.to_string(),
                });
            }
            let is_local = !matches!(edge.basic.kind, Kind::Request(..) | Kind::Response(_));
            if edge.basic.fuses_with_previous && !is_local {
                return Err(ProcessError::NotFusibleWithPrevious {
                    process: process(),
                    label: label.to_string(),
                });
            }
            let is_choice = matches!(edge.basic.kind, Kind::Local(_));
            if edge.basic.fuses_with_next && !(is_choice && self.goes_on(edge.to)) {
                return Err(ProcessError::NotFusibleWithNext {
                    process: process(),
                    label: label.to_string(),
                });
            }
        }
        match self.fused_cycle() {
            None => Ok(()),
            Some(label) => Err(ProcessError::FusedCycle {
                process: process(),
                label: label.to_string(),
            }),
        }
    }

    /// True if all steps at a location fuse with the previous step.
    pub fn is_fused(&self, Location(at): Location) -> bool {
        let edges = &self.points[usize::from(at)];
        !edges.is_empty() && edges.iter().all(|edge| edge.basic.fuses_with_previous)
    }

    /// True if the process itself begins every next step at a location, past the steps that fuse with the previous one.
    fn goes_on(&self, from: Location) -> bool {
        let mut seen = HashSet::from([from]);
        let mut open = vec![from];
        while let Some(Location(at)) = open.pop() {
            let edges = &self.points[usize::from(at)];
            let responds = |edge: &Edge<L, Q, A, N>| matches!(edge.basic.kind, Kind::Response(_));
            if edges.is_empty() || edges.iter().any(responds) {
                return false;
            }
            let passed = edges.iter().filter(|edge| edge.basic.fuses_with_previous);
            let targets = passed.flat_map(Edge::targets);
            open.extend(targets.filter(|to| seen.insert(*to)));
        }
        true
    }

    /// A step from which fused steps lead back to it.
    fn fused_cycle(&self) -> Option<N> {
        let fused: Vec<usize> = (0..self.points.len())
            .filter(|at| self.is_fused(Location(*at as u16)))
            .collect();
        let is_on_a_cycle = |start: &usize| {
            let mut seen = HashSet::new();
            let mut open = vec![*start];
            while let Some(at) = open.pop() {
                let targets = self.points[at].iter().flat_map(Edge::targets);
                for Location(to) in targets.filter(|to| self.is_fused(*to)) {
                    if usize::from(to) == *start {
                        return true;
                    }
                    if seen.insert(to) {
                        open.push(usize::from(to));
                    }
                }
            }
            false
        };
        let start = fused.into_iter().find(is_on_a_cycle)?;
        Some(self.points[start][0].basic.label)
    }
}

/// The locations that can be reached from `begin`, numbered as they are met.
fn reachable<L, Q, A, N: CommandLabel>(
    points: Vec<Option<Edges<L, Q, A, N>>>,
    begin: Next,
) -> Vec<Edges<L, Q, A, N>> {
    let mut numbers = HashMap::from([(begin, Location(0))]);
    let mut open = VecDeque::from([begin]);
    let mut kept = Vec::new();
    while let Some(at) = open.pop_front() {
        let mut edges = points[at].clone().expect("every loop has been closed");
        for edge in &mut edges {
            for target in [&mut edge.to, &mut edge.otherwise] {
                let old = usize::from(target.0);
                let new = Location(numbers.len() as u16);
                *target = *numbers.entry(old).or_insert_with(|| {
                    open.push_back(old);
                    new
                });
            }
        }
        kept.push(edges);
    }
    kept
}
