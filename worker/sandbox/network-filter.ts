import { endianness } from 'node:os';

/*
 * A seccomp filter for processes that read files: a program in the kernel's classic BPF, which decides about each
 * system call. It refuses calls that open a socket, signal another process or read its memory, and allows all others.
 * See seccomp(2); the numbers are in the kernel's asm/unistd.h.
 */

/** Sockets (`io_uring` can open one too), signals to other processes, and the memory of other processes. */
const REFUSED: Partial<Record<NodeJS.Architecture, { audit: number; calls: Record<string, number> }>> = {
  x64: {
    audit: 0xc000003e,
    calls: {
      socket: 41,
      socketpair: 53,
      connect: 42,
      bind: 49,
      listen: 50,
      io_uring_setup: 425,
      kill: 62,
      tkill: 200,
      rt_sigqueueinfo: 129,
      rt_tgsigqueueinfo: 297,
      pidfd_open: 434,
      pidfd_send_signal: 424,
      pidfd_getfd: 438,
      ptrace: 101,
      process_vm_readv: 310,
      process_vm_writev: 311,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      socket: 198,
      socketpair: 199,
      connect: 203,
      bind: 200,
      listen: 201,
      io_uring_setup: 425,
      kill: 129,
      tkill: 130,
      rt_sigqueueinfo: 138,
      rt_tgsigqueueinfo: 240,
      pidfd_open: 434,
      pidfd_send_signal: 424,
      pidfd_getfd: 438,
      ptrace: 117,
      process_vm_readv: 270,
      process_vm_writev: 271,
    },
  },
};

/** Offsets in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const EPERM = 1;
const REFUSE = 0x00050000 | EPERM;
/** System calls in the 32-bit form of x86-64 have this bit set, and different numbers. */
const X32 = 0x40000000;

/**
 * The filter's instructions, as `struct sock_filter` in the byte order of this machine.
 * @returns null for an architecture whose call numbers are not in the table
 */
export function noNetworkFilter(architecture: NodeJS.Architecture): Uint8Array | null {
  const known = REFUSED[architecture];
  if (known === undefined || endianness() !== 'LE') return null;
  const calls = Object.values(known.calls);
  const program: [code: number, jumpIfTrue: number, jumpIfFalse: number, value: number][] = [
    [LOAD, 0, 0, ARCHITECTURE],
    // A call of another architecture has different numbers, so it is refused: jump to the end.
    [JUMP_IF_EQUAL, 0, calls.length + 3, known.audit],
    [LOAD, 0, 0, NUMBER],
    [JUMP_IF_AT_LEAST, calls.length + 1, 0, X32],
    ...calls.map((call, at): [number, number, number, number] => [JUMP_IF_EQUAL, calls.length - at, 0, call]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, jumpIfTrue, jumpIfFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(jumpIfTrue, at * 8 + 2);
    bytes.writeUInt8(jumpIfFalse, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}
