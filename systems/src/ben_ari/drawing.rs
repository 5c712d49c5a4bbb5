//! Drawing of a memory in reports of all levels.

use refmap::drawing::{Drawing, Node as Drawn, Row, Shade};

use super::colours::Colours;
use super::memory::Memory;
use super::shape::Node;
use crate::heap::Objects as NodeSet;

/// Every node with its sons, its colour if nodes have any, and whether it is a root or garbage; then the free list.
pub(super) fn memory(m: &Memory, colours: Option<Colours>) -> Drawing {
    let accessible = m.accessible();
    let nodes = m.shape.nodes().map(|n| {
        let drawn = Drawn::new(n);
        let drawn = match colours.map(|c| c.colour(n)) {
            Some(true) => drawn.shade(Shade::Black),
            Some(false) => drawn.shade(Shade::White),
            None => drawn,
        };
        let drawn = match n {
            _ if n < m.shape.roots => drawn.root(),
            _ if !accessible.contains(n) => drawn.mark("garbage"),
            _ => drawn,
        };
        m.sons(n).fold(drawn, |drawn, son| drawn.to("", son))
    });
    let list = Row::new().queue("free list", free_list(m));
    Drawing::default().nodes(nodes).row(list)
}

/// The nodes on the list that begins in cell (0, 0), each pointing to the next one from its cell 0,
/// up to a root. A list that runs into itself ends with dots.
///
/// The mutator may also write cell (0, 0) and the nodes on the list, so this is the list that an
/// allocation would find, intact or not.
fn free_list(m: &Memory) -> Vec<String> {
    let mut list: Vec<Node> = Vec::new();
    let mut seen = NodeSet::default();
    let mut n = m.son(0, 0);
    while n >= m.shape.roots && !seen.contains(n) {
        list.push(n);
        seen = seen.with(n);
        n = m.son(n, 0);
    }
    let is_cyclic = n >= m.shape.roots;
    let again = is_cyclic.then(|| [n.to_string(), "…".to_owned()]);
    let list = list.into_iter().map(|node| node.to_string());
    list.chain(again.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ben_ari::Shape;

    #[test]
    fn a_heap_is_drawn_with_its_colours_and_its_free_list() {
        let shape = Shape {
            nodes: 4,
            sons: 2,
            roots: 1,
        };
        let empty = Memory::null_array(shape);
        assert_eq!(
            memory(&empty, None).to_string(),
            "0 root → 0 0   1 garbage → 0 0   2 garbage → 0 0   3 garbage → 0 0   free list: empty"
        );
        let appended = empty.append_to_free(2).append_to_free(1).set_son(0, 1, 2);
        let colours = Colours::WHITE.set_colour(0, true);
        assert_eq!(
            memory(&appended, Some(colours)).to_string(),
            "0 ● root → 1 2   1 ○ → 2 2   2 ○ → 0 0   3 ○ garbage → 0 0   free list: 1, 2"
        );
    }

    #[test]
    fn a_free_list_that_bites_its_tail_ends_with_dots() {
        let shape = Shape {
            nodes: 3,
            sons: 1,
            roots: 1,
        };
        let cyclic = Memory::null_array(shape)
            .set_son(0, 0, 1)
            .set_son(1, 0, 2)
            .set_son(2, 0, 1);
        assert_eq!(
            memory(&cyclic, None).to_string(),
            "0 root → 1   1 → 2   2 → 1   free list: 1, 2, 1, …"
        );
    }
}
