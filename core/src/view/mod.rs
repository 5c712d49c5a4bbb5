//! Views: systems in the place of others, of which the states say more, or stand for many.
//!
//! | view | stands for | decides |
//! |---|---|---|
//! | [`auxiliary`] | the system without the variable | all obligations, and its own, `auxiliary:*`; `incomplete` are `environment` where a history variable may remember a guess, and fairness of a specification that has a variable itself |
//! | [`symmetry`] | states that differ by an exchange of members or a shift of counters | what is asked of a state or a step; neither `environment` nor liveness, which are refused |
//! | [`crowd`] | the instances of every number of members | `observation`, `initiality`, `simulation`, `agency`, and invariants of few members |
//! | [`inclusion`] | a state with an abstract one, or with a set of them | inclusion of finite observations, hence safety alone |

pub mod auxiliary;
pub(crate) mod consistency;
#[cfg(feature = "any-number")]
pub mod crowd;
#[cfg(feature = "inclusion")]
pub mod inclusion;
pub(crate) mod symmetry;
