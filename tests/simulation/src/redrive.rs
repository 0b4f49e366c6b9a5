//! The failure destination, and the actor that takes objects from it.

use std::rc::Rc;

use crate::Event;
use crate::actors::{Work, once};
use crate::desk::Ready;
use crate::sim::Sim;
use crate::stream::{Record, event};

/// How often an object is tried.
const TRIES: u32 = 8;

/// How often it is tried once more, in each round after the faults.
const LAST_TRIES: u32 = 2;

/// Records that an event source mapping gave up.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    number: u64,
    pub(crate) records: Vec<Rc<Record>>,
    failures: u32,
}

/// What was given up.
#[derive(Debug, Default)]
pub(crate) struct Destination {
    last: u64,
    pub(crate) objects: Vec<Object>,
}

impl Destination {
    pub(crate) fn add(&mut self, records: Vec<Rc<Record>>) {
        self.last += 1;
        self.objects.push(Object {
            number: self.last,
            records,
            failures: 0,
        });
    }

    /// Whether an object is worth a try.
    pub(crate) fn has_work(&self) -> bool {
        self.objects.iter().any(|object| object.failures < TRIES)
    }

    fn draw(&self, rng: &mut fastrand::Rng) -> Option<Object> {
        let open = self.objects.iter().filter(|object| object.failures < TRIES);
        rng.choice(open.collect::<Vec<_>>()).cloned()
    }

    /// Every object is worth a few tries more.
    pub(crate) fn forgive_failures(&mut self) {
        for object in &mut self.objects {
            object.failures = object.failures.min(TRIES - LAST_TRIES);
        }
    }

    fn end_try(&mut self, number: u64, done: bool) {
        if done {
            self.objects.retain(|object| object.number != number);
        } else if let Some(object) = self.objects.iter_mut().find(|object| object.number == number) {
            object.failures += 1;
        }
    }
}

/// Takes objects from the destination, in any order, for ever.
pub(crate) async fn redrive(sim: Rc<Sim>) {
    let actor = sim.actor_beside("redrive".to_owned(), sim.draw(|rng| rng.u32(1..8)));
    let worker = sim.worker(actor);
    loop {
        sim.turn(actor, Ready::Object).await;
        let drawn = sim.draw(|rng| sim.destination.borrow().draw(rng));
        let Some(object) = drawn else { continue };
        let work = Work::Redrive(event(&object.records));
        let endings = [Event::RedriveDone, Event::RedriveFailed, Event::RedriveCrash];
        let done = once(&sim, actor, &worker, &work, endings).await;
        sim.destination.borrow_mut().end_try(object.number, done);
    }
}
