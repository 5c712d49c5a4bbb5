//! Level 1 refines the specification [section 6.1.2; Appendix B.2, B.3].

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Process, Property, Refinement};
use refmap_systems::ben_ari::level_1::{Action, Chi, State};
use refmap_systems::ben_ari::{
    Level0, Level1, Memory, MutatorAction, MutatorAt, Scope, Step, level_0,
};

use super::lowered::{Lowered, at_rest};

/// The first refinement.
pub type Refinement1 = Lowered<Level1, Level0>;

// ANCHOR: invariants
/// The safety property of Russinoff: what is about to be appended is garbage.
pub fn inv1() -> Invariant<Level1> {
    Invariant::new("inv1", "Appendix B.2, inv1; section 6.1.2", |s: &State| {
        s.shared.c.colour(s.shared.l)
    })
    .when(|s: &State| {
        let (m, l) = (s.shared.m, s.shared.l);
        s.chi == Chi::Append && l < m.shape.nodes && m.accessible().contains(l)
    })
}

/// The generalisation of `inv1` to all nodes that the append phase has not yet visited, which makes it inductive.
pub fn inv2() -> Invariant<Level1> {
    Invariant::new("inv2", "Appendix B.2, inv2; section 6.1.2", |s: &State| {
        s.shared.c.blackened(&s.shared.m, s.shared.l)
    })
    .when(|s: &State| matches!(s.chi, Chi::TestL | Chi::Append))
}
// ANCHOR_END: invariants

/// The collector comes to colour again and again.
pub fn colours() -> Property<Level1> {
    Property::always_eventually("colours", "Fig. 9, COLOUR", |s: &State| {
        s.chi == Chi::Colour
    })
}

/// It comes to the end of the nodes in the append phase again and again.
pub fn appends() -> Property<Level1> {
    Property::always_eventually("appends", "Fig. 9, TEST_L.1", |s: &State| {
        s.chi == Chi::TestL && s.shared.l == s.shared.m.shape.nodes
    })
}

/// Garbage that the collector left white is collected when the append phase comes to it: what is left of `collected` where
/// any node may be coloured, garbage too.
pub fn white_collected(scope: &Scope) -> impl Iterator<Item = Property<Level1>> + use<> {
    let property = |n| {
        Property::leads_to(
            format!("white_collected({n})"),
            "Fig. 9, APPEND.1",
            move |s: &State| {
                let appending = matches!(s.chi, Chi::TestL | Chi::Append);
                let garbage = !s.shared.m.is_accessible(n) && !s.shared.colour(n);
                appending && s.shared.l <= n && garbage
            },
            move |s: &State| s.shared.m.is_accessible(n),
        )
    };
    (scope.shape.roots..scope.shape.nodes).map(property)
}

impl Refinement for Refinement1 {
    between!(Level1, Level0);

    // ANCHOR: mapping
    /// M to M; the colours, Q, L and the locations are hidden.
    fn map(&self, state: &State) -> Memory {
        state.shared.m
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Step<Action>,
        _to: &State,
    ) -> AbstractSteps<level_0::Action> {
        match *action {
            // MUTATE.1 ≪ MODIFY.1
            Step::Mutator(MutatorAction::Mutate { mutator, n, i, k }) => {
                One(level_0::Action::Mutate { mutator, n, i, k })
            }
            Step::Mutator(MutatorAction::ColourTarget { .. }) => Stutter,
            Step::Mutator(MutatorAction::ChooseAndColour { .. }) => Stutter,
            // In the refuted order the second step is the mutation.
            Step::Mutator(MutatorAction::Redirect { mutator }) => {
                let locals = from.shared.mutators[usize::from(mutator)];
                match locals.mu {
                    MutatorAt::Redirect { n, i } => One(level_0::Action::Mutate {
                        mutator,
                        n,
                        i,
                        k: locals.q,
                    }),
                    _ => Stutter,
                }
            }
            // A repair: MUTATE.1 in two steps.
            Step::Mutator(MutatorAction::RedirectAnnounced { mutator, n, i }) => {
                let k = from.shared.mutators[usize::from(mutator)].q;
                One(level_0::Action::Mutate { mutator, n, i, k })
            }
            Step::Mutator(
                MutatorAction::Announce { .. }
                | MutatorAction::AnnounceTarget { .. }
                | MutatorAction::ColourAnnounced { .. }
                | MutatorAction::Retire { .. }
                | MutatorAction::Withdraw { .. },
            ) => Stutter,
            Step::Collector(Action::Colour { .. }) => Stutter,
            Step::Collector(Action::StopColouring) => Stutter,
            Step::Collector(Action::StopAppending) => Stutter,
            Step::Collector(Action::ContinueAppending) => Stutter,
            // APPEND.1 ≪ COLLECT.1
            Step::Collector(Action::AppendWhite) => {
                One(level_0::Action::Append { n: from.shared.l })
            }
            Step::Collector(Action::BlackToWhite) => Stutter,
        }
    }
    // ANCHOR_END: mapping

    fn invariants(&self) -> Vec<Invariant<Level1>> {
        vec![inv1(), inv2()]
    }

    /// That garbage is collected is a property of the specification's memory, which level 1 does not have: it may colour
    /// garbage in every cycle. Levels 2 and 3 have it, composed with this refinement.
    fn liveness(&self) -> Vec<Property<Level1>> {
        let collected = super::collected::collected::<Level0>(&self.specification.scope);
        let through_map =
            |of_memory: &Property<Level0>| of_memory.pull_back(|s: &State| s.shared.m);
        let mut properties: Vec<_> = collected.iter().map(through_map).collect();
        properties.extend([colours(), appends()]);
        properties.extend(white_collected(&self.specification.scope));
        properties
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }

    fn at_rest(&self, state: &State, process: Process) -> bool {
        at_rest(&state.shared, process)
    }
}
