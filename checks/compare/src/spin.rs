//! Spin: a model checker that writes a C program for a model, which is compiled and searches
//! depth-first.
//!
//! How it is run, and how its output is to be read, is said on the peers' page.

use std::path::Path;
use std::process::Command;

use super::contender::{Contender, Role};
use super::instance::{Counts, Instance, Memory};
use super::measurement::Run;
use super::peer::{Absent, build, models};

/// The instances whose depth-first search is longer than the shortest limit allows.
const DEEP: u64 = 1_000_000;

/// A model for Spin.
struct Model {
    file: &'static str,
    /// The sizes that it is given.
    sizes: Vec<(&'static str, u8)>,
    /// The claim that it states.
    claims: &'static str,
    /// The length of the longest behaviour without a repetition that there may be, and the size of the hash table.
    limits: [&'static str; 2],
}

impl Model {
    /// The model of `instance`, if there is one.
    fn of(instance: Instance) -> Option<Self> {
        match instance {
            Instance::BenAri(Memory { nodes, sons, roots }) => Some(Self {
                file: "spin/ben_ari_3.pml",
                sizes: vec![("NODES", nodes), ("SONS", sons), ("ROOTS", roots)],
                claims: "inv1",
                limits: match instance.counts().states {
                    0..DEEP => ["-m200000", "-w22"],
                    _ => ["-m2000000", "-w25"],
                },
            }),
            Instance::TerminationDetection { nodes, messages } => Some(Self {
                file: "spin/termination_detection.pml",
                sizes: vec![("NODES", nodes), ("MESSAGES", messages)],
                claims: "invariant",
                limits: ["-m200000", "-w22"],
            }),
            Instance::TwoPhaseCommit { .. } | Instance::LeaderElection { .. } => None,
        }
    }
}

/// Spin at `instance`, if there is a model of it, built in `folder`, which is empty or does not exist: states with their
/// constant bytes masked out, and states as they are.
pub fn contenders(instance: Instance, folder: &Path) -> Vec<Result<Contender, Absent>> {
    let Some(model) = Model::of(instance) else {
        return Vec::new();
    };
    [("masked", None), ("whole", Some("-DNOCOMP"))]
        .map(|(storage, flag)| contender(&model, &folder.join(storage), storage, flag))
        .into()
}

fn contender(
    model: &Model,
    folder: &Path,
    storage: &'static str,
    flag: Option<&'static str>,
) -> Result<Contender, Absent> {
    let name = match flag {
        Some(flag) => format!("Spin {flag}"),
        None => "Spin".to_owned(),
    };
    std::fs::create_dir_all(folder).map_err(|error| Absent {
        peer: name.clone(),
        why: format!("{}: {error}", folder.display()),
    })?;
    let mut spin = Command::new("spin");
    let sizes = model.sizes.iter();
    spin.args(sizes.map(|(name, size)| format!("-D{name}={size}")));
    spin.arg("-a").arg(models().join(model.file));
    build(&name, "spin", spin.current_dir(folder))?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-O2", "-DSAFETY", "-DNOREDUCE"]).args(flag);
    compiler.args(["-o", "pan", "pan.c"]);
    build(&name, "gcc", compiler.current_dir(folder))?;
    let mut command = Command::new(folder.join("pan"));
    command.current_dir(folder);
    command.args(model.limits);
    Ok(Contender {
        program: name,
        claims: model.claims.to_owned(),
        storage,
        threads: 1,
        role: Role::Peer,
        command,
        read: |run: &Run| read(&run.stdout),
        measurements: Vec::new(),
    })
}

/// The version and the compiler, as they say it themselves; none if one of them is not there.
pub fn version() -> Option<String> {
    let spin = build("Spin", "spin", Command::new("spin").arg("-V")).ok()?;
    let compiler = build("Spin", "gcc", Command::new("gcc").arg("--version")).ok()?;
    Some(format!(
        "{}, compiled by {}",
        spin.lines().next()?,
        compiler.lines().next()?
    ))
}

/// The counts in the output of pan, which says in three places whether they are worth anything: its
/// exit status is not one of them.
fn read(output: &str) -> Result<Counts, String> {
    if let Some(line) = output.lines().find(|line| {
        line.starts_with("error:")
            || line.starts_with("pan:1:")
            || line.contains("Search not completed")
    }) {
        return Err(line.to_owned());
    }
    if !output.lines().any(|line| line.ends_with("errors: 0")) {
        return Err("it does not say errors: 0".to_owned());
    }
    // Of many states it shows the first digits only, as 1.162024e+08, which is no whole number.
    let count = |what: &str| -> Result<u64, String> {
        let line = output.lines().find_map(|line| line.strip_suffix(what));
        let number = line.and_then(|number| number.trim().parse().ok());
        number.ok_or_else(|| format!("it has no line with a whole number of{what}"))
    };
    let transitions = count(" transitions (= stored+matched)")?;
    Ok(Counts {
        states: count(" states, stored")?,
        // The initial state is stored, and no transition leads to it.
        transitions: transitions
            .checked_sub(1)
            .ok_or("it stored no initial state")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\n(Spin Version 6.5.2 -- 6 December 2019)\n\n\
        Full statespace search for:\n\
        \tnever claim         \t- (none specified)\n\
        \tassertion violations\t+\n\n\
        State-vector 28 byte, depth reached 405, errors: 0\n\
        \x20     686 states, stored\n\
        \x20    1327 states, matched\n\
        \x20    2013 transitions (= stored+matched)\n\
        \x20       0 atomic steps\n\
        hash conflicts:         0 (resolved)\n";

    #[test]
    fn the_counts_of_pan_are_ours_but_for_the_initial_state() {
        let counts = Counts {
            states: 686,
            transitions: 2_012,
        };
        assert_eq!(read(GOOD), Ok(counts));
    }

    /// pan goes on without the states beyond its depth, and says "errors: 0" all the same.
    #[test]
    fn a_search_that_was_not_deep_enough_does_not_count() {
        let output = format!("error: max search depth too small\n{GOOD}");
        assert!(read(&output).is_err_and(|reason| reason.contains("too small")));
    }

    #[test]
    fn a_violation_does_not_count() {
        let violated = GOOD.replace("errors: 0", "errors: 1");
        assert!(read(&violated).is_err());
        let assertion = format!("pan:1: c_code line 206 precondition false\n{GOOD}");
        assert!(read(&assertion).is_err_and(|reason| reason.starts_with("pan:1:")));
    }

    #[test]
    fn a_rounded_number_of_states_does_not_count() {
        let rounded = GOOD.replace("686 states", "1.162024e+08 states");
        assert!(read(&rounded).is_err_and(|reason| reason.contains("whole number")));
    }
}
