#[path = "suite/derived.rs"]
mod derived;
#[path = "suite/negative_corpus/fairness.rs"]
mod fairness;
#[path = "suite/liveness/mod.rs"]
mod liveness;
#[path = "suite/table/mod.rs"]
mod table;
