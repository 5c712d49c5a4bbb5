//! The global invariants [section 3.2], in its order, followed by those of program locations. Roots,
//! colours and paths are those of that section: pending stores and the honorary root are roots, and paths go
//! through the heap.

use refmap::Invariant;
use refmap_systems::heap::Objects as Refs;
use refmap_systems::tso::{
    HandshakePhase, HandshakeType, OnTheFly, Phase, State, Store, Who, pointed_to, reach,
};

type TsoInvariant = Invariant<OnTheFly>;

/// All of them.
pub(super) fn all(system: &OnTheFly) -> Vec<TsoInvariant> {
    let mut all = vec![
        handshake_phase(),
        phase_rel(),
        fm_rel(),
        fa_rel(),
        tso_store(),
    ];
    all.push(valid_refs());
    all.extend([strong_tricolour(), weak_tricolour()]);
    all.extend(valid_w());
    all.extend(sys_phase());
    all.extend(mutators_phase());
    all.extend(super::local::all(system));
    all
}

/// Every mutator is at the handshake that the collector began last, or at the one before if it has not
/// yet answered; and one that is asked has not answered.
pub fn handshake_phase() -> TsoInvariant {
    let source = "Gammie et al., section 3.2, Handshakes";
    Invariant::new("handshake_phase", source, |s: &State| {
        s.numbers().all(|mutator| {
            let in_sync = s.sys.ghost_in_sync.contains(mutator);
            let asked = s.sys.pending.contains(mutator);
            let phase = s.mutator(mutator).ghost_phase;
            fits(in_sync, s.sys.handshake, s.sys.ghost_phase, phase) && !(asked && in_sync)
        })
    })
}

/// Whether a mutator may be in a phase when the collector's last handshake is `sys`.
fn fits(in_sync: bool, kind: HandshakeType, sys: HandshakePhase, mutator: HandshakePhase) -> bool {
    use HandshakePhase::{Idle, IdleInit, IdleMarkSweep, InitMark, Mark};
    let of_kind = match kind {
        HandshakeType::Noop => sys != IdleMarkSweep,
        HandshakeType::GetRoots | HandshakeType::GetWork => sys == IdleMarkSweep,
    };
    let before = match sys {
        Idle => IdleMarkSweep,
        IdleInit => Idle,
        InitMark => IdleInit,
        Mark => InitMark,
        IdleMarkSweep => Mark,
    };
    let is_ahead = in_sync || kind == HandshakeType::GetWork;
    of_kind && mutator == if is_ahead { sys } else { before }
}

/// The pending stores of the collector that `pick` picks.
fn pending_of_gc<T>(s: &State, pick: impl Fn(Store) -> Option<T>) -> Vec<T> {
    let stores = s.sys.pending_stores(Who::Gc).iter();
    stores.copied().filter_map(pick).collect()
}

fn all_in_sync(s: &State) -> bool {
    s.numbers()
        .all(|mutator| s.sys.ghost_in_sync.contains(mutator))
}

/// The phase is that of the last handshake; or, once every mutator has answered it, one that the collector
/// has stored since, possibly with pending stores.
pub fn phase_rel() -> TsoInvariant {
    use HandshakePhase::{Idle, IdleInit, IdleMarkSweep, InitMark};
    let source = "Gammie et al., section 3.2, Coarse TSO Invariants; Fig. 3";
    Invariant::new("phase_rel", source, |s: &State| {
        let pending = pending_of_gc(s, |store| match store {
            Store::Phase(phase) => Some(phase),
            _ => None,
        });
        let (own, shared) = (s.gc.marking.phase, s.sys.phase);
        let (last, in_sync) = (s.sys.ghost_phase, all_in_sync(s));
        if pending.is_empty() {
            let fits = match last {
                Idle => shared == Phase::Idle,
                IdleInit => shared == Phase::Idle || in_sync && shared == Phase::Init,
                InitMark => shared == Phase::Init || in_sync && shared == Phase::Mark,
                HandshakePhase::Mark => shared == Phase::Mark,
                IdleMarkSweep => shared == Phase::Mark || in_sync && shared != Phase::Init,
            };
            return own == shared && fits;
        }
        let stored: &[(HandshakePhase, Phase, &[Phase])] = &[
            (IdleInit, Phase::Idle, &[Phase::Init]),
            (InitMark, Phase::Init, &[Phase::Mark]),
            (IdleMarkSweep, Phase::Mark, &[Phase::Sweep]),
            (IdleMarkSweep, Phase::Mark, &[Phase::Sweep, Phase::Idle]),
            (IdleMarkSweep, Phase::Sweep, &[Phase::Idle]),
        ];
        in_sync && pending.last() == Some(&own) && stored.contains(&(last, shared, &pending))
    })
}

/// The collector's copy of `fM` is memory's, but while it is being inverted: after the idle handshake
/// and before the next.
pub fn fm_rel() -> TsoInvariant {
    let source = "Gammie et al., section 3.2, Coarse TSO Invariants";
    Invariant::new("fM_rel", source, |s: &State| {
        let pending = pending_of_gc(s, |store| match store {
            Store::FM(mark) => Some(Some(mark)),
            _ => None,
        });
        let (own, shared) = (s.gc.marking.fm, Some(s.sys.fm));
        let inverting = s.sys.ghost_phase == HandshakePhase::Idle && all_in_sync(s);
        match pending[..] {
            [] => own == shared || inverting,
            [mark] => inverting && mark == own && own != shared && s.sys.lock != Some(Who::Gc),
            _ => false,
        }
    })
}

/// `fA` differs from `fM` from the idle flip to the mark handshake, and a store of it is pending only
/// right before the latter.
pub fn fa_rel() -> TsoInvariant {
    use HandshakePhase::{Idle, IdleInit, IdleMarkSweep, InitMark, Mark};
    let source = "Gammie et al., section 3.2, Coarse TSO Invariants";
    Invariant::new("fA_rel", source, |s: &State| {
        let pending = pending_of_gc(s, |store| match store {
            Store::FA(mark) => Some(mark),
            _ => None,
        });
        let is_equal = s.gc.marking.fm == Some(s.sys.fa);
        let in_sync = all_in_sync(s);
        match (&pending[..], s.sys.ghost_phase) {
            ([], Idle) => in_sync || is_equal,
            ([], IdleInit) => !is_equal,
            ([], InitMark) => in_sync || !is_equal,
            ([], Mark | IdleMarkSweep) => is_equal,
            ([mark], InitMark) => in_sync && *mark != s.sys.fa && !is_equal,
            _ => false,
        }
    })
}

/// The collector stores no fields, and mutators no control variables.
pub fn tso_store() -> TsoInvariant {
    let source = "Gammie et al., section 3.2, Coarse TSO Invariants";
    Invariant::new("tso_store", source, |s: &State| {
        s.buffer_owners().all(|who| {
            let may_store = |store: &Store| match (who, store) {
                (_, Store::Mark(..)) => true,
                (Who::Gc, store) => !matches!(store, Store::Field(..)),
                (Who::Mutator(_), store) => matches!(store, Store::Field(..)),
            };
            s.sys.pending_stores(who).iter().all(may_store)
        })
    })
    .when(|s: &State| {
        s.buffer_owners()
            .any(|who| !s.sys.pending_stores(who).is_empty())
    })
}

/// An object exists at every reference reachable from a mutator or from a grey one: the safety property of the
/// collector.
pub fn valid_refs() -> TsoInvariant {
    let source = "Gammie et al., sections 1.1 and 3.2";
    Invariant::new("valid_refs", source, |s: &State| {
        let roots = s.numbers().map(|mutator| s.roots(mutator));
        reach(&s.sys.heap, roots.fold(s.grey(), Refs::and)).1
    })
}

/// References in the fields of the objects at `sources`.
fn targets(s: &State, sources: Refs) -> Refs {
    let objects = sources.iter().filter_map(|source| s.sys.object(source));
    objects.fold(Refs::default(), |all, object| all.and(pointed_to(object)))
}

fn has_black_and_white(s: &State) -> bool {
    !s.black().is_empty() && !s.white().is_empty()
}

/// No black object points to a white one.
pub fn strong_tricolour() -> TsoInvariant {
    let source = "Gammie et al., section 2.1";
    Invariant::new("strong_tricolour", source, |s: &State| {
        targets(s, s.black()).within(s.white()).is_empty()
    })
    .when(has_black_and_white)
}

/// A white object to which a black one points is reachable from a grey one through white ones.
pub fn weak_tricolour() -> TsoInvariant {
    let source = "Gammie et al., section 2.1, Fig. 1";
    Invariant::new("weak_tricolour", source, |s: &State| {
        let white = targets(s, s.black()).within(s.white());
        white.without(s.grey_protected()).is_empty()
    })
    .when(has_black_and_white)
}

/// `valid_W`: worklists are disjoint; what is on them is marked; and a mark is pending only within a
/// CAS.
pub fn valid_w() -> Vec<TsoInvariant> {
    let source = "Gammie et al., section 3.2, valid_W_inv";
    let disjoint = Invariant::new("valid_W_disjoint", source, |s: &State| {
        let of_process = |who| [s.worklist(who), s.honorary_grey(who)];
        let mut lists = vec![s.sys.w];
        lists.extend(s.buffer_owners().flat_map(of_process));
        let mut seen = Refs::default();
        lists.into_iter().all(|list| {
            let is_new = list.within(seen).is_empty();
            seen = seen.and(list);
            is_new
        })
    })
    .when(|s: &State| s.grey().iter().count() > 1);
    let marked = Invariant::new("valid_W_marked", source, |s: &State| {
        let claimed = |who| {
            if s.sys.lock == Some(who) {
                s.worklist(who)
            } else {
                s.worklist(who).and(s.honorary_grey(who))
            }
        };
        let claimed = s.buffer_owners().map(claimed);
        let claimed = claimed.fold(s.sys.w, Refs::and);
        claimed.without(s.marked()).is_empty()
    })
    .when(|s: &State| !s.grey().is_empty());
    let pending = Invariant::new("valid_W_pending", source, |s: &State| {
        s.buffer_owners().all(|who| match marks(s, who)[..] {
            [] => true,
            [(reference, mark)] => {
                mark == s.sys.fm
                    && s.honorary_grey(who).contains(reference)
                    && s.white().contains(reference)
                    && s.sys.lock == Some(who)
            }
            _ => false,
        })
    })
    .when(|s: &State| s.buffer_owners().any(|who| !marks(s, who).is_empty()));
    vec![disjoint, marked, pending]
}

/// The pending stores of marks of a process.
fn marks(s: &State, who: Who) -> Vec<(u8, bool)> {
    let stores = s.sys.pending_stores(who).iter();
    let marks = stores.filter_map(|store| match *store {
        Store::Mark(reference, mark) => Some((reference, mark)),
        _ => None,
    });
    marks.collect()
}

/// `sys_phase`: what the collector guarantees from the beginning of each handshake to the next.
pub fn sys_phase() -> Vec<TsoInvariant> {
    let source = "Gammie et al., section 3.2, sys_phase_inv";
    let during = |phase| move |s: &State| s.sys.ghost_phase == phase;
    vec![
        Invariant::new("sys_phase_Idle", source, |s: &State| {
            let heap = s.white().and(s.marked());
            let uniform = if s.sys.fa == s.sys.fm {
                s.black()
            } else {
                s.white()
            };
            uniform == heap && s.grey().is_empty()
        })
        .when(during(HandshakePhase::Idle)),
        Invariant::new("sys_phase_IdleInit", source, |s: &State| {
            s.black().is_empty()
        })
        .when(during(HandshakePhase::IdleInit)),
        Invariant::new("sys_phase_InitMark", source, |s: &State| {
            s.black().is_empty()
        })
        .when(during(HandshakePhase::InitMark))
        .when(|s: &State| s.sys.fa != s.sys.fm),
        Invariant::new("sys_phase_IdleMarkSweep", source, |s: &State| {
            s.grey().is_empty()
        })
        .when(during(HandshakePhase::IdleMarkSweep))
        .when(|s: &State| {
            let pending = s.sys.pending_stores(Who::Gc);
            s.sys.phase == Phase::Idle || pending.contains(&Store::Phase(Phase::Idle))
        }),
    ]
}

/// `mutators_phase`: what each mutator guarantees from its answer to a handshake to the next.
pub fn mutators_phase() -> Vec<TsoInvariant> {
    use HandshakePhase::{IdleInit, IdleMarkSweep, InitMark, Mark};
    let source = "Gammie et al., section 3.2, mutator_phase_inv";
    let insertions: &[_] = &[InitMark, Mark, IdleMarkSweep];
    let deletions: &[_] = &[Mark, IdleMarkSweep];
    vec![
        Invariant::new("mutators_phase_IdleInit", source, |s: &State| {
            s.black().is_empty()
        })
        .when(|s: &State| phased(s, &[IdleInit]).next().is_some()),
        Invariant::new("marked_insertions", source, |s: &State| {
            let inserted = phased(s, insertions).flat_map(|m| fields(s, m));
            let inserted = inserted.filter_map(|(_, _, dst)| dst);
            let marked = s.marked();
            inserted.into_iter().all(|dst| marked.contains(dst))
        })
        .when(|s: &State| phased(s, insertions).any(|m| !fields(s, m).is_empty())),
        Invariant::new("marked_deletions", source, |s: &State| {
            let stores = phased(s, deletions).flat_map(|m| fields(s, m));
            let marked = s.marked();
            let mut deleted = stores.filter_map(|(src, field, _)| {
                let object = s.sys.object(src)?;
                object.fields[usize::from(field)]
            });
            deleted.all(|old| marked.contains(old))
        })
        .when(|s: &State| phased(s, deletions).any(|m| !fields(s, m).is_empty())),
        Invariant::new("reachable_snapshot", source, |s: &State| {
            let snapshot = s.black().and(s.grey_protected());
            let mut reachable = phased(s, &[IdleMarkSweep]).map(|m| s.reachable(m));
            reachable.all(|reachable| reachable.without(snapshot).is_empty())
        })
        .when(|s: &State| {
            let mut roots = phased(s, &[IdleMarkSweep]).map(|m| s.roots(m));
            roots.any(|roots| !roots.is_empty())
        }),
    ]
}

/// The mutators that are in one of `phases`.
fn phased<'a>(s: &'a State, phases: &'a [HandshakePhase]) -> impl Iterator<Item = u8> + 'a {
    s.numbers()
        .filter(|mutator| phases.contains(&s.mutator(*mutator).ghost_phase))
}

/// The pending stores of fields of a mutator.
fn fields(s: &State, mutator: u8) -> Vec<(u8, u8, Option<u8>)> {
    let stores = s.sys.pending_stores(Who::Mutator(mutator)).iter();
    let fields = stores.filter_map(|store| match *store {
        Store::Field(src, field, dst) => Some((src, field, dst)),
        _ => None,
    });
    fields.collect()
}
