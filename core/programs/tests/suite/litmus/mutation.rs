//! Tests that damaged texts are read or rejected without a panic.

use refmap::random::Generator;
use refmap_programs::MemoryModel;
use refmap_programs::litmus::{Bounds, read};

use crate::litmus::answers::texts;

/// Tokens that are significant somewhere.
const WORDS: [&str; 44] = [
    "{",
    "}",
    ";",
    "|",
    "(",
    ")",
    "(*",
    "*)",
    "[",
    "]",
    "exists",
    "~",
    "/\\",
    "=>",
    "forall",
    "LOCK",
    "P0",
    "0:EAX",
    "99999999999999999999",
    "-",
    ":",
    "\"",
    "locations",
    "\u{e9}",
    "%",
    "$",
    ",",
    "+",
    "%cl",
    "x+4(%rip)",
    "(%rsi,%rax,8)",
    "%fs:",
    "18446744073709551615",
    "-9223372036854775808",
    "0x100000000",
    "uint8_t",
    "unsigned long",
    "lock ",
    "xaddq",
    "shl",
    "jo L",
    "cmovl",
    ".L2:",
    "ret;",
];

/// A test with what compilers print.
const COMPILED: &str = "X86_64 compiled
{ int x=5; uint8_t b=200; int64_t q=-2; 0:rsi=x; 1:rsi=q; uint64_t 0:r8=-1; 0:rip=1 }
 P0                     | P1                      ;
 endbr64                | movabsq $85,%rax        ;
 movl x(%rip),%eax      | lock xaddq %rax,q(%rip) ;
 shll $1,%eax           | cs nopw %cs:0(%rax,%rax,1) ;
 jo .L2                 | movq (%rsi,%rbx,8),%rcx ;
 movl %eax,(%rsi)       | cmpq $-3,%rcx           ;
 .L2: cmpb $7,b(%rip)   | cmovle %rax,%rdx        ;
 setb %al               | leaq q(%rip),%rdi       ;
 lock cmpxchgb %cl,(b)  | shrq %cl,(%rdi)         ;
 ret                    | movswl %ax,%eax         ;
locations [0:rax uint64_t; x; b uint8_t; q;]
exists (0:rax=0x5 /\\ ~(q=18446744073709551615) \\/ 1:rdi=q)
";

fn damaged(text: &str, random: &mut Generator) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len().max(1));
        let to = (at + random.below(20)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..to)),
            2 => {
                let copy = bytes[at..to].to_vec();
                let into = random.below(bytes.len().max(1));
                bytes.splice(into..into, copy);
            }
            3 if !bytes.is_empty() => {
                let other = random.below(bytes.len());
                bytes.swap(at, other);
            }
            4 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_tests_are_read_or_refused() {
    let mut random = Generator::new(1);
    let (mut read_anyway, mut refused) = (0, 0);
    let mut texts = texts();
    texts.insert("compiled".to_owned(), COMPILED.to_owned());
    for (name, text) in &texts {
        let times = if name == "compiled" { 2000 } else { 150 };
        for _ in 0..times {
            let damaged = damaged(text, &mut random);
            match read(&damaged) {
                Ok(_) => read_anyway += 1,
                Err(error) => {
                    refused += 1;
                    assert!(error.line >= 1 && error.line <= damaged.lines().count() + 1);
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    // The test has value only if some damage is noticed and some is not.
    assert!(
        read_anyway > 1000 && refused > 1000,
        "{read_anyway} {refused}"
    );
}

#[test]
fn the_beginnings_of_a_test_are_read_or_refused() {
    let compiled = [COMPILED.to_owned()];
    for text in texts().values().step_by(20).chain(&compiled) {
        for end in 0..text.len() {
            let _ = text.get(..end).map(read);
        }
    }
    if let Err(error) = read(COMPILED) {
        panic!("{error}");
    }
}

/// The damaged tests that can still be read run within their limits.
#[test]
#[ignore = "takes minutes"]
fn nightly_damaged_tests_run() {
    let mut random = Generator::new(2);
    let mut all: Vec<String> = texts().into_values().step_by(5).collect();
    all.extend(std::iter::repeat_n(COMPILED.to_owned(), 20));
    let bounds = Bounds {
        states: 300,
        ..Bounds::default()
    };
    let mut ran = 0;
    for round in 0..1500 {
        for text in &all {
            let damaged = damaged(text, &mut random);
            if let Ok(test) = read(&damaged) {
                let model = MemoryModel::ALL[round % MemoryModel::ALL.len()];
                // Too many states is a valid result, and so is a fault.
                ran += usize::from(test.run(model, &bounds).is_ok());
            }
        }
    }
    assert!(ran > 1000, "{ran}");
}
