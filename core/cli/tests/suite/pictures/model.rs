//! A small system of which pages are made: a token that goes along a line of nodes, and is lost at its end.

use refmap::AbstractSteps::{One, Stutter};
use refmap::drawing::{Drawing, Node, Row, Shade};
use refmap::obligation::Checker;
use refmap::{Action, Fairness, Invariant, Property, TransitionSystem};
use refmap_cli::catalogue::{Catalogue, Check, Nothing, number};
use refmap_cli::clap;
use refmap_testing::{Machine, alike, itself, mapped};
use serde::Serialize;

use crate::over;

/// Text that would be markup, or a command to a terminal, if it were not escaped.
pub const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\u{1b}[31m\u{202e}\u{0}&'\"";

pub struct Line {
    length: u32,
    name: String,
    /// Whether the token goes two places at a time from here on.
    jumps_from: u32,
    /// Whether its end is its beginning.
    is_round: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Token {
    at: u32,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
pub enum Go {
    On { name: String },
    Stay,
}

impl refmap::State<Line> for Token {}

impl TransitionSystem for Line {
    type State = Token;
    type Action = Go;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Token)) {
        visit(Token {
            at: 0,
            name: self.name.clone(),
        });
    }

    fn candidates(&self, _: &Token, visit: &mut impl FnMut(Go)) {
        let name = self.name.clone();
        visit(Go::On { name });
        visit(Go::Stay);
    }

    fn fire(&self, step: &Go, token: &mut Token) -> Option<()> {
        if let Go::On { .. } = step {
            (token.at < self.length).then_some(())?;
            token.at += if token.at >= self.jumps_from { 2 } else { 1 };
            if self.is_round {
                token.at %= self.length;
            }
        }
        Some(())
    }

    fn observe(&self, _: &Token) {}

    fn fairness(&self) -> Vec<Fairness> {
        if self.is_round {
            vec![Fairness::weak("on", ["on"])]
        } else {
            Vec::new()
        }
    }

    fn draw(&self, token: &Token) -> Option<Drawing> {
        let nodes = (0..4).map(|place| {
            let node = Node::new(format!("{}{place}", self.name));
            let node = if place == token.at % 4 {
                node.shade(Shade::Black).mark(&self.name)
            } else {
                node.shade(Shade::White)
            };
            node.to("next", format!("{}{}", self.name, (place + 1) % 4))
        });
        let row = Row::of(&self.name)
            .value("at", token.at)
            .queue("buffer", vec![self.name.clone(); (token.at % 3) as usize]);
        Some(Drawing::default().nodes(nodes).row(row))
    }
}

/// The same line, of which it is seen where the token is.
struct Seen(Line);

impl refmap::State<Seen> for Token {}

impl TransitionSystem for Seen {
    type State = Token;
    type Action = Go;
    type Observation = u32;

    fn initial(&self, visit: &mut impl FnMut(Token)) {
        self.0.initial(visit);
    }

    fn candidates(&self, from: &Token, visit: &mut impl FnMut(Go)) {
        self.0.candidates(from, visit);
    }

    fn fire(&self, step: &Go, token: &mut Token) -> Option<()> {
        self.0.fire(step, token)
    }

    fn observe(&self, token: &Token) -> u32 {
        token.at
    }

    fn draw(&self, token: &Token) -> Option<Drawing> {
        self.0.draw(token)
    }
}

fn seen() -> Check {
    Check::new(
        "seen",
        "a token that is seen on a line",
        "this test",
        |_: &Nothing| {
            let line = |length| {
                Seen(Line {
                    length,
                    name: HOSTILE.to_owned(),
                    jumps_from: 10_000,
                    is_round: false,
                })
            };
            Ok(Box::new(Checker::owning(alike(line(3), line(2)))))
        },
    )
}

/// A clock of 1 000 hours, with invariants that are false later and later, and properties that never hold.
fn count() -> Check {
    Check::new(
        "count",
        "a clock: is a clock",
        "this test, page 1",
        |_: &Nothing| {
            let next = |n: &u32| vec![(("tick", 0), (n + 1) % 1_000)];
            let mut refinement = itself(Machine::new(&[("tick", "clock")], [0u32], next, |_| 0));
            refinement.implementation.fairness = vec![Fairness::weak("on", ["tick"])];
            let below = |name, most| Invariant::new(name, "this test", move |n: &u32| *n < most);
            refinement.invariants = vec![
                below("late", 700),
                below("early", 6),
                below("later", 900),
                below("too", 700),
            ];
            refinement.liveness = vec![
                Property::eventually("ends", "this test", |n: &u32| *n > 1_000),
                Property::always_eventually("beyond", "this test", |n: &u32| *n > 1_000),
            ];
            Ok(Box::new(Checker::owning(refinement)))
        },
    )
}

/// Boxes on a shelf, of which nothing is said but what they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Shelf {
    #[state(max_len = 3)]
    boxes: Vec<u8>,
    carries: [Vec<u8>; 2],
}

fn shelf() -> Check {
    let about = "a shelf: is a shelf";
    Check::new("shelf", about, "this test", |_: &Nothing| {
        let initial = Shelf {
            boxes: Vec::new(),
            carries: [Vec::new(), vec![7]],
        };
        let put = |from: &Shelf| {
            let mut to = from.clone();
            to.boxes.append(&mut to.carries[1]);
            vec![(("put", 0), to)]
        };
        let mut refinement = itself(Machine::new(&[("put", "porter")], [initial], put, |_| 0));
        let is_empty = |shelf: &Shelf| shelf.boxes.is_empty();
        refinement.invariants = vec![Invariant::new("empty", "this test", is_empty)];
        Ok(Box::new(Checker::owning(refinement)))
    })
}

#[derive(Clone, clap::Args)]
struct Shape {
    /// Places
    #[arg(long, default_value_t = 3, value_parser = number::<u32>(1..=10_000))]
    length: u32,
    /// Where it begins to jump
    #[arg(long, default_value_t = 10_000, value_parser = number::<u32>(0..=10_000))]
    jumps_from: u32,
    /// Whether its end is its beginning
    #[arg(long)]
    round: bool,
    /// Whether its name is hostile
    #[arg(long)]
    hostile: bool,
}

pub fn catalogue() -> Catalogue {
    let line = Check::new(
        "line",
        "a token on a line",
        "this test",
        |arguments: &Shape| {
            let name = if arguments.hostile { HOSTILE } else { "n" };
            let line = |length| Line {
                length,
                name: name.to_owned(),
                jumps_from: arguments.jumps_from,
                is_round: arguments.round,
            };
            let length = arguments.length;
            let answer = |_: &Token, step: &Go, _: &Token| match step {
                Go::On { .. } => One(step.clone()),
                Go::Stay => Stutter,
            };
            let mut refinement = mapped(line(length), line(length - 1), Clone::clone, answer);
            if arguments.round {
                // False after as many steps as the line has places.
                let arrives = move |token: &Token| token.at == length;
                let arrives = Property::eventually("arrives", "this test", arrives);
                refinement.liveness = vec![arrives];
            }
            Ok(Box::new(Checker::owning(refinement)))
        },
    );
    over(vec![line, count(), seen(), shelf()])
}
