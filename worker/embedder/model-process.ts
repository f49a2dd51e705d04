import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Embedder, loadEmbedder, type ModelSettings } from './model.ts';

/*
 * The process that runs the model, one text at a time: a run blocks its thread for as long as it takes, and the runtime
 * gives memory back only when the process ends. It has none of the service's settings and no connection.
 */

/** Queries overtake passages, between any two runs of the model. */
export type Lane = 'query' | 'passage';

/** What the parent asks; it has one text of each lane under way at most. */
export interface EmbedTask {
  lane: Lane;
  text: string;
}

/**
 * What the parent is told: that the model is loaded, or why not; then the lane of the text under way, at its begin and
 * before each run of the model; and for each text its vector of 1,024 numbers, or an error, with the memory that the
 * process uses.
 */
export type ModelAnswer =
  | { ready: true; rssBytes: number }
  | { failed: string }
  | { running: Lane }
  | { lane: Lane; vector: Float32Array; rssBytes: number }
  | { lane: Lane; error: string; rssBytes: number };

/** How long a passage waits for the next query, which the parent sends when it has heard the answer to the last. */
const NEXT_QUERY_MS = 5;

function send(answer: ModelAnswer): void {
  process.send?.(answer);
}

/** Takes texts as they come, and answers each. */
function serve(model: Embedder): void {
  const waiting: Record<Lane, string | null> = { query: null, passage: null };
  let working = false;

  const answer = async (lane: Lane): Promise<void> => {
    const text = waiting[lane];
    if (text === null) return;
    // Cutting it into tokens may end the process as well.
    send({ running: lane });
    let made: { vector: Float32Array } | { error: string };
    try {
      const vector = await model.embed(text, lane, async () => {
        // Lets messages that arrived during the last run be handled.
        await nextTurn();
        if (lane === 'passage') await answerQueries();
        send({ running: lane });
      });
      made = { vector };
    } catch (error) {
      // The message may repeat what the text says.
      made = { error: error instanceof Error ? error.name : typeof error };
    }
    waiting[lane] = null;
    send({ lane, ...made, rssBytes: process.memoryUsage.rss() });
  };

  /** All that wait at the parent too: else each would wait for one run of a passage more. */
  const answerQueries = async (): Promise<void> => {
    while (waiting.query !== null) {
      await answer('query');
      if (waiting.passage !== null) await pause(NEXT_QUERY_MS);
    }
  };

  process.on('message', ({ lane, text }: EmbedTask) => {
    waiting[lane] = text;
    if (working) return;
    working = true;
    void (async () => {
      while (waiting.query !== null || waiting.passage !== null) {
        await answerQueries();
        await answer('passage');
      }
      working = false;
    })();
  });
}

const [, , maxRssBytes, settings = ''] = process.argv;
// Memory is watched from a thread of its own: this one is busy while the model runs.
const guard = new Worker(new URL('../memory-guard.ts', import.meta.url), {
  workerData: { maxRssBytes: Number(maxRssBytes), parent: process.ppid },
});
await once(guard, 'message');
guard.unref();
// Ctrl-C reaches the whole group; when this process ends is its parent's affair.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(0));
try {
  const model = await loadEmbedder({ ...(JSON.parse(settings) as ModelSettings), allowDownload: false });
  // The library has read the file into memory twice. For a large file, that is a gigabyte that is no longer needed.
  for (let pass = 0; pass < 2; pass += 1) {
    await nextTurn();
    globalThis.gc?.();
  }
  serve(model);
  send({ ready: true, rssBytes: process.memoryUsage.rss() });
} catch (error) {
  send({ failed: error instanceof Error ? error.message : String(error) });
}
