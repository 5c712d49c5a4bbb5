//! Legend of a page: what its colours, lanes and drawings mean.

use std::fmt::Write;

use refmap::drawing::Drawing;
use refmap::internal::outline::Outline;

use super::behaviour::is_stutter;

/// The legend of these counterexamples: of what they show, and nothing else.
pub fn legend(html: &mut String, outlines: &[Outline<'_>]) {
    let found = || outlines.iter().map(|outline| outline.counterexample);
    let steps = || found().flat_map(|found| &found.steps);
    let pictures = || steps().flat_map(|step| step.picture.iter().chain(&step.abstract_picture));
    let nodes = || pictures().flat_map(|picture: &Drawing| &picture.nodes);
    let is_mapped = steps().any(|step| !step.abstract_state.is_null());
    let is_left_out = outlines
        .iter()
        .any(|outline| !outline.repetitions.is_empty());
    let entries = [
        (
            true,
            "simulates",
            if is_mapped {
                "a step that simulates an abstract step"
            } else {
                "a step"
            },
        ),
        (
            is_mapped && steps().any(is_stutter),
            "quiet",
            "a stutter: the specification does nothing",
        ),
        (
            found().any(|found| found.loop_start.is_none()),
            "fails",
            "the step with which the behaviour ends: the failure is there",
        ),
        (true, "changed", "a value that this step has changed"),
        (
            nodes().next().is_some(),
            "node new",
            "a node, a slot or an edge that this step has changed",
        ),
        (nodes().any(|node| node.root), "node root", "a root"),
        (
            nodes().any(|node| node.absent),
            "node absent",
            "a node that is not there yet, or no more",
        ),
        (
            found().any(|found| found.loop_start.is_some()),
            "round",
            "a double line at the side of the steps that go round for ever",
        ),
    ];
    html.push_str(
        "<h2>Legend</h2>\n<p>A lane is a process, and a mark in it is a step and leads to it, from left to right in the order of \
         the behaviour.",
    );
    if is_left_out {
        html.push_str(
            " Where steps repeat those before them a line says how, and the lanes have a ⋯.",
        );
    }
    html.push_str("</p>\n<ul class=\"legend\">");
    for (is_shown, class, meaning) in entries {
        if is_shown {
            let _ = write!(
                html,
                "<li><span class=\"key {class}\"></span>{meaning}</li>"
            );
        }
    }
    html.push_str("</ul>\n");
    if nodes().any(|node| node.shade.is_some()) {
        html.push_str(
            "<p>White, grey and black are the colours that the model gives its nodes.</p>\n",
        );
    }
}
