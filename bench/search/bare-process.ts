import pg from 'pg';
import { newId } from '../../shared/ids.ts';
import type { Statement } from './statements.ts';

/**
 * The statements of searches without the service, in a process of its own, each sent when the one before is answered.
 * Each connection runs one search after the other. An order is a list of searches, or for how long to run them.
 */
export type BareSearchOrder =
  | { url: string; connections: number; searches: Statement[][] }
  | { runMs: number };

/** How many searches were done, and in how long. */
export interface BareSearchAnswer {
  done: number;
  ms: number;
}

const AUDIT = 'insert into memory.audit_event';

let clients: pg.Client[] = [];
let searches: Statement[][] = [];
let next = 0;

async function prepare(order: Extract<BareSearchOrder, { url: string }>): Promise<BareSearchAnswer> {
  searches = order.searches.map((statements) =>
    statements.map(({ text, values }) => ({ text, values: values.map(asBuffer) })),
  );
  clients = Array.from({ length: order.connections }, () => new pg.Client({ connectionString: order.url }));
  for (const client of clients) await client.connect();
  return { done: 0, ms: 0 };
}

function asBuffer(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/** The values of an audit event under an id that is not taken yet, as the service would give it one. */
function fresh(values: readonly unknown[]): unknown[] {
  return values.map((value, index) =>
    index === values.length - 1 ? String(value).replace(/"id":"[^"]+"/, `"id":"${newId()}"`) : value,
  );
}

async function run(runMs: number): Promise<BareSearchAnswer> {
  let done = 0;
  const began = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - began < runMs) {
        const statements = searches[next++ % searches.length] ?? [];
        for (const { text, values } of statements) {
          if (values.length === 0) await client.query(text);
          else await client.query(text, text.startsWith(AUDIT) ? fresh(values) : [...values]);
        }
        done += 1;
      }
    }),
  );
  return { done, ms: performance.now() - began };
}

process.on('message', (order: BareSearchOrder) => {
  const work = 'url' in order ? prepare(order) : run(order.runMs);
  work.then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
// The parent is gone.
process.once('disconnect', () => process.exit());
