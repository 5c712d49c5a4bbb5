//! Static analysis of a thread's code: the registers that each instruction reads, and those that are live behind
//! it.

use super::expression::Register;
use super::program::{Afterwards, Instruction, Thread};

/// Code of a thread with the results of the analysis.
#[derive(Clone, Debug)]
pub(super) struct Code {
    /// The instructions.
    pub instructions: Box<[Instruction]>,
    /// Registers that each instruction reads, in the order of their numbers.
    pub reads: Box<[Box<[Register]>]>,
    /// Live registers before each instruction, as a bit set; the last entry is for the end.
    pub needed: Box<[u64]>,
}

impl Code {
    /// Analyses `thread`.
    pub fn of(thread: &Thread) -> Self {
        let reads: Box<[Box<[Register]>]> = thread.code.iter().map(reads).collect();
        let needed = needed(thread, &reads);
        Self {
            instructions: thread.code.clone().into(),
            reads,
            needed,
        }
    }

    /// Number of the end.
    pub fn end(&self) -> usize {
        self.instructions.len()
    }
}

fn reads(instruction: &Instruction) -> Box<[Register]> {
    let mut registers = Vec::new();
    instruction.expressions(&mut |expression| {
        expression.registers(&mut |register| registers.push(register));
    });
    registers.sort_unstable();
    registers.dedup();
    registers.into()
}

fn bit(register: Register) -> u64 {
    1 << register.0
}

/// Live-variable analysis: a backward fixed point.
fn needed(thread: &Thread, reads: &[Box<[Register]>]) -> Box<[u64]> {
    let kept = thread
        .registers
        .iter()
        .enumerate()
        .filter(|(_, register)| register.afterwards == Afterwards::Kept)
        .map(|(number, _)| bit(Register(number as u8)))
        .fold(0, |all, one| all | one);
    let mut needed = vec![0; thread.code.len() + 1];
    needed[thread.code.len()] = kept;
    let mut changed = true;
    while changed {
        changed = false;
        for (at, instruction) in thread.code.iter().enumerate().rev() {
            let after = instruction
                .successors(at)
                .into_iter()
                .flatten()
                .fold(0, |all, successor| all | needed[successor]);
            let written = instruction.target().map_or(0, bit);
            let read = reads[at]
                .iter()
                .fold(0, |all, register| all | bit(*register));
            let before = (after & !written) | read;
            changed |= before != needed[at];
            needed[at] = before;
        }
    }
    needed.into()
}

#[cfg(test)]
mod tests {
    use super::super::ProgramBuilder;
    use super::*;

    #[test]
    fn a_register_is_needed_from_its_writing_to_its_last_reading() {
        let mut program = ProgramBuilder::new("liveness");
        let x = program.location("x", 0);
        program.thread("a", |t| {
            let (a, b) = (t.register("a"), t.register_with("b", 0, Afterwards::Kept));
            t.load(a, x);
            t.while_do(a.differs(0), |t| t.assign(a, a - 1));
            t.assign(b, 1);
        });
        let program = program.build().expect("it is well formed");
        let code = Code::of(&program.threads[0]);
        let needs_a: Vec<_> = code.needed.iter().map(|needed| needed & 1).collect();
        // load, branch, assign, jump, assign, end
        assert_eq!(needs_a, [0, 1, 1, 1, 0, 0]);
        let needs_b: Vec<_> = code.needed.iter().map(|needed| needed >> 1).collect();
        assert_eq!(needs_b, [0, 0, 0, 0, 0, 1]);
    }
}
