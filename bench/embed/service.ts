import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  API_TOKEN,
  printedUrl,
  type ServiceProcess,
  startMain,
  temporaryFolder,
} from '../../test/support/needs/process.ts';

/** The service that `embed.ts` measures: its real processes, making vectors themselves, asked over HTTP. */

/** Asking takes time from what is measured: it is done more often only towards the end. */
const LOOK_EVERY_MS = 1000;
const LOOK_SOONEST_MS = 50;
/** Loading a model, and one portion of the texts, on a slow machine. */
const LOAD_MS = 300_000;
const PORTION_MS = 900_000;
/** Of the service's log, where it fails. */
const LAST_LINES = 20;
/** Of one ingest request. */
const MOST_CHUNKS = 2000;

/** The part of GET /v1/memory/status that is read here. */
interface Status {
  chunks: { pending: number };
  workers: { embedder: { state: string } | null }[];
}

export class MeasuredService {
  readonly #process: ServiceProcess;
  readonly #url: string;
  #ingested = 0;

  /**
   * Starts it with a model of a local folder, and waits until that is loaded.
   * @param databaseUrl an empty database on PostgreSQL; the embedded one where undefined
   */
  static async start(
    modelDir: string,
    model: string,
    databaseUrl: string | undefined,
  ): Promise<MeasuredService> {
    const started = startMain('start.ts', {
      cwd: await temporaryFolder(),
      env: {
        ...(databaseUrl === undefined ? {} : { MEMORY_DATABASE_URL: databaseUrl }),
        MEMORY_API_PORT: '0',
        MEMORY_API_HOST: '127.0.0.1',
        MEMORY_LOG_LEVEL: 'warn',
        MEMORY_API_SERVER_EMBEDDINGS: '1',
        MEMORY_EMBEDDING_MODEL: model,
        MEMORY_MODEL_DIR: modelDir,
      },
    });
    const service = new MeasuredService(started, await printedUrl(started));
    await service.#ready();
    return service;
  }

  private constructor(started: ServiceProcess, url: string) {
    this.#process = started;
    this.#url = url;
  }

  async stop(): Promise<void> {
    this.#process.child.kill('SIGTERM');
    await this.#process.exited;
  }

  /**
   * Stores texts, each as a chunk, and waits until all have their vectors.
   * @param stored hears now and then how many have theirs
   * @returns milliseconds, from before the first request
   */
  async embed(texts: readonly string[], stored: (count: number) => void = () => undefined): Promise<number> {
    const began = performance.now();
    for (let from = 0; from < texts.length; from += MOST_CHUNKS) {
      const chunks = texts.slice(from, from + MOST_CHUNKS).map((text) => ({ text }));
      this.#ingested += 1;
      await this.#ask('/v1/memory/ingest', { title: `Part ${this.#ingested}`, chunks });
    }
    for (;;) {
      const { pending } = (await this.#status()).chunks;
      const ms = performance.now() - began;
      stored(texts.length - pending);
      if (pending === 0) return ms;
      if (ms > PORTION_MS) throw new Error(`${pending} passages still have no vector`);
      const msLeft = (ms * pending) / Math.max(1, texts.length - pending);
      await sleep(Math.min(LOOK_EVERY_MS, Math.max(LOOK_SOONEST_MS, msLeft / 2)));
    }
  }

  /** How long a search takes, in milliseconds, by a given vector of the model or by one that the service makes. */
  async search(query: string, given: { model: string; vector: number[] } | null): Promise<number> {
    const embedding = given
      ? {
          queryEmbedding: given.vector,
          embeddingModel: given.model,
          embeddingDim: given.vector.length,
        }
      : { embeddingMode: 'server' };
    const began = performance.now();
    const { degraded } = await this.#ask<{ degraded: boolean }>('/v1/memory/search', {
      query,
      scope: {},
      ...embedding,
    });
    const ms = performance.now() - began;
    if (degraded) throw new Error('a search was answered from keywords alone');
    return ms;
  }

  /** The process that runs the model, and what it holds now. It is the one of its main in the service's group. */
  modelProcess(): { pid: number; residentMiB: number } {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,rss=,args='], { encoding: 'utf8' })
      .split('\n')
      .map((row) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []);
    const own = rows.filter(
      ([, , group, , args]) =>
        Number(group) === this.#process.child.pid && args?.includes('/model-process.ts'),
    );
    const [[, pid, , kib] = []] = own;
    if (own.length !== 1) throw new Error(`${own.length} processes run the model, not one`);
    return { pid: Number(pid), residentMiB: Number(kib) / 1024 };
  }

  async #ready(): Promise<void> {
    const late = AbortSignal.timeout(LOAD_MS);
    while (!(await this.#status()).workers.some(({ embedder }) => embedder?.state === 'ready')) {
      await sleep(LOOK_SOONEST_MS, undefined, { signal: late });
    }
  }

  /** @throws Error where the service's model cannot be used */
  async #status(): Promise<Status> {
    const status = await this.#ask<Status>('/v1/memory/status');
    for (const { embedder } of status.workers) {
      if (embedder?.state === 'failing' || embedder?.state === 'missing') {
        throw new Error(`the model is ${embedder.state}: ${this.#process.stdout.at(-1)}`);
      }
    }
    return status;
  }

  async #ask<T>(path: string, body?: object): Promise<T> {
    const request = {
      headers: { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    };
    const response = await fetch(this.#url + path, request).catch((error: unknown) => {
      const said = [...this.#process.stdout.slice(-LAST_LINES), ...this.#process.stderr].join('\n');
      throw new Error(`${path} was not answered. The service said:\n${said}`, { cause: error });
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
