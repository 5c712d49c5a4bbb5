//! The derives of refmap: `State`, how a state is written into few bits, and `Action`, which rules the actions of a
//! system are instances of.
//!
//! They are used through the crate `refmap`, which re-exports them and documents the traits.
//!
//! ```
//! use refmap::{Action, State};
//!
//! #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, State)]
//! struct Memory {
//!     #[state(range = 0..4)]
//!     counter: u8,
//! }
//!
//! /// An instance, and its parameters.
//! struct Threads(u8);
//!
//! #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
//! #[action(system = Threads)]
//! #[rule(process = "thread")]
//! enum Step {
//!     Increment { #[process(0..system.0)] thread: u8 },
//! }
//!
//! let rule = &Step::rules(&Threads(2))[0];
//! assert_eq!((&*rule.name, rule.process), ("increment", "thread"));
//! ```
//!
//! The book in the repository, `examples/book`, has a page on writing a model with them.
//!

mod action;
mod attributes;
mod field;
mod instance;
mod names;
mod state;
mod texts;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;
use quote::quote;
use syn::{DeriveInput, parse_macro_input};

/// Writes a struct or an enum of plain data into bits, and reads it back: `refmap::State`.
///
/// On the type, `#[state(system = TYPE)]` names the system whose instance gives ranges: `system` is a reference to it in
/// the expressions below; with `#[state(system = impl TRAIT)]` any system that implements the trait. Without it, the type is a
/// state, or part of one, of every system.
///
/// On a field, or a field of a variant:
///
/// | attribute | means |
/// |---|---|
/// | `#[state(range = 0..=9)]` | the integers of the field, in whatever containers, are in this range |
/// | `#[state(varint)]` | the integers are mostly small, without a bound: each takes as many bits as its value does |
/// | `#[state(len = 3)]` | the vector, deque or string has just this length; a container within it is a struct of one field, which says its own |
/// | `#[state(max_len = 3)]` | it has at most this length |
/// | `#[state(constant = system.shape)]` | the field has this value in all states of the instance, and is not written |
/// | `#[state(symmetric)]` | the vector, array or `BoundedVec` has an element for each member; members are alike |
/// | `#[state(each = "client")]` | the vector has an element for each client; in a drawing by rows that is the entry of a row `client 0`, `client 1`, … |
/// | `#[state(member)]` | the integers of the field, in whatever containers, are numbers of members |
/// | `#[state(symmetric = 1)]`, `#[state(member = 1)]` | the same of the members of another group, which are alike among themselves; without a number it is group 0 |
///
/// Members that are alike are the elements of a field that is `symmetric`; where several fields of a struct are, a member has an element of each,
/// which is to be `Ord`. With `--symmetry full` states that differ by an exchange of members are one: elements change places, and the numbers of
/// members that a field holds, or an action, follow. Groups are constants of type `u8`, and a member of one may hold numbers of another, as a thread those
/// of objects: `#[state(symmetric, member = OBJECTS)]` is a field with one object for each thread. A `bool` is a number too, and a group whose members have no
/// parts is a field of nothing, `#[state(symmetric = SENSES)] senses: [(); 2]`.
///
/// A struct of one field without a name, of which nothing but `member` is said, takes what is said of a field of its type. No other type of one's
/// own does: it says so of its own fields.
///
/// An attribute without effect, or one that no value meets (a range that is reversed, a length beyond the bound of a type), is an
/// error before the first state, which names the field, its type and the remedy.
///
/// A value outside of its range, or other than its constant, ends a check with the way to it, `consumers[0].Idle.0`; it is never cut off.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    state::derive(&input)
        .unwrap_or_else(|error| refused(error, &input, quote!(State)))
        .into()
}

/// Makes each variant of an enum a rule: `refmap::Action`.
///
/// On the enum or on a variant, where that of the variant counts, any constants of type `&str`:
///
/// | attribute | means | if it is missing |
/// |---|---|---|
/// | `#[rule(name = "rm_prepare")]` | the name of the rule | the variant in snake case |
/// | `#[rule(process = "manager")]` | the kind of process that takes it | `system` |
/// | `#[rule(source = "Fig. 3")]` | where it is stated | the path of the variant |
///
/// The last rule may be one of some instances only: `#[rule(when = system.may_undo)]`, where the type says its system.
///
/// Variants of the same name and process are instances of one rule; the first of them says its source.
///
/// `#[process]` on a field of a variant says that it is the number of the process, an integer from 0 to 65 535. A number beyond
/// is one of no process: `process` panics, which a check reports as a fault of the model that names the action. Where each process is the
/// only one of its kind it has no number: `#[action(unnumbered = system.threads == 1)]` on the type.
///
/// The *candidates* of a system, which are tried in each state, are the actions of which every field is in its range. On the type,
/// `#[action(system = TYPE)]` names the system whose instance gives ranges, as `#[state(system = TYPE)]` does for states. On a field:
///
/// | attribute | means |
/// |---|---|
/// | `#[process(0..system.threads)]` | the number of the process is in this range |
/// | `#[action(range = 0..=9)]` | the integers of the field, in whatever containers, are in this range |
/// | `#[action(len = 3)]`, `#[action(max_len = 3)]` | the field has just this length, or at most this length |
/// | `#[action(any)]` | the field has any value of its type, which is finite |
/// | `#[action(result)]` | the system chooses the value, as the reference that an allocation returns: actions that differ in nothing else have the same inputs |
///
/// `#[process(RANGE)]` on the enum is that of each field `#[process]` that has none. A `bool` needs no attribute. Variants with a field that has
/// no range have no candidates: a system with such variants overrides `candidates`.
///
/// The numbers of processes follow where members of a state are exchanged (`#[state(symmetric)]`), and those of a field `#[member]`, which is
/// `#[member(GROUP)]` for a member of another group than 0, beside `#[process]` too; a number of a process that is no member is `#[process(fixed)]`, or `#[process(fixed, RANGE)]`. A field `#[counter]` is a `refmap::Counter`,
/// or holds some.
#[proc_macro_derive(Action, attributes(action, rule, process, member, counter))]
pub fn derive_action(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    action::derive(&input)
        .unwrap_or_else(|error| refused(error, &input, quote!(Action)))
        .into()
}

/// Visits every text in data of refmap's own reports; for that crate alone.
#[doc(hidden)]
#[proc_macro_derive(Texts)]
pub fn derive_texts(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    texts::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// An error, with an implementation that says nothing: without one, wherever the type is used it is told as well that it has none.
fn refused(error: syn::Error, input: &DeriveInput, derived: TokenStream2) -> TokenStream2 {
    let error = error.into_compile_error();
    if !input.generics.params.is_empty() {
        return error;
    }
    let name = &input.ident;
    quote! {
        #error
        impl<S: ?::core::marker::Sized> ::refmap::#derived<S> for #name {}
    }
}

/// The README's example is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
