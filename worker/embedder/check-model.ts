import { dirname } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { assertCanWrite } from '../../shared/settings/folders.ts';
import { type CheckResult, checkPart } from '../../shared/settings/start-report.ts';
import { configuredModel } from './model-client-options.ts';
import { modelFolder, verifyModelFiles } from './model-files.ts';
import { tryModel } from './try-model.ts';

/** Checks the files of the model and loads it, if the worker makes vectors. Nothing is downloaded. */
export async function* checkModel(config: Config): AsyncGenerator<CheckResult, void> {
  if (!config.serverEmbeddings) return;
  const { model, megabytes } = configuredModel(config);
  const files = await checkPart('model files', () => checkFiles(model));
  yield files;
  if (files.state === 'failed') return;
  yield await checkPart('model', async () => {
    const bytes = await tryModel({ model, megabytes });
    return `${model.name} loads, in ${Math.round(bytes / 2 ** 20)} of ${megabytes} MiB`;
  });
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
