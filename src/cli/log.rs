//! Steps of a long command on standard error: a bar on a terminal, lines otherwise, or JSON.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use traceloom_runtime::session;

use super::output::{is_keeping, mode, seconds, tell};
use super::progress::several;

/// Version of the JSON form; docs/log.md describes it.
const FORMAT: &str = "traceloom-log/1";

/// A bar of work whose total is known, and a step whose total is not.
const BAR: &str = "[{elapsed:>4}] [{bar:24}] {percent:>3} %  {prefix}{msg}";
const STEP: &str = "[{elapsed:>4}] {prefix} …{msg}";

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

/// Tells the steps of a command. Clones tell them in the same place.
#[derive(Clone)]
pub struct Progress {
    start: Instant,
    form: Form,
}

#[derive(Clone)]
enum Form {
    Terminal(ProgressBar),
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
            Log::Text if is_terminal => Form::Terminal(bar(ProgressDrawTarget::stderr())),
            Log::Text => Form::Lines,
        };
        Self { start: Instant::now(), form }
    }

    /// Names the step that begins now.
    pub fn step(&self, now: &session::Progress) {
        match &self.form {
            Form::Terminal(bar) => draw(bar, now),
            Form::Lines => {
                let (name, time) = (step_name(now), self.start.elapsed().as_secs_f64());
                // Steps of one shard are few: their names say enough.
                let rest = several(now).map_or_else(String::new, |_| {
                    [rows(now), part(now), left(now)].into_iter().flatten().collect()
                });
                tell(format_args!("[{time:6.1} s] {name}{rest}\n"));
            }
            Form::Json => tell(format_args!("{}\n", step_json(now))),
            Form::Nothing => {}
        }
    }

    /// Says how far a step is, where that can be redrawn.
    pub fn part(&self, now: &session::Progress) {
        if let Form::Terminal(bar) = &self.form {
            draw(bar, now);
        }
    }

    /// Prints a note for the user in a line of its own.
    pub fn note(&self, what: &str) {
        match &self.form {
            Form::Json => self.line("note", what),
            Form::Terminal(bar) => bar.suspend(|| tell(format_args!("note: {what}\n"))),
            Form::Lines => tell(format_args!("note: {what}\n")),
            Form::Nothing => {}
        }
    }

    /// Says why the command fails, where nobody reads text.
    pub fn failure(&self, what: &str) {
        self.done();
        if let Form::Json = self.form {
            self.line("error", what);
        }
    }

    /// Ends the steps.
    pub fn done(&self) {
        if let Form::Terminal(bar) = &self.form {
            bar.finish_and_clear();
        }
    }

    fn line(&self, event: &str, message: &str) {
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

/// A bar that nothing was drawn of so far.
fn bar(target: ProgressDrawTarget) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, target);
    bar.set_style(style(STEP));
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("it is written above").progress_chars("=> ")
}

/// Draws a step: a bar, rows and the time that is left, as far as they are known.
fn draw(bar: &ProgressBar, now: &session::Progress) {
    let has_total = now.total.is_some();
    if has_total != bar.length().is_some() {
        bar.set_style(style(if has_total { BAR } else { STEP }));
    }
    match now.total {
        Some(total) => bar.set_length(total),
        None => bar.unset_length(),
    }
    bar.set_position(now.total.map_or(now.done, |total| now.done.min(total)));
    bar.set_prefix(step_name(now));
    let done = (!has_total && now.done > 0).then(|| format!(" {}{}", now.done, rate(now)));
    bar.set_message([done, rows(now), left(now)].into_iter().flatten().collect::<String>());
    bar.tick();
}

/// Operations a second of a step that counts nothing else.
fn rate(now: &session::Progress) -> String {
    let seconds = now.elapsed.as_secs_f64();
    let is_told = now.elapsed > Duration::from_millis(100);
    if is_told {
        format!(", {:.1} million/s", now.done as f64 / seconds / 1e6)
    } else {
        String::new()
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

/// Rows that have this step behind them.
fn rows(now: &session::Progress) -> Option<String> {
    let of = several(now).filter(|of| of.rows > 0)?;
    Some(format!(", {} of {} rows", of.rows_done, of.rows))
}

fn part(now: &session::Progress) -> Option<String> {
    let total = now.total.filter(|_| now.done > 0)?;
    Some(format!(", {} %", 100 * now.done.min(total) / total.max(1)))
}

fn left(now: &session::Progress) -> Option<String> {
    now.remaining.map(|left| format!(", {} left", seconds(left)))
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

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;
    use traceloom_prover::Stage;
    use traceloom_runtime::session::{ShardProgress, Step};

    use super::*;

    /// What a person sees of a proof of several shards, a step without a total, and the end.
    #[test]
    fn a_terminal_has_one_line_that_is_redrawn() {
        let terminal = InMemoryTerm::new(10, 120);
        let bar = bar(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        let of = ShardProgress { shard: 1, num_shards: 3, rows_done: 512, rows: 2048, worker: 0 };
        let now = session::Progress {
            stage: Step::Prove(Stage::Quotient),
            shard: Some(of),
            done: 50,
            total: Some(200),
            elapsed: Duration::from_secs(2),
            remaining: Some(Duration::from_secs(6)),
        };
        draw(&bar, &now);
        let line = terminal.contents();
        assert!(line.contains("[======>                 ]"), "{line}");
        for part in [" 25 %  quotient, shard 2 of 3", ", 512 of 2048 rows", ", 6.00 s left"] {
            assert!(line.contains(part), "{part}: {line}");
        }
        let executing = session::Progress {
            stage: Step::Execute,
            shard: None,
            done: 4_000_000,
            total: None,
            remaining: None,
            ..now
        };
        draw(&bar, &executing);
        let line = terminal.contents();
        assert!(line.contains("executing … 4000000, 2.0 million/s"), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
        let progress = Progress { start: Instant::now(), form: Form::Terminal(bar) };
        progress.done();
        assert_eq!(terminal.contents(), "");
    }
}
