//! The record of an execution while rows are made of it.

use std::sync::{Arc, Mutex, PoisonError};

use traceloom_abi::record::Record;

use super::Session;
use crate::order::Run;
use crate::provider::all_runs;

/// A record with the order of its rows. It is freed as soon as no more rows are made of it,
/// however many are still to be proven.
pub(super) struct Rows(Mutex<Option<Arc<Ordered>>>);

/// What rows are made of.
pub(super) struct Ordered {
    pub record: Record,
    /// By circuit of the system.
    pub runs: Vec<Vec<Run>>,
}

impl Rows {
    /// Orders the rows of a record.
    pub fn new(session: &Session, record: Record) -> Self {
        let runs = all_runs(session.front(), session.system(), &record);
        Self(Mutex::new(Some(Arc::new(Ordered { record, runs }))))
    }

    /// What is there, which stays as long as the caller has it; nothing once it is freed.
    pub fn get(&self) -> Option<Arc<Ordered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Frees everything, or leaves that to whoever makes rows at the moment.
    pub fn free(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Request;

    const SQUARE: &str =
        "program \"square\"\nfn square(x) -> 1 entry {\n y = mul x, x\n return y\n}\nend\n";

    #[test]
    fn a_record_goes_when_nobody_makes_rows() {
        let session = Session::of_bytes("square", SQUARE).build().unwrap();
        let record = session.execute(Request::args([3])).unwrap().execution.record;
        let rows = Rows::new(&session, record);
        let held = rows.get().unwrap();
        assert_eq!((held.record.functions[0].len(), held.runs[0].len()), (1, 1));
        let watched = Arc::downgrade(&held);
        rows.free();
        assert!(rows.get().is_none());
        assert!(watched.upgrade().is_some(), "somebody makes rows");
        drop(held);
        assert!(watched.upgrade().is_none(), "it is freed");
    }
}
