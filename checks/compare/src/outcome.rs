//! Tables of the measurements at an instance: costs of searches, and ratios of peers.

use super::contender::{Contender, Role};
use super::instance::Instance;
use super::measurement::Best;
use super::number::mebibytes;
use super::table::Table;
use refmap::internal::grouped;

/// All searches of an instance.
pub struct Outcome {
    pub instance: Instance,
    pub contenders: Vec<Contender>,
}

impl Outcome {
    /// Costs of the searches.
    pub fn searches(&self) -> Table {
        let counts = self.instance.counts();
        let row = |(contender, best): (&Contender, Best)| {
            let rate = |number: u64| grouped((number as f64 / best.seconds) as u64);
            vec![
                contender.program.clone(),
                contender.claims.clone(),
                contender.storage.to_owned(),
                contender.threads.to_string(),
                rate(counts.states),
                rate(counts.transitions),
                self.bytes_a_state(best),
                mebibytes(best.peak_bytes),
                format!("{:.2}", best.user_seconds),
                format!("{:.2}", best.cpu_seconds),
                format!("{:.2}", best.seconds),
            ]
        };
        Table {
            heading: format!("{}: {counts}", self.instance),
            columns: vec![
                "program",
                "tests",
                "keeps",
                "threads",
                "states/s",
                "transitions/s",
                "bytes a state",
                "peak memory",
                "user CPU s",
                "CPU s",
                "s",
            ],
            text_columns: 3,
            rows: self.measured().map(row).collect(),
        }
    }

    /// CPU time of each peer, divided by ours; none if there is no peer.
    pub fn peers(&self) -> Option<Table> {
        let measures: Vec<_> = self
            .measured()
            .filter_map(|(contender, best)| match contender.role {
                Role::Measure(column) => Some((column, best)),
                Role::Mode | Role::Peer => None,
            })
            .collect();
        let row = |(peer, best): (&Contender, Best)| {
            let ratio =
                |(_, ours): &(&str, Best)| format!("{:.2}", best.cpu_seconds / ours.cpu_seconds);
            let mut row = vec![
                peer.program.clone(),
                format!("{:.2}", best.cpu_seconds),
                self.bytes_a_state(best),
            ];
            row.extend(measures.iter().map(ratio));
            row
        };
        let peers = self
            .measured()
            .filter(|(contender, _)| contender.role == Role::Peer);
        let rows: Vec<_> = peers.map(row).collect();
        if rows.is_empty() || measures.is_empty() {
            return None;
        }
        let mut columns = vec!["peer", "CPU s", "bytes a state"];
        columns.extend(measures.iter().map(|(column, _)| *column));
        Some(Table {
            heading: format!("{}: CPU time of a peer, divided by ours", self.instance),
            columns,
            text_columns: 1,
            rows,
        })
    }

    fn measured(&self) -> impl Iterator<Item = (&Contender, Best)> {
        let contenders = self.contenders.iter();
        contenders.filter_map(|contender| Some((contender, contender.best()?)))
    }

    fn bytes_a_state(&self, best: Best) -> String {
        let bytes = best.peak_bytes as f64 / self.instance.counts().states as f64;
        format!("{bytes:.1}")
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::measurement::Measurement;
    use super::*;

    fn contender(program: &str, role: Role, user_seconds: f64) -> Contender {
        Contender {
            program: program.to_owned(),
            claims: "none".to_owned(),
            storage: "packed",
            threads: 1,
            role,
            command: Command::new(program),
            read: |_| Err("it is not run".to_owned()),
            measurements: vec![Measurement {
                seconds: 2.0,
                user_seconds,
                system_seconds: 0.0,
                peak_bytes: 6860,
            }],
        }
    }

    fn outcome(contenders: Vec<Contender>) -> Outcome {
        Outcome {
            instance: Instance::named("2-1-1").expect("it is known"),
            contenders,
        }
    }

    #[test]
    fn a_peer_is_divided_by_each_measure() {
        let outcome = outcome(vec![
            contender("ours", Role::Measure("ratio to none"), 1.0),
            contender("ours", Role::Measure("ratio to all"), 4.0),
            contender("ours", Role::Mode, 9.0),
            contender("theirs", Role::Peer, 3.0),
        ]);
        let table = outcome.peers().expect("there is a peer");
        assert_eq!(table.rows, [["theirs", "3.00", "10.0", "3.00", "0.75"]]);
    }

    #[test]
    fn without_peers_there_is_no_table_of_them() {
        let ours = contender("ours", Role::Measure("ratio to none"), 1.0);
        assert!(outcome(vec![ours]).peers().is_none());
    }

    #[test]
    fn rates_are_by_the_clock() {
        let outcome = outcome(vec![contender("ours", Role::Mode, 1.0)]);
        let row = &outcome.searches().rows[0];
        assert_eq!(row[4..7], ["343", "1 006", "10.0"]);
    }
}
