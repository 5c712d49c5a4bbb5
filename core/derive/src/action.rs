//! `#[derive(Action)]`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Fields, LitStr, Result, Variant, parse_quote,
};

use crate::attributes::Rule;
use crate::names::visit_names_alone;

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
        let path = attribute.path();
        if path.is_ident("member") || path.is_ident("counter") {
            return Err(Error::new_spanned(
                attribute,
                "`#[member]` and `#[counter]` are of a field of a variant",
            ));
        }
        if path.is_ident("process") {
            return Err(Error::new_spanned(
                attribute,
                "`#[process]` is of a field, the number of the process; `#[rule(process = \"…\")]` says its kind",
            ));
        }
    }
    let common = Rule::of(&input.attrs)?;
    if let Some(name) = &common.name {
        return Err(Error::new_spanned(
            name,
            "a name is that of one rule: it belongs to a variant",
        ));
    }
    let mut rules: Vec<[Expr; 3]> = Vec::new();
    let mut numbers = Vec::new();
    let mut processes = Vec::new();
    let mut visits = Vec::new();
    for variant in &data.variants {
        let own = Rule::of(&variant.attrs)?;
        let ident = &variant.ident;
        let literal = |text: String| -> Expr {
            let text = LitStr::new(&text, Span::call_site());
            parse_quote!(#text)
        };
        let name = own
            .name
            .unwrap_or_else(|| literal(snake_case(&ident.to_string())));
        let process = own
            .process
            .or_else(|| common.process.clone())
            .unwrap_or_else(|| literal("system".to_owned()));
        let is_rule = |[other, by, _]: &[Expr; 3]| are_same(other, &name) && are_same(by, &process);
        let number = rules.iter().position(is_rule).unwrap_or(rules.len());
        match (rules.get(number), own.source) {
            (Some([_, _, source]), Some(own)) if !are_same(source, &own) => {
                return Err(Error::new_spanned(
                    own,
                    "the rule of this name has another source",
                ));
            }
            (Some(_), _) => {}
            (None, source) => {
                let source = source
                    .or_else(|| common.source.clone())
                    .unwrap_or_else(|| literal(format!("{}::{ident}", input.ident)));
                rules.push([name, process.clone(), source]);
            }
        }
        numbers.push(quote!(Self::#ident { .. } => #number,));
        visits.extend(names(variant)?);
        processes.push(match process_field(variant)? {
            None => quote!(Self::#ident { .. } => ::refmap::Process::new(#process),),
            Some(field) => quote! {
                Self::#ident { #field: number, .. } => {
                    let number = <u16 as ::core::convert::TryFrom<_>>::try_from(*number);
                    ::refmap::Process::named_by(self, #process, number.ok())
                }
            },
        });
    }
    let rules = rules
        .iter()
        .map(|[name, process, source]| quote!(::refmap::Rule::new(#name, #process, #source)));
    let ident = &input.ident;
    let (impl_generics, type_generics, clauses) = input.generics.split_for_impl();
    let visits = (!visits.is_empty()).then(|| {
        quote! {
            fn visit_names(&mut self, visit: &mut dyn ::refmap::state::NameVisitor) {
                #[allow(unreachable_patterns)]
                match self { #(#visits)* _ => (), }
            }
        }
    });
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
                ::core::option::Option::Some(match self { #(#processes)* })
            }

            #visits
        }
    })
}

/// Visits the names of a variant, if it has any.
fn names(variant: &Variant) -> Result<Option<TokenStream>> {
    let mut visits = Vec::new();
    let mut bindings = Vec::new();
    for (position, field) in variant.fields.iter().enumerate() {
        let mut is_name = false;
        for attribute in &field.attrs {
            is_name |= is_of_name(attribute)?;
        }
        if is_name {
            let binding = format_ident!("field_{position}");
            bindings.push(match &field.ident {
                Some(ident) => quote!(#ident: #binding),
                None => {
                    let index = syn::Index::from(position);
                    quote!(#index: #binding)
                }
            });
            visits.push(visit_names_alone(&quote!(#binding)));
        }
    }
    let ident = &variant.ident;
    let arm = || quote!(Self::#ident { #(#bindings,)* .. } => { #(#visits)* });
    Ok((!visits.is_empty()).then(arm))
}

/// True if an attribute says that a field is a name.
fn is_of_name(attribute: &Attribute) -> Result<bool> {
    let path = attribute.path();
    if path.is_ident("member") || path.is_ident("counter") {
        attribute.meta.require_path_only()?;
        return Ok(true);
    }
    if !path.is_ident("process") {
        return Ok(false);
    }
    if attribute.meta.require_path_only().is_ok() {
        return Ok(true);
    }
    let mut is_fixed = false;
    attribute.parse_nested_meta(|meta| {
        is_fixed = meta.path.is_ident("fixed");
        if is_fixed {
            Ok(())
        } else {
            Err(meta.error("a process that is no member is `#[process(fixed)]`"))
        }
    })?;
    Ok(!is_fixed)
}

/// True if two expressions are written alike.
fn are_same(a: &Expr, b: &Expr) -> bool {
    quote!(#a).to_string() == quote!(#b).to_string()
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

    #[test]
    fn names_are_marked_at_fields() {
        let derived = |field: TokenStream| {
            let input: DeriveInput = parse_quote!(enum Step { Send { #field sender: u8 } });
            derive(&input).map(|derived| derived.to_string().contains("each_name"))
        };
        for named in [quote!(#[process]), quote!(#[member]), quote!(#[counter])] {
            assert!(derived(named).is_ok_and(|is_visited| is_visited));
        }
        for other in [quote!(), quote!(#[process(fixed)])] {
            assert!(derived(other).is_ok_and(|is_visited| !is_visited));
        }
        let error = derived(quote!(#[process(free)])).expect_err("it is none");
        assert!(error.to_string().contains("`#[process(fixed)]`"), "{error}");
        assert!(derived(quote!(#[member = 3])).is_err());
        let on_variant: DeriveInput = parse_quote!(
            enum Step {
                #[member]
                Send,
            }
        );
        let error = derive(&on_variant).expect_err("it marks no field");
        assert!(
            error.to_string().contains("of a field of a variant"),
            "{error}"
        );
    }
}
