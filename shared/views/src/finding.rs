//! What `check` finds in a view file: a code, a place, what is wrong and what to do.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It cannot work, or would break a promise; the worker does not start.
    Error,
    /// It works and may surprise.
    Warning,
    /// Advice.
    Note,
}

/// The kinds of findings; each keeps its code for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// Not TOML, a wrong type, an unknown or missing field.
    Sk001,
    /// An unknown source, op, op sequence or index, or a template or path that does not parse.
    Sk002,
    /// A key part that is missing, of a wrong type, or not of the target table.
    Sk003,
    /// An attribute view targets a primary key, `_shadow` or the ttl attribute.
    Sk004,
    /// Attribute views that feed themselves.
    Sk005,
    /// Plain text directly before a field, or a literal that starts with `%` after a field.
    Sk006,
    /// Two attribute views whose sources can meet write one attribute.
    Sk007,
    /// A shadow's key names neither the source's key nor its `identity`, and is not `unique`.
    Sk031,
    /// Two shadow views of one table can derive one key.
    Sk032,
    /// Shadows carry the key of a declared index, and so stand in it.
    Sk033,
    /// A key's fixed part leaves little room, or a lossy op makes the keys of different items meet.
    Sk034,
    /// A sort key whose byte order is not the order of its fields.
    Sk035,
    /// A partition key without a field.
    Sk036,
    /// An index with a key of several attributes would serve as well.
    Sk061,
    /// A table that is not there.
    Sk101,
    /// A table whose key is not the view file's.
    Sk102,
    /// A declared index that the table does not have.
    Sk103,
    /// An index whose kind or key is not the view file's.
    Sk104,
    /// No stream, or one without both images.
    Sk105,
    /// An index whose projection is not the view file's.
    Sk131,
    /// A table whose items do not expire by the view file's ttl attribute.
    Sk132,
    /// An index that the view file does not declare and whose key views write.
    Sk161,
}

impl Code {
    /// The codes of what a view file shows by itself, in their order.
    pub const ALL: [Self; Self::Sk061 as usize + 1] = [
        Self::Sk001,
        Self::Sk002,
        Self::Sk003,
        Self::Sk004,
        Self::Sk005,
        Self::Sk006,
        Self::Sk007,
        Self::Sk031,
        Self::Sk032,
        Self::Sk033,
        Self::Sk034,
        Self::Sk035,
        Self::Sk036,
        Self::Sk061,
    ];

    /// The codes of what shows where a view file is compared with the tables, in their order.
    pub const AGAINST_TABLE: [Self; Self::Sk161 as usize - Self::Sk061 as usize] = [
        Self::Sk101,
        Self::Sk102,
        Self::Sk103,
        Self::Sk104,
        Self::Sk105,
        Self::Sk131,
        Self::Sk132,
        Self::Sk161,
    ];

    /// How much findings of this code matter.
    pub fn severity(self) -> Severity {
        match self {
            Self::Sk001 | Self::Sk002 | Self::Sk003 | Self::Sk004 | Self::Sk005 | Self::Sk006 | Self::Sk007 => {
                Severity::Error
            }
            Self::Sk101 | Self::Sk102 | Self::Sk103 | Self::Sk104 | Self::Sk105 => Severity::Error,
            Self::Sk031 | Self::Sk032 | Self::Sk033 | Self::Sk034 | Self::Sk035 | Self::Sk036 => Severity::Warning,
            Self::Sk131 | Self::Sk132 => Severity::Warning,
            Self::Sk061 | Self::Sk161 => Severity::Note,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sk001 => "SK001",
            Self::Sk002 => "SK002",
            Self::Sk003 => "SK003",
            Self::Sk004 => "SK004",
            Self::Sk005 => "SK005",
            Self::Sk006 => "SK006",
            Self::Sk007 => "SK007",
            Self::Sk031 => "SK031",
            Self::Sk032 => "SK032",
            Self::Sk033 => "SK033",
            Self::Sk034 => "SK034",
            Self::Sk035 => "SK035",
            Self::Sk036 => "SK036",
            Self::Sk061 => "SK061",
            Self::Sk101 => "SK101",
            Self::Sk102 => "SK102",
            Self::Sk103 => "SK103",
            Self::Sk104 => "SK104",
            Self::Sk105 => "SK105",
            Self::Sk131 => "SK131",
            Self::Sk132 => "SK132",
            Self::Sk161 => "SK161",
        })
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One finding in a view file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// Which kind it is.
    pub code: Code,
    /// The view or source it concerns, where it concerns one.
    pub view: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// The line in the file, from 1.
    pub line: usize,
    /// The column in the line, in characters from 1.
    pub column: usize,
    /// The bytes of the file.
    #[serde(skip)]
    pub span: Range<usize>,
}

impl Finding {
    /// A finding at some bytes of a view file.
    pub fn new(text: &str, code: Code, span: Range<usize>, message: String, help: String) -> Self {
        let span = text.floor_char_boundary(span.start)..text.ceil_char_boundary(span.end);
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            severity: code.severity(),
            code,
            view: None,
            message,
            help,
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or("").chars().count() + 1,
            span,
        }
    }
}

/// Renders findings for a person, each with the lines it stands in.
pub fn render_findings(path: &str, text: &str, findings: &[Finding], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for finding in findings {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let code = finding.code.to_string();
        let title = match &finding.view {
            Some(view) => format!("{view}: {}", finding.message),
            None => finding.message.clone(),
        };
        let snippet = Snippet::source(text)
            .path(path)
            .annotation(AnnotationKind::Primary.span(finding.span.clone()));
        let report: [Group<'_>; 1] = [level
            .primary_title(title)
            .id(code)
            .element(snippet)
            .element(Level::HELP.message(finding.help.clone()))];
        out.push_str(&renderer.render(&report).to_string());
        out.push_str("\n\n");
    }
    out
}
