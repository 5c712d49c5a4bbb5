//! Local transitions that are judged once for each projection, compared with steps that are looked at one by one.

use refmap::explore::Order;
use refmap::obligation::{Checker, Liveness, Selection, Until};
use refmap::{Settings, Verdict};

use super::{Case, timeless};
use crate::table::random::{Size, draw};

/// How the cases fared.
#[derive(Debug, Default)]
pub struct Projections {
    /// Cases that can be stated by local transitions.
    pub stated: u64,
    /// Of these, those in which some transitions are local and some are not.
    pub in_lanes: u64,
    pub hold: u64,
    pub violated: u64,
}

/// Compares the search that caches local transitions with the one that has no cache.
pub fn compare_cached(seed: u64, size: Size, projections: &mut Projections) {
    let refinement = &draw(seed, size);
    let _case = Case(seed, refinement);
    let Some(local) = refinement.in_all_lanes() else {
        return;
    };
    projections.stated += 1;
    projections.in_lanes += u64::from(refinement.concrete.lanes > 1);
    let wide = refinement.concrete.lanes > 1000;
    // All that there are, so that none that is added is left out.
    for obligations in [Selection::Default, Selection::Nothing] {
        for until in [Until::End, Until::FirstViolation] {
            for order in [Order::BreadthFirst, Order::DepthFirst] {
                let plain = Settings {
                    obligations: obligations.clone(),
                    liveness: Liveness::Included,
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
                    let cached = Checker::new(&local).cached().check(&settings);
                    let cached = timeless(cached.expect("the same can"));
                    assert_eq!(cached, expected, "{threads}, {until:?}, {order:?}");
                }
                projections.hold += u64::from(expected.verdict == Some(Verdict::Holds));
                projections.violated += u64::from(expected.verdict == Some(Verdict::Violated));
            }
        }
    }
}
