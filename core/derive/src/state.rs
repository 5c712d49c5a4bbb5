//! `#[derive(State)]`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Data, DataEnum, DeriveInput, Error, Fields, Ident, LitStr, Member, Result, Type, parse_quote,
};

use crate::attributes::{Attributes, OfField, is_member_alone, of_field};
use crate::field::{Field, Kind, mentions_parameter, pattern, pattern_of_old};
use crate::instance::instance;
use crate::names::{are_same, check_row, groups, is_nameless, visit_names_alone};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let (system, mut generics) = instance("state", input)?;
    let is_newtype = is_newtype(&input.data);
    let Parts {
        shape,
        count,
        write,
        read,
        assign,
        read_over,
        width,
        changes,
        visit_names,
        types,
    } = match &input.data {
        Data::Struct(data) => {
            let mut fields = fields_of(&data.fields)?;
            if is_newtype {
                fields[0].kind = Kind::Variable(quote!(limits));
            }
            let (shape, write) = match &*fields {
                [field] if is_newtype => (field.shape(&system), field.write(&system)),
                _ => (product(&fields, &system, None), writes(&fields, &system)),
            };
            let read = reads(&fields, &system);
            let (new, old) = (pattern(&fields), pattern_of_old(&fields));
            let changes = changes(&fields, &system);
            let assigns: TokenStream = fields.iter().map(|field| field.assign(&system)).collect();
            let reads_over: TokenStream = fields
                .iter()
                .map(|field| field.read_over(&system))
                .collect();
            let types = types_of(&fields);
            for field in &fields {
                if field.symmetric.is_some() {
                    check_row("symmetric", &field.type_)?;
                }
                if field.each.is_some() {
                    check_row("each", &field.type_)?;
                }
            }
            let visits = names(&fields, &system);
            Parts {
                visit_names: visits.map(|visits| quote!(let Self #new = self; #visits)),
                shape,
                count: counts(&fields, &system),
                write: quote! { let Self #new = self; #write },
                read: quote!(Self { #read }),
                assign: quote! { let (Self #new, Self #old) = (self, from); #assigns },
                read_over: quote! { let Self #new = self; #reads_over },
                width: widths(&fields, &system),
                changes: quote! { let (Self #new, Self #old) = (self, from); #changes },
                types,
            }
        }
        Data::Enum(data) => derive_enum(input, data, &system)?,
        Data::Union(_) => {
            return Err(Error::new_spanned(
                &input.ident,
                "a state is a struct or an enum",
            ));
        }
    };
    let ident = &input.ident;
    let name = name(ident);
    let shape = if is_newtype {
        shape
    } else {
        quote!(::refmap::state::Shape::of_own_fields(#shape, limits, #name))
    };
    let clauses = generics.make_where_clause();
    for type_ in &types {
        // The bound of a type without parameters is checked where it is used, with a better message.
        if mentions_parameter(type_, &input.generics) {
            clauses
                .predicates
                .push(parse_quote!(#type_: ::refmap::State<#system>));
        }
    }
    let (impl_generics, _, clauses) = generics.split_for_impl();
    let (_, type_generics, _) = input.generics.split_for_impl();
    let drawn = match &input.data {
        Data::Struct(data) => {
            let fields = fields_of(&data.fields)?;
            Some(drawn(&fields, &system))
        }
        _ => None,
    };
    let visit_names = visit_names.map(|visits| {
        quote! {
            #[allow(unused_variables)]
            fn visit_names(&mut self, visit: &mut dyn ::refmap::state::NameVisitor) {
                #visits
            }
        }
    });
    Ok(quote! {

        #[automatically_derived]
        impl #impl_generics ::refmap::State<#system> for #ident #type_generics #clauses {
            const KEPT: ::refmap::state::Kept = ::refmap::state::Kept::all(&[
                #(<#types as ::refmap::State<#system>>::KEPT),*
            ]);

            const EXACT: ::refmap::state::Exact<Self> = ::refmap::state::Exact::of_parts(&[
                #(<#types as ::refmap::State<#system>>::EXACT.is_exact()),*
            ]);

            #drawn

            #[allow(unused_variables)]
            fn shape(system: &#system, limits: ::refmap::state::Limits) -> ::refmap::state::Shape {
                #shape
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn count(system: &#system, limits: ::refmap::state::Limits) -> ::core::option::Option<u64> {
                #count
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn write(
                &self,
                system: &#system,
                limits: ::refmap::state::Limits,
                sink: &mut impl ::refmap::state::Sink,
            ) {
                #write
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn read(
                system: &#system,
                limits: ::refmap::state::Limits,
                source: &mut impl ::refmap::state::Source,
            ) -> Self {
                #read
            }

            #[inline(always)]
            fn assign(&mut self, from: &Self) {
                // PERF: what owns no memory is copied as a whole.
                if const { !::core::mem::needs_drop::<Self>() } {
                    return ::core::clone::Clone::clone_from(self, from);
                }
                #assign
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn read_over(
                &mut self,
                system: &#system,
                limits: ::refmap::state::Limits,
                source: &mut impl ::refmap::state::Source,
            ) {
                #read_over
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn width(system: &#system, limits: ::refmap::state::Limits) -> u32 {
                #width
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn write_changes(
                &self,
                from: &Self,
                system: &#system,
                limits: ::refmap::state::Limits,
                at: impl ::core::ops::Fn() -> u32 + ::core::marker::Copy,
                changes: &mut ::refmap::state::Changes<'_>,
            ) {
                #changes
            }

            #visit_names
        }
    })
}

/// True of a struct of one field, without a name and without attributes: what is said of a field of this type
/// is said of that field.
fn is_newtype(data: &Data) -> bool {
    let Data::Struct(data) = data else {
        return false;
    };
    match &data.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let mut attributes = fields.unnamed[0].attrs.iter();
            !attributes.any(|one| one.path().is_ident("state") && !is_member_alone(one))
        }
        _ => false,
    }
}

/// Code that is derived of a type, and the types of its fields.
struct Parts {
    shape: TokenStream,
    count: TokenStream,
    write: TokenStream,
    read: TokenStream,
    assign: TokenStream,
    read_over: TokenStream,
    width: TokenStream,
    changes: TokenStream,
    /// Visits the names, if there may be any.
    visit_names: Option<TokenStream>,
    types: Vec<Type>,
}

fn derive_enum(input: &DeriveInput, data: &DataEnum, system: &Type) -> Result<Parts> {
    if data.variants.is_empty() {
        return Err(Error::new_spanned(
            &input.ident,
            "an enum without variants has no value",
        ));
    }
    let last = data.variants.len() as u64 - 1;
    let mut shapes = Vec::new();
    let mut counts_of = Vec::new();
    let mut writes_of = Vec::new();
    let mut reads_of = Vec::new();
    let mut assigns_of = Vec::new();
    let mut changes_of = Vec::new();
    let mut visits_of = Vec::new();
    let mut types = Vec::new();
    let widths_of = data.variants.iter().map(|variant| {
        let fields = fields_of(&variant.fields)?;
        Ok(widths(&fields, system))
    });
    let widths_of: Vec<_> = widths_of.collect::<Result<_>>()?;
    // The fields of the variant that takes most.
    let widest = quote!(::refmap::state::widest(&[#(#widths_of),*]));
    let has_fields = data
        .variants
        .iter()
        .any(|variant| !variant.fields.is_empty());
    let tag = u64::BITS - last.leading_zeros();
    for ((number, variant), own) in (0u64..).zip(&data.variants).zip(&widths_of) {
        let mut attributes = variant.attrs.iter();
        if let Some(attribute) = attributes.find(|one| one.path().is_ident("state")) {
            return Err(Error::new_spanned(
                attribute,
                "`range`, `varint`, `len` and `max_len` are said of a field of a variant, not of the variant",
            ));
        }
        let fields = fields_of(&variant.fields)?;
        let ident = &variant.ident;
        let (new, old) = (pattern(&fields), pattern_of_old(&fields));
        let skipped = quote!((#widest).wrapping_sub(#own));
        let (write, read) = (writes(&fields, system), reads(&fields, system));
        shapes.push(product(&fields, system, Some(ident)));
        counts_of.push(counts(&fields, system));
        let name = name(ident);
        writes_of.push(quote! {
            Self::#ident #new => {
                sink.number(#last, #number);
                sink.enter(::refmap::state::Part::Name(#name));
                #write
                sink.leave();
                sink.skip(#skipped);
            }
        });
        if let Some(field) = fields.iter().find(|one| one.symmetric.is_some()) {
            return Err(Error::new_spanned(
                &field.type_,
                "`symmetric` is said of a field of a struct: members are there in all states",
            ));
        }
        if let Some(each) = fields.iter().find_map(|one| one.each.as_ref()) {
            return Err(Error::new_spanned(
                each,
                "`each` is said of a field of a struct: an enum is drawn as one value",
            ));
        }
        if let Some(visits) = names(&fields, system) {
            visits_of.push(quote!(Self::#ident #new => { #visits }));
        }
        if !fields.is_empty() {
            let assigns: TokenStream = fields.iter().map(|field| field.assign(system)).collect();
            assigns_of.push(quote!((Self::#ident #new, Self::#ident #old) => { #assigns }));
        }
        let changes = changes(&fields, system);
        changes_of.push(quote! {
            (Self::#ident #new, Self::#ident #old) => {
                let at = move || at() + #tag;
                #changes
            }
        });
        let number = if number == last {
            quote!(_)
        } else {
            quote!(#number)
        };
        let skip = has_fields.then(|| quote!(source.skip(#skipped);));
        reads_of.push(quote!(#number => { let value = Self::#ident { #read }; #skip value }));
        types.extend(types_of(&fields));
    }
    // PERF: the number of a variant is what it is in memory, mostly.
    let numbers = (0..=last).zip(&data.variants).map(|(number, variant)| {
        let ident = &variant.ident;
        quote!(Self::#ident { .. } => #number,)
    });
    let numbers: TokenStream = numbers.collect();
    let number = |of: TokenStream| quote!(match #of { #numbers });
    // PERF: between variants without fields only the number changes.
    let bare = data.variants.iter().filter(|one| one.fields.is_empty());
    let bare: Vec<_> = bare.map(|one| &one.ident).collect();
    let bare = (bare.len() > 1).then(|| quote!(#(Self::#bare {})|*));
    let replaced = quote!(changes.replace((self, at()), system, limits));
    let (write, changes) = if has_fields {
        let write = quote!(match self { #(#writes_of)* });
        let other = (last > 0).then(|| quote!(_ => #replaced,));
        let between = bare.map(|bare| {
            let (new, old) = (number(quote!(self)), number(quote!(from)));
            quote!((#bare, #bare) => changes.number_over(at(), #last, [#old, #new]),)
        });
        (
            write,
            quote!(match (self, from) { #(#changes_of)* #between #other }),
        )
    } else {
        let (new, old) = (number(quote!(self)), number(quote!(from)));
        let write = quote!(sink.number(#last, #new););
        let changes = quote! {
            let [old, new] = [#old, #new];
            if new != old {
                changes.number_over(at(), #last, [old, new]);
            }
        };
        (write, changes)
    };
    let variants = last + 1;
    Ok(Parts {
        shape: quote!(::refmap::state::Shape::variants(&[#(#shapes),*])),
        count: quote! {
            ::refmap::state::product(&[
                ::core::option::Option::Some(#variants),
                ::refmap::state::greatest(&[#(#counts_of),*]),
            ])
        },
        write,
        read_over: {
            let read = quote!(match source.number(#last) { #(#reads_of)* });
            quote!(*self = #read;)
        },
        read: quote!(match source.number(#last) { #(#reads_of)* }),
        assign: quote! {
            #[allow(unreachable_patterns)]
            match (self, from) {
                #(#assigns_of)*
                (to, from) => ::core::clone::Clone::clone_from(to, from),
            }
        },
        width: quote!(#tag + #widest),
        changes,
        visit_names: (!visits_of.is_empty()).then(|| {
            quote! {
                #[allow(unreachable_patterns)]
                match self { #(#visits_of)* _ => (), }
            }
        }),
        types,
    })
}

fn fields_of(fields: &Fields) -> Result<Vec<Field>> {
    let field = |(position, field): (usize, &syn::Field)| {
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(position.into()),
        };
        let position_name = || LitStr::new(&position.to_string(), Span::call_site());
        let Attributes {
            of_field,
            member: of_members,
            symmetric,
            each,
            has_len,
        } = of_field(&field.attrs)?;
        Ok(Field {
            member,
            of_members,
            symmetric,
            each,
            has_len,
            binding: format_ident!("field_{position}"),
            name: field.ident.as_ref().map_or_else(position_name, name),
            type_: field.ty.clone(),
            kind: match of_field {
                OfField::Limits(limits) => Kind::Variable(limits),
                OfField::Constant(value) => Kind::Constant(value),
            },
        })
    };
    fields.iter().enumerate().map(field).collect()
}

/// Visits the names of all fields, if there may be any.
fn names(fields: &[Field], system: &Type) -> Option<TokenStream> {
    let of_elements =
        |type_: TokenStream| quote!(<#type_ as ::refmap::State<#system>>::visit_names);
    let visit = |field: &Field| {
        let Field { binding, type_, .. } = field;
        if field.symmetric.is_some() || matches!(field.kind, Kind::Constant(_)) {
            None
        } else if let Some(group) = &field.of_members {
            Some(visit_names_alone(&quote!(#binding), group))
        } else if is_nameless(type_) {
            None
        } else {
            let visit_names = of_elements(quote!(#type_));
            Some(quote!(#visit_names(#binding, visit);))
        }
    };
    let mut visits: Vec<_> = fields.iter().filter_map(visit).collect();
    for group in groups(fields) {
        let rows = fields.iter().filter(|field| {
            field
                .symmetric
                .as_ref()
                .is_some_and(|one| are_same(one, group))
        });
        let rows = rows.map(|field| {
            let binding = &field.binding;
            let visit = match &field.of_members {
                Some(group) => visit_names_alone(&quote!(element), group),
                None => {
                    let visit_names = of_elements(quote!(_));
                    quote!(#visit_names(element, visit))
                }
            };
            quote!(&mut ::refmap::state::RowOf::new(&mut #binding[..], |element, visit| { #visit }))
        });
        visits.push(quote!(visit.rows(#group, &mut [#(#rows),*]);));
    }
    (!visits.is_empty()).then(|| quote!(#(#visits)*))
}

/// The part of a struct in a drawing by rows, as a constant.
fn drawn(fields: &[Field], system: &Type) -> TokenStream {
    let of_type = |Field { type_, kind, .. }: &Field| match kind {
        Kind::Variable(_) => quote!(<#type_ as ::refmap::State<#system>>::DRAWN),
        Kind::Constant(_) => quote!(::refmap::state::Drawn::Whole),
    };
    let of_field = |field: &Field| {
        let (drawn, name) = (of_type(field), &field.name);
        let each = match &field.each {
            Some(kind) => quote!(::core::option::Option::Some(#kind)),
            None if field.symmetric.is_some() => quote!(::core::option::Option::Some("member")),
            None if field.has_len => quote!(::core::option::Option::Some("")),
            None => quote!(::core::option::Option::None),
        };
        quote!(::refmap::state::DrawnField { name: #name, each: #each, drawn: #drawn })
    };
    let drawn = match fields {
        // As its `Serialize` has it.
        [field] if matches!(field.member, Member::Unnamed(_)) => of_type(field),
        _ => {
            let fields = fields.iter().map(of_field);
            quote!(::refmap::state::Drawn::Fields(&[#(#fields),*]))
        }
    };
    quote!(const DRAWN: ::refmap::state::Drawn = #drawn;)
}

/// The types of the fields that are written.
fn types_of(fields: &[Field]) -> Vec<Type> {
    let is_written = |field: &&Field| matches!(field.kind, Kind::Variable(_));
    let written = fields.iter().filter(is_written);
    written.map(|field| field.type_.clone()).collect()
}

/// The shape of all fields, which may be those of a variant.
fn product(fields: &[Field], system: &Type, variant: Option<&Ident>) -> TokenStream {
    let shapes = fields.iter().map(|field| {
        let (shape, Field { type_, kind, .. }) = (field.shape(system), field);
        let Kind::Variable(limits) = kind else {
            return shape;
        };
        let within =
            variant.map_or_else(String::new, |variant| format!("{}.", name(variant).value()));
        let name = LitStr::new(
            &format!("{within}{}", field.name.value()),
            Span::call_site(),
        );
        let written = LitStr::new(&as_written(type_), Span::call_site());
        let kept = quote!(<#type_ as ::refmap::State<#system>>::KEPT);
        quote!(::refmap::state::Shape::of_field(#shape, #name, #written, #kept, #limits))
    });
    quote!(::refmap::state::Shape::fields(&[#(#shapes),*]))
}

/// A type as people write it, without the spaces that stand between all tokens.
fn as_written(type_: &Type) -> String {
    // A type that a macro was given.
    if let Type::Group(group) = type_ {
        return as_written(&group.elem);
    }
    let tokens = quote!(#type_).to_string();
    let mut written = tokens.replace(" ,", ",").replace(" ;", ";");
    for bracket in ["<", "(", "["] {
        written = written.replace(&format!("{bracket} "), bracket);
    }
    for bracket in ["<", ">", ")", "]"] {
        written = written.replace(&format!(" {bracket}"), bracket);
    }
    written.replace(" :: ", "::").replace("& ", "&")
}

/// A name without what makes a keyword one.
fn name(ident: &Ident) -> LitStr {
    let name = ident.to_string();
    LitStr::new(name.trim_start_matches("r#"), Span::call_site())
}

fn counts(fields: &[Field], system: &Type) -> TokenStream {
    let counts = fields.iter().map(|field| field.count(system));
    quote!(::refmap::state::product(&[#(#counts),*]))
}

fn writes(fields: &[Field], system: &Type) -> TokenStream {
    let write = |field: &Field| {
        let (write, name) = (field.write(system), &field.name);
        quote! {
            sink.enter(::refmap::state::Part::Name(#name));
            #write
            sink.leave();
        }
    };
    fields.iter().map(write).collect()
}

/// The bits of all fields.
fn widths(fields: &[Field], system: &Type) -> TokenStream {
    let widths = fields.iter().map(|field| field.width(system));
    quote!(0u32 #(.wrapping_add(#widths))*)
}

/// Writes the changes of all fields, the bits of which begin at `at`.
fn changes(fields: &[Field], system: &Type) -> TokenStream {
    let change = |(position, field): (usize, &Field)| {
        field.changes(system, &widths(&fields[..position], system))
    };
    fields.iter().enumerate().map(change).collect()
}

fn reads(fields: &[Field], system: &Type) -> TokenStream {
    fields.iter().map(|field| field.read(system)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_of_the_instance_says_of_which_system() {
        let inputs: [DeriveInput; 2] = [
            parse_quote!(
                struct Memory {
                    #[state(range = 0..system.threads)]
                    holder: u8,
                }
            ),
            parse_quote!(
                enum Message {
                    Sent(#[state(max_len = f(system))] Vec<bool>),
                }
            ),
        ];
        for mut input in inputs {
            let error = derive(&input).expect_err("no system is named").to_string();
            assert!(error.contains("`#[state(system = TYPE)]`"), "{error}");
            input.attrs.push(parse_quote!(#[state(system = Threads)]));
            assert!(derive(&input).is_ok());
        }
        let fixed = parse_quote!(
            struct Memory {
                #[state(range = 0..4)]
                counter: u8,
            }
        );
        assert!(derive(&fixed).is_ok());
    }

    /// Attributes that are wrong whatever the type of the field is are refused at compile time.
    #[test]
    fn attributes_that_are_none_are_refused() {
        let field = |attributes: TokenStream| -> DeriveInput {
            parse_quote!(
                struct Memory {
                    #attributes
                    counter: u8,
                }
            )
        };
        let refused = |item: &str, told: &str| {
            let input = syn::parse_str(item).expect(item);
            let error = derive(&input).expect_err(told).to_string();
            assert!(error.contains(told), "{item}: {error}");
        };
        let of_field = r#"
#[state(rnge = 0..3)] => a field has the attributes `range`
#[state(system = Ring)] => `#[state(system = TYPE)]` on the type
#[state] => expected attribute arguments in parentheses
#[state(range)] => expected `=`
#[state(len)] => expected `=`
#[state(varint = 3)] => expected `,`
#[state("range")] => expected
#[state(range = 0..3, range = 0..4)] => `range` comes after another one that says the same
#[state(range = 0..3)] #[state(range = 0..3)] => `range` comes after another one that says the same
#[state(range = 0..3, varint)] => `varint` comes after another one that says the same
#[state(len = 3, max_len = 3)] => `max_len` comes after another one that says the same: both bound the outer container
#[state(constant = 3, range = 0..4)] => of a constant nothing else is said
#[state(varint)] #[state(constant = 3)] => of a constant nothing else is said
#[state(symmetric)] => `symmetric` is said of a `Vec`, an array or a `BoundedVec`
#[state(each = "client")] => `each` is said of a `Vec`, an array or a `BoundedVec`
#[state(each = "client", each = "thread")] => `each` comes after another one that says the same
#[state(each = "client", constant = 3)] => of a constant nothing else is said
#[state(member(3))] => expected `,`
#[state(member)] #[state(member)] => `member` comes after another one that says the same
#[state(member, constant = 3)] => of a constant nothing else is said"#;
        for case in of_field.lines().skip(1) {
            let (attributes, told) = case.split_once(" => ").expect(case);
            refused(
                &format!("struct Memory {{ {attributes} counter: u8 }}"),
                told,
            );
        }
        let of_items = r#"
enum Memory { Counters(#[state(each = "client")] Vec<u8>) } => `each` is said of a field of a struct
enum Memory { Counter(#[state(symmetric)] Vec<u8>) } => `symmetric` is said of a field of a struct
#[state(range = 0..3)] struct Memory(u8); => a state has an attribute `system`
#[state(system = Ring, system = Ring)] struct Memory(u8); => `system` is said twice
enum Memory { #[state(range = 0..3)] Counter(u8) } => said of a field of a variant, not of the variant
enum Memory {} => an enum without variants has no value
union Memory { counter: u8 } => a state is a struct or an enum"#;
        for case in of_items.lines().skip(1) {
            let (item, told) = case.split_once(" => ").expect(case);
            refused(item, told);
        }
        for right in [
            quote!(#[state(range = 0..3)]),
            quote!(#[state(range = 0..3, max_len = 4)]),
            quote!(#[state(varint)] #[state(len = 4)]),
            quote!(#[state(constant = 3)]),
            quote!(#[state(member, range = 0..3)]),
            quote!(#[state(member = 3, range = 0..3)]),
        ] {
            assert!(derive(&field(right)).is_ok());
        }
    }

    /// The type of a field is told as it was written.
    #[test]
    fn types_are_told_as_they_are_written() {
        for written in [
            "Vec<BTreeMap<Message, i8>>",
            "(u8, [bool; 3])",
            "std::collections::BTreeSet<(A, B)>",
            "&'static str",
            "Option<Box<T>>",
            "()",
        ] {
            let type_: Type = syn::parse_str(written).expect("it is a type");
            assert_eq!(as_written(&type_), written);
        }
    }
}
