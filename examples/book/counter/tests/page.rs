//! The commands on the book's page about this project print what the page shows.

use std::path::Path;
use std::process::Command;

/// The words of `text`, those that are measured left out: seconds, memory and cores.
fn words(text: &str) -> Vec<&str> {
    let words: Vec<_> = text.split_whitespace().collect();
    let is_unit = |word: &&str| ["s", "s,", "MiB,", "threads,"].contains(word);
    let is_measured = |at: usize| words.get(at + 1).is_some_and(is_unit);
    (0..words.len())
        .filter(|at| !is_measured(*at))
        .map(|at| words[at])
        .collect()
}

#[test]
fn the_commands_on_the_page_print_what_it_shows() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/your-own-project.md");
    let page = std::fs::read_to_string(page).expect("there is a page");
    let mut commands = 0;
    for block in page.split("```text\n$ cargo run").skip(1) {
        let block = block.split("\n```").next().expect("it ends");
        let (command, shown) = block.split_once('\n').expect("it shows something");
        let arguments = command.split_whitespace().filter(|word| *word != "--");
        let output = Command::new(env!("CARGO_BIN_EXE_counter"))
            .args(arguments)
            .output()
            .expect("it runs");
        let printed = String::from_utf8(output.stdout).expect("it is text");
        assert_eq!(
            words(shown),
            words(&printed),
            "`cargo run{command}`:\n{printed}"
        );
        commands += 1;
    }
    assert_eq!(commands, 3);
}
