//! Line diffs on interned lines: patience first (lines that occur once on both sides are kept in order), a longest
//! common subsequence in what is left, bounded in work. The result depends on the input alone.

use std::collections::HashMap;
use std::hash::Hash;

/// Largest table (left lines times right lines) for an exact longest common subsequence. Larger differing parts
/// without a line of their own are taken as replaced as a whole.
const MAX_TABLE: usize = 4_000_000;

/// Pairs of equal lines (left index, right index), both increasing: what is kept. All else is removed or added.
pub fn matches<T: Eq + Hash>(left: &[T], right: &[T]) -> Vec<(usize, usize)> {
    let mut ids: HashMap<&T, u32> = HashMap::new();
    let mut next = 0_u32;
    let mut number = |item| {
        *ids.entry(item).or_insert_with(|| {
            next += 1;
            next - 1
        })
    };
    let left: Vec<u32> = left.iter().map(&mut number).collect();
    let right: Vec<u32> = right.iter().map(&mut number).collect();
    let mut out = Vec::new();
    walk(&left, &right, 0, 0, &mut out);
    out
}

fn walk(left: &[u32], right: &[u32], left_base: usize, right_base: usize, out: &mut Vec<(usize, usize)>) {
    let prefix = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    out.extend((0..prefix).map(|i| (left_base + i, right_base + i)));
    let (left, right) = (&left[prefix..], &right[prefix..]);
    let (left_base, right_base) = (left_base + prefix, right_base + prefix);
    let suffix = left
        .iter()
        .rev()
        .zip(right.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (left_mid, right_mid) = (&left[..left.len() - suffix], &right[..right.len() - suffix]);
    if !left_mid.is_empty() && !right_mid.is_empty() {
        let anchors = unique_in_order(left_mid, right_mid);
        if anchors.is_empty() {
            table(left_mid, right_mid, left_base, right_base, out);
        } else {
            let (mut l, mut r) = (0, 0);
            for (i, j) in anchors {
                if i < l || j < r {
                    continue;
                }
                walk(&left_mid[l..i], &right_mid[r..j], left_base + l, right_base + r, out);
                out.push((left_base + i, right_base + j));
                (l, r) = (i + 1, j + 1);
            }
            walk(&left_mid[l..], &right_mid[r..], left_base + l, right_base + r, out);
        }
    }
    let (left_end, right_end) = (left_base + left_mid.len(), right_base + right_mid.len());
    out.extend((0..suffix).map(|i| (left_end + i, right_end + i)));
}

/// Lines that occur once on both sides, in an order that both share (the longest such chain).
fn unique_in_order(left: &[u32], right: &[u32]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<u32, (u32, usize, u32, usize)> = HashMap::new();
    for (i, id) in left.iter().enumerate() {
        let entry = seen.entry(*id).or_insert((0, i, 0, 0));
        entry.0 += 1;
    }
    for (j, id) in right.iter().enumerate() {
        if let Some(entry) = seen.get_mut(id) {
            entry.2 += 1;
            entry.3 = j;
        }
    }
    let mut pairs: Vec<(usize, usize)> = left
        .iter()
        .filter_map(|id| seen.get(id))
        .filter(|(n_left, _, n_right, _)| *n_left == 1 && *n_right == 1)
        .map(|&(_, i, _, j)| (i, j))
        .collect();
    pairs.sort_unstable();
    longest_increasing(&pairs)
}

/// The longest chain of pairs whose second parts increase (the first parts do already).
pub fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut back: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let k = tails.partition_point(|&tail| pairs[tail].1 < pair.1);
        back[at] = k.checked_sub(1).map(|before| tails[before]);
        if k == tails.len() {
            tails.push(at);
        } else {
            tails[k] = at;
        }
    }
    let mut chain = Vec::new();
    let mut at = tails.last().copied();
    while let Some(index) = at {
        chain.push(pairs[index]);
        at = back[index];
    }
    chain.reverse();
    chain
}

fn table(left: &[u32], right: &[u32], left_base: usize, right_base: usize, out: &mut Vec<(usize, usize)>) {
    let (n, m) = (left.len(), right.len());
    if n.saturating_mul(m) > MAX_TABLE {
        return;
    }
    let width = m + 1;
    let mut best = vec![0_u32; (n + 1) * width];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            best[i * width + j] = if left[i] == right[j] {
                best[(i + 1) * width + j + 1] + 1
            } else {
                best[(i + 1) * width + j].max(best[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < n && j < m {
        if left[i] == right[j] {
            out.push((left_base + i, right_base + j));
            i += 1;
            j += 1;
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(left: &str, right: &str) -> Vec<(usize, usize)> {
        let left: Vec<char> = left.chars().collect();
        let right: Vec<char> = right.chars().collect();
        matches(&left, &right)
    }

    #[test]
    fn keeps_what_both_sides_share_in_order() {
        assert_eq!(pairs("abc", "abc"), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(pairs("axc", "ayc"), [(0, 0), (2, 2)]);
        assert_eq!(pairs("xx", "yxyx"), [(0, 1), (1, 3)]);
        assert!(pairs("ab", "").is_empty());
    }

    #[test]
    fn a_moved_line_is_kept_once() {
        let kept = pairs("abcd", "dabc");
        assert_eq!(kept, [(0, 1), (1, 2), (2, 3)]);
    }
}
