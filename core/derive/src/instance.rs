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
            if let Some(span) = mention_of_system(of, input) {
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

/// Place at which an attribute of what is derived mentions `system`.
fn mention_of_system(of: &str, input: &DeriveInput) -> Option<Span> {
    fn mention(tokens: TokenStream) -> Option<Span> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Group(group) => mention(group.stream()),
            TokenTree::Ident(ident) if ident == "system" => Some(ident.span()),
            _ => None,
        })
    }
    let mut attributes: Vec<_> = input.attrs.iter().collect();
    match &input.data {
        Data::Struct(data) => attributes.extend(data.fields.iter().flat_map(|one| &one.attrs)),
        Data::Enum(data) => {
            for variant in &data.variants {
                attributes.extend(&variant.attrs);
                attributes.extend(variant.fields.iter().flat_map(|one| &one.attrs));
            }
        }
        Data::Union(_) => (),
    }
    attributes.retain(|attribute| {
        let path = attribute.path();
        let is_of_action = path.is_ident("process") || path.is_ident("rule");
        path.is_ident(of) || of == "action" && is_of_action
    });
    let mut attributes = attributes.into_iter();
    attributes.find_map(|attribute| mention(attribute.meta.to_token_stream()))
}
