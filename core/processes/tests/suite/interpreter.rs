//! Reference interpreter that transcribes the semantics of Fig. 7: a process's continuation is a stack of commands.

use super::program::{Clients, Tree, answer, answers};

/// Continuation of a process: the commands that remain, the next one last.
type Frames<'a> = Vec<&'a Tree>;

/// A state of the interpreter.
#[derive(Clone)]
pub struct Running<'a> {
    processes: Vec<(Frames<'a>, u8)>,
    /// Text of the state, by which states are compared.
    text: String,
}

impl<'a> Running<'a> {
    fn new(processes: Vec<(Frames<'a>, u8)>) -> Self {
        let text = format!("{processes:?}");
        Self { processes, text }
    }

    /// The state with some of the processes replaced.
    fn with<const N: usize>(&self, changed: [(usize, Frames<'a>, u8); N]) -> Self {
        let mut processes = self.processes.clone();
        for (number, frames, x) in changed {
            processes[number] = (opened(frames), x);
        }
        Self::new(processes)
    }
}

impl PartialEq for Running<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Running<'_> {}

impl PartialOrd for Running<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Running<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

pub struct Interpreter<'a>(pub &'a Clients);

/// Expands sequences and loops until a step or a choice is next. Expansion takes no step.
fn opened<'a>(mut frames: Frames<'a>) -> Frames<'a> {
    while let Some(next) = frames.pop() {
        match next {
            Tree::Sequence(parts) => frames.extend(parts.iter().rev()),
            Tree::Forever(body) => frames.extend([next, body]),
            _ => {
                frames.push(next);
                break;
            }
        }
    }
    frames
}

/// Candidate next steps of a process, each with its continuation.
fn next<'a>(frames: &Frames<'a>) -> Vec<(&'a Tree, Frames<'a>)> {
    let mut rest = opened(frames.clone());
    match rest.pop() {
        None => Vec::new(),
        Some(Tree::Choice(branches)) => {
            let begin = |branch| {
                let mut frames = rest.clone();
                frames.push(branch);
                next(&frames)
            };
            branches.iter().flat_map(begin).collect()
        }
        Some(step) => vec![(step, rest)],
    }
}

impl<'a> Interpreter<'a> {
    pub fn initial(&self) -> Vec<Running<'a>> {
        let processes = self.0.processes.iter();
        let processes = processes.map(|tree| (opened(vec![tree]), 0)).collect();
        vec![Running::new(processes)]
    }

    pub fn steps(&self, from: &Running<'a>, visit: &mut dyn FnMut(String, Running<'a>)) {
        for (number, (frames, x)) in from.processes.iter().enumerate() {
            let process = Clients::process(number);
            for (step, rest) in next(frames) {
                let mut go = |label: &str, rest: &Frames<'a>, x: u8| {
                    let to = from.with([(number, rest.clone(), x)]);
                    visit(format!("{process}: {label} "), to);
                };
                match step {
                    Tree::Add { label, n, .. } => go(label, &rest, Tree::add(*x, *n)),
                    Tree::Choose { label, .. } => (0..2).for_each(|x| go(label, &rest, x)),
                    Tree::When(label, then, otherwise) => {
                        let mut rest = rest;
                        rest.push(if *x == 0 { then } else { otherwise });
                        go(label, &rest, *x);
                    }
                    Tree::While(label, body) => {
                        let mut rest = rest;
                        if *x == 0 {
                            rest.extend([step, body]);
                        }
                        go(label, &rest, *x);
                    }
                    Tree::Ask(label) => {
                        let label = format!("{process}: {label}");
                        self.ask(from, (number, &label, *x), &rest, visit);
                    }
                    Tree::Answer(_) | Tree::AnswerAny(_) => (),
                    Tree::Sequence(_) | Tree::Choice(_) | Tree::Forever(_) => {
                        unreachable!("they are opened")
                    }
                }
            }
        }
    }

    fn ask(
        &self,
        from: &Running<'a>,
        (number, label, request): (usize, &str, u8),
        rest: &Frames<'a>,
        visit: &mut dyn FnMut(String, Running<'a>),
    ) {
        for (other, (frames, x)) in from.processes.iter().enumerate() {
            if other == number {
                continue;
            }
            for (step, rest_of_other) in next(frames) {
                let mut meet = |answering: &str, answer: u8, x: u8| {
                    let to = from.with([
                        (number, rest.clone(), answer),
                        (other, rest_of_other.clone(), x),
                    ]);
                    visit(format!("{label} {answering}"), to);
                };
                match step {
                    Tree::Answer(answering) => {
                        if let Some(answer) = answer(request, *x) {
                            meet(answering, answer, answer);
                        }
                    }
                    Tree::AnswerAny(answering) => {
                        answers(request)
                            .iter()
                            .for_each(|answer| meet(answering, *answer, *x));
                    }
                    _ => (),
                }
            }
        }
    }
}
