//! `refmap_compare`, over the program as cargo has built it.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    refmap_compare::main(
        Path::new(env!("CARGO_BIN_EXE_refmap")),
        Path::new(env!("CARGO_TARGET_TMPDIR")),
    )
}
