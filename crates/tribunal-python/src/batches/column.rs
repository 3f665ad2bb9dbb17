//! A column of texts, however Arrow lays it out: where the bytes of each cell lie.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use bytes::Bytes;
use std::ops::Range;

/// The cells of a column.
pub struct Column {
    layout: Layout,
    nulls: Option<NullBuffer>,
    /// What the cells lie in.
    buffers: Vec<Bytes>,
}

enum Layout {
    /// One after the other.
    Short(OffsetBuffer<i32>),
    /// The same, in more than two gigabytes.
    Long(OffsetBuffer<i64>),
    /// Views: of what is in a buffer, or with short texts inside. They are themselves the first buffer.
    Views(ScalarBuffer<u128>),
    /// By row, which cell of another column it is.
    Dictionary(Vec<usize>, Box<Column>),
    /// Nulls alone.
    Nulls,
}

/// Where a cell lies.
pub struct Cell {
    /// In which buffer.
    pub buffer: usize,
    /// At which bytes of it.
    pub range: Range<usize>,
}

impl Column {
    /// Nothing if it is not of texts. Rows may be null as a whole, beside those that the column itself says are.
    pub fn new(array: &ArrayRef, rows: Option<&NullBuffer>) -> Option<Self> {
        let (layout, buffers) = match array.data_type() {
            DataType::Utf8 => {
                let texts = array.as_string::<i32>();
                (Layout::Short(texts.offsets().clone()), vec![lent(texts.values())])
            }
            DataType::LargeUtf8 => {
                let texts = array.as_string::<i64>();
                (Layout::Long(texts.offsets().clone()), vec![lent(texts.values())])
            }
            DataType::Binary => {
                let texts = array.as_binary::<i32>();
                (Layout::Short(texts.offsets().clone()), vec![lent(texts.values())])
            }
            DataType::LargeBinary => {
                let texts = array.as_binary::<i64>();
                (Layout::Long(texts.offsets().clone()), vec![lent(texts.values())])
            }
            DataType::Utf8View => {
                let texts = array.as_string_view();
                views(texts.views(), texts.data_buffers())
            }
            DataType::BinaryView => {
                let texts = array.as_binary_view();
                views(texts.views(), texts.data_buffers())
            }
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let values = Column::new(dictionary.values(), None)?;
                if dictionary.values().is_empty() {
                    (Layout::Nulls, Vec::new())
                } else {
                    (Layout::Dictionary(dictionary.normalized_keys(), Box::new(values)), Vec::new())
                }
            }
            DataType::Null => (Layout::Nulls, Vec::new()),
            _ => return None,
        };
        Some(Column { layout, nulls: NullBuffer::union(array.nulls(), rows), buffers })
    }

    /// Whether a column of this type is one of texts.
    pub fn fits(kind: &DataType) -> bool {
        match kind {
            DataType::Dictionary(_, values) => Column::fits(values),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::Null => true,
            _ => false,
        }
    }

    /// Where the cell of a row lies; nothing if it is null.
    pub fn cell(&self, row: usize) -> Option<Cell> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        Some(match &self.layout {
            Layout::Short(offsets) => {
                Cell { buffer: 0, range: offsets[row] as usize..offsets[row + 1] as usize }
            }
            Layout::Long(offsets) => {
                Cell { buffer: 0, range: offsets[row] as usize..offsets[row + 1] as usize }
            }
            Layout::Views(views) => {
                /// Longer texts are elsewhere.
                const INLINE: usize = 12;
                let view = views[row];
                let length = view as u32 as usize;
                if length <= INLINE {
                    let begin = row * size_of::<u128>() + size_of::<u32>();
                    Cell { buffer: 0, range: begin..begin + length }
                } else {
                    let begin = (view >> 96) as u32 as usize;
                    Cell { buffer: 1 + (view >> 64) as u32 as usize, range: begin..begin + length }
                }
            }
            Layout::Dictionary(keys, values) => return values.cell(keys[row]),
            Layout::Nulls => return None,
        })
    }

    /// A buffer that cells lie in.
    pub fn buffer(&self, number: usize) -> &Bytes {
        match &self.layout {
            Layout::Dictionary(_, values) => values.buffer(number),
            _ => &self.buffers[number],
        }
    }
}

fn views(views: &ScalarBuffer<u128>, data: &[Buffer]) -> (Layout, Vec<Bytes>) {
    let buffers = std::iter::once(views.inner()).chain(data).map(lent).collect();
    (Layout::Views(views.clone()), buffers)
}

/// Arrow's bytes, which live as long as these do.
fn lent(buffer: &Buffer) -> Bytes {
    struct Owner(Buffer);

    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    Bytes::from_owner(Owner(buffer.clone()))
}
