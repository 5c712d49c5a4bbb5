//! Layout of the nodes of a behaviour: the boxes of each, as large as any of its states needs, and where they are.

use std::f64::consts::TAU;

use refmap::drawing::{Held, Node, Slot};

use super::measures::{CHARACTER, WIDTH, cut, text_width};

/// Height of the box of a node's identity, its head, and of a line of its slots.
const HEAD: f64 = 24.0;
const SLOTS: f64 = 18.0;
/// Width of the box of a slot, at least, and of a line of several slots, at most.
const SLOT: f64 = 22.0;
const LINE_OF_SLOTS: f64 = 122.0;
/// Of an identity, of a slot and of the marks of a node: the characters that there is room for however many nodes there are,
/// and the most that a picture is wide enough for.
const FEWEST: usize = 16;
const MOST: usize = ((WIDTH - 8.0) / CHARACTER) as usize;
/// Lengths that are tried, the longest text's besides.
const LENGTHS: [usize; 7] = [48, 40, 32, 28, 25, 22, 19];
/// Factor by which a picture may become higher for the sake of longer texts.
const HIGHER: f64 = 1.25;
/// Room above a node for the word "root", and below for its marks.
const ABOVE: f64 = 18.0;
const BELOW: f64 = 20.0;
/// Greatest distance from the centre of an ellipse to its lowest point.
const TALLEST: f64 = 1500.0;
/// Room at the sides for edges of nodes to themselves.
const SIDE: f64 = 24.0;

/// Centre and size of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    /// The area, this much further to the right and below.
    fn moved(self, (x, y): (f64, f64)) -> Self {
        Self {
            x: self.x + x,
            y: self.y + y,
            ..self
        }
    }

    pub fn left(self) -> f64 {
        self.x - self.width / 2.0
    }

    pub fn top(self) -> f64 {
        self.y - self.height / 2.0
    }

    pub fn bottom(self) -> f64 {
        self.y + self.height / 2.0
    }
}

/// The boxes of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    pub whole: Area,
    pub head: Area,
    pub slots: Vec<Area>,
}

impl Place {
    fn areas(&mut self) -> impl Iterator<Item = &mut Area> {
        let own = [&mut self.whole, &mut self.head];
        own.into_iter().chain(&mut self.slots)
    }

    /// Turns what is above the centre, at 0, below.
    fn turn(&mut self) {
        self.areas().for_each(|area| area.y = -area.y);
    }
}

/// Room that a node needs in all of its states.
#[derive(Debug, Default)]
pub struct Needs {
    head: f64,
    marks: f64,
    slots: Vec<f64>,
}

impl Needs {
    /// Needs of a node in these states, with texts of at most so many characters.
    pub fn of<'n>(states: impl IntoIterator<Item = &'n Node>, characters: usize) -> Self {
        let mut needs = Self::default();
        states
            .into_iter()
            .for_each(|node| needs.grow(node, characters));
        needs
    }

    fn grow(&mut self, node: &Node, characters: usize) {
        self.head = self
            .head
            .max(text_width(&head_text(node, characters)) + 14.0)
            .max(34.0);
        self.marks = self.marks.max(text_width(&marks_text(node, characters)));
        let most = self.slots.len().max(node.slots.len());
        self.slots.resize(most, 0.0);
        for (width, slot) in self.slots.iter_mut().zip(&node.slots) {
            *width = width.max((text_width(&slot_text(slot, characters)) + 8.0).max(SLOT));
        }
    }

    /// The boxes around a centre at 0, 0.
    fn place(&self) -> Place {
        let mut lines: Vec<(f64, Vec<f64>)> = Vec::new();
        for width in &self.slots {
            match lines.last_mut() {
                Some((across, line)) if *across + width <= LINE_OF_SLOTS => {
                    *across += width;
                    line.push(*width);
                }
                _ => lines.push((*width, vec![*width])),
            }
        }
        let widest = lines.iter().map(|(across, _)| *across);
        let whole = Area {
            x: 0.0,
            y: 0.0,
            width: widest.fold(self.head, f64::max),
            height: HEAD + SLOTS * lines.len() as f64,
        };
        let head = Area {
            y: whole.top() + HEAD / 2.0,
            height: HEAD,
            ..whole
        };
        let mut slots = Vec::new();
        for (number, (across, line)) in lines.into_iter().enumerate() {
            let mut left = -across / 2.0;
            for width in line {
                slots.push(Area {
                    x: left + width / 2.0,
                    y: whole.top() + HEAD + SLOTS * (number as f64 + 0.5),
                    width,
                    height: SLOTS,
                });
                left += width;
            }
        }
        Place { whole, head, slots }
    }
}

/// Text in the box of a node.
pub fn head_text(node: &Node, characters: usize) -> String {
    cut(&node.id, characters)
}

/// Text below a node.
pub fn marks_text(node: &Node, characters: usize) -> String {
    cut(&node.marks.join(", "), characters)
}

/// Text in the box of a slot.
pub fn slot_text(slot: &Slot, characters: usize) -> String {
    let text = match &slot.holds {
        Held::Null if slot.name.is_empty() => "∅".to_owned(),
        Held::Null => format!("{} ∅", slot.name),
        _ => slot.to_string(),
    };
    cut(&text, characters)
}

/// Places of nodes.
#[derive(Debug)]
pub struct Layout {
    /// In the order of the nodes.
    pub places: Vec<Place>,
    /// The height that they take.
    pub height: f64,
    /// The most characters of a text.
    pub characters: usize,
    /// True if nothing overlaps or is cut off.
    fits: bool,
}

impl Layout {
    /// The layout of nodes, each in all its states: with texts as long as there is room for.
    pub fn of(nodes: &[Vec<&Node>]) -> Self {
        let of = |characters| {
            let needs = nodes
                .iter()
                .map(|states| Needs::of(states.iter().copied(), characters));
            let needs: Vec<Needs> = needs.collect();
            Self {
                characters,
                ..places(&needs)
            }
        };
        let short = of(FEWEST);
        let states = nodes.iter().flatten();
        let longest = states.map(|node| {
            let slots = node.slots.iter().map(|slot| slot_text(slot, usize::MAX));
            let texts = slots.chain([node.id.clone(), node.marks.join(", ")]);
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        });
        let longest = longest.max().unwrap_or(0).min(MOST);
        let lengths = [longest].into_iter().chain(LENGTHS);
        let longer = lengths
            .filter(|length| (FEWEST + 1..=longest).contains(length))
            .map(of);
        let mut longer =
            longer.filter(|layout| layout.fits && layout.height <= HIGHER * short.height);
        longer.next().unwrap_or(short)
    }
}

/// The places of nodes: on an ellipse from the top, few on a line.
fn places(nodes: &[Needs]) -> Layout {
    let mut places: Vec<Place> = nodes.iter().map(Needs::place).collect();
    if places.is_empty() {
        return Layout {
            places,
            height: 2.0,
            characters: FEWEST,
            fits: true,
        };
    }
    let wide = |(needs, place): (&Needs, &Place)| needs.marks.max(place.whole.width);
    let widths: Vec<f64> = nodes.iter().zip(&places).map(wide).collect();
    let widest = widths.iter().copied().fold(0.0, f64::max);
    let heights = places.iter().map(|place| place.whole.height);
    let tallest = heights.fold(0.0, f64::max);
    let mut ellipse = Ellipse {
        count: places.len(),
        across: ((WIDTH - widest) / 2.0 - SIDE).clamp(30.0, 150.0),
        down: match places.len() {
            1 | 2 => 0.0,
            3 | 4 => 62.0,
            5 | 6 => 80.0,
            7 | 8 => 100.0,
            _ => 128.0,
        },
        is_broad: false,
    };
    let overlap = |ellipse: Ellipse| {
        let at: Vec<_> = (0..widths.len())
            .map(|number| ellipse.point(number))
            .collect();
        (0..at.len()).any(|one| {
            (0..one).any(|other| {
                let (dx, dy) = (at[one].0 - at[other].0, at[one].1 - at[other].1);
                let height = (places[one].whole.height + places[other].whole.height) / 2.0;
                dx.abs() < (widths[one] + widths[other]) / 2.0 + 2.0
                    && dy.abs() < height + ABOVE + BELOW - 6.0
            })
        })
    };
    // A taller ellipse has room between its rows, one with broad ends between the nodes of a row.
    while overlap(ellipse) {
        let broad = Ellipse {
            is_broad: true,
            ..ellipse
        };
        if !overlap(broad) || ellipse.down > TALLEST {
            ellipse = broad;
            break;
        }
        ellipse.down += 6.0;
    }
    let is_apart = !overlap(ellipse);
    let middle = ABOVE + tallest / 2.0 + ellipse.down;
    for (number, place) in places.iter_mut().enumerate() {
        let (x, y) = ellipse.point(number);
        // In the lower half slots are above the head, so that the edges to what is above do not cross it.
        if y > 1.0 {
            place.turn();
        }
        let centre = (WIDTH / 2.0 + x, middle + y);
        for area in place.areas() {
            *area = area.moved(centre);
        }
    }
    let bottom = places.iter().map(|place| place.whole.bottom());
    let bottom = bottom.fold(0.0, f64::max);
    let mut across = places.iter().zip(&widths);
    let is_within = across.all(|(place, width)| {
        let (left, right) = (place.whole.x - width / 2.0, place.whole.x + width / 2.0);
        left >= 0.0 && right <= WIDTH
    });
    Layout {
        places,
        height: bottom + BELOW + 6.0,
        characters: FEWEST,
        fits: is_within && is_apart,
    }
}

/// Curve on which nodes are, about its centre.
#[derive(Clone, Copy)]
struct Ellipse {
    count: usize,
    across: f64,
    down: f64,
    /// True if its ends are broad, and its rows about equally far from each other.
    is_broad: bool,
}

impl Ellipse {
    /// Position of a node.
    fn point(self, number: usize) -> (f64, f64) {
        match self.count {
            1 => (0.0, 0.0),
            2 => (WIDTH * (0.44 * number as f64 - 0.22), 0.0),
            _ => {
                let angle = TAU * (number as f64 / self.count as f64 - 0.25);
                let (across, down) = if self.is_broad {
                    (0.4, 2.0)
                } else {
                    (1.0, 1.0)
                };
                let (x, y) = (power(angle.cos(), across), power(angle.sin(), down));
                (self.across * x, self.down * y)
            }
        }
    }
}

/// A number to a power, with its sign.
fn power(number: f64, power: f64) -> f64 {
    if number.abs() < 1e-9 {
        0.0
    } else {
        number.abs().powf(power).copysign(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two nodes overlap, and all are on the picture, whatever their number and size.
    #[test]
    fn nodes_do_not_overlap() {
        for count in 1..=12 {
            for slots in 0..=9 {
                for characters in [0, 1, 7, 40] {
                    let nodes: Vec<Node> = (0..count)
                        .map(|number| {
                            let name = format!("{number}{}", "x".repeat(characters));
                            let node = Node::new(&name).mark(&name);
                            (0..slots).fold(node, |node, slot| {
                                node.to(format!("{slot}{}", "s".repeat(characters)), &name)
                            })
                        })
                        .collect();
                    let states: Vec<Vec<&Node>> = nodes.iter().map(|node| vec![node]).collect();
                    let Layout { places, height, .. } = Layout::of(&states);
                    let case = format!("{count} nodes of {slots} slots, {characters} characters");
                    for (number, place) in places.iter().enumerate() {
                        let area = place.whole;
                        assert!(
                            area.left() >= 0.0 && area.left() + area.width <= WIDTH,
                            "{case}"
                        );
                        assert!(
                            area.top() >= ABOVE && area.bottom() + BELOW <= height,
                            "{case}"
                        );
                        for slot in &place.slots {
                            assert!(slot.left() > area.left() - 1.0, "{case}");
                            assert!(slot.bottom() < area.bottom() + 1.0, "{case}");
                        }
                        for other in &places[..number] {
                            let other = other.whole;
                            let beside =
                                (area.x - other.x).abs() >= (area.width + other.width) / 2.0;
                            let above = (area.y - other.y).abs()
                                >= (area.height + other.height) / 2.0 + BELOW;
                            assert!(beside || above, "{case}: {area:?} {other:?}");
                        }
                    }
                }
            }
        }
    }

    /// A text is cut where there is no room for it, and only there.
    #[test]
    fn texts_are_as_long_as_there_is_room_for() {
        let mark = "a mark of some length, and then some";
        let shown = |count: usize| {
            let nodes: Vec<Node> = (0..count)
                .map(|number| Node::new(number).mark(mark))
                .collect();
            let states: Vec<Vec<&Node>> = nodes.iter().map(|node| vec![node]).collect();
            let characters = Layout::of(&states).characters;
            marks_text(&nodes[0], characters)
        };
        assert_eq!(shown(1), mark);
        assert_eq!(shown(2), "a mark of some length, a…");
        assert_eq!(shown(12), "a mark of some len…");
    }
}
