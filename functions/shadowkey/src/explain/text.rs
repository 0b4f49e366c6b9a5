//! An explanation for a person, in lines of a hundred columns where no template is longer.

mod cost;
mod neighbours;
mod queries;

use shadowkey_views::{Explanation, Field, KeyPart, Order, Output, Piece, Projection, Resident, Role, ViewKind};

/// How wide a line may be.
const COLUMNS: usize = 100;

/// The whole text, each paragraph with its title.
pub(super) fn to_text(explained: &Explanation) -> String {
    let mut page = Page(String::new());
    page.line(0, &title(explained));
    if let Some(carried) = carried(explained) {
        page.words(2, 2, &carried);
    }
    page.paragraph("layout");
    for part in &explained.key {
        layout(&mut page, part);
    }
    neighbours::write(&mut page, explained);
    queries::write(&mut page, explained);
    cost::write(&mut page, explained);
    page.0
}

/// The text so far.
struct Page(String);

impl Page {
    fn line(&mut self, indent: usize, text: &str) {
        self.0 += &" ".repeat(indent);
        self.0 += text.trim_end();
        self.0.push('\n');
    }

    fn paragraph(&mut self, title: &str) {
        self.0.push('\n');
        self.line(2, title);
    }

    /// Writes words on as many lines as they need; those after the first are set in further.
    fn words(&mut self, indent: usize, hanging: usize, text: &str) {
        let mut line = String::new();
        let mut margin = indent;
        for word in text.split(' ') {
            if !line.is_empty() && margin + line.chars().count() + 1 + word.chars().count() > COLUMNS {
                self.line(margin, &line);
                line.clear();
                margin = indent + hanging;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += word;
        }
        self.line(margin, &line);
    }

    /// Writes rows of cells below each other, with two columns of space between them.
    fn rows(&mut self, indent: usize, rows: &[Vec<String>]) {
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        for row in rows {
            let cells = row.iter().enumerate();
            let padded: Vec<String> = cells
                .map(|(column, cell)| format!("{cell:<width$}", width = width(column)))
                .collect();
            self.line(indent, &padded.join("  "));
        }
    }
}

fn title(explained: &Explanation) -> String {
    let Explanation {
        view, source, table, ..
    } = explained;
    match (explained.kind, &explained.for_each) {
        (ViewKind::Attribute, _) => format!("{view}: an attribute of each item of source {source}, in table {table}"),
        (ViewKind::Shadow, None) => format!("{view}: a shadow of each item of source {source}, in table {table}"),
        (ViewKind::Shadow, Some(each)) => format!(
            "{view}: a shadow of each {} in {} of each item of source {source}, in table {table}",
            each.name, each.path
        ),
    }
}

/// What a shadow carries besides its key.
fn carried(explained: &Explanation) -> Option<String> {
    let projected = match explained.project.as_ref()? {
        Projection::Keys => None,
        Projection::All => Some("every attribute".to_owned()),
        Projection::Include(names) => Some(names.join(", ")),
        Projection::Except(names) => Some(format!("every attribute but {}", names.join(", "))),
    };
    let ttl = explained.ttl.as_ref().map(|ttl| format!("{ttl} (ttl)"));
    let carried: Vec<String> = projected.into_iter().chain(ttl).chain(["_shadow".to_owned()]).collect();
    Some(format!("carries {}", carried.join("; ")))
}

fn layout(page: &mut Page, part: &KeyPart) {
    let role = match (part.role, part.ordered) {
        (Role::PartitionKey, _) => "partition key",
        (Role::SortKey, true) => "sort key, in the order of its fields",
        (Role::SortKey, false) => "sort key, not in the order of its fields",
        (Role::Attribute, true) => "attribute, in the order of its fields",
        (Role::Attribute, false) => "attribute, not in the order of its fields",
    };
    page.line(4, &format!("{} = {}", part.name, part.template));
    page.line(6, &format!("{role}, type {}", part.kind));
    let rows = part.pieces.iter().map(|piece| match piece {
        Piece::Literal { literal } => vec![format!("{literal:?}"), "always".to_owned()],
        Piece::Field(field) => vec![field.spelling(), description(field, part.role)],
    });
    page.rows(6, &rows.collect::<Vec<_>>());
}

fn description(field: &Field, role: Role) -> String {
    let mut facts = vec![match &field.output {
        Output::Fixed { bytes } => format!("{bytes} bytes"),
        Output::Text { escaped } if escaped.is_empty() => "text to the end, nothing escaped".to_owned(),
        Output::Text { escaped } => format!("text, {} escaped", listed(escaped, " and ")),
        Output::SelfDelimiting { ends_with } => format!("ends with {}", listed(ends_with, " or ")),
        Output::Number => "a number".to_owned(),
    }];
    let order = match field.order {
        Order::Ascending => "ascending",
        Order::Descending => "descending",
        Order::Text => "ascending as text",
        Order::Second => "ascending to the second",
        Order::None => "not ordered",
    };
    // A partition key is looked up; its order is that of a hash.
    if role != Role::PartitionKey {
        facts.push(order.to_owned());
    }
    if field.lossy {
        facts.push("lossy".to_owned());
    }
    facts.join(", ")
}

/// Characters in backticks, those that do not show by their code points.
fn listed(characters: &[char], between: &str) -> String {
    let mut shown: Vec<String> = Vec::new();
    for c in characters {
        let text = match c.is_control() || c.is_whitespace() {
            true => format!("U+{:04X}", u32::from(*c)),
            false => format!("`{c}`"),
        };
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    shown.join(between)
}

fn residents(residents: &[Resident]) -> String {
    let names: Vec<String> = residents
        .iter()
        .map(|resident| match resident {
            Resident::Source(name) => format!("source {name}"),
            Resident::View(name) => format!("view {name}"),
        })
        .collect();
    names.join(", ")
}
