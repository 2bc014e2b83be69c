//! The part of CUDA that emitters use, as data.

use traceloom_plan::names::Ident;

/// One header or source file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Comment lines at the top.
    pub banner: Vec<String>,
    /// Whether the file is included by others.
    pub is_header: bool,
    /// Names of our own files, in order; there are no others.
    pub includes: Vec<String>,
    /// What follows.
    pub items: Vec<Item>,
}

/// A declaration or definition at namespace scope.
#[derive(Clone, Debug)]
pub enum Item {
    /// `namespace name { items }`
    Namespace(Ident, Vec<Item>),
    /// `enum Name : uint32_t { A, B = 7 };`
    Enum {
        /// Comment in front of it.
        doc: Vec<String>,
        /// Its name.
        name: Ident,
        /// Enumerators; without a value, one more than the one before.
        entries: Vec<(Ident, Option<u64>)>,
    },
    /// `static_assert(condition, "message");`
    StaticAssert(Expr, String),
    /// A function.
    Function(Function),
    /// `struct Name { static constexpr uint32_t A = 1; function };`
    Struct {
        /// Comment in front of it.
        doc: Vec<String>,
        /// Its name.
        name: Ident,
        /// Constants, in order.
        constants: Vec<(Ident, u64)>,
        /// Static member functions, in order.
        functions: Vec<Function>,
    },
}

/// A function definition.
#[derive(Clone, Debug)]
pub struct Function {
    /// Comment in front of it.
    pub doc: Vec<String>,
    /// What kind of function it is.
    pub kind: FunctionKind,
    /// Type parameters: `template <class A>`.
    pub template: Vec<Ident>,
    /// Its name.
    pub name: Ident,
    /// Parameters, in order.
    pub params: Vec<(Type, Ident)>,
    /// The body.
    pub body: Vec<Stmt>,
}

/// Where a function runs and how it is compiled. None of them returns a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// `TL_DEVICE void`: inlined into its caller.
    Inline,
    /// `TL_DEVICE_CALL void`: compiled once and called, which bounds the size of
    /// what the compiler sees at once.
    Called,
    /// `static TL_DEVICE void`: a member function.
    Member,
    /// `TL_KERNEL void`: an entry point with an unmangled name.
    Kernel,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `uint8_t`
    U8,
    /// `uint32_t`
    U32,
    /// `uint64_t`
    U64,
    /// `Gl`, a field element.
    Gl,
    /// A named type.
    Named(Ident),
    /// `a::b::c`
    Scoped(Vec<Ident>),
    /// `const T &`
    ConstRef(Box<Type>),
    /// `T &`
    Ref(Box<Type>),
    /// `T *`
    Pointer(Box<Type>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `// text`, on lines of its own.
    Comment(String),
    /// An empty line.
    Blank,
    /// `const T name = value;`
    Let(Type, Ident, Expr),
    /// `T name = value;`
    Var(Type, Ident, Expr),
    /// `T name[length];`
    Array(Type, Ident, u64),
    /// `target = value;`
    Assign(Expr, Expr),
    /// `expression;`
    Expr(Expr),
    /// `if (condition) { … } else { … }`, without `else` if that is empty.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// An unsigned literal, of 32 bits if it fits.
    Int(u64),
    /// A 32-bit literal in hexadecimal: a mask or selector.
    Mask(u32),
    /// A name.
    Name(Ident),
    /// `scope::name`
    Scoped(Ident, Ident),
    /// `name<Types>`
    Instance(Ident, Vec<Type>),
    /// `callee(args)`
    Call(Box<Expr>, Vec<Expr>),
    /// `object.member`
    Member(Box<Expr>, Ident),
    /// `base[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `a op b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? a : b`
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `T(value)`
    Cast(Type, Box<Expr>),
}

/// Binary operators, loosest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Less,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `||`
    Or,
}

impl Expr {
    /// The variable or constant `name`.
    #[must_use]
    pub fn name(name: impl Into<String>) -> Self {
        Self::Name(Ident::new(name))
    }

    /// `function(args)`
    #[must_use]
    pub fn call(function: &str, args: Vec<Expr>) -> Self {
        Self::Call(Box::new(Self::name(function)), args)
    }

    /// `object.method(args)`
    #[must_use]
    pub fn method(object: &str, method: &str, args: Vec<Expr>) -> Self {
        let method = Self::Member(Box::new(Self::name(object)), Ident::new(method));
        Self::Call(Box::new(method), args)
    }

    /// `a op b`
    #[must_use]
    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Self {
        Self::Binary(op, Box::new(a), Box::new(b))
    }
}
