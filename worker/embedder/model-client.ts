import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { EmbedderState } from '../../shared/schemas/status.ts';
import { endOf, startModelProcess } from './model-child.ts';
import type { ModelClientOptions } from './model-client-options.ts';
import { ensureModelFiles, type FetchProgress, oneLine } from './model-files.ts';
import type { EmbedTask, Lane, ModelAnswer } from './model-process.ts';
import { LANES, TextLanes } from './text-lanes.ts';

/** The state of a model, except how fast it works. */
export type ModelState = Pick<EmbedderState, 'state' | 'fetched'>;

/** Makes vectors with a model in a process of its own, which is replaced when it dies, grows or hangs. */
export interface ModelClient {
  /**
   * The vector of one text: 1,024 numbers of length 1. Texts of a lane are taken one after the other, as they came;
   * queries overtake passages.
   * @param signal aborts when nobody waits for the vector: the text is dropped if it is not under way
   * @throws TextRefusedError
   * @throws EmbeddingInterruptedError
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
const LOAD_MS = 300_000;
const RETRY_MS = 30_000;
/** How often the log tells how far a download is. */
const SAY_EVERY_MS = 5000;
/** A process that holds more than this share of its bound is replaced between two texts, before its guard ends it. */
const FULL_SHARE = 0.9;
/** So many processes in a row that were ready and ended over nothing: the next would too, and each costs a load. */
const VAIN = 2;
/** So many texts in a row that it gives no vector of are not to blame: the model is. */
const REFUSED = 3;

/** What one process is doing. */
interface Runner {
  child: ChildProcess;
  /** Whose text it works on. */
  running: Lane | null;
  /** It has worked on a text. */
  useful: boolean;
  /** It is ended because it has grown or hangs. */
  dismissed: boolean;
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
  /** Processes in a row that were ready and ended over nothing. */
  #vain = 0;
  #isReady: () => void = () => undefined;
  /** Texts refused since it last gave a vector. */
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
      if (problem !== null)
        await pause(retryMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
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
    this.#lanes.interrupt(problem);
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

  /** Runs one process from its start to its end. Returns what keeps the next from being started at once. */
  async #run(): Promise<string | null> {
    const { megabytes, loadMs = LOAD_MS } = this.#options;
    // Closed while the files were looked at: nobody would end it.
    if (this.#stop.signal.aborted) return null;
    if (this.#state.state !== 'failing') this.#enter({ state: 'loading', fetched: null });
    let child: ChildProcess;
    try {
      child = startModelProcess(this.#options);
    } catch (error) {
      return this.#complain('failing', `the process of the model cannot be started: ${oneLine(error)}`);
    }
    this.#child = child;
    let runner = null as Runner | null;
    let problem: string | null = null;
    const fail = (reason: string) => {
      problem ??= reason;
      child.kill('SIGKILL');
    };
    const loading = setTimeout(() => {
      fail(`loading the model took longer than ${loadMs / 1000} seconds`);
    }, loadMs);
    child.on('message', (answer: ModelAnswer) => {
      if ('failed' in answer) fail(answer.failed);
      else if (!('ready' in answer)) this.#hear(runner, answer);
      else if (answer.rssBytes > megabytes * MIB * FULL_SHARE) fail(tooLarge(answer.rssBytes, megabytes));
      else if (problem === null && !this.#stop.signal.aborted) {
        clearTimeout(loading);
        const { rssBytes } = answer;
        runner = { child, running: null, useful: false, dismissed: false, rssBytes, watchdog: null };
        this.#serve(runner);
      }
    });
    const how = await endOf(child, this.#options);
    clearTimeout(loading);
    this.#child = null;
    if (runner !== null) return this.#mourn(runner, how);
    if (this.#stop.signal.aborted) return null;
    return this.#complain('failing', problem ?? `its process ended while it loaded${how}`);
  }

  #serve(runner: Runner): void {
    this.#runner = runner;
    // What ends as soon as it is ready is not told each time.
    if (this.#vain < VAIN) this.#told = '';
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
  #isFull(runner: Runner): boolean {
    const { child, rssBytes } = runner;
    if (rssBytes <= this.#options.megabytes * MIB * FULL_SHARE) return false;
    if (!this.#lanes.idle || runner.dismissed) return true;
    runner.dismissed = true;
    const rssMegabytes = Math.round(rssBytes / MIB);
    this.#options.logger.info({ rssMegabytes }, 'the process of the model is replaced, for it has grown');
    child.kill('SIGKILL');
    return true;
  }

  /** Ends a process that sends nothing for longer than one run of the model can take. */
  #watch(runner: Runner): void {
    if (runner.watchdog !== null) clearTimeout(runner.watchdog);
    runner.watchdog = this.#lanes.idle
      ? null
      : setTimeout(() => {
          runner.dismissed = true;
          this.#options.logger.warn('the process of the model hangs, and is replaced');
          runner.child.kill('SIGKILL');
        }, this.#options.runMs ?? RUN_MS);
  }

  #hear(runner: Runner | null, answer: Exclude<ModelAnswer, { ready: true } | { failed: string }>): void {
    if (runner === null) return;
    runner.useful = true;
    if ('running' in answer) runner.running = answer.running;
    else {
      runner.running = null;
      runner.rssBytes = answer.rssBytes;
      if ('error' in answer) {
        // It may be the text, or memory that is lacking: another process tells.
        runner.running = answer.lane;
        runner.dismissed = true;
        this.#options.logger.warn(`the model gave no vector (${answer.error}), and its process is replaced`);
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
   * A process ended: what it had under way goes to the next, unless it ended under it once too often. Returns what keeps
   * the next from being started at once.
   */
  #mourn(runner: Runner, how: string): string | null {
    if (runner.watchdog !== null) clearTimeout(runner.watchdog);
    this.#runner = null;
    if (this.#stop.signal.aborted) return null;
    this.#refused += this.#lanes.putBack(runner.running);
    if (this.#refused >= REFUSED) {
      return this.#complain(
        'failing',
        `it gives no vector of ${this.#refused} texts one after the other${how}`,
      );
    }
    this.#vain = runner.useful || runner.dismissed ? 0 : this.#vain + 1;
    if (this.#vain >= VAIN) return this.#complain('failing', `its process ends as soon as it is ready${how}`);
    this.#enter({ state: 'loading', fetched: null });
    if (!runner.dismissed)
      this.#options.logger.warn(`the process of the model ended${how}; another is started`);
    return null;
  }
}

function tooLarge(rssBytes: number, megabytes: number): string {
  return `the model takes ${Math.round(rssBytes / MIB)} MiB when loaded, too much for MEMORY_EMBEDDING_MEGABYTES=${megabytes}`;
}
