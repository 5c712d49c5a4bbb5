//! Small random processes: two clients that compute and request, and a server that responds.

use refmap::Process;
use refmap::random::Generator;
use refmap_processes::{
    At, Choices, Command, Composition, Configuration, Data, Granularity, Location, assign, choice,
    choose, forever, request, respond, respond_any, sequence, when_else, while_do,
};

/// Values are numbers below this.
pub const VALUES: u8 = 3;

/// The data state of every process.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Program {
    pub x: u8,
}

impl Data for Program {}

/// Two clients and a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub at: At<3>,
    pub programs: [Program; 3],
}

impl Configuration for State {
    fn location(&self, process: usize) -> Location {
        self.at[process]
    }

    fn go_to(&mut self, process: usize, location: Location) {
        self.at[process] = location;
    }
}

/// Syntax tree of a command, from which both the composition and the interpreter are built.
#[derive(Clone, Debug)]
pub enum Tree {
    /// x := x + n.
    Add {
        label: String,
        n: u8,
        fuses_with_previous: bool,
    },
    /// x := 0 or 1. Only a choice that fuses with the next step may also fuse with the previous one.
    Choose {
        label: String,
        fuses_with_next: bool,
        fuses_with_previous: bool,
    },
    /// Requests x, and assigns the answer to x.
    Ask(String),
    /// Responds to a request below 2: x := x + request, and the answer is x.
    Answer(String),
    /// Responds to the request 2, with either 0 or 1.
    AnswerAny(String),
    Sequence(Vec<Tree>),
    Choice(Vec<Tree>),
    /// The guard is x = 0.
    When(String, Box<Tree>, Box<Tree>),
    While(String, Box<Tree>),
    Forever(Box<Tree>),
}

/// Two clients and a server.
#[derive(Debug)]
pub struct Clients {
    pub processes: [Tree; 3],
}

struct Grower<'a> {
    generator: &'a mut Generator,
    labels: usize,
    serves: bool,
}

impl Grower<'_> {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("c{}", self.labels)
    }

    /// A tree of limited depth that begins with a step on every branch.
    fn tree(&mut self, depth: u32) -> Tree {
        let kinds = if depth == 0 { 5 } else { 10 };
        let label = self.label();
        match self.generator.below(kinds) {
            0 | 1 => Tree::Add {
                label,
                n: 1 + self.generator.below(2) as u8,
                fuses_with_previous: self.generator.below(2) == 0,
            },
            2 => self.choose(label),
            3 | 4 if self.serves => match self.generator.below(2) {
                0 => Tree::Answer(label),
                _ => Tree::AnswerAny(label),
            },
            3 | 4 => Tree::Ask(label),
            5 | 6 => Tree::Sequence(self.trees(depth)),
            7 => Tree::Choice(self.trees(depth)),
            8 => {
                let otherwise = match self.generator.below(2) {
                    0 => Tree::Sequence(Vec::new()),
                    _ => self.tree(depth - 1),
                };
                Tree::When(label, Box::new(self.tree(depth - 1)), Box::new(otherwise))
            }
            _ => Tree::While(label, Box::new(self.tree(depth - 1))),
        }
    }

    /// A choice. One that fuses with the next step is followed by a step that is not a response.
    fn choose(&mut self, label: String) -> Tree {
        let fuses_with_next = self.generator.below(2) == 0;
        let choose = Tree::Choose {
            label,
            fuses_with_next,
            fuses_with_previous: fuses_with_next && self.generator.below(2) == 0,
        };
        if !fuses_with_next {
            return choose;
        }
        let label = self.label();
        let behind = if self.serves || self.generator.below(2) == 0 {
            Tree::Add {
                label,
                n: 1,
                fuses_with_previous: false,
            }
        } else {
            Tree::Ask(label)
        };
        Tree::Sequence(vec![choose, behind])
    }

    fn trees(&mut self, depth: u32) -> Vec<Tree> {
        (0..2 + self.generator.below(2))
            .map(|_| self.tree(depth - 1))
            .collect()
    }

    /// A process. Its first step is not fused, so that it has no cycle of fused steps.
    fn process(&mut self) -> Tree {
        let first = if self.serves {
            Tree::Answer(self.label())
        } else {
            Tree::Ask(self.label())
        };
        let body = Tree::Sequence(vec![first, self.tree(3)]);
        match self.generator.below(3) {
            0 => body,
            _ => Tree::Forever(Box::new(body)),
        }
    }
}

fn add(value: u8, by: u8) -> u8 {
    (value + by) % VALUES
}

/// Semantics of [`Tree::Answer`]: the answer to a request, which is also the server's next x.
pub fn answer(request: u8, x: u8) -> Option<u8> {
    (request < 2).then(|| add(x, request))
}

/// Semantics of [`Tree::AnswerAny`]: the possible answers to a request.
pub fn answers(request: u8) -> &'static [u8] {
    match request {
        2 => &[0, 1],
        _ => &[],
    }
}

impl Tree {
    pub fn add(x: u8, n: u8) -> u8 {
        add(x, n)
    }

    fn command(&self) -> Command<Program, u8, u8> {
        match self {
            Self::Add {
                label,
                n,
                fuses_with_previous,
            } => {
                let n = *n;
                let command = assign(label.as_str(), move |p: &mut Program| p.x = add(p.x, n));
                if *fuses_with_previous {
                    command.fuse_with_previous()
                } else {
                    command
                }
            }
            Self::Choose {
                label,
                fuses_with_next,
                fuses_with_previous,
            } => {
                let command = choose(label.as_str(), |_: &Program, visit| {
                    (0..2).for_each(|x| visit(Program { x }));
                });
                let command = if *fuses_with_next {
                    command.fuse_with_next()
                } else {
                    command
                };
                if *fuses_with_previous {
                    command.fuse_with_previous()
                } else {
                    command
                }
            }
            Self::Ask(label) => request(
                label.as_str(),
                |p: &Program| p.x,
                |p: &mut Program, answer: &u8| p.x = *answer,
            ),
            Self::Answer(label) => respond(label.as_str(), |request: &u8, p: &mut Program| {
                let answer = answer(*request, p.x)?;
                p.x = answer;
                Some(answer)
            }),
            Self::AnswerAny(label) => {
                respond_any(label.as_str(), |request: &u8, p: &Program, visit| {
                    let all = answers(*request).iter();
                    all.for_each(|answer| visit(p.clone(), *answer));
                })
            }
            Self::Sequence(parts) => sequence(parts.iter().map(Self::command)),
            Self::Choice(branches) => choice(branches.iter().map(Self::command)),
            Self::When(label, then, otherwise) => when_else(
                label.as_str(),
                |p: &Program| p.x == 0,
                then.command(),
                otherwise.command(),
            ),
            Self::While(label, body) => {
                while_do(label.as_str(), |p: &Program| p.x == 0, body.command())
            }
            Self::Forever(body) => forever(body.command()),
        }
    }
}

impl Clients {
    pub fn random(generator: &mut Generator) -> Self {
        let processes = [false, false, true].map(|serves| {
            let mut grower = Grower {
                generator: &mut *generator,
                labels: 0,
                serves,
            };
            grower.process()
        });
        Self { processes }
    }

    /// The name of a process.
    pub fn process(number: usize) -> Process {
        match number {
            2 => Process::new("server"),
            _ => Process::numbered("client", number as u16),
        }
    }

    pub fn composition(&self, granularity: Granularity) -> Composition<State, u8, u8> {
        let mut composition = Composition::new().with(granularity);
        for (number, tree) in self.processes.iter().enumerate() {
            composition
                .process(
                    Self::process(number),
                    &tree.command(),
                    move |s: &State| &s.programs[number],
                    move |s: &mut State| &mut s.programs[number],
                )
                .expect("the process is well formed");
        }
        composition
    }

    /// Whether local fusion can stop in the state: no process has only steps that fuse with the previous one, and none
    /// has just made a choice that fuses with the next step.
    pub fn is_settled(&self, state: &State, choices: Choices) -> bool {
        let composition = self.composition(Granularity::Fine);
        let fuses_choices = choices == Choices::FusedWithNext;
        self.processes.iter().enumerate().all(|(number, tree)| {
            let is_next = |label: &str| composition.at(number, label).contains(state.at[number]);
            let (mut all, mut fused, mut has_chosen) = (0, 0, false);
            tree.each(&mut |step| {
                if !step.label().is_some_and(is_next) {
                    return;
                }
                let fuses_with_next = matches!(
                    step,
                    Tree::Choose {
                        fuses_with_next: true,
                        ..
                    }
                );
                all += 1;
                fused +=
                    usize::from(step.fuses_with_previous() && !(fuses_choices && fuses_with_next));
            });
            tree.behind_fused_choice(&mut |step| has_chosen |= step.label().is_some_and(is_next));
            !(all > 0 && fused == all || fuses_choices && has_chosen)
        })
    }
}

impl Tree {
    fn label(&self) -> Option<&str> {
        match self {
            Self::Add { label, .. }
            | Self::Choose { label, .. }
            | Self::Ask(label)
            | Self::Answer(label)
            | Self::AnswerAny(label)
            | Self::When(label, ..)
            | Self::While(label, _) => Some(label),
            Self::Sequence(_) | Self::Choice(_) | Self::Forever(_) => None,
        }
    }

    fn fuses_with_previous(&self) -> bool {
        matches!(
            self,
            Self::Add {
                fuses_with_previous: true,
                ..
            } | Self::Choose {
                fuses_with_previous: true,
                ..
            }
        )
    }

    /// Visits the tree and all its parts.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        match self {
            Self::Sequence(parts) | Self::Choice(parts) => {
                parts.iter().for_each(|part| part.each(visit));
            }
            Self::When(_, then, otherwise) => {
                then.each(visit);
                otherwise.each(visit);
            }
            Self::While(_, body) | Self::Forever(body) => body.each(visit),
            _ => (),
        }
    }

    /// Visits the steps that follow choices which fuse with the next step.
    fn behind_fused_choice(&self, visit: &mut dyn FnMut(&Self)) {
        self.each(&mut |tree| {
            if let Self::Sequence(parts) = tree
                && let [
                    Self::Choose {
                        fuses_with_next: true,
                        ..
                    },
                    behind,
                ] = &parts[..]
            {
                visit(behind);
            }
        });
    }
}
