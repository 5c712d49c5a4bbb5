//! Ours about black-to-white cells and the scan: steps 2 and 3 of Fig. 14.
//!
//! The scan is at a position, the cell it comes to next; a cell is behind it if it is less in the
//! order of nodes and then indices. `bw_behind(p)` and `bw_ahead(p)` say that a black-to-white cell
//! is behind p, or is not.

use super::lemma::{Lemma, lemma};

pub(super) fn lemmas() -> Vec<Lemma> {
    let mut lemmas = bw();
    lemmas.extend(positions());
    lemmas.extend(redirections());
    lemmas
}

fn bw() -> Vec<Lemma> {
    vec![
        lemma(
            "white_source_no_bw",
            "Fig. 11, bw",
            "white_node_passes_no_bw",
        )
        .given("not colour(n)(c)", |a| !a.c.colour(a.n))
        .then("not bw(n,i)(c,m)", |a| !a.bw(a.cell(), &a.m)),
        lemma(
            "black_target_no_bw",
            "Fig. 11, bw",
            "bw_behind_scan_is_pending under colour_target; with black_son_passes_no_bw under \
             colour_son",
        )
        .given("colour(son(n,i)(m))(c)", |a| a.c.colour(a.m.son(a.n, a.i)))
        .then("not bw(n,i)(c,m)", |a| !a.bw(a.cell(), &a.m)),
        lemma(
            "bw_from_colours",
            "section 6.3.2, COLOUR_SONS.2",
            "colour_son matched by PROPAGATE.1, with scanned_node_black",
        )
        .given("colour(n)(c)", |a| a.c.colour(a.n))
        .given("not colour(son(n,i)(m))(c)", |a| {
            !a.c.colour(a.m.son(a.n, a.i))
        })
        .then("bw(n,i)(c,m)", |a| a.bw(a.cell(), &a.m)),
        lemma(
            "exists_bw_splits",
            "Fig. 11, exists_bw",
            "bw_behind_scan_has_one_ahead under mutate; uncoloured_count_has_no_bw under \
             stop_propagating",
        )
        .then(
            "exists_bw(c,m) iff bw_behind(p)(c,m) or bw_ahead(p)(c,m)",
            |a| a.exists_bw(&a.m) == (a.bw_behind(a.at(), &a.m) || a.bw_ahead(a.at(), &a.m)),
        ),
    ]
}

/// As the scan moves, with colours and memory as they are.
fn positions() -> Vec<Lemma> {
    vec![
        lemma(
            "nothing_behind_the_start",
            "Fig. 14, COLOUR_ROOTS.1 and COMPARE.2",
            "bw_behind_scan_is_pending and bw_behind_scan_has_one_ahead under \
             stop_colouring_roots and redo_propagation",
        )
        .then("not bw_behind(0,0)(c,m)", |a| !a.bw_behind((0, 0), &a.m)),
        lemma(
            "nothing_ahead_of_the_end",
            "Fig. 14, TEST_I.1",
            "uncoloured_count_has_no_bw under stop_propagating",
        )
        .then("not bw_ahead(NODES,0)(c,m)", |a| {
            !a.bw_ahead((a.m.shape.nodes, 0), &a.m)
        }),
        lemma(
            "white_node_passes_no_bw",
            "Fig. 14, TEST_COLOUR.1",
            "bw_behind_scan_is_pending and bw_behind_scan_has_one_ahead under white_node",
        )
        .given("not colour(n)(c)", |a| !a.c.colour(a.n))
        .given("bw(n1,i1)(c,m)", |a| a.bw(a.cell1(), &a.m))
        .then("(n1,i1) is behind (n,0) iff it is behind (n+1,0)", |a| {
            a.behind(a.cell1(), (a.n, 0)) == a.behind(a.cell1(), (a.n + 1, 0))
        }),
        lemma(
            "black_son_passes_no_bw",
            "Fig. 14, COLOUR_SONS.2",
            "bw_behind_scan_is_pending and bw_behind_scan_has_one_ahead under colour_son",
        )
        .given("not bw(n,i)(c,m)", |a| !a.bw(a.cell(), &a.m))
        .given("bw(n1,i1)(c,m)", |a| a.bw(a.cell1(), &a.m))
        .then("(n1,i1) is behind (n,i) iff it is behind (n,i+1)", |a| {
            a.behind(a.cell1(), a.cell()) == a.behind(a.cell1(), (a.n, a.i + 1))
        }),
        lemma(
            "last_son_passes_no_cell",
            "Fig. 14, COLOUR_SONS.1",
            "bw_behind_scan_is_pending and bw_behind_scan_has_one_ahead under stop_colouring_sons",
        )
        .then("(n1,i1) is behind (n,SONS) iff it is behind (n+1,0)", |a| {
            a.behind(a.cell1(), (a.n, a.m.shape.sons)) == a.behind(a.cell1(), (a.n + 1, 0))
        }),
    ]
}

/// As the mutator redirects a cell.
fn redirections() -> Vec<Lemma> {
    vec![
        lemma(
            "bw_of_the_redirected",
            "Fig. 11, bw; Appendix A.2.1, mem_ax2",
            "bw_behind_scan_has_one_ahead under mutate: the target is white",
        )
        .then(
            "bw(n,i)(c,set_son(n,i,k)(m)) iff colour(n)(c) and not colour(k)(c)",
            |a| a.bw(a.cell(), &a.redirected()) == (a.c.colour(a.n) && !a.c.colour(a.k)),
        ),
        lemma(
            "bw_elsewhere",
            "Fig. 11, bw; Appendix A.2.1, mem_ax2",
            "bw_behind_scan_is_pending under mutate",
        )
        .given("(n1,i1) /= (n,i)", |a| a.cell1() != a.cell())
        .then("bw(n1,i1)(c,set_son(n,i,k)(m)) iff bw(n1,i1)(c,m)", |a| {
            a.bw(a.cell1(), &a.redirected()) == a.bw(a.cell1(), &a.m)
        }),
        lemma(
            "redirect_makes_bw_behind",
            "Fig. 14, step 2",
            "bw_behind_scan_has_one_ahead under mutate: the only one behind is the redirected cell",
        )
        .given("not bw_behind(p)(c,m)", |a| !a.bw_behind(a.at(), &a.m))
        .given("bw_behind(p)(c,set_son(n,i,k)(m))", |a| {
            a.bw_behind(a.at(), &a.redirected())
        })
        .then("(n,i) is behind p and bw(n,i)(c,set_son(n,i,k)(m))", |a| {
            a.behind(a.cell(), a.at()) && a.bw(a.cell(), &a.redirected())
        }),
        lemma(
            "redirect_behind_keeps_ahead",
            "Fig. 14, step 2",
            "bw_behind_scan_has_one_ahead under mutate: the one ahead stays",
        )
        .given("(n,i) is behind p", |a| a.behind(a.cell(), a.at()))
        .given("bw_ahead(p)(c,m)", |a| a.bw_ahead(a.at(), &a.m))
        .then("bw_ahead(p)(c,set_son(n,i,k)(m))", |a| {
            a.bw_ahead(a.at(), &a.redirected())
        }),
        lemma(
            "redirect_to_black_makes_no_bw",
            "Fig. 14, step 3",
            "uncoloured_count_has_no_bw and no_bw_at_quit under mutate",
        )
        .given("not exists_bw(c,m)", |a| !a.exists_bw(&a.m))
        .given("colour(k)(c)", |a| a.c.colour(a.k))
        .then("not exists_bw(c,set_son(n,i,k)(m))", |a| {
            !a.exists_bw(&a.redirected())
        }),
    ]
}
