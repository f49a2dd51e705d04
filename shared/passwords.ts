import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { argon2id, hash, verify } from 'argon2';
import PQueue from 'p-queue';
import { ServiceError } from './errors.ts';

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. The library's own defaults cost four times as much. */
const PARAMETERS = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes at once. More would hold every thread of the pool, and with them all file access. */
const MOST_AT_ONCE = 2;
/** Hashes that may wait. Beyond it a caller would have given up before its turn came. */
const MAX_WAITING = 50;

/** Makes and checks password hashes. Both throw ServiceError `unavailable` when too many wait. */
export interface PasswordHasher {
  /** The argon2id hash of a password, in PHC form. */
  readonly hash: (password: string) => Promise<string>;
  /**
   * Whether a password is the one of a hash. Null, for an account that is not there or has no password, takes
   * the same time and is false.
   */
  readonly verify: (passwordHash: string | null, password: string) => Promise<boolean>;
}

/**
 * One per process: its bound is the process's.
 * @param cores of the machine; one is left to everything else, or a search would take several times as long
 *   while many sign in
 */
export function createPasswordHasher(cores = availableParallelism()): PasswordHasher {
  const queue = new PQueue({ concurrency: Math.max(1, Math.min(MOST_AT_ONCE, cores - 1)) });
  let dummy: Promise<string> | null = null;

  const bounded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= MAX_WAITING) throw new ServiceError('unavailable');
    return queue.add(work);
  };

  /** What stands in for a hash that is not there: made with the live parameters, of a password no one has. */
  const dummyHash = (): Promise<string> => {
    dummy ??= hash(randomBytes(32), PARAMETERS).catch((error: unknown) => {
      dummy = null;
      throw error;
    });
    return dummy;
  };

  return {
    hash: (password) => bounded(() => hash(canonical(password), PARAMETERS)),
    verify: (passwordHash, password) =>
      bounded(async () => {
        // Made at the first check, for a known email too: otherwise the first unknown email would take twice as long.
        const standIn = await dummyHash();
        const matches = await verify(passwordHash ?? standIn, canonical(password));
        return passwordHash !== null && matches;
      }),
  };
}

/** One form for the same text: keyboards differ in whether `é` is one code point or two. */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
