//! Stress runs: random programs on real threads, each several times, until one fails or the time is
//! up.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use refmap::random::Generator;
use refmap_histories::Recorder;

use super::generate::programs;
use super::on_the_fly::{
    Counts, Event, Fault, NoWitness, Place, Shape, ShapeError, Violation, Witness,
};
use super::play::{Outcome, play, play_while};
use super::program::{Operation, Program, Step};
use super::recording::Recorded;
use super::shorten::shorten;

/// Number of runs of each program.
const PLAYS: u32 = 3;
/// Number of failures needed to keep a shrinking candidate: a single one may be chance.
const NEEDED: u32 = 2;
/// Minimum number of runs to estimate the failure rate of the program found …
const AGAIN: u32 = 50;
/// … continued until this number of failures …
const FAILURES: u32 = 5;
/// … or for this time.
const PLAYING_AGAIN: Duration = Duration::from_secs(10);
/// Expected number of failures in the time reported as sufficient to reproduce one, at the estimated rate: if
/// failures are random, one of e²⁰ such repetitions shows none.
const EXPECTED: u32 = 20;
/// Minimum of that time, …
const LEAST_REPEATING: Duration = Duration::from_secs(10);
/// … and its value if the program did not fail again.
const MOST_REPEATING: Duration = Duration::from_secs(600);
/// Time limit of shrinking.
const SHORTENING: Duration = Duration::from_secs(20);

/// Maximum number of recorded runs of a failing program until it fails again.
const RECORDED: u32 = 200;
/// Time limit of these runs.
const RECORDING: Duration = Duration::from_secs(20);
/// Number of random programs that a long program consists of.
const LONG: usize = 40;

/// Recorded events, in the order of a history.
pub type History = Vec<refmap_histories::Event<Event>>;

/// Configuration of a stress run.
#[derive(Clone, Debug)]
pub struct Stress {
    /// The heap.
    pub shape: Shape,
    /// Number of mutators of random programs.
    pub threads: usize,
    /// The seeded fault of the collector.
    pub fault: Fault,
    /// Seed of the programs. Schedules are up to the machine.
    pub seed: u64,
    /// Maximum duration.
    pub duration: Duration,
    /// The only program; random ones if there is none.
    pub program: Option<Program>,
}

/// Result of a stress run.
#[derive(Clone, Debug)]
pub struct Stressed {
    /// Number of programs.
    pub programs: u64,
    /// Number of runs, without those of shrinking.
    pub plays: u64,
    /// Counters of these runs.
    pub counts: Counts,
    /// Number of objects that the audits found reachable.
    pub audited: u64,
    /// The failure, if there is one.
    pub failure: Option<Failure>,
}

/// A failing program.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The first violation.
    pub seen: Violation,
    /// Time until it was found.
    pub after: Duration,
    /// Number of operations of the random program.
    pub operations: usize,
    /// The shrunk program.
    pub program: Program,
    /// Number of failures of the shrunk program, and of its runs.
    pub again: (u32, u32),
    /// Duration of those runs.
    pub again_took: Duration,
}

impl Failure {
    /// Time for which the program has to be repeated so that it almost certainly fails.
    pub fn repeating(&self) -> Duration {
        let a_failure = self.again_took.checked_div(self.again.0);
        let enough = a_failure.map_or(MOST_REPEATING, |time| time * EXPECTED);
        enough.clamp(LEAST_REPEATING, MOST_REPEATING)
    }
}

/// Witness that yields at random, so that threads on few processors interleave, and forwards to another witness.
#[derive(Clone, Debug)]
struct Noise<W> {
    choice: Generator,
    inner: W,
}

impl<W: Witness> Witness for Noise<W> {
    type Moment = W::Moment;

    #[inline]
    fn now(&mut self) -> W::Moment {
        self.inner.now()
    }

    #[inline]
    fn saw(&mut self, begin: W::Moment, event: Event) {
        self.inner.saw(begin, event);
    }

    fn at(&mut self, _: Place) {
        if self.choice.below(8) == 0 {
            std::thread::yield_now();
        }
    }
}

impl Stress {
    /// Runs programs until one fails, the time is up, or `cancel` is set.
    ///
    /// # Errors
    ///
    /// If the shape is not valid.
    pub fn run(&self, cancel: &AtomicBool) -> Result<Stressed, ShapeError> {
        let begun = Instant::now();
        self.run_until(cancel, |_| begun.elapsed() >= self.duration)
    }

    /// Runs a number of programs, or until one fails, without a time limit.
    ///
    /// # Errors
    ///
    /// If the shape is not valid.
    pub fn run_programs(&self, programs: u64) -> Result<Stressed, ShapeError> {
        let last = u64::from(PLAYS) * programs;
        self.run_until(&AtomicBool::new(false), |so_far| so_far.plays >= last)
    }

    fn run_until(
        &self,
        cancel: &AtomicBool,
        is_over: impl Fn(&Stressed) -> bool,
    ) -> Result<Stressed, ShapeError> {
        let begun = Instant::now();
        let mut stressed = Stressed {
            programs: 0,
            plays: 0,
            counts: Counts::default(),
            audited: 0,
            failure: None,
        };
        let mut runner = self.runner();
        let numbers = Arc::new(AtomicU64::new(0));
        let is_over = |so_far: &Stressed| cancel.load(Ordering::Relaxed) || is_over(so_far);
        loop {
            let tree = programs(self.threads).new_tree(&mut runner);
            let tree = tree.expect("the strategy rejects nothing");
            let program = self.program.clone().unwrap_or_else(|| tree.current());
            stressed.programs += 1;
            for _ in 0..PLAYS {
                let outcome = self.play(&program, &numbers)?;
                stressed.plays += 1;
                stressed.counts += outcome.counts;
                stressed.audited += outcome.audited as u64;
                if let Some(seen) = outcome.violation {
                    stressed.failure = Some(Failure {
                        seen,
                        after: begun.elapsed(),
                        operations: program.len(),
                        program: match self.program {
                            Some(_) => program,
                            None => self.shortened(tree, &numbers, cancel)?,
                        },
                        again: (0, 0),
                        again_took: Duration::ZERO,
                    });
                    break;
                }
                if is_over(&stressed) {
                    break;
                }
            }
            if let Some(failure) = &mut stressed.failure {
                self.play_again(failure, &numbers, cancel)?;
            }
            if stressed.failure.is_some() || is_over(&stressed) {
                return Ok(stressed);
            }
        }
    }

    /// Repeats a failing program, to estimate its failure rate.
    fn play_again(
        &self,
        failure: &mut Failure,
        numbers: &Arc<AtomicU64>,
        cancel: &AtomicBool,
    ) -> Result<(), ShapeError> {
        let begun = Instant::now();
        let (failed, played) = &mut failure.again;
        let goes_on = |failed: u32, played: u32| {
            let is_over = cancel.load(Ordering::Relaxed) || begun.elapsed() >= PLAYING_AGAIN;
            !is_over && (played < AGAIN || failed < FAILURES)
        };
        while goes_on(*failed, *played) {
            let outcome = self.play(&failure.program, numbers)?;
            *failed += u32::from(outcome.violation.is_some());
            *played += 1;
        }
        failure.again_took = begun.elapsed();
        Ok(())
    }

    fn runner(&self) -> TestRunner {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        TestRunner::new_with_rng(Config::default(), rng)
    }

    fn play(&self, program: &Program, numbers: &Arc<AtomicU64>) -> Result<Outcome, ShapeError> {
        self.play_with(program, numbers, || NoWitness)
    }

    fn play_with<W: Witness + Send + 'static>(
        &self,
        program: &Program,
        numbers: &Arc<AtomicU64>,
        witness: impl Fn() -> W + Clone + Send + 'static,
    ) -> Result<Outcome, ShapeError> {
        play(
            self.shape,
            self.fault,
            program,
            self.noise(numbers, witness),
        )
    }

    /// Witnesses that yield at random.
    fn noise<W: Witness, F: Fn() -> W + Clone + Send + 'static>(
        &self,
        numbers: &Arc<AtomicU64>,
        witness: F,
    ) -> impl Fn() -> Noise<W> + Clone + Send + use<W, F> {
        let (seed, numbers) = (self.seed, Arc::clone(numbers));
        move || {
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            Noise {
                choice: Generator::numbered(seed, number),
                inner: witness(),
            }
        }
    }

    /// Runs a program, and records it.
    ///
    /// # Errors
    ///
    /// If the shape is not valid.
    pub fn record(&self, program: &Program) -> Result<History, ShapeError> {
        let (history, _) = self.recorded(program, &Arc::new(AtomicU64::new(0)))?;
        Ok(history)
    }

    /// Repeats a failing program until it fails, and records that run. `None` if it did not fail in 200 runs or 20 s,
    /// or `cancel` was set before.
    ///
    /// # Errors
    ///
    /// If the shape is not valid.
    pub fn record_failure(
        &self,
        program: &Program,
        cancel: &AtomicBool,
    ) -> Result<Option<History>, ShapeError> {
        let begun = Instant::now();
        let numbers = Arc::new(AtomicU64::new(0));
        for _ in 0..RECORDED {
            if cancel.load(Ordering::Relaxed) || begun.elapsed() >= RECORDING {
                break;
            }
            if let (history, Some(_)) = self.recorded(program, &numbers)? {
                return Ok(Some(history));
            }
        }
        Ok(None)
    }

    /// Runs one program, which each thread repeats until `over` is set or there is a violation, and records it: the
    /// configured program, or a long one.
    ///
    /// # Errors
    ///
    /// If the shape is not valid.
    pub fn run_recorded(
        &self,
        recorder: &Arc<Recorder<Event>>,
        over: &Arc<AtomicBool>,
    ) -> Result<(Stressed, Option<Violation>), ShapeError> {
        let program = self.program.clone();
        let program = program.unwrap_or_else(|| self.long_program());
        let (recorder, over) = (Arc::clone(recorder), Arc::clone(over));
        let numbers = Arc::new(AtomicU64::new(0));
        let noise = self.noise(&numbers, move || Recorded::on(&recorder));
        let goes_on = move || !over.load(Ordering::Relaxed);
        let outcome = play_while(self.shape, self.fault, &program, noise, goes_on)?;
        let stressed = Stressed {
            programs: 1,
            plays: 1,
            counts: outcome.counts,
            audited: outcome.audited as u64,
            failure: None,
        };
        Ok((stressed, outcome.violation))
    }

    fn recorded(
        &self,
        program: &Program,
        numbers: &Arc<AtomicU64>,
    ) -> Result<(History, Option<Violation>), ShapeError> {
        let recorder = Arc::new(Recorder::new());
        let outcome = self.play_with(program, numbers, {
            let recorder = Arc::clone(&recorder);
            move || Recorded::on(&recorder)
        })?;
        let recorder = Arc::into_inner(recorder);
        let recorder = recorder.expect("those who recorded are gone");
        Ok((recorder.finish(), outcome.violation))
    }

    /// Number of mutators: that of the threads of the configured program, if there is one.
    pub fn mutators(&self) -> usize {
        let program = self.program.as_ref();
        program.map_or(self.threads, |program| program.threads.len())
    }

    /// A long program: a sequence of random ones. After each some roots are discarded, so
    /// that there is garbage to free.
    pub fn long_program(&self) -> Program {
        let mut runner = self.runner();
        let mut all = Program {
            threads: vec![Vec::new(); self.threads],
            collector: None,
        };
        for _ in 0..LONG {
            let tree = programs(self.threads).new_tree(&mut runner);
            let part = tree.expect("the strategy rejects nothing").current();
            for (thread, steps) in all.threads.iter_mut().zip(part.threads) {
                thread.extend(steps);
                let discard = Step {
                    operation: Operation::Discard { root: 0 },
                    dwell: None,
                };
                thread.extend([discard; 3]);
            }
        }
        all
    }

    fn shortened(
        &self,
        tree: impl ValueTree<Value = Program>,
        numbers: &Arc<AtomicU64>,
        cancel: &AtomicBool,
    ) -> Result<Program, ShapeError> {
        let begun = Instant::now();
        let mut error = None;
        let program = shorten(tree, |candidate, tries| {
            let mut failed = 0;
            for _ in 0..tries {
                if begun.elapsed() >= SHORTENING || cancel.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                match self.play(candidate, numbers) {
                    Ok(outcome) if outcome.violation.is_none() => (),
                    Ok(_) => failed += 1,
                    Err(wrong) => {
                        error = Some(wrong);
                        return ControlFlow::Break(());
                    }
                }
                if failed >= NEEDED {
                    return ControlFlow::Continue(true);
                }
            }
            ControlFlow::Continue(false)
        });
        error.map_or(Ok(program), Err)
    }
}
