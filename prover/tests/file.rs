//! The proof file: reproducible, strict, and never a reason to panic.

mod common;

use common::{Inner, claim, fast, shard, system, with_extras};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::MODULUS;
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_verifier::codec::DecodeErrorKind;
use traceloom_verifier::{Params, Profile, Proof, verify};

fn proof_bytes(params: &Params) -> Vec<u8> {
    let key = ProvingKey::new(&system(), params).unwrap();
    let first = with_extras(shard(&[1, 2, 3], Inner::Elsewhere, &[]), 2, 0);
    let second = shard(&[4], Inner::Here, &[1, 2, 3]);
    let (proof, _) = prove(&key, vec![first, second], &ProveOptions::default()).unwrap();
    proof.encode()
}

#[test]
fn bytes_depend_on_neither_run_nor_threads() {
    let params = Profile::Standard.params();
    let bytes = proof_bytes(&params);
    assert_eq!(proof_bytes(&params), bytes);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| proof_bytes(&params)), bytes, "{threads} threads");
    }
}

#[test]
fn flipped_bytes_are_refused_without_a_panic() {
    let key = ProvingKey::new(&system(), &fast(2)).unwrap();
    let claims: Vec<_> = (1..5).map(claim).collect();
    let bytes = proof_bytes(&fast(2));
    let accepts = |bytes: &[u8]| match Proof::decode(bytes) {
        Ok(proof) => {
            assert_eq!(proof.encode(), bytes, "only one file per proof");
            verify(key.verifying_key(), &claims, &proof).is_ok()
        }
        Err(_) => false,
    };
    assert!(accepts(&bytes));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    // Every field is a whole number of words, so each starts at a multiple of eight.
    let boundaries = (0..bytes.len()).step_by(8);
    let sampled = (0..2000).map(|_| random.random_range(0..bytes.len())).collect::<Vec<_>>();
    for position in boundaries.chain(sampled) {
        let mut flipped = bytes.clone();
        flipped[position] ^= 1 << random.random_range(0..8);
        assert!(!accepts(&flipped), "byte {position}");
    }
}

#[test]
fn cut_and_extended_files_are_refused() {
    let bytes = proof_bytes(&fast(3));
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..200 {
        let end = random.random_range(0..bytes.len());
        let error = Proof::decode(&bytes[..end]).unwrap_err();
        assert!(error.offset <= end);
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let error = Proof::decode(&longer).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::Trailing(1));
    assert_eq!(error.offset, bytes.len());
    assert_eq!(
        error.to_string(),
        format!("proof file, byte {}, end of file: 1 bytes follow the proof", bytes.len())
    );
}

#[test]
fn huge_lengths_take_no_memory() {
    let bytes = proof_bytes(&fast(2));
    // The number of statements follows magic, version, parameters and fingerprint.
    let position = 8 + 8 + 96 + 32;
    assert_eq!(bytes[position..position + 8], 2u64.to_le_bytes());
    for length in [u64::MAX, 1 << 40, bytes.len() as u64] {
        let mut wrong = bytes.clone();
        wrong[position..position + 8].copy_from_slice(&length.to_le_bytes());
        let error = Proof::decode(&wrong).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::Length(length));
        assert_eq!(error.offset, position);
    }
}

#[test]
fn elements_are_canonical() {
    let bytes = proof_bytes(&fast(2));
    let proof = Proof::decode(&bytes).unwrap();
    // The query witness of the last shard, an element, is the file's last word; at
    // 0 bits it is zero, which p represents too.
    let position = bytes.len() - 8;
    for word in [MODULUS, u64::MAX] {
        let mut wrong = bytes.clone();
        wrong[position..].copy_from_slice(&word.to_le_bytes());
        let error = Proof::decode(&wrong).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::NonCanonical(word));
        assert_eq!((error.offset, error.field), (position, "query witness"));
    }
    assert_eq!(Proof::decode(&bytes).unwrap(), proof);
}

#[test]
fn other_magic_and_versions_are_refused() {
    let bytes = proof_bytes(&fast(2));
    let mut wrong = bytes.clone();
    wrong[0] ^= 1;
    assert_eq!(Proof::decode(&wrong).unwrap_err().kind, DecodeErrorKind::Magic);
    let mut wrong = bytes.clone();
    wrong[8] = 9;
    assert_eq!(Proof::decode(&wrong).unwrap_err().kind, DecodeErrorKind::Version(9));
    let mut wrong = bytes;
    wrong[16] = 4;
    assert_eq!(Proof::decode(&wrong).unwrap_err().kind, DecodeErrorKind::Parameters);
    assert!(matches!(Proof::decode(&[]).unwrap_err().kind, DecodeErrorKind::End(8)));
}
