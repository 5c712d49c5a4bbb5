//! Crowds: identical components over a shared variable, drawn at random, one crowd refining another.
//!
//! What a component may do depends on its own place, on the shared variable, and on whether it is
//! the one that holds a token. The token names its holder, so a permutation has to rename it: sorting
//! the components alone would be no symmetry.

mod random;

use refmap::state::{Kept, Limits, NameVisitor, Names, RowOf, Shape, Sink, Source};
use refmap::{AbstractSteps, Invariant, Process, Refinement, Rule, RuleId, TransitionSystem};
use serde::Serialize;

pub use random::draw;

/// One configuration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct State {
    /// The shared variable.
    pub shared: u8,
    /// Holder of the token.
    pub holder: Option<u8>,
    /// Per component, its place.
    pub places: Vec<u8>,
}

/// Written by hand, in one word or in two.
impl refmap::State<Crowd> for State {
    const KEPT: Kept = Kept::Encoded;

    fn shape(crowd: &Crowd, _: Limits) -> Shape {
        let [shared, holder, place] = crowd.most().map(|most| u64::BITS - most.leading_zeros());
        let components = u32::from(crowd.components);
        let padding = if crowd.is_wide { u64::BITS } else { 0 };
        Shape::by_hand(Some(shared + holder + components * place + padding))
    }

    fn write(&self, crowd: &Crowd, _: Limits, sink: &mut impl Sink) {
        let [shared, holder, place] = crowd.most();
        sink.number(shared, self.shared.into());
        // Nobody is 0.
        sink.number(
            holder,
            self.holder.map_or(0, |holder| 1 + u64::from(holder)),
        );
        if crowd.is_wide {
            sink.number(u64::MAX, 0);
        }
        for at in &self.places {
            sink.number(place, (*at).into());
        }
    }

    fn read(crowd: &Crowd, _: Limits, source: &mut impl Source) -> Self {
        let [shared, holder, place] = crowd.most();
        let shared = source.number(shared) as u8;
        let holder = (source.number(holder) as u8).checked_sub(1);
        if crowd.is_wide {
            source.number(u64::MAX);
        }
        let places = (0..crowd.components).map(|_| source.number(place) as u8);
        Self {
            shared,
            holder,
            places: places.collect(),
        }
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.holder.each_name(0, visit);
        visit.rows(0, &mut [&mut RowOf::new(&mut self.places, |_, _| ())]);
    }
}

/// A move of a component, each by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Action {
    /// Index into the moves.
    pub taken: u8,
    /// By whom.
    pub component: u8,
}

/// Role of the token in a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Nothing, and it does not matter who holds it.
    Ignored,
    /// The component that moves takes it, if nobody holds it.
    Taken,
    /// The component that moves holds it, and gives it up.
    GivenUp,
}

/// Move of any component.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// An index into the rules.
    pub rule: usize,
    /// From this place, with this value of the shared variable.
    pub from: (u8, u8),
    /// To these.
    pub to: (u8, u8),
    /// Role of the token.
    pub token: Token,
}

/// A system of identical components.
#[derive(Clone, Debug)]
pub struct Crowd {
    pub rules: Vec<Rule>,
    pub components: u8,
    /// At which of these each component begins.
    pub initial: Vec<u8>,
    pub moves: Vec<Move>,
    /// Per place, what can be seen of a component there.
    pub shown: Vec<u8>,
    /// With which values of the shared variable it may stop.
    pub may_stop: Vec<bool>,
    /// A component that cannot make a move that all others can, which is no symmetry any more.
    pub odd: Option<Action>,
    /// Whether states take more than a word.
    pub is_wide: bool,
}

impl Crowd {
    /// A crowd that does nothing.
    pub fn new(rules: Vec<Rule>, components: u8, places: u8, values: u8) -> Self {
        Self {
            rules,
            components,
            initial: Vec::new(),
            moves: Vec::new(),
            shown: vec![0; places.into()],
            may_stop: vec![false; values.into()],
            odd: None,
            is_wide: false,
        }
    }

    /// The greatest values of the shared variable, of the holder with one for nobody, and of a place.
    fn most(&self) -> [u64; 3] {
        let [values, places] = [self.may_stop.len(), self.shown.len()].map(|count| count as u64);
        [values - 1, self.components.into(), places - 1]
    }
}

impl refmap::Action<Crowd> for Action {
    fn rules(system: &Crowd) -> &[Rule] {
        &system.rules
    }

    fn rule(&self, system: &Crowd) -> RuleId {
        RuleId(system.moves[usize::from(self.taken)].rule)
    }

    fn process(&self, _: &Crowd) -> Process {
        Process::numbered("component", self.component.into())
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.component.each_name(0, visit);
    }
}

impl TransitionSystem for Crowd {
    type State = State;
    type Action = Action;
    type Observation = (u8, Vec<u8>);

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let choices = self.initial.len();
        for mut choice in 0..choices.pow(self.components.into()) {
            let places = (0..self.components).map(|_| {
                let place = self.initial[choice % choices];
                choice /= choices;
                place
            });
            visit(State {
                places: places.collect(),
                shared: 0,
                holder: None,
            });
        }
    }

    fn candidates(&self, _: &State, visit: &mut impl FnMut(Action)) {
        for component in 0..self.components {
            for taken in 0..self.moves.len() as u8 {
                visit(Action { taken, component });
            }
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let Action { taken, component } = *action;
        let step = &self.moves[usize::from(taken)];
        let place = &mut state.places[usize::from(component)];
        if step.from != (*place, state.shared) || self.odd == Some(*action) {
            return None;
        }
        match step.token {
            Token::Ignored => (),
            Token::Taken => state.holder.replace(component).is_none().then_some(())?,
            Token::GivenUp => (state.holder.take()? == component).then_some(())?,
        }
        (*place, state.shared) = step.to;
        Some(())
    }

    fn observe(&self, state: &State) -> (u8, Vec<u8>) {
        let places = state.places.iter();
        let shown = places.map(|place| self.shown[usize::from(*place)]);
        (state.shared, shown.collect())
    }

    fn may_stop(&self, state: &State) -> bool {
        self.may_stop[usize::from(state.shared)]
    }
}

/// Exchanges by hand.
impl Crowd {
    /// A state with its components exchanged.
    pub fn permute(&self, by: &[u8], state: &State) -> State {
        let mut permuted = state.clone();
        for (component, place) in state.places.iter().enumerate() {
            permuted.places[usize::from(by[component])] = *place;
        }
        permuted.holder = state.holder.map(|holder| by[usize::from(holder)]);
        permuted
    }
}

/// That not too many components are at one place.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub name: &'static str,
    pub place: u8,
    pub at_most: usize,
    /// Claimed where somebody holds the token, or everywhere.
    pub only_if_held: bool,
}

/// A refinement of a crowd by a crowd.
#[derive(Clone, Debug)]
pub struct Likeness {
    pub concrete: Crowd,
    pub specification: Crowd,
    /// Per place of the implementation, its image.
    pub images: Vec<u8>,
    /// Per move of the implementation, the move that answers it.
    pub answers: Vec<Option<u8>>,
    pub claims: Vec<Claim>,
    pub environment: Vec<Process>,
}

impl Refinement for Likeness {
    type Implementation = Crowd;
    type Specification = Crowd;

    fn implementation(&self) -> &Crowd {
        &self.concrete
    }

    fn specification(&self) -> &Crowd {
        &self.specification
    }

    fn map(&self, state: &State) -> State {
        let image = |place: &u8| self.images[usize::from(*place)];
        State {
            places: state.places.iter().map(image).collect(),
            ..state.clone()
        }
    }

    fn abstract_steps(&self, _from: &State, action: &Action, _to: &State) -> AbstractSteps<Action> {
        let answer = self.answers[usize::from(action.taken)];
        answer.map(|taken| Action { taken, ..*action }).into()
    }

    fn invariants(&self) -> Vec<Invariant<Crowd>> {
        let invariant = |claim: &Claim| {
            let claim = *claim;
            let invariant = Invariant::new(claim.name, "random", move |state: &State| {
                let there = state.places.iter().filter(|place| **place == claim.place);
                there.count() <= claim.at_most
            });
            if claim.only_if_held {
                invariant.when(|state: &State| state.holder.is_some())
            } else {
                invariant
            }
        };
        self.claims.iter().map(invariant).collect()
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }
}
