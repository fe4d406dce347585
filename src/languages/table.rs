//! The table of languages. A row needs its crate in `Cargo.toml` and `queries/<name>/tags.scm`, or
//! `queries/<name>/outline.txt`, or both; and `fixtures/languages/<name>/`.

use std::sync::OnceLock;

use super::{Embedding, Grammar, Language, Lines, Outline, TagsQuery};

macro_rules! query {
    ($($part:literal)+) => { concat!($(include_str!(concat!("../../queries/", $part, "/tags.scm")), "\n"),+) };
}

/// Makes a value when it is first used.
macro_rules! once {
    ($type:ty) => {{
        static ONCE: OnceLock<$type> = OnceLock::new();
        &ONCE
    }};
}

/// A row: name, grammar, extensions, the parts of its query (its own folder unless others are named), how else files are
/// recognised. With `all` before the name the grammar is in builds with `all-languages` only, and others read the language by its
/// outline; with `lines` it has no grammar.
macro_rules! row {
    (all $name:literal, $grammar:expr, [$($extension:literal),*] $(, files [$($file:literal),*])? $(, shebangs [$($shebang:literal),*])?) => {
        Language {
            name: $name,
            extensions: &[$($extension),*],
            file_names: &[$($($file),*)?],
            shebangs: &[$($($shebang),*)?],
            #[cfg(feature = "all-languages")]
            grammar: row!(@grammar $grammar, query!($name)),
            #[cfg(not(feature = "all-languages"))]
            grammar: None,
            lines: row!(@lines $name),
            embeds: None,
            own: once!(String),
        }
    };
    (lines $name:literal, [$($extension:literal),*] $(, files [$($file:literal),*])? $(, shebangs [$($shebang:literal),*])?) => {
        Language {
            name: $name,
            extensions: &[$($extension),*],
            file_names: &[$($($file),*)?],
            shebangs: &[$($($shebang),*)?],
            grammar: None,
            lines: row!(@lines $name),
            embeds: None,
            own: once!(String),
        }
    };
    ($name:literal, $grammar:expr, [$($extension:literal),*] $(, queries [$($part:literal)+])? $(, files [$($file:literal),*])? $(, shebangs [$($shebang:literal),*])? $(, embeds $embeds:expr)?) => {
        Language {
            name: $name,
            extensions: &[$($extension),*],
            file_names: &[$($($file),*)?],
            shebangs: &[$($($shebang),*)?],
            grammar: row!(@grammar $grammar, row!(@query $name $([$($part)+])?)),
            lines: None,
            embeds: row!(@embeds $($embeds)?),
            own: once!(String),
        }
    };
    (@grammar $grammar:expr, $source:expr) => {
        Some(Grammar {
            load: || $grammar.into(),
            source: $source,
            loaded: once!(tree_sitter::Language),
            compiled: once!(TagsQuery),
            definitions: once!(TagsQuery),
        })
    };
    (@lines $name:literal) => {
        Some(Lines {
            source: include_str!(concat!("../../queries/", $name, "/outline.txt")),
            compiled: once!(Outline),
        })
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
    row!("ruby", tree_sitter_ruby::LANGUAGE, ["rb", "rake", "gemspec", "ru", "podspec", "builder", "jbuilder"], files ["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"], shebangs ["ruby"]),
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
        lines: None,
        embeds: Some(Embedding::Scripts),
        own: once!(String),
    },
    Language {
        name: "astro",
        extensions: &["astro"],
        file_names: &[],
        shebangs: &[],
        grammar: None,
        lines: None,
        embeds: Some(Embedding::Astro),
        own: once!(String),
    },
    Language {
        name: "notebook",
        extensions: &["ipynb"],
        file_names: &[],
        shebangs: &[],
        grammar: None,
        lines: None,
        embeds: Some(Embedding::Notebook),
        own: once!(String),
    },
    row!(all "haskell", tree_sitter_haskell::LANGUAGE, ["hs", "hsc"], shebangs ["runghc", "runhaskell"]),
    row!(all "ocaml", tree_sitter_ocaml::LANGUAGE_OCAML, ["ml"], shebangs["ocaml"]),
    row!(all "ocaml-interface", tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE, ["mli"]),
    row!(all "sql", tree_sitter_sequel::LANGUAGE, ["sql", "ddl", "pgsql", "psql"]),
    row!(all "julia", tree_sitter_julia::LANGUAGE, ["jl"], shebangs["julia"]),
    row!(
        all "fortran",
        tree_sitter_fortran::LANGUAGE,
        ["f90", "f95", "f03", "f08", "f", "for", "f77"]
    ),
    row!(
        all "erlang",
        tree_sitter_erlang::LANGUAGE,
        ["erl", "hrl", "escript"],
        files["rebar.config"],
        shebangs["escript"]
    ),
    row!(all "elm", tree_sitter_elm::LANGUAGE, ["elm"]),
    row!(all "clojure", tree_sitter_clojure_orchard::LANGUAGE, ["clj", "cljs", "cljc", "edn", "bb"], shebangs ["bb", "clojure"]),
    row!(all "objc", tree_sitter_objc::LANGUAGE, ["m", "mm"]),
    row!(
        all "powershell",
        tree_sitter_powershell::LANGUAGE,
        ["ps1", "psm1", "psd1"],
        shebangs["pwsh"]
    ),
    row!(
        all "groovy",
        tree_sitter_groovy::LANGUAGE,
        ["groovy", "gradle", "gvy", "grv"],
        files["Jenkinsfile"],
        shebangs["groovy"]
    ),
    row!(all "gleam", tree_sitter_gleam::LANGUAGE, ["gleam"]),
    row!(all "racket", tree_sitter_racket::LANGUAGE, ["rkt"], shebangs["racket"]),
    row!(all "scheme", tree_sitter_scheme::LANGUAGE, ["scm", "ss", "sld"], shebangs ["guile", "chibi-scheme"]),
    row!(
        all "commonlisp",
        tree_sitter_commonlisp::LANGUAGE_COMMONLISP,
        ["lisp", "lsp", "cl", "asd"],
        shebangs["sbcl"]
    ),
    row!(all "elisp", tree_sitter_elisp::LANGUAGE, ["el"], files[".emacs"]),
    row!(all "pascal", tree_sitter_pascal::LANGUAGE, ["pas", "pp", "dpr", "lpr"]),
    row!(all "ada", tree_sitter_ada::LANGUAGE, ["adb", "ads"]),
    row!(all "d", tree_sitter_d::LANGUAGE, ["d", "di"], shebangs["rdmd"]),
    row!(all "matlab", tree_sitter_matlab::LANGUAGE, ["matlab"]),
    row!(all "properties", tree_sitter_properties::LANGUAGE, ["properties"]),
    row!(all "ql", tree_sitter_ql::LANGUAGE, ["ql", "qll"]),
    row!(lines "pony", ["pony"]),
    row!(lines "udev", ["rules"]),
    row!(lines "chatito", ["chatito"]),
    row!(lines "perl", ["pl", "pm", "t", "psgi"], files ["cpanfile", "Makefile.PL", "Build.PL"], shebangs ["perl"]),
    row!(lines "tcl", ["tcl", "tk", "itcl"], shebangs ["tclsh", "wish", "expect"]),
    row!(lines "cython", ["pyx", "pxd", "pxi"]),
    row!(lines "fsharp", ["fs", "fsi", "fsx"]),
    row!(lines "visual-basic", ["vb", "bas", "vbs"]),
    row!(lines "nim", ["nim", "nims", "nimble"]),
    row!(lines "crystal", ["cr"], shebangs ["crystal"]),
    row!(lines "odin", ["odin"]),
    row!(lines "v", ["vsh"], shebangs ["v"]),
    row!(lines "vala", ["vala", "vapi"]),
    row!(lines "haxe", ["hx"]),
    row!(lines "gdscript", ["gd"]),
    row!(lines "mojo", ["mojo"]),
    row!(lines "rescript", ["res", "resi"]),
    row!(lines "purescript", ["purs"]),
    row!(lines "hack", ["hack"]),
    row!(lines "verilog", ["v", "vh", "sv", "svh"]),
    row!(lines "vhdl", ["vhd", "vhdl"]),
    row!(lines "coq", []),
    row!(lines "lean", ["lean"]),
    row!(lines "agda", ["agda"]),
    row!(lines "cobol", ["cob", "cbl", "cpy"]),
    row!(lines "apex", ["cls", "trigger", "apex"]),
    row!(lines "assembly", ["asm", "s", "S", "nasm"]),
    row!(lines "shader", ["glsl", "vert", "frag", "comp", "geom", "hlsl", "wgsl", "metal"]),
    row!(lines "fish", ["fish"], shebangs ["fish"]),
    row!(lines "vim", ["vim"], files [".vimrc", "vimrc"]),
    row!(lines "just", ["just"], files ["justfile", "Justfile", ".justfile"]),
    row!(lines "meson", [], files ["meson.build", "meson_options.txt"]),
    row!(lines "starlark", ["bzl", "star"], files ["BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel", "Tiltfile"]),
    row!(lines "thrift", ["thrift"]),
    row!(lines "prisma", ["prisma"]),
    row!(lines "flatbuffers", ["fbs"]),
    row!(lines "capnp", ["capnp"]),
    row!(lines "puppet", []),
    row!(lines "gherkin", ["feature"]),
    row!(lines "scss", ["scss", "sass", "less"]),
    row!(lines "latex", ["tex", "sty"]),
    row!(lines "restructured-text", ["rst"]),
    row!(lines "asciidoc", ["adoc", "asciidoc"]),
    row!(lines "org", ["org"]),
    row!(lines "typst", ["typ"]),
];

/// What most languages share, for files of none that is known. Not in [`LANGUAGES`]: no path tells it.
pub static UNKNOWN: Language = row!(lines "unknown", []);
