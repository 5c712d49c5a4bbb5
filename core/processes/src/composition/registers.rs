//! Test of the registers that commands declare.

use super::{Composition, Granularity};
use crate::act::Act;
use crate::configuration::Configuration;
use crate::data::Register;
use crate::instance::{Offer, Role};
use crate::label::CommandLabel;
use refmap::Process;

/// Error: a command depends on a register that it does not declare.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{label}` of {process} depends on what register `{register}` holds, and does not say so")]
pub struct Undeclared {
    /// Process of the command.
    pub process: Process,
    /// Label of the command.
    pub label: String,
    /// Name of the register.
    pub register: &'static str,
}

impl<S, Q, A, N> Composition<S, Q, A, N>
where
    S: Configuration + PartialEq + 'static,
    Q: 'static,
    A: 'static,
    N: CommandLabel,
{
    /// Tests in a state what the commands say of registers: that none depends on a register that it
    /// does not read, and that what it writes does not depend on what was there. On this rests that
    /// dead registers can be cleared. Each command is looked at by itself, whatever the granularity.
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
                        self.outcomes(from, number, step, offer, &mut |mut to| {
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
                            label: offer.label.to_string(),
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
        number: usize,
        step: usize,
        offer: &Offer<N>,
        visit: &mut dyn FnMut(S),
    ) {
        let mut state = from.clone();
        let mut step_of = |process, step, offer: &Offer<N>, visit: &mut dyn FnMut(Act<N>, S)| {
            let visit = &mut |act, to: &mut S| visit(act, to.clone());
            self.step(Granularity::Fine, &mut state, process, step, offer, visit);
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
