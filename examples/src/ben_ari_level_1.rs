//! Ben-Ari's collector at level 1: it colours nodes, and collects the white ones.
//!
//! The one idea: a step may be right only because of the steps before it. Invariants state what those
//! have established, and the refinement assumes them.
//!
//! To be read beside Havelund & Shankar, *A Refinement Proof for a Garbage Collector*, section 6.1:
//! the variables are those of Fig. 6, the mutator is Fig. 8, the collector Fig. 9, and the names of
//! rules and locations are those of Appendix A.3. The memory (Figs. 2 and 3, Appendix A.2.1), the
//! colours (Fig. 7) and the specification (Figs. 4 and 5) are taken from `refmap_systems`.
//!
//! Deviation D1: Q and L begin at 0, where the paper begins anywhere. Nothing is hidden: each is
//! written before it is first read.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::obligation::Until;
use refmap::{Invariant, Process, Refinement, Report, Settings, TransitionSystem, check, offer};
use refmap_systems::ben_ari::{
    Colours, InitialColours, Level0, Memory, Node, Scope, Shape, level_0,
};
use serde::Serialize;

/// The state [Fig. 6, with the two program counters of Appendix A.3].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
struct State {
    /// M, the only observable.
    m: Memory,
    /// C.
    c: Colours,
    /// Q, the node that the mutator has to colour.
    q: Node,
    /// L, the node that the append phase looks at next.
    l: u8,
    /// The location of the mutator.
    mu: Mu,
    /// The location of the collector.
    chi: Chi,
}

impl<S: ?Sized> refmap::State<S> for State {}

/// The locations of Fig. 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Mu {
    Mutate,
    Colour,
}

/// The locations of Fig. 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Chi {
    Colour,
    TestL,
    Append,
}

/// The rules of Figs. 8 and 9 in their order; what `choose` binds is an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
#[rule(process = "collector")]
enum Action {
    #[rule(process = "mutator", source = "Fig. 8, MUTATE.1")]
    Mutate { n: Node, i: u8, k: Node },
    #[rule(process = "mutator", source = "Fig. 8, COLOUR.1")]
    ColourTarget,
    #[rule(source = "Fig. 9, COLOUR.1")]
    Colour { n: Node },
    #[rule(source = "Fig. 9, COLOUR.2")]
    StopColouring,
    #[rule(source = "Fig. 9, TEST_L.1")]
    StopAppending,
    #[rule(source = "Fig. 9, TEST_L.2")]
    ContinueAppending,
    #[rule(source = "Fig. 9, APPEND.1")]
    AppendWhite,
    #[rule(source = "Fig. 9, APPEND.2")]
    BlackToWhite,
}

/// When colouring may stop: the guard of COLOUR.2.
#[derive(Clone, Copy, Debug)]
enum StopColouring {
    /// When all accessible nodes are black, as in Fig. 9.
    Blackened,
    /// At any time.
    Unguarded,
}

/// Level 1, for a memory of some shape.
struct Level1 {
    shape: Shape,
    stop: StopColouring,
}

impl Level1 {
    /// Figs. 8 and 9: one arm a rule, its guard behind `if`, its effect behind the arrow.
    fn rule(&self, s: &State, action: Action) -> Option<State> {
        let (m, c, q, l, mu, chi) = (s.m, s.c, s.q, s.l, s.mu, s.chi);
        Some(match action {
            // Fig. 8, MUTATE.1
            Action::Mutate { n, i, k } if mu == Mu::Mutate && m.accessible().contains(k) => State {
                m: m.set_son(n, i, k),
                q: k,
                mu: Mu::Colour,
                ..*s
            },
            // Fig. 8, COLOUR.1
            Action::ColourTarget if mu == Mu::Colour => State {
                c: c.set_colour(q, true),
                mu: Mu::Mutate,
                ..*s
            },

            // Fig. 9, COLOUR.1
            Action::Colour { n } if chi == Chi::Colour => State {
                c: c.set_colour(n, true),
                ..*s
            },
            // Fig. 9, COLOUR.2
            Action::StopColouring if chi == Chi::Colour && self.may_stop_colouring(s) => State {
                l: 0,
                chi: Chi::TestL,
                ..*s
            },
            // Fig. 9, TEST_L.1
            Action::StopAppending if chi == Chi::TestL && l == self.shape.nodes => State {
                chi: Chi::Colour,
                ..*s
            },
            // Fig. 9, TEST_L.2
            Action::ContinueAppending if chi == Chi::TestL && l < self.shape.nodes => State {
                chi: Chi::Append,
                ..*s
            },
            // Fig. 9, APPEND.1
            Action::AppendWhite if chi == Chi::Append && !c.colour(l) => State {
                m: m.append_to_free(l),
                l: l + 1,
                chi: Chi::TestL,
                ..*s
            },
            // Fig. 9, APPEND.2
            Action::BlackToWhite if chi == Chi::Append && c.colour(l) => State {
                c: c.set_colour(l, false),
                l: l + 1,
                chi: Chi::TestL,
                ..*s
            },
            _ => return None,
        })
    }

    /// The guard of COLOUR.2, and the one place in which the variants differ.
    fn may_stop_colouring(&self, s: &State) -> bool {
        match self.stop {
            StopColouring::Blackened => s.c.blackened(&s.m, 0),
            StopColouring::Unguarded => true,
        }
    }
}

impl TransitionSystem for Level1 {
    type State = State;
    type Action = Action;
    type Observation = Memory;

    /// All pointers are 0, and the colours are any [section 4.1; Appendix A.3, `init`].
    fn initial(&self, visit: &mut impl FnMut(State)) {
        for c in Colours::initial(self.shape, InitialColours::Any) {
            visit(State {
                m: Memory::null_array(self.shape),
                c,
                q: 0,
                l: 0,
                mu: Mu::Mutate,
                chi: Chi::Colour,
            });
        }
    }

    fn next(&self, s: &State, visit: &mut impl FnMut(Action, State)) {
        let mut step = |action| offer(visit, action, || self.rule(s, action));
        for (n, i) in self.shape.cells() {
            for k in self.shape.nodes() {
                step(Action::Mutate { n, i, k });
            }
        }
        step(Action::ColourTarget);
        for n in self.shape.nodes() {
            step(Action::Colour { n });
        }
        step(Action::StopColouring);
        step(Action::StopAppending);
        step(Action::ContinueAppending);
        step(Action::AppendWhite);
        step(Action::BlackToWhite);
    }

    fn observe(&self, s: &State) -> Memory {
        s.m
    }
}

/// The claim: level 1 collects only garbage [section 6.1.2].
struct CollectsOnlyGarbage {
    level_1: Level1,
    level_0: Level0,
}

impl Refinement for CollectsOnlyGarbage {
    type Concrete = Level1;
    type Abstract = Level0;

    fn implementation(&self) -> &Level1 {
        &self.level_1
    }

    fn specification(&self) -> &Level0 {
        &self.level_0
    }

    /// *abs* takes M to M and hides the rest.
    fn map(&self, s: &State) -> Memory {
        s.m
    }

    fn abstract_steps(
        &self,
        s: &State,
        action: &Action,
        _: &State,
    ) -> AbstractSteps<level_0::Action> {
        match *action {
            // MUTATE.1 ≪ MODIFY.1
            Action::Mutate { n, i, k } => One(level_0::Action::Mutate {
                mutator: 0,
                n,
                i,
                k,
            }),
            // APPEND.1 ≪ COLLECT.1
            Action::AppendWhite => One(level_0::Action::Append { n: s.l }),
            Action::ColourTarget
            | Action::Colour { .. }
            | Action::StopColouring
            | Action::StopAppending
            | Action::ContinueAppending
            | Action::BlackToWhite => Stutter,
        }
    }

    fn invariants(&self) -> Vec<Invariant<Level1>> {
        vec![
            // What APPEND.1 ≪ COLLECT.1 needs: if L is accessible it is black, and so not appended.
            Invariant::new("inv1", "Appendix B.2, inv1", |s: &State| s.c.colour(s.l))
                .when(|s: &State| s.chi == Chi::Append && s.m.accessible().contains(s.l)),
            // What inv1 needs: the same of all nodes from L on, to which L will come.
            Invariant::new("inv2", "Appendix B.2, inv2", |s: &State| {
                s.c.blackened(&s.m, s.l)
            })
            .when(|s: &State| matches!(s.chi, Chi::TestL | Chi::Append)),
        ]
    }

    /// A collector that blocks the mutator for ever is no refinement [section 2].
    fn environment(&self) -> &[Process] {
        const { &[Process::new("mutator")] }
    }

    fn at_rest(&self, s: &State, _: Process) -> bool {
        s.mu == Mu::Mutate
    }
}

fn run(scope: Scope, stop: StopColouring) -> Report {
    let refinement = CollectsOnlyGarbage {
        level_1: Level1 {
            shape: scope.shape,
            stop,
        },
        level_0: Level0::new(scope),
    };
    // To the end, since a violated invariant is only the beginning of the story told below.
    let settings = Settings {
        until: Until::End,
        ..Settings::default()
    };
    let report = check(&refinement, &settings).expect("every obligation is checked");
    let Shape { nodes, sons, roots } = scope.shape;
    let instance = [
        ("nodes", nodes.to_string()),
        ("sons", sons.to_string()),
        ("roots", roots.to_string()),
        ("stop_colouring", format!("{stop:?}")),
    ];
    report.named("level 1", instance)
}

pub fn main() {
    let scope = Scope::new(2, 1, 1);
    println!("{}", run(scope, StopColouring::Blackened));

    // The change that makes the check fail.
    println!("{}", run(scope, StopColouring::Unguarded));
}

// The second report holds three counterexamples. They are best read from the longest to the
// shortest, since that is how one finds the invariants of a proof.
//
// `simulation` fails after three steps: root 0 is appended to the free list. It is white and so
// looks like garbage, but it is accessible, and then COLLECT.1 is not enabled. That the memory stays
// as it was, as after a stutter, is luck: the free list begins in a cell of that very root.
//
// The append is not the mistake, for it does what Fig. 9 says. One step earlier `inv1` is false
// already: the collector is at APPEND with an L that is accessible and white. One step earlier again
// `inv2` is false: the collector is at TEST_L, and a node from L on is accessible and white. The
// step that led there is COLOUR.2, and it is the guard it lacks that would have established `inv2`.
//
// So an invariant fails where the mistake is made, and the simulation where it does its damage.
// `observation` fails nowhere: a collector may ruin the memory and still show it faithfully.

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::obligation::Selection;
    use refmap::{Evidence, Verdict};
    use refmap_refinements::Checked;
    use refmap_refinements::ben_ari::Refinement1;

    #[test]
    fn level_1_collects_only_garbage() {
        let report = run(Scope::new(2, 1, 1), StopColouring::Blackened);
        assert_eq!(report.verdict, Some(Verdict::Holds));
        assert_eq!(report.evidence, Evidence::Exhaustive);
        assert_eq!((report.states, report.transitions), (169, 569));
        assert!(report.unexercised.is_empty());
    }

    /// The two transcriptions of the figures, here and in `refmap_systems`, span the same graphs.
    #[test]
    fn level_1_is_that_of_the_systems() {
        for (nodes, sons, roots) in [(2, 1, 1), (2, 1, 2), (2, 2, 1), (3, 1, 1), (3, 1, 2)] {
            let scope = Scope::new(nodes, sons, roots);
            let count = Settings {
                obligations: Selection::Nothing,
                ..Settings::default()
            };
            let there = Refinement1::new(scope).checker().check(&count);
            let there = there.expect("nothing is checked");
            let here = run(scope, StopColouring::Blackened);
            assert_eq!(here.states, there.states, "{scope:?}");
            assert_eq!(here.transitions, there.transitions, "{scope:?}");
            assert_eq!(here.depth, there.depth, "{scope:?}");
        }
    }

    #[test]
    fn without_its_guard_stop_colouring_leads_to_the_append_of_a_root() {
        let report = run(Scope::new(2, 1, 1), StopColouring::Unguarded);
        assert_eq!(report.verdict, Some(Verdict::Violated));
        let lengths: Vec<_> = report
            .obligations
            .iter()
            .flat_map(|row| &row.counterexamples)
            .map(|first| (first.obligation.as_str(), first.length))
            .collect();
        assert_eq!(
            lengths,
            [
                ("simulation", 3),
                ("invariant:inv1", 2),
                ("invariant:inv2", 1)
            ]
        );
    }
}
