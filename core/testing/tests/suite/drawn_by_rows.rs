//! Drawings by rows: of systems that do not say how their states are drawn.

use std::collections::{BTreeSet, VecDeque};
use std::marker::PhantomData;

use refmap::drawing::Drawing;
use refmap::drawing::Row;
use refmap::{IndexSet, State, TransitionSystem};
use serde::Serialize;

/// A system whose states are of any type.
struct Shop<T>(PhantomData<fn() -> T>);

impl<T: State<Self>> TransitionSystem for Shop<T> {
    type State = T;
    type Action = ();
    type Observation = ();

    fn initial(&self, _: &mut impl FnMut(T)) {}

    fn fire(&self, (): &(), _: &mut T) -> Option<()> {
        None
    }

    fn observe(&self, _: &T) {}
}

fn drawn<T: State<Shop<T>>>(state: &T) -> Option<Drawing> {
    Shop(PhantomData).draw(state)
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[serde(rename_all = "snake_case")]
enum Client {
    Out,
    Waits { since: u8 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Cells(#[state(max_len = 3)] Vec<u8>);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Till {
    open: bool,
    paid: Cells,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Street {
    marks: BTreeSet<(u8, u8)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Inside {
    #[serde(flatten)]
    street: Street,
    #[state(symmetric, each = "client")]
    clients: Vec<Client>,
    #[state(each = "client", max_len = 99)]
    basket: Vec<IndexSet>,
    tills: [Till; 1],
    values: Box<[u8; 3]>,
    /// As many as there are clients, if there are two, and not one for each.
    #[state(max_len = 2)]
    queue: VecDeque<u8>,
    last: Option<u8>,
    front: Till,
    back: Till,
}

fn inside(clients: usize) -> Inside {
    let till = || Till {
        open: true,
        paid: Cells(Vec::new()),
    };
    Inside {
        street: Street {
            marks: BTreeSet::new(),
        },
        clients: vec![Client::Out; clients],
        basket: vec![IndexSet::default(); clients],
        tills: [till()],
        values: Box::new([1, 2, 3]),
        queue: VecDeque::new(),
        last: None,
        front: till(),
        back: till(),
    }
}

#[test]
fn members_have_rows_and_the_system_has_the_rest() {
    let mut state = inside(2);
    let empty = drawn(&state).expect("it has members").to_string();
    assert_eq!(
        empty,
        "marks {}   values: 1, 2, 3   queue: empty   last none   \
         front.open true   front.paid: empty   back.open true   back.paid: empty\n\
         client 0  out  basket {}\n\
         client 1  out  basket {}\n\
         [0]  open true  paid: empty"
    );
    state.street.marks = BTreeSet::from([(1, 2)]);
    state.clients[1] = Client::Waits { since: 3 };
    state.basket[0] = [2, 5].into_iter().collect();
    state.tills[0].paid = Cells(vec![9, 9]);
    state.queue = [1, 0].into();
    state.last = Some(6);
    let full = "marks {[1 2]}   values: 1, 2, 3   queue: 1, 0   last 6   \
                front.open true   front.paid: empty   back.open true   back.paid: empty\n\
                client 0  out  basket {2, 5}\n\
                client 1  waits(since=3)  basket {}\n\
                [0]  open true  paid: 9, 9";
    let drawing = drawn(&state).expect("it has members");
    assert_eq!(drawing.to_string(), full);
    // The fields that stand beside it say the same, so that it is no text until something is added.
    assert_eq!(drawing.text(), None);
    let more = drawing.row(Row::of("more"));
    assert_eq!(more.text(), Some(format!("{full}\nmore")));
}

#[test]
fn any_number_of_members_has_rows() {
    for clients in [0, 2, 70] {
        let rows = drawn(&inside(clients)).expect("it has sets").rows;
        let of_clients = rows.iter().filter(|row| row.name.starts_with("client "));
        assert_eq!(of_clients.count(), clients);
    }
}

#[test]
fn rows_are_of_structs_with_fields() {
    assert!(drawn(&inside(2).front).is_some());
    assert!(drawn(&Client::Waits { since: 1 }).is_none());
    assert!(drawn(&Cells(vec![1, 2])).is_none());
    assert!(drawn(&vec![1_u8, 2]).is_none());
    assert!(drawn(&7_u8).is_none());
}
