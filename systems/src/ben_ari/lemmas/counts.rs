//! Ours about counting black nodes: step 3 of Fig. 14.
//!
//! `below(N)` and `from(N)` are the numbers of black nodes below N and from N up.

use super::lemma::{Lemma, lemma};

pub(super) fn lemmas() -> Vec<Lemma> {
    let mut lemmas = counted();
    lemmas.extend(blackened());
    lemmas
}

/// As the count moves on.
fn counted() -> Vec<Lemma> {
    vec![
        lemma(
            "blacks_from_the_start",
            "Fig. 14, TEST_I.1",
            "old_count_is_at_most_the_new and uncoloured_count_has_no_bw under stop_propagating",
        )
        .then("from(0)(c) = below(NODES)(c)", |a| {
            a.blacks_from(0, a.c) == a.blacks_below(a.m.shape.nodes, a.c)
        }),
        lemma(
            "blacks_from_the_end",
            "Fig. 14, COMPARE.1",
            "no_bw_at_quit: nothing is left to count",
        )
        .then("from(NODES)(c) = 0", |a| {
            a.blacks_from(a.m.shape.nodes, a.c) == 0
        }),
        lemma(
            "blacks_below_white",
            "Fig. 14, COUNT.1",
            "count_is_a_lower_bound under skip_white",
        )
        .given("not colour(n)(c)", |a| !a.c.colour(a.n))
        .then("below(n+1)(c) = below(n)(c)", |a| {
            a.blacks_below(a.n + 1, a.c) == a.blacks_below(a.n, a.c)
        }),
        lemma(
            "blacks_below_black",
            "Fig. 14, COUNT.2",
            "count_is_a_lower_bound under count_black",
        )
        .given("colour(n)(c)", |a| a.c.colour(a.n))
        .then("below(n+1)(c) = below(n)(c) + 1", |a| {
            a.blacks_below(a.n + 1, a.c) == a.blacks_below(a.n, a.c) + 1
        }),
        lemma(
            "blacks_from_white",
            "Fig. 14, COUNT.1",
            "old_count_is_at_most_the_new and uncoloured_count_has_no_bw under skip_white",
        )
        .given("not colour(n)(c)", |a| !a.c.colour(a.n))
        .then("from(n)(c) = from(n+1)(c)", |a| {
            a.blacks_from(a.n, a.c) == a.blacks_from(a.n + 1, a.c)
        }),
        lemma(
            "blacks_from_black",
            "Fig. 14, COUNT.2",
            "old_count_is_at_most_the_new and uncoloured_count_has_no_bw under count_black",
        )
        .given("colour(n)(c)", |a| a.c.colour(a.n))
        .then("from(n)(c) = from(n+1)(c) + 1", |a| {
            a.blacks_from(a.n, a.c) == a.blacks_from(a.n + 1, a.c) + 1
        }),
    ]
}

/// As a node is coloured.
fn blackened() -> Vec<Lemma> {
    vec![
        lemma(
            "blacks_below_grow",
            "Fig. 7, set_colour",
            "old_count_is_a_lower_bound under colour_root, colour_son and colour_target; \
             count_is_a_lower_bound under colour_target",
        )
        .then("below(N)(c) <= below(N)(set_colour(n,TRUE)(c))", |a| {
            a.blacks_below(a.bound, a.c) <= a.blacks_below(a.bound, a.coloured())
        }),
        lemma(
            "blacks_from_grow",
            "Fig. 7, set_colour",
            "old_count_is_at_most_the_new under colour_target",
        )
        .then("from(N)(c) <= from(N)(set_colour(n,TRUE)(c))", |a| {
            a.blacks_from(a.bound, a.c) <= a.blacks_from(a.bound, a.coloured())
        }),
        lemma(
            "blackening_white_counts_below",
            "Fig. 7, set_colour",
            "bw_behind_scan_is_pending and bw_behind_scan_has_one_ahead under colour_son and \
             colour_target: something was coloured",
        )
        .given("not colour(n)(c)", |a| !a.c.colour(a.n))
        .given("n < N", |a| a.n < a.bound)
        .then("below(N)(set_colour(n,TRUE)(c)) = below(N)(c) + 1", |a| {
            a.blacks_below(a.bound, a.coloured()) == a.blacks_below(a.bound, a.c) + 1
        }),
        lemma(
            "blackening_white_counts_from",
            "Fig. 7, set_colour",
            "uncoloured_count_has_no_bw under colour_target: something was coloured",
        )
        .given("not colour(n)(c)", |a| !a.c.colour(a.n))
        .given("N <= n", |a| a.bound <= a.n)
        .then("from(N)(set_colour(n,TRUE)(c)) = from(N)(c) + 1", |a| {
            a.blacks_from(a.bound, a.coloured()) == a.blacks_from(a.bound, a.c) + 1
        }),
        lemma(
            "blackening_below_is_not_counted",
            "Fig. 7, set_colour",
            "uncoloured_count_has_no_bw under colour_target: the claim held before",
        )
        .given("n < N", |a| a.n < a.bound)
        .then("from(N)(set_colour(n,TRUE)(c)) = from(N)(c)", |a| {
            a.blacks_from(a.bound, a.coloured()) == a.blacks_from(a.bound, a.c)
        }),
    ]
}
