//! Text of the native collector's events.

use refmap_systems::native::on_the_fly::{Event, Reference};

/// Text of an event in explanations.
pub(super) fn described(event: &Event) -> String {
    let shown = |value: Option<Reference>| value.map_or("null".to_owned(), |v| v.to_string());
    let sense = |mark: bool| u8::from(mark);
    match *event {
        Event::Join { owes: None } => "join".to_owned(),
        Event::Join { owes: Some(stage) } => format!("join, asked for {stage:?}"),
        Event::Hold { reference } => format!("hold {reference}"),
        Event::Alloc { reference, mark } => {
            let marked = mark.map_or(String::new(), |mark| format!(", marked {}", sense(mark)));
            format!("alloc {}{marked}", shown(reference))
        }
        Event::Load { src, field, value } => format!("load {src}.{field} = {}", shown(value)),
        Event::Overwrite {
            src,
            field,
            was,
            value,
        } => format!(
            "store {src}.{field} ← {} begins, over {}",
            shown(value),
            shown(was)
        ),
        Event::Store { src, field, value } => format!("store {src}.{field} ← {}", shown(value)),
        Event::Discard { reference } => format!("discard {reference}"),
        Event::Asked { stage } => format!("asked for {stage:?}"),
        Event::Fence => "fence".to_owned(),
        Event::Handshake { stage } => format!("handshake {stage:?}"),
        Event::Sense { reference, fm } => format!("mark {reference}: fM is {}", sense(fm)),
        Event::Look { reference, mark } => format!("mark {reference}: marked {}", sense(mark)),
        Event::Test { reference, phase } => format!("mark {reference}: phase {phase:?}"),
        Event::Mark {
            reference,
            won,
            mark,
        } => {
            let marked = mark.map_or(String::new(), |mark| format!(" := {}", sense(mark)));
            let lost = if won { "" } else { ", lost" };
            format!("mark {reference}{marked}{lost}")
        }
        Event::Ask { stage } => format!("ask for {stage:?}"),
        Event::Answered { stage } => format!("all answered {stage:?}"),
        Event::SetFm { fm } => format!("fM ← {}", sense(fm)),
        Event::SetFa { fa } => format!("fA ← {}", sense(fa)),
        Event::SetPhase { phase } => format!("phase ← {phase:?}"),
        Event::Trace { reference } => format!("trace {reference}"),
        Event::Scan { src, field, value } => format!("scan {src}.{field} = {}", shown(value)),
        Event::Free { reference } => format!("free {reference}"),
        Event::Leave => "leave".to_owned(),
    }
}
