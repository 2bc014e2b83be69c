//! Who takes records.

use super::ops::*;

/// Declares the tables: a method, a list and a count for each.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident: $Op:ty;)*) => {
        /// Takes the records of an execution, in its order.
        pub trait Sink {
            $($(#[$doc])* fn $name(&mut self, op: $Op);)*
        }

        /// Keeps all records, table by table.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Stored {
            $($(#[$doc])* pub $name: Vec<$Op>,)*
        }

        impl Sink for Stored {
            $(fn $name(&mut self, op: $Op) { self.$name.push(op); })*
        }

        /// Counts records and keeps none.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Sink for Counts {
            $(fn $name(&mut self, _: $Op) { self.$name += 1; })*
        }

        impl Counts {
            /// Each table with its number of records.
            #[must_use]
            pub fn list(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),*]
            }
        }
    };
}

tables! {
    /// The table CPU.
    cpu: CpuOp;
    /// The table CPU32.
    cpu32: Cpu32Op;
    /// The table MEMW_R.
    register: RegisterOp;
    /// The table MEMW_A.
    aligned: AlignedOp;
    /// The table MEMW.
    general: GeneralOp;
    /// The table LOAD.
    load: LoadOp;
    /// The table STORE.
    store: StoreOp;
    /// The table LT.
    lt: LtOp;
    /// The table SHIFT.
    shift: ShiftOp;
    /// The table MUL.
    mul: MulOp;
    /// The table DVRM.
    div_rem: DivRemOp;
    /// The table BYTEWISE.
    bytewise: BytewiseOp;
    /// The table EQ.
    eq: EqOp;
    /// The table BRANCH.
    branch: BranchOp;
    /// The table ECALL.
    ecall: EcallOp;
    /// The table INPUT.
    input: IoOp;
    /// The table COMMIT.
    commit: IoOp;
    /// The table HALT: one record.
    halt: HaltOp;
    /// The table DECODE.
    decode: DecodeOp;
    /// The table REGISTER: 34 records.
    register_cell: RegisterCell;
    /// The table PAGE: 4096 records per page.
    page_cell: PageCell;
}
