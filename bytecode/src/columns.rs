//! What the columns of a circuit of functions are for, in words.
//!
//! Arms share columns, and so do the members of a group. So a column has several roles, and which
//! of them it has in a row follows from the selectors that are on.

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, word};

use crate::check::CheckedProgram;
use crate::layout::{BlockPlace, OpPlace};
use crate::model::{Block, Control, Function, FunctionId, Op};
use crate::system::GroupColumns;
use crate::text::{Element, Places};

/// The roles of the columns of one circuit.
#[derive(Debug)]
pub struct Roles {
    /// By column.
    columns: Vec<Vec<Role>>,
    /// By member: by selector, the column, and the blocks that are executed where it is on.
    members: Vec<Vec<(usize, Vec<usize>)>>,
    /// By member: its name.
    names: Vec<String>,
}

#[derive(Debug)]
struct Role {
    member: usize,
    /// None of what belongs to the row as a whole.
    block: Option<usize>,
    /// The variable that it holds, where text names one.
    variable: Option<String>,
    what: String,
}

impl Roles {
    /// What a column is for in the row with these cells.
    #[must_use]
    pub fn of(&self, column: usize, cells: &[Goldilocks]) -> String {
        let is_on = |role: &&Role| {
            let selectors = &self.members[role.member];
            let on = selectors.iter().filter(|(column, _)| cells[*column] != Goldilocks::ZERO);
            let mut blocks = on.flat_map(|(_, blocks)| blocks);
            match role.block {
                None => true,
                Some(block) => blocks.any(|&at| at == block),
            }
        };
        let roles: Vec<&Role> = self.columns[column].iter().collect();
        let on: Vec<&Role> = roles.iter().copied().filter(|role| is_on(role)).collect();
        let shown = |role: &Role| {
            let member = match self.names.len() {
                1 => String::new(),
                _ => format!("{}: ", self.names[role.member]),
            };
            match &role.variable {
                Some(variable) => format!("{member}{variable}, {}", role.what),
                None => format!("{member}{}", role.what),
            }
        };
        match (&on[..], roles.len()) {
            ([], 0) => String::new(),
            ([], _) => "not used on this path".into(),
            (on, _) => on.iter().map(|role| shown(role)).collect::<Vec<_>>().join(" or "),
        }
    }

    /// The columns that hold a variable of the program's text.
    #[must_use]
    pub fn holding(&self, variable: &str) -> Vec<usize> {
        let holds = |role: &Role| role.variable.as_deref() == Some(variable);
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, roles)| roles.iter().any(holds)).map(|(column, _)| column).collect()
    }
}

/// The roles of the columns of the circuit with these members; places of its text, if there is one.
#[must_use]
pub fn roles(program: &CheckedProgram, members: &[FunctionId], places: &Places) -> Roles {
    let columns = GroupColumns::new(program, members);
    let mut roles = Roles {
        columns: std::iter::repeat_with(Vec::new).take(columns.width).collect(),
        members: Vec::new(),
        names: members.iter().map(|&id| program.function(id).name.clone()).collect(),
    };
    roles.columns[columns.first_auxiliary].push(Role {
        member: 0,
        block: None,
        variable: None,
        what: "how often the row is returned".into(),
    });
    for (member, &id) in members.iter().enumerate() {
        let function = program.function(id);
        let paths = leaf_paths(function);
        let first = columns.first_selector[member];
        let selectors = paths.iter().map(|(selector, blocks)| (first + selector, blocks.clone()));
        roles.members.push(selectors.collect());
        Member { program, id, function, member, columns: &columns, places, roles: &mut roles }
            .add();
    }
    roles
}

/// By leaf: its selector, and the blocks from the body to it. A yield also runs its continuation,
/// whose leaves have selectors of their own.
fn leaf_paths(function: &Function) -> Vec<(usize, Vec<usize>)> {
    let mut parents = vec![0; function.blocks.len()];
    let mut paths = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        block.control.children().for_each(|child| parents[child.index()] = index);
        if let Control::Return { selector, .. } | Control::Yield { selector, .. } = block.control {
            let (mut at, mut path) = (index, vec![index]);
            while at != 0 {
                at = parents[at];
                path.push(at);
            }
            paths.push((selector as usize, path));
        }
    }
    paths
}

struct Member<'a> {
    program: &'a CheckedProgram,
    id: FunctionId,
    function: &'a Function,
    member: usize,
    columns: &'a GroupColumns,
    places: &'a Places,
    roles: &'a mut Roles,
}

impl Member<'_> {
    fn add(&mut self) {
        let layout = self.program.layout(self.id);
        let inputs = self.places.inputs(self.id.index());
        for input in 0..layout.num_inputs {
            let variable = inputs.get(input).cloned();
            self.push(input, None, variable, format!("input {input}"));
        }
        if layout.ranked {
            self.push(self.columns.first_auxiliary + 1, None, None, "rank".into());
        }
        for (index, block) in self.function.blocks.iter().enumerate() {
            let place = &layout.blocks[index];
            for (op, op_place) in place.ops.iter().enumerate() {
                self.operation(index, op, &block.ops[op], op_place);
            }
            self.control(index, block, place);
        }
    }

    fn push(
        &mut self,
        column: usize,
        block: Option<usize>,
        variable: Option<String>,
        what: String,
    ) {
        let member = self.member;
        self.roles.columns[column].push(Role { member, block, variable, what });
    }

    /// `at 5:3`, or `in block 0`.
    fn place(&self, element: Element, block: usize) -> String {
        match self.places.get(element) {
            Some((line, column)) => format!("at {line}:{column}"),
            None => format!("in block {block}"),
        }
    }

    fn operation(&mut self, block: usize, index: usize, op: &Op, place: &OpPlace) {
        let element = Element::Op(self.id.index(), block, index);
        let names = self.places.results(element);
        let at = self.place(element, block);
        let first = self.columns.first_auxiliary + place.first_auxiliary;
        for i in 0..place.num_auxiliaries {
            let result = match op {
                Op::EqZero(_) => i.checked_sub(1),
                Op::U32LessThan(..) => None,
                _ => Some(i).filter(|&i| i < op.num_results()),
            };
            let variable = result.and_then(|result| names.get(result).cloned());
            let what = match (op, result) {
                (Op::EqZero(_), None) => "an inverse of the operand".to_owned(),
                (Op::U32LessThan(..), _) => format!("limb {i}"),
                (_, None) => "the rank of the callee, or a gap".to_owned(),
                (_, Some(_)) if op.num_results() == 1 => "result".to_owned(),
                (_, Some(result)) => format!("result {result}"),
            };
            let value = match (result, &variable) {
                (Some(result), None) => format!("value {}: ", place.first_value + result),
                _ => String::new(),
            };
            let what = format!("{value}{what} of {} {at}", op.name());
            self.push(first + i, Some(block), variable, what);
        }
    }

    fn control(&mut self, index: usize, block: &Block, place: &BlockPlace) {
        let element = Element::Control(self.id.index(), index);
        let at = self.place(element, index);
        let first = self.columns.first_auxiliary;
        if let Control::Return { selector, .. } | Control::Yield { selector, .. } = block.control {
            let column = self.columns.first_selector[self.member] + selector as usize;
            let what = format!("selector of the {} {at}", block.control.name());
            self.push(column, None, None, what);
        }
        if let Some(arms) = block.control.arms()
            && let Some(default) = arms.default
        {
            for (i, (key, _)) in arms.cases.iter().enumerate() {
                let what = format!("shows that the match {at} does not take case {}", word(*key));
                self.push(first + place.end_auxiliary + i, Some(default.index()), None, what);
            }
        }
        if let Control::MatchContinue { num_outputs, continuation, .. } = &block.control {
            let names = self.places.results(element);
            let merged = place.end_auxiliary + place.shared_auxiliaries;
            for output in 0..*num_outputs as usize {
                let variable = names.get(output).cloned();
                let what = format!("what the match {at} yields, value {output}");
                let column = first + merged + output;
                self.push(column, Some(continuation.index()), variable, what);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use traceloom_air::field::element;

    use super::*;

    const TEXT: &str = "program \"p\"\nfn f(n, m) -> 1 entry {\n  r = match_continue n {\n    \
                        case 0 { yield n }\n    default {\n      p = mul n, m\n      yield p\n    \
                        }\n  }\n  z = eq_zero r\n  return z\n}\nend\n";

    /// Columns: n, m | three selectors | multiplicity, the arms' shared ones, r, inverse, z.
    #[test]
    fn a_column_is_named_by_what_it_holds_on_the_path() {
        let program = CheckedProgram::new(crate::text::parse(TEXT).unwrap()).unwrap();
        let roles = roles(&program, &[FunctionId(0)], &Places::of(TEXT.as_bytes()));
        let cells = |selectors: [u64; 3]| {
            let mut cells = vec![element(0); program.layout(FunctionId(0)).width()];
            selectors.iter().zip(&mut cells[2..]).for_each(|(&on, cell)| *cell = element(on));
            cells
        };
        let (case, default) = (cells([1, 0, 1]), cells([0, 1, 1]));
        let of = |column: usize| (roles.of(column, &case), roles.of(column, &default));
        let both = |text: &str| (text.to_owned(), text.to_owned());
        assert_eq!(of(0), both("n, input 0"));
        assert_eq!(of(3), both("selector of the yield at 7:7"));
        assert_eq!(of(5), both("how often the row is returned"));
        let unused = "not used on this path".to_owned();
        let shows = "shows that the match at 3:3 does not take case 0".to_owned();
        assert_eq!(of(6), (unused.clone(), shows));
        assert_eq!(of(7), (unused, "p, result of mul at 6:7".to_owned()));
        assert_eq!(of(8), both("r, what the match at 3:3 yields, value 0"));
        assert_eq!(of(9), both("an inverse of the operand of eq_zero at 10:3"));
        assert_eq!(of(10), both("z, result of eq_zero at 10:3"));
        assert_eq!((roles.holding("p"), roles.holding("q")), (vec![7], vec![]));
    }
}
