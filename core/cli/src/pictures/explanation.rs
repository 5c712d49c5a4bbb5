//! Explanation of a counterexample: the failure of a behaviour, and its reasons.

use std::fmt::Write;

use refmap::internal::{comes_near, compact, misfit};
use refmap::obligation::ObligationKind;
use refmap::report::Counterexample;

use super::escape::Escaped;

/// The failure, in a sentence.
pub fn failure(html: &mut String, of: &Counterexample) {
    let _ = write!(
        html,
        "<p><strong>{}</strong> {}: {}</p>",
        Escaped(&of.obligation),
        of.fails(),
        Escaped(&of.explanation)
    );
    if let Some(sentence) = ObligationKind::sentence(&of.obligation) {
        let _ = write!(
            html,
            "<p class=\"says\">What must hold: {}.</p>",
            Escaped(sentence)
        );
    }
    if !of.reachable {
        html.push_str(if of.by_views {
            "<p>All its views can be reached, and it may itself not be.</p>"
        } else {
            "<p>A counterexample to induction: no claim that it is reached.</p>"
        });
    }
    html.push('\n');
}

/// Explanation at the end of a behaviour: the event that is refused, the fairness of the loop, and the steps that would have fitted.
pub fn explanation(html: &mut String, of: &Counterexample) {
    if let Some(refused) = &of.refused {
        let _ = write!(
            html,
            "<p>Refused from here on: <code>{}</code></p>",
            Escaped(compact(refused))
        );
    }
    if !of.fairness.is_empty() {
        html.push_str("<h3>Why the loop is fair</h3><ul>");
        for met in &of.fairness {
            let _ = write!(
                html,
                "<li>{} <code>{}</code>: {}</li>",
                met.strength,
                Escaped(&met.condition),
                Escaped(&met.because)
            );
        }
        html.push_str("</ul>");
    }
    if !of.nearest.is_empty() {
        html.push_str("<h3>The nearest abstract actions, and why each does not fit</h3><ul>");
        for nearest in &of.nearest {
            let _ = write!(html, "<li>{}</li>", Escaped(misfit(nearest)));
        }
        html.push_str("</ul>");
    }
    if let Some(nearest) = &of.nearest_reached {
        let _ = write!(html, "<p>{}</p>", Escaped(comes_near(of, nearest)));
        html.push_str("<ul>");
        for change in &nearest.differs {
            let _ = write!(html, "<li><code>{}</code></li>", Escaped(change));
        }
        html.push_str("</ul>");
    }
}
