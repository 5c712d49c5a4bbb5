//! The heap: objects with the same number of fields, in slots of one length.

use std::sync::Arc;

use super::control::Control;
use super::counts::Counts;
use super::error::Stale;
use super::fault::Fault;
use super::handshake::Seats;
use super::pool::CommonPool;
use super::primitives::{AtomicU64, Mutex, Ordering};
use super::reference::{Header, Reference};
use super::worklist::Links;

/// Shape of a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Maximum number of objects.
    pub objects: u32,
    /// Number of fields of an object.
    pub fields: u32,
}

/// Error: the shape is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Too few objects or too many.
    #[error("a heap has 1 to {most} objects, and not {given}", most = Shape::MOST_OBJECTS)]
    Objects {
        /// The given number.
        given: u32,
    },
    /// Too many fields.
    #[error("an object has at most {most} fields, and not {given}", most = Shape::MOST_FIELDS)]
    Fields {
        /// The given number.
        given: u32,
    },
}

impl Shape {
    /// The most objects.
    pub const MOST_OBJECTS: u32 = 1 << 28;
    /// The most fields of an object.
    pub const MOST_FIELDS: u32 = 255;

    /// The shape, if it is valid.
    ///
    /// # Errors
    ///
    /// If there are too few objects or too many, or too many fields.
    pub fn validate(self) -> Result<Self, ShapeError> {
        let Self { objects, fields } = self;
        if !(1..=Self::MOST_OBJECTS).contains(&objects) {
            return Err(ShapeError::Objects { given: objects });
        }
        if fields > Self::MOST_FIELDS {
            return Err(ShapeError::Fields { given: fields });
        }
        Ok(self)
    }
}

/// A heap that a collector and mutators share.
pub struct Heap {
    pub(crate) shape: Shape,
    pub(crate) fault: Fault,
    pub(crate) control: Control,
    /// Per slot, the header and then the fields.
    words: Box<[AtomicU64]>,
    pub(crate) links: Links,
    pub(crate) pool: CommonPool,
    pub(crate) seats: Seats,
    counts: Mutex<Counts>,
}

impl Heap {
    /// An empty heap.
    ///
    /// # Errors
    ///
    /// If the shape is not valid.
    pub fn new(shape: Shape) -> Result<Arc<Self>, ShapeError> {
        Self::with_fault(shape, Fault::None)
    }

    /// An empty heap for a collector with a fault.
    ///
    /// # Errors
    ///
    /// If the shape is not valid.
    pub fn with_fault(shape: Shape, fault: Fault) -> Result<Arc<Self>, ShapeError> {
        let shape = shape.validate()?;
        let words = shape.objects as usize * (shape.fields as usize + 1);
        Ok(Arc::new(Self {
            shape,
            fault,
            control: Control::new(),
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
            links: Links::new(shape.objects),
            pool: CommonPool::new(shape.objects),
            seats: Seats::new(),
            counts: Mutex::new(Counts::default()),
        }))
    }

    /// Its shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Counters so far, of the collector and of the mutators that have left.
    pub fn counts(&self) -> Counts {
        *self.counts.lock().expect("nothing panics with the lock")
    }

    pub(crate) fn count(&self, counts: Counts) {
        *self.counts.lock().expect("nothing panics with the lock") += counts;
    }

    fn at(&self, slot: u32) -> usize {
        slot as usize * (self.shape.fields as usize + 1)
    }

    pub(crate) fn header_word(&self, slot: u32) -> &AtomicU64 {
        &self.words[self.at(slot)]
    }

    pub(crate) fn header(&self, slot: u32) -> Header {
        // Acquire: between the loads of `fM` and of the phase [Fig. 5]. A thread that has a reference has
        // read its header, which was stored before the reference.
        Header::unpack(self.header_word(slot).load(Ordering::Acquire))
    }

    pub(crate) fn set_header(&self, slot: u32, header: Header) {
        // Release: after the load of `fA`, or of the mark, that led to it. No other thread stores a header during
        // allocation or freeing. A new object is published by the release store of a field; a
        // free slot by the lock of the pool.
        self.header_word(slot)
            .store(header.pack(), Ordering::Release);
    }

    /// The header of the object that `reference` is to.
    pub(crate) fn header_of(&self, reference: Reference) -> Result<Header, Stale> {
        let header = self.header(reference.slot);
        if header.is_of(reference) {
            Ok(header)
        } else {
            Err(Stale {
                reference,
                found: header.allocated.then_some(header.generation),
            })
        }
    }

    pub(crate) fn field(&self, slot: u32, field: u32) -> Option<Reference> {
        let word = &self.words[self.at(slot) + 1 + field as usize];
        // Acquire: the object was initialised before the reference was stored.
        Reference::unpack(word.load(Ordering::Acquire))
    }

    pub(crate) fn set_field(&self, slot: u32, field: u32, value: Option<Reference>) {
        let word = &self.words[self.at(slot) + 1 + field as usize];
        // Release: publishes the object, as the FIFO store buffer does. This store and
        // the thread's next load are not ordered, neither on x86-64 nor here.
        word.store(Reference::pack(value), Ordering::Release);
    }

    /// Audits a heap: every object reachable from `roots` must exist. Only meaningful while no thread changes the
    /// heap.
    ///
    /// # Errors
    ///
    /// If a reachable object was freed.
    pub fn audit(&self, roots: impl IntoIterator<Item = Reference>) -> Result<usize, Stale> {
        let mut seen = vec![false; self.shape.objects as usize];
        let mut work: Vec<Reference> = roots.into_iter().collect();
        let mut reached = 0;
        while let Some(reference) = work.pop() {
            self.header_of(reference)?;
            if !std::mem::replace(&mut seen[reference.slot as usize], true) {
                reached += 1;
                let fields = 0..self.shape.fields;
                work.extend(fields.filter_map(|field| self.field(reference.slot, field)));
            }
        }
        Ok(reached)
    }
}
