import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../shared/logger.ts';
import type { EmbedderState } from '../../shared/schemas/status.ts';
import type { ModelSettings } from './model.ts';
import { ensureModelFiles, type FetchProgress, oneLine } from './model-files.ts';
import type { EmbedTask, Lane, ModelAnswer } from './model-process.ts';
import { LANES, TextLanes, TextRefusedError } from './text-lanes.ts';

/** How a model stands, but for how fast it works. */
export type ModelState = Omit<EmbedderState, 'chunksPerMinute'>;

/** Makes vectors with a model in a process of its own, which is replaced when it dies, grows or hangs. */
export interface ModelClient {
  /**
   * The vector of one text: 1,024 numbers of length 1. Texts of a lane are taken one after the other, as they came;
   * queries overtake passages.
   * @param signal no one waits any more: it is dropped if it is not under way
   * @throws TextRefusedError
   * @throws EmbeddingInterruptedError
   */
  embed(text: string, lane: Lane, signal: AbortSignal): Promise<Float32Array>;
  state(): ModelState;
  /** Of the process that runs the model; 0 while there is none. */
  rssBytes(): number;
  /** Resolves when the model is ready for the first time, or the client is closed. */
  readonly ready: Promise<void>;
  /** Ends the process. Closing twice is fine. */
  close(): Promise<void>;
}

export interface ModelClientOptions {
  model: Omit<ModelSettings, 'allowDownload'>;
  /** What the process may hold. */
  megabytes: number;
  logger: Logger;
  /** Hears each time that the state changes. */
  changed?: () => void;
  /** The module that the process runs, where it is not the usual. */
  main?: URL;
  /** How long one run of the model may take, in milliseconds, and loading it. */
  runMs?: number;
  loadMs?: number;
  /** How long to wait until what could not be had is tried for again, in milliseconds. */
  retryMs?: number;
}

const MIB = 1024 * 1024;
const MAIN = new URL('./model-process.ts', import.meta.url);
/** A window of 1,024 tokens takes about a second on two cores. */
const RUN_MS = 60_000;
const LOAD_MS = 300_000;
const RETRY_MS = 30_000;
/** How often the log tells how far a download is. */
const SAY_EVERY_MS = 5000;
/** A process that holds more than this share of its bound is replaced between two texts, before its guard ends it. */
const FULL_SHARE = 0.9;
/** What one process is doing. */
interface Runner {
  child: ChildProcess;
  /** Whose run of the model is under way. */
  running: Lane | null;
  rssBytes: number;
  /** Ends it where nothing is heard in time. */
  watchdog: NodeJS.Timeout | null;
}

/** Starts to get and load the model at once, and goes on trying where that fails. */
export function openModelClient(options: ModelClientOptions): ModelClient {
  return new Client(options);
}

class Client implements ModelClient {
  readonly ready: Promise<void>;
  readonly #options: ModelClientOptions;
  readonly #stop = new AbortController();
  readonly #lanes = new TextLanes();
  /** Loaded, and so to be asked. */
  #runner: Runner | null = null;
  #child: ChildProcess | null = null;
  #state: ModelState = { state: 'loading', fetched: null };
  #told = '';
  #isReady: () => void = () => undefined;
  readonly #life: Promise<void>;

  constructor(options: ModelClientOptions) {
    this.#options = options;
    this.ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
    this.#life = this.#live();
  }

  state(): ModelState {
    return this.#state;
  }

  rssBytes(): number {
    return this.#runner?.rssBytes ?? 0;
  }

  embed(text: string, lane: Lane, signal: AbortSignal): Promise<Float32Array> {
    const vector = this.#lanes.add(text, lane, signal);
    this.#ask();
    return vector;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#child?.kill('SIGKILL');
    await this.#life;
    this.#lanes.close();
    this.#isReady();
  }

  /** One process after the other, until closed. */
  async #live(): Promise<void> {
    const { retryMs = RETRY_MS } = this.#options;
    while (!this.#stop.signal.aborted) {
      const problem = (await this.#fetch()) ?? (await this.#run());
      if (this.#stop.signal.aborted) return;
      if (problem !== null) await pause(retryMs, this.#stop.signal);
    }
  }

  #enter(state: ModelState): void {
    const changed = state.state !== this.#state.state || state.fetched !== this.#state.fetched;
    this.#state = state;
    if (changed) this.#options.changed?.();
  }

  /** Says what keeps the model from being used, once and not each time that it is tried again. */
  #complain(state: 'missing' | 'failing', problem: string): string {
    this.#enter({ state, fetched: null });
    const { logger } = this.#options;
    if (this.#told !== problem) logger.error(`no vectors are made: ${problem}`);
    this.#told = problem;
    return problem;
  }

  /** Gets the files of the model that are not there. Returns what kept it from that. */
  async #fetch(): Promise<string | null> {
    const { model, logger } = this.#options;
    let said = 0;
    const tell = ({ allBytes, allTotal }: FetchProgress) => {
      const fetched = allTotal === null ? null : Math.round((allBytes / allTotal) * 100) / 100;
      this.#enter({ state: 'fetching', fetched });
      if (performance.now() - said < SAY_EVERY_MS) return;
      said = performance.now();
      const megabytes = { megabytes: Math.round(allBytes / MIB), of: allTotal && Math.round(allTotal / MIB) };
      logger.info({ model: model.name, ...megabytes }, 'the model is being fetched');
    };
    try {
      await ensureModelFiles({ ...model, allowDownload: true }, { tell, signal: this.#stop.signal });
      return null;
    } catch (error) {
      if (this.#stop.signal.aborted) return null;
      return this.#complain('missing', oneLine(error));
    }
  }

  /** Runs one process from its start to its end. Returns what kept it from loading the model. */
  #run(): Promise<string | null> {
    const { model, megabytes, main = MAIN, loadMs = LOAD_MS, logger } = this.#options;
    if (this.#state.state !== 'failing') this.#enter({ state: 'loading', fetched: null });
    const child = fork(fileURLToPath(main), [String(megabytes * MIB), JSON.stringify(model)], {
      // Nothing of the service's own.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#child = child;
    let problem: string | null = 'the process of the model did not start';
    let late = false;
    const loading = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, loadMs);
    child.on('message', (answer: ModelAnswer) => {
      if ('failed' in answer) {
        problem = answer.failed;
        child.kill('SIGKILL');
      } else if ('ready' in answer && answer.rssBytes > megabytes * MIB * FULL_SHARE) {
        problem = `the model takes ${Math.round(answer.rssBytes / MIB)} MiB when loaded, too much for MEMORY_EMBEDDING_MEGABYTES=${megabytes}`;
        child.kill('SIGKILL');
      } else if ('ready' in answer) {
        clearTimeout(loading);
        problem = null;
        this.#serve({ child, running: null, rssBytes: answer.rssBytes, watchdog: null });
      } else this.#hear(answer);
    });
    return new Promise((resolve) => {
      const gone = (_code: number | null, by: NodeJS.Signals | null) => {
        clearTimeout(loading);
        this.#child = null;
        if (this.#runner !== null) this.#mourn(this.#runner);
        if (this.#stop.signal.aborted) resolve(null);
        else if (problem === null) resolve(null);
        else {
          if (late) problem = `loading the model took longer than ${loadMs / 1000} seconds`;
          else if (by === 'SIGKILL' && problem.endsWith('did not start')) {
            problem = `the process of the model was ended while it loaded: it may need more memory than MEMORY_EMBEDDING_MEGABYTES=${megabytes}, or than there is`;
          }
          resolve(this.#complain('failing', problem));
        }
      };
      child.once('exit', gone);
      // One that could not even be made has no exit. Without a listener an error would end the worker.
      child.on('error', (error) => {
        logger.warn({ err: error }, 'the process of the model cannot be reached');
        if (child.pid === undefined) gone(null, null);
      });
    });
  }

  #serve(runner: Runner): void {
    this.#runner = runner;
    this.#told = '';
    this.#enter({ state: 'ready', fetched: null });
    this.#options.logger.info(
      { model: this.#options.model.name, rssMegabytes: Math.round(runner.rssBytes / MIB) },
      'the model is ready',
    );
    this.#isReady();
    this.#ask();
  }

  /** Gives the process the next text of each lane that it has none of. */
  #ask(): void {
    const runner = this.#runner;
    if (runner === null || this.#isFull(runner)) return;
    for (const lane of LANES) {
      const text = this.#lanes.take(lane);
      if (text === undefined) continue;
      if (runner.watchdog === null) this.#watch(runner);
      const task: EmbedTask = { lane, text };
      // A process that has just ended is told of by its exit.
      runner.child.send(task, () => undefined);
    }
  }

  /** Replaces a process that has grown, between two texts. */
  #isFull({ child, rssBytes }: Runner): boolean {
    if (rssBytes <= this.#options.megabytes * MIB * FULL_SHARE) return false;
    if (!this.#lanes.idle) return true;
    this.#options.logger.info(
      { rssMegabytes: Math.round(rssBytes / MIB) },
      'the process of the model is replaced',
    );
    child.kill('SIGKILL');
    return true;
  }

  /** Ends a process of which nothing is heard for longer than one run of the model may take. */
  #watch(runner: Runner): void {
    if (runner.watchdog !== null) clearTimeout(runner.watchdog);
    runner.watchdog = this.#lanes.idle
      ? null
      : setTimeout(() => {
          this.#options.logger.warn('the process of the model hangs, and is replaced');
          runner.child.kill('SIGKILL');
        }, this.#options.runMs ?? RUN_MS);
  }

  #hear(answer: Exclude<ModelAnswer, { ready: true } | { failed: string }>): void {
    const runner = this.#runner;
    if (runner === null) return;
    if ('running' in answer) runner.running = answer.running;
    else {
      runner.running = null;
      runner.rssBytes = answer.rssBytes;
      const outcome =
        'vector' in answer
          ? answer.vector
          : new TextRefusedError(`the model gave no vector (${answer.error})`);
      this.#lanes.answer(answer.lane, outcome);
    }
    this.#watch(runner);
    this.#ask();
  }

  /** A process ended: what it had under way goes to the next, unless it ended under it once too often. */
  #mourn(runner: Runner): void {
    if (runner.watchdog !== null) clearTimeout(runner.watchdog);
    this.#runner = null;
    if (this.#stop.signal.aborted) return;
    this.#lanes.putBack(runner.running);
    this.#options.logger.warn('the process of the model ended; another is started');
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
