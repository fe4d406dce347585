//! Bytes to text and back, such that encoding what was decoded gives the same bytes: BOMs, UTF-8, UTF-16 with a BOM,
//! and legacy encodings. A guess is only taken when the very bytes survive the way there and back; windows-1252, which
//! gives every byte a character of its own, is the fallback that always does.
//!
//! What is no text is said to be binary. Line endings stay as they are.

use chardetng::EncodingDetector;
use chardetng::Iso2022JpDetection;
use chardetng::Utf8Detection;

use super::Encoding;
use super::TextFile;

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";
const UTF16LE_BOM: &[u8] = b"\xFF\xFE";
const UTF16BE_BOM: &[u8] = b"\xFE\xFF";

/// One control character in so many bytes makes a file that is not UTF-8 binary. Legacy sources hold a stray form
/// feed now and then; compressed data holds one in ten.
const BYTES_PER_CONTROL: usize = 64;

/// Decodes a file's bytes; None when they are binary.
pub fn decode(bytes: &[u8]) -> Option<TextFile> {
    if let Some(rest) = bytes.strip_prefix(UTF16LE_BOM) {
        return decode_utf16(rest, u16::from_le_bytes, Encoding::Utf16LeBom);
    }
    if let Some(rest) = bytes.strip_prefix(UTF16BE_BOM) {
        return decode_utf16(rest, u16::from_be_bytes, Encoding::Utf16BeBom);
    }
    if memchr::memchr(0, bytes).is_some() {
        return None;
    }
    let (body, encoding) = match bytes.strip_prefix(UTF8_BOM) {
        Some(body) => (body, Encoding::Utf8Bom),
        None => (bytes, Encoding::Utf8),
    };
    match std::str::from_utf8(body) {
        Ok(text) => Some(TextFile {
            text: text.to_owned(),
            encoding,
        }),
        Err(_) => decode_legacy(bytes),
    }
}

/// UTF-16 with an odd byte, a lone surrogate or a NUL is binary.
fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, encoding: Encoding) -> Option<TextFile> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .collect::<Result<_, _>>()
        .ok()?;
    (!text.contains('\0')).then_some(TextFile { text, encoding })
}

fn decode_legacy(bytes: &[u8]) -> Option<TextFile> {
    let controls = bytes.iter().filter(|byte| is_odd_control(**byte)).count();
    if controls > bytes.len() / BYTES_PER_CONTROL {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    [guess, encoding_rs::WINDOWS_1252]
        .into_iter()
        .find_map(|legacy| round_trip(bytes, legacy))
}

fn round_trip(bytes: &[u8], legacy: &'static encoding_rs::Encoding) -> Option<TextFile> {
    let text = legacy
        .decode_without_bom_handling_and_without_replacement(bytes)?
        .into_owned();
    let encoding = Encoding::Legacy(legacy);
    (encoding.encode(&text).as_deref() == Ok(bytes)).then_some(TextFile { text, encoding })
}

/// Control characters that text files do not hold; BEL to CR, SUB (the old end of file) and ESC are met in them.
fn is_odd_control(byte: u8) -> bool {
    matches!(byte, 0x00..=0x06 | 0x0E..=0x19 | 0x1C..=0x1F | 0x7F)
}

impl Encoding {
    /// The bytes of `text`, with the BOM that belongs to the encoding. The error is the first character that the
    /// encoding has no bytes for.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf8Bom => Ok([UTF8_BOM, text.as_bytes()].concat()),
            Self::Utf16LeBom => Ok(encode_utf16(UTF16LE_BOM, text, u16::to_le_bytes)),
            Self::Utf16BeBom => Ok(encode_utf16(UTF16BE_BOM, text, u16::to_be_bytes)),
            Self::Legacy(legacy) => encode_legacy(legacy, text),
        }
    }

    /// The name that users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with BOM",
            Self::Utf16LeBom => "UTF-16LE",
            Self::Utf16BeBom => "UTF-16BE",
            Self::Legacy(legacy) => legacy.name(),
        }
    }
}

fn encode_utf16(bom: &[u8], text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mut out = bom.to_vec();
    out.extend(text.encode_utf16().flat_map(bytes));
    out
}

fn encode_legacy(legacy: &'static encoding_rs::Encoding, text: &str) -> Result<Vec<u8>, char> {
    let mut encoder = legacy.new_encoder();
    // The bound fits in memory whenever the text does; an overflow cannot come from a string that exists.
    let room = encoder
        .max_buffer_length_from_utf8_without_replacement(text.len())
        .unwrap_or(text.len());
    let mut out = Vec::with_capacity(room);
    match encoder
        .encode_from_utf8_to_vec_without_replacement(text, &mut out, true)
        .0
    {
        encoding_rs::EncoderResult::InputEmpty => Ok(out),
        encoding_rs::EncoderResult::Unmappable(character) => Err(character),
        encoding_rs::EncoderResult::OutputFull => Err('\u{FFFD}'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round_trips(bytes: &[u8]) -> Encoding {
        let file = decode(bytes).expect("it is text");
        assert_eq!(file.encoding.encode(&file.text).unwrap(), bytes, "{:?}", file.encoding);
        file.encoding
    }

    #[test]
    fn windows_1252_gives_every_byte_its_own_character() {
        let all: Vec<u8> = (0..=255).collect();
        let file = round_trip(&all, encoding_rs::WINDOWS_1252).unwrap();
        assert_eq!(file.text.chars().count(), 256);
    }

    #[test]
    fn boms_are_kept_out_of_the_text() {
        for (bytes, encoding) in [
            (&b"\xEF\xBB\xBFa\r\n"[..], Encoding::Utf8Bom),
            (b"\xFF\xFEa\0\r\0\n\0", Encoding::Utf16LeBom),
            (b"\xFE\xFF\0a\0\r\0\n", Encoding::Utf16BeBom),
            (b"a\r\n", Encoding::Utf8),
        ] {
            assert_eq!(
                decode(bytes),
                Some(TextFile {
                    text: "a\r\n".into(),
                    encoding
                })
            );
            round_trips(bytes);
        }
    }

    #[test]
    fn a_second_bom_is_text() {
        let file = decode(b"\xEF\xBB\xBF\xEF\xBB\xBFa").unwrap();
        assert_eq!((file.text.as_str(), file.encoding), ("\u{FEFF}a", Encoding::Utf8Bom));
    }

    #[test]
    fn one_latin_1_byte_is_windows_1252() {
        assert_eq!(
            round_trips(b"one\ncaf\xE9\nthree\n"),
            Encoding::Legacy(encoding_rs::WINDOWS_1252)
        );
    }

    #[test]
    fn legacy_encodings_are_told_apart() {
        for (text, legacy) in [
            ("// 这个函数计算两个数字的总和，然后返回结果。\n", encoding_rs::GBK),
            (
                "// この関数は二つの数の合計を計算して返します。\n",
                encoding_rs::SHIFT_JIS,
            ),
            (
                "// Эта функция возвращает сумму двух чисел.\n",
                encoding_rs::WINDOWS_1251,
            ),
        ] {
            let bytes = legacy.encode(text).0.into_owned();
            assert_eq!(round_trips(&bytes), Encoding::Legacy(legacy), "{text}");
            assert_eq!(decode(&bytes).unwrap().text, text);
        }
    }

    #[test]
    fn binary_is_no_text() {
        for bytes in [
            &b"a\0b"[..],
            b"\xFF\xFEa",
            b"\xFF\xFE\x00\xD8a\0",
            b"\xFF\xFE\0\0a\0\0\0",
            b"\x1F\x8B\x08\x01\x02\x03\x04\xF3\x05",
        ] {
            assert_eq!(decode(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn an_unencodable_character_is_named() {
        assert_eq!(
            Encoding::Legacy(encoding_rs::WINDOWS_1252).encode("caf\u{e9} ☃"),
            Err('☃')
        );
    }

    proptest::proptest! {
        #[test]
        fn what_decodes_encodes_to_the_same_bytes(bytes: Vec<u8>) {
            if let Some(file) = decode(&bytes) {
                proptest::prop_assert_eq!(file.encoding.encode(&file.text).unwrap(), bytes);
            }
        }

        #[test]
        fn high_bytes_among_words_survive(bytes in proptest::collection::vec(proptest::sample::select(
            b"abc \n\r\t\x80\x81\x8D\x9D\xA0\xC3\xA9\xE9\xFC\xFF\x82\xA0\xB0\xA1".to_vec()), 0..200)) {
            let file = decode(&bytes).expect("no controls");
            proptest::prop_assert_eq!(file.encoding.encode(&file.text).unwrap(), bytes);
        }
    }
}
