//! An organisation between its teams and its people.

use anyhow::Result;
use shadowkey_end_to_end::texts;

use crate::replayed;

#[tokio::test]
async fn the_organisation_and_its_teams_come_by_one_backward_query() -> Result<()> {
    let world = replayed("organisation").await?;
    let query = world
        .query("organisation", "PK", "ORG#acme")
        .at_most("SK", "ORG#acme")
        .backwards();
    let items = query.items().await?;
    assert_eq!(texts(&items, "SK"), ["ORG#acme", "#TEAM#platform", "#TEAM#design"]);
    assert_eq!(texts(&items, "Name"), ["Acme Ltd", "Platform and Tools", "Design"]);
    Ok(())
}

#[tokio::test]
async fn the_organisation_and_its_people_come_by_one_forward_query() -> Result<()> {
    let world = replayed("organisation").await?;
    let people = || world.query("organisation", "PK", "ORG#acme").at_least("SK", "ORG#acme");
    let items = people().items().await?;
    assert_eq!(texts(&items, "Name")[0], "Acme Ltd");
    assert_eq!(
        texts(&items, "LastName")[1..],
        [
            "Partner",
            "Scorpio",
            "Strauß-Vanberg",
            "Vanbyke",
            "vandyke",
            "VanDyke",
            "Vanhoten"
        ]
    );
    assert_eq!(texts(&items, "Role")[6], "Principal Engineer");

    let first = people().limit(3).items().await?;
    assert_eq!(texts(&first, "FirstName"), ["-", "Pat", "Hank"]);
    Ok(())
}

#[tokio::test]
async fn case_does_not_decide_the_order_of_names() -> Result<()> {
    let world = replayed("organisation").await?;
    let query = world
        .query("organisation", "PK", "ORG#acme")
        .begins_with("SK", "STAFF#VAN");
    let items = query.items().await?;
    assert_eq!(texts(&items, "LastName"), ["Vanbyke", "vandyke", "VanDyke", "Vanhoten"]);
    assert_eq!(texts(&items, "FirstName"), ["Alice", "Ann", "Ellen", "Bob"]);
    Ok(())
}

#[tokio::test]
async fn a_person_who_changes_the_organisation_is_in_the_new_one_only() -> Result<()> {
    let world = replayed("organisation").await?;
    let items = world.query("organisation", "PK", "ORG#globex").items().await?;
    assert_eq!(texts(&items, "SK"), ["ORG#globex"]);
    Ok(())
}

#[tokio::test]
async fn a_date_with_the_months_name_sorts_by_time() -> Result<()> {
    let world = replayed("organisation").await?;
    let query = world.query("organisation", "PK", "SENIORITY#acme");
    let items = query.items().await?;
    assert_eq!(
        texts(&items, "HiredOn"),
        [
            "May 26, 1988",
            "November 3, 1996",
            "October 15, 1999",
            "April 1, 2010",
            "January 2, 2020"
        ]
    );
    let this_century = world
        .query("organisation", "PK", "SENIORITY#acme")
        .at_least("SK", "2000");
    assert_eq!(
        texts(&this_century.items().await?, "LastName"),
        ["Vanbyke", "Strauß-Vanberg"]
    );
    Ok(())
}

#[tokio::test]
async fn teams_externals_and_addresses_follow_the_person() -> Result<()> {
    let world = replayed("organisation").await?;
    let of = |partition: &str| world.query("organisation", "PK", partition);
    let team = of("TEAM#platform").items().await?;
    assert_eq!(texts(&team, "SK"), ["VANBYKE#e-02", "VANDYKE#e-01"]);
    for empty in ["TEAM#billing", "TEAM#design", "EXTERNAL#acme"] {
        assert_eq!(of(empty).items().await?, [], "{empty}");
    }
    assert_eq!(texts(&of("EXTERNAL#globex").items().await?, "SK"), ["UNDERHILL#x-02"]);

    for (address, people) in [
        ("bob@acme.example", vec!["EMPLOYEE#e-03"]),
        ("pat@acme.example", vec!["EMPLOYEE#x-01"]),
        ("ellen.vandyke@acme.example", vec![]),
        ("carl@acme.example", vec![]),
    ] {
        let query = world.query("organisation", "EmailKey", address).index("by-email");
        assert_eq!(texts(&query.items().await?, "PK"), people, "{address}");
    }
    Ok(())
}
