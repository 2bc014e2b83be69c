//! Numbers as people read them.

/// `1.23 s`, `4.56 ms` and the like.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 0.001 => format!("{:.1} ms", 1e3 * s),
        s => format!("{:.0} µs", 1e6 * s),
    }
}

/// Seconds as the ticks of an axis that ends at `end` have them: all in one unit.
pub fn tick(end: f64) -> impl Fn(f64) -> String {
    move |seconds| match step(end) {
        step if step >= 1.0 => format!("{seconds:.0} s"),
        step if step >= 0.1 => format!("{seconds:.1} s"),
        _ => format!("{:.0} ms", 1e3 * seconds),
    }
}

/// `12.3 MiB` and the like.
pub fn bytes(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let power = ((bytes as f64).log2() / 10.0).floor().min(4.0);
    format!("{:.1} {}", bytes as f64 / 1024f64.powf(power), units[power as usize - 1])
}

/// Digits in groups of three.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            // A thin space that does not break lines.
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `12 %`; of nothing it is nothing.
pub fn percent(part: f64, whole: f64) -> String {
    match whole > 0.0 {
        true if part > 0.0 && part / whole < 0.0095 => "< 1 %".into(),
        true => format!("{:.0} %", 100.0 * part / whole),
        false => String::new(),
    }
}

/// The greatest of 1, 2 and 5 times a power of ten that is at most a fifth of `most`, so that an
/// axis has five to twelve steps.
pub fn step(most: f64) -> f64 {
    if !(most.is_finite() && most > 0.0) {
        return 1.0;
    }
    let least = most / 5.0;
    let power = 10f64.powf(least.log10().floor());
    [5.0, 2.0, 1.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step <= least)
        .unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_units() {
        assert_eq!(
            [123.4, 1.234, 0.0123, 0.000_012].map(seconds),
            ["123 s", "1.23 s", "12.3 ms", "12 µs"]
        );
        assert_eq!([0, 1023, 1024, 3 << 30].map(bytes), ["0 B", "1023 B", "1.0 KiB", "3.0 GiB"]);
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(count(12), "12");
        assert_eq!((percent(1.0, 4.0), percent(1.0, 0.0)), ("25 %".into(), String::new()));
        assert_eq!(percent(1.0, 400.0), "< 1 %");
    }

    #[test]
    fn ticks_of_an_axis_have_one_unit() {
        assert_eq!([0.0, 1.0].map(tick(9.0)), ["0 s", "1 s"]);
        assert_eq!([0.0, 0.2].map(tick(1.0)), ["0.0 s", "0.2 s"]);
        assert_eq!([0.0, 0.05].map(tick(0.34)), ["0 ms", "50 ms"]);
    }

    #[test]
    fn axes_have_round_steps() {
        assert_eq!([1.0, 9.0, 10.0, 0.34, 4200.0].map(step), [0.2, 1.0, 2.0, 0.05, 500.0]);
        assert_eq!([0.0, -1.0, f64::NAN, f64::INFINITY].map(step), [1.0; 4]);
    }
}
