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

    fn agrees(self, a: &State, b: &State) -> bool {
        match self {
            Self::Edges => a.edges == b.edges,
            Self::Roots => a.roots == b.roots,
            Self::Rc => a.rc == b.rc,
            Self::Color => a.color == b.color,
            Self::InRoots => a.in_roots == b.in_roots,
            Self::ToInc => a.to_inc == b.to_inc,
            Self::ToDec => a.to_dec == b.to_dec,
            Self::GlobalLock => a.global_lock == b.global_lock,
            Self::MergedRoots => a.merged_roots == b.merged_roots,
            Self::Collecting => a.collecting == b.collecting,
        }
    }
}

/// A conjunction of equations `v' = …`, each variable with the value that it is given.
#[derive(Clone, Copy)]
pub(super) struct Equations {
    to: State,
    given: u16,
}

impl Equations {
    /// No equation yet.
    pub fn none(from: &State) -> Self {
        Self {
            to: *from,
            given: 0,
        }
    }

    /// `UNCHANGED` of these variables.
    pub fn unchanged(self, from: &State, vars: &[Var]) -> Option<Self> {
        vars.iter().try_fold(self, |equations, var| {
            equations.and(Self {
                to: *from,
                given: *var as u16,
            })
        })
    }

    /// Adds an equation.
    pub fn equals(self, var: Var, from: &State, set: impl FnOnce(&mut State)) -> Option<Self> {
        let mut to = *from;
        set(&mut to);
        self.and(Self {
            to,
            given: var as u16,
        })
    }

    /// Both conjunctions; `None`, which is FALSE, if they give a variable two values.
    pub fn and(self, other: Self) -> Option<Self> {
        let mut both = self;
        for var in Var::ALL {
            if other.given & var as u16 == 0 {
                continue;
            }
            if self.given & var as u16 != 0 {
                if !var.agrees(&self.to, &other.to) {
                    return None;
                }
                continue;
            }
            match var {
                Var::Edges => both.to.edges = other.to.edges,
                Var::Roots => both.to.roots = other.to.roots,
                Var::Rc => both.to.rc = other.to.rc,
                Var::Color => both.to.color = other.to.color,
                Var::InRoots => both.to.in_roots = other.to.in_roots,
                Var::ToInc => both.to.to_inc = other.to.to_inc,
                Var::ToDec => both.to.to_dec = other.to.to_dec,
                Var::GlobalLock => both.to.global_lock = other.to.global_lock,
                Var::MergedRoots => both.to.merged_roots = other.to.merged_roots,
                Var::Collecting => both.to.collecting = other.to.collecting,
            }
            both.given |= var as u16;
        }
        Some(both)
    }

    /// The successor, every variable given.
    pub fn state(self) -> State {
        let all = Var::ALL.iter().fold(0, |all, var| all | *var as u16);
        assert!(self.given == all, "a rule leaves a variable open");
        self.to
    }
}
