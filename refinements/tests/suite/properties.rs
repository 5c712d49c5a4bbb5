//! Properties of random behaviours of Ben-Ari's level 3.

use proptest::prelude::*;
use refmap::random::strategy::{states, traces};
use refmap::{AbstractSteps, Invariant, Refinement, Trace, TransitionSystem, replay};
use refmap_refinements::ben_ari::Refinement3;
use refmap_systems::ben_ari::{Level3, Scope};

const SCOPE: Scope = Scope::new(5, 2, 2);
/// Enough for a whole cycle of the collector.
const STEPS: u32 = 600;

fn invariants() -> Vec<Invariant<Level3>> {
    Refinement3::new(SCOPE).invariants()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_behaviour_replays(trace in traces(Level3::new(SCOPE), STEPS)) {
        let actions = trace.steps.iter().map(|(action, _)| *action);
        let replayed: Trace<Level3> = replay(&Level3::new(SCOPE), trace.initial, actions).unwrap();
        prop_assert_eq!(replayed, trace);
    }

    /// [Section 6.3.2, Appendix B.2]
    #[test]
    fn the_invariants_hold_all_the_way(trace in traces(Level3::new(SCOPE), STEPS)) {
        for invariant in invariants() {
            for state in trace.states() {
                prop_assert!(
                    !invariant.applies(state) || invariant.concludes(state),
                    "{} in {:?}", invariant.name(), state
                );
            }
        }
    }

    /// [Definition 6 (3)]
    #[test]
    fn every_step_is_simulated(trace in traces(Level3::new(SCOPE), STEPS)) {
        let refinement = Refinement3::new(SCOPE);
        for (from, (action, to)) in trace.states().zip(&trace.steps) {
            let (image, target) = (refinement.map(from), refinement.map(to));
            match refinement.abstract_steps(from, action, to) {
                AbstractSteps::One(answer) => {
                    prop_assert!(refinement.specification().allows(&image, &answer, &target));
                }
                AbstractSteps::Stutter => prop_assert_eq!(image, target),
                several @ AbstractSteps::Several(_) => prop_assert!(false, "{several:?}"),
            }
        }
    }

    /// [Appendix B.3] The collector and the mutator never stop.
    #[test]
    fn no_state_is_the_last(state in states(Level3::new(SCOPE), STEPS)) {
        let mut steps = 0;
        Level3::new(SCOPE).next(&state, &mut |_, _| steps += 1);
        prop_assert!(steps > 0);
    }
}
