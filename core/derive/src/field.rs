//! Fields of a state, as a derive sees them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Expr, LitStr, Member, Type};

/// A field, as the derive writes and reads it.
pub struct Field {
    pub member: Member,
    /// The variable to which a pattern binds it.
    pub binding: Ident,
    pub name: LitStr,
    pub type_: Type,
    pub kind: Kind,
    /// True if it consists of numbers of members.
    pub is_member: bool,
    /// True if it has an element for each member.
    pub is_symmetric: bool,
}

/// Kind of a field, by the way in which it is written.
pub enum Kind {
    /// As its type is, within these limits.
    Variable(TokenStream),
    /// Not at all: it has this value in all states of the instance.
    Constant(Expr),
}

/// A pattern that binds all fields.
pub fn pattern(fields: &[Field]) -> TokenStream {
    let bind = |Field {
                    member, binding, ..
                }: &Field| quote!(#member: #binding);
    let bindings = fields.iter().map(bind);
    quote!({ #(#bindings),* })
}

/// True if a type parameter of the type may be in the type of a field.
pub fn mentions_parameter(type_: &Type, generics: &syn::Generics) -> bool {
    let tokens = quote!(#type_).to_string();
    let words: Vec<_> = tokens
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .collect();
    generics.type_params().any(|parameter| {
        let name = parameter.ident.to_string();
        words.contains(&name.as_str())
    })
}
