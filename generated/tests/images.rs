//! The device images of this build, where a compiler was found.

use traceloom_generated::{IMAGES, PROGRAMS, image};

/// Begins every fatbin.
const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();

#[test]
fn every_program_has_an_image_or_none_has() {
    if IMAGES.is_empty() {
        println!("this build found no nvcc");
        return;
    }
    assert_eq!(IMAGES.len(), PROGRAMS.len());
    for unit in PROGRAMS {
        let image = image(&unit.digest).expect("an image of the unit");
        assert!(!image.architectures.is_empty());
        assert!(image.bytes.starts_with(&MAGIC), "{}", unit.name);
        assert_eq!(image.bytes.as_ptr().align_offset(64), 0, "{}", unit.name);
        println!("{}: {} bytes for {:?}", image.program, image.bytes.len(), image.architectures);
    }
}
