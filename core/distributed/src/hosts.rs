//! Hosts: the addresses of the processes.

use crate::ConnectError;

/// Greatest number of hosts.
const MOST: usize = 1024;

/// Addresses of all processes, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    addresses: Vec<String>,
}

impl Hosts {
    /// Hosts of a text with one address `host:port` a line. Empty lines, and what follows `#`, are ignored.
    ///
    /// # Errors
    ///
    /// If a line is no address, if two are the same one, or if there is none or more than 1024.
    pub fn read(text: &str) -> Result<Self, ConnectError> {
        let mut found: Vec<(usize, &str)> = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let address = content.split('#').next().unwrap_or_default().trim();
            if address.is_empty() {
                continue;
            }
            if let Some(fault) = fault(address) {
                return Err(ConnectError::Address {
                    line,
                    text: address.to_owned(),
                    fault,
                });
            }
            if let Some(&(first, _)) = found
                .iter()
                .find(|(_, other)| other.eq_ignore_ascii_case(address))
            {
                return Err(ConnectError::SameAddress {
                    line,
                    first,
                    address: address.to_owned(),
                });
            }
            if found.len() == MOST {
                return Err(ConnectError::TooMany { line, most: MOST });
            }
            found.push((line, address));
        }
        if found.is_empty() {
            return Err(ConnectError::NoHost);
        }
        Ok(Self {
            addresses: found
                .into_iter()
                .map(|(_, address)| address.to_owned())
                .collect(),
        })
    }

    /// Number of processes.
    pub fn processes(&self) -> usize {
        self.addresses.len()
    }

    /// Address of a process.
    pub(crate) fn address(&self, process: usize) -> &str {
        &self.addresses[process]
    }
}

/// Reason why a text is no address.
fn fault(address: &str) -> Option<&'static str> {
    if address.contains(char::is_whitespace) {
        return Some("it has a space");
    }
    let Some((host, port)) = address.rsplit_once(':') else {
        return Some("it has no port");
    };
    let bracketed = host.starts_with('[') && host.ends_with(']');
    if host.is_empty() {
        Some("it has no host")
    } else if host.contains(':') && !bracketed {
        Some("an address of IPv6 stands in brackets")
    } else if !port.bytes().all(|byte| byte.is_ascii_digit())
        || !matches!(port.parse::<u16>(), Ok(1..))
    {
        Some("the port is no number from 1 to 65535")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        Hosts::read(text).unwrap_err().to_string()
    }

    #[test]
    fn comments_and_empty_lines_are_ignored() {
        let hosts = Hosts::read(
            "# all of them\n\n a.example:2101 # the first\r\n[::1]:2102\n10.0.0.1:2103",
        )
        .unwrap();
        assert_eq!(
            hosts.addresses,
            ["a.example:2101", "[::1]:2102", "10.0.0.1:2103"]
        );
        assert_eq!(hosts.processes(), 3);
    }

    #[test]
    fn faults_name_the_line() {
        let wrong = |text: &str, fault: &str| {
            assert_eq!(
                message(&format!("#\n{text}")),
                format!("line 2: `{text}` is no address `host:port`: {fault}")
            );
        };
        wrong("host", "it has no port");
        wrong("a b:1", "it has a space");
        wrong(":1", "it has no host");
        wrong("::1:2101", "an address of IPv6 stands in brackets");
        for port in ["", "0", "65536", "+1", "-1", "x", "99999999999999999999"] {
            wrong(
                &format!("h:{port}"),
                "the port is no number from 1 to 65535",
            );
        }
        assert_eq!(
            message("a:1\nb:1\nA:1"),
            "line 3: `A:1` stands in line 1 already"
        );
        assert_eq!(message("# none"), "there is no host");
        let lines = |count| -> String { (0..count).map(|host| format!("h{host}:1\n")).collect() };
        assert_eq!(Hosts::read(&lines(1024)).unwrap().processes(), 1024);
        assert_eq!(
            message(&lines(1025)),
            "line 1025: there are more than 1024 hosts"
        );
    }
}
