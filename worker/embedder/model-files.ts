import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { assertCanWrite } from '../../shared/settings/folders.ts';
import { adviceFor } from './fetch-advice.ts';
import {
  askSize,
  checksumOf,
  downloadFile,
  type FileChecksum,
  noteChecksums,
  readChecksums,
} from './model-download.ts';
import { findShortage, freeDisk, type ModelNeeds, memoryToRun } from './model-needs.ts';
import { findUnfinished } from './unfinished-download.ts';

/** The weights of the model, which are nearly all of its bytes. */
export const WEIGHTS = 'onnx/model_quantized.onnx';
/** The files of a quantised feature-extraction model that are read. The large file is last. */
const modelFiles = ['config.json', 'tokenizer.json', 'tokenizer_config.json', WEIGHTS];

const HUGGING_FACE = 'https://huggingface.co/';
/** The interval of progress reports: short enough for a line that is drawn over. */
const REPORT_INTERVAL_MS = 500;
/** Sizes are needed only for the progress, so a hub that is slow to send them delays the download by at most this. */
const SIZES_WITHIN_MS = 10_000;
/** Before this, the rate of a download is not known well enough to tell the time that is left. */
const RATE_AFTER_MS = 2000;
/** How many nested causes a message includes. */
const MAX_CAUSES = 4;

export interface ModelFileSettings {
  /** `owner/name`, as on the model hub. */
  name: string;
  /** The local folder of models. This model is in `<modelDir>/<name>/`. */
  modelDir: string;
  allowDownload: boolean;
  /** Base address of the model hub, for a mirror; Hugging Face by default. */
  hub?: string;
}

/** The progress of a model's download, in bytes. A total is null while it is not known. */
export interface FetchProgress {
  file: string;
  bytes: number;
  total: number | null;
  /** For all files that are fetched. Files that existed before do not count. */
  allBytes: number;
  allTotal: number | null;
  /** How long the rest takes at the rate of this download. Null while it is not known. */
  secondsLeft: number | null;
}

export interface EnsureOptions {
  /** Is called before a download, with what the model needs. Not called if the hub does not report the sizes. */
  begin?: (needs: ModelNeeds) => void;
  /** The most memory that the model's process can have, in bytes. Without it, memory is not checked. */
  memoryLimit?: number;
  /** Is called about twice a second during a download, and at the start and end of each file. */
  report?: (progress: FetchProgress) => void;
  /** Cancels a download: the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Files known to be damaged, to be fetched again. */
  damaged?: readonly string[];
  /** Milliseconds without new bytes after which an attempt fails; 30,000 by default. */
  stallMs?: number;
  /** Milliseconds before an interrupted download is resumed, doubled with each attempt; 1,000 by default. */
  retryMs?: number;
}

/** The result of verifying a file. `unknown`: it exists, but no checksum of it is stored. */
export interface ModelFileCheck {
  file: string;
  /** The length, or null if the file does not exist. */
  bytes: number | null;
  verdict: 'ok' | 'missing' | 'damaged' | 'unknown';
}

/** A model's files are missing or damaged. The message is one line: model, file, folder and reason. */
export class ModelMissingError extends Error {
  override name = 'ModelMissingError';
}

/** A file that must be fetched, and a sentence with the reason. */
interface Wanted {
  file: string;
  fault: string;
}

/**
 * Makes sure that all files of a model exist in its folder. Fetches missing files, and those whose size has changed
 * since they were fetched, if downloads are allowed. With `report` or `begin`, it downloads nothing if the disk or the
 * memory is clearly too small. Several processes can do this at the same time.
 * @throws ModelMissingError if missing files cannot be fetched; Error for an invalid name; the reason of `signal`
 */
export async function ensureModelFiles(
  settings: ModelFileSettings,
  options: EnsureOptions = {},
): Promise<void> {
  const { name, allowDownload, hub = HUGGING_FACE } = settings;
  const folder = modelFolder(settings);
  const wanted = await findWanted(name, folder, options.damaged ?? []);
  const [first] = wanted;
  if (first === undefined) return;
  if (!allowDownload) throw new ModelMissingError(`${first.fault}, and downloads are not allowed`);
  const folders = wanted.map(({ file }) => path.dirname(file));
  const nearest = await assertCanWrite('MEMORY_MODEL_DIR', folder, folders).catch((error: unknown) => {
    throw new ModelMissingError(`${first.fault}, and it cannot be downloaded. ${oneLine(error)}`, {
      cause: error,
    });
  });
  const base = new URL(`${name}/resolve/main/`, hub.endsWith('/') ? hub : `${hub}/`);
  const { signal, stallMs, retryMs, begin } = options;
  const asksSizes = options.report !== undefined || begin !== undefined;
  const sizes = asksSizes ? await askSizes(base, wanted, signal) : new Map<string, number | null>();
  const needs = await findNeeds({ folder, nearest, sizes, memoryLimit: options.memoryLimit ?? null });
  if (needs !== null) {
    begin?.(needs);
    const shortage = findShortage(needs);
    if (shortage !== null)
      throw new ModelMissingError(`${first.fault}, and it was not downloaded: ${shortage}`);
  }
  const report = options.report && reportOf(options.report, sizes);
  const fetched = new Map<string, FileChecksum>();
  for (const { file, fault } of wanted) {
    if (file === WEIGHTS) await assertWidth(name, folder);
    try {
      await downloadFile(new URL(file, base), path.join(folder, file), {
        signal,
        stallMs,
        retryMs,
        onBytes: (bytes, total) => report?.(file, bytes, total),
        // Stored before the file gets its final name: after a crash in between, the file is missing and not unknown.
        onVerified: (checksum) => noteChecksums(folder, fetched.set(file, checksum)),
      });
    } catch (error) {
      signal?.throwIfAborted();
      const reason = `${oneLine(error)}): ${adviceFor(error, base.host)}`;
      throw new ModelMissingError(`${fault}, and the download failed (${reason}`, { cause: error });
    }
  }
}

/** Returns what the files of these sizes need. Null if the hub did not report all sizes. */
async function findNeeds({
  folder,
  nearest,
  sizes,
  memoryLimit,
}: {
  folder: string;
  /** The folder, or the nearest one above it that exists. */
  nearest: string;
  sizes: ReadonlyMap<string, number | null>;
  memoryLimit: number | null;
}): Promise<ModelNeeds | null> {
  if (sizes.size === 0) return null;
  let disk = 0;
  for (const [file, size] of sizes) {
    if (size === null) return null;
    const unfinished = await findUnfinished(path.join(folder, file));
    disk += Math.max(0, size - (unfinished?.bytes ?? 0));
  }
  // Without the weights among them, they exist already.
  const weights = sizes.get(WEIGHTS) ?? (await sizeOf(path.join(folder, WEIGHTS))) ?? 0;
  return { disk, freeDisk: await freeDisk(nearest), memory: memoryToRun(weights), memoryLimit };
}

/** Numbers in a vector; the database's columns are made for exactly this many. */
export const WIDTH = 1024;

/** The message about a model whose vectors do not fit the database. */
export function wrongWidth(name: string, width: number | undefined): string {
  return `Embedding model ${name} gives vectors of ${width ?? 'no'} numbers, and ${WIDTH} are needed: set MEMORY_EMBEDDING_MODEL to a model with ${WIDTH} dimensions, such as Xenova/bge-m3`;
}

/**
 * Asserts that the configuration of a model does not name another width, before its weights are downloaded. Loading the
 * model is what proves its width.
 */
async function assertWidth(name: string, folder: string): Promise<void> {
  let width: unknown;
  try {
    ({ hidden_size: width } = JSON.parse(await readFile(path.join(folder, 'config.json'), 'utf8')) as {
      hidden_size?: unknown;
    });
  } catch {
    // Loading the model reports what is wrong with the file.
    return;
  }
  if (typeof width === 'number' && width !== WIDTH) throw new ModelMissingError(wrongWidth(name, width));
}

/**
 * Verifies the files in a model's folder by the SHA-256 checksums stored there, without the network. Reads every file
 * completely.
 * @throws Error for an invalid name, or a file that cannot be read
 */
export async function verifyModelFiles(
  settings: Pick<ModelFileSettings, 'name' | 'modelDir'>,
): Promise<ModelFileCheck[]> {
  const folder = modelFolder(settings);
  const noted = await readChecksums(folder);
  const checks: ModelFileCheck[] = [];
  for (const file of modelFiles) checks.push(await check(folder, file, noted.get(file)));
  return checks;
}

/**
 * The absolute path of a model's folder.
 * @throws Error for an invalid name, which could point outside the folder of models
 */
export function modelFolder({ name, modelDir }: Pick<ModelFileSettings, 'name' | 'modelDir'>): string {
  if (!name.split('/').every((segment) => /^\w[\w.-]*$/.test(segment))) {
    throw new Error(`Embedding model name ${JSON.stringify(name)} is not of the form owner/name`);
  }
  return path.resolve(modelDir, name);
}

/** The messages of an error and its causes on one line: the errors of fetch have the reason in the cause. */
export function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Its message already includes the one of its cause.
  if (error instanceof ModelMissingError) return error.message;
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error && messages.length < MAX_CAUSES; at = at.cause) {
    // The error of a refused connection can have a code and no message.
    messages.push(at.message || ((at as NodeJS.ErrnoException).code ?? at.name));
  }
  return messages.join(': ').replace(/\s+/g, ' ').slice(0, 300);
}

async function check(folder: string, file: string, noted: FileChecksum | undefined): Promise<ModelFileCheck> {
  const bytes = await sizeOf(path.join(folder, file));
  if (bytes === null) return { file, bytes, verdict: 'missing' };
  if (noted === undefined) return { file, bytes, verdict: 'unknown' };
  const same = bytes === noted.bytes && (await checksumOf(path.join(folder, file))).sha256 === noted.sha256;
  return { file, bytes, verdict: same ? 'ok' : 'damaged' };
}

async function findWanted(name: string, folder: string, damaged: readonly string[]): Promise<Wanted[]> {
  const noted = await readChecksums(folder);
  const wanted: Wanted[] = [];
  for (const file of modelFiles) {
    const bytes = await sizeOf(path.join(folder, file));
    const right = noted.get(file)?.bytes ?? bytes;
    if (bytes === null) {
      wanted.push({ file, fault: `Embedding model ${name} is missing: no ${file} in ${folder}` });
    } else if (damaged.includes(file)) {
      wanted.push({
        file,
        fault: `Embedding model ${name} is damaged: ${file} in ${folder} is not as it was fetched`,
      });
    } else if (bytes !== right) {
      const fault = `Embedding model ${name} is damaged: ${file} in ${folder} has ${bytes} bytes, not ${right}`;
      wanted.push({ file, fault });
    }
  }
  return wanted;
}

/** Length of a file in bytes, or null if it does not exist. */
async function sizeOf(file: string): Promise<number | null> {
  return stat(file).then(
    (found) => (found.isFile() ? found.size : null),
    () => null,
  );
}

/** The sizes of files on the hub; null if the hub does not send one. */
async function askSizes(
  base: URL,
  wanted: readonly Wanted[],
  signal: AbortSignal | undefined,
): Promise<Map<string, number | null>> {
  const within = AbortSignal.timeout(SIZES_WITHIN_MS);
  const either = signal ? AbortSignal.any([signal, within]) : within;
  const sizes = wanted.map(async ({ file }) => {
    // Errors are ignored here: the download will meet the same problem and report it.
    return [file, await askSize(new URL(file, base), either).catch(() => null)] as const;
  });
  return new Map(await Promise.all(sizes));
}

/** Adds up the progress of the downloads, and reports it at intervals. */
function reportOf(report: (progress: FetchProgress) => void, totals: Map<string, number | null>) {
  const arrived = new Map<string, number>();
  let reportedAt = 0;
  const began = performance.now();
  let first: number | null = null;
  const secondsLeft = (allBytes: number, allTotal: number | null) => {
    const ms = performance.now() - began;
    // What an earlier download left does not count for the rate.
    const received = allBytes - (first ??= allBytes);
    if (allTotal === null || ms < RATE_AFTER_MS || received <= 0) return null;
    return Math.ceil((((allTotal - allBytes) / received) * ms) / 1000);
  };
  return (file: string, bytes: number, total: number | null) => {
    const [begins, ends] = [!arrived.has(file), bytes === total];
    arrived.set(file, bytes);
    if (total !== null) totals.set(file, total);
    if (!begins && !ends && performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    const [allBytes, all] = [sum([...arrived.values()]), [...totals.values()]];
    const allTotal = all.every((size) => size !== null) ? sum(all) : null;
    const left = secondsLeft(allBytes, allTotal);
    report({ file, bytes, total: totals.get(file) ?? null, allBytes, allTotal, secondsLeft: left });
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((whole, one) => whole + one, 0);
}
