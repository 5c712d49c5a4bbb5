//! Level 3 of Ben-Ari's collector refines level 2 by the mapping that is found: the function was pasted, and the types of its
//! variants were added.

use refmap::{AbstractSteps, ActionOf, Invariant, Process, Refinement, StateOf};
use refmap_refinements::ben_ari::Refinement3;
use refmap_systems::ben_ari::{Level2, Level3, level_2, level_3};

/// The refinement, with the mapping in the place of its own.
pub struct Found(pub Refinement3);

#[allow(clippy::clone_on_copy, reason = "it is pasted as it was found")]
impl Refinement for Found {
    type Implementation = Level3;
    type Specification = Level2;

    fn implementation(&self) -> &Level3 {
        self.0.implementation()
    }

    fn specification(&self) -> &Level2 {
        self.0.specification()
    }

    fn map(&self, state: &StateOf<Self::Implementation>) -> StateOf<Self::Specification> {
        level_2::State {
            chi: match state.chi {
                level_3::Chi::Append => level_2::Chi::Append,
                level_3::Chi::ColourRoots => level_2::Chi::ColourRoots,
                level_3::Chi::ColourSons => level_2::Chi::Propagate,
                level_3::Chi::Compare => level_2::Chi::Propagate,
                level_3::Chi::Count => level_2::Chi::Propagate,
                level_3::Chi::TestColour => level_2::Chi::Propagate,
                level_3::Chi::TestH => level_2::Chi::Propagate,
                level_3::Chi::TestI => level_2::Chi::Propagate,
                level_3::Chi::TestL => level_2::Chi::TestL,
            },
            shared: state.shared.clone(),
            k: state.k.clone(),
        }
    }

    fn abstract_steps(
        &self,
        from: &StateOf<Level3>,
        action: &ActionOf<Level3>,
        to: &StateOf<Level3>,
    ) -> AbstractSteps<ActionOf<Level2>> {
        self.0.abstract_steps(from, action, to)
    }

    fn invariants(&self) -> Vec<Invariant<Level3>> {
        self.0.invariants()
    }

    fn environment(&self) -> &[Process] {
        self.0.environment()
    }

    fn at_rest(&self, state: &StateOf<Level3>, process: Process) -> bool {
        self.0.at_rest(state, process)
    }
}

/// The function as it is found: without the types of variants, and with the line for states that are not reached.
pub fn as_found() -> String {
    let text = include_str!("found.rs");
    let start = text.find("    fn map(").expect("there is a mapping");
    let end = start + text[start..].find("\n    }\n").expect("it ends") + "\n    }\n".len();
    let lines = text[start..end]
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line));
    let mut found: String = lines.map(|line| format!("{line}\n")).collect();
    for name in ["level_2::Chi::", "level_3::Chi::", "level_2::"] {
        found = found.replace(name, "");
    }
    let rest =
        "            _ => unreachable!(\"no such state is reached\"),\n        },\n        shared";
    found.replace("        },\n        shared", rest)
}
