//! `#[derive(Texts)]`: every text in data of refmap's own reports.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Result};

/// Names of fields whose text has several lines.
const OF_LINES: [&str; 3] = ["drawing", "abstract_drawing", "explanation"];

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let arms: TokenStream = match &input.data {
        Data::Struct(data) => arm(&quote!(Self), &data.fields),
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| {
                let ident = &variant.ident;
                arm(&quote!(Self::#ident), &variant.fields)
            });
            variants.collect()
        }
        Data::Union(_) => {
            return Err(Error::new_spanned(
                &input.ident,
                "data is a struct or an enum",
            ));
        }
    };
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl crate::statement::shown::texts::Texts for #ident {
            fn each_text(
                &mut self,
                of: crate::statement::shown::texts::Lines,
                visit: crate::statement::shown::texts::Visit<'_>,
            ) {
                let _ = (&of, &visit);
                match self { #arms }
            }
        }
    })
}

/// Arm that visits the texts of all fields.
fn arm(path: &TokenStream, fields: &Fields) -> TokenStream {
    let (mut patterns, mut visits) = (TokenStream::new(), TokenStream::new());
    for (number, member) in fields.members().enumerate() {
        let binding = format_ident!("field_{number}");
        patterns.extend(quote!(#member: #binding,));
        let is_of_lines = OF_LINES
            .iter()
            .any(|name| matches!(&member, syn::Member::Named(ident) if ident == name));
        let lines = if is_of_lines {
            quote!(Several)
        } else {
            quote!(One)
        };
        visits.extend(quote! {
            crate::statement::shown::texts::Texts::each_text(
                #binding, crate::statement::shown::texts::Lines::#lines, visit,
            );
        });
    }
    quote!(#path { #patterns } => { #visits })
}
