//! Tests of the histories of other tools: each form, each error with its line, and damaged input.

use std::convert::identity;
use std::fmt::Write;
use std::io::{self, BufReader, Read};

use refmap::random::Generator;
use refmap_histories::LONGEST_LINE;
use refmap_histories::foreign::{DEEPEST, Foreign, ForeignError, ForeignProblem, Format, read};
use serde_json::{Value, json};

use Format::{JepsenEdn, JepsenJson, JepsenText};

fn plain(format: Format, text: &str) -> Result<Vec<Foreign>, ForeignError> {
    read(&mut text.as_bytes(), format, false)
}

fn edn(text: &str) -> Vec<Foreign> {
    plain(JepsenEdn, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The value of a read in EDN.
fn value(text: &str) -> Value {
    let [read] = &edn(&format!(
        "{{:process 0, :type :invoke, :f :read, :value {text}}}"
    ))[..] else {
        panic!("{text}: not one operation");
    };
    read.argument.clone()
}

/// Tests that a history is refused with a message that begins so.
#[track_caller]
fn is_refused(format: Format, text: impl AsRef<[u8]>, told: &str) {
    let error = read(&mut text.as_ref(), format, false).expect_err("the history is malformed");
    assert!(error.to_string().starts_with(told), "{told}: {error}");
}

/// The same of each line `TEXT => MESSAGE`; a line end is written `\n`.
#[track_caller]
fn each_is_refused(format: Format, text: impl Fn(String) -> String, cases: &str) {
    for case in cases.lines().skip(1) {
        let (given, told) = case.split_once(" => ").expect(case);
        is_refused(format, text(given.replace(r"\n", "\n")), told);
    }
}

const TOO_DEEP: &str = "values are nested more than 100 deep";

#[test]
fn jepsen_history_in_edn_is_read() {
    let text = "; A comment.
{:type :invoke, :f :write, :value 3, :process 0, :time 3282, :index 0}
{:type :info, :f :start, :value nil, :process :nemesis, :time 3290, :index 1}
#jepsen.history.Op{:index 2, :time 3300, :type :invoke, :process 1, :f :read, :value nil}
{:type :invoke :f :cas :value [3 4] :process 2 :time 3310 :index 3 #_#_:error :none}
{:type :fail, :f :cas, :value [3 4], :process 2, :time 3320, :index 4, :error [:absent \"x\"]}
{:type :ok, :f :read, :value 3, :process 1,
 :time 3330, :index 5}
{:type :info, :f :write, :value 3, :process 0, :time 3340, :index 6, :error :timeout}
{:type :invoke, :f :write, :value 5, :process 3, :time 3350, :index 7}
";
    let [write, read, open] = &edn(text)[..] else {
        panic!("not three operations");
    };
    let expected = Foreign {
        thread: 0,
        function: "write".to_owned(),
        key: None,
        argument: json!(3),
        answer: None,
        begin: 3282,
        end: None,
        line: 2,
        end_line: Some(9),
    };
    assert_eq!(*write, expected);
    let expected = Foreign {
        thread: 1,
        function: "read".to_owned(),
        key: None,
        argument: Value::Null,
        answer: Some(json!(3)),
        begin: 3300,
        end: Some(3330),
        line: 4,
        end_line: Some(7),
    };
    assert_eq!(*read, expected);
    assert_eq!(
        (open.thread, open.line, open.end, open.end_line),
        (3, 10, None, None)
    );
}

/// A vector, a list, and maps without anything around have one meaning.
#[test]
fn vector_around_the_file_is_read() {
    let maps = "{:process 0 :type :invoke :f :a/read :value nil}\n{:process 0 :type :ok :f :a/read :value 1}";
    let expected = edn(maps);
    assert_eq!(expected[0].function, "a/read");
    assert_eq!(edn(&format!("[{maps}]\n")), expected);
    assert_eq!(edn(&format!(" ({maps}) ; end")), expected);
    assert!(edn("").is_empty() && edn(" [ ] ").is_empty());
}

#[test]
fn history_in_json_is_read() {
    let lines = r#"{"type":"invoke","f":"write","value":{"a":[1,2.5]},"process":0,"time":10,"index":0}
{":type":":info",":f":":start",":value":null,":process":":nemesis",":time":15}
{":type":":ok",":f":":write",":value":"}{",":process":0,":time":20,":index":1}
{"type":"invoke","f":"read","value":null,"process":0}"#;
    let expected = plain(JepsenJson, lines).expect("it is JSON");
    let [write, read] = &expected[..] else {
        panic!("not two operations");
    };
    assert_eq!(
        (&*write.function, &write.argument),
        ("write", &json!({"a": [1, 2.5]}))
    );
    assert_eq!(
        (&write.answer, write.begin, write.end),
        (&Some(json!("}{")), 10, Some(20))
    );
    assert_eq!((write.line, write.end_line), (1, Some(3)));
    assert_eq!((read.begin, read.line, read.end_line), (21, 4, None));
    let array = format!("[{}]", lines.replace("}\n", "},\n"));
    assert_eq!(plain(JepsenJson, &array).expect("it is JSON"), expected);
}

#[test]
fn text_log_is_read() {
    let text = "INFO  jepsen.core - Worker 0 starting
INFO  jepsen.util - 2\t:invoke\t:cas\t[2 4]
INFO  jepsen.util - :nemesis\t:info\t:start\tnil
INFO  jepsen.util - 3    :invoke    :read    nil
INFO  jepsen.util - Retrying (after \"failure
2021-02-26 11:42:48,813{GMT}\tINFO\t[jepsen worker 1] jepsen.util: 3\t:ok\t:read\t4
INFO  jepsen.util - 2\t:info\t:cas\t:timed-out
INFO  jepsen.util - 2\t:invoke\t:read\tnil
INFO  jepsen.util - 2\t:fail\t:read\t:timed-out \"unfinished
INFO  jepsen.util - 7\t:invoke\t:write\t0";
    let operations = plain(JepsenText, text).expect("it is a log");
    let [cas, read, write] = &operations[..] else {
        panic!("not three operations: {operations:?}");
    };
    assert_eq!(
        (&cas.argument, &cas.answer, cas.end),
        (&json!([2, 4]), &None, None)
    );
    assert_eq!((cas.line, cas.end_line, cas.begin), (2, Some(7), 0));
    assert_eq!(
        (&read.answer, read.begin, read.end),
        (&Some(json!(4)), 1, Some(2))
    );
    assert_eq!((write.thread, write.begin), (3, 6));
}

/// A history of many blocks and of more operations than a word has bits, whatever the input hands over at a time.
#[test]
fn a_long_history_is_read_whole() {
    /// Line of an event, by its process, its kind and its value.
    type Line = fn(usize, &str, usize) -> String;
    const OPERATIONS: usize = 3_000;
    let forms: [(Format, Line); 3] = [
        (JepsenEdn, |process, kind, value| {
            format!("{{:process {process}, :type :{kind}, :f :write, :value {value}}}\n")
        }),
        (JepsenJson, |process, kind, value| {
            format!(
                "{{\"process\":{process},\"type\":\"{kind}\",\"f\":\"write\",\"value\":{value}}}\n"
            )
        }),
        (JepsenText, |process, kind, value| {
            format!("INFO  jepsen.util - {process}\t:{kind}\t:write\t{value}\n")
        }),
    ];
    for (format, line) in forms {
        let lines = (0..OPERATIONS)
            .flat_map(|value| ["invoke", "ok"].map(|kind| line(value % 3, kind, value)));
        let text: String = lines.collect();
        assert!(text.len() > 2 << 16, "{format:?}: {}", text.len());
        for most in [7, 1 << 16] {
            let mut input = BufReader::with_capacity(most, text.as_bytes());
            let operations = read(&mut input, format, false).expect("it is well-formed");
            assert_eq!(operations.len(), OPERATIONS, "{format:?}");
            for (value, operation) in operations.iter().enumerate() {
                assert_eq!(operation.argument, json!(value), "{format:?}");
                assert_eq!(operation.answer, Some(json!(value)), "{format:?}");
                assert_eq!(operation.thread as usize, value % 3, "{format:?}");
                let lines = (operation.line, operation.end_line);
                let first = 2 * value as u64 + 1;
                assert_eq!(lines, (first, Some(first + 1)), "{format:?}");
            }
        }
    }
}

/// Jepsen's `history.txt` has nothing in front of the process.
#[test]
fn bare_text_is_read() {
    let text = "0\t:invoke\t:write\t3\n:nemesis\t:info\t:start\t\"cut off\n0\t:info\t:write\t3\tindeterminate: \n\n";
    let [write] = &plain(JepsenText, text).expect("it is a log")[..] else {
        panic!("not one operation");
    };
    assert_eq!(
        (&write.argument, write.line, write.end_line),
        (&json!(3), 1, Some(3))
    );
}

#[test]
fn key_value_log_of_porcupine_is_read() {
    let text = r#"{:process 0, :type :invoke, :f :put, :key "0", :value "x 0 0 y"}
{:process 1, :type :invoke, :f :get, :key "0", :value nil}
{:process 0, :type :ok, :f :put, :key "0", :value "x 0 0 y"}
{:process 1, :type :ok, :f :get, :key "0", :value "x 0 0 y"}"#;
    for keyed in [false, true] {
        let operations = read(&mut text.as_bytes(), JepsenEdn, keyed).expect("it is EDN");
        let [put, get] = &operations[..] else {
            panic!("not two operations");
        };
        assert_eq!(
            (&put.key, &put.argument),
            (&Some(json!("0")), &json!("x 0 0 y"))
        );
        assert_eq!(
            (&get.key, &get.answer),
            (&Some(json!("0")), &Some(json!("x 0 0 y")))
        );
        assert_eq!(
            (put.begin, put.end, get.begin, get.end),
            (0, Some(2), 1, Some(3))
        );
    }
}

#[test]
fn independent_pair_is_split() {
    let text = "{:process 0 :type :invoke :f :read :value [7 nil]}
{:process 1 :type :invoke :f :write :value #clojure.lang.MapEntry[:k [1 2]]}
{:process 0 :type :ok :f :read :value [7 3]}
{:process 1 :type :info :f :write :value :timed-out}";
    let operations = read(&mut text.as_bytes(), JepsenEdn, true).expect("it is EDN");
    let [read, write] = &operations[..] else {
        panic!("not two operations");
    };
    assert_eq!((&read.key, &read.argument), (&Some(json!(7)), &Value::Null));
    assert_eq!(read.answer, Some(json!(3)));
    assert_eq!(
        (&write.key, &write.argument),
        (&Some(json!("k")), &json!([1, 2]))
    );
    assert_eq!(edn(text)[0].argument, json!([7, null]));
}

/// After an unknown outcome the number is another thread; after a failure it is the same.
#[test]
fn process_that_returns_is_another_thread() {
    let event = |kind| format!("{{:process 5 :type {kind} :f :inc :value nil}}\n");
    let kinds = [
        ":invoke", ":fail", ":invoke", ":info", ":invoke", ":ok", ":invoke",
    ];
    let operations = edn(&kinds.map(event).concat());
    let threads: Vec<_> = operations
        .iter()
        .map(|operation| operation.thread)
        .collect();
    assert_eq!(threads, [0, 1, 1]);
}

/// The order of the lines is the truth.
#[test]
fn each_event_is_later_than_the_one_before() {
    let event = |(time, kind): &(&str, &str)| {
        format!("{{:process 0 :type :{kind} :f :inc :value nil :time {time}}}\n")
    };
    let times = [
        ("-1", "invoke"),
        ("100", "ok"),
        ("100", "invoke"),
        ("40", "ok"),
        ("nil", "invoke"),
        ("500", "ok"),
    ];
    let operations = edn(&times.iter().map(event).collect::<String>());
    let times: Vec<_> = operations
        .iter()
        .map(|operation| (operation.begin, operation.end))
        .collect();
    assert_eq!(times, [(0, Some(100)), (101, Some(102)), (103, Some(500))]);
    let last = i64::MAX;
    let text = format!(
        "{{:process 0 :type :invoke :f :a :time {last}}}{{:process 1 :type :invoke :f :a :time {last}}}"
    );
    assert_eq!(edn(&text)[1].begin, last as u64 + 1);
}

#[test]
fn values_of_edn_become_json() {
    for (text, expected) in [
        ("true", json!(true)),
        ("-17", json!(-17)),
        ("+3N", json!(3)),
        ("18446744073709551615", json!(u64::MAX)),
        ("18446744073709551616", json!("18446744073709551616")),
        ("0x1F", json!(31)),
        ("0x7fffffffffffffff", json!(i64::MAX)),
        ("0x8000000000000000", json!(1_u64 << 63)),
        ("+0xffffffffffffffff", json!(u64::MAX)),
        ("-0x8000000000000000", json!(i64::MIN)),
        ("-0x8000000000000001", json!("-0x8000000000000001")),
        ("0x10000000000000000", json!("0x10000000000000000")),
        (
            "0x100000000000000000000000000000000",
            json!("0x100000000000000000000000000000000"),
        ),
        ("9223372036854775807", json!(i64::MAX)),
        ("9223372036854775808N", json!(1_u64 << 63)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("-9223372036854775809", json!("-9223372036854775809")),
        ("2/3", json!("2/3")),
        ("-2.5e3", json!(-2500.0)),
        ("1.50M", json!("1.50M")),
        ("1e999", json!("1e999")),
        ("##NaN", json!("##NaN")),
        (":timed-out", json!("timed-out")),
        ("a.b/c$d", json!("a.b/c$d")),
        (r#""a\"\\\n\u00e9é\ud83d\ude00""#, json!("a\"\\\néé😀")),
        (
            r"[\a \( \newline \u0041 \o101 \é]",
            json!(["a", "(", "\n", "A", "A", "é"]),
        ),
        ("(1 (2) [])", json!([1, [2], []])),
        ("#{10 :b 9 \"a\" -1}", json!([-1, 9, 10, "a", "b"])),
        (
            "{:b {1 2}, [3 nil] 4, \"a\" 5}",
            json!({"b": {"1": 2}, "[3,null]": 4, "a": 5}),
        ),
        ("#inst \"2020-01-01\"", json!("2020-01-01")),
        ("#object[a.B 0x5f \"a.B\"]", json!(["a.B", 95, "a.B"])),
        ("[1 #_ #_ 2 [3] 4 ; 5\n #_6]", json!([1, 4])),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    assert_eq!(
        value("#{{:a 1, :b 2} {:c 3}}"),
        value("#{{:c 3} {:b 2, :a 1}}")
    );
}

#[test]
fn formats_are_recognised() {
    for (text, format) in [
        ("{:type :invoke", Some(JepsenEdn)),
        (" \n[ {:type", Some(JepsenEdn)),
        ("[", Some(JepsenEdn)),
        ("#jepsen.history.Op{:index", Some(JepsenEdn)),
        ("; comment", Some(JepsenEdn)),
        ("[\n{\"type\":\"invoke\",\"process\":", Some(JepsenJson)),
        ("{ \":process\":0", Some(JepsenJson)),
        ("{\"#meta\":{},\"vars\":[]}", None),
        (":nemesis\t:info\t:start\n0\t:invoke", Some(JepsenText)),
        ("[{:value\n0 :process 1}]", Some(JepsenEdn)),
        ("INFO  jepsen.util - 2\t:invoke", Some(JepsenText)),
        (
            "{:a 1} starts\n2021 [jepsen worker 1] jepsen.util: 10\t:invo",
            Some(JepsenText),
        ),
        ("{:value \"jepsen.util - 2\"}", Some(JepsenEdn)),
        (
            "{\"history\":\"refmap\",\"version\":1,\"parameters\":{\"process\":1}}",
            None,
        ),
        ("thread,event\n", None),
        ("# A page\n", None),
        ("#_ {:type :ok}", Some(JepsenEdn)),
        ("[1 2]", None),
        ("", None),
    ] {
        assert_eq!(Format::of(text.as_bytes()), format, "{text}");
    }
}

#[test]
fn malformed_edn_is_an_error() {
    each_is_refused(
        JepsenEdn,
        identity,
        r#"
\n {:type ]} => line 2: not EDN: a value is expected at column 9
{:a 1\n:b 012} => line 2: not EDN: a number is expected at column 7
{:a : 1} => line 1: not EDN
{:a 1 :b} => line 1: not EDN
{:a # 1} => line 1: not EDN: a tag is expected
{:a "\q"} => line 1: not EDN
{:a "\ud800"} => line 1: not EDN
{:a \abc} => line 1: not EDN
\n{:a 1 :b 2\n :a 3} => line 2: the field "a" is there twice
{:b 1 :c 2 :c 4} => line 1: the field "c" is there twice
{:process 0\n}\n\n {:process [\n => line 1: the operation has no field "type"
{:process :nemesis}\n\n {:process [\n => line 3: the input ends before
[{:process :nemesis}\n => line 2: the input ends before
\n#_ => line 2: the input ends before
[{:process :nemesis}\n [1]] => line 2: an operation is a map, and this is none"#,
    );
    is_refused(
        JepsenEdn,
        b"{:a \"\xff\"}",
        "line 1: not EDN: UTF-8 is expected",
    );
    each_is_refused(
        JepsenText,
        |line| format!("\njepsen.util - 0 {line}"),
        r#"
:invoke :read [1 => line 2: the input ends before
:invoke :read ) => line 2: not EDN: a value is expected at column 31
:invoke => line 2: the operation has no field "f"
1 => line 2: the field "type" is 1, which is not"#,
    );
}

#[test]
fn malformed_json_is_an_error() {
    each_is_refused(
        JepsenJson,
        identity,
        r#"
\n  {"a" 1} => line 2: not JSON: expected `:` at column 8
\n  {"a":1,\n"b" 1} => line 3: not JSON: expected `:` at column 5
{"a":"b\n => line 1: not JSON
\n7 => line 2: not JSON: an object is expected at column 1
\n{"a":1,"b":{"c":1,"c":2}} => line 2: the field "c" is there twice
{"type":1,":type":2,"process":0} => line 1: the field "type" is there twice
\n{"a":[\n => line 2: the input ends before
[\n => line 2: the input ends before"#,
    );
    is_refused(JepsenJson, b"{\"a\":\"\xff\"}", "line 1: not JSON");
}

#[test]
fn malformed_event_is_an_error() {
    let second = |fields: &str| {
        format!("{{:process 0 :type :invoke :f :write :value [1 2] :index 5}}\n{{{fields}}}\n")
    };
    each_is_refused(
        JepsenEdn,
        |fields| second(&fields),
        r#"
:type :ok :f :write => line 2: the operation has no field "process"
:process 0 :f :write => line 2: the operation has no field "type"
:process 0 :type :ok => line 2: the operation has no field "f"
:process 0 :type :ok :f :write => line 2: the operation has no field "value"
:process 0 :type 7 :f :write => line 2: the field "type" is 7, which is not
:process 0 :type :ok :f [1] => line 2: the field "f" is [1], which is not
:process 1.5 :type :ok => line 2: the field "process" is 1.5, which is not
:process "1" :type :ok => line 2: the field "process" is "1", which is not
:process 0 :type :ok :f :write :value 1 :time 9223372036854775808 => line 2: the field "time" is 9223372036854775808, which is not
:process 0 :type :okay :f :write => line 2: there is no type "okay"
:process 1 :type :ok :f :write => line 2: process 1 completes an operation, and has not invoked one
:process 0 :type :invoke :f :read => line 2: process 0 invokes an operation before the one of line 1 is complete
:process 0 :type :info :f :read => line 2: process 0 completes "read", and has invoked "write"
:process 0 :type :ok :f :write :value 1 :index 4 => line 2: the index 4 comes after 5"#,
    );
    let keyed = |fields: &str| {
        read(&mut second(fields).as_bytes(), JepsenEdn, true).expect_err("malformed")
    };
    let other = keyed(":process 0 :type :ok :f :write :value [3 2]");
    assert_eq!(other.line, 2);
    assert!(
        matches!(other.problem, ForeignProblem::OtherKey { process: 0, .. }),
        "{other}"
    );
    let pair = keyed(":process 1 :type :invoke :f :read :value nil");
    assert!(
        matches!(&pair.problem, ForeignProblem::NoPair { found: Value::Null }),
        "{pair}"
    );
    assert_eq!(
        pair.to_string(),
        "line 2: the value is null, which is not a pair [key value]"
    );
}

#[test]
fn bounds_are_kept() {
    for open in ["[", "{", "(", "#{", "#_", "#a ", "[#_", "{:a "] {
        is_refused(
            JepsenEdn,
            format!("\n{{:a {}", open.repeat(300_000)),
            &format!("line 2: {TOO_DEEP}"),
        );
    }
    is_refused(
        JepsenEdn,
        "#_".repeat(1_000_000),
        &format!("line 1: {TOO_DEEP}"),
    );
    is_refused(
        JepsenJson,
        format!("\n{{\"a\":{}", "[".repeat(1_000_000)),
        &format!("line 2: {TOO_DEEP}"),
    );
    let text = format!("\njepsen.util - 0 :invoke :read {}", "[".repeat(1_000_000));
    is_refused(JepsenText, text, &format!("line 2: {TOO_DEEP}"));
    // The map has depth 1.
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    value(&deep(DEEPEST - 1));
    let map = |value: String| format!("{{:process 0 :type :invoke :f :read :value {value}}}");
    is_refused(
        JepsenEdn,
        map(deep(DEEPEST)),
        &format!("line 1: {TOO_DEEP}"),
    );
    let json = |levels| {
        format!(
            "{{\"process\":0,\"type\":\"invoke\",\"f\":\"a\",\"value\":{}}}",
            deep(levels)
        )
    };
    assert!(plain(JepsenJson, &json(DEEPEST - 1)).is_ok());
    is_refused(JepsenJson, json(DEEPEST), &format!("line 1: {TOO_DEEP}"));

    let long = "x".repeat(LONGEST_LINE);
    is_refused(
        JepsenEdn,
        format!("\n{{:a \"{long}\"}}"),
        "line 2: an operation has more than",
    );
    is_refused(
        JepsenJson,
        format!("\n{{\"a\":\"{long}\"}}"),
        "line 2: an operation has more than",
    );
    is_refused(
        JepsenText,
        format!("\n{long}x"),
        "line 2: an operation has more than",
    );
    // What is around operations may be longer.
    let nemesis = "{:process :nemesis} ";
    assert!(
        edn(&format!(
            ";{long}\n[{}]",
            nemesis.repeat(LONGEST_LINE / nemesis.len() + 1)
        ))
        .is_empty()
    );

    let mut text = String::new();
    for process in 0..=1 << 16 {
        writeln!(text, "{{:process {process} :type :invoke :f :read}}")
            .expect("text can be written");
    }
    is_refused(
        JepsenEdn,
        text,
        "line 65537: there are more than 65536 processes",
    );
}

#[test]
fn input_that_cannot_be_read_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
    for format in [JepsenEdn, JepsenJson, JepsenText] {
        let mut input = BufReader::new(b"\n\n".chain(Broken));
        let error = read(&mut input, format, false).expect_err("it is broken");
        assert!(matches!(error.problem, ForeignProblem::Io(_)), "{error}");
        assert_eq!(error.line, 3);
    }
}

/// Random operations of 100 processes: the events of a log, and the operations that they are.
struct Log {
    events: Vec<Event>,
    operations: Vec<Foreign>,
}

struct Event {
    process: usize,
    kind: &'static str,
    function: String,
    value: Value,
    /// True of an event that is no operation.
    is_nemesis: bool,
}

fn any_value(random: &mut Generator, depth: usize) -> Value {
    match random.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => json!(random.bits() as i64 >> random.below(64)),
        2 => json!(["", "a b", "\"\\\n", "é😀", "}{;#_"][random.below(5)]),
        3 => json!(random.below(2) == 0),
        4 => (0..random.below(4))
            .map(|_| any_value(random, depth - 1))
            .collect(),
        _ => {
            let fields = (0..random.below(3))
                .map(|field| (format!("field {field}"), any_value(random, depth - 1)));
            Value::Object(fields.collect())
        }
    }
}

fn any_log(random: &mut Generator) -> Log {
    let mut open: [Option<usize>; 100] = [None; 100];
    let mut threads = [None; 100];
    let (mut count, mut invoked) = (0, 0);
    let (mut events, mut operations) = (Vec::new(), Vec::<Option<Foreign>>::new());
    while invoked < 1000 {
        let process = random.below(100);
        let time = events.len() as u64;
        let line = time + 1;
        if random.below(20) == 0 {
            events.push(Event {
                process,
                kind: "info",
                function: "start".to_owned(),
                value: Value::Null,
                is_nemesis: true,
            });
            continue;
        }
        let value = any_value(random, 3);
        let (kind, function) = match open[process].take() {
            None => {
                let function = ["read", "write", "a/cas"][random.below(3)];
                let thread = *threads[process].get_or_insert_with(|| {
                    count += 1;
                    count - 1
                });
                open[process] = Some(operations.len());
                operations.push(Some(Foreign {
                    thread,
                    function: function.to_owned(),
                    key: None,
                    argument: value.clone(),
                    answer: None,
                    begin: time,
                    end: None,
                    line,
                    end_line: None,
                }));
                invoked += 1;
                ("invoke", function.to_owned())
            }
            Some(position) => {
                let slot = &mut operations[position];
                let operation = slot.as_mut().expect("it is open");
                let function = operation.function.clone();
                operation.end_line = Some(line);
                let kind = ["ok", "ok", "fail", "info"][random.below(4)];
                match kind {
                    "ok" => (operation.answer, operation.end) = (Some(value.clone()), Some(time)),
                    "fail" => *slot = None,
                    _ => threads[process] = None,
                }
                (kind, function)
            }
        };
        events.push(Event {
            process,
            kind,
            function,
            value,
            is_nemesis: false,
        });
    }
    let operations = operations.into_iter().flatten().collect();
    Log { events, operations }
}

fn as_edn(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(as_edn).collect::<Vec<_>>().join(" ")
        ),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("{} {}", json!(key), as_edn(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}

impl Log {
    /// The log in a format. Times are positions of all lines, which only maps can say.
    fn printed(&self, format: Format) -> String {
        let lines = self.events.iter().enumerate().map(|(time, event)| {
            let Event {
                process,
                kind,
                function,
                value,
                is_nemesis,
            } = event;
            let process = if *is_nemesis { ":nemesis".to_owned() } else { process.to_string() };
            match format {
                JepsenEdn => format!(
                    "{{:process {process}, :type :{kind}, :f :{function}, :value {}, :time {time}, :index {time}}}\n",
                    as_edn(value)
                ),
                JepsenJson => {
                    let process = process.parse().map_or(json!("nemesis"), |number: u64| json!(number));
                    let event = json!({"process": process, "type": kind, "f": function, "value": value, "time": time});
                    format!("{event}\n")
                }
                // A line break within a value is printed as an escape.
                JepsenText => format!(
                    "INFO  jepsen.util - {process}\t:{kind}\t:{function}\t{}\n",
                    as_edn(value)
                ),
            }
        });
        lines.collect()
    }
}

#[test]
fn random_operations_are_read_as_they_were_printed() {
    for seed in 0..5 {
        let mut random = Generator::new(seed);
        let log = any_log(&mut random);
        for format in [JepsenEdn, JepsenJson, JepsenText] {
            let text = log.printed(format);
            assert_eq!(Format::of(&text.as_bytes()[..100]), Some(format));
            // A buffer that cuts anywhere.
            let mut input = BufReader::with_capacity(7, text.as_bytes());
            let mut operations = read(&mut input, format, false).expect("the log is well-formed");
            if format == JepsenText {
                // Its times are positions; the other fields have to agree, and the order.
                let times = operations
                    .iter()
                    .flat_map(|operation| [Some(operation.begin), operation.end]);
                assert!(
                    times
                        .flatten()
                        .all(|time| time < text.lines().count() as u64)
                );
                assert!(operations.is_sorted_by(|one, other| one.begin < other.begin));
                for (operation, printed) in operations.iter_mut().zip(&log.operations) {
                    assert_eq!(operation.end.is_some(), printed.end.is_some());
                    (operation.begin, operation.end) = (printed.begin, printed.end);
                }
            }
            assert_eq!(operations, log.operations);
        }
    }
}

/// Damaged input gives an error or other operations, and never a panic.
#[test]
fn damaged_input_does_not_panic() {
    let mut random = Generator::new(1);
    let log = any_log(&mut random);
    let (mut accepted, mut refused) = (0, 0);
    for format in [JepsenEdn, JepsenJson, JepsenText] {
        let text = log.printed(format);
        let lines: Vec<_> = text.lines().take(40).collect();
        let text = lines.join("\n").into_bytes();
        for round in 0..4000 {
            let mut damaged = text.clone();
            for _ in 0..1 + random.below(3) {
                let position = random.below(damaged.len());
                damaged[position] = match random.below(3) {
                    0 => damaged[position] ^ 1 << random.below(8),
                    1 => b"[](){}\"\\#_;:,- \n0N/.e"[random.below(21)],
                    _ => random.below(256) as u8,
                };
            }
            if round % 4 == 0 {
                damaged.truncate(random.below(damaged.len()));
            }
            let _ = Format::of(&damaged);
            let lines = damaged.split(|byte| *byte == b'\n').count() as u64;
            for other in [format, JepsenEdn] {
                match read(&mut &*damaged, other, round % 3 == 0) {
                    Ok(_) => accepted += 1,
                    Err(error) => {
                        assert!((1..=lines).contains(&error.line), "{error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
}
