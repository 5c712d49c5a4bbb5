//! Small random processes: two clients that compute and ask, and a server that answers.

use refmap::Process;
use refmap::random::Generator;
use refmap_processes::{
    At, Choices, Command, Composition, Configuration, Data, Granularity, Location, assign, choice,
    forever, guess, request, respond, respond_any, sequence, when_else, while_do,
};

/// Values are numbers below this.
pub const VALUES: u8 = 3;

/// The data state of every process.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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

/// A command, as a tree that can be read in two ways.
#[derive(Clone, Debug)]
pub enum Tree {
    /// x := x + n; perhaps quiet.
    Add {
        label: String,
        n: u8,
        is_quiet: bool,
    },
    /// x := 0 or 1; perhaps late, and then quiet or not.
    Guess {
        label: String,
        is_late: bool,
        is_quiet: bool,
    },
    /// Asks for x, and takes the answer for x.
    Ask(String),
    /// Answers what is less than 2 with the sum of it and x, which x becomes.
    Answer(String),
    /// Answers 2, with 0 and with 1.
    AnswerAny(String),
    Sequence(Vec<Tree>),
    Choice(Vec<Tree>),
    /// Where x is 0.
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

    /// A tree of a limited depth, which has a step wherever it begins.
    fn tree(&mut self, depth: u32) -> Tree {
        let kinds = if depth == 0 { 5 } else { 10 };
        let label = self.label();
        match self.generator.below(kinds) {
            0 | 1 => Tree::Add {
                label,
                n: 1 + self.generator.below(2) as u8,
                is_quiet: self.generator.below(2) == 0,
            },
            2 => self.guess(label),
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

    /// A guess; a late one with a step of the process's own behind it.
    fn guess(&mut self, label: String) -> Tree {
        let is_late = self.generator.below(2) == 0;
        let guess = Tree::Guess {
            label,
            is_late,
            is_quiet: is_late && self.generator.below(2) == 0,
        };
        if !is_late {
            return guess;
        }
        let label = self.label();
        let behind = match self.serves || self.generator.below(2) == 0 {
            true => Tree::Add {
                label,
                n: 1,
                is_quiet: false,
            },
            false => Tree::Ask(label),
        };
        Tree::Sequence(vec![guess, behind])
    }

    fn trees(&mut self, depth: u32) -> Vec<Tree> {
        (0..2 + self.generator.below(2))
            .map(|_| self.tree(depth - 1))
            .collect()
    }

    /// A process: what begins it is a step that is not quiet, so that it never goes round quietly.
    fn process(&mut self) -> Tree {
        let first = match self.serves {
            true => Tree::Answer(self.label()),
            false => Tree::Ask(self.label()),
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

/// The answer to a request, and what the server's x becomes: the meaning of [`Tree::Answer`].
pub fn answer(request: u8, x: u8) -> Option<u8> {
    (request < 2).then(|| add(x, request))
}

/// The answers there may be to a request: the meaning of [`Tree::AnswerAny`].
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
            Self::Add { label, n, is_quiet } => {
                let n = *n;
                let command = assign(label.as_str(), move |p: &mut Program| p.x = add(p.x, n));
                match is_quiet {
                    true => command.quiet(),
                    false => command,
                }
            }
            Self::Guess {
                label,
                is_late,
                is_quiet,
            } => {
                let command = guess(label.as_str(), |_: &Program, visit| {
                    (0..2).for_each(|x| visit(Program { x }));
                });
                let command = if *is_late { command.late() } else { command };
                match is_quiet {
                    true => command.quiet(),
                    false => command,
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

    /// Whether no process has quiet steps only, nor has just chosen what it chooses late.
    pub fn is_settled(&self, state: &State, choices: Choices) -> bool {
        let composition = self.composition(Granularity::Fine);
        let are_late = choices == Choices::Late;
        self.processes.iter().enumerate().all(|(number, tree)| {
            let is_next = |label: &str| composition.at(number, label).contains(state.at[number]);
            let (mut all, mut quiet, mut has_chosen) = (0, 0, false);
            tree.each(&mut |step| {
                if !step.label().is_some_and(is_next) {
                    return;
                }
                let is_late = matches!(step, Tree::Guess { is_late: true, .. });
                all += 1;
                quiet += usize::from(step.is_quiet() && !(are_late && is_late));
            });
            tree.behind_late(&mut |step| has_chosen |= step.label().is_some_and(is_next));
            !(all > 0 && quiet == all || are_late && has_chosen)
        })
    }
}

impl Tree {
    fn label(&self) -> Option<&str> {
        match self {
            Self::Add { label, .. }
            | Self::Guess { label, .. }
            | Self::Ask(label)
            | Self::Answer(label)
            | Self::AnswerAny(label)
            | Self::When(label, ..)
            | Self::While(label, _) => Some(label),
            Self::Sequence(_) | Self::Choice(_) | Self::Forever(_) => None,
        }
    }

    fn is_quiet(&self) -> bool {
        matches!(
            self,
            Self::Add { is_quiet: true, .. } | Self::Guess { is_quiet: true, .. }
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

    /// Visits the steps behind late choices.
    fn behind_late(&self, visit: &mut dyn FnMut(&Self)) {
        self.each(&mut |tree| {
            if let Self::Sequence(parts) = tree
                && let [Self::Guess { is_late: true, .. }, behind] = &parts[..]
            {
                visit(behind);
            }
        });
    }
}
