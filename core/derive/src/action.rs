//! `#[derive(Action)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result, Variant};

use crate::attributes::Rule;

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "actions are an enum, of which each variant is a rule",
        ));
    };
    if data.variants.is_empty() {
        return Err(Error::new_spanned(
            &input.ident,
            "a system has at least one rule",
        ));
    }
    let variants = data.variants.iter();
    let attributes = variants.flat_map(|one| &one.attrs).chain(&input.attrs);
    for attribute in attributes {
        if attribute.path().is_ident("process") {
            return Err(Error::new_spanned(
                attribute,
                "`#[process]` is of a field, the number of the process; `#[rule(process = \"…\")]` says its kind",
            ));
        }
    }
    let common = Rule::of(&input.attrs)?;
    if let Some(name) = &common.name {
        return Err(Error::new(
            name.span(),
            "a name is that of one rule: it belongs to a variant",
        ));
    }
    let mut rules = Vec::new();
    let mut numbers = Vec::new();
    let mut processes = Vec::new();
    for (number, variant) in data.variants.iter().enumerate() {
        let own = Rule::of(&variant.attrs)?;
        let ident = &variant.ident;
        let literal = |text: String| LitStr::new(&text, Span::call_site());
        let name = own
            .name
            .unwrap_or_else(|| literal(snake_case(&ident.to_string())));
        let process = own
            .process
            .or_else(|| common.process.clone())
            .unwrap_or_else(|| literal("system".to_owned()));
        let source = own
            .source
            .or_else(|| common.source.clone())
            .unwrap_or_else(|| literal(format!("{}::{ident}", input.ident)));
        rules.push(quote!(::refmap::Rule::new(#name, #process, #source)));
        numbers.push(quote!(Self::#ident { .. } => #number,));
        processes.push(match process_field(variant)? {
            None => quote!(Self::#ident { .. } => ::core::option::Option::None,),
            Some(field) => quote! {
                Self::#ident { #field: number, .. } => {
                    ::core::option::Option::Some(::refmap::Process::numbered(#process, *number as u16))
                }
            },
        });
    }
    let ident = &input.ident;
    let (impl_generics, type_generics, clauses) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::refmap::Action for #ident #type_generics #clauses {
            fn rules() -> &'static [::refmap::Rule] {
                const { &[#(#rules),*] }
            }

            #[inline]
            fn rule(&self) -> ::refmap::RuleId {
                ::refmap::RuleId(match self { #(#numbers)* })
            }

            #[inline]
            fn process(&self) -> ::core::option::Option<::refmap::Process> {
                match self { #(#processes)* }
            }
        }
    })
}

/// The field that is the number of the process, by its name or its position.
fn process_field(variant: &Variant) -> Result<Option<TokenStream>> {
    let fields = match &variant.fields {
        Fields::Unit => return Ok(None),
        Fields::Named(fields) => &fields.named,
        Fields::Unnamed(fields) => &fields.unnamed,
    };
    let is_marked = |field: &&(usize, &syn::Field)| {
        field
            .1
            .attrs
            .iter()
            .any(|one| one.path().is_ident("process"))
    };
    let fields: Vec<_> = fields.iter().enumerate().collect();
    let marked: Vec<_> = fields.iter().filter(is_marked).collect();
    match marked[..] {
        [] => Ok(None),
        [(position, field)] => Ok(Some(match &field.ident {
            Some(ident) => quote!(#ident),
            None => {
                let index = syn::Index::from(*position);
                quote!(#index)
            }
        })),
        [_, (_, second), ..] => Err(Error::new_spanned(second, "a step is of one process")),
    }
}

/// `RmPrepare` as `rm_prepare`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (position, letter) in name.trim_start_matches("r#").char_indices() {
        if letter.is_uppercase() && position > 0 && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn variants_become_snakes() {
        for (variant, rule) in [
            ("Tick", "tick"),
            ("RmRcvCommitMsg", "rm_rcv_commit_msg"),
            ("TestL1", "test_l1"),
            ("A_B", "a_b"),
        ] {
            assert_eq!(snake_case(variant), rule);
        }
    }

    #[test]
    fn a_process_is_marked_at_a_field() {
        let inputs: [DeriveInput; 2] = [
            parse_quote!(
                enum Step {
                    #[process]
                    Send,
                    Receive,
                }
            ),
            parse_quote!(
                #[process]
                enum Step {
                    Send,
                    Receive,
                }
            ),
        ];
        for input in &inputs {
            let error = derive(input).expect_err("it marks no field").to_string();
            assert!(error.contains("`#[rule(process = "), "{error}");
        }
        let marked = parse_quote!(
            enum Step {
                Send {
                    #[process]
                    sender: u8,
                },
                Receive,
            }
        );
        assert!(derive(&marked).is_ok());
    }
}
