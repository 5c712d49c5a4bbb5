//! A supposed symmetry that is none, far from the initial state: it is noticed although by then each state
//! is tested with one permutation only.

use refmap::AbstractSteps::{self, One};
use refmap::obligation::{Checker, Symmetry};
use refmap::{Refinement, Rule, RuleId, Settings, Symmetric, TransitionSystem, Verdict};

const MOST: u8 = 12;

/// Three counters, and how far the last one goes.
#[derive(Clone)]
struct Counters {
    last: u8,
}

impl TransitionSystem for Counters {
    type State = [u8; 3];
    type Action = usize;
    type Observation = u8;

    fn rules(&self) -> &[Rule] {
        const { &[Rule::new("count", "counter", "")] }
    }

    fn rule_of(&self, _: &usize) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut([u8; 3])) {
        visit([0; 3]);
    }

    fn next(&self, from: &[u8; 3], visit: &mut impl FnMut(usize, [u8; 3])) {
        for counter in 0..3 {
            let most = if counter == 2 { self.last } else { MOST };
            if from[counter] < most {
                let mut to = *from;
                to[counter] += 1;
                visit(counter, to);
            }
        }
    }

    fn observe(&self, state: &[u8; 3]) -> u8 {
        state.iter().sum()
    }

    fn may_stop(&self, _: &[u8; 3]) -> bool {
        true
    }
}

impl Symmetric for Counters {
    type Permutation = [usize; 3];

    fn permutations(&self) -> Vec<[usize; 3]> {
        vec![
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ]
    }

    fn permute(&self, by: &[usize; 3], state: &[u8; 3]) -> [u8; 3] {
        let mut to = [0; 3];
        for (counter, value) in state.iter().enumerate() {
            to[by[counter]] = *value;
        }
        to
    }

    fn permute_action(&self, by: &[usize; 3], _: &[u8; 3], counter: &usize, _: &[u8; 3]) -> usize {
        by[*counter]
    }
}

/// Counters refine themselves.
struct Same(Counters);

impl Refinement for Same {
    type Concrete = Counters;
    type Abstract = Counters;

    fn implementation(&self) -> &Counters {
        &self.0
    }

    fn specification(&self) -> &Counters {
        &self.0
    }

    fn map(&self, state: &[u8; 3]) -> [u8; 3] {
        *state
    }

    fn abstract_steps(&self, _: &[u8; 3], counter: &usize, _: &[u8; 3]) -> AbstractSteps<usize> {
        One(*counter)
    }
}

#[test]
fn an_asymmetry_far_from_the_start_is_noticed() {
    let settings = Settings {
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    let check = |last| {
        let refinement = Same(Counters { last });
        let checker = Checker::new(&refinement).symmetric();
        checker.check(&settings).expect("it can be checked")
    };
    let alike = check(MOST);
    assert_eq!(alike.verdict, Some(Verdict::Holds));
    assert_eq!(alike.states, 455, "3 of 13 values, whatever their order");
    let report = check(MOST - 1);
    let model = report.obligation("model").expect("the symmetry is none");
    assert_eq!(model.verdict, Verdict::Violated);
    let shown = &model.counterexamples[0];
    assert!(
        shown.explanation.contains("does not commute"),
        "{}",
        shown.explanation
    );
    // More states than are tested with all permutations come before.
    assert!(shown.length >= usize::from(MOST) - 1, "{}", shown.length);
}
