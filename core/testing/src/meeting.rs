//! Processes that are threads: they meet in memory, one of them can be slow or lost.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use refmap::internal::explore::{Peers, PeersError};

/// Words from one process to another.
type Words = Vec<u64>;

/// Place where the threads of one test meet.
struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Per process, the words for each that it has brought to this meeting.
    brought: Vec<Option<Vec<Words>>>,
    /// Per process, the words that it has not taken yet.
    received: Vec<Option<Vec<Words>>>,
    lost: Option<(usize, String)>,
    /// Processes that have asked the others to hurry.
    hurry: Vec<bool>,
}

/// A process that is a thread.
pub struct Participant {
    meeting: Arc<Meeting>,
    process: usize,
    processes: usize,
    most_words: usize,
    /// Meetings after which it is lost.
    last: Mutex<u64>,
}

/// So many processes. An even number of them sends few words at a time, so that a level takes many meetings. Each of them is lost when it is dropped before the others.
pub fn participants(processes: usize) -> Vec<Participant> {
    let meeting = Arc::new(Meeting {
        state: Mutex::new(State {
            brought: vec![None; processes],
            received: vec![None; processes],
            lost: None,
            hurry: vec![false; processes],
        }),
        changed: Condvar::new(),
    });
    let participant = |process| Participant {
        meeting: Arc::clone(&meeting),
        process,
        processes,
        most_words: if processes.is_multiple_of(2) {
            1_000
        } else {
            usize::MAX
        },
        last: Mutex::new(u64::MAX),
    };
    (0..processes).map(participant).collect()
}

impl Participant {
    /// The same, but that it is lost after so many meetings.
    #[must_use]
    pub fn lost_after(mut self, meetings: u64) -> Self {
        self.last = Mutex::new(meetings);
        self
    }
}

impl Meeting {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn lose(&self, process: usize, reason: impl Into<String>) {
        let reason = reason.into();
        self.state().lost.get_or_insert((process, reason));
        self.changed.notify_all();
    }
}

impl Peers for Participant {
    fn processes(&self) -> usize {
        self.processes
    }

    fn process(&self) -> usize {
        self.process
    }

    fn most_words(&self) -> usize {
        self.most_words
    }

    fn exchange(&self, words: Vec<Words>) -> Result<Vec<Words>, PeersError> {
        assert_eq!(words.len(), self.processes);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match last.checked_sub(1) {
            Some(left) => *last = left,
            None => self.meeting.lose(self.process, "it is a test"),
        }
        let mut state = self.meeting.state();
        state.brought[self.process] = Some(words);
        if state.brought.iter().all(Option::is_some) {
            let brought: Vec<Vec<Words>> =
                state.brought.iter_mut().filter_map(Option::take).collect();
            for to in 0..self.processes {
                let words = brought.iter().map(|words| words[to].clone());
                state.received[to] = Some(words.collect());
            }
            self.meeting.changed.notify_all();
        }
        loop {
            if let Some(received) = state.received[self.process].take() {
                return Ok(received);
            }
            if let Some((process, reason)) = state.lost.clone() {
                return Err(PeersError::Lost { process, reason });
            }
            state = self.meeting.wait(state);
        }
    }

    fn hurry(&self) {
        self.meeting.state().hurry[self.process] = true;
    }

    fn is_hurried(&self) -> bool {
        let hurry = &self.meeting.state().hurry;
        let mut others = (0..).zip(hurry);
        others.any(|(process, hurries)| *hurries && process != self.process)
    }

    fn give_up(&self, reason: String) {
        let late = self
            .meeting
            .state()
            .brought
            .iter()
            .position(Option::is_none);
        self.meeting.lose(late.unwrap_or(self.process), reason);
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        self.meeting.lose(self.process, "it has gone");
    }
}
