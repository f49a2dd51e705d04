import { realpath } from 'node:fs/promises';
import { createLogger } from '../../shared/logger.ts';
import type { Queryable } from '../driver/database.ts';
import { type Address, MoveError, onSide, parseAddress } from './address.ts';
import type { Table } from './catalog.ts';
import { readProgress, storeProgress, type TableProgress } from './marker.ts';
import { type Digest, digestPage, insertPage, readPage } from './pages.ts';
import { type MoveProgress, measureProgress } from './progress.ts';
import { countConnections, countRows, openSource, readSource, type Source } from './source.ts';
import { completeTarget, openTarget, prepareTarget, type Target, writeTarget } from './target.ts';

/** A table that was moved. */
interface MovedTable {
  name: string;
  rows: number;
  /** The SHA-256 of its rows, which was the same on both sides: see `Digest`. */
  sha256: string;
}

/** What a move has done. */
export interface MoveReport {
  tables: MovedTable[];
  rows: number;
  /** Contents whose bytes are in a bucket, and stay there. */
  filesInBucket: number;
  /**
   * Connections of a service to the source, at the beginning or at the end. What it has written since the move began was
   * not moved.
   */
  connections: number;
}

/**
 * Moves a whole database to an empty one, each embedded or on PostgreSQL, and verifies each table by its count and the
 * SHA-256 of its rows. The source stays as it is. A move that was interrupted goes on when it is called again.
 * @param report is called often, with the progress
 * @throws MoveError with one line for the operator. The target is then unchanged, or cannot be used by a service
 */
export async function moveDatabase(
  { from, to }: { from: string; to: string },
  report: (progress: MoveProgress) => void,
): Promise<MoveReport> {
  const logger = createLogger('silent', 'move');
  const [fromAddress, toAddress] = [parseAddress('--from', from), parseAddress('--to', to)];
  await assertTwo(fromAddress, toAddress);
  const opened = await onSide('--from', () => openSource(fromAddress, logger));
  let done: MoveReport | undefined;
  const run = async (source: Source) => {
    const target = await onSide('--to', () => openTarget(toAddress, logger));
    try {
      done = await fill(source, target, report);
    } finally {
      await target.database.close();
    }
  };
  try {
    await onSide('--from', () => readSource(opened, run)).finally(() => opened.close());
  } catch (error) {
    // When the target is complete, it is so regardless of how the connections end.
    if (done === undefined) throw error;
  }
  if (done === undefined) throw new Error('the move has no report');
  return done;
}

async function assertTwo(from: Address, to: Address): Promise<void> {
  if (!('folder' in from && 'folder' in to)) return;
  const [one, other] = await Promise.all(
    [from, to].map(({ folder }) => realpath(folder).catch(() => folder)),
  );
  if (one === other) throw new MoveError('--to: is the folder of --from');
}

async function fill(
  source: Source,
  target: Target,
  report: (progress: MoveProgress) => void,
): Promise<MoveReport> {
  const { tables, counts, filesInBucket } = source;
  const filled = await onSide('--to', () => prepareTarget(target, source));
  const moved = await onSide('--to', () => readProgress(target.database));
  const moving = measureProgress('moving', source, report);
  for (const table of tables) {
    const before = moved.get(table.name) ?? { moved: 0, lastKey: null };
    const step = moving.begin(table, before.moved);
    const to = filled.get(table.name) ?? table;
    await copyRows(source.tx, target, { from: table, to }, before, step);
  }
  const checking = measureProgress('checking', source, report);
  const verified: MovedTable[] = [];
  for (const table of tables) verified.push(await verify(source, target, table, checking.begin(table)));
  // A service that starts waits for the end of the move. One that was started before can have connected since.
  const connections = Math.max(source.connections, await onSide('--from', () => countConnections(source.tx)));
  await onSide('--to', () => completeTarget(target, tables));
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { tables: verified, rows, filesInBucket, connections };
}

/** Copies the rows of a table that are not copied yet. The next page is read while one is written. */
async function copyRows(
  source: Queryable,
  target: Target,
  { from, to }: { from: Table; to: Table },
  before: TableProgress,
  onRows: (rows: number) => void,
): Promise<void> {
  const read = (after: readonly string[] | null) => {
    const page = onSide('--from', () => readPage(source, from, after));
    // If a page cannot be written, nobody waits for the next one.
    page.catch(() => undefined);
    return page;
  };
  let progress = before;
  let reading = read(progress.lastKey);
  for (;;) {
    const page = await reading;
    if (page === null) return;
    reading = read(page.lastKey);
    const next = { moved: progress.moved + page.rows, lastKey: page.lastKey };
    const write = async (tx: Queryable) => {
      if (!(await storeProgress(tx, to.name, progress, next))) {
        throw new MoveError('--to: another process moves into the same database: wait until it has ended');
      }
      await insertPage(tx, to, page);
    };
    await onSide('--to', () => writeTarget(target, write));
    progress = next;
    onRows(page.rows);
  }
}

/**
 * Compares a table on both sides: the rows that are counted, and the digests of all of them.
 * @throws MoveError if it differs
 */
async function verify(
  { tx: source, counts }: Source,
  target: Target,
  table: Table,
  onRows: (rows: number) => void,
): Promise<MovedTable> {
  const [there, here] = await Promise.all([
    onSide('--from', () => digest(source, table, onRows)),
    onSide('--to', () => writeTarget(target, (tx) => digest(tx, table, () => undefined))),
  ]);
  const [counted, expected] = [
    await onSide('--to', () => countRows(target.database, table)),
    counts.get(table.name),
  ];
  const isWhole = here.rows === expected && there.rows === expected && counted === expected;
  if (isWhole && there.sha256 === here.sha256) {
    return { name: table.name, rows: here.rows, sha256: here.sha256.toString(16).padStart(64, '0') };
  }
  const difference = counted === expected ? 'other rows' : `${counted} rows, and --from has ${expected}`;
  throw new MoveError(
    `--to: ${table.name} has ${difference}, so the move is not complete. If --from was used since the move began, delete the ` +
      'database of --to and move again',
  );
}

async function digest(tx: Queryable, table: Table, onRows: (rows: number) => void): Promise<Digest> {
  let [rows, sha256, after]: [number, bigint, string[] | null] = [0, 0n, null];
  for (;;) {
    const page = await digestPage(tx, table, after);
    if (page === null) return { rows, sha256 };
    rows += page.rows;
    sha256 ^= page.sha256;
    after = page.lastKey;
    onRows(page.rows);
  }
}
