//! Attributes of the fields of a state: one that is wrong is told with the field, its type and the remedy, and a value that does
//! not fit its attribute with the way to it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use refmap::explore::StatesKept;
use refmap::internal::LimitsFault;
use refmap::obligation::CheckError;
use refmap::state::Limits;
use refmap::{BoundedVec, IndexSet, Settings, State, Verdict, check};
use refmap_testing::{Itself, Machine, checked, row_of};
use serde::Serialize;

/// A system of which a state is given, with a step to another one.
type Given<T> = Machine<T, ()>;

fn given<T: State<Given<T>>>(first: T, then: T) -> Given<T> {
    let go = move |state: &mut T| {
        state.clone_from(&then);
        Some(())
    };
    Machine::of([first], |_| ()).rule("go", go)
}

/// Message of a check on states of this type, which are never looked at.
fn refused<T: State<Given<T>> + Default>() -> String {
    let given = given(T::default(), T::default());
    let error = check(&Itself(given), &Settings::default()).expect_err("an attribute is wrong");
    assert!(matches!(error, CheckError::WrongLimits(_)), "{error}");
    // What `unwrap` shows is the message.
    assert_eq!(format!("{error:?}"), error.to_string());
    error.to_string()
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Message {
    #[state(range = 0..4)]
    from: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
struct Opaque(u8);

impl<S: ?Sized> State<S> for Opaque {}

/// A newtype, which takes what is said of a field of its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
struct Weight(u8);

/// States of one field with an attribute, what is told of it, and what it should be.
macro_rules! wrong {
    ($($name:ident: $type_:ty, [$($attribute:tt)+] => $($told:literal)+;)*) => {$(
        #[test]
        fn $name() {
            #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, State)]
            struct Model {
                is_up: bool,
                #[state($($attribute)+)]
                field: $type_,
            }
            let told = refused::<Model>();
            for part in ["of the states of the implementation the attribute of the field `field`, of type `", $($told),+] {
                assert!(told.contains(part), "{told}");
            }
        }
    )*};
}

wrong! {
    a_range_does_not_reach_into_a_type_of_its_own: Vec<BTreeMap<Message, i8>>, [range = 0..=3] =>
        "of type `Vec<BTreeMap<Message, i8>>`, is wrong: `range` does not reach into `Message`; write it at the fields of `Message`";
    nor_does_a_length: Message, [len = 3] => "`len` does not reach into `Message`";
    nor_does_varint: (u8, Option<Message>), [varint] => "of type `(u8, Option<Message>)`" "`varint` does not reach into `Message`";
    a_text_has_no_integers: String, [range = 0..=3] => "`range` has no effect, since the type has no integers; leave it out";
    nor_has_a_truth_value: [bool; 3], [range = 0..=1] => "of type `[bool; 3]`" "`range` has no effect";
    nor_has_a_letter: Vec<char>, [varint] => "`varint` has no effect";
    a_number_has_no_length: u8, [len = 3] => "`len` says nothing of `u8`; it belongs to a vector, deque, string, set or map";
    nor_has_an_option_of_one: Option<i64>, [max_len = 3] => "`max_len` says nothing of `i64`";
    nor_has_a_pair_of_a_list_and_a_number: (Vec<u8>, u8), [max_len = 3] => "`max_len` says nothing of `u8`";
    nor_has_a_set_of_indices: IndexSet, [len = 3] => "`len` says nothing of `IndexSet`";
    indices_are_in_a_range_always: IndexSet, [varint] => "`varint` says nothing of `IndexSet`; leave it out, or give a `range`";
    a_range_that_is_reversed: u8, [range = std::convert::identity(5)..=3] => "no integer is in a range from 5 to 3; the least value comes first";
    a_range_that_is_empty: Vec<i8>, [range = 0..0] => "no integer is in a range from 0 to -1";
    a_range_of_indices_that_is_reversed: IndexSet, [range = std::convert::identity(9)..=3] => "no integer is in a range from 9 to 3";
    a_range_that_the_type_does_not_have: BTreeSet<u8>, [range = 0..=300] => "the range from 0 to 300 is not one of `u8`, which has 0 to 255";
    a_negative_range_of_a_number: u16, [range = -1..=3] => "the range from -1 to 3 is not one of `u16`";
    a_range_of_indices_beyond_a_word: IndexSet, [range = 0..=64] => "the range from 0 to 64 is not one of `IndexSet`, which has 0 to 63";
    a_range_of_a_newtype: Option<Weight>, [range = 0..=256] => "the range from 0 to 256 is not one of `u8`";
    a_length_beyond_the_bound: BoundedVec<bool, 3>, [len = 4] => "a vector of at most 3 elements does not have 4; a smaller length does";
    a_negative_length: Vec<u8>, [len = -1] => "a length is not negative";
    a_negative_length_of_a_small_set: BTreeSet<bool>, [max_len = -1i8] => "a length is not negative";
    what_is_kept_whole_has_no_range: Opaque, [range = 0..=3] => "`range` has no effect, since the type is kept whole; derive `State` for it";
}

/// Of each variant the field is named, and from the state on.
#[test]
fn a_field_is_named_from_the_state_on() {
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, State)]
    enum Consumer {
        #[default]
        Idle,
        Busy {
            #[state(range = 3..3)]
            turn: u8,
        },
    }
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, State)]
    struct Model {
        #[state(len = 2)]
        consumers: Vec<Option<Consumer>>,
    }
    let _ = Consumer::Busy { turn: 0 };
    let told = refused::<Model>();
    assert!(
        told.contains("the field `consumers.Busy.turn`, of type `u8`"),
        "{told}"
    );
}

/// A type of one parameter, for which it is wrong or not.
#[test]
fn an_attribute_on_a_parameter_is_judged_for_each_type() {
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, State)]
    struct Twice<T: Clone + std::fmt::Debug + Eq + std::hash::Hash + Serialize> {
        #[state(range = 0..=1)]
        both: (T, T),
    }
    let told = refused::<Twice<Message>>();
    assert!(
        told.contains("of the field `both`, of type `(T, T)`"),
        "{told}"
    );
    assert!(told.contains("`Message`"), "{told}");
    assert_eq!(
        <Twice<u8> as State<()>>::shape(&(), Limits::NONE).bits(),
        Some(2)
    );
}

/// Bounds that systems have in common.
trait Bounded {
    fn size(&self) -> u8;
}

impl<T> Bounded for Given<T> {
    fn size(&self) -> u8 {
        5
    }
}

/// A part of the states of any system with bounds, which are written in none of them.
#[test]
fn a_constant_takes_no_bits() {
    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
    #[state(system = impl Bounded)]
    struct Part {
        #[state(constant = system.size())]
        size: u8,
        #[state(len = system.size(), range = 0..=1)]
        cells: Vec<u8>,
    }
    let part = |cells: [u8; 5]| Part {
        size: 5,
        cells: cells.to_vec(),
    };
    let given = given(part([1, 0, 1, 1, 0]), part([0, 1, 1, 1, 0]));
    let report = checked(&Itself(given), &Settings::default());
    assert_eq!((report.verdict, report.states), (Some(Verdict::Holds), 2));
    assert_eq!(report.states_kept, Some(StatesKept::Packed { bits: 5 }));
}

/// Types for which it is right, in part of what they have.
#[test]
fn what_is_said_of_integers_leaves_out_what_is_none() {
    fn bits<T: State<()>>(limits: Limits) -> Option<u32> {
        let shape = T::shape(&(), limits);
        assert_eq!(shape.error(), None);
        shape.bits()
    }
    let range = Limits::NONE.range(0..=3);
    assert_eq!(bits::<(u8, bool)>(range), Some(3));
    assert_eq!(bits::<BTreeMap<bool, u8>>(range), Some(2 + 4));
    assert_eq!(bits::<BTreeMap<String, u8>>(range.max_len(2)), None);
    assert_eq!(bits::<(char, Weight)>(range), Some(21 + 2));
    assert_eq!(
        bits::<Option<VecDeque<Weight>>>(range.len(3u64)),
        Some(1 + 6)
    );
    assert_eq!(bits::<IndexSet>(Limits::NONE.range(0..0)), Some(0));
    // A fault is found before a field is, too.
    let wrong = <Vec<Message> as State<()>>::shape(&(), range);
    let fault = wrong.error().map(|wrong| wrong.fault.clone());
    let expected = LimitsFault::OwnFields {
        said: "range",
        of: "Message",
    };
    assert_eq!(fault, Some(expected));
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Consumer {
    Idle(#[state(range = 0..3)] u8),
    Busy {
        #[state(max_len = 1)]
        items: Vec<Message>,
        at: (bool, Weight),
    },
    Done(BTreeSet<Letter>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
enum Letter {
    A,
    B(#[state(range = 0..2)] u8),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Shop {
    consumers: Vec<Consumer>,
    table: BTreeMap<(bool, Letter), Option<Message>>,
    #[state(range = 1..=4)]
    names: BTreeMap<String, [i8; 2]>,
    #[state(range = 0..2)]
    few: BTreeMap<u8, bool>,
    #[state(range = 5..=6)]
    small: (Option<u8>, BoundedVec<Weight, 2>),
    letter: Box<Option<Letter>>,
    #[state(range = 0..5)]
    seen: IndexSet,
    #[state(constant = 3)]
    counters: u64,
}

fn shop() -> Shop {
    Shop {
        consumers: vec![Consumer::Done(BTreeSet::new()), Consumer::Idle(2)],
        table: BTreeMap::from([((true, Letter::B(1)), Some(Message { from: 3 }))]),
        names: BTreeMap::from([("left".to_owned(), [1, 4])]),
        few: BTreeMap::new(),
        small: (Some(5), BoundedVec::from_iter([Weight(6)])),
        letter: Box::new(None),
        seen: IndexSet::EMPTY,
        counters: 3,
    }
}

/// Message on a state that differs from the shop in one value, the same where it is the target of a step and where it is
/// initial.
fn told(change: impl Fn(&mut Shop)) -> String {
    let mut changed = shop();
    change(&mut changed);
    let of = |first: Shop, then: Shop| {
        let report = checked(&Itself(given(first, then)), &Settings::default());
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        let model = row_of(&report, "model");
        let fault = &model.counterexamples[0];
        let (_, why) = fault
            .explanation
            .split_once("cannot be packed: ")
            .expect("it says why");
        why.split_once("; it is ")
            .map_or(why, |(why, _)| why)
            .to_owned()
    };
    let why = of(shop(), changed.clone());
    assert_eq!(of(changed.clone(), changed), why);
    why
}

#[test]
fn the_way_to_a_value_out_of_its_range_is_told() {
    let sound = given(shop(), shop());
    let report = checked(&Itself(sound), &Settings::default());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let busy = |items: Vec<Message>| Consumer::Busy {
        items,
        at: (true, Weight(0)),
    };
    let message = |from| Message { from };
    /// Change of a shop, and the way to what is then out of its range.
    type Case<'a> = (&'a dyn Fn(&mut Shop), &'a str);
    let cases: [Case<'_>; 14] = [
        (
            &|shop| shop.counters = 4,
            "`counters` is 4, and is 3 in all states of the instance",
        ),
        (
            &|shop| shop.consumers[1] = Consumer::Idle(3),
            "`consumers[1].Idle.0` is 3, and its range is 0 to 2",
        ),
        (
            &|shop| shop.consumers[0] = busy(vec![message(4)]),
            "`consumers[0].Busy.items[0].from` is 4, and its range is 0 to 3",
        ),
        (
            &|shop| shop.consumers[0] = busy(vec![message(0), message(4)]),
            "`consumers[0].Busy.items` has length 2, and may have from 0 to 1",
        ),
        (
            &|shop| shop.consumers[0] = Consumer::Done(BTreeSet::from([Letter::A, Letter::B(2)])),
            "`consumers[0].Done.0.B.0` is 2, and its range is 0 to 1",
        ),
        (
            &|shop| *shop.table.values_mut().next().expect("it is there") = Some(message(9)),
            "`table[(true, B(1))].from` is 9, and its range is 0 to 3",
        ),
        (
            &|shop| assert!(shop.table.insert((false, Letter::B(7)), None).is_none()),
            "`table.1.B.0` is 7, and its range is 0 to 1",
        ),
        (
            &|shop| shop.names.get_mut("left").expect("it is there")[1] = 5,
            "`names[\"left\"][1]` is 5, and its range is 1 to 4",
        ),
        (
            &|shop| assert!(shop.few.insert(2, true).is_none()),
            "`few` is 2, and its range is 0 to 1",
        ),
        (
            &|shop| shop.small.0 = Some(7),
            "`small.0` is 7, and its range is 5 to 6",
        ),
        (
            &|shop| shop.small.1.push(Weight(4)),
            "`small.1[1]` is 4, and its range is 5 to 6",
        ),
        (
            &|shop| *shop.letter = Some(Letter::B(2)),
            "`letter.B.0` is 2, and its range is 0 to 1",
        ),
        (
            &|shop| assert!(shop.seen.insert(5)),
            "`seen` is 5, and its range is 0 to 4",
        ),
        (
            &|shop| assert!(shop.seen.insert(63)),
            "`seen` is 63, and its range is 0 to 4",
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(told(change), expected);
    }
}
