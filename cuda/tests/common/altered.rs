//! Another source of seeds, some of whose answers are changed: for measurements, and for
//! tests of what must be refused.

use std::fmt;
use std::ops::Range;

use traceloom_runtime::seeds::{Encoding, SeedError};
use traceloom_runtime::source::{CircuitColumns, SeedSource, SourceRun};

/// Packs some rows of a run, as [`SeedSource::fill`] does.
pub type Fill<'a> =
    &'a (dyn Fn(usize, Encoding, Range<usize>, &mut [u8]) -> Result<bool, SeedError> + Sync);

/// Another source, some of whose answers are changed: for measurements, and for tests of
/// what must be refused.
#[derive(Clone)]
pub struct Altered<'a> {
    source: &'a dyn SeedSource,
    runs: Vec<SourceRun>,
    height: usize,
    excess: usize,
    fill: Option<Fill<'a>>,
}

impl<'a> Altered<'a> {
    /// The source as it is.
    #[must_use]
    pub fn new(source: &'a dyn SeedSource) -> Self {
        let (runs, height) = (source.runs().to_vec(), source.height());
        Self { source, runs, height, excess: 0, fill: None }
    }

    /// With other rows of its runs; the height stays.
    #[must_use]
    pub fn with_runs(self, runs: Vec<SourceRun>) -> Self {
        Self { runs, ..self }
    }

    /// With another height: more padding.
    #[must_use]
    pub fn with_height(self, height: usize) -> Self {
        Self { height, ..self }
    }

    /// With seeds that it says are longer than they are, by `excess` bytes.
    #[must_use]
    pub fn with_excess(self, excess: usize) -> Self {
        Self { excess, ..self }
    }

    /// With seeds that are packed otherwise.
    #[must_use]
    pub fn with_fill(self, fill: Fill<'a>) -> Self {
        Self { fill: Some(fill), ..self }
    }
}

impl fmt::Debug for Altered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, runs, height, excess, fill: _ } = self;
        write!(f, "{source:?} with runs {runs:?}, height {height}, {excess} bytes more")
    }
}

impl SeedSource for Altered<'_> {
    fn columns(&self) -> CircuitColumns {
        self.source.columns()
    }

    fn runs(&self) -> &[SourceRun] {
        &self.runs
    }

    fn kernel(&self, run: usize, encoding: Encoding) -> (&str, usize) {
        let (name, stride) = self.source.kernel(run, encoding);
        (name, stride + self.excess)
    }

    fn fill(
        &self,
        run: usize,
        encoding: Encoding,
        rows: Range<usize>,
        seeds: &mut [u8],
    ) -> Result<bool, SeedError> {
        match self.fill {
            Some(fill) => fill(run, encoding, rows, seeds),
            None => self.source.fill(run, encoding, rows, seeds),
        }
    }

    fn height(&self) -> usize {
        self.height
    }
}
