//! What section 3.2 asserts of program locations: when the mark loop is left, and while sweeping.

use refmap::Invariant;
use refmap::process::Locations;
use refmap_systems::heap::Objects as Refs;
use refmap_systems::tso::{OnTheFly, State};

type TsoInvariant = Invariant<OnTheFly>;

const SOURCE: &str = "Gammie et al., section 3.2, Termination of Marking";

/// All of them.
pub(super) fn all(system: &OnTheFly) -> Vec<TsoInvariant> {
    vec![swept_no_grey(system), swept_all_marked(system)]
}

/// From the end of the mark loop [Fig. 2, line 35] to the end of the sweep nothing is grey.
pub fn swept_no_grey(system: &OnTheFly) -> TsoInvariant {
    Invariant::new("swept_no_grey", SOURCE, |s: &State| s.grey().is_empty()).when(sweeps(system))
}

/// There, what a mutator can reach is black, so that what is white can be freed.
pub fn swept_all_marked(system: &OnTheFly) -> TsoInvariant {
    let reachable = |s: &State| {
        let all = s.numbers().map(|mutator| s.reachable(mutator));
        all.fold(Refs::default(), Refs::and)
    };
    Invariant::new("swept_all_marked", SOURCE, move |s: &State| {
        reachable(s).without(s.black()).is_empty()
    })
    .when(sweeps(system))
    .when(move |s: &State| !reachable(s).is_empty())
}

/// Whether the collector is between the mark loop and its last store.
fn sweeps(system: &OnTheFly) -> impl Fn(&State) -> bool + Send + Sync + 'static {
    let steps = [
        "phase ← Sweep",
        "sweep: load fM",
        "sweep: all refs",
        "sweep: a ref to look at",
        "sweep: choose ref",
        "sweep: load mark",
        "sweep: is white",
        "sweep: free",
        "sweep: ref done",
        "phase ← Idle",
    ];
    let at = steps.map(|step| {
        let at: Option<Locations> = system.gc_at(step);
        at.expect("every variant sweeps")
    });
    move |s: &State| at.iter().any(|at| at.contains(s.gc_location()))
}
