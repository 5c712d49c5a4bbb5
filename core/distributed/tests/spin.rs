#![allow(missing_docs, clippy::unwrap_used)]
#[path = "suite/processes.rs"]
#[allow(dead_code)]
mod processes;
use processes::*;
use refmap::explore::Peers;
#[test]
fn spin() {
    let n: usize = std::env::var("N").unwrap().parse().unwrap();
    let w: usize = std::env::var("W").unwrap().parse().unwrap();
    let t = std::time::Instant::now();
    each(group(n), |_, p| {
        for _ in 0..300 {
            p.exchange(vec![vec![1; w]; n]).unwrap();
        }
        p.finish().unwrap();
    });
    println!("N={n} W={w} {:?} each", t.elapsed() / 300);
}
