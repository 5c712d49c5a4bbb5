//! Arbitrary settings and verdicts, for property tests with `quickcheck`.

use quickcheck::{Arbitrary, Gen};

use super::{Search, Selection, Until};
use crate::report::{Evidence, Verdict};
use crate::walk::random::Walks;
use crate::walk::random::arbitrary::{Any, pick};

impl Arbitrary for Any<Verdict> {
    fn arbitrary(source: &mut Gen) -> Self {
        Self(pick(
            source,
            &[
                Verdict::Holds,
                Verdict::Violated,
                Verdict::Incomplete,
                Verdict::NoneDeclared,
                Verdict::Untested,
                Verdict::NotDecided,
            ],
        ))
    }
}

impl Arbitrary for Any<Evidence> {
    fn arbitrary(source: &mut Gen) -> Self {
        let all = [
            Evidence::Exhaustive,
            Evidence::Bounded,
            Evidence::Sampled,
            Evidence::Views,
        ];
        Self(pick(source, &all))
    }
}

impl Arbitrary for Any<Until> {
    fn arbitrary(source: &mut Gen) -> Self {
        Self(pick(source, &[Until::FirstViolation, Until::End]))
    }
}

/// Obligations that every refinement has.
const OBLIGATIONS: [&str; 6] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "deadlock",
    "coverage",
];

impl Arbitrary for Any<Selection> {
    fn arbitrary(source: &mut Gen) -> Self {
        let some = OBLIGATIONS.into_iter().filter(|_| bool::arbitrary(source));
        let some = Selection::only(some);
        Self(match u8::arbitrary(source) % 4 {
            0 => Selection::Default,
            1 => Selection::Nothing,
            _ => some,
        })
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        match &self.0 {
            Selection::Only(names) => {
                let fewer = (0..names.len()).map(|left_out| {
                    let mut names = names.clone();
                    names.remove(left_out);
                    Self(Selection::Only(names))
                });
                Box::new(fewer.collect::<Vec<_>>().into_iter())
            }
            _ => quickcheck::empty_shrinker(),
        }
    }
}

impl Arbitrary for Any<Search> {
    fn arbitrary(source: &mut Gen) -> Self {
        Self(if bool::arbitrary(source) {
            Search::Walks(Walks {
                walks: u32::from(u8::arbitrary(source)),
                steps: u32::from(u8::arbitrary(source)),
                seed: u64::arbitrary(source),
            })
        } else {
            Search::Exhaustive
        })
    }
}
