//! The benchmark page, into which the tables are written by the program that measured them.

use std::fs;
use std::path::{Path, PathBuf};

use super::failure::Failure;

const BEGIN: &str = "<!-- tables: written by `cargo bench -p refmap-checks --bench compare -- --markdown --write` -->";
const END: &str = "<!-- end of tables -->";

/// Its path.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/README.md")
}

/// Puts `tables` into the page at `path`, in the place of what is between its markers.
pub fn write(path: &Path, tables: &str) -> Result<(), Failure> {
    let failed = |error| Failure::File {
        path: path.to_owned(),
        error,
    };
    let page = fs::read_to_string(path).map_err(failed)?;
    let page = replaced(&page, tables).map_err(|marker| Failure::Marker {
        path: path.to_owned(),
        marker,
    })?;
    fs::write(path, page).map_err(failed)
}

/// The page with other tables, or the marker that it lacks.
fn replaced(page: &str, tables: &str) -> Result<String, &'static str> {
    let (before, rest) = page.split_once(BEGIN).ok_or(BEGIN)?;
    let (_, after) = rest.split_once(END).ok_or(END)?;
    Ok(format!(
        "{before}{BEGIN}\n\n{}\n\n{END}{after}",
        tables.trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_the_markers_is_replaced_and_nothing_else() {
        let page = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let new = format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n");
        assert_eq!(replaced(&page, "new\n"), Ok(new.clone()));
        assert_eq!(replaced(&new, "new\n"), Ok(new));
    }

    #[test]
    fn a_page_without_markers_is_left_alone() {
        assert_eq!(replaced("no markers", "new"), Err(BEGIN));
        assert_eq!(replaced(BEGIN, "new"), Err(END));
    }

    /// A comparison must not find out at its end that it has nowhere to write.
    #[test]
    fn the_page_has_its_markers() {
        let page = fs::read_to_string(path()).expect("there is a page");
        assert!(replaced(&page, "").is_ok());
    }
}
