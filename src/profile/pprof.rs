//! A profile as pprof reads it: the messages of profile.proto, compressed by gzip. Only the fields
//! that are written are here; numbers of fields are those of that file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use traceloom_runtime::profile::{Cost, Profile};

/// Types and units of the values of a sample, in order.
const VALUES: [(&str, &str); 5] = [
    ("rows", "count"),
    ("executed", "count"),
    ("cells", "count"),
    ("lookups", "count"),
    ("time", "nanoseconds"),
];

/// `perftools.profiles.Profile`.
#[derive(Clone, PartialEq, Message)]
pub struct ProfileMessage {
    /// Types of the values.
    #[prost(message, repeated, tag = "1")]
    pub sample_type: Vec<ValueType>,
    /// The samples.
    #[prost(message, repeated, tag = "2")]
    pub sample: Vec<Sample>,
    /// A location per function.
    #[prost(message, repeated, tag = "4")]
    pub location: Vec<Location>,
    /// The functions.
    #[prost(message, repeated, tag = "5")]
    pub function: Vec<Function>,
    /// All names; the first one is empty.
    #[prost(string, repeated, tag = "6")]
    pub string_table: Vec<String>,
    /// Position of the name of the type that is shown first.
    #[prost(int64, tag = "14")]
    pub default_sample_type: i64,
}

/// Positions of the names of a type and its unit.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct ValueType {
    /// The type.
    #[prost(int64, tag = "1")]
    pub kind: i64,
    /// The unit.
    #[prost(int64, tag = "2")]
    pub unit: i64,
}

/// A stack with its values.
#[derive(Clone, PartialEq, Message)]
pub struct Sample {
    /// Locations, the innermost first.
    #[prost(uint64, repeated, tag = "1")]
    pub location_id: Vec<u64>,
    /// One per type.
    #[prost(int64, repeated, tag = "2")]
    pub value: Vec<i64>,
}

/// A place.
#[derive(Clone, PartialEq, Message)]
pub struct Location {
    /// Its number, from 1.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// One line.
    #[prost(message, repeated, tag = "4")]
    pub line: Vec<Line>,
}

/// Which function a place is in.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Line {
    /// Number of the function.
    #[prost(uint64, tag = "1")]
    pub function_id: u64,
}

/// A function, or an operation at the end of a stack.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Function {
    /// Its number, from 1.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Position of its name.
    #[prost(int64, tag = "2")]
    pub name: i64,
}

/// The profile as a file.
///
/// # Errors
/// Those of the compression.
pub fn encode(profile: &Profile) -> io::Result<Vec<u8>> {
    let mut file = GzEncoder::new(Vec::new(), Compression::default());
    file.write_all(&message(profile).encode_to_vec())?;
    file.finish()
}

/// The profile as a message.
#[must_use]
pub fn message(profile: &Profile) -> ProfileMessage {
    let mut names = Names::default();
    names.of("");
    let mut made = ProfileMessage::default();
    for (kind, unit) in VALUES {
        made.sample_type.push(ValueType { kind: names.of(kind), unit: names.of(unit) });
    }
    made.default_sample_type =
        made.sample_type[if profile.total().seconds > 0.0 { 4 } else { 2 }].kind;
    let mut functions: BTreeMap<i64, u64> = BTreeMap::new();
    for entry in &profile.entries {
        let stack = entry.stack.iter().chain([&entry.operation]).rev();
        let mut number = |name: &String| {
            let (name, next) = (names.of(name), functions.len() as u64 + 1);
            *functions.entry(name).or_insert(next)
        };
        let location_id = stack.map(&mut number).collect();
        made.sample.push(Sample { location_id, value: values(&entry.cost) });
    }
    let mut numbered: Vec<(u64, i64)> =
        functions.into_iter().map(|(name, id)| (id, name)).collect();
    numbered.sort_unstable();
    for (id, name) in numbered {
        made.function.push(Function { id, name });
        made.location.push(Location { id, line: vec![Line { function_id: id }] });
    }
    made.string_table = names.list;
    made
}

fn values(cost: &Cost) -> Vec<i64> {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let time = (1e9 * cost.seconds).round() as i64;
    vec![count(cost.rows), count(cost.executed), count(cost.cells), count(cost.lookups), time]
}

/// Names with their positions.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    positions: BTreeMap<String, i64>,
}

impl Names {
    fn of(&mut self, name: &str) -> i64 {
        if let Some(position) = self.positions.get(name) {
            return *position;
        }
        let position = self.list.len() as i64;
        self.list.push(name.to_owned());
        self.positions.insert(name.to_owned(), position);
        position
    }
}
