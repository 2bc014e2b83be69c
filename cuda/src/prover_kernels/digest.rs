//! What tells one text of the kernels from another. The build script includes this file.

/// The digest of files, by name and text in any order: names are sorted here.
pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> [u8; 32] {
    let mut files: Vec<(&str, &str)> = files.into_iter().collect();
    files.sort_unstable();
    let mut hasher = blake3::Hasher::new_derive_key("traceloom kernels of the prover, version 1");
    for part in files.into_iter().flat_map(|(name, text)| [name, text]) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}
