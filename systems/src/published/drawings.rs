//! Drawings of the states of the published systems.

use refmap::IndexSet;
use refmap::drawing::{Drawing, Node, Row, Shade};

use super::internal_memory::{Datum, Interface, Request};
use super::{
    allocator_implementation, alternating_bit, alternating_bit_correctness, consensus, ewd840,
    ewd998, internal_memory, scheduling_allocator, simple_allocator, termination_detection, voting,
    write_through_cache,
};

/// The ring: each node in its colour, with an edge to the one to which it passes the token.
pub(super) fn ewd840(nodes: usize, state: &ewd840::State) -> Drawing {
    let ring = (0..nodes).map(|node| {
        let drawn = active(node, &state.active).shade(match state.black.contains(node) {
            true => Shade::Black,
            false => Shade::White,
        });
        let drawn = match node == state.tpos {
            true => drawn.mark(format!("{:?} token", state.tcolor).to_lowercase()),
            false => drawn,
        };
        drawn.to("", (node + nodes - 1) % nodes)
    });
    Drawing::default().nodes(ring)
}

/// The ring: each node in its colour with its counter and what is on its way to it, and an edge to the one to which it
/// passes the token.
pub(super) fn ewd998(state: &ewd998::State) -> Drawing {
    let nodes = state.counter.len();
    let ring = (0..nodes).map(|node| {
        let shade = if state.black.contains(node) {
            Shade::Black
        } else {
            Shade::White
        };
        let counted = format!("counter {}", state.counter[node]);
        let mut drawn = active(node, &state.active).shade(shade).mark(counted);
        if state.pending[node] > 0 {
            drawn = drawn.mark(format!("pending {}", state.pending[node]));
        }
        if node == usize::from(state.token.pos) {
            let colour = format!("{:?}", state.token.colour).to_lowercase();
            drawn = drawn.mark(format!("{colour} token {}", state.token.q));
        }
        drawn.to("", (node + nodes - 1) % nodes)
    });
    Drawing::default().nodes(ring)
}

pub(super) fn termination_detection(nodes: usize, state: &termination_detection::State) -> Drawing {
    let all = (0..nodes).map(|node| active(node, &state.active));
    let detected = Row::new().value("termination detected", state.termination_detected);
    Drawing::default().nodes(all).row(detected)
}

fn active(node: usize, active: &IndexSet) -> Node {
    let drawn = Node::new(node);
    match active.contains(node) {
        true => drawn.mark("active"),
        false => drawn,
    }
}

/// The two ends, and what is on the lines between them.
pub(super) fn alternating_bit(state: &alternating_bit::State) -> Drawing {
    let bit = |bit| u8::from(bit);
    let messages = state.msg_q.iter();
    let messages = messages.map(|message| format!("{}:{}", bit(message.bit), message.value));
    let acknowledgements = state.ack_q.iter().map(|ack| bit(*ack));
    let lines = Row::of("lines")
        .queue("messages", messages)
        .queue("acknowledgements", acknowledgements);
    alternating_bit_correctness(&state.ends).row(lines)
}

pub(super) fn alternating_bit_correctness(state: &alternating_bit_correctness::State) -> Drawing {
    let sender = Row::of("sender")
        .value("sent", state.sent)
        .value("bit", u8::from(state.s_bit))
        .value("acknowledged", u8::from(state.s_ack));
    let receiver = Row::of("receiver")
        .value("received", state.rcvd)
        .value("bit", u8::from(state.r_bit));
    Drawing::default().row(sender).row(receiver)
}

/// The resources that each client holds, and those that it still asks for.
pub(super) fn simple_allocator(state: &simple_allocator::State) -> Drawing {
    let clients = state.alloc.iter().zip(&state.unsat).enumerate();
    clients.fold(Drawing::default(), |drawing, (client, (held, asked))| {
        let row = Row::of(format!("client {client}"));
        drawing.row(row.set("holds", held.iter()).set("asks for", asked.iter()))
    })
}

pub(super) fn scheduling_allocator(state: &scheduling_allocator::State) -> Drawing {
    let schedule = Row::of("server").queue("schedule", &state.sched);
    simple_allocator(&state.claims).row(schedule)
}

/// What the server knows, what the clients do, and the messages between them.
pub(super) fn allocator_implementation(state: &allocator_implementation::State) -> Drawing {
    let clients = state.requests.iter().zip(&state.holding).enumerate();
    let drawing = clients.fold(Drawing::default(), |drawing, (client, (asked, held))| {
        let row = Row::of(format!("client {client}"));
        drawing.row(row.set("holds", held.iter()).set("asks for", asked.iter()))
    });
    let server = &state.server;
    let of_server = server
        .claims
        .alloc
        .iter()
        .zip(&server.claims.unsat)
        .enumerate();
    let row = of_server.fold(Row::of("server"), |row, (client, (given, asked))| {
        row.set(format!("given to {client}"), given.iter())
            .set("unsatisfied", asked.iter())
    });
    let messages = state.network.iter().map(|message| {
        let resources: Vec<_> = message
            .resources
            .iter()
            .map(|one| one.to_string())
            .collect();
        format!(
            "{:?} {} of {}",
            message.kind,
            resources.join("+"),
            message.client
        )
    });
    drawing
        .row(row.queue("schedule", &server.sched))
        .row(Row::of("network").set("", messages))
}

pub(super) fn internal_memory(state: &internal_memory::State) -> Drawing {
    let memory = Row::of("memory").queue("", &state.mem);
    interface(Drawing::default(), &state.interface, |_, row| row).row(memory)
}

/// The memory with the queue in front of it, and the cache of each processor.
pub(super) fn write_through_cache(state: &write_through_cache::State) -> Drawing {
    let queued = state.mem_q.iter();
    let queued = queued.map(|one| format!("{}: {}", one.processor, request(one.request)));
    let memory = Row::of("memory")
        .queue("", &state.wmem)
        .queue("waiting", queued);
    let cached = |processor: usize, row: Row| {
        let cells = state.cache[processor].0.iter();
        let cells = cells.map(|value| value.map_or("–".to_owned(), |value| value.to_string()));
        row.queue("cache", cells)
    };
    interface(Drawing::default(), &state.interface, cached).row(memory)
}

/// What becomes of the request of each processor; `more` adds to its row.
fn interface(drawing: Drawing, interface: &Interface, more: impl Fn(usize, Row) -> Row) -> Drawing {
    let processors = interface.ctl.iter().zip(&interface.buf).enumerate();
    processors.fold(drawing, |drawing, (processor, (control, datum))| {
        let datum = match datum {
            Datum::NoVal => "–".to_owned(),
            Datum::Request(asked) => request(*asked),
            Datum::Value(value) => value.to_string(),
        };
        let row = Row::of(format!("processor {processor}"))
            .value("", format!("{control:?}").to_lowercase())
            .value("buffer", datum);
        drawing.row(more(processor, row))
    })
}

fn request(request: Request) -> String {
    match request {
        Request::Rd { adr } => format!("read {adr}"),
        Request::Wr { adr, val } => format!("write {adr} := {val}"),
    }
}

/// The votes of each acceptor, a ballot and a value each, and the greatest ballot in which it takes part.
pub(super) fn voting(state: &voting::State) -> Drawing {
    let acceptors = state.votes.iter().zip(&state.max_bal).enumerate();
    acceptors.fold(
        Drawing::default(),
        |drawing, (acceptor, (votes, ballot))| {
            let votes = votes.iter();
            let votes = votes.map(|vote| format!("{}:{}", vote.ballot, vote.value));
            let ballot = ballot.map_or("none".to_owned(), |ballot| ballot.to_string());
            let row = Row::of(format!("acceptor {acceptor}"));
            drawing.row(row.set("votes", votes).value("ballot", ballot))
        },
    )
}

pub(super) fn consensus(state: &consensus::State) -> Drawing {
    Drawing::default().row(Row::new().set("chosen", state.chosen.iter()))
}
