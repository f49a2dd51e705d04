import { createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** What @xenova/transformers reads of a quantised feature-extraction model. The large file comes last. */
const modelFiles = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'];

export interface ModelFileSettings {
  /** `owner/name`, as on the model hub. */
  name: string;
  /** Local folder of models; this one lies in `<modelDir>/<name>/`. */
  modelDir: string;
  allowDownload: boolean;
  /** Base address of the model hub, with a final slash. */
  hub: string;
}

/**
 * Makes sure that all files of a model lie in its folder, fetching the missing ones if that is allowed.
 * @throws Error with a one-line message that names the model and the folder.
 */
export async function ensureModelFiles(settings: ModelFileSettings): Promise<void> {
  const { name, allowDownload, hub } = settings;
  if (!name.split('/').every((segment) => /^\w[\w.-]*$/.test(segment))) {
    throw new Error(`Embedding model name ${JSON.stringify(name)} is not of the form owner/name`);
  }
  const folder = path.resolve(settings.modelDir, name);
  for (const file of modelFiles) {
    const target = path.join(folder, file);
    if (await exists(target)) continue;
    const missing = `Embedding model ${name} is missing: no ${file} in ${folder}`;
    if (!allowDownload) throw new Error(`${missing}, and downloads are not allowed`);
    try {
      await download(new URL(`${name}/resolve/main/${file}`, hub), target);
    } catch (error) {
      throw new Error(`${missing}, and the download failed (${oneLine(error)})`, { cause: error });
    }
  }
}

/** An error's message, and its cause's, on one line: fetch hides the reason in the cause. */
export function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const messages = error.cause instanceof Error ? [error.message, error.cause.message] : [error.message];
  return messages.join(': ').replace(/\s+/g, ' ').slice(0, 300);
}

/**
 * Streams to a file beside the target and renames it: @xenova/transformers writes in place and holds the whole
 * file in memory, so that a worker killed half-way would find a torn model at every later start.
 */
async function download(address: URL, target: string): Promise<void> {
  const part = `${target}.${process.pid}.part`;
  await mkdir(path.dirname(target), { recursive: true });
  try {
    const response = await fetch(address);
    if (!response.ok || !response.body) throw new Error(`${address.href} answered ${response.status}`);
    await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(part));
    await rename(part, target);
  } finally {
    await rm(part, { force: true });
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
