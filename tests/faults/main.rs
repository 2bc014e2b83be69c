//! Known faults of systems like this one, tried on the command line: full disks and
//! torn writes, small stacks, processes that differ, hostile files.
//! docs/reliability.md says which test stands for which fault.

mod deep;
mod device;
mod disk;
mod hostile;
mod processes;
mod resume;
mod tools;
