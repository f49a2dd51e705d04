import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadEmbedder } from '../../../worker/embedder/model.ts';
import { startModelProcess } from '../../../worker/embedder/model-child.ts';
import type { Lane, ModelAnswer } from '../../../worker/embedder/model-process.ts';
import { endProcesses, startCommand, temporaryFolder } from '../../support/needs/process.ts';
import { childrenOf, running, until } from '../../support/process-table.ts';
import { ROOT } from '../../support/root.ts';
import { TEST_MODEL } from '../../support/test-model.ts';
import { children, MISBEHAVING, modelFolder, openClient, waiting } from './model-clients.ts';

/** So long that many runs are needed: a character is a token of the small model, and its window holds 2,046 of them. */
const LONG_TEXT = 'many runs of the model '.repeat(2600);
const RUNS = Math.ceil(LONG_TEXT.length / 2046);

let modelDir: string;
before(async () => {
  modelDir = await modelFolder();
});
after(endProcesses);

describe('vectors of the model process', () => {
  test('equal those of the model in this process, for queries and passages of any length', async (t) => {
    const { client } = openClient(t, { modelDir });
    const texts = ['How many points?', '多少分', '', '\ud800', 'two windows '.repeat(300)];
    const made = await Promise.all(
      texts.flatMap((text) => [
        client.embed(text, 'query', waiting()),
        client.embed(text, 'passage', waiting()),
      ]),
    );
    const embedder = await loadEmbedder({ name: TEST_MODEL, modelDir, allowDownload: false });
    for (const [at, text] of texts.entries()) {
      assert.deepEqual(made[at * 2], await embedder.embed(text, 'query'));
      assert.deepEqual(made[at * 2 + 1], await embedder.embed(text, 'passage'));
    }
  });

  test('of queries come before those of passages, even of a passage in progress', async (t) => {
    const { client } = openClient(t, { modelDir });
    await client.ready;
    const order: string[] = [];
    const ask = (name: string, lane: Lane, text = name) =>
      client.embed(text, lane, waiting()).then(() => order.push(name));
    const all = [ask('long', 'passage', LONG_TEXT), ask('short', 'passage')];
    // The long one is under way by then: nothing else was asked before it.
    await ask('first', 'query');
    all.push(ask('second', 'query'), ask('third', 'query'));
    await Promise.all(all);
    assert.deepEqual(order, ['first', 'second', 'third', 'long', 'short']);
  });

  test('of queries are computed between two runs of a long passage', async (t) => {
    const { child } = startModelProcess({
      model: { name: TEST_MODEL, modelDir },
      megabytes: 2048,
    });
    t.after(() => child.kill('SIGKILL'));
    const heard: string[] = [];
    const done = new Promise<void>((resolve) => {
      child.on('message', (answer: ModelAnswer) => {
        if ('ready' in answer) child.send({ lane: 'passage', text: LONG_TEXT });
        else if ('running' in answer) heard.push(`running ${answer.running}`);
        else if ('vector' in answer) heard.push(`vector of ${answer.lane}`);
        // Said at its begin and before its first two runs.
        if (heard.length === 3 && 'running' in answer) child.send({ lane: 'query', text: 'a query' });
        if (heard.at(-1) === 'vector of passage') resolve();
      });
    });
    await done;
    const query = heard.indexOf('vector of query');
    assert.ok(heard.slice(0, query).includes('running query'));
    assert.equal(heard.slice(query).includes('running passage'), true);
    // At its begin too: cutting it into tokens may end the process as well.
    assert.equal(heard.filter((line) => line === 'running passage').length, RUNS + 1);
    assert.equal(heard.at(-1), 'vector of passage');
  });

  test('come from the next process if one is killed, whether idle or busy', async (t) => {
    const { client, states, log } = openClient(t, { modelDir });
    await client.ready;
    const before = await client.embed('a text', 'query', waiting());
    const [idle] = children();
    assert.ok(idle);
    process.kill(idle, 'SIGKILL');
    assert.deepEqual(await client.embed('a text', 'query', waiting()), before);
    const long = client.embed(LONG_TEXT, 'passage', waiting());
    const [busy] = children();
    assert.ok(busy && busy !== idle);
    process.kill(busy, 'SIGKILL');
    assert.equal((await long).length, 1024);
    assert.deepEqual(states, ['ready', 'loading', 'ready', 'loading', 'ready']);
    assert.deepEqual(
      log.filter(({ level }) => level !== 'info').map(({ level }) => level),
      ['warn', 'warn'],
    );
  });
});

describe('the model process', () => {
  /** A parent of one that prints what comes of a text, as a program of its own. */
  const parentOf = (text: string, { main = '', args = [] as string[], env = {} } = {}) => {
    const options = {
      model: { name: TEST_MODEL, modelDir, hub: 'http://someone:pass-of-the-hub@127.0.0.1:9/' },
      megabytes: 2048,
    };
    const program = `
      const { openModelClient } = await import(${JSON.stringify(join(ROOT, 'worker/embedder/model-client.ts'))});
      const logger = { info() {}, warn() {}, error: console.error };
      const main = ${JSON.stringify(main)} ? { main: new URL(${JSON.stringify(main)}) } : {};
      const client = openModelClient({ ...${JSON.stringify(options)}, ...main, logger });
      await client.ready;
      console.log('ready');
      const vector = await client.embed(${JSON.stringify(text)}, 'passage', new AbortController().signal);
      const loaded = process.report.getReport().sharedObjects.filter((file) => file.includes('onnx'));
      console.log('vector ' + JSON.stringify({ first: vector[0], loaded }));
      setInterval(() => undefined, 1000);`;
    const parent = startCommand(process.execPath, [...args, '--input-type=module', '--eval', program], {
      env,
    });
    assert.ok(parent.child.pid);
    return { parent, pid: parent.child.pid };
  };

  test('gets no setting of its parent, neither from the environment nor from a file', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'settings');
    await writeFile(file, 'MEMORY_API_TOKEN=a-secret-of-a-file\n');
    const { parent } = parentOf('environment', {
      main: MISBEHAVING.href,
      args: [`--env-file=${file}`],
      env: { MEMORY_DATABASE_URL: 'postgres://a:secret@nowhere/x' },
    });
    const [, said = ''] = await parent.line(/^vector (.*)$/);
    assert.equal((JSON.parse(said) as { first: number }).first, 0);
    await parent.kill9();
  });

  for (const [when, text, main] of [
    ['idle', 'a text', ''],
    ['at a text', 'hang', MISBEHAVING.href],
  ] as const) {
    test(`ends when its parent is killed: ${when}`, async (t) => {
      const { parent, pid } = parentOf(text, { main });
      await parent.line(text === 'hang' ? /^ready/ : /^vector/);
      const orphans = running(childrenOf(pid));
      assert.equal(orphans.length, 1);
      // The parent alone, not the group.
      parent.child.kill('SIGKILL');
      await until(t.signal, () => running(orphans).length === 0);
    });
  }
});
