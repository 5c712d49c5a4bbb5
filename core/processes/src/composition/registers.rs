//! Test of the registers that commands declare.

use super::{Composition, Configuration, Granularity};
use crate::act::Act;
use crate::instance::{Offer, Role};
use crate::label::Label;
use crate::liveness::Register;
use refmap::Process;

/// Error: a command depends on a register that it does not declare.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{label}` of {process} depends on what register `{register}` holds, and does not say so")]
pub struct Undeclared {
    /// Process of the command.
    pub process: Process,
    /// Label of the command.
    pub label: Label,
    /// Name of the register.
    pub register: &'static str,
}

impl<S: Configuration + PartialEq + 'static, Q: 'static, A: 'static> Composition<S, Q, A> {
    /// Tests the declared registers of the commands in a state: no command depends on a register that it does not
    /// declare as read, and a register declared as written does not depend on its old value. Clearing dead registers
    /// is sound only if this holds. Each command is tested separately, at every granularity.
    ///
    /// # Errors
    ///
    /// The first command whose declaration is wrong.
    pub fn test_registers(&self, state: &S) -> Result<(), Undeclared> {
        for (number, instance) in self.instances.iter().enumerate() {
            let at = state.location(number);
            for (step, offer) in self.point(number, at).offers.iter().enumerate() {
                let registers = (0..instance.registers().len()).map(|r| Register(r as u8));
                for register in registers.filter(|register| !offer.reads.contains(*register)) {
                    let outcomes = |from: &S| {
                        let mut outcomes = Vec::new();
                        self.outcomes(from, (number, step), offer, &mut |mut to| {
                            if !offer.writes.contains(register) {
                                instance.clear(&mut to, register);
                            }
                            outcomes.push(to);
                        });
                        outcomes
                    };
                    let expected = outcomes(state);
                    let mut depends = false;
                    instance.havoc(state, register, &mut |havocked| {
                        depends |= outcomes(&havocked) != expected;
                    });
                    if depends {
                        return Err(Undeclared {
                            process: instance.process(),
                            label: offer.label,
                            register: instance.registers()[usize::from(register.0)],
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// Visits the results of a step in which a process takes part, as the requesting or the responding one.
    fn outcomes(
        &self,
        from: &S,
        (number, step): (usize, usize),
        offer: &Offer,
        visit: &mut dyn FnMut(S),
    ) {
        let mut state = from.clone();
        let mut step_of = |process, step, offer: &Offer, visit: &mut dyn FnMut(Act, S)| {
            let visit = &mut |act, to: &mut S| visit(act, to.clone());
            self.step(Granularity::Fine, &mut state, (process, step), offer, visit);
        };
        if offer.role != Role::Answers {
            return step_of(number, step, offer, &mut |_, to| visit(to));
        }
        let answer = Some((self.instances[number].process(), offer.label));
        for other in (0..self.instances.len()).filter(|other| *other != number) {
            let offers = &self.point(other, from.location(other)).offers;
            for (step, asking) in offers.iter().enumerate() {
                step_of(other, step, asking, &mut |act, to| {
                    if act.with == answer {
                        visit(to);
                    }
                });
            }
        }
    }
}
