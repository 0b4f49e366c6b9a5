//! Strategies for fields, and for what an item can have for each.

use proptest::prelude::*;
use proptest::strategy::Union;

use crate::calendar::{ALL_YEARS, KSUID_YEARS, Kind, time};
use crate::field::{Field, Form, TextOp, nines};
use crate::input::{Input, atoms, number, text, whole};

impl Field {
    /// What an item can have for it; now and then nothing, where there is a default.
    pub(crate) fn inputs(&self) -> BoxedStrategy<Input> {
        let given = given(self.form, &self.ops);
        if self.default.is_none() {
            return given;
        }
        let missing = prop_oneof![
            Just(Input::Missing),
            Just(Input::Null),
            Just(Input::Text(String::new()))
        ];
        prop_oneof![2 => given, 1 => missing].boxed()
    }
}

fn given(form: Form, ops: &[TextOp]) -> BoxedStrategy<Input> {
    let has_trim = ops.contains(&TextOp::Trim);
    match form {
        Form::Pad(width, from) => whole(from.unwrap_or(nines(width))).prop_map(Input::Number).boxed(),
        Form::Num { .. } => number().prop_map(Input::Number).boxed(),
        Form::Time { kind, .. } => time(kind, ALL_YEARS).prop_map(Input::Time).boxed(),
        Form::Ksuid(kind) => time(kind, KSUID_YEARS).prop_map(Input::Time).boxed(),
        _ if !ops.is_empty() => {
            let blank = if has_trim { " " } else { "" };
            atoms()
                .prop_map(move |text| Input::Text(format!("{text}{blank}")))
                .boxed()
        }
        Form::Plain | Form::Shard(_) => {
            let scalar = prop_oneof![
                6 => text().prop_map(Input::Text),
                2 => number().prop_map(Input::Number),
                1 => any::<bool>().prop_map(Input::Truth),
            ];
            let list = prop::collection::vec(text(), 0..3).prop_map(Input::List);
            let lists = u32::from(form != Form::Plain);
            prop_oneof![7 => scalar, lists => list].boxed()
        }
        _ => text().prop_map(Input::Text).boxed(),
    }
}

fn text_op() -> impl Strategy<Value = TextOp> {
    prop_oneof![
        Just(TextOp::Upper),
        Just(TextOp::Lower),
        Just(TextOp::Fold),
        Just(TextOp::Nfc),
        Just(TextOp::Trim),
        (1usize..4).prop_map(TextOp::Prefix),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

fn pad() -> impl Strategy<Value = Form> {
    let width = prop_oneof![1u32..5, 1u32..=38];
    width.prop_flat_map(|width| {
        let from = prop_oneof![Just(None), Just(Some(nines(width))), (0..=nines(width)).prop_map(Some)];
        from.prop_map(move |from| Form::Pad(width, from))
    })
}

/// A form whose keys sort as its outputs do.
pub(crate) fn ordered_form() -> impl Strategy<Value = Form> + Clone {
    let text = prop::sample::select(vec![Form::Exact, Form::TextDesc, Form::ExactDesc]);
    let num = any::<bool>().prop_map(|descending| Form::Num { descending });
    let time = (kind(), any::<bool>()).prop_map(|(kind, descending)| Form::Time { kind, descending });
    let ksuid = kind().prop_map(Form::Ksuid);
    Union::new([
        text.boxed(),
        text_desc_or_exact(),
        pad().boxed(),
        num.boxed(),
        time.boxed(),
        ksuid.boxed(),
    ])
}

fn text_desc_or_exact() -> BoxedStrategy<Form> {
    prop::sample::select(vec![Form::Exact, Form::TextDesc]).boxed()
}

pub(crate) fn any_form() -> impl Strategy<Value = Form> + Clone {
    let hash = prop::sample::select(vec![1, 4, 16, 64]).prop_map(Form::Hash);
    let shard = prop::sample::select(vec![2, 8, 101, 10_000]).prop_map(Form::Shard);
    let plain = Just(Form::Plain);
    Union::new_weighted(vec![
        (3, plain.boxed()),
        (6, ordered_form().boxed()),
        (1, hash.boxed()),
        (1, shard.boxed()),
    ])
}

/// A form that decoding gives the input of, so that it renders again.
pub(crate) fn reversible_form() -> impl Strategy<Value = Form> + Clone {
    any_form().prop_filter("reversible", |form| match form {
        Form::Time { kind, .. } => matches!(kind, Kind::Iso | Kind::AssumeUtc | Kind::Epoch(_)),
        form => !form.is_lossy(),
    })
}

/// A field of a form with nothing before it.
pub(crate) fn bare(form: impl Strategy<Value = Form> + Clone + 'static) -> impl Strategy<Value = Field> + Clone {
    form.prop_map(|form| Field {
        default: None,
        ops: Vec::new(),
        form,
    })
}

/// A field of a form, with ops on text and a default where the form can have them.
pub(crate) fn dressed(form: impl Strategy<Value = Form> + Clone + 'static) -> BoxedStrategy<Field> {
    let ops = prop_oneof![Just(Vec::new()), prop::collection::vec(text_op(), 1..3)];
    let parts = (form, ops, any::<bool>(), prop::bool::weighted(0.25));
    parts.prop_flat_map(dress).boxed()
}

fn dress((form, mut ops, trim, has_default): (Form, Vec<TextOp>, bool, bool)) -> BoxedStrategy<Field> {
    let reads_text = match form {
        Form::Time { kind, .. } | Form::Ksuid(kind) => !matches!(kind, Kind::Epoch(_)),
        _ => false,
    };
    if !form.is_text() {
        // What a time is written in is of neither blanks nor marks, so that these change nothing of it.
        let harmless = if trim { TextOp::Trim } else { TextOp::Nfc };
        ops = if reads_text && !ops.is_empty() {
            vec![harmless]
        } else {
            Vec::new()
        };
    }
    let field = move |default| Field {
        default,
        ops: ops.clone(),
        form,
    };
    if !has_default {
        return Just(field(None)).boxed();
    }
    let default = given(form, &field(None).ops);
    default
        .prop_filter_map("a text that the ops leave something of", move |default| {
            let is_written = !default.written().is_empty();
            let is_left = field(None).output(&default).is_some();
            (is_written && is_left).then(|| field(Some(as_text(default, form))))
        })
        .boxed()
}

/// A default as the template has it, which is text where the form takes text.
fn as_text(default: Input, form: Form) -> Input {
    match default {
        Input::Number(number) if form.is_text() => Input::Text(number),
        other => other,
    }
}
