//! `refmap`: the command line over the catalogue.

use std::process::ExitCode;

fn main() -> ExitCode {
    refmap_cli::main(
        refmap_checks::NAME,
        refmap_checks::ABOUT,
        &refmap_checks::catalogue(),
    )
}
