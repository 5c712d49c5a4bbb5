//! Edges of a picture: paths from the slots of a node.

use super::layout::{Area, Place};

/// From a slot to another node: a curve, so that edges there and back, and edges of neighbouring slots, are told apart.
pub fn across(place: &Place, number: usize, target: Area) -> String {
    let slot = place.slots[number];
    let mut start = border(slot, (target.x, target.y));
    let mut bend = 14.0 + 9.0 * number as f64;
    // A slot that has another one beside it, on that side, is left where it is free, and the edge bends away from them.
    let aside = start.0 - slot.x;
    let is_beside = |other: &Area| other.y == slot.y && (other.x - slot.x) * aside > 0.0;
    let is_aside = aside.abs() > slot.width / 2.0;
    if is_aside && place.slots.iter().any(is_beside) {
        start = (
            slot.x,
            slot.y + out(place, slot) * (slot.height / 2.0 + 1.0),
        );
        bend = (bend + 10.0) * aside.signum() * out(place, slot);
    }
    let (dx, dy) = (target.x - start.0, target.y - start.1);
    let distance = dx.hypot(dy).max(1.0);
    let middle = (
        start.0 + dx / 2.0 - dy / distance * bend,
        start.1 + dy / 2.0 + dx / distance * bend,
    );
    let end = border(target, middle);
    format!(
        "M{:.0} {:.0}Q{:.0} {:.0} {:.0} {:.0}",
        start.0, start.1, middle.0, middle.1, end.0, end.1
    )
}

/// From a slot to its own node: a loop at its side.
pub fn to_itself(place: &Place, number: usize) -> String {
    let (slot, head) = (place.slots[number], place.head);
    let side = if slot.x < head.x { -1.0 } else { 1.0 };
    let out = out(place, slot);
    let start = (slot.x, slot.y + out * slot.height / 2.0);
    let edge = head.x + side * head.width / 2.0;
    let far = edge + side * (22.0 + 4.0 * number as f64).min(32.0);
    let end = (edge, head.y);
    format!(
        "M{:.0} {:.0}C{:.0} {:.0} {:.0} {:.0} {:.0} {:.0}",
        start.0,
        start.1,
        far,
        start.1 + out * 12.0,
        far,
        end.1 - out * 8.0,
        end.0,
        end.1
    )
}

/// Direction in which the slots of a node are free: −1 above, 1 below.
fn out(place: &Place, slot: Area) -> f64 {
    (slot.y - place.head.y).signum()
}

/// Point at which the line from a point to the centre of a box meets its border.
fn border(of: Area, from: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (from.0 - of.x, from.1 - of.y);
    let (half_width, half_height) = (of.width / 2.0 + 1.0, of.height / 2.0 + 1.0);
    let scale = (half_width / dx.abs().max(0.01)).min(half_height / dy.abs().max(0.01));
    (of.x + dx * scale, of.y + dy * scale)
}
