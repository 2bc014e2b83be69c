//! Steps of a long command on standard error: rewritten in place on a terminal, lines
//! otherwise, or JSON.

use std::io::{self, IsTerminal};
use std::time::Instant;

use serde_json::{Value, json};
use traceloom_runtime::session;

use super::output::{is_keeping, mode, seconds, tell};
use super::progress::several;

/// Version of the JSON form; docs/log.md describes it.
const FORMAT: &str = "traceloom-log/1";

/// How steps are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Log {
    /// For people.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

impl Log {
    /// Parses `--log`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("{text:?} is no form of a log; there are text and json")),
        }
    }
}

/// Tells the steps of a command.
#[derive(Clone, Copy)]
pub struct Progress {
    start: Instant,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Terminal,
    Lines,
    Json,
    /// With `--quiet`: nothing but errors.
    Nothing,
}

impl Progress {
    /// Starts the clock.
    pub fn new() -> Self {
        Self::with(Log::Text)
    }

    /// The same in this form.
    pub fn with(log: Log) -> Self {
        // What is kept goes to no terminal.
        let is_terminal = !is_keeping() && io::stderr().is_terminal();
        let form = match log {
            Log::Json => Form::Json,
            Log::Text if mode().quiet => Form::Nothing,
            Log::Text if is_terminal => Form::Terminal,
            Log::Text => Form::Lines,
        };
        Self { start: Instant::now(), form }
    }

    /// Names the step that begins now.
    pub fn step(self, now: &session::Progress) {
        let (name, time) = (step_name(now), self.start.elapsed().as_secs_f64());
        match self.form {
            Form::Terminal => tell(format_args!("\r\x1b[K[{time:6.1} s] {name} …")),
            Form::Lines => {
                // Steps of one shard are few: their names say enough.
                let rest = several(now).map_or_else(String::new, |_| rest(now));
                tell(format_args!("[{time:6.1} s] {name}{rest}\n"));
            }
            Form::Json => tell(format_args!("{}\n", step_json(now))),
            Form::Nothing => {}
        }
    }

    /// Says how far a step is, where that can be rewritten.
    pub fn part(self, now: &session::Progress) {
        if self.form == Form::Terminal {
            let (name, time) = (step_name(now), self.start.elapsed().as_secs_f64());
            let rest = match now.total {
                Some(_) => rest(now),
                None => format!(" {}", now.done),
            };
            tell(format_args!("\r\x1b[K[{time:6.1} s] {name} …{rest}"));
        }
    }

    /// Prints a note for the user in a line of its own.
    pub fn note(self, what: &str) {
        self.done();
        match self.form {
            Form::Json => self.line("note", what),
            Form::Terminal | Form::Lines => tell(format_args!("note: {what}\n")),
            Form::Nothing => {}
        }
    }

    /// Says why the command fails, where nobody reads text.
    pub fn failure(self, what: &str) {
        if self.form == Form::Json {
            self.line("error", what);
        }
    }

    /// Ends the steps.
    pub fn done(self) {
        if self.form == Form::Terminal {
            tell(format_args!("\r\x1b[K"));
        }
    }

    fn line(self, event: &str, message: &str) {
        let time = self.start.elapsed().as_secs_f64();
        let line = json!({
            "format": FORMAT,
            "event": event,
            "elapsed_seconds": time,
            "message": message,
        });
        tell(format_args!("{line}\n"));
    }
}

/// A step, and its shard where there are several.
fn step_name(now: &session::Progress) -> String {
    let name = now.stage.name();
    match several(now) {
        Some(of) => format!("{name}, shard {} of {}", of.shard + 1, of.num_shards),
        None => name.to_owned(),
    }
}

/// Rows, part of the work, and the time that is left, as far as they are known.
fn rest(now: &session::Progress) -> String {
    let rows = several(now).filter(|of| of.rows > 0);
    let rows = rows.map(|of| format!(", {} of {} rows", of.rows_done, of.rows));
    let part = now.total.filter(|_| now.done > 0);
    let part = part.map(|total| format!(", {} %", 100 * now.done.min(total) / total.max(1)));
    let left = now.remaining.map(|left| format!(", {} left", seconds(left)));
    [rows, part, left].into_iter().flatten().collect()
}

fn step_json(now: &session::Progress) -> Value {
    let shard = now.shard;
    let of = |get: fn(session::ShardProgress) -> u64| shard.map(get);
    let rows = shard.filter(|of| of.rows > 0);
    json!({
        "format": FORMAT,
        "event": "step",
        "elapsed_seconds": now.elapsed.as_secs_f64(),
        "step": now.stage.name(),
        "shard": of(|of| of.shard as u64),
        "shards": of(|of| of.num_shards as u64),
        "worker": rows.map(|of| of.worker),
        "rows_done": rows.map(|of| of.rows_done),
        "rows": rows.map(|of| of.rows),
        "done": now.done,
        "total": now.total,
        "remaining_seconds": now.remaining.map(|left| left.as_secs_f64()),
    })
}
