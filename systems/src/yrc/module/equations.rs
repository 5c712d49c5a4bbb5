//! Conjunctions of equations for primed variables, of which some may contradict each other.

use super::state::State;

/// A variable, as a bit of a set.
#[derive(Clone, Copy)]
pub(super) enum Var {
    Edges = 1,
    Roots = 2,
    Rc = 4,
    Color = 8,
    InRoots = 16,
    ToInc = 32,
    ToDec = 64,
    GlobalLock = 128,
    MergedRoots = 256,
    Collecting = 512,
}

impl Var {
    const ALL: [Self; 10] = [
        Self::Edges,
        Self::Roots,
        Self::Rc,
        Self::Color,
        Self::InRoots,
        Self::ToInc,
        Self::ToDec,
        Self::GlobalLock,
        Self::MergedRoots,
        Self::Collecting,
    ];

    /// Gives the variable the value that it has in another state.
    fn give(self, to: &mut State, of: &State) {
        match self {
            Self::Edges => to.edges = of.edges,
            Self::Roots => to.roots = of.roots,
            Self::Rc => to.rc = of.rc,
            Self::Color => to.color = of.color,
            Self::InRoots => to.in_roots = of.in_roots,
            Self::ToInc => to.to_inc = of.to_inc,
            Self::ToDec => to.to_dec = of.to_dec,
            Self::GlobalLock => to.global_lock = of.global_lock,
            Self::MergedRoots => to.merged_roots = of.merged_roots,
            Self::Collecting => to.collecting = of.collecting,
        }
    }
}

/// A conjunction of equations `v' = …`, each variable with the value that it is given.
#[derive(Clone, Copy)]
pub(super) struct Equations {
    from: State,
    to: State,
    given: u16,
}

impl Equations {
    /// No equation yet.
    pub fn none(from: &State) -> Self {
        Self {
            from: *from,
            to: *from,
            given: 0,
        }
    }

    /// `UNCHANGED` of these variables.
    pub fn unchanged(self, vars: &[Var]) -> Option<Self> {
        let given = vars.iter().fold(0, |given, var| given | *var as u16);
        self.and(Self {
            to: self.from,
            given,
            ..self
        })
    }

    /// Adds an equation.
    pub fn equals(self, var: Var, set: impl FnOnce(&mut State)) -> Option<Self> {
        let mut to = self.from;
        set(&mut to);
        self.and(Self {
            to,
            given: var as u16,
            ..self
        })
    }

    /// Both conjunctions; `None`, which is FALSE, if they give a variable two values.
    pub fn and(self, other: Self) -> Option<Self> {
        let to = other.given_to(self.to);
        let given = self.given | other.given;
        (self.given_to(to) == to).then_some(Self { to, given, ..self })
    }

    /// A state, in which the variables have the values that they are given.
    fn given_to(&self, mut state: State) -> State {
        let given = Var::ALL.iter().filter(|var| self.has(**var));
        given.for_each(|var| var.give(&mut state, &self.to));
        state
    }

    fn has(&self, var: Var) -> bool {
        self.given & var as u16 != 0
    }

    /// The successor, every variable given.
    pub fn state(self) -> State {
        let all = Var::ALL.iter().all(|var| self.has(*var));
        assert!(all, "a rule leaves a variable open");
        self.to
    }
}
