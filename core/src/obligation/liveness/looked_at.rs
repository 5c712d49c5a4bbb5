//! What liveness asks of each state, once: its predicates, and its image with the steps that the specification takes there.

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::assumed::{Instance, instances_of};
use crate::explore::StateId;
use crate::fairness::Fairness;
use crate::liveness::Bits;
use crate::model_call::catch;
use crate::obligation::environment::{PanickedAt, kept};
use crate::obligation::found::Found;
use crate::parallel::run_in_parallel;
use crate::refinement::Refinement;
use crate::rule::Rule;
use crate::system::{StateOf, TransitionSystem};

/// What was found of all states whose steps are recorded.
pub(super) struct LookedAt<R: Refinement> {
    /// Per property, where its premise holds, and where its conclusion does.
    pub predicates: Vec<(Bits, Bits)>,
    /// The images, if fairness of the specification is asked for.
    pub mapped: Option<Mapped<R>>,
}

/// The same of some states.
struct Part<R: Refinement> {
    states: Range<u32>,
    /// Per state and property, in this order, premise and conclusion.
    holding: Vec<[bool; 2]>,
    images: Vec<StateOf<R::Abstract>>,
    /// Per state, the place of its image among these.
    places: Vec<u32>,
}

impl<R: Refinement> LookedAt<R> {
    /// Looks at so many states, the first ones.
    pub fn new(found: &Found<'_, R>, states: usize, mapped: bool) -> Result<Self, PanickedAt> {
        let properties = found.refinement.liveness();
        let look = |range: Range<u32>| -> Result<Part<R>, PanickedAt> {
            let mut part = Part {
                states: range.clone(),
                holding: Vec::with_capacity(range.len() * properties.len()),
                images: Vec::new(),
                places: Vec::new(),
            };
            let mut numbers: HashMap<StateOf<R::Abstract>, u32> = HashMap::new();
            for id in range.map(StateId) {
                let state = kept(found.refinement, found.states, id)?;
                for property in &properties {
                    let holds = || {
                        [
                            property.premise_holds(&state),
                            property.conclusion_holds(&state),
                        ]
                    };
                    let holds = catch(holds);
                    part.holding
                        .push(holds.map_err(|panic| (id, "a liveness property", panic))?);
                }
                if mapped {
                    let image = catch(|| found.refinement.map(&state));
                    let image = image.map_err(|panic| (id, "`map`", panic))?;
                    let place = numbers.entry(image).or_insert_with_key(|image| {
                        part.images.push(image.clone());
                        part.images.len() as u32 - 1
                    });
                    part.places.push(*place);
                }
            }
            Ok(part)
        };
        let share = (states as u32)
            .div_ceil(found.settings.threads.max(1) as u32)
            .max(1);
        let ranges = (0..states as u32)
            .step_by(share as usize)
            .map(|start| start..(states as u32).min(start + share));
        let parts: Vec<Part<R>> = run_in_parallel(ranges, look)
            .into_iter()
            .collect::<Result<_, _>>()?;
        // One more, of which nothing holds, may stand for the other states.
        let none = Bits::none(states + 1);
        let mut predicates = vec![(none.clone(), none); properties.len()];
        for part in &parts {
            let mut holding = part.holding.iter();
            for at in part.states.clone() {
                for ((premise, conclusion), [first, second]) in
                    predicates.iter_mut().zip(&mut holding)
                {
                    if *first {
                        premise.insert(at);
                    }
                    if *second {
                        conclusion.insert(at);
                    }
                }
            }
        }
        let mapped = mapped.then(|| Mapped::new(found.refinement, parts));
        Ok(Self {
            predicates,
            mapped: mapped.transpose()?,
        })
    }
}

/// The images of states, and what the specification does there.
pub(super) struct Mapped<R: Refinement> {
    /// The conditions of the specification, of each process that takes a step of them somewhere.
    pub instances: Vec<Instance>,
    /// Per state, the number of its image.
    images: Vec<u32>,
    /// Per image, the rules and processes of the steps that change it, with the numbers of the targets that are images.
    steps: Vec<Vec<MappedStep>>,
    /// The rules of which `next` visits a step in some image.
    visited: BTreeSet<usize>,
    of: PhantomData<fn(R)>,
}

/// A step of the specification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MappedStep {
    rule: u32,
    process: Option<u16>,
    target: Option<u32>,
}

impl<R: Refinement> Mapped<R> {
    fn new(refinement: &R, parts: Vec<Part<R>>) -> Result<Self, PanickedAt> {
        let specification = refinement.specification();
        let mut numbers: HashMap<StateOf<R::Abstract>, u32> = HashMap::new();
        let mut images = Vec::new();
        // Per image, a state that has it.
        let mut first = Vec::new();
        for part in parts {
            let of_part: Vec<u32> = part
                .images
                .into_iter()
                .map(|image| {
                    let next = numbers.len() as u32;
                    *numbers.entry(image).or_insert(next)
                })
                .collect();
            for (at, place) in part.states.zip(part.places) {
                let image = of_part[place as usize];
                if image as usize >= first.len() {
                    first.resize(image as usize + 1, StateId(at));
                }
                images.push(image);
            }
        }
        let mut steps = vec![Vec::new(); numbers.len()];
        let mut taken = BTreeSet::new();
        let mut visited = BTreeSet::new();
        for (image, number) in &numbers {
            let steps = &mut steps[*number as usize];
            catch(|| {
                specification.next(image, &mut |action, to| {
                    let rule = specification.rule_of(&action).0;
                    visited.insert(rule);
                    if to != *image {
                        let rule = rule as u32;
                        let process = specification.process_of(&action).number;
                        taken.insert((rule, process));
                        steps.push(MappedStep {
                            rule,
                            process,
                            target: numbers.get(&to).copied(),
                        });
                    }
                });
            })
            .map_err(|panic| {
                (
                    first[*number as usize],
                    "`next` of the specification",
                    panic,
                )
            })?;
            steps.sort_unstable();
            steps.dedup();
        }
        let stated = specification.fairness();
        Ok(Self {
            instances: instances_of(&stated, specification.rules(), &taken),
            images,
            steps,
            visited,
            of: PhantomData,
        })
    }

    /// Whether the image of a state enables the action of a condition.
    pub fn enables(&self, at: u32, instance: usize) -> bool {
        let instance = &self.instances[instance];
        let mut steps = self.steps[self.images[at as usize] as usize].iter();
        steps.any(|step| instance.takes(step.rule, step.process))
    }

    /// Whether going from a state to another is, of their images, a step of the action of a condition.
    pub fn takes(&self, from: u32, to: u32, instance: usize) -> bool {
        let [from, to] = [from, to].map(|at| self.images[at as usize]);
        let instance = &self.instances[instance];
        let mut steps = self.steps[from as usize].iter();
        from != to
            && steps.any(|step| step.target == Some(to) && instance.takes(step.rule, step.process))
    }

    /// A rule of a condition that is simulated, and of which `next` visits no step anywhere.
    pub fn only_stated<'f>(
        &self,
        condition: &'f Fairness,
        specification: &R::Abstract,
        simulated: &[u64],
    ) -> Option<&'f str> {
        let rules = specification.rules().iter().enumerate();
        let is_only_stated =
            |(place, _): &(usize, &Rule)| simulated[*place] > 0 && !self.visited.contains(place);
        let stated: Vec<&str> = rules
            .filter(is_only_stated)
            .map(|(_, rule)| &*rule.name)
            .collect();
        condition.rules().find(|rule| stated.contains(rule))
    }
}
