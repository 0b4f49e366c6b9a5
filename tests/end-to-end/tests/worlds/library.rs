//! Books with their reviews.

use anyhow::Result;
use shadowkey_end_to_end::{Query, World, texts};

use crate::replayed;

const DUNE: &str = "BOOK#9780441013593";

fn dune(world: &World) -> Query {
    world.query("library", "PK", DUNE)
}

#[tokio::test]
async fn a_book_and_its_ten_latest_reviews_come_by_one_backward_query() -> Result<()> {
    let world = replayed("library").await?;
    let items = dune(&world).at_most("SK", "BOOK").backwards().limit(11).items().await?;
    assert_eq!(texts(&items, "Title")[0], "Dune");
    assert_eq!(
        texts(&items, "ReviewId")[1..],
        [
            "R-013", "R-011", "R-010", "R-009", "R-008", "R-007", "R-006", "R-005", "R-004", "R-003"
        ]
    );
    assert_eq!(texts(&items, "Text")[8], "Read to the end.");

    let all = dune(&world).at_most("SK", "BOOK").backwards().items().await?;
    assert_eq!(
        texts(&all, "ReviewId")[11..],
        ["R-002", "R-001"],
        "older reviews are there for who reads on"
    );
    Ok(())
}

#[tokio::test]
async fn two_comes_before_ten() -> Result<()> {
    let world = replayed("library").await?;
    let items = dune(&world).begins_with("SK", "RATING#").items().await?;
    assert_eq!(
        texts(&items, "Rating"),
        ["2", "2", "3", "5", "6", "8", "8", "10", "10", "10", "100"]
    );

    let items = dune(&world).between("SK", "RATING#005", "RATING#008~").items().await?;
    assert_eq!(
        texts(&items, "SK"),
        [
            "RATING#005#R-005",
            "RATING#006#R-007",
            "RATING#008#R-006",
            "RATING#008#R-013"
        ]
    );
    Ok(())
}

#[tokio::test]
async fn an_inverted_rating_reads_best_first_forwards_and_worst_first_backwards() -> Result<()> {
    let world = replayed("library").await?;
    let inverted = || dune(&world).begins_with("SK", "RATING-DESC#");
    let best = inverted().limit(4).items().await?;
    assert_eq!(
        texts(&best, "SK"),
        [
            "RATING-DESC#899#R-008",
            "RATING-DESC#989#R-002",
            "RATING-DESC#989#R-004",
            "RATING-DESC#989#R-011"
        ]
    );
    let worst = inverted().backwards().items().await?;
    assert_eq!(
        texts(&worst, "Rating"),
        ["2", "2", "3", "5", "6", "8", "8", "10", "10", "10", "100"]
    );
    Ok(())
}

#[tokio::test]
async fn a_rating_can_be_counted_back_from_a_hundred() -> Result<()> {
    let world = replayed("library").await?;
    let items = dune(&world)
        .begins_with("SK", "RATING-BELOW-100#")
        .limit(5)
        .items()
        .await?;
    assert_eq!(
        texts(&items, "SK"),
        [
            "RATING-BELOW-100#000#R-008",
            "RATING-BELOW-100#090#R-002",
            "RATING-BELOW-100#090#R-004",
            "RATING-BELOW-100#090#R-011",
            "RATING-BELOW-100#092#R-006",
        ]
    );
    Ok(())
}

#[tokio::test]
async fn a_genre_lists_its_books_by_age() -> Result<()> {
    let world = replayed("library").await?;
    for (genre, titles) in [
        (
            "GENRE#classic",
            vec!["A Tale of Two Cities", "L'Éducation sentimentale"],
        ),
        ("GENRE#science fiction", vec!["Dune"]),
        ("GENRE#desert", vec!["Dune"]),
        ("GENRE#history", vec!["A Tale of Two Cities"]),
    ] {
        let items = world.query("library", "PK", genre).items().await?;
        assert_eq!(texts(&items, "Title"), titles, "{genre}");
    }
    let old = world
        .query("library", "PK", "GENRE#classic")
        .at_most("SK", "1860")
        .items()
        .await?;
    assert_eq!(texts(&old, "Title"), ["A Tale of Two Cities"]);
    Ok(())
}

#[tokio::test]
async fn an_author_is_found_in_any_case() -> Result<()> {
    let world = replayed("library").await?;
    for (author, title) in [
        ("AUTHOR#CHARLES DICKENS", "A Tale of Two Cities"),
        ("AUTHOR#FRANK HERBERT", "Dune"),
        ("AUTHOR#GUSTAVE FLAUBERT", "L'Éducation sentimentale"),
    ] {
        let items = world.query("library", "PK", author).items().await?;
        assert_eq!(texts(&items, "Title"), [title], "{author}");
    }
    Ok(())
}

#[tokio::test]
async fn one_index_serves_shelves_and_readers() -> Result<()> {
    let world = replayed("library").await?;
    let index = |partition: &str| world.query("library", "GSI1PK", partition).index("GSI1");
    assert_eq!(texts(&index("SHELF#A3").items().await?, "Title"), ["Dune"]);
    let shelf = index("SHELF#B1").items().await?;
    assert_eq!(
        texts(&shelf, "Title"),
        ["L'Éducation sentimentale"],
        "the book without a shelf is on none"
    );
    let reader = index("READER#mia").backwards().items().await?;
    assert_eq!(
        texts(&reader, "ReviewId"),
        ["R-101", "R-006", "R-001"],
        "reviews, and no shadow of one"
    );
    Ok(())
}
