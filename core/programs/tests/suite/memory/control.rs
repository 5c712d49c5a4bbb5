//! Tests of the control dependencies of loads, against paths that are passed over one by one, and of where they are told.

use std::collections::{BTreeSet, HashSet};

use refmap::report::About;
use refmap::{Settings, TransitionSystem, Verdict, check};
use refmap_programs::litmus::{self, Bounds};
use refmap_programs::synthesis::{Scenario, synthesise};
use refmap_programs::{
    AccessKind, Behaviours, ControlDependency, Expression, Fence, Instruction, LoadKind, Location,
    MOST_REGISTERS, Machine, MemoryModel, Presence, Program, ProgramBuilder, ProgramRefinement,
    Register, ThreadBuilder,
};

use crate::memory::generator::{Mixture, program};

const RMO: [MemoryModel; 2] = [MemoryModel::RmoFull, MemoryModel::RmoNo];

/// Expressions that an instruction evaluates, its address last.
fn expressions(instruction: &Instruction) -> Vec<&Expression> {
    use refmap_programs::Update;
    match instruction {
        Instruction::Assign { value, .. } | Instruction::Output(value) => vec![value],
        Instruction::Load { from, .. } => vec![from.address()],
        Instruction::Store { to, value } | Instruction::StoreConditional { to, value, .. } => {
            vec![value, to.address()]
        }
        Instruction::Update { at, update, .. } => match update {
            Update::CompareAndSwap { expected, desired } => vec![expected, desired, at.address()],
            Update::Exchange(value) | Update::Fetch(_, value) => vec![value, at.address()],
        },
        Instruction::Branch { condition, .. } | Instruction::Assert(condition) => vec![condition],
        _ => vec![],
    }
}

fn registers(expressions: &[&Expression]) -> HashSet<Register> {
    let mut all = HashSet::new();
    for expression in expressions {
        expression.registers(&mut |register| {
            all.insert(register);
        });
    }
    all
}

fn target(instruction: &Instruction) -> Option<Register> {
    match instruction {
        Instruction::Assign { into, .. }
        | Instruction::Load { into, .. }
        | Instruction::Choose { into, .. } => Some(*into),
        Instruction::StoreConditional { succeeded, .. } => Some(*succeeded),
        Instruction::Update { result, .. } => result.map(|(register, _)| register),
        _ => None,
    }
}

fn kind(instruction: &Instruction) -> Option<AccessKind> {
    match instruction {
        Instruction::Load { kind, .. } if *kind == LoadKind::Linked => Some(AccessKind::LoadLinked),
        Instruction::Load { .. } => Some(AccessKind::Load),
        Instruction::Store { .. } => Some(AccessKind::Store),
        Instruction::StoreConditional { .. } => Some(AccessKind::StoreConditional),
        Instruction::Update { .. } => Some(AccessKind::Update),
        _ => None,
    }
}

/// Visits the paths of a thread from its beginning, with few backward jumps, and the beginnings of paths.
fn paths(code: &[Instruction], bound: usize, visit: &mut impl FnMut(&[usize])) {
    fn extend(
        code: &[Instruction],
        left: usize,
        path: &mut Vec<usize>,
        visit: &mut impl FnMut(&[usize]),
    ) {
        let at = *path.last().expect("it has begun");
        visit(path);
        let next = match &code[at] {
            Instruction::Jump(to) | Instruction::Atomic { end: to } => vec![*to],
            Instruction::Branch { otherwise, .. } => vec![at + 1, *otherwise],
            _ => vec![at + 1],
        };
        for to in next {
            let jumps_back = usize::from(to <= at);
            if to < code.len() && jumps_back <= left {
                path.push(to);
                extend(code, left - jumps_back, path, visit);
                path.pop();
            }
        }
    }
    if !code.is_empty() {
        extend(code, bound, &mut vec![0], visit);
    }
}

/// Instance of an instruction whose result a path's registers may depend on.
type Instances = HashSet<usize>;

/// Control dependencies at the end of a path: of the instances of reads on it, each by its position, those that the last
/// instruction waits for only because of a branch.
fn at_the_end_of(
    program: &Program,
    thread: usize,
    path: &[usize],
    model: MemoryModel,
    found: &mut BTreeSet<ControlDependency>,
) {
    let code = &program.threads[thread].code;
    let last = path.len() - 1;
    let load = &code[path[last]];
    let Some(later) = kind(load).filter(|kind| {
        matches!(
            kind,
            AccessKind::Load | AccessKind::LoadLinked | AccessKind::Update
        )
    }) else {
        return;
    };
    // Which instances each register depends on, before each position of the path.
    let mut depends = vec![Instances::new(); MOST_REGISTERS];
    let mut written = vec![None; MOST_REGISTERS];
    let mut branches: Vec<(usize, Instances)> = Vec::new();
    let mut address_written = Vec::new();
    for (position, at) in path.iter().enumerate() {
        let instruction = &code[*at];
        let read = registers(&expressions(instruction));
        let of = |depends: &[Instances]| -> Instances {
            let each = read.iter().flat_map(|of| depends[usize::from(of.0)].iter());
            each.copied().collect()
        };
        let operands = of(&depends);
        // What an address register held is known by when it was written.
        address_written.push(written.clone());
        if matches!(
            instruction,
            Instruction::Branch { .. } | Instruction::Assert(_)
        ) {
            branches.push((position, operands.clone()));
        }
        if position == last {
            break;
        }
        if let Some(target) = target(instruction) {
            let mut result = operands;
            if kind(instruction).is_some() {
                result.insert(position);
            }
            depends[usize::from(target.0)] = result;
            written[usize::from(target.0)] = Some(position);
        }
    }
    let needed: Instances = registers(&expressions(load))
        .iter()
        .flat_map(|of| depends[usize::from(of.0)].iter().copied())
        .collect();
    for first in 0..last {
        let earlier = &code[path[first]];
        let Some(before) = kind(earlier).filter(|kind| kind.reads()) else {
            continue;
        };
        let orders = model.orders(before, later)
            || before.is_exclusive() && later.is_exclusive()
            || needed.contains(&first);
        let between = path[first + 1..last].iter().map(|at| &code[*at]);
        let mut between = between.filter(|instruction| match instruction {
            Instruction::Atomic { .. } => true,
            Instruction::Fence { fence, place } => {
                let stands = place.is_none_or(|place| {
                    program.places[usize::from(place)].fence == Presence::Present
                });
                stands && (*fence != Fence::Release || later == AccessKind::Update)
            }
            Instruction::Update { .. } => model.update_is_fence(),
            _ => false,
        });
        let addresses = |at: usize| *expressions(&code[path[at]]).last().expect("it has one");
        let same_address = addresses(first) == addresses(last)
            && registers(&[addresses(first)]).iter().all(|register| {
                let number = usize::from(register.0);
                address_written[first][number] == address_written[last][number]
            });
        // A register that is never written holds its initial value.
        let of = &program.threads[thread];
        let held = |register: Register| {
            let is_written = code.iter().any(|of| target(of) == Some(register));
            (!is_written).then(|| of.registers[usize::from(register.0)].initial)
        };
        let known = |at: usize| addresses(at).evaluate(&held).ok().flatten();
        let same_address = same_address || known(first).is_some() && known(first) == known(last);
        if orders || between.next().is_some() || same_address {
            continue;
        }
        let branch = branches.iter().find(|(_, on)| on.contains(&first));
        if let Some((branch, _)) = branch {
            found.insert(ControlDependency {
                thread,
                load: path[last],
                branch: path[*branch],
                earlier: path[first],
            });
        }
    }
}

fn of_all_paths(program: &Program, model: MemoryModel) -> BTreeSet<ControlDependency> {
    let mut found = BTreeSet::new();
    let bound = match program.backward_jumps {
        Some(0) => 0,
        _ => 3,
    };
    for (thread, of) in program.threads.iter().enumerate() {
        paths(&of.code, bound, &mut |path| {
            at_the_end_of(program, thread, path, model, &mut found);
        });
    }
    found
}

/// Numbers of dependencies of random programs with, and without, places for fences, of which some stand.
fn compare_with_paths(seeds: std::ops::Range<u64>, instructions: u64) -> [usize; 2] {
    let mut compared = [0, 0];
    for seed in seeds {
        let places = seed % 3 == 0;
        let mixture = Mixture {
            threads: 2,
            instructions,
            exclusive: true,
            atomic: seed % 4 == 0,
            places,
        };
        let mut program = program(2 * seed + 1, mixture);
        for (number, place) in program.places.iter_mut().enumerate() {
            if (seed >> (number % 7)) % 5 == 0 {
                place.fence = Presence::Present;
            }
        }
        for model in MemoryModel::ALL {
            let found = program.control_dependencies(model);
            assert_eq!(found.unfinished, BTreeSet::new());
            let expected = of_all_paths(&program, model);
            assert_eq!(found.found, expected, "seed {seed}, {model}\n{program}");
            if model.orders_reads() {
                assert_eq!(found.found, BTreeSet::new(), "{model} orders loads");
            }
            compared[usize::from(places)] += found.found.len();
        }
    }
    compared
}

#[test]
fn the_analysis_finds_what_all_paths_show() {
    let [without, with] = compare_with_paths(0..3000, 9);
    assert!(without > 500 && with > 20, "{without}, {with}");
}

/// The texts of the loads, branches and earlier accesses that are found of the last thread under `model`.
fn told(model: MemoryModel, reader: impl Fn(&mut ThreadBuilder<'_>, [Location; 2])) -> Vec<String> {
    told_with(model, 1, reader)
}

fn told_with(
    model: MemoryModel,
    backward_jumps: u8,
    reader: impl Fn(&mut ThreadBuilder<'_>, [Location; 2]),
) -> Vec<String> {
    let mut program = ProgramBuilder::new("message");
    let (data, flag) = (program.location("data", 0), program.location("flag", 0));
    program.backward_jumps(backward_jumps);
    program.thread("writer", |t| {
        t.store(data, 1);
        t.fence(Fence::Full);
        t.store(flag, 1);
    });
    program.thread("reader", |t| reader(t, [data, flag]));
    let program = program.build().expect("it is well formed");
    let dependencies = program.control_dependencies(model).found;
    let text = program.to_string();
    let reader = text.split_once("reader:\n").expect("it is there").1;
    let lines: Vec<_> = reader.lines().map(|line| line[6..].to_owned()).collect();
    let told = dependencies.iter().map(|of| {
        assert_eq!(of.thread, 1);
        let [load, branch, earlier] = [of.load, of.branch, of.earlier].map(|at| &lines[at]);
        format!("{earlier}; {branch}; {load}")
    });
    told.collect()
}

#[test]
fn a_load_behind_a_branch_on_a_load_is_found_where_loads_are_not_ordered() {
    for model in MemoryModel::ALL {
        let found = told(model, |t, [data, flag]| {
            let (f, x) = (t.register("f"), t.register("x"));
            t.load(f, flag);
            t.when(f.equals(1), |t| t.load(x, data));
        });
        let expected: &[&str] = match model {
            MemoryModel::RmoFull | MemoryModel::RmoNo => &["f := flag; if f == 1; x := data"],
            _ => &[],
        };
        assert_eq!(found, expected, "{model}");
    }
}

/// Loads behind one branch are told in one sentence, each of them.
#[test]
fn the_doubts_of_a_program_name_each_load_behind_a_branch() {
    let mut program = ProgramBuilder::new("two");
    let [data, more, flag] = ["data", "more", "flag"].map(|name| program.location(name, 0));
    program.thread("reader", |t| {
        let [f, x, y] = ["f", "x", "y"].map(|name| t.register(name));
        t.load(f, flag);
        t.when(f.equals(1), |t| {
            t.load(x, data);
            t.load(y, more);
        });
    });
    let program = program.build().expect("it is well formed");
    let machine = Machine::new(program, MemoryModel::RmoNo);
    let doubts = machine.caveats().doubts();
    let [doubt] = &doubts[..] else {
        panic!("one branch is told: {doubts:?}");
    };
    let told = "reader: `x := data`, `y := more` wait for `f := flag` only because of `if f == 1`";
    assert!(doubt.starts_with(told), "{doubt}");
}

#[test]
fn nothing_is_found_where_something_else_keeps_the_order() {
    type Reader = fn(&mut ThreadBuilder<'_>, [Location; 2]);
    let readers: [(&str, Reader); 9] = [
        ("acquire fence behind the branch", |t, [data, flag]| {
            let (f, x) = (t.register("f"), t.register("x"));
            t.load(f, flag);
            t.when(f.equals(1), |t| {
                t.fence(Fence::Acquire);
                t.load(x, data);
            });
        }),
        ("full fence before the branch", |t, [data, flag]| {
            let (f, x) = (t.register("f"), t.register("x"));
            t.load(f, flag);
            t.fence(Fence::Full);
            t.when(f.equals(1), |t| t.load(x, data));
        }),
        ("load before the branch", |t, [data, flag]| {
            let (f, x) = (t.register("f"), t.register("x"));
            t.load(f, flag);
            t.load(x, data);
            t.when(f.equals(1), |t| t.assert(x.equals(1)));
        }),
        ("branch on a choice", |t, [data, flag]| {
            let (f, x) = (t.register("f"), t.register("x"));
            t.load(f, flag);
            t.choose(f, [0, 1]);
            t.when(f.equals(1), |t| t.load(x, data));
        }),
        ("store behind the branch", |t, [data, flag]| {
            let f = t.register("f");
            t.load(f, flag);
            t.when(f.equals(1), |t| t.store(data, 2));
        }),
        ("address that depends on the load", |t, [data, flag]| {
            let (f, x) = (t.register("f"), t.register("x"));
            t.load(f, flag);
            t.when(f.equals(1), |t| t.load(x, data.address() + (f - 1)));
        }),
        ("the same location", |t, [_, flag]| {
            let f = t.register("f");
            t.repeat_until(f.equals(1), |t| t.load(f, flag));
        }),
        ("the same location by a register", |t, [_, flag]| {
            let (f, a) = (t.register("f"), t.register("a"));
            t.load(a, flag);
            t.fence(Fence::Acquire);
            t.repeat_until(f.equals(1), |t| t.load(f, flag.address() + (a - a)));
        }),
        ("atomic block", |t, [data, flag]| {
            let (f, x) = (t.register("f"), t.register("x"));
            t.load(f, flag);
            t.when(f.equals(1), |t| t.atomic(|t| t.load(x, data)));
        }),
    ];
    for (why, reader) in readers {
        for model in RMO {
            assert_eq!(told(model, reader), [] as [&str; 0], "{why}, {model}");
        }
    }
}

/// Loops, several branches, dependences through registers, fences on one path only, and accesses that read and write.
#[test]
fn every_kind_of_path_is_passed_over() {
    let both = |reader: fn(&mut ThreadBuilder<'_>, [Location; 2])| {
        let [full, no] = RMO.map(|model| told(model, reader));
        assert_eq!(full, no);
        full
    };
    // Of two loads each is found, and of two branches the first that depends on the load.
    let two = both(|t, [data, flag]| {
        let (f, g, x, y) = (
            t.register("f"),
            t.register("g"),
            t.register("x"),
            t.register("y"),
        );
        t.load(f, flag);
        t.assign(g, f + 1);
        t.when(x.equals(0), |t| {
            t.when(g.equals(2), |t| {
                t.when(f.equals(1), |t| {
                    t.load(x, data);
                    t.load(y, data);
                });
            });
        });
    });
    assert_eq!(
        two,
        [
            "f := flag; if g == 2; x := data",
            "f := flag; if g == 2; y := data"
        ]
    );
    let fence_on_one_path = both(|t, [data, flag]| {
        let (f, c, x) = (t.register("f"), t.register("c"), t.register("x"));
        t.choose(c, [0, 1]);
        t.load(f, flag);
        t.when(f.equals(1), |t| {
            t.when(c.equals(1), |t| t.fence(Fence::Acquire));
            t.load(x, data);
        });
    });
    assert_eq!(fence_on_one_path, ["f := flag; if f == 1; x := data"]);
    let asserted = both(|t, [data, flag]| {
        let (f, x) = (t.register("f"), t.register("x"));
        t.load(f, flag);
        t.assert(f.equals(1));
        t.load(x, data);
    });
    assert_eq!(asserted, ["f := flag; assert f == 1; x := data"]);
    // The load stands before the branch, and behind it in the next round.
    let round: fn(&mut ThreadBuilder<'_>, [Location; 2]) = |t, [data, flag]| {
        let (f, x) = (t.register("f"), t.register("x"));
        t.repeat_until(f.equals(1), |t| {
            t.load(x, data);
            t.load(f, flag);
        });
    };
    assert_eq!(both(round), ["f := flag; if f == 1; x := data"]);
    assert_eq!(told_with(MemoryModel::RmoNo, 0, round), [] as [&str; 0]);
    // An update is a fence under one of the two models.
    type Reader = fn(&mut ThreadBuilder<'_>, [Location; 2]);
    let updates: [(Reader, &str); 3] = [
        (
            |t, [data, flag]| {
                let (f, x) = (t.register("f"), t.register("x"));
                t.fetch_and_add(f, flag, 0);
                t.when(f.equals(1), |t| t.load(x, data));
            },
            "f := fetch +(flag, 0); if f == 1; x := data",
        ),
        (
            |t, [data, flag]| {
                let (f, x) = (t.register("f"), t.register("x"));
                t.load(f, flag);
                t.when(f.equals(1), |t| t.cas(x, data, 1, 2));
            },
            "f := flag; if f == 1; x := CAS(data, 1, 2)",
        ),
        (
            |t, [data, flag]| {
                let (f, x) = (t.register("f"), t.register("x"));
                t.load(f, flag);
                t.when(f.equals(1), |t| {
                    t.cas_unchecked(flag, 1, 2);
                    t.load(x, data);
                });
            },
            "f := flag; if f == 1; x := data",
        ),
    ];
    for (reader, expected) in updates {
        assert_eq!(told(MemoryModel::RmoNo, reader), [expected]);
        assert_eq!(told(MemoryModel::RmoFull, reader), [] as [&str; 0]);
    }
    // A release fence keeps a later update in order, and no load.
    let released: Reader = |t, [data, flag]| {
        let (f, x) = (t.register("f"), t.register("x"));
        t.load(f, flag);
        t.when(f.equals(1), |t| {
            t.fence(Fence::Release);
            t.cas(x, data, 1, 2);
            t.load(x, data);
        });
    };
    assert_eq!(
        told(MemoryModel::RmoNo, released),
        ["f := flag; if f == 1; x := data"]
    );
    // A store-conditional is no load, and a branch on its success is a branch on an access.
    let conditional: Reader = |t, [data, flag]| {
        let (f, s, x) = (t.register("f"), t.register("s"), t.register("x"));
        t.load_linked(f, flag);
        t.when(f.equals(1), |t| {
            t.store_conditional(s, data, 2);
            t.when(s, |t| t.load(x, flag));
        });
    };
    let found = told(MemoryModel::RmoNo, conditional);
    assert_eq!(found, ["s := SC(data, 2); if s; x := flag"]);
}

/// Registers past the first word of a program's tables, and the last of 64, count as the others.
#[test]
fn a_dependence_goes_through_the_last_register() {
    let found = told(MemoryModel::RmoNo, |t, [data, flag]| {
        let registers: Vec<_> = (0..MOST_REGISTERS)
            .map(|number| t.register(format!("r{number}")))
            .collect();
        t.load(registers[0], flag);
        for pair in registers.windows(2) {
            t.assign(pair[1], pair[0] + 1);
        }
        t.when(registers[63].equals(64), |t| t.load(registers[1], data));
    });
    assert_eq!(found, ["r0 := flag; if r63 == 64; r1 := data"]);
}

/// Branches that merge registers in very many ways are given up, and the thread is named.
#[test]
fn a_thread_of_too_many_paths_is_said_to_be_unfinished() {
    let mut builder = ProgramBuilder::new("ways");
    let (data, flag) = (builder.location("data", 0), builder.location("flag", 0));
    builder.thread("quiet", |_| ());
    for name in ["reader", "other"] {
        builder.thread(name, |t| {
            let registers: Vec<_> = (0..40)
                .map(|number| t.register(format!("r{number}")))
                .collect();
            // No other thread writes the register, which the paths do not know.
            let (c, f) = (t.register("c"), t.register("f"));
            t.load(f, flag);
            for register in &registers {
                t.when(c, |t| t.assign(*register, f));
            }
            let sum = registers.iter().map(|register| *register + 0);
            let sum = sum.reduce(|sum, next| sum + next).expect("there are some");
            t.when(sum, |t| t.load(f, data));
        });
    }
    let program = builder.build().expect("it is well formed");
    let found = program.control_dependencies(MemoryModel::RmoNo);
    assert_eq!(found.unfinished, BTreeSet::from([1, 2]));
    let of_pso = program.control_dependencies(MemoryModel::PsoNo);
    assert_eq!(of_pso, Default::default());
    // Each is told of.
    let refinement = ProgramRefinement::robust(program, MemoryModel::RmoNo, 1000);
    let report = check(&refinement.expect("it is small"), &Settings::default());
    let warnings = report.expect("it is checked").warnings;
    for name in ["reader", "other"] {
        let beginning = format!("{name}: it has too many paths");
        let mut texts = warnings.iter().map(|warning| &warning.text);
        assert!(
            texts.any(|text| text.starts_with(&beginning)),
            "{warnings:?}"
        );
    }
}

/// Data, a fence, a flag; if the flag is up, the data.
fn message(branch_first: bool) -> Program {
    let mut program = ProgramBuilder::new("message");
    let (data, flag) = (program.location("data", 0), program.location("flag", 0));
    program.thread("writer", |t| {
        t.store(data, 1);
        t.fence(Fence::Full);
        t.store(flag, 1);
    });
    program.thread("reader", |t| {
        let (f, x) = (t.register("f"), t.register("x"));
        t.load(f, flag);
        if branch_first {
            t.when(f.equals(1), |t| {
                t.fence_kinds_at("seen", Fence::ALL, Presence::Absent);
                t.load(x, data);
                t.assert(x.equals(1));
            });
        } else {
            t.fence_kinds_at("seen", Fence::ALL, Presence::Absent);
            t.load(x, data);
            t.when(f.equals(1), |t| t.assert(x.equals(1)));
        }
    });
    program.build().expect("it is well formed")
}

fn claim(program: Program, model: MemoryModel) -> ProgramRefinement {
    let mut silent = ProgramBuilder::new("no assertion fails");
    silent.thread("writer", |_| ());
    silent.thread("reader", |_| ());
    let silent = silent.build().expect("it is well formed");
    let permitted = Behaviours::of(silent, MemoryModel::Sc, 1000).expect("it is small");
    ProgramRefinement::new(program, model, permitted)
}

fn warning(model: MemoryModel) -> String {
    format!(
        "reader: `x := data` waits for `f := flag` only because of `if f == 1` between them: {model} does not speculate, and what does \
         may load first; an acquire fence behind the branch keeps the order"
    )
}

#[test]
fn a_report_warns_where_a_branch_alone_keeps_the_order() {
    for model in MemoryModel::ALL {
        for (branch_first, fences) in [
            (true, &[] as &[&str]),
            (true, &["seen:acquire"]),
            (true, &["seen:release"]),
            (false, &[]),
        ] {
            let program = message(branch_first).with_fences(fences.iter().copied());
            let refinement = claim(program.expect("these are places"), model);
            let report = check(&refinement, &Settings::default()).expect("it is checked");
            let is_weak = RMO.contains(&model);
            let holds = branch_first || !is_weak;
            assert_eq!(report.verdict == Some(Verdict::Holds), holds, "{report}");
            let warnings = report.warnings.iter();
            let warnings = warnings.filter(|warning| warning.about == About::Implementation);
            let texts: Vec<_> = warnings.map(|warning| warning.text.clone()).collect();
            let doubtful = is_weak && branch_first && fences != ["seen:acquire"];
            let expected = if doubtful {
                vec![warning(model)]
            } else {
                vec![]
            };
            assert_eq!(texts, expected, "{branch_first} {fences:?} {model}");
        }
    }
}

#[test]
fn a_synthesis_warns_of_a_set_with_which_a_branch_alone_keeps_the_order() {
    for model in MemoryModel::ALL {
        for (branch_first, fences) in [(true, ""), (false, "seen:acquire")] {
            let scenario = Scenario::of("m", claim(message(branch_first), MemoryModel::Sc));
            let found = synthesise(&[scenario], model, &Settings::default());
            let found = found.expect("it is decided");
            let [set] = found.sets() else {
                panic!("one set: {found}");
            };
            let is_weak = RMO.contains(&model);
            let expected = if is_weak { fences } else { "" };
            assert_eq!(set.fences.concat(), expected);
            let doubtful = is_weak && branch_first;
            let expected = if doubtful {
                vec![warning(model)]
            } else {
                vec![]
            };
            assert_eq!(set.warnings, expected);
            let shown = found.to_string();
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(shown.contains(&warning(model)), doubtful, "{shown}");
            let json = serde_json::to_value(&found).expect("it is plain data");
            assert_eq!(json["sets"][0].get("warnings").is_some(), doubtful);
        }
    }
}

/// A warning of the second scenario is told like one of the first, and one of both once.
#[test]
fn a_synthesis_warns_of_each_scenario() {
    let scenario = |name: &str, branch_first| {
        let program = message(branch_first).with_fences(["seen:full"]);
        let claimed = claim(program.expect("it is a place"), MemoryModel::Sc);
        Scenario::new(name, message(branch_first), move |_, _, settings| {
            check(&claimed, settings)
        })
    };
    let all = [
        scenario("first", false),
        scenario("second", true),
        scenario("third", true),
    ];
    let found = synthesise(&all, MemoryModel::RmoNo, &Settings::default());
    let found = found.expect("it is decided");
    assert_eq!(found.sets()[0].warnings, [warning(MemoryModel::RmoNo)]);
}

#[test]
fn a_litmus_answer_warns_where_a_branch_alone_keeps_the_order() {
    let text = |fence: &str, first: &str, second: &str| {
        format!(
            "X86_64 MP\n{{ }}\n P0 | P1 ;\n movl $1,(x) | movl (y),%eax ;\n mfence | {first} ;\n movl $1,(y) | cmpl $1,%eax ;\n \
             | jne L0 ;\n | {fence} ;\n | {second} ;\n | L0: ;\nexists (1:rax=1 /\\ 1:rbx=0)"
        )
    };
    for model in MemoryModel::ALL {
        let is_weak = RMO.contains(&model);
        for (fence, first, second, doubtful) in [
            ("", "", "movl (x),%ebx", is_weak),
            ("mfence", "", "movl (x),%ebx", false),
            ("", "movl (x),%ebx", "", false),
        ] {
            let test = litmus::read(&text(fence, first, second)).expect("it is a test");
            let answer = test.run(model, &Bounds::default()).expect("it ends");
            let report = litmus::Report {
                file: "MP.litmus",
                test: &test,
                answer: &answer,
                seconds: 0.0,
            };
            let shown = report.to_string();
            let json = serde_json::to_value(&report).expect("it is plain data");
            let told: Vec<_> = shown
                .lines()
                .filter_map(|line| line.strip_prefix("Warning: "))
                .collect();
            assert_eq!(told.len(), usize::from(doubtful), "{shown}");
            assert_eq!(json.get("warnings").is_some(), doubtful);
            for warning in told {
                assert_eq!(json["warnings"][0], warning);
                assert!(warning.starts_with("P1: "), "{warning}");
                assert!(warning.contains(&format!("{model} does not speculate")));
            }
        }
    }
}
