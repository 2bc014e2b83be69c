//! Prints the BLAKE3 hash of a file with the `blake3` crate, for comparison with a
//! proven one.

fn main() {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: b3sum FILE");
        std::process::exit(2);
    };
    match std::fs::read(&path) {
        Ok(bytes) => println!("{}", blake3::hash(&bytes)),
        Err(error) => {
            eprintln!("cannot read {}: {error}", path.display());
            std::process::exit(2);
        }
    }
}
