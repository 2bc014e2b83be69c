//! A toy system with every kind of table, in all shapes.

use std::num::NonZeroU64;
use std::sync::Arc;

use traceloom_air::field::{Field, PrimeCharacteristicRing, TwoAdicField, element};
use traceloom_air::message::MEMORY_CHANNEL;
use traceloom_air::system::System;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_cuda::backend::context::ProofContext;
use traceloom_cuda::backend::prover::DeviceProver;
use traceloom_cuda::backend::trace::CudaTrace;
use traceloom_cuda::backend::{Clock, CudaBackend, CudaCommitted, CudaKey};
use traceloom_cuda::device::Device;
use traceloom_cuda::error::Code;
use traceloom_cuda::mock::Mock;
use traceloom_prover::backend::{Backend, ShardInput};
use traceloom_prover::{
    Batch, ProveError, ProveOptions, ProvingKey, Retention, SetupError, ShardSource, prove,
    prove_shards,
};
use traceloom_runtime::device::{DeviceJob, DeviceProofError, MainTrace, ProofDevice};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::report::DeviceReport;
use traceloom_runtime::shards::RetentionChoice;
use traceloom_verifier::proof::ShardStatement;
use traceloom_verifier::scheme::{F, Quadratic};
use traceloom_verifier::shape::ShardShape;
use traceloom_verifier::{LookupChallenges, Params, Profile, VerifyingKey};

use crate::toy::{INNER, Inner, PLAIN, batch, fast, ops, shard, system, with_extras};
use crate::{Kernels, Test, context, context_of};

pub const TESTS: [(&str, Test); 11] = [
    ("every_blowup_arity_and_field", every_blowup_arity_and_field),
    ("every_small_height", every_small_height),
    ("heights_of_many_launches", heights_of_many_launches),
    ("systems_without_lookups_or_tables", systems_without_lookups_or_tables),
    ("every_profile_and_all_grinding", every_profile_and_all_grinding),
    ("shards_and_op_tables", shards_and_op_tables),
    ("a_zero_denominator_is_an_error_with_its_row", a_zero_denominator_is_an_error_with_its_row),
    ("values_of_a_commitment_at_a_point", values_of_a_commitment_at_a_point),
    ("any_call_may_fail", any_call_may_fail),
    ("a_shard_that_comes_out_different_is_named", a_shard_that_comes_out_different_is_named),
    ("memory_is_planned_within_a_tenth", memory_is_planned_within_a_tenth),
];

/// The proof of the CPU.
fn expected(system: &System, params: &Params, shards: &[ShardWitness]) -> Vec<u8> {
    let key = ProvingKey::new(system, params).unwrap();
    prove(&key, shards.to_vec(), &ProveOptions::default()).unwrap().0.encode()
}

#[derive(Debug)]
enum Failure {
    Device(String),
    Setup(SetupError),
    Prove(ProveError),
}

/// Shards whose traces are on the host, handed out as often as they are asked for.
struct OfHost<'a> {
    key: &'a VerifyingKey,
    shards: &'a [ShardWitness],
}

impl ShardSource for OfHost<'_> {
    type Trace = MainTrace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        let height = |trace: &Trace| trace.height().ilog2() as usize;
        let statement = |shard: &ShardWitness| ShardStatement {
            log_heights: shard.traces.iter().map(|trace| trace.as_ref().map(height)).collect(),
            main: [0; 32],
            publics: shard.publics.clone(),
            claims: shard.claims.clone(),
            boundary: shard.boundary.clone(),
            bound: vec![],
        };
        assert_eq!(self.key.system().circuits.len(), self.shards[0].traces.len());
        Ok(self.shards.iter().map(statement).collect())
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<MainTrace>>, ProveError> {
        let traces = self.shards[shard].traces.iter();
        Ok(traces.map(|trace| trace.clone().map(MainTrace::Host)).collect())
    }
}

/// The proof of a device, with what it took.
fn proved_on(
    context: ProofContext,
    (system, params): (&System, &Params),
    shards: &[ShardWitness],
    retention: Retention,
) -> Result<(Vec<u8>, DeviceReport), Failure> {
    let key = VerifyingKey::new(system, params).map_err(|error| Failure::Setup(error.into()))?;
    let prover = DeviceProver::of_context(Arc::new(context));
    let mut source = OfHost { key: &key, shards };
    let (options, ledger) = (ProveOptions::default(), Ledger::default());
    let stated = source.statements().map_err(Failure::Prove)?;
    let batch = Batch::new(&key, stated, retention, None, &options).map_err(Failure::Prove)?;
    let worked = prover.work(DeviceJob {
        key: &key,
        batch: &batch,
        rows: &mut source,
        retention: RetentionChoice::Always(retention),
        name: "mock".into(),
        ledger: &ledger,
        began: std::time::Instant::now(),
    });
    let report = worked.map_err(|error| match error {
        DeviceProofError::Setup(error) => Failure::Setup(error),
        DeviceProofError::Prove(error) => Failure::Prove(error),
    })?;
    Ok((batch.finish().map_err(Failure::Prove)?.proof.encode(), report))
}

fn proved(
    mock: &Mock,
    system: &System,
    params: &Params,
    shards: &[ShardWitness],
) -> Result<Vec<u8>, Failure> {
    let context = context(mock).map_err(|error| Failure::Device(error.to_string()))?;
    // What is made again has the same bytes as what is kept.
    let retention = match shards.len() % 2 {
        0 => Retention::Retain,
        _ => Retention::Regenerate,
    };
    Ok(proved_on(context, (system, params), shards, retention)?.0)
}

/// Shards on a device whose traces may come out different when they are made again.
struct Changing<'a, 'b> {
    backend: &'a CudaBackend<'b>,
    names: &'a [String],
    shards: &'a [ShardWitness],
    made: Vec<usize>,
    changes: Option<usize>,
}

impl ShardSource for Changing<'_, '_> {
    type Trace = CudaTrace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        let key = ProvingKey::new(&system(), &fast(2)).unwrap();
        let (proof, _) = prove(&key, self.shards.to_vec(), &ProveOptions::default())?;
        let stated = proof.statements.into_iter();
        Ok(stated.map(|of| ShardStatement { main: [0; 32], bound: Vec::new(), ..of }).collect())
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<CudaTrace>>, ProveError> {
        self.made[shard] += 1;
        let mut witness = self.shards[shard].clone();
        if self.changes == Some(shard) && self.made[shard] == 2 {
            let first = witness.traces.iter_mut().flatten().next().unwrap();
            first.values[0] += element(1);
        }
        Ok(self.backend.witness(shard, self.names, &witness)?.traces)
    }
}

/// Round two writes the traces of a shard again. If they have another root, the proof fails and
/// names the shard.
fn a_shard_that_comes_out_different_is_named(kernels: &Kernels) {
    let (system, params) = (system(), fast(2));
    let shards = vec![shard(&[1, 2], Inner::Elsewhere, &[]), shard(&[], Inner::Elsewhere, &[1, 2])];
    let expected = expected(&system, &params, &shards);
    let names: Vec<String> = system.circuits.iter().map(|circuit| circuit.name.clone()).collect();
    for changes in [None, Some(0), Some(1)] {
        let mock = kernels.mock(true);
        let context = context(&mock).unwrap();
        let (ledger, clock) = (Ledger::default(), Clock::default());
        let backend = CudaBackend::new(&context, &ledger, &clock);
        let key = ProvingKey::with_backend(&backend, &system, &params).unwrap();
        let (backend, made) = (&backend, vec![0; 2]);
        let mut source = Changing { backend, names: &names, shards: &shards, made, changes };
        let (retention, options) = (Retention::Regenerate, ProveOptions::default());
        let proved = prove_shards(backend, &key, &mut source, retention, &options);
        match changes {
            None => {
                assert!(proved.unwrap().0.encode() == expected);
                assert_eq!(source.made, [2, 2]);
            }
            Some(shard) => assert_eq!(proved.unwrap_err(), ProveError::RootDiffers { shard }),
        }
    }
}

/// Both proofs are the same, work is on time or late, and nothing is left.
fn agree(kernels: &Kernels, system: &System, params: &Params, shards: &[ShardWitness]) {
    let expected = expected(system, params, shards);
    let heights: usize = shards.iter().flat_map(|shard| shard.traces.iter().flatten()).count();
    let mock = kernels.mock(heights.is_multiple_of(2));
    mock.delay();
    let found = proved(&mock, system, params, shards).unwrap();
    assert!(found == expected, "proof bytes differ: {params:?}");
    assert_eq!((mock.num_live(), mock.stalls(), mock.busy_releases()), (0, 0, 0));
}

/// The toy system, at blowup 2 without the constraint whose degree is too high for it.
fn system_for(params: &Params) -> System {
    let mut system = system();
    if params.log_blowup == 1 {
        system.circuits[INNER].constraints.pop();
    }
    system
}

fn every_blowup_arity_and_field(kernels: &Kernels) {
    for extension_degree in [2, 3] {
        for log_blowup in 1..=4 {
            // At blowup 2 ten queries are worth less than the profile promises.
            let promised = Params { min_heuristic_bits: 0, ..fast(extension_degree) };
            let max_log_arity = 1 + (log_blowup + extension_degree) % 4;
            let params = Params { log_blowup, max_log_arity, ..promised };
            let witness = with_extras(shard(&[8, 9, 10], Inner::Here, &[]), 1, 5);
            agree(kernels, &system_for(&params), &params, &[witness]);
        }
    }
    for max_log_arity in 1..=4 {
        let params = Params { max_log_arity, ..fast(3) };
        let witness = with_extras(shard(&[8, 9, 10], Inner::Here, &[]), 1, 5);
        agree(kernels, &system(), &params, &[witness]);
    }
}

fn every_small_height(kernels: &Kernels) {
    for (log_plain, log_free) in [(0, 0), (1, 0), (3, 9), (10, 2)] {
        for inputs in [&[5][..], &[1, 2, 3, 4, 5]] {
            let witness = with_extras(shard(inputs, Inner::Here, &[]), log_plain, log_free);
            agree(kernels, &system(), &fast(2), &[witness]);
        }
    }
}

/// Columns that take three launches to extend, and values of several chunks of rows.
fn heights_of_many_launches(kernels: &Kernels) {
    for (extension_degree, log_plain, log_free) in [(2, 13, 12), (3, 12, 14)] {
        let witness = with_extras(shard(&[7, 8], Inner::Here, &[]), log_plain, log_free);
        agree(kernels, &system(), &fast(extension_degree), &[witness]);
    }
}

fn systems_without_lookups_or_tables(kernels: &Kernels) {
    for (extension_degree, log_height) in [(2, 0), (3, 1), (2, 6)] {
        let mut system = system();
        system.circuits = vec![system.circuits[PLAIN].clone()];
        let witness = with_extras(shard(&[5], Inner::Here, &[]), log_height, 0);
        let witness = ShardWitness {
            traces: vec![witness.traces[PLAIN].clone()],
            publics: vec![vec![]],
            claims: vec![],
            boundary: vec![],
        };
        agree(kernels, &system, &fast(extension_degree), &[witness]);
    }
}

fn every_profile_and_all_grinding(kernels: &Kernels) {
    let ground = Params {
        lookup_pow_bits: 5,
        zeta_pow_bits: 6,
        batch_pow_bits: 7,
        commit_pow_bits: 13,
        query_pow_bits: 9,
        ..fast(3)
    };
    // The largest grindings take the host seconds.
    let profiles = Profile::ALL.map(|profile| Params {
        lookup_pow_bits: profile.params().lookup_pow_bits.min(12),
        query_pow_bits: profile.params().query_pow_bits.min(13),
        min_heuristic_bits: 0,
        min_provable_bits: 0,
        ..profile.params()
    });
    for params in profiles.into_iter().chain([ground]) {
        agree(kernels, &system(), &params, &[shard(&[3, 4, 5], Inner::Here, &[])]);
    }
}

fn shards_and_op_tables(kernels: &Kernels) {
    for extension_degree in [2, 3] {
        let first = with_extras(shard(&[1, 2, 3], Inner::Elsewhere, &[]), 2, 0);
        let second = shard(&[4], Inner::Here, &[1, 2, 3]);
        let third = with_extras(shard(&[], Inner::Elsewhere, &[]), 4, 1);
        let shards = batch(vec![first, second, third]);
        agree(kernels, &system(), &fast(extension_degree), &shards);
        let witness = ops::witness(ops::NUMBERS, 100);
        agree(kernels, &ops::system(ops::NUMBERS), &fast(extension_degree), &[witness]);
    }
}

/// Calls of the backend alone, with challenges that no transcript draws.
fn with_a_committed_shard(
    kernels: &Kernels,
    then: impl FnOnce(&CudaBackend<'_>, ShardInput<'_, CudaKey>, Vec<CudaTrace>, &CudaCommitted),
) {
    let (system, params) = (system(), fast(2));
    let context = context(&kernels.mock(false)).unwrap();
    let (ledger, clock) = (Ledger::default(), Clock::default());
    let backend = CudaBackend::new(&context, &ledger, &clock);
    let key = ProvingKey::with_backend(&backend, &system, &params).unwrap();
    let names: Vec<String> = system.circuits.iter().map(|circuit| circuit.name.clone()).collect();
    let witness = shard(&[1, 2, 3, 4], Inner::Here, &[]);
    let witness = backend.witness(0, &names, &witness).unwrap();
    let heights = [Some(2), Some(2), None, None, Some(2), Some(8)];
    let shape = ShardShape::new(key.verifying_key(), &heights, 1);
    let input = ShardInput { key: &key, shard: 0, shape: &shape, publics: &witness.publics };
    let traces: Vec<CudaTrace> = witness.traces.into_iter().flatten().collect();
    let (_, main) = backend.commit_main(input, &traces).unwrap();
    then(&backend, input, traces, &main);
}

fn a_zero_denominator_is_an_error_with_its_row(kernels: &Kernels) {
    with_a_committed_shard(kernels, |backend, input, traces, _| {
        // A message of memory begins with the number of its channel: with beta its opposite,
        // gamma 0 makes every denominator of that channel 0.
        let (zero, channel) = (Quadratic::default(), element(MEMORY_CHANNEL));
        let challenges = LookupChallenges { beta: zero - channel, gamma: zero };
        let error = backend.stage_two(input, traces, &challenges).err().unwrap();
        let circuit = "inner".to_owned();
        assert_eq!(error, ProveError::ZeroDenominator { shard: 0, circuit, row: 0 });
    });
}

/// Columns can be evaluated right after they are committed: their values are those of the
/// interpolated columns.
fn values_of_a_commitment_at_a_point(kernels: &Kernels) {
    let cells = shard(&[1, 2, 3, 4], Inner::Here, &[]).traces;
    with_a_committed_shard(kernels, |backend, input, _, main| {
        let log_blowup = input.key.verifying_key().params().log_blowup;
        let point = Quadratic::new([element(5), element(6)]);
        let values = backend.values_at(main, point, log_blowup).unwrap();
        assert_eq!(values.len(), cells.iter().flatten().count());
        for (values, trace) in values.iter().zip(cells.iter().flatten()) {
            let (height, width) = (trace.height(), trace.width);
            assert_eq!(values.len(), width);
            // Lagrange on the subgroup: (z^n - 1)/n times the sum of v_i w^i / (z - w^i).
            let root = F::two_adic_generator(height.ilog2() as usize);
            let scale = point.exp_u64(height as u64) - Quadratic::ONE;
            let scale = scale * element(height as u64).inverse();
            for (column, &value) in values.iter().enumerate() {
                let sum: Quadratic = (0..height)
                    .map(|row| {
                        let x = root.exp_u64(row as u64);
                        (point - x).inverse() * x * trace.values[row * width + column]
                    })
                    .sum();
                assert_eq!(value, sum * scale, "column {column}");
            }
        }
    });
}

/// Whatever call fails, there is a right proof or an error that says where, and nothing is
/// left.
fn any_call_may_fail(kernels: &Kernels) {
    let mut system = system();
    system.circuits = vec![system.circuits[PLAIN].clone()];
    let witness = with_extras(shard(&[5], Inner::Here, &[]), 1, 0);
    let witness = ShardWitness {
        traces: vec![witness.traces[PLAIN].clone()],
        publics: vec![vec![]],
        claims: vec![],
        boundary: vec![],
    };
    let params = Params { num_queries: 2, query_pow_bits: 2, ..fast(2) };
    let params = Params { min_heuristic_bits: 0, ..params };
    let shards = [witness];
    let expected = expected(&system, &params, &shards);
    let clean = kernels.mock(false);
    assert!(proved(&clean, &system, &params, &shards).unwrap() == expected);
    let num_calls = clean.calls().len() as u64;
    assert!(num_calls > 200, "{num_calls} calls");
    for number in 0..num_calls {
        let code = [Code(1), Code::OUT_OF_MEMORY, Code::ILLEGAL_ADDRESS][number as usize % 3];
        let mock = kernels.mock(false);
        mock.fail_call(number, code);
        if number.is_multiple_of(2) {
            mock.delay();
        }
        match proved(&mock, &system, &params, &shards) {
            Ok(found) => assert!(found == expected, "call {number}"),
            Err(error) => {
                let text = match error {
                    Failure::Device(text) => text,
                    Failure::Setup(error) => error.to_string(),
                    Failure::Prove(error) => error.to_string(),
                };
                assert!(text.contains("device 0 (mock, sm_90)"), "call {number}: {text}");
            }
        }
        assert_eq!(mock.num_live(), 0, "call {number}: something leaks");
    }
}

/// What is planned is what is measured, for each stage that can be the largest; and what is
/// planned suffices, as a limit of the memory that is taken from the driver.
fn memory_is_planned_within_a_tenth(kernels: &Kernels) {
    for (extension_degree, log_plain, log_free, num_shards, retention) in [
        (2, 13, 12, 1, Retention::Retain),
        (3, 10, 15, 1, Retention::Retain),
        (3, 12, 12, 2, Retention::Retain),
        (3, 13, 13, 2, Retention::Regenerate),
    ] {
        let (system, params) = (system(), fast(extension_degree));
        let witness = with_extras(shard(&[7, 8], Inner::Here, &[]), log_plain, log_free);
        let shards = match num_shards {
            1 => vec![witness],
            _ => {
                let second = shard(&[4], Inner::Here, &[7, 8]);
                let first = with_extras(shard(&[7, 8], Inner::Elsewhere, &[]), log_plain, 3);
                batch(vec![first, with_extras(second, 3, log_free)])
            }
        };
        let prove = |mock: &Mock, limit: Option<u64>| {
            let device = Device::mock(mock);
            if let Some(limit) = limit.and_then(NonZeroU64::new) {
                device.limit_memory(limit);
            }
            let context = context_of(&device, 0).unwrap();
            proved_on(context, (&system, &params), &shards, retention)
        };
        let plenty = prove(&kernels.mock(false), None).unwrap();
        let (planned, measured) = (plenty.1.planned_bytes, plenty.1.peak_bytes);
        let ratio = planned as f64 / measured as f64;
        println!("planned {planned}, measured {measured}, ratio {ratio:.3}");
        assert!((0.9..1.1).contains(&ratio), "planned {planned}, measured {measured}");
        let tight = kernels.mock(false);
        let limited = prove(&tight, Some(planned)).unwrap();
        assert_eq!(limited.1.planned_bytes, planned);
        assert!(limited.0 == plenty.0);
        assert_eq!(limited.1.taken_bytes, tight.most_memory());
        assert!(tight.most_memory() <= planned, "{} of {planned}", tight.most_memory());
        assert!(tight.most_memory() as f64 > 0.9 * planned as f64, "{}", tight.most_memory());
        let Err(Failure::Prove(error)) = prove(&kernels.mock(false), Some(planned - 1)) else {
            panic!("it is more than there is")
        };
        let parts = [format!("needs {planned} bytes of the device"), "--shards".into()];
        let error = error.to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
}
