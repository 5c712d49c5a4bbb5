//! Threads as columns, as text.

use std::fmt::Write;

/// Narrowest column, in characters.
const NARROWEST: usize = 12;
/// Space between columns, in characters.
const SPACE: usize = 3;

/// Call in a column.
#[derive(Clone, Debug)]
pub(super) struct Row {
    thread: u32,
    begin: u64,
    end: Option<u64>,
    text: String,
}

impl Row {
    pub fn of(thread: u32, begin: u64, end: Option<u64>, text: String) -> Self {
        Self {
            thread,
            begin,
            end,
            text,
        }
    }
}

/// Calls from top to bottom. A call during which nothing else begins or ends is one line (`╶`), another one goes from where it begins
/// (`┌`) to where it ends (`└`), or beyond, if it never does.
pub(super) fn calls(rows: &[Row]) -> String {
    let mut moments: Vec<(u64, bool, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        moments.push((row.begin, false, at));
        moments.extend(row.end.map(|end| (end, true, at)));
    }
    // Where one ends and another begins at one time they may have been under way together.
    moments.sort_by_key(|(time, is_end, at)| (*time, *is_end, *at));
    let mut cells: Vec<(u32, String)> = Vec::new();
    let mut under_way: Vec<Vec<u32>> = Vec::new();
    let mut now: Vec<u32> = Vec::new();
    let mut skip = false;
    for (place, (_, is_end, at)) in moments.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        let row = &rows[*at];
        if *is_end {
            now.retain(|thread| *thread != row.thread);
            cells.push((row.thread, "└".to_owned()));
        } else if moments.get(place + 1).is_some_and(|next| next.2 == *at) {
            skip = true;
            cells.push((row.thread, format!("╶ {}", row.text)));
        } else {
            cells.push((row.thread, format!("┌ {}", row.text)));
        }
        under_way.push(now.clone());
        if !*is_end && !skip {
            now.push(row.thread);
        }
    }
    table(&cells, &under_way)
}

/// Lines, each in the column of a thread, in their order.
#[cfg(any(feature = "shuttle", feature = "loom"))]
pub(super) fn steps(lines: &[(u32, String)]) -> String {
    table(lines, &vec![Vec::new(); lines.len()])
}

/// Table with a column for each thread; a bar stands where a thread has something under way.
fn table(cells: &[(u32, String)], under_way: &[Vec<u32>]) -> String {
    let mut threads: Vec<u32> = cells.iter().map(|(thread, _)| *thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let width = |thread: u32| {
        let own = cells.iter().filter(|(of, _)| *of == thread);
        let longest = own.map(|(_, text)| text.chars().count()).max();
        longest.unwrap_or(0).max(NARROWEST)
    };
    let widths: Vec<usize> = threads.iter().map(|thread| width(*thread)).collect();
    let mut text = String::new();
    let mut line = |cell: &dyn Fn(u32) -> String| {
        let mut line = String::new();
        for (thread, width) in threads.iter().zip(&widths) {
            let column = width + SPACE;
            // Writing to a string does not fail.
            let _ = write!(line, "{:column$}", cell(*thread));
        }
        text.push_str("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    };
    line(&|thread| format!("thread {thread}"));
    for ((of, shown), under_way) in cells.iter().zip(under_way) {
        line(&|thread| {
            if thread == *of {
                shown.clone()
            } else if under_way.contains(&thread) {
                "│".to_owned()
            } else {
                String::new()
            }
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_overlap_are_seen_to() {
        let row = |thread, begin, end, text: &str| Row::of(thread, begin, end, text.to_owned());
        let rows = [
            row(0, 1, Some(6), "push(1)"),
            row(1, 2, Some(3), "pop → null"),
            row(2, 4, None, "pop"),
            row(0, 7, Some(8), "push(2)"),
        ];
        let expected = "  thread 0       thread 1       thread 2
  ┌ push(1)
  │              ╶ pop → null
  │                             ┌ pop
  └                             │
  ╶ push(2)                     │
";
        assert_eq!(calls(&rows), expected);
    }
}
