//! The table of languages. A row needs its crate in `Cargo.toml`, `queries/<name>/tags.scm` and
//! `fixtures/languages/<name>/`.

use std::sync::OnceLock;

use super::{Embedding, Grammar, Language, TagsQuery};

macro_rules! query {
    ($($part:literal)+) => { concat!($(include_str!(concat!("../../queries/", $part, "/tags.scm")), "\n"),+) };
}

/// A row: name, grammar, the parts of its query (its own folder unless others are named), how files are recognised.
macro_rules! row {
    ($name:literal, $grammar:expr, [$($extension:literal),*] $(, queries [$($part:literal)+])? $(, files [$($file:literal),*])? $(, shebangs [$($shebang:literal),*])? $(, embeds $embeds:expr)?) => {
        Language {
            name: $name,
            extensions: &[$($extension),*],
            file_names: &[$($($file),*)?],
            shebangs: &[$($($shebang),*)?],
            grammar: Some(Grammar {
                load: || $grammar.into(),
                source: row!(@query $name $([$($part)+])?),
                loaded: {
                    static LOADED: OnceLock<tree_sitter::Language> = OnceLock::new();
                    &LOADED
                },
                compiled: {
                    static COMPILED: OnceLock<TagsQuery> = OnceLock::new();
                    &COMPILED
                },
                definitions: {
                    static DEFINITIONS: OnceLock<TagsQuery> = OnceLock::new();
                    &DEFINITIONS
                },
            }),
            embeds: row!(@embeds $($embeds)?),
        }
    };
    (@embeds) => { None };
    (@embeds $embeds:expr) => { Some($embeds) };
    (@query $name:literal) => { query!($name) };
    (@query $name:literal [$($part:literal)+]) => { query!($($part)+) };
}

/// Every language that tags can be read of, most used first.
pub static LANGUAGES: &[Language] = &[
    row!("python", tree_sitter_python::LANGUAGE, ["py", "pyi", "pyw"], files ["SConstruct", "SConscript", "wscript"], shebangs ["python", "pypy"]),
    row!("rust", tree_sitter_rust::LANGUAGE, ["rs"]),
    row!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, ["ts", "mts", "cts"], queries ["ecmascript" "typescript"], shebangs ["deno", "ts-node", "tsx", "bun"]),
    row!("tsx", tree_sitter_typescript::LANGUAGE_TSX, ["tsx"], queries ["ecmascript" "typescript" "jsx"]),
    row!("javascript", tree_sitter_javascript::LANGUAGE, ["js", "jsx", "mjs", "cjs"], queries ["ecmascript" "javascript" "jsx"], files ["Jakefile"], shebangs ["node", "nodejs"]),
    row!("go", tree_sitter_go::LANGUAGE, ["go"]),
    row!("java", tree_sitter_java::LANGUAGE, ["java"]),
    row!("c", tree_sitter_c::LANGUAGE, ["c", "h"]),
    row!(
        "cpp",
        tree_sitter_cpp::LANGUAGE,
        [
            "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "C", "H", "cu", "cuh", "ino",
            "pde"
        ]
    ),
    row!("c-sharp", tree_sitter_c_sharp::LANGUAGE, ["cs", "csx"]),
    row!("ruby", tree_sitter_ruby::LANGUAGE, ["rb", "rake", "gemspec", "ru", "podspec"], files ["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"], shebangs ["ruby"]),
    row!(
        "php",
        tree_sitter_php::LANGUAGE_PHP,
        ["php", "phtml", "php5"],
        shebangs["php"]
    ),
    row!("bash", tree_sitter_bash::LANGUAGE, ["sh", "bash", "zsh", "ksh", "bats", "ebuild"], files [".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"], shebangs ["sh", "bash", "zsh", "dash", "ksh", "ash"]),
    row!("lua", tree_sitter_lua::LANGUAGE, ["lua", "rockspec"], shebangs ["lua", "luajit"]),
    row!("html", tree_sitter_html::LANGUAGE, ["html", "htm", "xhtml"], embeds Embedding::Scripts),
    row!("css", tree_sitter_css::LANGUAGE, ["css"]),
    row!("json", tree_sitter_json::LANGUAGE, ["json", "jsonc", "json5", "webmanifest"], files [".prettierrc", ".eslintrc", ".babelrc"]),
    row!("toml", tree_sitter_toml_ng::LANGUAGE, ["toml"], files["Pipfile"]),
    row!("yaml", tree_sitter_yaml::LANGUAGE, ["yaml", "yml"], files [".clang-format", ".clang-tidy"]),
    row!("markdown", tree_sitter_md::LANGUAGE, ["md", "markdown", "mdx", "qmd"]),
    row!("make", tree_sitter_make::LANGUAGE, ["mk", "mak"], files ["Makefile", "makefile", "GNUmakefile", "Kbuild"], shebangs ["make"]),
    row!("cmake", tree_sitter_cmake::LANGUAGE, ["cmake"], files["CMakeLists.txt"]),
    row!("containerfile", tree_sitter_containerfile::LANGUAGE, ["dockerfile", "containerfile"], files ["Dockerfile", "Containerfile"]),
    row!("proto", tree_sitter_proto::LANGUAGE, ["proto"]),
    row!("hcl", tree_sitter_hcl::LANGUAGE, ["tf", "hcl", "tfvars", "nomad"]),
    row!("nix", tree_sitter_nix::LANGUAGE, ["nix"]),
    row!("zig", tree_sitter_zig::LANGUAGE, ["zig", "zon"]),
    row!(
        "elixir",
        tree_sitter_elixir::LANGUAGE,
        ["ex", "exs"],
        shebangs["elixir"]
    ),
    row!("dart", tree_sitter_dart_orchard::LANGUAGE, ["dart"], shebangs["dart"]),
    row!(
        "r",
        tree_sitter_r::LANGUAGE,
        ["r", "R"],
        files[".Rprofile"],
        shebangs["Rscript"]
    ),
    row!("svelte", tree_sitter_svelte_ng::LANGUAGE, ["svelte"], embeds Embedding::Scripts),
    row!("graphql", tree_sitter_graphql::LANGUAGE, ["graphql", "gql", "graphqls"]),
    row!("solidity", tree_sitter_solidity::LANGUAGE, ["sol"]),
    row!(
        "kotlin",
        tree_sitter_kotlin_sg::LANGUAGE,
        ["kt", "kts", "ktm"],
        shebangs["kotlin"]
    ),
    row!("swift", tree_sitter_swift::LANGUAGE, ["swift"], shebangs["swift"]),
    row!(
        "scala",
        tree_sitter_scala::LANGUAGE,
        ["scala", "sc", "sbt"],
        shebangs["scala"]
    ),
    Language {
        name: "vue",
        extensions: &["vue"],
        file_names: &[],
        shebangs: &[],
        grammar: None,
        embeds: Some(Embedding::Scripts),
    },
    Language {
        name: "notebook",
        extensions: &["ipynb"],
        file_names: &[],
        shebangs: &[],
        grammar: None,
        embeds: Some(Embedding::Notebook),
    },
    #[cfg(feature = "all-languages")]
    row!("haskell", tree_sitter_haskell::LANGUAGE, ["hs", "hsc"], shebangs ["runghc", "runhaskell"]),
    #[cfg(feature = "all-languages")]
    row!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML, ["ml"], shebangs["ocaml"]),
    #[cfg(feature = "all-languages")]
    row!("ocaml-interface", tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE, ["mli"]),
    #[cfg(feature = "all-languages")]
    row!("sql", tree_sitter_sequel::LANGUAGE, ["sql", "ddl", "pgsql", "psql"]),
    #[cfg(feature = "all-languages")]
    row!("julia", tree_sitter_julia::LANGUAGE, ["jl"], shebangs["julia"]),
    #[cfg(feature = "all-languages")]
    row!(
        "fortran",
        tree_sitter_fortran::LANGUAGE,
        ["f90", "f95", "f03", "f08", "f", "for", "f77"]
    ),
    #[cfg(feature = "all-languages")]
    row!(
        "erlang",
        tree_sitter_erlang::LANGUAGE,
        ["erl", "hrl", "escript"],
        files["rebar.config"],
        shebangs["escript"]
    ),
    #[cfg(feature = "all-languages")]
    row!("elm", tree_sitter_elm::LANGUAGE, ["elm"]),
    #[cfg(feature = "all-languages")]
    row!("clojure", tree_sitter_clojure_orchard::LANGUAGE, ["clj", "cljs", "cljc", "edn", "bb"], shebangs ["bb", "clojure"]),
    #[cfg(feature = "all-languages")]
    row!("objc", tree_sitter_objc::LANGUAGE, ["m", "mm"]),
    #[cfg(feature = "all-languages")]
    row!(
        "powershell",
        tree_sitter_powershell::LANGUAGE,
        ["ps1", "psm1", "psd1"],
        shebangs["pwsh"]
    ),
    #[cfg(feature = "all-languages")]
    row!(
        "groovy",
        tree_sitter_groovy::LANGUAGE,
        ["groovy", "gradle", "gvy"],
        files["Jenkinsfile"],
        shebangs["groovy"]
    ),
    #[cfg(feature = "all-languages")]
    row!("gleam", tree_sitter_gleam::LANGUAGE, ["gleam"]),
    #[cfg(feature = "all-languages")]
    row!("racket", tree_sitter_racket::LANGUAGE, ["rkt"], shebangs["racket"]),
    #[cfg(feature = "all-languages")]
    row!("scheme", tree_sitter_scheme::LANGUAGE, ["scm", "ss", "sld"], shebangs ["guile", "chibi-scheme"]),
    #[cfg(feature = "all-languages")]
    row!(
        "commonlisp",
        tree_sitter_commonlisp::LANGUAGE_COMMONLISP,
        ["lisp", "lsp", "cl", "asd"],
        shebangs["sbcl"]
    ),
    #[cfg(feature = "all-languages")]
    row!("elisp", tree_sitter_elisp::LANGUAGE, ["el"], files[".emacs"]),
    #[cfg(feature = "all-languages")]
    row!("pascal", tree_sitter_pascal::LANGUAGE, ["pas", "pp", "dpr", "lpr"]),
    #[cfg(feature = "all-languages")]
    row!("ada", tree_sitter_ada::LANGUAGE, ["adb", "ads"]),
    #[cfg(feature = "all-languages")]
    row!("d", tree_sitter_d::LANGUAGE, ["d", "di"], shebangs["rdmd"]),
    #[cfg(feature = "all-languages")]
    row!("matlab", tree_sitter_matlab::LANGUAGE, ["matlab"]),
    #[cfg(feature = "all-languages")]
    row!("properties", tree_sitter_properties::LANGUAGE, ["properties"]),
];
