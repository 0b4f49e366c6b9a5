//! What the codec promises of every template: keys are injective, ordered forms keep the order of tuples, and decoding
//! inverts encoding.
//!
//! The oracle is written separately: exact decimals by another library, code points for text, and a civil calendar of its
//! own for times.

#![expect(clippy::expect_used, clippy::panic, reason = "a test's own words fail the test")]

use std::cmp::Ordering;
use std::str::FromStr as _;

use bigdecimal::BigDecimal;
use proptest::prelude::*;
use shadowkey_item::{AttributePath, AttributeValue, Item, Number, ScalarType};
use shadowkey_key_codec::{Scope, Template};

/// A form, as a template spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Plain,
    Exact,
    TextDesc,
    ExactDesc,
    Pad,
    PadDesc,
    Num,
    NumDesc,
    Time,
    TimeDesc,
}

impl Op {
    const ALL: [Self; 10] = [
        Self::Plain,
        Self::Exact,
        Self::TextDesc,
        Self::ExactDesc,
        Self::Pad,
        Self::PadDesc,
        Self::Num,
        Self::NumDesc,
        Self::Time,
        Self::TimeDesc,
    ];

    fn spelling(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Exact => " | exact",
            Self::TextDesc => " | desc",
            Self::ExactDesc => " | exact | desc",
            Self::Pad => " | pad(3)",
            Self::PadDesc => " | pad(3) | desc",
            Self::Num => " | num",
            Self::NumDesc => " | num | desc",
            Self::Time => " | time",
            Self::TimeDesc => " | time | desc",
        }
    }

    fn descends(self) -> bool {
        matches!(
            self,
            Self::TextDesc | Self::ExactDesc | Self::PadDesc | Self::NumDesc | Self::TimeDesc
        )
    }
}

/// An input, and what the oracle compares it by.
#[derive(Debug, Clone)]
enum Input {
    Text(String),
    Number(String),
    /// Year, month, day, hour, minute, second, millisecond, and the offset east of UTC in minutes.
    Time([i64; 8]),
}

impl Input {
    fn value(&self) -> AttributeValue {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(number) => AttributeValue::N(number.parse().expect(number)),
            Self::Time([y, mo, d, h, mi, s, ms, offset]) => {
                let (sign, hours, minutes) = (
                    if *offset < 0 { '-' } else { '+' },
                    offset.abs() / 60,
                    offset.abs() % 60,
                );
                format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}.{ms:03}{sign}{hours:02}:{minutes:02}").into()
            }
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.chars().cmp(b.chars()),
            (Self::Number(a), Self::Number(b)) => decimal(a).cmp(&decimal(b)),
            (Self::Time(a), Self::Time(b)) => instant(a).cmp(&instant(b)),
            _ => panic!("fields of one template have one type"),
        }
    }
}

fn decimal(text: &str) -> BigDecimal {
    BigDecimal::from_str(text).expect(text)
}

/// Milliseconds since 0000-03-01, by counting the days of whole years and months.
fn instant([y, mo, d, h, mi, s, ms, offset]: &[i64; 8]) -> i64 {
    let (year, month) = if *mo > 2 { (*y, mo - 3) } else { (y - 1, mo + 9) };
    let days =
        365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + d - 1;
    (((days * 24 + h) * 60 + mi - offset) * 60 + s) * 1000 + ms
}

fn text() -> impl Strategy<Value = String> {
    // Prefixes of one another, delimiters, escapes, what sorts below `#`, ends of other forms, and characters whose order
    // differs between UTF-8 and UTF-16.
    let hurting = prop_oneof![
        Just("a"),
        Just("b"),
        Just("A"),
        Just("#"),
        Just("%"),
        Just("%2"),
        Just("%23"),
        Just("_"),
        Just(" "),
        Just("!"),
        Just("~"),
        Just("\u{0}"),
        Just("\u{1}"),
        Just("\u{2}"),
        Just("0"),
        Just("."),
        Just(":"),
        Just("é"),
        Just("e\u{301}"),
        Just("ﬀ"),
        Just("\u{10000}"),
        Just("\u{10ffff}"),
        Just("{"),
        Just("}"),
    ];
    prop_oneof![
        4 => prop::collection::vec(hurting, 1..5).prop_map(|parts| parts.concat()),
        1 => any::<String>().prop_filter("not empty", |text| !text.is_empty()),
    ]
}

fn number() -> impl Strategy<Value = String> {
    let digits = "[1-9][0-9]{0,37}";
    let any_number = (any::<bool>(), digits, -92i32..=88)
        .prop_map(|(negative, digits, shift)| format!("{}{digits}E{shift}", if negative { "-" } else { "" }));
    let hurting = prop_oneof![
        Just("0"),
        Just("-0"),
        Just("1"),
        Just("1.0"),
        Just("1E2"),
        Just("100"),
        Just("1E-130"),
        Just("-1E-130"),
        Just("9.99E125"),
        Just("-9.99E125"),
        Just("0.1"),
        Just("0.11"),
        Just("-0.1"),
        Just("-0.11"),
        Just("12345678901234567890123456789012345678"),
        Just("12345678901234567890123456789012345679"),
    ];
    prop_oneof![
        any_number,
        hurting.prop_map(str::to_owned),
        (-12i32..12).prop_map(|number| number.to_string())
    ]
}

fn time() -> impl Strategy<Value = Input> {
    let date = prop_oneof![
        (1i64..=9999, 1i64..=12, 1i64..=28),
        (2023i64..=2024, 1i64..=2, 1i64..=28)
    ];
    let offset = prop_oneof![Just(0i64), -1439i64..1440];
    (date, 0i64..24, 0i64..60, 0i64..60, 0i64..1000, offset)
        .prop_map(|((y, mo, d), h, mi, s, ms, offset)| [y, mo, d, h, mi, s, ms, offset])
        .prop_filter("in range", |time| {
            let first = [1, 1, 1, 0, 0, 0, 0, 0];
            let last = [9999, 12, 31, 23, 59, 59, 999, 0];
            (instant(&first)..=instant(&last)).contains(&instant(time))
        })
        .prop_map(Input::Time)
}

fn input(op: Op) -> BoxedStrategy<Input> {
    match op {
        Op::Plain | Op::Exact | Op::TextDesc | Op::ExactDesc => text().prop_map(Input::Text).boxed(),
        Op::Pad | Op::PadDesc => (0u32..1000)
            .prop_map(|number| Input::Number(number.to_string()))
            .boxed(),
        Op::Num | Op::NumDesc => number().prop_map(Input::Number).boxed(),
        Op::Time | Op::TimeDesc => time().boxed(),
    }
}

/// A template, its ops, and two tuples of inputs that often share a beginning.
#[derive(Debug, Clone)]
struct Case {
    template: String,
    ops: Vec<Op>,
    a: Vec<Input>,
    b: Vec<Input>,
}

fn case(ops: impl Strategy<Value = Op> + Clone + 'static) -> impl Strategy<Value = Case> {
    let literal = prop_oneof![
        Just(""),
        Just("#"),
        Just("_"),
        Just("A#"),
        Just("!"),
        Just("0"),
        Just("~"),
        Just("é"),
        Just("\u{1}")
    ];
    let fields = prop::collection::vec((ops, literal), 1..5);
    fields.prop_flat_map(|fields| {
        let mut template = "K#".to_owned();
        for (position, (op, literal)) in fields.iter().enumerate() {
            // Plain text needs a literal before the next field.
            let literal = if *op == Op::Plain && literal.is_empty() && position + 1 < fields.len() {
                "#"
            } else {
                literal
            };
            template += &format!("{{f{position}{}}}{literal}", op.spelling());
        }
        let ops: Vec<Op> = fields.into_iter().map(|(op, _)| op).collect();
        let inputs: Vec<BoxedStrategy<Input>> = ops.iter().map(|op| input(*op)).collect();
        let shared = 0..ops.len();
        (inputs.clone(), inputs, shared).prop_map(move |(a, mut b, shared)| {
            b.splice(..shared, a.iter().take(shared).cloned());
            let (template, ops) = (template.clone(), ops.clone());
            Case { template, ops, a, b }
        })
    })
}

fn any_op() -> impl Strategy<Value = Op> + Clone {
    prop::sample::select(Op::ALL.to_vec())
}

fn ordered_op() -> impl Strategy<Value = Op> + Clone {
    prop::sample::select(Op::ALL.into_iter().filter(|op| *op != Op::Plain).collect::<Vec<_>>())
}

impl Case {
    fn parsed(&self) -> Template {
        Template::parse(&self.template, ScalarType::S).unwrap_or_else(|error| panic!("{}: {error}", self.template))
    }

    fn compare(&self) -> Ordering {
        let fields = self.ops.iter().zip(self.a.iter().zip(&self.b));
        let orders = fields.map(|(op, (a, b))| if op.descends() { b.compare(a) } else { a.compare(b) });
        orders
            .into_iter()
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

fn key(template: &Template, inputs: &[Input]) -> AttributeValue {
    let fields = inputs.iter().enumerate();
    let item: Item = fields
        .map(|(position, input)| (format!("f{position}"), input.value()))
        .collect();
    template
        .render(Scope::item(&item))
        .expect("rendered")
        .expect("complete")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn different_tuples_give_different_keys(case in case(any_op())) {
        let template = case.parsed();
        let same = key(&template, &case.a) == key(&template, &case.b);
        prop_assert_eq!(same, case.compare().is_eq());
    }

    #[test]
    fn ordered_fields_keep_the_order_of_tuples(case in case(ordered_op())) {
        let template = case.parsed();
        prop_assert_eq!(key(&template, &case.a).cmp(&key(&template, &case.b)), case.compare());
    }

    #[test]
    fn decoding_inverts_encoding(case in case(any_op())) {
        let template = case.parsed();
        let rendered = key(&template, &case.a);
        let decoded = template.decode(&rendered).expect("decoded");
        prop_assert_eq!(decoded.len(), case.a.len());
        for (position, (field, input)) in decoded.iter().zip(&case.a).enumerate() {
            prop_assert_eq!(&field.path, &AttributePath::attribute(format!("f{position}")));
            let value = field.value.clone().expect("value");
            match input {
                Input::Time(_) => {
                    let again = Template::parse("{t | time}", ScalarType::S).expect("template");
                    let text = |value| again.render(Scope::item(&Item::from([("t".to_owned(), value)])));
                    prop_assert_eq!(text(value), text(input.value()));
                }
                _ => prop_assert_eq!(value, input.value()),
            }
        }
    }

    #[test]
    fn no_text_is_decoded_to_something_that_renders_otherwise(case in case(any_op()), garbled in text()) {
        let template = case.parsed();
        let garbled = AttributeValue::S(format!("K#{garbled}"));
        if let Some(decoded) = template.decode(&garbled) {
            let item: Item = decoded.into_iter().map(|field| (field.path.root().to_owned(), field.value.expect("value"))).collect();
            prop_assert_eq!(template.render(Scope::item(&item)), Ok(Some(garbled)));
        }
    }

    #[test]
    fn folding_twice_changes_nothing(text in text()) {
        let fold = Template::parse("{f0 | fold}", ScalarType::S).expect("template");
        let render = |value: AttributeValue| fold.render(Scope::item(&Item::from([("f0".to_owned(), value)]))).expect("rendered");
        if let Some(once) = render(text.as_str().into()) {
            prop_assert_eq!(render(once.clone()), Some(once));
        }
    }

    #[test]
    fn a_number_compares_as_the_oracle_does(a in number(), b in number()) {
        let parse = |text: &str| text.parse::<Number>().expect("number");
        prop_assert_eq!(parse(&a).cmp(&parse(&b)), decimal(&a).cmp(&decimal(&b)));
    }
}
