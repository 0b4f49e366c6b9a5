use shadowkey_item::AttributeValue;

use super::*;

fn render(input: TimeInput, descending: bool, value: &AttributeValue) -> Result<String, ValueProblem> {
    let ms = input.milliseconds(&value.into())?;
    let mut out = String::new();
    if descending {
        push_desc(&mut out, ms);
    } else {
        push(&mut out, ms);
    }
    Ok(out)
}

fn iso_text(text: &str) -> Result<String, ValueProblem> {
    render(TimeInput::Iso { assume_utc: false }, false, &text.into())
}

fn epoch_text(unit: EpochUnit, number: &str) -> Result<String, ValueProblem> {
    let number: Number = number.parse().expect(number);
    render(TimeInput::Epoch { unit }, false, &number.into())
}

#[test]
fn iso_times_become_utc_of_fixed_width() {
    for (given, rendered) in [
        ("2023-07-10", "2023-07-10T00:00:00.000Z"),
        ("2023-07-10T14:48:00Z", "2023-07-10T14:48:00.000Z"),
        ("2023-07-10 14:48Z", "2023-07-10T14:48:00.000Z"),
        ("2023-07-10T14:48:00.1239Z", "2023-07-10T14:48:00.123Z"),
        ("2023-07-10T14:48:00.1239999999999999Z", "2023-07-10T14:48:00.123Z"),
        ("2023-07-10T00:30:00+02:00", "2023-07-09T22:30:00.000Z"),
        ("2023-07-10T23:30:00-0130", "2023-07-11T01:00:00.000Z"),
        ("2023-07-10T23:30:00-01", "2023-07-11T00:30:00.000Z"),
        ("0001-01-01", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("2024-02-29", "2024-02-29T00:00:00.000Z"),
    ] {
        assert_eq!(iso_text(given).as_deref(), Ok(rendered), "{given}");
    }
}

#[test]
fn what_is_not_a_time_is_an_error_and_never_a_wrong_key() {
    for bad in [
        "May 26, 1988",
        "2023-7-10",
        "2023-02-29",
        "2023-13-01",
        "20230710",
        "2023-07-10T",
        "2023-07-10T14",
        "2023-07-10T14:48:61Z",
        "2023-07-10T25:00Z",
        "2023-07-10T14:48:00.Z",
        "2023-07-10T14:48:00Zulu",
        "2023-07-10T14:48:00+25:00",
        "2023-07-10Z",
        " 2023-07-10",
        "2023-07-10T14:48:00,5Z",
        "２０２３-07-10",
    ] {
        assert!(matches!(iso_text(bad), Err(ValueProblem::NotATime { .. })), "{bad}");
    }
    assert!(matches!(
        iso_text("2023-07-10T14:48:00"),
        Err(ValueProblem::NoZone { .. })
    ));
    for outside in ["0000-06-01", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-00:01"] {
        assert!(
            matches!(iso_text(outside), Err(ValueProblem::TimeRange { .. })),
            "{outside}"
        );
    }
}

#[test]
fn a_time_of_day_without_zone_is_utc_when_the_view_says_so() {
    let input = || TimeInput::Iso { assume_utc: true };
    assert_eq!(
        render(input(), false, &"2023-07-10 14:48".into()).as_deref(),
        Ok("2023-07-10T14:48:00.000Z")
    );
    assert_eq!(
        render(input(), false, &"2023-07-10T14:48+01:00".into()).as_deref(),
        Ok("2023-07-10T13:48:00.000Z")
    );
}

#[test]
fn epochs_are_scaled_exactly_and_cut_towards_the_past() {
    for (unit, given, rendered) in [
        (EpochUnit::Seconds, "0", "1970-01-01T00:00:00.000Z"),
        (EpochUnit::Seconds, "1688999280", "2023-07-10T14:28:00.000Z"),
        (EpochUnit::Seconds, "1688999280.1239", "2023-07-10T14:28:00.123Z"),
        (EpochUnit::Seconds, "-0.0001", "1969-12-31T23:59:59.999Z"),
        (EpochUnit::Seconds, "-1", "1969-12-31T23:59:59.000Z"),
        (EpochUnit::Seconds, "1E9", "2001-09-09T01:46:40.000Z"),
        (EpochUnit::Milliseconds, "1688999280001", "2023-07-10T14:28:00.001Z"),
        (EpochUnit::Microseconds, "1688999280001999", "2023-07-10T14:28:00.001Z"),
        (EpochUnit::Microseconds, "999", "1970-01-01T00:00:00.000Z"),
        (EpochUnit::Milliseconds, "1E-130", "1970-01-01T00:00:00.000Z"),
    ] {
        assert_eq!(epoch_text(unit, given).as_deref(), Ok(rendered), "{given}");
    }
    for outside in ["253402300800", "-62135596801", "1E125"] {
        assert!(matches!(
            epoch_text(EpochUnit::Seconds, outside),
            Err(ValueProblem::TimeRange { .. })
        ));
    }
}

#[test]
fn a_number_needs_a_unit_and_text_is_no_epoch() {
    let number = AttributeValue::N("1688999280".parse().expect("number"));
    let iso = TimeInput::Iso { assume_utc: false };
    assert!(matches!(
        render(iso, false, &number),
        Err(ValueProblem::WrongType { .. })
    ));
    let epoch = TimeInput::Epoch {
        unit: EpochUnit::Seconds,
    };
    assert!(matches!(
        render(epoch, false, &"1688999280".into()),
        Err(ValueProblem::WrongType { .. })
    ));
}

#[test]
fn a_format_reads_dates_and_times() {
    let format = |format: &str, assume_utc| TimeInput::Format {
        format: format.to_owned(),
        assume_utc,
    };
    let render = |input, text: &str| render(input, false, &text.into());
    assert_eq!(
        render(format("%d %b %Y", false), "26 May 1988").as_deref(),
        Ok("1988-05-26T00:00:00.000Z")
    );
    assert_eq!(
        render(format("%Y%m%d %H:%M:%S %z", false), "20230710 14:48:00 +0200").as_deref(),
        Ok("2023-07-10T12:48:00.000Z")
    );
    assert_eq!(
        render(format("%d/%m/%Y %H:%M", true), "10/07/2023 14:48").as_deref(),
        Ok("2023-07-10T14:48:00.000Z")
    );
    assert!(matches!(
        render(format("%d/%m/%Y %H:%M", false), "10/07/2023 14:48"),
        Err(ValueProblem::NoZone { .. })
    ));
    assert!(matches!(
        render(format("%d %b %Y", false), "1988-05-26"),
        Err(ValueProblem::NotATime { .. })
    ));
}

#[test]
fn descending_times_sort_the_other_way_round() {
    let desc = |text: &str| render(TimeInput::Iso { assume_utc: false }, true, &text.into()).expect(text);
    assert_eq!(desc("9999-12-31T23:59:59.999Z"), "000000000000000");
    assert_eq!(desc("0001-01-01"), "315537897599999");
    assert!(desc("2023-07-11T15:00:00Z") < desc("2023-07-10T14:48:00Z"));
    assert!(desc("2023-07-10T14:48:00.001Z") < desc("2023-07-10T14:48:00Z"));
}

#[test]
fn identifiers_carry_their_time() {
    assert_eq!(
        render(TimeInput::Ksuid, false, &"0ujtsYcgvSTl8PAuAdqWYSMnLOv".into()).as_deref(),
        Ok("2017-10-10T04:00:47.000Z")
    );
    assert_eq!(
        render(TimeInput::Ulid, false, &"01ARZ3NDEKTSV4RRFFQ69G5FAV".into()).as_deref(),
        Ok("2016-07-30T23:54:10.259Z")
    );
    for (input, bad) in [
        (TimeInput::Ksuid, "0ujtsYcgvSTl8PAuAdqWYSMnLO"),
        (TimeInput::Ksuid, "aWgEPTl1tmebfsQzFP4bxwgy80W"),
        (TimeInput::Ulid, "01ARZ3NDEKTSV4RRFFQ69G5FA!"),
        (TimeInput::Ulid, "80000000000000000000000000"),
    ] {
        assert!(
            matches!(
                render(input, false, &bad.into()),
                Err(ValueProblem::NotAnIdentifier { .. })
            ),
            "{bad}"
        );
    }
}

#[test]
fn a_leap_second_is_refused_in_iso_form_and_by_a_format() {
    let format = |format: &str| TimeInput::Format {
        format: format.to_owned(),
        assume_utc: true,
    };
    let render = |input, text: &str| render(input, false, &text.into());
    let iso = TimeInput::Iso { assume_utc: true };
    for (input, leap) in [
        (iso, "2016-12-31T23:59:60Z"),
        (format("%Y-%m-%d %H:%M:%S"), "2016-12-31 23:59:60"),
        (format("%Y-%m-%dT%T%.f"), "1960-12-31T23:59:60.60"),
        (format("60 %H%M%S %F"), "60 235960 2016-12-31"),
    ] {
        assert!(
            matches!(render(input, leap), Err(ValueProblem::NotATime { .. })),
            "{leap}"
        );
    }
    for (input, ordinary) in [
        (format("%Y-%m-%dT%T%.f"), "1960-12-31T23:59:59.60"),
        (format("60 %H%M%S %F"), "60 235959 1960-12-31"),
    ] {
        assert!(render(input, ordinary).is_ok(), "{ordinary}");
    }
}
