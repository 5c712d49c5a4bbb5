//! The commands of a process [Gammie, Hosking & Engelhardt, section 3.1, Fig. 7].

use std::borrow::Cow;
use std::sync::Arc;

use super::label::Label;
use super::liveness::Registers;

/// Command of a process with data state `L`, which sends requests `Q` and receives answers `A`.
pub enum Command<L, Q, A> {
    /// A single step, or one side of a rendezvous.
    Basic(Basic<L, Q, A>),
    /// Sequential composition.
    Sequence(Vec<Self>),
    /// Nondeterministic choice; the first step of a branch makes it.
    Choice(Vec<Self>),
    /// Conditional: evaluates the guard, then runs the first command if it holds and the second otherwise.
    When(Basic<L, Q, A>, Box<Self>, Box<Self>),
    /// Loop while the guard holds.
    While(Basic<L, Q, A>, Box<Self>),
    /// Infinite loop.
    Forever(Box<Self>),
}

/// Labelled command that is one step, or one side of a rendezvous.
pub struct Basic<L, Q, A> {
    pub(super) label: Label,
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

impl<L, Q, A> Clone for Basic<L, Q, A> {
    fn clone(&self) -> Self {
        Self {
            label: self.label,
            source: self.source.clone(),
            kind: self.kind.clone(),
            ..*self
        }
    }
}

impl<L, Q, A> Clone for Command<L, Q, A> {
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

impl<L, Q, A> Basic<L, Q, A> {
    fn new(label: impl Into<Label>, kind: Kind<L, Q, A>) -> Self {
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

/// Nondeterministic local operation: `operation` visits each possible next state.
pub fn choose<L, Q, A>(
    label: impl Into<Label>,
    operation: impl Fn(&L, &mut dyn FnMut(L)) + Send + Sync + 'static,
) -> Command<L, Q, A> {
    Command::Basic(Basic::new(label, Kind::Local(Arc::new(operation))))
}

/// Deterministic local operation, which updates the data state.
pub fn assign<L, Q, A>(
    label: impl Into<Label>,
    operation: impl Fn(&mut L) + Send + Sync + 'static,
) -> Command<L, Q, A> {
    Command::Basic(Basic::new(label, Kind::Assign(Arc::new(operation))))
}

/// Request: `ask` computes it from the data state, and `receive` updates the state by the answer.
pub fn request<L, Q, A>(
    label: impl Into<Label>,
    ask: impl Fn(&L) -> Q + Send + Sync + 'static,
    receive: impl Fn(&mut L, &A) + Send + Sync + 'static,
) -> Command<L, Q, A> {
    let kind = Kind::Request(Arc::new(ask), Arc::new(receive));
    Command::Basic(Basic::new(label, kind))
}

/// Nondeterministic response: `answers` visits each possible answer to a request, with the next state. If it
/// visits none, the rendezvous is disabled.
pub fn respond_any<L, Q, A>(
    label: impl Into<Label>,
    answers: impl Fn(&Q, &L, &mut dyn FnMut(L, A)) + Send + Sync + 'static,
) -> Command<L, Q, A> {
    Command::Basic(Basic::new(label, Kind::Response(Arc::new(answers))))
}

/// Deterministic response; `None` disables the rendezvous.
pub fn respond<L: Clone, Q, A>(
    label: impl Into<Label>,
    answer: impl Fn(&Q, &mut L) -> Option<A> + Send + Sync + 'static,
) -> Command<L, Q, A> {
    respond_any(label, move |request: &Q, from: &L, visit| {
        let mut to = from.clone();
        if let Some(answer) = answer(request, &mut to) {
            visit(to, answer);
        }
    })
}

/// Sequential composition.
pub fn sequence<L, Q, A>(parts: impl IntoIterator<Item = Command<L, Q, A>>) -> Command<L, Q, A> {
    Command::Sequence(parts.into_iter().collect())
}

/// Nondeterministic choice between branches; the first step of a branch makes it.
pub fn choice<L, Q, A>(branches: impl IntoIterator<Item = Command<L, Q, A>>) -> Command<L, Q, A> {
    Command::Choice(branches.into_iter().collect())
}

/// Infinite loop.
pub fn forever<L, Q, A>(body: Command<L, Q, A>) -> Command<L, Q, A> {
    Command::Forever(Box::new(body))
}

/// Conditional without an else branch: runs `then` if the guard holds.
pub fn when<L, Q, A>(
    label: impl Into<Label>,
    guard: impl Fn(&L) -> bool + Send + Sync + 'static,
    then: Command<L, Q, A>,
) -> Command<L, Q, A> {
    when_else(label, guard, then, sequence([]))
}

/// Conditional: runs `then` if the guard holds and `otherwise` if it does not.
pub fn when_else<L, Q, A>(
    label: impl Into<Label>,
    guard: impl Fn(&L) -> bool + Send + Sync + 'static,
    then: Command<L, Q, A>,
    otherwise: Command<L, Q, A>,
) -> Command<L, Q, A> {
    let guard = Basic::new(label, Kind::Guard(Arc::new(guard)));
    Command::When(guard, Box::new(then), Box::new(otherwise))
}

/// Loop: runs `body` while the guard holds.
pub fn while_do<L, Q, A>(
    label: impl Into<Label>,
    guard: impl Fn(&L) -> bool + Send + Sync + 'static,
    body: Command<L, Q, A>,
) -> Command<L, Q, A> {
    let guard = Basic::new(label, Kind::Guard(Arc::new(guard)));
    Command::While(guard, Box::new(body))
}

impl<L, Q, A> Command<L, Q, A> {
    /// First step of the command: the command itself if it is basic, or its guard.
    ///
    /// # Panics
    ///
    /// If the command is a sequence, a choice or an infinite loop: an annotation applies to exactly one step.
    fn own_step(&mut self) -> &mut Basic<L, Q, A> {
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
