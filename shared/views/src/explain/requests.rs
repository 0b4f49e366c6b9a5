//! The key conditions of one read: one set of them, or one for each bucket.

use shadowkey_item::ScalarType;

use super::layout::{KeyPart, Piece, bucket_width};

/// The most requests that are listed for one read. Only several `shard`s need more, and then one request, with the fields
/// in it, stands for all.
const MAX_REQUESTS: usize = 10_000;

/// A `shard` whose input the reader does not give.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Buckets {
    /// The path of its input.
    #[serde(rename = "field")]
    pub path: String,
    /// The number of buckets.
    pub buckets: usize,
}

/// One part of a key condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The key attribute.
    pub name: String,
    /// Its type.
    pub kind: ScalarType,
    /// How it is compared.
    pub operator: Operator,
    /// The value, spelled as a template.
    pub value: String,
}

/// How a key condition compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `=`
    Equal,
    /// `begins_with`
    BeginsWith,
}

/// The conditions of each request: the whole partition key, and the sort key as far as the taken pieces go.
pub(super) fn requests(
    partition: &KeyPart,
    sort: Option<(&KeyPart, &[Piece])>,
    buckets: &[Buckets],
) -> Vec<Vec<Condition>> {
    let combinations = combinations(buckets);
    let one = |chosen: &Vec<Chosen<'_>>| {
        let mut conditions = vec![Condition {
            name: partition.name.clone(),
            kind: partition.kind,
            operator: Operator::Equal,
            value: value(&partition.pieces, chosen),
        }];
        // No condition at all is what asks for every sort key.
        if let Some((sort, taken)) = sort.filter(|(_, taken)| !taken.is_empty()) {
            conditions.push(Condition {
                name: sort.name.clone(),
                kind: sort.kind,
                operator: if taken.len() == sort.pieces.len() {
                    Operator::Equal
                } else {
                    Operator::BeginsWith
                },
                value: value(taken, chosen),
            });
        }
        conditions
    };
    combinations.iter().map(one).collect()
}

/// A `shard` and its bucket in one request.
type Chosen<'a> = (&'a Buckets, String);

/// Every choice of one bucket for each `shard`.
fn combinations(buckets: &[Buckets]) -> Vec<Vec<Chosen<'_>>> {
    let requests = buckets
        .iter()
        .try_fold(1usize, |all, shard| all.checked_mul(shard.buckets));
    let mut combinations = vec![Vec::new()];
    if requests.is_none_or(|requests| requests > MAX_REQUESTS) {
        return combinations;
    }
    for shard in buckets {
        let width = bucket_width(shard.buckets);
        let mut longer = Vec::new();
        for chosen in &combinations {
            longer.extend((0..shard.buckets).map(|bucket| {
                let mut chosen: Vec<Chosen<'_>> = chosen.clone();
                chosen.push((shard, format!("{bucket:0width$}")));
                chosen
            }));
        }
        combinations = longer;
    }
    combinations
}

fn value(pieces: &[Piece], chosen: &[Chosen<'_>]) -> String {
    let text = |piece: &Piece| {
        let field = piece.as_field()?;
        let mut chosen = chosen.iter();
        let (_, bucket) =
            chosen.find(|(shard, _)| shard.path == field.path && Some(shard.buckets) == field.buckets())?;
        Some(bucket.clone())
    };
    pieces
        .iter()
        .map(|piece| text(piece).unwrap_or_else(|| piece.spelling()))
        .collect()
}
