/*
 * Level 3 of Ben-Ari's collector: redirect-first mutator, every node white at the start.
 *
 * Source: Havelund & Shankar, Figs. 8, 13 and 14, and Appendix A.3, with the corrected target of
 * TEST_L.1. The transition system is that of systems/src/ben_ari/level_3.rs; ../README.md says how
 * to run it and how the counts compare.
 *
 * spin -DNODES=3 -DSONS=2 -DROOTS=1 [-DMISPRINT] -a ben_ari_3.pml
 *
 * Program counters are control locations, and each rule is one transition between two of them: a
 * d_step, or a single statement where a rule is no more than that. Neither process has a location
 * of its own for its start, so Spin stores the states of the model and no others.
 */

#if NODES < 1 || NODES > 7 || SONS < 1 || SONS > 3 || ROOTS < 1 || ROOTS > NODES
#error "NODES is from 1 to 7, SONS from 1 to 3, ROOTS from 1 to NODES"
#endif

#define CELLS (NODES * SONS)

/* Cell (n, s) is at n * SONS + s. */
byte son[CELLS];

/* Bit n of black is set if node n is black. The widths make all of these one word, and the ranges
 * above are what the widths hold: loop variables run one past their last value. */
unsigned black : NODES, q : 3, h : 3, i : 3, j : 2, k : 3, l : 3, bc : 3, obc : 3;

/*
 * The set of accessible nodes is a function of the memory, and so is not stored. The mutator's
 * options all ask for it in the same state, hence the copy of the last memory that was asked about:
 * the answer is computed about once per state. Both are outside the state vector, and correct
 * whatever state the search goes back to, since the copy is compared and not assumed. At first it is
 * the memory of zeros, in which the roots are accessible, node 0 among them.
 */
c_code {
	static uchar known[CELLS];
	static unsigned known_accessible = (1u << ROOTS) - 1;

	static unsigned accessible(void)
	{
		if (memcmp(known, now.son, CELLS) != 0)
		{	unsigned reached = (1u << ROOTS) - 1;
			unsigned todo = reached;
			while (todo != 0)
			{	int n = __builtin_ctz(todo);
				int s;
				todo &= todo - 1;
				for (s = 0; s < SONS; s++)
				{	unsigned node = 1u << now.son[n * SONS + s];
					todo |= node & ~reached;
					reached |= node;
				}
			}
			memcpy(known, now.son, CELLS);
			known_accessible = reached;
		}
		return known_accessible;
	}
};

/* Spin 6.5 takes every call in a c_expr for a side effect; only the C compiler sees this one. */
c_decl {
	\#define ACCESSIBLE accessible()
};

/* MUTATE.1 is one option for each n, s and k, so that the choice is part of the one transition. */
#define MUTATE(n, s, k) \
	:: d_step { c_expr { (ACCESSIBLE >> k) & 1 } -> son[n * SONS + s] = k; q = k }

#define INTO_0(n, k) MUTATE(n, 0, k)
#if SONS > 1
#define INTO_1(n, k) MUTATE(n, 1, k)
#else
#define INTO_1(n, k)
#endif
#if SONS > 2
#define INTO_2(n, k) MUTATE(n, 2, k)
#else
#define INTO_2(n, k)
#endif
#define INTO(n, k) INTO_0(n, k) INTO_1(n, k) INTO_2(n, k)

#define TO_0 TO(0)
#define OF_0(k) INTO(0, k)
#if NODES > 1
#define TO_1 TO(1)
#define OF_1(k) INTO(1, k)
#else
#define TO_1
#define OF_1(k)
#endif
#if NODES > 2
#define TO_2 TO(2)
#define OF_2(k) INTO(2, k)
#else
#define TO_2
#define OF_2(k)
#endif
#if NODES > 3
#define TO_3 TO(3)
#define OF_3(k) INTO(3, k)
#else
#define TO_3
#define OF_3(k)
#endif
#if NODES > 4
#define TO_4 TO(4)
#define OF_4(k) INTO(4, k)
#else
#define TO_4
#define OF_4(k)
#endif
#if NODES > 5
#define TO_5 TO(5)
#define OF_5(k) INTO(5, k)
#else
#define TO_5
#define OF_5(k)
#endif
#if NODES > 6
#define TO_6 TO(6)
#define OF_6(k) INTO(6, k)
#else
#define TO_6
#define OF_6(k)
#endif
#define TO(k) OF_0(k) OF_1(k) OF_2(k) OF_3(k) OF_4(k) OF_5(k) OF_6(k)

active proctype mutator()
{
	do
	:: if
	   TO_0 TO_1 TO_2 TO_3 TO_4 TO_5 TO_6
	   fi;
	   /* COLOUR.1 */
	   black = black | (1 << q)
	od
}

#define BLACK(n) (black & (1 << (n)))

/* The misprint of Fig. 14: TEST_L.1 skips the roots. */
#ifdef MISPRINT
#define AFTER_APPENDING TEST_I
#else
#define AFTER_APPENDING COLOUR_ROOTS
#endif

active proctype collector()
{
COLOUR_ROOTS:
	if
	:: d_step { k == ROOTS -> i = 0 }; goto TEST_I
	:: d_step { k < ROOTS -> black = black | (1 << k); k++ }; goto COLOUR_ROOTS
	fi;

TEST_I:
	if
	:: d_step { i == NODES -> bc = 0; h = 0 }; goto TEST_H
	:: i < NODES; goto TEST_COLOUR
	fi;

TEST_COLOUR:
	if
	:: d_step { !BLACK(i) -> i++ }; goto TEST_I
	:: d_step { BLACK(i) -> j = 0 }; goto COLOUR_SONS
	fi;

COLOUR_SONS:
	if
	:: d_step { j == SONS -> i++ }; goto TEST_I
	:: d_step { j < SONS -> black = black | (1 << son[i * SONS + j]); j++ }; goto COLOUR_SONS
	fi;

TEST_H:
	if
	:: h == NODES; goto COMPARE
	:: h < NODES; goto COUNT
	fi;

COUNT:
	if
	:: d_step { !BLACK(h) -> h++ }; goto TEST_H
	:: d_step { BLACK(h) -> bc++; h++ }; goto TEST_H
	fi;

COMPARE:
	if
	:: d_step { bc == obc -> l = 0 }; goto TEST_L
	:: d_step { bc != obc -> obc = bc; i = 0 }; goto TEST_I
	fi;

TEST_L:
	if
	:: d_step { l == NODES -> bc = 0; obc = 0; k = 0 }; goto AFTER_APPENDING
	:: l < NODES; goto APPEND
	fi;

APPEND:
	/* L is below NODES here. In brackets is the claim, which Spin checks as an assertion before the
	 * block: a white node that is about to be appended is garbage. That is inv1 of level 1, which
	 * says nothing of states in which L is black, so that no other rule has to check it. */
	if
	:: d_step {
		!BLACK(l) ->
		c_code [ ((ACCESSIBLE >> now.l) & 1) == 0 ] {
			uchar old_head = now.son[0];
			int s;
			now.son[0] = now.l;
			for (s = 0; s < SONS; s++)
			{	now.son[now.l * SONS + s] = old_head;
			}
			now.l++;
		}
	   }; goto TEST_L
	:: d_step { BLACK(l) -> black = black & ~(1 << l); l++ }; goto TEST_L
	fi
}
