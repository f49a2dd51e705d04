import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../../shared/config.ts';
import { checkModel } from '../../../worker/embedder/check-model.ts';
import { endProcesses, temporaryFolder } from '../../support/needs/process.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';

after(endProcesses);

/** What the check says, line by line. */
async function check(modelDir: string, env: Record<string, string> = {}): Promise<string[]> {
  const config = readConfig({
    MEMORY_API_TOKEN: 'test-token-of-the-service',
    MEMORY_API_SERVER_EMBEDDINGS: '1',
    MEMORY_EMBEDDING_MODEL: TEST_MODEL,
    MEMORY_MODEL_DIR: modelDir,
    ...env,
  });
  const lines = await Array.fromAsync(checkModel(config));
  return lines.map(({ name, state, text }) => `${state} ${name}: ${text}`);
}

test('--check loads the model, and says what is missing or damaged', async () => {
  const modelDir = await temporaryFolder();
  assert.deepEqual(await check(modelDir, { MEMORY_API_SERVER_EMBEDDINGS: '0' }), [], 'no model is needed');
  const [missing = '', ...none] = await check(modelDir);
  assert.match(missing, /^failed model files: config\.json in .* is missing: run npm run fetch-model/);
  assert.deepEqual(none, []);

  await writeTestModel(modelDir);
  const [files = '', loads = ''] = await check(modelDir);
  assert.match(files, /^ok model files: 4 in /);
  assert.match(loads, /^ok model: memory\/test-small-1024 loads, in \d+ of \d+ MiB$/);

  await writeFile(join(modelDir, TEST_MODEL, 'onnx/model_quantized.onnx'), 'damaged');
  const [, broken = ''] = await check(modelDir);
  assert.match(
    broken,
    /^failed model: .* cannot be loaded: .*: remove this folder and run npm run fetch-model, or set another MEMORY_EMBEDDING_MODEL$/,
  );
});
