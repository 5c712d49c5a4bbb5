//! Ours about colours, roots, accessible nodes and the free list: the second refinement, and what
//! the third takes from it.
//!
//! `black_roots(N)` says that the nodes below N are black, as `roots_below_k_black` does.

use super::lemma::{Lemma, lemma};

pub(super) fn lemmas() -> Vec<Lemma> {
    let mut lemmas = colours();
    lemmas.extend(accessible());
    lemmas.extend(free_list());
    lemmas.extend(blackened());
    lemmas
}

fn colours() -> Vec<Lemma> {
    vec![
        lemma(
            "set_colour_ax",
            "Appendix A.3, colour and set_colour",
            "blackening_keeps_black; black_roots_next",
        )
        .then(
            "colour(n1)(set_colour(n,b)(c)) = if n1 = n then b else colour(n1)(c)",
            |a| {
                [false, true].into_iter().all(|black| {
                    let expected = if a.n1 == a.n { black } else { a.c.colour(a.n1) };
                    (a.functions.set_colour)(a.c, a.n, black).colour(a.n1) == expected
                })
            },
        ),
        lemma(
            "blackening_keeps_black",
            "Appendix A.3, set_colour",
            "scanned_node_black under colour_son and colour_target",
        )
        .given("colour(n1)(c)", |a| a.c.colour(a.n1))
        .then("colour(n1)(set_colour(n,TRUE)(c))", |a| {
            a.coloured().colour(a.n1)
        }),
        lemma(
            "blackening_black",
            "section 6.3.2, COLOUR_SONS.2",
            "colour_son as a stutter; bw_behind_scan_is_pending and bw_behind_scan_has_one_ahead \
             under colour_son and colour_target",
        )
        .given("colour(n)(c)", |a| a.c.colour(a.n))
        .then("set_colour(n,TRUE)(c) = c", |a| a.coloured() == a.c),
        lemma(
            "black_roots_none",
            "Fig. 12, COLOUR_ROOTS",
            "roots_below_k_black at the start and under stop_appending: K is 0",
        )
        .then("black_roots(0)(c)", |a| a.black_roots(0, a.c)),
        lemma(
            "black_roots_next",
            "Fig. 12, COLOUR_ROOTS.2",
            "roots_below_k_black under colour_root",
        )
        .given("black_roots(n)(c)", |a| a.black_roots(a.n, a.c))
        .then("black_roots(n+1)(set_colour(n,TRUE)(c))", |a| {
            a.black_roots(a.n + 1, a.coloured())
        }),
        lemma(
            "black_roots_blackening",
            "section 6.2.2",
            "roots_below_k_black and roots_black under colour_target; roots_black under propagate \
             and colour_son",
        )
        .given("black_roots(N)(c)", |a| a.black_roots(a.bound, a.c))
        .then("black_roots(N)(set_colour(n,TRUE)(c))", |a| {
            a.black_roots(a.bound, a.coloured())
        }),
    ]
}

fn accessible() -> Vec<Lemma> {
    vec![
        lemma(
            "root_accessible",
            "Appendix A.2.1, accessible",
            "append_ax: garbage is no root, and so is not the node of the list's head",
        )
        .given("n < ROOTS", |a| a.n < a.m.shape.roots)
        .then("accessible(n)(m)", |a| a.accessible(a.n, &a.m)),
        lemma(
            "son_accessible",
            "Appendix A.2.1, accessible",
            "append_ax: the old head is accessible; redirect_keeps_target",
        )
        .given("accessible(n)(m)", |a| a.accessible(a.n, &a.m))
        .then("accessible(son(n,i)(m))(m)", |a| {
            a.accessible(a.m.son(a.n, a.i), &a.m)
        }),
        // Of the target only: what the cell pointed to may become garbage. So another mutator's
        // target may, and the step fails for several mutators.
        lemma(
            "redirect_keeps_target",
            "section 4.2",
            "target_accessible under mutate",
        )
        .given("accessible(k)(m)", |a| a.accessible(a.k, &a.m))
        .then("accessible(k)(set_son(n,i,k)(m))", |a| {
            a.accessible(a.k, &a.redirected())
        }),
        lemma(
            "redirect_garbage",
            "Appendix A.2.1, accessible",
            "append_ax: the sons of the appended node can be set first",
        )
        .given("not accessible(n)(m)", |a| !a.accessible(a.n, &a.m))
        .then(
            "accessible(n1)(set_son(n,i,k)(m)) iff accessible(n1)(m)",
            |a| a.accessible(a.n1, &a.redirected()) == a.accessible(a.n1, &a.m),
        ),
    ]
}

/// The paper leaves the free list open; these are about ours, which begins in cell (0, 0).
fn free_list() -> Vec<Lemma> {
    vec![
        lemma(
            "append_head",
            "section 4.1; Memory::append_to_free",
            "append_ax: the appended node becomes accessible",
        )
        .given("n /= 0", |a| a.n != 0)
        .then("son(0,0)(append_to_free(n)(m)) = n", |a| {
            a.appended().son(0, 0) == a.n
        }),
        lemma(
            "append_tail",
            "section 4.1; Memory::append_to_free",
            "append_ax: what was on the list stays accessible, and nothing else becomes so",
        )
        .then("son(n,i)(append_to_free(n)(m)) = son(0,0)(m)", |a| {
            a.appended().son(a.n, a.i) == a.m.son(0, 0)
        }),
        lemma(
            "append_elsewhere",
            "section 4.1; Memory::append_to_free",
            "append_ax: the other paths stay",
        )
        .given("n1 /= n", |a| a.n1 != a.n)
        .given("(n1,i1) /= (0,0)", |a| a.cell1() != (0, 0))
        .then("son(n1,i1)(append_to_free(n)(m)) = son(n1,i1)(m)", |a| {
            a.appended().son(a.n1, a.i1) == a.m.son(a.n1, a.i1)
        }),
    ]
}

fn blackened() -> Vec<Lemma> {
    vec![
        // With root_accessible and son_accessible this says that accessible is the least set with
        // the roots that is closed under sons: take the black nodes for the set.
        lemma(
            "blackened_by_propagation",
            "section 6.2.2, PROPAGATE.2",
            "stop_propagating of level 2 matched by COLOUR.2; blackened_from_l under \
             quit_propagation; uncoloured_count_has_no_bw under mutate and colour_target",
        )
        .given("black_roots(ROOTS)(c)", |a| {
            a.black_roots(a.m.shape.roots, a.c)
        })
        .given("not exists_bw(c,m)", |a| !a.exists_bw(&a.m))
        .then("blackened(0)(c,m)", |a| a.blackened(0, a.c, &a.m)),
        // The same the other way round: a path from a black root to a white node crosses over.
        lemma(
            "white_accessible_has_bw",
            "section 6.2.2, PROPAGATE.2",
            "bw_behind_scan_has_one_ahead under mutate: the target is accessible and white",
        )
        .given("black_roots(ROOTS)(c)", |a| {
            a.black_roots(a.m.shape.roots, a.c)
        })
        .given("accessible(k)(m)", |a| a.accessible(a.k, &a.m))
        .given("not colour(k)(c)", |a| !a.c.colour(a.k))
        .then("exists_bw(c,m)", |a| a.exists_bw(&a.m)),
        lemma(
            "blackened_blackening",
            "Appendix B.1, blackened1",
            "uncoloured_count_has_no_bw under colour_target: nothing changes",
        )
        .given("blackened(N)(c,m)", |a| a.blackened(a.bound, a.c, &a.m))
        .given("N <= n", |a| a.bound <= a.n)
        .given("accessible(n)(m)", |a| a.accessible(a.n, &a.m))
        .then("set_colour(n,TRUE)(c) = c", |a| a.coloured() == a.c),
    ]
}
