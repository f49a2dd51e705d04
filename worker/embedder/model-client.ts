import { setTimeout as pause } from 'node:timers/promises';
import type { EmbedderState } from '../../shared/schemas/status.ts';
import { hasStarted, type SupervisedProcess, sendTo } from '../supervised-process.ts';
import { describeEnd, startModelProcess } from './model-child.ts';
import type { ModelClientOptions } from './model-client-options.ts';
import { ensureModelFiles, type FetchProgress, modelFolder, oneLine } from './model-files.ts';
import { describeNeeds, FULL_SHARE, type ModelNeeds, memoryLimit } from './model-needs.ts';
import type { EmbedTask, Lane, ModelAnswer } from './model-process.ts';
import { LANES, TextLanes } from './text-lanes.ts';

/** The state of a model, except how fast it works. */
export type ModelState = Pick<EmbedderState, 'state' | 'fetched' | 'fetchSecondsLeft'>;

/** Makes vectors with a model in a separate process. The process is restarted if it ends, grows too large or hangs. */
export interface ModelClient {
  /**
   * Makes the vector of a text: 1,024 numbers, of length 1. The texts of a lane keep their order; queries come first.
   * @param signal aborts when nobody waits for the vector: the text is then dropped, unless it is being processed
   * @throws TextRefusedError, EmbeddingInterruptedError
   */
  embed(text: string, lane: Lane, signal: AbortSignal): Promise<Float32Array>;
  state(): ModelState;
  /** Memory of the process that runs the model, in bytes; 0 while no process runs. */
  rssBytes(): number;
  /** Resolves when the model is ready for the first time, or the client is closed. */
  readonly ready: Promise<void>;
  /** Ends the process. Closing twice is fine. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
/** A window of 1,024 tokens takes about a second on two cores. */
const RUN_MS = 60_000;
/** How long loading the model can take. */
export const LOAD_MS = 300_000;
const RETRY_MS = 30_000;
const LOG_PROGRESS_EVERY_MS = 5000;
/** After this many processes in a row that ended before their first text, the model is failing: each costs a load. */
const MAX_USELESS = 2;
/** After this many texts in a row without a vector, the model is at fault and not the texts. */
const MAX_REFUSED = 3;

/** The state of one process. */
interface Runner extends SupervisedProcess {
  /** The lane of the text that it is processing. */
  running: Lane | null;
  /** Whether it has started to process a text. */
  useful: boolean;
  /** Whether this client ended it, because it was too large, hung or gave no vector. */
  dismissed: boolean;
  rssBytes: number;
  /** Ends it if it sends no message in time. */
  watchdog: NodeJS.Timeout | null;
}

/** Starts to fetch and load the model at once, and retries if that fails. */
export function openModelClient(options: ModelClientOptions): ModelClient {
  return new Client(options);
}

class Client implements ModelClient {
  readonly ready: Promise<void>;
  readonly #options: ModelClientOptions;
  readonly #stop = new AbortController();
  readonly #lanes = new TextLanes();
  /** The process, once it has loaded the model. */
  #runner: Runner | null = null;
  #process: SupervisedProcess | null = null;
  #state: ModelState = { state: 'loading', fetched: null };
  #lastReport = '';
  /** Processes in a row that were ready and ended before their first text. */
  #useless = 0;
  #isReady: () => void = () => undefined;
  /** Texts refused since the last vector. */
  #refused = 0;
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
    const vector = this.#lanes.enqueue(text, lane, signal);
    this.#ask();
    return vector;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#process?.child.kill('SIGKILL');
    await this.#life;
    this.#lanes.close();
    this.#isReady();
  }

  /** Runs one process after the other, until the client is closed. */
  async #live(): Promise<void> {
    const { retryMs = RETRY_MS } = this.#options;
    while (!this.#stop.signal.aborted) {
      const problem = (await this.#fetch()) ?? (await this.#run());
      if (this.#stop.signal.aborted) return;
      if (problem !== null)
        await pause(retryMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  #enter(state: ModelState): void {
    const changed = state.state !== this.#state.state || state.fetched !== this.#state.fetched;
    this.#state = state;
    if (changed) this.#options.changed?.();
  }

  /** Reports why the model cannot be used. The same problem is logged only once, and not for each retry. */
  #reportProblem(state: 'missing' | 'failing', problem: string): string {
    this.#enter({ state, fetched: null });
    this.#lanes.interrupt(problem);
    const { logger } = this.#options;
    if (this.#lastReport !== problem) logger.error(`no vectors are made: ${problem}`);
    this.#lastReport = problem;
    return problem;
  }

  /** Fetches missing files of the model. Returns the problem if this fails. */
  async #fetch(): Promise<string | null> {
    const { model, megabytes, logger } = this.#options;
    let said = 0;
    const begin = (needs: ModelNeeds) => {
      const text = `the model needs ${describeNeeds(needs)}`;
      // Not again for each retry.
      if (this.#lastReport === '') logger.info({ model: model.name, folder: modelFolder(model) }, text);
    };
    const report = ({ allBytes, allTotal, secondsLeft }: FetchProgress) => {
      const fetched = allTotal === null ? null : Math.round((allBytes / allTotal) * 100) / 100;
      this.#enter({ state: 'fetching', fetched, fetchSecondsLeft: secondsLeft });
      if (performance.now() - said < LOG_PROGRESS_EVERY_MS) return;
      said = performance.now();
      const received = { megabytes: Math.round(allBytes / MIB), of: allTotal && Math.round(allTotal / MIB) };
      logger.info({ model: model.name, ...received, secondsLeft }, 'downloading the model');
    };
    const { signal } = this.#stop;
    try {
      const options = { begin, report, signal, memoryLimit: memoryLimit(megabytes) };
      await ensureModelFiles({ ...model, allowDownload: true }, options);
      return null;
    } catch (error) {
      if (this.#stop.signal.aborted) return null;
      return this.#reportProblem('missing', oneLine(error));
    }
  }

  /** Runs one process from its start to its end. Returns the problem if the next one must not start at once. */
  async #run(): Promise<string | null> {
    const { megabytes, logger, loadMs = LOAD_MS } = this.#options;
    // The client was closed while the files were checked. Nobody would end a process that is started now.
    if (this.#stop.signal.aborted) return null;
    if (this.#state.state !== 'failing') this.#enter({ state: 'loading', fetched: null });
    let started: SupervisedProcess;
    try {
      started = startModelProcess(this.#options);
    } catch (error) {
      return this.#reportProblem('failing', `its process cannot be started: ${oneLine(error)}`);
    }
    this.#process = started;
    const { child } = started;
    let runner = null as Runner | null;
    let problem: string | null = null;
    const fail = (reason: string) => {
      problem ??= reason;
      child.kill('SIGKILL');
    };
    void hasStarted(started, loadMs, () =>
      fail(`loading the model took longer than ${loadMs / 1000} seconds`),
    );
    child.on('message', (answer: ModelAnswer) => {
      if ('failed' in answer) fail(answer.failed);
      else if (!('ready' in answer)) this.#handleAnswer(runner, answer);
      else if (answer.rssBytes > megabytes * MIB * FULL_SHARE) fail(tooLarge(answer.rssBytes, megabytes));
      else if (problem === null && !this.#stop.signal.aborted) {
        const { rssBytes } = answer;
        runner = { ...started, running: null, useful: false, dismissed: false, rssBytes, watchdog: null };
        this.#serve(runner);
      }
    });
    child.on('error', (err) => logger.warn({ err }, 'model process cannot be reached'));
    const how = describeEnd(await started.ended, this.#options);
    this.#process = null;
    if (runner !== null) return this.#handleEnd(runner, how);
    if (this.#stop.signal.aborted) return null;
    return this.#reportProblem('failing', problem ?? `its process ended while it loaded${how}`);
  }

  #serve(runner: Runner): void {
    this.#runner = runner;
    // If processes end as soon as they are ready, the problem is not logged each time.
    if (this.#useless < MAX_USELESS) this.#lastReport = '';
    this.#enter({ state: 'ready', fetched: null });
    this.#options.logger.info(
      { model: this.#options.model.name, rssMegabytes: Math.round(runner.rssBytes / MIB) },
      'the model is ready',
    );
    this.#isReady();
    this.#ask();
  }

  /** Sends the next text of each lane in which the process has none. */
  #ask(): void {
    const runner = this.#runner;
    if (runner === null || this.#isFull(runner)) return;
    for (const lane of LANES) {
      const text = this.#lanes.dequeue(lane);
      if (text === undefined) continue;
      if (runner.watchdog === null) this.#watch(runner);
      sendTo<EmbedTask>(runner, { lane, text });
    }
  }

  /** Whether the process has grown too large. If so, it is restarted between two texts. */
  #isFull(runner: Runner): boolean {
    const { child, rssBytes } = runner;
    if (rssBytes <= this.#options.megabytes * MIB * FULL_SHARE) return false;
    if (!this.#lanes.idle || runner.dismissed) return true;
    runner.dismissed = true;
    const rssMegabytes = Math.round(rssBytes / MIB);
    this.#options.logger.info({ rssMegabytes }, 'model process exceeded its memory limit; restarting');
    child.kill('SIGKILL');
    return true;
  }

  /** Ends the process if it sends no message for longer than the time limit of one run. */
  #watch(runner: Runner): void {
    if (runner.watchdog !== null) clearTimeout(runner.watchdog);
    runner.watchdog = this.#lanes.idle
      ? null
      : setTimeout(() => {
          runner.dismissed = true;
          this.#options.logger.warn('model process does not respond; restarting');
          runner.child.kill('SIGKILL');
        }, this.#options.runMs ?? RUN_MS);
  }

  #handleAnswer(
    runner: Runner | null,
    answer: Exclude<ModelAnswer, { ready: true } | { failed: string }>,
  ): void {
    if (runner === null) return;
    runner.useful = true;
    if ('running' in answer) runner.running = answer.running;
    else {
      runner.running = null;
      runner.rssBytes = answer.rssBytes;
      if ('error' in answer) {
        // Either the text or a lack of memory is the cause. Another process will show which.
        runner.running = answer.lane;
        runner.dismissed = true;
        this.#options.logger.warn(`the model gave no vector (${answer.error}); restarting its process`);
        runner.child.kill('SIGKILL');
        return;
      }
      this.#refused = 0;
      this.#lanes.answer(answer.lane, answer.vector);
    }
    this.#watch(runner);
    this.#ask();
  }

  /**
   * Handles the end of a process. Its texts go to the next process, except a text that has ended too many processes.
   * Returns the problem if the next one must not start at once.
   */
  #handleEnd(runner: Runner, how: string): string | null {
    if (runner.watchdog !== null) clearTimeout(runner.watchdog);
    this.#runner = null;
    if (this.#stop.signal.aborted) return null;
    this.#refused += this.#lanes.requeue(runner.running);
    if (this.#refused >= MAX_REFUSED) {
      return this.#reportProblem(
        'failing',
        `it gives no vector of ${this.#refused} texts one after the other${how}`,
      );
    }
    this.#useless = runner.useful || runner.dismissed ? 0 : this.#useless + 1;
    if (this.#useless >= MAX_USELESS)
      return this.#reportProblem('failing', `its process ends as soon as it is ready${how}`);
    this.#enter({ state: 'loading', fetched: null });
    if (!runner.dismissed) this.#options.logger.warn(`model process ended${how}; restarting`);
    return null;
  }
}

/** The message about a model that needs more memory than it can have. */
export function tooLarge(rssBytes: number, megabytes: number): string {
  return `the model takes ${Math.round(rssBytes / MIB)} MiB when loaded, too much for MEMORY_EMBEDDING_MEGABYTES=${megabytes}`;
}
