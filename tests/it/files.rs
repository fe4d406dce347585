//! The fence around the project and reading texts from it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use codriver::files::Encoding;
use codriver::files::Error;
use codriver::files::Found;
use codriver::files::MAX_TEXT_BYTES;
use codriver::files::Root;
use codriver::files::TextFile;
use codriver::files::encoding;
use codriver::files::endings;
use codriver::files::endings::GitAttributes;
use codriver::files::endings::LineEnding;
use codriver::files::read_anywhere;

/// `project` with `src/a.rs` and an empty `.git`, and a folder `outside` beside it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder };
        fs::create_dir_all(place.project().join("src")).unwrap();
        fs::create_dir_all(place.project().join(".git/hooks")).unwrap();
        fs::create_dir_all(place.outside()).unwrap();
        fs::write(place.project().join("src/a.rs"), "fn a() {}\n").unwrap();
        fs::write(place.outside().join("secret"), "secret\n").unwrap();
        place
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn outside(&self) -> std::path::PathBuf {
        self.folder.path().join("outside")
    }

    fn root(&self) -> Root {
        Root::new(&self.project()).unwrap()
    }

    fn link(&self, name: &str, target: impl AsRef<Path>) {
        symlink(target, self.project().join(name)).unwrap();
    }
}

#[track_caller]
fn is_outside(root: &Root, path: &str) {
    assert!(
        matches!(root.fenced(path), Err(Error::Outside { .. })),
        "{path}: {:?}",
        root.fenced(path)
    );
    assert!(matches!(root.read(path), Err(Error::Outside { .. })), "{path}");
}

#[track_caller]
fn is_in_git(root: &Root, path: &str) {
    assert!(
        matches!(root.fenced(path), Err(Error::InsideGit { .. })),
        "{path}: {:?}",
        root.fenced(path)
    );
}

#[test]
fn paths_that_leave_the_root_are_refused() {
    let place = Place::new();
    place.link("link", place.outside());
    place.link("relative-link", "../outside");
    place.link("to-file", place.outside().join("secret"));
    place.link("dangling", place.outside().join("not/there/yet"));
    place.link("two-steps", "relative-link");
    place.link("src/up", "../..");
    place.link("absolute-root", "/");
    let root = place.root();
    for path in [
        "../x",
        "a/../../x",
        "src/../../outside/secret",
        "/tmp/x",
        "/etc/passwd",
        "link/x",
        "link",
        "relative-link/new/x",
        "to-file",
        "dangling",
        "dangling/x",
        "two-steps/x",
        "src/up/outside/secret",
        "absolute-root/etc/passwd",
        "missing/../../x",
        "src/a.rs/../../../x",
        "..",
        "../project-2/x",
    ] {
        is_outside(&root, path);
    }
    fs::create_dir(place.folder.path().join("project-2")).unwrap();
    is_outside(&root, "../project-2/x");
    let error = root.fenced("link/x").unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "`link/x` is outside the project (it resolves to `{}/x`)",
            place.outside().canonicalize().unwrap().display()
        )
    );
}

#[test]
fn paths_inside_the_root_are_allowed_however_they_are_written() {
    let place = Place::new();
    place.link("here", "src");
    place.link("absolute", place.project().canonicalize().unwrap().join("src"));
    let root = place.root();
    let real = root.path().join("src/a.rs");
    for path in [
        "src/a.rs",
        "./src//a.rs",
        "src/../src/a.rs",
        "here/a.rs",
        "absolute/a.rs",
        "missing/../src/a.rs",
        "../project/src/a.rs",
        real.to_str().unwrap(),
    ] {
        assert_eq!(root.fenced(path).unwrap(), real, "{path}");
        assert_eq!(root.real_name(path).unwrap(), "src/a.rs", "{path}");
    }
    for path in [
        "new/deep/file.rs",
        "routes/[lang]/(shop)/view.tsx",
        "my file.txt",
        "a\nb\"c",
        "été/計画.md",
        "**.txt",
    ] {
        assert_eq!(root.fenced(path).unwrap(), root.path().join(path), "{path}");
        assert_eq!(root.read(path).unwrap(), Found::Absent, "{path}");
    }
}

#[test]
fn a_link_made_after_the_root_was_opened_counts() {
    let place = Place::new();
    let root = place.root();
    assert!(root.fenced("later/x").is_ok());
    place.link("later", place.outside());
    is_outside(&root, "later/x");
}

#[test]
fn git_folders_are_refused_in_any_spelling_and_through_links() {
    let place = Place::new();
    fs::create_dir_all(place.project().join("vendor/lib/.git")).unwrap();
    place.link("hooks", ".git/hooks");
    place.link("vendor/.GIT", "../src");
    let root = place.root();
    for path in [
        ".git",
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".git./config",
        ".git /config",
        "git~1/config",
        ".git::$INDEX_ALLOCATION/config",
        ".g\u{200c}it/config",
        "src/.git",
        "vendor/lib/.git/config",
        "vendor/lib/.Git/config",
        "hooks/pre-commit",
        "vendor/.GIT/a.rs",
        "new/.git/config",
        ".git\\config",
    ] {
        is_in_git(&root, path);
    }
    for path in [".gitignore", ".github/workflows/ci.yml", "src/.gitkeep", "git/x"] {
        assert!(root.fenced(path).is_ok(), "{path}");
    }
}

#[test]
fn a_git_folder_that_a_git_file_names_is_refused() {
    let place = Place::new();
    fs::remove_dir_all(place.project().join(".git")).unwrap();
    fs::create_dir(place.project().join("repository")).unwrap();
    fs::write(place.project().join(".git"), "gitdir: repository\n").unwrap();
    is_in_git(&place.root(), "repository/config");
    is_in_git(&place.root(), ".git");
}

#[test]
fn a_project_inside_a_folder_named_git_is_a_project() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".git/site")).unwrap();
    let root = Root::new(&folder.path().join(".git/site")).unwrap();
    assert!(root.fenced("a.rs").is_ok());
    is_in_git(&root, ".git/config");
    is_outside(&root, "../config");
}

#[test]
fn a_link_in_a_circle_and_a_dangling_link_are_errors() {
    let place = Place::new();
    place.link("circle", "circle");
    place.link("dangling", "src/not-there.rs");
    let root = place.root();
    for path in ["circle", "circle/x", "dangling"] {
        assert!(
            matches!(root.fenced(path), Err(Error::Read { .. })),
            "{path}: {:?}",
            root.fenced(path)
        );
        assert!(root.read(path).is_err(), "{path}");
    }
}

#[test]
fn the_root_is_resolved_and_must_be_a_folder() {
    let place = Place::new();
    let alias = place.folder.path().join("alias");
    symlink(place.project(), &alias).unwrap();
    assert_eq!(
        Root::new(&alias).unwrap().path(),
        place.project().canonicalize().unwrap()
    );
    assert!(matches!(
        Root::new(&place.project().join("src/a.rs")),
        Err(Error::Read { .. })
    ));
    assert!(matches!(
        Root::new(&place.project().join("missing")),
        Err(Error::Read { .. })
    ));
}

#[test]
fn paths_as_a_user_types_them_become_relative() {
    let place = Place::new();
    let alias = place.folder.path().join("alias");
    symlink(place.project(), &alias).unwrap();
    place.link("a-link.rs", "src/a.rs");
    place.link("out", place.outside());
    let root = place.root();
    let src = place.project().join("src");
    let aliased = alias.join("src/a.rs");
    for (path, from, expected) in [
        ("a.rs", src.as_path(), Some("src/a.rs")),
        ("../src/./a.rs", src.as_path(), Some("src/a.rs")),
        ("src/a.rs", alias.as_path(), Some("src/a.rs")),
        (aliased.to_str().unwrap(), place.outside().as_path(), Some("src/a.rs")),
        ("a-link.rs", alias.as_path(), Some("src/a.rs")),
        ("new.rs", src.as_path(), Some("src/new.rs")),
        (".", alias.as_path(), Some("")),
        ("..", alias.as_path(), None),
        ("../outside/secret", alias.as_path(), None),
        ("out/secret", alias.as_path(), None),
        ("/etc/passwd", alias.as_path(), None),
    ] {
        assert_eq!(
            root.relative(Path::new(path), from).as_deref(),
            expected,
            "{path} from {}",
            from.display()
        );
    }
}

#[test]
fn names_that_are_not_utf_8_harm_nothing() {
    let place = Place::new();
    let name = OsStr::from_bytes(b"caf\xE9.txt");
    fs::write(place.project().join(name), "x\n").unwrap();
    place.link("to-latin", name);
    let root = place.root();
    assert_eq!(root.relative(Path::new(name), &place.project()), None);
    assert!(root.fenced("to-latin").is_ok());
    assert!(matches!(root.real_name("to-latin"), Err(Error::Read { .. })));
    assert!(matches!(root.read("to-latin"), Ok(Found::Text(_))));
    assert!(matches!(root.read("a\0b"), Err(Error::Read { .. })));
}

#[test]
fn what_stands_at_a_path_is_told() {
    let place = Place::new();
    let project = place.project();
    fs::write(project.join("binary"), b"a\0b").unwrap();
    fs::File::create(project.join("large"))
        .unwrap()
        .set_len(MAX_TEXT_BYTES + 1)
        .unwrap();
    fs::write(project.join("empty"), "").unwrap();
    place.link("a-link.rs", "src/a.rs");
    let fifo = std::process::Command::new("mkfifo")
        .arg(project.join("pipe"))
        .status()
        .unwrap();
    assert!(fifo.success());
    let _socket = std::os::unix::net::UnixListener::bind(project.join("socket")).unwrap();
    let root = place.root();
    let text = |text: &str| {
        Found::Text(TextFile {
            text: text.into(),
            encoding: Encoding::Utf8,
        })
    };
    for (path, found) in [
        ("src/a.rs", text("fn a() {}\n")),
        ("a-link.rs", text("fn a() {}\n")),
        ("empty", text("")),
        ("missing", Found::Absent),
        ("src", Found::Folder),
        ("", Found::Folder),
        ("binary", Found::Binary { bytes: 3 }),
        (
            "large",
            Found::TooLarge {
                bytes: MAX_TEXT_BYTES + 1,
            },
        ),
        ("pipe", Found::Special),
        ("socket", Found::Special),
    ] {
        assert_eq!(root.read(path).unwrap(), found, "{path}");
    }
    assert!(matches!(root.read("src/a.rs/below"), Err(Error::Read { .. })));
    assert_eq!(
        read_anywhere(&place.outside().join("secret")).unwrap(),
        text("secret\n")
    );
    assert_eq!(read_anywhere(Path::new("/dev/null")).unwrap(), Found::Special);
}

#[test]
fn a_file_that_may_not_be_read_is_a_clear_error() {
    super::journal::as_nobody("files::a_file_that_may_not_be_read_is_a_clear_error", || {
        let place = Place::new();
        let path = place.project().join("src/a.rs");
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
        let error = place.root().read("src/a.rs").unwrap_err();
        assert_eq!(error.to_string(), "failed to read `src/a.rs`");
        let source = std::error::Error::source(&error).unwrap();
        assert!(source.to_string().contains("Permission denied"), "{source}");
    });
}

#[test]
fn legacy_texts_survive_an_edit_byte_for_byte() {
    let gbk = encoding_rs::GBK
        .encode("// 计算总和\nint sum(int 甲, int 乙);\n// 返回结果\n")
        .0;
    let latin = b"one\ncaf\xE9\nthree\nfour\n";
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("one\r\ntwo\r\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    for bytes in [&gbk[..], latin, &utf16, b"\xEF\xBB\xBFone\ntwo\n"] {
        let file = encoding::decode(bytes).unwrap();
        let edited = format!("{}added\n", file.text);
        let written = file.encoding.encode(&edited).unwrap();
        assert_eq!(written[..bytes.len()], *bytes, "{:?}", file.encoding);
    }
}

#[test]
fn a_new_file_follows_its_place() {
    let place = Place::new();
    let project = place.project();
    let ending = |path: &str| endings::for_new_file(&place.root(), path, &GitAttributes::default()).ending;
    assert_eq!(ending("src/new.rs"), LineEnding::Lf);
    fs::write(project.join("windows.bas"), "a\r\nb\r\n").unwrap();
    assert_eq!(
        ending("deep/down/new.bas"),
        LineEnding::CrLf,
        "files of its kind further up"
    );
    assert_eq!(ending("deep/down/new.txt"), LineEnding::Lf, "none of its kind");
    fs::create_dir(project.join("deep")).unwrap();
    fs::write(project.join("deep/.editorconfig"), "[*.bas]\nend_of_line = lf\n").unwrap();
    assert_eq!(ending("deep/down/new.bas"), LineEnding::Lf, "the settings come first");
    fs::write(project.join("deep/.editorconfig"), "[down/**]\nend_of_line = crlf\n").unwrap();
    assert_eq!(
        ending("deep/down/new.txt"),
        LineEnding::CrLf,
        "patterns are below their own folder"
    );
    assert_eq!(ending("deep/new.txt"), LineEnding::Lf);
}
