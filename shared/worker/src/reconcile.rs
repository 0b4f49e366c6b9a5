//! Reconciling: read a source item, make its derived data match, and read it again, whatever happened before.
//!
//! The one routine behind every doubt of the stream and behind everything that works beside it. Shadows are read before
//! the source item, which makes a delete safe; the second reading of the source makes a put safe: a key that was written
//! is still wanted, and then the item's next change carries it in its old image, or the next round removes it.

use std::collections::BTreeSet;

use shadowkey_item::{Item, Key, Version};
use shadowkey_plan::{Change, Contested, Correction, Place, PlannedPut, Seen, Target, Transactions};
use shadowkey_store::Store;
use shadowkey_views::Views;

use crate::Problem;
use crate::apply::rejected;
use crate::turn::{RACES, Stop, Turn};

/// An item to reconcile.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// The source item.
    pub(crate) key: Key,
    /// The version that its shadows get at least.
    pub(crate) version: Version,
    /// Earlier images, where any are known: they say which attributes are left over.
    pub(crate) before: Vec<Item>,
    /// Places where shadows may be left over.
    pub(crate) candidates: BTreeSet<Place>,
}

/// What one round found and wrote.
struct Round {
    problems: Vec<Problem>,
    /// Whether the source item's attributes were brought up to date.
    updated: bool,
    /// Whether every write took effect.
    sure: bool,
}

/// What reconciling an item would come to.
pub(crate) enum Survey {
    /// Everything is as it should be, but for these.
    Settled(Vec<Problem>),
    /// Something would be written, and shadows put in these places at most.
    Writes(BTreeSet<Place>),
}

impl Job {
    /// An item of which nothing is known but its key.
    pub(crate) fn of_key(key: Key) -> Self {
        Self {
            key,
            version: Version::lowest(),
            before: Vec::new(),
            candidates: BTreeSet::new(),
        }
    }

    /// A change's item, with every place that its images derive as a candidate.
    pub(crate) fn of_change(views: &Views, change: &Change) -> Self {
        let derived = change.images().map(|image| views.derive(image));
        let places = derived.flat_map(|derived| derived.shadows.iter().map(Place::from).collect::<Vec<_>>());
        Self {
            key: change.key.clone(),
            version: change.version.clone(),
            candidates: places.collect(),
            before: change.images().cloned().collect(),
        }
    }
}

impl<S: Store> Turn<'_, S> {
    /// Makes the derived data of an item match what it is now, and gives the views that cannot.
    pub(crate) async fn reconcile(&mut self, job: &Job) -> Result<Vec<Problem>, Stop> {
        self.counters.reconciled += 1;
        let worker = self.worker;
        let mut candidates = job.candidates.clone();
        let mut seen = Seen::new();
        for _ in 0..RACES {
            for place in candidates
                .iter()
                .filter(|place| !seen.contains_key(place))
                .cloned()
                .collect::<Vec<_>>()
            {
                let found = self.read(&place).await?;
                seen.insert(place, found);
            }
            let image = self.read(&self.source(&job.key)).await?;
            let target = Target::new(&worker.views, &job.key, image.as_ref(), &job.before);
            let wanted = target.places();
            candidates.extend(wanted.iter().cloned());
            if wanted.iter().any(|place| !seen.contains_key(place)) {
                continue;
            }
            let correction = target.correct(&seen, &job.version);
            let idle = correction.is_empty();
            let round = self.round(job, &target, correction).await?;
            if idle {
                return Ok(round.problems);
            }
            let again = self.read(&self.source(&job.key)).await?;
            let updated = target.updated_image().filter(|_| round.updated);
            if round.sure && again.as_ref() == updated.as_deref().or(image.as_ref()) {
                return Ok(round.problems);
            }
            seen.clear();
        }
        Err(Stop::LostRace)
    }

    /// Finds out whether an item needs to be reconciled. Reads only.
    pub(crate) async fn survey(&mut self, job: &Job) -> Result<Survey, Stop> {
        let worker = self.worker;
        let mut seen = Seen::new();
        let image = self.read(&self.source(&job.key)).await?;
        let target = Target::new(&worker.views, &job.key, image.as_ref(), &job.before);
        let places = target.places();
        for place in places.union(&job.candidates) {
            let found = self.read(place).await?;
            seen.insert(place.clone(), found);
        }
        let correction = target.correct(&seen, &job.version);
        Ok(match correction.is_empty() {
            true => Survey::Settled(problems(&target, &correction)),
            false => Survey::Writes(places),
        })
    }

    /// Writes a correction, as far as nothing of the application's stands in its way.
    async fn round(&mut self, job: &Job, target: &Target<'_>, mut correction: Correction) -> Result<Round, Stop> {
        let mut problems = problems(target, &correction);
        for contested in std::mem::take(&mut correction.contested) {
            match self.owner_derives(job, target, &contested).await? {
                true => problems.push(collision(&contested.put)),
                false => correction.puts.push(contested.put),
            }
        }
        if !correction.puts.is_empty() {
            self.note(&job.key, target.places()).await?;
        }
        let round = Round {
            problems,
            updated: false,
            sure: true,
        };
        match self.worker.views.is_transactional() {
            true => self.transact_round(job, target, correction, round).await,
            false => self.write_round(job, target, correction, round).await,
        }
    }

    /// Writes a correction piece by piece. The old places stay until the new ones are certain.
    async fn write_round(
        &mut self,
        job: &Job,
        target: &Target<'_>,
        correction: Correction,
        mut round: Round,
    ) -> Result<Round, Stop> {
        if let (Some(update), Some(image)) = (correction.update, target.image()) {
            let updates = self.counters.updates;
            let before: Vec<&Item> = job.before.iter().collect();
            let problems = self.update(update, &job.key, image, &before).await?;
            round.problems.extend(problems);
            round.updated = self.counters.updates > updates;
        }
        let mut withdrawn = Vec::new();
        for planned in &correction.puts {
            self.check_lease()?;
            match self.write_put(planned).await? {
                Ok(written) => round.sure &= written.is_done(),
                Err(problem) => {
                    round.problems.push(problem.of(&planned.withdrawal));
                    withdrawn.push(&planned.withdrawal);
                }
            }
        }
        let sure = round.sure;
        for planned in correction.deletes.iter().filter(|_| sure) {
            match self.delete(planned).await {
                Ok(written) => round.sure &= written.is_done(),
                Err(stop) => round.problems.push(rejected(stop)?.of(planned)),
            }
        }
        for planned in withdrawn {
            self.delete(planned).await?;
        }
        Ok(round)
    }

    /// Writes a correction at once, with the source item held to what was read.
    async fn transact_round(
        &mut self,
        job: &Job,
        target: &Target<'_>,
        correction: Correction,
        mut round: Round,
    ) -> Result<Round, Stop> {
        let Correction {
            update, puts, deletes, ..
        } = correction;
        let updates = self.counters.updates;
        let views = &self.worker.views;
        let mut parts = Transactions::new(views, &job.key, target.image(), update, puts, deletes);
        round.sure = self.transact(&mut parts, &mut round.problems).await?.is_none();
        round.updated = self.counters.updates > updates;
        Ok(round)
    }

    /// Whether the source of the shadow that has the place still derives it.
    async fn owner_derives(&mut self, job: &Job, target: &Target<'_>, contested: &Contested) -> Result<bool, Stop> {
        let worker = self.worker;
        let occupant = &contested.occupant;
        let place = contested.put.place();
        if occupant.of == *job.key.attributes() {
            return Ok(target.derives(&occupant.view, &place));
        }
        // A marker that names no key of the table has no source that could derive anything.
        let Ok(owner) = worker.views.table().key.key_of(&occupant.of) else {
            return Ok(false);
        };
        let image = self.read(&self.source(&owner)).await?;
        Ok(Target::new(&worker.views, &owner, image.as_ref(), []).derives(&occupant.view, &place))
    }

    fn source(&self, key: &Key) -> Place {
        Place {
            table: self.worker.views.table().name.clone(),
            key: key.clone(),
        }
    }
}

/// The views that cannot be derived, and those that something of the application's stands in the way of.
fn problems(target: &Target<'_>, correction: &Correction) -> Vec<Problem> {
    let failures = target.failures().iter().map(Problem::of_failure);
    failures.chain(correction.collisions.iter().map(collision)).collect()
}

fn collision(planned: &PlannedPut) -> Problem {
    Problem::collision(planned).of(&planned.withdrawal)
}
