//! Level 3 of Ben-Ari's collector refines level 2 by the mapping that is found, as its table says it.

use std::collections::HashMap;

use refmap::internal::inclusion::{Case, Part, Table};
use refmap::{AbstractSteps, ActionOf, Refinement, StateOf, TransitionSystem, steps};
use refmap_systems::ben_ari::{Level2, Level3, Scope};
use serde_json::Value;

use super::reached;

/// The refinement by a table. A step is one that leads from the image to the image.
pub struct Found {
    implementation: Level3,
    specification: Level2,
    images: HashMap<StateOf<Level3>, StateOf<Level2>>,
}

impl Found {
    /// That of the states that are reached.
    pub fn new(scope: Scope, table: &Table) -> Self {
        let (implementation, specification) = (Level3::new(scope), Level2::new(scope));
        let parts = table.parts.as_ref().expect("there are few states");
        let shown = |image: &StateOf<Level2>| {
            let shown = specification.show(image);
            let values = parts.iter().map(|Part { part, .. }| at(part, &shown));
            values.collect::<Vec<Value>>()
        };
        let all = reached(&specification).into_iter();
        let all: HashMap<Vec<Value>, StateOf<Level2>> =
            all.map(|image| (shown(&image), image)).collect();
        let states = reached(&implementation).into_iter();
        let images = states.map(|state| {
            let shown = implementation.show(&state);
            let image: Vec<Value> = parts.iter().map(|part| value(part, &shown)).collect();
            let image = all[&image];
            (state, image)
        });
        Self {
            images: images.collect(),
            implementation,
            specification,
        }
    }
}

/// A part of the image of a state.
fn value(Part { by, cases, .. }: &Part, state: &Value) -> Value {
    let fields: Vec<Value> = by.iter().map(|field| at(field, state)).collect();
    let Some(cases) = cases else {
        return fields[0].clone();
    };
    let mut of_fields = cases.iter().filter(|Case { values, .. }| *values == fields);
    let case = of_fields.next().expect("the state is reached");
    assert_eq!(of_fields.next(), None, "the fields decide the part");
    case.image.clone()
}

/// The value at a path, of which the first name is that of the whole.
fn at(path: &str, value: &Value) -> Value {
    let pointer = path.replace('[', "/").replace(']', "").replace('.', "/");
    let pointer = pointer.find('/').map_or("", |first| &pointer[first..]);
    value.pointer(pointer).expect("it has the field").clone()
}

impl Refinement for Found {
    type Implementation = Level3;
    type Specification = Level2;

    fn implementation(&self) -> &Level3 {
        &self.implementation
    }

    fn specification(&self) -> &Level2 {
        &self.specification
    }

    fn map(&self, state: &StateOf<Level3>) -> StateOf<Level2> {
        self.images[state]
    }

    fn abstract_steps(
        &self,
        from: &StateOf<Level3>,
        _: &ActionOf<Level3>,
        to: &StateOf<Level3>,
    ) -> AbstractSteps<ActionOf<Level2>> {
        let [from, to] = [from, to].map(|state| &self.images[state]);
        if from == to {
            return AbstractSteps::Stutter;
        }
        let mut steps = steps(&self.specification, from).into_iter();
        let step = steps.find(|(_, target)| target == to);
        AbstractSteps::One(step.expect("the step is one abstract step").0)
    }
}
