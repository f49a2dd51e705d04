import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import {
  type EnsureOptions,
  ensureModelFiles,
  ModelMissingError,
  oneLine,
  verifyModelFiles,
} from '../../../worker/embedder/model-files.ts';
import { breakOff, cdnEtag, type Misbehaviour, type ModelHub, openModelHub } from './model-hub.ts';

export const NAME = 'owner/model';
export const ONNX = 'onnx/model_quantized.onnx';
/** Several pieces on the wire, so that some of it arrives before a connection breaks off. */
export const ONNX_BYTES = 600_000;
export const HALF = ONNX_BYTES / 2;
/** Soon: no test waits for a hub to recover. */
const RETRY_MS = 1;

/** A hub, and a folder of models for what is fetched from it. */
export interface FetchScene {
  hub: ModelHub;
  files: Map<string, Buffer>;
  /** The model's folder. */
  folder: string;
  modelDir: string;
  fetch: (options?: EnsureOptions) => Promise<void>;
  /** Where no download is allowed. */
  look: () => Promise<void>;
  verdicts: () => Promise<string[]>;
}

/** Makes scenes for a file's tests, each with an empty folder. Call it at file level: all goes when the file is done. */
export async function openFetchScenes(): Promise<(misbehave?: Misbehaviour) => Promise<FetchScene>> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'model-files-'));
  const hubs: ModelHub[] = [];
  after(async () => {
    for (const hub of hubs) hub.close();
    await rm(root, { recursive: true, force: true });
  });
  return async (misbehave) => {
    const files = contents();
    const hub = await openModelHub({ files, ...(misbehave && { misbehave }) });
    hubs.push(hub);
    const modelDir = await mkdtemp(path.join(root, 'models-'));
    const settings = { name: NAME, modelDir, hub: hub.url };
    return {
      hub,
      files,
      modelDir,
      folder: path.join(modelDir, NAME),
      fetch: (options = {}) =>
        ensureModelFiles({ ...settings, allowDownload: true }, { retryMs: RETRY_MS, ...options }),
      look: () => ensureModelFiles({ ...settings, allowDownload: false }),
      verdicts: async () => (await verifyModelFiles(settings)).map(({ verdict }) => verdict),
    };
  };
}

function contents(): Map<string, Buffer> {
  const json = (title: string) =>
    Buffer.from(JSON.stringify({ title, salt: randomBytes(4).toString('hex') }));
  return new Map([
    ['config.json', json('config')],
    ['tokenizer.json', json('tokenizer')],
    ['tokenizer_config.json', json('settings')],
    [ONNX, randomBytes(ONNX_BYTES)],
  ]);
}

/** Does something once, at the first request for the model's large content. */
export function firstTime(act: Misbehaviour, file = ONNX): Misbehaviour {
  let done = false;
  return (request, response, content) => {
    if (done || request.file !== file || (file === ONNX && request.at !== 'cdn')) return false;
    done = true;
    return act(request, response, content);
  };
}

/** Each time for the large content. */
export const always =
  (act: Misbehaviour): Misbehaviour =>
  (request, response, content) =>
    request.at === 'cdn' && act(request, response, content);

/** Sends the first half of the large content. */
export const breakHalfWay: Misbehaviour = ({ file }, response, content) => {
  breakOff(response, content, HALF, { etag: cdnEtag(file) });
  return true;
};

/** Requests for the large content. */
export const onnxDownloads = (hub: ModelHub) => hub.downloads().filter(({ file }) => file === ONNX);

/** That every file lies there as the hub has it, with its checksum, and nothing else. */
export async function assertWhole({ folder, files, verdicts }: FetchScene): Promise<void> {
  for (const [file, content] of files) {
    assert.ok(content.equals(await readFile(path.join(folder, file))), `${file} has another content`);
  }
  assert.deepEqual(await verdicts(), ['ok', 'ok', 'ok', 'ok']);
  await assertNoParts(folder);
}

/** That nothing half-done lies in a folder. */
export async function assertNoParts(folder: string): Promise<void> {
  const left = await readdir(folder, { recursive: true });
  assert.deepEqual(
    left.filter((file) => file.endsWith('.part')),
    [],
  );
}

/** Whether a folder has a file of a download in progress with some content. */
export async function hasPart(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const parts = names.filter((name) => name.endsWith('.part'));
  const sizes = parts.map(async (name) => (await stat(path.join(folder, name))).size);
  return (await Promise.all(sizes)).some((size) => size > 0);
}

/** That it fails for this reason, and leaves neither the file nor a part. */
export async function assertRefused(
  { fetch, folder }: FetchScene,
  file: string,
  reason: RegExp,
  options = {},
): Promise<void> {
  const error = await fetch(options).then(
    () => assert.fail('it was fetched'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ModelMissingError, String(error));
  const start = `Embedding model ${NAME} is missing: no ${file} in ${folder}, and the download failed (`;
  assert.ok(error.message.startsWith(start), error.message);
  assert.match(error.message, reason);
  assert.doesNotMatch(error.message, /\n|signature/);
  assert.equal(oneLine(error), error.message);
  assert.ok(!(await readdir(folder, { recursive: true })).includes(file));
  await assertNoParts(folder);
}
