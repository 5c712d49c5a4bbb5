//! `coverage`: whether what the specification allows is done somewhere.

use foldhash::{HashSet, HashSetExt};

use super::Judge;
use crate::explore::{Panic, StateId, catch};
use crate::refinement::Refinement;
use crate::report::{Counterexample, Obligation, Verdict};
use crate::system::TransitionSystem;

/// Why the states could not be looked at once more.
enum Unseen {
    /// They were not kept.
    Forgotten,
    /// A function of the model, whose name is here, panicked at a state.
    Panicked(StateId, &'static str, Panic),
}

impl<R: Refinement> Judge<'_, R> {
    /// Every rule of the specification that is enabled somewhere is simulated somewhere, unless it
    /// is waived; and something happened at all.
    pub(super) fn coverage(&self) -> Obligation {
        if !self.explored.is_complete() {
            let judged = Obligation::new(Verdict::Incomplete, 0);
            return judged.noted("not evaluated: it needs every reachable state");
        }
        if self.explored.transitions == 0 {
            let explanation = "the implementation never takes a step, so no step was checked";
            let counterexample = Counterexample::without_steps(explanation.to_owned());
            return Obligation::violated(0, vec![counterexample]);
        }
        let specification = self.examiner.refinement.specification();
        let waivers = self.examiner.refinement.waivers();
        let simulated = &self.explored.tally.simulated;
        let offered = match self.first_offers(simulated) {
            Ok(offered) => offered,
            Err(Unseen::Forgotten) => {
                let reason =
                    "not evaluated: it needs the states once more, and fingerprints keep none";
                return Obligation::new(Verdict::Incomplete, 0).noted(reason);
            }
            Err(Unseen::Panicked(state, during, panic)) => {
                let explanation = format!("{during} panicked: {panic}");
                let counterexample = self.told(self.explored.place(state), explanation);
                return Obligation::violated(0, vec![counterexample]);
            }
        };
        let never = specification
            .rules()
            .iter()
            .zip(simulated.iter().zip(&offered));
        let never = never.filter(|(_, (simulated, offered))| **simulated == 0 && offered.is_none());
        *self.never_enabled.borrow_mut() = never.map(|(rule, _)| rule.name.to_string()).collect();
        let mut checked = 0;
        let mut problems = Vec::new();
        for (rule, (&simulated, &offered)) in specification
            .rules()
            .iter()
            .zip(simulated.iter().zip(&offered))
        {
            let waiver = waivers.iter().find(|waiver| waiver.rule == rule.name);
            checked += u64::from(simulated > 0 || offered.is_some());
            match (simulated, offered, waiver) {
                (0, Some(state), None) => problems.push((
                    Some(state),
                    format!(
                        "`{}` is enabled here, and no step anywhere simulates it",
                        rule.name
                    ),
                )),
                (0, None, Some(_)) => problems.push((
                    None,
                    format!(
                        "the waiver for `{}` is not needed: it is never enabled",
                        rule.name
                    ),
                )),
                (1.., _, Some(_)) => problems.push((
                    None,
                    format!(
                        "the waiver for `{}` is not needed: it is simulated",
                        rule.name
                    ),
                )),
                _ => (),
            }
        }
        if problems.is_empty() {
            return Obligation::new(Verdict::Holds, checked);
        }
        let explain = |(state, explanation): (Option<StateId>, _)| match state {
            None => Counterexample::without_steps(explanation),
            Some(state) => self.told(self.explored.place(state), explanation),
        };
        let mut counterexamples: Vec<_> = problems.into_iter().map(explain).collect();
        counterexamples.sort_by_key(|found| found.length);
        Obligation::violated(checked, counterexamples)
    }

    /// Per rule of the specification that no step simulates, the first state whose image offers it.
    fn first_offers(&self, simulated: &[u64]) -> Result<Vec<Option<StateId>>, Unseen> {
        let refinement = self.examiner.refinement;
        let specification = refinement.specification();
        let mut first = vec![None; simulated.len()];
        let missing = simulated.iter().filter(|count| **count == 0).count();
        let mut seen = HashSet::new();
        let mut found = 0;
        for id in (0..self.explored.states() as u32).map(StateId) {
            if found == missing {
                break;
            }
            let panicked = |during| move |panic| Unseen::Panicked(id, during, panic);
            let state = catch(|| self.explored.state(refinement.implementation(), id))
                .map_err(panicked("`fields`, reading a state back,"))?;
            let state = state.ok_or(Unseen::Forgotten)?;
            let image = catch(|| refinement.map(&state)).map_err(panicked("`map`"))?;
            if seen.contains(&image) {
                continue;
            }
            catch(|| {
                specification.offers(&image, &mut |action| {
                    let rule = specification.rule_of(&action).0;
                    if simulated[rule] == 0 && first[rule].is_none() {
                        first[rule] = Some(id);
                        found += 1;
                    }
                });
            })
            .map_err(panicked("`offers` of the specification"))?;
            seen.insert(image);
        }
        Ok(first)
    }
}
