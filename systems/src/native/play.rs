//! One run of a program: its threads and the collector, on one heap.
//!
//! Violations are detected from the heap alone: a reference that is stale when a mutator or
//! the collector uses it; one that was allocated twice; and after all threads have ended, a reachable object
//! that was freed.

use std::sync::Arc;

use super::on_the_fly::{
    Collector, Counts, Fault, Heap, HeapError, Mutator, Place, Reference, Root, Shape, ShapeError,
    Stage, Violation, Witness,
};
use super::primitives::{self, AtomicBool, AtomicUsize, Ordering, thread};
use super::program::{Operation, Program, Step};

/// Outcome of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The violation, if there is one: the first one of the thread of the lowest number.
    pub violation: Option<Violation>,
    /// Counters.
    pub counts: Counts,
    /// Number of objects that the audit found reachable.
    pub audited: usize,
}

/// Witness that delays a thread at a place of its program, and forwards to another witness.
pub struct DelayingWitness<W> {
    inner: W,
    dwell: Option<Place>,
}

impl<W: Witness> Witness for DelayingWitness<W> {
    type Moment = W::Moment;

    #[inline]
    fn now(&mut self) -> W::Moment {
        self.inner.now()
    }

    #[inline]
    fn saw(&mut self, begin: W::Moment, event: super::on_the_fly::Event) {
        self.inner.saw(begin, event);
    }

    #[inline]
    fn at(&mut self, place: Place) {
        if self.dwell == Some(place) {
            primitives::dwell();
        }
        self.inner.at(place);
    }
}

/// State that the threads of a run share besides the heap.
struct Common {
    /// Number of threads with operations left.
    running: AtomicUsize,
    /// The collector has ended.
    ended: AtomicBool,
    /// A violation was found, so no thread repeats its program.
    violated: AtomicBool,
}

/// Result of a thread; its mutator still holds its roots.
struct Left<W: Witness> {
    violation: Option<Violation>,
    mutator: Mutator<DelayingWitness<W>>,
    allocated: Vec<Reference>,
}

/// Runs a program once, on objects of at least one field. `witness` creates a witness for each mutator and for the
/// collector.
///
/// # Errors
///
/// If the shape is not valid.
pub fn play<W: Witness + Send + 'static>(
    shape: Shape,
    fault: Fault,
    program: &Program,
    witness: impl Fn() -> W + Clone + Send + 'static,
) -> Result<Outcome, ShapeError> {
    play_while(shape, fault, program, witness, || false)
}

/// The same, where every thread repeats its program while `goes_on` returns true and there is no violation.
pub(super) fn play_while<W: Witness + Send + 'static>(
    shape: Shape,
    fault: Fault,
    program: &Program,
    witness: impl Fn() -> W + Clone + Send + 'static,
    goes_on: impl Fn() -> bool + Send + Sync + 'static,
) -> Result<Outcome, ShapeError> {
    let goes_on = Arc::new(goes_on);
    let heap = Heap::with_fault(shape, fault)?;
    let paced = |dwell| DelayingWitness {
        inner: witness(),
        dwell,
    };
    let mut first = Mutator::witnessed(&heap, paced(None));
    let common = first.alloc().expect("a new heap has a free slot");
    let shared = Arc::new(Common {
        running: AtomicUsize::new(program.threads.len()),
        ended: AtomicBool::new(false),
        violated: AtomicBool::new(false),
    });
    let player = |mutator, roots, steps: &Vec<Step>| Player {
        mutator: Some(mutator),
        roots,
        allocated: Vec::new(),
        violation: None,
        common: Arc::clone(&shared),
        steps: steps.clone(),
        fields: shape.fields,
        witness: witness.clone(),
        goes_on: Arc::clone(&goes_on),
    };
    let allocated_first = common.reference();
    let mut players = Vec::new();
    match program.threads.split_last() {
        None => drop(first),
        Some((last, others)) => {
            for steps in others {
                let forked = first.fork([&common], paced(None));
                let (mutator, roots) = forked.expect("the object is a root of the first");
                players.push(player(mutator, roots, steps));
            }
            // The last takes over from the first, so that there are as many mutators as threads.
            players.push(player(first, vec![common], last));
        }
    }
    let collector = Collector::witnessed(&heap, paced(program.collector));
    let collector = thread::spawn({
        let shared = Arc::clone(&shared);
        move || collect(collector, &shared)
    });
    let threads: Vec<_> = players
        .into_iter()
        .map(|player| thread::spawn(move || player.play()))
        .collect();
    let joined = threads.into_iter().map(|thread| thread.join());
    let left: Vec<Left<W>> = joined
        .map(|left| left.expect("operations report what is wrong, and do not panic"))
        .collect();
    let collected = collector.join().expect("the collector does not panic");
    let seen = left.iter().find_map(|left| left.violation);
    let roots = left.iter().flat_map(|left| left.mutator.roots());
    let audit = heap.audit(roots);
    let allocated = left.iter().flat_map(|left| left.allocated.iter().copied());
    let twice = twice(allocated.chain([allocated_first]).collect());
    let violation = seen
        .or(collected)
        .or(audit.err().map(Violation::Audit))
        .or(twice.map(Violation::AllocatedTwice));
    drop(left);
    Ok(Outcome {
        violation,
        counts: heap.counts(),
        audited: audit.unwrap_or(0),
    })
}

/// A reference that occurs twice.
fn twice(mut references: Vec<Reference>) -> Option<Reference> {
    references.sort_unstable();
    let mut pairs = references.windows(2);
    pairs.find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Runs cycles while a program runs, and one after that.
fn collect<W: Witness>(mut collector: Collector<W>, common: &Common) -> Option<Violation> {
    let violation = loop {
        // Acquire, with the release of the last thread: the cycle begins after all programs have ended.
        let is_last = common.running.load(Ordering::Acquire) == 0;
        if let Err(violation) = collector.cycle() {
            break Some(violation);
        }
        if is_last {
            break None;
        }
    };
    if violation.is_some() {
        common.violated.store(true, Ordering::Release);
    }
    // Release: the mutators continue in a heap that the collector no longer changes.
    common.ended.store(true, Ordering::Release);
    violation
}

/// A thread of the program.
struct Player<W: Witness, F, G> {
    /// `None` only while another one takes over.
    mutator: Option<Mutator<DelayingWitness<W>>>,
    /// The newest is last.
    roots: Vec<Root>,
    allocated: Vec<Reference>,
    violation: Option<Violation>,
    common: Arc<Common>,
    steps: Vec<Step>,
    fields: u32,
    witness: F,
    goes_on: Arc<G>,
}

impl<W: Witness, F: Fn() -> W, G: Fn() -> bool> Player<W, F, G> {
    fn play(mut self) -> Left<W> {
        let steps = std::mem::take(&mut self.steps);
        self.perform(&steps, |_| true);
        // A thread without operations has nothing to repeat, and answers handshakes below.
        while !steps.is_empty() && self.is_to_repeat() {
            // A program need not have a safepoint, and the collector waits for one.
            self.answer(&mut 0);
            self.perform(&steps, Self::is_to_repeat);
        }
        self.mutator().witness().dwell = None;
        self.common.running.fetch_sub(1, Ordering::AcqRel);
        let mut round = 0;
        while !self.has_ended() {
            self.answer(&mut round);
        }
        Left {
            violation: self.violation,
            mutator: self.mutator.expect("there is one between operations"),
            allocated: self.allocated,
        }
    }

    fn perform(&mut self, steps: &[Step], goes_on: impl Fn(&Self) -> bool) {
        for step in steps {
            if self.violation.is_some() || !goes_on(self) {
                break;
            }
            self.mutator().witness().dwell = step.dwell;
            let done = self.step(step.operation);
            self.saw(done);
        }
    }

    fn is_to_repeat(&self) -> bool {
        (self.goes_on)() && !self.has_ended() && !self.common.violated.load(Ordering::Acquire)
    }

    fn mutator(&mut self) -> &mut Mutator<DelayingWitness<W>> {
        let mutator = self.mutator.as_mut();
        mutator.expect("there is one between operations")
    }

    fn has_ended(&self) -> bool {
        self.common.ended.load(Ordering::Acquire)
    }

    /// Records the first violation.
    fn saw(&mut self, done: Result<(), HeapError>) {
        match done {
            Ok(()) | Err(HeapError::Full) => (),
            Err(HeapError::Stale(stale)) => {
                self.violation = self.violation.or(Some(Violation::Stale(stale)));
                self.common.violated.store(true, Ordering::Release);
            }
            Err(error) => panic!("a program uses its own roots only: {error}"),
        }
    }

    /// Answers a handshake, or waits briefly for one.
    fn answer(&mut self, round: &mut u32) -> Option<Stage> {
        match self.mutator().safepoint() {
            Ok(None) => {
                primitives::wait(*round);
                *round = round.saturating_add(1);
                None
            }
            Ok(answered) => {
                *round = 0;
                answered
            }
            Err(stale) => {
                self.saw(Err(stale.into()));
                None
            }
        }
    }

    /// Answers handshakes until the stage is answered, or a later one in a cycle that skips it.
    fn until(&mut self, wanted: Stage) {
        let mut round = 0;
        let mut last = None;
        while !self.has_ended() && self.violation.is_none() {
            let Some(answered) = self.answer(&mut round) else {
                continue;
            };
            let is_passed = |last: Stage| match answered > last {
                true => last < wanted && wanted < answered,
                // The next cycle has begun, or there is another round of get-work.
                false => answered < last && (wanted > last || wanted < answered),
            };
            if answered == wanted || last.is_some_and(is_passed) {
                return;
            }
            last = Some(answered);
        }
    }

    /// The place in `roots` of the root of a number.
    fn place(&self, number: u8) -> usize {
        let newest = self.roots.len() - 1;
        newest - usize::from(number) % self.roots.len()
    }

    /// The field of a number, which starts again beyond the last.
    fn field(&self, number: u8) -> u32 {
        u32::from(number) % self.fields
    }

    fn step(&mut self, operation: Operation) -> Result<(), HeapError> {
        let holds_something = !self.roots.is_empty();
        match operation {
            Operation::Alloc => {
                let root = self.mutator().alloc()?;
                self.allocated.push(root.reference());
                self.roots.push(root);
            }
            Operation::Load { src, field } if holds_something => {
                let (src, field) = (self.place(src), self.field(field));
                let Self { mutator, roots, .. } = self;
                let mutator = mutator.as_mut().expect("there is one between operations");
                if let Some(root) = mutator.load(&roots[src], field)? {
                    roots.push(root);
                }
            }
            Operation::Store { src, field, dst } if holds_something => {
                let (src, field) = (self.place(src), self.field(field));
                let dst = dst.map(|dst| self.place(dst));
                let Self { mutator, roots, .. } = self;
                let mutator = mutator.as_mut().expect("there is one between operations");
                let dst = dst.map(|dst| &roots[dst]);
                mutator.store(&roots[src], field, dst)?;
            }
            Operation::Discard { root } if holds_something => {
                let place = self.place(root);
                let root = self.roots.remove(place);
                self.mutator().discard(root)?;
            }
            Operation::Load { .. } | Operation::Store { .. } | Operation::Discard { .. } => (),
            Operation::Safepoint => {
                self.mutator().safepoint()?;
            }
            Operation::Until(stage) => self.until(stage),
            Operation::Relay => {
                let witness = DelayingWitness {
                    inner: (self.witness)(),
                    dwell: None,
                };
                let old = self
                    .mutator
                    .take()
                    .expect("there is one between operations");
                let (new, roots) = old.fork(&self.roots, witness)?;
                (self.mutator, self.roots) = (Some(new), roots);
            }
        }
        Ok(())
    }
}
