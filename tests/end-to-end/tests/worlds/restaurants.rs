//! Restaurants by chain, country, state, city and area.

use anyhow::Result;
use shadowkey_end_to_end::{World, texts};

use crate::replayed;

/// The numbers of the restaurants of the green guide whose place begins with `prefix`, in its order.
async fn places(world: &World, prefix: &str) -> Result<Vec<String>> {
    let query = world.query("places", "PK", "GUIDE#green").begins_with("SK", prefix);
    let items = query.items().await?;
    let id = |place: &str| place.rsplit('#').next().unwrap_or_default().to_owned();
    Ok(texts(&items, "SK").into_iter().map(id).collect())
}

#[tokio::test]
async fn a_prefix_finds_every_level_of_the_hierarchy() -> Result<()> {
    let world = replayed("restaurants").await?;
    for (prefix, restaurants) in [
        ("Order#", vec!["r-06", "r-04", "r-10", "r-01", "r-07", "r-15"]),
        ("Order#USA#", vec!["r-04", "r-10", "r-01", "r-07", "r-15"]),
        ("Order#USA#NY#", vec!["r-04", "r-10", "r-01", "r-07", "r-15"]),
        ("Order#USA#NY#New York#", vec!["r-04", "r-10", "r-01", "r-07"]),
        ("Order#USA#NY#New York#SoHo#", vec!["r-07"]),
        ("Order#USA#CA#", vec![]),
        ("Order#Portugal#-#Lisbon#", vec!["r-06"]),
    ] {
        assert_eq!(places(&world, prefix).await?, restaurants, "{prefix}");
    }
    Ok(())
}

#[tokio::test]
async fn a_prefix_that_ends_at_a_part_finds_no_longer_name() -> Result<()> {
    let world = replayed("restaurants").await?;
    for (prefix, restaurants) in [
        ("Ord#", vec!["r-02"]),
        ("No#", vec!["r-09"]),
        ("No%231 Burger#", vec!["r-08"]),
        ("100%25 Orders#", vec!["r-12"]),
        ("Order#USA#NY#New#", vec![]),
    ] {
        assert_eq!(places(&world, prefix).await?, restaurants, "{prefix}");
    }
    let unclosed = places(&world, "Ord").await?;
    assert_eq!(
        unclosed.len(),
        7,
        "without the part's end, `Ord` would find `Order`, too"
    );
    Ok(())
}

#[tokio::test]
async fn a_place_that_moved_or_closed_is_not_where_it_was() -> Result<()> {
    let world = replayed("restaurants").await?;
    for prefix in [
        "Order#USA#NY#Newburgh#Heights#r-04",
        "Order#USA#NY#New York#SoHo#r-03",
        "Ord#USA#NJ#",
        "Ord#Canada#",
    ] {
        assert_eq!(places(&world, prefix).await?, Vec::<String>::new(), "{prefix}");
    }
    let red = world.query("places", "PK", "GUIDE#red").items().await?;
    assert_eq!(red, [], "the red guide gave its only entry to the green one");
    Ok(())
}

#[tokio::test]
async fn the_largest_rooms_come_first() -> Result<()> {
    let world = replayed("restaurants").await?;
    let query = world.query("places", "PK", "ROOMS#green").limit(4);
    let items = query.items().await?;
    assert_eq!(texts(&items, "Seats"), ["1000", "200", "130", "110"]);
    let all = world.query("places", "PK", "ROOMS#green").backwards().items().await?;
    assert_eq!(
        texts(&all, "Seats"),
        ["100", "110", "130", "200", "1000"],
        "99 seats are not enough"
    );
    Ok(())
}
