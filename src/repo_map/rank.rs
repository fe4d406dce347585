//! From the scene to a probability for every file: the voices' values are brought to 0..1, weighed and added; a softmax
//! makes probabilities of the sums. The square root flattens each voice, so that one word or one commit cannot swing the map.

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
    /// Square root of the share of the largest value.
    Relative,
    /// Is 0..1 already.
    AsItIs,
}

/// The weights: a conditional logit over real commits (which files did the commit need, given one of them and its message),
/// fitted on some repositories and judged on others. See each row's word on why it is there.
const VOICES: &[Voice] = &[
    // What changed together will change together: the strongest thing that the text alone cannot tell.
    Voice {
        value: signals::changed_together,
        scale: Scale::Relative,
        weights: [1.49, 0.0, 0.0],
    },
    // Rare names in common: the strongest single voice; needs neither grammar nor history.
    Voice {
        value: signals::shared,
        scale: Scale::Relative,
        weights: [1.58, 0.0, 0.0],
    },
    // Of these, what the request speaks of.
    Voice {
        value: signals::focused,
        scale: Scale::Relative,
        weights: [1.48, 0.0, 0.0],
    },
    // A team says the same thing the same way: old messages lead from the request's words to files that lack them.
    Voice {
        value: signals::message_likeness,
        scale: Scale::Relative,
        weights: [1.18, 2.07, 0.0],
    },
    Voice {
        value: signals::body,
        scale: Scale::Relative,
        weights: [1.19, 2.44, 0.0],
    },
    Voice {
        value: signals::definitions,
        scale: Scale::Relative,
        weights: [0.39, 1.00, 0.0],
    },
    Voice {
        value: signals::path,
        scale: Scale::Relative,
        weights: [1.19, 1.25, 0.0],
    },
    Voice {
        value: signals::stem,
        scale: Scale::AsItIs,
        weights: [0.70, 0.55, 0.0],
    },
    // Whoever writes a path means it.
    Voice {
        value: signals::named,
        scale: Scale::AsItIs,
        weights: [2.00, 3.00, 0.0],
    },
    // Work goes on where it went on last.
    Voice {
        value: signals::last_changed,
        scale: Scale::AsItIs,
        weights: [0.78, 1.51, 1.0],
    },
    Voice {
        value: signals::near,
        scale: Scale::AsItIs,
        weights: [1.32, 0.0, 0.0],
    },
    // Who calls whom: small beside `shared`, which sees the same names.
    Voice {
        value: signals::used_by_chat,
        scale: Scale::Relative,
        weights: [0.19, 0.0, 0.0],
    },
    Voice {
        value: signals::uses_chat,
        scale: Scale::Relative,
        weights: [0.35, 0.0, 0.0],
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
const CENTRAL: [f64; 3] = [0.0, 0.68, 3.0];

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
    if let Some(graph) = graph.filter(|_| CENTRAL[situation] != 0.0) {
        let seeds = seeds(scene, &scores);
        let central = scaled(graph.rank(scene.corpus, &seeds), Scale::Relative);
        add(&mut scores, &central, CENTRAL[situation]);
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

fn scaled(mut values: Vec<f64>, scale: Scale) -> Vec<f64> {
    let max = values.iter().copied().fold(0.0, f64::max);
    if scale == Scale::Relative && max > 0.0 {
        values
            .iter_mut()
            .for_each(|value| *value = (value.max(0.0) / max).sqrt());
    }
    values
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
