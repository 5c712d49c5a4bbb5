//! The printed lemmas: the axioms of Appendix A.2.1 and the lemmas of Appendix B.1.
//!
//! Deviation. The axioms are assumed there; here they are claims about the concrete functions. The
//! index arguments i1 and i2 of `mem_ax2` are i1 and i here, as its nodes n1 and n2 are n1 and n.

use super::lemma::{Lemma, lemma};

pub(super) fn lemmas() -> Vec<Lemma> {
    vec![
        lemma(
            "mem_ax1",
            "Appendix A.2.1",
            "the initial states of all levels",
        )
        .then("son(n,i)(null_array) = 0", |a| {
            (a.functions.null_array)(a.m.shape).son(a.n, a.i) == 0
        }),
        lemma(
            "mem_ax2",
            "Appendix A.2.1",
            "bw_behind_scan_is_pending under mutate: the cell now points to Q",
        )
        .then(
            "son(n1,i1)(set_son(n,i,k)(m)) = if (n1,i1) = (n,i) then k else son(n1,i1)(m)",
            |a| {
                let expected = if a.cell1() == a.cell() {
                    a.k
                } else {
                    a.m.son(a.n1, a.i1)
                };
                a.redirected().son(a.n1, a.i1) == expected
            },
        ),
        lemma(
            "append_ax",
            "Appendix A.2.1",
            "target_accessible under append_white; blackened5; AppendToFree::Axiom",
        )
        .given("not accessible(n)(m)", |a| !a.accessible(a.n, &a.m))
        .then(
            "accessible(n1)(append_to_free(n)(m)) iff n1 = n or accessible(n1)(m)",
            |a| a.accessible(a.n1, &a.appended()) == (a.n1 == a.n || a.accessible(a.n1, &a.m)),
        ),
        lemma(
            "accessible1",
            "Appendix B.1",
            "blackened2, hence inv2 and blackened_from_l under mutate",
        )
        .given("accessible(k)(m)", |a| a.accessible(a.k, &a.m))
        .given("accessible(n1)(set_son(n,i,k)(m))", |a| {
            a.accessible(a.n1, &a.redirected())
        })
        .then("accessible(n1)(m)", |a| a.accessible(a.n1, &a.m)),
        lemma(
            "blackened1",
            "Appendix B.1",
            "inv1 from inv2; target_accessible under append_white: L is white and so garbage",
        )
        .given("blackened(n)(c,m)", |a| a.blackened(a.n, a.c, &a.m))
        .given("accessible(n)(m)", |a| a.accessible(a.n, &a.m))
        .then("colour(n)(c)", |a| a.c.colour(a.n)),
        lemma(
            "blackened2",
            "Appendix B.1",
            "inv2 and blackened_from_l under mutate",
        )
        .given("accessible(k)(m)", |a| a.accessible(a.k, &a.m))
        .given("blackened(N)(c,m)", |a| a.blackened(a.bound, a.c, &a.m))
        .then("blackened(N)(c,set_son(n,i,k)(m))", |a| {
            a.blackened(a.bound, a.c, &a.redirected())
        }),
        lemma(
            "blackened3",
            "Appendix B.1",
            "inv2 and blackened_from_l under colour_target",
        )
        .given("blackened(N)(c,m)", |a| a.blackened(a.bound, a.c, &a.m))
        .then("blackened(N)(set_colour(n,TRUE)(c),m)", |a| {
            a.blackened(a.bound, a.coloured(), &a.m)
        }),
        lemma(
            "blackened4",
            "Appendix B.1",
            "inv2 and blackened_from_l under black_to_white",
        )
        .given("blackened(n)(c,m)", |a| a.blackened(a.n, a.c, &a.m))
        .then("blackened(n+1)(set_colour(n,FALSE)(c),m)", |a| {
            let whitened = (a.functions.set_colour)(a.c, a.n, false);
            a.blackened(a.n + 1, whitened, &a.m)
        }),
        // The free list keeps `blackened` even for an accessible n, since the cells it redirects
        // point to what was accessible; the axiom alone does not (the tests show both). The premise
        // is the paper's, and the step has it.
        lemma(
            "blackened5",
            "Appendix B.1",
            "inv2 and blackened_from_l under append_white",
        )
        .given("not accessible(n)(m)", |a| !a.accessible(a.n, &a.m))
        .given("blackened(n)(c,m)", |a| a.blackened(a.n, a.c, &a.m))
        .then("blackened(n+1)(c,append_to_free(n)(m))", |a| {
            a.blackened(a.n + 1, a.c, &a.appended())
        }),
        // The premise is the function of Appendix A.3, which has no bound, and is spelled out.
        lemma(
            "blackened6",
            "Appendix B.1",
            "inv2 under stop_colouring; blackened_by_propagation",
        )
        .given("blackened(c,m)", |a| {
            let mut nodes = a.m.shape.nodes();
            nodes.all(|n| !a.accessible(n, &a.m) || a.c.colour(n))
        })
        .then("blackened(0)(c,m)", |a| a.blackened(0, a.c, &a.m)),
    ]
}
