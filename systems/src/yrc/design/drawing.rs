//! Drawing of a state: the objects with their colours and counts, the queues, the threads and the collector.

use refmap::drawing::{Drawing, Node, Row, Shade};

use super::state::{Colour, InFlight, Location, Slot, State};
use super::{Bag, Stack};

impl State {
    /// The objects with their colours and counts, and of the collector, each stripe and each thread what it has yet to do.
    pub fn draw(&self) -> Drawing {
        let drawing = Drawing::default()
            .nodes((0..).zip(&self.fields).map(|(object, fields)| {
                let node = Node::new(object).value("rc", self.rc[usize::from(object)]);
                if !self.allocated.contains(object) {
                    return node.absent();
                }
                let node = node.shade(match self.colour_of(object) {
                    Colour::Black => Shade::Black,
                    Colour::Grey => Shade::Grey,
                    Colour::White => Shade::White,
                });
                let node = if self.collector.condemned.contains(object) {
                    node.mark("condemned")
                } else {
                    node
                };
                fields
                    .iter()
                    .fold(node, |node, value| node.maybe("", *value))
            }))
            .row(self.draw_collector());
        let stripes = self.increments.iter().zip(&self.decrements).enumerate();
        let stripes = stripes.map(|(stripe, (increments, decrements))| {
            Row::of(format!("stripe {stripe}"))
                .set("increments", entries(increments))
                .set("decrements", entries(decrements))
        });
        let threads = self.held.iter().zip(&self.in_flight).enumerate();
        let threads = threads.map(|(thread, (held, operation))| {
            Row::of(format!("thread {thread}"))
                .set("holds", held.iter())
                .queue("still to do", rest(*operation))
        });
        stripes.chain(threads).fold(drawing, Drawing::row)
    }

    fn draw_collector(&self) -> Row {
        let at = match self.collector.at {
            Location::Idle => "idle".to_owned(),
            Location::Merge(queue) => format!("merge of queue {queue}"),
            Location::MarkGrey => "mark grey".to_owned(),
            Location::Scan => "scan".to_owned(),
            Location::CollectWhite => "collect white".to_owned(),
            Location::Free => "free".to_owned(),
        };
        let row = Row::of("collector")
            .value("", at)
            .set("candidates", self.candidates.iter())
            .set("to do", self.collector.todo.iter())
            .queue("stack", slots(&self.collector.stack));
        if self.collector.rescue.is_empty() {
            row
        } else {
            row.queue("rescue", slots(&self.collector.rescue))
        }
    }
}

/// The entries of a bag, each as often as it is in it.
fn entries(bag: &Bag) -> impl Iterator<Item = usize> {
    let counts = bag.0.iter().enumerate();
    counts.flat_map(|(object, count)| std::iter::repeat_n(object, usize::from(*count)))
}

/// The slots of a stack, the next one to be read first.
fn slots(stack: &Stack) -> impl Iterator<Item = String> {
    let slots = stack.iter().rev();
    slots.map(|Slot { object, field }| format!("{object}.{field}"))
}

fn rest(operation: InFlight) -> Vec<String> {
    match operation {
        InFlight::Nothing => Vec::new(),
        InFlight::Exchange { to, field, value } => vec![
            format!("{to}.{field} := {value}"),
            "decrement the old value".to_owned(),
        ],
        InFlight::Increment { new, old } => {
            let old = old.map(|old| format!("decrement {old}"));
            std::iter::once(format!("increment {new}"))
                .chain(old)
                .collect()
        }
        InFlight::Decrement { old } => vec![format!("decrement {old}")],
    }
}
