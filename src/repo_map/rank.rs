//! From the scene to a probability for every file: the voices' values are brought to 0..1, weighed and added; a softmax
//! makes probabilities of the sums. Most voices count by rank, so that no single word or commit can swing the map.

use super::graph::Graph;
use super::scene::Scene;
use super::signals;

/// One voice with its weights: with files in the chat, with a request alone, with neither.
struct Voice {
    value: fn(&Scene) -> Vec<f64>,
    scale: Scale,
    weights: [f64; 3],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// By rank: 1 for the largest, half for the tenth after it, less and less below; 0 for what has no value.
    Ranked,
    /// Is 0..1 already.
    AsItIs,
}

/// The weights: a conditional logit over real commits (which files did the commit need, given one of them and its message),
/// fitted on some repositories and judged on others. See each row's word on why it is there.
const VOICES: &[Voice] = &[
    // What changed together will change together: the strongest thing that the text alone cannot tell.
    Voice {
        value: signals::changed_together,
        scale: Scale::Ranked,
        weights: [1.09, 0.0, 0.0],
    },
    // Rare names in common; needs neither grammar nor history.
    Voice {
        value: signals::shared,
        scale: Scale::Ranked,
        weights: [0.50, 0.0, 0.0],
    },
    // The same as a share of the file, for which small files need not have much.
    Voice {
        value: signals::contained,
        scale: Scale::Ranked,
        weights: [1.80, 0.0, 0.0],
    },
    // Of these names, what the request speaks of.
    Voice {
        value: signals::focused,
        scale: Scale::Ranked,
        weights: [0.93, 0.0, 0.0],
    },
    // A team says the same thing the same way: old messages lead from the request's words to files that lack them.
    Voice {
        value: signals::message_likeness,
        scale: Scale::Ranked,
        weights: [1.16, 1.27, 0.0],
    },
    // The request's words in the text, in the names that it defines, in its path.
    Voice {
        value: signals::body,
        scale: Scale::Ranked,
        weights: [2.01, 2.70, 0.0],
    },
    Voice {
        value: signals::definitions,
        scale: Scale::Ranked,
        weights: [0.39, 0.99, 0.0],
    },
    Voice {
        value: signals::path,
        scale: Scale::Ranked,
        weights: [1.19, 1.45, 0.0],
    },
    Voice {
        value: signals::stem,
        scale: Scale::AsItIs,
        weights: [0.56, 0.57, 0.0],
    },
    // Whoever writes a path means it: more than the fit's 0.84, since commit messages name files in passing.
    Voice {
        value: signals::named,
        scale: Scale::AsItIs,
        weights: [2.00, 3.00, 0.0],
    },
    // Who quotes a message is after the file that writes it.
    Voice {
        value: signals::quoted,
        scale: Scale::AsItIs,
        weights: [1.50, 1.50, 0.0],
    },
    // Work goes on where it went on last. Without request and chat it stands beside what is central.
    Voice {
        value: signals::last_changed,
        scale: Scale::AsItIs,
        weights: [0.99, 0.78, 1.50],
    },
    // With a request this is in the messages already.
    Voice {
        value: signals::often_changed,
        scale: Scale::Ranked,
        weights: [0.0, 0.0, 1.50],
    },
    // Neighbours in the tree.
    Voice {
        value: signals::near,
        scale: Scale::AsItIs,
        weights: [1.05, 0.0, 0.0],
    },
    // Who names whom: the chat uses what the file defines, and the reverse; small beside `contained`, which sees the same names.
    Voice {
        value: signals::used_by_chat,
        scale: Scale::Ranked,
        weights: [0.27, 0.0, 0.0],
    },
    Voice {
        value: signals::uses_chat,
        scale: Scale::Ranked,
        weights: [0.37, 0.0, 0.0],
    },
    // Imports, whatever the language's word for them: a module is known by the name of its file.
    Voice {
        value: signals::module_of_chat,
        scale: Scale::AsItIs,
        weights: [0.27, 0.0, 0.0],
    },
    Voice {
        value: signals::names_chat_module,
        scale: Scale::Ranked,
        weights: [0.38, 0.0, 0.0],
    },
    // Real requests are about tests more often than the commits that the weights were fitted on (none was), so this is
    // less than the fit's -2.38.
    Voice {
        value: signals::unlikely,
        scale: Scale::AsItIs,
        weights: [-1.80, -1.80, -1.80],
    },
];

/// PageRank leads further than one step and says what is central when nothing else speaks. With a file in the chat it adds
/// nothing to what the two know of each other's names (fitted weight 0.11, recall the same without), so it is not walked.
const CENTRAL: [f64; 3] = [0.0, 0.22, 1.5];
/// What changed together with the files that the request's words put first. With a file in the chat, that file's own
/// history says it better.
const FOLLOWED: [f64; 3] = [0.0, 2.03, 0.0];

/// The rank at which a voice counts half.
const HALF: f64 = 10.0;
/// Files that a voice ranks: what comes later counts less than a hundredth.
const RANKED: usize = 2_000;

/// The mean number of files that a change needs beside the one in the chat.
const WANTED: f64 = 1.96;

/// Probability that the model needs to know of a file, by file; 0 for the chat's own.
pub(super) fn rank(scene: &Scene, graph: Option<&Graph>) -> Vec<f64> {
    let situation = if !scene.chat.is_empty() || !scene.chat_words.is_empty() {
        0
    } else if !scene.query.is_empty() {
        1
    } else {
        2
    };
    let mut scores = vec![0.0; scene.len()];
    for voice in VOICES {
        let weight = voice.weights[situation];
        if weight != 0.0 {
            add(&mut scores, &scaled((voice.value)(scene), voice.scale), weight);
        }
    }
    if CENTRAL[situation] != 0.0 || FOLLOWED[situation] != 0.0 {
        let seeds = seeds(scene, &scores);
        if let Some(graph) = graph.filter(|_| CENTRAL[situation] != 0.0) {
            add(
                &mut scores,
                &ranked(&graph.rank(scene.corpus, &seeds)),
                CENTRAL[situation],
            );
        }
        if FOLLOWED[situation] != 0.0 {
            add(
                &mut scores,
                &ranked(&signals::changed_with(scene, &seeds)),
                FOLLOWED[situation],
            );
        }
    }
    probabilities(scene, &scores)
}

/// Where PageRank starts: the chat's files, else the files that the other voices put first.
fn seeds(scene: &Scene, scores: &[f64]) -> Vec<f64> {
    if scene.chat.is_empty() && scene.query.is_empty() {
        return Vec::new();
    }
    let mut seeds = probabilities(scene, scores);
    for &file in &scene.chat {
        seeds[file] = 1.0;
    }
    seeds
}

fn add(scores: &mut [f64], values: &[f64], weight: f64) {
    for (score, value) in scores.iter_mut().zip(values) {
        *score += weight * value;
    }
}

fn scaled(values: Vec<f64>, scale: Scale) -> Vec<f64> {
    match scale {
        Scale::AsItIs => values,
        Scale::Ranked => ranked(&values),
    }
}

/// Ranks, as shares of the first. Equal values have equal ranks, and what is far down counts as nothing.
fn ranked(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).filter(|&file| values[file] > 0.0).collect();
    let by_value = |&a: &usize, &b: &usize| values[b].total_cmp(&values[a]).then(a.cmp(&b));
    if order.len() > RANKED {
        order.select_nth_unstable_by(RANKED, by_value);
        order.truncate(RANKED);
    }
    order.sort_unstable_by(by_value);
    let mut out = vec![0.0; values.len()];
    let mut above = 0;
    for same in order.chunk_by(|&a, &b| values[a] == values[b]) {
        for &file in same {
            out[file] = HALF / (HALF + above as f64);
        }
        above += same.len();
    }
    out
}

fn probabilities(scene: &Scene, scores: &[f64]) -> Vec<f64> {
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exp: Vec<f64> = (0..scores.len())
        .map(|file| {
            if scene.is_chat[file] {
                0.0
            } else {
                (scores[file] - max).exp()
            }
        })
        .collect();
    let total: f64 = exp.iter().sum();
    if total <= 0.0 {
        return vec![0.0; scores.len()];
    }
    // Rounded, so that the last bits of a sum never decide the order.
    exp.iter()
        .map(|e| ((1.0 - (-WANTED * e / total).exp()) * 1e12).round() / 1e12)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_counts_full_and_nothing_counts_nothing() {
        assert_eq!(ranked(&[0.0, 5.0, 900.0, -1.0]), [0.0, HALF / (HALF + 1.0), 1.0, 0.0]);
        assert_eq!(ranked(&[]), Vec::<f64>::new());
    }

    #[test]
    fn equal_values_have_equal_ranks() {
        let ranks = ranked(&[2.0, 3.0, 2.0, 1.0]);
        assert_eq!(ranks[0], ranks[2]);
        assert_eq!(ranks[3], HALF / (HALF + 3.0));
    }

    #[test]
    fn how_far_the_first_is_ahead_does_not_matter() {
        assert_eq!(ranked(&[1.0, 2.0, 1e9]), ranked(&[1.0, 2.0, 3.0]));
    }

    #[test]
    fn far_down_is_nothing() {
        let values: Vec<f64> = (1..=3 * RANKED).map(|value| value as f64).collect();
        let ranks = ranked(&values);
        assert_eq!(ranks.iter().filter(|rank| **rank > 0.0).count(), RANKED);
        assert_eq!(ranks[3 * RANKED - 1], 1.0);
    }
}
