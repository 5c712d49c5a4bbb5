//! Symmetry: one state of each class decides what all states decide, and what is none is found out.

pub mod crowds;
mod quotient;

use quotient::{Quotients, compare_quotient};

/// One state of each class tells what all states tell, where the components are identical; where they
/// are not, that is found out.
#[test]
fn a_quotient_decides_what_the_whole_decides() {
    let mut quotients = Quotients::default();
    let cases = 160;
    for seed in 0..cases {
        compare_quotient(seed, &mut quotients);
    }
    eprintln!("{cases} cases: {quotients:?}");
    assert!(quotients.smaller > cases / 2);
    assert!(quotients.hold > cases / 20);
    assert!(quotients.violated > cases / 2);
    assert!(quotients.deep > cases / 20);
    assert!(quotients.odd > cases / 2);
}
