//! What was moved to a device and back, and which rows are in which shard.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::figure::{bytes, count, percent};
use super::model::{Report, Shard};

/// Most shards whose pieces are listed.
const MOST_SHARDS: usize = 64;

pub fn sections(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Ledger" }
            (ledger(report))
        }
        section {
            h2 { "Shards" }
            p { (count(report.shards.shards.len() as u64)) " shards; between the rounds: "
                b { (report.shards.retention) } "." }
            @for shard in report.shards.shards.iter().take(MOST_SHARDS) { (pieces(shard)) }
            @if report.shards.shards.len() > MOST_SHARDS {
                p.note { "The first " (MOST_SHARDS) " shards; report.json has all." }
            }
        }
    }
}

/// Transfers by kind.
fn ledger(report: &Report) -> Markup {
    let ledger = &report.trace.ledger;
    let mut kinds: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for transfer in &ledger.transfers {
        let sums = kinds.entry(&transfer.kind).or_default();
        let of = [transfer.bytes_up, transfer.bytes_down, transfer.transfers];
        sums.iter_mut().zip(of).for_each(|(sum, of)| *sum = sum.saturating_add(of));
    }
    if kinds.is_empty() {
        return html! { p.note { "Nothing was moved: no device took part." } };
    }
    html! {
        p { (bytes(ledger.bytes_up)) " went up and " (bytes(ledger.bytes_down)) " came down."
            @if ledger.host_built_bytes_up > 0 {
                " Traces built on the host would have sent " (bytes(ledger.host_built_bytes_up)) " up: "
                b { (percent(ledger.bytes_up as f64, ledger.host_built_bytes_up as f64)) } " of that was sent."
            }
            " " (bytes(ledger.filled_bytes)) " were filled there."
        }
        div.scroll { table {
            thead { tr { th { "kind" } th.n { "up" } th.n { "down" } th.n { "transfers" } } }
            tbody { @for (kind, [up, down, transfers]) in &kinds { tr {
                td { (kind) }
                td.n { (bytes(*up)) }
                td.n { (bytes(*down)) }
                td.n { (count(*transfers)) }
            } } }
        } }
    }
}

fn pieces(shard: &Shard) -> Markup {
    let cells = shard.cells.parse().map_or_else(|_| shard.cells.clone(), count);
    html! {
        details {
            summary { "Shard " (shard.shard) ": " (shard.pieces.len()) " circuits, " (cells) " cells" }
            div.scroll { table {
                thead { tr { th { "circuit" } th.n { "rows from" } th.n { "to" } th.n { "log of the height" } } }
                tbody { @for piece in &shard.pieces { tr {
                    td.name { (piece.circuit) }
                    td.n { (count(piece.rows[0])) }
                    td.n { (count(piece.rows[1])) }
                    td.n { (piece.log_height) }
                } } }
            } }
        }
    }
}
