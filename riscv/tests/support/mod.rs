//! Encodings of instructions, and ELF files made of them. Shared by both tests.
#![allow(dead_code)]

pub mod ledger;
pub mod streams;

/// Where [`elf`] puts code.
pub const CODE: u64 = 0x1_0000;
/// Where [`elf`] puts data.
pub const DATA: u64 = 0x20_0000;

pub fn r(opcode: u32, funct3: u32, funct7: u32, [rd, rs1, rs2]: [u32; 3]) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

pub fn i(opcode: u32, funct3: u32, [rd, rs1]: [u32; 2], imm: i32) -> u32 {
    ((imm & 0xfff) as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

pub fn s(funct3: u32, [rs1, rs2]: [u32; 2], imm: i32) -> u32 {
    let imm = imm as u32;
    (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 31) << 7 | 0x23
}

pub fn b(funct3: u32, [rs1, rs2]: [u32; 2], distance: i32) -> u32 {
    let imm = distance as u32;
    let high = (imm >> 12 & 1) << 6 | imm >> 5 & 0x3f;
    let low = imm & 0x1e | imm >> 11 & 1;
    high << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | low << 7 | 0x63
}

pub fn u(opcode: u32, rd: u32, imm: u32) -> u32 {
    imm << 12 | rd << 7 | opcode
}

pub fn jal(rd: u32, distance: i32) -> u32 {
    let imm = distance as u32;
    let bits =
        (imm >> 20 & 1) << 19 | (imm >> 1 & 0x3ff) << 9 | (imm >> 11 & 1) << 8 | imm >> 12 & 0xff;
    bits << 12 | rd << 7 | 0x6f
}

pub fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x13, 0, [rd, rs1], imm)
}

pub const ECALL: u32 = 0x73;

/// `exit(code)`.
pub fn exit(code: i32) -> [u32; 3] {
    [addi(17, 0, 93), addi(10, 0, code), ECALL]
}

/// A program header.
#[derive(Clone, Copy)]
pub struct Header {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    pub file: u64,
    pub memory: u64,
}

/// An ELF file with these program headers; `content` goes to byte 0x1000.
pub fn file(entry: u64, headers: &[Header], content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |bytes: &mut Vec<u8>, value: u16| bytes.extend(value.to_le_bytes());
    let word = |bytes: &mut Vec<u8>, value: u32| bytes.extend(value.to_le_bytes());
    let long = |bytes: &mut Vec<u8>, value: u64| bytes.extend(value.to_le_bytes());
    half(&mut bytes, 2);
    half(&mut bytes, 243);
    word(&mut bytes, 1);
    long(&mut bytes, entry);
    long(&mut bytes, 64);
    long(&mut bytes, 0);
    word(&mut bytes, 0);
    for value in [64, 56, headers.len() as u16, 64, 0, 0] {
        half(&mut bytes, value);
    }
    for header in headers {
        word(&mut bytes, header.kind);
        word(&mut bytes, header.flags);
        for value in [header.offset, header.address, header.address, header.file, header.memory] {
            long(&mut bytes, value);
        }
        long(&mut bytes, 0x1000);
    }
    bytes.resize(0x1000, 0);
    bytes.extend(content);
    bytes
}

/// The headers of [`elf`], for code and data of these lengths.
pub fn headers(code: u64, data: u64) -> [Header; 2] {
    let offset = 0x1000 + code.next_multiple_of(0x1000);
    [
        Header { kind: 1, flags: 5, offset: 0x1000, address: CODE, file: code, memory: code },
        Header { kind: 1, flags: 6, offset, address: DATA, file: data, memory: data },
    ]
}

/// An executable with code at [`CODE`] and data at [`DATA`], which is writable.
pub fn elf(code: &[u32], data: &[u8]) -> Vec<u8> {
    let mut content: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let headers = headers(content.len() as u64, data.len() as u64);
    content.resize(content.len().next_multiple_of(0x1000), 0);
    content.extend(data);
    file(CODE, &headers, &content)
}
