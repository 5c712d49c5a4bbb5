//! Level 2 refines level 1 [section 6.2.2].

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Process, Refinement};
use refmap_systems::ben_ari::level_2::{Action, Chi, State};
use refmap_systems::ben_ari::{Level1, Level2, NodeSet, Step, level_1};

use super::lowered::{Lowered, at_rest};

/// The second refinement.
pub type Refinement2 = Lowered<Level2, Level1>;

/// While the roots are being coloured, those below K are black: so that all are when K is ROOTS.
pub fn roots_below_k_black() -> Invariant<Level2> {
    let source = "supports roots_black; section 6.2.2";
    Invariant::new("roots_below_k_black", source, |s: &State| {
        NodeSet::first(s.k).is_subset_of(s.shared.c.black)
    })
    .when(|s: &State| s.chi == Chi::ColourRoots)
}

/// While colours are propagated all roots are black: so that no black node with a white son means
/// that all accessible nodes are black, which PROPAGATE.2 ≪ COLOUR.2 needs.
pub fn roots_black() -> Invariant<Level2> {
    Invariant::new("roots_black", "section 6.2.2", |s: &State| {
        NodeSet::first(s.shared.m.shape.roots).is_subset_of(s.shared.c.black)
    })
    .when(|s: &State| s.chi == Chi::Propagate)
}

impl Refinement for Refinement2 {
    between!(Level2, Level1);

    /// The identity, except that COLOUR_ROOTS and PROPAGATE map to COLOUR; K is hidden.
    fn map(&self, state: &State) -> level_1::State {
        level_1::State {
            chi: match state.chi {
                Chi::ColourRoots | Chi::Propagate => level_1::Chi::Colour,
                Chi::TestL => level_1::Chi::TestL,
                Chi::Append => level_1::Chi::Append,
            },
            shared: state.shared,
        }
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Step<Action>,
        _to: &State,
    ) -> AbstractSteps<Step<level_1::Action>> {
        let action = match *action {
            Step::Mutator(action) => return One(Step::Mutator(action)),
            Step::Collector(action) => action,
        };
        let action = match action {
            Action::StopColouringRoots => return Stutter,
            // COLOUR_ROOTS.2 ≪ COLOUR.1
            Action::ColourRoot => level_1::Action::Colour { n: from.k },
            // PROPAGATE.1 ≪ COLOUR.1
            Action::Propagate { n, i } => level_1::Action::Colour {
                n: from.shared.m.son(n, i),
            },
            // A repair: ≪ COLOUR.1
            Action::ColourMidway { mutator } => {
                let scope = &self.implementation.scope;
                match from.shared.announcement(scope, mutator) {
                    Some(n) => level_1::Action::Colour { n },
                    None => return Stutter,
                }
            }
            // PROPAGATE.2 ≪ COLOUR.2
            Action::StopPropagating => level_1::Action::StopColouring,
            Action::StopAppending => level_1::Action::StopAppending,
            Action::ContinueAppending => level_1::Action::ContinueAppending,
            Action::AppendWhite => level_1::Action::AppendWhite,
            Action::BlackToWhite => level_1::Action::BlackToWhite,
        };
        One(Step::Collector(action))
    }

    fn invariants(&self) -> Vec<Invariant<Level2>> {
        vec![roots_below_k_black(), roots_black()]
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }

    fn at_rest(&self, state: &State, process: Process) -> bool {
        at_rest(&state.shared, process)
    }
}
