//! Tickets, the one touched last first.

use anyhow::{Context, Result};
use shadowkey_end_to_end::texts;
use shadowkey_item::item_from_json;

use crate::replayed;

#[tokio::test]
async fn the_last_three_touched_come_from_the_shadows_by_one_forward_query() -> Result<()> {
    let world = replayed("tickets").await?;
    let items = world
        .query("tickets", "PK", "ORG#acme")
        .begins_with("SK", "UPDATED#")
        .limit(3)
        .items()
        .await;
    let items = items.expect("query");
    assert_eq!(texts(&items, "TicketId"), ["T-1003", "T-1005", "T-1002"]);
    assert_eq!(
        texts(&items, "UpdatedAt"),
        ["2023-07-11T16:00:00Z", "2023-07-11T10:00:00Z", "2023-07-10T12:00:00Z"]
    );
    assert_eq!(
        texts(&items, "ExpiresAt"),
        ["-", "-", "4102444800"],
        "a shadow expires with its ticket"
    );
    Ok(())
}

#[tokio::test]
async fn the_local_index_has_the_same_order_and_whole_tickets() -> Result<()> {
    let world = replayed("tickets").await?;
    let newest_first = || world.query("tickets", "PK", "ORG#acme").index("by-newest");
    let items = newest_first().items().await?;
    assert_eq!(
        texts(&items, "SK"),
        ["TICKET#T-1003", "TICKET#T-1005", "TICKET#T-1002", "TICKET#T-1001"]
    );
    assert_eq!(
        texts(&items, "Description"),
        ["Above ten thousand rows.", "-", "-", "Third floor, next to the paper."]
    );

    let shadows = world
        .query("tickets", "PK", "ORG#acme")
        .begins_with("SK", "UPDATED#")
        .items()
        .await?;
    assert_eq!(
        texts(&items, "TicketId"),
        texts(&shadows, "TicketId"),
        "a ticket is in both or in neither"
    );

    let newest = newest_first().limit(1).items().await?;
    assert_eq!(texts(&newest, "TicketId"), ["T-1003"]);
    let oldest = newest_first().backwards().limit(1).items().await?;
    assert_eq!(texts(&oldest, "TicketId"), ["T-1001"]);
    Ok(())
}

#[tokio::test]
async fn a_resolved_ticket_leaves_the_open_ones() -> Result<()> {
    let world = replayed("tickets").await?;
    let open = |organisation: &str| world.query("tickets", "PK", organisation).begins_with("SK", "OPEN#");
    let items = open("ORG#acme").items().await?;
    assert_eq!(
        texts(&items, "SK"),
        [
            "OPEN#251713209599999#T-1003",
            "OPEN#251713231199999#T-1005",
            "OPEN#251713320899999#T-1001"
        ]
    );
    let items = open("ORG#globex").items().await?;
    assert_eq!(
        texts(&items, "SK"),
        ["OPEN#251713229399999#T-1001", "OPEN#251713328399999#T-1002"]
    );
    Ok(())
}

#[tokio::test]
async fn an_agents_tickets_come_from_every_organisation() -> Result<()> {
    let world = replayed("tickets").await?;
    let of = |agent: &str| world.query("tickets", "PK", agent);
    assert_eq!(texts(&of("AGENT#dana").items().await?, "TicketId"), ["T-1003"]);
    let items = of("AGENT#kim").items().await?;
    assert_eq!(
        texts(&items, "Organization"),
        ["globex"],
        "the ticket that was let go is no longer here"
    );
    assert_eq!(texts(&items, "Title"), ["The invoice adds up again"]);
    Ok(())
}

#[tokio::test]
async fn a_ticket_is_found_under_the_key_it_was_made_with_after_every_touch() -> Result<()> {
    let world = replayed("tickets").await?;
    let key = item_from_json(r#"{"PK": {"S": "ORG#acme"}, "SK": {"S": "TICKET#T-1003"}}"#)?;
    let ticket = world.item("tickets", key).await?.context("the ticket")?;
    assert_eq!(texts(&[ticket], "UpdatedAt"), ["2023-07-11T16:00:00Z"]);
    Ok(())
}
