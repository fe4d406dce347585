//! At which kinds of nodes a pattern of a query starts, read off its text.

/// The kinds of nodes at which a pattern may match first; None when that takes more than its outermost nodes to tell: a wildcard,
/// a field, siblings side by side.
pub(super) fn of(pattern: &str) -> Option<Vec<&str>> {
    let mut tokens = Tokens { rest: pattern };
    let first = tokens.next()?;
    tokens.expression(first)
}

struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    /// A bracket, a string, or a run of anything else between white space and brackets.
    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix(';') {
                Some(comment) => self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => break,
            }
        }
        let len = match self.rest.chars().next()? {
            '(' | ')' | '[' | ']' => 1,
            '"' => string_end(self.rest),
            _ => self
                .rest
                .find(|c: char| c.is_whitespace() || "()[]\";".contains(c))
                .unwrap_or(self.rest.len()),
        };
        let (token, rest) = self.rest.split_at(len);
        self.rest = rest;
        Some(token)
    }
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |at| at + 2)
}

impl<'a> Tokens<'a> {
    /// Reads an expression that begins with `first` to its end.
    fn expression(&mut self, first: &str) -> Option<Vec<&'a str>> {
        match first {
            "[" => self.alternatives(),
            "(" => self.node_or_group(),
            // A string, a wildcard, a field.
            _ => None,
        }
    }

    fn alternatives(&mut self) -> Option<Vec<&'a str>> {
        let mut kinds = Vec::new();
        loop {
            match self.next()? {
                "]" => return Some(kinds),
                // A capture or a quantifier of the one before.
                token if token.starts_with(['@', '?', '*', '+']) => {}
                token => kinds.extend(self.expression(token)?),
            }
        }
    }

    fn node_or_group(&mut self) -> Option<Vec<&'a str>> {
        let first = self.next()?;
        if first != "(" && first != "[" {
            self.skip_to_end()?;
            let is_kind =
                first.starts_with(|c: char| c.is_alphabetic()) && !first.ends_with(':') && !first.contains('/');
            let is_kind = is_kind && !matches!(first, "ERROR" | "MISSING");
            return is_kind.then(|| vec![first]);
        }
        let kinds = self.expression(first)?;
        loop {
            match self.next()? {
                ")" => return Some(kinds),
                "(" if self.rest.trim_start().starts_with('#') => self.skip_to_end()?,
                token if token.starts_with('@') => {}
                _ => return None,
            }
        }
    }

    /// Reads up to the bracket that closes what is open.
    fn skip_to_end(&mut self) -> Option<()> {
        let mut open = 1;
        while open > 0 {
            match self.next()? {
                "(" | "[" => open += 1,
                ")" | "]" => open -= 1,
                _ => {}
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn patterns_start_at_their_outermost_nodes() {
        for (pattern, kinds) in [
            ("(a name: (b) @name) @definition.class\n; (c)\n", &["a"][..]),
            ("((a (b) @_b) @definition.type (#eq? @_b \"x)\\\"\"))", &["a"]),
            ("[(a) (b x: [(c) \"d\"])+ ((e) @f)] @definition.type", &["a", "b", "e"]),
            ("(((a (b)) @definition.type) (#eq? @_x \"]\"))", &["a"]),
        ] {
            assert_eq!(of(pattern).as_deref(), Some(kinds), "{pattern}");
        }
        for pattern in [
            "(_ name: (b))",
            "((a) (b))",
            "((a)+ @definition.type . (b))",
            "[\"a\" (b)]",
            "[(a) _]",
            "(ERROR (a))",
            "(MISSING a)",
            "(a/b)",
            "(a",
            "",
        ] {
            assert_eq!(of(pattern), None, "{pattern}");
        }
    }
}
