//! Actions that are derived: which rules there are, and which process takes a step.

use refmap::{Action, Process};
use refmap_testing::Itself;
use serde::Serialize;

use crate::packing::derived::{Step, ring};

#[test]
fn rules_are_the_variants() {
    let Itself(ring) = ring(2, 3);
    let rules: Vec<_> = Step::rules(&ring)
        .iter()
        .map(|rule| (&*rule.name, rule.process, &*rule.source))
        .collect();
    let expected = [
        ("count", "node", "Step::Count"),
        ("hand_over", "node", "a test"),
        ("reset", "clock", "Step::Reset"),
    ];
    assert_eq!(rules, expected);
    assert_eq!(
        Step::Count { node: 1 }.process(&ring),
        Process::numbered("node", 1)
    );
    assert_eq!(
        Step::Tell(1, 0).process(&ring),
        Process::numbered("node", 0)
    );
    assert_eq!(Step::Reset.process(&ring), Process::new("clock"));
}

/// A visit, and where a guest comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = GUEST)]
enum Visit {
    /// By the front door,
    #[rule(name = "enter", source = concat!("page ", 1))]
    Front,
    #[rule(source = "page 2")]
    Leave,
    /// or by another one.
    #[rule(name = "enter")]
    Back { door: u8 },
}

const GUEST: &str = "guest";

#[test]
fn variants_of_one_name_are_one_rule() {
    let rules: Vec<_> = Visit::rules(&())
        .iter()
        .map(|rule| (&*rule.name, rule.process, &*rule.source))
        .collect();
    assert_eq!(
        rules,
        [("enter", "guest", "page 1"), ("leave", "guest", "page 2")]
    );
    let number = |visit: Visit| visit.rule(&()).0;
    let numbers = [Visit::Front, Visit::Leave, Visit::Back { door: 3 }].map(number);
    assert_eq!(numbers, [0, 1, 0]);
}

/// Labels of one name, of two processes, said in one attribute and in two.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Pass {
    #[rule(name = "pass", process = "left")]
    Left,
    #[rule(name = "pass")]
    #[rule(process = "right")]
    Right,
    #[rule(name = "pass", process = "left")]
    LeftAgain,
}

/// A rule is one of a process: the same name of another one is another rule.
#[test]
fn a_rule_is_that_of_its_process() {
    let rules = Pass::rules(&());
    let rules: Vec<_> = rules
        .iter()
        .map(|rule| (&*rule.name, rule.process))
        .collect();
    assert_eq!(rules, [("pass", "left"), ("pass", "right")]);
    let number = |pass: Pass| pass.rule(&()).0;
    let numbers = [Pass::Left, Pass::Right, Pass::LeftAgain].map(number);
    assert_eq!(numbers, [0, 1, 0]);
}

/// Labels whose processes have numbers of all integer types.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[rule(process = "node")]
enum Numbered {
    U8(#[process] u8),
    U16(#[process] u16),
    U32(#[process] u32),
    U64(#[process] u64),
    U128(#[process] u128),
    Usize(#[process] usize),
    I8(#[process] i8),
    I16(#[process] i16),
    I32(#[process] i32),
    I64(#[process] i64),
    I128(#[process] i128),
    Isize {
        before: u8,
        #[process]
        number: isize,
    },
}

/// The process of an action, if there is one.
fn process_of(action: &Numbered) -> Option<Process> {
    refmap::internal::catch(|| action.process(&())).ok()
}

#[test]
fn a_process_has_the_number_that_its_field_has() {
    for number in 0..=u16::MAX {
        let own = Some(Process::numbered("node", number));
        assert_eq!(process_of(&Numbered::U16(number)), own);
        assert_eq!(process_of(&Numbered::I32(number.into())), own);
        let before = number as u8;
        let number = number as isize;
        assert_eq!(process_of(&Numbered::Isize { before, number }), own);
    }
    for number in i8::MIN..=i8::MAX {
        let own = u16::try_from(number).ok();
        let own = own.map(|number| Process::numbered("node", number));
        assert_eq!(process_of(&Numbered::I8(number)), own);
        assert_eq!(process_of(&Numbered::I16(number.into())), own);
        assert_eq!(process_of(&Numbered::I128(number.into())), own);
        let small = own.and(u8::try_from(number).ok());
        assert_eq!(
            small.and_then(|number| process_of(&Numbered::U8(number))),
            own
        );
    }
    for number in [65_536, 65_537, 1_u32 << 31, u32::MAX] {
        assert_eq!(process_of(&Numbered::U32(number)), None, "{number}");
        assert_eq!(process_of(&Numbered::I64(number.into())), None, "{number}");
        assert_eq!(
            process_of(&Numbered::U64(u64::from(number) << 32)),
            None,
            "{number}"
        );
        assert_eq!(
            process_of(&Numbered::U128(u128::from(number) << 96)),
            None,
            "{number}"
        );
        assert_eq!(
            process_of(&Numbered::Usize(number as usize)),
            None,
            "{number}"
        );
    }
}
