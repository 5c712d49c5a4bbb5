//! Drawing of a state: the heap with its colours, and the roots and pending stores of each process.

use refmap::drawing::{Drawing, Node, Row, Shade};

use super::state::{Phase, State, Store, Who};
use crate::heap::{Object as Ref, Objects as Refs};

impl State {
    /// The heap with the colours of section 3.2, the senses of marks and the phase in memory, and of each
    /// process its roots, its worklist and its pending stores.
    pub fn draw(&self) -> Drawing {
        let unprotected = self.unprotected();
        let nodes = (0..).zip(&self.sys.heap).map(|(reference, object)| {
            let node = Node::new(reference);
            let Some(object) = object else {
                return node.mark("free").absent();
            };
            let node = self.coloured(node, reference);
            let node = if unprotected.contains(reference) {
                node.mark("not grey-protected")
            } else {
                node
            };
            let fields = object.fields.iter();
            fields.fold(node, |node, value| node.maybe("", *value))
        });
        let sense = |mark| if mark { "1" } else { "0" };
        let memory = Row::new()
            .value("phase", format!("{:?}", self.sys.phase))
            .value("fM", sense(self.sys.fm))
            .value("fA", sense(self.sys.fa));
        let collector = Row::of("collector")
            .set("W", self.gc.marking.w.iter())
            .queue("pending", self.pending(Who::Gc));
        let mutators = self.numbers().map(|mutator| {
            let local = self.mutator(mutator);
            Row::of(format!("mutator {mutator}"))
                .set("roots", local.roots.iter())
                .set("W", local.marking.w.iter())
                .queue("pending", self.pending(Who::Mutator(mutator)))
        });
        let drawing = Drawing::default().nodes(nodes).row(memory).row(collector);
        mutators.fold(drawing, Drawing::row)
    }

    /// A reference may be white and grey at a time: it is on a worklist, and its mark is not in memory yet.
    fn coloured(&self, node: Node, reference: Ref) -> Node {
        let is_in = |refs: Refs| refs.contains(reference);
        match (is_in(self.grey()), is_in(self.white())) {
            (true, true) => node.shade(Shade::Grey).mark("white"),
            (true, false) => node.shade(Shade::Grey),
            (false, true) => node.shade(Shade::White),
            (false, false) => node.shade(Shade::Black),
        }
    }

    fn pending(&self, who: Who) -> Vec<String> {
        self.sys.pending_stores(who).iter().map(text_of).collect()
    }

    /// Objects that mutators can reach in the phases Mark and Sweep and that are neither black nor grey-protected: the
    /// collector frees them unless a mutator marks them.
    fn unprotected(&self) -> Refs {
        if !matches!(self.sys.phase, Phase::Mark | Phase::Sweep) {
            return Refs::default();
        }
        let reachable = self
            .numbers()
            .fold(Refs::default(), |all, m| all.and(self.reachable(m)));
        let handled = self.grey_protected().and(self.black());
        reachable.without(handled)
    }
}

fn text_of(store: &Store) -> String {
    match store {
        Store::Mark(reference, mark) => format!("mark of {reference} := {}", u8::from(*mark)),
        Store::Field(src, field, dst) => format!("{src}.{field} := {}", value_of(*dst)),
        Store::FA(mark) => format!("fA := {}", u8::from(*mark)),
        Store::FM(mark) => format!("fM := {}", u8::from(*mark)),
        Store::Phase(phase) => format!("phase := {phase:?}"),
    }
}

fn value_of(value: Option<Ref>) -> String {
    value.map_or("null".to_owned(), |reference| reference.to_string())
}
