//! The one printer of CUDA text.
//!
//! Two spaces of indentation, a line at most [`MAX_WIDTH`] columns long where an
//! argument list or an operator allows a break, one statement per line, one empty
//! line between items. Comments and messages are reduced to printable ASCII, so
//! that no label can end a comment, continue a line or start a new one.

use traceloom_plan::names::Ident;

use super::ast::{BinaryOp, Expr, File, Function, FunctionKind, Item, Stmt, Type};

/// Longest line that the printer breaks at.
pub const MAX_WIDTH: usize = 99;

/// The text of `file`.
#[must_use]
pub fn print(file: &File) -> String {
    let mut printer = Printer::default();
    for line in &file.banner {
        printer.comment(line);
    }
    if file.is_header {
        printer.line("#pragma once");
    }
    if !file.includes.is_empty() {
        printer.blank();
        for include in &file.includes {
            printer.line(&format!("#include \"{}\"", plain(include)));
        }
    }
    printer.items(&file.items);
    printer.out
}

/// `text` as printable ASCII without backslashes and quotes.
pub(crate) fn plain(text: &str) -> String {
    let keep = |c: char| (c == ' ' || c.is_ascii_graphic()) && c != '\\' && c != '"';
    text.chars().map(|c| if keep(c) { c } else { '?' }).collect()
}

#[derive(Default)]
struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// `// text`, broken between words.
    fn comment(&mut self, text: &str) {
        let mut line = String::from("//");
        for word in plain(text).split(' ').filter(|word| !word.is_empty()) {
            if line.len() > 2 && self.indent + line.len() + 1 + word.len() > MAX_WIDTH {
                self.line(&line);
                line = String::from("//");
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }

    fn doc(&mut self, doc: &[String]) {
        for line in doc {
            self.comment(line);
        }
    }

    fn items(&mut self, items: &[Item]) {
        let mut previous: Option<&Item> = None;
        for item in items {
            let assert = |item: &Item| matches!(item, Item::StaticAssert(..));
            if !(assert(item) && previous.is_some_and(assert)) {
                self.blank();
            }
            self.item(item);
            previous = Some(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Namespace(name, items) => {
                self.line(&format!("namespace {name} {{"));
                self.items(items);
                self.blank();
                self.line(&format!("}}  // namespace {name}"));
            }
            Item::Enum { doc, name, entries } => {
                self.doc(doc);
                let entries = entries.iter().map(|(name, value)| {
                    Doc::Text(match value {
                        Some(value) => format!("{name} = {value}"),
                        None => name.to_string(),
                    })
                });
                let head = Doc::Text(format!("enum {name} : uint32_t "));
                let entries = Doc::filled("{", entries.collect(), "}");
                self.doc_line(Doc::Seq(vec![head, entries]));
            }
            Item::StaticAssert(condition, message) => {
                let message = Doc::Text(format!("\"{}\"", plain(message)));
                self.doc_line(Doc::call("static_assert".into(), vec![expr(condition), message]));
            }
            Item::Function(function) => self.function(function),
            Item::Struct { doc, name, constants, functions } => {
                self.doc(doc);
                self.line(&format!("struct {name} {{"));
                self.indent += 2;
                for (name, value) in constants {
                    self.line(&format!("static constexpr uint32_t {name} = {value};"));
                }
                for (index, function) in functions.iter().enumerate() {
                    if index > 0 || !constants.is_empty() {
                        self.blank();
                    }
                    self.function(function);
                }
                self.indent -= 2;
                self.line("};");
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.doc(&function.doc);
        if !function.template.is_empty() {
            let names: Vec<String> =
                function.template.iter().map(|name| format!("class {name}")).collect();
            self.line(&format!("template <{}>", names.join(", ")));
        }
        let kind = match function.kind {
            FunctionKind::Inline => "TL_DEVICE void",
            FunctionKind::Called => "TL_DEVICE_CALL void",
            FunctionKind::Member => "static TL_DEVICE void",
            FunctionKind::Kernel => "TL_KERNEL void",
        };
        let params = function.params.iter();
        let params = params.map(|(ty, name)| Doc::Text(declaration(ty, name))).collect();
        let head = Doc::call(format!("{kind} {}", function.name), params);
        self.layout(&Doc::Seq(vec![head, Doc::Text(" {".into())]));
        self.block(&function.body);
        self.line("}");
    }

    fn block(&mut self, stmts: &[Stmt]) {
        self.indent += 2;
        for stmt in stmts {
            self.stmt(stmt);
        }
        self.indent -= 2;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Comment(text) => self.comment(text),
            Stmt::Blank => self.blank(),
            Stmt::Let(ty, name, value) => {
                self.assignment(format!("const {} =", declaration(ty, name)), value);
            }
            Stmt::Var(ty, name, value) => {
                self.assignment(format!("{} =", declaration(ty, name)), value);
            }
            Stmt::Array(ty, name, length) => {
                self.line(&format!("{}[{length}];", declaration(ty, name)));
            }
            Stmt::Assign(target, value) => {
                let target = Doc::Seq(vec![expr(target), Doc::Text(" = ".into()), expr(value)]);
                self.doc_line(target);
            }
            Stmt::Expr(value) => self.doc_line(expr(value)),
            Stmt::If(condition, then, otherwise) => {
                let condition = Doc::call("if ".into(), vec![expr(condition)]);
                self.layout(&Doc::Seq(vec![condition, Doc::Text(" {".into())]));
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                self.line("}");
            }
        }
    }

    fn assignment(&mut self, head: String, value: &Expr) {
        let value = Doc::Nest(Box::new(Doc::Seq(vec![Doc::Line, expr(value)])));
        self.doc_line(Doc::Group(Box::new(Doc::Seq(vec![Doc::Text(head), value]))));
    }

    /// `doc;`
    fn doc_line(&mut self, doc: Doc) {
        self.layout(&Doc::Seq(vec![doc, Doc::Text(";".into())]));
    }

    /// Prints a document: a group stays on its line if all of it fits.
    fn layout(&mut self, doc: &Doc) {
        let mut column = self.indent;
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        let mut pending = vec![(self.indent, false, doc)];
        while let Some((indent, flat, doc)) = pending.pop() {
            match doc {
                Doc::Text(text) => {
                    column += text.len();
                    self.out.push_str(text);
                }
                Doc::Line if flat => {
                    column += 1;
                    self.out.push(' ');
                }
                Doc::Soft if flat => {}
                Doc::Line | Doc::Soft => {
                    column = indent;
                    self.out.push('\n');
                    self.out.extend(std::iter::repeat_n(' ', indent));
                }
                Doc::Nest(inner) => pending.push((indent + 4, flat, inner)),
                Doc::Seq(parts) => pending.extend(parts.iter().rev().map(|d| (indent, flat, d))),
                Doc::Group(inner) => {
                    let rest = tail_width(&pending);
                    let fits = column + inner.width() + rest <= MAX_WIDTH;
                    pending.push((indent, flat || fits, inner));
                }
                // Each element decides for itself whether it starts a new line.
                Doc::Fill(parts) => {
                    for (index, part) in parts.iter().enumerate() {
                        if index > 0 && column + 1 + part.width() > MAX_WIDTH - 2 {
                            column = indent;
                            self.out.push('\n');
                            self.out.extend(std::iter::repeat_n(' ', indent));
                        } else if index > 0 {
                            column += 1;
                            self.out.push(' ');
                        }
                        let Doc::Text(text) = part else { continue };
                        column += text.len();
                        self.out.push_str(text);
                    }
                }
            }
        }
        self.out.push('\n');
    }
}

/// Columns up to the next place where a line may end.
fn tail_width(pending: &[(usize, bool, &Doc)]) -> usize {
    let mut width = 0;
    for (_, flat, doc) in pending.iter().rev() {
        match doc {
            Doc::Text(text) => width += text.len(),
            Doc::Line | Doc::Soft if !flat => break,
            Doc::Nest(_) | Doc::Fill(_) if !flat => break,
            other => width += other.width(),
        }
    }
    width
}

/// Text with places to break it.
enum Doc {
    Text(String),
    /// A space, or a line break.
    Line,
    /// Nothing, or a line break.
    Soft,
    Nest(Box<Doc>),
    Seq(Vec<Doc>),
    Group(Box<Doc>),
    /// Texts with a space or a line break between them.
    Fill(Vec<Doc>),
}

impl Doc {
    /// Columns when nothing is broken.
    fn width(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Line => 1,
            Self::Soft => 0,
            Self::Nest(inner) | Self::Group(inner) => inner.width(),
            Self::Seq(parts) => parts.iter().map(Self::width).sum(),
            Self::Fill(parts) => {
                parts.iter().map(Self::width).sum::<usize>() + parts.len().saturating_sub(1)
            }
        }
    }

    /// `callee(a, b)`, the arguments on lines of their own if they do not fit.
    fn call(callee: String, args: Vec<Doc>) -> Self {
        let mut list = vec![Self::Soft];
        let count = args.len();
        for (index, arg) in args.into_iter().enumerate() {
            list.push(arg);
            if index + 1 < count {
                list.extend([Self::Text(",".into()), Self::Line]);
            }
        }
        let list = Self::Nest(Box::new(Self::Seq(list)));
        let parts = vec![Self::Text(format!("{callee}(")), list, Self::Text(")".into())];
        Self::Group(Box::new(Self::Seq(parts)))
    }

    /// `open a, b, … close`, filled lines.
    fn filled(open: &str, values: Vec<Doc>, close: &str) -> Self {
        let count = values.len();
        let mut parts = Vec::with_capacity(count);
        for (index, value) in values.into_iter().enumerate() {
            let Self::Text(mut text) = value else { continue };
            if index + 1 < count {
                text.push(',');
            }
            parts.push(Self::Text(text));
        }
        let body = Self::Seq(vec![Self::Soft, Self::Fill(parts)]);
        let parts =
            vec![Self::Text(open.into()), Self::Nest(Box::new(body)), Self::Text(close.into())];
        Self::Group(Box::new(Self::Seq(parts)))
    }
}

fn type_name(ty: &Type) -> String {
    match ty {
        Type::U8 => "uint8_t".into(),
        Type::U32 => "uint32_t".into(),
        Type::U64 => "uint64_t".into(),
        Type::Gl => "Gl".into(),
        Type::Named(name) => name.to_string(),
        Type::Scoped(names) => names.iter().map(Ident::as_str).collect::<Vec<_>>().join("::"),
        Type::ConstRef(inner) => format!("const {} &", type_name(inner)),
        Type::Ref(inner) => format!("{} &", type_name(inner)),
        Type::Pointer(inner) => format!("{} *", type_name(inner)),
    }
}

fn declaration(ty: &Type, name: &Ident) -> String {
    let ty = type_name(ty);
    let space = if ty.ends_with(['&', '*']) { "" } else { " " };
    format!("{ty}{space}{name}")
}

fn expr(value: &Expr) -> Doc {
    match value {
        Expr::Int(value) if *value <= u32::MAX.into() => Doc::Text(format!("{value}u")),
        Expr::Int(value) => Doc::Text(format!("{value:#x}ull")),
        Expr::Mask(value) => Doc::Text(format!("{value:#x}u")),
        Expr::Name(name) => Doc::Text(name.to_string()),
        Expr::Scoped(scope, name) => Doc::Text(format!("{scope}::{name}")),
        Expr::Instance(name, types) => {
            let types: Vec<String> = types.iter().map(type_name).collect();
            Doc::Text(format!("{name}<{}>", types.join(", ")))
        }
        Expr::Call(callee, args) => {
            let args = args.iter().map(expr).collect();
            Doc::call(flat(&tight(callee)), args)
        }
        Expr::Member(object, member) => {
            Doc::Seq(vec![tight(object), Doc::Text(format!(".{member}"))])
        }
        Expr::Index(base, index) => {
            Doc::Seq(vec![tight(base), Doc::Text("[".into()), expr(index), Doc::Text("]".into())])
        }
        Expr::Binary(op, a, b) => {
            let text = operator(*op);
            let right = operand(b, *op, false);
            let left = operand(a, *op, true);
            let right = Doc::Nest(Box::new(Doc::Seq(vec![Doc::Line, right])));
            Doc::Group(Box::new(Doc::Seq(vec![left, Doc::Text(format!(" {text}")), right])))
        }
        Expr::Select(condition, a, b) => {
            let arm = |mark: &str, value: &Expr| {
                Doc::Seq(vec![Doc::Line, Doc::Text(mark.into()), tight(value)])
            };
            let arms = Doc::Nest(Box::new(Doc::Seq(vec![arm("? ", a), arm(": ", b)])));
            Doc::Group(Box::new(Doc::Seq(vec![tight(condition), arms])))
        }
        Expr::Cast(ty, value) => Doc::call(type_name(ty), vec![expr(value)]),
    }
}

fn flat(doc: &Doc) -> String {
    match doc {
        Doc::Text(text) => text.clone(),
        Doc::Line => " ".into(),
        Doc::Soft => String::new(),
        Doc::Nest(inner) | Doc::Group(inner) => flat(inner),
        Doc::Seq(parts) | Doc::Fill(parts) => parts.iter().map(flat).collect(),
    }
}

fn same_level(value: &Expr, op: BinaryOp) -> bool {
    let additive = |op| matches!(op, BinaryOp::Add | BinaryOp::Sub);
    match value {
        Expr::Binary(inner, ..) => *inner == op || (additive(*inner) && additive(op)),
        _ => false,
    }
}

/// `value` as an operand of `op`. Only sums of products and operands of
/// comparisons go without parentheses, besides repeated operators on the left.
fn operand(value: &Expr, op: BinaryOp, is_left: bool) -> Doc {
    let Expr::Binary(inner, ..) = value else {
        return tight(value);
    };
    let sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
    let comparison = matches!(op, BinaryOp::Less | BinaryOp::Equal | BinaryOp::NotEqual);
    let arithmetic = matches!(inner, BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub);
    let bare = (is_left && same_level(value, op))
        || (sum && *inner == BinaryOp::Mul)
        || (comparison && arithmetic);
    if bare { expr(value) } else { tight(value) }
}

/// `value`, in parentheses unless it is a primary expression.
fn tight(value: &Expr) -> Doc {
    match value {
        Expr::Binary(..) | Expr::Select(..) => {
            Doc::Seq(vec![Doc::Text("(".into()), expr(value), Doc::Text(")".into())])
        }
        _ => expr(value),
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::Or => "||",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(stmt: Stmt) -> String {
        let mut printer = Printer::default();
        printer.stmt(&stmt);
        printer.out
    }

    #[test]
    fn parentheses_follow_the_tree() {
        let name = |name: &str| Expr::name(name);
        let sum = Expr::binary(BinaryOp::Add, name("a"), name("b"));
        let product = Expr::binary(BinaryOp::Mul, sum.clone(), name("c"));
        let value = Expr::binary(BinaryOp::Sub, product, sum.clone());
        let printed = text(Stmt::Let(Type::Gl, "v".into(), value));
        assert_eq!(printed, "const Gl v = (a + b) * c - (a + b);\n");
        let shifted = Expr::binary(BinaryOp::Shr, sum, Expr::Int(8));
        let masked = Expr::binary(BinaryOp::BitAnd, shifted, Expr::Mask(255));
        assert_eq!(text(Stmt::Expr(masked)), "((a + b) >> 8u) & 0xffu;\n");
    }

    #[test]
    fn long_lines_break_and_comments_stay_comments() {
        let args = (0..30).map(|i| Expr::name(format!("argument_{i}"))).collect();
        let value = Expr::call("function", args);
        let printed = text(Stmt::Let(Type::U64, "result".into(), value));
        assert!(printed.lines().all(|line| line.len() <= MAX_WIDTH), "{printed}");
        assert!(printed.ends_with("argument_29);\n"), "{printed}");
        let printed = text(Stmt::Comment("a \\ b\n#define x \"é\" \\".into()));
        assert_eq!(printed, "// a ? b?#define x ??? ?\n");
        let words = "word ".repeat(60);
        assert!(text(Stmt::Comment(words)).lines().all(|l| l.starts_with("// word")));
    }
}
