//! Each primitive does under each scheduler what the standard library's does.

use std::time::Duration;

use refmap_schedules::cell::UnsafeCell;
use refmap_schedules::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8,
    AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
use refmap_schedules::sync::{Arc, Condvar, Mutex, RwLock, TryLockError};
use refmap_schedules::{hint, is_scheduled, thread};

use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// Runs `body` by the operating system, and under each scheduler there is.
fn everywhere(body: impl Fn() + Send + Sync + Clone + 'static) {
    assert!(!is_scheduled());
    body();
    #[cfg(any(feature = "loom", feature = "shuttle"))]
    for order in schedulers() {
        scheduled(&order, body.clone());
    }
}

/// An order of each scheduler there is.
#[cfg(any(feature = "loom", feature = "shuttle"))]
fn schedulers() -> Vec<refmap_schedules::explore::Order> {
    use refmap_schedules::explore::Order;
    let mut orders = Vec::new();
    #[cfg(feature = "shuttle")]
    {
        let (seed, depth, executions) = (1, 3, 50);
        orders.push(Order::Random { seed, executions });
        orders.push(Order::Pct {
            seed,
            depth,
            executions,
        });
    }
    #[cfg(feature = "loom")]
    {
        let (preemptions, most) = (Some(2), 10_000);
        orders.push(Order::Every { preemptions, most });
    }
    orders
}

#[cfg(any(feature = "loom", feature = "shuttle"))]
fn scheduled(
    order: &refmap_schedules::explore::Order,
    body: impl Fn() + Send + Sync + Clone + 'static,
) {
    use refmap_schedules::explore::Ended;
    let body = move || {
        assert!(is_scheduled());
        body();
    };
    let (all, _) = crate::executions::all(order, body);
    for execution in all {
        assert_eq!(execution.ended, Ended::Completed, "{order:?}");
    }
}

macro_rules! integers {
    ($($name:ident)*) => {
        $(
            let value = $name::new(5);
            assert_eq!(value.load(Acquire), 5);
            value.store(6, Release);
            assert_eq!(value.swap(7, AcqRel), 6);
            assert_eq!(value.compare_exchange(7, 8, AcqRel, Acquire), Ok(7));
            assert_eq!(value.compare_exchange(7, 9, SeqCst, Relaxed), Err(8));
            assert_eq!(value.compare_exchange_weak(7, 9, AcqRel, Acquire), Err(8));
            assert_eq!(value.fetch_add(4, Relaxed), 8);
            assert_eq!(value.fetch_sub(2, Relaxed), 12);
            assert_eq!(value.fetch_and(6, Relaxed), 10);
            assert_eq!(value.fetch_or(5, Relaxed), 2);
            assert_eq!(value.fetch_xor(1, Relaxed), 7);
            assert_eq!(value.fetch_max(9, Relaxed), 6);
            assert_eq!(value.fetch_min(3, Relaxed), 9);
            assert_eq!(value.fetch_update(AcqRel, Acquire, |value| Some(value * 2)), Ok(3));
            assert_eq!(value.fetch_update(AcqRel, Acquire, |_| None), Err(6));
            assert_eq!(value.fetch_nand(2, Relaxed), 6);
            assert_eq!(value.into_inner(), !2);
            assert_eq!($name::default().load(SeqCst), 0);
            assert_eq!($name::from(3).load(SeqCst), 3);
        )*
    };
}

#[test]
fn integers() {
    everywhere(|| {
        integers!(AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize);
        integers!(AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize);
        fence(SeqCst);
    });
}

#[test]
fn booleans_and_pointers() {
    everywhere(|| {
        let value = AtomicBool::new(true);
        assert!(value.fetch_and(false, Relaxed));
        assert!(!value.fetch_or(true, Relaxed));
        assert!(value.fetch_xor(true, Relaxed));
        assert!(!value.fetch_nand(true, Relaxed));
        assert!(value.fetch_not(Relaxed));
        assert!(!value.swap(true, Relaxed));
        assert_eq!(
            value.compare_exchange(true, false, AcqRel, Relaxed),
            Ok(true)
        );
        assert!(!value.into_inner());

        let (mut one, mut two) = (1, 2);
        let pointer = AtomicPtr::new(&raw mut one);
        assert_eq!(pointer.swap(&raw mut two, AcqRel), &raw mut one);
        let exchanged = pointer.compare_exchange(&raw mut two, &raw mut one, AcqRel, Acquire);
        assert_eq!(exchanged, Ok(&raw mut two));
        assert_eq!(pointer.load(Acquire), &raw mut one);
        assert!(AtomicPtr::<u8>::default().into_inner().is_null());
    });
}

#[test]
fn locks() {
    everywhere(|| {
        let mut mutex = Mutex::new(0);
        *mutex.get_mut().unwrap() = 1;
        let mutex = Arc::new(mutex);
        let other = Arc::clone(&mutex);
        let other = thread::spawn(move || *other.lock().unwrap() += 1);
        *mutex.lock().unwrap() += 1;
        other.join().unwrap();
        let guard = mutex.lock().unwrap();
        assert_eq!(*guard, 3);
        let locked = mutex.try_lock();
        assert!(matches!(locked, Err(TryLockError::WouldBlock)));
        drop(locked);
        drop(guard);
        assert_eq!(*mutex.try_lock().unwrap(), 3);
        let mutex = Arc::try_unwrap(mutex).unwrap();
        assert_eq!(mutex.into_inner().unwrap(), 3);
    });
}

#[test]
fn locks_of_readers_and_writers() {
    everywhere(|| {
        let mut lock = RwLock::new(0);
        *lock.get_mut().unwrap() = 1;
        let lock = Arc::new(lock);
        let other = Arc::clone(&lock);
        let other = thread::spawn(move || *other.write().unwrap() += 1);
        let seen = *lock.read().unwrap();
        assert!(seen == 1 || seen == 2);
        other.join().unwrap();
        let reader = lock.try_read().unwrap();
        assert_eq!(*reader, 2);
        assert!(lock.try_write().is_err());
        drop(reader);
        *lock.try_write().unwrap() += 1;
        let lock = Arc::try_unwrap(lock).unwrap();
        assert_eq!(lock.into_inner().unwrap(), 3);
    });
}

#[test]
fn condition_variables() {
    everywhere(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let threads = [1, 2].map(|number| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let turn = shared.0.lock().unwrap();
                let mut turn = shared.1.wait_while(turn, |turn| *turn != number).unwrap();
                *turn += 1;
                shared.1.notify_all();
            })
        });
        let (mutex, changed) = &*shared;
        let mut turn = mutex.lock().unwrap();
        *turn += 1;
        changed.notify_all();
        while *turn != 3 {
            turn = changed.wait(turn).unwrap();
        }
        drop(turn);
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn a_notification_wakes_one_thread() {
    everywhere(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let other = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let is_set = shared.0.lock().unwrap();
        let is_set = shared.1.wait_while(is_set, |is_set| !*is_set).unwrap();
        assert!(*is_set);
        drop(is_set);
        other.join().unwrap();
    });
}

#[test]
fn threads() {
    everywhere(|| {
        let body = thread::current();
        let is_set = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&is_set);
        let builder = thread::Builder::new().name("other".into());
        let other = builder.spawn(move || {
            assert_ne!(thread::current().id(), body.id());
            assert_eq!(thread::current().name(), Some("other"));
            other.store(true, Release);
            body.unpark();
            thread::yield_now();
            7
        });
        let other = other.unwrap();
        assert_ne!(other.thread().id(), thread::current().id());
        while !is_set.load(Acquire) {
            thread::park();
        }
        assert_eq!(other.join().unwrap(), 7);
    });
}

#[test]
fn loops_that_wait() {
    everywhere(|| {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&is_set);
        let other = thread::spawn(move || other.store(true, Release));
        for wait in [hint::spin_loop, thread::yield_now, || {
            thread::sleep(Duration::ZERO)
        }] {
            wait();
        }
        while !is_set.load(Acquire) {
            hint::spin_loop();
        }
        other.join().unwrap();
    });
}

#[test]
fn counted_references() {
    everywhere(|| {
        let mut one = Arc::new(5);
        *Arc::get_mut(&mut one).unwrap() += 1;
        let other = one.clone();
        assert!(Arc::ptr_eq(&one, &other) && one == other);
        assert_eq!(Arc::strong_count(&one), 2);
        let thread = thread::spawn(move || *other);
        assert_eq!(thread.join().unwrap(), 6);
        assert_eq!(Arc::into_inner(one), Some(6));
    });
}

/// A cell whose accesses a lock orders.
struct Locked {
    lock: Mutex<()>,
    cell: UnsafeCell<u32>,
}

#[expect(unsafe_code)]
// SAFETY: the lock is held at each access.
unsafe impl Sync for Locked {}

#[test]
#[expect(unsafe_code)]
fn cells() {
    everywhere(|| {
        let locked = Arc::new(Locked {
            lock: Mutex::new(()),
            cell: UnsafeCell::new(0),
        });
        let add = |locked: &Locked| {
            let _guard = locked.lock.lock().unwrap();
            // SAFETY: the lock is held.
            locked.cell.with_mut(|value| unsafe { *value += 1 });
        };
        let other = Arc::clone(&locked);
        let other = thread::spawn(move || add(&other));
        add(&locked);
        other.join().unwrap();
        // SAFETY: there is no other thread.
        assert_eq!(locked.cell.with(|value| unsafe { *value }), 2);
        let locked = Arc::into_inner(locked).unwrap();
        assert_eq!(locked.cell.into_inner(), 2);
    });
}

#[test]
fn panics_of_threads_by_the_operating_system() {
    let thread = thread::spawn(|| std::panic::resume_unwind(Box::new(3)));
    let panic = thread.join().expect_err("it is poisoned");
    assert_eq!(panic.downcast_ref(), Some(&3));
}

/// Two locks that a thread has panicked with are poisoned, to whoever asks for them and in whatever way.
pub(crate) fn are_poisoned() {
    let (mutex, lock) = (Mutex::new(1), RwLock::new(2));
    for _ in 0..2 {
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _both = (mutex.lock(), lock.write());
            std::panic::resume_unwind(Box::new(3));
        }));
        assert!(panicked.is_err());
    }
    let guard = mutex.lock().expect_err("it is poisoned").into_inner();
    assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
    drop(guard);
    let Err(TryLockError::Poisoned(poisoned)) = mutex.try_lock() else {
        panic!("a thread has panicked with it");
    };
    assert_eq!(*poisoned.into_inner(), 1);
    assert!(lock.read().is_err());
    assert!(lock.write().is_err());
    let Err(TryLockError::Poisoned(poisoned)) = lock.try_read() else {
        panic!("a thread has panicked with it");
    };
    assert_eq!(*poisoned.into_inner(), 2);
    let Err(TryLockError::Poisoned(poisoned)) = lock.try_write() else {
        panic!("a thread has panicked with it");
    };
    *poisoned.into_inner() = 3;
    let (mut mutex, mut lock) = (mutex, lock);
    assert!(mutex.get_mut().is_err() && lock.get_mut().is_err());
    assert_eq!(
        mutex.into_inner().expect_err("it is poisoned").into_inner(),
        1
    );
    assert_eq!(
        lock.into_inner().expect_err("it is poisoned").into_inner(),
        3
    );
}

#[test]
fn panics_with_a_lock_poison_it_by_the_operating_system() {
    are_poisoned();
}

/// A step is sequentially consistent if one of its orders is, whichever.
#[cfg(any(feature = "loom", feature = "shuttle"))]
#[test]
fn sequentially_consistent_steps_are_told() {
    type Step = fn(&AtomicU32, [Ordering; 2]) -> u32;
    let of_two: [Step; 4] = [
        |value, [set, fetch]| value.compare_exchange(0, 1, set, fetch).unwrap_or(0),
        |value, [set, fetch]| value.compare_exchange(7, 1, set, fetch).unwrap_or(0),
        |value, [set, fetch]| value.compare_exchange_weak(0, 1, set, fetch).unwrap_or(0),
        |value, [set, fetch]| {
            value
                .fetch_update(set, fetch, |value| Some(value + 1))
                .unwrap_or(0)
        },
    ];
    let of_one: [Step; 4] = [
        |value, [order, _]| value.swap(1, order),
        |value, [order, _]| value.fetch_add(1, order),
        |value, [order, _]| {
            value.store(1, if order == SeqCst { SeqCst } else { Release });
            0
        },
        |value, [_, order]| value.load(order),
    ];
    let orders = [[Relaxed, Acquire], [SeqCst, SeqCst]];
    let orders_of_two = [[Relaxed, SeqCst], [SeqCst, Relaxed]];
    let one = of_one
        .into_iter()
        .flat_map(|step| orders.map(|orders| (step, orders)));
    let all_of_two = orders.into_iter().chain(orders_of_two);
    let two = of_two
        .into_iter()
        .flat_map(|step| all_of_two.clone().map(move |orders| (step, orders)));
    for (number, (step, orders)) in one.chain(two).enumerate() {
        for order in schedulers() {
            let (all, _) = crate::executions::all(&order, move || {
                let value = Arc::new(AtomicU32::new(0));
                let other = Arc::clone(&value);
                let other = thread::spawn(move || step(&other, orders));
                other.join().unwrap();
            });
            for execution in all {
                assert_eq!(
                    execution.sequentially_consistent,
                    orders.contains(&SeqCst),
                    "step {number}, {orders:?}, {order:?}"
                );
            }
        }
    }
}

/// Types are shared between threads where those of the standard library are.
#[test]
fn types_are_send_and_sync() {
    fn shared<T: Send + Sync>() {}
    shared::<AtomicU32>();
    shared::<AtomicPtr<u8>>();
    shared::<Mutex<u8>>();
    shared::<RwLock<u8>>();
    shared::<Condvar>();
    shared::<Arc<u8>>();
    shared::<thread::Thread>();
    shared::<thread::JoinHandle<u8>>();
}
