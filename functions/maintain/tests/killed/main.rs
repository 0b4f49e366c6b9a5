//! The function's own binary, killed with SIGKILL again and again.
//!
//! It runs under a driver that plays Lambda's runtime API and an event source mapping on the embedded engine's stream,
//! while an application keeps writing. When the application has stopped and the stream is dry, the tables have to be what
//! the source items derive. The points of the kills and the writes are drawn from a seed, SHADOWKEY_SEED in the environment
//! or 1; what happens at the same time on this machine is not, so that a seed does not repeat a run exactly.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod audit;
mod function;
mod mapping;
mod point;
mod server;
mod way;
mod world;
mod writers;

use fastrand::Rng;
use shadowkey_worker::{Settings, Worker};

use crate::audit::Retried;
use crate::mapping::{LANES, Lane, Stream};
use crate::point::Point;
use crate::world::World;

#[tokio::test]
async fn wherever_the_function_is_killed_the_tables_are_right_at_rest() {
    let seed = std::env::var("SHADOWKEY_SEED").map_or(1, |seed| seed.parse().expect("a seed is a number"));
    let mut rng = Rng::with_seed(seed);
    let world = World::new().await;
    let stream = Stream::open(&world).await;
    let own = writers::take_place(&world).await;
    let mut lanes: Vec<Lane<'_>> = (0..LANES)
        .map(|number| Lane::new(&world, &stream, number, rng.fork()))
        .collect();
    let [one, other] = &mut lanes[..] else {
        panic!("two lanes")
    };
    tokio::join!(
        one.run(),
        other.run(),
        writers::write(&world, &stream, rng.fork()),
        writers::write(&world, &stream, rng.fork()),
    );
    while one.drain().await | other.drain().await {}
    eprintln!("seed {seed}: {:?}", world.tally);
    let differences = audit::differences(&world, &own, Retried::No).await;
    assert_eq!(differences, Vec::<String>::new(), "seed {seed}, when the stream is dry");

    let worker = Worker::new(
        world.views.clone(),
        &world.store,
        Settings::default(),
        maintain::system_clock(),
    );
    worker.retry_parked("retry", None).await.expect("retry");
    // Taking a place writes no source item; attributes that were brought up to date do.
    while one.drain().await | other.drain().await {}
    let differences = audit::differences(&world, &own, Retried::Yes).await;
    assert_eq!(
        differences,
        Vec::<String>::new(),
        "seed {seed}, after trying again what was parked"
    );
    for happened in Point::KINDS
        .into_iter()
        .chain(["batch failed", "batch failed in part", "checkpoint lost"])
    {
        assert!(world.tally.of(happened) > 0, "it never happened: {happened}");
    }
}
