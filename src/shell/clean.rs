//! Turns what a program sends to a terminal into text: no colour codes, of a line that was redrawn only the last state.
//!
//! Escape sequences after ECMA-48: `ESC [ parameters final` moves the cursor or sets colours, `ESC ] ... BEL` (or
//! `ESC \`) sets titles and links, `ESC P|X|^|_ ... ESC \` are strings for the terminal itself. Bytes may come cut
//! anywhere.

/// A line longer than this is given out in pieces, in bytes, so that output without line ends takes no memory.
const MAX_LINE: usize = 64 * 1024;

/// Where the reader stands between two bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// After ESC.
    Escape,
    /// After `ESC [`.
    Control,
    /// In a string that BEL or `ESC \` ends.
    Ignored,
    /// In such a string, after ESC.
    IgnoredEscape,
    /// After `ESC` and a byte that takes one more (character sets).
    OneMore,
}

#[derive(Debug)]
pub(super) struct Cleaner {
    state: State,
    parameters: Vec<u8>,
    /// The line so far.
    line: Vec<u8>,
    /// A carriage return came: whatever is printed next replaces the line.
    returned: bool,
}

impl Cleaner {
    pub(super) fn new() -> Self {
        Self {
            state: State::Text,
            parameters: Vec::new(),
            line: Vec::new(),
            returned: false,
        }
    }

    /// Gives the lines that are complete now, each with its `\n`.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut done = Vec::new();
        for byte in bytes {
            self.byte(*byte, &mut done);
            if self.line.len() >= MAX_LINE {
                self.give_out_whole_characters(&mut done);
            }
        }
        String::from_utf8_lossy(&done).into_owned()
    }

    /// Gives the last line, which has no end.
    pub(super) fn finish(&mut self) -> String {
        self.returned = false;
        String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned()
    }

    fn byte(&mut self, byte: u8, done: &mut Vec<u8>) {
        match self.state {
            State::Text => self.text(byte, done),
            State::Escape => {
                self.state = match byte {
                    b'[' => {
                        self.parameters.clear();
                        State::Control
                    }
                    b']' | b'P' | b'X' | b'^' | b'_' => State::Ignored,
                    b'(' | b')' | b'*' | b'+' | b'#' | b'%' | b' ' => State::OneMore,
                    0x1b => State::Escape,
                    _ => State::Text,
                };
            }
            State::Control => match byte {
                0x20..=0x3f => {
                    // More parameters than any sequence has: they say nothing.
                    if self.parameters.len() < 64 {
                        self.parameters.push(byte);
                    }
                }
                0x40..=0x7e => {
                    self.state = State::Text;
                    self.control(byte);
                }
                0x1b => self.state = State::Escape,
                // Not a sequence after all; line ends must not get lost.
                _ => {
                    self.state = State::Text;
                    self.text(byte, done);
                }
            },
            State::Ignored => match byte {
                0x07 => self.state = State::Text,
                0x1b => self.state = State::IgnoredEscape,
                // No such string holds a line end: a lone introducer must not swallow the rest of the output.
                b'\n' => {
                    self.state = State::Text;
                    self.text(byte, done);
                }
                _ => {}
            },
            State::IgnoredEscape => {
                self.state = if byte == b'\\' { State::Text } else { State::Escape };
                if self.state == State::Escape {
                    self.byte(byte, done);
                }
            }
            State::OneMore => self.state = State::Text,
        }
    }

    fn text(&mut self, byte: u8, done: &mut Vec<u8>) {
        match byte {
            0x1b => self.state = State::Escape,
            b'\n' => {
                self.returned = false;
                done.append(&mut self.line);
                done.push(b'\n');
            }
            b'\r' => self.returned = true,
            0x08 => {
                // One character, which may be several bytes.
                while self.line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
            }
            b'\t' | 0x20..=0x7e | 0x80..=0xff => {
                if self.returned {
                    self.returned = false;
                    self.line.clear();
                }
                self.line.push(byte);
            }
            _ => {}
        }
    }

    fn control(&mut self, last: u8) {
        match last {
            // Back to a column: in practice always the first, to draw the line again.
            b'G' | b'`' => self.returned = true,
            // Erase in the line: to its end (0) or the whole (2).
            b'K' => match self.parameters.as_slice() {
                b"" | b"0" if self.returned => self.line.clear(),
                b"2" => self.line.clear(),
                _ => {}
            },
            // Cursor right is how some programs print spaces.
            b'C' => {
                let n = std::str::from_utf8(&self.parameters)
                    .ok()
                    .and_then(|text| text.parse::<usize>().ok())
                    .unwrap_or(1);
                self.line.extend(std::iter::repeat_n(b' ', n.min(200)));
            }
            _ => {}
        }
    }

    fn give_out_whole_characters(&mut self, done: &mut Vec<u8>) {
        let mut end = self.line.len();
        // Up to three bytes back there is the start of a character that is not complete yet.
        let back = self.line[end.saturating_sub(3)..]
            .iter()
            .rev()
            .position(|byte| byte & 0xc0 == 0xc0);
        if let Some(back) = back {
            let start = end - 1 - back;
            let needs = match self.line[start] {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            if end - start < needs {
                end = start;
            }
        }
        done.extend(self.line.drain(..end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(bytes: &[u8]) -> String {
        let mut cleaner = Cleaner::new();
        let mut text = cleaner.push(bytes);
        text.push_str(&cleaner.finish());
        text
    }

    #[test]
    fn colours_titles_and_links_go() {
        let bytes = b"\x1b[1;31merror\x1b[0m: \x1b]8;;http://x\x07here\x1b]8;;\x1b\\ \x1b]0;title\x07\x1b(Bend\n";
        assert_eq!(clean(bytes), "error: here end\n");
    }

    #[test]
    fn of_a_progress_bar_the_last_state_stays() {
        assert_eq!(clean(b"  1%\r 50%\r100%\ndone\r\n"), "100%\ndone\n");
        assert_eq!(clean(b"fetch 1\x1b[2K\x1b[1Gfetch 2\x1b[K\n"), "fetch 2\n");
        assert_eq!(clean(b"|\x08/\x08-\x08ok\n"), "ok\n");
    }

    #[test]
    fn a_lone_introducer_swallows_no_lines() {
        assert_eq!(clean(b"a\x1b]broken\nb\x1b[3\nc"), "a\nb\nc");
    }

    #[test]
    fn invalid_utf8_is_shown_as_replacement() {
        assert_eq!(clean(b"caf\xe9\n"), "caf\u{fffd}\n");
    }

    #[test]
    fn a_line_without_end_is_given_out_between_characters() {
        let long = "é".repeat(MAX_LINE);
        let mut cleaner = Cleaner::new();
        let mut text = String::new();
        // An odd first byte puts every cut inside a character.
        for piece in [b"x".as_slice(), long.as_bytes()].concat().chunks(1013) {
            text.push_str(&cleaner.push(piece));
            assert!(cleaner.line.len() <= MAX_LINE);
        }
        text.push_str(&cleaner.finish());
        assert_eq!(text, format!("x{long}"));
    }

    proptest::proptest! {
        #[test]
        fn pieces_give_the_same_text(
            bytes in proptest::collection::vec(
                proptest::sample::select(b"a1;[]\x1b\r\n\x08\x07\\KGmC\xc3\xa9".as_slice()), 0..60),
            cuts in proptest::collection::vec(0usize..60, 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut cleaner = Cleaner::new();
            let mut text = String::new();
            for pair in cuts.windows(2) {
                text.push_str(&cleaner.push(&bytes[pair[0]..pair[1]]));
            }
            text.push_str(&cleaner.finish());
            proptest::prop_assert_eq!(text, clean(&bytes));
        }
    }
}
