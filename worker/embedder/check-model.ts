import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../shared/config.ts';
import { createLogger } from '../../shared/logger.ts';
import { assertCanWrite } from '../../shared/settings/folders.ts';
import { type CheckResult, checkPart } from '../../shared/settings/start-report.ts';
import { describeEnd, startModelProcess } from './model-child.ts';
import { FULL_SHARE, LOAD_MS, tooLarge } from './model-client.ts';
import type { ModelClientOptions } from './model-client-options.ts';
import { modelFolder, verifyModelFiles } from './model-files.ts';
import type { ModelAnswer } from './model-process.ts';

/** Checks the files of the model and loads it, if the worker makes vectors. Nothing is downloaded. */
export async function* checkModel(config: Config): AsyncGenerator<CheckResult, void> {
  if (!config.serverEmbeddings) return;
  const { embeddingModel: name, modelDir, embeddingProfile: profile, embeddingMegabytes: megabytes } = config;
  const model = { name, modelDir, profile };
  const files = await checkPart('model files', () => checkFiles(model));
  yield files;
  if (files.state === 'failed') return;
  yield await checkPart('model', () => load({ model, megabytes, logger: createLogger('silent', 'check') }));
}

async function checkFiles(model: { name: string; modelDir: string }): Promise<string> {
  const folder = modelFolder(model);
  const checks = await verifyModelFiles(model);
  const bad = checks.find(({ verdict }) => verdict === 'missing' || verdict === 'damaged');
  if (bad === undefined) return `${checks.length} in ${folder}`;
  await assertCanWrite('MEMORY_MODEL_DIR', folder, [dirname(bad.file)]);
  throw new Error(
    `${bad.file} in ${folder} is ${bad.verdict}: run npm run fetch-model; otherwise the worker downloads it`,
  );
}

/** Loads the model once, in a process with the limits that it has in the worker. */
async function load(options: ModelClientOptions): Promise<string> {
  const { child, ended } = startModelProcess(options);
  const answer = new Promise<ModelAnswer>((resolve) => child.once('message', resolve));
  const end = ended.then((how) => ({
    failed: `its process ended while it loaded${describeEnd(how, options)}`,
  }));
  const late = new AbortController();
  const timeout = sleep(LOAD_MS, { failed: `loading took longer than ${LOAD_MS / 1000} seconds` }, late);
  const first = await Promise.race([answer, end, timeout]);
  late.abort();
  timeout.catch(() => undefined);
  child.kill('SIGKILL');
  await ended;
  if ('failed' in first)
    throw new Error(`${first.failed}: correct it, or set another MEMORY_EMBEDDING_MODEL`);
  const bytes = 'rssBytes' in first ? first.rssBytes : 0;
  const { megabytes, model } = options;
  if (bytes > megabytes * 2 ** 20 * FULL_SHARE) throw new Error(tooLarge(bytes, megabytes));
  return `${model.name} loads, in ${Math.round(bytes / 2 ** 20)} of ${megabytes} MiB`;
}
