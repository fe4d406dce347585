//! What a picture costs in tokens, by the rules that the makers of models publish.

/// How a model counts pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// By area, after it was made as small as the model sees it (Anthropic); for models of which nothing is known, too.
    #[default]
    Area,
    /// By tiles of 512 pixels (OpenAI).
    Tiles,
    /// By patches of 32 pixels (OpenAI's small models).
    Patches,
    /// By crops of up to 768 pixels (Google).
    Crops,
}

/// Tokens of a picture of that many pixels, an upper bound where a maker's models differ.
pub fn tokens(rule: Rule, width: usize, height: usize) -> usize {
    let (width, height) = (width.max(1) as f64, height.max(1) as f64);
    let tokens = match rule {
        Rule::Area => area(width, height),
        Rule::Tiles => tiles(width, height),
        Rule::Patches => patches(width, height),
        Rule::Crops => crops(width, height),
    };
    tokens.ceil() as usize
}

/// Pixels over 750, of a picture whose long side is at most 1,568 pixels; about 1,600 at most.
fn area(width: f64, height: f64) -> f64 {
    const LONG_SIDE: f64 = 1_568.0;
    const MOST: f64 = 1_600.0;
    let scale = (LONG_SIDE / width.max(height)).min(1.0);
    (width * scale * height * scale / 750.0).min(MOST)
}

/// 85 and 170 for each tile, of a picture that fits 2,048 pixels and whose short side is at most 768.
fn tiles(width: f64, height: f64) -> f64 {
    let scale = (2_048.0 / width.max(height)).min(1.0);
    let (width, height) = (width * scale, height * scale);
    let scale = (768.0 / width.min(height)).min(1.0);
    let n = (width * scale / 512.0).ceil() * (height * scale / 512.0).ceil();
    85.0 + 170.0 * n
}

/// One patch is 1.62 tokens; there are 1,536 patches at most.
fn patches(width: f64, height: f64) -> f64 {
    let n = (width / 32.0).ceil() * (height / 32.0).ceil();
    n.min(1_536.0) * 1.62
}

/// 258 for a small picture and for each crop of a larger one.
fn crops(width: f64, height: f64) -> f64 {
    const SMALL: f64 = 384.0;
    if width <= SMALL && height <= SMALL {
        return 258.0;
    }
    let side = (width.min(height) / 1.5).floor().clamp(256.0, 768.0);
    258.0 * (width / side).ceil() * (height / side).ceil()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_cost_what_their_makers_say() {
        for (rule, width, height, expected) in [
            // The examples of the makers' own pages.
            (Rule::Area, 200, 200, 54),
            (Rule::Area, 1_000, 1_000, 1_334),
            (Rule::Area, 8_000, 8_000, 1_600),
            (Rule::Tiles, 1_024, 1_024, 765),
            (Rule::Tiles, 2_048, 4_096, 1_105),
            (Rule::Patches, 1_024, 1_024, 1_659),
            (Rule::Crops, 300, 300, 258),
            (Rule::Crops, 960, 540, 1_548),
        ] {
            assert_eq!(tokens(rule, width, height), expected, "{rule:?} {width}x{height}");
        }
    }

    #[test]
    fn no_picture_is_free_or_endless() {
        for rule in [Rule::Area, Rule::Tiles, Rule::Patches] {
            assert!(tokens(rule, 0, 0) >= 1);
            assert!(tokens(rule, 1_000_000, 10) < 10_000);
        }
    }
}
