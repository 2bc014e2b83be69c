//! Admission: decides which circuits get memory of a device, before anything is allocated there.

use traceloom_abi::record::Record;
use traceloom_abi::registry::ProgramUnit;

use super::Reason;
use crate::device::{DeviceOption, RowDevice};
use crate::heights::Heights;
use crate::ledger::Ledger;

/// Hands out the memory of a device, circuit by circuit.
pub(super) struct Admission<'a> {
    pub(super) device: Option<(&'a dyn RowDevice, &'static ProgramUnit)>,
    /// The record with the heights of its traces; none where all rows have their memory already.
    record: Option<(&'a Record, Heights)>,
    left: u64,
    /// Why no circuit gets any.
    reason: Option<Reason>,
}

impl<'a> Admission<'a> {
    pub(super) fn new(
        option: DeviceOption<'a>,
        unit: &'static ProgramUnit,
        ledger: &Ledger,
        heights: impl Fn(&Record) -> Heights,
    ) -> Self {
        let none = |reason| Self { device: None, record: None, left: 0, reason: Some(reason) };
        match option {
            DeviceOption::NotAsked => none(Reason::NoDevice("no device was looked for".into())),
            DeviceOption::Unavailable(reason) => none(Reason::NoDevice(reason.into())),
            DeviceOption::Planned(device) => match device.bind(unit, ledger) {
                Err(reason) => none(Reason::NoKernels(reason)),
                Ok(()) => {
                    Self { device: Some((device, unit)), record: None, left: 0, reason: None }
                }
            },
            DeviceOption::Ready { device, record } => {
                let bound = device.bind(unit, ledger).map_err(Reason::NoKernels);
                let left = bound.and_then(|()| device.free_bytes().map_err(Reason::NoDevice));
                match left {
                    Err(reason) => none(reason),
                    Ok(left) => {
                        let (device, record) =
                            (Some((device, unit)), Some((record, heights(record))));
                        Self { device, record, left, reason: None }
                    }
                }
            }
        }
    }

    /// Takes the memory of a circuit.
    pub(super) fn admit(
        &mut self,
        position: usize,
        width: usize,
        rows: impl Fn(&Record) -> usize,
        stride: usize,
    ) -> Result<(), Reason> {
        if let Some(reason) = &self.reason {
            return Err(reason.clone());
        }
        let Some((record, heights)) = &self.record else { return Ok(()) };
        let rows = rows(record);
        let height = heights.of(position) as u64;
        let cells = height.saturating_mul(8 * width as u64);
        let need = cells.saturating_add(rows as u64 * stride as u64);
        match self.left.checked_sub(need) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Reason::NotEnoughMemory { need, have: self.left }),
        }
    }
}
