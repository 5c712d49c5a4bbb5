//! The tests of `refmap`, in one program: what they share is compiled once. They are in a package of their own because
//! a profile speaks of packages: `refmap` is optimised, and this is not, which would take most of the time of a build.

mod actions;
mod alike;
mod any_number;
mod auxiliary;
mod checkpoints;
mod comparison;
mod drawn_by_rows;
mod environment;
mod inclusion;
mod induction;
mod induction_sampled;
mod liveness;
mod negative_corpus;
mod numbering;
mod one_by_one;
mod oracle;
mod packing;
mod panics;
mod past_a_word;
mod properties;
mod random_systems;
mod refusals;
mod regressions;
mod survivors;
mod symmetry;
// The README's lines are shorter than ours.
#[rustfmt::skip]
#[allow(clippy::print_stdout, clippy::unwrap_used, reason = "it is the README's program")]
mod readme;
mod renderings;
mod reports;
mod resumed;
mod rules_said_once;
mod same_bytes;
mod several_steps;
mod several_workers;
mod spilling;
mod stepper;
mod table;
mod telling;
mod together;
mod two_of_each;
mod walks;
mod webs;
mod wide;
