//! The tests of `refmap`, in one program: what they share is compiled once. The scheduler of `schedules` needs one of its
//! own.

mod comparison;
mod corners;
mod environment;
mod identical;
mod induction;
mod local;
mod metamorphic;
mod negative_corpus;
mod numbering;
mod oracle;
mod planted;
mod properties;
mod random_systems;
// The README's lines are shorter than ours.
#[rustfmt::skip]
mod readme;
mod renderings;
mod reports;
mod storage;
mod table;
mod walks;
mod webs;
