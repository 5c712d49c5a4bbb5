//! The comparison with other programs, as far as refmap goes.

use std::path::Path;

#[test]
fn every_mode_finds_the_known_counts() {
    let refmap = Path::new(env!("CARGO_BIN_EXE_refmap"));
    assert_eq!(refmap_compare::every_mode(refmap), Ok(11));
}
