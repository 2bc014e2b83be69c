//! A device in this process: it runs the scalar writers where a GPU runs kernels.

use traceloom_abi::registry::ProgramUnit;
use traceloom_abi::row::RowShape;
use traceloom_air::trace::Trace;
use traceloom_runtime::device::{DeviceRows, DeviceTrace, RowDevice};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::seeds::{Encoding, Why};
use traceloom_runtime::source::SeedSource;

/// A device of some memory, that may have no kernels.
#[derive(Debug)]
pub struct HostDevice {
    pub free_bytes: u64,
    pub kernels: Result<(), String>,
}

#[derive(Debug)]
struct HostTrace(Trace);

impl DeviceTrace for HostTrace {
    fn width(&self) -> usize {
        self.0.width
    }

    fn height(&self) -> usize {
        self.0.height()
    }

    fn download(&self, _: &Ledger) -> Result<Trace, String> {
        Ok(self.0.clone())
    }
}

impl RowDevice for HostDevice {
    fn name(&self) -> String {
        "this process".into()
    }

    fn bind(&self, _: &'static ProgramUnit, _: &Ledger) -> Result<(), String> {
        self.kernels.clone()
    }

    fn free_bytes(&self) -> Result<u64, String> {
        Ok(self.free_bytes)
    }

    fn write(
        &self,
        unit: &'static ProgramUnit,
        _: &str,
        source: &dyn SeedSource,
        _: &Ledger,
    ) -> Result<DeviceRows, String> {
        let columns = source.columns();
        let mut trace = Trace::zero(source.num_rows(), columns.width);
        let mut runs = Vec::new();
        for (index, run) in source.runs().iter().enumerate() {
            let shape = RowShape {
                width: columns.width,
                input: 0,
                selector: run.first_member_selector,
                auxiliary: columns.first_auxiliary,
            };
            let cells = run.rows.start * columns.width..run.rows.end * columns.width;
            let rows = &mut trace.values[cells];
            let mut encoding = run.encoding;
            let mut seeds = packed(source, index, encoding)?;
            if seeds.is_none() {
                encoding = Encoding::Full(Why::Widened);
                seeds = packed(source, index, encoding)?;
            }
            let seeds = seeds.expect("every row fits in full");
            let (kernel, _) = source.kernel(index, encoding);
            for function in unit.functions {
                let paths = function.paths.iter().filter(|path| path.kernel == kernel);
                paths.for_each(|path| (path.write)(&seeds, rows, &shape));
                if function.generic.kernel == kernel {
                    let written = (function.generic.write)(&seeds, rows, &shape);
                    written.map_err(|error| error.to_string())?;
                }
            }
            runs.push((encoding, seeds.len() as u64));
        }
        Ok(DeviceRows { trace: Box::new(HostTrace(trace)), runs, kept: None })
    }
}

/// The seeds of a run, if they fit.
fn packed(
    source: &dyn SeedSource,
    run: usize,
    encoding: Encoding,
) -> Result<Option<Vec<u8>>, String> {
    let (rows, stride) = (source.runs()[run].rows.len(), source.kernel(run, encoding).1);
    let mut seeds = vec![0; rows * stride];
    let fits = source.fill(run, encoding, 0..rows, &mut seeds);
    Ok(fits.map_err(|error| error.to_string())?.then_some(seeds))
}
