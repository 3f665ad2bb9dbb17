//! Who is connected, and what is kept in memory for them. Where it is too much, whoever has kept the server waiting longest is
//! disconnected, so slow clients take nothing from others.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All connections.
pub struct Crowd {
    members: Mutex<Members>,
    limits: CrowdLimits,
}

/// The limits of a crowd.
pub struct CrowdLimits {
    /// The most connections.
    pub connections: usize,
    /// The number of further clients that are told that there are too many; others are closed.
    pub rejected: usize,
    /// The number of bytes of bodies and answers that are kept.
    pub bytes: usize,
}

#[derive(Default)]
struct Members {
    /// By number, which is the order in which they came.
    by_number: BTreeMap<u64, Member>,
    next: u64,
}

struct Member {
    socket: Arc<TcpStream>,
    /// Whether the server waits for this client, to send or to receive.
    awaited: bool,
    /// Whether it has been disconnected; its thread ends soon.
    leaving: bool,
    bytes: usize,
}

/// A connection's membership; it ends when this is dropped.
pub struct Seat {
    crowd: Arc<Crowd>,
    number: u64,
}

/// The fate of a connection.
pub enum Admission {
    /// It is served.
    Admitted(Seat),
    /// It is told that there are too many.
    Rejected(Seat),
    /// It is closed.
    Closed,
}

impl Crowd {
    pub fn new(limits: CrowdLimits) -> Arc<Self> {
        Arc::new(Crowd { members: Mutex::default(), limits })
    }

    fn locked(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection, and disconnects the oldest one that the server waits for if there are too many.
    pub fn admit(self: &Arc<Self>, socket: Arc<TcpStream>) -> Admission {
        let mut members = self.locked();
        if members.by_number.len() >= self.limits.connections + self.limits.rejected {
            return Admission::Closed;
        }
        let staying = members.by_number.values().filter(|member| !member.leaving).count();
        let full = staying >= self.limits.connections && !members.disconnect(|_, _| true);
        let number = members.next;
        members.next += 1;
        members.by_number.insert(number, Member { socket, awaited: true, leaving: false, bytes: 0 });
        drop(members);
        let seat = Seat { crowd: self.clone(), number };
        if full { Admission::Rejected(seat) } else { Admission::Admitted(seat) }
    }
}

impl Members {
    /// Disconnects the oldest of those who are awaited and whom `among` names, if there is one.
    fn disconnect(&mut self, mut among: impl FnMut(u64, &Member) -> bool) -> bool {
        let mut staying = self.by_number.iter_mut().filter(|(_, member)| member.awaited && !member.leaving);
        let Some((_, oldest)) = staying.find(|(number, member)| among(**number, member)) else {
            return false;
        };
        oldest.leaving = true;
        // What its thread reads or writes ends now. It fails only if the client has left.
        let _ = oldest.socket.shutdown(Shutdown::Both);
        true
    }
}

impl Seat {
    /// Says whether the server waits for the client.
    pub fn awaits(&self, awaited: bool) {
        if let Some(member) = self.crowd.locked().by_number.get_mut(&self.number) {
            member.awaited = awaited;
        }
    }

    /// Asks to keep so many bytes in all for this connection. If that is too much it may not, and another that keeps bytes is
    /// disconnected: its own are free soon.
    pub fn keep(&self, bytes: usize) -> bool {
        let mut members = self.crowd.locked();
        let others = members.by_number.iter().filter(|(number, _)| **number != self.number);
        let fits = others.map(|(_, member)| member.bytes).sum::<usize>().saturating_add(bytes)
            <= self.crowd.limits.bytes;
        if fits {
            if let Some(member) = members.by_number.get_mut(&self.number) {
                member.bytes = bytes;
            }
        } else if !members.by_number.values().any(|member| member.leaving && member.bytes > 0) {
            members.disconnect(|number, member| number != self.number && member.bytes > 0);
        }
        fits
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.crowd.locked().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::{Ipv4Addr, TcpListener};

    struct Clients(TcpListener, Arc<Crowd>);

    impl Clients {
        fn new(limits: CrowdLimits) -> Self {
            Clients(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port"), Crowd::new(limits))
        }

        fn connect(&self) -> (TcpStream, Admission) {
            let client = TcpStream::connect(self.0.local_addr().expect("an address")).expect("connected");
            let socket = Arc::new(self.0.accept().expect("a client").0);
            (client, self.1.admit(socket))
        }

        fn admitted(&self) -> (TcpStream, Seat) {
            match self.connect() {
                (client, Admission::Admitted(seat)) => (client, seat),
                _ => panic!("not admitted"),
            }
        }
    }

    /// Whether the server has closed the connection.
    fn is_closed(client: &mut TcpStream) -> bool {
        client.set_nonblocking(true).expect("set");
        matches!(client.read(&mut [0]), Ok(0))
    }

    #[test]
    fn the_oldest_that_is_awaited_makes_way() {
        let clients = Clients::new(CrowdLimits { connections: 3, rejected: 1, bytes: 100 });
        let (mut checked, checked_seat) = clients.admitted();
        checked_seat.awaits(false);
        let (mut slow, slow_seat) = clients.admitted();
        let (mut other, other_seat) = clients.admitted();
        let (_fourth, fourth_seat) = clients.admitted();
        assert!(is_closed(&mut slow) && !is_closed(&mut other) && !is_closed(&mut checked));
        drop(slow_seat);
        other_seat.awaits(false);
        fourth_seat.awaits(false);
        let (_fifth, rejected) = clients.connect();
        assert!(matches!(rejected, Admission::Rejected(_)));
        assert!(matches!(clients.connect().1, Admission::Closed));
        drop(rejected);
        drop(other_seat);
        let _sixth = clients.admitted();
    }

    #[test]
    fn those_who_keep_bytes_make_way_for_others_who_need_them() {
        let clients = Clients::new(CrowdLimits { connections: 9, rejected: 0, bytes: 100 });
        let (mut idle, _idle_seat) = clients.admitted();
        let (mut slow, slow_seat) = clients.admitted();
        let (mut other, other_seat) = clients.admitted();
        let (_new, seat) = clients.admitted();
        assert!(slow_seat.keep(60) && other_seat.keep(30) && seat.keep(10));
        assert!(!seat.keep(11));
        assert!(is_closed(&mut slow) && !is_closed(&mut idle) && !is_closed(&mut other));
        // It waits for those bytes, and nobody else is disconnected meanwhile.
        assert!(!seat.keep(11) && !is_closed(&mut other));
        drop(slow_seat);
        assert!(seat.keep(70) && !seat.keep(71) && is_closed(&mut other));
        drop(other_seat);
        assert!(seat.keep(100) && !seat.keep(101));
    }
}
