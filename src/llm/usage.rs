//! The token counts of a reply: our own count where the server told none, and a warning where its count shows that it dropped
//! a part of the request.

use super::Finish;
use super::Reply;
use super::Request;
use super::Usage;
use crate::chat::prompt;
use crate::tokens;

/// Fills in our own count of what was written where the server told none.
pub(super) fn with_output(mut reply: Reply) -> Reply {
    if reply.usage.input == 0 && reply.usage.output == 0 {
        reply.usage = Usage {
            output: (tokens::count(&reply.text) + tokens::count(&reply.reasoning)) as u64,
            reasoning: tokens::count(&reply.reasoning) as u64,
            estimated: true,
            ..reply.usage
        };
    }
    reply
}

/// Fills in our own count of what was sent where the server told none. A warning when a local server (`local`) read much less.
pub(super) fn check_input(reply: &mut Reply, request: &Request, local: bool) -> Option<String> {
    let sent = |count: &dyn Fn(&str) -> usize| -> usize {
        let messages = request.messages.iter();
        messages.map(|message| prompt::message_tokens(message, count)).sum()
    };
    if reply.usage.input == 0 {
        reply.usage.input = sent(&tokens::count) as u64;
        reply.usage.estimated = true;
        return None;
    }
    if !local {
        return None;
    }
    // Counting takes longer; it is done where the estimate gives a reason.
    silent_cut(sent(&tokens::estimate), reply.usage.input)?;
    silent_cut(sent(&tokens::count), reply.usage.input)
}

/// What was said before the user stopped it. Its tokens are by our own count: the server did not get to telling them.
pub(super) fn stopped(reply: Reply) -> Reply {
    let output = (tokens::count(&reply.text) + tokens::count(&reply.reasoning)) as u64;
    Reply {
        finish: Finish::Cancelled,
        usage: Usage {
            output: output.max(reply.usage.output),
            estimated: true,
            ..reply.usage
        },
        ..reply
    }
}

/// Stopped before anything came.
pub(super) fn cancelled() -> Reply {
    Reply {
        text: String::new(),
        reasoning: String::new(),
        finish: Finish::Cancelled,
        usage: Usage {
            estimated: true,
            ..Usage::default()
        },
    }
}

/// A warning when a server read far fewer tokens than were sent: it drops what does not fit its window and says nothing.
fn silent_cut(sent: usize, read: u64) -> Option<String> {
    /// Tokenizers differ by less than this factor.
    const LEAST_SHARE: f64 = 0.6;
    const SMALL: usize = 1_500;
    let cut = sent > SMALL && read > 0 && (read as f64) < sent as f64 * LEAST_SHARE;
    cut.then(|| {
        format!(
            "the server read only {read} of about {sent} prompt tokens: its window is too small and it dropped the rest \
             (files or instructions). Give the server a larger context, or drop files"
        )
    })
}
