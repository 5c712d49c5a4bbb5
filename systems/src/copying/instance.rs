//! Instances: the protocol, the scenario of the mutators, the bounds, and the parts that are left out or added.

use refmap_programs::{BuildError, Presence};
use strum::{Display, IntoStaticStr, VariantArray};

use super::progress::Progress;

/// Initial value of the slot [Fig. 2, line 1].
pub const INITIAL_VALUE: i64 = 0;
/// Value of the slot of a copy before it is copied [Fig. 2, line 2].
pub const UNINITIALISED: i64 = 2;

/// A copying protocol, a row of [Ugawa et al., Table 2]. The rows of Clover differ in α as well.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Protocol {
    /// Stopless, as published [section 4.1].
    Stopless,
    /// Stopless with the three fences that CASes without an effect on ordering make necessary.
    StoplessForRmo,
    /// Chicken [section 4.2].
    Chicken,
    /// Staccato, whose mutators have an acquire fence at the yieldpoint [section 4.2].
    Staccato,
    /// Staccato with a full fence there.
    StaccatoFence,
    /// Staccato with a release fence there.
    StaccatoRelFence,
    /// Clover, as published [section 4.3].
    Clover,
    /// Clover, whose collector skips a field that holds α.
    CloverFix,
    /// The same with a fence before α is installed.
    CloverForRmo,
    /// The part of Sapphire that tries again until a copy is equal [section 4.4].
    SapphireIteration,
    /// The part of Sapphire that uses LL and SC.
    SapphireLlsc,
    /// Sapphire for the x86 [section 4.4].
    X86Sapphire,
    /// Baker's collector, which copies at a stop [section 4.5].
    Baker,
    /// Replication with a mutation log.
    Replication,
    /// Compressor, which protects pages of the to-space.
    Compressor,
    /// Pauseless, which protects pages of the from-space.
    Pauseless,
    /// Schism, which copies immutable spines.
    Schism,
}

impl Protocol {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it chooses a value α.
    pub const fn has_alpha(self) -> bool {
        matches!(self, Self::Clover | Self::CloverFix | Self::CloverForRmo)
    }
}

/// Scenario of a mutator [section 3.2.2]; the longer and the shorter ones are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Scenario {
    /// It writes, and reads the slot.
    Wr,
    /// It reads the initial value, and writes.
    Rw,
    /// WR twice.
    Wrwr,
    /// RW twice.
    Rwrw,
    /// It writes.
    W,
    /// It reads.
    R,
}

/// Operation of a mutator on the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// It reads the slot.
    Read,
    /// It writes a fresh value to the slot.
    Write,
}

impl Scenario {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The operations, in order.
    pub const fn operations(self) -> &'static [Operation] {
        use Operation::{Read, Write};
        match self {
            Self::Wr => &[Write, Read],
            Self::Rw => &[Read, Write],
            Self::Wrwr => &[Write, Read, Write, Read],
            Self::Rwrw => &[Read, Write, Read, Write],
            Self::W => &[Write],
            Self::R => &[Read],
        }
    }
}

/// The greatest α: the mutators write 1 first, and 2 is a value that they never write.
pub const MAX_ALPHA: u8 = 2;
/// The most mutators.
pub const MAX_MUTATORS: u8 = 2;
/// The most runs of a loop's body.
pub const MAX_ITERATIONS: u8 = 8;

/// An instance of the framework: a protocol in a scenario, with the bounds of every verdict on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instance {
    pub protocol: Protocol,
    /// Clover's α; 0 in protocols that have none.
    pub alpha: u8,
    /// The scenario of each mutator.
    pub scenario: Scenario,
    /// Number of mutators.
    pub mutators: u8,
    /// Maximum number of iterations of a loop; a thread that would iterate again is cut off. 1 where progress is asked for,
    /// which takes loops without a bound.
    pub iterations: u8,
    /// The progress that is asked for, if any.
    pub progress: Option<Progress>,
    /// Names of the parts that are left out.
    pub without: Vec<String>,
    /// Names of the parts that are added.
    pub with: Vec<String>,
}

impl Instance {
    /// The unchanged protocol in a scenario of the paper: α = 0, one mutator, one iteration of each loop.
    pub fn new(protocol: Protocol, scenario: Scenario) -> Self {
        Self {
            protocol,
            alpha: 0,
            scenario,
            mutators: 1,
            iterations: 1,
            progress: None,
            without: Vec::new(),
            with: Vec::new(),
        }
    }

    /// The same with another α.
    #[must_use]
    pub fn alpha(mut self, alpha: u8) -> Self {
        self.alpha = alpha;
        self
    }

    /// The same without a part.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.without.push(name.to_owned());
        self
    }

    /// The same with an added part.
    #[must_use]
    pub fn with(mut self, name: &str) -> Self {
        self.with.push(name.to_owned());
        self
    }

    /// The same, asked for progress.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The same with several mutators.
    #[must_use]
    pub fn mutators(mut self, mutators: u8) -> Self {
        self.mutators = mutators;
        self
    }

    /// The operations of a mutator: those of its scenario, twice if it repeats one in which it writes once. So a mutator that
    /// repeats them writes different values in turn.
    pub(super) fn operations(&self) -> Vec<Operation> {
        let once = self.scenario.operations();
        let repeats = self.progress.is_some_and(Progress::repeats);
        if repeats && once.iter().filter(|one| **one == Operation::Write).count() == 1 {
            once.repeat(2)
        } else {
            once.to_vec()
        }
    }

    /// The values that the mutator of this number writes, in order: all values of all mutators are distinct, and the
    /// first is 1. The value 2 stands for an uninitialised slot, so it is left out.
    pub(super) fn values(&self, mutator: u8) -> impl Iterator<Item = i64> {
        let operations = self.operations().into_iter();
        let writes = operations.filter(|operation| *operation == Operation::Write);
        let each = writes.count() as i64;
        let first = i64::from(mutator) * each;
        (first..first + each).map(|number| match number {
            0 => INITIAL_VALUE + 1,
            later => UNINITIALISED + later,
        })
    }

    pub(super) fn validate(&self) -> Result<(), InstanceError> {
        let in_range = |what, given: u8, least: u8, most: u8| {
            if (least..=most).contains(&given) {
                Ok(())
            } else {
                Err(InstanceError::OutOfRange {
                    what,
                    given,
                    least,
                    most,
                })
            }
        };
        in_range("alpha", self.alpha, 0, MAX_ALPHA)?;
        in_range("mutators", self.mutators, 1, MAX_MUTATORS)?;
        in_range("iterations", self.iterations, 1, MAX_ITERATIONS)?;
        if let Some(progress) = self.progress
            && self.iterations > 1
        {
            return Err(InstanceError::BoundedProgress { progress });
        }
        if self.alpha > 0 && !self.protocol.has_alpha() {
            return Err(InstanceError::NoAlpha {
                protocol: self.protocol,
            });
        }
        Ok(())
    }
}

/// An optional part of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    pub name: &'static str,
    /// Whether the unchanged protocol has it.
    pub presence: Presence,
}

/// Error: the instance cannot be stated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstanceError {
    /// A number out of its range.
    #[error("{what} is {given}, and must be a number from {least} to {most}")]
    OutOfRange {
        /// The quantity.
        what: &'static str,
        /// The number given.
        given: u8,
        least: u8,
        most: u8,
    },
    /// An α for a protocol without one.
    #[error(
        "{protocol} has no alpha; the protocols that have one are: clover, clover-fix, clover-for-rmo"
    )]
    NoAlpha { protocol: Protocol },
    /// A bound on loops where progress is asked for.
    #[error(
        "whether {progress} holds is asked of loops without a bound: iterations cannot be given"
    )]
    BoundedProgress { progress: Progress },
    /// A part to leave out that the protocol lacks, or to add that it has.
    #[error(
        "{protocol} cannot be checked {how} {name:?}; {}", allowed(.how, .known)
    )]
    NoSuchPart {
        protocol: Protocol,
        /// Whether it was to be left out or added.
        how: Change,
        /// The name given.
        name: String,
        /// The names that could have been given.
        known: Vec<&'static str>,
    },
    /// The program is not well formed.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Change to a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Change {
    /// A part is left out.
    Without,
    /// A part is added.
    With,
}

fn allowed(how: &Change, known: &[&str]) -> String {
    match (how, known) {
        (Change::Without, []) => "it has nothing that can be taken away".to_owned(),
        (Change::With, []) => "there is nothing that can be added to it".to_owned(),
        (Change::Without, known) => format!("what can be taken away is: {}", known.join(", ")),
        (Change::With, known) => format!("what can be added is: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copying::{parts, program};

    fn error(instance: &Instance) -> String {
        program(instance)
            .expect_err("there is no such program")
            .to_string()
    }

    /// Exactly the parts of each protocol can be left out or added.
    #[test]
    fn a_part_that_a_protocol_does_not_have_is_refused() {
        let stopless = Instance::new(Protocol::Stopless, Scenario::Wr);
        assert_eq!(
            error(&stopless.clone().without("log")),
            "stopless cannot be checked without \"log\"; what can be taken away is: status-cas"
        );
        let error_with = error(&stopless.with("log"));
        assert!(error_with.contains("what can be added is: fence-after-wide-install, "));
        let staccato = Instance::new(Protocol::Staccato, Scenario::Rw);
        assert_eq!(
            error(&staccato.clone().without("reed-sync")),
            "staccato cannot be checked without \"reed-sync\"; what can be taken away is: \
             copying-cas-result, read-sync, write-sync, commit-cas, yieldpoint-fence, \
             yieldpoint-fence:acquire"
        );
        assert_eq!(
            error(&staccato.with("read-sync")),
            "staccato cannot be checked with \"read-sync\"; what can be added is: yieldpoint-fence:full, \
             yieldpoint-fence:release, write-barrier-fence"
        );
        for &protocol in Protocol::VARIANTS {
            for Part { name, presence } in parts(protocol) {
                let instance = Instance::new(protocol, Scenario::Wr);
                let (changed, refused) = match presence {
                    Presence::Present => (instance.clone().without(name), instance.with(name)),
                    Presence::Absent => (instance.clone().with(name), instance.without(name)),
                };
                let unchanged = Instance::new(protocol, Scenario::Wr);
                let program_of = |instance| program(instance).expect("there is such a program");
                assert_ne!(program_of(&changed), program_of(&unchanged), "{name}");
                assert!(matches!(
                    program(&refused),
                    Err(InstanceError::NoSuchPart { .. })
                ));
            }
        }
    }

    #[test]
    fn bounds_are_checked() {
        let stopless = || Instance::new(Protocol::Stopless, Scenario::Wr);
        assert_eq!(
            error(&stopless().alpha(1)),
            "stopless has no alpha; the protocols that have one are: clover, clover-fix, \
             clover-for-rmo"
        );
        let clover = Instance::new(Protocol::Clover, Scenario::Wr).alpha(3);
        assert_eq!(
            error(&clover),
            "alpha is 3, and must be a number from 0 to 2"
        );
        assert!(error(&stopless().mutators(0)).starts_with("mutators is 0"));
        let mut endless = stopless();
        endless.iterations = 0;
        assert!(error(&endless).starts_with("iterations is 0"));
        endless.iterations = 2;
        assert_eq!(
            error(&endless.progress(Progress::LockFree)),
            "whether lock-free holds is asked of loops without a bound: iterations cannot be given"
        );
    }

    /// No mutator writes a value of another one, or the value of an uninitialised slot.
    #[test]
    fn every_write_writes_another_value() {
        let instance = Instance::new(Protocol::Stopless, Scenario::Wrwr).mutators(2);
        let values: Vec<Vec<_>> = (0..2).map(|m| instance.values(m).collect()).collect();
        assert_eq!(values, [vec![1, 3], vec![4, 5]]);
    }
}
