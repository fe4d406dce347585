//! When to hand a failure back to the model, and when to stop: on success, on the cap, or when the same failure comes
//! back.

use std::collections::BTreeSet;

use super::turn::TurnEnd;

/// What one round ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Done,
    /// Something failed that the model may put right.
    Failed {
        /// Text for the model.
        report: String,
        /// Equal for failures that are the same but for times, addresses and the like.
        signature: String,
        /// How the turn ends when it is not put right.
        end: TurnEnd,
        /// What failed, for the user: `an edit did not apply`.
        what: &'static str,
        /// How many things are wrong, where that can be counted.
        count: Option<usize>,
    },
    /// A check was stopped: by the user, or because the time is up.
    Stopped(TurnEnd),
    /// Not a failure: the model has something new to look at (files were added).
    GoOn(String),
}

impl Verdict {
    /// How the turn ends when this failure is not put right; None when it is none.
    pub(super) fn failed_as(&self) -> Option<TurnEnd> {
        match self {
            Verdict::Failed { end, .. } => Some(*end),
            Verdict::Done | Verdict::Stopped(_) | Verdict::GoOn(_) => None,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Ask(String),
    /// The turn's end, and why it stops short (without a full stop).
    Stop(TurnEnd, Option<String>),
    /// Nothing more is asked; the turn ends as things stand.
    Rest,
}

/// The reflections of one turn.
pub(super) struct Reflections {
    max: usize,
    used: usize,
    seen: BTreeSet<String>,
    last_count: Option<(&'static str, usize)>,
}

impl Reflections {
    pub(super) fn new(max: usize) -> Self {
        Self {
            max,
            used: 0,
            seen: BTreeSet::new(),
            last_count: None,
        }
    }

    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Decides what follows a round.
    pub(super) fn next(&mut self, verdict: Verdict) -> Next {
        let (report, signature, end, what, count) = match verdict {
            Verdict::Done => return Next::Stop(TurnEnd::Done, None),
            Verdict::Stopped(end) => return Next::Stop(end, None),
            Verdict::GoOn(text) if self.used < self.max => {
                self.used += 1;
                return Next::Ask(text);
            }
            Verdict::GoOn(_) => return Next::Rest,
            Verdict::Failed {
                report,
                signature,
                end,
                what,
                count,
            } => (report, signature, end, what, count),
        };
        if !self.seen.insert(signature) {
            return Next::Stop(end, Some(format!("Stopped: {what}, and the same failure came back")));
        }
        if let (Some((before, fewer_than)), Some(count)) = (self.last_count, count)
            && before == what
            && count >= fewer_than
        {
            return Next::Stop(
                end,
                Some(format!(
                    "Stopped: {what}, and the last try did not make it fewer ({count})"
                )),
            );
        }
        self.last_count = count.map(|count| (what, count));
        if self.used >= self.max {
            let tries = self.max;
            let why = match tries {
                0 => format!("{} (reflections are off)", capitalised(what)),
                1 => format!("Stopped after 1 reflection (`--max-reflections`): {what}"),
                _ => format!("Stopped after {tries} reflections (`--max-reflections`): {what}"),
            };
            return Next::Stop(end, Some(why));
        }
        self.used += 1;
        Next::Ask(report)
    }
}

/// The text with its first letter as a capital.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(signature: &str, count: Option<usize>) -> Verdict {
        Verdict::Failed {
            report: format!("fix {signature}"),
            signature: signature.to_owned(),
            end: TurnEnd::StillRed,
            what: "the lint command still finds something",
            count,
        }
    }

    #[test]
    fn stops_when_the_same_failure_comes_back() {
        let mut reflections = Reflections::new(5);
        assert_eq!(reflections.next(failed("a", None)), Next::Ask("fix a".to_owned()));
        assert_eq!(reflections.next(failed("b", None)), Next::Ask("fix b".to_owned()));
        let Next::Stop(TurnEnd::StillRed, Some(why)) = reflections.next(failed("a", None)) else {
            panic!()
        };
        assert!(why.contains("came back"), "{why}");
    }

    #[test]
    fn stops_when_the_findings_do_not_fall() {
        let mut reflections = Reflections::new(9);
        assert!(matches!(reflections.next(failed("a", Some(5))), Next::Ask(_)));
        assert!(matches!(reflections.next(failed("b", Some(3))), Next::Ask(_)));
        assert!(matches!(
            reflections.next(failed("c", Some(3))),
            Next::Stop(TurnEnd::StillRed, Some(_))
        ));
    }

    #[test]
    fn the_cap_is_a_ceiling() {
        let mut reflections = Reflections::new(1);
        assert!(matches!(reflections.next(failed("a", None)), Next::Ask(_)));
        let Next::Stop(_, Some(why)) = reflections.next(failed("b", None)) else {
            panic!()
        };
        assert!(why.contains("after 1 reflection "), "{why}");
        assert!(matches!(Reflections::new(0).next(failed("a", None)), Next::Stop(..)));
    }

    #[test]
    fn success_stops_without_a_word() {
        assert_eq!(Reflections::new(3).next(Verdict::Done), Next::Stop(TurnEnd::Done, None));
    }
}
