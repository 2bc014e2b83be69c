//! Scripts in Rust: functions, steps and operands.

use std::collections::BTreeSet;
use std::str::FromStr;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use traceloom_abi::seed::Width;
use traceloom_plan::lanes::Bitwise;
use traceloom_plan::script::code::{
    Cells, FetchOp, Instr, Op, Operand, Reg, Type, WordOp, WordPlace,
};
use traceloom_plan::script::notes::{comments, read};
use traceloom_plan::script::{Call, Context, Function, Number, Script, Space, Step};
use traceloom_plan::{Class, Column, FunctionPlan, Region};

use super::names::{Held, Operand as Text, compute, number};

/// Prints the steps of one main or function.
pub(super) struct Printer<'a> {
    pub(super) plan: &'a FunctionPlan,
    pub(super) script: &'a Script,
    /// The function; none in mains.
    pub(super) function: Option<&'a Function>,
    /// Registers that need a name.
    pub(super) named: BTreeSet<Reg>,
}

/// All functions of a script:
///
/// ```text
/// /// Operations 0 to 29, 16 times.
/// fn hint_u32_add3_4(row: &mut Row<'_>, aux_at: usize, a0: u64, a1: u64) -> (u64, u64) {
///     // op 0: hint_u32_add3
///     let v3_sum = a0 + a1;
///     …
///     (v3_sum, v12_xor)
/// }
/// ```
pub(super) fn functions(plan: &FunctionPlan, script: &Script) -> TokenStream {
    script.functions.iter().map(|function| one(plan, script, function)).collect()
}

fn one(plan: &FunctionPlan, script: &Script, function: &Function) -> TokenStream {
    let mut named = read(&function.steps);
    named.extend(&function.results);
    let printer = Printer { plan, script, function: Some(function), named };
    let name = format_ident!("{}", function.name.as_str());
    let steps = printer.steps(&function.steps);
    // A slice that is returned is borrowed from the record.
    let is_slice = |reg: &Reg| script.regs[reg.index()].ty == Type::Slice;
    let borrows = function.results.iter().any(is_slice);
    let lifetime = borrows.then(|| quote!(<'a>));
    let mut params = context_params(function.context, borrows);
    for space in Space::ALL.into_iter().filter(|space| function.bases[space.index()]) {
        let (name, ty) =
            (base(space), if space == Space::Op { quote!(u32) } else { quote!(usize) });
        params.push(quote!(#name: #ty));
    }
    for (i, &ty) in function.params.iter().enumerate() {
        let (name, ty) = (param(i as u32), type_text(ty, borrows));
        params.push(quote!(#name: #ty));
    }
    let results = function.results.iter();
    let types: Vec<_> =
        results.clone().map(|reg| type_text(script.regs[reg.index()].ty, borrows)).collect();
    let values: Vec<_> = results.map(|&reg| printer.name(reg)).collect();
    let (ty, value) = match &values[..] {
        [] => (quote!(()), quote!(())),
        [value] => (quote!(#(#types)*), quote!(#value)),
        _ => (quote!((#(#types),*)), quote!((#(#values),*))),
    };
    let is_empty = values.is_empty();
    let doc = match function.ops {
        Some((first, last)) if first == last => format!(" Operation {first}"),
        Some((first, last)) => format!(" Operations {first} to {last}"),
        None => " Cells".into(),
    };
    let doc = match function.occurrences {
        1 => doc + ".",
        times => format!("{doc} and alike, {times} times."),
    };
    let (returned, end) = match (function.context.fails, is_empty) {
        (true, _) => (quote!(-> Result<#ty, PackError>), quote!(Ok(#value))),
        (false, true) => (quote!(), quote!()),
        (false, false) => (quote!(-> #ty), quote!(#value)),
    };
    quote! {
        #[doc = #doc]
        fn #name #lifetime(#(#params),*) #returned { #steps #end }
    }
}

fn context_params(context: Context, borrows: bool) -> Vec<TokenStream> {
    let mut params = Vec::new();
    if context.row {
        params.push(quote!(row: &mut Row<'_>));
    }
    if context.seed {
        params.push(quote!(seed: &[u8]));
    }
    if context.reads {
        params.push(quote!(reads: usize));
    }
    if context.record {
        params.push(if borrows { quote!(record: &'a Record) } else { quote!(record: &Record) });
    }
    if context.query {
        params.push(quote!(own: &QueryTable));
        params.push(quote!(query: usize));
    }
    params
}

fn context_args(context: Context) -> Vec<TokenStream> {
    let mut args = Vec::new();
    let needs = [
        (context.row, quote!(row)),
        (context.seed, quote!(seed)),
        (context.reads, quote!(reads)),
        (context.record, quote!(record)),
        (context.query, quote!(own)),
        (context.query, quote!(query)),
    ];
    for (needed, text) in needs {
        if needed {
            args.push(text);
        }
    }
    args
}

/// `aux_at`: where the columns of a function begin.
fn base(space: Space) -> Ident {
    match space {
        Space::Column(Region::Input) => format_ident!("input_at"),
        Space::Column(Region::Selector) => format_ident!("selector_at"),
        Space::Column(Region::Auxiliary) => format_ident!("aux_at"),
        Space::Op => format_ident!("op"),
    }
}

fn param(i: u32) -> Ident {
    format_ident!("a{i}")
}

fn type_text(ty: Type, borrows: bool) -> TokenStream {
    match ty {
        Type::Value { class: Class::Field, .. } => quote!(Goldilocks),
        Type::Value { .. } => quote!(u64),
        Type::Query => quote!(usize),
        Type::Words(count) => {
            let count = number(count);
            quote!([u64; #count])
        }
        Type::Slice if borrows => quote!(&'a [u64]),
        Type::Slice => quote!(&[u64]),
    }
}

/// `row.aux`
pub(super) fn region(region: Region) -> TokenStream {
    match region {
        Region::Input => quote!(row.input),
        Region::Selector => quote!(row.selector),
        Region::Auxiliary => quote!(row.aux),
    }
}

/// Places of kept registers: `kept32`, `kept64`, `kept_elements`.
pub(super) fn kept_name(class: Class) -> Ident {
    format_ident!(
        "{}",
        match class {
            Class::U32 => "kept32",
            Class::U64 => "kept64",
            Class::Field => "kept_elements",
        }
    )
}

fn hex(word: u32) -> Literal {
    Literal::from_str(&format!("{word:#x}")).expect("a number is a literal")
}

impl Printer<'_> {
    /// All steps, with comments.
    pub(super) fn steps(&self, steps: &[Step]) -> TokenStream {
        let mut text = TokenStream::new();
        for (step, comment) in steps.iter().zip(comments(steps, &self.plan.ops)) {
            let comment = comment.map(|comment| format!(" {comment}"));
            let comment = comment.map(|comment| quote!(#[comment = #comment]));
            let step = match step {
                Step::Do(instr, op) => self.instr(instr, *op),
                Step::Call(call) => self.call(call),
            };
            text.extend(quote!(#comment #step));
        }
        text
    }

    /// The name of a register.
    pub(super) fn name(&self, reg: Reg) -> TokenStream {
        let info = &self.script.regs[reg.index()];
        if let (None, Some(place)) = (self.function, info.kept) {
            let (array, place) = (kept_name(info.ty.class()), number(place));
            return quote!(#array[#place]);
        }
        let name = Ident::new(info.name.as_str(), Span::call_site());
        quote!(#name)
    }

    /// `let x = right;`, `kept32[3] = right;`, or `right;` if nothing reads it.
    fn define(&self, reg: Reg, right: TokenStream) -> TokenStream {
        let name = self.name(reg);
        if !self.named.contains(&reg) {
            return quote!(#right;);
        }
        match (self.function, self.script.regs[reg.index()].kept) {
            (None, Some(_)) => quote!(#name = #right;),
            _ => quote!(let #name = #right;),
        }
    }

    fn instr(&self, instr: &Instr, op: Number) -> TokenStream {
        match instr.op {
            Op::Invert => return self.invert(instr),
            Op::Cell => {
                let operand = self.operand(instr.args[0]);
                return instr.cells.iter().map(|cells| self.cells(cells, &operand)).collect();
            }
            Op::Agree => {
                let [a, b] = [0, 1].map(|i| self.operand(instr.args[i]).word());
                let op = self.number(Space::Op, op);
                return quote!(agree(#a, #b, #op)?;);
            }
            Op::Fetch(fetch) => {
                let right = self.fetch(fetch, &instr.args, op);
                return self.define(instr.results[0], right);
            }
            Op::Value(_) | Op::Word(_) | Op::Copy => {}
        }
        let right = self.right(instr);
        let reg = instr.results[0];
        // Writing a cell gives back what is written.
        let Some((first, others)) = instr.cells.split_first() else {
            return self.define(reg, right.text);
        };
        let mut text = self.define(reg, self.written(first, &right));
        let name = self.name(reg);
        let held = Text { text: quote!(#name), held: right.held };
        text.extend(others.iter().map(|cells| self.cells(cells, &held)));
        text
    }

    /// The right side of an instruction with one result.
    fn right(&self, instr: &Instr) -> Text {
        let class = self.script.regs[instr.results[0].index()].ty.class();
        let is_integer = class != Class::Field;
        // Constants alone do not tell their type: `4294967297 == 0` would be of `i32`.
        let is_constant = instr.args.iter().all(|arg| matches!(arg, Operand::Constant(_)));
        let arg = |i: usize| match instr.args[i] {
            Operand::Constant(constant) if is_constant => {
                let literal = Literal::u64_suffixed(constant);
                Text { text: quote!(#literal), held: Held::Word }
            }
            arg => self.operand(arg),
        };
        match instr.op {
            Op::Value(expr) => {
                let (text, held) = compute(&expr, is_integer, |no| arg(no.index()));
                Text { text, held }
            }
            Op::Word(op) => {
                let a = arg(0).word();
                let b = || arg(1).word();
                let text = match op {
                    WordOp::Low => quote!(low32(#a)),
                    WordOp::High => quote!(#a >> 32),
                    WordOp::Bitwise(op) => {
                        let b = b();
                        match op {
                            Bitwise::Xor => quote!(#a ^ #b),
                            Bitwise::And => quote!(#a & #b),
                            Bitwise::Or => quote!(#a | #b),
                        }
                    }
                    WordOp::SplitHigh(shift) => {
                        let shift = number(shift);
                        quote!(packed_shift_right(#a, #shift))
                    }
                    WordOp::SplitLow(shift) => {
                        let shift = number(shift);
                        quote!(packed_shift_left(#a, #shift))
                    }
                    WordOp::Sum => {
                        let b = b();
                        quote!(#a + #b)
                    }
                };
                Text { text, held: Held::Word }
            }
            _ if is_integer => Text { text: arg(0).word(), held: Held::Word },
            _ => Text { text: arg(0).field(), held: Held::Field },
        }
    }

    /// `let [v7_inv, v9_inv] = [v6_diff, v8_diff].map(inverse_or_zero);`
    fn invert(&self, instr: &Instr) -> TokenStream {
        let args = instr.args.iter().map(|&arg| self.operand(arg).field());
        let names = instr.results.iter().map(|&reg| {
            let name = Ident::new(self.script.regs[reg.index()].name.as_str(), Span::call_site());
            quote!(#name)
        });
        let names: Vec<_> = names.collect();
        let mut text = quote!(let [#(#names),*] = [#(#args),*].map(inverse_or_zero););
        for cells in &instr.cells {
            let name = &names[cells.result as usize];
            text.extend(self.cells(cells, &Text { text: quote!(#name), held: Held::Field }));
        }
        for (reg, name) in instr.results.iter().zip(&names) {
            if self.function.is_none() && self.script.regs[reg.index()].kept.is_some() {
                let place = self.name(*reg);
                text.extend(quote!(#place = #name;));
            }
        }
        text
    }

    /// `write_word(&mut row.aux[3], value);`
    fn cells(&self, cells: &Cells, value: &Text) -> TokenStream {
        let text = self.written(cells, value);
        quote!(#text;)
    }

    fn written(&self, cells: &Cells, value: &Text) -> TokenStream {
        let (array, first) = (region(cells.column.region), self.column(cells.column));
        let text = &value.text;
        match (cells.lane, cells.count, value.held) {
            (None, _, Held::Word) => quote!(write_word(&mut #array[#first], #text)),
            (None, _, Held::Field) => quote!(write_element(&mut #array[#first], #text)),
            (Some(0), 4, _) => {
                let stride = number(cells.stride);
                quote!(write_bytes(&mut #array[#first..], #stride, #text))
            }
            (Some(lane), count, _) => {
                let (stride, end) = (number(cells.stride), number(u32::from(lane) + count));
                let lane = number(lane);
                quote!(write_lanes(&mut #array[#first..], #stride, #lane..#end, #text))
            }
        }
    }

    fn column(&self, column: Column) -> TokenStream {
        let is_relative = self.is_relative(Space::Column(column.region));
        self.number(Space::Column(column.region), Number { number: column.index, is_relative })
    }

    fn is_relative(&self, space: Space) -> bool {
        self.function.is_some_and(|function| function.bases[space.index()])
    }

    /// `7`, `aux_at + 7`
    fn number(&self, space: Space, of: Number) -> TokenStream {
        let literal = number(of.number);
        match (of.is_relative, of.number) {
            (false, _) => quote!(#literal),
            (true, 0) => {
                let base = base(space);
                quote!(#base)
            }
            (true, _) => {
                let base = base(space);
                quote!(#base + #literal)
            }
        }
    }

    fn fetch(&self, fetch: FetchOp, args: &[Operand], op: Number) -> TokenStream {
        let op = self.number(Space::Op, op);
        let one = |i: usize| self.operand(args[i]).word();
        let list = |args: &[Operand]| {
            let words = args.iter().map(|&arg| self.operand(arg).word());
            quote!(&[#(#words),*])
        };
        match fetch {
            FetchOp::Call(function) => {
                let (function, args) = (number(function), list(args));
                quote!(find_call(&record.functions[#function], #args, #op)?)
            }
            FetchOp::Store(memory) => {
                let (memory, values) = (number(memory), list(args));
                quote!(find_stored(&record.memories[#memory], #values, #op)?)
            }
            FetchOp::Load(memory, width) => {
                let (memory, width, pointer) = (number(memory), number(width), one(0));
                quote!(load::<#width>(&record.memories[#memory], #pointer, #op)?)
            }
            FetchOp::IoInfo => {
                let (channel, key) = (one(0), list(&args[1..]));
                quote!(io_info(record, #channel, #key, #op)?)
            }
            FetchOp::IoRead(len) => {
                let (channel, index, len) = (one(0), one(1), number(len));
                quote!(io_words(record, #channel, #index, #len, #op)?)
            }
            FetchOp::BigUintDivRem(memory) => {
                let (memory, a, b) = (number(memory), one(0), one(1));
                quote!(div_rem(&record.memories[#memory], #a, #b, #op)?)
            }
            FetchOp::CalleeRank(rank) => {
                let rank = number(rank);
                quote!(callee_rank(own, query, #rank, #op)?)
            }
        }
    }

    /// ```text
    /// let (v3_sum, v12_xor) = hint_u32_add3_4(row, 2, u32_at(seed, 13), word7);
    /// ```
    fn call(&self, call: &Call) -> TokenStream {
        let callee = &self.script.functions[call.function];
        let name = format_ident!("{}", callee.name.as_str());
        let mut args = context_args(callee.context);
        let spaces = Space::ALL.into_iter().filter(|space| callee.bases[space.index()]);
        args.extend(spaces.zip(&call.numbers).map(|(space, &of)| self.number(space, of)));
        for (&arg, ty) in call.args.iter().zip(&callee.params) {
            let operand = self.operand(arg);
            args.push(match ty {
                Type::Value { class: Class::Field, .. } => operand.field(),
                Type::Value { .. } => operand.word(),
                _ => operand.text,
            });
        }
        let fails = callee.context.fails.then(|| quote!(?));
        let right = quote!(#name(#(#args),*) #fails);
        let is_kept =
            |reg: &Reg| self.function.is_none() && self.script.regs[reg.index()].kept.is_some();
        let plain = |reg: &Reg| {
            let name = Ident::new(self.script.regs[reg.index()].name.as_str(), Span::call_site());
            if self.named.contains(reg) { quote!(#name) } else { quote!(_) }
        };
        let kept: Vec<_> = call.results.iter().filter(|reg| is_kept(reg)).collect();
        let mut text = match &call.results[..] {
            results if results.iter().all(|reg| !self.named.contains(reg)) => quote!(#right;),
            [reg] => return self.define(*reg, right),
            results => {
                let names = results.iter().map(plain);
                quote!(let (#(#names),*) = #right;)
            }
        };
        if !kept.is_empty() {
            let places = kept.iter().map(|reg| self.name(**reg));
            let names = kept.iter().map(|reg| plain(reg));
            text.extend(quote!((#(#places),*) = (#(#names),*);));
        }
        text
    }

    fn place(&self, place: WordPlace) -> TokenStream {
        match place {
            WordPlace::Reg(reg) => self.name(reg),
            WordPlace::Seed(offset) => {
                let offset = number(offset);
                quote!(u32_at(seed, #offset))
            }
            WordPlace::Param(i) => {
                let param = param(i);
                quote!(#param)
            }
        }
    }

    /// An operand as text.
    pub(super) fn operand(&self, operand: Operand) -> Text {
        let word = |text| Text { text, held: Held::Word };
        let held = |ty| match ty {
            Type::Value { class: Class::Field, .. } => Held::Field,
            _ => Held::Word,
        };
        match operand {
            Operand::Constant(constant) => {
                let literal = number(constant);
                word(quote!(#literal))
            }
            Operand::Reg(reg) => {
                Text { text: self.name(reg), held: held(self.script.regs[reg.index()].ty) }
            }
            Operand::Param(i) => {
                let param = param(i);
                let params = self.function.map_or(&[][..], |function| &function.params);
                Text { text: quote!(#param), held: held(params[i as usize]) }
            }
            Operand::Byte(reg, lane) => {
                let (name, lane) = (self.name(reg), number(lane));
                word(quote!(byte_of(#name, #lane)))
            }
            Operand::Seed(width, offset) => word(seed_word(width, offset)),
            Operand::Read(read) => {
                let offset = number(8 * read);
                word(quote!(u64_at(seed, reads + #offset)))
            }
            Operand::Permuted(a, b, selector) => {
                let (a, b, selector) = (self.place(a), self.place(b), hex(selector));
                word(quote!(permute(#a, #b, #selector)))
            }
            Operand::Filled(a, constant, selector) => {
                let (a, constant, selector) = (self.place(a), hex(constant), hex(selector));
                word(quote!(permute(#a, #constant, #selector)))
            }
            Operand::Input(i) => {
                let i = number(i);
                word(quote!(own.input(query, #i)))
            }
            Operand::Output(i) => {
                let i = number(i);
                word(quote!(own.output(query, #i)))
            }
            Operand::Multiplicity => word(quote!(own.multiplicity(query))),
            Operand::Rank => word(quote!(u64::from(own.rank(query)))),
            Operand::OutputOf(reg, function, i) => {
                let (name, function, i) = (self.name(reg), number(function), number(i));
                word(quote!(record.functions[#function].output(#name, #i)))
            }
            Operand::Element(reg, i) => {
                let (name, i) = (self.name(reg), number(i));
                word(quote!(#name[#i]))
            }
        }
    }
}

/// `u8_at(seed, 12)`
pub(super) fn seed_word(width: Width, offset: u32) -> TokenStream {
    let offset = number(offset);
    match width {
        Width::U8 => quote!(u8_at(seed, #offset)),
        Width::U16 => quote!(u16_at(seed, #offset)),
        Width::U32 => quote!(u32_at(seed, #offset)),
        Width::Full => quote!(u64_at(seed, #offset)),
    }
}
