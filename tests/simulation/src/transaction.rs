//! A transaction at the port: all of its actions at one step, each audited as the write it is.

use std::rc::Rc;

use shadowkey_item::{Item, Key};
use shadowkey_plan::Action;
use shadowkey_store::{Reason, StoreError, Transacted, Written};
use shadowkey_views::{MARKER, Marker, Views};

use crate::Event;
use crate::call::{Answer, Call};
use crate::desk::ActorId;
use crate::sim::Sim;
use crate::stream::Author;
use crate::tables::{Effect, Tables};

/// Executes the actions of a transaction and has each of them audited.
pub(crate) fn perform(sim: &Rc<Sim>, actor: Option<ActorId>, actions: &[Action]) -> Effect {
    let step = sim.step.get();
    let calls: Vec<Option<Call>> = actions.iter().map(call_of).collect();
    let (answer, effects) = sim.draw(|rng| sim.tables.borrow_mut().execute_all(actions, Author::Worker, step, rng));
    match &answer {
        Ok(Transacted::Done { .. }) => {
            sim.cover(Event::TransactionDone);
            for (call, effect) in calls.iter().zip(&effects) {
                if let Some(call) = call {
                    sim.audit(actor, call, effect);
                }
            }
            if let Err(violation) = check_agreement(&sim.views, &sim.tables(), actions) {
                sim.violate(violation);
            }
        }
        Ok(Transacted::Cancelled { reasons }) => {
            sim.cover(Event::TransactionCancelled);
            let is_source_refused = matches!(reasons.first(), Some(Reason::Refused { .. }));
            if is_source_refused {
                sim.cover(Event::TransactionMoved);
                sim.remember(actor, &Call::Transact(actions.to_vec()), true);
            }
            for ((call, effect), reason) in calls.iter().zip(&effects).zip(reasons) {
                if let (Some(call), Reason::Refused { .. }) = (call, reason) {
                    sim.remember(actor, call, true);
                    crate::audit::count_branch(&mut sim.coverage.borrow_mut(), &sim.views, call, effect);
                }
            }
        }
        Err(_) => {}
    }
    Effect {
        key: None,
        before: None,
        after: None,
        answer: answer.map(Answer::Transacted),
    }
}

/// The single write that an action is; a check is none.
pub(crate) fn call_of(action: &Action) -> Option<Call> {
    Some(match action {
        Action::Put(put) => Call::Put(put.clone()),
        Action::Update(update) => Call::Update(update.clone()),
        Action::Delete(delete) => Call::Delete(delete.clone()),
        Action::Check(_) => return None,
    })
}

/// What the action's write is answered as part of the transaction.
pub(crate) fn answer_of(answer: &Result<Transacted, StoreError>, index: usize) -> Written {
    let reason = match answer {
        Ok(Transacted::Cancelled { reasons }) => reasons.get(index),
        _ => None,
    };
    match reason {
        Some(Reason::Refused { found }) => Written::Refused { found: found.clone() },
        _ => Written::Done { write_units: 0 },
    }
}

/// At the moment at which a transaction commits, each shadow that it puts is what its source item derives now, but for
/// attributes that the item has been given since: no condition can say that there are no others.
fn check_agreement(views: &Views, tables: &Tables, actions: &[Action]) -> Result<(), String> {
    for action in actions {
        let Action::Put(put) = action else { continue };
        let Some(marker) = Marker::of_item(&put.item) else {
            continue;
        };
        let key: Option<Key> = views.table().key.key_of(&marker.of).ok();
        let source = key.and_then(|key| tables.get(&views.table().name, &key));
        let derived = source.map(|source| views.derive(&source)).unwrap_or_default();
        let unversioned = Marker { at: None, ..marker };
        let mut item = put.item.clone();
        item.insert(MARKER.to_owned(), unversioned.to_value());
        let is_part = |of: &Item| item.iter().all(|(name, value)| of.get(name) == Some(value));
        let is_derived = |shadow: &shadowkey_views::Shadow| shadow.table == put.table && is_part(shadow.item());
        if !derived.shadows.iter().any(is_derived) {
            return Err(format!(
                "a transaction puts {}, which its source item does not derive at that moment",
                shadowkey_item::item_to_json(&put.item)
            ));
        }
    }
    Ok(())
}
