//! Programs of tables: what plans, `System` and units are made of.

use std::collections::BTreeSet;

use traceloom_abi::ops::OpRecords;
use traceloom_abi::registry::{ABI_VERSION, GENERATOR_VERSION};
use traceloom_plan::draft::ProgramDraft;
use traceloom_plan::encode::Encoder;
use traceloom_plan::{Contract, ProgramPlan};

use crate::draft::{contract, draft};
use crate::record::Field;
use crate::table::{RowProgram, Table};

const FINGERPRINT_DOMAIN: &str = "traceloom op tables v1";

const CONTRACT_DOMAIN: &str = "traceloom op table contract v1";

const INPUT_DOMAIN: &str = "traceloom op tables input v1";

/// Tables that are proven together.
#[derive(Clone, Debug)]
pub struct TableProgram {
    name: &'static str,
    tables: Vec<Table>,
}

/// A row program of a program of tables.
#[derive(Clone, Copy, Debug)]
struct Unit<'a> {
    is_padding: bool,
    table: &'a Table,
    program: &'a RowProgram,
}

impl Unit<'_> {
    fn name(&self) -> String {
        format!("{}{}", self.table.name, if self.is_padding { "_padding" } else { "" })
    }
}

impl TableProgram {
    /// A program of these tables.
    ///
    /// # Errors
    /// The name that two tables have.
    pub fn new(name: &'static str, tables: Vec<Table>) -> Result<Self, SameName> {
        let mut seen = BTreeSet::new();
        match tables.iter().find(|table| !seen.insert(table.name)) {
            Some(table) => Err(SameName(table.name)),
            None => Ok(Self { name, tables }),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its tables in order.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The row programs: those of all tables in order, then the padding programs in order.
    fn units(&self) -> impl Iterator<Item = Unit<'_>> {
        let rows = self.tables.iter();
        let rows = rows.map(|table| Unit { is_padding: false, table, program: &table.rows });
        let paddings = self.tables.iter().filter_map(|table| {
            let program = table.padding.as_ref()?;
            Some(Unit { is_padding: true, table, program })
        });
        rows.chain(paddings)
    }

    /// The index of the row program of table `table`, as in plans, units and
    /// [`Record::ops`](traceloom_abi::record::Record::ops).
    #[must_use]
    pub fn rows_index(&self, table: usize) -> usize {
        table
    }

    /// The index of the padding program of table `table`, if it has one.
    #[must_use]
    pub fn padding_index(&self, table: usize) -> Option<usize> {
        let (before, from) = self.tables.split_at(table);
        from.first()?.padding.as_ref()?;
        let paddings = before.iter().filter(|table| table.padding.is_some());
        Some(self.tables.len() + paddings.count())
    }

    /// Empty lists of records, by row program.
    #[must_use]
    pub fn records(&self) -> Vec<OpRecords> {
        self.units().map(|unit| unit.program.records()).collect()
    }

    /// Identity of everything that is proven, and of what rows are made from. Names are outside.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut encoder = Encoder::new(blake3::Hasher::new_derive_key(FINGERPRINT_DOMAIN));
        encoder.list(&self.tables, encode_table);
        encoder.digest()
    }

    /// Plans of all row programs.
    #[must_use]
    pub fn plan(&self) -> ProgramPlan {
        ProgramDraft {
            name: self.name.into(),
            fingerprint: self.fingerprint(),
            memory_widths: Vec::new(),
            functions: self
                .units()
                .map(|unit| draft(unit.name(), unit.table, unit.program))
                .collect(),
        }
        .finish()
    }

    /// What the plans must agree with.
    #[must_use]
    pub fn contract(&self) -> Contract {
        let functions = self.units().map(|unit| contract(unit.table, unit.program));
        Contract { memory_widths: Vec::new(), functions: functions.collect() }
    }

    /// Contract digests of all row programs: what generated code of them relies on.
    #[must_use]
    pub fn contract_digests(&self) -> Vec<[u8; 32]> {
        let digest = |(index, unit): (usize, Unit<'_>)| {
            let mut encoder = Encoder::new(blake3::Hasher::new_derive_key(CONTRACT_DOMAIN));
            encoder.numbers(&[GENERATOR_VERSION.into(), ABI_VERSION.into(), index as u64]);
            encoder.bytes(&self.fingerprint());
            encoder.number(unit.table.columns.len() as u64);
            encoder.list(&unit.program.fields, encode_field);
            encoder.digest()
        };
        self.units().enumerate().map(digest).collect()
    }

    /// Digest of what the files of its units are made from, names included.
    #[must_use]
    pub fn input_digest(&self) -> [u8; 32] {
        let mut encoder = Encoder::new(blake3::Hasher::new_derive_key(INPUT_DOMAIN));
        encoder.numbers(&[GENERATOR_VERSION.into(), ABI_VERSION.into()]);
        encoder.program(&self.plan());
        let mut text = |text: &str| {
            encoder.number(text.len() as u64);
            encoder.bytes(text.as_bytes());
        };
        text(self.name);
        for unit in self.units() {
            text(&unit.name());
            unit.program.row.note_texts().iter().for_each(|note| text(note));
        }
        encoder.digest()
    }
}

/// Two tables of a program have one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two tables are called {0}; rename one of the two")]
pub struct SameName(pub &'static str);

fn encode_field(encoder: &mut Encoder, field: &Field) {
    encoder.numbers(&[field.bytes.into(), field.mask]);
}

fn encode_table(encoder: &mut Encoder, table: &Table) {
    encoder.list(&table.columns, |encoder, column| encoder.number(column.limb.bits()));
    encoder.number(table.fixed.len() as u64);
    encoder.list(&table.rows.fields, encode_field);
    let padding = table.padding.as_ref().map_or(&[][..], |padding| &padding.fields);
    encoder.list(padding, encode_field);
    encoder.list(table.arena.nodes(), |encoder, node| {
        let words: Vec<u64> = node.words().collect();
        encoder.list(&words, |encoder, &word| encoder.number(word));
    });
    encoder.list(&table.constraints, |encoder, constraint| encoder.number(constraint.expr.0));
    encoder.list(&table.lookups, |encoder, lookup| {
        encoder.numbers(&[lookup.direction as u64, lookup.multiplicity.0.into()]);
        encoder.list(&lookup.arguments, |encoder, argument| encoder.number(argument.0));
    });
}
