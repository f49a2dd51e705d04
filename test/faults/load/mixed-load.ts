import { setTimeout as sleep } from 'node:timers/promises';
import { EMBEDDING_DIM } from '../../../shared/embeddings.ts';
import { newId } from '../../../shared/ids.ts';
import { seededRandom } from '../../support/generated-text.ts';
import { TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { file } from '../../support/workspace.ts';
import { type LoadRequest, quantile, type Reply, send, tally } from './client.ts';
import { type Acknowledged, captureOf, type Ledger, pathOf } from './ledger.ts';

const WORDS =
  'pump valve plant shift heron report invoice crane meter dock grain lathe router copper ledger orchard'.split(
    ' ',
  );

type Operation = Acknowledged['kind'] | 'search' | 'list' | 'status';

/** How often each operation is drawn. */
const SHARES: readonly (readonly [Operation, number])[] = [
  ['search', 40],
  ['ingest', 18],
  ['capture', 12],
  ['push', 10],
  ['import', 8],
  ['list', 10],
  ['status', 2],
];

/** One request of the load, with how it ended. Its body is not kept, except the beginning of an error's. */
export interface LoadReply extends Pick<Reply, 'status' | 'failure' | 'ms' | 'at'> {
  readonly operation: Operation;
  readonly problem: string;
}

/** A load that runs until it is stopped. */
export interface RunningLoad {
  /** Every request so far. */
  readonly replies: readonly LoadReply[];
  stop(): Promise<void>;
}

export interface LoadOptions {
  /** Where the service listens: one address, or two that requests go to in turn. */
  urls: readonly string[];
  ledger: Ledger;
  seed: number;
  /** Requests at once. */
  loops?: number;
}

/** A search by words and by a vector. */
export function searchRequest(random: () => number): LoadRequest {
  const query = Array.from({ length: 3 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
  const queryEmbedding = Array.from({ length: EMBEDDING_DIM }, () => random() - 0.5);
  const embedding = { queryEmbedding, embeddingModel: TEST_MODEL_NAME, embeddingDim: EMBEDDING_DIM };
  return { method: 'POST', path: '/v1/memory/search', body: { query, ...embedding, scope: {} } };
}

/** A text that no other key has. */
export function textOf(key: string, random: () => number, words = 40): string {
  const drawn = Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]);
  return `Record ${key}: ${drawn.join(' ')}.`;
}

function requestOf(operation: Operation, key: string, text: string, random: () => number): LoadRequest {
  const write = (path: string, body: unknown): LoadRequest => ({
    method: 'POST',
    path,
    body,
    headers: { 'idempotency-key': key },
  });
  switch (operation) {
    case 'search':
      return searchRequest(random);
    case 'list':
      return { method: 'GET', path: '/v1/memory/sources?limit=20' };
    case 'status':
      return { method: 'GET', path: '/v1/memory/status' };
    case 'ingest':
      return write('/v1/memory/ingest', { title: key, text });
    case 'capture':
      return write('/v1/memory/captures', captureOf(key, text));
    case 'push':
      return write('/v1/workspace/push', { files: [file(pathOf(key), text)] });
    case 'import':
      return write('/v1/memory/imports', { items: [{ filename: `${key}.txt`, title: key, text }] });
  }
}

/** The id in the response of a write. */
function idIn(operation: Acknowledged['kind'], json: unknown): string {
  const body = json as {
    source?: { id: string };
    capture?: { id: string };
    imports?: { id: string }[];
    files?: { path: string }[];
  };
  const ids = {
    ingest: body.source?.id,
    capture: body.capture?.id,
    import: body.imports?.[0]?.id,
    push: body.files?.[0]?.path,
  };
  return ids[operation] ?? '';
}

const isWrite = (operation: Operation): operation is Acknowledged['kind'] =>
  ['ingest', 'capture', 'push', 'import'].includes(operation);

/** Starts a mixed load of searches, writes and lists. What is acknowledged is noted in the ledger. */
export function startLoad({ urls, ledger, seed, loops = 6 }: LoadOptions): RunningLoad {
  const random = seededRandom(seed);
  const sum = SHARES.reduce((all, [, share]) => all + share, 0);
  const draw = (): Operation => {
    let left = random() * sum;
    for (const [operation, share] of SHARES) {
      left -= share;
      if (left < 0) return operation;
    }
    return 'search';
  };
  const replies: LoadReply[] = [];
  let stopped = false;
  let turn = 0;
  const runId = newId().slice(-12);

  const loop = async () => {
    while (!stopped) {
      const operation = draw();
      turn += 1;
      const url = urls[turn % urls.length] ?? '';
      const key = `load-${runId}-${turn}`;
      const text = textOf(key, random);
      const request = requestOf(operation, key, text, random);
      const reply = await send(url, request);
      const { status, failure, ms, at } = reply;
      const problem = status >= 400 ? reply.text.slice(0, 300) : '';
      replies.push({ status, failure, ms, at, operation, problem });
      if (isWrite(operation) && reply.status >= 200 && reply.status < 300) {
        ledger.add({ kind: operation, key, text, id: idIn(operation, reply.json) });
      }
      // A refused connection fails at once: without a pause the loop would do nothing else.
      await sleep(reply.status === 0 || reply.status >= 500 ? 100 : 5);
    }
  };
  const running = Array.from({ length: loops }, loop);
  return {
    replies,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** The load in one line: how requests ended, and how long they took. */
export function loadFigures(replies: readonly LoadReply[]): string {
  const times = replies.map(({ ms }) => ms);
  const [p50, p95, slowest] = [quantile(times, 0.5), quantile(times, 0.95), Math.max(0, ...times)];
  return `${tally(replies)}; p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`;
}

/** Replies that neither succeeded nor said that the service is unavailable. */
export function unexpected(replies: readonly LoadReply[]): LoadReply[] {
  return replies.filter(({ status }) => status !== 503 && (status < 200 || status >= 300));
}
