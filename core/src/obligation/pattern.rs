//! Patterns by which rows are chosen.

/// True if a pattern stands for a row: for its name, or for that of the obligation to which the row belongs, as `invariant`
/// does for `invariant:NAME`. In a pattern `*` is any text, and a backslash takes the character behind it as it is.
pub(super) fn stands_for(pattern: &str, row: &str) -> bool {
    let symbols = symbols(pattern);
    let before_colons = row.match_indices(':').map(|(at, _)| at);
    let mut ends = before_colons.chain([row.len()]);
    ends.any(|end| matches(&symbols, &row[..end]))
}

#[derive(Clone, Copy, PartialEq)]
enum Symbol {
    AnyText,
    One(char),
}

fn symbols(pattern: &str) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        symbols.push(match character {
            '*' => Symbol::AnyText,
            '\\' => Symbol::One(characters.next().unwrap_or('\\')),
            other => Symbol::One(other),
        });
    }
    symbols
}

/// True if all of `text` is what the symbols say.
fn matches(symbols: &[Symbol], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut symbol, mut position) = (0, 0);
    // Where the last `*` stands, and what it took until now: only that one is ever asked to take more.
    let mut last_any: Option<(usize, usize)> = None;
    while position < text.len() {
        match symbols.get(symbol) {
            Some(Symbol::One(one)) if *one == text[position] => {
                symbol += 1;
                position += 1;
            }
            Some(Symbol::AnyText) => {
                last_any = Some((symbol, position));
                symbol += 1;
            }
            _ => {
                let Some((any, taken)) = last_any else {
                    return false;
                };
                last_any = Some((any, taken + 1));
                (symbol, position) = (any + 1, taken + 1);
            }
        }
    }
    let rest = &symbols[symbol..];
    rest.iter().all(|symbol| *symbol == Symbol::AnyText)
}

#[cfg(test)]
mod tests {
    use quickcheck::quickcheck;

    use super::*;

    #[test]
    fn a_name_stands_for_itself_and_for_its_rows() {
        for (pattern, row) in [
            ("simulation", "simulation"),
            ("invariant", "invariant:small"),
            ("invariant:a", "invariant:a:b"),
            ("invariant:*", "invariant:small"),
            ("*", "deadlock"),
            ("*:small", "invariant:small"),
            ("in*:s*l", "invariant:small"),
            ("env*", "environment"),
            ("invariant:a\\*b", "invariant:a*b"),
            ("invariant:a\\, b", "invariant:a, b"),
            ("invariant:ü*", "invariant:über"),
            ("invariant:\\", "invariant:\\"),
        ] {
            assert!(stands_for(pattern, row), "{pattern} {row}");
        }
        for (pattern, row) in [
            ("", "simulation"),
            ("simul", "simulation"),
            ("invariants", "invariant:small"),
            ("invariant:sm", "invariant:small"),
            ("invariant:*", "inductive:small"),
            ("*:small", "invariant:smaller"),
            ("invariant:a\\*b", "invariant:axb"),
            ("inv*:big", "invariant:small"),
        ] {
            assert!(!stands_for(pattern, row), "{pattern} {row}");
        }
    }

    /// Every way to share the text out among the symbols.
    fn matches_plainly(symbols: &[Symbol], text: &[char]) -> bool {
        match (symbols.split_first(), text.split_first()) {
            (None, None) => true,
            (Some((Symbol::AnyText, rest)), _) => {
                (0..=text.len()).any(|taken| matches_plainly(rest, &text[taken..]))
            }
            (Some((Symbol::One(one), rest)), Some((first, text))) => {
                one == first && matches_plainly(rest, text)
            }
            _ => false,
        }
    }

    fn of_few_letters(numbers: &[u8], letters: [char; 4]) -> String {
        let numbers = numbers.iter().take(12);
        numbers
            .map(|number| letters[usize::from(number % 4)])
            .collect()
    }

    quickcheck! {
        fn patterns_match_as_all_ways_together_do(pattern: Vec<u8>, text: Vec<u8>) -> bool {
            let symbols = symbols(&of_few_letters(&pattern, ['a', 'b', '*', '\\']));
            let text = of_few_letters(&text, ['a', 'b', 'a', '*']);
            let characters: Vec<char> = text.chars().collect();
            matches(&symbols, &text) == matches_plainly(&symbols, &characters)
        }
    }
}
