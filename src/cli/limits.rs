//! What an execution may use: options, and a default that fits this machine.

use clap::Args;
use traceloom_bytecode::execute::Limits;
use traceloom_runtime::session::free_memory;

use super::shards::size;

/// Limits of the execution. A program is untrusted, so each resource that it can use has one.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Limits of the execution")]
pub struct LimitArgs {
    /// Most steps: operations and block ends.
    #[arg(long, value_name = "N")]
    limit_steps: Option<u64>,
    /// Most queries: calls with different inputs.
    #[arg(long, value_name = "N")]
    limit_queries: Option<u64>,
    /// Most memory pointers.
    #[arg(long, value_name = "N")]
    limit_pointers: Option<u64>,
    /// Most memory of record and frames [default: half of what this machine has free].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    limit_bytes: Option<u64>,
    /// Most nested calls.
    #[arg(long, value_name = "N")]
    limit_depth: Option<u64>,
    /// Those that hold where no option is given; none for those of this machine.
    #[arg(skip)]
    base: Option<Limits>,
}

impl LimitArgs {
    /// Takes `limits` where no option is given.
    pub fn set_base(&mut self, limits: &Limits) {
        self.base = Some(limits.clone());
    }

    /// As a session takes them.
    pub fn limits(&self) -> Limits {
        let base = self.base.clone().unwrap_or_else(of_machine);
        Limits {
            steps: self.limit_steps.unwrap_or(base.steps),
            queries: self.limit_queries.unwrap_or(base.queries),
            pointers: self.limit_pointers.unwrap_or(base.pointers),
            bytes: self.limit_bytes.unwrap_or(base.bytes),
            depth: self.limit_depth.unwrap_or(base.depth),
        }
    }
}

/// The usual limits, with no more memory than half of what is free: a growing array has its old
/// and its new content for a moment, and rows follow.
fn of_machine() -> Limits {
    let usual = Limits::default();
    let bytes = free_memory().map_or(usual.bytes, |free| usual.bytes.min(free / 2));
    Limits { bytes, ..usual }
}

#[cfg(test)]
mod tests {
    use super::{LimitArgs, Limits, free_memory};

    #[test]
    fn options_come_before_the_base_and_the_base_before_the_machine() {
        let machines = LimitArgs::default().limits();
        assert_eq!(machines.depth, Limits::default().depth);
        if let Some(free) = free_memory() {
            assert!(machines.bytes <= free, "{} of {free}", machines.bytes);
        }
        let base = Limits { steps: 5, bytes: 6, ..Limits::default() };
        let mut args = LimitArgs { limit_steps: Some(9), ..LimitArgs::default() };
        args.set_base(&base);
        assert_eq!(args.limits(), Limits { steps: 9, ..base });
    }
}
