//! Fairness of the published implementations: what it implies of that of their specifications, and what each condition is
//! needed for.

use refmap::obligation::{Liveness, Until};
use refmap::{
    ActionOf, Fairness, Refinement, Settings, State, StateOf, TransitionSystem, Verdict, check,
};
use refmap_systems::published::allocator_implementation::Receives;
use refmap_systems::published::alternating_bit::Sends;
use refmap_systems::published::ewd840::Blackens;
use refmap_systems::published::scheduling_allocator::Grants;
use refmap_systems::published::write_through_cache::Fault;

use super::{alternating_bit, cache, implementation, ring, scheduling};

/// A system with other fairness conditions.
struct Under<'a, S> {
    system: &'a S,
    fairness: Vec<Fairness>,
}

impl<S: TransitionSystem> TransitionSystem for Under<'_, S>
where
    S::State: State<Self>,
{
    type State = S::State;
    type Action = S::Action;
    type Observation = S::Observation;

    fn initial(&self, visit: &mut impl FnMut(S::State)) {
        self.system.initial(visit);
    }

    fn next(&self, from: &S::State, visit: &mut impl FnMut(S::Action, S::State)) {
        self.system.next(from, visit);
    }

    fn observe(&self, state: &S::State) -> S::Observation {
        self.system.observe(state)
    }

    fn may_stop(&self, state: &S::State) -> bool {
        self.system.may_stop(state)
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.fairness.clone()
    }
}

/// A refinement whose implementation has other fairness conditions.
struct With<'a, R: Refinement> {
    refinement: &'a R,
    implementation: Under<'a, R::Concrete>,
}

impl<'a, R: Refinement> Refinement for With<'a, R>
where
    StateOf<R::Concrete>: State<Under<'a, R::Concrete>>,
{
    type Concrete = Under<'a, R::Concrete>;
    type Abstract = R::Abstract;

    fn implementation(&self) -> &Self::Concrete {
        &self.implementation
    }

    fn specification(&self) -> &R::Abstract {
        self.refinement.specification()
    }

    fn map(&self, state: &StateOf<R::Concrete>) -> StateOf<R::Abstract> {
        self.refinement.map(state)
    }

    fn abstract_action(
        &self,
        from: &StateOf<R::Concrete>,
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> Option<ActionOf<R::Abstract>> {
        self.refinement.abstract_action(from, action, to)
    }
}

/// The obligations that are violated, liveness included.
fn violated<R: Refinement>(refinement: &R) -> Vec<String> {
    let settings = Settings {
        liveness: Liveness::Included,
        until: Until::End,
        ..Settings::default()
    };
    let report = check(refinement, &settings).expect("all can be decided");
    assert_ne!(report.verdict, Some(Verdict::Incomplete), "{report}");
    report.violated().map(str::to_owned).collect()
}

/// What is violated without the condition of this name, and what if it is weak.
fn without<'a, R: Refinement>(refinement: &'a R, name: &str) -> [Vec<String>; 2]
where
    StateOf<R::Concrete>: State<Under<'a, R::Concrete>>,
{
    let system = refinement.implementation();
    let all = system.fairness();
    assert!(all.iter().any(|condition| condition.name() == name));
    let left = all.iter().filter(|condition| condition.name() != name);
    let weakened = all.iter().map(|condition| match condition.name() == name {
        true => Fairness::weak(name.to_owned(), condition.rules().map(str::to_owned)),
        false => condition.clone(),
    });
    [left.cloned().collect(), weakened.collect()].map(|fairness| {
        violated(&With {
            refinement,
            implementation: Under { system, fairness },
        })
    })
}

const NONE: [&str; 0] = [];

/// Weak fairness of the implementation implies strong fairness of the specification, as the order of the clients sees to.
#[test]
fn the_scheduling_allocator_passes_no_client_over() {
    let refinement = scheduling(Grants::InOrder);
    assert_eq!(violated(&refinement), NONE);
    assert_eq!(without(&refinement, "return")[0], ["fairness:return"]);
    assert_eq!(without(&refinement, "schedule")[0], ["fairness:allocate"]);
    let both = ["fairness:return", "fairness:allocate"];
    assert_eq!(without(&refinement, "allocate")[0], both);
    assert_eq!(violated(&scheduling(Grants::AnyAvailable)), both);
}

/// Receipt of requests is needed by no condition of the specification, which begins where a request has been received.
#[test]
fn messages_of_the_allocator_arrive() {
    let refinement = implementation(2, Receives::AfterReturns);
    assert_eq!(violated(&refinement), NONE);
    for condition in ["return", "r_alloc", "r_ret"] {
        let violated = &without(&refinement, condition)[0];
        assert_eq!(violated, &["fairness:return"], "{condition}");
    }
    assert_eq!(without(&refinement, "allocate")[0], ["fairness:allocate"]);
    assert_eq!(without(&refinement, "schedule")[0], ["fairness:schedule"]);
    assert_eq!(without(&refinement, "r_req")[0], NONE);
}

/// The queue may be full again and again when a processor looks, so that weak fairness does not do there.
#[test]
fn the_cache_responds() {
    let refinement = cache(1, Fault::None);
    assert_eq!(violated(&refinement), NONE);
    for condition in ["respond", "enqueue", "dequeue"] {
        let violated = &without(&refinement, condition)[0];
        assert_eq!(violated, &["fairness:respond"], "{condition}");
    }
    assert_eq!(without(&refinement, "enqueue")[1], ["fairness:respond"]);
    assert_eq!(
        violated(&cache(1, Fault::EvictsAwaited)),
        ["fairness:respond"]
    );
}

/// A line may lose what is on it again and again, so that weak fairness does not do there.
#[test]
fn the_alternating_bit_protocol_delivers() {
    let refinement = alternating_bit(Sends::AfterAck);
    assert_eq!(violated(&refinement), NONE);
    assert_eq!(without(&refinement, "send_again")[0], ["fairness:receive"]);
    assert_eq!(
        without(&refinement, "send_ack")[0],
        ["fairness:acknowledge"]
    );
    for violated in without(&refinement, "receive_message") {
        assert_eq!(violated, ["fairness:receive"]);
    }
    for violated in without(&refinement, "receive_ack") {
        assert_eq!(violated, ["fairness:acknowledge"]);
    }
}

#[test]
fn the_ring_detects_termination() {
    let refinement = ring(Blackens::SendersUp);
    assert_eq!(violated(&refinement), NONE);
    assert_eq!(without(&refinement, "go_round")[0], ["fairness:detect"]);
}
