//! Orders, payments and deliveries of a wholesale supplier.

use tribunal_history::transactions::{History, HistoryBuilder, KeyId, Op, SessionId, Status};
use tribunal_random::Xoshiro;

/// A workload in the manner of TPC-C, on a serial store. Most writes are to keys that their transaction has read, so that reads tell nearly
/// all of the order.
///
/// Of 100 transactions 45 are new orders, which count up their district, take from the stock of 5 to 15 items and write an order with its lines; 43 are
/// payments to a warehouse, a district and a customer; the others look at an order, deliver one, or look at stocks, 4 each.
///
/// ```
/// use tribunal_machines::transactions::families::Orders;
/// let history = Orders { transactions: 1000, ..Orders::default() }.history();
/// assert_eq!(history.len(), 1000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders {
    /// Number of sessions.
    pub sessions: u32,
    /// Number of transactions.
    pub transactions: u32,
    /// Number of warehouses, each with 10 districts of 300 customers, and stocks of 1,000 items.
    pub warehouses: u32,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Orders {
    /// 24 sessions, 10,000 transactions, 1 warehouse.
    fn default() -> Self {
        Orders { sessions: 24, transactions: 10_000, warehouses: 1, seed: 0 }
    }
}

const DISTRICTS: usize = 10;
const CUSTOMERS: usize = 300;
const ITEMS: usize = 1_000;

/// The state of the supplier.
struct Supplier {
    b: HistoryBuilder,
    rng: Xoshiro,
    /// By key, the last value written.
    latest: Vec<Option<i64>>,
    written: i64,
    /// By district, its orders: the key of each, with those of its lines.
    orders: Vec<Vec<Vec<KeyId>>>,
    /// By district, how many orders are delivered.
    delivered: Vec<usize>,
    warehouses: usize,
}

impl Orders {
    /// The history, without times. With no session or no warehouse there is none but the empty one.
    pub fn history(&self) -> History {
        let mut b = History::builder();
        b.name(format!("orders, seed {}", self.seed));
        let sessions: Vec<SessionId> = (0..self.sessions).map(|s| b.session(&format!("s{s}"))).collect();
        let districts = self.warehouses as usize * DISTRICTS;
        let mut supplier = Supplier {
            b,
            rng: Xoshiro::new(self.seed),
            latest: Vec::new(),
            written: 0,
            orders: vec![Vec::new(); districts],
            delivered: vec![0; districts],
            warehouses: self.warehouses as usize,
        };
        let possible = !sessions.is_empty() && self.warehouses > 0;
        for _ in 0..if possible { self.transactions } else { 0 } {
            let session = sessions[supplier.rng.index(sessions.len())];
            supplier.b.begin(session);
            supplier.transaction();
            supplier.b.end(Status::Committed, None);
        }
        supplier.b.build().expect("values are unique")
    }
}

impl Supplier {
    fn transaction(&mut self) {
        let warehouse = self.rng.index(self.warehouses);
        let district = warehouse * DISTRICTS + self.rng.index(DISTRICTS);
        match self.rng.index(100) {
            0..45 => self.new_order(warehouse, district),
            45..88 => self.payment(warehouse, district),
            88..92 => self.status(district),
            92..96 => self.delivery(district),
            _ => self.stocks(warehouse, district),
        }
    }

    fn new_order(&mut self, warehouse: usize, district: usize) {
        self.read(&format!("warehouse {warehouse}"));
        self.update(&format!("next order of {district}"));
        let customer = self.customer(district);
        self.read(&customer);
        let number = self.orders[district].len();
        let mut keys = vec![self.write(&format!("order {district}.{number}"))];
        for line in 0..5 + self.rng.index(11) {
            let item = self.rng.index(ITEMS);
            self.update(&format!("stock {warehouse}.{item}"));
            keys.push(self.write(&format!("line {district}.{number}.{line}")));
        }
        self.orders[district].push(keys);
    }

    fn payment(&mut self, warehouse: usize, district: usize) {
        self.update(&format!("taken by {warehouse}"));
        self.update(&format!("taken by {warehouse}.{district}"));
        let customer = self.customer(district);
        self.update(&customer);
    }

    fn status(&mut self, district: usize) {
        let customer = self.customer(district);
        self.read(&customer);
        let last = self.orders[district].last().cloned();
        last.unwrap_or_default().into_iter().for_each(|key| self.read_key(key));
    }

    fn delivery(&mut self, district: usize) {
        let next = self.delivered[district];
        let Some(order) = self.orders[district].get(next).cloned() else { return self.status(district) };
        self.delivered[district] += 1;
        self.update(&format!("delivered of {district}"));
        for key in order {
            self.read_key(key);
            self.write_key(key);
        }
        let customer = self.customer(district);
        self.update(&customer);
    }

    fn stocks(&mut self, warehouse: usize, district: usize) {
        self.read(&format!("next order of {district}"));
        for _ in 0..10 {
            let item = self.rng.index(ITEMS);
            self.read(&format!("stock {warehouse}.{item}"));
        }
    }

    fn customer(&mut self, district: usize) -> String {
        format!("customer {district}.{}", self.rng.index(CUSTOMERS))
    }

    fn read(&mut self, name: &str) {
        let key = self.b.key(name);
        self.read_key(key);
    }

    fn write(&mut self, name: &str) -> KeyId {
        let key = self.b.key(name);
        self.write_key(key);
        key
    }

    fn update(&mut self, name: &str) {
        self.read(name);
        self.write(name);
    }

    fn read_key(&mut self, key: KeyId) {
        let latest = self.latest.get(key.index()).copied().flatten();
        self.b.op(Op::Read(key, latest));
    }

    fn write_key(&mut self, key: KeyId) {
        if self.latest.len() <= key.index() {
            self.latest.resize(key.index() + 1, None);
        }
        self.written += 1;
        self.latest[key.index()] = Some(self.written);
        self.b.op(Op::Write(key, self.written));
    }
}
