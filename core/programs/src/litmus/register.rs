//! Registers of X86 and X86_64.

/// Supported architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Architecture {
    /// `X86`: Intel order, the destination first.
    X86,
    /// `X86_64`: AT&T order, the destination last.
    X8664,
}

/// Register, or the low part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Name of the whole register, as in a final state.
    pub whole: &'static str,
    /// Width of the part, in bits.
    pub bits: u32,
}

const X86: [&str; 8] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "ESP", "EBP"];

/// Names of the parts of 64, 32, 16 and 8 bits.
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

impl Architecture {
    /// Looks up a register by name, ignoring case.
    pub fn register(self, name: &str) -> Option<Name> {
        match self {
            Self::X86 => {
                let whole = X86
                    .into_iter()
                    .find(|known| known.eq_ignore_ascii_case(name))?;
                Some(Name { whole, bits: 32 })
            }
            Self::X8664 => X86_64.iter().find_map(|names| {
                let position = names
                    .iter()
                    .position(|known| known.eq_ignore_ascii_case(name))?;
                Some(Name {
                    whole: names[0],
                    bits: 64 >> position,
                })
            }),
        }
    }

    /// Looks up a whole register, as conditions name it.
    pub fn whole_register(self, name: &str) -> Option<Name> {
        let whole = |register: &Name| register.whole.eq_ignore_ascii_case(name);
        self.register(name).filter(whole)
    }

    /// Accumulator, which `CMPXCHG` compares with.
    pub fn accumulator(self) -> &'static str {
        match self {
            Self::X86 => X86[0],
            Self::X8664 => X86_64[0][0],
        }
    }
}
