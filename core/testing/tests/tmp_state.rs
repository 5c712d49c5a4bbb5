//! tmp
#[path = "suite/attributes.rs"]
mod attributes;
#[path = "suite/negative_corpus/by_hand.rs"]
mod by_hand;
#[path = "suite/derived.rs"]
mod derived;
#[path = "suite/renderings.rs"]
mod renderings;
#[path = "suite/survivors.rs"]
mod survivors;
