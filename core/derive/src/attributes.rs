//! The attributes of the derives.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Error, Expr, Meta, Result, Token, Type, parse_quote};

/// `#[state(system = TYPE)]` of a type, or `#[action(system = TYPE)]`, as `of` says.
pub fn system(of: &str, attributes: &[Attribute]) -> Result<Option<Type>> {
    let mut system = None;
    for attribute in attributes.iter().filter(|one| one.path().is_ident(of)) {
        attribute.parse_nested_meta(|meta| {
            if of == "action" && meta.path.is_ident("unnumbered") {
                meta.value()?.parse::<Expr>()?;
                return Ok(());
            }
            if !meta.path.is_ident("system") {
                return Err(meta.error(match of {
                    "action" => "an action has the attributes `system` and `unnumbered`, and its fields have `range`, `len`, `max_len`, `any` and `result`",
                    _ => "a state has an attribute `system`, and its fields have `range`, `varint`, `len`, `max_len`, `constant`, `member`, `symmetric`, `each`",
                }));
            }
            let type_: Type = meta.value()?.parse()?;
            match system.replace(type_) {
                None => Ok(()),
                Some(_) => Err(meta.error("`system` is said twice")),
            }
        })?;
    }
    Ok(system)
}

/// `#[action(unnumbered = CONDITION)]` of a type: where it holds, each process is the only one of its kind, and has no number.
pub fn unnumbered(attributes: &[Attribute]) -> Result<Option<Expr>> {
    let mut condition = None;
    for attribute in attributes
        .iter()
        .filter(|one| one.path().is_ident("action"))
    {
        attribute.parse_nested_meta(|meta| {
            let said = meta.value()?;
            if !meta.path.is_ident("unnumbered") {
                return said.parse::<Type>().map(|_| ());
            }
            match condition.replace(said.parse()?) {
                None => Ok(()),
                Some(_) => Err(meta.error("`unnumbered` is said twice")),
            }
        })?;
    }
    Ok(condition)
}

/// True if `#[action(result)]` says that a field is chosen by the system.
pub fn is_result(attributes: &[Attribute]) -> Result<bool> {
    let mut is_result = false;
    for attribute in attributes
        .iter()
        .filter(|one| one.path().is_ident("action"))
    {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("result") {
                is_result = true;
            } else if !meta.path.is_ident("any") {
                meta.value()?.parse::<Expr>()?;
            }
            Ok(())
        })?;
    }
    Ok(is_result)
}

/// Attributes of a field, read.
pub struct Attributes {
    pub of_field: OfField,
    /// `#[state(member)]`, `#[state(member = GROUP)]`: it consists of numbers of members of this group.
    pub member: Option<Expr>,
    /// `#[state(symmetric)]`, `#[state(symmetric = GROUP)]`: it has an element for each member of this group.
    pub symmetric: Option<Expr>,
    /// `#[state(each = …)]`: the kind of members of which each has an element.
    pub each: Option<Expr>,
    /// `#[state(len = …)]`: it has as many elements in all states.
    pub has_len: bool,
}

/// Value of a field, as attributes say.
pub enum OfField {
    /// `#[state(range = …, varint, len = …, max_len = …)]`, as an expression of `Limits`.
    Limits(TokenStream),
    /// `#[state(constant = …)]`: its value in all states of the instance.
    Constant(Expr),
}

/// Reads the attributes of a field.
pub fn of_field(attributes: &[Attribute]) -> Result<Attributes> {
    let mut limits = quote!(::refmap::state::Limits::NONE);
    let (mut constant, mut member, mut symmetric, mut each) = (None, None, None, None);
    let mut said: Vec<&str> = Vec::new();
    for attribute in attributes.iter().filter(|one| one.path().is_ident("state")) {
        attribute.parse_nested_meta(|meta| {
            let known = ["range", "varint", "len", "max_len", "constant", "member", "symmetric", "each"];
            let Some(name) = known.into_iter().find(|name| meta.path.is_ident(name)) else {
                return Err(meta.error(
                    "a field has the attributes `range`, `varint`, `len`, `max_len`, `constant`, `member`, `symmetric` and `each`",
                ));
            };
            if said.contains(&"constant") || name == "constant" && !said.is_empty() {
                return Err(meta.error("of a constant nothing else is said"));
            }
            if said.iter().any(|one| kind(one) == kind(name)) {
                let remedy = match kind(name) {
                    "length" => ": both bound the outer container, and one within it is a struct that bounds its own",
                    _ => "",
                };
                return Err(meta.error(format!(
                    "`{name}` comes after another one that says the same{remedy}"
                )));
            }
            said.push(name);
            if name == "member" || name == "symmetric" {
                let group = if meta.input.peek(Token![=]) {
                    meta.value()?.parse()?
                } else {
                    parse_quote!(0)
                };
                let of = if name == "member" { &mut member } else { &mut symmetric };
                *of = Some(group);
                return Ok(());
            }
            if name == "varint" {
                limits = quote!(#limits.varint());
                return Ok(());
            }
            let value: Expr = meta.value()?.parse()?;
            match name {
                "constant" => constant = Some(value),
                "each" => each = Some(value),
                _ => {
                    let method = syn::Ident::new(name, Span::call_site());
                    limits = quote!(#limits.#method(#value));
                }
            }
            Ok(())
        })?;
    }
    Ok(Attributes {
        each,
        has_len: said.contains(&"len"),
        of_field: match constant {
            Some(value) => OfField::Constant(value),
            None => OfField::Limits(limits),
        },
        member,
        symmetric,
    })
}

/// Range of a field of an action, or other limits on its values: an expression of `Limits`, if some are said. `process` is that of
/// `#[process(RANGE)]`.
pub fn of_argument(
    attributes: &[Attribute],
    process: Option<&Expr>,
) -> Result<Option<TokenStream>> {
    let mut limits = process.map(|range| quote!(::refmap::state::Limits::NONE.range(#range)));
    let mut said: Vec<&str> = process.iter().map(|_| "range").collect();
    for attribute in attributes
        .iter()
        .filter(|one| one.path().is_ident("action"))
    {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("result") {
                return Ok(());
            }
            let known = ["range", "len", "max_len", "any"];
            let Some(name) = known.into_iter().find(|name| meta.path.is_ident(name)) else {
                return Err(meta.error(
                    "a field of an action has the attributes `range`, `len`, `max_len`, `any` and `result`",
                ));
            };
            let same = |one: &&str| **one == *name || *one == "any" || name == "any";
            if said.iter().any(same) {
                return Err(meta.error(format!(
                    "`{name}` comes after another one that says the same"
                )));
            }
            said.push(name);
            let before = limits
                .take()
                .unwrap_or(quote!(::refmap::state::Limits::NONE));
            limits = Some(if name == "any" {
                before
            } else {
                let value: Expr = meta.value()?.parse()?;
                let method = syn::Ident::new(name, Span::call_site());
                quote!(#before.#method(#value))
            });
            Ok(())
        })?;
    }
    Ok(limits)
}

/// Kind of what an attribute says, of which one is said.
fn kind(attribute: &str) -> &str {
    match attribute {
        "len" | "max_len" => "length",
        "member" | "symmetric" | "each" => attribute,
        _ => "integers",
    }
}

/// True if an attribute says `member` alone.
pub fn is_member_alone(attribute: &Attribute) -> bool {
    let said = attribute.parse_args::<Meta>();
    said.is_ok_and(|said| said.path().is_ident("member"))
}

/// `#[rule(name = …, process = …, source = …, when = …)]` of an enum of actions, or of a variant: constants of type `&str`, and a
/// condition on the instance.
#[derive(Default)]
pub struct Rule {
    pub name: Option<Expr>,
    pub process: Option<Expr>,
    pub source: Option<Expr>,
    pub when: Option<Expr>,
}

impl Rule {
    pub fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut rule = Self::default();
        for attribute in attributes.iter().filter(|one| one.path().is_ident("rule")) {
            attribute.parse_nested_meta(|meta| {
                let place = if meta.path.is_ident("name") {
                    &mut rule.name
                } else if meta.path.is_ident("process") {
                    &mut rule.process
                } else if meta.path.is_ident("source") {
                    &mut rule.source
                } else if meta.path.is_ident("when") {
                    &mut rule.when
                } else {
                    return Err(meta.error(
                        "a rule has the attributes `name`, `process`, `source` and `when`",
                    ));
                };
                match place.replace(meta.value()?.parse()?) {
                    None => Ok(()),
                    Some(earlier) => Err(Error::new_spanned(earlier, "it is said twice")),
                }
            })?;
        }
        Ok(rule)
    }
}
