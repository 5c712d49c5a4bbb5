//! The collector with any number of mutators.

use refmap::Composed;
use refmap::crowd::Crowd;
use refmap_systems::ben_ari::{MAX_MUTATORS, Scope, Shape};

use super::{Refinement1, Refinement2, Refinement3, composed};

/// The algorithm against the specification, with any number of mutators.
#[derive(Clone, Copy, Debug)]
pub struct AnyMutators(pub Scope);

impl Crowd for AnyMutators {
    type Instance = Composed<Refinement1, Composed<Refinement2, Refinement3>>;

    fn members(&self) -> &str {
        "mutators"
    }

    fn bounds(&self) -> String {
        let Shape { nodes, sons, roots } = self.0.shape;
        format!("nodes {nodes}, sons {sons}, roots {roots}")
    }

    fn instance(&self, mutators: usize) -> Self::Instance {
        composed(Scope {
            mutators: mutators as u8,
            ..self.0
        })
    }

    fn most(&self) -> usize {
        MAX_MUTATORS
    }
}
