//! Stack of a pool of nodes, without locks.
//!
//! Source: Treiber, *Systems programming: coping with parallelism*, IBM RJ 5118, 1986.

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf};
use refmap_histories::specifications::queue::{Call, Order};
use refmap_histories::specifications::{Operations, Queue};
use refmap_schedules::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::{assert_scheduled, assert_sound};

/// Greatest number by which a thread's pushes outnumber its pops.
const MOST_PUSHED: i32 = 2;
/// The first value.
const FIRST: u8 = u8::MAX;
/// One for each value that may be pushed, and one for the first.
const NODES: u64 = 9;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A node that was popped and pushed again is taken for the same.
    Aba,
}

#[derive(Clone, Copy)]
pub struct Stack {
    pub fault: Fault,
}

pub struct Shared {
    used: AtomicU64,
    free: AtomicU64,
    nodes: Vec<Node>,
}

struct Node {
    value: AtomicU8,
    /// As `node` below.
    next: AtomicU64,
}

/// Number of the first node, or 0; the tag is above.
fn node(head: u64) -> u64 {
    head & 0xff
}

pub struct Handle<'a> {
    stack: &'a Shared,
    /// The next value that the thread pushes.
    next: u8,
    /// Number of its pushes without that of its pops.
    pushed: i32,
}

impl Stack {
    /// Head of a list after `before`.
    fn head(self, before: u64, node: u64) -> u64 {
        let tag = before >> 8;
        match self.fault {
            Fault::None => (tag + 1) << 8 | node,
            Fault::Aba => node,
        }
    }

    fn take(self, stack: &Shared, list: &AtomicU64) -> Option<(u64, u8)> {
        loop {
            let head = list.load(Ordering::Acquire);
            let first = stack.node(node(head))?;
            let value = first.value.load(Ordering::Relaxed);
            let to = self.head(head, first.next.load(Ordering::Relaxed));
            let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
            if list.compare_exchange(head, to, success, failure).is_ok() {
                return Some((node(head), value));
            }
        }
    }

    fn put(self, stack: &Shared, list: &AtomicU64, number: u64) {
        let first = stack.node(number).expect("it was taken");
        loop {
            let head = list.load(Ordering::Relaxed);
            first.next.store(node(head), Ordering::Relaxed);
            let (to, failure) = (self.head(head, number), Ordering::Relaxed);
            let put = list.compare_exchange(head, to, Ordering::AcqRel, failure);
            if put.is_ok() {
                return;
            }
        }
    }
}

impl Shared {
    fn node(&self, number: u64) -> Option<&Node> {
        self.nodes.get((number as usize).checked_sub(1)?)
    }
}

impl Object for Stack {
    type Specification = Operations<Queue<u8>>;
    type Shared = Shared;
    type Handle<'a> = Handle<'a>;

    fn specification(&self) -> Self::Specification {
        Operations(Queue {
            order: Order::Lifo,
            initial: vec![FIRST],
            values: Vec::new(),
        })
    }

    fn make(&self) -> Shared {
        let node = |number| Node {
            value: AtomicU8::new(FIRST),
            next: AtomicU64::new(if number == 1 {
                0
            } else {
                (number + 1) % (NODES + 1)
            }),
        };
        Shared {
            used: AtomicU64::new(1),
            free: AtomicU64::new(2),
            nodes: (1..=NODES).map(node).collect(),
        }
    }

    fn handle<'a>(&self, stack: &'a Shared, thread: u32) -> Handle<'a> {
        Handle {
            stack,
            next: thread as u8 * 16,
            pushed: 0,
        }
    }

    fn calls(&self, handle: &Handle<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(Call::Pop);
        if handle.pushed < MOST_PUSHED {
            visit(Call::Push(handle.next));
        }
    }

    fn call(&self, handle: &mut Handle<'_>, call: &CallOf<Self>) -> AnswerOf<Self> {
        let stack = handle.stack;
        match call {
            Call::Push(value) => {
                let (number, _) = self.take(stack, &stack.free).expect("there are enough");
                let node = stack.node(number).expect("it was taken");
                node.value.store(*value, Ordering::Relaxed);
                self.put(stack, &stack.used, number);
                // The lower bits count, the upper ones are the thread's.
                handle.next = handle.next & 0xf0 | handle.next.wrapping_add(1) & 0x0f;
                handle.pushed += 1;
                ().into()
            }
            Call::Pop => {
                let taken = self.take(stack, &stack.used);
                if let Some((number, _)) = taken {
                    self.put(stack, &stack.free, number);
                    handle.pushed -= 1;
                }
                taken.map(|(_, value)| value).into()
            }
        }
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn a_node_that_comes_again_is_found() {
    assert_scheduled(Stack { fault: Fault::Aba }, "stack.rs", &["pop →"]);
}

#[test]
fn a_stack_with_tags_is_sound() {
    assert_sound(Stack { fault: Fault::None });
}
