//! The commands of a process [Gammie, Hosking & Engelhardt, section 3.1, Fig. 7].

use std::borrow::Cow;
use std::sync::Arc;

use super::data::Registers;
use super::label::Label;

/// A command of a process with data state `L`, which sends requests `Q`, takes answers `A`, and is labelled
/// by texts or by another type `N`.
pub enum Command<L, Q, A, N = Label> {
    /// One step.
    Basic(Basic<L, Q, A, N>),
    /// One after the other.
    Sequence(Vec<Self>),
    /// Nondeterministic choice; the first step of a branch makes it.
    Choice(Vec<Self>),
    /// Evaluates the guard, and goes on with the first command where it holds, with the second where
    /// it does not.
    When(Basic<L, Q, A, N>, Box<Self>, Box<Self>),
    /// As long as the guard holds.
    While(Basic<L, Q, A, N>, Box<Self>),
    /// Without end.
    Forever(Box<Self>),
}

/// A labelled command that is one step, or half of one.
pub struct Basic<L, Q, A, N> {
    pub(super) label: N,
    pub(super) source: Cow<'static, str>,
    pub(super) kind: Kind<L, Q, A>,
    pub(super) reads: Registers,
    pub(super) writes: Registers,
    pub(super) fuses_with_previous: bool,
    pub(super) fuses_with_next: bool,
}

type Relation<L> = Arc<dyn Fn(&L, &mut dyn FnMut(L)) + Send + Sync>;
type Receipt<L, A> = Arc<dyn Fn(&mut L, &A) + Send + Sync>;
type Answers<L, Q, A> = Arc<dyn Fn(&Q, &L, &mut dyn FnMut(L, A)) + Send + Sync>;

pub(super) enum Kind<L, Q, A> {
    /// LOCALOP as a relation between data states.
    Local(Relation<L>),
    /// LOCALOP as a function.
    Assign(Arc<dyn Fn(&mut L) + Send + Sync>),
    /// REQUEST: the request, and the effect of the answer.
    Request(Arc<dyn Fn(&L) -> Q + Send + Sync>, Receipt<L, A>),
    /// RESPONSE: the possible answers, each with its effect.
    Response(Answers<L, Q, A>),
    /// The guard of IF and WHILE.
    Guard(Arc<dyn Fn(&L) -> bool + Send + Sync>),
}

impl<L, Q, A> Clone for Kind<L, Q, A> {
    fn clone(&self) -> Self {
        match self {
            Self::Local(relation) => Self::Local(relation.clone()),
            Self::Assign(operation) => Self::Assign(operation.clone()),
            Self::Request(ask, receive) => Self::Request(ask.clone(), receive.clone()),
            Self::Response(answers) => Self::Response(answers.clone()),
            Self::Guard(guard) => Self::Guard(guard.clone()),
        }
    }
}

impl<L, Q, A, N: Copy> Clone for Basic<L, Q, A, N> {
    fn clone(&self) -> Self {
        Self {
            label: self.label,
            source: self.source.clone(),
            kind: self.kind.clone(),
            ..*self
        }
    }
}

impl<L, Q, A, N: Copy> Clone for Command<L, Q, A, N> {
    fn clone(&self) -> Self {
        match self {
            Self::Basic(basic) => Self::Basic(basic.clone()),
            Self::Sequence(parts) => Self::Sequence(parts.clone()),
            Self::Choice(branches) => Self::Choice(branches.clone()),
            Self::When(guard, then, otherwise) => {
                Self::When(guard.clone(), then.clone(), otherwise.clone())
            }
            Self::While(guard, body) => Self::While(guard.clone(), body.clone()),
            Self::Forever(body) => Self::Forever(body.clone()),
        }
    }
}

impl<L, Q, A, N> Basic<L, Q, A, N> {
    fn new(label: impl Into<N>, kind: Kind<L, Q, A>) -> Self {
        Self {
            label: label.into(),
            source: Cow::Borrowed(""),
            kind,
            reads: Registers::NONE,
            writes: Registers::NONE,
            fuses_with_previous: false,
            fuses_with_next: false,
        }
    }
}

/// A local operation that leads to any of the states that it visits.
pub fn choose<L, Q, A, N>(
    label: impl Into<N>,
    operation: impl Fn(&L, &mut dyn FnMut(L)) + Send + Sync + 'static,
) -> Command<L, Q, A, N> {
    Command::Basic(Basic::new(label, Kind::Local(Arc::new(operation))))
}

/// A local operation that changes the state.
pub fn assign<L, Q, A, N>(
    label: impl Into<N>,
    operation: impl Fn(&mut L) + Send + Sync + 'static,
) -> Command<L, Q, A, N> {
    Command::Basic(Basic::new(label, Kind::Assign(Arc::new(operation))))
}

/// A request, determined by the state; the answer changes the state.
pub fn request<L, Q, A, N>(
    label: impl Into<N>,
    ask: impl Fn(&L) -> Q + Send + Sync + 'static,
    receive: impl Fn(&mut L, &A) + Send + Sync + 'static,
) -> Command<L, Q, A, N> {
    let kind = Kind::Request(Arc::new(ask), Arc::new(receive));
    Command::Basic(Basic::new(label, kind))
}

/// A response that visits each answer there may be to a request, with the state it leads to. One that
/// visits nothing leaves the request waiting.
pub fn respond_any<L, Q, A, N>(
    label: impl Into<N>,
    answers: impl Fn(&Q, &L, &mut dyn FnMut(L, A)) + Send + Sync + 'static,
) -> Command<L, Q, A, N> {
    Command::Basic(Basic::new(label, Kind::Response(Arc::new(answers))))
}

/// A response that has at most one answer.
pub fn respond<L: Clone, Q, A, N>(
    label: impl Into<N>,
    answer: impl Fn(&Q, &mut L) -> Option<A> + Send + Sync + 'static,
) -> Command<L, Q, A, N> {
    respond_any(label, move |request: &Q, from: &L, visit| {
        let mut to = from.clone();
        if let Some(answer) = answer(request, &mut to) {
            visit(to, answer);
        }
    })
}

/// One after the other.
pub fn sequence<L, Q, A, N>(
    parts: impl IntoIterator<Item = Command<L, Q, A, N>>,
) -> Command<L, Q, A, N> {
    Command::Sequence(parts.into_iter().collect())
}

/// One of them.
pub fn choice<L, Q, A, N>(
    branches: impl IntoIterator<Item = Command<L, Q, A, N>>,
) -> Command<L, Q, A, N> {
    Command::Choice(branches.into_iter().collect())
}

/// Without end.
pub fn forever<L, Q, A, N>(body: Command<L, Q, A, N>) -> Command<L, Q, A, N> {
    Command::Forever(Box::new(body))
}

/// `then`, where the guard holds.
pub fn when<L, Q, A, N>(
    label: impl Into<N>,
    guard: impl Fn(&L) -> bool + Send + Sync + 'static,
    then: Command<L, Q, A, N>,
) -> Command<L, Q, A, N> {
    when_else(label, guard, then, sequence([]))
}

/// `then` where the guard holds, and `otherwise` where it does not.
pub fn when_else<L, Q, A, N>(
    label: impl Into<N>,
    guard: impl Fn(&L) -> bool + Send + Sync + 'static,
    then: Command<L, Q, A, N>,
    otherwise: Command<L, Q, A, N>,
) -> Command<L, Q, A, N> {
    let guard = Basic::new(label, Kind::Guard(Arc::new(guard)));
    Command::When(guard, Box::new(then), Box::new(otherwise))
}

/// `body`, as long as the guard holds.
pub fn while_do<L, Q, A, N>(
    label: impl Into<N>,
    guard: impl Fn(&L) -> bool + Send + Sync + 'static,
    body: Command<L, Q, A, N>,
) -> Command<L, Q, A, N> {
    let guard = Basic::new(label, Kind::Guard(Arc::new(guard)));
    Command::While(guard, Box::new(body))
}

impl<L, Q, A, N> Command<L, Q, A, N> {
    /// The step that the command begins with by itself: the command, or the guard.
    ///
    /// # Panics
    ///
    /// If it has none: what is said of a step is said of one.
    fn own_step(&mut self) -> &mut Basic<L, Q, A, N> {
        match self {
            Self::Basic(basic) | Self::When(basic, ..) | Self::While(basic, _) => basic,
            Self::Sequence(_) | Self::Choice(_) | Self::Forever(_) => {
                panic!("a sequence, a choice and a loop without guard have no step of their own")
            }
        }
    }

    /// Declares the registers that the command, or its guard, reads.
    #[must_use]
    pub fn reads(mut self, registers: impl Into<Registers>) -> Self {
        self.own_step().reads = registers.into();
        self
    }

    /// Declares the registers that the command overwrites, independently of their old values.
    #[must_use]
    pub fn writes(mut self, registers: impl Into<Registers>) -> Self {
        self.own_step().writes = registers.into();
        self
    }

    /// Cites the source of the command.
    #[must_use]
    pub fn from_source(mut self, source: impl Into<Cow<'static, str>>) -> Self {
        self.own_step().source = source.into();
        self
    }

    /// Marks the command for fusion with the previous step: the state between them is not observed, so that
    /// [`Granularity::Fused`](super::Granularity::Fused) takes both in one step. Valid for local operations and
    /// guards; two processes take part in a request or a response.
    #[must_use]
    pub fn fuse_with_previous(mut self) -> Self {
        self.own_step().fuses_with_previous = true;
        self
    }

    /// Marks the choice for fusion with the next step: the state between them is not observed, so that
    /// [`Choices::FusedWithNext`](super::Choices::FusedWithNext) takes both in one step. Valid for [`choose`],
    /// before a step of the process that is not a response. Whether that step is enabled must not depend on the
    /// chosen value.
    #[must_use]
    pub fn fuse_with_next(mut self) -> Self {
        self.own_step().fuses_with_next = true;
        self
    }
}
