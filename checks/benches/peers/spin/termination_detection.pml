/*
 * Termination detection in a ring, with counters of messages.
 *
 * Source: Dijkstra, Shmuel Safra's version of termination detection (EWD998). The transition system is that of
 * checks/src/compare/models/termination_detection.rs; ../README.md says how to run it and how the counts compare.
 *
 * spin -DNODES=12 -DMESSAGES=2 -a termination_detection.pml
 */

#if NODES < 2 || NODES > 16 || MESSAGES < 1 || MESSAGES > 100
#error "NODES is from 2 to 16, MESSAGES from 1 to 100"
#endif

#define NEXT(i) ((i + 1) % NODES)

bool busy[NODES] = true;
bool black[NODES];
/* Messages sent, less those received, and MESSAGES: bytes are not negative. */
byte counter[NODES] = MESSAGES;
/* Messages on their way to a node. */
byte pending[NODES];

byte position;
byte count = MESSAGES;
bool token_is_black = true;
byte unsent = MESSAGES;
bool detected;

/* Counts nodes in the claim that what is detected is so; it is outside of the state vector. */
hidden byte n;

#define CONCLUSIVE \
	(!busy[0] && !black[0] && !token_is_black && count + counter[0] == 2 * MESSAGES)

#define WORK(i) \
	:: d_step { busy[i] && unsent > 0 -> counter[i]++; pending[NEXT(i)]++; unsent-- } \
	:: d_step { pending[i] > 0 -> pending[i]--; counter[i]--; busy[i] = true; black[i] = true } \
	:: d_step { busy[i] -> busy[i] = false }

#define NODE(i) \
	WORK(i) \
	:: d_step { \
		position == i && !busy[i] -> \
		count = count + counter[i] - MESSAGES; \
		token_is_black = token_is_black || black[i]; \
		black[i] = false; \
		position-- \
	   }

#if NODES > 2
#define NODE_2 NODE(2)
#else
#define NODE_2
#endif
#if NODES > 3
#define NODE_3 NODE(3)
#else
#define NODE_3
#endif
#if NODES > 4
#define NODE_4 NODE(4)
#else
#define NODE_4
#endif
#if NODES > 5
#define NODE_5 NODE(5)
#else
#define NODE_5
#endif
#if NODES > 6
#define NODE_6 NODE(6)
#else
#define NODE_6
#endif
#if NODES > 7
#define NODE_7 NODE(7)
#else
#define NODE_7
#endif
#if NODES > 8
#define NODE_8 NODE(8)
#else
#define NODE_8
#endif
#if NODES > 9
#define NODE_9 NODE(9)
#else
#define NODE_9
#endif
#if NODES > 10
#define NODE_10 NODE(10)
#else
#define NODE_10
#endif
#if NODES > 11
#define NODE_11 NODE(11)
#else
#define NODE_11
#endif
#if NODES > 12
#define NODE_12 NODE(12)
#else
#define NODE_12
#endif
#if NODES > 13
#define NODE_13 NODE(13)
#else
#define NODE_13
#endif
#if NODES > 14
#define NODE_14 NODE(14)
#else
#define NODE_14
#endif
#if NODES > 15
#define NODE_15 NODE(15)
#else
#define NODE_15
#endif

/* One process of one location, so that Spin stores the states of the model and no others. */
active proctype ring()
{
end:	do
	:: d_step {
		position == 0 && !detected && CONCLUSIVE ->
		n = 0;
		do
		:: n < NODES -> assert(!busy[n] && pending[n] == 0); n++
		:: else -> break
		od;
		detected = true
	   }
	:: d_step {
		position == 0 && !detected && !CONCLUSIVE ->
		black[0] = false;
		position = NODES - 1;
		count = MESSAGES;
		token_is_black = false
	   }
	WORK(0)
	NODE(1)
	NODE_2
	NODE_3
	NODE_4
	NODE_5
	NODE_6
	NODE_7
	NODE_8
	NODE_9
	NODE_10
	NODE_11
	NODE_12
	NODE_13
	NODE_14
	NODE_15
	od
}
