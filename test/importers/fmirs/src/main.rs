//! fmi-rs as the importer.
//!
//!     fmirs-host FMU STEPS SIZE TRIPLE REALS INTEGERS BOOLEANS
//!
//! prints one line "step HEX VALUE..." for each step, and "done". Variables are given as value references with commas between.

use fmi_rs::fmi2::builder::FMU2Builder;
use fmi_rs::fmi2::types::{fmi2False, fmi2Status};
use std::env;
use std::fmt::Write;

fn references(list: &str) -> Vec<u32> {
    list.split(',').map(|r| r.parse().expect("a value reference")).collect()
}

fn check(status: fmi2Status, what: &str) {
    assert_eq!(status, fmi2Status::Ok, "{what}");
}

/// The bytes behind the two halves of an address.
fn fetch(parts: &[i32]) -> String {
    let address = (parts[1] as u32 as u64) << 32 | parts[0] as u32 as u64;
    if address == 0 || parts[2] <= 0 {
        return String::new();
    }
    // The FMU lives in this process and guarantees the bytes until the end of the next step.
    let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, parts[2] as usize) };
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes everything");
        text
    })
}

fn main() {
    let a: Vec<String> = env::args().collect();
    let (steps, size): (u32, f64) = (a[2].parse().expect("STEPS"), a[3].parse().expect("SIZE"));
    let (triple, reals, integers, booleans) =
        (references(&a[4]), references(&a[5]), references(&a[6]), references(&a[7]));
    // The builder owns the folder with the unpacked FMU and deletes it when it is dropped.
    let unpacked = FMU2Builder::new(&a[1]).expect("load");
    let fmu = unpacked.instantiate_cs("dut").expect("instantiate");
    check(fmu.setupExperiment(None, 0.0, None), "setupExperiment");
    check(fmu.enterInitializationMode(), "enterInitializationMode");
    check(fmu.exitInitializationMode(), "exitInitializationMode");
    let (mut parts, mut r) = (vec![0i32; 3], vec![0f64; reals.len()]);
    let (mut i, mut b) = (vec![0i32; integers.len()], vec![fmi2False; booleans.len()]);
    for k in 0..steps {
        check(fmu.doStep(f64::from(k) * size, size, fmi2False), "doStep");
        check(fmu.getInteger(&triple, &mut parts), "getInteger");
        check(fmu.getReal(&reals, &mut r), "getReal");
        check(fmu.getInteger(&integers, &mut i), "getInteger");
        check(fmu.getBoolean(&booleans, &mut b), "getBoolean");
        let values: Vec<String> = r
            .iter()
            .map(|v| format!("{v:?}"))
            .chain(i.iter().map(|v| v.to_string()))
            .chain(b.iter().map(|v| (*v != fmi2False).to_string()))
            .collect();
        println!("step {} {}", fetch(&parts), values.join(" "));
    }
    check(fmu.terminate(), "terminate");
    println!("done");
}
