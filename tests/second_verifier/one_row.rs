//! A trace of one row is a constant. Without a check of its own, its reduced opening lets
//! a polynomial of degree one pass, since that one's quotient is constant too.

use traceloom::air::system::{Arena, Circuit, CircuitKind, System};
use traceloom::verifier::{self, Proof, VerifyError, VerifyingKey};

use crate::decode::{Digest, Malformed, Statement};
use crate::field::{Ext, SHIFT, add, mul, pow, reverse_bits, root_of_unity};
use crate::fri::{Matrix, Round};
use crate::key::Key;
use crate::lookup::Omitted;
use crate::merkle::{hash_pair, hash_words};
use crate::params::{CUBIC, FAST, Params};
use crate::samples::prover_params;
use crate::seed::{folding_seed, openings_seed};
use crate::verify::{start, verify};

/// Log of the committed domain of one row.
const LOG_DOMAIN: usize = 2;

/// One circuit of one column, about which nothing is said.
fn system() -> System {
    let circuit = Circuit {
        name: "free".into(),
        kind: CircuitKind::Function { members: vec![], recursive: false },
        width: 1,
        column_names: vec!["column".into()],
        num_publics: 0,
        arena: Arena::default(),
        constraints: vec![],
        lookups: vec![],
    };
    System { fingerprint: [3; 32], circuits: vec![circuit], entries: vec![], boundaries: vec![] }
}

/// A committed matrix of one row before blowup.
struct Tree {
    rows: Vec<Vec<u64>>,
    /// By level from the leaves up.
    levels: Vec<Vec<Digest>>,
}

impl Tree {
    fn new(rows: Vec<Vec<u64>>) -> Self {
        let mut levels = vec![rows.iter().map(hash_words).collect::<Vec<_>>()];
        while let Some(level) = levels.last().filter(|level| level.len() > 1) {
            let parents = level.chunks(2).map(|pair| hash_pair(&pair[0], &pair[1])).collect();
            levels.push(parents);
        }
        Self { rows, levels }
    }

    fn root(&self) -> Digest {
        self.levels[LOG_DOMAIN][0]
    }

    /// Digests that no query is under, from the leaves up.
    fn path(&self, leaves: &[usize]) -> Vec<Digest> {
        let mut path = Vec::new();
        for (log, level) in self.levels[..LOG_DOMAIN].iter().enumerate() {
            let known = |node: usize| leaves.iter().any(|leaf| leaf >> log == node);
            for pair in 0..level.len() / 2 {
                let children = [2 * pair, 2 * pair + 1];
                if children.map(known).contains(&true) {
                    path.extend(children.iter().filter(|&&c| !known(c)).map(|&c| level[c]));
                }
            }
        }
        path
    }

    /// Its part of the opening: rows by query, and the pruned path.
    fn put(&self, file: &mut File, queries: &[usize]) {
        file.word(queries.len() as u64);
        for &query in queries {
            file.word(1);
            file.list(&self.rows[query]);
        }
        let path = self.path(queries);
        file.word(path.len() as u64);
        path.iter().for_each(|digest| file.0.extend(digest));
    }
}

#[derive(Default)]
struct File(Vec<u8>);

impl File {
    fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    fn list(&mut self, words: &[u64]) {
        self.word(words.len() as u64);
        words.iter().for_each(|&word| self.word(word));
    }

    fn ext<const D: usize>(&mut self, value: Ext<D>) {
        value.0.iter().for_each(|&word| self.word(word));
    }
}

/// A proof file in which the column is the polynomial 5 + slope·x.
fn forge<const D: usize>(key: &Key, slope: u64) -> Vec<u8> {
    let params = &key.params;
    let domain = 1 << LOG_DOMAIN;
    let x = |row| mul(SHIFT, pow(root_of_unity(LOG_DOMAIN), reverse_bits(row, LOG_DOMAIN) as u64));
    let main = Tree::new((0..domain).map(|row| vec![add(5, mul(slope, x(row)))]).collect());
    let quotient = Tree::new(vec![vec![0; D]; domain]);
    let statement = Statement {
        log_heights: vec![Some(0)],
        main_root: main.root(),
        publics: vec![vec![]],
        claims: vec![],
        boundary: vec![],
        bound: vec![],
    };
    let mut transcript = start(key, &[statement]);
    let _lookup_challenges: [Ext<D>; 2] = [transcript.draw(), transcript.draw()];
    transcript.count(0);
    // No stage 2, one terminal.
    transcript.count(0);
    transcript.count(1);
    transcript.ext(&Ext::<D>::ZERO);
    let _alpha: Ext<D> = transcript.draw();
    transcript.root(&quotient.root());
    let zeta: Ext<D> = transcript.draw();
    let opened = Ext::base(5) + zeta.scale(slope);

    let matrix = |width| Matrix {
        circuit: 0,
        log_height: LOG_DOMAIN,
        width,
        opens_next: false,
        opens_bound: false,
    };
    let round = |width, tree: &Tree| Round { matrices: vec![matrix(width)], root: tree.root() };
    let rounds = [round(1, &main), round(D, &quotient)];
    openings_seed::<D>(params, &rounds).iter().for_each(|&word| transcript.word(word));
    transcript.ext(&opened);
    (0..D).for_each(|_| transcript.ext(&Ext::<D>::ZERO));
    let _batching: Ext<D> = transcript.draw();
    folding_seed::<D>(params, &[], LOG_DOMAIN).iter().for_each(|&word| transcript.word(word));
    // (f(zeta) - f(x))/(zeta - x) at every x.
    let last = Ext::<D>::base(slope);
    transcript.ext(&last);
    let draw = |_| transcript.draw_bits(LOG_DOMAIN) as usize;
    let queries: Vec<usize> = (0..params.num_queries()).map(draw).collect();

    let mut file = File(b"trloomPF".to_vec());
    file.word(2);
    params.0.iter().for_each(|&param| file.word(param));
    file.0.extend(key.system.fingerprint);
    // One statement: log heights, main root, public values, claims, boundary messages.
    [1, 1, 1, 0].iter().for_each(|&word| file.word(word));
    file.0.extend(main.root());
    [1, 0, 0, 0].iter().for_each(|&word| file.word(word));
    // No witness; one shard without stage 2, its terminal, quotient, no witness.
    [0, 1, 0, 1].iter().for_each(|&word| file.word(word));
    file.ext(Ext::<D>::ZERO);
    file.0.extend(quotient.root());
    file.word(0);
    // Two rounds of a matrix at a point.
    [2, 1, 1, 1].iter().for_each(|&word| file.word(word));
    file.ext(opened);
    [1, 1, D as u64].iter().for_each(|&word| file.word(word));
    (0..D).for_each(|_| file.ext(Ext::<D>::ZERO));
    // No witness, no folds; the rows; no folds.
    [0, 0, 0, 2].iter().for_each(|&word| file.word(word));
    main.put(&mut file, &queries);
    quotient.put(&mut file, &queries);
    file.word(0);
    file.word(1);
    file.ext(last);
    file.word(0);
    file.0
}

fn only_this_check_refuses<const D: usize>(params: Params) {
    let mut key = Key::new(&system(), params);
    let first = VerifyingKey::new(&system(), &prover_params(params)).expect("it has a key");
    let first = |bytes: &[u8]| {
        let proof = Proof::decode(bytes).expect("it decodes");
        verifier::verify(&first, &[], &proof).map(|_| ())
    };
    let honest = forge::<D>(&key, 0);
    assert_eq!(verify(&key, &[], &honest), Ok(()));
    assert_eq!(first(&honest), Ok(()));
    let forged = forge::<D>(&key, 3);
    assert_eq!(verify(&key, &[], &forged), Err(Malformed("reduced opening of one row")));
    let refused = first(&forged);
    assert!(matches!(refused, Err(VerifyError::Opening { shard: 0, .. })), "{refused:?}");
    key.omitted = Some(Omitted::OneRow);
    assert_eq!(verify(&key, &[], &forged), Ok(()));
}

#[test]
fn a_line_is_no_trace_of_one_row() {
    only_this_check_refuses::<2>(FAST);
    only_this_check_refuses::<3>(CUBIC);
}
