//! States to which several abstract steps lead that show a label.

use super::automaton::Automaton;
use super::bounds::{Bounds, Stop};
use super::edge::StepLabel;
use super::walk::Walk;

/// Target of abstract steps that show a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AbstractTarget {
    pub to: u32,
    /// Number of abstract steps, the fewest.
    pub steps: u32,
}

/// Searches for what several abstract steps lead to.
#[derive(Default)]
pub(super) struct SeveralSteps {
    /// The last search that met each state, by number, before and after the step that is visible.
    last: [Vec<u32>; 2],
    search: u32,
}

/// Abstract state that several steps lead to.
#[derive(Clone, Copy)]
pub(super) struct Weak {
    pub target: AbstractTarget,
    /// True if the label has been shown.
    pub is_shown: bool,
}

impl SeveralSteps {
    /// Finds the targets of invisible steps from some states with one between them that shows the label, if that is visible.
    pub fn search(
        &mut self,
        from: &[u32],
        label: StepLabel,
        automaton: &mut Automaton<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Walk<Weak>, Stop> {
        self.search += 1;
        let mut walk = Walk::default();
        for from in from {
            let first = Weak {
                target: AbstractTarget {
                    to: *from,
                    steps: 0,
                },
                // Where nothing is to be shown, it has been shown.
                is_shown: label == StepLabel::INVISIBLE,
            };
            self.meet(first, None, &mut walk);
        }
        walk.breadth_first(|walk, at| {
            let Weak { target, is_shown } = walk.node(at);
            let to_show = if is_shown { &[][..] } else { &[label] };
            for shows in [StepLabel::INVISIBLE].iter().chain(to_show) {
                for place in automaton.labelled(target.to, *shows) {
                    bounds.work(automaton.states())?;
                    let to = automaton.edge(place).to;
                    let steps = target.steps + 1;
                    let next = Weak {
                        target: AbstractTarget { to, steps },
                        is_shown: is_shown || *shows == label,
                    };
                    self.meet(next, Some(at), walk);
                }
            }
            Ok(None::<()>)
        })?;
        Ok(walk)
    }

    /// Notes a state, if it is new to the search.
    fn meet(&mut self, reached: Weak, before: Option<u32>, walk: &mut Walk<Weak>) {
        let last = &mut self.last[usize::from(reached.is_shown)];
        let at = reached.target.to as usize;
        if last.len() <= at {
            last.resize(at + 1, 0);
        }
        if std::mem::replace(&mut last[at], self.search) != self.search {
            walk.meet(reached, before);
        }
    }
}
