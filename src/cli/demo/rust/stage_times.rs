//! Stage times of a rally.

/// One crew on one stage; times in seconds.
pub struct Outcome {
    pub driver: &'static str,
    pub seconds: f64,
    pub penalty: f64,
}

/// Minutes, seconds and tenths: 83.5 is 1:23.5.
pub fn format_time(seconds: f64) -> String {
    let minutes = (seconds / 60.0) as u32;
    format!("{minutes}:{:.1}", seconds % 60.0)
}

/// The drivers of a stage, fastest first.
pub fn ranking(results: &[Outcome]) -> Vec<&'static str> {
    let mut ordered: Vec<&Outcome> = results.iter().collect();
    ordered.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    ordered.iter().map(|result| result.driver).collect()
}
