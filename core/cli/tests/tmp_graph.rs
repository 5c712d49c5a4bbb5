//! Temporary.
#[path = "suite/graph/mod.rs"]
mod graph;

#[test]
#[ignore]
fn timed() {
    let text = std::fs::read_to_string(std::env::var("GRAPH").unwrap()).unwrap();
    let system = refmap_cli::graph::read(text.as_bytes()).unwrap();
    let start = std::time::Instant::now();
    let decider = refmap_cli::graph::Decider::new(&system);
    for property in &system.properties {
        let decided = decider.decide(&property.kind).unwrap();
        eprintln!(
            "{} {} {:?}",
            property.name,
            decided.violation.is_some(),
            start.elapsed()
        );
    }
}
