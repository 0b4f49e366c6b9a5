//! `check`: the findings, and the exit code by them.

use std::fs;

use serde_json::json;

use crate::desk::{Desk, VIEWS};

#[tokio::test]
async fn check_answers_with_its_findings_and_exits_by_them() {
    let desk = Desk::new(VIEWS);
    let good = desk.run(&["check", "--format", "json"]).await;
    assert_eq!((good.exit, good.json()), (0, json!({ "findings": [] })));
    desk.file("views.toml", &VIEWS.replace("pad(2)", "pda(2)"));
    let bad = desk.run(&["check", "--format", "json"]).await;
    assert_eq!(bad.exit, 1);
    assert_eq!(
        bad.json()["findings"][0],
        json!({
            "severity": "error", "code": "SK002", "view": "by-code", "message": "the op `pda` is not known",
            "help": "did you mean `pad`?", "line": 19, "column": 28,
        })
    );
    assert!(desk.run(&["check"]).await.out.contains("error[SK002]"));
    fs::remove_file(desk.views()).expect("removed");
    assert_eq!(desk.run(&["check"]).await.exit, 2);
}
