//! A temporary PostgreSQL server: in a temporary directory, on a socket there, and stopped with the process that started it.

use super::NAME;
use crate::Error;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// The time that the server may take to answer.
const START_TIME: Duration = Duration::from_secs(30);

/// Where Debian's packages, and Fedora's, put the programs of a server, which are not on the path.
const PLACES: [&str; 2] = ["/usr/lib/postgresql", "/usr/pgsql"];

/// Accounts that a server may run as where we are root, which it refuses to be.
const ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

/// Runs the server until its own input ends, which it does with the process at the other end, however that dies. The arguments are the server and
/// the directory.
const WATCH: &str = r#"
"$1" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c synchronous_commit=off \
     -c full_page_writes=off -c max_connections=1000 -c autovacuum=off \
     -c deadlock_timeout=10ms > "$2/log" 2>&1 &
server=$!
read -r _
kill -QUIT $server
wait $server
cd / && rm -rf "$2"
"#;

/// A running server.
pub struct Server {
    directory: PathBuf,
    watch: Child,
    /// The pipe that keeps it running.
    alive: Option<ChildStdin>,
}

/// The directory of the newest server's programs, if one is installed.
pub fn installed() -> Option<PathBuf> {
    let versions = PLACES.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .map(|version| {
            (version.file_name().to_string_lossy().parse().unwrap_or(0), version.path().join("bin"))
        })
        .filter(|(_, programs)| programs.join("initdb").is_file())
        .collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = || std::env::split_paths(&path).find(|place| place.join("initdb").is_file());
    found.pop().map(|(_, programs)| programs).or_else(on_path)
}

fn cannot(problem: impl Into<String>) -> Error {
    Error::Start { database: NAME, problem: problem.into() }
}

impl Server {
    /// Starts a server, as another user if this process runs as root.
    pub fn start() -> Result<Self, Error> {
        let programs = installed().ok_or_else(|| {
            cannot("it is not installed: there is no initdb in /usr/lib/postgresql/*/bin, nor on the path (Debian: apt-get install postgresql)")
        })?;
        let io = |error: std::io::Error| cannot(format!("temporary directory: {error}"));
        let directory = tempfile::Builder::new().prefix("tribunal-pg").tempdir().map_err(io)?;
        // Nobody but root makes files of root's.
        let account = match fs::metadata(directory.path()).map_err(io)?.uid() {
            0 => Some(account()?),
            _ => None,
        };
        if let Some((user, group)) = account {
            chown(directory.path(), Some(user), Some(group)).map_err(io)?;
        }
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o700)).map_err(io)?;
        let command = |program: &Path| {
            let mut command = Command::new(program);
            command.current_dir(directory.path());
            if let Some((user, group)) = account {
                command.uid(user).gid(group);
            }
            command
        };
        let mut initdb = command(&programs.join("initdb"));
        initdb.arg("-D").arg(directory.path().join("data"));
        initdb.args(["-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]);
        let made = initdb.output().map_err(|error| cannot(format!("initdb: {error}")))?;
        if !made.status.success() {
            return Err(cannot(format!("initdb: {}", String::from_utf8_lossy(&made.stderr).trim())));
        }
        let mut watch = command(Path::new("/bin/sh"));
        watch.args(["-c", WATCH, "sh"]).arg(programs.join("postgres")).arg(directory.path());
        // A Ctrl-C is ours to answer: the server ends when we do.
        watch.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut watch = watch.spawn().map_err(|error| cannot(format!("sh: {error}")))?;
        // From here on the directory is removed by who runs the server.
        let server = Server { directory: directory.keep(), alive: watch.stdin.take(), watch };
        server.wait()?;
        Ok(server)
    }

    /// The address at which clients find it.
    pub fn url(&self) -> String {
        format!("host={} user=postgres dbname=postgres", self.directory.display())
    }

    /// Waits until it answers.
    fn wait(&self) -> Result<(), Error> {
        let start = Instant::now();
        loop {
            let Err(error) = postgres::Client::connect(&self.url(), postgres::NoTls) else { return Ok(()) };
            if start.elapsed() > START_TIME {
                let log = fs::read_to_string(self.directory.join("log")).unwrap_or_default();
                let last = log.lines().next_back().unwrap_or_default().to_string();
                return Err(cannot(format!("no answer: {error}; its log ends with `{last}`")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.alive.take());
        let _ended = self.watch.wait();
    }
}

/// The numbers of an account that a server may run as, and of its group.
fn account() -> Result<(u32, u32), Error> {
    let accounts =
        fs::read_to_string("/etc/passwd").map_err(|error| cannot(format!("/etc/passwd: {error}")))?;
    let named = |name: &str| {
        let mut fields = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let fields = fields.find(|fields| fields.first() == Some(&name))?;
        Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
    };
    ACCOUNTS.into_iter().find_map(named).ok_or_else(|| {
        cannot("it does not run as root, and there is no account `postgres` or `nobody` to run it as")
    })
}
