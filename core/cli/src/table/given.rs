//! Arguments that a table gives to its check.

use serde_json::Value;

/// Arguments of a check.
pub type Given = Vec<(&'static str, Value)>;
