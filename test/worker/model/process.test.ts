import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { startModelProcess } from '../../../worker/embedder/model-child.ts';
import { WEIGHTS } from '../../../worker/embedder/model-files.ts';
import { memoryToRun } from '../../../worker/embedder/model-needs.ts';
import type { EmbedTask, ModelAnswer } from '../../../worker/embedder/model-process.ts';
import { endProcesses, temporaryFolder } from '../../support/needs/process.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';
import { writeLargeModel } from './large-model.ts';

after(endProcesses);

/** Loads a model, makes the vector of a long text, and reads a number from the status of the process, which Linux has. */
async function loadedStatus(
  t: TestContext,
  model: { name: string; modelDir: string; threads?: number },
  field: 'Threads' | 'VmHWM',
): Promise<number> {
  const { child, ended } = startModelProcess({ model, megabytes: 4096 });
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [first] = (await once(child, 'message')) as [object];
  assert.ok('ready' in first, JSON.stringify(first));
  const answered = new Promise<void>((resolve) =>
    child.on('message', (answer: ModelAnswer) => 'vector' in answer && resolve()),
  );
  child.send({ lane: 'passage', text: 'a text of some windows '.repeat(200) } satisfies EmbedTask);
  await answered;
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
}

describe('the process that runs a model', { skip: process.platform !== 'linux' }, () => {
  it('runs it with as many threads as it is told, whatever the machine has', async (t) => {
    const modelDir = await temporaryFolder();
    await writeTestModel(modelDir);
    const counts: number[] = [];
    for (const threads of [1, 2, 5])
      counts.push(await loadedStatus(t, { name: TEST_MODEL, modelDir, threads }, 'Threads'));
    // The thread that asks is one of them.
    assert.deepEqual(
      counts.map((count) => count - counts[0]!),
      [0, 1, 4],
    );
  });

  it('needs no more memory to load and run one than is said before a download', async (t) => {
    const modelDir = await temporaryFolder();
    const name = 'memory/six-layers';
    await writeLargeModel(modelDir, { name, layers: 6, vocabulary: 30_000 });
    const { size } = await stat(path.join(modelDir, name, WEIGHTS));
    const most = (await loadedStatus(t, { name, modelDir }, 'VmHWM')) * 1024;
    assert.ok(most < memoryToRun(size), `${most} bytes for a file of ${size}`);
  });
});
