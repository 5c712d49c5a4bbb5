//! Objects of which every thread may make every call, by a reference.

use std::ops::RangeInclusive;

use super::{CallOf, Object, Specified};

/// Object of which every thread may make every call, by a reference to it.
///
/// ```
/// use refmap_histories::check;
/// use refmap_histories::object::Shared;
/// use refmap_histories::specifications::{Counter, Operations, counter::Call};
/// use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
///
/// let calls = [Call::Read, Call::FetchAdd(1), Call::FetchAdd(-1)];
/// let counter = Operations(Counter::default());
/// check(Shared::new(counter, AtomicI64::default, calls, |counter, call| match call {
///     Call::Read => Some(counter.load(SeqCst)).into(),
///     Call::Add(by) | Call::FetchAdd(by) => Some(counter.fetch_add(*by, SeqCst)).into(),
/// }));
/// ```
#[derive(Clone, Debug)]
pub struct Shared<S: Specified, M, F> {
    specification: S,
    make: M,
    calls: Vec<S::Call>,
    call: F,
    has_schedules: bool,
    threads: RangeInclusive<u32>,
}

impl<S, T, M, F> Shared<S, M, F>
where
    S: Specified + Clone,
    T: Send + Sync + 'static,
    M: Fn() -> T + Send + Sync + 'static,
    F: Fn(&T, &S::Call) -> S::Answer + Send + Sync + 'static,
{
    /// Object that `make` makes, of which each thread makes some of these calls.
    pub fn new(
        specification: S,
        make: M,
        calls: impl IntoIterator<Item = S::Call>,
        call: F,
    ) -> Self {
        Self {
            specification,
            make,
            calls: calls.into_iter().collect(),
            call,
            has_schedules: false,
            threads: 2..=4,
        }
    }

    /// The same of code that names its primitives by `refmap_schedules`: see [`Object::has_schedules`].
    #[must_use]
    pub fn with_schedules(mut self) -> Self {
        self.has_schedules = true;
        self
    }

    /// The same with these numbers of threads.
    #[must_use]
    pub fn with_threads(mut self, threads: RangeInclusive<u32>) -> Self {
        self.threads = threads;
        self
    }
}

impl<S, T, M, F> Object for Shared<S, M, F>
where
    S: Specified + Clone,
    T: Send + Sync + 'static,
    M: Fn() -> T + Send + Sync + 'static,
    F: Fn(&T, &S::Call) -> S::Answer + Send + Sync + 'static,
{
    type Specification = S;
    type Shared = T;
    type Handle<'a> = &'a T;

    fn specification(&self) -> S {
        self.specification.clone()
    }

    fn make(&self) -> T {
        (self.make)()
    }

    fn handle<'a>(&self, shared: &'a T, _: u32) -> &'a T {
        shared
    }

    fn calls(&self, _: &&T, visit: &mut impl FnMut(CallOf<Self>)) {
        self.calls.iter().cloned().for_each(visit);
    }

    fn call(&self, shared: &mut &T, call: &S::Call) -> S::Answer {
        (self.call)(shared, call)
    }

    fn has_schedules(&self) -> bool {
        self.has_schedules
    }

    fn is_alike(&self) -> bool {
        true
    }

    fn threads(&self) -> RangeInclusive<u32> {
        self.threads.clone()
    }
}
