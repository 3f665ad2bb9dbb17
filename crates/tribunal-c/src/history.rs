//! Histories, and reading them.

use crate::object::specified;
use crate::status::{
    Failure, Handle, Status, answered, c_string, freed, invalid, made, made_by, malformed, null,
};
use crate::text::{Text, array};
use std::ffi::{CString, c_char, c_void};
use std::io::Cursor;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, OnceLock};
use tribunal_formats::{
    Error, ErrorKind, Format, Input, Labels, Lines, Object, ReadAs, ReadOptions, Reader as Histories,
    Subject, WriteError, Writer, open, read, write_subject,
};
use tribunal_history::memory::Execution;
use tribunal_host::{Source, reading};
use tribunal_report::Specifications;

/// An immutable history of a memory or an object.
pub struct History {
    source: Arc<Source>,
    name: Option<CString>,
    json: OnceLock<CString>,
}

/// What histories that are built are called where a file's name would stand.
const BUILT: &str = "built";

impl History {
    fn new(source: Source) -> Self {
        let name = source.case().name().map(c_string);
        History { source: Arc::new(source), name, json: OnceLock::new() }
    }

    fn of(subject: Subject) -> Source {
        let (labels, lines) = (Labels::default(), Lines::default());
        Source::new(BUILT, 0, tribunal_formats::History { subject, labels, line: 1, lines })
    }

    /// An execution as a history.
    pub(crate) fn of_memory(execution: Execution) -> Self {
        History::new(History::of(Subject::Memory(execution.into())))
    }

    /// Operations of an object as a history.
    pub(crate) fn of_object(object: Object, specifications: Arc<Specifications>) -> Self {
        History::new(History::of(Subject::Object(object)).specified(specifications))
    }

    /// The history with what there is to know of it.
    pub(crate) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    fn to_json(&self) -> Result<CString, WriteError> {
        let mut writer = Writer::new(Vec::new(), Format::Json);
        write_subject(&mut writer, &self.source.history().subject, &Labels::default())?;
        let mut bytes = writer.finish()?;
        bytes.truncate(bytes.trim_ascii_end().len());
        Ok(c_string(bytes))
    }
}

/// The history's name, NULL if it has none. Valid as long as the history.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_history_name(history: Option<&History>) -> *const c_char {
    answered(ptr::null(), || {
        let history = history.ok_or_else(|| null("the history"))?;
        Ok(history.name.as_ref().map_or(ptr::null(), |name| name.as_ptr()))
    })
}

/// The number of events or, for an object, operations.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_history_length(history: Option<&History>) -> usize {
    answered(0, || Ok(history.ok_or_else(|| null("the history"))?.source.case().events()))
}

/// Whether this is an object history rather than a memory history.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_history_is_of_object(history: Option<&History>) -> bool {
    answered(false, || Ok(history.ok_or_else(|| null("the history"))?.source.history().object().is_some()))
}

/// The history as native JSON on one line. Valid as long as the history.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_history_json(history: Option<&History>) -> *const c_char {
    answered(ptr::null(), || {
        let history = history.ok_or_else(|| null("the history"))?;
        if let Some(json) = history.json.get() {
            return Ok(json.as_ptr());
        }
        let json = history.to_json().map_err(|error| invalid(error.to_string()))?;
        Ok(history.json.get_or_init(|| json).as_ptr())
    })
}

/// Frees a history. NULL is ignored. Verdicts on it stay valid.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_history_free(history: Option<Box<History>>) {
    freed(history);
}

/// Reads the histories of a buffer or of a file, one by one.
pub struct Reader {
    histories: Histories,
    file: String,
    index: u64,
    specifications: Arc<Specifications>,
    broken: bool,
}

impl Handle for Reader {
    const NAME: &'static str = "the reader";

    fn is_broken(&mut self) -> &mut bool {
        &mut self.broken
    }
}

impl Reader {
    fn new(histories: Histories, file: &str, specification: Text<'_>) -> Result<Self, Failure> {
        let specification = specification.optional("the specification")?;
        let histories = histories.read_as(specification.map_or(ReadAs::Told, ReadAs::spec));
        let specifications = specified(specification)?;
        Ok(Reader { histories, file: file.into(), index: 0, specifications, broken: false })
    }

    fn next(&mut self) -> Result<History, Failure> {
        let history = self.histories.next().ok_or(Failure::End)?.map_err(unread)?;
        let source = Source::new(&self.file, self.index, history);
        self.index += 1;
        Ok(History::new(source.specified(self.specifications.clone())))
    }
}

/// How to read: the format, or NULL, and the most memory, or 0.
fn options(format: Text<'_>, max_memory: usize) -> Result<ReadOptions, Failure> {
    let format = match format.optional("the format")? {
        Some(name) => Some(
            name.parse().map_err(|unknown: tribunal_formats::UnknownFormat| invalid(unknown.to_string()))?,
        ),
        None => None,
    };
    Ok(reading(format, Some(max_memory).filter(|&most| most > 0)))
}

fn unread(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::TooMuchMemory { .. } => Failure::Told(Status::Limit, error.to_string()),
        ErrorKind::Io(_) => invalid(error.to_string()),
        _ => malformed(error),
    }
}

/// Reads the histories of a buffer, which is copied.
///
/// `name` is the file name in messages and verdicts, and its extension may determine the format; it may be NULL. `format` is `json`,
/// `axe`, `text`, `edn` or `jepsen-log`, or NULL to recognize it. gzip and zstd are decompressed. `specification` is that of
/// objects: a built-in name, a file with the extension `.spec`, or NULL for the one that each history names. `max_memory` is the limit for
/// a history in bytes; 0: three quarters of the machine's memory.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_reader_new(
    bytes: *const c_void,
    length: usize,
    name: Text<'_>,
    format: Text<'_>,
    specification: Text<'_>,
    max_memory: usize,
    reader: Option<&mut MaybeUninit<Option<Box<Reader>>>>,
) -> Status {
    made(reader, || {
        let bytes = array(bytes.cast::<u8>(), length, "the buffer")?.to_vec();
        let name = name.optional("the name")?.unwrap_or("buffer");
        let histories = read(Cursor::new(bytes), name, options(format, max_memory)?).map_err(unread)?;
        Reader::new(histories, name, specification)
    })
}

/// Reads the histories of a file, with one history in memory at a time. Otherwise like `tribunal_reader_new`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_reader_open(
    path: Text<'_>,
    format: Text<'_>,
    specification: Text<'_>,
    max_memory: usize,
    reader: Option<&mut MaybeUninit<Option<Box<Reader>>>>,
) -> Status {
    made(reader, || {
        let path = path.required("the path")?;
        let histories = open(&Input::Path(path.into()), options(format, max_memory)?).map_err(unread)?;
        Reader::new(histories, path, specification)
    })
}

/// The next history; `TRIBUNAL_STATUS_END` at the end and after an error.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_reader_next(
    reader: Option<&mut Reader>,
    history: Option<&mut MaybeUninit<Option<Box<History>>>>,
) -> Status {
    made_by(reader, history, Reader::next)
}

/// Frees a reader. NULL is ignored. Its histories stay valid.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_reader_free(reader: Option<Box<Reader>>) {
    freed(reader);
}

/// Reads the only history of a buffer.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_history_parse(
    bytes: *const c_void,
    length: usize,
    format: Text<'_>,
    history: Option<&mut MaybeUninit<Option<Box<History>>>>,
) -> Status {
    made(history, || {
        let bytes = array(bytes.cast::<u8>(), length, "the buffer")?.to_vec();
        let histories = read(Cursor::new(bytes), "buffer", options(format, 0)?).map_err(unread)?;
        let mut reader = Reader::new(histories, "buffer", Text::NULL)?;
        let history = reader.next()?;
        match reader.next() {
            Err(Failure::End) => Ok(history),
            Ok(_) => {
                Err(malformed("there is more than one history in the buffer: a reader gives them one by one"))
            }
            Err(failure) => Err(failure),
        }
    })
}
