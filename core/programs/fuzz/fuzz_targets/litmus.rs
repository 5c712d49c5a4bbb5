//! Any text is read as a litmus test or refused with a line; what is read runs within its bounds.

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
            // That there are too many states is an answer, too.
            let _ = test.run(MemoryModel::RmoNo, &bounds);
        }
    }
});
