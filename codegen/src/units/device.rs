//! Device code of the expected set.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Expected, ExpectedUnit, Problems, Units};
use crate::device::{DeviceProgram, Environment, Failures, Job, MODE, Outcome};

/// Why device code of a crate was not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceProblems {
    /// Its programs are at fault.
    #[error(transparent)]
    Programs(#[from] Problems),
    /// The rest.
    #[error(transparent)]
    Device(#[from] Failures),
}

impl Units {
    /// Compiles the device code that the programs of this crate have, whatever files
    /// are there, into `folder`; see [`crate::device`] for what is in it. `progress` is
    /// told about every file.
    ///
    /// # Errors
    /// [`DeviceProblems`]: of the programs; of the compiler, or that there is none.
    pub fn compile_device(
        &self,
        folder: &Path,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Outcome, DeviceProblems> {
        let expected = self.expected()?;
        // Who asks for it in so many words wants no empty list.
        let environment = Environment::of_process().with(MODE, "require");
        let job = Job { environment: &environment, folder, progress };
        Ok(job.run(&self.device_programs(&expected))?)
    }

    /// Names and text of device code, per program.
    pub(super) fn device_programs(&self, expected: &Expected) -> Vec<DeviceProgram> {
        let programs = expected.units.iter();
        programs.filter_map(|unit| self.device_program(unit)).collect()
    }

    fn device_program(&self, unit: &ExpectedUnit) -> Option<DeviceProgram> {
        let name = unit.program.clone()?;
        let folder = self.file(&self.output, &name);
        let prefix = format!("{folder}/");
        let files: BTreeMap<String, String> = unit
            .files
            .iter()
            .filter(|(path, _)| path.ends_with(".cu") || path.ends_with(".cuh"))
            .filter_map(|(path, text)| Some((path.strip_prefix(&prefix)?.into(), text.clone())))
            .collect();
        Some(DeviceProgram {
            name,
            digest: unit.digest.clone(),
            folder: self.shown(&folder),
            files,
        })
    }
}
