//! Questions to a model: each of its functions is called by its name, so that a panic is told where it was, and what follows from
//! others is compared with them where it is overridden.

pub mod answer;
pub mod calls;
pub mod derived;
pub mod disagreement;
pub mod functions;
pub mod model_call;
pub mod overridden;
pub mod type_correct;
pub mod visit;
