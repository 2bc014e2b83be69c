//! Cells that are changed before a check.

use traceloom_air::field::element;
use traceloom_air::system::{Circuit, System};
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::near::did_you_mean;

use super::words::{Words, signed};

/// A cell and what it is to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poke {
    /// Name of the circuit, or its position.
    pub circuit: String,
    /// The row.
    pub row: usize,
    /// Name of the column, or its position, or the variable of the program's text that it holds.
    pub column: String,
    /// The new content, below p.
    pub value: u64,
}

/// A cell that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PokeError {
    /// No circuit has the name.
    #[error("there is no circuit {name:?}; there are {known}{near}")]
    Circuit {
        /// What was asked for.
        name: String,
        /// The circuits that are there.
        known: String,
        /// A name that was perhaps meant.
        near: String,
    },
    /// The circuit has no rows in this run.
    #[error("circuit {0:?} has no rows in this run")]
    Inactive(String),
    /// Fewer rows.
    #[error("circuit {circuit:?} has no row {row}; its rows are 0 to {}", height - 1)]
    Row {
        /// The circuit.
        circuit: String,
        /// What was asked for.
        row: usize,
        /// Number of rows.
        height: usize,
    },
    /// No column has the name.
    #[error("circuit {circuit:?} has no column {name:?}; it has {known}{near}")]
    Column {
        /// The circuit.
        circuit: String,
        /// What was asked for.
        name: String,
        /// The columns that are there.
        known: String,
        /// A name that was perhaps meant.
        near: String,
    },
    /// Several columns hold the variable.
    #[error("several columns of circuit {circuit:?} hold {name:?}: {columns}; name one of them")]
    Several {
        /// The circuit.
        circuit: String,
        /// The variable.
        name: String,
        /// The columns.
        columns: String,
    },
}

/// Names of columns that a message lists.
const SHOWN: usize = 12;

impl Poke {
    /// Changes the cell; says what it held.
    ///
    /// # Errors
    /// [`PokeError`]: the witness has no such cell.
    pub fn apply(
        &self,
        system: &System,
        words: &Words<'_>,
        witness: &mut ShardWitness,
    ) -> Result<String, PokeError> {
        let position = self.circuit(system)?;
        let circuit = &system.circuits[position];
        let Some(trace) = &mut witness.traces[position] else {
            return Err(PokeError::Inactive(circuit.name.clone()));
        };
        let height = trace.height();
        if self.row >= height {
            return Err(PokeError::Row { circuit: circuit.name.clone(), row: self.row, height });
        }
        let column = self.column(circuit, words)?;
        let cell = &mut trace.row_mut(self.row)[column];
        let before = std::mem::replace(cell, element(self.value));
        Ok(format!(
            "circuit {:?}, row {}, {}: {} instead of {}",
            circuit.name,
            self.row,
            circuit.column_names[column],
            signed(self.value),
            signed(traceloom_air::field::word(before))
        ))
    }

    fn circuit(&self, system: &System) -> Result<usize, PokeError> {
        let named = system.circuits.iter().position(|circuit| circuit.name == self.circuit);
        let numbered = || self.circuit.parse().ok().filter(|&at| at < system.circuits.len());
        named.or_else(numbered).ok_or_else(|| {
            let names = || system.circuits.iter().map(|circuit| &circuit.name[..]);
            PokeError::Circuit {
                name: self.circuit.clone(),
                known: shown(names()),
                near: did_you_mean(&self.circuit, names()),
            }
        })
    }

    fn column(&self, circuit: &Circuit, words: &Words<'_>) -> Result<usize, PokeError> {
        let name = &self.column;
        if let Some(column) = circuit.column_names.iter().position(|column| column == name) {
            return Ok(column);
        }
        if let Some(column) = name.parse().ok().filter(|&column| column < circuit.width) {
            return Ok(column);
        }
        let roles = words.roles(&circuit.kind);
        let holding = roles.as_ref().map_or_else(Vec::new, |roles| roles.holding(name));
        let columns = || circuit.column_names.iter().map(String::as_str);
        match holding[..] {
            [column] => Ok(column),
            [] => Err(PokeError::Column {
                circuit: circuit.name.clone(),
                name: name.clone(),
                known: shown(columns()),
                near: did_you_mean(name, columns()),
            }),
            _ => Err(PokeError::Several {
                circuit: circuit.name.clone(),
                name: name.clone(),
                columns: shown(holding.iter().map(|&at| &circuit.column_names[at][..])),
            }),
        }
    }
}

fn shown<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let first = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
