//! The kernels as a build compiled them, if it found nvcc.

use traceloom_abi::registry::DeviceImage;

use super::{SOURCES, digest};
use crate::driver::DeviceInfo;
use crate::kernels::runs;

/// The image of this build; none if it found no compiler.
pub static IMAGES: &[DeviceImage] = include!(concat!(env!("OUT_DIR"), "/device_images.rs"));

/// The digest of the text that this build compiles at run time; an image has the same one, or it
/// is not used.
#[must_use]
pub fn source_digest() -> [u8; 32] {
    digest::of(SOURCES.iter().map(|file| (file.name, file.text)))
}

/// The image of the present text with code for a device.
pub(super) fn fitting<'a>(images: &'a [DeviceImage], info: &DeviceInfo) -> Option<&'a DeviceImage> {
    let digest = source_digest();
    let has_code = |image: &&DeviceImage| {
        image.digest == digest && image.architectures.iter().any(|name| runs(name, info.capability))
    };
    images.iter().find(has_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_of_this_build_has_the_text_of_this_build() {
        // Without nvcc there is none; CI builds with it.
        assert!(IMAGES.iter().all(|image| image.digest == source_digest()));
        assert!(IMAGES.len() <= 1);
    }
}
