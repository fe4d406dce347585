//! The user's own tags queries and outlines: `queries/<language>/tags.scm` and `queries/<language>/outline.txt` beside the settings.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use crate::languages;

/// Has every language that has an own text in the folder of settings read by it. To be called once, before any map.
///
/// # Errors
/// When a folder is named like no language, or a text is wrong: names the file, the place and what is wrong.
pub(super) fn load(config_dir: &Path) -> Result<()> {
    let folder = config_dir.join("queries");
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("failed to read `{}`", folder.display())),
    };
    for entry in entries {
        let path = entry
            .with_context(|| format!("failed to read `{}`", folder.display()))?
            .path();
        if path.is_dir() {
            load_language(&path)?;
        }
    }
    Ok(())
}

fn load_language(folder: &Path) -> Result<()> {
    let shown = folder.display();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let language = languages::by_name(&name).ok_or_else(|| anyhow!("`{shown}`: no language is called `{name}`"))?;
    let Some(file) = language.query_file() else {
        bail!("`{shown}`: {name} is only read through the languages inside it");
    };
    let path = folder.join(file);
    // Reading anything but a file may wait for ever.
    if path.exists() && !path.is_file() {
        bail!("`{}` is no regular file", path.display());
    }
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("`{shown}` holds no `{file}`, which is how {name} is read in this build")
        }
        Err(error) => return Err(error).with_context(|| format!("failed to read `{}`", path.display())),
    };
    language
        .replace_query(&text)
        .map_err(|error| anyhow!("`{}`: {error}", path.display()))
}
