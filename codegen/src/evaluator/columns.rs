//! Names of the columns that expressions read.

use traceloom_air::system::{Circuit, Node};

/// Names of one circuit's columns.
pub(super) struct ColumnNames<'a>(pub &'a Circuit);

impl ColumnNames<'_> {
    /// `INPUT0`: the enumerator or constant of main column `column`.
    pub(super) fn constant(&self, column: u32) -> String {
        self.0.column_names[column as usize].to_ascii_uppercase()
    }

    /// `input0`, `next_pointer`, `fixed3`: the variable that holds a leaf.
    pub(super) fn variable(&self, node: Node) -> Option<String> {
        let main = |column: u32| &self.0.column_names[column as usize];
        match node {
            Node::Main(column) => Some(main(column).clone()),
            Node::MainNext(column) => Some(format!("next_{}", main(column))),
            Node::Preprocessed(column) => Some(format!("fixed{column}")),
            Node::Public(index) => Some(format!("public{index}")),
            Node::IsFirstRow => Some("is_first_row".into()),
            Node::IsTransition => Some("is_transition".into()),
            Node::Constant(_) | Node::Add(..) | Node::Sub(..) | Node::Mul(..) => None,
        }
    }
}
