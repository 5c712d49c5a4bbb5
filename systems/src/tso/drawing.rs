//! Drawing of a state: the heap with its colours, and the roots and pending stores of each process.

use std::fmt::Write;

use super::state::{Phase, State, Store, Who};
use crate::heap::{Object as Ref, Objects as Refs};

impl State {
    /// The heap with the colours of section 3.2, the senses of marks and the phase in memory, and of each
    /// process its roots, its worklist and its pending stores.
    pub fn draw(&self) -> String {
        let mut drawing = String::from("heap");
        for (reference, object) in (0..).zip(&self.sys.heap) {
            let fields = object.iter().flat_map(|object| &object.fields);
            let fields: Vec<_> = fields.map(|value| value_of(*value)).collect();
            let cell = match object {
                None => format!("  {reference} free"),
                Some(_) => format!(
                    "  {reference} {} → {}",
                    self.colour(reference),
                    fields.join(" ")
                ),
            };
            drawing.push_str(&cell);
        }
        let sense = |mark| if mark { "1" } else { "0" };
        let (fm, fa) = (sense(self.sys.fm), sense(self.sys.fa));
        // Writing into a string does not fail.
        let _ = writeln!(drawing, "  phase {:?}, fM {fm}, fA {fa}", self.sys.phase);
        let _ = write!(
            drawing,
            "collector  W {}{}",
            set(self.gc.marking.w),
            self.pending(Who::Gc)
        );
        for mutator in self.numbers() {
            let local = self.mutator(mutator);
            let _ = write!(
                drawing,
                "\nmutator {mutator}  roots {}  W {}{}",
                set(local.roots),
                set(local.marking.w),
                self.pending(Who::Mutator(mutator)),
            );
        }
        let unprotected = self.unprotected();
        if !unprotected.is_empty() {
            let _ = write!(drawing, "\nnot grey-protected  {}", set(unprotected));
        }
        drawing
    }

    fn colour(&self, reference: Ref) -> &'static str {
        let is_in = |refs: Refs| refs.contains(reference);
        match (is_in(self.grey()), is_in(self.white())) {
            (true, true) => "white and grey",
            (true, false) => "grey",
            (false, true) => "white",
            (false, false) => "black",
        }
    }

    fn pending(&self, who: Who) -> String {
        let stores = self.sys.pending_stores(who).iter();
        let stores: Vec<_> = stores.map(text_of).collect();
        match &*stores {
            [] => String::new(),
            stores => format!("  pending {}", stores.join(", ")),
        }
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

fn set(refs: Refs) -> String {
    let refs: Vec<_> = refs.iter().map(|reference| reference.to_string()).collect();
    format!("{{{}}}", refs.join(", "))
}
