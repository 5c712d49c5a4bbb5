//! Requests of the process that judges, and their service by the others.

use super::error::PeersError;
use super::exchange::{FIRST, Peers, to_all};
use super::words::{Garbled, push_key, push_text, take_keys, take_text};
use crate::walk::explore::keys::{Compared, Form};

/// Question about the states of all processes, which each answers of its own.
pub(in crate::walk::explore) enum Request<K> {
    /// Number of states of a level that come before a key, of each.
    Before(Vec<(u32, K)>),
    /// The states of a level from one key on and before another.
    Between {
        level: u32,
        from: Option<K>,
        to: Option<K>,
    },
    /// The first state of the level before whose steps lead to this one, and the first step that does.
    Back { level: u32, key: K },
    /// The service is over; this is the report.
    End(String),
}

const BEFORE: u64 = 1;
const BETWEEN: u64 = 2;
const BACK: u64 = 3;
const END: u64 = 4;

impl<K: Compared> Request<K> {
    /// Its words.
    pub fn words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        match self {
            Self::Before(wanted) => {
                words.extend([BEFORE, wanted.len() as u64]);
                words.extend(wanted.iter().map(|(level, _)| u64::from(*level)));
                wanted.iter().for_each(|(_, one)| push_key(&mut words, one));
            }
            Self::Between { level, from, to } => {
                let given = [from, to].map(|end| u64::from(end.is_some()));
                words.extend([BETWEEN, u64::from(*level)]);
                words.extend(given);
                let ends = [from, to].into_iter().flatten();
                ends.for_each(|one| push_key(&mut words, one));
            }
            Self::Back { level, key: one } => {
                words.extend([BACK, u64::from(*level)]);
                push_key(&mut words, one);
            }
            Self::End(report) => {
                words.push(END);
                push_text(&mut words, report);
            }
        }
        words
    }

    /// The request that has these words.
    pub fn read(form: Form, words: &[u64]) -> Result<Self, Garbled> {
        let (kind, rest) = words.split_first().ok_or(Garbled)?;
        let level = |word: u64| u32::try_from(word).map_err(|_| Garbled);
        match (*kind, rest) {
            (BEFORE, [count, rest @ ..]) => {
                let count = usize::try_from(*count).map_err(|_| Garbled)?;
                let (levels, keys) = rest.split_at_checked(count).ok_or(Garbled)?;
                let keys: Vec<K> = take_keys(form, keys)?;
                if keys.len() != count {
                    return Err(Garbled);
                }
                let levels = levels.iter().map(|word| level(*word));
                let levels: Result<Vec<_>, _> = levels.collect();
                Ok(Self::Before(levels?.into_iter().zip(keys).collect()))
            }
            (BETWEEN, [of, has_from, has_to, rest @ ..]) => {
                let mut keys = take_keys(form, rest)?.into_iter();
                let mut end = |is_given: u64| (is_given != 0).then(|| keys.next().ok_or(Garbled));
                Ok(Self::Between {
                    level: level(*of)?,
                    from: end(*has_from).transpose()?,
                    to: end(*has_to).transpose()?,
                })
            }
            (BACK, [of, rest @ ..]) => Ok(Self::Back {
                level: level(*of)?,
                key: take_keys(form, rest)?.pop().ok_or(Garbled)?,
            }),
            (END, rest) => Ok(Self::End(take_text(&mut rest.to_vec())?)),
            _ => Err(Garbled),
        }
    }

    /// Asks the other processes; `meanwhile` is done until they have answered.
    pub fn ask<T>(
        &self,
        peers: &dyn Peers,
        meanwhile: impl FnOnce() -> T,
    ) -> Result<(T, Vec<Vec<u64>>), PeersError> {
        peers.exchange(to_all(peers, &self.words()))?;
        let done = meanwhile();
        let nothing = vec![Vec::new(); peers.processes()];
        Ok((done, peers.exchange(nothing)?))
    }
}

/// The next request, at a process that serves.
pub(in crate::walk::explore) fn asked<K: Compared>(
    peers: &dyn Peers,
    form: Form,
) -> Result<Request<K>, PeersError> {
    let nothing = vec![Vec::new(); peers.processes()];
    let words = peers.exchange(nothing)?;
    Request::read(form, &words[FIRST]).map_err(|garbled| garbled.of(FIRST))
}

/// Ends the service of the others with a report.
pub(super) fn end(peers: &dyn Peers, report: &str) -> Result<(), PeersError> {
    let end: Request<[u64; 1]> = Request::End(report.to_owned());
    peers.exchange(to_all(peers, &end.words()))?;
    Ok(())
}
