//! Where a transaction can be stopped in a test: at every step, by an error or as if the process had died, or with
//! somebody else at work just then. In a normal build a step is nothing.

#[cfg(not(test))]
#[inline(always)]
pub(super) fn step(_name: &'static str) -> std::io::Result<()> {
    Ok(())
}

/// Whether the file system shall be one that can only rename, neither swap nor refuse to replace.
#[cfg(not(test))]
#[inline(always)]
pub(super) fn renames_are_plain() -> bool {
    false
}

#[cfg(test)]
pub(super) use armed::Fault;
#[cfg(test)]
pub(super) use armed::arm;
#[cfg(test)]
pub(super) use armed::make_renames_plain;
#[cfg(test)]
pub(super) use armed::renames_are_plain;
#[cfg(test)]
pub(super) use armed::step;

#[cfg(test)]
mod armed {
    use std::cell::Cell;
    use std::cell::RefCell;
    use std::io;

    pub(in crate::files) enum Fault {
        /// The step fails, as on a full disk.
        Fail,
        /// The process ends there: nothing is cleaned up.
        Die,
        /// Somebody else does something just before the step.
        Meanwhile(Box<dyn FnOnce()>),
    }

    thread_local! {
        static ARMED: RefCell<Option<(usize, Fault)>> = const { RefCell::new(None) };
        static PASSED: Cell<usize> = const { Cell::new(0) };
        static PLAIN: Cell<bool> = const { Cell::new(false) };
    }

    /// Lets `nth` steps (from 0) of this thread pass and has the fault at the next one; None lets all pass. Returns how
    /// many passed since the last call.
    pub(in crate::files) fn arm(nth: Option<(usize, Fault)>) -> usize {
        ARMED.set(nth);
        PASSED.replace(0)
    }

    pub(in crate::files) fn make_renames_plain(plain: bool) {
        PLAIN.set(plain);
    }

    pub(in crate::files) fn renames_are_plain() -> bool {
        PLAIN.get()
    }

    pub(in crate::files) fn step(name: &'static str) -> io::Result<()> {
        let passed = PASSED.get();
        PASSED.set(passed + 1);
        let fault = ARMED.with_borrow_mut(|armed| armed.take_if(|(nth, _)| *nth == passed));
        match fault {
            Some((_, Fault::Fail)) => Err(io::Error::new(io::ErrorKind::StorageFull, name)),
            Some((_, Fault::Die)) => std::panic::panic_any(name),
            Some((_, Fault::Meanwhile(act))) => {
                act();
                Ok(())
            }
            None => Ok(()),
        }
    }
}
