//! The fixture worlds: what their filters let through of what the application and the worker wrote.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shadowkey_item::{Item, TableName, item_to_json};
use shadowkey_views::{Views, load};

use crate::lambda::passes;
use crate::{IMAGES, image, matters};

fn worlds() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut worlds: Vec<PathBuf> = fs::read_dir(fixtures)
        .expect("fixtures")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.is_dir())
        .collect();
    worlds.sort();
    worlds
}

fn views(world: &Path) -> Views {
    let text = fs::read_to_string(world.join("views.toml")).expect("view file");
    load(&text).views.expect("views")
}

/// The records of the application's own writes.
fn records(world: &Path) -> Vec<Value> {
    let mut files: Vec<PathBuf> = fs::read_dir(world.join("events"))
        .expect("events")
        .map(|entry| entry.expect("entry").path())
        .collect();
    files.sort();
    let events = files.iter().map(|file| fs::read_to_string(file).expect("events"));
    let events = events.map(|text| serde_json::from_str::<Value>(&text).expect("JSON"));
    events
        .flat_map(|event| event["Records"].as_array().expect("records").clone())
        .collect()
}

/// The records that each shadow of an image causes in the sources' own table: its first put, a put of the same, its delete.
fn records_of_shadows(views: &Views, image: &Item) -> Vec<Value> {
    let table: &TableName = &views.table().name;
    let shadows = views
        .derive(image)
        .shadows
        .into_iter()
        .filter(|shadow| shadow.table == *table);
    let of_shadow = |item: Value, key: Value| {
        [
            ("INSERT", [false, true]),
            ("MODIFY", [true, true]),
            ("REMOVE", [true, false]),
        ]
        .map(|(event, there)| {
            let mut change = json!({"Keys": key});
            for (name, _) in IMAGES.iter().zip(there).filter(|(_, there)| *there) {
                change[*name] = item.clone();
            }
            json!({"eventName": event, "dynamodb": change})
        })
    };
    shadows
        .flat_map(|shadow| of_shadow(item_to_json(shadow.item()), item_to_json(shadow.key.attributes())))
        .collect()
}

#[test]
fn shadows_invoke_nothing_and_what_derives_something_passes() {
    let mut lines = Vec::new();
    for world in worlds() {
        let (views, records) = (views(&world), records(&world));
        let filters = views.filters();
        let pass = |records: &[Value]| {
            records
                .iter()
                .filter(|record| passes(&filters.patterns, record))
                .count()
        };
        let deriving: Vec<Value> = records
            .iter()
            .filter(|record| matters(&views, record))
            .cloned()
            .collect();
        assert_eq!(pass(&deriving), deriving.len(), "{}: {filters:?}", world.display());
        let images = records
            .iter()
            .flat_map(|record| IMAGES.iter().filter_map(|name| image(record, name)));
        let own: Vec<Value> = images.flat_map(|image| records_of_shadows(&views, &image)).collect();
        lines.push(format!(
            "{}: {} filters; {} of {} records of the application pass, {} derive something; {} of {} of shadows pass",
            world.file_name().unwrap_or_default().display(),
            filters.patterns.len(),
            pass(&records),
            records.len(),
            deriving.len(),
            pass(&own),
            own.len(),
        ));
    }
    let expected = [
        "library: 2 filters; 30 of 31 records of the application pass, 30 derive something; 0 of 405 of shadows pass",
        "organisation: 5 filters; 22 of 26 records of the application pass, 22 derive something; 0 of 222 of shadows pass",
        "profiles: 1 filters; 20 of 21 records of the application pass, 20 derive something; 0 of 204 of shadows pass",
        "restaurants: 1 filters; 28 of 29 records of the application pass, 26 derive something; 0 of 0 of shadows pass",
        "tickets: 1 filters; 30 of 33 records of the application pass, 30 derive something; 0 of 348 of shadows pass",
    ];
    assert_eq!(lines, expected);
}
