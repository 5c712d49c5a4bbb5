//! Steps of a part that are judged once, compared with steps that are looked at one by one.

use refmap::explore::Order;
use refmap::obligation::{Checker, Selection, Until};
use refmap::{Packed, Report, Settings, Verdict};

use super::{Case, timeless};
use crate::table::random::{Size, draw};

/// How the cases fared.
#[derive(Debug, Default)]
pub struct Framings {
    /// Cases in which steps can be judged once: a state takes a word, and answers do not depend on the rest.
    pub framed: u64,
    /// Of these, those of which some steps are of the part and some are not.
    pub in_lanes: u64,
    pub hold: u64,
    pub violated: u64,
}

/// All that can be judged of a part, or of a step.
const OF_STEPS: [&str; 7] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "invariant",
    "deadlock",
    "coverage",
];

/// Compares the search that judges the steps of parts once with the one that knows of no parts.
pub fn compare_framed(seed: u64, size: Size, framings: &mut Framings) {
    let refinement = &draw(seed, size);
    let _case = Case(seed, refinement);
    if !refinement.is_framed() || refinement.concrete.layout().words() > 1 {
        return;
    }
    framings.framed += 1;
    framings.in_lanes += u64::from(refinement.concrete.lanes > 1);
    let claims = !refinement.claims.is_empty();
    let asked = OF_STEPS
        .into_iter()
        .filter(|name| claims || *name != "invariant");
    let wide = refinement.concrete.lanes > 1000;
    for obligations in [Selection::only(asked), Selection::Nothing] {
        for until in [Until::End, Until::FirstViolation] {
            for order in [Order::BreadthFirst, Order::DepthFirst] {
                let plain = Settings {
                    obligations: obligations.clone(),
                    until,
                    order,
                    threads: 1,
                    ..Settings::default()
                };
                let checked = Checker::new(refinement).check(&plain);
                let expected = timeless(checked.expect("these can be asked for"));
                for threads in if wide { 2..=2 } else { 1..=3 } {
                    let settings = Settings {
                        threads,
                        ..plain.clone()
                    };
                    let framed = Checker::new(refinement).framed().check(&settings);
                    let framed = Report {
                        frames_sampled: false,
                        ..timeless(framed.expect("the same can"))
                    };
                    assert_eq!(framed, expected, "{threads}, {until:?}, {order:?}");
                }
                framings.hold += u64::from(expected.verdict == Some(Verdict::Holds));
                framings.violated += u64::from(expected.verdict == Some(Verdict::Violated));
            }
        }
    }
}
