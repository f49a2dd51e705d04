import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, Writer } from '../../test/support/generated-text.ts';
import {
  API_TOKEN,
  endProcesses,
  logLines,
  printedUrl,
  startMain,
  temporaryFolder,
} from '../../test/support/needs/process.ts';
import { compareRedaction } from './redaction-cost.ts';
import { compareVectorEncodings } from './vector-encodings.ts';

/**
 * `npm run bench:ingest`: what one ingest of 31 MiB does to other requests and to memory, and what vectors in each of
 * their two encodings cost to parse. On the embedded database, or on the one that MEMORY_DATABASE_URL names, into which
 * it writes. With `--redaction` only what the search for credentials costs, by mode; that reads MEMORY_TEST_DATABASE_URL.
 */
const BYTES = 31 * 2 ** 20;
const BEFORE_MS = 4000;

const writer = new Writer(1);
const databaseUrl = process.env['MEMORY_DATABASE_URL'] ?? '';

async function post(url: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Asks again and again, one request after the other, until told to stop; gives the times in ms. */
function askRepeatedly(ask: () => Promise<unknown>): { stop(): Promise<number[]> } {
  const times: number[] = [];
  let on = true;
  const asked = (async () => {
    while (on) {
      const began = performance.now();
      await ask();
      times.push(performance.now() - began);
      await sleep(10);
    }
  })();
  return {
    stop: async () => {
      on = false;
      await asked;
      return times;
    },
  };
}

function row(name: string, times: readonly number[]): string {
  const figures = [percentile(times, 0.5), percentile(times, 0.95), Math.max(...times)];
  return `${name.padEnd(24)}${[times.length, ...figures.map((ms) => ms.toFixed(1))].map((f) => String(f).padStart(10)).join('')}`;
}

/** The most memory that a process ever held, in MiB. Linux only. */
function peakMemory(pid: number): string {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return `${Math.round(Number(peak) / 1024)} MiB`;
}

async function measure(): Promise<void> {
  const cwd = await temporaryFolder();
  const service = startMain('start.ts', {
    cwd,
    env: {
      MEMORY_DATABASE_URL: databaseUrl,
      MEMORY_API_PORT: '0',
      MEMORY_API_HOST: '127.0.0.1',
      MEMORY_RATE_LIMITS: 'off',
    },
  });
  const url = await printedUrl(service);
  await post(url, '/v1/memory/ingest', { title: 'Already there', text: writer.document(200_000) });
  const embedding = [...writer.unitVector()];
  const query = {
    query: writer.words(0, 6).join(' '),
    queryEmbedding: embedding,
    embeddingModel: 'Xenova/bge-m3',
    embeddingDim: 1024,
    scope: {},
  };
  const askBoth = () => [
    askRepeatedly(() => fetch(`${url}/v1/health`).then((response) => response.text())),
    askRepeatedly(() => post(url, '/v1/memory/search', query)),
  ];
  const text = writer.document(BYTES);
  const stopAll = async (loops: { stop(): Promise<number[]> }[]) =>
    Promise.all(loops.map((loop) => loop.stop()));

  const quiet = askBoth();
  await sleep(BEFORE_MS);
  const [healthBefore = [], searchBefore = []] = await stopAll(quiet);
  const busy = askBoth();
  const began = performance.now();
  const answer = await post(url, '/v1/memory/ingest', { title: 'Large', text });
  const seconds = (performance.now() - began) / 1000;
  const [healthDuring = [], searchDuring = []] = await stopAll(busy);

  const lines = [
    `${Buffer.byteLength(text)} bytes, ${String(answer['chunks'])} passages in ${seconds.toFixed(1)} s on ${databaseUrl === '' ? 'the embedded database' : 'PostgreSQL'}`,
    `${''.padEnd(24)}${['requests', 'p50 ms', 'p95 ms', 'max ms'].map((f) => f.padStart(10)).join('')}`,
    row('health before', healthBefore),
    row('health during ingest', healthDuring),
    row('search before', searchBefore),
    row('search during ingest', searchDuring),
  ];
  const pids = new Map(logLines(service).map((line) => [Number(line['pid']), String(line['name'])]));
  for (const [pid, name] of pids) lines.push(`peak memory of ${name}: ${peakMemory(pid)}`);
  lines.push(...(await compareVectorEncodings(writer)));
  process.stdout.write(`${lines.join('\n')}\n`);
  service.child.kill('SIGTERM');
  await service.exited;
}

async function measureRedaction(): Promise<void> {
  const { lines, isWithin } = await compareRedaction(writer);
  process.stdout.write(`${lines.join('\n')}\n`);
  if (!isWithin) process.exitCode = 1;
}

try {
  await (process.argv.includes('--redaction') ? measureRedaction() : measure());
} finally {
  await endProcesses();
}
