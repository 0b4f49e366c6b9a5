//! Digits of fixed width, written without a formatter between.

/// Appends the last `WIDTH` decimal digits of a number, with zeros in front.
pub(crate) fn push_decimal<const WIDTH: usize>(out: &mut String, number: u64) {
    let mut digits = ['0'; WIDTH];
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        *digit = digit_of(rest % 10);
        rest /= 10;
    }
    out.extend(digits);
}

/// Appends a byte as two lower-case hexadecimal digits.
pub(crate) fn push_hex(out: &mut String, byte: u8) {
    out.extend([byte >> 4, byte & 0xf].map(|digit| digit_of(digit.into())));
}

/// One digit, of up to sixteen.
fn digit_of(value: u64) -> char {
    let value = u32::try_from(value).unwrap_or(0);
    char::from_digit(value, 16).unwrap_or('0')
}
