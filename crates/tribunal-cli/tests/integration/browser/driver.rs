//! A headless Chromium to look at pages with: a small client of the WebDriver protocol, which chromedriver speaks.

use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long to wait for what should happen at once: the machine may be loaded.
const WAIT_TIME: Duration = Duration::from_secs(60);
/// The key under which the protocol gives an element's id.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Special keys, for [`Driver::press`].
pub mod key {
    pub const ESCAPE: &str = "\u{E00C}";
    pub const TAB: &str = "\u{E004}";
    pub const LEFT: &str = "\u{E012}";
    pub const RIGHT: &str = "\u{E014}";
    pub const HOME: &str = "\u{E011}";
}

/// A browser with one window. What it is asked to do and cannot is a failed test; when it goes out of scope, in a panic
/// too, browser and driver end.
pub struct Driver {
    // The order matters: the processes end before their directory goes.
    _process: Process,
    profile: TempDir,
    port: u16,
    session: String,
}

impl Driver {
    /// A browser, or none and a line that says so: these tests take their time and need programs that are not everywhere,
    /// so they run only with TRIBUNAL_BROWSER in the environment, as `cargo xtask browser` puts it there.
    pub fn start() -> Option<Driver> {
        if std::env::var_os("TRIBUNAL_BROWSER").is_none() {
            println!("left out: `cargo xtask browser` runs it");
            return None;
        }
        for program in ["chromium", "chromedriver"] {
            assert!(on_the_path(program), "TRIBUNAL_BROWSER is set, and `{program}` is not on the PATH");
        }
        let profile = TempDir::new().expect("a directory for the profile");
        let (process, port) = Process::start(profile.path());
        let mut driver = Driver { _process: process, profile, port, session: String::new() };
        let user_data = format!("--user-data-dir={}", driver.profile.path().join("profile").display());
        let answer = driver.call(
            "POST",
            "/session",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:loggingPrefs": {"browser": "ALL"},
                "timeouts": {"script": 300_000, "pageLoad": 120_000, "implicit": 0},
                "goog:chromeOptions": {"args": [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage",
                    "--no-first-run", "--disable-background-networking", "--disable-component-update",
                    "--disable-sync", "--window-size=1400,900", user_data
                ]}
            }}}),
        );
        driver.session = answer["sessionId"].as_str().expect("a session").to_string();
        Some(driver)
    }

    /// Loads a page; returns once it is loaded.
    pub fn goto(&self, url: impl Display) {
        self.post("url", json!({"url": url.to_string()}));
    }

    /// Loads a file.
    pub fn open(&self, file: &Path) {
        let file = file.canonicalize().expect("a file to open");
        self.goto(format_args!("file://{}", file.display()));
    }

    /// The address of the page, with its fragment.
    pub fn url(&self) -> String {
        let answer = self.call("GET", &self.path("url"), &Value::Null);
        answer.as_str().expect("an address").to_string()
    }

    /// Runs the body of a function in the page: `arguments` are its arguments, what it returns is the result. A promise is
    /// waited for.
    pub fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.post("execute/sync", json!({"script": script, "args": arguments}))
    }

    /// The value of an expression in the page.
    pub fn eval(&self, expression: &str) -> Value {
        self.run(&format!("return ({expression});"), &[])
    }

    /// Waits until an expression is truthy, and gives its value.
    pub fn wait(&self, expression: &str) -> Value {
        let deadline = Instant::now() + WAIT_TIME;
        let script = format!("const value = ({expression}); return [!!value, value];");
        loop {
            let answer = self.run(&script, &[]);
            if answer[0] == true {
                return answer[1].clone();
            }
            assert!(
                Instant::now() < deadline,
                "waited in vain for `{expression}`; the log: {:?}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Clicks the first element that a CSS selector finds.
    pub fn click(&self, selector: &str) {
        self.act(selector, |element| (format!("element/{element}/click"), json!({})));
    }

    /// Moves the pointer over the first element that a CSS selector finds. The page gets the events; `:hover` does not
    /// match, since a machine without a screen has no mouse.
    pub fn hover(&self, selector: &str) {
        self.act(selector, |element| {
            let origin = json!({ELEMENT: element});
            let motion = json!({"type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0});
            let pointer = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                                 "actions": [motion]});
            ("actions".into(), json!({"actions": [pointer]}))
        });
    }

    /// Types into the first element that a CSS selector finds; into a file chooser, the path of a file.
    pub fn type_into(&self, selector: &str, text: &str) {
        self.act(selector, |element| (format!("element/{element}/value"), json!({"text": text})));
    }

    /// Presses keys one after the other, wherever the focus is.
    pub fn press(&self, keys: &str) {
        let strokes: Vec<Value> = (keys.chars())
            .flat_map(|key| ["keyDown", "keyUp"].map(|way| json!({"type": way, "value": key.to_string()})))
            .collect();
        self.post("actions", json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]}));
    }

    /// What the window shows, as PNG.
    pub fn screenshot(&self) -> Vec<u8> {
        let answer = self.call("GET", &self.path("screenshot"), &Value::Null);
        base64(answer.as_str().expect("a picture"))
    }

    /// Gives the window's inside this size.
    pub fn resize(&self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Whether pages are told that the user prefers dark.
    pub fn prefer_dark(&self, dark: bool) {
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.devtools("Emulation.setEmulatedMedia", features);
    }

    /// Sends a command of the DevTools protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.post("goog/cdp/execute", json!({"cmd": command, "params": parameters}))
    }

    /// What was logged since the last call: `SEVERE: message`, ...
    pub fn log(&self) -> Vec<String> {
        let entries = self.post("se/log", json!({"type": "browser"}));
        let entries = entries.as_array().expect("a log");
        let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_string();
        entries.iter().map(|entry| format!("{}: {}", text(entry, "level"), text(entry, "message"))).collect()
    }

    /// What was logged as an error since the last look at the log.
    pub fn errors(&self) -> Vec<String> {
        self.log().into_iter().filter(|line| line.starts_with("SEVERE")).collect()
    }

    /// Does something to the first element that a CSS selector finds; waits for it, and finds it again if the page has
    /// painted it anew in between.
    fn act(&self, selector: &str, action: impl Fn(&str) -> (String, Value)) {
        let deadline = Instant::now() + WAIT_TIME;
        loop {
            self.wait(&format!("!!document.querySelector({})", json!(selector)));
            let by = json!({"using": "css selector", "value": selector});
            let done = self.try_call("POST", &self.path("element"), &by).and_then(|element| {
                let (command, body) = action(element[ELEMENT].as_str().expect("an element"));
                self.try_call("POST", &self.path(&command), &body)
            });
            match done {
                Ok(_) => return,
                Err(error) => {
                    let gone = error.contains("stale element") || error.contains("no such element");
                    assert!(gone && Instant::now() < deadline, "{selector}: {error}");
                }
            }
        }
    }

    fn path(&self, command: &str) -> String {
        format!("/session/{}/{command}", self.session)
    }

    fn post(&self, command: &str, body: Value) -> Value {
        self.call("POST", &self.path(command), &body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_call(method, path, body).unwrap_or_else(|error| panic!("{error}"))
    }

    fn try_call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        match request(self.port, method, path, body) {
            Ok((200, mut answer)) => Ok(answer["value"].take()),
            Ok((_, answer)) => {
                let (error, message) = (&answer["value"]["error"], &answer["value"]["message"]);
                Err(format!("{method} {path}: {error}: {}", message.as_str().unwrap_or_default()))
            }
            Err(error) => Err(format!("{method} {path}: {error}")),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Asks the browser to end in order; the process group ends in any case.
        if !self.session.is_empty() {
            let path = format!("/session/{}", self.session);
            let _ = request(self.port, "DELETE", &path, &Value::Null);
        }
    }
}

/// chromedriver, with the browsers that it starts: a process group, which ends when this goes out of scope.
struct Process(Child);

impl Process {
    /// Starts chromedriver on a port that is free.
    fn start(home: &Path) -> (Self, u16) {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Chromium leaves files in both.
        command.env("HOME", home).env("TMPDIR", home);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = Process(command.spawn().expect("chromedriver starts"));
        let stdout = process.0.stdout.take().expect("a pipe");
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let port = lines
            .find_map(|line| line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok())
            .expect("chromedriver says its port");
        // Read on, lest it wait for room in the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        (process, port)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.0.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn on_the_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// One HTTP request to chromedriver: the status and the JSON of the answer.
fn request(port: u16, method: &str, path: &str, body: &Value) -> std::io::Result<(u16, Value)> {
    let invalid = |what: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_string());
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(330)))?;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| invalid("no HTTP status"))?;
    let mut length = 0;
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(|_| invalid("no length of content"))?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok((status, serde_json::from_slice(&body)?))
}

/// The bytes that base64 stands for.
fn base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for c in text.bytes() {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
