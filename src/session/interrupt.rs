//! Ctrl-C: one token for the operation that runs now. The front end's signal handler calls [`Interrupt::trip`]; every
//! operation that can be stopped takes a fresh token first. What runs beside it ends with the program.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use tokio_util::sync::CancellationToken;

/// Shared between the session and the signal handler; clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    current: Arc<Mutex<CancellationToken>>,
    ending: CancellationToken,
}

impl Interrupt {
    /// A token for an operation that begins now; an earlier Ctrl-C does not reach it. Once the program is about to end nothing
    /// begins any more: it is cancelled from the start.
    pub fn fresh(&self) -> CancellationToken {
        let token = self.ending.child_token();
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }

    /// Stops the running operation. Returns false when it was stopped already (the user pressed twice).
    pub fn trip(&self) -> bool {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let first = !current.is_cancelled();
        current.cancel();
        first
    }

    /// Stops the running operation and all that runs beside it: the program is about to end.
    pub fn end(&self) {
        self.trip();
        self.ending.cancel();
    }

    pub fn is_ending(&self) -> bool {
        self.ending.is_cancelled()
    }

    /// A token for what runs beside the chat: Ctrl-C does not reach it, the end of the program does.
    pub fn beside(&self) -> CancellationToken {
        self.ending.child_token()
    }

    /// Whether the newest operation was stopped.
    pub fn tripped(&self) -> bool {
        self.current
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_token_forgets_the_earlier_press() {
        let interrupt = Interrupt::default();
        let first = interrupt.fresh();
        assert!(interrupt.trip());
        assert!(!interrupt.trip(), "the second press is told apart");
        assert!(first.is_cancelled());
        assert!(!interrupt.fresh().is_cancelled());
        assert!(!interrupt.tripped());
    }

    #[test]
    fn what_runs_beside_ends_with_the_program_only() {
        let interrupt = Interrupt::default();
        let (beside, other) = (interrupt.beside(), interrupt.beside());
        interrupt.trip();
        other.cancel();
        assert!(!beside.is_cancelled());
        interrupt.end();
        assert!(beside.is_cancelled() && interrupt.tripped());
        assert!(interrupt.fresh().is_cancelled(), "nothing begins any more");
    }
}
