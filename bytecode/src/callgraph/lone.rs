//! Calls on the paths of a function: whether another one is made before or behind.

use crate::model::{Control, Function};

/// By block: the most calls of a path from the body to a return that goes through the
/// block, where block i makes `calls[i]`; 0 where no path goes. Blocks are in pre-order,
/// so what a block goes on to comes after it.
pub(super) fn most_on_a_path(function: &Function, calls: &[usize]) -> Vec<usize> {
    let onward = onward(function);
    // Calls before a block, of the paths that lead there.
    let mut before: Vec<Option<usize>> = vec![None; calls.len()];
    before[0] = Some(0);
    for (index, next) in onward.iter().enumerate() {
        let so_far = before[index].map(|most| most + calls[index]);
        for &block in next {
            before[block] = before[block].max(so_far);
        }
    }
    // Calls of a block and behind it.
    let mut from = vec![0; calls.len()];
    for (index, next) in onward.iter().enumerate().rev() {
        let behind = next.iter().map(|&block| from[block]).max();
        from[index] = calls[index] + behind.unwrap_or(0);
    }
    before.iter().zip(from).map(|(before, from)| before.map_or(0, |most| most + from)).collect()
}

/// By block: where a path goes on behind it. Arms; behind a yield, the continuation of
/// the match around it; behind a return nothing.
fn onward(function: &Function) -> Vec<Vec<usize>> {
    let mut continuations: Vec<Option<usize>> = vec![None; function.blocks.len()];
    let mut onward = Vec::with_capacity(function.blocks.len());
    for (index, block) in function.blocks.iter().enumerate() {
        let around = continuations[index];
        let inner = match &block.control {
            Control::MatchContinue { continuation, .. } => {
                continuations[continuation.index()] = around;
                Some(continuation.index())
            }
            _ => around,
        };
        let arms = block.control.arms().into_iter().flat_map(|arms| arms.blocks());
        let arms: Vec<usize> = arms.map(|arm| arm.index()).collect();
        arms.iter().for_each(|&arm| continuations[arm] = inner);
        onward.push(match &block.control {
            Control::Yield { .. } => around.into_iter().collect(),
            _ => arms,
        });
    }
    onward
}

#[cfg(test)]
mod tests {
    use crate::callgraph::RankedCall;
    use crate::{CheckedProgram, text};

    /// By block of `f`: what its first call needs, `-` without one.
    fn calls(source: &str) -> String {
        let program = CheckedProgram::new(text::parse(source).unwrap()).unwrap();
        let blocks = &program.layout(program.find("f").unwrap()).blocks;
        let first = blocks.iter().map(|block| block.ops.iter().map(|op| op.ranked_call));
        let kind = |mut calls: std::vec::IntoIter<RankedCall>| match calls
            .find(|&call| call != RankedCall::None)
        {
            None => '-',
            Some(RankedCall::Lone) => 'l',
            Some(RankedCall::Inside) => 'i',
            Some(_) => 'o',
        };
        first.map(|calls| kind(calls.collect::<Vec<_>>().into_iter())).collect()
    }

    fn of(body: &str) -> String {
        calls(&format!("program \"p\"\nfn f(x) -> 1 entry {{\n{body}\n}}\nend\n"))
    }

    #[test]
    fn one_call_on_every_path_is_alone() {
        assert_eq!(of("y = call f(x)\nreturn y"), "l");
        // Arms exclude each other.
        let arms = "match x {\ncase 0 { return x }\ncase 1 {\ny = call f(x)\nreturn y\n}\n\
                    default {\ny = call f(x)\nreturn y\n}\n}";
        assert_eq!(of(arms), "--ll");
        // Advice proves nothing, so it is no other call.
        assert_eq!(of("y = call_unconstrained f(x)\nz = call f(y)\nreturn z"), "l");
    }

    #[test]
    fn a_second_call_anywhere_on_a_path_takes_gaps() {
        assert_eq!(of("y = call f(x)\nz = call f(y)\nreturn z"), "i");
        // One before the match: it is not alone on the one path, so nowhere.
        let before = "y = call f(x)\nmatch x {\ncase 0 { return y }\n\
                      default {\nz = call f(y)\nreturn z\n}\n}";
        assert_eq!(of(before), "i-i");
    }

    #[test]
    fn continuations_are_on_the_paths_of_their_yields() {
        let with = |zero: &str, one: &str, after: &str| {
            of(&format!(
                "r = match_continue x {{\ncase 0 {{ {zero} }}\ncase 1 {{ {one} }}\n\
                 default {{ yield x }}\n}}\n{after}"
            ))
        };
        let (call_and_yield, call_and_return) =
            ("\ny = call f(x)\nyield y\n", "\ny = call f(x)\nreturn y\n");
        let after = "z = call f(r)\nreturn z";
        // Blocks: body, case 0, case 1, default, continuation.
        assert_eq!(with(call_and_yield, "yield x", "return r"), "-l---");
        assert_eq!(with("yield x", "yield x", after), "----l");
        assert_eq!(with(call_and_yield, "yield x", after), "-i--i");
        // An early return does not come to the continuation.
        assert_eq!(with(call_and_return, "yield x", after), "-l--l");
        assert_eq!(with(call_and_return, call_and_yield, after), "-li-i");
    }

    #[test]
    fn yields_of_an_inner_match_go_to_its_own_continuation() {
        let inner = |last: &str| {
            of(&format!(
                "r = match_continue x {{\ncase 0 {{\ns = match_continue x {{\n\
                 case 0 {{\ny = call f(x)\nyield y\n}}\ndefault {{ yield x }}\n}}\nyield s\n}}\n\
                 default {{\ny = call f(x)\nreturn y\n}}\n}}\n{last}"
            ))
        };
        // Blocks: body, case 0, its arms, its continuation, default, continuation.
        assert_eq!(inner("return r"), "--l--l-");
        assert_eq!(inner("z = call f(r)\nreturn z"), "--i--li");
    }

    #[test]
    fn calls_of_the_whole_component_count() {
        let both = "program \"p\"\nfn f(x) -> 1 entry {\ny = call g(x)\nz = call f(y)\n\
                    return z\n}\nfn g(x) -> 1 {\ny = call f(x)\nreturn y\n}\nend\n";
        assert_eq!(calls(both), "i");
        // Calls that leave the component are bound by a column, and are no other call.
        let outside = "program \"p\"\nfn f(x) -> 1 entry {\ny = call g(x)\nz = call f(y)\n\
                       return z\n}\nfn g(x) -> 1 {\ny = call g(x)\nreturn y\n}\nend\n";
        assert_eq!(calls(outside), "o");
    }
}
