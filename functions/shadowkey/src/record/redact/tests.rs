use std::collections::BTreeSet;

use serde_json::json;

use super::*;

fn redactor(kept: &[&str]) -> Redactor {
    Redactor::new(&kept.iter().map(|text| (*text).to_owned()).collect(), 7)
}

#[test]
fn a_stand_in_has_its_values_length_case_and_separators() {
    let mut redactor = redactor(&[]);
    for text in [
        "ORG#acme",
        "Ana \u{fc}nal, 3rd",
        "東京-1",
        "\u{20bb7}野",
        "",
        "#",
        "don't",
    ] {
        let stand_in = redactor.text(text);
        assert_eq!(stand_in.len(), text.len(), "{text} {stand_in}");
        for (was, is) in text.chars().zip(stand_in.chars()) {
            let kinds = |c: char| {
                (
                    c.is_alphanumeric(),
                    c.is_ascii_digit(),
                    c.is_ascii_uppercase(),
                    c.len_utf8(),
                )
            };
            assert_eq!(kinds(was), kinds(is), "{text} {stand_in}");
        }
    }
    assert_ne!(redactor.text("acme"), "acme");
}

#[test]
fn equal_runs_have_one_stand_in_wherever_they_stand() {
    let mut redactor = redactor(&[]);
    let key = redactor.text("ORG#acme#7");
    let attribute = redactor.text("acme");
    let number = redactor.number(&"7".parse().expect("7")).to_string();
    assert!(key.ends_with(&format!("#{attribute}#{number}")), "{key}");
    assert_eq!(redactor.text("ACME"), attribute.to_ascii_uppercase());
    assert_eq!(redactor.text("007"), format!("00{number}"));
    assert_ne!(redactor.text("bolt"), attribute);
}

#[test]
fn different_values_stay_different_down_to_the_last_letter() {
    let mut redactor = redactor(&["x"]);
    let letters: BTreeSet<String> = ('a'..='z').map(|letter| redactor.text(&letter.to_string())).collect();
    assert_eq!(letters.len(), 26);
    let digits: BTreeSet<String> = (1..1000).map(|n| redactor.text(&n.to_string())).collect();
    assert_eq!(digits.len(), 999);
    let bytes: BTreeSet<Vec<u8>> = (0..=255).map(|byte| redactor.bytes(&[byte])).collect();
    assert_eq!(bytes.len(), 256);
}

#[test]
fn a_number_is_a_number_of_the_same_shape() {
    let mut redactor = redactor(&[]);
    for text in [
        "0",
        "5",
        "-981",
        "12.5",
        "0.001",
        "12345678901234567890123456789012345678",
        "-0.10203",
    ] {
        let number: Number = text.parse().expect(text);
        let stand_in = redactor.number(&number);
        let shape = |number: &Number| {
            let text = number.as_str();
            (text.len(), text.find('.'), text.starts_with('-'))
        };
        assert_eq!(shape(&stand_in), shape(&number), "{number} {stand_in}");
    }
}

#[test]
fn times_and_the_view_files_words_stay() {
    let mut redactor = redactor(&["ORG#", "open", "v2"]);
    for text in [
        "2026-01-05",
        "2026-01-05T10:20:30.125Z",
        "2026-01-05 10:20",
        "2026-01-05T10:20:30+02:00",
        "open",
        "Open",
        "V2",
    ] {
        assert_eq!(redactor.text(text), text);
    }
    let key = redactor.text("ORG#acme#2026-01-05");
    assert!(
        key.starts_with("ORG#") && key.ends_with("#2026-01-05") && !key.contains("acme"),
        "{key}"
    );
    assert_ne!(redactor.text("2026-01-051"), "2026-01-051");
}

#[test]
fn the_marker_of_a_shadow_still_names_its_source_and_its_view() {
    let image = json!({
        "PK": {"S": "UPDATED#x"}, "list": {"L": [{"BOOL": true}, {"NULL": true}, {"B": "AAEC"}]}, "set": {"SS": ["a", "b"]},
        "_shadow": {"M": {"from": {"S": "app"}, "view": {"S": "by-time"}, "of": {"M": {"PK": {"S": "acme"}}}}},
    });
    let mut record = json!({
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:998877665544:table/app/stream/2026-01-05T10:00:00.000",
        "dynamodb": {"Keys": {"PK": {"S": "acme"}}, "NewImage": image, "SequenceNumber": "100"},
    });
    redactor(&[]).record(&mut record).expect("record");
    let change = &record["dynamodb"];
    let marker = &change["NewImage"]["_shadow"]["M"];
    assert_eq!(marker["of"]["M"], change["Keys"]);
    assert_ne!(change["Keys"]["PK"]["S"], "acme");
    assert_eq!([&marker["from"]["S"], &marker["view"]["S"]], ["app", "by-time"]);
    assert_eq!(change["NewImage"]["list"]["L"][0], json!({"BOOL": true}));
    assert_eq!(change["NewImage"]["set"]["SS"].as_array().map(Vec::len), Some(2));
    assert_eq!(change["SequenceNumber"], "100");
    let arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000";
    assert_eq!(record["eventSourceARN"], arn);
}
