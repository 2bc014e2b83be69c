//! The harness tries to break traceloom.
