//! Guesses test and lint commands from the files at a project's root. Suggestions only: nothing is run until the user
//! has set it, since these files come with the repository.

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    Test,
    Lint,
}

/// A command that the project probably uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub purpose: Purpose,
    pub command: String,
    /// What it was read off, as a phrase: `Cargo.toml`, `the script "test" in package.json`.
    pub because: String,
}

/// A file at the root: its name, and its text where it was read (folders and large files come without).
pub type RootFile<'a> = (&'a str, Option<&'a str>);

/// Suggestions, the most specific first; no command twice.
pub fn suggestions(root: &[RootFile<'_>]) -> Vec<Suggestion> {
    let mut found = Vec::new();
    makefile(root, &mut found);
    package_json(root, &mut found);
    python(root, &mut found);
    for (name, purpose, command) in BY_FILE {
        if has(root, name) {
            push(&mut found, *purpose, command, name);
        }
    }
    found
}

const BY_FILE: &[(&str, Purpose, &str)] = &[
    ("Cargo.toml", Purpose::Test, "cargo test"),
    ("Cargo.toml", Purpose::Lint, "cargo clippy --all-targets"),
    ("go.mod", Purpose::Test, "go test ./..."),
    ("go.mod", Purpose::Lint, "go vet ./..."),
    (".golangci.yml", Purpose::Lint, "golangci-lint run"),
    (".golangci.yaml", Purpose::Lint, "golangci-lint run"),
    ("mvnw", Purpose::Test, "./mvnw -q test"),
    ("gradlew", Purpose::Test, "./gradlew test"),
    ("mix.exs", Purpose::Test, "mix test"),
    ("Gemfile", Purpose::Test, "bundle exec rake"),
    (".rspec", Purpose::Test, "bundle exec rspec"),
    (".rubocop.yml", Purpose::Lint, "bundle exec rubocop"),
    ("phpunit.xml", Purpose::Test, "vendor/bin/phpunit"),
    ("phpunit.xml.dist", Purpose::Test, "vendor/bin/phpunit"),
    ("phpstan.neon", Purpose::Lint, "vendor/bin/phpstan analyse"),
    ("Package.swift", Purpose::Test, "swift test"),
    ("build.zig", Purpose::Test, "zig build test"),
    ("pubspec.yaml", Purpose::Test, "dart test"),
    ("pubspec.yaml", Purpose::Lint, "dart analyze"),
    ("stack.yaml", Purpose::Test, "stack test"),
    ("deno.json", Purpose::Test, "deno test"),
    ("deno.json", Purpose::Lint, "deno lint"),
    ("CTestTestfile.cmake", Purpose::Test, "ctest --output-on-failure"),
];

fn has(root: &[RootFile<'_>], name: &str) -> bool {
    root.iter().any(|(file, _)| *file == name)
}

fn text<'a>(root: &[RootFile<'a>], name: &str) -> Option<&'a str> {
    root.iter().find(|(file, _)| *file == name).and_then(|(_, text)| *text)
}

fn push(found: &mut Vec<Suggestion>, purpose: Purpose, command: &str, because: &str) {
    if !found.iter().any(|known| known.command == command) {
        found.push(Suggestion {
            purpose,
            command: command.to_string(),
            because: because.to_string(),
        });
    }
}

/// Targets named after what they do, in `Makefile`, `justfile` and the like.
fn makefile(root: &[RootFile<'_>], found: &mut Vec<Suggestion>) {
    for (file, tool) in [
        ("Makefile", "make"),
        ("makefile", "make"),
        ("GNUmakefile", "make"),
        ("justfile", "just"),
        ("Justfile", "just"),
    ] {
        let Some(text) = text(root, file) else { continue };
        for (target, purpose) in [
            ("test", Purpose::Test),
            ("tests", Purpose::Test),
            ("check", Purpose::Test),
            ("lint", Purpose::Lint),
        ] {
            let is_target = text.lines().any(|line| {
                line.strip_prefix(target).is_some_and(|rest| {
                    let rest = rest.trim_start();
                    rest.starts_with(':') && !rest.starts_with(":=")
                })
            });
            let is_first = !found.iter().any(|known| known.purpose == purpose);
            if is_target && is_first {
                push(
                    found,
                    purpose,
                    &format!("{tool} {target}"),
                    &format!("the target `{target}` in {file}"),
                );
            }
        }
    }
}

fn package_json(root: &[RootFile<'_>], found: &mut Vec<Suggestion>) {
    let Some(text) = text(root, "package.json") else { return };
    let Ok(package) = serde_json::from_str::<serde_json::Value>(text) else {
        return;
    };
    let manager = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
    ]
    .iter()
    .find(|(lock, _)| has(root, lock))
    .map_or("npm", |(_, manager)| manager);
    for (script, purpose) in [
        ("test", Purpose::Test),
        ("lint", Purpose::Lint),
        ("typecheck", Purpose::Lint),
        ("check", Purpose::Lint),
    ] {
        let body = package["scripts"][script].as_str().unwrap_or_default();
        // What `npm init` writes.
        let is_placeholder = body.contains("no test specified");
        // A watcher never ends.
        let watches = body.split_whitespace().any(|word| word == "--watch" || word == "watch");
        if !body.is_empty() && !is_placeholder && !watches {
            push(
                found,
                purpose,
                &format!("{manager} run {script}"),
                &format!("the script `{script}` in package.json"),
            );
        }
    }
    let uses = |tool: &str| package["devDependencies"][tool].is_string() || package["dependencies"][tool].is_string();
    if !found.iter().any(|known| known.purpose == Purpose::Test) {
        for (tool, command) in [
            ("vitest", "npx vitest run"),
            ("jest", "npx jest"),
            ("mocha", "npx mocha"),
        ] {
            if uses(tool) {
                push(found, Purpose::Test, command, &format!("`{tool}` in package.json"));
            }
        }
    }
    if !found.iter().any(|known| known.purpose == Purpose::Lint) {
        if uses("eslint") {
            push(found, Purpose::Lint, "npx eslint .", "`eslint` in package.json");
        }
        if uses("typescript") && has(root, "tsconfig.json") {
            push(found, Purpose::Lint, "npx tsc --noEmit", "tsconfig.json");
        }
    }
}

fn python(root: &[RootFile<'_>], found: &mut Vec<Suggestion>) {
    let files = [
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "requirements-dev.txt",
        "requirements.txt",
        "requirements_dev.txt",
        "Pipfile",
    ];
    let mentions = |tool: &str| {
        files
            .iter()
            .find(|file| text(root, file).is_some_and(|text| text.contains(tool)))
            .copied()
    };
    let runner = if has(root, "uv.lock") {
        "uv run "
    } else if has(root, "poetry.lock") {
        "poetry run "
    } else {
        ""
    };
    if let Some(file) = mentions("pytest")
        .or_else(|| has(root, "pytest.ini").then_some("pytest.ini"))
        .or_else(|| has(root, "conftest.py").then_some("conftest.py"))
    {
        push(found, Purpose::Test, &format!("{runner}pytest -q"), file);
    } else if has(root, "manage.py") {
        push(
            found,
            Purpose::Test,
            &format!("{runner}python manage.py test"),
            "manage.py",
        );
    } else if has(root, "pyproject.toml") || has(root, "setup.py") {
        push(
            found,
            Purpose::Test,
            &format!("{runner}python -m unittest"),
            "a Python project without pytest",
        );
    }
    for (tool, file, command) in [
        ("ruff", "ruff.toml", "ruff check ."),
        ("flake8", ".flake8", "flake8"),
        ("mypy", "mypy.ini", "mypy ."),
        ("pylint", ".pylintrc", "pylint ."),
    ] {
        if let Some(file) = has(root, file).then_some(file).or_else(|| mentions(tool)) {
            push(found, Purpose::Lint, &format!("{runner}{command}"), file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(root: &[RootFile<'_>]) -> Vec<String> {
        suggestions(root)
            .into_iter()
            .map(|suggestion| suggestion.command)
            .collect()
    }

    #[test]
    fn reads_what_the_project_says() {
        assert_eq!(
            commands(&[("Cargo.toml", None)]),
            ["cargo test", "cargo clippy --all-targets"]
        );
        assert_eq!(
            commands(&[
                ("Makefile", Some("test: build\n\tgo test\nlint:\n\techo\nVAR := x\n")),
                ("go.mod", None)
            ]),
            ["make test", "make lint", "go test ./...", "go vet ./..."]
        );
        let package = r#"{"scripts": {"test": "vitest run", "lint": "eslint ."}}"#;
        assert_eq!(
            commands(&[("package.json", Some(package)), ("pnpm-lock.yaml", None)]),
            ["pnpm run test", "pnpm run lint"]
        );
        let package = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}, "devDependencies": {"jest": "^29"}}"#;
        assert_eq!(commands(&[("package.json", Some(package))]), ["npx jest"]);
        let pyproject = "[tool.pytest.ini_options]\n[tool.ruff]\n";
        assert_eq!(
            commands(&[("pyproject.toml", Some(pyproject)), ("uv.lock", None)]),
            ["uv run pytest -q", "uv run ruff check ."]
        );
        assert_eq!(commands(&[("pyproject.toml", Some(""))]), ["python -m unittest"]);
        assert!(commands(&[("README.md", Some("cargo test"))]).is_empty());
        assert!(commands(&[("package.json", Some("not json"))]).is_empty());
    }

    #[test]
    fn a_watcher_is_no_test_command() {
        let package = r#"{"scripts": {"test": "jest --watch"}}"#;
        assert!(commands(&[("package.json", Some(package))]).is_empty());
    }
}
