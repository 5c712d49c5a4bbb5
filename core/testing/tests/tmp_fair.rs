#[path = "suite/negative_corpus/fairness.rs"]
mod fairness;
#[path = "suite/table/mod.rs"]
mod table;
#[path = "suite/liveness/between.rs"]
mod between;
#[path = "suite/liveness/positions.rs"]
mod positions;
