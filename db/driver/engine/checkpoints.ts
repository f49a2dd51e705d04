import { writeSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import type { EmbeddedFiles } from './files.ts';

/**
 * How much of the log is written before a checkpoint. A checkpoint writes all changed pages of the cache, at most 128 MiB,
 * into the files of the tables, and so the log before it is not needed again.
 */
export const CHECKPOINT_BYTES = 64 * 2 ** 20;

/** How much of the log a checkpoint leaves, as files that are written again. */
const KEPT_LOG = '64MB';

/**
 * The settings of the log. Without `minimal`, the log has each new index too, and a single statement can build a large
 * one. PostgreSQL writes an index that is not in the log into its files before the commit.
 *
 * `full_page_writes` stays on: a kill can end the write of a page between its two halves.
 */
export const LOG_SETTINGS = [
  ['max_wal_size', KEPT_LOG],
  ['min_wal_size', '32MB'],
  ['wal_level', 'minimal'],
  ['max_wal_senders', '0'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** The last message of an answer, `ReadyForQuery`, without the status of the transaction, which is its last byte. */
const READY = 'Z\0\0\0\x05';

/** Reads the status of the transaction from an answer: `I` for none, `T` for one, `E` for a failed one. Null without a status. */
export function transactionStatus(answer: Uint8Array): string | null {
  const end = Buffer.from(answer.subarray(-READY.length - 1)).toString('latin1');
  return end.startsWith(READY) ? end.slice(READY.length) : null;
}

type Engine = Pick<PGlite, 'exec'>;
type Log = Pick<EmbeddedFiles, 'logBytes'>;

/**
 * Makes a checkpoint if the log has grown enough since the last one. The engine has no process that does so on its own:
 * without this, its log would have all changes since the start.
 * @param status of the transaction after the last message that was run
 */
export async function checkpointIfDue(
  engine: Engine,
  files: Log,
  status: string | null,
  checkpointBytes: number,
): Promise<void> {
  if (files.logBytes < checkpointBytes) return;
  if (status === 'I') await checkpoint(engine, files, 'checkpoint');
  // In a transaction, the role can be one that is not allowed to. Its end resets the role.
  if (status === 'T') {
    await checkpoint(engine, files, 'savepoint due; set local role none; checkpoint');
    await engine.exec('rollback to savepoint due; release savepoint due');
  }
}

async function checkpoint(engine: Engine, files: Log, text: string): Promise<void> {
  // Also if it fails: it is tried again when as much was written again.
  files.logBytes = 0;
  try {
    await engine.exec(text);
  } catch (error) {
    writeSync(2, `The checkpoint of the embedded database failed: ${String(error)}\n`);
  }
}
