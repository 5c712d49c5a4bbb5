//! Store: texts by key, which are read, written and appended to.

use im::OrdMap;
use refmap::State;
use serde::{Serialize, Serializer};

use super::{Answer, Called, Foresight, Sequential};
use crate::calls;

/// Store: texts by key, each empty at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Store {
    /// The keys of its [calls](Sequential::calls), each once. A history may have others.
    pub keys: Vec<String>,
    /// The texts of its [calls](Sequential::calls), each once. A history may have others.
    pub texts: Vec<String>,
}

calls! {
    /// Call of a store.
    #[rule(
        process = "thread",
        source = "Ongaro, *Consensus: Bridging Theory and Practice*, 2014, chapter 6: a linearizable store"
    )]
    pub enum Call -> String {
        /// Answers the text of a key.
        Get(String) -> Value,
        /// Writes the text of a key; answers nothing.
        Put {
            /// The key.
            key: String,
            /// Its new text.
            text: String,
        } -> Nothing,
        /// Appends to the text of a key; answers nothing.
        Append {
            /// The key.
            key: String,
            /// The end of its new text.
            text: String,
        } -> Nothing,
    }
}

impl Call {
    fn key(&self) -> &str {
        match self {
            Self::Get(key) | Self::Put { key, .. } | Self::Append { key, .. } => key,
        }
    }
}

/// Texts of a store that are not empty. They are cheap to copy, however many there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Texts {
    #[serde(serialize_with = "as_map")]
    texts: OrdMap<String, String>,
}

impl<S: ?Sized> State<S> for Texts {}

fn as_map<S: Serializer>(texts: &OrdMap<String, String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(texts)
}

impl Sequential for Store {
    type State = Texts;
    type Call = Call;
    type Answer = Answer<String>;

    fn initial(&self) -> Texts {
        let texts = OrdMap::new();
        Texts { texts }
    }

    fn execute(&self, call: &Call, Texts { texts }: &mut Texts) -> Option<Answer<String>> {
        match call {
            Call::Get(key) => {
                let text = texts.get(key).cloned();
                return Some(Answer::Value(text.unwrap_or_default()));
            }
            Call::Put { key, text } if text.is_empty() => {
                texts.remove(key);
            }
            Call::Put { key, text } => {
                texts.insert(key.clone(), text.clone());
            }
            Call::Append { text, .. } if text.is_empty() => {}
            Call::Append { key, text } => {
                texts.entry(key.clone()).or_default().push_str(text);
            }
        }
        Some(Answer::Nothing)
    }

    fn calls(&self, visit: &mut impl FnMut(Call)) {
        for key in &self.keys {
            visit(Call::Get(key.clone()));
            for text in &self.texts {
                let (key, text) = (key.clone(), text.clone());
                visit(Call::Put {
                    key: key.clone(),
                    text: text.clone(),
                });
                visit(Call::Append { key, text });
            }
        }
    }

    fn only_looks(&self, call: &Call) -> bool {
        matches!(call, Call::Get(_))
    }

    fn commute(&self, one: &Call, other: &Call) -> bool {
        one.key() != other.key()
    }

    fn foresight(&self) -> impl Foresight<Self> {
        Growth
    }

    fn part(&self, call: &Call) -> Option<String> {
        Some(call.key().to_owned())
    }
}

/// Recorded operation of a store.
type Recorded = Called<Call, Answer<String>>;

impl Recorded {
    /// The key and the text, of a get whose answer is known.
    fn got(&self) -> Option<(&str, &str)> {
        match (&self.call, &self.answer) {
            (Call::Get(key), Some(Answer::Value(text))) => Some((key, text)),
            _ => None,
        }
    }

    /// The text that it appends.
    fn appended(&self) -> Option<&str> {
        match &self.call {
            Call::Append { text, .. } => Some(text),
            Call::Get(_) | Call::Put { .. } => None,
        }
    }

    /// The text that it puts.
    fn put(&self) -> Option<&str> {
        match &self.call {
            Call::Put { text, .. } => Some(text),
            Call::Get(_) | Call::Append { .. } => None,
        }
    }
}

/// Foresight of a store: a text only grows until it is put over.
struct Growth;

impl Foresight<Store> for Growth {
    fn confirms(&self, operation: &Recorded) -> bool {
        operation.got().is_some()
    }

    /// A call that writes the key matters, but for a put of a text with which the answer does not begin.
    fn matters(&self, operation: &Recorded, other: &Recorded) -> bool {
        operation.got().is_some_and(|(key, got)| match &other.call {
            Call::Get(_) => false,
            Call::Append { key: of, text } => of == key && !text.is_empty(),
            Call::Put { key: of, text } => of == key && got.starts_with(text.as_str()),
        })
    }

    /// A get has hope from a text that its answer begins with, or after a put of one. A longer answer goes on by texts that are still
    /// to be appended.
    fn is_hopeless<'e>(
        &self,
        from: &Texts,
        operation: &Recorded,
        others: impl Iterator<Item = &'e Recorded> + Clone,
    ) -> bool {
        let Some((key, got)) = operation.got() else {
            return false;
        };
        let has_hope = |text: &str| {
            let Some(rest) = got.strip_prefix(text) else {
                return false;
            };
            let (mut begins, mut ends) = (rest.is_empty(), rest.is_empty());
            let mut appended = others.clone().filter_map(Recorded::appended);
            while !(begins && ends) {
                let Some(text) = appended.next() else {
                    return false;
                };
                begins |= rest.starts_with(text);
                ends |= rest.ends_with(text);
            }
            true
        };
        let now = from.texts.get(key).map_or("", String::as_str);
        let mut put = others.clone().filter_map(Recorded::put);
        !has_hope(now) && !put.any(has_hope)
    }
}
