//! Accesses: the location, and the order that it has.

use super::{Compiled, Compiler, Kind, Shared};
use crate::text::code::Access;
use crate::text::error::Mistake;
use crate::text::syntax::{Name, Target};
use tribunal_history::memory::Order;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Load,
    Store,
    Rmw,
    /// A cas that fails.
    Failure,
    Fence,
}

impl What {
    /// The order that such an access has where this one is asked for: of acqrel, what it can have.
    fn order(self, order: Order) -> Result<Order, Mistake> {
        let (what, possible) = match self {
            What::Load => ("a load", !matches!(order, Order::Release)),
            What::Store => ("a store", !matches!(order, Order::Acquire)),
            What::Rmw => ("a read-modify-write", order != Order::NonAtomic),
            What::Failure => ("a cas that fails", !matches!(order, Order::Release | Order::NonAtomic)),
            What::Fence => ("a fence", order != Order::NonAtomic),
        };
        match (possible, self, order) {
            (false, ..) => Err(Mistake::BadOrder { what, order: order.name() }),
            (_, What::Load | What::Failure, Order::AcqRel) => Ok(Order::Acquire),
            (_, What::Store, Order::AcqRel) => Ok(Order::Release),
            _ => Ok(order),
        }
    }
}

impl<'a> Compiler<'a> {
    /// The location of an access; emits its index.
    pub(super) fn access(&mut self, target: &'a Target) -> Compiled<(Access, Shared)> {
        let name = &target.name;
        let Some(&shared) = self.locations.get(name.text.as_str()) else {
            let hint = "locations are declared with `atomic`, `plain` or `mutex`";
            return Err(Mistake::Unknown { name: name.text.clone(), hint }.at(name.at));
        };
        let wrong = |is, wanted| Err(Mistake::WrongKind { name: name.text.clone(), is, wanted }.at(name.at));
        match (shared.length, &target.index) {
            (Some(_), Some(index)) => self.expression(index)?,
            (None, None) => {}
            (Some(_), None) => return wrong("an array", "one location of it"),
            (None, Some(_)) => return wrong("one location", "an array"),
        }
        Ok((Access { base: shared.base, length: shared.length }, shared))
    }

    /// The location of an access that is not of a mutex, and the order that it has if it names none.
    pub(super) fn value_access(&mut self, target: &'a Target) -> Compiled<(Access, Option<Order>)> {
        match self.access(target)? {
            (access, Shared { kind: Kind::Atomic(order), .. }) => Ok((access, order)),
            (_, Shared { kind: Kind::Mutex, .. }) => {
                let Name { text, at } = target.name.clone();
                Err(Mistake::WrongKind { name: text, is: "a mutex", wanted: "a location with a value" }
                    .at(at))
            }
        }
    }

    /// The mutex that is locked or unlocked.
    pub(super) fn mutex(&mut self, target: &'a Target) -> Compiled<Access> {
        match self.access(target)? {
            (access, Shared { kind: Kind::Mutex, .. }) => Ok(access),
            _ => {
                let Name { text, at } = target.name.clone();
                let (is, wanted) = ("a location with a value", "a mutex");
                Err(Mistake::WrongKind { name: text, is, wanted }.at(at))
            }
        }
    }

    /// The order of an access that names one or has that of its location.
    pub(super) fn access_order(
        &self,
        what: What,
        named: Option<&Name>,
        default: Option<Order>,
        target: &Target,
    ) -> Compiled<Order> {
        let at = named.map_or(target.name.at, |name| name.at);
        let order = match (named, default) {
            (Some(name), _) => self.order(name)?,
            (None, Some(order)) => order,
            (None, None) => return Err(Mistake::NoOrder(target.name.text.clone()).at(at)),
        };
        what.order(order).map_err(|mistake| mistake.at(at))
    }

    /// The orders of a cas. If it fails it has, unless told otherwise, what a load can have of the first.
    pub(super) fn cas_orders(
        &self,
        target: &Target,
        default: Option<Order>,
        success: Option<&Name>,
        failure: Option<&Name>,
    ) -> Compiled<(Order, Order)> {
        let order = self.access_order(What::Rmw, success, default, target)?;
        let failed = match (failure, order) {
            (Some(name), _) => self.access_order(What::Failure, Some(name), None, target)?,
            (None, Order::Release) => Order::Relaxed,
            (None, Order::AcqRel) => Order::Acquire,
            (None, order) => order,
        };
        Ok((order, failed))
    }

    /// The order of a fence; a relaxed one does nothing.
    pub(super) fn fence_order(&self, name: &Name) -> Compiled<Option<Order>> {
        let order = What::Fence.order(self.order(name)?).map_err(|mistake| mistake.at(name.at))?;
        Ok((order != Order::Relaxed).then_some(order))
    }
}
