//! Address of a place: the steps taken, each as its number among those offered and a digest of the state that it led to.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use refmap::report::Step;
use serde_json::Value;

/// The most steps of an address.
const MOST: usize = 5000;

/// The steps taken, an initial state first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address(pub Vec<Taken>);

/// A step taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its number among the steps offered, in the order of the model.
    pub number: usize,
    /// Digest of the state that it led to.
    pub digest: u16,
}

/// 16 bits of a state: enough to tell that a model has changed, and short enough for an address.
pub fn digest(state: &Value) -> u16 {
    // FNV-1a: the same on every machine and in every version.
    let hash = state
        .to_string()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    (hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48) as u16
}

impl Address {
    /// The address of a behaviour, by the choices that lead along it.
    pub fn of(choices: Vec<usize>, behaviour: &[Step]) -> Self {
        let taken = choices.into_iter().zip(behaviour);
        let taken = taken.map(|(number, step)| Taken {
            number,
            digest: digest(&step.state),
        });
        Self(taken.collect())
    }

    /// The numbers of the steps.
    pub fn numbers(&self) -> Vec<usize> {
        self.0.iter().map(|taken| taken.number).collect()
    }

    /// The first `count` steps, and then one more.
    pub fn then(&self, count: usize, taken: Taken) -> Self {
        let steps = self.0.iter().take(count).copied();
        Self(steps.chain([taken]).collect())
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (place, Taken { number, digest }) in self.0.iter().enumerate() {
            let dot = if place > 0 { "." } else { "" };
            write!(f, "{dot}{number}-{digest:04x}")?;
        }
        Ok(())
    }
}

/// Error: a text is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address is a list of NUMBER-DIGEST, with dots between them and at most {MOST} long")]
pub struct NotAnAddress;

impl FromStr for Address {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let steps = text.split('.').take(MOST + 1).map(|step| {
            let (number, digest) = step.split_once('-')?;
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
            let is_digest =
                digest.len() == 4 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
            (is_number && is_digest).then_some(())?;
            Some(Taken {
                number: number.parse().ok()?,
                digest: u16::from_str_radix(digest, 16).ok()?,
            })
        });
        let steps: Option<Vec<_>> = steps.collect();
        match steps.filter(|steps| steps.len() <= MOST) {
            Some(steps) => Ok(Self(steps)),
            None => Err(NotAnAddress),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_address_is_read_as_it_was_written() {
        let taken = |number, digest| Taken { number, digest };
        let address = Address(vec![taken(0, 0x00ab), taken(17, 0xffff)]);
        assert_eq!(address.to_string(), "0-00ab.17-ffff");
        assert_eq!("0-00ab.17-ffff".parse(), Ok(address));
        assert_eq!("".parse(), Ok(Address::default()));
        let long = vec!["1-0000"; MOST + 1].join(".");
        for wrong in [
            "0", "0-ab", "-1-0000", "0-00ab.", "a-0000", "0-zzzz", "0-+123", &long,
        ] {
            assert_eq!(wrong.parse::<Address>(), Err(NotAnAddress), "{wrong}");
        }
    }

    #[test]
    fn a_digest_stays_what_it_is() {
        assert_eq!(digest(&json!({"m": [1, 2]})), digest(&json!({"m": [1, 2]})));
        assert_ne!(digest(&json!({"m": [1, 2]})), digest(&json!({"m": [2, 1]})));
        // An address may be older than this program.
        assert_eq!(format!("{:04x}", digest(&json!(null))), "c544");
    }
}
