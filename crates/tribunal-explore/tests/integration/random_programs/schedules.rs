//! The least number of preemptions of all that a program does, by running it step by step in every order.

use crate::random_programs::brute_force::{
    Event, Next, Partial, ReadsFrom, Shape, has_race, is_consistent, is_last_word, lets_go_on, location,
    replay, shape, step, writes,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use tribunal_explore::program::Action;
use tribunal_explore::text::{Code, Interpreter};
use tribunal_history::memory::ThreadId;
use tribunal_history::model::Model;

/// The least preemptions of a schedule, of whatever a program may do.
#[derive(Default)]
pub struct Preemptions {
    /// By complete execution.
    pub complete: BTreeMap<Shape, usize>,
    /// Of threads that wait forever, a race, an assertion that fails.
    pub stuck: Option<usize>,
    pub racy: Option<usize>,
    pub fails: Option<usize>,
}

/// What can be done at a point: for each thread, the ways to do its next event.
struct Point {
    next: Vec<Next>,
    ways: Vec<Vec<Partial>>,
}

/// All schedules; none if there are more parts of executions than this.
pub fn schedules(code: &Arc<Code>, model: Model, allow_races: bool, most: usize) -> Option<Preemptions> {
    let mut interpreter = Interpreter::new(Arc::clone(code), model);
    let mut points: HashMap<Shape, Rc<Point>> = HashMap::new();
    let mut seen: HashSet<(Shape, Option<usize>)> = HashSet::new();
    let mut found = Preemptions::default();
    // By number of preemptions: what is done, and who did the last of it.
    let mut level: Vec<(Partial, Option<usize>)> = vec![(vec![Vec::new(); code.threads() - 1], None)];
    for preemptions in 0.. {
        let mut dearer = Vec::new();
        while let Some((graph, last)) = level.pop() {
            let shape = shape(&graph, &[]);
            if !seen.insert((shape.clone(), last)) {
                continue;
            }
            let point = match points.get(&shape) {
                Some(point) => Rc::clone(point),
                None => {
                    let point = Rc::new(point(&mut interpreter, &graph, code, model, allow_races)?);
                    let waits = |next: &Next| {
                        matches!(
                            next,
                            Next::Ended | Next::Event(Action::Await { .. } | Action::AwaitRmw { .. })
                        )
                    };
                    let ended = point.next.iter().all(|next| matches!(next, Next::Ended));
                    if !ended
                        && point.next.iter().all(waits)
                        && is_last_word(&interpreter, &graph, &point.next, code, model)
                    {
                        found.stuck.get_or_insert(preemptions);
                    }
                    if has_race(&graph, code, model) {
                        found.racy.get_or_insert(preemptions);
                    }
                    if point.next.iter().any(|next| matches!(next, Next::Failed)) {
                        found.fails.get_or_insert(preemptions);
                    }
                    if ended {
                        found.complete.insert(shape.clone(), preemptions);
                    }
                    points.insert(shape, Rc::clone(&point));
                    point
                }
            };
            if points.len() > most {
                return None;
            }
            for (thread, ways) in point.ways.iter().enumerate() {
                let goes_on = last.is_some_and(|last| last != thread && !point.ways[last].is_empty());
                let next = if goes_on { &mut dearer } else { &mut level };
                next.extend(ways.iter().map(|graph| (graph.clone(), Some(thread))));
            }
        }
        if dearer.is_empty() {
            break;
        }
        level = dearer;
    }
    Some(found)
}

fn point(
    interpreter: &mut Interpreter,
    graph: &Partial,
    code: &Code,
    model: Model,
    allow_races: bool,
) -> Option<Point> {
    let mut point = Point { next: Vec::new(), ways: Vec::new() };
    for (number, events) in graph.iter().enumerate() {
        let thread = ThreadId(number as u32 + 1);
        let answer = replay(interpreter, thread, events);
        let next = step(interpreter, thread, answer, allow_races)?;
        let with = |from, read, action: &Action, written| {
            let mut longer = graph.clone();
            longer[number].push(Event { action: action.clone(), from, read, written });
            longer
        };
        let mut ways = Vec::new();
        match &next {
            Next::Event(action @ Action::Store { value, .. }) => {
                ways.push(with(ReadsFrom::Nothing, 0, action, Some(*value)));
            }
            Next::Event(action @ Action::Fence { .. }) => {
                ways.push(with(ReadsFrom::Nothing, 0, action, None))
            }
            Next::Event(action) => {
                for (from, read) in writes(interpreter, graph, location(action)) {
                    let written = match action {
                        Action::Rmw { update, .. } | Action::AwaitRmw { update, .. } => update.of(read),
                        _ => None,
                    };
                    let longer = with(from, read, action, written);
                    if lets_go_on(action, read) && is_consistent(&longer, code, &[], model) {
                        ways.push(longer);
                    }
                }
            }
            _ => {}
        }
        point.next.push(next);
        point.ways.push(ways);
    }
    Some(point)
}
