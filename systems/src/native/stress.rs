//! Stress: random programs on real threads, each several times, until something is wrong or the time is
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
    Counts, Event, Fault, Place, Shape, ShapeError, Unseen, Violation, Witness,
};
use super::play::{Outcome, play, play_while};
use super::program::{Operation, Program, Step};
use super::recording::Recorded;
use super::shorten::shorten;

/// How often each program is played.
const PLAYS: u32 = 3;
/// How often a candidate has to fail that may fail as a larger program did: once may have been its luck.
const NEEDED: u32 = 2;
/// How often the program found is played to say how often it fails, at least …
const AGAIN: u32 = 50;
/// … and on until it has failed so often …
const FAILURES: u32 = 5;
/// … or so much time has gone by.
const PLAYING_AGAIN: Duration = Duration::from_secs(10);
/// So many failures are to be expected in the time that is said to suffice to see one, if the program fails
/// as often as it did: where it does so at random, one of e²⁰ repetitions then shows none.
const EXPECTED: u32 = 20;
/// That time is at least this, …
const LEAST_REPEATING: Duration = Duration::from_secs(10);
/// … and this where the program did not fail again.
const MOST_REPEATING: Duration = Duration::from_secs(600);
/// The longest time spent on making a program small.
const SHORTENING: Duration = Duration::from_secs(20);

/// How often a program that failed is recorded until it fails again.
const RECORDED: u32 = 200;
/// The longest time spent on that.
const RECORDING: Duration = Duration::from_secs(20);
/// How many random programs make a long one.
const LONG: usize = 40;

/// What threads did, in the order of a history.
pub type History = Vec<refmap_histories::Event<Event>>;

/// What is to be stressed.
#[derive(Clone, Debug)]
pub struct Stress {
    /// The heap.
    pub shape: Shape,
    /// How many mutators random programs have.
    pub threads: usize,
    /// What is wrong with the collector.
    pub fault: Fault,
    /// What determines the programs. Schedules are the machine's.
    pub seed: u64,
    /// How long, at most.
    pub duration: Duration,
    /// Just this program; random ones if there is none.
    pub program: Option<Program>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Stressed {
    /// How many programs were played.
    pub programs: u64,
    /// How many plays there were, those to make a program small not included.
    pub plays: u64,
    /// What happened in them.
    pub counts: Counts,
    /// How many objects the audits found reachable.
    pub audited: u64,
    /// What was wrong, if anything was.
    pub failure: Option<Failure>,
}

/// A program that fails.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What it was that was seen first.
    pub seen: Violation,
    /// How long it took to see.
    pub after: Duration,
    /// The operations of the program that was random.
    pub operations: usize,
    /// What it was made to.
    pub program: Program,
    /// How often that failed when it was played again, of how many plays.
    pub again: (u32, u32),
    /// How long those plays took.
    pub again_took: Duration,
}

impl Failure {
    /// How long the program has to be played, time and again, so that it all but certainly fails.
    pub fn repeating(&self) -> Duration {
        let a_failure = self.again_took.checked_div(self.again.0);
        let enough = a_failure.map_or(MOST_REPEATING, |time| time * EXPECTED);
        enough.clamp(LEAST_REPEATING, MOST_REPEATING)
    }
}

/// Yields here and there, so that threads that share few processors take turns, and passes on what it
/// sees.
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
    /// Plays programs until one fails, the time is up, or `cancel` says so.
    ///
    /// # Errors
    ///
    /// If the heap cannot be.
    pub fn run(&self, cancel: &AtomicBool) -> Result<Stressed, ShapeError> {
        let begun = Instant::now();
        self.run_until(cancel, |_| begun.elapsed() >= self.duration)
    }

    /// Plays so many programs, or until one fails, however long that takes.
    ///
    /// # Errors
    ///
    /// If the heap cannot be.
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

    /// Plays a program that fails, to see how often it does.
    fn play_again(
        &self,
        failure: &mut Failure,
        numbers: &Arc<AtomicU64>,
        cancel: &AtomicBool,
    ) -> Result<(), ShapeError> {
        let begun = Instant::now();
        let (failed, played) = &mut failure.again;
        let goes_on = |failed: u32, played: u32| {
            let is_enough = failed >= FAILURES || begun.elapsed() >= PLAYING_AGAIN;
            !cancel.load(Ordering::Relaxed) && (played < AGAIN || !is_enough)
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
        self.play_with(program, numbers, || Unseen)
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

    /// Witnesses that yield here and there.
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

    /// Plays a program and records what its threads do.
    ///
    /// # Errors
    ///
    /// If the heap cannot be.
    pub fn record(&self, program: &Program) -> Result<History, ShapeError> {
        self.record_play(program).map(|(history, _)| history)
    }

    /// The same, with what was wrong in that play, if anything was.
    ///
    /// # Errors
    ///
    /// If the heap cannot be.
    pub fn record_play(
        &self,
        program: &Program,
    ) -> Result<(History, Option<Violation>), ShapeError> {
        self.recorded(program, &Arc::new(AtomicU64::new(0)))
    }

    /// Plays a program that is known to fail until it does, so often that it nearly always will, and
    /// records that play. None if it did not in 200 plays or 20 s, or `cancel` said so before.
    ///
    /// # Errors
    ///
    /// If the heap cannot be.
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

    /// Plays one program until `over` is set, each thread over and over again, and records it: the one given, or a long
    /// one. It ends before where something is wrong.
    ///
    /// # Errors
    ///
    /// If the heap cannot be.
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

    /// How many mutators there are: as many as the program has threads, if there is just one program.
    pub fn mutators(&self) -> usize {
        let program = self.program.as_ref();
        program.map_or(self.threads, |program| program.threads.len())
    }

    /// A long program: many random ones, one after the other. After each some roots are discarded, so
    /// that there is something to free.
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
