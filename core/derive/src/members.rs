//! The parts of a state with members: what they share, and what each has.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DeriveInput, parse_quote};

use crate::field::{Field, mentions_parameter, pattern};
use crate::names::{groups, last_name};

/// The longest tuples that can be compared.
const LONGEST: usize = 12;

/// `impl Members`, if the members are the elements of vectors, of one group, and no number of one is in the state.
pub fn derive(input: &DeriveInput, fields: &[Field]) -> Option<TokenStream> {
    let (rows, others): (Vec<_>, Vec<_>) =
        fields.iter().partition(|field| field.symmetric.is_some());
    let is_vector = |field: &&Field| last_name(&field.type_).is_some_and(|name| name == "Vec");
    if !rows.iter().all(is_vector)
        || groups(fields).len() != 1
        || fields.iter().any(|one| one.of_members.is_some())
    {
        return None;
    }
    let shared = |each: &dyn Fn(&Field) -> TokenStream| {
        tuple(others.iter().map(|field| each(field)).collect())
    };
    let of_rows = |each: &dyn Fn(&Field) -> TokenStream| {
        tuple(rows.iter().map(|field| each(field)).collect())
    };
    let type_of = |field: &Field| field.type_.to_token_stream();
    let binding = |field: &Field| field.binding.to_token_stream();
    let cloned = |field: &Field| {
        let binding = &field.binding;
        quote!(::core::clone::Clone::clone(#binding))
    };
    let element = |field: &Field| {
        let type_ = &field.type_;
        quote!(<#type_ as ::core::iter::IntoIterator>::Item)
    };
    let (shared_type, member_type) = (shared(&type_of), of_rows(&element));
    let (clone_shared, clone_member) = (shared(&cloned), of_rows(&cloned));
    let (shared_pattern, member_pattern) = (shared(&binding), of_rows(&binding));
    let (first, rest) = rows.split_first()?;
    let first = &first.binding;
    let mut zipped = quote!(#first.iter());
    let mut zipped_pattern = quote!(#first);
    for field in rest {
        let next = &field.binding;
        zipped = quote!(#zipped.zip(#next));
        zipped_pattern = quote!((#zipped_pattern, #next));
    }
    let assigned = fields.iter().map(|field| {
        let (member, binding) = (&field.member, &field.binding);
        if field.symmetric.is_some() {
            let types = member_pattern.clone();
            quote!(#member: members.iter().map(|#types| ::core::clone::Clone::clone(#binding)).collect())
        } else {
            quote!(#member: ::core::clone::Clone::clone(#binding))
        }
    });
    let assigned: Vec<_> = assigned.collect();
    let mut generics = input.generics.clone();
    let clauses = generics.make_where_clause();
    for field in fields {
        let type_ = &field.type_;
        if mentions_parameter(type_, &input.generics) {
            clauses.predicates.push(parse_quote!(
                #type_: ::core::clone::Clone + ::core::fmt::Debug + ::core::cmp::Eq + ::core::hash::Hash
            ));
        }
    }
    let all = pattern(fields);
    let ident = &input.ident;
    let (impl_generics, type_generics, clauses) = generics.split_for_impl();
    Some(quote! {
        #[automatically_derived]
        impl #impl_generics ::refmap::crowd::Members for #ident #type_generics #clauses {
            type Shared = #shared_type;
            type Member = #member_type;

            #[allow(unused_variables, clippy::clone_on_copy)]
            fn apart(&self) -> ::refmap::crowd::CrowdParts<Self::Shared, Self::Member> {
                let Self #all = self;
                ::refmap::crowd::CrowdParts {
                    shared: #clone_shared,
                    members: #zipped.map(|#zipped_pattern| #clone_member).collect(),
                }
            }

            #[allow(unused_variables, clippy::clone_on_copy)]
            fn assembled(shared: &Self::Shared, members: &[Self::Member]) -> Self {
                let #shared_pattern = shared;
                Self { #(#assigned),* }
            }
        }
    })
}

/// A tuple of whatever length, of types, patterns or values: one is itself, and many are a tuple of tuples.
fn tuple(mut parts: Vec<TokenStream>) -> TokenStream {
    while parts.len() > LONGEST {
        let grouped = parts.chunks(LONGEST).map(|some| tuple(some.to_vec()));
        parts = grouped.collect();
    }
    match &parts[..] {
        [one] => one.clone(),
        _ => quote!((#(#parts),*)),
    }
}
