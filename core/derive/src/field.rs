//! Fields of a state, as a derive sees them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Expr, LitStr, Member, Type};

/// A field, as the derive writes and reads it.
pub struct Field {
    pub member: Member,
    /// The variable to which a pattern binds it.
    pub binding: Ident,
    pub name: LitStr,
    pub type_: Type,
    pub kind: Kind,
    /// The group of which it consists of numbers of members.
    pub of_members: Option<Expr>,
    /// The group for each of whose members it has an element.
    pub symmetric: Option<Expr>,
    /// The kind of members of which each has an element, if it is said.
    pub each: Option<Expr>,
    /// True if it is said to have as many elements in all states.
    pub has_len: bool,
}

/// Kind of a field, by the way in which it is written.
pub enum Kind {
    /// As its type is, within these limits.
    Variable(TokenStream),
    /// Not at all: it has this value in all states of the instance.
    Constant(Expr),
}

impl Field {
    /// The type of the field, as the state that it is.
    fn state(&self, system: &Type) -> TokenStream {
        let type_ = &self.type_;
        quote!(<#type_ as ::refmap::State<#system>>)
    }

    pub fn shape(&self, system: &Type) -> TokenStream {
        let state = self.state(system);
        match &self.kind {
            Kind::Variable(limits) => quote!(#state::shape(system, #limits)),
            Kind::Constant(_) => quote!(::refmap::state::Shape::fields(&[])),
        }
    }

    pub fn write(&self, system: &Type) -> TokenStream {
        let (binding, state) = (&self.binding, self.state(system));
        match &self.kind {
            Kind::Variable(limits) => quote!(#state::write(#binding, system, #limits, sink);),
            Kind::Constant(value) => {
                quote!(::refmap::state::is_constant(#binding, &#value, sink);)
            }
        }
    }

    pub fn count(&self, system: &Type) -> TokenStream {
        let state = self.state(system);
        match &self.kind {
            Kind::Variable(limits) => quote!(#state::count(system, #limits)),
            Kind::Constant(_) => quote!(::core::option::Option::Some(1)),
        }
    }

    pub fn width(&self, system: &Type) -> TokenStream {
        let state = self.state(system);
        match &self.kind {
            Kind::Variable(limits) => quote!(#state::width(system, #limits)),
            Kind::Constant(_) => quote!(0),
        }
    }

    /// Writes the changes of the field, whose bits begin `before` bits after those of all fields.
    pub fn changes(&self, system: &Type, before: &TokenStream) -> TokenStream {
        let (binding, state) = (&self.binding, self.state(system));
        let old = old(binding);
        match &self.kind {
            Kind::Variable(limits) => quote! {
                #state::write_changes(
                    #binding, #old, system, #limits, move || at() + #before, changes,
                );
            },
            // That of the state before is the constant, since that state was written.
            Kind::Constant(_) => quote!(::refmap::state::is_constant(#binding, #old, changes);),
        }
    }

    /// Makes the field equal to that of the state before, in the memory that it has.
    pub fn assign(&self, system: &Type) -> TokenStream {
        let (binding, state) = (&self.binding, self.state(system));
        let old = old(binding);
        match &self.kind {
            Kind::Variable(_) => quote!(#state::assign(#binding, #old);),
            Kind::Constant(_) => quote!(::core::clone::Clone::clone_from(#binding, #old);),
        }
    }

    /// Reads the field over what it is.
    pub fn read_over(&self, system: &Type) -> TokenStream {
        let (binding, state) = (&self.binding, self.state(system));
        match &self.kind {
            Kind::Variable(limits) => quote! {
                #state::read_over(#binding, system, #limits, source);
            },
            Kind::Constant(value) => quote!(*#binding = #value;),
        }
    }

    pub fn read(&self, system: &Type) -> TokenStream {
        let (member, state) = (&self.member, self.state(system));
        match &self.kind {
            Kind::Variable(limits) => quote!(#member: #state::read(system, #limits, source),),
            Kind::Constant(value) => quote!(#member: #value,),
        }
    }
}

/// A pattern that binds all fields.
pub fn pattern(fields: &[Field]) -> TokenStream {
    let bind = |Field {
                    member, binding, ..
                }: &Field| quote!(#member: #binding);
    let bindings = fields.iter().map(bind);
    quote!({ #(#bindings),* })
}

/// The pattern of the state before.
pub fn pattern_of_old(fields: &[Field]) -> TokenStream {
    let bind = |Field {
                    member, binding, ..
                }: &Field| {
        let old = old(binding);
        quote!(#member: #old)
    };
    let bindings = fields.iter().map(bind);
    quote!({ #(#bindings),* })
}

fn old(binding: &Ident) -> Ident {
    format_ident!("old_{binding}")
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
