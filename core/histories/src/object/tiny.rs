//! Tiny programs: all of two and three calls.
//!
//! Which calls a thread may make is known when it makes one, so each program tells of the next ones: the last call that may be another one is, and
//! what follows begins anew.
//!
//! Of an object that takes all threads and calls [alike](super::Object::is_alike) programs with the threads exchanged are one, and those that
//! are equal up to the names of values come last.

use std::sync::{Mutex, MutexGuard, PoisonError};

use refmap::Action;

use super::Object;
use super::choice::{Choice, choices};
use super::program::Program;

/// Choices that threads were offered, by thread and place.
#[derive(Debug, Default)]
pub(super) struct Offers {
    /// True if what the first call of the first thread may be each call of each thread may be.
    is_alike: bool,
    known: Mutex<Vec<Vec<Vec<Choice>>>>,
}

impl Offers {
    fn known(&self) -> MutexGuard<'_, Vec<Vec<Vec<Choice>>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread may make these calls at a place.
    pub fn tell<C: Action<()>>(&self, thread: usize, place: usize, offered: &[C]) {
        let mut known = self.known();
        if self.is_alike && (thread, place) != (0, 0) {
            return;
        }
        if known.len() <= thread {
            known.resize_with(thread + 1, Vec::new);
        }
        let places = &mut known[thread];
        if places.len() <= place {
            places.resize_with(place + 1, Vec::new);
        }
        for choice in choices(offered) {
            let is_new = |known: &Choice| known.number != choice.number;
            if places[place].iter().all(is_new) {
                places[place].push(choice);
            }
        }
    }

    fn at(&self, thread: usize, place: usize) -> Vec<Choice> {
        let (thread, place) = if self.is_alike {
            (0, 0)
        } else {
            (thread, place)
        };
        let known = self.known();
        let at = known.get(thread).and_then(|places| places.get(place));
        at.cloned().unwrap_or_default()
    }

    /// Forgets what follows a place, since it depends on the call there.
    fn forget_after(&self, thread: usize, place: usize) {
        let mut known = self.known();
        for (later, places) in known.iter_mut().enumerate() {
            let kept = match later.cmp(&thread) {
                std::cmp::Ordering::Less => continue,
                std::cmp::Ordering::Equal => place + 1,
                std::cmp::Ordering::Greater => 0,
            };
            places.truncate(kept);
        }
    }
}

/// All programs of two and three calls, one after another.
#[derive(Debug)]
pub(super) struct Tiny {
    is_alike: bool,
    /// Programs that are left, each by the numbers of calls of its threads, and whether they are equal to others up to the names of values.
    left: std::vec::IntoIter<(Vec<usize>, bool)>,
    latest: Option<(Program, bool)>,
    pub offers: std::sync::Arc<Offers>,
}

impl Tiny {
    pub fn of(object: &impl Object) -> Self {
        let is_alike = object.is_alike();
        let threads = object.threads();
        let (least, most) = (*threads.start() as usize, *threads.end() as usize);
        let mut shapes: Vec<Vec<usize>> = vec![vec![1, 1], vec![2, 1]];
        if !is_alike {
            shapes.push(vec![1, 2]);
        }
        shapes.push(vec![1, 1, 1]);
        shapes.retain(|shape| shape.len() <= most);
        for shape in &mut shapes {
            // Threads that make no calls are there all the same.
            shape.resize(shape.len().max(least), 0);
        }
        let passes: &[bool] = if is_alike { &[false, true] } else { &[false] };
        let left = passes.iter().flat_map(|renamed| {
            let shapes = shapes.iter().cloned();
            shapes.map(|shape| (shape, *renamed))
        });
        let left: Vec<_> = left.collect();
        let known = Mutex::default();
        Self {
            is_alike,
            left: left.into_iter(),
            latest: None,
            offers: Offers { is_alike, known }.into(),
        }
    }

    /// The next program, if there is one. The one before has been tried, and has told which calls threads may make.
    pub fn next(&mut self) -> Option<Program> {
        loop {
            let latest = self.latest.take();
            let next = latest.and_then(|(program, renamed)| Some((self.after(program)?, renamed)));
            let (program, renamed) = match next {
                Some(next) => next,
                None => {
                    let (shape, renamed) = self.left.next()?;
                    if !self.is_alike {
                        self.offers.known().clear();
                    }
                    let threads = shape.iter().map(|calls| vec![0; *calls]).collect();
                    (Program { threads }, renamed)
                }
            };
            self.latest = Some((program.clone(), renamed));
            if !self.is_alike || self.is_next(&program, renamed) {
                return Some(program);
            }
        }
    }

    /// True if the latest program is equal to an earlier one up to the names of values.
    pub fn is_renamed(&self) -> bool {
        let latest = self.latest.as_ref();
        latest.is_some_and(|(_, renamed)| *renamed)
    }

    fn after(&self, mut program: Program) -> Option<Program> {
        for thread in (0..program.threads.len()).rev() {
            for place in (0..program.threads[thread].len()).rev() {
                let offered = self.offers.at(thread, place);
                let number = &mut program.threads[thread][place];
                let at = offered.iter().position(|choice| choice.number == *number);
                let next = at.and_then(|at| offered.get(at + 1));
                if let Some(next) = next {
                    *number = next.number;
                    if !self.is_alike {
                        self.offers.forget_after(thread, place);
                    }
                    return Some(program);
                }
                *number = 0;
            }
        }
        None
    }

    /// True if a program of calls that are alike is to be tried: it is the first of those with the threads exchanged, and one whose values are
    /// named in their order, or not, as it is to be.
    fn is_next(&self, program: &Program, renamed: bool) -> bool {
        let offered = self.offers.at(0, 0);
        let choice = |number: &u32| offered.iter().find(|choice| choice.number == *number);
        let rules = |calls: &[u32]| -> Vec<Option<usize>> {
            let rules = calls.iter().map(|number| Some(choice(number)?.rule));
            rules.collect()
        };
        let is_first = program
            .threads
            .windows(2)
            .all(|two| two[0].len() != two[1].len() || rules(&two[0]) <= rules(&two[1]));
        let mut names = 0;
        let calls = program.threads.iter().flatten();
        let is_named = calls.filter_map(|number| choice(number)?.name).all(|name| {
            let is_next = name <= names;
            names = names.max(name + 1);
            is_next
        });
        is_first && is_named != renamed
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shared;
    use super::*;
    use crate::specifications::queue::Call;
    use crate::specifications::{Operations, Queue};

    /// Programs of these calls, as text.
    fn programs(calls: &[Call<u8>], most: u32) -> Vec<String> {
        let queue = Operations(Queue::<u8>::default());
        let object = Shared::new(queue, || (), calls.to_vec(), |(), _| None.into());
        let mut tiny = Tiny::of(&object.with_threads(2..=most));
        let mut programs = Vec::new();
        while let Some(program) = tiny.next() {
            for (thread, numbers) in program.threads.iter().enumerate() {
                (0..numbers.len()).for_each(|place| tiny.offers.tell(thread, place, calls));
            }
            programs.push(program.to_string());
        }
        programs
    }

    #[test]
    fn all_programs_are_there_once_up_to_names_first() {
        // 0 pops, 1 pushes the first value, and 3 the second one.
        let calls = [Call::Pop, Call::Push(1), Call::Push(2)];
        let all = programs(&calls, 2);
        let two = ["0/0", "1/0", "1/1", "1/3"];
        assert_eq!(all[..4], two, "{all:?}");
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        // Two calls: pairs in any order, but those that are of one rule. Three: any.
        assert_eq!(all.len(), (1 + 2 + 4) + 27, "{all:?}");
        let first = all.iter().position(|program| program == "3/3");
        assert!(first.is_some_and(|at| at > 4), "{all:?}");
        let of_three = programs(&calls, 3);
        assert!(of_three.contains(&"1/1/3".to_owned()), "{of_three:?}");
        assert!(!all.contains(&"1/1/3".to_owned()), "{all:?}");
    }

    #[test]
    fn a_thread_of_an_object_of_parts_is_asked_at_each_call() {
        // Each thread has a call of its own, and one that depends on the call before.
        let offers = Offers::default();
        let mut tiny = Tiny {
            is_alike: false,
            left: vec![(vec![2, 1], false)].into_iter(),
            latest: None,
            offers: offers.into(),
        };
        let mut programs = Vec::new();
        while let Some(program) = tiny.next() {
            let first = program.threads[0][0];
            let second = [Call::Pop, Call::Push(5)];
            let second = if first == 0 { &second[..1] } else { &second };
            tiny.offers.tell(0, 0, &[Call::Push(1), Call::Push(2)]);
            tiny.offers.tell(0, 1, second);
            tiny.offers.tell(1, 0, &[Call::<u8>::Pop]);
            programs.push(program.to_string());
        }
        assert_eq!(programs, ["0,0/0", "1,0/0", "1,1/0"]);
    }
}
