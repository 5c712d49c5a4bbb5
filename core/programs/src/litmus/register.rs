//! Registers of X86 and X86_64.

use crate::{Integer, Sign};

/// Supported architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Architecture {
    /// `X86`: Intel order, the destination first.
    X86,
    /// `X86_64`: AT&T order, the destination last.
    X8664,
}

/// Register, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Name of the whole register, as in a final state.
    pub whole: &'static str,
    /// Width of the part, in bits.
    pub bits: u32,
    /// Lowest bit of the part.
    pub from: u32,
}

const X86: [&str; 8] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "ESP", "EBP"];

/// Names of the low parts of 64, 32, 16 and 8 bits.
const X86_64: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rsp", "esp", "sp", "spl"],
    ["rbp", "ebp", "bp", "bpl"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

/// Names of the parts of 8 bits above the lowest 8, each with its whole register.
const HIGH: [(&str, &str); 4] = [("ah", "rax"), ("bh", "rbx"), ("ch", "rcx"), ("dh", "rdx")];

/// Registers that a final state may name and no instruction here writes, so that they keep their initial values.
const UNTOUCHED: [&str; 2] = ["rip", "cs"];

impl Architecture {
    /// Width of a whole register and of an address, in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::X86 => 32,
            Self::X8664 => 64,
        }
    }

    /// Type in which a whole register is held.
    pub fn word(self) -> Integer {
        Integer {
            bits: self.bits(),
            sign: Sign::Signed,
        }
    }

    /// Looks up a register by name, ignoring case.
    pub fn register(self, name: &str) -> Option<Name> {
        match self {
            Self::X86 => {
                let mut known = X86.into_iter();
                known
                    .find(|known| known.eq_ignore_ascii_case(name))
                    .map(|whole| Name::low(whole, 32))
            }
            Self::X8664 => {
                let low = X86_64.iter().find_map(|names| {
                    let position = names
                        .iter()
                        .position(|known| known.eq_ignore_ascii_case(name))?;
                    Some(Name::low(names[0], 64 >> position))
                });
                low.or_else(|| {
                    let mut high = HIGH.into_iter();
                    high.find(|(known, _)| known.eq_ignore_ascii_case(name))
                        .map(|(_, whole)| Name {
                            from: 8,
                            ..Name::low(whole, 8)
                        })
                })
            }
        }
    }

    /// Looks up a register, as the initial state names it.
    pub fn initial_register(self, name: &str) -> Option<Name> {
        let untouched = || {
            let mut known = UNTOUCHED.into_iter();
            let whole = known.find(|known| known.eq_ignore_ascii_case(name))?;
            (self == Self::X8664).then(|| Name::low(whole, 64))
        };
        self.register(name).or_else(untouched)
    }

    /// Looks up a whole register, as conditions name it.
    pub fn whole_register(self, name: &str) -> Option<Name> {
        let whole = |register: &Name| register.whole.eq_ignore_ascii_case(name);
        self.initial_register(name).filter(whole)
    }

    /// Part of the accumulator, which `CMPXCHG` compares with.
    pub fn accumulator(self, bits: u32) -> Name {
        let whole = match self {
            Self::X86 => X86[0],
            Self::X8664 => X86_64[0][0],
        };
        Name::low(whole, bits)
    }

    /// Register that holds the count of a shift, as `CL` names it.
    pub fn count(self) -> Name {
        let whole = match self {
            Self::X86 => X86[2],
            Self::X8664 => X86_64[2][0],
        };
        Name::low(whole, 8)
    }
}

impl Name {
    fn low(whole: &'static str, bits: u32) -> Self {
        Self {
            whole,
            bits,
            from: 0,
        }
    }
}
