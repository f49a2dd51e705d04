import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../../test/faults/load/client.ts';
import { Ledger, type LedgerResult } from '../../test/faults/load/ledger.ts';
import { type LoadReply, startLoad } from '../../test/faults/load/mixed-load.ts';

/** One fault of a table, which measures itself on a deployment of its own. */
export interface Fault {
  /** Its name on the command line. */
  readonly name: string;
  /** Its first column. */
  readonly title: string;
  /** Whether acknowledged writes can be lost, because nothing in the deployment prevents it. */
  readonly canLose?: boolean;
  /** Whether a replica is promoted. Writes must then be acknowledged within 5 seconds. */
  readonly isFailover?: boolean;
  measure(): Promise<Measured>;
}

/** What a fault did to the requests of the load. */
export interface Measured extends LedgerResult {
  readonly requests: number;
  /** How many failed with each status, or without a response. */
  readonly failed: ReadonlyMap<string, number>;
  /** The same by operation, with the beginning of one response. */
  readonly details: readonly string[];
  /** Milliseconds that the fault lasted, with the restart or the promotion that ends it. */
  readonly faultMs: number;
  /** Milliseconds from the end of the fault to the first acknowledged write that was sent after it. */
  readonly firstWriteMs: number;
  /** Milliseconds from the end of the fault to the end of the last request that failed. Null if none ended after it. */
  readonly lastFailureMs: number | null;
  /** The slowest request that failed, in milliseconds. */
  readonly slowestFailureMs: number;
  /** What else was seen. */
  readonly note: string;
}

interface Measurement {
  /** Where the load is sent. */
  url: string;
  /** An API that answers when all is over, for reading back what was acknowledged. */
  checkUrl?: string;
  /** Resolves when the fault is over: when the server is back, or the replica is promoted. */
  fault: () => Promise<void>;
  /** Follows the fault under load, for example the return of the old primary. */
  after?: () => Promise<void>;
  /** Follows the load, before acknowledged writes are looked for. Returns a note for the table. */
  settle?: () => Promise<string>;
}

/** Load before a fault, so that every connection is in use, and after it. */
const WARM_MS = 3000;
const AFTER_MS = 5000;
/** The service answers within this time, or breaks its promise. */
const REQUEST_MS = 15_000;
const IMPORTED_MS = 180_000;

/** Writes until a write is acknowledged. Returns the milliseconds that it took. */
async function untilWritten(url: string, ledger: Ledger): Promise<number> {
  const began = performance.now();
  for (let tries = 0; ; tries += 1) {
    const key = `first-write-${tries}`;
    const request = { method: 'POST', path: '/v1/memory/ingest', body: { title: key, text: key } };
    const { status, json } = await send(url, request, REQUEST_MS);
    if (status === 201) {
      ledger.add({ kind: 'ingest', key, text: key, id: (json as { source: { id: string } }).source.id });
      return performance.now() - began;
    }
    await sleep(50);
  }
}

function countFailures(failures: readonly LoadReply[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { failure, status } of failures) {
    const outcome = failure === null ? String(status) : 'no response';
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return counts;
}

/** How many of each operation failed, and one response. */
function describeFailures(failures: readonly LoadReply[]): string[] {
  const operations = Map.groupBy(failures, ({ operation, status }) => `${operation} ${status}`);
  return [...operations].map(([name, replies]) => {
    const slowest = Math.max(...replies.map(({ ms }) => ms));
    return `${replies.length} × ${name}, up to ${slowest.toFixed(0)} ms: ${replies[0]?.problem}`;
  });
}

/** Causes a fault while six clients read and write, then looks for every acknowledged write. */
export async function measureUnderLoad(measurement: Measurement): Promise<Measured> {
  const { url, checkUrl = url, fault, after, settle } = measurement;
  const { signal } = new AbortController();
  const ledger = new Ledger();
  const load = startLoad({ urls: [url], ledger, seed: 1 });
  await sleep(WARM_MS);
  const began = performance.now();
  await fault();
  const over = performance.now();
  const firstWriteMs = await untilWritten(url, ledger);
  await after?.();
  await sleep(AFTER_MS);
  await load.stop();
  const note = (await settle?.()) ?? '';
  if ((await ledger.untilImported(checkUrl, IMPORTED_MS, signal)) === null) {
    throw new Error('imports were not done after three minutes');
  }
  const found = await ledger.check(checkUrl, signal);
  const failures = load.replies.filter(({ status }) => status < 200 || status >= 300);
  const lastFailure = Math.max(0, ...failures.map(({ at }) => at));
  return {
    ...found,
    requests: load.replies.length,
    failed: countFailures(failures),
    details: describeFailures(failures),
    faultMs: over - began,
    firstWriteMs,
    lastFailureMs: lastFailure > over ? lastFailure - over : null,
    slowestFailureMs: Math.max(0, ...failures.map(({ ms }) => ms)),
    note,
  };
}
