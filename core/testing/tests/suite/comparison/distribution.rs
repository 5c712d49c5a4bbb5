//! Distribution of the random cases: a comparison of cases that are all alike says little.

use std::collections::{BTreeMap, HashMap};

use refmap::Verdict;

use crate::oracle::{Fate, Oracle};
use crate::table::Correspondence;

/// Counts of obligations held and violated per kind, and of what else must not be missing.
#[derive(Debug, Default)]
pub struct Distribution {
    fates: BTreeMap<&'static str, (u64, u64)>,
    /// Environments refused only after a search of more than one state.
    refused_after_a_search: u64,
    /// Environments granted everything, something of it not at once.
    granted_later: u64,
    /// Violations whose shortest counterexample takes two steps or more.
    deep: u64,
    all_hold: u64,
    /// Systems that stop, and only where they may.
    stop: u64,
    unexercised: u64,
    /// Coverage that holds by a waiver.
    waived: u64,
    no_initial_state: u64,
    /// The most states at one distance.
    pub widest_level: u64,
}

/// The kind of an obligation: its name without that of a rule or an invariant.
fn kind(obligation: &str) -> &'static str {
    let kinds = [
        "observation",
        "initiality",
        "simulation",
        "agency",
        "invariant",
        "environment:at_rest",
        "environment",
        "deadlock",
        "coverage",
    ];
    let mut known = kinds.into_iter();
    let kind = known.find(|kind| obligation.starts_with(kind));
    kind.expect("the oracle decides these obligations only")
}

impl Distribution {
    /// Adds a case.
    pub fn add(&mut self, oracle: &Oracle<'_, Correspondence>, fates: &[(String, Fate)]) {
        for (name, fate) in fates {
            let (held, violated) = self.fates.entry(kind(name)).or_default();
            *held += u64::from(fate.verdict == Verdict::Holds);
            *violated += u64::from(fate.verdict == Verdict::Violated);
            self.deep += u64::from(fate.length >= Some(2));
        }
        let any = |verdict| fates.iter().any(|(_, fate)| fate.verdict == verdict);
        self.all_hold += u64::from(!any(Verdict::Violated));
        let ends = (0..oracle.states.len()).filter(|state| oracle.steps[*state].is_empty());
        self.stop += u64::from(ends.clone().count() > 0 && !ends.clone().any(|s| oracle.stuck(s)));
        let covered = fates
            .iter()
            .any(|(name, fate)| name == "coverage" && fate.length.is_none());
        self.waived += u64::from(covered && !oracle.refinement.waived.is_empty());
        self.no_initial_state += u64::from(oracle.initial_states == 0);
        self.unexercised += u64::from(!oracle.unexercised().is_empty());
        let mut levels = HashMap::new();
        for depth in &oracle.depths {
            *levels.entry(depth).or_insert(0) += 1;
        }
        self.widest_level = self
            .widest_level
            .max(levels.into_values().max().unwrap_or(0));
        // The environment is not evaluated where simulation fails.
        let simulation = |(name, fate): &(String, Fate)| {
            name == "simulation" && fate.verdict == Verdict::Violated
        };
        if fates.iter().any(simulation) {
            return;
        }
        let searches: Vec<_> = (0..oracle.states.len())
            .flat_map(|state| {
                let offers = oracle.environment_offers(state);
                offers
                    .into_iter()
                    .map(move |(process, action)| oracle.search(state, process, &action))
            })
            .collect();
        let mut refused = searches
            .iter()
            .filter(|search| search.earlier_steps.is_none());
        let granted = searches.iter().all(|search| search.earlier_steps.is_some());
        self.refused_after_a_search += u64::from(refused.any(|search| search.states > 1));
        let later = searches.iter().any(|search| search.earlier_steps > Some(0));
        self.granted_later += u64::from(granted && later);
    }

    /// Every verdict of every obligation has its share, and so has what is hard to decide.
    pub fn assert_rich(&self, cases: u64) {
        eprintln!("{cases} cases: {self:?}");
        assert_eq!(self.fates.len(), 9, "each kind of obligation occurred");
        for (kind, (held, violated)) in &self.fates {
            assert!(*held > cases / 20, "{kind} held in {held} of {cases}");
            assert!(
                *violated > cases / 20,
                "{kind} was violated in {violated} of {cases}"
            );
        }
        for (what, count) in [
            ("refused after a search", self.refused_after_a_search),
            ("granted later", self.granted_later),
            ("deep", self.deep),
            ("all hold", self.all_hold),
            ("stop", self.stop),
            ("unexercised", self.unexercised),
            ("waived", self.waived),
            ("no initial state", self.no_initial_state),
        ] {
            assert!(count > cases / 50, "{what}: {count} of {cases}");
        }
    }
}
