//! Condition of a litmus test on its final states.

use std::fmt;

use super::error::{Problem, ReadError};
use super::number::signed_number;
use super::register::Architecture;
use super::token::{Token, Tokens};
use crate::{Integer, Value};

/// Greatest nesting depth of a condition.
const MOST_DEPTH: usize = 200;

/// Quantifier over final states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Some final state satisfies the condition.
    Exists,
    /// No final state satisfies it.
    NotExists,
    /// Every final state satisfies it.
    Forall,
}

impl Quantifier {
    /// Keyword of the litmus format.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::NotExists => "~exists",
            Self::Forall => "forall",
        }
    }

    /// Name in the output of herd.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Exists => "Allowed",
            Self::NotExists => "Forbidden",
            Self::Forall => "Required",
        }
    }
}

/// Register or variable whose final value is observed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Observed {
    /// A register of a thread.
    Register(usize, &'static str),
    Variable(String),
}

/// Name in a final state: `thread:NAME` for a register.
impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(thread, name) => write!(f, "{thread}:{name}"),
            Self::Variable(name) => f.write_str(name),
        }
    }
}

/// Value in a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Number(i128),
    /// The address of a variable.
    Address(String),
    /// The final value of another register or variable.
    Of(Observed),
}

/// Syntax tree of a condition.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Constant(bool),
    Equal(Equation),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Implies(Box<Condition>, Box<Condition>),
}

/// Equation of a condition.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub line: usize,
    pub left: Observed,
    pub right: Literal,
}

impl Condition {
    /// Visits every observed register or variable, and every literal.
    pub fn visit(&self, observed: &mut impl FnMut(&Observed), literal: &mut impl FnMut(&Literal)) {
        match self {
            Self::Constant(_) => (),
            Self::Equal(equation) => {
                observed(&equation.left);
                if let Literal::Of(right) = &equation.right {
                    observed(right);
                }
                literal(&equation.right);
            }
            Self::Not(inner) => inner.visit(observed, literal),
            Self::And(all) | Self::Or(all) => {
                all.iter().for_each(|one| one.visit(observed, literal));
            }
            Self::Implies(left, right) => {
                left.visit(observed, literal);
                right.visit(observed, literal);
            }
        }
    }

    /// Resolves names to columns.
    pub fn resolve(
        &self,
        atom: &impl Fn(&Equation) -> Result<Proposition, ReadError>,
    ) -> Result<Proposition, ReadError> {
        let all = |all: &[Self]| -> Result<Vec<_>, ReadError> {
            all.iter().map(|one| one.resolve(atom)).collect()
        };
        Ok(match self {
            Self::Constant(value) => Proposition::Constant(*value),
            Self::Equal(equation) => atom(equation)?,
            Self::Not(inner) => Proposition::Not(Box::new(inner.resolve(atom)?)),
            Self::And(parts) => Proposition::And(all(parts)?),
            Self::Or(parts) => Proposition::Or(all(parts)?),
            Self::Implies(left, right) => Proposition::Or(vec![
                Proposition::Not(Box::new(left.resolve(atom)?)),
                right.resolve(atom)?,
            ]),
        })
    }
}

/// Condition on the columns of a final state.
#[derive(Clone, Debug)]
pub(super) enum Proposition {
    Constant(bool),
    /// A column has a value.
    Is(usize, Value),
    /// Two columns have the same bits, as values of this type.
    Same(usize, usize, Integer),
    Not(Box<Proposition>),
    And(Vec<Proposition>),
    Or(Vec<Proposition>),
}

impl Proposition {
    /// Evaluates the condition on a final state.
    pub fn holds(&self, state: &[Value]) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Is(column, value) => state[*column] == *value,
            Self::Same(left, right, integer) => {
                integer.keep(state[*left]) == integer.keep(state[*right])
            }
            Self::Not(inner) => !inner.holds(state),
            Self::And(all) => all.iter().all(|one| one.holds(state)),
            Self::Or(all) => all.iter().any(|one| one.holds(state)),
        }
    }
}

/// Parser of conditions.
pub(super) struct ConditionParser<'a> {
    pub tokens: &'a mut Tokens,
    pub architecture: Architecture,
    pub threads: usize,
}

impl ConditionParser<'_> {
    /// Parses a condition. `\/` binds loosest, then `/\`, then `=>`, which is right-associative, then `~`.
    pub fn condition(&mut self) -> Result<Condition, ReadError> {
        self.disjunction(0)
    }

    fn disjunction(&mut self, depth: usize) -> Result<Condition, ReadError> {
        if depth > MOST_DEPTH {
            return Err(Problem::TooDeep { most: MOST_DEPTH }.on(self.tokens.line()));
        }
        let mut all = vec![self.conjunction(depth)?];
        while self.tokens.takes("\\/") {
            all.push(self.conjunction(depth)?);
        }
        Ok(match all.len() {
            1 => all.remove(0),
            _ => Condition::Or(all),
        })
    }

    fn conjunction(&mut self, depth: usize) -> Result<Condition, ReadError> {
        let mut all = vec![self.implication(depth)?];
        while self.tokens.takes("/\\") {
            all.push(self.implication(depth)?);
        }
        Ok(match all.len() {
            1 => all.remove(0),
            _ => Condition::And(all),
        })
    }

    fn implication(&mut self, depth: usize) -> Result<Condition, ReadError> {
        let mut parts = vec![self.negation(depth)?];
        while self.tokens.takes("=>") {
            if depth + parts.len() > MOST_DEPTH {
                return Err(Problem::TooDeep { most: MOST_DEPTH }.on(self.tokens.line()));
            }
            // Each further operand is nested in the preceding ones.
            parts.push(self.negation(depth + parts.len())?);
        }
        let last = parts.pop().expect("there is one at least");
        Ok(parts.into_iter().rev().fold(last, |right, left| {
            Condition::Implies(Box::new(left), Box::new(right))
        }))
    }

    fn negation(&mut self, depth: usize) -> Result<Condition, ReadError> {
        let mut negated = false;
        while self.tokens.is("~") || self.tokens.is_name("not") {
            self.tokens.take();
            negated = !negated;
        }
        let inner = self.atom(depth)?;
        Ok(if negated {
            Condition::Not(Box::new(inner))
        } else {
            inner
        })
    }

    fn atom(&mut self, depth: usize) -> Result<Condition, ReadError> {
        if self.tokens.takes("(") {
            let inner = self.disjunction(depth + 1)?;
            self.tokens.expect(")")?;
            return Ok(inner);
        }
        for (keyword, value) in [("true", true), ("false", false)] {
            if self.tokens.is_name(keyword) {
                self.tokens.take();
                return Ok(Condition::Constant(value));
            }
        }
        let line = self.tokens.line();
        let left = self.observed()?;
        let equal = match self.tokens.peek() {
            Some(Token::Symbol("=" | "==")) => true,
            Some(Token::Symbol("!=" | "<>")) => false,
            _ => return Err(self.tokens.unexpected("=, ==, != or <>")),
        };
        self.tokens.take();
        let right = self.literal()?;
        let atom = Condition::Equal(Equation { line, left, right });
        Ok(if equal {
            atom
        } else {
            Condition::Not(Box::new(atom))
        })
    }

    /// Parses a register `0:EAX` or `P0:EAX`, or a variable `x` or `[x]`.
    pub fn observed(&mut self) -> Result<Observed, ReadError> {
        if self.tokens.takes("[") {
            let name = self.tokens.name("the name of a variable")?;
            self.tokens.expect("]")?;
            return Ok(Observed::Variable(name));
        }
        match thread_prefix(self.tokens) {
            Some(thread) => {
                let line = self.tokens.line();
                if thread >= self.threads as u64 {
                    return Err(Problem::NoThread(thread).on(line));
                }
                self.tokens.take();
                self.tokens.take();
                self.tokens.takes("%");
                let name = self.tokens.name("a register")?;
                let register = self.architecture.whole_register(&name);
                let register = register.ok_or_else(|| {
                    Problem::Register {
                        found: name,
                        expected: match self.architecture {
                            Architecture::X86 => "a register such as EAX",
                            Architecture::X8664 => "the 64-bit name of a register, such as rax",
                        },
                    }
                    .on(line)
                })?;
                Ok(Observed::Register(thread as usize, register.whole))
            }
            None => {
                let name = self
                    .tokens
                    .name("a register such as 0:EAX, or a variable")?;
                Ok(Observed::Variable(name))
            }
        }
    }

    fn literal(&mut self) -> Result<Literal, ReadError> {
        if self.tokens.is("[") || thread_prefix(self.tokens).is_some() {
            return Ok(Literal::Of(self.observed()?));
        }
        if self.tokens.takes("&") {
            return Ok(Literal::Address(
                self.tokens.name("the name of a variable")?,
            ));
        }
        match self.tokens.peek() {
            Some(Token::Name(_)) => Ok(Literal::Address(self.tokens.name("a name")?)),
            _ => Ok(Literal::Number(signed_number(self.tokens)?)),
        }
    }
}

/// Number of the thread if a register follows: `0:` or `P0:`.
pub(super) fn thread_prefix(tokens: &Tokens) -> Option<u64> {
    if tokens.peek_at(1) != Some(&Token::Symbol(":")) {
        return None;
    }
    match tokens.peek()? {
        Token::Number(thread) => Some(*thread),
        Token::Name(name) => thread_number(name),
        Token::Symbol(_) => None,
    }
}

/// Number of a thread from its name, `P0`.
pub(super) fn thread_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix('P')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}
