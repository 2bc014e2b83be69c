//! Who gets which shard, with rates that are given.

use std::time::Duration;

use super::*;

const COSTS: Costs = [100, 0, 100, 100, 100];
const SECOND: Duration = Duration::from_secs(1);

/// A worker that takes so many seconds for each stage of a shard.
fn rates(seconds: u32) -> Rates {
    let mut rates = Rates::default();
    for stage in Stage::ALL {
        rates.add(stage, COSTS[stage as usize], seconds * SECOND);
    }
    rates
}

fn statement() -> ShardStatement {
    let (log_heights, publics, claims) = Default::default();
    let (boundary, bound) = Default::default();
    ShardStatement { log_heights, main: [0; 32], publics, claims, boundary, bound }
}

/// Shards behind the barrier, each kept by a worker or by nobody.
fn behind_the_barrier(kept_by: &[Option<WorkerId>]) -> Queue<()> {
    let mut queue = Queue::new(kept_by.iter().map(|_| (statement(), COSTS)).collect(), false);
    for (shard, &kept_by) in kept_by.iter().enumerate() {
        assert!(queue.next(0, &[]).is_commit(shard));
        queue.put_root(
            shard,
            Committed { root: [0; 32], bound: Vec::new() },
            Origin::Worker { kept_by },
        );
    }
    let Next::Job(Job::Challenges { statements, epoch }) = queue.next(0, &[]) else {
        panic!("all roots are there")
    };
    let batch = Challenged {
        statements,
        transcript: Transcript::new(),
        lookup_witness: F::default(),
        challenges: LookupChallenges { beta: (), gamma: () },
        about: [0; 32],
    };
    queue.put_challenges(epoch, batch, Vec::new());
    queue
}

impl Next<()> {
    fn is_commit(&self, of: usize) -> bool {
        matches!(self, Self::Job(Job::Commit { shard, .. }) if *shard == of)
    }

    /// The shard whose proof is to be made, or none if there is to wait.
    fn proof(&self) -> Option<usize> {
        match self {
            Self::Job(Job::Prove { shard, .. }) => Some(*shard),
            Self::Wait => None,
            _ => panic!("something else is next"),
        }
    }
}

/// Three shards wait with a slow worker; a fast one, which has none left, takes the last of
/// them, and the slow one is told before anything else.
#[test]
fn an_idle_worker_takes_over_what_another_one_keeps() {
    let mut queue = behind_the_barrier(&[Some(0), Some(0), Some(0), Some(0), Some(1)]);
    let rates = [rates(2), rates(1)];
    let before: u64 = queue.remaining().iter().sum();
    assert_eq!(queue.next(0, &rates).proof(), Some(0));
    assert_eq!(queue.next(1, &rates).proof(), Some(4));
    // It would take 4 s again, and the keeper 18 s to its end.
    assert_eq!(queue.next(1, &rates).proof(), Some(3));
    assert_eq!(queue.remaining().iter().sum::<u64>(), before + 100, "round one of shard 3");
    assert!(matches!(queue.next(0, &rates), Next::Job(Job::Forget { shard: 3 })));
    assert_eq!(queue.next(0, &rates).proof(), Some(1));
    // 4 s against 6 s.
    assert_eq!(queue.next(1, &rates).proof(), Some(2));
    assert!(matches!(queue.next(0, &rates), Next::Job(Job::Forget { shard: 2 })));
    assert_eq!(queue.next(0, &rates).proof(), None);
}

/// Where making rows and commitment again takes longer than to wait, the worker waits.
#[test]
fn a_shard_stays_where_it_is_if_nothing_is_gained() {
    let keepers = [Some(0), Some(0)];
    for (slow, fast) in [(1, 1), (1, 2), (4, 3)] {
        let mut queue = behind_the_barrier(&keepers);
        let rates = [rates(slow), rates(fast)];
        assert_eq!(queue.next(0, &rates).proof(), Some(0));
        // One shard is left: 3 stages there, 4 here.
        assert_eq!(queue.next(1, &rates).proof(), None, "{slow}, {fast}");
    }
    // A worker that has done nothing counts as the others: 4 stages against 6. If nobody has
    // done anything, nothing is known.
    let mut queue = behind_the_barrier(&keepers);
    assert_eq!(queue.next(1, &[Rates::default(), Rates::default()]).proof(), None);
    assert_eq!(queue.next(1, &[rates(9), Rates::default()]).proof(), Some(1));
    // What nobody keeps comes first.
    let mut queue = behind_the_barrier(&[Some(0), Some(0), Some(0), None]);
    assert_eq!(queue.next(1, &[rates(9), rates(1)]).proof(), Some(3));
}

/// The one that is farthest from its end gives, and what a failed worker had is free.
#[test]
fn the_slowest_keeper_gives_first() {
    let mut queue = behind_the_barrier(&[Some(0), Some(0), Some(1), Some(1), Some(2)]);
    let rates = [rates(3), rates(9), rates(1)];
    assert_eq!(queue.next(2, &rates).proof(), Some(4));
    assert_eq!(queue.next(2, &rates).proof(), Some(3));
    queue.forget(1);
    assert_eq!(queue.next(2, &rates).proof(), Some(2));
    assert_eq!(queue.next(2, &rates).proof(), Some(1));
}

/// Traces are asked for until every shard has its own with whoever proves it.
#[test]
fn rows_are_done_when_every_shard_has_its_traces() {
    let mut queue = behind_the_barrier(&[Some(0), Some(0)]);
    assert!(queue.closes_rows() && !queue.closes_rows(), "both are kept, which is said once");
    // Then nobody takes over what would need traces.
    assert_eq!(queue.next(0, &[]).proof(), Some(0));
    assert_eq!(queue.next(1, &[rates(99), rates(1)]).proof(), None);
    let mut queue = behind_the_barrier(&[None, None]);
    assert!(!queue.closes_rows());
    for shard in 0..2 {
        assert_eq!(queue.next(0, &[]).proof(), Some(shard));
        assert!(!queue.closes_rows());
        // Those of an earlier epoch say nothing.
        queue.rows_made(shard, 7);
        assert!(!queue.closes_rows());
        queue.rows_made(shard, 0);
        assert_eq!(queue.closes_rows(), shard == 1);
    }
}
