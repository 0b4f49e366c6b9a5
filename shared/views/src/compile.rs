//! Loading a view file: from its text to checked views, or to the findings that say why not.

mod advice;
mod attributes;
mod shadows;
mod sources;
mod tables;

use std::ops::Range;

use shadowkey_item::{AttributePath, ScalarType};
use shadowkey_key_codec::{KNOWN_OPS, Template, TemplateError, TemplateProblem};
use toml::Spanned;

use crate::file::{ViewFile, WritesSection};
use crate::view::Views;
use crate::{Code, Finding, Severity};

/// The codes of warnings and notes, which `[allow]` can silence.
const ALLOWABLE: [&str; 7] = ["SK031", "SK032", "SK033", "SK034", "SK035", "SK036", "SK061"];

/// The version of the view file's own language.
const FILE_VERSION: i64 = 1;

/// What became of a view file.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The views, unless a finding is an error.
    pub views: Option<Views>,
    /// What was found, in the order of the file.
    pub findings: Vec<Finding>,
}

/// Reads and checks the text of a view file. Only errors withhold the views.
pub fn load(text: &str) -> Loaded {
    let mut findings = Findings {
        text,
        found: Vec::new(),
    };
    let views = match toml::from_str::<ViewFile>(text) {
        Ok(file) => findings.compile(&file),
        Err(error) => {
            findings.not_a_view_file(&error);
            None
        }
    };
    let mut findings = findings.found;
    findings.sort_by_key(|finding| (finding.span.start, finding.code));
    let broken = findings.iter().any(|finding| finding.severity == Severity::Error);
    Loaded {
        views: views.filter(|_| !broken),
        findings,
    }
}

/// Collects findings about one text, so that one reading shows them all.
struct Findings<'a> {
    text: &'a str,
    found: Vec<Finding>,
}

impl Findings<'_> {
    fn compile(&mut self, file: &ViewFile) -> Option<Views> {
        if *file.version.get_ref() != FILE_VERSION {
            let message = format!("version {} of the view file is not known", file.version.get_ref());
            self.add(Code::Sk001, file.version.span(), message, "write `version = 1`");
        }
        let table = self.table(&file.table);
        let ttl = file.table.ttl.as_ref().map(|ttl| ttl.get_ref().clone());
        let sources = self.sources(&file.source);
        let attributes = self.attribute_views(file, &table, &sources);
        let shadows = self.shadow_views(file, &table, &sources, &attributes);
        self.environment_names(file);
        self.state_table(file, &shadows);
        self.allowances(file);
        let views = Views {
            state: file
                .state
                .as_ref()
                .map(|state| shadowkey_item::TableName(state.table.get_ref().clone())),
            table,
            ttl,
            transactional: file.table.writes == WritesSection::Transaction,
            sources,
            attributes,
            shadows,
        };
        self.advice(file, &views);
        Some(views)
    }

    fn add(&mut self, code: Code, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let finding = Finding::new(self.text, code, span, message.into(), help.into());
        self.found.push(finding);
    }

    /// Adds a finding that concerns a view or a source.
    fn add_for(
        &mut self,
        view: &str,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(code, span, message, help);
        if let Some(finding) = self.found.last_mut() {
            finding.view = Some(view.to_owned());
        }
    }

    fn not_a_view_file(&mut self, error: &toml::de::Error) {
        let message = error.message().trim_end().to_owned();
        let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let help = match names.split_first() {
            Some((unknown, known)) if message.starts_with("unknown") && !unknown.is_empty() => {
                match closest(unknown, known.iter().copied()) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("these are known here: {}", known.join(", ")),
                }
            }
            Some((missing, _)) if message.starts_with("missing field") => format!("add `{missing} = ..` here"),
            _ if message.ends_with("expected a sequence") => {
                "write a list in brackets; a path with dots is quoted: `\"address.city\" = [\"Porto\"]`".to_owned()
            }
            _ => "mend the file here; docs/views.md shows each field's form".to_owned(),
        };
        self.add(Code::Sk001, error.span().unwrap_or(0..0), message, help);
    }

    /// Reads a path, or finds that it is none.
    fn path(&mut self, view: &str, text: &Spanned<String>) -> Option<AttributePath> {
        match AttributePath::parse(text.get_ref()) {
            Ok(path) => Some(path),
            Err(error) => {
                let span = self.inside(text, error.offset..error.offset + 1);
                let message = format!("`{}` is not an attribute path: {}", text.get_ref(), error.kind);
                self.add_for(
                    view,
                    Code::Sk002,
                    span,
                    message,
                    "write a path such as `address.city`, `tags[0]` or `'a.b'`",
                );
                None
            }
        }
    }

    /// Reads a template, or finds what is wrong with it.
    fn template(&mut self, view: &str, text: &Spanned<String>, kind: ScalarType) -> Option<Template> {
        match Template::parse(text.get_ref(), kind) {
            Ok(template) => Some(template),
            Err(TemplateError { span, problem }) => {
                let span = self.inside(text, span);
                let code = match problem {
                    TemplateProblem::Adjacent | TemplateProblem::PercentLiteral => Code::Sk006,
                    TemplateProblem::Type(_) | TemplateProblem::NotOneNumber => Code::Sk003,
                    TemplateProblem::TextForNumber | TemplateProblem::NumberForText => Code::Sk003,
                    _ => Code::Sk002,
                };
                self.add_for(view, code, span, problem.to_string(), template_help(&problem));
                None
            }
        }
    }

    /// The bytes of the file for some bytes of a string in it, where the string stands there as it is.
    fn inside(&self, string: &Spanned<String>, part: Range<usize>) -> Range<usize> {
        let whole = string.span();
        let raw = self.text.get(whole.clone()).unwrap_or("");
        let start = match raw.find(string.get_ref().as_str()) {
            Some(quote) if raw.len() - string.get_ref().len() == 2 * quote => whole.start + quote,
            _ => return whole,
        };
        let end = (start + part.end).min(whole.end);
        (start + part.start).min(end)..end
    }

    /// A name that nothing declares, with the closest that something does.
    fn unknown(&mut self, view: &str, what: &str, name: &Spanned<String>, known: &[&str]) {
        let help = match closest(name.get_ref(), known.iter().copied()) {
            Some(close) => format!("did you mean `{close}`?"),
            None if known.is_empty() => format!("declare the {what}; the file has none yet"),
            None => format!("declare it, or use one of: {}", known.join(", ")),
        };
        let message = format!("there is no {what} `{}`", name.get_ref());
        self.add_for(view, Code::Sk002, name.span(), message, help);
    }

    /// Allowances name views that exist and codes that can be allowed, and say why.
    fn allowances(&mut self, file: &ViewFile) {
        let views: Vec<&str> = file
            .attribute
            .keys()
            .chain(file.shadow.keys())
            .map(|name| name.get_ref().as_str())
            .collect();
        for name in file
            .allow
            .keys()
            .filter(|name| !views.contains(&name.get_ref().as_str()))
        {
            self.unknown(name.get_ref(), "view", name, &views);
        }
        for (view, codes) in &file.allow {
            for code in codes
                .keys()
                .filter(|code| !ALLOWABLE.contains(&code.get_ref().as_str()))
            {
                self.unknown(view.get_ref(), "warning or note", code, &ALLOWABLE);
            }
            for (code, _) in codes.iter().filter(|(_, reason)| reason.trim().is_empty()) {
                let message = format!("{} is allowed without a reason", code.get_ref());
                let help = "say why it is right here, for whoever reads the file next";
                self.add_for(view.get_ref(), Code::Sk001, code.span(), message, help);
            }
        }
        for name in file
            .source
            .keys()
            .chain(file.attribute.keys())
            .chain(file.shadow.keys())
        {
            if name.get_ref().is_empty() {
                self.add(Code::Sk001, name.span(), "the name is empty", "give it a name");
            }
        }
    }
}

fn template_help(problem: &TemplateProblem) -> String {
    match problem {
        TemplateProblem::Adjacent => "put a literal between the two, such as `#`".to_owned(),
        TemplateProblem::PercentLiteral => "start the literal with another character, such as `#`".to_owned(),
        TemplateProblem::UnknownOp { name } => match closest(name, KNOWN_OPS.into_iter()) {
            Some(op) => format!("did you mean `{op}`?"),
            None => format!("the ops are: {}", KNOWN_OPS.join(", ")),
        },
        TemplateProblem::Empty => {
            "write the text of the key, with fields between braces: `TICKET#{TicketId}`".to_owned()
        }
        TemplateProblem::UnclosedField | TemplateProblem::StrayBrace => {
            "a field is `{path | op}`; literal braces are doubled: `{{` and `}}`".to_owned()
        }
        TemplateProblem::Type(_) => "only S and N can be derived; use another key attribute or target table".to_owned(),
        TemplateProblem::NotOneNumber | TemplateProblem::TextForNumber => {
            "write one field of a number, such as `{UserId}` or `{Score | neg}`".to_owned()
        }
        TemplateProblem::NumberForText => "use `pad(w) | desc`, or give the target the type N".to_owned(),
        _ => "change it to one of the forms of the reference, such as `{UpdatedAt | time | desc}`".to_owned(),
    }
}

/// The name nearest to one that is not known, if it is near enough to be a slip.
fn closest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = unknown.chars().count();
    let slip = length.div_ceil(3);
    known
        .map(|name| (strsim::damerau_levenshtein(unknown, name), name))
        .filter(|(distance, _)| *distance <= slip && *distance < length)
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests;
