//! Names that fields hold: code that visits them, in states and in actions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Expr, Result, Type};

use crate::field::Field;

/// Types without names.
const NAMELESS: [&str; 13] = [
    "bool", "char", "String", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64",
    "isize",
];
/// Types that have no elements by their places, or none that can be exchanged.
const NO_ROWS: [&str; 8] = [
    "VecDeque", "BTreeSet", "BTreeMap", "IndexSet", "Option", "Box", "Arc", "Counter",
];

/// Last name of the path of a type.
pub fn last_name(type_: &Type) -> Option<String> {
    match type_ {
        Type::Group(group) => last_name(&group.elem),
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

/// True if values of a type are known to hold no names.
pub fn is_nameless(type_: &Type) -> bool {
    last_name(type_).is_some_and(|name| NAMELESS.contains(&&*name))
}

/// Refuses a type of which the elements are no members' parts, for a field of which `attribute` says that they are.
pub fn check_row(attribute: &str, type_: &Type) -> Result<()> {
    let is_none = |name: String| NAMELESS.contains(&&*name) || NO_ROWS.contains(&&*name);
    if last_name(type_).is_some_and(is_none) || matches!(type_, Type::Tuple(_)) {
        return Err(Error::new_spanned(
            type_,
            format!(
                "`{attribute}` is said of a `Vec`, an array or a `BoundedVec`, which has an element for each member"
            ),
        ));
    }
    Ok(())
}

/// Visits the names of which a field consists, as members of a group.
pub fn visit_names_alone(binding: &TokenStream, group: &Expr) -> TokenStream {
    quote!(::refmap::state::Names::each_name(#binding, #group, visit);)
}

/// The groups of members for which a struct has rows, in the order in which it says them.
pub fn groups(fields: &[Field]) -> Vec<&Expr> {
    let mut groups: Vec<&Expr> = Vec::new();
    for group in fields.iter().filter_map(|field| field.symmetric.as_ref()) {
        if !groups.iter().any(|other| are_same(other, group)) {
            groups.push(group);
        }
    }
    groups
}

/// True if two expressions are written alike.
pub fn are_same(a: &Expr, b: &Expr) -> bool {
    quote!(#a).to_string() == quote!(#b).to_string()
}
