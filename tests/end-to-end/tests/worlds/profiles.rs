//! Profiles by place and employer.

use anyhow::Result;
use shadowkey_end_to_end::texts;
use shadowkey_item::item_from_json;

use crate::replayed;

const EMPLOYED: &str = "New York, NY, USA_Company XYZ";

#[tokio::test]
async fn additional_items_lead_to_the_users() -> Result<()> {
    let world = replayed("profiles").await?;
    let partition = format!("location_employer_{EMPLOYED}");
    let references = world.query("profiles", "primary_key", &partition).items().await?;
    let ids = texts(&references, "sort-key");
    assert_eq!(
        ids,
        ["7", "123", "36893488147419103233"],
        "in the order of numbers, whatever their length"
    );

    let mut users = Vec::new();
    for id in ids {
        let key = format!(r#"{{"primary_key": {{"S": "user_{id}"}}, "sort-key": {{"N": "{id}"}}}}"#);
        let key = item_from_json(&key)?;
        users.extend(world.item("profiles", key).await?);
    }
    assert_eq!(texts(&users, "name"), ["Ana Silva Reis", "John Doe", "Max Long"]);
    Ok(())
}

#[tokio::test]
async fn the_combined_attribute_is_the_key_of_an_index() -> Result<()> {
    let world = replayed("profiles").await?;
    let of = |pair: &str| {
        world
            .query("profiles", "location_employer", pair)
            .index("by-location-employer")
    };
    let items = of(EMPLOYED).items().await?;
    assert_eq!(texts(&items, "name"), ["Ana Silva Reis", "John Doe", "Max Long"]);
    assert_eq!(texts(&items, "headline"), ["Typesetter", "Engineer", "-"]);

    let items = of("100%25 remote%5FEurope_50% Off").items().await?;
    assert_eq!(texts(&items, "name"), ["Ida Far"]);
    Ok(())
}

#[tokio::test]
async fn whoever_moved_or_left_is_not_found_where_they_were() -> Result<()> {
    let world = replayed("profiles").await?;
    for gone in [
        "Lisbon, PT_Company XYZ",
        "New York, NY, USA_Initrode",
        "New York%5FNY_X",
        "New York_NY_X",
        "New York, NY, USA_",
    ] {
        let partition = format!("location_employer_{gone}");
        let items = world.query("profiles", "primary_key", &partition).items().await?;
        assert_eq!(items, [], "{partition}");
        let query = world
            .query("profiles", "location_employer", gone)
            .index("by-location-employer");
        assert_eq!(query.items().await?, [], "{gone}");
    }
    Ok(())
}

#[tokio::test]
async fn a_projecting_item_spares_the_second_read() -> Result<()> {
    let world = replayed("profiles").await?;
    let staff = world
        .query("profiles", "primary_key", "employer_Company XYZ")
        .items()
        .await?;
    assert_eq!(texts(&staff, "name"), ["Ana Silva Reis", "John Doe", "Max Long"]);
    assert_eq!(texts(&staff, "headline"), ["Typesetter", "Engineer", "-"]);

    let first = world
        .query("profiles", "primary_key", "employer_Company XYZ")
        .limit(1)
        .items()
        .await?;
    assert_eq!(texts(&first, "sort-key"), ["7"]);
    Ok(())
}

#[tokio::test]
async fn the_best_connected_of_a_place_come_first_in_a_forward_query() -> Result<()> {
    let world = replayed("profiles").await?;
    let query = world
        .query("profiles", "location", "New York, NY, USA")
        .index("by-location-most-connected");
    let items = query.items().await?;
    assert_eq!(texts(&items, "connections"), ["501", "40", "3"]);
    assert_eq!(texts(&items, "connections_desc"), ["-501", "-40", "-3"]);
    Ok(())
}

#[tokio::test]
async fn a_skill_is_listed_once_however_often_it_was_named() -> Result<()> {
    let world = replayed("profiles").await?;
    for (skill, ids) in [
        ("skill_rust", vec!["123"]),
        ("skill_go", vec!["123"]),
        ("skill_sql", vec![]),
    ] {
        let items = world.query("profiles", "primary_key", skill).items().await?;
        assert_eq!(texts(&items, "sort-key"), ids, "{skill}");
    }
    Ok(())
}
