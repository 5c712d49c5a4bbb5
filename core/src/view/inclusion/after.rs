//! States of the specification after traces: sets of them, and the sets to which labels lead.

use foldhash::HashMap;

use super::automaton::Automaton;
use super::bounds::{Bounds, Stop};
use super::edge::StepLabel;
use super::sets::{SetId, Sets};
use super::several_steps::SeveralSteps;

/// Sets of the states of an automaton in which it can be after traces.
#[derive(Default)]
pub(super) struct AfterTraces {
    pub sets: Sets,
    images: HashMap<(SetId, StepLabel), SetId>,
    several: SeveralSteps,
}

impl AfterTraces {
    /// The set to which a label leads, if it was asked for.
    pub fn known(&self, set: SetId, label: StepLabel) -> Option<SetId> {
        match label {
            // What shows nothing leaves the set alone.
            StepLabel::INVISIBLE => Some(set),
            label => self.images.get(&(set, label)).copied(),
        }
    }

    /// States after a label that is shown in a state of a set, and what shows nothing after that.
    pub fn image(
        &mut self,
        set: SetId,
        label: StepLabel,
        automaton: &mut Automaton<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<SetId, Stop> {
        if let Some(image) = self.known(set, label) {
            return Ok(image);
        }
        let mut targets = Vec::new();
        for from in self.sets.members(set) {
            bounds.work(automaton.states())?;
            for place in automaton.labelled(*from, label) {
                targets.push(automaton.edge(place).to);
            }
        }
        let image = self.closed(&targets, automaton, bounds)?;
        self.images.insert((set, label), image);
        Ok(image)
    }

    /// States that are reached from some by steps that show nothing.
    pub fn closed(
        &mut self,
        states: &[u32],
        automaton: &mut Automaton<'_>,
        bounds: &mut Bounds<'_>,
    ) -> Result<SetId, Stop> {
        let reached = self
            .several
            .search(states, StepLabel::INVISIBLE, automaton, bounds)?;
        let mut states: Vec<u32> = reached.nodes().map(|reached| reached.target.to).collect();
        states.sort_unstable();
        Ok(self.sets.number(states))
    }
}
