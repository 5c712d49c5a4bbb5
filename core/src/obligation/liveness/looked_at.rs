//! Facts that liveness asks of each state, once: its predicates, and its image.

use std::ops::Range;

use crate::obligation::found::SearchResult;
use crate::obligation::kept::{PanickedAt, kept};
use crate::state::numbered::Numbered;
use crate::statement::asked::model_call::catch;
use crate::statement::refinement::Refinement;
use crate::statement::system::StateOf;
use crate::walk::bits::Bits;
use crate::walk::explore::NodeId;
use crate::walk::parallel::run_in_ranges;

/// Facts found about all states whose steps are recorded.
pub(super) struct LookedAt<R: Refinement> {
    /// The states outside of the constraint, which are not expanded.
    pub cut: Bits,
    /// Per property.
    pub predicates: Vec<Predicates>,
    /// The images, if fairness of the specification is asked for: of states that come one after the other, in parts.
    pub images: Option<Vec<Images<R>>>,
}

/// States in which the predicates of a property hold.
#[derive(Clone)]
pub(super) struct Predicates {
    pub premise: Bits,
    pub conclusion: Bits,
}

/// The images of states that come one after the other.
pub(super) struct Images<R: Refinement> {
    pub all: Numbered<StateOf<R::Specification>>,
    /// Per state, the number of its image.
    pub of_states: Vec<u32>,
}

impl<R: Refinement> Default for Images<R> {
    fn default() -> Self {
        Self {
            all: Numbered::default(),
            of_states: Vec::new(),
        }
    }
}

/// Facts found about some states.
struct StateFacts<R: Refinement> {
    states: Range<u32>,
    /// States outside of the constraint.
    cut: Vec<u32>,
    /// Per state and property, in this order, premise and conclusion.
    holding: Vec<[bool; 2]>,
    images: Images<R>,
}

impl<R: Refinement> LookedAt<R> {
    /// Looks at so many states, the first ones.
    pub fn new(
        found: &SearchResult<'_, R>,
        states: usize,
        mapped: bool,
    ) -> Result<Self, PanickedAt> {
        let properties = found.refinement.liveness();
        let (refinement, constraint, reached) = (found.refinement, found.constraint, found.states);
        let look = |range: Range<u32>| -> Result<StateFacts<R>, PanickedAt> {
            let mut part = StateFacts {
                states: range.clone(),
                cut: Vec::new(),
                holding: Vec::with_capacity(range.len() * properties.len()),
                images: Images::default(),
            };
            for id in range.map(NodeId) {
                let state = kept(refinement, reached, id.into())?;
                let is_expanded = catch(|| constraint.is_none_or(|one| one.contains(&state)));
                if !is_expanded.map_err(|panic| (id.into(), "the constraint", panic))? {
                    part.cut.push(id.0);
                }
                for property in &properties {
                    let holds = || {
                        [
                            property.premise_holds(&state),
                            property.conclusion_holds(&state),
                        ]
                    };
                    let holds = catch(holds);
                    part.holding
                        .push(holds.map_err(|panic| (id.into(), "a liveness property", panic))?);
                }
                if mapped {
                    let image = catch(|| refinement.map(&state));
                    let image = image.map_err(|panic| (id.into(), "`map`", panic))?;
                    part.images.of_states.push(part.images.all.number(image));
                }
            }
            Ok(part)
        };
        let parts: Vec<StateFacts<R>> = run_in_ranges(states as u32, found.settings.threads, look)
            .into_iter()
            .collect::<Result<_, _>>()?;
        // One more, of which nothing holds, may stand for the other states.
        let none = Predicates {
            premise: Bits::none(states + 1),
            conclusion: Bits::none(states + 1),
        };
        let mut predicates = vec![none; properties.len()];
        for part in &parts {
            let mut holding = part.holding.iter();
            for at in part.states.clone() {
                for (of, [premise, conclusion]) in predicates.iter_mut().zip(&mut holding) {
                    if *premise {
                        of.premise.insert(at);
                    }
                    if *conclusion {
                        of.conclusion.insert(at);
                    }
                }
            }
        }
        let mut cut = Bits::none(states);
        let all_cut = parts.iter().flat_map(|part| &part.cut);
        all_cut.for_each(|state| cut.insert(*state));
        let images = mapped.then(|| parts.into_iter().map(|part| part.images).collect());
        Ok(Self {
            cut,
            predicates,
            images,
        })
    }
}
