//! Builder of a thread.

use std::collections::BTreeSet;

use super::{BuildError, ProgramBuilder};
use crate::expression::{Expression, Integer, Location, Operator, Place, Register, Value};
use crate::program::{
    Afterwards, Fence, FencePlace, Instruction, LoadKind, MOST_REGISTERS, Presence,
    PrivateRegister, Returned, Snapshot, Thread, Update,
};

/// Jump target in the code of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(pub(super) usize);

/// Thread under construction.
#[derive(Debug)]
pub struct ThreadBuilder<'a> {
    pub(super) thread: Thread,
    /// Position of each label, once placed. Until the thread is finished, its jumps refer to labels.
    pub(super) labels: Vec<Option<usize>>,
    /// End of the atomic block under construction.
    pub(super) atomic: Option<Label>,
    pub(super) of: &'a mut ProgramBuilder,
}

impl ThreadBuilder<'_> {
    /// Adds a private register that initially holds 0.
    pub fn register(&mut self, name: impl Into<String>) -> Register {
        self.register_with(name, 0, Afterwards::Forgotten)
    }

    /// Adds a private register with its initial value and its use after the end of the thread.
    pub fn register_with(
        &mut self,
        name: impl Into<String>,
        initial: impl Into<Value>,
        afterwards: Afterwards,
    ) -> Register {
        let (name, number) = (name.into(), self.thread.registers.len());
        if self.thread.registers.iter().any(|other| other.name == name) {
            self.of
                .fail(BuildError::DuplicateName { name: name.clone() });
        }
        if number >= MOST_REGISTERS {
            self.of
                .fail(BuildError::too_many("registers", MOST_REGISTERS));
            return Register(0);
        }
        self.thread.registers.push(PrivateRegister {
            name,
            initial: initial.into(),
            afterwards,
        });
        Register(number as u8)
    }

    fn push(&mut self, instruction: Instruction) {
        self.thread.code.push(instruction);
    }

    /// `into := value`, computed from registers only.
    pub fn assign(&mut self, into: Register, value: impl Into<Expression>) {
        let value = value.into();
        self.push(Instruction::Assign { into, value });
    }

    /// `into := from`, a load.
    pub fn load(&mut self, into: Register, from: impl Into<Place>) {
        let (from, kind) = (from.into(), LoadKind::Plain);
        self.push(Instruction::Load { into, from, kind });
    }

    /// `into := 1` if in memory the content of some of these locations compares so with `value`, and 0 if none does: a load that reads all of them at once.
    ///
    /// Of a location that [each thread has for itself](ProgramBuilder::location_of_each_thread), those of all *other* threads are meant, however many there are.
    /// Threads of any number, of which one is inside at most, since it goes inside if it finds no other flag up:
    ///
    /// ```
    /// use refmap::{Settings, Verdict, check_any_number};
    /// use refmap_programs::{Fence, IdenticalThreads, MemoryModel, Operator, ProgramBuilder};
    ///
    /// let mut program = ProgramBuilder::new("flags");
    /// let inside = program.location("inside", 0);
    /// let flag = program.location_of_each_thread("flag", 0);
    /// program.thread("thread", |t| {
    ///     let (other, found) = (t.register("other"), t.register("found"));
    ///     t.store(flag, 1);
    ///     t.fence(Fence::Full);
    ///     t.load_some(other, [flag], Operator::Differ, 0);
    ///     t.when(other.is_false(), |t| {
    ///         t.load(found, inside);
    ///         t.assert(found.equals(0));
    ///         t.store(inside, 1);
    ///         t.store(inside, 0);
    ///     });
    /// });
    /// let mut nothing = ProgramBuilder::new("nothing");
    /// nothing.thread("thread", |_| ());
    ///
    /// let threads = IdenticalThreads::new(program.build()?, MemoryModel::Tso, nothing.build()?)?;
    /// let report = check_any_number(&threads, &Settings::default())?;
    /// assert_eq!(report.verdict, Some(Verdict::Holds));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// It reads memory, and nothing that is pending, and a model orders it with other accesses as a load of a location of its own.
    ///
    /// A loop that loads them one after the other finds each as it is at another moment, so what holds with this load is not known to hold with such a loop.
    /// Both find the same where a content that compares so does so until the loop is over: a loop that finds none began when none was. So this load
    /// stands for a loop over flags that stay up, and not over flags that are taken down.
    pub fn load_some(
        &mut self,
        into: Register,
        of: impl IntoIterator<Item = Location>,
        is: Operator,
        value: impl Into<Value>,
    ) {
        let (of, value) = (Vec::from_iter(of), value.into());
        let program = &self.of.program;
        let (mut names, mut of_each) = (Vec::new(), 0);
        for location in &of {
            let Some(variable) = program.variables.get(usize::from(location.0)) else {
                let location = *location;
                return self.of.fail(BuildError::ForeignLocation { location });
            };
            names.push(variable.name.as_str());
            of_each += usize::from(variable.of_each_thread);
        }
        if of_each != 0 && of_each != of.len() {
            let thread = self.thread.name.clone();
            return self.of.fail(BuildError::MixedSnapshot { thread });
        }
        let whose = if of_each == 0 { "of" } else { "other" };
        let (names, symbol) = (names.join(", "), is.symbol());
        let name = format!("some {whose} {names} {symbol} {}", program.show(value));
        let mut snapshots = program.snapshots.iter();
        let known = snapshots.find(|known| (&known.of, known.is, known.value) == (&of, is, value));
        let location = match known {
            Some(known) => known.location,
            None => {
                let location = self.of.declare(name, 0.into(), Integer::I64, false);
                self.of.program.snapshots.push(Snapshot {
                    location,
                    of,
                    is,
                    value,
                });
                location
            }
        };
        self.load(into, location);
    }

    /// `to := value`, a store.
    pub fn store(&mut self, to: impl Into<Place>, value: impl Into<Expression>) {
        let (to, value) = (to.into(), value.into());
        self.push(Instruction::Store { to, value });
    }

    /// `into := LL(from)`: a load that makes the thread's reservation.
    pub fn load_linked(&mut self, into: Register, from: impl Into<Place>) {
        let (from, kind) = (from.into(), LoadKind::Linked);
        self.push(Instruction::Load { into, from, kind });
    }

    /// `succeeded := SC(to, value)`: writes if no other thread has written there since the reservation.
    pub fn store_conditional(
        &mut self,
        succeeded: Register,
        to: impl Into<Place>,
        value: impl Into<Expression>,
    ) {
        let (to, value) = (to.into(), value.into());
        self.push(Instruction::StoreConditional {
            to,
            value,
            succeeded,
        });
    }

    /// `succeeded := CAS(at, expected, desired)`.
    pub fn cas(
        &mut self,
        succeeded: Register,
        at: impl Into<Place>,
        expected: impl Into<Expression>,
        desired: impl Into<Expression>,
    ) {
        let result = Some((succeeded, Returned::Success));
        self.compare_and_swap(result, at, expected, desired);
    }

    /// `CAS(at, expected, desired)`, without its result.
    pub fn cas_unchecked(
        &mut self,
        at: impl Into<Place>,
        expected: impl Into<Expression>,
        desired: impl Into<Expression>,
    ) {
        self.compare_and_swap(None, at, expected, desired);
    }

    /// `CAS(at, expected, desired)`, with the register and kind of its result.
    pub fn compare_and_swap(
        &mut self,
        result: Option<(Register, Returned)>,
        at: impl Into<Place>,
        expected: impl Into<Expression>,
        desired: impl Into<Expression>,
    ) {
        let (expected, desired) = (expected.into(), desired.into());
        self.update(result, at, Update::CompareAndSwap { expected, desired });
    }

    /// `old := exchange(at, value)`.
    pub fn exchange(&mut self, old: Register, at: impl Into<Place>, value: impl Into<Expression>) {
        let result = Some((old, Returned::Old));
        self.update(result, at, Update::Exchange(value.into()));
    }

    /// `old := fetch_and_add(at, value)`.
    pub fn fetch_and_add(
        &mut self,
        old: Register,
        at: impl Into<Place>,
        value: impl Into<Expression>,
    ) {
        let result = Some((old, Returned::Old));
        self.update(result, at, Update::Fetch(Operator::Add, value.into()));
    }

    /// An atomic update, with the register and kind of its result.
    pub fn update(
        &mut self,
        result: Option<(Register, Returned)>,
        at: impl Into<Place>,
        update: Update,
    ) {
        let at = at.into();
        self.push(Instruction::Update { at, update, result });
    }

    /// A fence.
    pub fn fence(&mut self, fence: Fence) {
        self.push(Instruction::Fence { fence, place: None });
    }

    /// Declares a place where a fence may stand: see [`Program::with_fences`](crate::Program::with_fences). Several
    /// places may have one name; their fences then stand or fall together.
    pub fn fence_at(&mut self, name: impl Into<String>, fence: Fence, presence: Presence) {
        let name = name.into();
        self.fence_at_point(name.clone(), name, fence, presence);
    }

    fn fence_at_point(&mut self, point: String, name: String, fence: Fence, presence: Presence) {
        let places = &mut self.of.program.places;
        let known = places.iter().position(|place| place.name == name);
        let number = known.unwrap_or(places.len());
        let Ok(place) = u16::try_from(number) else {
            let most = usize::from(u16::MAX);
            return self.of.fail(BuildError::too_many("places", most));
        };
        match known {
            Some(number) if (places[number].fence, &places[number].point) != (presence, &point) => {
                self.of.fail(BuildError::DuplicateName { name });
            }
            Some(_) => (),
            None => places.push(FencePlace {
                name,
                point,
                fence: presence,
            }),
        }
        let place = Some(place);
        self.push(Instruction::Fence { fence, place });
    }

    /// Declares places for a fence of one of several kinds, one place per kind, named `NAME:full`, `NAME:acquire`
    /// and `NAME:release`. They are alternatives: a minimal set has no full fence where a weaker one suffices.
    pub fn fence_kinds_at(
        &mut self,
        name: &str,
        kinds: impl IntoIterator<Item = Fence>,
        presence: Presence,
    ) {
        for kind in kinds {
            let full_name = format!("{name}:{}", kind.name());
            self.fence_at_point(name.to_owned(), full_name, kind, presence);
        }
    }

    /// Asserts that `condition` is not 0. The thread fetches nothing further before the assertion is decided.
    pub fn assert(&mut self, condition: impl Into<Expression>) {
        self.push(Instruction::Assert(condition.into()));
    }

    /// Outputs a value, which becomes part of the observation.
    pub fn output(&mut self, value: impl Into<Expression>) {
        self.push(Instruction::Output(value.into()));
    }

    /// `into := one of values`.
    pub fn choose<V: Into<Value>>(&mut self, into: Register, values: impl IntoIterator<Item = V>) {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        let distinct: BTreeSet<_> = values.iter().collect();
        if values.is_empty() || distinct.len() < values.len() {
            self.of.fail(BuildError::BadChoice {
                thread: self.thread.name.clone(),
            });
        }
        self.push(Instruction::Choose { into, values });
    }

    /// `if condition then body`.
    pub fn when(&mut self, condition: impl Into<Expression>, body: impl FnOnce(&mut Self)) {
        self.if_else(condition, body, |_| ());
    }

    /// `if condition then yes else no`.
    pub fn if_else(
        &mut self,
        condition: impl Into<Expression>,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        let (otherwise, end) = (self.label(), self.label());
        self.branch_unless(condition, otherwise);
        yes(self);
        self.jump(end);
        let jump = self.thread.code.len() - 1;
        self.place(otherwise);
        let labels = self.labels.len();
        no(self);
        // A jump to the next instruction has no effect and is left out.
        if self.thread.code.len() == jump + 1 && self.labels.len() == labels {
            self.thread.code.pop();
            self.labels[otherwise.0] = Some(jump);
        }
        self.place(end);
    }

    /// `while condition do body`. `condition` reads registers only, so the values that it depends on are loaded
    /// before the loop and at the end of `body`.
    pub fn while_do(&mut self, condition: impl Into<Expression>, body: impl FnOnce(&mut Self)) {
        let (start, end) = (self.label(), self.label());
        self.place(start);
        self.branch_unless(condition, end);
        body(self);
        self.jump(start);
        self.place(end);
    }

    /// `repeat body until condition`: `body` runs at least once.
    pub fn repeat_until(&mut self, condition: impl Into<Expression>, body: impl FnOnce(&mut Self)) {
        let start = self.label();
        self.place(start);
        body(self);
        self.branch_unless(condition, start);
    }

    /// Runs `body` as one step, after everything earlier of the thread and before everything later. It contains no
    /// loop, no choice and no other block.
    pub fn atomic(&mut self, body: impl FnOnce(&mut Self)) {
        let end = self.label();
        self.push(Instruction::Atomic { end: end.0 });
        let outer = self.atomic.replace(end);
        body(self);
        self.atomic = outer;
        self.place(end);
    }

    /// Disables the enclosing atomic block unless `condition` is not 0.
    pub fn require(&mut self, condition: impl Into<Expression>) {
        self.push(Instruction::Require(condition.into()));
    }

    /// Creates a label, which has to be [placed](Self::place).
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places `label` before the next instruction.
    pub fn place(&mut self, label: Label) {
        let here = self.thread.code.len();
        let thread = || self.thread.name.clone();
        match self.labels.get_mut(label.0) {
            None => self.of.fail(BuildError::LabelNowhere { thread: thread() }),
            Some(Some(_)) => self.of.fail(BuildError::LabelTwice { thread: thread() }),
            Some(unplaced) => *unplaced = Some(here),
        }
    }

    /// Jumps to `label` if `condition` is 0.
    pub fn branch_unless(&mut self, condition: impl Into<Expression>, label: Label) {
        self.push(Instruction::Branch {
            condition: condition.into(),
            otherwise: label.0,
        });
    }

    /// Jumps to `label`.
    pub fn jump(&mut self, label: Label) {
        self.push(Instruction::Jump(label.0));
    }
}
