//! Level 3 refines level 2 [section 6.3.2].
//!
//! The paper gives two of the invariants (`scanned_node_black`, `no_bw_at_quit`) and counts 19 in
//! all, most of which it leaves out. The others here say why those two hold. In short: let the
//! *scan* be steps 2 and 3 of Fig. 14. As long as nothing was coloured since the last count, a
//! black-to-white pointer behind the scan is one that the mutator has just made and whose target it
//! is about to colour (`bw_behind_scan_is_pending`), and there is another one ahead
//! (`bw_behind_scan_has_one_ahead`), because its target was reached from a black root. At the end of
//! the scan nothing is ahead, so there is none at all (`uncoloured_count_has_no_bw`).

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Process, Refinement, Waiver};
use refmap_systems::ben_ari::level_3::{Action, Chi, State};
use refmap_systems::ben_ari::{
    Level2, Level3, Locals, Look, Midway, MutatorAt, MutatorOrder, Shape, Step, level_2,
};

use super::scan::{bw_cells, counting, nothing_coloured, scanning};

use super::level_2::{roots_below_k_black, roots_black};
use super::lowered::{Lowered, at_rest};
use super::several::repaired;

/// The third refinement.
pub type Refinement3 = Lowered<Level3, Level2>;

/// The node being scanned is one: so that its colour and its sons can be read.
pub fn scanned_node_exists() -> Invariant<Level3> {
    let source = "type of I; Fig. 14, TEST_I.2";
    Invariant::new("scanned_node_exists", source, |s: &State| {
        s.i < s.shared.m.shape.nodes
    })
    .when(|s: &State| matches!(s.chi, Chi::TestColour | Chi::ColourSons))
}

/// The node being counted is one: so that its colour can be read.
pub fn counted_node_exists() -> Invariant<Level3> {
    let source = "type of H; Fig. 14, TEST_H.2";
    Invariant::new("counted_node_exists", source, |s: &State| {
        s.h < s.shared.m.shape.nodes
    })
    .when(|s: &State| s.chi == Chi::Count)
}

/// The node being scanned is black: COLOUR_SONS.2 ≪ PROPAGATE.1 needs its guard.
pub fn scanned_node_black() -> Invariant<Level3> {
    Invariant::new("scanned_node_black", "section 6.3.2", |s: &State| {
        s.shared.c.colour(s.i)
    })
    .when(|s: &State| s.chi == Chi::ColourSons)
}

/// The last count is not more than there are black nodes: it can only be reached by colouring none.
pub fn old_count_is_a_lower_bound() -> Invariant<Level3> {
    let source = "supports uncoloured_count_has_no_bw";
    Invariant::new("old_count_is_a_lower_bound", source, |s: &State| {
        s.obc <= s.shared.c.blacks_below(s.shared.m.shape.nodes)
    })
    .when(|s: &State| s.chi == Chi::ColourRoots || scanning(s))
}

/// The count so far is not more than the black nodes counted: so that the new old count is again a
/// lower bound.
pub fn count_is_a_lower_bound() -> Invariant<Level3> {
    let source = "supports old_count_is_a_lower_bound";
    Invariant::new("count_is_a_lower_bound", source, |s: &State| {
        s.bc <= s.shared.c.blacks_below(s.h)
    })
    .when(|s: &State| counting(s) || s.chi == Chi::Compare)
}

/// While counting, the last count is at most the least final value of this one.
pub fn old_count_is_at_most_the_new() -> Invariant<Level3> {
    let source = "supports uncoloured_count_has_no_bw";
    Invariant::new("old_count_is_at_most_the_new", source, |s: &State| {
        s.obc <= s.bc + s.shared.c.blacks_from(s.h)
    })
    .when(counting)
}

/// Targets of mutators midway are accessible: no garbage is added to the black nodes, and nothing is redirected to
/// garbage.
pub fn target_accessible() -> Invariant<Level3> {
    let midway = |locals: &&Locals| locals.mu != MutatorAt::Mutate;
    Invariant::new(
        "target_accessible",
        "supports uncoloured_count_has_no_bw; section 4.2",
        move |s: &State| {
            let mut mutators = s.shared.mutators.iter().filter(midway);
            mutators.all(|locals| s.shared.m.is_accessible(locals.q))
        },
    )
    .when(move |s: &State| s.shared.mutators.iter().any(|locals| midway(&locals)))
}

/// A black-to-white pointer behind the scan is one that a mutator has just made, if nothing was
/// coloured since the last count. (For the refuted order this says that there is none.)
pub fn bw_behind_scan_is_pending() -> Invariant<Level3> {
    let source = "supports bw_behind_scan_has_one_ahead";
    Invariant::new("bw_behind_scan_is_pending", source, |s: &State| {
        let pending = |son| {
            let mut mutators = s.shared.mutators.iter();
            mutators.any(|locals| locals.mu == MutatorAt::Colour && locals.q == son)
        };
        bw_cells(s, true).all(|(n, i)| pending(s.shared.m.son(n, i)))
    })
    .when(|s: &State| scanning(s) && nothing_coloured(s))
}

/// A black-to-white pointer behind the scan has one ahead, if nothing was coloured since the last count.
pub fn bw_behind_scan_has_one_ahead() -> Invariant<Level3> {
    let source = "supports uncoloured_count_has_no_bw";
    Invariant::new("bw_behind_scan_has_one_ahead", source, |s: &State| {
        bw_cells(s, false).next().is_some()
    })
    .when(|s: &State| scanning(s) && nothing_coloured(s) && bw_cells(s, true).next().is_some())
}

/// While counting, if nothing was coloured since the last count, no black node points to a white
/// one.
pub fn uncoloured_count_has_no_bw() -> Invariant<Level3> {
    let source = "supports no_bw_at_quit";
    Invariant::new("uncoloured_count_has_no_bw", source, |s: &State| {
        !s.shared.c.exists_bw(&s.shared.m)
    })
    .when(|s: &State| counting(s) && nothing_coloured(s))
}

/// When the counts agree no black node points to a white one: COMPARE.1 ≪ PROPAGATE.2 needs its
/// guard.
pub fn no_bw_at_quit() -> Invariant<Level3> {
    Invariant::new("no_bw_at_quit", "section 6.3.2", |s: &State| {
        !s.shared.c.exists_bw(&s.shared.m)
    })
    .when(|s: &State| s.chi == Chi::Compare && s.bc == s.obc)
}

/// In the append phase all accessible nodes from L up are black: so that appending changes what is
/// accessible for no mutator that is about to use it.
pub fn blackened_from_l() -> Invariant<Level3> {
    let source = "supports target_accessible; Appendix B.2, inv2";
    Invariant::new("blackened_from_l", source, |s: &State| {
        s.shared.c.blackened(&s.shared.m, s.shared.l)
    })
    .when(|s: &State| matches!(s.chi, Chi::TestL | Chi::Append))
}

/// The identity, except that six locations map to PROPAGATE; H, I, J, BC and OBC are hidden, and so is which mutators were looked at.
fn map(state: &State) -> level_2::State {
    level_2::State {
        chi: match state.chi {
            Chi::ColourRoots => level_2::Chi::ColourRoots,
            Chi::TestI
            | Chi::TestColour
            | Chi::ColourSons
            | Chi::TestH
            | Chi::Count
            | Chi::Compare => level_2::Chi::Propagate,
            Chi::TestL => level_2::Chi::TestL,
            Chi::Append => level_2::Chi::Append,
        },
        shared: state.shared.unseen(),
        k: state.k,
    }
}

impl Refinement3 {
    /// True if the collector's look at a mutator colours a white node.
    fn colours_target(&self, from: &State, mutator: u8) -> bool {
        let scope = &self.implementation.scope;
        let target = from.shared.announcement(scope, mutator);
        scope.midway == Midway::Coloured && target.is_some_and(|q| !from.shared.colour(q))
    }
}

impl Refinement for Refinement3 {
    between!(Level3, Level2);

    fn map(&self, state: &State) -> level_2::State {
        map(state)
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Step<Action>,
        _to: &State,
    ) -> AbstractSteps<Step<level_2::Action>> {
        let action = match *action {
            Step::Mutator(action) => return One(Step::Mutator(action)),
            Step::Collector(action) => action,
        };
        let State { i, j, .. } = *from;
        let action = match action {
            Action::StopColouringRoots => level_2::Action::StopColouringRoots,
            Action::ColourRoot => level_2::Action::ColourRoot,
            // COLOUR_SONS.2 ≪ PROPAGATE.1, unless the son is black already.
            Action::ColourSon if !from.shared.c.colour(from.shared.m.son(i, j)) => {
                level_2::Action::Propagate { n: i, i: j }
            }
            // A repair: a target that is white is coloured.
            Action::LookAt { mutator } if self.colours_target(from, mutator) => {
                level_2::Action::ColourMidway { mutator }
            }
            // COMPARE.1 ≪ PROPAGATE.2
            Action::QuitPropagation => level_2::Action::StopPropagating,
            Action::StopAppending => level_2::Action::StopAppending,
            Action::ContinueAppending => level_2::Action::ContinueAppending,
            Action::AppendWhite => level_2::Action::AppendWhite,
            Action::BlackToWhite => level_2::Action::BlackToWhite,
            Action::StopPropagating
            | Action::ContinuePropagating
            | Action::WhiteNode
            | Action::BlackNode
            | Action::StopColouringSons
            | Action::ColourSon
            | Action::StopCounting
            | Action::ContinueCounting
            | Action::SkipWhite
            | Action::CountBlack
            | Action::RedoPropagation
            | Action::LookAt { .. } => return Stutter,
        };
        One(Step::Collector(action))
    }

    fn invariants(&self) -> Vec<Invariant<Level3>> {
        let mut invariants = vec![
            roots_below_k_black().pull_back(map),
            roots_black().pull_back(map),
            scanned_node_exists(),
            counted_node_exists(),
            scanned_node_black(),
            old_count_is_a_lower_bound(),
            count_is_a_lower_bound(),
            old_count_is_at_most_the_new(),
        ];
        let scope = &self.implementation.scope;
        match scope.midway {
            Midway::Ignored => {
                invariants.extend([
                    target_accessible(),
                    bw_behind_scan_is_pending(),
                    bw_behind_scan_has_one_ahead(),
                ]);
            }
            Midway::Coloured | Midway::Awaited => invariants.extend(repaired(*scope)),
        }
        if scope.mutator == MutatorOrder::ColouredBefore {
            invariants.push(blackened_from_l());
            return invariants;
        }
        invariants.extend([
            uncoloured_count_has_no_bw(),
            no_bw_at_quit(),
            blackened_from_l(),
        ]);
        invariants
    }

    fn waivers(&self) -> Vec<Waiver> {
        let scope = self.implementation.scope;
        let Shape { nodes, roots, .. } = scope.shape;
        let is_small = scope.mutators == 1 && nodes < 4 && roots < nodes;
        let looks_after = matches!(scope.look, Look::OneByOne | Look::AtOnce)
            && scope.mutator != MutatorOrder::ColouredBefore;
        if is_small && looks_after && scope.midway == Midway::Coloured {
            vec![Waiver {
                rule: "colour_midway",
                reason: "one scan of so few nodes finds all that is accessible, and so the target of a single mutator",
            }]
        } else {
            Vec::new()
        }
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }

    fn at_rest(&self, state: &State, process: Process) -> bool {
        at_rest(&state.shared, process)
    }
}
