//! The bakery: a thread takes a number that is greater than those of all others, and waits for those with lower ones.
//!
//! Source: Lamport, *A New Solution of Dijkstra's Concurrent Programming Problem*, CACM 17, 1974.
//!
//! Deviations. D1: the maximum of all numbers is read in one step, and so is what a loop waits for of one thread after the other; the number is written in another.
//! D2: `choosing` is raised in the step in which the maximum is read, and lowered in that in which the number is written.

use refmap::crowd::{Crowd, Others};
use refmap::{Counter, guard};
use serde::Serialize;

/// A number: it is compared, and not more.
pub type Number = Counter<0>;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct Bakery {
    /// Wait that is left out.
    pub omits: Omits,
}

/// Wait that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Omits {
    /// None: as published.
    Nothing,
    /// That for threads which choose. Wrong: one of them may still take a number that is not greater.
    Choosing,
}

/// Label of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// In its non-critical section.
    Outside,
    /// It chooses: it has read this maximum, and is to take the number after it.
    Takes(Number),
    /// It waits for those that choose.
    WaitsChoosing,
    /// It waits for those with lower numbers.
    WaitsNumbers,
    /// In its critical section.
    Critical,
}

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Thread {
    /// Its label.
    pub at: Label,
    /// Its number, which is that of nobody if it has none.
    pub number: Number,
}

/// The numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Numbers {
    /// The number of nobody.
    pub zero: Number,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
pub enum Action {
    /// It begins to choose where nobody has a number.
    #[rule(source = "Lamport 1974, L1: choosing[i] := 1; maximum(number[1], …, number[N])")]
    ReadZero,
    /// It begins to choose where some other one has the greatest number.
    #[rule(source = "Lamport 1974, L1: choosing[i] := 1; maximum(number[1], …, number[N])")]
    ReadGreatest,
    /// It takes the number after that.
    #[rule(source = "Lamport 1974, L1: number[i] := 1 + …; choosing[i] := 0")]
    Take,
    /// Nobody chooses.
    #[rule(source = "Lamport 1974, L2: if choosing[j] ≠ 0 then goto L2")]
    FindNoneChoosing,
    /// Nobody has a lower number, or the same one before it in the line.
    #[rule(
        source = "Lamport 1974, L3: if number[j] ≠ 0 and (number[j], j) < (number[i], i) then goto L3"
    )]
    Enter,
    #[rule(source = "Lamport 1974, number[i] := 0")]
    Leave,
}

/// The number of a thread, and that of nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
struct Mine {
    number: Number,
    zero: Number,
}

impl Thread {
    /// It goes to another label, if it is at `from`.
    fn go(&mut self, from: Label, to: Label) -> Option<()> {
        guard("it is at the label", self.at == from)?;
        self.at = to;
        Some(())
    }

    /// True while it chooses.
    fn chooses(&self) -> bool {
        matches!(self.at, Label::Takes(_))
    }

    /// True if its number is greater.
    fn is_greater(&self, than: &Number) -> bool {
        self.number > *than
    }

    /// True if it has a number, and a lower one.
    fn is_lower(&self, mine: &Mine) -> bool {
        self.number != mine.zero && self.number < mine.number
    }

    /// True if it has a number, and the same one or a lower one.
    fn is_not_greater(&self, mine: &Mine) -> bool {
        self.number != mine.zero && self.number <= mine.number
    }
}

impl Crowd for Bakery {
    type Shared = Numbers;
    type Member = Thread;
    type Action = Action;
    type Observation = bool;

    /// Of two with the same number, the one before the other goes first.
    const IN_LINE: bool = true;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut(Numbers, &[Thread])) {
        let zero = Number::START;
        let thread = Thread {
            at: Label::Outside,
            number: zero,
        };
        visit(Numbers { zero }, &[thread]);
    }

    fn fire(
        &self,
        action: &Action,
        numbers: &mut Numbers,
        me: &mut Thread,
        others: &mut Others<'_, Thread>,
    ) -> Option<()> {
        use Label::{Critical, Outside, Takes, WaitsChoosing, WaitsNumbers};
        let zero = numbers.zero;
        match action {
            Action::ReadZero => {
                me.go(Outside, Takes(zero))?;
                others.none_with(zero, Thread::is_greater)?;
            }
            Action::ReadGreatest => {
                let greatest = others.choose_with(zero, Thread::is_greater)?.part.number;
                others.none_with(greatest, Thread::is_greater)?;
                me.go(Outside, Takes(greatest))?;
            }
            Action::Take => {
                let Takes(greatest) = me.at else {
                    return None;
                };
                me.number = greatest.next();
                me.at = WaitsChoosing;
            }
            Action::FindNoneChoosing => {
                me.go(WaitsChoosing, WaitsNumbers)?;
                if self.omits != Omits::Choosing {
                    others.none(Thread::chooses)?;
                }
            }
            Action::Enter => {
                me.go(WaitsNumbers, Critical)?;
                let number = me.number;
                others
                    .before()
                    .none_with(Mine { number, zero }, Thread::is_not_greater)?;
                others
                    .behind()
                    .none_with(Mine { number, zero }, Thread::is_lower)?;
            }
            Action::Leave => {
                me.go(Critical, Outside)?;
                me.number = zero;
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &Numbers, thread: &Thread) -> Option<bool> {
        Some(thread.at == Label::Critical)
    }
}
