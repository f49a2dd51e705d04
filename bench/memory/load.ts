import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../test/support/generated-text.ts';
import { API_TOKEN } from '../../test/support/needs/process.ts';
import { askingAt } from '../support/asking.ts';
import { type Body, largeBodies, pushOf, searchBodies, smallImport, textBody } from './bodies.ts';

/**
 * The clients of `npm run bench:memory`, in a process of their own: a paced mix of small requests, and a large one every
 * few seconds. Deletes what it makes. Sends the counts of the answers to its parent at the end.
 * @param process.argv the address, how many seconds, and the pace: 1 is the usual one, 2 twice as fast
 */
const MIB = 1024 * 1024;
const SEARCHES_A_SECOND = 8;
const SMALL_SECONDS = 2;
const LARGE_SECONDS = 7;
/** Large requests that run at the same time. The next one waits. */
const MAX_LARGE = 2;
const DELETE_AFTER_MS = 45_000;

const [url = '', seconds = '0', pace = '1'] = process.argv.slice(2);
const headers = { authorization: `Bearer ${API_TOKEN}` };
const asking = askingAt(url, { sockets: 16, headers });
const random = seededRandom(3);
let endAt = 0;
const isOver = () => performance.now() >= endAt;

/** How many requests of a kind got each status. */
export type Counts = Record<string, Record<string, number>>;
const counts: Counts = {};
const count = (kind: string, status: string) => {
  const own = (counts[kind] ??= {});
  own[status] = (own[status] ?? 0) + 1;
};

/** Sends a request and counts its answer. Does not throw for a refusal: a load goes on. */
async function send(
  kind: string,
  method: string,
  path: string,
  body?: Buffer | object,
): Promise<string | null> {
  try {
    const answer = await asking.ask(method, path, body);
    count(kind, String(answer.status));
    return answer.status < 300 ? answer.body.toString() : null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    count(kind, code ?? message);
    return null;
  }
}

const post = (kind: string, path: string, body: Buffer | object) => send(kind, 'POST', path, body);

/** Sends the first part of a body and closes the connection. */
async function abort(kind: string, path: string, body: Buffer, sent: number): Promise<void> {
  const type = { 'content-type': 'application/json', 'content-length': body.length };
  const asked = request(new URL(path, url), { method: 'POST', headers: { ...headers, ...type } });
  asked.on('error', () => undefined).write(body.subarray(0, sent), () => asked.destroy());
  await once(asked, 'close');
  count(kind, 'aborted');
}

/** Runs something again and again, on average every so many seconds, and waits for each run. */
async function repeat(everySeconds: number, step: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    const waitMs = (everySeconds * 1000 * (0.5 + random())) / Number(pace);
    await Promise.all([step(turn), sleep(Math.min(waitMs, Math.max(0, endAt - performance.now())))]);
  }
}

const bodies = largeBodies();
const searches = searchBodies(400);
const notes = Array.from({ length: 20 }, (_, index) => textBody(`note ${index}`, 4000));
let paths = 0;

async function ingest(kind: string, body: Body): Promise<void> {
  await post(kind, '/v1/memory/ingest', body());
}

async function importFile(kind: string, body: Body): Promise<void> {
  const answer = await post(kind, '/v1/memory/imports', body());
  if (answer === null) return;
  const { imports } = JSON.parse(answer) as { imports: { id: string }[] };
  // The worker needs a while to see that it cannot read the file.
  void sleep(DELETE_AFTER_MS, null, { ref: false }).then(async () => {
    for (const { id } of imports) await send('delete import', 'DELETE', `/v1/memory/imports/${id}`);
  });
}

async function pushAndPull(files: number): Promise<void> {
  const names = Array.from({ length: files }, () => `team/bench/${(paths += 1)}.bin`);
  const pushed = await post('push', '/v1/workspace/push', pushOf(names, 10 * MIB).body);
  if (pushed === null) return;
  await post('pull', '/v1/workspace/pull', { files: names.map((path) => ({ path })) });
  const deletions = names.map((path) => ({ path, baseVersion: 1, deleted: true }));
  await post('delete files', '/v1/workspace/push', { files: deletions });
}

const large: (() => Promise<unknown>)[] = [
  () => importFile('import of 30 MiB', bodies.largeImport),
  () => pushAndPull(1),
  () => ingest('ingest of 31 MiB, numbers', bodies.numbers),
  () => Promise.all([importFile('import of 8 MiB', bodies.smallerImport), pushAndPull(1)]),
  () => pushAndPull(2),
  async () => {
    const body = bodies.numbers();
    await abort('aborted', '/v1/memory/ingest', body, 12 * MIB);
    await post('too large', '/v1/memory/ingest', Buffer.concat([body, Buffer.alloc(2 * MIB, ' ')]));
  },
  () => ingest('ingest of 8 MiB, base64', bodies.base64),
  () =>
    Promise.all([importFile('import of 30 MiB', bodies.largeImport), ingest('250 passages', bodies.some)]),
  () => ingest('text of 1.5 MiB', bodies.shortText),
  () => Promise.all([pushAndPull(2), importFile('import of 30 MiB', bodies.largeImport)]),
  () => ingest('text of 8 MiB', bodies.text),
];

const small: ((turn: number) => Promise<unknown>)[] = [
  (turn) => ingest('note', notes[turn % notes.length] as Body),
  () => send('list', 'GET', '/v1/memory/sources?limit=50'),
  (turn) =>
    post('sign-in', '/v1/auth/login', {
      email: `nobody-${turn}@example.com`,
      password: 'long enough it is',
    }),
  () => send('list', 'GET', '/v1/workspace/manifest'),
  () => send('list', 'GET', '/v1/memory/imports?limit=50'),
  () => importFile('small import', smallImport),
  () => send('list', 'GET', '/v1/memory/status'),
  (turn) => (turn % 4 === 0 ? archiveImported() : send('list', 'GET', '/v1/memory/tags')),
];

/** Archives the sources that small imports made. */
async function archiveImported(): Promise<void> {
  const answer = await send('list', 'GET', '/v1/memory/sources?limit=50');
  if (answer === null) return;
  const { items } = JSON.parse(answer) as { items: { id: string; kind: string; state: string }[] };
  for (const { id } of items.filter(({ kind, state }) => kind === 'import' && state === 'active')) {
    await send('archive', 'DELETE', `/v1/memory/sources/${id}`);
  }
}

let running = 0;
endAt = performance.now() + Number(seconds) * 1000;
process.send?.('begun');
await Promise.all([
  repeat(1 / SEARCHES_A_SECOND, async (turn) => {
    // Not waited for: searches come whether or not the one before is answered.
    void post('search', '/v1/memory/search', searches[turn % searches.length] as Buffer);
  }),
  repeat(SMALL_SECONDS, async (turn) => {
    await small[turn % small.length]?.(turn);
  }),
  repeat(LARGE_SECONDS, async (turn) => {
    const work = (async () => large[turn % large.length]?.())();
    running += 1;
    const done = work.finally(() => (running -= 1));
    while (running >= MAX_LARGE && !isOver()) await Promise.race([done, sleep(500)]);
  }),
]);
process.send?.(counts, () => process.exit());
