//! The tables: what is taken of the rows that come, and the rows that go.

use super::check::{Asked, Told};
use super::column::Column;
use super::pipeline::Rows;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::take::take;
use std::sync::Arc;

/// The answers about some rows of a batch.
pub struct Answers {
    /// The batch.
    pub rows: Arc<Rows>,
    /// The answers, row by row.
    pub answers: Vec<Told>,
}

/// How rows are read and answers are written.
pub struct Table {
    /// The column of the histories; none if the data are a column.
    column: Option<String>,
    /// The columns that go with the answers.
    keep: Vec<String>,
    /// The names of the questions asked of memories, of objects and of transactions.
    names: [Vec<String>; 3],
    certificates: bool,
    schema: SchemaRef,
}

const ROW: &str = "row";
const CERTIFICATE: &str = "certificate";

impl Table {
    /// For data of this type, if there are any.
    pub fn new(
        input: Option<&FieldRef>,
        column: Option<String>,
        keep: Vec<String>,
        names: [Vec<String>; 3],
        certificates: bool,
    ) -> Result<Self, String> {
        let mut fields = vec![Field::new(ROW, DataType::Int64, false)];
        let texts = |name: &str| Field::new(name, DataType::Utf8, true);
        let mut answers = vec![
            texts("model"),
            Field::new("verdict", DataType::Utf8, false),
            texts("engine"),
            Field::new("micros", DataType::Int64, false),
            texts("reason"),
        ];
        answers.extend(certificates.then(|| texts(CERTIFICATE)));
        for name in &keep {
            if name == ROW || answers.iter().any(|field| field.name() == name) {
                return Err(format!("keep: `{name}` is a column of the answers: rename it first"));
            }
        }
        if let Some(input) = input {
            let (field, kept) = chosen(input, column.as_deref(), &keep)?;
            if !Column::fits(field.data_type()) {
                return Err(format!("column `{}` is of {}, not of text", field.name(), field.data_type()));
            }
            fields.extend(kept.iter().map(|field| field.as_ref().clone()));
        } else {
            fields.extend(keep.iter().map(|name| Field::new(name, DataType::Null, true)));
        }
        fields.extend(answers);
        Ok(Table { column, keep, names, certificates, schema: Arc::new(Schema::new(fields)) })
    }

    /// The type of the answers.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The rows of an array, of which the first has this number.
    pub fn rows(&self, field: &FieldRef, array: &ArrayRef, first: i64) -> Result<Rows, ArrowError> {
        let (text, kept) = self.columns(field, array).map_err(ArrowError::SchemaError)?;
        let column =
            Column::new(&text, array.as_struct_opt().and_then(|rows| rows.nulls())).ok_or_else(|| {
                let name = self.column.as_deref().unwrap_or(field.name());
                ArrowError::SchemaError(format!("column `{name}` is of {}, not of text", text.data_type()))
            })?;
        Ok(Rows { column, len: array.len(), first, kept })
    }

    /// The column of histories, and those that are kept.
    fn columns(&self, field: &FieldRef, array: &ArrayRef) -> Result<(ArrayRef, Vec<ArrayRef>), String> {
        let (text, kept) = chosen(field, self.column.as_deref(), &self.keep)?;
        let DataType::Struct(fields) = field.data_type() else { return Ok((array.clone(), Vec::new())) };
        let batch = array.as_struct();
        let of = |wanted: &FieldRef| {
            let place = fields.iter().position(|field| Arc::ptr_eq(field, wanted));
            batch.column(place.unwrap_or_default()).clone()
        };
        for (kept, field) in kept.iter().zip(&self.schema.fields()[1..]) {
            if kept.data_type() != field.data_type() {
                let (name, now, before) = (kept.name(), kept.data_type(), field.data_type());
                return Err(format!("column `{name}` is of {now}, and was of {before} before"));
            }
        }
        Ok((of(&text), kept.iter().map(of).collect()))
    }

    /// Whether rows may stand in one batch of answers.
    pub fn joins(&self, one: &Arc<Rows>, other: &Arc<Rows>) -> bool {
        self.keep.is_empty() || Arc::ptr_eq(one, other)
    }

    /// The answers as a batch.
    pub fn batch(&self, told: Vec<Answers>) -> Result<RecordBatch, ArrowError> {
        let count = told.iter().map(|told| told.answers.len()).sum();
        let answers = || told.iter().flat_map(|told| &told.answers);
        let mut numbers = Vec::with_capacity(count);
        for Answers { rows, answers } in &told {
            numbers.extend(answers.iter().map(|answer| rows.first + answer.row as i64));
        }
        let mut columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(numbers))];
        if let (Some(first), false) = (told.first(), self.keep.is_empty()) {
            let places = UInt64Array::from_iter_values(answers().map(|answer| answer.row as u64));
            for column in &first.rows.kept {
                columns.push(take(column, &places, None)?);
            }
        }
        columns.push(texts(answers().map(|answer| self.model(answer))));
        columns.push(texts(answers().map(|answer| Some(answer.verdict))));
        columns.push(texts(answers().map(|answer| answer.engine)));
        columns.push(Arc::new(Int64Array::from_iter_values(answers().map(|answer| answer.micros as i64))));
        columns.push(texts(answers().map(|answer| answer.reason.as_deref())));
        if self.certificates {
            columns.push(texts(answers().map(|answer| answer.certificate.as_deref())));
        }
        RecordBatch::try_new(self.schema.clone(), columns)
    }

    /// The name of the model that was asked.
    fn model(&self, answer: &Told) -> Option<&str> {
        Some(match answer.model? {
            Asked::Memory(place) => &self.names[0][place],
            Asked::Object(place) => &self.names[1][place],
            Asked::Transactions(place) => &self.names[2][place],
        })
    }
}

fn texts<'a>(cells: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(StringArray::from_iter(cells))
}

/// The column of histories among those of some data, and those that are kept.
fn chosen(
    input: &FieldRef,
    column: Option<&str>,
    keep: &[String],
) -> Result<(FieldRef, Vec<FieldRef>), String> {
    let DataType::Struct(fields) = input.data_type() else {
        return match keep {
            [] => Ok((input.clone(), Vec::new())),
            _ => Err("keep: the data are one column, and there is no other".into()),
        };
    };
    let kept: Result<_, _> = keep.iter().map(|name| named(fields, name)).collect();
    let column = match (column, &fields[..]) {
        (Some(name), _) => named(fields, name)?,
        (None, [only]) => only.clone(),
        (None, _) => {
            return Err(format!("column: which one holds the histories? there are {}", names(fields)));
        }
    };
    Ok((column, kept?))
}

fn named(fields: &Fields, name: &str) -> Result<FieldRef, String> {
    let found = fields.iter().find(|field| field.name() == name).cloned();
    found.ok_or_else(|| format!("no column `{name}`; there are {}", names(fields)))
}

fn names(fields: &Fields) -> String {
    fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>().join(", ")
}
