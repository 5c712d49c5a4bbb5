//! `#[derive(Action)]`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Field, Fields, LitStr, Meta, Result, Token, Type,
    Variant, parse_quote,
};

use crate::attributes::{Rule, is_result, of_argument, unnumbered};
use crate::field::mentions_parameter;
use crate::instance::instance;
use crate::names::{are_same, last_name, visit_names_alone};

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
    let attributes = variants.flat_map(|one| &one.attrs);
    // On the enum, with a range, it speaks of all fields that it is said of.
    let is_common =
        |one: &&Attribute| one.path().is_ident("process") && one.meta.require_list().is_ok();
    let (common_process, others): (Vec<_>, Vec<_>) = input.attrs.iter().partition(is_common);
    for attribute in attributes.chain(others) {
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
    let (system, mut generics) = instance("action", input)?;
    let all_processes = match common_process[..] {
        [] => None,
        [attribute] => Numbers::of(attribute)?.range,
        [_, second, ..] => return Err(Error::new_spanned(second, "it is said twice")),
    };
    let common = Rule::of(&input.attrs)?;
    if let Some(said) = common.name.as_ref().or(common.when.as_ref()) {
        return Err(Error::new_spanned(
            said,
            "`name` and `when` are of one rule: they belong to a variant",
        ));
    }
    let mut rules: Vec<[Expr; 3]> = Vec::new();
    let mut numbers = Vec::new();
    let mut processes = Vec::new();
    let mut kinds = Vec::new();
    let mut visits = Vec::new();
    let mut inputs = Vec::new();
    let mut candidates = Vec::new();
    let mut without_range = None;
    let mut when: Option<Expr> = None;
    for variant in &data.variants {
        match arguments(variant, &system, all_processes.as_ref())? {
            Ok(arguments) => candidates.push(arguments.candidates(&variant.ident)),
            Err(field) => without_range = without_range.or(Some(field)),
        }
        for field in &variant.fields {
            // The bound of a type without parameters is checked where it is used, with a better message.
            if mentions_parameter(&field.ty, &input.generics) && has_range(field) {
                let type_ = &field.ty;
                let clauses = generics.make_where_clause();
                clauses
                    .predicates
                    .push(parse_quote!(#type_: ::refmap::State<#system>));
            }
        }
        let own = Rule::of(&variant.attrs)?;
        if let Some(earlier) = &when {
            return Err(Error::new_spanned(
                earlier,
                "a rule that some instances do not have comes last",
            ));
        }
        when = own.when;
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
        inputs.extend(results(variant)?);
        kinds.push(quote!(Self::#ident { .. } => #process,));
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
    let (impl_generics, _, clauses) = generics.split_for_impl();
    let (_, type_generics, _) = input.generics.split_for_impl();
    let without_range = match without_range {
        Some(field) => quote!(::core::option::Option::Some(#field)),
        None => quote!(::core::option::Option::None),
    };
    let without_last = when.map(|when| {
        quote! {
            if !(#when) {
                return &rules[..rules.len() - 1];
            }
        }
    });
    let unnumbered = unnumbered(&input.attrs)?;
    let unnumbered = unnumbered.map(|condition| {
        quote! {
            if #condition {
                return ::refmap::Process::new(match self { #(#kinds)* });
            }
        }
    });
    let inputs = (!inputs.is_empty()).then(|| {
        quote! {
            #[allow(clippy::clone_on_copy)]
            fn inputs(&self, _: &#system) -> Self {
                let mut inputs = ::core::clone::Clone::clone(self);
                #[allow(unreachable_patterns)]
                match &mut inputs { #(#inputs)* _ => (), }
                inputs
            }
        }
    });
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
        impl #impl_generics ::refmap::Action<#system> for #ident #type_generics #clauses {
            const WITHOUT_RANGE: ::core::option::Option<&'static str> = #without_range;

            #[allow(unused_variables)]
            fn rules(system: &#system) -> &[::refmap::Rule] {
                let rules: &[::refmap::Rule] = const { &[#(#rules),*] };
                #without_last
                rules
            }

            #[inline]
            fn rule(&self, _: &#system) -> ::refmap::RuleId {
                ::refmap::RuleId(match self { #(#numbers)* })
            }

            #[inline]
            #[allow(unused_variables)]
            fn process(&self, system: &#system) -> ::refmap::Process {
                #unnumbered
                match self { #(#processes)* }
            }

            #inputs

            #visits

            #[inline(always)]
            #[allow(unused_variables)]
            fn candidates(system: &#system, visit: &mut impl ::core::ops::FnMut(Self)) {
                #(#candidates)*
            }
        }
    })
}

/// Arguments of a variant, each with the code that visits its values.
struct Arguments {
    fields: TokenStream,
    /// Each binding, with the function that visits its values, and the limits on them.
    loops: Vec<(syn::Ident, TokenStream, TokenStream)>,
}

impl Arguments {
    /// Visits the actions of a variant, the last argument first.
    fn candidates(self, ident: &syn::Ident) -> TokenStream {
        let Self { fields, loops } = self;
        let innermost = quote!(visit(Self::#ident #fields););
        let around = |inner, (binding, values, limits)| quote!(#values(system, #limits, &mut |#binding| { #inner }););
        loops.into_iter().rev().fold(innermost, around)
    }
}

/// The arguments of a variant; or the first of them, as a text, that has no range.
fn arguments(
    variant: &Variant,
    system: &Type,
    all_processes: Option<&Expr>,
) -> Result<std::result::Result<Arguments, LitStr>> {
    let mut fields = Vec::new();
    let mut loops = Vec::new();
    let mut without = None;
    for (position, field) in variant.fields.iter().enumerate() {
        let process = field
            .attrs
            .iter()
            .find(|one| one.path().is_ident("process"));
        let process = match process {
            Some(attribute) => Numbers::of(attribute)?.range.or(all_processes.cloned()),
            None => None,
        };
        let Field { ident, ty, .. } = field;
        let limits = of_argument(&field.attrs, process.as_ref())?;
        let is_bool = last_name(ty).is_some_and(|name| name == "bool");
        let none = || is_bool.then(|| quote!(::refmap::state::Limits::NONE));
        let name = match ident {
            Some(ident) => quote!(#ident),
            None => {
                let index = syn::Index::from(position);
                quote!(#index)
            }
        };
        match limits.or_else(none) {
            Some(limits) => {
                let binding = format_ident!("field_{position}");
                fields.push(quote!(#name: ::core::clone::Clone::clone(&#binding)));
                let values = quote!(<#ty as ::refmap::State<#system>>::each_value);
                loops.push((binding, values, limits));
            }
            None => {
                let text = format!("`{}.{name}`", variant.ident);
                without = without.or(Some(LitStr::new(&text, Span::call_site())));
            }
        }
    }
    Ok(match without {
        Some(field) => Err(field),
        None => Ok(Arguments {
            fields: quote!({ #(#fields),* }),
            loops,
        }),
    })
}

/// True if a range of a field is said.
fn has_range(field: &Field) -> bool {
    let mut attributes = field.attrs.iter();
    attributes.any(|one| one.path().is_ident("action") || one.path().is_ident("process"))
}

/// `#[process]`, `#[process(fixed)]`, `#[process(RANGE)]`, `#[process(fixed, RANGE)]`.
struct Numbers {
    /// True if the process is no member.
    is_fixed: bool,
    range: Option<Expr>,
}

impl Numbers {
    fn of(attribute: &Attribute) -> Result<Self> {
        let mut numbers = Self {
            is_fixed: false,
            range: None,
        };
        if let Meta::Path(_) = attribute.meta {
            return Ok(numbers);
        }
        let list = attribute
            .parse_args_with(syn::punctuated::Punctuated::<Expr, Token![,]>::parse_terminated)?;
        for said in list {
            let is_fixed = matches!(&said, Expr::Path(path) if path.path.is_ident("fixed"));
            let is_range = matches!(&said, Expr::Range(_) | Expr::Call(_) | Expr::MethodCall(_));
            if is_fixed && !numbers.is_fixed {
                numbers.is_fixed = true;
            } else if is_range && numbers.range.is_none() {
                numbers.range = Some(said);
            } else {
                return Err(Error::new_spanned(
                    said,
                    "the numbers of processes are a range, `#[process(0..system.threads)]`, and those that are no members are \
                     `#[process(fixed)]`",
                ));
            }
        }
        Ok(numbers)
    }
}

/// Visits the names of a variant, if it has any.
fn names(variant: &Variant) -> Result<Option<TokenStream>> {
    of_fields(variant, |field, binding| {
        let group = group_of(field)?;
        Ok(group.map(|group| visit_names_alone(&quote!(#binding), &group)))
    })
}

/// Replaces the results of a variant by one fixed value, if it has any.
fn results(variant: &Variant) -> Result<Option<TokenStream>> {
    of_fields(variant, |field, binding| {
        let replace = || quote!(*#binding = ::core::default::Default::default(););
        Ok(is_result(&field.attrs)?.then(replace))
    })
}

/// Arm of a variant that does something to some of its fields, if there are any.
fn of_fields(
    variant: &Variant,
    code: impl Fn(&Field, &syn::Ident) -> Result<Option<TokenStream>>,
) -> Result<Option<TokenStream>> {
    let mut all = Vec::new();
    let mut bindings = Vec::new();
    for (position, field) in variant.fields.iter().enumerate() {
        let binding = format_ident!("field_{position}");
        let Some(code) = code(field, &binding)? else {
            continue;
        };
        bindings.push(match &field.ident {
            Some(ident) => quote!(#ident: #binding),
            None => {
                let index = syn::Index::from(position);
                quote!(#index: #binding)
            }
        });
        all.push(code);
    }
    let ident = &variant.ident;
    let arm = || quote!(Self::#ident { #(#bindings,)* .. } => { #(#all)* });
    Ok((!all.is_empty()).then(arm))
}

/// Group of the names of which a field consists, if it does: `#[process]`, `#[member]`, `#[member(GROUP)]`, `#[counter]`.
fn group_of(field: &Field) -> Result<Option<Expr>> {
    let mut group = None;
    for attribute in &field.attrs {
        let path = attribute.path();
        match &attribute.meta {
            Meta::List(group) if path.is_ident("member") => return group.parse_args().map(Some),
            meta if path.is_ident("member") || path.is_ident("counter") => {
                meta.require_path_only()?;
                group = Some(parse_quote!(0));
            }
            _ if path.is_ident("process") && !Numbers::of(attribute)?.is_fixed => {
                group = Some(parse_quote!(0));
            }
            _ => (),
        }
    }
    Ok(group)
}

/// The field that is the number of the process, by its name or its position.
fn process_field(variant: &Variant) -> Result<Option<TokenStream>> {
    let fields = match &variant.fields {
        Fields::Unit => return Ok(None),
        Fields::Named(fields) => &fields.named,
        Fields::Unnamed(fields) => &fields.unnamed,
    };
    let is_marked = |field: &&(usize, &Field)| {
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
    fn attributes_that_are_none_are_refused() {
        let cases = r#"
#[action(system = Ring)] #[rule(process = "node", when = system.may_undo)] enum Step { Send } => `name` and `when` are of one rule
#[action(system = Ring)] #[rule(process = "node")] enum Step { #[rule(when = system.may_undo)] Undo, Send } => a rule that some instances do not have comes last
#[action(system = Ring, unnumbered = system.nodes == 1, unnumbered = true)] #[rule(process = "node")] enum Step { Send } => `unnumbered` is said twice
#[action(result)] #[rule(process = "node")] enum Step { Send } => an action has the attributes `system` and `unnumbered`
#[rule(process = "node")] enum Step { #[rule(when = system.may_undo)] Undo } => `#[action(system = TYPE)]` on the type says of which system
#[action(unnumbered = system.nodes == 1)] #[rule(process = "node")] enum Step { Send } => `#[action(system = TYPE)]` on the type says of which system"#;
        for case in cases.lines().skip(1) {
            let (item, told) = case.split_once(" => ").expect(case);
            let input = syn::parse_str(item).expect(item);
            let error = derive(&input).expect_err(told).to_string();
            assert!(error.contains(told), "{error}");
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
        for named in [
            quote!(#[process]),
            quote!(#[member]),
            quote!(#[member(1)]),
            quote!(#[member(OBJECTS)] #[process]),
            quote!(#[counter]),
        ] {
            assert!(derived(named).is_ok_and(|is_visited| is_visited));
        }
        for other in [quote!(), quote!(#[process(fixed)])] {
            assert!(derived(other).is_ok_and(|is_visited| !is_visited));
        }
        let error = derived(quote!(#[process(free)])).expect_err("it is none");
        assert!(error.to_string().contains("`#[process(fixed)]`"), "{error}");
        assert!(derived(quote!(#[member = 3])).is_err());
        assert!(derived(quote!(#[member(1, 2)])).is_err());
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
