//! The judge of an exploration, lent to a scheduler, which must not borrow.
//!
//! PERF: Shuttle's runner takes a scheduler without borrows, and reuses stacks from one execution to the
//! next. With a runner for each execution, one of two threads with a load and a store each took 66 µs; with
//! one runner for all it takes 7 µs.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::execution::{Execution, Judge};

/// A judge, while it is lent.
pub(super) struct Lent(Rc<Cell<*mut ()>>);

/// Lends `judge` to what `run` makes, for as long as it runs.
pub(super) fn lend<R>(mut judge: &mut Judge<'_>, run: impl FnOnce(Lent) -> R) -> R {
    struct Returned(Rc<Cell<*mut ()>>);
    impl Drop for Returned {
        fn drop(&mut self) {
            self.0.set(std::ptr::null_mut());
        }
    }
    let pointer = Rc::new(Cell::new((&raw mut judge).cast::<()>()));
    let _returned = Returned(Rc::clone(&pointer));
    run(Lent(pointer))
}

impl Lent {
    /// Has the judge look at `execution`.
    pub(super) fn judge(&self, execution: Execution) -> ControlFlow<()> {
        let pointer = self.0.replace(std::ptr::null_mut());
        assert!(!pointer.is_null(), "the judge is lent, and does not judge");
        // SAFETY: the pointer is to the local variable of `lend`, which holds a unique borrow of the judge and
        // nulls the pointer before that ends, on a panic too. `Lent` is of one thread, and the pointer is taken
        // out while the judge runs, so there is no second reference.
        let judge = unsafe { &mut *pointer.cast::<&mut Judge<'_>>() };
        let result = judge(execution);
        self.0.set(pointer);
        result
    }
}
