//! What works beside the stream: redrive, backfill, and trying parked entries again. All of it reconciles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use futures::StreamExt;
use shadowkey_item::Key;
use shadowkey_store::Store;
use tokio::time::Instant;

use crate::handle::Intake;
use crate::item::ItemRun;
use crate::notes::{Note, Places, Run};
use crate::parked::Parked;
use crate::reconcile::{Job, Survey};
use crate::state::State;
use crate::turn::{Pass, Stop, Turn};
use crate::{ItemOutcome, Outcome, Problem, Worker, WorkerError};

/// How many items share one note.
const PAGE: usize = 100;

/// An item to reconcile, and what its records leave open.
type Work = (Job, Vec<Problem>);

impl<S: Store> Worker<S> {
    /// Reconciles every item of a Lambda event that was given up, with the keys of all its images as candidates.
    ///
    /// `run` names this run and no other: two runs of one name would take each other's notes for their own.
    pub async fn redrive(&self, event: &str, run: &str, deadline: Option<Instant>) -> Result<Outcome, WorkerError> {
        let pass = self.pass(deadline)?;
        let intake = Intake::read(self, event)?;
        let work = intake.changes.iter().map(|change| {
            let flaw = change.flaw.as_ref().and_then(Problem::of_flaw);
            (Job::of_change(&self.views, change), Vec::from_iter(flaw))
        });
        let state = self.state(&pass).await?;
        let runs = self.reconcile_all(work.collect(), state.notes, run, &pass).await?;
        intake.outcome(runs)
    }

    /// Reconciles source items of which only the keys are known.
    pub async fn reconcile_items(
        &self,
        sources: &[Key],
        run: &str,
        deadline: Option<Instant>,
    ) -> Result<Outcome, WorkerError> {
        let pass = self.pass(deadline)?;
        let state = self.state(&pass).await?;
        let work = sources.iter().map(|key| (Job::of_key(key.clone()), Vec::new()));
        let runs = self.reconcile_all(work.collect(), state.notes, run, &pass).await?;
        Ok(Outcome::of_runs(runs))
    }

    /// Reconciles every item that has something parked, clears what that settles, and does the work that crashed runs have
    /// left noted.
    pub async fn retry_parked(&self, run: &str, deadline: Option<Instant>) -> Result<Outcome, WorkerError> {
        let pass = self.pass(deadline)?;
        let State { parked, notes } = self.state(&pass).await?;
        let mut jobs: BTreeMap<&Key, Job> = BTreeMap::new();
        for entry in &parked {
            let job = jobs.entry(&entry.of).or_insert_with(|| Job::of_key(entry.of.clone()));
            job.candidates.extend(entry.places.iter().cloned());
        }
        let work = jobs.into_values().map(|job| (job, Vec::new())).collect();
        let mut runs = self.reconcile_all(work, notes, run, &pass).await?;
        for run in runs.iter_mut().filter(|run| run.outcome.is_done()) {
            let mut turn = self.turn(&pass);
            let entries = parked.iter().filter(|entry| entry.of == run.outcome.key);
            for entry in entries.filter(|entry| is_settled(entry, &run.outcome)) {
                turn.clear_settled(entry)
                    .await
                    .map_err(|stop| self.failed(&pass, stop))?;
            }
            run.counters += turn.counters;
        }
        Ok(Outcome::of_runs(runs))
    }

    /// What is parked, by source item and view; nothing where there is no state table.
    pub async fn parked(&self) -> Result<Vec<Parked>, WorkerError> {
        let pass = self.pass(None)?;
        let State { mut parked, .. } = self.state(&pass).await?;
        parked.sort_by(|a, b| (&a.of, &a.view).cmp(&(&b.of, &b.view)));
        Ok(parked)
    }

    /// Drops an entry, unless it was parked anew; what it tells of is then nowhere written down.
    pub async fn drop_parked(&self, entry: &Parked) -> Result<(), WorkerError> {
        let pass = self.pass(None)?;
        let cleared = self.turn(&pass).clear_settled(entry).await;
        cleared.map_err(|stop| self.failed(&pass, stop))
    }

    /// Reconciles items page by page, with the open notes of all runs as candidates, and the work of those whose lease is over.
    async fn reconcile_all(
        &self,
        mut work: Vec<Work>,
        notes: Vec<Note>,
        run: &str,
        pass: &Pass,
    ) -> Result<Vec<ItemRun>, WorkerError> {
        let now_ms = self.clock.now_ms();
        let (over, open): (Vec<Note>, Vec<Note>) = notes.into_iter().partition(|note| note.until_ms <= now_ms);
        let known: BTreeSet<Key> = work.iter().map(|(job, _)| job.key.clone()).collect();
        let left: BTreeSet<Key> = over.iter().flat_map(|note| note.places.keys().cloned()).collect();
        work.extend(
            left.difference(&known)
                .map(|key| (Job::of_key(key.clone()), Vec::new())),
        );
        for (job, _) in &mut work {
            let noted = over.iter().chain(&open).filter_map(|note| note.places.get(&job.key));
            job.candidates.extend(noted.flatten().cloned());
        }
        let mut runs = Vec::new();
        for (number, page) in work.chunks(PAGE).enumerate() {
            let run = Run::new(&format!("{run}#{number}"), self.clock.now_ms());
            let reconciled = self.reconcile_page(page, runs.len(), &run, pass).await?;
            runs.extend(reconciled);
        }
        let undone: BTreeSet<&Key> = runs
            .iter()
            .filter(|run| !run.outcome.is_done())
            .map(|run| &run.outcome.key)
            .collect();
        for note in over
            .iter()
            .filter(|note| !note.places.keys().any(|key| undone.contains(key)))
        {
            self.turn(pass)
                .drop_note_of_other(note)
                .await
                .map_err(|stop| self.failed(pass, stop))?;
        }
        Ok(runs)
    }

    /// Surveys the items of a page, notes where shadows are about to be put, and reconciles what needs it.
    async fn reconcile_page(
        &self,
        page: &[Work],
        first: usize,
        run: &Run,
        pass: &Pass,
    ) -> Result<Vec<ItemRun>, WorkerError> {
        let side_by_side = self.settings.items_side_by_side;
        let surveys = page.iter().enumerate().map(|(index, (job, _))| async move {
            let mut turn = Turn::new(self, pass, Some(run), first + index);
            let survey = turn.survey(job).await;
            (turn, survey)
        });
        let surveys: Vec<_> = futures::stream::iter(surveys).buffered(side_by_side).collect().await;
        let mut places = Places::new();
        for ((job, _), (_, survey)) in page.iter().zip(&surveys) {
            if let Ok(Survey::Writes(wanted)) = survey {
                places
                    .entry(job.key.clone())
                    .or_default()
                    .extend(wanted.iter().cloned());
            }
        }
        let mut turn = Turn::new(self, pass, Some(run), first);
        turn.note_all(places).await.map_err(|stop| self.failed(pass, stop))?;
        let runs = page
            .iter()
            .zip(surveys)
            .enumerate()
            .map(|(index, ((job, flaws), (turn, survey)))| {
                turn.settle(job.clone(), first + index, flaws.clone(), survey)
            });
        let runs: Vec<ItemRun> = futures::stream::iter(runs).buffered(side_by_side).collect().await;
        if runs.iter().all(|run| run.outcome.is_done()) {
            turn.drop_own_notes().await.map_err(|stop| self.failed(pass, stop))?;
        }
        self.check_halted(pass)?;
        Ok(runs)
    }

    /// All that stands in the state table.
    async fn state(&self, pass: &Pass) -> Result<State, WorkerError> {
        let state = self.turn(pass).read_state().await;
        state.map_err(|stop| self.failed(pass, stop))
    }

    /// A turn for what concerns no single item.
    fn turn<'a>(&'a self, pass: &'a Pass) -> Turn<'a, S> {
        Turn::new(self, pass, None, 0)
    }

    /// The error of a run that cannot go on.
    fn failed(&self, pass: &Pass, stop: Stop) -> WorkerError {
        let problem = self.turn(pass).stopped(stop);
        match self.check_halted(pass) {
            Err(halted) => halted,
            Ok(()) => WorkerError::Interrupted(problem.message),
        }
    }
}

impl<S: Store> Turn<'_, S> {
    /// Reconciles an item unless its survey has shown that nothing is to be written.
    async fn settle(self, job: Job, position: usize, flaws: Vec<Problem>, survey: Result<Survey, Stop>) -> ItemRun {
        let settled = match survey {
            Ok(Survey::Writes(_)) => return self.handle_job(job, position, flaws).await,
            Ok(Survey::Settled(problems)) => Ok(problems),
            Err(stop) => Err(stop),
        };
        let mut outcome = ItemOutcome::of(job.key);
        outcome.problems = flaws;
        let settled = settled.map(|problems| outcome.problems.extend(problems));
        self.conclude(Ok(settled), position, &job.version, outcome, job.candidates)
            .await
    }
}

/// Whether an item's reconciling has shown that an entry is no longer true.
fn is_settled(entry: &Parked, outcome: &ItemOutcome) -> bool {
    !entry.needs_repair() && !outcome.problems.iter().any(|problem| problem.view == entry.view)
}

impl Outcome {
    pub(crate) fn of_runs(runs: impl IntoIterator<Item = ItemRun>) -> Self {
        let mut outcome = Self::default();
        for run in runs {
            outcome.counters += run.counters;
            outcome.items.push(run.outcome);
        }
        outcome
    }
}

impl Pass {
    pub(crate) fn new(closing: crate::attempts::Closing) -> Self {
        Self {
            closing,
            halted: OnceLock::new(),
        }
    }
}
