//! Options of a check: those that its system has are offered, and the others are refused with the reason and the checks that have them.

use refmap::Settings;
use refmap::obligation::{Liveness, Symmetry};
use refmap_checks::catalogue;

use crate::has;
use crate::program::{json, refmap, status, text};

/// Options that a check may have or not.
const OPTIONS: [&str; 6] = [
    "any-number-of",
    "views",
    "symmetry",
    "inductive",
    "samples",
    "liveness",
];

/// Those of them that the help of a check lists.
fn offered(check: &str) -> Vec<&'static str> {
    let output = refmap(&format!("check {check} --help"));
    assert_eq!(status(&output), 0, "{check}");
    let help = text(&output.stdout);
    let lists = |option: &&str| {
        let option = format!("--{option}");
        let mut lines = help.lines().map(str::trim_start);
        lines.any(|line| line.split([' ', '=']).next() == Some(option.as_str()))
    };
    OPTIONS.into_iter().filter(lists).collect()
}

#[test]
fn a_check_offers_what_its_system_has() {
    for (check, expected) in [
        // Its threads stand in a line.
        ("szymanski", &["any-number-of", "views"][..]),
        ("ticket-lock", &["any-number-of", "views", "symmetry"]),
        ("ben-ari", &OPTIONS),
        (
            "ben-ari-3",
            &["symmetry", "inductive", "samples", "liveness"],
        ),
        ("yrc-module", &[]),
    ] {
        assert_eq!(offered(check), expected, "{check}");
    }
    // Of progress nothing is said by default, and of some of it where it is asked for.
    assert!(offered("copying").contains(&"liveness"));
    // A manual page and completions say the same.
    for (check, has_symmetry) in [("szymanski", false), ("ticket-lock", true)] {
        let page = text(&refmap(&format!("man check {check}")).stdout);
        assert_eq!(page.contains("\\-\\-symmetry"), has_symmetry, "{check}");
    }
}

#[test]
fn what_a_check_does_not_offer_is_refused_with_the_checks_that_do() {
    let cases = "
szymanski --symmetry full => its threads stand in a line and are not alike => --symmetry full is for ben-ari-1, => szymanski
yrc --symmetry full => this check has no symmetry to offer: no initial state  => --symmetry full is for ben-ari-1, =>  yrc,
szymanski --inductive => cannot decide inductive:* => --inductive is for => szymanski
szymanski --liveness => of what happens in the end nothing is said => --liveness is for => szymanski
ben-ari-1 --any-number-of mutators => this check is not declared as a crowd => --any-number-of is for => ben-ari-1";
    for case in cases.lines().skip(1) {
        let parts: Vec<_> = case.split(" => ").collect();
        let [words, reason, others, not] = parts[..] else {
            panic!("four parts: {case}");
        };
        let output = refmap(&format!("check {words} --max-states 1"));
        assert_eq!(status(&output), 2, "{words}");
        let said = text(&output.stderr);
        let (refused, able) = said.split_once("; ").expect(&said);
        assert!(refused.contains(reason), "{words}: {said}");
        assert!(able.starts_with(others), "{words}: {said}");
        assert!(!format!(" {able},").contains(not), "{words}: {said}");
        assert!(text(&output.stdout).is_empty());
    }
}

/// Whatever is not offered is refused, of every check.
#[test]
fn nothing_is_left_unoffered_that_can_be_asked() {
    let catalogue = catalogue();
    let mut refused = 0;
    for check in &catalogue.checks {
        let Ok(arguments) = check.arguments("") else {
            continue;
        };
        let instance = check.build(&arguments).expect("it is one by default");
        let offered = offered(check.name);
        let can = |settings: Settings<'_>| instance.declared(&settings).is_ok();
        let is_symmetric = can(Settings {
            symmetry: Symmetry::Full,
            ..Settings::default()
        });
        assert!(
            !is_symmetric || offered.contains(&"symmetry"),
            "{}",
            check.name
        );
        let live = instance.declared(&Settings {
            liveness: Liveness::Included,
            ..Settings::default()
        });
        let more = live.expect("it is declared").len()
            - instance
                .declared(&Settings::default())
                .expect("it is declared")
                .len();
        assert!(more == 0 || offered.contains(&"liveness"), "{}", check.name);
        refused += usize::from(!is_symmetric) + usize::from(more == 0);
    }
    assert!(refused > 10, "{refused}");
}

/// That what holds for every number says nothing of what it does not ask, and that an instance may violate it, is said.
#[test]
fn what_is_not_asked_of_every_number_is_named() {
    let check = "check ben-ari --nodes 2 --sons 1 --roots 1 --midway coloured --look before-scanning --mutator";
    let of_every_number = format!("{check} coloured-before --any-number-of mutators");
    let report = json(&format!("{of_every_number} --json"));
    assert_eq!(report["verdict"], "holds");
    let not_asked = report["not_asked"].as_array().expect("it is named");
    for name in [
        "environment:at_rest",
        "deadlock",
        "coverage",
        "fairness:collector",
    ] {
        assert!(not_asked.contains(&name.into()), "{name}: {not_asked:?}");
    }
    for name in ["observation", "simulation", "model"] {
        assert!(!not_asked.contains(&name.into()), "{name}: {not_asked:?}");
    }
    let shown = text(&refmap(&of_every_number).stdout);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    has(
        &shown,
        "not asked for every number of mutators: fairness:collector",
    );
    let rows = report["obligations"].as_array().expect("it has rows");
    let is_open = |name: &str| {
        let mut rows = rows.iter();
        rows.any(|row| row["name"] == name && row["verdict"] == "not decided")
    };
    assert!(
        ["environment:at_rest", "deadlock", "coverage"]
            .into_iter()
            .all(is_open)
    );
    // What a small instance violates is no matter of every number.
    let of_few = json(&format!(
        "{check} unretired --any-number-of mutators --json"
    ));
    assert_eq!(of_few["verdict"], "violated");
    assert_eq!(of_few["every_number"]["failed_with"], 1);
    assert_eq!(
        of_few["counterexample"]["obligation"],
        "environment:at_rest"
    );
    // What is chosen by name is all that is asked, and what is left out is not told of.
    let chosen = json(&format!(
        "{of_every_number} --obligations simulation --json"
    ));
    assert_eq!(chosen["verdict"], "holds");
    assert!(chosen.get("not_asked").is_none(), "{chosen}");
}
