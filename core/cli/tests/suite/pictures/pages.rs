//! Pages that `--html` writes.

use std::sync::atomic::AtomicBool;

use super::model::HOSTILE;
use super::run;
use crate::has;

/// The page of a check of the line.
fn page(more: &[&str]) -> String {
    page_of("line", more)
}

/// The page of a check.
fn page_of(check: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("page.html");
    let words = [
        "check",
        check,
        "--quiet",
        "--html",
        file.to_str().expect("it is text"),
    ];
    let words: Vec<&str> = words.iter().chain(more).copied().collect();
    run(&words, &AtomicBool::new(false), &mut Vec::new()).expect("it is checked");
    std::fs::read_to_string(file).expect("it was written")
}

#[test]
fn a_page_shows_each_step_on_both_levels() {
    let html = page(&[]);
    for part in [
        "<title>line: violated</title>",
        "id=\"step-0\"",
        "id=\"step-3\"",
        "On(name=n)",
        "<li class=\"ch\">at: 2 → 3</li>",
        "The nearest abstract actions",
        "its guard is false here",
        "n2 ● n is now n2 ○",
        "<th scope=\"col\">obligation</th>",
        "Content-Security-Policy",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("id=\"step-4\""));
    // No request to anywhere.
    for request in ["http:", "https:", "src=", "url(http", "@import"] {
        assert!(!html.contains(request), "{request}");
    }
}

/// A system that does not say how its states are drawn has pictures of rows, which are no text.
#[test]
fn a_page_of_a_system_that_says_nothing_has_pictures() {
    let html = page_of("shelf", &[]);
    for part in [
        "<desc>boxes: empty\n[0]  carries: empty\n[1]  carries: 7</desc>",
        "boxes: 7",
        ">[1]</text>",
        ">7</text>",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    assert!(!html.contains("\"drawing\""));
}

#[test]
fn a_page_says_that_everything_holds() {
    let html = page(&["--obligations", "deadlock"]);
    assert!(html.contains("<title>line: holds</title>"));
    assert!(!html.contains("id=\"step-0\""));
}

/// A page claims no more than the text of the same report.
#[test]
fn a_page_says_how_its_verdict_was_found() {
    let of = |more: &[&str]| page(&[&["--obligations", "deadlock"], more].concat());
    for (more, parts) in [
        (
            &["--walks", "5", "--seed", "7"][..],
            &["sampled: 5 random walks", "seed 7", " visits of states"][..],
        ),
        (
            &["--max-states", "2"],
            &["bounded: the states reached before the search ended by"],
        ),
        (&[], &["exhaustive: every reachable state of this instance"]),
    ] {
        let html = of(more);
        for part in parts {
            assert!(html.contains(part), "{part}");
        }
    }
}

#[test]
fn a_golden_page_stays_as_it_is() {
    let html = page(&["--length", "1"]);

    let body = html.split("<main>").nth(1).unwrap();
    let body = body.split("</main>").next().unwrap();
    // What differs from run to run: the path of the file and the time.
    let stable = |line: &&str| !line.contains("<code>test ") && !line.contains(" initial), ");
    let found: Vec<&str> = body.lines().filter(stable).collect();
    let golden = include_str!("golden.html");
    assert_eq!(
        found.join("\n").trim(),
        golden.trim(),
        "\n{}",
        found.join("\n")
    );
}

#[test]
fn a_hostile_state_is_text() {
    let html = page(&["--hostile"]);
    assert!(!html.contains("<img"));
    assert!(!html.contains(HOSTILE));
    assert!(!html.contains(['\u{1b}', '\u{202e}', '\u{0}']));
    assert_eq!(html.matches("<script").count(), 2);
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(html.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
}

#[test]
fn a_long_behaviour_is_shown_in_part() {
    let html = page(&["--length", "2000"]);
    assert!(
        html.contains("The behaviour has 2 000 steps: the first 19 and the last 480 are shown.")
    );
    for shown in ["step-0\"", "step-19\"", "step-1521\"", "step-2000\""] {
        assert!(html.contains(&format!("id=\"{shown}")), "{shown}");
    }
    for left_out in ["step-20\"", "step-1520\""] {
        assert!(!html.contains(&format!("id=\"{left_out}")), "{left_out}");
    }
    let most = 60_000 + 500 * 2_000;
    assert!(html.len() < most, "{} bytes", html.len());
}

/// The links of a page to places of its own, each with its text.
fn links(html: &str) -> Vec<(&str, &str)> {
    let links = html.split("<a href=\"#").skip(1);
    let links = links.filter_map(|link| {
        let (to, rest) = link.split_once('"')?;
        let (text, _) = rest.split_once("</a>")?;
        Some((to, text.rsplit('>').next()?))
    });
    links.collect()
}

#[test]
fn a_page_shows_all_violations_as_the_terminal_does() {
    let html = page_of("count", &["--keep-going", "--liveness"]);
    // What is claimed, by the check and by each of its obligations.
    for part in [
        "<p class=\"claim\">a clock: is a clock [this test, page 1]</p>",
        "<br><span class=\"says\">each step maps to the abstract step",
        "<td class=\"violated\">violated</td><td class=\"n\">1 000</td>",
        "<p class=\"says\">What must hold: the conclusion holds infinitely often.</p>",
        "<h2>Legend</h2>",
        "the step with which the behaviour ends",
        "the steps that go round for ever",
    ] {
        assert!(html.contains(part), "{part}");
    }
    // The model draws nothing, and takes no stutters.
    for part in ["a node, a slot", "a stutter: ", "White, grey and black"] {
        assert!(!html.contains(part), "{part}");
    }
    // Each violated obligation leads to its counterexample, each link somewhere.
    let links = links(&html);
    for (to, text) in &links {
        assert_eq!(
            html.matches(&format!(" id=\"{to}\"")).count(),
            1,
            "{to}: {text}"
        );
    }
    let rows = [
        "invariant:early",
        "invariant:late",
        "invariant:later",
        "invariant:too",
        "eventually:ends",
        "always-eventually:beyond",
    ];
    for name in rows {
        assert!(
            html.contains(&format!("\"><code>{name}</code></a>")),
            "{name}"
        );
        assert!(
            html.contains(&format!("<p><strong>{name}</strong> fails")),
            "{name}"
        );
    }
    let leads = |text: &str| links.iter().any(|link| link.1 == text);
    assert!(
        leads("steps 0 to 6 as in invariant:early, above"),
        "{links:?}"
    );
    assert!(
        leads("by the same steps as invariant:late, above"),
        "{links:?}"
    );
    assert!(
        leads("steps 0 to 700 as in invariant:late, above"),
        "{links:?}"
    );
    assert!(
        leads("by the same steps as eventually:ends, above"),
        "{links:?}"
    );
    let line = "<p class=\"gap\">steps 2 to 999: step 1 again, 998 times, each time the state + 1 to 999; abstract: the same</p>";
    has(&html, line);
    assert!(html.contains(">⋯</text>"));
    assert!(html.matches("<section class=\"step").count() < 30);
}

/// The data of a page say which steps they lack.
#[test]
fn what_a_page_leaves_out_is_told_in_its_data() {
    let html = page_of("count", &["--liveness", "--obligations", "eventually:ends"]);
    let data = html
        .split("id=\"report\">")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next());
    let data: serde_json::Value =
        serde_json::from_str(data.expect("it has data")).expect("they are JSON");
    let shown = data["counterexample"]["steps"]
        .as_array()
        .map_or(0, Vec::len);
    let left_out = data["steps_left_out"].as_array().map_or(0, Vec::len);
    assert_eq!((shown, left_out), (3, 998));
    assert_eq!(html.matches("<section class=\"step").count(), shown);
    assert_eq!(data["claim"], "a clock: is a clock [this test, page 1]");
}

#[test]
fn a_lasso_has_a_bracket() {
    let folder = tempfile::tempdir().unwrap();
    let (input, file) = (
        folder.path().join("g.jsonl"),
        folder.path().join("page.html"),
    );
    let system = serde_json::json!({
        "name": "g", "states": 3, "initial": [0], "labels": {"Q": [0]},
        "steps": [[0, "a", 1], [1, "b", 2], [2, "c", 1]], "fairness": [
            {"name": "go", "kind": "weak", "rules": ["b", "c"]},
            {"name": "on", "kind": "strong", "rules": ["b"]}],
        "properties": [
            {"name": "p", "kind": "always_eventually", "conclusion": "Q"},
            {"name": "q", "kind": "eventually", "conclusion": "Q"}],
    });
    std::fs::write(&input, format!("{system}\nnothing\n")).unwrap();
    let words = [
        "graph",
        input.to_str().unwrap(),
        "--html",
        file.to_str().unwrap(),
    ];
    run(&words, &AtomicBool::new(false), &mut Vec::new()).unwrap();
    let html = std::fs::read_to_string(file).unwrap();
    for part in [
        "<div class=\"loop\">",
        "always_eventually p",
        "Why the loop is fair",
        "weak <code>go</code>: its action is taken from 1",
        "strong <code>on</code>: its action is taken from 1",
        "<td class=\"holds\">holds</td>",
        "g.jsonl:2:",
        "id=\"report\">{\"graphs\":[{",
        "\"loop\":2",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_told_before_the_check() {
    let words = ["check", "line", "--html", "/nowhere/page.html"];
    let mut output = Vec::new();
    let error = run(&words, &AtomicBool::new(false), &mut output).unwrap_err();
    assert!(error.to_string().contains("/nowhere/page.html"), "{error}");
    assert!(output.is_empty());
}

/// The page of a comparison of two explicit systems, and what `--json` prints of it.
fn page_of_graphs(implementation: &str, specification: &str) -> (String, serde_json::Value) {
    let folder = tempfile::tempdir().expect("there is room");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let [a, b, html] = ["a.aut", "b.aut", "page.html"].map(file);
    std::fs::write(&a, implementation).expect("there is room");
    std::fs::write(&b, specification).expect("there is room");
    let mut output = Vec::new();
    let words = ["include", &a, &b, "--json", "--html", &html];
    run(&words, &AtomicBool::new(false), &mut output).expect("it is compared");
    let html = std::fs::read_to_string(html).expect("it was written");
    let mut printed: serde_json::Value = serde_json::from_slice(&output).expect("it is JSON");
    // What is printed is on the page once more, but for the version of its schema.
    printed
        .as_object_mut()
        .expect("an object")
        .shift_remove("schema");
    let (_, data) = html.split_once("id=\"report\">").expect("there is data");
    let (data, _) = data.split_once("</script>").expect("it ends");
    let data: serde_json::Value = serde_json::from_str(data).expect("it is JSON");
    assert_eq!(data, printed);
    (html, printed)
}

fn assert_has(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "{part}\n{html}");
    }
}

#[test]
fn a_page_of_a_trace_has_the_abstract_states_beside_each_state() {
    // Of two states after `a` one can go on with b, the other one with c.
    let early = "des (0,4,5)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,4)\n";
    let (html, printed) = page_of_graphs("des (0,2,3)\n(0,a,1)\n(1,\"<d>\",2)\n", early);
    assert_has(
        &html,
        &[
            "<span class=\"violated\">not included</span>",
            "A shortest trace that the specification does not have",
            "1 state after the same trace",
            "2 states after the same trace",
            "<ul class=\"d\"><li>1</li></ul><ul class=\"d\"><li>2</li></ul>",
            "<section class=\"step end\" id=\"step-2\">",
            "none can follow",
            "The last step shows &lt;d&gt;.",
            "The specification could show b, or c.",
            "nothing is said of fairness, deadlock, coverage, agency or the environment",
        ],
    );
    assert_eq!(printed["evidence"]["steps"][1]["specification_states"], 2);
    assert!(!html.contains("<d>"));
}

#[test]
fn a_page_shows_what_a_mapping_lacks() {
    let late = "des (0,3,4)\n(0,a,1)\n(1,b,2)\n(1,c,3)\n";
    let early = "des (0,4,5)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,4)\n";
    let (html, _) = page_of_graphs(late, early);
    assert_has(
        &html,
        &[
            "<span class=\"holds\">included</span>",
            "A prophecy variable is missing",
            "<h3>Future 2</h3>",
            "id=\"behaviour-2-step-0\"",
            "<td><code>1</code></td><td>future 1</td>",
            "<td><code>2</code></td><td>future 2</td>",
        ],
    );
    let (html, _) = page_of_graphs(early, late);
    assert_has(
        &html,
        &[
            "<h2>A mapping: no variable is missing</h2>",
            "<p>Of 5 states. Each part of an image:</p>",
            "<tr><td><code>4</code></td><td><code>3</code></td></tr>",
        ],
    );
    let (html, _) = page_of_graphs(
        "des (0,1,2)\n(0,a,1)\n",
        "des (0,2,3)\n(0,tau,1)\n(1,a,2)\n",
    );
    assert_has(
        &html,
        &[
            "A step is several abstract steps",
            "<h3><code>a</code>: up to 2 abstract steps, in 1 step</h3>",
            "<p>the specification goes through</p>\n<ul class=\"d\"><li>0</li><li>1</li><li>2</li></ul>",
        ],
    );
    let joined = "des (0,5,4)\n(0,a,1)\n(0,b,1)\n(1,c,2)\n(2,a,3)\n(2,b,3)\n";
    let whole =
        "des (0,8,7)\n(0,a,1)\n(0,b,2)\n(1,c,3)\n(2,c,4)\n(3,a,5)\n(3,b,5)\n(4,a,6)\n(4,b,6)\n";
    let (html, printed) = page_of_graphs(joined, whole);
    assert_has(&html, &["A history variable is missing"]);
    let pasts = printed["evidence"]["pasts"].as_array();
    let told = html.contains("<h3>The second past</h3>");
    assert_eq!(told, pasts.is_some(), "{html}");
}

/// A page of a check has the drawings of both systems.
#[test]
fn a_page_of_a_check_that_is_compared_draws_its_states() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("page.html");
    let words = ["include", "seen", "--html", file.to_str().expect("text")];
    let mut output = Vec::new();
    run(&words, &AtomicBool::new(false), &mut output).expect("it is compared");
    let html = std::fs::read_to_string(file).expect("it was written");
    assert_has(
        &html,
        &[
            "<h1>seen: <span class=\"violated\">not included</span></h1>",
            "<title>Implementation, step 3</title>",
            "<title>Specification, step 2, state 1</title>",
            "id=\"step-3\"",
            "<li class=\"ch\">at: 2 → 3</li>",
            "The last step shows 3.",
            "The specification can show nothing more.",
        ],
    );
    // What cannot be followed has no abstract state.
    assert!(!html.contains("<title>Specification, step 3"));
    assert!(!html.contains(HOSTILE));
}

#[test]
fn a_page_of_a_comparison_is_not_written_over_what_is_compared() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("a.aut").display().to_string();
    std::fs::write(&file, "des (0,0,1)\n").expect("there is room");
    let words = ["include", &file, &file, "--html", &file];
    let mut output = Vec::new();
    let error = run(&words, &AtomicBool::new(false), &mut output).expect_err("it is read");
    assert!(
        error.to_string().contains("a file that the command reads"),
        "{error}"
    );
    assert!(output.is_empty());
}
