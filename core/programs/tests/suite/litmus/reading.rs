//! Tests of the texts that the reader accepts, and of its errors.

use std::collections::BTreeSet;

use refmap_programs::litmus::{Bounds, Observation, Report, RunError, Verdict, read};
use refmap_programs::{
    Fault, Integer, Machine, MemoryModel, Place, ProgramBuilder, ThreadEnd, outcomes,
};

/// Final states of a test under TSO, as `key=value` lists.
#[track_caller]
fn states(text: &str) -> BTreeSet<String> {
    let test = read(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let answer = test
        .run(MemoryModel::Tso, &Bounds::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let keys: Vec<_> = test.keys().collect();
    let rows = answer.states.iter().map(|state| {
        let cells = keys.iter().zip(test.cells(state));
        let cells = cells.map(|(key, value)| format!("{key}={value}"));
        cells.collect::<Vec<_>>().join(" ")
    });
    rows.collect()
}

/// The unique final state of a test of one thread.
#[track_caller]
fn alone(architecture: &str, initial: &str, code: &str, observed: &str) -> String {
    let rows = code.replace(';', ";\n");
    let text = format!("{architecture} t\n{{{initial}}}\nP0;\n{rows};\nlocations [{observed}]\n");
    let states = states(&text);
    assert_eq!(states.len(), 1, "{states:?}");
    states.into_iter().next().expect("there is one")
}

/// Cases that a test has as lines, with `=>` between what is given and what is expected; a comment begins with `#`.
fn cases(lines: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = lines.lines();
    let cases = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    cases.map(|case| case.split_once(" => ").expect(case))
}

/// Tests of each line `INITIAL | CODE => STATE` that one thread ends in this state alone; `common` is the beginning of the initial
/// state of all.
#[track_caller]
fn each_ends_in(architecture: &str, common: &str, lines: &str) {
    for (test, state) in cases(lines) {
        let (own, code) = test.split_once('|').unwrap_or(("", test));
        let observed = state.split(' ').filter_map(|cell| cell.split('=').next());
        let observed: Vec<_> = observed.collect();
        let initial = format!("{common}{own}");
        let found = alone(architecture, &initial, code, &observed.join(";"));
        assert_eq!(found, state, "{test}");
    }
}

/// Tests of each line `PART => MESSAGE` that the text with this part is refused so; a line end is written `\n`.
#[track_caller]
fn each_is_refused(text: impl Fn(&str) -> String, lines: &str) {
    for (part, message) in cases(lines) {
        let error = read(&text(&part.replace("\\n", "\n"))).expect_err(part);
        assert_eq!(error.to_string(), message, "{part}");
    }
}

#[test]
fn instructions_of_x86_do_what_they_say() {
    each_ends_in(
        "X86",
        "x=5; y=7; 0:ESI=x",
        "
MOV EAX,$3; MOV EBX,EAX; MOV [x],EBX => 0:EAX=3 x=3
MOV EAX,3; mov (x),eax => x=3
MOV EAX,[x]; MOV (ESI),$-1; MOV EBX,[ESI] => 0:EAX=5 0:EBX=-1
MOV EAX,$2; XCHG [x],EAX => 0:EAX=5 x=2
MOV EAX,$2; LOCK XCHG EAX,[x] => 0:EAX=5 x=2
MOV EAX,$2; MOV EBX,$4; XCHG EAX,EBX => 0:EAX=4 0:EBX=2
INC [x]; LOCK INC [x]; DEC [y]; LOCK DEC [y] => x=7 y=5
ADD [x],$10; LOCK ADD [x],$20; XOR [y],$2; LOCK XOR [y],$8 => x=35 y=13
MOV EAX,$6; ADD EAX,[x]; XOR EBX,EBX; INC EBX; DEC ECX => 0:EAX=11 0:EBX=1 0:ECX=-1
MOV EAX,$2147483647; INC EAX => 0:EAX=-2147483648
MFENCE; SFENCE; LFENCE; NOP; CMP ESI,$1; JE L; MOV EAX,$1; L: => 0:EAX=1 0:ESI=x
CMP $5,EAX; JNE A; MOV EBX,$9; A: CMP [x],$5; JE B; MOV ECX,$9; B: MOV EDX,$1 => 0:EBX=0 0:ECX=0 0:EDX=1
JMP A; MOV [x],$1; A: B: MOV [y],$1 => x=5 y=1
CMP [x],EAX; XOR EBX,EBX; JE A; MOV ECX,$1; A: => 0:ECX=0
MOV EAX,$3; A: DEC EAX; JNE A => 0:EAX=0
CMP [x],$0x5; JE A; MOV EAX,$1; A:; LOCK CMPXCHG [x],EBX => 0:EAX=5 x=5",
    );
}

#[test]
fn instructions_of_x86_64_do_what_they_say() {
    each_ends_in(
        "X86_64",
        "x=5; y=7; 0:rsi=x; uint64_t 0:r8=-1",
        "
movl $3,%eax; movl %eax,(x); movq %rax,%rbx => 0:rax=3 0:rbx=3 x=3
movl [x],eax; mov $-1,(%rsi); movl (rsi),%ebx => 0:rax=5 0:rbx=-1
movl $2,%eax; xchgl (x),%eax => 0:rax=5 x=2
movl $2,%eax; xchgl %eax,(x) => 0:rax=5 x=2
movl $2,%eax; lock xchg %eax,(x) => 0:rax=5 x=2
movl $5,%eax; movl $9,%ebx; lock cmpxchgl (x),%ebx => 0:rax=5 x=9
movl $5,%eax; movl $9,%ebx; lock cmpxchgl %ebx,(x) => 0:rax=5 x=9
movl $9,%ebx; lock cmpxchg %ebx,(x); je A; movl $1,%ecx; A: => 0:rax=5 0:rcx=1 x=5
movl $5,%eax; movl $9,%ebx; cmpxchgl %ebx,(x); jne A; movl $1,%ecx; A: => 0:rax=5 0:rcx=1 x=9
addl $1,(x); lock addl $1,(x); incl (y); lock decl (y); lock xorl $1,(y) => x=7 y=6
cmpl $5,(x); jne A; movl $1,%eax; A: nop => 0:rax=1
movl $1,%r8d => 0:r8=1
movl (x),%r8d; movb $1,%r8b => 0:r8=1
movw $1,%r8w; addq $1,%r8 => 0:r8=18446744073709486082",
    );
}

#[test]
fn types_cut_values() {
    each_ends_in(
        "X86_64",
        "",
        "
uint8_t x=255 | incb (x) => x=0
int8_t x=127 | lock inc (x) => x=-128
uint64_t x; uint64_t 0:rax=4294967295 | movq %rax,(x) => x=4294967295
int x; [y]=1; z; int *p=&y; uint64_t *q | movl $1,(z) => p=y q=0 x=0 y=1 z=1",
    );
}

/// A write through a pointer is truncated to the type of the variable, not to an int.
#[test]
fn pointers_lead_to_variables_of_every_type() {
    each_ends_in(
        "X86_64",
        "",
        "
uint64_t x=4294967295; 0:rsi=x | incq (%rsi) => x=4294967296
uint64_t x=4294967295; 0:rsi=x | lock incq (%rsi) => x=4294967296
uint8_t x=255; 0:rsi=x | incb (%rsi); jne L; movb $7,(x); L: => x=7
uint8_t x=255; y; 0:rsi=x | lock incb (%rsi); jne L; movb $7,(x); L: => x=7",
    );
    let read_with = |code: &str| {
        read(&format!(
            "X86_64 t\n{{uint8_t x; int y; 0:rsi=x; 1:rsi=y}}\nP0|P1;\n{code}|;\n"
        ))
    };
    for code in [
        "mov $1,(%rsi)",
        "inc (%rsi)",
        "lock add $1,(%rsi)",
        "cmp $1,(%rsi)",
    ] {
        assert_eq!(
            read_with(code).unwrap_err().to_string(),
            "line 4: a pointer can lead to variables of different widths, and the instruction tells none",
            "{code}"
        );
    }
    let error = read_with("incw (%rsi)").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 4: the access is 16 bits wide, and no variable has this width whose address is taken"
    );
    // Which of them it is turns out when the access is performed.
    for (code, fits) in [("incb (%rsi)", true), ("incl (%rsi)", false)] {
        let answer = read_with(code)
            .expect("it is a test")
            .run(MemoryModel::Tso, &Bounds::default());
        if fits {
            assert!(answer.is_ok(), "{code}");
        } else {
            assert_eq!(
                answer.unwrap_err().to_string(),
                "thread 0 accesses a part of a location, or more than one"
            );
        }
    }
}

/// Another thread may access the location between the two halves of an unlocked increment, but not of a locked one.
#[test]
fn an_unlocked_increment_is_two_accesses() {
    let test = |increment: &str| {
        let row = format!("{increment} [x] | {increment} [x] ;");
        states(&format!("X86 inc\n{{}}\nP0|P1;\n{row}\nexists (x=1)"))
    };
    assert_eq!(test("INC").len(), 2);
    assert_eq!(test("LOCK INC").len(), 1);
}

#[test]
fn space_comments_and_line_ends_do_not_matter() {
    let plain = "X86 SB\n{x=0;}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    let crlf = plain.replace('\n', "\r\n").replace(' ', "\t");
    let commented = plain
        .replace('{', "\"a (* b\"\nCom=Rf {(* (* x=1; *) *)")
        .replace(" ;", "(* ; *) ;\n(* a\nrow *)");
    let open_ended = plain.trim_end();
    for text in [
        plain,
        &*crlf,
        &*commented,
        open_ended,
        &format!("\u{feff}\n\n{plain};"),
    ] {
        assert_eq!(states(text).len(), 4, "{text}");
    }
    let uneven = "X86 u\n{}\nP0|P1|P2;\nMOV [x],$1||;\n|MOV EAX,[x];\n| |MOV EAX,[x];\nlocations [1:EAX; 2:EAX]";
    assert_eq!(states(uneven).len(), 4);
}

/// `\/` binds loosest, then `/\`, then `=>`, which is right-associative, then `~`.
#[test]
fn conditions_bind_as_the_format_says() {
    let holds = |condition: &str| {
        let text = format!("X86 c\n{{x=1; y=2; p=x}}\nP0;\n;\nforall {condition}");
        let test = read(&text).unwrap_or_else(|error| panic!("{error}\n{condition}"));
        let answer = test.run(MemoryModel::Sc, &Bounds::default()).unwrap();
        assert_eq!(answer.states.len(), 1);
        answer.verdict == Verdict::Ok
    };
    for condition in [
        "true",
        "(x=1)",
        "[x]=1",
        "x==1",
        "x!=2",
        "x<>2",
        "~x=2",
        "not (x=2)",
        "~~true",
        "~false",
        "p=x",
        "p<>y",
        "~(x=[y])",
        "x=1 \\/ x=1 /\\ false",
        "~x=2 /\\ true",
        "false => false => false",
        "~((false => false) => false)",
        "~(true /\\ false => true /\\ false)",
        "x=0x1",
        "z=0",
        "0:EAX=z0 \\/ 0:EAX=0",
        "x=1 /\\ y=2 \\/ false /\\ false",
        "0:EAX=0:EBX",
        "P0:EAX=0",
        "0:EAX = -0",
    ] {
        assert!(holds(condition), "{condition}");
    }
    for condition in [
        "false",
        "x=2",
        "~true",
        "~false /\\ false",
        "x=[y]",
        "(true \\/ true) /\\ false",
        "true => false",
    ] {
        assert!(!holds(condition), "{condition}");
    }
}

#[test]
fn questions_are_asked_in_several_ways() {
    let ask = |question: &str| {
        let test = read(&format!(
            "X86 q\n{{}}\nP0|P1;\nMOV [x],$1|MOV EAX,[x];\n{question}"
        ));
        let test = test.unwrap_or_else(|error| panic!("{error}\n{question}"));
        let answer = test.run(MemoryModel::Sc, &Bounds::default()).unwrap();
        let kind = test.quantifier.keyword();
        (
            kind,
            answer.verdict,
            answer.observation,
            answer.states.len(),
        )
    };
    use Observation::{Always, Never, Sometimes};
    use Verdict::{No, Ok};
    assert_eq!(ask("exists (1:EAX=1)"), ("exists", Ok, Sometimes, 2));
    assert_eq!(ask("final (1:EAX=2)"), ("exists", No, Never, 2));
    assert_eq!(ask("(x=1);"), ("exists", Ok, Always, 1));
    assert_eq!(ask("~exists 1:EAX=1"), ("~exists", No, Sometimes, 2));
    assert_eq!(ask("not exists (1:EAX=2)"), ("~exists", Ok, Never, 2));
    assert_eq!(
        ask("forall (1:EAX=1)\nwith\ntso: ~exists;"),
        ("forall", No, Sometimes, 2)
    );
    assert_eq!(ask(""), ("forall", Ok, Always, 1));
    assert_eq!(ask("locations [1:EAX; x]"), ("forall", Ok, Always, 2));
    assert_eq!(
        ask("locations [x;]\nfilter 1:EAX=1\nexists x=1"),
        ("exists", Ok, Always, 1)
    );
    assert_eq!(
        ask("filter 1:EAX=1 forall (1:EAX=1)"),
        ("forall", Ok, Always, 1)
    );
}

#[test]
fn what_cannot_be_read_gets_its_line_and_a_reason() {
    let deep = format!("exists {}x=1{}", "(".repeat(5000), ")".repeat(5000));
    let arrows = format!("exists {}", "true => ".repeat(5000));
    // Each chain is short, but is nested in the preceding one.
    let chains = (1..200).rev().map(|arrows| "true => ".repeat(arrows) + "(");
    let chains = format!(
        "exists {}true{}",
        chains.collect::<String>(),
        ")".repeat(199)
    );
    let program = |rows: &str| format!("X86 t\n{{}}\n{rows}\n");
    let with = |tail: &str| program(&format!("P0;\nMOV EAX,$1;\n{tail}"));
    each_is_refused(
        str::to_owned,
        r#"
X86 t => line 1: found the end, expected { and the initial state
X86\n{}\nP0; => line 1: found nothing behind the architecture, expected the name of the test
X86 t\n{\nx=1 => line 3: found the end, expected } behind the initial state
X86 t\n{\nx=1;\nx=2}\nP0; => line 4: x is given twice
X86 t\n{0:EAX=1; P0:EAX=1}\nP0;\n; => line 2: 0:EAX is given twice
X86 t\n{1:EAX=1}\nP0;\n; => line 2: there is no thread 1
X86 t\n{float x=1}\nP0; => line 2: found the type "float", expected int, char, short, long or one like uint64_t
X86 t\n{x=}\nP0; => line 2: found the end, expected a number
X86 t\n{x=99999999999999999999}\nP0; => line 2: the number 99999999999999999999 does not fit 64 bits
X86 t\n{}\n(* P0; => line 3: the comment that begins here does not end
X86 t\n{\nx=1\n\n\n => line 3: found the end, expected } behind the initial state
X86 t\n{x=1;\n};\n;\n\nP1; => line 6: found "P1", expected the threads P0, P1 and so on
X86 t\n{}\n => line 3: found no program, expected a row P0 | P1 | … ;
X86_64 t\n{}\nP0;\n;\nexists 0:eax=1 => line 5: found "eax", expected the 64-bit name of a register, such as rax"#,
    );
    each_is_refused(
        program,
        r#"
| P1; => line 3: found no name of a thread, expected the threads P0, P1 and so on
P0 |\n P1 |\n P3; => line 5: found "P3", expected the threads P0, P1 and so on
P1; => line 3: found "P1", expected the threads P0, P1 and so on
P0;\nMOV EAX,$1 => line 4: found the end, expected ; at the end of the row
P0;\nNOP|NOP; => line 4: a row has 2 cells, expected at most 1, one a thread
P0;\nMOV EAX,$1;\nRDTSC; => line 5: the instruction "RDTSC" is not among those that are understood
P0;\nMOV [x],[y]; => line 4: "MOV [x],[y]" has operands that do not fit it: expected a destination, and one operand in memory at most
P0;\nLOCK MOV [x],$1; => line 4: "LOCK MOV [x],$1" has operands that do not fit it: expected no LOCK in front of it
P0;\nLOCK INC EAX; => line 4: "LOCK INC EAX" has operands that do not fit it: expected memory as the destination, and only there
P0;\nMOV x,$1; => line 4: found "x", expected a register; memory is written [x]
P0;\nMOV EAX; => line 4: found the end, expected ,
P0;\nNOP NOP; => line 4: found "NOP", expected the end of the instruction
P0;\nJMP A; => line 4: there is no label "A" in this thread
P0;\nA: NOP;\nA: NOP; => line 5: the label "A" is given twice"#,
    );
    each_is_refused(
        with,
        r#"
exists x=1\n<<\nshow 0 => line 6: the block <<…>> that begins here does not end
exists x=1\n<<>> <<\n>>\n<< show 0 => line 8: the block <<…>> that begins here does not end
exists x=1\n<<\nshow 0\n>>\nexists x=2 => line 9: found "exists", expected the end
exists x=1 >> => line 5: found the character '>', which has no meaning here
exists x=1 x=2\n<< >> => line 5: found "x", expected the end
exists (x=1 => line 5: found the end, expected )
exists (1:EAX=1) => line 5: there is no thread 1
exists (0:RAX=1) => line 5: found "RAX", expected a register such as EAX
exists x => line 5: found the end, expected =, ==, != or <>
locations [x] 5 => line 5: found 5, expected exists, ~exists, forall, final or (
exists x=1 x=2 => line 5: found "x", expected the end
exists x=? => line 5: found the character '?', which has no meaning here"#,
    );
    for (text, message) in [
        (
            String::new(),
            "line 1: found no architecture, expected X86 or X86_64 and the name of the test",
        ),
        (
            with(&deep),
            "line 5: the condition is nested more than 200 deep",
        ),
        (
            with(&arrows),
            "line 5: the condition is nested more than 200 deep",
        ),
        (
            with(&chains),
            "line 5: the condition is nested more than 200 deep",
        ),
        (
            program(&format!("P0;\n{}", "NOP;\n".repeat(2000))),
            "line 260: there are more than 256 instructions",
        ),
    ] {
        let error = read(&text).expect_err(&text).to_string();
        assert_eq!(error, message, "{}", &text[..text.len().min(200)]);
    }
    for names in [129, 70_000] {
        let names: String = (0..names).map(|number| format!("v{number};")).collect();
        let error = read(&format!("X86 t\n{{{names}}}\nP0;\nNOP;\n")).unwrap_err();
        let message = error.to_string();
        assert!(
            message.ends_with("there are more than 128 locations"),
            "{message}"
        );
    }
    let long = format!("X86 {}", "x".repeat(2 << 20));
    assert_eq!(
        read(&long).unwrap_err().to_string(),
        "line 1: there are more than 1048576 bytes"
    );
}

#[test]
fn what_cannot_be_run_says_why() {
    let run = |code: &str| {
        let test = read(&format!("X86 t\n{{0:ESI=x}}\nP0;\n{code};\n")).expect("it is a test");
        test.run(MemoryModel::RmoNo, &Bounds::default())
            .map(|answer| answer.cut_off)
    };
    for walks in [
        "ADD ESI,ESI",
        "INC ESI;\nMOV EAX,[ESI]",
        "DEC ESI",
        "ADD ESI,$1",
        "MOV [y],ESI;\nINC [y]",
        "MOV [y],ESI;\nLOCK INC [y]",
        "MOV EAX,$y;\nSUB EAX,ESI",
    ] {
        let error = run(walks).unwrap_err();
        assert_eq!(
            error.to_string(),
            "thread 0 computes with an address as if it were a number",
            "{walks}"
        );
    }
    for stays in [
        "MOV EAX,[x];\nXOR EAX,EAX;\nADD ESI,EAX;\nMOV EBX,[ESI]",
        "XOR EAX,EAX;\nADD EAX,ESI;\nMOV EBX,[EAX]",
        "SUB ESI,$0;\nMOV EBX,[ESI]",
        "SUB ESI,ESI",
    ] {
        assert_eq!(run(stays), Ok(false), "{stays}");
    }
    let error = run("MOV EAX,[EBX]").unwrap_err();
    assert_eq!(error.to_string(), "thread 0 uses a number as an address");
    let error = run("L: MOV [x],$1;\nJMP L").unwrap_err();
    assert_eq!(error, RunError::NeverEnds);
    assert_eq!(
        error.to_string(),
        "no execution ends before a thread has jumped back more than 16 times"
    );
    let few = Bounds {
        states: 2,
        ..Bounds::default()
    };
    let test = read("X86 t\n{}\nP0|P1;\nMOV [x],$1|MOV [y],$1;").expect("it is a test");
    let error = test.run(MemoryModel::Sc, &few).unwrap_err();
    assert_eq!(error.to_string(), "there are more than 2 states");
}

/// If no final state passes the filter, every condition holds vacuously, so there is no result.
#[test]
fn a_filter_that_leaves_nothing_is_no_answer() {
    for question in ["forall x=1", "~exists x=1", "exists x=1"] {
        let text = format!("X86 t\n{{}}\nP0;\nMOV [x],$1;\nfilter x=2\n{question}");
        let answer = read(&text)
            .expect("it is a test")
            .run(MemoryModel::Tso, &Bounds::default());
        assert_eq!(answer, Err(RunError::NothingPasses), "{question}");
    }
}

/// A register and a variable with the same bits compare as equal, whatever their types.
#[test]
fn a_comparison_and_exchange_compares_in_the_type_of_the_variable() {
    for lock in ["LOCK ", ""] {
        let state = alone(
            "X86",
            "uint32_t x=-1; 0:EAX=-1; 0:EBX=5",
            &format!("{lock}CMPXCHG [x],EBX; JNE L; MOV ECX,$1; L:"),
            "0:ECX; x",
        );
        assert_eq!(state, "0:ECX=1 x=5", "{lock}");
    }
}

/// The reports of two models on one test can be distinguished.
#[test]
fn a_report_names_the_model() {
    let test = read("X86 t\n{}\nP0;\nMOV [x],$1;\nexists x=1").expect("it is a test");
    for model in MemoryModel::ALL {
        let answer = test.run(model, &Bounds::default()).expect("it ends");
        let report = Report {
            file: "t.litmus",
            test: &test,
            answer: &answer,
            seconds: 0.0,
        };
        let shown = report.to_string();
        let head = format!("Test t Allowed\nModel {model}\nStates 1\n");
        assert!(shown.starts_with(&head), "{shown}");
    }
}

/// The limit on bytes stops a run with few but large states.
#[test]
fn states_that_take_too_much_memory_are_too_many() {
    let threads: Vec<_> = (0..64).map(|thread| format!("P{thread}")).collect();
    let cell = |row: usize| {
        let cells = (0..64).map(move |thread| format!("MOV [v{}],$1", (thread + row) % 128));
        cells.collect::<Vec<_>>().join("|")
    };
    let rows: Vec<_> = (0..64).map(|row| cell(row) + ";\n").collect();
    let text = format!("X86 t\n{{}}\n{};\n{}", threads.join("|"), rows.concat());
    let bounds = Bounds {
        bytes: 16 << 20,
        ..Bounds::default()
    };
    let error = read(&text)
        .expect("it is a test")
        .run(MemoryModel::RmoNo, &bounds)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("the states take more than 16 777 216 bytes"),
        "{error}"
    );
}

/// A thread that waits for another is cut off only in executions in which it waits too long. What was cut off
/// cannot refute a final state that was found, but could contain one that was not.
#[test]
fn a_loop_is_cut_off_and_says_so() {
    let ask = |question: &str| {
        let text = format!(
            "X86 wait\n{{}}\nP0|P1;\nMOV [x],$1|L: MOV EAX,[x];\n|CMP EAX,$1;\n|JNE L;\n{question}"
        );
        let answer = read(&text)
            .expect("it is a test")
            .run(MemoryModel::Tso, &Bounds::default());
        answer.map(|answer| (answer.verdict, answer.cut_off))
    };
    assert_eq!(ask("exists 1:EAX=1"), Ok((Verdict::Ok, true)));
    assert_eq!(ask("~exists 1:EAX=1"), Ok((Verdict::No, true)));
    for question in [
        "exists 1:EAX=2",
        "~exists 1:EAX=2",
        "forall 1:EAX=1",
        "forall 1:EAX=2",
    ] {
        let error = ask(question).expect_err(question);
        assert_eq!(
            error.to_string(),
            "not decided: a thread was cut off after 16 jumps back",
            "{question}"
        );
    }
}

/// A short loop terminates; for a long one, only results that rest on the presence of final states are given.
#[test]
fn loops_that_count_end_within_the_bound() {
    let ask = |rounds: usize| {
        let text = format!(
            "X86 count\n{{}}\nP0|P1;\nMOV ECX,${rounds}|MOV [x],$1;\nL: DEC ECX|;\nJNE L|;\nMOV EAX,[x]|;\nforall 0:ECX=0"
        );
        let answer = read(&text)
            .expect("it is a test")
            .run(MemoryModel::Tso, &Bounds::default());
        answer.map(|answer| (answer.verdict, answer.cut_off))
    };
    assert_eq!(ask(6), Ok((Verdict::Ok, false)));
    assert_eq!(ask(60), Err(RunError::NeverEnds));
}

/// Store buffering with a value that 32 bits do not hold, whatever types registers and variables have.
#[test]
fn values_of_64_bits_are_no_0() {
    let code = "
P0                      | P1                      ;
movq $0x100000000,%rax  | movq $4294967296,%rax   ;
movq %rax,(x)           | movq %rax,(y)           ;
movq (y),%rbx           | movq (x),%rbx           ;
exists (0:rbx=0 /\\ 1:rbx=0)";
    let registers = "uint64_t 0:rax; uint64_t 0:rbx; int64_t 1:rax; uint64_t 1:rbx";
    for initial in [
        "",
        "x=0; y=0",
        "uint64_t x=0; uint64_t y=0",
        &format!("uint64_t x=0; int64_t y=0; {registers}"),
    ] {
        let test = read(&format!("X86_64 SB-wide\n{{{initial}}}{code}")).expect("it is a test");
        let answer = |model| test.run(model, &Bounds::default()).expect("it is decided");
        let sc = answer(MemoryModel::Sc);
        assert_eq!((sc.verdict, sc.states.len()), (Verdict::No, 3), "{initial}");
        let tso = answer(MemoryModel::Tso);
        assert_eq!(
            (tso.verdict, tso.states.len()),
            (Verdict::Ok, 4),
            "{initial}"
        );
    }
}

/// A register without a type is an `int`, and one of 64 bits if it is used so; a variable has the width of its accesses.
#[test]
fn what_has_no_type_has_the_width_of_its_uses() {
    each_ends_in(
        "X86_64",
        "",
        "
| movl $-1,%eax => 0:rax=-1
| movl $-1,%eax; movq %rax,%rbx => 0:rax=4294967295
| movq $-1,%rax; movl $-1,%eax => 0:rax=4294967295
| movq $-1,%rax; movw $0,%ax => 0:rax=-65536
| movq $-1,%rax; movb $0,%al => 0:rax=-256
| movq $-1,%rax; movb $0,%ah => 0:rax=-65281
0:rax=4294967296 | => 0:rax=4294967296
0:rax=4294967296 | movl %eax,%ebx => 0:rax=4294967296 0:rbx=0
uint64_t 0:rax=-1 | => 0:rax=18446744073709551615
int64_t 0:rax=18446744073709551615 | => 0:rax=-1
uint32_t 0:rax=-1 | => 0:rax=4294967295
int8_t 0:rax=255 | => 0:rax=-1
| movq $-1,(x) => x=-1
| movl $-1,(x) => x=-1
| movw $-1,(x) => x=65535
| movb $-1,(x) => x=255
x=4294967296 | => x=4294967296
uint64_t x=18446744073709551615 | => x=18446744073709551615
0:rsi=x | movq $-1,(%rsi) => x=-1
unsigned long long x=1; long int y=2; signed char z=-1 | => x=1 y=2 z=-1",
    );
    for (initial, code, observed, state) in [
        ("", "movq $-1,(x)", "x uint64_t", "x=18446744073709551615"),
        (
            "uint64_t x",
            "movq $-1,(x)",
            "x uint64_t",
            "x=18446744073709551615",
        ),
        (
            "",
            "movq $-1,%rax",
            "0:rax unsigned long",
            "0:rax=18446744073709551615",
        ),
    ] {
        assert_eq!(
            alone("X86_64", initial, code, observed),
            state,
            "{initial} {code}"
        );
    }
    // Registers that nothing here writes keep their values.
    let state = alone("X86_64", "0:rip=3", "nop", "0:rip; 0:cs");
    assert_eq!(state, "0:cs=0 0:rip=3");
    // A pointer has the width of a register.
    assert_eq!(alone("X86", "int *p; 0:ESI=y", "MOV [p],ESI", "p"), "p=y");
    assert_eq!(
        alone(
            "X86",
            "long x=-1; uint32_t 0:EAX",
            "MOV EAX,[x]",
            "0:EAX; x"
        ),
        "0:EAX=4294967295 x=-1"
    );
}

/// Instructions as compilers and disassemblers print them.
#[test]
fn what_compilers_print_is_understood() {
    let initial = "x=5; uint8_t b=200; uint16_t w=40000; int64_t q=-2; 0:rsi=x; uint64_t 0:r8=-1";
    each_ends_in(
        "X86_64",
        initial,
        "
endbr64; movl $1,%eax; shl $2,%eax; movl %eax,(x); nopl 0(%rax); ret => x=4
movl $1,%eax; ret; movl $2,%eax => 0:rax=1
movl x(%rip),%eax; cmpl $5,%eax; jne .L2; movl $7,x(%rip); ret; .L2:; movl $9,x(%rip); repz retq => x=7
nop; nopw 0x0(%rax,%rax,1); cs nopw 0x0(%rax,%rax,1); data16 cs nopw %cs:0x0(%rax,%eax,0); NOPL %cs:0(%rax,%eax,0); rep nop; pause; xchg %ax,%ax => 0:rax=0
movl $3,%eax; shl 2,%eax; shrl %eax; sar $1,%eax; sall $3,%eax => 0:rax=24
movl $-8,%eax; movl $33,%ecx; sarl %cl,%eax; shrl $28,%eax => 0:rax=15
movq $-1,%rax; shrq $63,%rax => 0:rax=1
xorl %ebx,%ebx; movl (%rsi,%rbx,4),%eax; movl x(,%rbx,8),%ecx; movl %cs:x(%rbx),%edx => 0:rax=5 0:rcx=5 0:rdx=5
movl (,%rsi),%eax; movl 0(%rsi),%ecx; movl 0x0[rsi],%edx => 0:rax=5 0:rcx=5 0:rdx=5
leaq x(%rip),%rax; movl (%rax),%ecx; leaq (%rsi),%rdx => 0:rax=x 0:rcx=5 0:rdx=x
movl $3,%ecx; leal 7(%rcx,%rcx,4),%eax; leaq -4(,%rcx,8),%rdx => 0:rax=22 0:rdx=20
movzbl b(%rip),%eax; movsbl b(%rip),%ecx; movzwl (w),%edx; movswq (w),%rbx => 0:rax=200 0:rbx=-25536 0:rcx=-56 0:rdx=40000
movl $-3,%eax; cltq; movslq %eax,%rbx; movsbw %al,%cx => 0:rax=-3 0:rbx=-3 0:rcx=65533
movabsq $81985529216486895,%rax; movq %rax,q(%rip) => q=81985529216486895
movl $2,%eax; lock xaddl %eax,x(%rip) => 0:rax=5 x=7
movq $5,%rax; xaddq %rax,(q) => 0:rax=-2 q=3
cmpl $6,(x); setl %al; setg %bl; cmovel %ecx,%edx => 0:rax=1 0:rbx=0
movl $4,%ecx; testl %ecx,%ecx; cmovne %ecx,%eax; negl %ecx; notl %ecx => 0:rax=4 0:rcx=3
testq %rsi,%rsi; je L; movl $1,%eax; L: cmpq %rsi,%rsi; jne M; movl $1,%ecx; M: => 0:rax=1 0:rcx=1
cmpb $100,(b); ja L; movl $1,%eax; L: cmpb $100,(b); jg M; movl $1,%ecx; M: => 0:rax=0 0:rcx=1
lock cmpxchgl %ecx,(%rsi); lock cmpxchgl %ecx,(%rsi) => 0:rax=5 x=0
# A comparison and exchange that succeeds leaves the upper half of the accumulator alone.
movq $0x100000005,%rax; lock cmpxchgl %ecx,(x) => 0:rax=4294967301 x=0
movq $0x100000006,%rax; lock cmpxchgl %ecx,(x) => 0:rax=5 x=5",
    );
}

/// An instruction or an operand whose meaning is not known here is refused on its line.
#[test]
fn what_is_not_modelled_is_refused() {
    let initial = "int x; uint64_t q; uint8_t b; 0:rsi=x";
    let test = |code: &str| {
        let rows = code.replace("; ", ";\n");
        format!("X86_64 t\n{{{initial}}}\nP0;\n{rows};\nL:;\nexists x=0")
    };
    each_is_refused(
        test,
        r#"
movq $1,(x) => line 4: the access is 64 bits wide, and x has 32: a part of a variable is no variable
movb $1,x(%rip) => line 4: the access is 8 bits wide, and x has 32: a part of a variable is no variable
movl (q),%eax => line 4: the access is 32 bits wide, and q has 64: a part of a variable is no variable
incw (b) => line 4: the access is 16 bits wide, and b has 8: a part of a variable is no variable
movq (%rsi),%rax => line 4: the access is 64 bits wide, and no variable has this width whose address is taken
movl x+4(%rip),%eax => line 4: the address is 4 bytes beside a variable: the layout of variables is unspecified
movl -8(%rsi),%eax => line 4: the address is -8 bytes beside a variable: the layout of variables is unspecified
leaq x+1(%rip),%rax => line 4: the address is 1 bytes beside a variable: the layout of variables is unspecified
leaq 8(%rip),%rax => line 4: the address has no variable: that of an instruction is unspecified
movl %fs:(x),%eax => line 4: the segment "fs" has a base, which is unspecified
movl %xs:(x),%eax => line 4: found "xs", expected a segment such as cs
movl $4294967296,%eax => line 4: the number 4294967296 does not fit 32 bits
movl $-2147483649,%eax => line 4: the number -2147483649 does not fit 32 bits
movb $256,%al => line 4: the number 256 does not fit 8 bits
mov $256,(b) => line 4: the number 256 does not fit 8 bits
movq $-9223372036854775809,%rax => line 4: the number -9223372036854775809 does not fit 64 bits
movl $1,%rax => line 4: "movl $1,%rax" has operands that do not fit it: expected registers of the width of the instruction
movl (%esi),%eax => line 4: "movl (%esi),%eax" has operands that do not fit it: expected whole registers in an address, and a factor of 1, 2, 4 or 8
movl (%rsi,%rax,3),%eax => line 4: "movl (%rsi,%rax,3),%eax" has operands that do not fit it: expected whole registers in an address, and a factor of 1, 2, 4 or 8
cmp $1,$2 => line 4: "cmp $1,$2" has operands that do not fit it: expected a register or memory among its operands
lock negl (x) => line 4: "lock negl (x)" has operands that do not fit it: expected no LOCK in front of it
lock shll (x) => line 4: "lock shll (x)" has operands that do not fit it: expected no LOCK in front of it
lock setz (b) => line 4: "lock setz (b)" has operands that do not fit it: expected no LOCK in front of it
shll %bl,%eax => line 4: "shll %bl,%eax" has operands that do not fit it: expected a count from 0 to 255, or in CL
movzbl %ax,%eax => line 4: "movzbl %ax,%eax" has operands that do not fit it: expected a source that is narrower than the destination, and both of the widths that the suffix tells
movzbl (x),%eax => line 4: the access is 8 bits wide, and x has 32: a part of a variable is no variable
rep movl $1,%eax => line 4: the instruction "rep movl $1,%eax" is not among those that are understood
rdtsc => line 4: the instruction "rdtsc" is not among those that are understood
jp L => line 4: the instruction "jp L" is not among those that are understood
call f => line 4: the instruction "call f" is not among those that are understood
pushq %rax => line 4: the instruction "pushq %rax" is not among those that are understood
ret $8 => line 4: found "$", expected the end of the instruction
jmp *%rax => line 4: found "*", expected a label
shll $2,%eax; jo L => line 4: the flag OF is undefined behind this instruction, and is read later
movb $9,%cl; shlb $9,%al; jb L => line 5: the flag CF is undefined behind this instruction, and is read later
shll %cl,%eax; jle L => line 4: the flag OF is undefined behind this instruction, and is read later"#,
    );
    let test = |parts: &str| {
        let (initial, tail) = parts.split_once('|').expect("there are two");
        format!("X86 t\n{{{initial}}}\nP0;\nMOV EAX,$1;\n{tail}")
    };
    each_is_refused(
        test,
        r#"
int x=4294967296 | => line 2: the number 4294967296 does not fit 32 bits
uint8_t x=256 | => line 2: the number 256 does not fit 8 bits
uint8_t x=-129 | => line 2: the number -129 does not fit 8 bits
uint64_t 0:EAX | => line 2: 0:EAX is used with 32 bits, and its type has 64
short 0:EAX | => line 2: 0:EAX is used with 32 bits, and its type has 16
int x | locations [x short] => line 5: x is given two types
x | locations [x shirt] => line 5: found the type "shirt", expected int, char, short, long or one like uint64_t
int x | exists x=4294967296 => line 5: the number 4294967296 does not fit 32 bits
int x | exists x=-2147483649 => line 5: the number -2147483649 does not fit 32 bits
int x | filter 0:EAX=99999999999 exists x=0 => line 5: the number 99999999999 does not fit 32 bits
int x[2]={1,2}; y=1 | => line 2: arrays are not understood: every variable is a location of its own
0:EAX=4294967296 | => line 2: the number 4294967296 does not fit 32 bits
0:rip=1 | => line 2: found "rip", expected a register
int x; int8_t y | exists [x]=[y] => line 5: x has 32 bits, and y 8: they cannot be compared"#,
    );
}

/// A part of an address is unspecified.
#[test]
fn an_address_is_not_cut() {
    for code in [
        "movl %esi,%eax",
        "movb $0,%sil",
        "movb %sil,%al",
        "leal (%rsi),%eax",
        "testl %esi,%esi; je L; movl $1,%eax; L:",
        "movq $1,%rax; movl (%rsi,%rax,4),%ebx",
        "movl $x,%eax",
    ] {
        let text = format!(
            "X86_64 t\n{{x; 0:rsi=x}}\nP0;\n{};\nlocations [0:rax; 0:rsi; 0:rbx]",
            code.replace("; ", ";\n")
        );
        let test = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let error = test
            .run(MemoryModel::Sc, &Bounds::default())
            .expect_err(code);
        assert_eq!(
            error.to_string(),
            "thread 0 computes with an address as if it were a number",
            "{code}"
        );
    }
}

#[test]
fn another_language_is_told_by_the_first_word() {
    for language in [
        "C", "LISA", "AArch64", "ARM", "PPC", "RISCV", "MIPS", "OpenCL", "CPP11", "JAVA", "BPF",
        "x86", "X86_32",
    ] {
        for rest in [
            " with\n{}\nP0(int *x) { WRITE_ONCE(*x, 1); }\nexists (x=1)",
            " without\n{}\nP0(atomic_int* x) { *x = 1; }\nexists (x=1)",
            "",
            " open (* and\n{",
            "\n\"(*\"\n{ #include <'\u{e9}'> }",
            "(* directly *) x {}",
            "{",
        ] {
            for (before, line) in [("", 1), ("\u{feff}\r\n", 2), ("(* a (* b *)\n*) ", 2)] {
                let error = read(&format!("{before}{language}{rest}")).expect_err(rest);
                assert_eq!(
                    error.to_string(),
                    format!("line {line}: the architecture is {language}, expected X86 or X86_64"),
                    "{before:?} {rest:?}"
                );
            }
        }
    }
    let error = read("\n (* C\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2: the comment that begins here does not end"
    );
    let long = format!("C {}", " ".repeat(2 << 20));
    assert_eq!(
        read(&long).unwrap_err().to_string(),
        "line 1: the architecture is C, expected X86 or X86_64"
    );
}

/// A scaled address depends on its registers, which orders accesses under RMO.
#[test]
fn a_scaled_address_is_a_dependency() {
    let verdict = |address: &str| {
        let text = format!(
            "X86_64 MP\n{{}}\nP0|P1;\nmovl $1,(x)|movl (y),%eax;\nmfence|movl %eax,%ecx;\n\
             movl $1,(y)|xorq %rcx,%rcx;\n|movl {address},%ebx;\nexists (1:rax=1 /\\ 1:rbx=0)"
        );
        let answer = read(&text)
            .expect("it is a test")
            .run(MemoryModel::RmoNo, &Bounds::default());
        answer.expect("it is decided").verdict
    };
    assert_eq!(verdict("x(%rip)"), Verdict::Ok);
    assert_eq!(verdict("x(,%rcx,4)"), Verdict::No);
    assert_eq!(verdict("x(%rcx)"), Verdict::No);
}

/// A program of the builder can ask for the width of an access, and the check does not depend on the order of accesses.
#[test]
fn an_access_of_another_width_is_a_fault() {
    let ends = |bits: u32| {
        let mut program = ProgramBuilder::new("width");
        let x = program.typed_location("x", 0, Integer::I32);
        program.thread("t", |t| {
            let r = t.register("r");
            t.load(r, Place::from(x).of_width(bits));
            t.atomic(|t| t.store(Place::from(x).of_width(32), 1));
        });
        let program = program.build().expect("it is well formed");
        MemoryModel::ALL.map(|model| {
            let outcomes = outcomes(&Machine::new(program.clone(), model), 100);
            let outcomes = outcomes.expect("there are few states");
            outcomes.first().expect("there is one").threads[0].end
        })
    };
    assert_eq!(ends(32), [ThreadEnd::Ended; 6]);
    assert_eq!(ends(64), [ThreadEnd::Faulty(Fault::OtherWidth); 6]);
}

/// The older dialect, that of memevents: a `;` behind the initial state, and blocks behind the condition.
#[test]
fn the_dialect_of_memevents_says_the_same() {
    let text = |brace: &str, condition: &str, behind: &str| {
        format!(
            "X86 SB (* a name *) and a text\n{{x = 0; y = 0;{brace}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n \
             MOV EAX,[y] | MOV EAX,[x] ;\n{condition}{behind}"
        )
    };
    let asked = "exists (0:EAX=0 /\\ 1:EAX=0)";
    let plain = text("}", asked, "");
    let expected = states(&plain);
    assert_eq!(expected.len(), 4);
    let block = "\n<<\nshow 0; $ ? (1) >\n>>\n";
    let old = "final (P0:EAX=0 /\\ P1:EAX=0)";
    for (brace, condition, behind) in [
        ("};", asked, ""),
        ("} ;\n ;", asked, ""),
        ("}", asked, block),
        ("}", asked, &block.repeat(2)),
        ("}", asked, "; << show 0 >>"),
        ("}", asked, " with tso: Ok; sc: No << show 0 >>"),
        ("};", old, block),
    ] {
        let dialect = text(brace, condition, behind);
        assert_eq!(states(&dialect), expected, "{dialect}");
        let test = read(&dialect).expect("it is read");
        let answer = |model| test.run(model, &Bounds::default()).expect("it ends");
        assert_eq!(answer(MemoryModel::Tso).verdict, Verdict::Ok);
        assert_eq!(answer(MemoryModel::Sc).verdict, Verdict::No);
    }
    // A block where nothing is asked.
    let observed = "locations [0:EAX; 1:EAX;]";
    assert_eq!(states(&text("}", observed, block)), expected);
    let nothing = states(&text("}", "", block));
    assert_eq!(nothing, BTreeSet::from([String::new()]));
}
