//! Some seeds of the simulation, quickly; more of them are run by `cargo xtask sim`.

use shadowkey_simulation::{Options, run};

#[test]
fn no_seed_breaks_a_promise() {
    let reports = (0..300).map(|seed| run(seed, Options::default()));
    let failed: Vec<_> = reports
        .filter_map(|report| {
            let violation = report.violation?;
            Some(format!("cargo xtask sim --seed {}: {violation}", report.seed))
        })
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let options = Options {
        trace: true,
        ..Options::default()
    };
    for seed in 0..40 {
        let (first, second) = (run(seed, options), run(seed, options));
        assert!(first.trace.as_deref().is_some_and(|trace| trace.len() > 1000), "{seed}");
        assert_eq!(first.trace, second.trace, "{seed}");
        assert_eq!(first.coverage, second.coverage, "{seed}");
    }
}
