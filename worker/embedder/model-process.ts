import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
 * What it is told: that the model is loaded, or why not; then before each run of the model whose it is, and of each text
 * its vector of 1,024 numbers, or that there is none, with the memory that the process holds.
 */
export type ModelAnswer =
  | { ready: true; rssBytes: number }
  | { failed: string }
  | { running: Lane }
  | { lane: Lane; vector: Float32Array; rssBytes: number }
  | { lane: Lane; error: string; rssBytes: number };

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
    try {
      const vector = await model.embed(text, lane, async () => {
        // Lets what has come meanwhile be heard.
        await nextTurn();
        if (lane === 'passage') await answer('query');
        send({ running: lane });
      });
      waiting[lane] = null;
      send({ lane, vector, rssBytes: process.memoryUsage.rss() });
    } catch (error) {
      waiting[lane] = null;
      // The message may repeat what the text says.
      send({
        lane,
        error: error instanceof Error ? error.name : typeof error,
        rssBytes: process.memoryUsage.rss(),
      });
    }
  };

  process.on('message', ({ lane, text }: EmbedTask) => {
    waiting[lane] = text;
    if (working) return;
    working = true;
    void (async () => {
      while (waiting.query !== null || waiting.passage !== null) {
        await answer(waiting.query === null ? 'passage' : 'query');
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
  serve(await loadEmbedder({ ...(JSON.parse(settings) as ModelSettings), allowDownload: false }));
  send({ ready: true, rssBytes: process.memoryUsage.rss() });
} catch (error) {
  send({ failed: error instanceof Error ? error.message : String(error) });
}
