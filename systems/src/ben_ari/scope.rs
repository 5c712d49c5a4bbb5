//! The instance and the variant of Ben-Ari's collector.

use refmap::{Fairness, Rule};

use super::process::COLLECTOR;
use super::shape::{MAX_NODES, MAX_SONS, Shape};

/// The most mutators that an instance can have.
pub const MAX_MUTATORS: usize = 3;

/// The bounds of the memory, the number of mutators, and the published variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// NODES, SONS and ROOTS.
    pub shape: Shape,
    /// Number of mutators; the paper has one.
    pub mutators: u8,
    /// Assumption on the initial colours.
    pub colours: InitialColours,
    /// The order of the mutator's two steps.
    pub mutator: MutatorOrder,
    /// The text of Fig. 14.
    pub figure_14: Figure14,
    /// Fairness of the collector.
    pub fairness: CollectorFairness,
    /// Treatment of mutators that are midway.
    pub midway: Midway,
    /// Time and way at which the collector looks for mutators that are midway.
    pub look: Look,
    /// Assumption about a mutator that is midway.
    pub finishing: Finishing,
}

impl Scope {
    /// The paper's algorithm, corrected, for a memory of these bounds.
    pub const fn new(nodes: u8, sons: u8, roots: u8) -> Self {
        Self {
            shape: Shape { nodes, sons, roots },
            mutators: 1,
            colours: InitialColours::Any,
            mutator: MutatorOrder::RedirectFirst,
            figure_14: Figure14::Corrected,
            fairness: CollectorFairness::Weak,
            midway: Midway::Ignored,
            look: Look::OneByOne,
            finishing: Finishing::None,
        }
    }

    /// The same instance with a fair collector, as a specification demands it.
    #[must_use]
    pub const fn fair(mut self) -> Self {
        self.fairness = CollectorFairness::Weak;
        self
    }

    /// Bounds of the cell that a mutator has chosen at [`Redirect`](super::MutatorAt::Redirect), where it comes there.
    pub(super) const fn chosen(self) -> Shape {
        match self.mutator {
            MutatorOrder::ColourFirst => self.shape,
            _ => Shape {
                nodes: 1,
                sons: 1,
                roots: 1,
            },
        }
    }

    /// True if the collector looks at mutators one by one, so that it has to know which it has looked at.
    pub const fn has_rounds(self) -> bool {
        !matches!(
            (self.midway, self.look),
            (Midway::Ignored, _) | (_, Look::AtOnce)
        )
    }

    /// The fairness conditions of a system with these rules. Those of the collector are one action; those of each mutator, but
    /// the first, which begins, another.
    pub(super) fn conditions(self, rules: &[Rule]) -> Vec<Fairness> {
        let of_collector = |rule: &&Rule| rule.process == COLLECTOR.name;
        let name = |rule: &Rule| rule.name.clone();
        let (collector, mutator): (Vec<_>, Vec<_>) = rules.iter().partition(of_collector);
        let mut conditions = Vec::new();
        if self.fairness == CollectorFairness::Weak {
            conditions.push(Fairness::weak("collector", collector.into_iter().map(name)));
        }
        let finishing: Vec<_> = mutator.into_iter().skip(1).collect();
        if self.finishing == Finishing::Weak && !finishing.is_empty() {
            conditions.push(Fairness::weak("mutator", finishing.into_iter().map(name)));
        }
        conditions
    }

    /// Validates the bounds.
    ///
    /// # Errors
    ///
    /// If one is out of its range.
    pub fn validate(self) -> Result<Self, ScopeError> {
        let Shape { nodes, sons, roots } = self.shape;
        let within = |name, value, most| match value {
            1.. if value <= most => Ok(()),
            _ => Err(ScopeError::OutOfRange { name, value, most }),
        };
        within("nodes", nodes, MAX_NODES as u8)?;
        within("sons", sons, MAX_SONS as u8)?;
        within("roots", roots, MAX_NODES as u8)?;
        within("mutators", self.mutators, MAX_MUTATORS as u8)?;
        if roots > nodes {
            return Err(ScopeError::MoreRootsThanNodes { roots, nodes });
        }
        Ok(self)
    }
}

/// Assumption on the initial colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum InitialColours {
    /// Nothing: every colouring is an initial state [section 4.1].
    Any,
    /// Every node is white.
    White,
}

/// The order of the mutator's two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum MutatorOrder {
    /// Redirect a cell to k, then colour k [Fig. 8].
    RedirectFirst,
    /// Choose the cell and k and colour k, then redirect: the order that Dijkstra et al. and
    /// Ben-Ari proposed, refuted by Pixley and by van de Snepscheut [section 1].
    ColourFirst,
    /// Choose and announce k, redirect a cell to k, colour k, retire the announcement: four steps, each of one access (D6).
    Announced,
    /// Choose and announce k, colour k, redirect a cell to k, retire: safe if the collector looks before it scans
    /// ([`Look::BeforeScanning`]), since from then on nothing is redirected to a white node (D6).
    ColouredBefore,
    /// Unsafe: redirect, and only then announce, colour and retire.
    AnnouncedLate,
    /// Unsafe: announce, redirect, retire, and only then colour.
    RetiredEarly,
    /// Unsafe: announce, redirect and retire; colouring is left to the collector.
    Uncoloured,
    /// Unsafe: announced, but redirected to the target even if that has become garbage.
    Unchecked,
    /// Safe, and keeps garbage: announce, redirect and colour; the announcement stays.
    Unretired,
}

impl MutatorOrder {
    /// True if targets are announced, in steps of their own.
    pub const fn announces(self) -> bool {
        !matches!(self, Self::RedirectFirst | Self::ColourFirst)
    }
}

/// The collector's dealing with mutators that are midway: between their redirection and their colouring, as far as it can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Midway {
    /// None, as in the paper, which has one mutator.
    Ignored,
    /// It colours their targets (D6).
    Coloured,
    /// It waits until they are not (D6).
    Awaited,
}

/// The collector's look at the mutators, unless it ignores them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Look {
    /// Between a scan and the count after it, one mutator a step, in any order.
    OneByOne,
    /// There too, at all of them in one step.
    AtOnce,
    /// One by one, before the scan: unsafe, but for [`MutatorOrder::ColouredBefore`].
    BeforeScanning,
    /// Unsafe: one by one, after the count.
    AfterCounting,
}

/// Fairness of a mutator that is midway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Finishing {
    /// None: it may stop anywhere.
    None,
    /// It finishes what it began: weak fairness of all its rules but the first.
    Weak,
}

/// The text of Fig. 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Figure14 {
    /// TEST_L.1 goes to COLOUR_ROOTS, as in Fig. 12.
    Corrected,
    /// TEST_L.1 goes to TEST_I, and so skips the roots: a misprint.
    AsPrinted,
}

/// Fairness of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum CollectorFairness {
    /// It takes steps as long as it can: weak fairness of its rules together. Nothing is assumed of mutators.
    Weak,
    /// Nothing: it may stop anywhere.
    None,
}

/// Error: the instance is not in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// A bound is out of its range.
    #[error("{name} is {value}, and must be from 1 to {most}")]
    OutOfRange {
        name: &'static str,
        value: u8,
        /// The greatest value allowed.
        most: u8,
    },
    /// The roots are the first of the nodes, so there are at most as many.
    #[error("roots is {roots}, and must be at most nodes, which is {nodes}")]
    MoreRootsThanNodes {
        /// ROOTS.
        roots: u8,
        /// NODES.
        nodes: u8,
    },
}
