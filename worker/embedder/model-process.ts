import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { endWithParent } from '../supervised-process.ts';
import { type Embedder, loadEmbedder, type ModelSettings } from './model.ts';

/*
 * The process that runs the model, one text at a time. It is separate because a run blocks its thread until it is done,
 * and because the runtime frees memory only when the process ends. It has no settings of the service and no connection.
 */

/** Queries overtake passages, between any two runs of the model. */
export type Lane = 'query' | 'passage';

/** A request of the parent. At most one text of each lane is being processed. */
export interface EmbedTask {
  lane: Lane;
  text: string;
}

/**
 * The messages to the parent. First: the model is loaded, or the reason why it is not. Then, when a text begins and
 * before each run of the model: the lane of the text. For each text: its vector of 1,024 numbers or an error, and the
 * memory that the process uses.
 */
export type ModelAnswer =
  | { ready: true; rssBytes: number }
  | { failed: string }
  | { running: Lane }
  | { lane: Lane; vector: Float32Array; rssBytes: number }
  | { lane: Lane; error: string; rssBytes: number };

/** How long a passage waits for the next query. The parent sends it after the answer to the last query. */
const NEXT_QUERY_MS = 5;

function send(answer: ModelAnswer): void {
  process.send?.(answer);
}

/** Processes the texts in the order of their arrival, and answers each. */
function serve(model: Embedder): void {
  const waiting: Record<Lane, string | null> = { query: null, passage: null };
  let working = false;

  const answer = async (lane: Lane): Promise<void> => {
    const text = waiting[lane];
    if (text === null) return;
    // Sent this early because splitting the text into tokens can end the process as well.
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
      // Only the name of the error is sent, because its message can contain parts of the text.
      made = { error: error instanceof Error ? error.name : typeof error };
    }
    waiting[lane] = null;
    send({ lane, ...made, rssBytes: process.memoryUsage.rss() });
  };

  /** Also answers the queries that wait at the parent. Otherwise each would wait for one more run of a passage. */
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
// A separate thread watches the memory, because this one is busy while the model runs.
const guard = new Worker(new URL('../memory-guard.ts', import.meta.url), {
  workerData: { maxRssBytes: Number(maxRssBytes), parent: process.ppid },
});
await once(guard, 'message');
guard.unref();
endWithParent();
try {
  const model = await loadEmbedder({ ...(JSON.parse(settings) as ModelSettings), allowDownload: false });
  serve(model);
  send({ ready: true, rssBytes: process.memoryUsage.rss() });
} catch (error) {
  send({ failed: error instanceof Error ? error.message : String(error) });
}
