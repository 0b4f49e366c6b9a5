use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::session::Folder;

#[test]
fn ctrl_c_ends_dev_as_it_should_end() {
    let folder = Folder::new();
    let views = "version = 1\n[table]\nname = \"app\"\npartition_key = { name = \"id\", type = \"S\" }\n";
    let views = folder.file("views.toml", views);
    let mut dev = Command::new(env!("CARGO_BIN_EXE_shadowkey"))
        .args(["dev", "--views", &views, "--port", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("dev");
    let mut greeting = String::new();
    let stderr = dev.stderr.take().expect("stderr");
    BufReader::new(stderr).read_line(&mut greeting).expect("a line");
    assert!(
        greeting.starts_with("serving table `app` at http://127.0.0.1:"),
        "{greeting}"
    );
    let interrupt = Command::new("kill").args(["-INT", &dev.id().to_string()]).status();
    assert!(interrupt.expect("kill").success());
    assert_eq!(dev.wait().expect("an end").code(), Some(0));
}
