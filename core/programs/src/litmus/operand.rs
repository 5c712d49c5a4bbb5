//! Operands of instructions, in the AT&T syntax of compilers and in that of the herd tools.

use super::error::{Problem, ReadError};
use super::number::signed_number;
use super::register::{Architecture, Name};
use super::token::{Token, Tokens};

/// Operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// A register, or a part of one.
    Register(Name),
    Number(i128),
    /// The address of a variable.
    Address(String),
    Memory(Address),
}

/// Address of an operand in memory: the sum of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Address {
    pub variable: Option<String>,
    /// A register.
    pub base: Option<Name>,
    /// A register, with its factor.
    pub index: Option<(Name, i64)>,
    /// A number.
    pub offset: i128,
}

impl Operand {
    /// Memory that the operand is.
    pub fn memory(&self) -> Option<&Address> {
        match self {
            Self::Memory(address) => Some(address),
            Self::Register(_) | Self::Number(_) | Self::Address(_) => None,
        }
    }

    /// True if the operand is in memory.
    pub fn is_memory(&self) -> bool {
        self.memory().is_some()
    }

    /// True if the operand can be written to.
    pub fn is_destination(&self) -> bool {
        matches!(self, Self::Memory(_) | Self::Register(_))
    }
}

impl Address {
    /// Registers that the address is computed from.
    pub fn registers(&self) -> impl Iterator<Item = Name> {
        let index = self.index.map(|(name, _)| name);
        self.base.into_iter().chain(index)
    }
}

/// Segments whose base is 0.
const FLAT: [&str; 4] = ["cs", "ds", "es", "ss"];
/// Segments with a base of their own.
const BASED: [&str; 2] = ["fs", "gs"];

/// Parses an operand.
pub(super) fn operand(
    tokens: &mut Tokens,
    architecture: Architecture,
) -> Result<Operand, ReadError> {
    Parser {
        tokens,
        architecture,
    }
    .operand()
}

struct Parser<'a> {
    tokens: &'a mut Tokens,
    architecture: Architecture,
}

impl Parser<'_> {
    fn operand(&mut self) -> Result<Operand, ReadError> {
        self.segment()?;
        if self.tokens.takes("$") {
            return match self.tokens.peek() {
                Some(Token::Name(_)) => Ok(Operand::Address(self.tokens.name("a variable")?)),
                _ => Ok(Operand::Number(signed_number(self.tokens)?)),
            };
        }
        if self.tokens.is("%") {
            return Ok(Operand::Register(self.register()?));
        }
        match self.tokens.peek() {
            Some(Token::Symbol("[" | "(")) => self.address(Address::default()),
            Some(Token::Number(_) | Token::Symbol("-")) => {
                let offset = signed_number(self.tokens)?;
                if self.opens() {
                    return self.address(Address {
                        offset,
                        ..Address::default()
                    });
                }
                Ok(Operand::Number(offset))
            }
            Some(Token::Name(_))
                if matches!(
                    self.tokens.peek_at(1),
                    Some(Token::Symbol("(" | "[" | "+" | "-"))
                ) =>
            {
                let variable = Some(self.tokens.name("a variable")?);
                let offset = if self.tokens.is("+") || self.tokens.is("-") {
                    self.tokens.takes("+");
                    signed_number(self.tokens)?
                } else {
                    0
                };
                self.address(Address {
                    variable,
                    offset,
                    ..Address::default()
                })
            }
            Some(Token::Name(_)) => Ok(Operand::Register(self.register()?)),
            _ => Err(self.tokens.unexpected("an operand")),
        }
    }

    /// Skips the prefix for a segment whose base is 0.
    fn segment(&mut self) -> Result<(), ReadError> {
        if !self.tokens.is("%") || self.tokens.peek_at(2) != Some(&Token::Symbol(":")) {
            return Ok(());
        }
        let line = self.tokens.line();
        self.tokens.take();
        let name = self.tokens.name("a segment")?;
        let is = |known: &&str| known.eq_ignore_ascii_case(&name);
        if BASED.iter().any(is) {
            return Err(Problem::Segment(name).on(line));
        }
        if !FLAT.iter().any(is) {
            let expected = "a segment such as cs";
            return Err(Problem::Register {
                found: name,
                expected,
            }
            .on(line));
        }
        self.tokens.expect(":")
    }

    fn opens(&self) -> bool {
        self.tokens.is("(") || self.tokens.is("[")
    }

    fn register(&mut self) -> Result<Name, ReadError> {
        let line = self.tokens.line();
        self.tokens.takes("%");
        let name = self.tokens.name("a register")?;
        let register = self.architecture.register(&name);
        register.ok_or_else(|| {
            let expected = "a register; memory is written [x]";
            Problem::Register {
                found: name,
                expected,
            }
            .on(line)
        })
    }

    /// Parses the part of an address in parentheses or brackets; `address` has what stands before it.
    fn address(&mut self, mut address: Address) -> Result<Operand, ReadError> {
        let closing = if self.tokens.takes("[") {
            "]"
        } else {
            self.tokens.expect("(")?;
            ")"
        };
        if !self.tokens.is(",") {
            self.first(&mut address)?;
        }
        if self.tokens.takes(",") {
            let register = self.register()?;
            let factor = if self.tokens.takes(",") {
                self.tokens.number()? as i64
            } else {
                1
            };
            address.index = Some((register, factor));
        }
        self.tokens.expect(closing)?;
        Ok(Operand::Memory(address))
    }

    /// Parses what stands first in parentheses: a register, or a variable if none stands before them.
    fn first(&mut self, address: &mut Address) -> Result<(), ReadError> {
        let is_name = |at: usize, wanted: &str| matches!(self.tokens.peek_at(at), Some(Token::Name(name)) if name.eq_ignore_ascii_case(wanted));
        let sigil = usize::from(self.tokens.is("%"));
        if self.architecture == Architecture::X8664 && is_name(sigil, "rip") {
            // The address of a variable relative to the next instruction is the address of the variable.
            if address.variable.is_none() {
                return Err(Problem::Relative.on(self.tokens.line()));
            }
            self.tokens.takes("%");
            self.tokens.take();
            return Ok(());
        }
        let bare = match self.tokens.peek() {
            Some(Token::Name(name)) => self.architecture.register(name).is_none(),
            _ => false,
        };
        if bare && address.variable.is_none() {
            address.variable = Some(self.tokens.name("a variable or a register")?);
        } else {
            address.base = Some(self.register()?);
        }
        Ok(())
    }
}
