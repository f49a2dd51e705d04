import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_TOKEN, printedUrl, startMain, temporaryFolder } from '../../test/support/needs/process.ts';
import { askingAt, jsonOf, succeeded } from '../support/asking.ts';
import { memoryOf } from '../support/cpu.ts';

/** The service that `embed.ts` measures: its real processes, making vectors themselves, asked over HTTP. */

/** Asking takes time from what is measured: it is done more often only towards the end. */
const LOOK_EVERY_MS = 1000;
const LOOK_SOONEST_MS = 50;
/** Loading a model, and one portion of the texts, on a slow machine. */
const LOAD_MS = 300_000;
const PORTION_MS = 900_000;
/** Of one ingest request. */
const MOST_CHUNKS = 2000;

/** The part of GET /v1/memory/status that is read here. */
interface Status {
  chunks: { pending: number };
  workers: { embedder: { state: string } | null }[];
}

export interface MeasuredService {
  stop(): Promise<void>;
  /**
   * Stores texts, each as a chunk, and waits until all have their vectors.
   * @param stored hears now and then how many have theirs
   * @returns milliseconds, from before the first request
   */
  embed(texts: readonly string[], stored?: (count: number) => void): Promise<number>;
  /** How long a search takes, in milliseconds, by a given vector of the model or by one that the service makes. */
  search(query: string, given: { model: string; vector: number[] } | null): Promise<number>;
  /** The process that runs the model, and what it holds now. It is the one of its main in the service's group. */
  modelProcess(): { pid: number; rss: number };
}

/**
 * Starts the service with a model of a local folder, and waits until that is loaded.
 * @param databaseUrl an empty database on PostgreSQL; the embedded one where undefined
 */
export async function startService(
  modelDir: string,
  model: string,
  databaseUrl: string | undefined,
): Promise<MeasuredService> {
  const started = startMain('start.ts', {
    cwd: await temporaryFolder(),
    env: {
      MEMORY_DATABASE_URL: databaseUrl ?? '',
      MEMORY_API_PORT: '0',
      MEMORY_API_HOST: '127.0.0.1',
      MEMORY_LOG_LEVEL: 'warn',
      MEMORY_API_SERVER_EMBEDDINGS: '1',
      MEMORY_EMBEDDING_MODEL: model,
      MEMORY_MODEL_DIR: modelDir,
    },
  });
  const asking = askingAt(await printedUrl(started), { headers: { authorization: `Bearer ${API_TOKEN}` } });
  let ingested = 0;

  /** @throws Error where the service's model cannot be used */
  const readStatus = async (): Promise<Status> => {
    const status = jsonOf<Status>(await asking.ask('GET', '/v1/memory/status'));
    for (const { embedder } of status.workers) {
      if (embedder?.state === 'failing' || embedder?.state === 'missing') {
        throw new Error(`the model is ${embedder.state}: ${started.stdout.at(-1)}`);
      }
    }
    return status;
  };

  const late = AbortSignal.timeout(LOAD_MS);
  while (!(await readStatus()).workers.some(({ embedder }) => embedder?.state === 'ready'))
    await sleep(LOOK_SOONEST_MS, undefined, { signal: late });

  return {
    stop: async () => {
      asking.close();
      started.child.kill('SIGTERM');
      await started.exited;
    },
    embed: async (texts, stored) => {
      const began = performance.now();
      for (let from = 0; from < texts.length; from += MOST_CHUNKS) {
        const chunks = texts.slice(from, from + MOST_CHUNKS).map((text) => ({ text }));
        const body = { title: `Part ${(ingested += 1)}`, chunks };
        succeeded(await asking.ask('POST', '/v1/memory/ingest', body));
      }
      for (;;) {
        const { pending } = (await readStatus()).chunks;
        const ms = performance.now() - began;
        stored?.(texts.length - pending);
        if (pending === 0) return ms;
        if (ms > PORTION_MS) throw new Error(`${pending} passages still have no vector`);
        const msLeft = (ms * pending) / Math.max(1, texts.length - pending);
        await sleep(Math.min(LOOK_EVERY_MS, Math.max(LOOK_SOONEST_MS, msLeft / 2)));
      }
    },
    search: async (query, given) => {
      const embedding =
        given === null
          ? { embeddingMode: 'server' }
          : {
              queryEmbedding: given.vector,
              embeddingModel: given.model,
              embeddingDim: given.vector.length,
            };
      const answer = await asking.ask('POST', '/v1/memory/search', { query, scope: {}, ...embedding });
      if (jsonOf<{ degraded: boolean }>(answer).degraded)
        throw new Error('a search was answered from keywords alone');
      return answer.ms;
    },
    modelProcess: () => {
      const rows = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,args='], { encoding: 'utf8' })
        .split('\n')
        .map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []);
      const own = rows.filter(
        ([, , group, args]) => Number(group) === started.child.pid && args?.includes('/model-process.ts'),
      );
      if (own.length !== 1) throw new Error(`${own.length} processes run the model, not one`);
      const pid = Number(own[0]?.[1]);
      return { pid, rss: memoryOf(pid).rss };
    },
  };
}
