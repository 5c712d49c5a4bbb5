//! Views of views, in which what is near is near of several answers.

use std::collections::BTreeSet;

use refmap::{TransitionSystem, successor};
use refmap_histories::specifications::counter::Call;
use refmap_histories::specifications::{
    Answer, Approximate, Counter, Operation, Operations, Sequential,
};

fn within(most: i64, answer: &Answer<i64>) -> Vec<Answer<i64>> {
    match *answer {
        Answer::Value(exact) => (exact - most..=exact + most).map(Answer::Value).collect(),
        _ => Vec::new(),
    }
}

/// Each answer of an object that may have several has answers near it.
#[test]
fn each_of_several_answers_has_others_near() {
    let object = Approximate {
        object: Counter {
            initial: 5,
            values: vec![1],
        },
        near: |_, answer| within(2, answer),
    };
    let near = |_: &Call, answer: &Answer<i64>| within(1, answer);
    let sum = Operations(Approximate { object, near });
    let five = &sum.0.initial();
    let expected: BTreeSet<i64> = (2..=8).collect();
    let mut answered = Vec::new();
    sum.0
        .answers(five, &Call::Read, &mut |answer| answered.push(answer));
    let mut visited = Vec::new();
    sum.next(five, &mut |Operation { call, answer }, _| {
        visited.extend((call == Call::Read).then_some(answer));
    });
    for answers in [answered, visited] {
        let number = |answer: &Answer<i64>| match answer {
            Answer::Value(number) => *number,
            other => panic!("{other:?}"),
        };
        assert_eq!(answers.len(), expected.len());
        assert_eq!(
            answers.iter().map(number).collect::<BTreeSet<_>>(),
            expected
        );
    }
    for number in 0..12 {
        let (call, answer) = (Call::Read, Answer::Value(number));
        let to = successor(&sum, five, &Operation { call, answer });
        assert_eq!(to.is_some(), expected.contains(&number), "{number}");
    }
}
