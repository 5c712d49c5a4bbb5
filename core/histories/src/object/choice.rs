//! Choice of a call among those that a thread may make.

use refmap::Action;

/// Rules of some calls, each once.
fn rules<C: Action<()>>(offered: &[C]) -> Vec<usize> {
    let mut rules = Vec::new();
    for rule in offered.iter().map(|call| call.rule(&()).0) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

/// Place of the call that a number chooses: each rule is as likely as each other one, and then each of its calls.
pub(super) fn chosen<C: Action<()>>(offered: &[C], number: u32) -> Option<usize> {
    let rules = rules(offered);
    let number = number as usize;
    let rule = *rules.get(number.checked_rem(rules.len())?)?;
    let of_rule = || (0..offered.len()).filter(|place| offered[*place].rule(&()).0 == rule);
    of_rule().nth((number / rules.len()).checked_rem(of_rule().count())?)
}

/// Numbers of the calls of a thread, by their rules, which are kept near each other.
///
/// So an object is as often emptied as it is filled, and does not grow with the length of a run: how many orders there are in which the
/// concurrent calls before may have filled it grows with it.
#[derive(Clone, Debug)]
pub(super) struct Balance {
    /// Greatest number by which a rule is ahead of another one that may be called as well.
    ahead: u64,
    calls: Vec<u64>,
}

impl Balance {
    pub fn new(ahead: u64) -> Self {
        let calls = Vec::new();
        Self { ahead, calls }
    }

    fn of<C: Action<()>>(&self, call: &C) -> u64 {
        self.calls.get(call.rule(&()).0).copied().unwrap_or(0)
    }

    /// Removes the calls of rules that are too far ahead.
    pub fn retain<C: Action<()>>(&self, offered: &mut Vec<C>) {
        let least = offered.iter().map(|call| self.of(call)).min().unwrap_or(0);
        offered.retain(|call| self.of(call) - least < self.ahead);
    }

    /// Counts a call.
    pub fn count<C: Action<()>>(&mut self, call: &C) {
        let rule = call.rule(&()).0;
        if rule >= self.calls.len() {
            self.calls.resize(rule + 1, 0);
        }
        self.calls[rule] += 1;
    }
}

/// Choice of one of the calls that a thread may make.
#[cfg(any(feature = "shuttle", feature = "loom"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Number that chooses it.
    pub number: u32,
    /// Rule of the call.
    pub rule: usize,
    /// Place among the calls of its rule, if that has several: a name of the values that it has.
    pub name: Option<usize>,
}

/// Choices of the calls, in their order.
#[cfg(any(feature = "shuttle", feature = "loom"))]
pub(super) fn choices<C: Action<()>>(offered: &[C]) -> Vec<Choice> {
    let rules = rules(offered);
    let mut seen = vec![0; rules.len()];
    let choices = offered.iter().filter_map(|call| {
        let rule = call.rule(&()).0;
        let place = rules.iter().position(|known| *known == rule)?;
        let name = seen[place];
        seen[place] += 1;
        let number = u32::try_from(place + rules.len() * name).ok()?;
        let of_rule = offered.iter().filter(|other| other.rule(&()).0 == rule);
        let name = (of_rule.count() > 1).then_some(name);
        Some(Choice { number, rule, name })
    });
    choices.collect()
}

/// A number that chooses this call.
#[cfg(feature = "shuttle")]
pub(super) fn number_of<C: Action<()>>(offered: &[C], call: &C) -> Option<u32> {
    let place = offered.iter().position(|other| other == call)?;
    choices(offered).get(place).map(|choice| choice.number)
}

#[cfg(all(test, feature = "shuttle"))]
mod tests {
    use super::*;
    use crate::specifications::queue::Call;

    #[test]
    fn a_number_of_a_call_chooses_it() {
        let offered = [Call::Push(1), Call::Pop, Call::Push(2), Call::Push(3)];
        for (place, call) in offered.iter().enumerate() {
            let number = number_of(&offered, call).expect("it is offered");
            assert_eq!(chosen(&offered, number), Some(place));
        }
        let mut balance = Balance::new(2);
        balance.count(&Call::Push(9));
        balance.count(&Call::Push(9));
        let mut balanced = offered.to_vec();
        balance.retain(&mut balanced);
        assert_eq!(balanced, [Call::Pop]);
        assert_eq!(number_of(&offered, &Call::Push(4)), None);
        assert_eq!(chosen::<Call<u8>>(&[], 3), None);
        let numbers = 0..600;
        let pops = numbers.filter(|number| chosen(&offered, *number) == Some(1));
        assert_eq!(pops.count(), 300);
    }
}
