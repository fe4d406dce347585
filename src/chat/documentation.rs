//! codriver's own documentation, and the parts of it that a question is about. It is what `/help` answers from.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// The README.
pub const README: &str = include_str!("../../README.md");

/// Words that make a text a question and tell nothing of what it is about. They are rare in documentation, so they would weigh
/// much.
const ASKING: &str = "how what where when which who why does did can could should would will are there the this that these with \
                      for and you your have has mean means work works want need make use get put is it";

/// A part of the documentation: a heading with the text below it, up to the next heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    pub title: &'a str,
    /// Heading included.
    pub text: &'a str,
}

/// The sections of a Markdown text. A `#` inside a fenced block is no heading.
pub fn sections(text: &str) -> Vec<Section<'_>> {
    let mut starts = Vec::new();
    let mut at = 0;
    let mut in_fence = false;
    for line in text.split_inclusive('\n') {
        in_fence ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        if !in_fence && title.len() < line.len() && title.starts_with(' ') {
            starts.push((at, title.trim()));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((start, title), end)| Section {
            title,
            text: text[*start..end].trim_end(),
        })
        .collect()
}

/// The sections that a question is about, best first: those that share rare words with it, above all in the heading. Empty
/// when no word of it is there.
pub fn about<'a>(text: &'a str, question: &str) -> Vec<Section<'a>> {
    // Okapi BM25, with its usual constants.
    const SATURATION: f64 = 1.2;
    const LENGTH: f64 = 0.75;
    let sections = sections(text);
    let words: Vec<BTreeMap<String, usize>> = sections.iter().map(|section| counted(section.text)).collect();
    let lengths: Vec<f64> = words.iter().map(|words| words.values().sum::<usize>() as f64).collect();
    let mean = lengths.iter().sum::<f64>() / sections.len().max(1) as f64;
    let asking: BTreeSet<String> = stems(ASKING).collect();
    let asked: BTreeSet<String> = stems(question).filter(|word| !asking.contains(word)).collect();
    let mut scored: Vec<(f64, Section<'a>)> = Vec::new();
    for ((section, counts), length) in sections.iter().zip(&words).zip(&lengths) {
        let title: BTreeSet<String> = stems(section.title).collect();
        let score: f64 = asked
            .iter()
            .filter_map(|word| {
                let here = *counts.get(word)? as f64;
                let n_with = words.iter().filter(|words| words.contains_key(word)).count() as f64;
                let rarity = (1.0 + (sections.len() as f64 - n_with + 0.5) / (n_with + 0.5)).ln();
                let often = here * (SATURATION + 1.0) / (here + SATURATION * (1.0 - LENGTH + LENGTH * length / mean));
                let heading = if title.contains(word) { 2.0 } else { 1.0 };
                Some(rarity * often * heading)
            })
            .sum();
        if score > 0.0 {
            scored.push((score, section.clone()));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().map(|(_, section)| section).collect()
}

fn counted(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for word in stems(text) {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// Words in lower case without their usual English endings; very short ones tell nothing.
fn stems(text: &str) -> impl Iterator<Item = String> + '_ {
    const SHORTEST: usize = 3;
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= SHORTEST)
        .map(|word| {
            let word = word.to_lowercase();
            let bare = ["ing", "ed", "es", "s"]
                .iter()
                .find_map(|ending| word.strip_suffix(ending))
                .filter(|bare| bare.len() >= SHORTEST);
            let bare = bare.unwrap_or(&word);
            bare.strip_suffix('e')
                .filter(|bare| bare.len() >= SHORTEST)
                .unwrap_or(bare)
                .to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_part_a_text_and_comments_in_code_do_not() {
        let text = "# A\none\n```sh\n# no heading\n```\n## B\ntwo\n";
        let found = sections(text);
        assert_eq!(
            found.iter().map(|section| section.title).collect::<Vec<_>>(),
            ["A", "B"]
        );
        assert!(found[0].text.ends_with("```") && found[1].text == "## B\ntwo");
        assert_eq!(sections("no heading"), []);
    }

    #[test]
    fn the_readme_answers_what_people_ask() {
        for (question, title) in [
            ("what do the exit codes mean?", "Exit codes of `-m` and `apply`"),
            ("how do I make it follow AGENTS.md?", "Rules for the model"),
            ("where is the journal kept", "Where things are kept"),
            ("which edit formats are there?", "Edit formats"),
            ("how large is the repository map", "The repository map"),
            ("how do I set up bedrock?", "Bedrock, Vertex and Azure"),
            ("how does prompt caching work?", "Prompt caching"),
            ("how do I keep a key in the keyring?", "Keys"),
            (
                "can I add a model or provider of my own?",
                "Your own models and providers",
            ),
            ("which json events are there?", "Events of `--json`"),
            ("how do I show it a picture", "Pictures and PDF files"),
        ] {
            let found = about(README, question);
            assert_eq!(found.first().map(|section| section.title), Some(title), "{question}");
        }
        assert_eq!(about(README, "xylophone zzz"), []);
    }
}
