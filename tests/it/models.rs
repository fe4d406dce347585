//! The catalog of models: `model-settings.toml`, names, the user's rows; and what is said to a model (`chat`).

mod chat;

use codriver::models::Catalog;
use codriver::models::Error;
use codriver::models::Reasoning;

fn resolve(name: &str) -> codriver::models::ModelSettings {
    Catalog::builtin().resolve(name).unwrap()
}

#[test]
fn a_model_of_each_maker_is_known_in_full() {
    for (name, api) in [
        ("openai/gpt-6.1-sol", "openai"),
        ("anthropic/claude-sonnet-5-5", "anthropic"),
        ("gemini/gemini-3.8-flash", "gemini"),
        ("deepseek/deepseek-v4-pro", "openai"),
        ("openrouter/anthropic/claude-opus-5.5", "openai"),
        ("openai/gpt-5.3-codex", "responses"),
    ] {
        let found = resolve(name);
        assert!(found.known, "{name}");
        assert_eq!((found.name.as_str(), found.api.as_str()), (name, api));
        assert!(found.context_window.is_some_and(|window| window > 100_000), "{name}");
        assert!(
            found.prices.is_some_and(|prices| prices.output > prices.input),
            "{name}"
        );
        assert!(found.base_url.is_some() && !found.key_env.is_empty(), "{name}");
    }
}

#[test]
fn names_as_people_write_them() {
    for (given, expected) in [
        ("sonnet", "anthropic/claude-sonnet-5-5"),
        ("Sonnet", "anthropic/claude-sonnet-5-5"),
        (" gpt-5.4 ", "openai/gpt-5.4"),
        ("claude-sonnet-5.5", "anthropic/claude-sonnet-5-5"),
        ("google/gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("together_ai/zai-org/glm-5.3", "together/zai-org/GLM-5.3"),
        ("fireworks_ai/glm-5.3", "fireworks/glm-5p3"),
        ("openai/my-own-model", "openai/my-own-model"),
        ("ollama_chat/qwen2.5-coder:7b", "ollama/qwen2.5-coder:7b"),
        ("gpt-7-nova", "openai/gpt-7-nova"),
        ("claude-opus-9", "anthropic/claude-opus-9"),
    ] {
        assert_eq!(resolve(given).name, expected, "{given}");
    }
    assert_eq!(resolve("openrouter/qwen/qwen3-coder").wire_name, "qwen/qwen3-coder");
}

#[test]
fn a_near_miss_gets_suggestions() {
    let Err(Error::UnknownModel { suggestions, .. }) = Catalog::builtin().resolve("sonet") else {
        panic!("`sonet` is no model");
    };
    assert!(suggestions.contains(&"sonnet".to_owned()), "{suggestions:?}");
    for name in ["", "nobody/knows", "openai/", "/", "anthropc/claude-sonnet-5-5"] {
        assert!(Catalog::builtin().resolve(name).is_err(), "{name:?}");
    }
    let near = Catalog::builtin().suggest("anthropc/claude-sonet-5-5");
    assert_eq!(
        near.first().map(String::as_str),
        Some("anthropic/claude-sonnet-5-5"),
        "{near:?}"
    );
}

#[test]
fn an_unknown_model_gets_the_minimum() {
    let found = resolve("openai/something-new");
    assert!(!found.known);
    assert_eq!(found.edit_format, "diff");
    assert_eq!(
        (found.temperature, found.prices, found.context_window),
        (None, None, None)
    );
    assert_eq!(found.reasoning, Reasoning::None);
    assert!(found.system_role && found.streaming && !found.cache_marks);
}

#[test]
fn tiny_models_write_whole_files() {
    for (name, format) in [
        ("ollama/llama3.2:3b", "whole"),
        ("ollama/qwen2.5-coder:1.5b", "whole"),
        ("ollama/qwen2.5-coder:32b", "diff"),
        ("lmstudio/qwen3-coder-30b-a3b-instruct", "diff"),
        ("ollama/gpt-oss:20b", "diff"),
        ("gemini/gemini-9-pro", "diff-fenced"),
    ] {
        assert_eq!(resolve(name).edit_format, format, "{name}");
    }
}

#[test]
fn helper_models_live_beside_the_model() {
    assert_eq!(
        resolve("openai/gpt-6-sol").weak_model.as_deref(),
        Some("openai/gpt-6-luna")
    );
    assert_eq!(
        resolve("openrouter/anthropic/claude-opus-5.5").weak_model.as_deref(),
        Some("openrouter/anthropic/claude-haiku-5.5")
    );
    assert_eq!(
        resolve("azure/gpt-6-sol").weak_model,
        None,
        "a deployment of that name may not exist"
    );
}

#[test]
fn a_model_at_an_unlisted_host_keeps_its_abilities_but_not_its_price() {
    let found = resolve("github/openai/gpt-5.4");
    assert_eq!(found.context_window, resolve("openai/gpt-5.4").context_window);
    assert!(found.vision && found.prices.is_none() && !found.known);
}

#[test]
fn the_users_rows_extend_and_override_by_field() {
    let mut catalog = Catalog::builtin();
    catalog
        .extend(
            r#"
            [[provider]]
            name = "mine"
            api = "openai"
            base_url = "http://10.0.0.1/v1"
            [[provider]]
            name = "openai"
            base_url = "http://gateway/v1"
            [[family]]
            match = ["house-*"]
            settings = { edit_format = "udiff", extra_body = { top_k = 4 } }
            [aliases]
            house = "mine/house-1"
            [models]
            "mine/house-1" = { window = 1000, temperature = 0.5 }
            "openai/gpt-5.4" = { temperature = false, extra_headers = { X-Team = "a" } }
            "#,
            "models.toml",
        )
        .unwrap();
    let house = catalog.resolve("house").unwrap();
    assert_eq!(
        (house.name.as_str(), house.edit_format.as_str()),
        ("mine/house-1", "udiff")
    );
    assert_eq!((house.context_window, house.temperature), (Some(1_000), Some(0.5)));
    assert_eq!(house.extra_body["top_k"], 4);
    assert!(house.key_env.is_empty());
    let gpt = catalog.resolve("openai/gpt-5.4").unwrap();
    assert_eq!(gpt.base_url.as_deref(), Some("http://gateway/v1"));
    assert_eq!(gpt.key_env, ["OPENAI_API_KEY"], "what the user does not say stays");
    assert_eq!(gpt.extra_headers, [("X-Team".to_owned(), "a".to_owned())]);
    assert!(gpt.prices.is_some());
}

#[test]
fn a_mistake_in_the_users_rows_names_file_and_line() {
    let error = Catalog::builtin()
        .extend("[models]\n\"a/b\" = { widnow = 3 }", "models.toml")
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("`models.toml`") && text.contains("widnow") && text.contains("line 2"),
        "{text}"
    );
}

#[test]
fn search_finds_every_word_and_aliases() {
    let catalog = Catalog::builtin();
    let found = catalog.search("openai LUNA");
    assert!(found.iter().any(|found| found.settings.name == "openai/gpt-6-luna"));
    assert!(found.iter().all(|found| found.settings.name.contains("luna")));
    let opus = catalog.search("opus");
    let row = opus
        .iter()
        .find(|found| found.settings.name == "anthropic/claude-opus-5-5")
        .unwrap();
    assert_eq!(row.aliases, ["opus"]);
    assert!(catalog.search("").len() > 300);
    assert!(catalog.search("no such thing").is_empty());
}

#[test]
fn the_default_model_follows_the_key() {
    let catalog = Catalog::builtin();
    let with = |variable: &'static str| move |name: &str| (name == variable).then(|| "key".to_owned());
    assert_eq!(
        catalog.default_model(&with("OPENAI_API_KEY")).as_deref(),
        Some("openai/gpt-6.1-sol")
    );
    assert_eq!(
        catalog.default_model(&with("GROQ_API_KEY")).as_deref(),
        Some("groq/openai/gpt-oss-120b")
    );
    assert_eq!(catalog.default_model(&|_| None), None);
    assert_eq!(catalog.default_model(&|_| Some(" ".to_owned())), None);
}

/// Everything the file says hangs together.
#[test]
fn every_row_resolves_and_every_reference_leads_somewhere() {
    let catalog = Catalog::builtin();
    let mut wrong = Vec::new();
    for found in catalog.search("") {
        let name = &found.settings.name;
        let settings = &found.settings;
        if !settings.known || settings.provider.is_empty() {
            wrong.push(format!("{name}: no provider"));
        }
        if !["diff", "diff-fenced", "udiff", "whole", "patch"].contains(&settings.edit_format.as_str()) {
            wrong.push(format!("{name}: edit format {}", settings.edit_format));
        }
        if settings.context_window.is_none() {
            wrong.push(format!("{name}: no window"));
        }
        if let Some(weak) = &settings.weak_model
            && !catalog.resolve(weak).is_ok_and(|weak| weak.known)
        {
            wrong.push(format!("{name}: weak model {weak}"));
        }
        if let Some(editor) = &settings.editor_model
            && !catalog.resolve(editor).is_ok_and(|editor| editor.known)
        {
            wrong.push(format!("{name}: editor model {editor}"));
        }
        for alias in &found.aliases {
            if catalog.resolve(alias).map(|found| found.name).as_ref() != Ok(name) {
                wrong.push(format!("alias {alias}"));
            }
        }
    }
    for (provider, variables) in catalog.providers() {
        let Some(first) = variables.first() else { continue };
        let lookup = |name: &str| (name == first).then(|| "key".to_owned());
        if let Some(model) = catalog.default_model(&lookup)
            && !catalog.resolve(&model).is_ok_and(|found| found.known)
        {
            wrong.push(format!("default model {model} of {provider}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_file_is_plain_toml_and_every_row_of_it_is_found() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/model-settings.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let rows: Vec<&String> = table["models"].as_table().unwrap().keys().collect();
    let found = Catalog::builtin().search("");
    assert_eq!(found.iter().map(|found| &found.settings.name).collect::<Vec<_>>(), rows);
    // A file of the same text in the user's folder is understood as well.
    Catalog::builtin().extend(&text, "copy").unwrap();
}

#[test]
fn aliases_lead_to_rows() {
    let toml: toml::Table = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/model-settings.toml"))
        .unwrap()
        .parse()
        .unwrap();
    for (alias, target) in toml["aliases"].as_table().unwrap() {
        let found = resolve(alias);
        assert!(
            found.known && Some(found.name.as_str()) == target.as_str(),
            "{alias} -> {target}"
        );
    }
}
