//! The system of which a type is a state or an action.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Data, DeriveInput, Error, Generics, Result, Type, parse_quote};

use crate::attributes::system;

/// The system for which a trait is derived, and the parameters of the implementation. `of` is the attribute that names it.
pub fn instance(of: &str, input: &DeriveInput) -> Result<(Type, Generics)> {
    let mut generics = input.generics.clone();
    let system: Type = match system(of, &input.attrs)? {
        // Of a part that several systems have.
        Some(Type::ImplTrait(any)) => {
            let bounds = any.bounds;
            generics.params.push(parse_quote!(__System: #bounds));
            parse_quote!(__System)
        }
        Some(type_) => type_,
        None => {
            if let Some(span) = mention_of_system(of, &input.data) {
                return Err(Error::new(
                    span,
                    format!(
                        "`system` is the instance: `#[{of}(system = TYPE)]` on the type says of which system"
                    ),
                ));
            }
            generics.params.push(parse_quote!(__System: ?Sized));
            parse_quote!(__System)
        }
    };
    Ok((system, generics))
}

/// Place at which an attribute of a field, of what is derived, mentions `system`.
fn mention_of_system(of: &str, data: &Data) -> Option<Span> {
    fn mention(tokens: TokenStream) -> Option<Span> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Group(group) => mention(group.stream()),
            TokenTree::Ident(ident) if ident == "system" => Some(ident.span()),
            _ => None,
        })
    }
    let fields: Vec<_> = match data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|one| &one.fields).collect(),
        Data::Union(_) => Vec::new(),
    };
    let attributes = fields.into_iter().flat_map(|field| &field.attrs);
    let mut attributes = attributes.filter(|attribute| {
        let path = attribute.path();
        path.is_ident(of) || of == "action" && path.is_ident("process")
    });
    attributes.find_map(|attribute| mention(attribute.meta.to_token_stream()))
}
