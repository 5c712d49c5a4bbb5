//! The common framework [Ugawa et al., section 3.2]: the object and its copies, the root of the mutators,
//! and mutators that run a scenario with the barriers of a protocol.

use std::cell::RefCell;

use refmap_programs::{
    Afterwards, Expression, Fence, Location, Presence, Program, ProgramBuilder, Register,
    ThreadBuilder,
};

use super::instance::{Change, INITIAL_VALUE, Instance, InstanceError, Operation, Part};

/// The object in the from-space [Fig. 3, line 2].
pub const FROM_OBJECT: i64 = 0;
/// The wide version of Stopless [Fig. 3, line 3].
pub const WIDE_OBJECT: i64 = 1;
/// The object in the to-space [Fig. 3, line 4].
pub const TO_OBJECT: i64 = 2;
pub(super) const FALSE: i64 = 0;
pub(super) const TRUE: i64 = 1;

/// The root: the variable of the mutators that refers to the object.
pub const ROOT: &str = "root";
/// The ghost register of a mutator that records which copy served its last operation.
pub const SERVED: &str = "served";

/// The ghost register of a mutator that records whether it has completed an even number of operations, 0, or an odd one, 1; where
/// [`Progress`](super::Progress) is asked for.
pub const PARITY: &str = "parity";

/// The root, and the two copies with their headers [Figs. 1 and 3].
#[derive(Clone, Copy)]
pub(super) struct Heap {
    pub root: Location,
    pub from_fwd: Location,
    pub from_data: Location,
    pub to_fwd: Location,
    pub to_data: Location,
}

impl Heap {
    /// The heap, in which the payload of the to-space object starts as `to_data`.
    pub fn new(p: &mut ProgramBuilder, to_data: i64) -> Self {
        let heap = Self {
            root: p.location(ROOT, FROM_OBJECT),
            from_fwd: p.location("from_fwd", FROM_OBJECT),
            from_data: p.location("from_data", INITIAL_VALUE),
            to_fwd: p.location("to_fwd", FROM_OBJECT),
            to_data: p.location("to_data", to_data),
        };
        p.draw_object(ROOT, None, &[("", heap.root, true)]);
        draw_object(p, "from", FROM_OBJECT, heap.from_fwd, heap.from_data);
        draw_object(p, "to", TO_OBJECT, heap.to_fwd, heap.to_data);
        heap
    }

    /// Reads the slot of the copy that the root refers to.
    pub fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator) {
        t.if_else(
            is_from(m),
            |t| m.read_from(t, self.from_data, FROM_OBJECT),
            |t| m.read_from(t, self.to_data, TO_OBJECT),
        );
    }

    /// Writes to the slot of the copy that the root refers to.
    pub fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64) {
        t.if_else(
            is_from(m),
            |t| m.write_to(t, self.from_data, FROM_OBJECT, value),
            |t| m.write_to(t, self.to_data, TO_OBJECT, value),
        );
    }
}

/// Draws a copy of the object with its header and its payload.
pub(super) fn draw_object(
    p: &mut ProgramBuilder,
    name: &str,
    number: i64,
    fwd: Location,
    data: Location,
) {
    p.draw_object(
        name,
        Some(number),
        &[("fwd", fwd, true), ("data", data, false)],
    );
}

/// A mutator and its private variables.
#[derive(Clone, Copy)]
pub(super) struct Mutator {
    pub number: usize,
    /// The argument of the barrier: the value of the root at the call.
    pub obj: Register,
    /// The copy that served the last operation: a ghost, which no branch reads.
    pub served: Register,
    /// The result of a read barrier.
    pub readval: Register,
    pub l_fwd: Register,
    pub x: Register,
    pub success: Register,
    pub poll: Register,
    /// Whether an assertion of a barrier is evaluated.
    pub asserts: Register,
}

impl Mutator {
    fn new(t: &mut ThreadBuilder<'_>, number: usize) -> Self {
        Self {
            number,
            obj: t.register("obj"),
            served: t.register_with(SERVED, FROM_OBJECT, Afterwards::Kept),
            readval: t.register("readval"),
            l_fwd: t.register("l_fwd"),
            x: t.register("x"),
            success: t.register("success"),
            poll: t.register("poll"),
            asserts: t.register("asserts"),
        }
    }

    /// Reads the slot of one copy into `readval`.
    pub fn read_from(&self, t: &mut ThreadBuilder<'_>, data: Location, copy: i64) {
        t.load(self.readval, data);
        t.assign(self.served, copy);
    }

    /// Writes to the slot of one copy.
    pub fn write_to(&self, t: &mut ThreadBuilder<'_>, data: Location, copy: i64, value: i64) {
        t.store(data, value);
        t.assign(self.served, copy);
    }

    /// `ASSERT_EQ(location, value)`, evaluated or skipped nondeterministically, since its load may order
    /// accesses [section 3.2.2].
    pub fn assert_eq(&self, t: &mut ThreadBuilder<'_>, location: Location, value: i64) {
        t.choose(self.asserts, [FALSE, TRUE]);
        t.when(self.asserts, |t| {
            t.load(self.asserts, location);
            t.assert(self.asserts.equals(value));
        });
    }
}

/// A copying protocol: the collector, and the procedures of the mutators.
pub(super) trait Copying {
    /// The collector copies the object and then lets the root refer to the copy.
    fn collector(&self, t: &mut ThreadBuilder<'_>);
    /// `read(o, v)`: leaves the value in `readval`, and records the copy that it was read from.
    fn read(&self, t: &mut ThreadBuilder<'_>, m: &Mutator);
    /// `write(o, v)`: records the copy that it wrote to.
    fn write(&self, t: &mut ThreadBuilder<'_>, m: &Mutator, value: i64);
    /// `yieldpoint()`; empty by default.
    fn yieldpoint(&self, _: &mut ThreadBuilder<'_>, _: &Mutator) {}
    /// The end of a mutator; empty by default.
    fn end(&self, _: &mut ThreadBuilder<'_>, _: &Mutator) {}
    /// Loop body of a mutator without further operations, where it does not end; empty by default.
    fn idle(&self, _: &mut ThreadBuilder<'_>, _: &Mutator) {}
}

/// Optional parts of a protocol, with the changes of an instance.
#[derive(Debug, Default)]
pub(super) struct Parts {
    without: Vec<String>,
    with: Vec<String>,
    /// All parts of the protocol, each with whether the unchanged protocol has it.
    known: RefCell<Vec<Part>>,
}

impl Parts {
    pub fn new(instance: &Instance) -> Self {
        Self {
            without: instance.without.clone(),
            with: instance.with.clone(),
            known: RefCell::default(),
        }
    }

    /// Presence of a part in the instance, where `presence` is that in the unchanged protocol.
    ///
    /// # Panics
    ///
    /// If the protocol states two presences of one part: a name stands for one change.
    pub fn presence(&self, name: &'static str, presence: Presence) -> Presence {
        let mut known = self.known.borrow_mut();
        match known.iter().find(|part| part.name == name) {
            None => known.push(Part { name, presence }),
            Some(part) => assert_eq!(part.presence, presence, "two presences of {name}"),
        }
        let named = |names: &[String]| names.iter().any(|other| other == name);
        match presence {
            Presence::Present if named(&self.without) => Presence::Absent,
            Presence::Absent if named(&self.with) => Presence::Present,
            unchanged => unchanged,
        }
    }

    /// Whether the instance has a part that the unchanged protocol has.
    pub fn has(&self, name: &'static str) -> bool {
        self.presence(name, Presence::Present) == Presence::Present
    }

    /// A fence of the unchanged protocol.
    pub fn fence(&self, t: &mut ThreadBuilder<'_>, name: &'static str, fence: Fence) {
        t.fence_at(name, fence, self.presence(name, Presence::Present));
    }

    /// A CAS of the collector that the protocol depends on. Left out, it is an unconditional store.
    pub fn cas(
        &self,
        t: &mut ThreadBuilder<'_>,
        name: &'static str,
        success: Register,
        at: Location,
        (expected, new): (Expression, Expression),
    ) {
        if self.has(name) {
            t.cas(success, at, expected, new)
        } else {
            t.store(at, new);
            t.assign(success, TRUE);
        }
    }

    /// One of several full fences of the unchanged protocol, at the place `name`. It can be left out by
    /// its own name, and with the others by that of the `group`.
    pub fn fence_of(&self, t: &mut ThreadBuilder<'_>, group: &'static str, name: &'static str) {
        t.fence_at(name, Fence::Full, self.member(group, name));
    }

    /// A fence of the unchanged protocol, of this `kind`, which one of another kind may replace. Each kind has a
    /// name; the `group` is the fence that is present.
    pub fn fence_of_kind(
        &self,
        t: &mut ThreadBuilder<'_>,
        group: &'static str,
        names: [(Fence, &'static str); Fence::ALL.len()],
        kind: Fence,
    ) {
        for (other, name) in names {
            let presence = if other == kind {
                self.member(group, name)
            } else {
                self.presence(name, Presence::Absent)
            };
            t.fence_kinds_at(group, [other], presence);
        }
    }

    /// Presence of a member of a group.
    fn member(&self, group: &'static str, name: &'static str) -> Presence {
        match (self.has(group), self.has(name)) {
            (true, true) => Presence::Present,
            _ => Presence::Absent,
        }
    }

    /// A place for a full fence that the unchanged protocol lacks.
    pub fn place(&self, t: &mut ThreadBuilder<'_>, name: &'static str) {
        t.fence_at(name, Fence::Full, self.presence(name, Presence::Absent));
    }

    /// The parts of the protocol.
    pub fn known(&self) -> Vec<Part> {
        self.known.borrow().clone()
    }

    /// Validates that the protocol has every part that the instance changes.
    pub fn validate(&self, instance: &Instance) -> Result<(), InstanceError> {
        let changes = [
            (Change::Without, &self.without, Presence::Present),
            (Change::With, &self.with, Presence::Absent),
        ];
        for (how, names, presence) in changes {
            let parts = self.known().into_iter();
            let parts = parts.filter(|part| part.presence == presence);
            let known: Vec<_> = parts.map(|part| part.name).collect();
            if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
                return Err(InstanceError::NoSuchPart {
                    protocol: instance.protocol,
                    how,
                    name: name.clone(),
                    known,
                });
            }
        }
        Ok(())
    }
}

/// The program: the collector, and the mutators of the scenario [Fig. 2] with the protocol's
/// procedures. Two yieldpoints stand before each operation. Where [`Progress`](super::Progress) is asked for loops have no bound, and mutators
/// show nothing.
pub(super) fn program(
    mut p: ProgramBuilder,
    instance: &Instance,
    root: Location,
    protocol: &dyn Copying,
) -> Result<Program, InstanceError> {
    match instance.progress {
        None => p.backward_jumps(instance.iterations - 1),
        Some(_) => p.without_bound(),
    }
    p.thread("collector", |t| protocol.collector(t));
    for number in 0..instance.mutators {
        p.thread(mutator_name(instance, number), |t| {
            let m = Mutator::new(t, usize::from(number));
            let parity = instance.progress.map(|_| t.register(PARITY));
            let mut values = instance.values(number);
            let mut scenario = |t: &mut ThreadBuilder<'_>| {
                for operation in instance.operations() {
                    protocol.yieldpoint(t, &m);
                    protocol.yieldpoint(t, &m);
                    t.load(m.obj, root);
                    match operation {
                        Operation::Read => {
                            protocol.read(t, &m);
                            if instance.progress.is_none() {
                                t.output(m.readval);
                            }
                        }
                        Operation::Write => {
                            let value = values.next().expect("there is a value for each write");
                            protocol.write(t, &m, value);
                        }
                    }
                    if let Some(parity) = parity {
                        t.assign(parity, parity.is_false());
                    }
                }
            };
            match instance.progress {
                Some(progress) if progress.repeats() => t.while_do(TRUE, |t| {
                    scenario(t);
                    t.fence(Fence::Full);
                }),
                Some(_) => {
                    scenario(t);
                    protocol.end(t, &m);
                    t.while_do(TRUE, |t| {
                        protocol.idle(t, &m);
                        t.load(m.obj, root);
                    });
                }
                None => {
                    scenario(t);
                    protocol.end(t, &m);
                }
            }
        });
    }
    Ok(p.build()?)
}

pub(super) fn mutator_name(instance: &Instance, number: u8) -> String {
    match instance.mutators {
        1 => "mutator".to_owned(),
        _ => format!("mutator {number}"),
    }
}

/// One location for each mutator.
pub(super) fn per_mutator(
    p: &mut ProgramBuilder,
    instance: &Instance,
    name: &str,
    initial: i64,
) -> Vec<Location> {
    let each = 0..instance.mutators;
    each.map(|number| match instance.mutators {
        1 => p.location(name, initial),
        _ => p.location(format!("{name}_{number}"), initial),
    })
    .collect()
}

/// `if obj == FROM_OBJECT`.
pub(super) fn is_from(m: &Mutator) -> Expression {
    m.obj.equals(FROM_OBJECT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part that is left out where the protocol has it cannot be added elsewhere under the same name.
    #[test]
    #[should_panic(expected = "two presences of fence")]
    fn a_part_has_one_presence() {
        let parts = Parts::default();
        parts.presence("fence", Presence::Present);
        parts.presence("fence", Presence::Absent);
    }
}
