import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { argon2id, hash, verify } from 'argon2';
import PQueue from 'p-queue';
import { ServiceError } from './errors.ts';

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. The library's own defaults cost four times as much. */
const COST = { memoryCost: 19_456, timeCost: 2 };
/** Hashes that run at the same time. More would use every thread of Node's pool and block all file access. */
const MAX_CONCURRENT_HASHES = 2;
/** Requests for hashes that can wait. A caller behind a longer queue would give up before its hash runs. */
const MAX_WAITING_HASHES = 50;

/** Creates and verifies password hashes. Both methods throw ServiceError `unavailable` if too many hashes wait. */
export interface PasswordHasher {
  /** The argon2id hash of a password, in PHC form. */
  readonly hash: (password: string) => Promise<string>;
  /**
   * Whether a password matches each of these hashes. Null stands for an account that does not exist or has no password: the result
   * is false, and it takes the same time. They wait and run as one, so that a check of several is refused before its first hash or
   * not at all.
   */
  readonly verify: (passwordHashes: readonly (string | null)[], password: string) => Promise<boolean[]>;
}

/**
 * Create one per process, because its limit is for the whole process.
 * @param cores of the machine. One is not used for hashes; otherwise a search takes several times as long while many
 *   people sign in
 * @param cost of a hash: memory in KiB, and passes over it. Tests that make many hashes pass a lower one
 */
export function createPasswordHasher(cores = availableParallelism(), cost = COST): PasswordHasher {
  const parameters = { type: argon2id, parallelism: 1, ...cost } as const;
  const queue = new PQueue({ concurrency: Math.max(1, Math.min(MAX_CONCURRENT_HASHES, cores - 1)) });
  let dummy: Promise<string> | null = null;

  const bounded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= MAX_WAITING_HASHES) throw new ServiceError('unavailable');
    return queue.add(work);
  };

  /** Replaces a missing hash: the hash of a random password, made with the current parameters. */
  const dummyHash = (): Promise<string> => {
    dummy ??= hash(randomBytes(32), parameters).catch((error: unknown) => {
      dummy = null;
      throw error;
    });
    return dummy;
  };

  return {
    hash: (password) => bounded(() => hash(canonical(password), parameters)),
    verify: (passwordHashes, password) =>
      bounded(async () => {
        // Created at the first check, also for a known email: otherwise the first unknown email takes twice as long.
        const standIn = await dummyHash();
        const results: boolean[] = [];
        for (const passwordHash of passwordHashes) {
          const matches = await verify(passwordHash ?? standIn, canonical(password));
          results.push(passwordHash !== null && matches);
        }
        return results;
      }),
  };
}

/** Normalizes a password: depending on the keyboard, `é` is one code point or two. */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
