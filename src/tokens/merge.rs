//! Joins the bytes of a piece pair by pair, the pair of lowest rank first and of equal ones the leftmost, until no two neighbours
//! are a token together.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::hash::slot_of;
use super::vocabulary::rank;

/// Pieces that are remembered, and bytes that such a piece has at most.
const SEEN: usize = 1 << 12;
const SEEN_BYTES: usize = 14;

/// Longer pieces are joined by way of a heap; for shorter ones looking through all pairs each time is faster.
const SHORT: usize = 64;
/// Stands for no token; above every rank.
const NONE: u32 = u32::MAX;

/// A piece whose tokens were counted; of no tokens where there is none.
#[derive(Clone, Copy, Default)]
struct Seen {
    piece: [u8; SEEN_BYTES],
    len: u8,
    tokens: u8,
}

thread_local! {
    /// By hash. The vocabulary is large, and looking into it is slow beside looking here, where the words of a text soon are.
    static PIECES: RefCell<Box<[Seen]>> = RefCell::new(vec![Seen::default(); SEEN].into());
}

/// Tokens of one piece.
pub(super) fn tokens(piece: &[u8]) -> usize {
    if piece.len() < 2 || piece.len() > SEEN_BYTES {
        return joined(piece);
    }
    let mut key = Seen {
        len: piece.len() as u8,
        ..Seen::default()
    };
    key.piece[..piece.len()].copy_from_slice(piece);
    PIECES.with_borrow_mut(|pieces| {
        let seen = &mut pieces[slot_of(piece) % SEEN];
        if seen.tokens == 0 || (seen.len, seen.piece) != (key.len, key.piece) {
            key.tokens = joined(piece) as u8;
            *seen = key;
        }
        usize::from(seen.tokens)
    })
}

fn joined(piece: &[u8]) -> usize {
    if piece.len() < 2 || rank(piece).is_some() {
        1
    } else if piece.len() <= SHORT {
        short(piece)
    } else {
        long(piece)
    }
}

fn short(piece: &[u8]) -> usize {
    // Where each part starts, with the end behind the last; the rank of each part with the next.
    let mut starts: [u8; SHORT + 1] = std::array::from_fn(|at| at as u8);
    let mut ranks = [NONE; SHORT];
    let mut parts = piece.len();
    let pair = |starts: &[u8], at: usize| {
        let (from, to) = (usize::from(starts[at]), usize::from(starts[at + 2]));
        rank(&piece[from..to]).unwrap_or(NONE)
    };
    for (at, rank) in ranks[..parts - 1].iter_mut().enumerate() {
        *rank = pair(&starts, at);
    }
    while parts > 1 {
        let pairs = &ranks[..parts - 1];
        let Some((at, lowest)) = pairs.iter().copied().enumerate().min_by_key(|(_, rank)| *rank) else {
            break;
        };
        if lowest == NONE {
            break;
        }
        starts.copy_within(at + 2..=parts, at + 1);
        ranks.copy_within(at + 1..parts, at);
        parts -= 1;
        if at + 1 < parts {
            ranks[at] = pair(&starts, at);
        }
        if at > 0 {
            ranks[at - 1] = pair(&starts, at - 1);
        }
    }
    parts
}

fn long(piece: &[u8]) -> usize {
    let len = piece.len();
    // By where a part starts: where it ends, and where the part before it starts. A part that was joined to the one before ends at 0.
    let mut ends: Vec<usize> = (1..=len).collect();
    let mut befores: Vec<usize> = (0..len).map(|at| at.saturating_sub(1)).collect();
    let mut heap: BinaryHeap<Reverse<(u32, usize, usize)>> = BinaryHeap::with_capacity(len);
    let push = |heap: &mut BinaryHeap<_>, start: usize, end: usize| {
        if let Some(rank) = rank(&piece[start..end]) {
            heap.push(Reverse((rank, start, end)));
        }
    };
    (0..len - 1).for_each(|start| push(&mut heap, start, start + 2));
    let mut parts = len;
    while let Some(Reverse((_, start, end))) = heap.pop() {
        let middle = ends[start];
        // What stood here was joined in another way since.
        if middle == 0 || middle >= len || ends[middle] != end {
            continue;
        }
        ends[start] = end;
        ends[middle] = 0;
        parts -= 1;
        if end < len {
            befores[end] = start;
            push(&mut heap, start, ends[end]);
        }
        if start > 0 {
            push(&mut heap, befores[start], end);
        }
    }
    parts
}
