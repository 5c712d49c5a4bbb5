use refmap::internal::explore::{Panic, Place, Visitor};
use refmap::{ActionOf, StateOf, TransitionSystem};

/// Visitor that tests nothing, so that the engine alone is at work; it labels a step by its action.
pub struct Labelling<F>(pub F);

impl<S: TransitionSystem, F: Fn(&ActionOf<S>) -> u32 + Sync> Visitor<S> for Labelling<F> {
    type Tally = ();
    type Image = ();

    fn tally(&self) {}
    fn merge(&self, (): &mut (), (): ()) {}
    fn examine(&self, (): &mut (), _: Place, _: &StateOf<S>) {}
    fn image(&self, (): &mut (), _: &StateOf<S>) {}
    fn step(
        &self,
        (): &mut (),
        _: Place,
        _: (&StateOf<S>, &()),
        action: &ActionOf<S>,
        _: &StateOf<S>,
    ) -> u32 {
        (self.0)(action)
    }
    fn leave(&self, (): &mut (), _: Place, _: &StateOf<S>, _: u32) {}
    fn panicked(&self, (): &mut (), _: Place, _: Panic) {}
    fn stop(&self, (): &()) -> Option<u32> {
        None
    }
}
