//! One line about circuits that fell back, for a log.

use super::{Choices, Provider, Reason};

/// Circuits of one line that are named; the report has all of them.
const MOST_NAMES: usize = 3;
/// Reasons of one line that are given.
const MOST_REASONS: usize = 3;

/// What fell back for one reason.
struct Fallback<'a> {
    /// Who writes the rows instead.
    rows: Provider,
    reason: String,
    circuits: Vec<&'a str>,
}

impl Choices<'_> {
    /// One line about circuits that fell back, each with its reason; `None` if all have
    /// what was asked for.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        let fallbacks = self.fallbacks();
        let mut parts: Vec<String> =
            fallbacks.iter().take(MOST_REASONS).map(Fallback::text).collect();
        let more = fallbacks.len().saturating_sub(MOST_REASONS);
        if more > 0 {
            parts.push(format!("{more} more reasons are in the report"));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// By reason, in the order of circuits.
    fn fallbacks(&self) -> Vec<Fallback<'_>> {
        let mut fallbacks: Vec<Fallback<'_>> = Vec::new();
        let mut add = |rows: Provider, reason: String, circuit| {
            let known = fallbacks.iter_mut();
            let mut known = known.filter(|known| known.rows == rows && known.reason == reason);
            match known.next() {
                Some(known) => known.circuits.push(circuit),
                None => fallbacks.push(Fallback { rows, reason, circuits: vec![circuit] }),
            }
        };
        for circuit in 0..self.num_circuits() {
            let name = self.name(circuit);
            if let Some(reason) = self.reason(circuit)
                && *reason != Reason::Disabled
            {
                add(self.provider(circuit), reason.to_string(), name);
            }
        }
        fallbacks
    }
}

impl Fallback<'_> {
    fn text(&self) -> String {
        let names = self.circuits.iter().take(MOST_NAMES).map(|name| format!("{name:?}"));
        let mut names = names.collect::<Vec<_>>().join(", ");
        let more = self.circuits.len().saturating_sub(MOST_NAMES);
        if more > 0 {
            names += &format!(" and {more} more");
        }
        let (circuits, have) = match self.circuits.len() {
            1 => ("circuit", "has"),
            _ => ("circuits", "have"),
        };
        format!("{circuits} {names} {have} {} rows: {}", self.rows.name(), self.reason)
    }
}
