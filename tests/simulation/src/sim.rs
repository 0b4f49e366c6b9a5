//! What all tasks of a run share.

use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use shadowkey_views::Views;
use shadowkey_worker::{Clock, Worker};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_local};

use crate::audit::Auditor;
use crate::call::Call;
use crate::desk::{ActorId, Desk, Ready, SimStore};
use crate::profile::{Mode, Profile};
use crate::redrive::Destination;
use crate::stream::Author;
use crate::tables::{Effect, Tables};
use crate::trace::Trace;
use crate::{Coverage, Event};

/// The time of day at which every run starts.
const STARTED: Duration = Duration::from_secs(1_767_600_000);

/// One who takes steps.
#[derive(Debug)]
pub(crate) struct Actor {
    pub(crate) name: String,
    /// How likely it is to be picked, beside the others'.
    pub(crate) weight: u32,
    /// Whether it works beside the stream.
    pub(crate) beside: bool,
    /// It is not picked before that step, if others can be.
    pub(crate) stalled_until: u64,
}

/// A work of the worker's that is under way.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) kill: Option<oneshot::Sender<()>>,
    /// The step at which it began.
    pub(crate) since: u64,
    /// What it has sent.
    pub(crate) calls: Vec<(Call, bool)>,
}

pub(crate) struct Sim {
    pub(crate) profile: Profile,
    pub(crate) views: Views,
    pub(crate) desk: Arc<Desk>,
    pub(crate) rng: RefCell<fastrand::Rng>,
    pub(crate) tables: RefCell<Tables>,
    pub(crate) auditor: RefCell<Auditor>,
    pub(crate) coverage: RefCell<Coverage>,
    pub(crate) trace: RefCell<Trace>,
    pub(crate) destination: RefCell<Destination>,
    pub(crate) actors: RefCell<Vec<Actor>>,
    pub(crate) running: RefCell<BTreeMap<ActorId, Running>>,
    pub(crate) tasks: RefCell<Vec<JoinHandle<()>>>,
    /// Calls that take effect late, with the step at which they do.
    pub(crate) late: RefCell<Vec<(u64, Call)>>,
    pub(crate) step: Cell<u64>,
    /// Whether the writers still write.
    pub(crate) storm: Cell<bool>,
    pub(crate) faults: Cell<bool>,
    pub(crate) halted_until: Cell<u64>,
    runs: Cell<u64>,
    clock: OnceCell<Clock>,
    violation: RefCell<Option<String>>,
}

impl Sim {
    pub(crate) fn new(profile: Profile, mut rng: fastrand::Rng, trace: Trace) -> Self {
        let views = profile.world.views(profile.state, profile.transactional).clone();
        let partition = &views.table().key.partition.name;
        let stream = crate::stream::Stream::new(partition, profile.shards, &mut rng);
        Self {
            tables: RefCell::new(Tables::new(&views, stream)),
            auditor: RefCell::default(),
            coverage: RefCell::default(),
            trace: RefCell::new(trace),
            destination: RefCell::default(),
            actors: RefCell::default(),
            running: RefCell::default(),
            tasks: RefCell::default(),
            late: RefCell::default(),
            step: Cell::new(0),
            storm: Cell::new(true),
            faults: Cell::new(true),
            halted_until: Cell::new(0),
            runs: Cell::new(0),
            clock: OnceCell::new(),
            violation: RefCell::default(),
            desk: Arc::default(),
            rng: RefCell::new(rng),
            views,
            profile,
        }
    }

    /// Draws something. Nothing else may be drawn meanwhile.
    pub(crate) fn draw<T>(&self, draw: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        draw(&mut self.rng.borrow_mut())
    }

    /// Whether something happens that comes so often in a thousand times.
    pub(crate) fn chance(&self, in_a_thousand: u32) -> bool {
        in_a_thousand > 0 && self.draw(|rng| rng.u32(0..1000)) < in_a_thousand
    }

    pub(crate) fn tables(&self) -> Ref<'_, Tables> {
        self.tables.borrow()
    }

    pub(crate) fn cover(&self, event: Event) {
        self.coverage.borrow_mut().add(event, 1);
    }

    pub(crate) fn note(&self, line: impl FnOnce() -> String) {
        self.trace.borrow_mut().line(self.step.get(), line);
    }

    pub(crate) fn actor(&self, name: String, weight: u32) -> ActorId {
        let mut actors = self.actors.borrow_mut();
        actors.push(Actor {
            name,
            weight,
            beside: false,
            stalled_until: 0,
        });
        ActorId(actors.len() - 1)
    }

    /// An actor that works beside the stream.
    pub(crate) fn actor_beside(&self, name: String, weight: u32) -> ActorId {
        let id = self.actor(name, weight);
        if let Some(actor) = self.actors.borrow_mut().get_mut(id.0) {
            actor.beside = true;
        }
        id
    }

    /// How often a call of the actor's crashes it, in a thousand.
    pub(crate) fn crash_rate(&self, actor: ActorId) -> u32 {
        let more = if self.is_beside(actor) {
            self.profile.beside_crashes
        } else {
            1
        };
        // A run has to get to its end now and then.
        (self.profile.rates.crash * more).min(70)
    }

    pub(crate) fn is_beside(&self, actor: ActorId) -> bool {
        self.actors.borrow().get(actor.0).is_some_and(|actor| actor.beside)
    }

    pub(crate) fn name(&self, actor: ActorId) -> String {
        let actors = self.actors.borrow();
        actors.get(actor.0).map(|actor| actor.name.clone()).unwrap_or_default()
    }

    /// A worker whose calls are the actor's.
    pub(crate) fn worker(&self, actor: ActorId) -> Worker<SimStore> {
        let desk = Arc::clone(&self.desk);
        let clock = *self.clock.get_or_init(|| Clock::at(STARTED));
        Worker::new(
            self.views.clone(),
            SimStore { desk, actor },
            self.profile.settings.clone(),
            clock,
        )
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.tasks.borrow_mut().push(spawn_local(task));
    }

    pub(crate) async fn turn(&self, actor: ActorId, ready: Ready) {
        self.desk.turn(actor, ready).await;
    }

    /// An id that no run had before.
    pub(crate) fn new_run(&self) -> String {
        self.runs.set(self.runs.get() + 1);
        format!("run {}", self.runs.get())
    }

    /// Executes a call of the worker's and has it audited.
    pub(crate) fn perform(self: &Rc<Self>, actor: Option<ActorId>, call: &Call) -> Effect {
        if let Call::Transact(actions) = call {
            return crate::transaction::perform(self, actor, actions);
        }
        let step = self.step.get();
        let effect = self.draw(|rng| self.tables.borrow_mut().execute(call, Author::Worker, step, rng));
        self.audit(actor, call, &effect);
        effect
    }

    /// Remembers what an invocation has sent, and since when it runs.
    pub(crate) fn remember(&self, actor: Option<ActorId>, call: &Call, refused: bool) -> Option<u64> {
        let mut running = self.running.borrow_mut();
        let running = running.get_mut(&actor?)?;
        running.calls.push((call.clone(), refused));
        Some(running.since)
    }

    /// Has a call audited that took effect, or did not.
    pub(crate) fn audit(&self, actor: Option<ActorId>, call: &Call, effect: &Effect) {
        let since = self.remember(actor, call, effect.is_refused());
        let checked = self
            .auditor
            .borrow_mut()
            .saw(&self.views, &self.tables(), (call, effect), since);
        if let Err(violation) = checked {
            self.violate(violation);
        }
        let branch = crate::audit::count_branch(&mut self.coverage.borrow_mut(), &self.views, call, effect);
        let is_late = matches!(branch, Event::PutRefusedHigher | Event::DeleteRefusedNewer);
        if is_late && self.profile.mode == Mode::Calm {
            let call = crate::driver::describe(call);
            self.violate(format!(
                "one change after the other, and yet a newer one came before: {call}"
            ));
        }
    }

    /// Ends the run: a promise is broken.
    pub(crate) fn violate(&self, violation: String) {
        self.note(|| format!("VIOLATION {violation}"));
        let step = self.step.get();
        self.violation
            .borrow_mut()
            .get_or_insert_with(|| format!("step {step}: {violation}"));
    }

    pub(crate) fn is_over(&self) -> bool {
        self.violation.borrow().is_some()
    }

    pub(crate) fn violation(&self) -> Option<String> {
        self.violation.borrow().clone()
    }
}
