//! Copying protocols under memory models.

mod counterexamples;
mod progress;
mod published_table;
mod register;
mod second_formulations;

use refmap::{Report, Settings, Verdict};
use refmap_programs::MemoryModel;
use refmap_refinements::Checked;
use refmap_refinements::copying::CopyingRefinement;
use refmap_systems::copying::table_2::{Row, TABLE_2};
use refmap_systems::copying::{Instance, Protocol, Scenario};

use crate::decide;

use MemoryModel::{PsoFull, PsoNo, RmoFull, RmoNo, Sc, Tso};

const SCENARIOS: [Scenario; 2] = [Scenario::Wr, Scenario::Rw];

fn settings() -> Settings<'static> {
    Settings {
        threads: 3,
        ..Settings::default()
    }
}

fn report(instance: &Instance, model: MemoryModel) -> Report {
    let refinement = CopyingRefinement::new(instance, model).expect("there is such an instance");
    checked(&refinement)
}

fn checked(refinement: &CopyingRefinement) -> Report {
    decide(&*refinement.checker(), &settings())
}

fn holds(instance: &Instance, model: MemoryModel) -> bool {
    let report = report(instance, model);
    match report.verdict {
        Some(Verdict::Holds) => true,
        Some(Verdict::Violated) => {
            let violated: Vec<_> = report.violated().collect();
            assert_eq!(violated, ["simulation"], "{instance:?} under {model}");
            false
        }
        other => panic!("{other:?}: {instance:?} under {model}"),
    }
}

/// The instances of every row of the table, in both scenarios.
fn instances() -> impl Iterator<Item = Instance> {
    TABLE_2.into_iter().flat_map(|row| {
        SCENARIOS
            .map(|scenario| Instance::new(row.protocol, scenario).alpha(row.alpha.unwrap_or(0)))
    })
}
