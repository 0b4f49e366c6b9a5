//! What is still started near an invocation's end.

use std::time::Duration;

use shadowkey_item::Key;
use shadowkey_plan::{Action, Delete, Update};
use shadowkey_store::{Page, Transacted, Written};

use shadowkey_store::StoreError;

use super::*;

/// A store whose writes take a second each.
struct Slow(MemoryStore);

impl Slow {
    async fn take(&self) {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

impl Store for Slow {
    async fn get(&self, table: &TableName, key: &Key) -> Result<Option<Item>, StoreError> {
        self.0.get(table, key).await
    }

    async fn put(&self, put: &Put) -> Result<Written, StoreError> {
        self.take().await;
        self.0.put(put).await
    }

    async fn update(&self, update: &Update) -> Result<Written, StoreError> {
        self.take().await;
        self.0.update(update).await
    }

    async fn delete(&self, delete: &Delete) -> Result<Written, StoreError> {
        self.take().await;
        self.0.delete(delete).await
    }

    async fn transact(&self, actions: &[Action]) -> Result<Transacted, StoreError> {
        self.take().await;
        self.0.transact(actions).await
    }

    async fn scan(&self, table: &TableName, start: Option<&Item>) -> Result<Page, StoreError> {
        self.0.scan(table, start).await
    }
}

#[tokio::test(start_paused = true)]
async fn an_item_with_many_writes_stops_at_the_deadline_too() {
    let tags: Vec<String> = (0..100).map(|n| format!("tag{n:02}")).collect();
    let file = format!(
        "{FILE}[shadow.by-tag]\nsource = \"ticket\"\nfor_each = {{ tag = \"tags\" }}\nkey = {{ PK = \"TAG#{{tag}}\" }}\n"
    );
    let worker = Worker::new(
        load(&file).views.expect("views"),
        Slow(memory()),
        Settings::default(),
        Clock::at(Duration::ZERO),
    );
    let tagged = with(ticket("T", "1", "x"), "tags", json!({ "SS": tags }));
    let deadline = Instant::now() + Duration::from_secs(30);
    let outcome = worker
        .handle(&event(&[record(1, None, Some(tagged))]), Some(deadline))
        .await
        .expect("outcome");
    assert_eq!(outcome.items[0].problems[0].code, "closed");
    assert_eq!(
        outcome.counters.requests, 18,
        "a second each, up to twelve seconds before the end"
    );
}

#[tokio::test(start_paused = true)]
async fn near_the_deadline_no_work_is_started() {
    let worker = worker();
    let batch = event(&[record(1, None, Some(ticket("T", "1", "x")))]);
    let soon = Instant::now() + Duration::from_secs(5);
    assert!(matches!(
        worker.handle(&batch, Some(soon)).await,
        Err(WorkerError::NoTime { .. })
    ));
    let store = FaultyStore::new(memory(), |_: &[Action]| Some(Fault::Before(throttled())));
    let patient = Settings {
        attempts: u32::MAX,
        ..Settings::default()
    };
    let worker = Worker::new(views(), store, patient, Clock::at(Duration::ZERO));
    let deadline = Instant::now() + Duration::from_secs(60);
    let outcome = worker.handle(&batch, Some(deadline)).await.expect("outcome");
    assert!(outcome.earliest_failed.is_some());
    assert!(Instant::now() <= deadline - Settings::default().deadline_margin);
}
