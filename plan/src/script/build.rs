//! Groups become functions.

use std::collections::BTreeMap;

use super::code::{Code, FetchOp, Instr, Op, Operand, Reg, Type, WordPlace};
use super::repeat::{self, Grammar, Item, Part, Rule, SPACES, Slot, Symbol};
use super::{Call, Context, Function, MOST_STEPS, Main, Number, Script, Space, Step};
use crate::columns::Region;
use crate::names::Ident;
use crate::program::FunctionPlan;

/// The script of `code`, which belongs to `function`. Names of functions begin with `prefix`.
pub(super) fn script(code: Code, function: &FunctionPlan, prefix: &str) -> Script {
    let described = Described::of(&code);
    let grammar = repeat::find(&described.items, &described.last_use, MOST_STEPS);
    let mut builder = Builder {
        plan: function,
        prefix,
        instrs: code.bodies.iter().flat_map(|body| &body.instrs).collect(),
        described: &described,
        code: &code,
        grammar: &grammar,
        functions: Vec::new(),
        slots: Vec::new(),
        returned: Vec::new(),
    };
    for rule in 0..grammar.rules.len() {
        builder.function(rule);
    }
    let mut first = 0;
    let mut steps = Vec::new();
    for (body, parts) in code.bodies.iter().zip(&grammar.bodies) {
        let whole =
            Rule { parts: parts.clone(), len: body.instrs.len() as u32, starts: vec![first] };
        steps.push(builder.steps(&whole, [false; SPACES], &mut None));
        first += whole.len;
    }
    let functions = builder.functions;
    let mains = code.bodies.into_iter().zip(steps).map(|(mut body, steps)| {
        body.instrs.clear();
        Main { body, steps }
    });
    Script { mains: mains.collect(), functions, regs: code.regs }
}

/// Code as the search for groups sees it.
struct Described {
    items: Vec<Vec<Item>>,
    /// By number of the search: the last item that reads it.
    last_use: Vec<u32>,
    /// By register: the instruction that defines it, and which of its results it is.
    defined: Vec<Option<(u32, u32)>>,
    /// By instruction: the number of the search of its first result.
    firsts: Vec<u32>,
}

impl Described {
    fn of(code: &Code) -> Self {
        let mut defined = vec![None; code.regs.len()];
        let mut firsts = Vec::new();
        let mut count = 0;
        let instrs = || code.bodies.iter().flat_map(|body| &body.instrs);
        for (at, instr) in instrs().enumerate() {
            firsts.push(count);
            for (i, reg) in instr.results.iter().enumerate() {
                defined[reg.index()] = Some((at as u32, i as u32));
            }
            count += instr.results.len() as u32;
        }
        let number =
            |reg: Reg| defined[reg.index()].map(|(at, i): (u32, u32)| firsts[at as usize] + i);
        let mut last_use = vec![0; count as usize];
        for (at, instr) in instrs().enumerate() {
            for reg in instr.args.iter().flat_map(|arg| arg.regs()).flatten().filter_map(number) {
                last_use[reg as usize] = at as u32;
            }
        }
        for body in &code.bodies {
            let assigned = body.assigns.iter().map(|(_, operand)| operand);
            for reg in assigned.chain(&body.reads).flat_map(|operand| operand.regs()).flatten() {
                if let Some(number) = number(reg) {
                    last_use[number as usize] = u32::MAX;
                }
            }
        }
        let mut interned = Interned::default();
        let items = code.bodies.iter().map(|body| {
            let items = body.instrs.iter().map(|instr| interned.item(code, instr, number));
            items.collect()
        });
        Self { items: items.collect(), last_use, defined, firsts }
    }
}

/// Cells of an instruction, by their distance to the first one of their region.
type Places = Vec<(u32, Option<u8>, u32, Region, u32, u32)>;

/// What makes instructions alike, numbered.
#[derive(Default)]
struct Interned {
    shapes: BTreeMap<(Op, Vec<Type>, Vec<Type>, Places), u32>,
    forms: BTreeMap<Operand, u32>,
}

impl Interned {
    fn item(&mut self, code: &Code, instr: &Instr, number: impl Fn(Reg) -> Option<u32>) -> Item {
        let numbers = numbers(instr);
        let place = |cells: &super::code::Cells| {
            let first = numbers[Space::Column(cells.column.region).index()].unwrap_or(0);
            let ahead = cells.column.index.wrapping_sub(first);
            (cells.result, cells.lane, cells.count, cells.column.region, ahead, cells.stride)
        };
        let types = instr.args.iter().map(|arg| arg.ty(&code.regs)).collect();
        let results = instr.results.iter().map(|reg| code.regs[reg.index()].ty).collect();
        let shape = (instr.op, types, results, instr.cells.iter().map(place).collect());
        let next = self.shapes.len() as u32;
        let shape = *self.shapes.entry(shape).or_insert(next);
        let slots = instr.args.iter().map(|arg| {
            let next = self.forms.len() as u32;
            let form = *self.forms.entry(arg.with_regs(|_| Reg(0))).or_insert(next);
            Slot { regs: arg.regs().map(|reg| number(reg?)), form }
        });
        Item {
            shape,
            slots: slots.collect(),
            num_results: instr.results.len() as u32,
            numbers,
            lines: lines(instr),
        }
    }
}

/// Lines of its text, about.
fn lines(instr: &Instr) -> u32 {
    let operands = instr.args.len() as u32 * 16 / 90;
    1 + operands + (instr.cells.len() as u32).saturating_sub(1)
}

/// By space: the first number of an instruction.
fn numbers(instr: &Instr) -> [Option<u32>; SPACES] {
    Space::ALL.map(|space| match space {
        Space::Column(region) => {
            let mut of_region = instr.cells.iter().filter(|cells| cells.column.region == region);
            of_region.next().map(|cells| cells.column.index)
        }
        Space::Op => match instr.op {
            Op::Fetch(_) | Op::Agree => instr.ops.map(|(first, _)| first),
            _ => None,
        },
    })
}

/// The parameters of a function while it is built.
#[derive(Default)]
struct Params {
    /// By what all occurrences give.
    numbers: BTreeMap<Vec<Operand>, u32>,
    types: Vec<Type>,
    /// By parameter: where it is read.
    slots: Vec<Place>,
}

/// An operand, or one word of an operand.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Instruction, counted from the first one of the function.
    at: u32,
    /// Which of its operands.
    slot: usize,
    /// Which of the two words of the operand; none for the whole operand.
    word: Option<usize>,
}

impl Params {
    /// The parameter that is `all` in the occurrences.
    fn param(&mut self, all: Vec<Operand>, ty: Type, place: Place) -> u32 {
        let next = self.types.len() as u32;
        let number = *self.numbers.entry(all).or_insert(next);
        if number == next {
            self.types.push(ty);
            self.slots.push(place);
        }
        number
    }
}

struct Builder<'a> {
    plan: &'a FunctionPlan,
    prefix: &'a str,
    code: &'a Code,
    instrs: Vec<&'a Instr>,
    described: &'a Described,
    grammar: &'a Grammar,
    functions: Vec<Function>,
    /// By function: the slots of its parameters.
    slots: Vec<Vec<Place>>,
    /// By function: its results, as instruction and result of it.
    returned: Vec<Vec<(u32, u32)>>,
}

impl Builder<'_> {
    fn function(&mut self, number: usize) {
        let rule = &self.grammar.rules[number];
        let bases = self.bases(rule);
        let mut params = Some(Params::default());
        let steps = self.steps(rule, bases, &mut params);
        let params = params.unwrap_or_default();
        let returned = self.results(rule);
        let first = rule.starts[0];
        let reg = |&(at, i): &(u32, u32)| self.instrs[(first + at) as usize].results[i as usize];
        let ops = self.ops(first, rule.len);
        let what = ops.map_or("cells", |(op, _)| self.plan.ops[op as usize].name());
        let what = what.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let what: String = what.chars().take(24).map(plain).collect();
        let name = format!("{}{what}_{number}", self.prefix);
        self.functions.push(Function {
            name: Ident::new(name),
            ops,
            occurrences: rule.starts.len() as u32,
            context: self.context(&steps),
            bases,
            params: params.types,
            steps,
            results: returned.iter().map(reg).collect(),
        });
        self.slots.push(params.slots);
        self.returned.push(returned);
    }

    /// Whether the numbers of a space differ between the occurrences of `rule`.
    fn bases(&self, rule: &Rule) -> [bool; SPACES] {
        Space::ALL.map(|space| {
            let mut firsts = rule.starts.iter().map(|&start| self.first(start, rule.len, space));
            let first = firsts.next();
            !firsts.all(|number| Some(number) == first)
        })
    }

    /// The first number of a space among `len` instructions.
    fn first(&self, start: u32, len: u32, space: Space) -> Option<u32> {
        let instrs = &self.instrs[start as usize..(start + len) as usize];
        instrs.iter().find_map(|instr| numbers(instr)[space.index()])
    }

    fn ops(&self, start: u32, len: u32) -> Option<(u32, u32)> {
        let instrs = &self.instrs[start as usize..(start + len) as usize];
        let ops = || instrs.iter().filter_map(|instr| instr.ops);
        ops().map(|(first, _)| first).min().zip(ops().map(|(_, last)| last).max())
    }

    /// What is defined in `rule` and read outside of it.
    fn results(&self, rule: &Rule) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for at in 0..rule.len {
            let count = self.instrs[(rule.starts[0] + at) as usize].results.len() as u32;
            for i in 0..count {
                let outside = |&start: &u32| {
                    let reg = self.described.firsts[(start + at) as usize] + i;
                    self.described.last_use[reg as usize] >= start + rule.len
                };
                if rule.starts.iter().any(outside) {
                    found.push((at, i));
                }
            }
        }
        found
    }

    /// The steps of `rule`; those of a body if there are no parameters.
    fn steps(&self, rule: &Rule, bases: [bool; SPACES], params: &mut Option<Params>) -> Vec<Step> {
        let mut steps = Vec::with_capacity(rule.parts.len());
        for part in &rule.parts {
            steps.push(match part.symbol {
                Symbol::Item => self.instr(rule, bases, part, params),
                Symbol::Rule(callee) => self.call(rule, bases, part, callee, params),
            });
        }
        steps
    }

    /// A number as `rule` knows it.
    fn number(&self, rule: &Rule, bases: [bool; SPACES], space: Space, number: u32) -> Number {
        if !bases[space.index()] {
            return Number { number, is_relative: false };
        }
        let base = self.first(rule.starts[0], rule.len, space).unwrap_or(0);
        Number { number: number.wrapping_sub(base), is_relative: true }
    }

    fn instr(
        &self,
        rule: &Rule,
        bases: [bool; SPACES],
        part: &Part,
        params: &mut Option<Params>,
    ) -> Step {
        let instr = self.instrs[(rule.starts[0] + part.offset) as usize];
        let slots = 0..instr.args.len();
        let places = slots.map(|slot| Place { at: part.offset, slot, word: None });
        let args = places.map(|place| self.operand(rule, place, params)).collect();
        let mut cells = instr.cells.clone();
        for cells in &mut cells {
            let space = Space::Column(cells.column.region);
            cells.column.index = self.number(rule, bases, space, cells.column.index).number;
        }
        let op = self.number(rule, bases, Space::Op, instr.ops.map_or(0, |(op, _)| op));
        Step::Do(Instr { args, cells, ..instr.clone() }, op)
    }

    fn call(
        &self,
        rule: &Rule,
        bases: [bool; SPACES],
        part: &Part,
        callee: usize,
        params: &mut Option<Params>,
    ) -> Step {
        let inner = |place: &Place| Place { at: part.offset + place.at, ..*place };
        let places = self.slots[callee].iter().map(inner);
        let args = places.map(|place| self.operand(rule, place, params)).collect();
        let start = rule.starts[0] + part.offset;
        let given = |space: &Space| self.functions[callee].bases[space.index()];
        let number = |space: Space| {
            let first = self.first(start, part.len, space).unwrap_or(0);
            self.number(rule, bases, space, first)
        };
        let result = |&(at, i): &(u32, u32)| self.instrs[(start + at) as usize].results[i as usize];
        Step::Call(Call {
            function: callee,
            numbers: Space::ALL.into_iter().filter(given).map(number).collect(),
            args,
            results: self.returned[callee].iter().map(result).collect(),
            ops: self.ops(start, part.len),
        })
    }

    /// What a place reads, from inside of `rule`.
    fn operand(&self, rule: &Rule, place: Place, params: &mut Option<Params>) -> Operand {
        let of = |&start: &u32| {
            let operand = self.instrs[(start + place.at) as usize].args[place.slot];
            let word = place.word.and_then(|word| operand.regs()[word]);
            word.map_or(operand, Operand::Reg)
        };
        let first = rule.starts[0];
        let here = of(&first);
        let Some(params) = params else { return here };
        let is_inside = |reg: Reg| {
            let defined = self.described.defined[reg.index()];
            defined.is_some_and(|(by, _)| (first..first + rule.len).contains(&by))
        };
        let regs = here.regs();
        let num_inside = regs.into_iter().flatten().filter(|&reg| is_inside(reg)).count();
        if num_inside > 0 && num_inside == regs.iter().flatten().count() {
            return here;
        }
        if num_inside > 0 {
            // One word is from outside.
            let word = usize::from(!regs[1].is_some_and(is_inside));
            let place = Place { word: Some(word), ..place };
            let all = rule.starts.iter().map(|start| {
                let operand = self.instrs[(start + place.at) as usize].args[place.slot];
                operand.regs()[word].map_or(operand, Operand::Reg)
            });
            let param = params.param(all.collect(), Type::WORD, place);
            return here.with_word(word, WordPlace::Param(param));
        }
        let all: Vec<Operand> = rule.starts.iter().map(of).collect();
        if regs == [None, None] && all.iter().all(|operand| *operand == here) {
            return here;
        }
        Operand::Param(params.param(all, here.ty(&self.code.regs), place))
    }

    fn context(&self, steps: &[Step]) -> Context {
        let mut context = Context::default();
        for step in steps {
            let args = match step {
                Step::Do(instr, _) => {
                    context.row |= !instr.cells.is_empty();
                    if let Op::Fetch(fetch) = instr.op {
                        let is_rank = matches!(fetch, FetchOp::CalleeRank(_));
                        context.record |= !is_rank;
                        context.query |= is_rank;
                        context.fails = true;
                    }
                    context.fails |= instr.op == Op::Agree;
                    &instr.args
                }
                Step::Call(call) => {
                    let callee = self.functions[call.function].context;
                    context.seed |= callee.seed;
                    context.reads |= callee.reads;
                    context.row |= callee.row;
                    context.record |= callee.record;
                    context.query |= callee.query;
                    context.fails |= callee.fails;
                    &call.args
                }
            };
            for arg in args {
                context.operand(*arg);
            }
        }
        context
    }
}

impl Context {
    fn operand(&mut self, operand: Operand) {
        let seed = |place| matches!(place, WordPlace::Seed(_));
        match operand {
            Operand::Seed(..) => self.seed = true,
            Operand::Read(_) => {
                self.seed = true;
                self.reads = true;
            }
            Operand::Permuted(a, b, _) => self.seed |= seed(a) || seed(b),
            Operand::Filled(a, ..) => self.seed |= seed(a),
            Operand::Input(_) | Operand::Output(_) | Operand::Multiplicity | Operand::Rank => {
                self.query = true;
            }
            Operand::OutputOf(..) => self.record = true,
            _ => {}
        }
    }
}
