import assert from 'node:assert/strict';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { endProcesses, startCommand, temporaryFolder } from '../../support/needs/process.ts';
import { until } from '../../support/process-table.ts';
import { ROOT } from '../../support/root.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';
import { hasPart } from './model-fetching.ts';
import { type Misbehaviour, type ModelHub, openModelHub } from './model-hub.ts';

const WITHOUT_VERIFY = 'run npm run fetch-model without --verify';
const ONNX = 'onnx/model_quantized.onnx';
const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json', ONNX];

const files = new Map<string, Buffer>();
const hubs: ModelHub[] = [];

before(async () => {
  const made = await temporaryFolder();
  await writeTestModel(made);
  for (const name of names) files.set(name, await readFile(path.join(made, TEST_MODEL, name)));
});

after(async () => {
  for (const hub of hubs) hub.close();
  await endProcesses();
});

/** Someone in an empty folder, with a hub. Nothing else is set: no token either. */
async function scene(misbehave?: Misbehaviour) {
  const hub = await openModelHub({ files, ...(misbehave && { misbehave }) });
  hubs.push(hub);
  const cwd = await temporaryFolder();
  const folder = path.join(cwd, 'models', TEST_MODEL);
  const env = {
    MEMORY_API_TOKEN: '',
    MEMORY_EMBEDDING_MODEL: TEST_MODEL,
    MEMORY_MODEL_DIR: 'models',
    MEMORY_MODEL_HUB: hub.url,
  };
  const main = path.join(ROOT, 'worker/embedder/fetch-model.ts');
  const start = (args: readonly string[] = [], more: Record<string, string> = {}) =>
    startCommand(process.execPath, [main, ...args], { cwd, env: { ...env, ...more } });
  const run = async (args: readonly string[] = [], more: Record<string, string> = {}) => {
    const { exited, stdout, stderr } = start(args, more);
    return { code: await exited, stdout, stderr };
  };
  return { hub, folder, start, run };
}

const lines = (stdout: readonly string[], pattern: RegExp) => stdout.filter((text) => pattern.test(text));

describe('fetch-model', () => {
  it('fetches, verifies and loads the model without a token', async () => {
    const { hub, folder, run } = await scene();
    const first = await run();
    assert.deepEqual([first.code, first.stderr], [0, []]);
    assert.deepEqual(first.stdout.slice(0, 3), [
      `model   ${TEST_MODEL}`,
      `folder  ${folder}`,
      `hub     ${hub.url}`,
    ]);
    assert.equal(
      lines(first.stdout, /^fetched +\d+ % {2}\d+\.\d [kM]B of \d+\.\d MB(, about \d+ s left)? {2}\S+$/)
        .length,
      names.length,
    );
    assert.match(first.stdout.join('\n'), /^fetched 100 % .+ onnx\/model_quantized\.onnx$/m);
    assert.equal(lines(first.stdout, /\d [kM]B {2}ok$/).length, names.length);
    assert.match(
      first.stdout[3] ?? '',
      /^needs   \d+\.\d MB on a disk with \d+\.\d GB free, and about \d+\.\d MB of the \d+\.\d GB of memory that its process can have$/,
    );
    assert.match(first.stdout.at(-2) ?? '', /^ready: \S+ in \S+, loaded in \d+\.\d MB of memory$/);
    assert.equal(first.stdout.at(-1), 'next: start the service with MEMORY_API_SERVER_EMBEDDINGS=1');
  });

  it('fetches a damaged file again, and only reports it with --verify', async () => {
    const { hub, folder, run } = await scene();
    await run();
    const damaged = Buffer.from(files.get(ONNX) ?? []);
    damaged[1000] = (damaged[1000] ?? 0) ^ 1;
    await writeFile(path.join(folder, ONNX), damaged);
    const asked = hub.requests.length;
    const verified = await run(['--verify']);
    assert.deepEqual(
      [verified.code, verified.stderr],
      [1, [`Embedding model ${TEST_MODEL} is damaged: ${ONNX} in ${folder}: ${WITHOUT_VERIFY}`]],
    );
    assert.equal(lines(verified.stdout, / damaged$/).length, 1);
    assert.equal(hub.requests.length, asked);

    const mended = await run();
    assert.deepEqual([mended.code, mended.stderr], [0, []]);
    assert.ok(mended.stdout.includes(`damaged and fetched again: ${ONNX}`));
    assert.deepEqual(await readFile(path.join(folder, ONNX)), files.get(ONNX));
    assert.equal((await run(['--verify'])).code, 0);
  });

  it('reports missing files with --verify', async () => {
    const { folder, run } = await scene();
    const verified = await run(['--verify']);
    assert.deepEqual(
      [verified.code, verified.stderr],
      [1, [`Embedding model ${TEST_MODEL} is missing: no config.json in ${folder}: ${WITHOUT_VERIFY}`]],
    );
    assert.equal(lines(verified.stdout, / missing$/).length, names.length);
  });

  it('continues after Ctrl-C where it stopped', async () => {
    let isFirst = true;
    const half = Promise.withResolvers<void>();
    const { hub, folder, start, run } = await scene((request, response, content) => {
      if (request.at !== 'cdn' || !isFirst) return false;
      isFirst = false;
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, content.length / 2), () => half.resolve());
      return true;
    });
    const { child, exited, stdout, stderr } = start();
    await half.promise;
    // Until some of it is on the disk.
    await until(AbortSignal.timeout(20_000), () => hasPart(path.join(folder, path.dirname(ONNX))));
    child.kill('SIGINT');
    assert.deepEqual([await exited, stderr], [130, []]);
    assert.equal(stdout.at(-1), 'interrupted: run it again to continue');
    const { code } = await run();
    assert.equal(code, 0);
    assert.match(hub.downloads().at(-1)?.range ?? '', /^bytes=[1-9]\d*-$/);
    assert.deepEqual(await readdir(path.join(folder, 'onnx')), [path.basename(ONNX)]);
  });

  it('makes a folder that another machine can use without a network', async () => {
    const { hub, folder, run } = await scene();
    const { code, stdout } = await run(['--files-only'], { MEMORY_EMBEDDING_MEGABYTES: '256' });
    assert.equal(code, 0);
    assert.match(stdout[3] ?? '', /^needs   \d+\.\d MB on a disk with \d+\.\d GB free$/);
    assert.deepEqual(stdout.slice(-2), [
      `complete: ${TEST_MODEL} in ${folder}`,
      `next: copy this folder to ${TEST_MODEL} in the folder of models of the other machine (MEMORY_MODEL_DIR)`,
    ]);
    const other = await scene();
    await cp(folder, other.folder, { recursive: true });
    hub.close();
    other.hub.close();
    const verified = await other.run(['--verify']);
    assert.equal(verified.code, 0);
    assert.equal(lines(verified.stdout, / ok$/).length, names.length);
    assert.match((await other.run()).stdout.at(-2) ?? '', /^ready: /);
    assert.deepEqual(other.hub.requests, []);
  });

  it('names an invalid setting and an unknown option', async () => {
    const { run } = await scene();
    const wrong = await run([], { MEMORY_MODEL_HUB: 'ftp://hub' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr.join('\n'), /^MEMORY_MODEL_HUB: expected .+$/);
    const option = await run(['--fast']);
    assert.deepEqual([option.code, option.stderr], [1, ["Unknown option '--fast' (see --help)"]]);
    const help = await run(['--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout.join('\n'), /--verify/);
  });
});
