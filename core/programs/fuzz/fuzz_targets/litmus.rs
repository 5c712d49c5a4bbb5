//! Fuzz target: the reader accepts any text or rejects it with a line, and an accepted test runs within its limits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use refmap_programs::MemoryModel;
use refmap_programs::litmus::{Bounds, read};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match read(&text) {
        Err(error) => assert!(error.line >= 1),
        Ok(test) => {
            let bounds = Bounds {
                states: 10_000,
                ..Bounds::default()
            };
            // Too many states is a valid result.
            let _ = test.run(MemoryModel::RmoNo, &bounds);
        }
    }
});
