//! What a request costs, by function and operation.

use traceloom_bytecode::execute::{DebugLine, Hooks, execute_with};

use super::program::Subject;
use super::{Proved, Request, Session, SessionError};
use crate::profile::{CallTree, Profile};
use crate::shards::Planned;

impl Session {
    /// Runs the program with the interpreter, plans its proof, and says what that would cost in
    /// rows, cells and lookups.
    ///
    /// # Errors
    /// As [`Session::plan`].
    pub fn profile(&self, request: Request) -> Result<(Profile, Planned), SessionError> {
        let calls = self.calls(request.clone())?;
        let (_, planned) = self.plan(request)?;
        let profile = Profile::new(self.program(), self.system(), &calls, &planned, None);
        Ok((profile, planned))
    }

    /// The same, with the proof and its times. The program runs twice: the interpreter says who
    /// calls whom, and its time is in no figure.
    ///
    /// # Errors
    /// As [`Session::prove`].
    pub fn profile_proof(&self, request: Request) -> Result<(Profile, Proved), SessionError> {
        let calls = self.calls(request.clone())?;
        let proved = self.prove(request)?;
        let report = &proved.report;
        let (program, system) = (self.program(), self.system());
        let profile = Profile::new(program, system, &calls, &report.shards, Some(report));
        Ok((profile, proved))
    }

    /// Who calls whom.
    fn calls(&self, request: Request) -> Result<CallTree, SessionError> {
        let Subject::Functions(program) = &self.subject else {
            return Err(SessionError::NoProfile { place: self.place.clone() });
        };
        let (claims, io) = self.resolve(program, request)?;
        let mut tree = CallTree::default();
        let mut take = |event| tree.take(event);
        // Lines of the program are for the execution that is proven.
        let mut nowhere = |_: DebugLine<'_>| {};
        let hooks = Hooks { debug: Some(&mut nowhere), calls: Some(&mut take), ..Hooks::default() };
        let ran = execute_with(program, &claims, io, &self.settings.limits, hooks);
        ran.map_err(|error| self.not_executed(error))?;
        Ok(tree)
    }
}
