//! Bars, lanes and curves. Bars and lanes are boxes whose widths are percentages, so that they
//! fit any width of the page.

use maud::{Markup, html};

use super::figure::step;

/// A part of a bar.
pub struct Part {
    /// Number of its colour.
    pub color: usize,
    pub value: f64,
    /// What a reader sees who points at it.
    pub title: String,
}

/// A bar of parts, and what stands beside it.
pub struct Bar {
    pub label: String,
    pub parts: Vec<Part>,
    pub value: String,
}

impl Bar {
    pub fn total(&self) -> f64 {
        self.parts.iter().map(|part| part.value).sum()
    }
}

/// A part of a whole in percent, also where a report has nonsense.
pub fn share(part: f64, whole: f64) -> f64 {
    let share = 100.0 * part / whole;
    if share.is_finite() { share.clamp(0.0, 100.0) } else { 0.0 }
}

/// Bars of one scale: the longest one is as wide as there is room.
pub fn bars(bars: &[Bar]) -> Markup {
    let longest = bars.iter().map(Bar::total).fold(0.0, f64::max);
    html! {
        div.bars {
            @for bar in bars {
                div.bar {
                    span.label title=(bar.label) { (bar.label) }
                    span.track {
                        @for part in bar.parts.iter().filter(|part| part.value > 0.0) {
                            i class=(color(part.color)) title=(part.title)
                                style=(format!("width:{:.3}%", share(part.value, longest))) {}
                        }
                    }
                    span.value { (bar.value) }
                }
            }
        }
    }
}

/// What colours mean.
pub fn legend<'a>(names: impl IntoIterator<Item = (usize, &'a str)>) -> Markup {
    html! {
        p.legend {
            @for (number, name) in names { span { i class=(color(number)) {} (name) } " " }
        }
    }
}

/// The class of a colour; there are ten.
fn color(number: usize) -> String {
    format!("k{}", number % 10)
}

/// Something that happened on a lane.
pub struct Event {
    pub color: usize,
    pub begin: f64,
    pub end: f64,
    pub title: String,
}

/// One lane per name, all on the same axis from 0 to `end`.
pub fn lanes(lanes: &[(String, Vec<Event>)], end: f64, unit: impl Fn(f64) -> String) -> Markup {
    html! {
        div.lanes {
            @for (name, events) in lanes {
                div.lane {
                    span.label title=(name) { (name) }
                    span.track {
                        @for event in events {
                            i class=(color(event.color)) title=(event.title) style=(format!(
                                "left:{:.3}%;width:{:.3}%",
                                share(event.begin, end),
                                share(event.end - event.begin, end),
                            )) {}
                        }
                    }
                }
            }
            (axis("lane axis", end, unit))
        }
    }
}

/// The ticks of an axis from 0 to `end`, under charts.
fn axis(class: &str, end: f64, unit: impl Fn(f64) -> String) -> Markup {
    html! {
        div class=(class) {
            span.label {}
            span.track { @for tick in ticks(end) {
                b style=(format!("left:{:.3}%", share(tick, end))) { (unit(tick)) }
            } }
        }
    }
}

fn ticks(end: f64) -> impl Iterator<Item = f64> {
    let step = step(end);
    (0..12).map(move |index| f64::from(index) * step).take_while(move |tick| *tick <= end)
}

/// A curve over time; the points are in order.
pub struct Curve {
    pub color: usize,
    pub points: Vec<(f64, f64)>,
}

/// Size of the drawing; it is stretched to the width of the page.
const SIZE: (f64, f64) = (1000.0, 200.0);

/// Curves on one pair of axes from 0 to `end` and from 0 to `most`.
pub fn curves(
    curves: &[Curve],
    (end, most): (f64, f64),
    units: (impl Fn(f64) -> String, impl Fn(f64) -> String),
) -> Markup {
    let (x, y) = (
        |at: f64| share(at, end) / 100.0 * SIZE.0,
        |value: f64| SIZE.1 - share(value, most) / 100.0 * SIZE.1,
    );
    let points = |curve: &Curve| {
        let points =
            curve.points.iter().map(|&(at, value)| format!("{:.1},{:.1}", x(at), y(value)));
        points.collect::<Vec<_>>().join(" ")
    };
    html! {
        div.lanes {
            div.lane.plot {
                span.label { @for tick in binary_ticks(most) {
                    b style=(format!("bottom:{:.3}%", share(tick, most))) { (units.1(tick)) }
                } }
                span.track {
                    svg viewBox=(format!("0 0 {} {}", SIZE.0, SIZE.1)) preserveAspectRatio="none" {
                        @for tick in binary_ticks(most) {
                            line.grid x1="0" x2=(SIZE.0) y1=(y(tick)) y2=(y(tick)) {}
                        }
                        @for curve in curves {
                            polyline class=(color(curve.color)) points=(points(curve)) {}
                        }
                    }
                }
            }
            (axis("lane axis under", end, units.0))
        }
    }
}

/// Ticks for bytes: half a power of two apart, so that two to four fit.
fn binary_ticks(most: f64) -> Vec<f64> {
    if !(most.is_finite() && most >= 4.0) {
        return vec![0.0];
    }
    let step = 2f64.powf(most.log2().floor() - 1.0);
    (0..9).map(|index| f64::from(index) * step).filter(|tick| *tick <= most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages_whatever_they_are_of() {
        assert_eq!(share(1.0, 4.0), 25.0);
        assert_eq!([(1.0, 0.0), (f64::NAN, 1.0), (-1.0, 1.0)].map(|(a, b)| share(a, b)), [0.0; 3]);
        assert_eq!(share(9.0, 1.0), 100.0);
    }

    #[test]
    fn the_longest_bar_is_as_wide_as_there_is_room() {
        let bar = |label: &str, values: &[f64]| {
            let part = |&value: &f64| Part { color: 3, value, title: "<t>".into() };
            Bar { label: label.into(), parts: values.iter().map(part).collect(), value: "v".into() }
        };
        let text = bars(&[bar("<a>", &[1.0, 3.0]), bar("b", &[2.0, 0.0])]).into_string();
        let widths: Vec<&str> =
            text.split("width:").skip(1).map(|of| of.split('%').next().unwrap()).collect();
        assert_eq!(widths, ["25.000", "75.000", "50.000"]);
        assert!(text.contains("&lt;a&gt;") && text.contains("&lt;t&gt;"), "{text}");
        assert!(!text.contains("<a>") && !text.contains("<t>"), "{text}");
    }

    #[test]
    fn ticks_fit_their_axis() {
        assert_eq!(ticks(1.0).count(), 6);
        assert_eq!(ticks(0.0).collect::<Vec<_>>(), [0.0]);
        assert_eq!(binary_ticks(1024.0), [0.0, 512.0, 1024.0]);
        assert_eq!(binary_ticks(f64::NAN), [0.0]);
    }
}
