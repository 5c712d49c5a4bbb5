//! States as they are kept: in bits, each in as many as every other of its instance.

use refmap::state::{Kept, Limits, NameVisitor, Part, Shape, Sink, Source};
use refmap_processes::Location;

use super::packing::Width;
use super::scope::MAX_MUTATORS;
use super::state::State;
use super::system::OnTheFly;

impl refmap::State<OnTheFly> for State {
    const KEPT: Kept = Kept::Encoded;

    fn shape(system: &OnTheFly, _: Limits) -> Shape {
        // All states of an instance take as many bits.
        let mut width = Width(0);
        system.canonical(&mut |state| {
            width = Width(0);
            state.write(system, Limits::NONE, &mut width);
        });
        Shape::by_hand(Some(width.0))
    }

    #[inline]
    fn write(&self, system: &OnTheFly, _: Limits, sink: &mut impl Sink) {
        let packing = &system.packing;
        for (index, (location, last)) in self.at.iter().zip(&packing.locations).enumerate() {
            sink.enter(Part::Name("at"));
            sink.enter(Part::Index(index));
            sink.number(*last, location.0.into());
            sink.leave();
            sink.leave();
        }
        packing.write_gc(&self.gc, sink);
        for (index, mutator) in self.mutators.iter().enumerate() {
            sink.enter(Part::Name("mutators"));
            sink.enter(Part::Index(index));
            packing.write_mutator(mutator, sink);
            sink.leave();
            sink.leave();
        }
        packing.write_sys(&self.sys, sink);
    }

    #[inline]
    fn read(system: &OnTheFly, _: Limits, source: &mut impl Source) -> Self {
        let packing = &system.packing;
        let mut at = [Location::default(); MAX_MUTATORS + 2];
        for (location, last) in at.iter_mut().zip(&packing.locations) {
            *location = Location(source.number(*last) as u16);
        }
        let gc = packing.read_gc(source);
        let mutators = 0..packing.scope.mutators;
        let mut state = Self {
            at,
            gc,
            mutators: mutators.map(|_| packing.read_mutator(source)).collect(),
            sys: packing.read_sys(system.variant.memory, source),
        };
        // Which registers are dead follows from the locations.
        system.processes.clear_dead(&mut state);
        state
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.each_name(visit);
    }
}
