//! Which models a server has, for a name that it does not know. Sends the one request that asks for the list.

use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// The list of models is only waited for so long: it is a help and no more.
const LIST_TIME: Duration = Duration::from_secs(3);

/// The names that the server lists and that look most like `wanted`; none when there is no list in time.
pub(super) async fn names_like(
    wanted: &str,
    request: reqwest::RequestBuilder,
    cancel: &CancellationToken,
) -> Vec<String> {
    let listed = async { request.timeout(LIST_TIME).send().await?.json::<Value>().await };
    let listed = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        listed = listed => listed.ok(),
    };
    listed.map(|listed| near_names(&listed, wanted)).unwrap_or_default()
}

/// The names in a list of models that look most like `wanted`; all of them when there are few.
fn near_names(listed: &Value, wanted: &str) -> Vec<String> {
    const MOST: usize = 5;
    const NEAR: f64 = 0.75;
    let models = listed
        .get("data")
        .or_else(|| listed.get("models"))
        .and_then(Value::as_array);
    let names = models.into_iter().flatten().filter_map(|model| {
        let name = model.get("id").or_else(|| model.get("name"))?.as_str()?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    });
    let mut scored: Vec<(f64, String)> = names
        .map(|name| (strsim::jaro_winkler(&wanted.to_lowercase(), &name.to_lowercase()), name))
        .collect();
    let few = scored.len() <= MOST;
    scored.retain(|(score, _)| few || *score >= NEAR);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(MOST).map(|(_, name)| name).collect()
}
