//! Which line ending and encoding a new file gets: what `.gitattributes` says, else `.editorconfig`, else the endings of
//! its neighbours, else LF and UTF-8. Existing files keep what they have; that is none of this module's business.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::path::PathBuf;

use super::Encoding;
use super::Root;
use super::read_up_to;

/// So much of a neighbour is read, in bytes: its first lines tell.
const NEIGHBOUR_BYTES: u64 = 16 * 1024;
/// So many neighbours are asked in a folder ...
const MAX_NEIGHBOURS: usize = 8;
/// ... of which so many entries are looked at.
const MAX_FOLDER_ENTRIES: usize = 2_000;
const EDITOR_CONFIG_BYTES: u64 = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LineEnding {
    #[default]
    Lf,
    CrLf,
    /// Old Mac files.
    Cr,
}

impl LineEnding {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }

    /// The text with every line ending made this one.
    pub fn apply(self, text: &str) -> String {
        let unified = text.replace("\r\n", "\n").replace('\r', "\n");
        match self {
            Self::Lf => unified,
            other => unified.replace('\n', other.as_str()),
        }
    }

    /// The ending that most lines of `text` have; None without any.
    pub fn of(text: &[u8]) -> Option<Self> {
        let crlf = memchr::memmem::find_iter(text, b"\r\n").count();
        let lf = memchr::memchr_iter(b'\n', text).count() - crlf;
        let cr = memchr::memchr_iter(b'\r', text).count() - crlf;
        let most = lf.max(crlf).max(cr);
        match most {
            0 => None,
            _ if lf == most => Some(Self::Lf),
            _ if crlf == most => Some(Self::CrLf),
            _ => Some(Self::Cr),
        }
    }
}

/// How a new file is to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewFile {
    pub ending: LineEnding,
    pub encoding: Encoding,
}

/// What `.gitattributes` says about a path, as git answers it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitAttributes {
    /// `eol`: `lf` or `crlf`.
    pub eol: Option<String>,
    /// `working-tree-encoding`, for instance `UTF-16LE-BOM`.
    pub working_tree_encoding: Option<String>,
}

/// What an `.editorconfig` says about a path: `end_of_line` and `charset`, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditorConfig {
    pub end_of_line: Option<String>,
    pub charset: Option<String>,
}

/// Decides by what is known; `neighbours` are the endings of files beside the new one.
pub fn choose(attributes: &GitAttributes, editor_config: &EditorConfig, neighbours: &[LineEnding]) -> NewFile {
    let named = |name: &Option<String>| match name.as_deref() {
        Some("lf") => Some(LineEnding::Lf),
        Some("crlf") => Some(LineEnding::CrLf),
        Some("cr") => Some(LineEnding::Cr),
        _ => None,
    };
    let ending = named(&attributes.eol)
        .or_else(|| named(&editor_config.end_of_line))
        .or_else(|| majority(neighbours))
        .unwrap_or_default();
    let encoding = attributes.working_tree_encoding.as_deref().and_then(encoding_named);
    let encoding = encoding
        .or_else(|| editor_config.charset.as_deref().and_then(encoding_named))
        .unwrap_or(Encoding::Utf8);
    NewFile { ending, encoding }
}

/// [`choose`] for a file that is to be made at `relative`, reading the `.editorconfig` files and the neighbours.
pub fn for_new_file(root: &Root, relative: &str, attributes: &GitAttributes) -> NewFile {
    let editor_config = editor_config(root, relative);
    let neighbours = neighbours(root, relative);
    choose(attributes, &editor_config, &neighbours)
}

/// The ending of the most files; of the first kind in a draw.
fn majority(neighbours: &[LineEnding]) -> Option<LineEnding> {
    let mut counts: BTreeMap<LineEnding, usize> = BTreeMap::new();
    for ending in neighbours {
        *counts.entry(*ending).or_default() += 1;
    }
    let most = *counts.values().max()?;
    counts
        .into_iter()
        .find(|(_, count)| *count == most)
        .map(|(ending, _)| ending)
}

/// `utf-8` and the like as git and EditorConfig spell them. UTF-16 always gets its BOM: without it no reader knows it.
fn encoding_named(name: &str) -> Option<Encoding> {
    match name.to_ascii_lowercase().as_str() {
        "utf-8" | "utf8" => Some(Encoding::Utf8),
        "utf-8-bom" => Some(Encoding::Utf8Bom),
        "utf-16le" | "utf-16le-bom" => Some(Encoding::Utf16LeBom),
        "utf-16be" | "utf-16" => Some(Encoding::Utf16BeBom),
        // EditorConfig's name for ISO 8859-1.
        "latin1" => Some(Encoding::Legacy(encoding_rs::WINDOWS_1252)),
        other => {
            let legacy = encoding_rs::Encoding::for_label_no_replacement(other.as_bytes())?;
            // What cannot be written, or is no legacy encoding.
            (legacy.output_encoding() == legacy && legacy != encoding_rs::UTF_8).then_some(Encoding::Legacy(legacy))
        }
    }
}

/// What the texts of `.editorconfig` files say about a file. `configs` go from the innermost folder outwards, each with
/// the file's path below the config's folder. A text that cannot be read further counts up to there.
pub fn parse_editor_config<'c>(configs: impl IntoIterator<Item = (&'c str, &'c str)>) -> EditorConfig {
    let mut found = EditorConfig::default();
    for (text, path) in configs {
        let Ok(parser) = ec4rs::ConfigParser::new(text.as_bytes()) else {
            continue;
        };
        let is_root = parser.is_root;
        let mut here = EditorConfig::default();
        // Later sections win.
        for section in parser.map_while(Result::ok).filter(|section| section.applies_to(path)) {
            let value = |key: &str| {
                section
                    .props()
                    .get_raw_for_key(key)
                    .into_option()
                    .map(str::to_ascii_lowercase)
            };
            here.end_of_line = value("end_of_line").or(here.end_of_line);
            here.charset = value("charset").or(here.charset);
        }
        found.end_of_line = found.end_of_line.or(here.end_of_line);
        found.charset = found.charset.or(here.charset);
        if is_root {
            break;
        }
    }
    found
}

fn editor_config(root: &Root, relative: &str) -> EditorConfig {
    let mut configs = Vec::new();
    for folder in folders_up(relative) {
        let path = root.path().join(folder).join(".editorconfig");
        let below = relative
            .strip_prefix(folder)
            .unwrap_or(relative)
            .trim_start_matches('/');
        if let Some(bytes) = read_start(&path, EDITOR_CONFIG_BYTES) {
            configs.push((String::from_utf8_lossy(&bytes).into_owned(), below));
        }
    }
    parse_editor_config(configs.iter().map(|(text, below)| (text.as_str(), *below)))
}

/// The endings of files of the same extension in the nearest folder that has such, from the new file's own upwards.
fn neighbours(root: &Root, relative: &str) -> Vec<LineEnding> {
    let extension = Path::new(relative).extension();
    folders_up(relative)
        .map(|folder| {
            let mut paths: Vec<PathBuf> = std::fs::read_dir(root.path().join(folder))
                .into_iter()
                .flatten()
                .take(MAX_FOLDER_ENTRIES)
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension() == extension)
                .collect();
            paths.sort();
            paths
                .iter()
                .filter_map(|path| LineEnding::of(&read_start(path, NEIGHBOUR_BYTES)?))
                .take(MAX_NEIGHBOURS)
                .collect::<Vec<_>>()
        })
        .find(|endings| !endings.is_empty())
        .unwrap_or_default()
}

/// The folders above `relative` from the innermost to the root, which is "".
fn folders_up(relative: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(relative);
    std::iter::from_fn(move || {
        let path = rest.filter(|path| !path.is_empty())?;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        rest = Some(folder);
        Some(folder)
    })
}

/// The first bytes of a regular file.
fn read_start(path: &Path, limit: u64) -> Option<Vec<u8>> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    read_up_to(&File::open(path).ok()?, limit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(eol: &str) -> GitAttributes {
        GitAttributes {
            eol: Some(eol.into()),
            working_tree_encoding: None,
        }
    }

    #[test]
    fn attributes_come_before_editor_config_before_neighbours_before_lf() {
        let none = EditorConfig::default();
        let cr = EditorConfig {
            end_of_line: Some("cr".into()),
            charset: None,
        };
        let crlf = [LineEnding::CrLf, LineEnding::Lf, LineEnding::CrLf];
        let ending = |attributes: &GitAttributes, config: &EditorConfig, neighbours: &[LineEnding]| {
            choose(attributes, config, neighbours).ending
        };
        let unset = GitAttributes::default();
        assert_eq!(ending(&attributes("lf"), &cr, &crlf), LineEnding::Lf);
        assert_eq!(ending(&unset, &cr, &crlf), LineEnding::Cr);
        assert_eq!(ending(&unset, &none, &crlf), LineEnding::CrLf);
        assert_eq!(ending(&unset, &none, &[]), LineEnding::Lf);
        assert_eq!(ending(&attributes("nonsense"), &none, &crlf), LineEnding::CrLf);
    }

    #[test]
    fn the_inner_editor_config_wins_and_a_root_one_ends_the_search() {
        let inner = "[*.{bat,cmd}]\nend_of_line = CRLF\n";
        let middle = "root = true\n[*]\nend_of_line = lf\ncharset = utf-8-bom\n[sub/**.txt]\nend_of_line = unset\n";
        let outer = "[*]\nend_of_line = cr\ncharset = latin1\n";
        let config = |path: &str| {
            let inner_path = path.rsplit('/').next().unwrap();
            parse_editor_config([(inner, inner_path), (middle, path), (outer, path)])
        };
        assert_eq!(config("sub/run.bat").end_of_line.as_deref(), Some("crlf"));
        assert_eq!(config("sub/run.sh").end_of_line.as_deref(), Some("lf"));
        assert_eq!(config("sub/run.sh").charset.as_deref(), Some("utf-8-bom"));
    }

    #[test]
    fn a_broken_editor_config_is_no_error() {
        for text in [
            "[",
            "[*\nend_of_line = lf",
            "end_of_line",
            "[*]\nend_of_line =\n",
            "\u{feff}[*]\nx=y",
            "[{1..]\na=b",
        ] {
            let config = parse_editor_config([(text, "a.txt")]);
            assert_eq!(config, EditorConfig::default(), "{text:?}");
        }
    }

    #[test]
    fn encodings_by_name() {
        for (name, encoding) in [
            ("UTF-8", Some(Encoding::Utf8)),
            ("utf-8-bom", Some(Encoding::Utf8Bom)),
            ("UTF-16LE-BOM", Some(Encoding::Utf16LeBom)),
            ("utf-16be", Some(Encoding::Utf16BeBom)),
            ("latin1", Some(Encoding::Legacy(encoding_rs::WINDOWS_1252))),
            ("Shift_JIS", Some(Encoding::Legacy(encoding_rs::SHIFT_JIS))),
            ("no-such-thing", None),
            ("replacement", None),
        ] {
            assert_eq!(encoding_named(name), encoding, "{name}");
        }
    }

    #[test]
    fn endings_are_counted_and_applied() {
        assert_eq!(LineEnding::of(b"a\r\nb\r\nc\n"), Some(LineEnding::CrLf));
        assert_eq!(LineEnding::of(b"a\rb\r"), Some(LineEnding::Cr));
        assert_eq!(LineEnding::of(b"no line end"), None);
        assert_eq!(LineEnding::CrLf.apply("a\nb\r\nc\rd"), "a\r\nb\r\nc\r\nd");
        assert_eq!(LineEnding::Lf.apply("a\r\nb"), "a\nb");
    }
}
