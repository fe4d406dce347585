//! What commands in a sandbox may write outside the project: temporary folders and what build tools keep for the next
//! run. To add a tool, add a row. Values in, values out; what of it is there is looked up when a command starts.
//!
//! Only what is data to the tool: no folder of programs that are on the user's `PATH` (`~/.cargo/bin`) and no settings
//! (`~/.gradle/init.d`), since both would be run outside the sandbox later.

use std::path::Path;
use std::path::PathBuf;

/// Where a tool keeps things.
struct Place {
    /// Variable that names the folder (or several, as `PATH` does); empty: there is none.
    variable: &'static str,
    /// The folder without the variable, below the home folder; empty: there is none.
    home: &'static str,
    /// What in it may be written; an empty name is the whole.
    parts: &'static [&'static str],
}

const fn place(variable: &'static str, home: &'static str, parts: &'static [&'static str]) -> Place {
    Place { variable, home, parts }
}

const WHOLE: &[&str] = &[""];

const PLACES: &[Place] = &[
    // Most tools: go, pip, uv, poetry, yarn, deno, ccache, sccache, composer, coursier, bazel, zig, playwright, cypress ...
    place("XDG_CACHE_HOME", ".cache", WHOLE),
    // Sockets of the running desktop, locks.
    place("XDG_RUNTIME_DIR", "", WHOLE),
    // pnpm; gem, NuGet.
    place("XDG_DATA_HOME", ".local/share", &["pnpm/store", "gem", "NuGet"]),
    // pnpm, cabal.
    place("XDG_STATE_HOME", ".local/state", &["pnpm", "cabal"]),
    // Rust.
    place(
        "CARGO_HOME",
        ".cargo",
        &[
            "registry",
            "git",
            ".package-cache",
            ".package-cache-mutate",
            ".global-cache",
        ],
    ),
    place("CARGO_TARGET_DIR", "", WHOLE),
    place("CARGO_BUILD_TARGET_DIR", "", WHOLE),
    place("CARGO_BUILD_BUILD_DIR", "", WHOLE),
    // C, C++.
    place("CCACHE_DIR", ".ccache", WHOLE),
    place("SCCACHE_DIR", "", WHOLE),
    place("CONAN_HOME", ".conan2", &["p"]),
    place("CONAN_USER_HOME", "", &[".conan/data"]),
    place("VCPKG_DEFAULT_BINARY_CACHE", "", WHOLE),
    // Go.
    place("GOPATH", "go", &["pkg"]),
    place("GOMODCACHE", "", WHOLE),
    place("GOCACHE", "", WHOLE),
    place("GOTMPDIR", "", WHOLE),
    place("GOLANGCI_LINT_CACHE", "", WHOLE),
    // JavaScript.
    place("npm_config_cache", ".npm", WHOLE),
    place("NPM_CONFIG_CACHE", "", WHOLE),
    place("PNPM_HOME", "", &["store"]),
    place("npm_config_store_dir", "", WHOLE),
    place("YARN_CACHE_FOLDER", "", WHOLE),
    place("YARN_GLOBAL_FOLDER", ".yarn/berry", WHOLE),
    place("BUN_INSTALL", ".bun", &["install/cache"]),
    place("BUN_INSTALL_CACHE_DIR", "", WHOLE),
    place("DENO_DIR", "", WHOLE),
    place("COREPACK_HOME", "", WHOLE),
    place("NODE_COMPILE_CACHE", "", WHOLE),
    place("PLAYWRIGHT_BROWSERS_PATH", "", WHOLE),
    place("PUPPETEER_CACHE_DIR", "", WHOLE),
    place("CYPRESS_CACHE_FOLDER", "", WHOLE),
    place("XDG_CONFIG_HOME", ".config", &["Cypress"]),
    // Python.
    place("VIRTUAL_ENV", "", WHOLE),
    place("PIP_CACHE_DIR", "", WHOLE),
    place("UV_CACHE_DIR", "", WHOLE),
    place("POETRY_CACHE_DIR", "", WHOLE),
    place("PRE_COMMIT_HOME", "", WHOLE),
    place("PYTHONPYCACHEPREFIX", "", WHOLE),
    place("MYPY_CACHE_DIR", "", WHOLE),
    place("RUFF_CACHE_DIR", "", WHOLE),
    place("HF_HOME", "", WHOLE),
    place("TORCH_HOME", "", WHOLE),
    // Java, Kotlin, Scala, Clojure, Android.
    place(
        "GRADLE_USER_HOME",
        ".gradle",
        &[
            "caches",
            "daemon",
            "native",
            "notifications",
            "workers",
            "wrapper",
            "kotlin-profile",
            ".tmp",
            "android",
        ],
    ),
    place("MAVEN_USER_HOME", ".m2", &["repository", "wrapper", "build-cache"]),
    place("KONAN_DATA_DIR", ".konan", &["cache", "dependencies"]),
    place("", ".ivy2", &["cache", "local"]),
    place("", ".sbt", &["boot"]),
    place("COURSIER_CACHE", "", WHOLE),
    place("GITLIBS", ".gitlibs", WHOLE),
    place("ANDROID_USER_HOME", ".android", &["cache", "build-cache"]),
    // .NET.
    place("NUGET_PACKAGES", ".nuget/packages", WHOLE),
    place(
        "DOTNET_CLI_HOME",
        "",
        &[".dotnet/TelemetryStorageService", ".dotnet/toolResolverCache"],
    ),
    place("", ".dotnet", &["TelemetryStorageService", "toolResolverCache"]),
    place("", ".templateengine", WHOLE),
    // Ruby, PHP.
    place("GEM_HOME", "", WHOLE),
    place("BUNDLE_PATH", "", WHOLE),
    place("BUNDLE_USER_CACHE", ".bundle/cache", WHOLE),
    place("GEM_SPEC_CACHE", ".gem/specs", WHOLE),
    place("COMPOSER_HOME", ".composer", &["cache"]),
    place("COMPOSER_CACHE_DIR", "", WHOLE),
    // Elixir, Erlang, Gleam.
    place("HEX_HOME", ".hex", &["packages", "cache.ets"]),
    place("REBAR_CACHE_DIR", "", WHOLE),
    // Haskell, OCaml, Elm.
    place("CABAL_DIR", ".cabal", &["packages", "store", "logs"]),
    place("STACK_ROOT", ".stack", WHOLE),
    place("DUNE_CACHE_ROOT", "", WHOLE),
    place("ELM_HOME", ".elm", WHOLE),
    // Dart, Swift, Julia, Nim, Zig.
    place(
        "PUB_CACHE",
        ".pub-cache",
        &["hosted", "hosted-hashes", "git", "log", "_temp"],
    ),
    place("", ".dart-tool", WHOLE),
    place("", ".swiftpm", &["cache"]),
    place(
        "JULIA_DEPOT_PATH",
        ".julia",
        &[
            "compiled",
            "packages",
            "artifacts",
            "registries",
            "clones",
            "scratchspaces",
            "logs",
        ],
    ),
    place("NIMBLE_DIR", ".nimble", &["pkgcache", "pkgs2"]),
    place("ZIG_GLOBAL_CACHE_DIR", "", WHOLE),
    // Several languages.
    place("BAZELISK_HOME", "", WHOLE),
    place("TURBO_CACHE_DIR", "", WHOLE),
    place("NX_CACHE_DIRECTORY", "", WHOLE),
    place("TF_PLUGIN_CACHE_DIR", ".terraform.d/plugin-cache", WHOLE),
    // Temporary folders.
    place("TMPDIR", "", WHOLE),
    place("TMP", "", WHOLE),
    place("TEMP", "", WHOLE),
];

/// What a tool makes at its first run, which it could not in a sandbox: only what is there can be opened.
struct FirstRun {
    /// File of a project that uses the tool; empty: every project.
    project: &'static str,
    variable: &'static str,
    home: &'static str,
    /// Names with `/` at the end are folders.
    makes: &'static [&'static str],
}

const fn first(
    project: &'static str,
    variable: &'static str,
    home: &'static str,
    makes: &'static [&'static str],
) -> FirstRun {
    FirstRun {
        project,
        variable,
        home,
        makes,
    }
}

const GRADLE: &[&str] = &[
    "caches/",
    "daemon/",
    "native/",
    "notifications/",
    "workers/",
    "wrapper/",
];

const FIRST_RUNS: &[FirstRun] = &[
    first("", "XDG_CACHE_HOME", ".cache", &["/"]),
    first(
        "Cargo.toml",
        "CARGO_HOME",
        ".cargo",
        &["registry/", "git/", ".package-cache", ".package-cache-mutate"],
    ),
    first("package.json", "npm_config_cache", ".npm", &["/"]),
    first("go.mod", "GOPATH", "go", &["pkg/"]),
    first("pom.xml", "MAVEN_USER_HOME", ".m2", &["repository/"]),
    first("build.gradle", "GRADLE_USER_HOME", ".gradle", GRADLE),
    first("build.gradle.kts", "GRADLE_USER_HOME", ".gradle", GRADLE),
];

/// Something that a tool makes at its first run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    Folder(PathBuf),
    File(PathBuf),
}

/// What has to be there before the tools of a project run in a sandbox for the first time; `has` tells whether a file is at the
/// project's top. Only below the home folder, or where an absolute variable says.
pub fn made_at_first(has: &dyn Fn(&str) -> bool, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<Made> {
    let absolute = |value: Option<String>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(home) = absolute(lookup("HOME")) else {
        return Vec::new();
    };
    let runs = FIRST_RUNS
        .iter()
        .filter(|run| run.project.is_empty() || has(run.project));
    runs.flat_map(|run| {
        let base = absolute(lookup(run.variable)).unwrap_or_else(|| home.join(run.home));
        run.makes.iter().map(move |name| match name.strip_suffix('/') {
            Some("") => Made::Folder(base.clone()),
            Some(folder) => Made::Folder(base.join(folder)),
            None => Made::File(base.join(name)),
        })
    })
    .collect()
}

/// Temporary folders of every system.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];

/// What commands that run in `dir` may write beside the project. `lookup` reads an environment variable; one that names
/// the home folder, or a folder around it, opens nothing: it is too much for a cache.
pub fn usual(dir: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let home = lookup("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let mut found = Vec::new();
    for place in PLACES {
        let named = lookup(place.variable).filter(|value| !value.is_empty() && !place.variable.is_empty());
        let bases: Vec<PathBuf> = match (named, &home) {
            (Some(value), _) => std::env::split_paths(&value)
                .filter(|path| !path.as_os_str().is_empty())
                .map(|path| dir.join(path))
                .collect(),
            (None, Some(home)) if !place.home.is_empty() => vec![home.join(place.home)],
            (None, _) => Vec::new(),
        };
        for base in bases {
            found.extend(place.parts.iter().map(|part| match *part {
                "" => base.clone(),
                part => base.join(part),
            }));
        }
    }
    found.retain(|path| {
        let is_around_home = home.as_deref().is_some_and(|home| home.starts_with(path));
        !is_around_home && path.parent().is_some()
    });
    // These are what they are, also when a home folder is made in them.
    found.extend(TEMPORARY.iter().map(PathBuf::from));
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_make_at_first_is_made_for_projects_that_use_them() {
        let made = |project: &str, variables: &[(&str, &str)]| {
            let lookup = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            made_at_first(&|name| name == project, &lookup)
        };
        let folder = |path: &str| Made::Folder(PathBuf::from(path));
        let home = ("HOME", "/home/me");
        assert_eq!(made("setup.py", &[home]), [folder("/home/me/.cache")]);
        assert_eq!(
            made("package.json", &[home]),
            [folder("/home/me/.cache"), folder("/home/me/.npm")]
        );
        let cargo = made(
            "Cargo.toml",
            &[home, ("CARGO_HOME", "/usr/local/cargo"), ("XDG_CACHE_HOME", "rel")],
        );
        assert_eq!(
            cargo[..2],
            [folder("/home/me/.cache"), folder("/usr/local/cargo/registry")]
        );
        assert_eq!(cargo[3], Made::File(PathBuf::from("/usr/local/cargo/.package-cache")));
        assert_eq!(made("Cargo.toml", &[]), []);
    }

    fn usual_with(variables: &[(&str, &str)]) -> Vec<String> {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        usual(Path::new("/p/web"), &lookup)
            .into_iter()
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn caches_are_below_home_unless_a_variable_names_them() {
        let found = usual_with(&[
            ("HOME", "/home/a"),
            ("CARGO_HOME", "/opt/cargo"),
            ("GOPATH", "/go1:/go2"),
            ("CARGO_TARGET_DIR", "../target"),
        ]);
        for wanted in [
            "/tmp",
            "/home/a/.cache",
            "/home/a/.npm",
            "/opt/cargo/registry",
            "/go1/pkg",
            "/go2/pkg",
            "/p/web/../target",
        ] {
            assert!(found.iter().any(|path| path == wanted), "{wanted} in {found:?}");
        }
        assert!(!found.iter().any(|path| path.starts_with("/home/a/.cargo")));
    }

    #[test]
    fn no_folder_of_programs_or_settings_can_be_written() {
        let found = usual_with(&[("HOME", "/home/a")]);
        for kept in [
            "/home/a/.cargo/bin/cargo",
            "/home/a/.cargo/config.toml",
            "/home/a/go/bin/gopls",
            "/home/a/.gradle/init.d/x.gradle",
            "/home/a/.m2/settings.xml",
            "/home/a/.local/bin/x",
            "/home/a/.bashrc",
            "/home/a/.config/git/config",
            "/home/a/.local/state/codriver/projects",
        ] {
            let open = found.iter().find(|path| Path::new(kept).starts_with(path));
            assert_eq!(open, None, "{kept}");
        }
    }

    #[test]
    fn a_variable_that_names_too_much_opens_nothing() {
        let found = usual_with(&[
            ("HOME", "/home/a"),
            ("XDG_CACHE_HOME", "/home/a"),
            ("GOCACHE", "/home"),
            ("TMPDIR", "/"),
            ("VIRTUAL_ENV", ""),
        ]);
        for path in &found {
            assert!(!Path::new("/home/a").starts_with(path), "{path}");
        }
        assert!(!found.iter().any(|path| path == "/p/web"), "{found:?}");
    }

    #[test]
    fn temporary_folders_stay_open_around_a_home_folder() {
        let found = usual_with(&[("HOME", "/tmp/home")]);
        assert!(found.iter().any(|path| path == "/tmp"));
    }

    #[test]
    fn every_place_can_be_found() {
        for place in PLACES {
            assert!(
                !place.variable.is_empty() || !place.home.is_empty(),
                "a place without a name"
            );
            assert!(place.parts.iter().all(|part| !part.starts_with('/')));
        }
    }
}
