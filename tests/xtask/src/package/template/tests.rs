use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use shadowkey_views::load;

use super::*;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).expect("a file")
}

fn as_written() -> Value {
    yaml::to_json(&read("infra/template.yaml")).expect("a template")
}

/// The view files of the fixtures, with a state table, and the rehearsal's.
fn view_files() -> Vec<Views> {
    let worlds = fs::read_dir(Path::new(ROOT).join("tests/fixtures")).expect("fixtures");
    let worlds = worlds.map(|world| world.expect("a world").path().join("views.toml"));
    let files = worlds.filter(|file| file.exists());
    let rehearsal: PathBuf = Path::new(ROOT).join("tests/xtask/rehearsal/views.toml");
    let files: Vec<_> = files.chain([rehearsal]).collect();
    assert!(files.len() > 5, "{files:?}");
    files
        .iter()
        .map(|file| {
            load(&fs::read_to_string(file).expect("a view file"))
                .views
                .expect("views")
                .or_state_table()
        })
        .collect()
}

fn copy(views: &Views) -> Value {
    filled_in(&read("infra/template.yaml"), views).expect("a copy")
}

fn resources<'a>(template: &'a Value, kind: &str) -> Vec<(&'a str, &'a Value)> {
    let resources = template["Resources"].as_object().expect("resources").iter();
    let of_kind = resources.filter(|(_, resource)| resource["Type"] == kind);
    of_kind
        .map(|(name, resource)| (name.as_str(), &resource["Properties"]))
        .collect()
}

#[test]
fn the_variables_are_those_that_the_functions_read() {
    let start = read("functions/maintain/src/start.rs");
    for views in view_files() {
        let template = copy(&views);
        let variables = template["Globals"]["Function"]["Environment"]["Variables"]
            .as_object()
            .expect("variables");
        let tables: BTreeSet<String> = views
            .tables()
            .iter()
            .map(|table| views.physical_name_variable(&table.name))
            .collect();
        let variables: BTreeSet<String> = variables.keys().cloned().collect();
        let of_tables: BTreeSet<String> = variables.intersection(&tables).cloned().collect();
        assert_eq!(of_tables, tables);
        for variable in variables.difference(&tables) {
            assert!(start.contains(variable.as_str()), "nobody reads {variable}");
        }
    }
}

#[test]
fn every_table_has_the_layout_of_the_view_file() {
    for views in view_files() {
        let template = copy(&views);
        let tables: BTreeSet<String> = resources(&template, "AWS::DynamoDB::Table")
            .into_iter()
            .map(|(_, made)| made["KeySchema"].to_string())
            .collect();
        let expected = views
            .tables()
            .iter()
            .map(|table| super::key(&table.key).to_string())
            .collect();
        assert_eq!(tables, expected);
        assert_eq!(resources(&template, "AWS::DynamoDB::Table").len(), views.tables().len());
        let indexes = template["Resources"]["Table"]["Properties"]["GlobalSecondaryIndexes"].as_array();
        let declared = views
            .table()
            .indexes
            .iter()
            .filter(|index| index.kind == IndexKind::Global);
        assert_eq!(indexes.map_or(0, Vec::len), declared.count());
    }
}

#[test]
fn a_view_file_without_a_state_table_is_not_deployed() {
    let views = load(&read("tests/fixtures/tickets/views.toml")).views.expect("views");
    let error = filled_in(&read("infra/template.yaml"), &views).expect_err("an error");
    assert!(error.to_string().contains("add `[state]`"), "{error}");
}

#[test]
fn transactions_need_one_permission_more() {
    let text = read("tests/xtask/rehearsal/views.toml");
    let transactional = text.replacen("[table]\n", "[table]\nwrites = \"transaction\"\n", 1);
    let actions = |text: &str| {
        let template = copy(&load(text).views.expect("views"));
        POLICIES.map(|policy| {
            let statements = &template["Resources"][policy]["Properties"]["PolicyDocument"]["Statement"];
            statements.to_string().contains("dynamodb:ConditionCheckItem")
        })
    };
    assert_eq!(actions(&text), [false, false]);
    assert_eq!(actions(&transactional), [true, true]);
}

#[test]
fn filters_are_as_lambda_takes_them() {
    let with = |patterns: &[&str]| {
        let filters: Vec<Value> = patterns.iter().map(|pattern| json!({ "Pattern": pattern })).collect();
        let mut template = as_written();
        filter(&mut template, json!({ "Filters": filters })).map(|()| template)
    };
    let pattern = r#"{"dynamodb":{"Keys":{"PK":{"S":[{"prefix":"USER#"}]}}}}"#;
    let template = with(&[pattern]).expect("a template");
    let mapping = &template["Resources"]["Mapping"]["Properties"];
    assert_eq!(mapping["FilterCriteria"]["Filters"][0]["Pattern"], pattern);
    let long = format!(r#"{{"dynamodb":["{}"]}}"#, "x".repeat(PATTERN_CHARS));
    for bad in [vec!["{"], vec!["[]"], vec![long.as_str()], vec!["{}"; FILTERS + 1]] {
        assert!(with(&bad).is_err(), "{bad:?}");
    }
}

#[test]
fn tables_that_differ_in_signs_alone_are_refused() {
    let into = |name: &str, table: &str| {
        format!(
            "[shadow.{name}]\nsource = \"user\"\ninto = {{ table = \"{table}\", partition_key = {{ name = \"id\", type = \"S\" }} }}\nkey = {{ id = \"{{PK}}\" }}\n"
        )
    };
    let text = read("tests/xtask/rehearsal/views.toml");
    let text = format!("{text}\n{}{}", into("one", "a-b"), into("other", "AB"));
    let views = load(&text).views.expect("views");
    let error = filled_in(&read("infra/template.yaml"), &views).expect_err("an error");
    assert!(error.to_string().contains("IntoABName"), "{error}");
}

#[test]
fn every_alarm_has_its_section_in_the_runbook() {
    let runbook = read("docs/runbook.md");
    let sections: BTreeSet<&str> = runbook.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let template = as_written();
    let alarms = resources(&template, "AWS::CloudWatch::Alarm");
    for (name, alarm) in &alarms {
        let description = alarm["AlarmDescription"].as_str().expect("a description");
        assert!(
            description.ends_with(&format!("docs/runbook.md, \"{name}\".")),
            "{description}"
        );
    }
    let names: BTreeSet<&str> = alarms.into_iter().map(|(name, _)| name).collect();
    assert_eq!(sections, names);
}

/// The dashboard's widgets, with a name in the place of each that the stack gives.
fn widgets(template: &Value) -> Vec<Value> {
    let (_, dashboard) = resources(template, "AWS::CloudWatch::Dashboard").remove(0);
    let body = dashboard["DashboardBody"]["Fn::Sub"].as_str().expect("a body");
    let mut parts = body.split("${");
    let mut json = parts.next().expect("a beginning").to_owned();
    for part in parts {
        let (_, rest) = part.split_once('}').expect("an end");
        json.push_str(&format!("1{rest}"));
    }
    let body: Value = serde_json::from_str(&json).expect("JSON");
    body["widgets"].as_array().expect("widgets").clone()
}

#[test]
fn alarms_and_dashboard_are_on_metrics_that_the_functions_report() {
    let (template, metrics) = (as_written(), read("functions/maintain/src/metrics.rs"));
    let of_alarms = resources(&template, "AWS::CloudWatch::Alarm")
        .into_iter()
        .map(|(_, alarm)| {
            let dimension = &alarm["Dimensions"][0]["Name"];
            [&alarm["Namespace"], &alarm["MetricName"], dimension].map(Clone::clone)
        });
    let of_widgets = widgets(&template).into_iter().flat_map(|widget| {
        let metrics = widget["properties"]["metrics"].as_array().cloned();
        metrics
            .expect("metrics")
            .into_iter()
            .map(|metric| [0, 1, 2].map(|at| metric[at].clone()))
    });
    let own: Vec<_> = of_alarms
        .chain(of_widgets)
        .filter(|[namespace, ..]| namespace == maintain::NAMESPACE)
        .collect();
    assert!(own.len() > 10, "{own:?}");
    for [_, metric, dimension] in own {
        for name in [metric, dimension] {
            assert!(metrics.contains(&name.to_string()), "nobody reports {name}");
        }
    }
}
