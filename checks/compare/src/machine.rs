//! Machine of the measurements, which say little about another one.

use std::fs;
use std::process::Command;

use super::number::mebibytes;
use super::peer::build;
use super::spin;

/// The machine and its programs, a sentence each.
pub fn description() -> Vec<String> {
    let or_nothing = |path| fs::read_to_string(path).unwrap_or_default();
    let (cpus, memory) = (or_nothing("/proc/cpuinfo"), or_nothing("/proc/meminfo"));
    let mut lines = vec![format!(
        "Measured on {}, {} of memory.",
        processor(&cpus),
        total_memory(&memory).map_or_else(|| "an unknown amount".to_owned(), mebibytes)
    )];
    let rustc = build("refmap", "rustc", Command::new("rustc").arg("--version"));
    if let Ok(version) = rustc {
        lines.push(format!("Compiler: {}.", version.trim()));
    }
    if let Some(version) = spin::version() {
        lines.push(format!("Spin: {version}."));
    }
    lines
}

/// The model of the processors, and how many of them there are.
fn processor(cpuinfo: &str) -> String {
    let values = |key| {
        cpuinfo.lines().filter_map(move |line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then_some(value.trim())
        })
    };
    let model = values("model name")
        .next()
        .unwrap_or("an unknown processor");
    match values("processor").count() {
        0 => model.to_owned(),
        1 => format!("{model}, 1 core"),
        cores => format!("{model}, {cores} cores"),
    }
}

fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_named_and_counted() {
        let cpuinfo = "processor\t: 0\nmodel name\t: A Processor @ 2.50GHz\n\n\
                       processor\t: 1\nmodel name\t: A Processor @ 2.50GHz\n";
        assert_eq!(processor(cpuinfo), "A Processor @ 2.50GHz, 2 cores");
        assert_eq!(processor(""), "an unknown processor");
    }

    #[test]
    fn memory_is_read_in_bytes() {
        assert_eq!(total_memory("MemTotal:       2 kB\n"), Some(2048));
        assert_eq!(total_memory(""), None);
    }
}
