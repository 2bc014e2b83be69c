//! The reference of the language: every operation, as `docs/language.md` prints it.
//!
//! How an operation is written, its results, columns and lookups come from the code that reads,
//! lays out and constrains it. What it means and what it does not check is said here, once for
//! every operation: a test compares the names with the forms, and the page with [`markdown`].

use std::fmt::Write as _;

use crate::forms::{FieldKind, Form, Parts};
use crate::model::{FunctionId, ValueId};
use crate::operations::Operation;

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// How text writes it.
    pub text: String,
    /// How JSON writes it.
    pub json: String,
    /// Number of results.
    pub results: String,
    /// Number of columns.
    pub columns: String,
    /// Number of lookups.
    pub lookups: String,
    /// What it does.
    pub meaning: &'static str,
    /// What no constraint of it says.
    pub unchecked: &'static str,
}

/// Names of operations, with what they do and what they do not check.
const MEANINGS: &[(&str, &str, &str)] = &[
    ("const", "the constant `c`", ""),
    ("add", "`a + b` modulo p", ""),
    ("sub", "`a - b` modulo p", "that the difference does not wrap around: `0 - 1` is p - 1"),
    ("mul", "`a · b` modulo p", ""),
    ("eq_zero", "1 if `a` is 0, else 0", ""),
    (
        "call",
        "the outputs of `f` for these inputs. A function runs once for the same inputs, so its effects are not repeated",
        "anything that `f` does not check of its inputs",
    ),
    (
        "call_unconstrained",
        "the outputs of `f` for these inputs, as advice",
        "everything: the outputs may be anything. `f` may be constrained or not",
    ),
    (
        "store",
        "a pointer to the values, in the memory of their number. Equal values get equal pointers when a program runs",
        "that equal values have one pointer: different pointers mean nothing",
    ),
    (
        "load",
        "the values behind a pointer; their number is the number of names",
        "that the program has stored them: a pointer that no `store` gave may hold anything, and data may be cyclic",
    ),
    ("assert_eq", "requires that both lists are equal, pairwise; the label is for people", ""),
    (
        "allow",
        "says that the values may be anything, so that nobody warns of advice in them (docs/advice.md). It is outside of the fingerprint",
        "everything: it has no constraint",
    ),
    (
        "io_get_info",
        "first index and number of the words under a key of a channel, as advice",
        "everything: both may be anything, and so may what lies there",
    ),
    (
        "io_set_info",
        "names a stretch of a channel; a key can be set once. An effect of execution, which no row knows",
        "everything",
    ),
    (
        "io_read",
        "words of a channel from `index` on, as advice; their number is the number of names",
        "everything: the words may be any field elements, and two reads of one place may differ",
    ),
    (
        "io_write",
        "appends words to a channel. An effect of execution, which no row knows",
        "everything",
    ),
    (
        "debug",
        "prints a label and values when the program runs",
        "everything: it has no constraint",
    ),
    ("u8_bit_decomposition", "the eight bits of a byte, lowest first", ""),
    ("u8_shift_left", "`2·a` modulo 256", ""),
    ("u8_shift_right", "`a / 2`, rounded down", ""),
    ("u8_xor", "exclusive or of two bytes", ""),
    ("u8_and", "bitwise and of two bytes", ""),
    ("u8_or", "bitwise or of two bytes", ""),
    ("u8_less_than", "1 if `a < b`, else 0", ""),
    ("u8_add", "`a + b` modulo 256, and the carry", ""),
    ("u8_sub", "`a - b` modulo 256, and the borrow", ""),
    ("u8_mul", "low and high byte of `a · b`", ""),
    ("u8_xor_split7", "of `x = a xor b`: `x >> 7` and `(x << 1) mod 256`", ""),
    ("u8_xor_split4", "of `x = a xor b`: `x >> 4` and `(x << 4) mod 256`", ""),
    ("u8_range_check", "requires that both values are bytes", ""),
    (
        "u32_less_than",
        "1 if `a < b`, else 0. Requires that both are below 2^32; a run with others stops",
        "",
    ),
    (
        "u32_to_field",
        "`b0 + 2^8·b1 + 2^16·b2 + 2^24·b3`",
        "that the operands are bytes: of other values the sum is not unique and may be 2^32 or more",
    ),
    (
        "hint_u32_add",
        "the four bytes of the sum of two words, as advice, and the carry `(sum - bytes) / 2^32` in the field",
        "that operands and results are bytes, and that the carry is 0 or 1: check both",
    ),
    (
        "hint_u32_add3",
        "the same of three words",
        "that operands and results are bytes, and that the carry is 0, 1 or 2: check both",
    ),
    (
        "hint_field_to_bytes",
        "the eight bytes of a value, lowest first, as advice",
        "everything: check that they are bytes and that their sum is `a`. All eight may also be those of `a + p`, so check that they are below p, or use fewer",
    ),
    (
        "hint_inverse",
        "the inverse of `a`, 0 of 0, as advice",
        "everything: check that the product is 1",
    ),
    (
        "hint_biguint_div_rem",
        "pointers to quotient and remainder of two lists of 64-bit limbs in the memory of width 10 (tag 0 of a limb and 1 of the end, eight bytes, pointer to the rest), as advice",
        "everything",
    ),
];

/// Every operation, by family.
///
/// # Panics
/// If an operation has no meaning here; a test finds it.
#[must_use]
pub fn operations() -> Vec<Entry> {
    Form::all().map(entry).collect()
}

fn entry(form: &'static Form) -> Entry {
    let said = MEANINGS.iter().find(|(name, _, _)| *name == form.name);
    let &(name, meaning, unchecked) = said.expect("every operation has a meaning");
    let size = |degree: u32, number: u32| form.build(sample(form, number)).size(&|_| degree);
    let [one, two] = [1, 2].map(|number| size(1, number).auxiliaries);
    let of_constants = size(0, 1).auxiliaries;
    let first_constant = |value: ValueId| u32::from(value.0 != 0);
    let of_one_constant = form.build(sample(form, 1)).size(&first_constant).auxiliaries;
    let columns = match (form.results, one == two) {
        (None, false) => "1 for each result".to_owned(),
        _ if of_one_constant != one => format!("{one}, or {of_one_constant} if one is a constant"),
        _ if of_constants != one => format!("{one}, or {of_constants} of a constant"),
        _ => one.to_string(),
    };
    Entry {
        name,
        text: text(form),
        json: json(form),
        results: form.results.map_or_else(|| "as many as names".into(), |n| n.to_string()),
        columns,
        lookups: size(1, 1).lookups.to_string(),
        meaning,
        unchecked,
    }
}

/// Parts of the right shape.
fn sample(form: &Form, results: u32) -> Parts {
    let list = |len: usize| (0..len as u32).map(ValueId).collect::<Vec<_>>();
    let mut parts = Parts { results: form.results.unwrap_or(results), ..Parts::default() };
    parts.function = FunctionId(0);
    for field in form.fields {
        match field.kind {
            FieldKind::Constant | FieldKind::Callee => {}
            FieldKind::Label | FieldKind::OptionalLabel => parts.label = Some(String::new()),
            FieldKind::Value => parts.lists.push(list(1)),
            FieldKind::Fixed(len) => parts.lists.push(list(len)),
            FieldKind::Rest | FieldKind::Group | FieldKind::Arguments => parts.lists.push(list(2)),
            FieldKind::Words(words) => parts.lists.extend((0..words).map(|_| list(4))),
        }
    }
    parts
}

/// `r0, r1 = name operands`
fn text(form: &Form) -> String {
    let mut out = match form.results {
        Some(0) => String::new(),
        Some(1) => "r = ".to_owned(),
        Some(2) => "r0, r1 = ".to_owned(),
        Some(many) => format!("r0..r{} = ", many - 1),
        None => "r0, … = ".to_owned(),
    };
    out.push_str(form.name);
    for (i, field) in form.fields.iter().enumerate() {
        let separator = match (i, field.kind) {
            (_, FieldKind::OptionalLabel | FieldKind::Arguments) => "",
            (0, _) => " ",
            _ => ", ",
        };
        out.push_str(separator);
        match field.kind {
            FieldKind::Constant => out.push('c'),
            FieldKind::Callee => out.push('f'),
            FieldKind::Arguments => out.push_str("(a0, …)"),
            FieldKind::Value => out.push_str(field.key),
            FieldKind::Fixed(1) => out.push('a'),
            FieldKind::Fixed(2) => out.push_str("a, b"),
            FieldKind::Fixed(len) => {
                let _ = write!(out, "b0..b{}", len - 1);
            }
            FieldKind::Rest => out.push_str("a0, …"),
            FieldKind::Group => {
                let _ = write!(out, "[{}0, …]", field.key.chars().next().unwrap_or('a'));
            }
            FieldKind::Words(words) => {
                let words: Vec<String> = ["a", "b", "c"][..words]
                    .iter()
                    .map(|word| format!("[{word}0..{word}3]"))
                    .collect();
                out.push_str(&words.join(", "));
            }
            FieldKind::Label => {
                let _ = write!(out, "\"{}\"", field.key);
            }
            FieldKind::OptionalLabel => {
                let _ = write!(out, "[, \"{}\"]", field.key);
            }
        }
    }
    out
}

/// The keys of its object, with what each holds.
fn json(form: &Form) -> String {
    let mut out = format!("\"op\": \"{}\"", form.name);
    for field in form.fields {
        let what = match field.kind {
            FieldKind::Constant => "number below p".to_owned(),
            FieldKind::Callee => "position of the function".to_owned(),
            FieldKind::Value => "value".to_owned(),
            FieldKind::Fixed(len) => format!("list of {len}"),
            FieldKind::Rest | FieldKind::Group | FieldKind::Arguments => "list".to_owned(),
            FieldKind::Words(words) => format!("{words} lists of 4"),
            FieldKind::Label => "string".to_owned(),
            FieldKind::OptionalLabel => "string, may be left out".to_owned(),
        };
        let _ = write!(out, ", \"{}\": {what}", field.key);
    }
    if form.results.is_none() {
        out.push_str(", \"results\": number");
    }
    out
}

/// The generated part of `docs/language.md`: a section for every operation.
#[must_use]
pub fn markdown() -> String {
    let mut out =
        String::from("| operation | results | columns | lookups |\n| --- | --- | --- | --- |\n");
    let operations = operations();
    for Entry { name, results, columns, lookups, .. } in &operations {
        let _ = writeln!(out, "| [`{name}`](#{name}) | {results} | {columns} | {lookups} |");
    }
    for Entry { name, text, json, meaning, unchecked, .. } in &operations {
        let _ = write!(out, "\n### {name}\n\n```text\n{text}\n```\n\n");
        let _ = writeln!(out, "{}.", sentence(meaning));
        if !unchecked.is_empty() {
            let _ = writeln!(out, "\nDoes not check: {unchecked}.");
        }
        let _ = writeln!(out, "\nJSON: `{{{json}}}`");
    }
    out
}

/// With a capital letter, unless code comes first.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    const BEGIN: &str = "<!-- generated: operations -->\n";
    const END: &str = "<!-- end -->\n";

    #[test]
    fn every_operation_has_one_meaning_and_every_meaning_an_operation() {
        let forms: BTreeSet<&str> = Form::all().map(|form| form.name).collect();
        let meanings: BTreeSet<&str> = MEANINGS.iter().map(|(name, _, _)| *name).collect();
        assert_eq!(forms, meanings);
        assert_eq!(MEANINGS.len(), meanings.len());
    }

    #[test]
    fn examples_of_text_are_text() {
        for Entry { name, text, .. } in operations() {
            // With names for what stands for any number of values, and with a callee.
            let line = text.replace(", …", "").replace("[, \"label\"]", ", \"label\"");
            let line = line.replace(" = const c", " = const 7").replace("[r0]", "[r9]");
            let inputs = "a, b, c, a0..a3, b0..b3, c0..c3, channel, index, len, k0, l0, r9";
            let program = format!(
                "program \"p\"\nmemory 1, 10\nfn f(x) -> 1 unconstrained {{\n return x\n}}\n\
                 fn g({inputs}) -> 0 unconstrained {{\n {line}\n return\n}}\nend\n"
            );
            let read = crate::text::parse(&program);
            let read = read.unwrap_or_else(|error| panic!("{name}: {error}\n{program}"));
            assert_eq!(read.functions[1].blocks[0].ops[0].name(), name);
        }
    }

    #[test]
    fn the_page_says_what_the_code_says() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/language.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).expect("the page has a generated part");
        let (found, after) = rest.split_once(END).expect("the generated part has an end");
        if std::env::var_os("TRACELOOM_BLESS").is_some() {
            let page = format!("{before}{BEGIN}{}{END}{after}", markdown());
            return std::fs::write(&path, page).unwrap();
        }
        assert!(
            found == markdown(),
            "docs/language.md is not what the code says; \
             TRACELOOM_BLESS=1 cargo test -p traceloom-bytecode --lib reference writes it"
        );
    }
}
