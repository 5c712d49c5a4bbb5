//! Static analysis of a thread's code: the registers that each instruction reads, and those that are live behind
//! it.

use refmap::IndexSet;

use super::expression::Register;
use super::program::{Afterwards, Instruction, Thread};

/// Code of a thread with the results of the analysis.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub instructions: Box<[Instruction]>,
    /// Registers that each instruction reads, in the order of their numbers.
    pub reads: Box<[Box<[Register]>]>,
    /// Numbers of the live registers before each instruction; the last entry is for the end.
    pub needed: Box<[IndexSet]>,
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

fn set(registers: impl IntoIterator<Item = Register>) -> IndexSet {
    let registers = registers.into_iter();
    registers.map(|register| register.0.into()).collect()
}

/// Live-variable analysis: a backward fixed point.
fn needed(thread: &Thread, reads: &[Box<[Register]>]) -> Box<[IndexSet]> {
    let registers = thread.registers.iter().enumerate();
    let kept = registers.filter(|(_, register)| register.afterwards == Afterwards::Kept);
    let kept = kept.map(|(number, _)| number).collect();
    let mut needed = vec![IndexSet::EMPTY; thread.code.len() + 1];
    needed[thread.code.len()] = kept;
    let mut changed = true;
    while changed {
        changed = false;
        for (at, instruction) in thread.code.iter().enumerate().rev() {
            let successors = instruction.successors(at).into_iter().flatten();
            let after = successors.map(|successor| needed[successor]);
            let after = after.fold(IndexSet::EMPTY, IndexSet::union);
            let written = set(instruction.target());
            let read = set(reads[at].iter().copied());
            let before = after.difference(written).union(read);
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
        let needed: Vec<Vec<_>> = code.needed.iter().map(|set| set.iter().collect()).collect();
        let (none, a, b) = (vec![], vec![0], vec![1]);
        // load, branch, assign, jump, assign, end
        assert_eq!(needed, [none.clone(), a.clone(), a.clone(), a, none, b]);
    }
}
