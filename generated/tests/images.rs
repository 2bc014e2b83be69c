//! The device images of this build, where a compiler was found. Where none was, the test is
//! counted as ignored.

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use traceloom_generated::{IMAGES, PROGRAMS, image};

/// Begins every fatbin.
const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();

fn main() {
    let args = Arguments::from_args();
    let name = "every_program_has_an_image_or_none_has";
    let trial = Trial::ignorable_test(name, || -> Result<Completion, Failed> {
        let is_required = std::env::var_os("TRACELOOM_CUDA").is_some_and(|mode| mode == "require");
        if IMAGES.is_empty() && !is_required {
            return Ok(Completion::ignored_with("because this build found no nvcc"));
        }
        every_program_has_an_image();
        Ok(Completion::Completed)
    });
    libtest_mimic::run(&args, vec![trial]).exit();
}

fn every_program_has_an_image() {
    assert_eq!(IMAGES.len(), PROGRAMS.len());
    for unit in PROGRAMS {
        let image = image(&unit.digest).expect("an image of the unit");
        assert!(!image.architectures.is_empty());
        assert!(image.bytes.starts_with(&MAGIC), "{}", unit.name);
        assert_eq!(image.bytes.as_ptr().align_offset(64), 0, "{}", unit.name);
        println!("{}: {} bytes for {:?}", image.program, image.bytes.len(), image.architectures);
    }
}
