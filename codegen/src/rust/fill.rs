//! Lines that are filled.
//!
//! prettyplease puts every argument of a list that does not fit a line on a line of its own.
//! Lists of a hundred operands are then a hundred lines. Here as many as fit share a line. Only
//! space between tokens changes, and a comma in front of a closing bracket.

/// Longest line.
const MAX_WIDTH: usize = 99;

/// `text` of prettyplease with filled lists.
pub fn fill(text: &str) -> String {
    let mut done: Vec<String> = Vec::new();
    // Lines that end with an open bracket, by position in `done`.
    let mut open: Vec<usize> = Vec::new();
    for line in text.lines() {
        let closes = line.trim_start().starts_with([')', ']']);
        if closes && let Some(first) = open.pop() {
            close(&mut done, first, line);
        } else {
            done.push(line.to_owned());
        }
        let last = done.len() - 1;
        let is_comment = done[last].trim_start().starts_with("//");
        if !is_comment && done[last].ends_with(['(', '[']) {
            open.push(last);
        }
    }
    let mut text = done.join("\n");
    text.push('\n');
    text
}

/// Fills the list that begins on line `first` and that `end` closes, if its items are lines.
fn close(done: &mut Vec<String>, first: usize, end: &str) {
    let indent = indent_of(&done[first]);
    let is_item = |line: &String| {
        indent_of(line) == indent + 4 && line.ends_with(',') && !line.trim_start().starts_with("//")
    };
    let items = &done[first + 1..];
    if items.is_empty() || indent_of(end) != indent || !items.iter().all(is_item) {
        done.push(end.to_owned());
        return;
    }
    let items: Vec<String> = items.iter().map(|item| item.trim_start().to_owned()).collect();
    let whole = items.join(" ");
    let whole = whole.trim_end_matches(',');
    // A list of one item in brackets without a name is a tuple only with its comma.
    let is_one_line = items.len() > 1 || !done[first].trim_end_matches('(').ends_with([' ', '(']);
    let width = done[first].len() + whole.len() + end.trim_start().len();
    if is_one_line && width <= MAX_WIDTH {
        done.truncate(first + 1);
        done[first] += whole;
        done[first] += end.trim_start();
        return;
    }
    done.truncate(first + 1);
    let mut line = String::new();
    for item in items {
        if !line.is_empty() && indent + 5 + line.len() + item.len() > MAX_WIDTH {
            done.push(format!("{}{line}", " ".repeat(indent + 4)));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += &item;
    }
    done.push(format!("{}{line}", " ".repeat(indent + 4)));
    done.push(end.to_owned());
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_filled_and_nothing_else_changes() {
        let text = "fn f() {\n    let x = g(\n        1,\n        h(\n            2,\n            3,\n        ),\n    );\n    match x {\n        1 => 2,\n    }\n}\n";
        assert_eq!(
            fill(text),
            "fn f() {\n    let x = g(1, h(2, 3));\n    match x {\n        1 => 2,\n    }\n}\n"
        );
        let long = format!("let x = [\n{}];\n", "    12345,\n".repeat(30));
        let filled = fill(&long);
        assert_eq!(filled.lines().count(), 5, "{filled}");
        assert!(filled.lines().all(|line| line.len() <= MAX_WIDTH));
        let bare = |text: &str| text.replace([' ', '\n'], "");
        assert_eq!(bare(&filled), bare(&long));
        let tuple = "let (\n    a,\n) = f();\n";
        assert_eq!(fill(tuple), "let (\n    a,\n) = f();\n");
        let structs = "x(\n    A {\n        b: 1,\n    },\n)\n";
        assert_eq!(fill(structs), structs);
    }
}
