//! One operation, in the flat form and in that of another project.

use traceloom_air::field::element;

use crate::fields::{Fields, Object};
use crate::forms::{Field, FieldKind, Form, Parts};
use crate::limits::Resource;
use crate::model::{FunctionId, Op, ValueId};
use crate::tape::NodeId;

/// How a JSON form writes an operation.
pub(crate) struct Spelling {
    pub form: &'static Form,
    /// Key of the number of results, where the form leaves that open.
    pub results: &'static str,
    /// Key of a label that may be left out.
    pub label: &'static str,
    /// Further keys, which the caller reads.
    pub extra: &'static [&'static str],
}

impl Spelling {
    fn key(&self, field: &Field) -> &'static str {
        if field.kind == FieldKind::OptionalLabel { self.label } else { field.key }
    }
}

/// Reads an operation; `None` if a part is missing, which was reported.
pub(crate) fn read(fields: &mut Fields<'_>, node: NodeId, spelling: &Spelling) -> Option<Op> {
    let form = spelling.form;
    let mut keys = vec!["op"];
    keys.extend(form.fields.iter().map(|field| spelling.key(field)));
    keys.extend(form.results.is_none().then_some(spelling.results));
    keys.extend(spelling.extra);
    let object = fields.object(node, &keys);
    let results = form.results.unwrap_or_else(|| fields.count(&object, spelling.results));
    let mut parts = Parts { results, ..Parts::default() };
    let mut complete = fields.spend(node, Resource::Ops, 1)
        && fields.spend(node, Resource::Values, parts.results as usize);
    for field in form.fields {
        let read = part(fields, &object, spelling.key(field), field.kind, &mut parts);
        complete &= read.is_some();
    }
    complete.then(|| form.build(parts))
}

fn part(
    fields: &mut Fields<'_>,
    object: &Object<'_>,
    key: &str,
    kind: FieldKind,
    parts: &mut Parts,
) -> Option<()> {
    match kind {
        FieldKind::Constant => {
            let node = fields.required(object, key)?;
            parts.constant = element(fields.word(node));
        }
        FieldKind::Callee => parts.function = FunctionId(fields.count(object, key)),
        FieldKind::Value => {
            let node = fields.required(object, key)?;
            let spent = fields.spend(node, Resource::Operands, 1);
            parts.lists.push(vec![ValueId(fields.index(node))]);
            return spent.then_some(());
        }
        FieldKind::Fixed(len) => parts.lists.push(fields.values(object, key, Some(len))?),
        FieldKind::Rest | FieldKind::Group | FieldKind::Arguments => {
            parts.lists.push(fields.values(object, key, None)?);
        }
        FieldKind::Words(words) => {
            let node = fields.required(object, key)?;
            for word in fields.elements(node, Some(words))? {
                parts.lists.push(fields.value_list(word, Some(4))?);
            }
        }
        FieldKind::Label => parts.label = Some(fields.text(object, key)),
        FieldKind::OptionalLabel => {
            parts.label = fields.optional(object, key).map(|node| fields.string(node));
        }
    }
    Some(())
}
