import type { JobWithMetadata } from 'pg-boss';
import { createLogger } from '../../../shared/logger.ts';
import type { Payload } from '../../../shared/queues.ts';
import type { JobContext } from '../../../worker/context.ts';
import type { ModelClient } from '../../../worker/embedder/model-client.ts';
import { pace } from '../../../worker/embedder/text-lanes.ts';
import { HANDLERS } from '../../../worker/registry.ts';
import { bodyOf, type EmbeddingService } from '../../support/embedding-service.ts';
import { along } from '../../support/team.ts';

type ChunksJob = JobWithMetadata<Payload<'embed.chunks'>>;

/** Makes the vector of a text, or throws what the model's client would. */
export type Make = (text: string, signal: AbortSignal) => Promise<Float32Array> | Float32Array;

/** A vector that tells texts apart, as quick as can be. */
export const anyVector: Make = (text) => {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1024;
  return Float32Array.from(along(hash));
};

/** A worker's jobs, done one by one when the test says so, with a model that is a function. */
export interface EmbeddingWorker {
  /** What the model was asked for, in order. */
  asked: string[];
  /** Takes the next waiting job, or null: it is this worker's then, and not yet begun. */
  take(): Promise<ChunksJob | null>;
  do(job: ChunksJob): Promise<void>;
  /** Takes and does jobs until none waits, or so many. Returns how many there were. */
  run(most?: number): Promise<number>;
  /** Takes the next query that waits and does it; null where none waits. Returns the job's id. */
  answerQuery(): Promise<string | null>;
  /** Finds layers whose chunks wait: what `embed.waiting` does. */
  findWaiting(): Promise<void>;
}

/** @param stopping aborts when the worker stops */
export function embeddingWorker(
  service: EmbeddingService,
  make: Make = anyVector,
  {
    stopping = new AbortController().signal,
    config = service.config,
  }: { stopping?: AbortSignal; config?: EmbeddingService['config'] } = {},
): EmbeddingWorker {
  const asked: string[] = [];
  const model: ModelClient = {
    embed: async (text, _lane, signal) => {
      const body = bodyOf(text);
      asked.push(body);
      return make(body, signal);
    },
    state: () => ({ state: 'ready', fetched: null }),
    rssBytes: () => 0,
    ready: Promise.resolve(),
    close: async () => undefined,
  };
  const context = {
    ...service,
    config,
    logger: createLogger('silent', 'test'),
    embedder: { model, pace: pace() },
    mailer: null,
    stopping,
    yieldAfterMs: null,
    readingPool: null as never,
  } satisfies JobContext;
  const { boss } = service.queue;
  const fetchJob = async (queue: string) => {
    const [job] = await boss.fetch<Payload<'embed.chunks'>>(queue, { includeMetadata: true });
    return job === undefined ? null : Object.assign(job, { signal: new AbortController().signal });
  };
  const worker: EmbeddingWorker = {
    asked,
    take: () => fetchJob('embed.chunks'),
    do: (job) => HANDLERS['embed.chunks'](job, context),
    run: async (most = Number.POSITIVE_INFINITY) => {
      for (let done = 0; done < most; done += 1) {
        const job = await worker.take();
        if (job === null) return done;
        await worker.do(job);
      }
      return most;
    },
    answerQuery: async () => {
      const job = await fetchJob('embed.query');
      if (job !== null) await HANDLERS['embed.query'](job as never, context);
      return job?.id ?? null;
    },
    findWaiting: async () => {
      await boss.send('embed.waiting', {});
      const job = await fetchJob('embed.waiting');
      if (job !== null) await HANDLERS['embed.waiting'](job as never, context);
    },
  };
  return worker;
}
