//! Lines that describe fair transition systems: each is refused with a reason, or decided.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    if let Ok(system) = refmap_cli::graph::read(line) {
        for decided in refmap_cli::graph::decide(&system) {
            decided.expect("what is found is a lasso that violates the property");
        }
    }
});
