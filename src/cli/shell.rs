//! `traceloom completions` and `traceloom man`: what a shell and a reader need of the command line.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_mangen::Man;
use serde_json::json;

use super::output::{mode, print_always, result, say, write_whole};
use super::{Cli, Failure};

/// Which completions to print.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: clap_complete::Shell,
}

/// Where to write the manual.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder for the pages.
    pub folder: PathBuf,
}

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "traceloom", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    result(json!({ "shell": args.shell.to_string(), "script": script }));
    if !mode().json {
        print_always(format_args!("{}", script.trim_end()));
    }
    Ok(())
}

/// Writes a manual page for the program and for every command.
pub fn man(args: &ManArgs) -> Result<(), Failure> {
    let folder = &args.folder;
    fs::create_dir_all(folder).map_err(|error| Failure::file("make", folder, &error))?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut names = Vec::new();
    let mut page = |name: String, command: clap::Command| -> Result<(), Failure> {
        let mut text = Vec::new();
        let failure = |error: io::Error| Failure::file("write", folder, &error);
        Man::new(command.name(name.clone())).render(&mut text).map_err(failure)?;
        let path = folder.join(format!("{name}.1"));
        write_whole(&path, &text)?;
        names.push(path.display().to_string());
        Ok(())
    };
    page("traceloom".to_owned(), command.clone())?;
    for inner in command.get_subcommands() {
        page(format!("traceloom-{}", inner.get_name()), inner.clone())?;
    }
    result(json!({ "pages": names }));
    say!("{} manual pages in {}", names.len(), folder.display());
    Ok(())
}
