//! `traceloom prove`.

use std::time::Instant;

use traceloom_bytecode::system::build_system;
use traceloom_prover::{ProveOptions, ProvingKey, Stage, prove, verify};
use traceloom_runtime::ledger::Kind;
use traceloom_runtime::report::ProofReport;

use super::execute::{print_claim, print_rows};
use super::output::{Progress, say, seconds, size, write_whole};
use super::{Failure, ProveArgs, backend, source, trace};

/// Runs a program, proves the claim and writes the proof.
pub fn run(args: &ProveArgs) -> Result<(), Failure> {
    let refused = |error: String| Failure::Refused(format!("{}: {error}", args.run.program));
    if let Some(folder) = &args.report {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file("make", folder, &error))?;
    }
    let progress = Progress::new();
    let backend = backend::choose(args.backend, &args.trace, &progress)?;
    let start = Instant::now();
    progress.step("executing");
    let run = source::run(&args.run)?;
    let executed = start.elapsed();
    progress.step("setting up");
    let program = &run.source.program;
    let system = build_system(program);
    let key = ProvingKey::new(&system, &args.profile.params());
    let mut key = key.map_err(|error| refused(error.to_string()))?;
    let gpu = trace::Gpu::open(&backend.trace)?;
    let verifying = key.verifying_key().clone();
    let choices = trace::choose(&backend.trace, &gpu, &run, &system, Some(&verifying), &progress)?;
    choices.set_evaluators(&mut key);
    progress.step("building rows");
    let before_rows = start.elapsed();
    let claims = run.execution.claims.iter();
    let stated: Vec<_> = claims.map(|ranked| ranked.claim.clone()).collect();
    let (witness, traces) = trace::build(&run, &system, &choices)?;
    let rows = start.elapsed() - before_rows;
    let report = |stage: Stage, _shard: usize| progress.step(stage.name());
    let options = ProveOptions { progress: Some(&report), ..ProveOptions::default() };
    let (proof, metrics) =
        prove(&key, vec![witness], &options).map_err(|error| refused(error.to_string()))?;
    // A fault of ours, of the memory or of a device must not leave as a proof.
    progress.step("verifying");
    let verified = verify(key.verifying_key(), &stated, &proof);
    verified.map_err(|error| refused(format!("the finished proof does not verify: {error}")))?;
    let bytes = proof.encode();
    progress.done();
    write_whole(&args.out, &bytes)?;
    let (providers, evaluators) = (traces.providers(), traces.evaluators());
    let moved = traces.ledger.total();
    let code = traces.ledger.of_kind(Kind::Code).up;
    let host_built: u64 = traces.ledger.avoided.values().sum();
    if let Some(folder) = &args.report {
        let others = [("execution", executed), ("rows", rows)];
        let stages = Stage::ALL.map(|stage| (stage.name(), metrics.stage(stage)));
        let report = ProofReport {
            program: program.program().name.clone(),
            profile: args.profile.name().to_owned(),
            proof_bytes: bytes.len(),
            backend: backend.name.to_owned(),
            backend_reason: backend.reason,
            stages: others.into_iter().chain(stages).collect(),
            trace: traces,
        };
        write_whole(&folder.join("report.json"), format!("{:#}\n", report.json()).as_bytes())?;
    }

    print_claim(&run.source, &run.execution.claims[0].claim);
    print_rows(&run);
    say!("time");
    say!("{:>12}  execution", seconds(executed));
    say!("{:>12}  main traces, {providers}", seconds(rows));
    if moved.transfers > 0 {
        say!(
            "{:>12}  of which: {} up (host-built: {}), {} down; {} of kernels up",
            "",
            size(moved.up - code),
            size(host_built),
            size(moved.down),
            size(code)
        );
    }
    for stage in Stage::ALL {
        say!("{:>12}  {}", seconds(metrics.stage(stage)), stage.name());
    }
    say!("{:>12}  in all", seconds(start.elapsed()));
    say!(
        "{:>12}  of which: transforms {}, hashing {}, {evaluators} {}",
        "",
        seconds(metrics.transforms),
        seconds(metrics.hashing),
        seconds(metrics.evaluation)
    );
    say!("proof    {} in {}", size(bytes.len() as u64), args.out.display());
    Ok(())
}
