import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { endProcesses, freePorts, startCommand, temporaryFolder } from '../../support/needs/process.ts';
import { ROOT } from '../../support/root.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';
import { type Misbehaviour, type ModelHub, openModelHub } from './model-hub.ts';

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
      lines(first.stdout, /^fetched +\d+ % {2}\d+\.\d [kM]B of \d+\.\d MB {2}\S+$/).length,
      names.length,
    );
    assert.match(first.stdout.join('\n'), /^fetched 100 % .+ onnx\/model_quantized\.onnx$/m);
    assert.equal(lines(first.stdout, /\d [kM]B {2}ok$/).length, names.length);
    assert.equal(first.stdout.at(-1), `ready: ${TEST_MODEL} in ${folder}`);
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
      [1, [`Embedding model ${TEST_MODEL} is damaged: ${ONNX} in ${folder}`]],
    );
    assert.equal(lines(verified.stdout, / damaged$/).length, 1);
    assert.equal(hub.requests.length, asked);

    const mended = await run();
    assert.deepEqual([mended.code, mended.stderr], [0, []]);
    assert.ok(mended.stdout.includes(`damaged and fetched again: ${ONNX}`));
    assert.deepEqual(await readFile(path.join(folder, ONNX)), files.get(ONNX));
    assert.equal((await run(['--verify'])).code, 0);
  });

  it('ends with one line if the model cannot be fetched', async () => {
    const { folder, run } = await scene();
    const name = 'nobody/has-this';
    const [port] = await freePorts(1);
    const silent = `http://127.0.0.1:${port}`;
    const nowhere = await run([], { MEMORY_EMBEDDING_MODEL: name, MEMORY_MODEL_HUB: silent });
    assert.equal(nowhere.code, 1);
    assert.equal(nowhere.stderr.length, 1);
    assert.match(
      nowhere.stderr[0] ?? '',
      /^Embedding model nobody\/has-this is missing: no config\.json in .+\)$/,
    );
    const verified = await run(['--verify']);
    assert.deepEqual(
      [verified.code, verified.stderr],
      [1, [`Embedding model ${TEST_MODEL} is missing: no config.json in ${folder}`]],
    );
    assert.equal(lines(verified.stdout, / missing$/).length, names.length);
  });

  it('ends with one line if the files are not a model', async () => {
    const { folder, run } = await scene();
    await run();
    await writeFile(path.join(folder, ONNX), 'no model');
    await rm(path.join(folder, 'checksums.json'));
    const { code, stderr } = await run();
    assert.equal(code, 1);
    assert.match(stderr.at(-1) ?? '', /^Embedding model \S+ in .+ cannot be loaded: .+$/);
  });

  it('leaves no partial file when it is interrupted', async () => {
    const half = Promise.withResolvers<void>();
    const { folder, start } = await scene((request, response, content) => {
      if (request.at !== 'cdn') return false;
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, content.length / 2), () => half.resolve());
      return true;
    });
    const { child, exited, stderr } = start();
    await half.promise;
    child.kill('SIGINT');
    assert.deepEqual([await exited, stderr], [130, []]);
    assert.deepEqual(await readdir(path.join(folder, 'onnx')), []);
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
