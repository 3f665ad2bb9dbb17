//! A random expression, written with as few parentheses as the grammar asks for, has the value that its operators have by their definitions.

use std::collections::BTreeSet;
use std::fmt::Write;
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::plan::{Facts, Plan, Type};
use tribunal_cat::relation::{Relation, Set};
use tribunal_cat::{Environment, Model, NoFiles};
use tribunal_random::Random;

const SIZE: usize = 4;

type Pairs = BTreeSet<(usize, usize)>;
type Events = BTreeSet<usize>;

/// Sets and relations by name.
#[derive(Clone, Debug, Default)]
struct World {
    sets: Vec<(String, Events)>,
    relations: Vec<(String, Pairs)>,
}

impl World {
    fn random(random: &mut Random) -> World {
        let mut world = World::default();
        for name in ["S", "T", "nothing"] {
            let events = (0..SIZE).filter(|_| name != "nothing" && random.index(2) == 0).collect();
            world.sets.push((name.to_owned(), events));
        }
        for name in ["p", "q", "none"] {
            let all = (0..SIZE).flat_map(|a| (0..SIZE).map(move |b| (a, b)));
            let pairs = all.filter(|_| name != "none" && random.index(4) == 0).collect();
            world.relations.push((name.to_owned(), pairs));
        }
        world
    }

    fn environment() -> Environment {
        Environment::bare()
            .with_set("S")
            .with_set("T")
            .with_empty("nothing")
            .with_relation("p")
            .with_relation("q")
            .with_relation("none")
            .with_empty("none")
    }
}

impl Facts for World {
    fn size(&self) -> usize {
        SIZE
    }

    fn set(&self, name: &str, into: &mut Set) -> bool {
        let Some((_, events)) = self.sets.iter().find(|(known, _)| known == name) else { return false };
        events.iter().for_each(|&event| into.insert(event));
        true
    }

    fn relation(&self, name: &str, into: &mut Relation) -> bool {
        let Some((_, pairs)) = self.relations.iter().find(|(known, _)| known == name) else { return false };
        pairs.iter().for_each(|&(a, b)| into.insert(a, b));
        true
    }
}

/// A set or a relation.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Set(Events),
    Relation(Pairs),
}

impl Value {
    fn pairs(self) -> Pairs {
        match self {
            Value::Relation(pairs) => pairs,
            Value::Set(_) => unreachable!(),
        }
    }

    fn events(self) -> Events {
        match self {
            Value::Set(events) => events,
            Value::Relation(_) => unreachable!(),
        }
    }
}

fn closure(pairs: &Pairs) -> Pairs {
    let mut closed = pairs.clone();
    loop {
        let longer: Pairs = sequence(&closed, pairs).union(&closed).copied().collect();
        if longer == closed {
            return closed;
        }
        closed = longer;
    }
}

fn sequence(r: &Pairs, s: &Pairs) -> Pairs {
    r.iter().flat_map(|&(a, b)| s.iter().filter(move |&&(c, _)| c == b).map(move |&(_, d)| (a, d))).collect()
}

/// A text, how tightly its operator binds (1 to 8, as in the table of precedences), and its value.
struct Piece {
    text: String,
    level: u8,
    value: Value,
}

impl Piece {
    /// The text, in parentheses unless it binds at least so tightly.
    fn at(&self, level: u8) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }
}

fn infix(a: &Piece, sign: &str, b: &Piece, level: u8, value: Value) -> Piece {
    // Only `\` is grouped from the left.
    let (left, right) = if sign == "\\" { (level, level + 1) } else { (level + 1, level) };
    Piece { text: format!("{} {sign} {}", a.at(left), b.at(right)), level, value }
}

/// A random set or relation; `positive` leaves out what is not monotone.
fn piece(random: &mut Random, world: &World, ty: Type, depth: usize, positive: bool) -> Piece {
    let inner = |random: &mut Random, ty: Type| piece(random, world, ty, depth.saturating_sub(1), positive);
    if depth == 0 {
        let (text, value) = match ty {
            Type::Set if random.index(8) == 0 => ("_".to_owned(), Value::Set((0..SIZE).collect())),
            Type::Set => {
                let (name, events) = &world.sets[random.index(world.sets.len())];
                (name.clone(), Value::Set(events.clone()))
            }
            Type::Relation => {
                let (name, pairs) = &world.relations[random.index(world.relations.len())];
                (name.clone(), Value::Relation(pairs.clone()))
            }
        };
        return Piece { text, level: 8, value };
    }
    let id: Pairs = (0..SIZE).map(|event| (event, event)).collect();
    match (random.index(if ty == Type::Set { 6 } else { 13 }), ty) {
        (0 | 1, _) => {
            let (a, b) = (inner(random, ty), inner(random, ty));
            let value = combine(&a, &b, |x, y| x || y);
            infix(&a, "|", &b, 1, value)
        }
        (2, _) => {
            let (a, b) = (inner(random, ty), inner(random, ty));
            let value = combine(&a, &b, |x, y| x && y);
            infix(&a, "&", &b, 5, value)
        }
        (3, _) if !positive => {
            let (a, b) = (inner(random, ty), inner(random, ty));
            let value = combine(&a, &b, |x, y| x && !y);
            infix(&a, "\\", &b, 4, value)
        }
        (4, _) if !positive => {
            let a = inner(random, ty);
            let none = combine(&a, &a, |_, _| true);
            let value = match (none, &a.value) {
                (Value::Set(_), Value::Set(a)) => Value::Set((0..SIZE).filter(|e| !a.contains(e)).collect()),
                (_, a) => {
                    let a = a.clone().pairs();
                    let all = (0..SIZE).flat_map(|a| (0..SIZE).map(move |b| (a, b)));
                    Value::Relation(all.filter(|pair| !a.contains(pair)).collect())
                }
            };
            Piece { text: format!("~{}", a.at(7)), level: 6, value }
        }
        (_, Type::Set) => {
            let r = inner(random, Type::Relation);
            let first = random.index(2) == 0;
            let name = if first { "domain" } else { "range" };
            let text = format!("{name}({})", r.text);
            let ends = r.value.pairs().into_iter().map(|(a, b)| if first { a } else { b }).collect();
            Piece { text, level: 8, value: Value::Set(ends) }
        }
        (5 | 6, _) => {
            let (r, s) = (inner(random, ty), inner(random, ty));
            let value = sequence(&r.value.clone().pairs(), &s.value.clone().pairs());
            infix(&r, ";", &s, 3, Value::Relation(value))
        }
        (7, _) => {
            let (s, t) = (inner(random, Type::Set), inner(random, Type::Set));
            let (from, to) = (s.value.clone().events(), t.value.clone().events());
            let pairs = from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b))).collect();
            Piece { text: format!("{} * {}", s.at(7), t.at(7)), level: 6, value: Value::Relation(pairs) }
        }
        (8, _) => {
            let s = inner(random, Type::Set);
            let pairs = s.value.clone().events().into_iter().map(|event| (event, event)).collect();
            Piece { text: format!("[{}]", s.text), level: 8, value: Value::Relation(pairs) }
        }
        (9, _) => {
            let r = inner(random, ty);
            let pairs = r.value.clone().pairs().into_iter().map(|(a, b)| (b, a)).collect();
            Piece { text: format!("{}^-1", r.at(7)), level: 7, value: Value::Relation(pairs) }
        }
        (case, _) => {
            let r = inner(random, ty);
            let pairs = r.value.clone().pairs();
            let (sign, value) = match case {
                10 => ("?", pairs.union(&id).copied().collect()),
                11 => ("*", closure(&pairs).union(&id).copied().collect()),
                _ => ("+", closure(&pairs)),
            };
            Piece { text: format!("{}{sign}", r.at(7)), level: 6, value: Value::Relation(value) }
        }
    }
}

fn combine(a: &Piece, b: &Piece, keep: impl Fn(bool, bool) -> bool) -> Value {
    match (&a.value, &b.value) {
        (Value::Set(a), Value::Set(b)) => {
            Value::Set(a.union(b).filter(|e| keep(a.contains(e), b.contains(e))).copied().collect())
        }
        (Value::Relation(a), Value::Relation(b)) => {
            Value::Relation(a.union(b).filter(|p| keep(a.contains(p), b.contains(p))).copied().collect())
        }
        _ => unreachable!(),
    }
}

fn plan(text: &str) -> Plan {
    let model = Model::parse(text, "random.cat", &mut NoFiles).unwrap_or_else(|e| panic!("{e}"));
    model.plan(&World::environment()).unwrap_or_else(|e| panic!("{e}"))
}

/// Whether the last check of a plan holds.
fn holds(plan: &Plan, world: &World) -> Option<bool> {
    let mut evaluator = Evaluator::new(plan, &[]);
    evaluator.load(world).expect("a world has all names");
    // A check that is left out is one of an empty set or relation.
    plan.checks.len().checked_sub(1).map(|last| evaluator.holds(last))
}

#[test]
fn operators_are_what_they_are_defined_to_be() {
    let mut random = Random::new(17);
    for round in 0..6000 {
        let world = World::random(&mut random);
        let ty = if random.index(3) == 0 { Type::Set } else { Type::Relation };
        let piece = piece(&mut random, &world, ty, round % 6, false);
        let empty = match &piece.value {
            Value::Set(events) => events.is_empty(),
            Value::Relation(pairs) => pairs.is_empty(),
        };
        let made = plan(&format!("flag ~empty {} as some", piece.text));
        assert_eq!(holds(&made, &world).unwrap_or(false), !empty, "{}\n{world:?}", piece.text);
        // Pair by pair: the expression minus its value, and its value minus the expression, are empty.
        if let Value::Relation(pairs) = &piece.value {
            let mut with = world.clone();
            with.relations.push(("value".to_owned(), pairs.clone()));
            let text = format!("flag ~empty (({0}) \\ value) | (value \\ ({0})) as differs", piece.text);
            let model = Model::parse(&text, "random.cat", &mut NoFiles).unwrap();
            let made = model.plan(&World::environment().with_relation("value")).unwrap();
            assert_ne!(holds(&made, &with), Some(true), "{}\n{with:?}", piece.text);
        }
    }
}

#[test]
fn recursion_is_the_least_fixpoint() {
    let mut random = Random::new(4);
    for _ in 0..1500 {
        let world = World::random(&mut random);
        // Two relations and a set by three random monotone bodies. Texts are the same in each round, since the seed is.
        let seed = random.index(1 << 30) as u64 | 1;
        let bodies = |with: &World| {
            let mut random = Random::new(seed);
            [Type::Relation, Type::Set, Type::Relation].map(|ty| piece(&mut random, with, ty, 3, true))
        };
        let mut with = world.clone();
        with.relations.push(("x".to_owned(), Pairs::new()));
        with.sets.push(("y".to_owned(), Events::new()));
        with.relations.push(("z".to_owned(), Pairs::new()));
        let (x, y, z) = (with.relations.len() - 2, with.sets.len() - 1, with.relations.len() - 1);
        loop {
            let [a, b, c] = bodies(&with);
            let (a, b, c) = (a.value.pairs(), b.value.events(), c.value.pairs());
            if a == with.relations[x].1 && b == with.sets[y].1 && c == with.relations[z].1 {
                break;
            }
            with.relations[x].1 = a;
            with.sets[y].1 = b;
            with.relations[z].1 = c;
        }
        let [a, b, c] = bodies(&with);
        let mut text = String::new();
        write!(text, "let rec x = {} and y = {} and z = {} ", a.text, b.text, c.text).unwrap();
        write!(
            text,
            "flag ~empty [y \\ ys] | [ys \\ y] | (x \\ xs) | (xs \\ x) | (z \\ zs) | (zs \\ z) as differs"
        )
        .unwrap();
        for (name, index) in [("xs", x), ("zs", z)] {
            let value = with.relations[index].1.clone();
            with.relations.push((name.to_owned(), value));
        }
        let value = with.sets[y].1.clone();
        with.sets.push(("ys".to_owned(), value));
        let environment = World::environment().with_relation("xs").with_relation("zs").with_set("ys");
        let model = Model::parse(&text, "random.cat", &mut NoFiles).unwrap();
        let made = model.plan(&environment).unwrap_or_else(|e| panic!("{text}\n{e}"));
        assert_ne!(holds(&made, &with), Some(true), "{text}\n{with:?}");
    }
}
