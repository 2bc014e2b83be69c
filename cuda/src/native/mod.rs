//! The driver and the compiler of CUDA, the only code here that is unsafe.
//!
//! - [`library`]: finding the libraries, and the compiler NVRTC;
//! - [`machine`]: the driver, its devices and their contexts;
//! - [`driver`]: every other call of the driver.
//!
//! cudarc loads libraries and symbols on first use and panics if there are none. So
//! [`library`] looks first, and nothing here calls cudarc before that has succeeded.

pub(crate) mod driver;
pub(crate) mod library;
pub(crate) mod machine;
