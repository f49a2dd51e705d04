import pg from 'pg';
import type { Statement } from '../../db/driver/database.ts';
import { newId } from '../../shared/ids.ts';
import { obey } from '../support/child.ts';
import { runStatement } from './statements.ts';

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

const EVENT = 'insert into memory.audit_event';
/** The words of a search, beside its event, whose id is the third column. */
const SEARCH = 'insert into memory.audit_search';

let clients: pg.Client[] = [];
let searches: Statement[][] = [];
let next = 0;

/** A search whose audit event has an id that is not taken yet, as the service would give it one. */
function fresh(search: readonly Statement[]): Statement[] {
  const id = newId();
  return search.map(({ text, values = [] }) => {
    if (text.startsWith(EVENT))
      return { text, values: values.with(-1, String(values.at(-1)).replace(/"id":"[^"]+"/, `"id":"${id}"`)) };
    return { text, values: text.startsWith(SEARCH) ? values.with(2, id) : values };
  });
}

obey(async (order: BareSearchOrder): Promise<BareSearchAnswer> => {
  if ('url' in order) {
    ({ searches } = order);
    clients = Array.from({ length: order.connections }, () => new pg.Client({ connectionString: order.url }));
    for (const client of clients) await client.connect();
    return { done: 0, ms: 0 };
  }
  let done = 0;
  const began = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (; performance.now() - began < order.runMs; done += 1) {
        for (const statement of fresh(searches[next++ % searches.length] ?? []))
          await runStatement(client, statement);
      }
    }),
  );
  return { done, ms: performance.now() - began };
});
