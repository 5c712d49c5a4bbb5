//! Counterexamples of one report as text: what an earlier one has told is referred to, and what repeats is told once.

use refmap::internal::{Detail, TextOptions};
use refmap::obligation::{Liveness, Until};
use refmap::{Fairness, Invariant, Property, Report, Settings, State};
use refmap_testing::{Action, Machine, Via, checked, itself};
use serde::Serialize;

/// A counter that goes round, and what it has passed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Count {
    n: u32,
    tens: u32,
    passed: bool,
}

const START: Count = Count {
    n: 0,
    tens: 0,
    passed: false,
};

fn counting(next: fn(&Count) -> Vec<(Action, Count)>) -> Via<Count, Count> {
    let rules = [("tick", "clock"), ("carry", "wheel")];
    let mut refinement = itself(Machine::new(&rules, [START], next, |_| 0));
    refinement.implementation.fairness = vec![Fairness::weak("on", ["tick", "carry"])];
    refinement
}

fn told(refinement: &Via<Count, Count>) -> Report {
    let settings = Settings {
        liveness: Liveness::Included,
        until: Until::End,
        ..Settings::default()
    };
    checked(refinement, &settings)
}

/// The text of each counterexample of a report, without the line that says what fails.
fn parts(report: &Report) -> Vec<(String, Vec<String>)> {
    let text = report.to_string();
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        match line.split_once(" fails") {
            Some((name, _)) if !line.starts_with(' ') => parts.push((name.to_owned(), Vec::new())),
            _ => parts
                .last_mut()
                .into_iter()
                .for_each(|part| part.1.push(line.to_owned())),
        }
    }
    parts
}

/// Every hour of 300.
fn clock(count: &Count) -> Vec<(Action, Count)> {
    let to = Count {
        n: (count.n + 1) % 300,
        tens: count.tens,
        passed: count.n == 150,
    };
    vec![(("tick", 0), to)]
}

#[test]
fn a_long_loop_of_a_counter_is_told_in_a_line() {
    let mut refinement = counting(clock);
    let later = Property::eventually("later", "a test", |count: &Count| count.n > 300);
    refinement.liveness = vec![later];
    let report = told(&refinement);
    let steps = report
        .counterexample
        .as_ref()
        .map(|found| found.steps.len());
    assert_eq!(steps, Some(301), "the data have all steps");
    let text = report.to_string();
    let (_, lasso) = &parts(&report)[0];
    let expected = "
   0  initially
       n 0  tens 0  passed false
       abstract: n 0  tens 0  passed false
      from here on, again and again:
   1  clock: [tick 0]  [a test]  answered by [tick 0]
       n: 0 → 1
       abstract: the same
       steps 2 to 150: step 1 again, 149 times, each time n + 1 to 150; abstract: the same
 151  clock: [tick 0]  [a test]  answered by [tick 0]
       n: 150 → 151  passed: false → true
       abstract: the same
 152  clock: [tick 0]  [a test]  answered by [tick 0]
       n: 151 → 152  passed: true → false
       abstract: the same
 153  clock: [tick 0]  [a test]  answered by [tick 0]
       n: 152 → 153
       abstract: the same
       steps 154 to 299: step 153 again, 146 times, each time n + 1 to 299; abstract: the same

 300  clock: [tick 0]  [a test]  answered by [tick 0]
       implementation      specification
       * n       299 → 0   * n       299 → 0
         tens    0           tens    0
         passed  false       passed  false
      which is state 0 again

  which is fair:
    weak on: it is taken by step 1";
    assert_eq!(lasso.join("\n"), expected, "{text}");
    // Whole states are all there.
    let whole = report.text(TextOptions {
        detail: Detail::WholeStates,
        ..TextOptions::default()
    });
    let whole = whole.to_string();
    assert!(
        (0..300).all(|n| whole.contains(&format!("n {n}  tens"))),
        "{whole}"
    );
}

/// Two wheels: after each tenth tick a carry, so that a round takes eleven steps, too many to be told as one; and six in
/// each of which a tick follows a carry.
fn wheels<const ROUND: u32>(count: &Count) -> Vec<(Action, Count)> {
    let mut to = count.clone();
    if count.passed {
        to.tens += 1;
        to.passed = false;
        return vec![(("carry", 0), to)];
    }
    to.n = (count.n + 1) % ROUND;
    to.passed = to.n == 0;
    if count.tens == 40 {
        Vec::new()
    } else {
        vec![(("tick", 0), to)]
    }
}

#[test]
fn rounds_of_several_steps_are_told_once() {
    let of = |next| {
        let mut refinement = counting(next);
        refinement.invariants = vec![Invariant::new("few", "a test", |count: &Count| {
            count.tens < 40
        })];
        parts(&told(&refinement))[0].1.join("\n")
    };
    let text = of(wheels::<3>);
    let line = "\n       steps 5 to 156: steps 1 to 4 again, 38 times, each time tens + 1 to 39; abstract: the same\n";
    assert!(text.contains(line), "{text}");
    let longer = of(wheels::<12>);
    assert_eq!(longer.matches("tens + 1").count(), 0, "{longer}");
    assert_eq!(longer.matches("step 1 again, ").count(), 1, "{longer}");
}

#[test]
fn what_an_earlier_one_has_told_is_referred_to() {
    let mut refinement = counting(clock);
    let below =
        |name, most: u32| Invariant::new(name, "a test", move |count: &Count| count.n < most);
    refinement.invariants = vec![
        below("b", 200),
        below("c", 230),
        below("a", 5),
        below("again", 200),
        Invariant::new("passed", "a test", |count: &Count| !count.passed),
    ];
    let parts = parts(&told(&refinement));
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["a", "passed", "b", "again", "c"].map(|name| format!("invariant:{name}"))
    );
    let shared = |part: usize| {
        let lines = parts[part].1.iter().map(|line| line.trim());
        let mut lines = lines.filter(|line| line.ends_with(", above"));
        (lines.next().unwrap_or_default(), lines.count())
    };
    assert_eq!(shared(0), ("", 0));
    assert_eq!(shared(1), ("steps 0 to 5 as in invariant:a, above", 0));
    assert_eq!(
        shared(2),
        ("steps 0 to 151 as in invariant:passed, above", 0)
    );
    assert_eq!(shared(3), ("by the same steps as invariant:b, above", 0));
    assert_eq!(shared(4), ("steps 0 to 200 as in invariant:b, above", 0));
    // What is referred to is not told again, and the step that fails is told in full.
    let text = |part: usize| parts[part].1.join("\n");
    assert!(
        !text(1).contains("initially") && text(1).contains("\n   6  clock"),
        "{}",
        text(1)
    );
    assert!(text(1).contains("* n       150 → 151"), "{}", text(1));
    assert!(!text(3).contains("clock"), "{}", text(3));
    for part in 0..parts.len() {
        let told = (0..300).filter(|n| text(part).contains(&format!("n: {n} → {}", n + 1)));
        assert!(told.count() < 10, "{}", text(part));
    }
}

/// Two ways into one ring of forty: the ring is told once, also where the second one enters it elsewhere.
fn two_ways(count: &Count) -> Vec<(Action, Count)> {
    let at = |n: u32, tens: u32| Count {
        n,
        tens,
        passed: false,
    };
    match (count.n, count.tens) {
        (0, 0) => vec![(("tick", 0), at(1, 0)), (("carry", 1), at(2, 0))],
        (1, 0) => vec![(("tick", 0), at(0, 1))],
        (2, 0) => vec![(("tick", 0), at(3, 0))],
        (3, 0) => vec![(("tick", 0), at(17, 1))],
        (n, _) => vec![(("tick", 0), at((n + 7) % 40, 1))],
    }
}

#[test]
fn a_loop_is_told_in_full_once() {
    let mut refinement = counting(two_ways);
    refinement.liveness = vec![
        Property::always_eventually("back", "a test", |count: &Count| count.n == 99),
        Property::leads_to(
            "by",
            "a test",
            |count: &Count| *count == at_two(),
            |count: &Count| count.n == 99,
        ),
        Property::eventually_always("even", "a test", |count: &Count| count.n.is_multiple_of(2)),
    ];
    let report = told(&refinement);
    let lassos = report
        .obligations
        .iter()
        .flat_map(|row| &row.counterexamples);
    let lassos: Vec<_> = lassos
        .map(|found| (found.loop_start, found.length))
        .collect();
    let parts = parts(&report);
    let text = |part: usize| parts[part].1.join("\n");
    assert_eq!(parts.len(), 3, "{report}");
    assert!(
        text(0).contains("from here on, again and again:"),
        "{report}"
    );
    assert!(
        text(1).contains("by the same steps as always-eventually:back, above"),
        "{report}"
    );
    let again = "
      from here on, again and again:
       the loop as in always-eventually:back, above, from its step ";
    assert!(text(2).contains(again), "{report} {lassos:?}");
    // Of the same steps another loop is another counterexample.
    let mut turned = report.clone();
    let mut rows = turned.obligations.iter_mut();
    let even = rows.find(|row| row.name == "eventually-always:even");
    let even = &mut even.expect("it is violated").counterexamples[0];
    even.loop_start = even.loop_start.map(|start| start + 1);
    let told_turned = self::parts(&turned)[1].1.join("\n");
    assert!(!told_turned.contains("by the same steps"), "{told_turned}");
    // The way to it is another one.
    assert!(text(2).contains("n: 0 → 2"), "{report}");
    assert!(text(2).contains("      which is state 3 again"), "{report}");
    assert_eq!(text(2).matches("  clock: ").count(), 2, "{report}");
}

fn at_two() -> Count {
    Count { n: 2, ..START }
}
