use super::*;

const OPS: [TextOp; 7] = [
    TextOp::Upper,
    TextOp::Lower,
    TextOp::Fold,
    TextOp::Nfc,
    TextOp::Trim,
    TextOp::Prefix(1),
    TextOp::Prefix(2),
];

/// Characters that hurt together: blanks, marks, and those that become others, or several, or nothing else.
const CHARS: [&[char]; 7] = [
    &['a', 'A', ' ', '-'],
    &['a', ' ', '¨', '\u{308}'],
    &['s', 'S', 'ß', 'ẞ', 'ſ'],
    &['σ', 'ς', 'Σ', 'a', 'A'],
    &['e', 'E', '\u{301}', 'é', 'É'],
    &['ι', '\u{308}', '\u{301}', '\u{344}', 'ΐ', 'Ϊ'],
    &['ŉ', 'ʼ', 'n', 'N'],
];

/// Sequences one op longer than these.
fn longer(shorter: &[Vec<TextOp>]) -> Vec<Vec<TextOp>> {
    let longer = |ops: &Vec<TextOp>| OPS.map(|op| [ops.as_slice(), &[op]].concat());
    shorter.iter().flat_map(longer).collect()
}

/// Every text of up to so many of the characters, but for the empty one.
fn texts(chars: &[char], most: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut last = texts.clone();
    for _ in 0..most {
        let longer = |text: &String| chars.iter().map(|c| format!("{text}{c}")).collect::<Vec<_>>();
        last = last.iter().flat_map(longer).collect();
        texts.extend(last.iter().cloned());
    }
    texts.split_off(1)
}

/// What the ops give of the texts, without those that are empty or long.
fn given(ops: &[TextOp], origins: &[String]) -> BTreeSet<String> {
    let given = origins
        .iter()
        .map(|text| applied(ops, text.as_str().into()).into_owned());
    given.filter(|text| (1..=3).contains(&text.chars().count())).collect()
}

/// Where what is taken for given is not what is, of the texts that are given and all short ones.
fn differences(ops: &[TextOp], chars: &[char], origins: &[String]) -> Vec<(String, bool)> {
    let given = given(ops, origins);
    let texts: BTreeSet<String> = given.iter().cloned().chain(texts(chars, 2)).collect();
    let differs = |text: &String| can_be_given(ops, text) != given.contains(text);
    let differing = texts.into_iter().filter(differs);
    differing.map(|text| (text.clone(), given.contains(&text))).collect()
}

#[test]
fn two_ops_are_taken_to_give_exactly_what_they_give_of_some_text() {
    let pairs = longer(&longer(&[Vec::new()]));
    for chars in CHARS {
        let origins = texts(chars, 4);
        for ops in &pairs {
            assert_eq!(differences(ops, chars, &origins), [], "{ops:?} of {chars:?}");
        }
    }
}

#[test]
fn nothing_that_three_ops_give_is_refused_and_without_prefix_nothing_else_is_taken() {
    let triples = longer(&longer(&longer(&[Vec::new()])));
    for chars in CHARS {
        let origins = texts(chars, 2);
        // Some of them, since each takes a while to prepare.
        for ops in triples.iter().step_by(17) {
            let is_cut = ops.iter().any(|op| matches!(op, TextOp::Prefix(_)));
            let mut differences = differences(ops, chars, &origins);
            differences.retain(|(_, is_given)| *is_given || !is_cut);
            assert_eq!(differences, [], "{ops:?} of {chars:?}");
        }
    }
}
