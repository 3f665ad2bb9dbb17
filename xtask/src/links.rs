//! The links of the site: each leads to a file that is there, and no page asks another server for anything.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Refuses links that lead nowhere and what a page would load from elsewhere. A folder that is linked to becomes a page that lists it.
pub fn check(site: &Path) -> Result<(), String> {
    let mut pages = Vec::new();
    collect(site, &mut pages)?;
    let (mut wrong, mut links) = (BTreeSet::new(), 0);
    for page in &pages {
        let text = read(page)?;
        let name = page.strip_prefix(site).unwrap_or(page).display();
        // mdBook's script asks play.rust-lang.org as soon as a page has such a block.
        if text.contains("class=\"playground\"") {
            wrong.insert(format!("{name}: a block of code that runs on play.rust-lang.org"));
        }
        for Link { tag, target } in links_of(&text) {
            links += 1;
            if let Some(problem) = problem_with(site, page, tag, &target)? {
                wrong.insert(format!("{name}: {target}: {problem}"));
            }
        }
    }
    if wrong.is_empty() {
        println!("{links} links on {} pages, none broken", pages.len());
        return Ok(());
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    Err(format!("error: broken links:\n  {}", wrong.join("\n  ")))
}

/// Every page of a folder; the checker is one file with a test of its own, and the page for what is not found is shown anywhere.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|error| problem(folder, error))? {
        let path = entry.map_err(|error| problem(folder, error))?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html")
            && !path.ends_with("page/tribunal.html")
            && !path.ends_with("404.html")
        {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(())
}

struct Link<'t> {
    /// The element's name.
    tag: &'t str,
    target: String,
}

/// The links of a page and what it loads.
fn links_of(text: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    for (at, _) in text.match_indices('<') {
        let element = &text[at + 1..];
        let Some(end) = element.find('>') else { break };
        let element = &element[..end];
        let tag = element.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        for attribute in [" href=\"", " src=\""] {
            let Some(begin) = element.find(attribute) else { continue };
            let value = &element[begin + attribute.len()..];
            let target = value.split('"').next().unwrap_or_default().replace("&amp;", "&");
            links.push(Link { tag, target });
        }
    }
    links
}

/// The fault in a link, if anything is.
fn problem_with(site: &Path, page: &Path, tag: &str, target: &str) -> Result<Option<String>, String> {
    if target.starts_with("data:") || target.starts_with("mailto:") {
        return Ok(None);
    }
    if target.contains("://") || target.starts_with("//") {
        return Ok((tag != "a").then(|| "it is loaded from another server".to_string()));
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = page.parent().unwrap_or(site);
    let mut file = if path.is_empty() { page.to_path_buf() } else { resolved(&folder.join(path)) };
    if !file.starts_with(site) || !file.exists() {
        return Ok(Some("there is no such file".into()));
    }
    if file.is_dir() {
        file = listing(&file)?;
    }
    let text = if anchor.is_empty() { String::new() } else { read(&file)? };
    let missing = !anchor.is_empty() && !text.contains(&format!("id=\"{anchor}\""));
    Ok(missing.then(|| "there is no such heading".to_string()))
}

/// The path without `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}

/// The page of a folder, made if there is none: a server shows no folder by itself.
fn listing(folder: &Path) -> Result<PathBuf, String> {
    let page = folder.join("index.html");
    if page.exists() {
        return Ok(page);
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(|error| problem(folder, error))? {
        names.insert(
            entry.map_err(|error| problem(folder, error))?.file_name().to_string_lossy().into_owned(),
        );
    }
    let rows: String = names.iter().map(|name| format!("<li><a href=\"{name}\">{name}</a></li>\n")).collect();
    let text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{name}</title>\n<h1>{name}</h1>\n<ul>\n{rows}</ul>\n</html>\n"
    );
    fs::write(&page, text).map_err(|error| problem(&page, error))?;
    Ok(page)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| problem(path, error))
}

fn problem(path: &Path, error: std::io::Error) -> String {
    format!("error: {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::check;
    use std::fs;

    #[test]
    fn broken_links_and_foreign_scripts_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let site = folder.path();
        fs::create_dir_all(site.join("a/b")).expect("a folder");
        let page = |text: &str| {
            fs::write(site.join("index.html"), text).expect("a page");
            check(site)
        };
        fs::write(site.join("a/it.html"), "<h1 id=\"one\">it</h1><a href=\"../index.html\">up</a>")
            .expect("a page");
        fs::write(site.join("a/b/x.txt"), "x").expect("a file");
        assert_eq!(page("<a href=\"a/it.html#one\">it</a><a href=\"https://example.org\">far</a>"), Ok(()));
        assert_eq!(page("<a href=\"a/b\">a folder</a>"), Ok(()));
        assert!(site.join("a/b/index.html").exists());
        for (text, said) in [
            ("<a href=\"a/none.html\">", "index.html: a/none.html: there is no such file"),
            ("<a href=\"a/it.html#two\">", "there is no such heading"),
            ("<a href=\"../../etc\">", "there is no such file"),
            ("<script src=\"https://example.org/x.js\"></script>", "it is loaded from another server"),
            ("<img src=\"//example.org/x.png\">", "it is loaded from another server"),
            ("<pre class=\"playground\">", "play.rust-lang.org"),
        ] {
            let error = page(text).expect_err(text);
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
