import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ModelSettings } from '../../../worker/embedder/model.ts';
import type { EmbedTask, Lane, ModelAnswer } from '../../../worker/embedder/model-process.ts';

/*
 * In place of the process that runs the model: does to its parent what a model may do by chance. The text of a task says
 * what: a word, and what it takes after a blank. What it does before it is ready is said by the profile's prefix of
 * queries. Vectors are not of 1,024 numbers here: they tell something of the process.
 */

const MIB = 1024 * 1024;
/** Of each process one line: its id. */
export const STARTS = 'starts';

const [, , maxRssBytes, given = ''] = process.argv;
const kept: Buffer[] = [];

function send(answer: ModelAnswer): void {
  process.send?.(answer);
}

/** Allocates memory and never frees it, until the process holds this share of its limit. */
function fill(share: number): void {
  while (process.memoryUsage.rss() < share * Number(maxRssBytes)) kept.push(Buffer.alloc(4 * MIB, 1));
}

/** Without work for the processor, which other tests need. */
function hang(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function kill(): never {
  process.kill(process.pid, 'SIGKILL');
  return hang();
}

function grow(): never {
  for (;;) fill(2);
}

type Deed = (given: string) => number | Promise<number>;

const DEEDS: Readonly<Record<string, Deed>> = {
  pid: () => process.pid,
  /** How many settings it finds, except those of Node and of the allocator. */
  environment: () =>
    Object.keys(process.env).filter(
      (name) => !/^(NODE_V8_COVERAGE|MALLOC_(MMAP|TRIM)_THRESHOLD_)$/.test(name),
    ).length,
  die: kill,
  exit: () => process.exit(3),
  /** Never ends. Notes that it has begun in a file, if one is given: `hang <file noted>`. */
  hang: (noted) => {
    if (noted !== '') appendFileSync(noted, `${process.pid}\n`);
    return hang();
  },
  grow,
  /** Grows to a share of its memory limit: `fill 0.5`. */
  fill: (share) => {
    fill(Number(share));
    return process.pid;
  },
  /** Notes that it was computed, and is done once another file is there: `wait <file noted> <file awaited>`. */
  wait: async (files) => {
    const [noted = '', awaited = ''] = files.split(' ');
    appendFileSync(noted, `${process.pid}\n`);
    while (!existsSync(awaited)) await nextTurn();
    return process.pid;
  },
  throw: (message) => {
    throw new RangeError(message);
  },
  /** Ends the process right after its answer is sent. */
  afterwards: () => {
    setImmediate(kill);
    return process.pid;
  },
};

async function answer({ lane, text }: EmbedTask): Promise<void> {
  const [word = '', ...rest] = text.split(' ');
  // Ends before it says whose text it is at.
  if (word === 'die-unsaid') kill();
  send({ running: lane });
  try {
    const value = (await DEEDS[word]?.(rest.join(' '))) ?? text.length;
    send({ lane, vector: Float32Array.of(value), rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    send({ lane, error: (error as Error).name, rssBytes: process.memoryUsage.rss() });
  }
}

/** Queries before passages, one after the other. */
function serve(): void {
  const waiting: Partial<Record<Lane, EmbedTask>> = {};
  let working = false;
  process.on('message', (task: EmbedTask) => {
    waiting[task.lane] = task;
    if (working) return;
    working = true;
    void (async () => {
      // Both lanes are heard before one is begun.
      await nextTurn();
      for (let next = waiting.query ?? waiting.passage; next; next = waiting.query ?? waiting.passage) {
        delete waiting[next.lane];
        await answer(next);
        await nextTurn();
      }
      working = false;
    })();
  });
}

async function main(): Promise<void> {
  const guard = new Worker(new URL('../../../worker/memory-guard.ts', import.meta.url), {
    workerData: { maxRssBytes: Number(maxRssBytes), parent: process.ppid },
  });
  await once(guard, 'message');
  guard.unref();
  const { modelDir, profile } = JSON.parse(given) as ModelSettings;
  const starts = join(modelDir, STARTS);
  appendFileSync(starts, `${process.pid}\n`);
  const [word = '', share] = (profile?.queryPrefix ?? '').split(' ');
  if (word === 'hang') hang();
  if (word === 'grow') grow();
  if (word === 'exit') process.exit(3);
  if (word === 'fill') fill(Number(share));
  serve();
  if (word === 'refuse') send({ failed: 'it does not want to' });
  else send({ ready: true, rssBytes: process.memoryUsage.rss() });
  // The first two processes of a folder end as soon as they are ready.
  if (word === 'vanish' && readFileSync(starts, 'utf8').trim().split('\n').length <= 2) setImmediate(kill);
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit(0));
  await main();
}
