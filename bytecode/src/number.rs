//! Numbers in files: canonical decimal only.
//!
//! A number has exactly one spelling in every form of a program. Readers do not reduce, round or
//! guess numbers, so two different spellings never mean the same constant.

use thiserror::Error;
use traceloom_air::field::{MODULUS, is_canonical};

use crate::malformed::excerpt;

/// Why a number was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum NumberError {
    /// Has a sign.
    #[error("{0} has a sign; numbers are plain digits")]
    Sign(String),
    /// Anything but decimal digits.
    #[error("{0} is not a whole decimal number")]
    NotDecimal(String),
    /// More digits than the value needs.
    #[error("{0} has leading zeros")]
    LeadingZeros(String),
    /// p or more.
    #[error("{0} is not below p = {MODULUS}")]
    NotCanonical(String),
    /// 2^32 or more, where a count or an index is expected.
    #[error("{0} is not below 2^32")]
    NotCount(String),
}

/// A field element: 0 to p - 1.
pub(crate) fn word(text: &str) -> Result<u64, NumberError> {
    check_digits(text)?;
    match text.parse() {
        Ok(word) if is_canonical(word) => Ok(word),
        _ => Err(NumberError::NotCanonical(excerpt(text))),
    }
}

/// A count or an index: 0 to 2^32 - 1.
pub(crate) fn count(text: &str) -> Result<u32, NumberError> {
    check_digits(text)?;
    text.parse().map_err(|_| NumberError::NotCount(excerpt(text)))
}

fn check_digits(text: &str) -> Result<(), NumberError> {
    if text.starts_with(['-', '+']) {
        return Err(NumberError::Sign(excerpt(text)));
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberError::NotDecimal(excerpt(text)));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(NumberError::LeadingZeros(excerpt(text)));
    }
    Ok(())
}
