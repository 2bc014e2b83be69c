//! Problems of programs that were read from text have the lines and columns of the text.

use traceloom_bytecode::execute::{ExecuteError, Limits, execute};
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::{CheckedProgram, text};

/// What is wrong with a program that can be read and breaks rules.
fn problems(source: &str) -> Vec<String> {
    let error = CheckedProgram::new(text::parse(source).unwrap()).unwrap_err();
    let error = error.in_text(source.as_bytes());
    error.problems.iter().map(|p| format!("{}: {}", p.place, p.message)).collect()
}

#[test]
fn problems_have_lines_and_columns() {
    let source = "program \"p\"
memory 7, 7
fn f(a) -> 2 entry {
  x = load a
  match a {
    case 1 { return a }
    case 1 {
      y, z = load a
      p = store y, z, a
      return a, %99
    }
  }
}
fn g(a) -> 0 entry unconstrained { return }
circuit f
circuit
end
";
    let found = problems(source);
    for expected in [
        "2:11: is 7; widths of memory must rise strictly",
        "4:3 (\"f\", load): needs memory of width 1, which is not declared: add `memory 1`",
        "5:3 (\"f\", match): has the case 1 twice",
        "6:14 (\"f\", return): returns 1 values, but the function has 2 outputs",
        "8:7 (\"f\", load): needs memory of width 2",
        "10:7 (\"f\", return): uses value 99",
        "14:4 (\"g\"): is an entry but not constrained",
        "16:1: has no member; remove it",
    ] {
        assert!(found.iter().any(|line| line.starts_with(expected)), "{expected}: {found:#?}");
    }
    assert!(found.iter().all(|line| !line.contains("functions[")), "{found:#?}");
}

/// A circuit that the text does not name is where its function is.
#[test]
fn derived_circuits_are_where_their_functions_are() {
    let products: String = (0..70_000).map(|i| format!("y{i} = mul x, x\n")).collect();
    let wide = format!(
        "program \"p\"\nfn f(a) -> 0 {{ return }}\nfn g(x) -> 0 {{\n{products}return\n}}\nend\n"
    );
    let found = problems(&wide);
    assert!(found[0].starts_with("3:4: (\"g\") has "), "{found:?}");
}

#[test]
fn failures_of_a_run_have_lines_and_columns() {
    let source = "program \"p\"
fn f(a) -> 1 entry {
  b = call g(a)
  return b
}
fn g(a) -> 1 {
  c = const 300
  d = u8_xor a, c
  return d
}
end
";
    let program = CheckedProgram::new(text::parse(source).unwrap()).unwrap();
    let run = |args: &[u64]| {
        let claims = [(FunctionId(0), args.to_vec())];
        execute(&program, &claims, Default::default(), &Limits::default()).unwrap_err()
    };
    let error = run(&[1]);
    assert!(matches!(error, ExecuteError::Failed(_)), "{error}");
    assert!(error.to_string().starts_with("functions[1].blocks[0].ops[1] (\"g\""), "{error}");
    let placed = error.in_text(source.as_bytes()).to_string();
    assert!(placed.starts_with("8:3 (\"g\", u8_xor): operand 1"), "{placed}");
    assert!(placed.contains("called from 3:3 (\"f\", call)"), "{placed}");
}

/// Places of every element exist, also in nested blocks and continuations.
#[test]
fn every_element_of_a_text_has_a_place() {
    use traceloom_bytecode::text::{Element, Places};
    let source = "program \"p\"
fn f(a) -> 1 entry {
  r = match_continue a {
    case 0 { yield a }
    default {
      one = const 1
      yield one
    }
  }
  s = add r, a
  return s
}
end
";
    let places = Places::of(source.as_bytes());
    let program = text::parse(source).unwrap();
    for (index, block) in program.functions[0].blocks.iter().enumerate() {
        assert!(places.get(Element::Block(0, index)).is_some(), "{index}");
        assert!(places.get(Element::Control(0, index)).is_some(), "{index}");
        for op in 0..block.ops.len() {
            assert!(places.get(Element::Op(0, index, op)).is_some(), "{index}, {op}");
        }
    }
    assert_eq!(places.get(Element::Function(0)), Some((2, 4)));
    assert_eq!(places.get(Element::Control(0, 0)), Some((3, 3)));
    assert_eq!(places.get(Element::Control(0, 1)), Some((4, 14)));
    assert_eq!(places.get(Element::Op(0, 2, 0)), Some((6, 7)));
    assert_eq!(places.get(Element::Op(0, 3, 0)), Some((10, 3)));
    assert_eq!(places.get(Element::Op(0, 3, 1)), None);
    assert_eq!(places.get(Element::Program), None);
    assert_eq!(Places::of(b"not a program").get(Element::Function(0)), None);
}
