import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { columns } from '../../cli/terminal/columns.ts';
import { startWorker } from '../../worker/worker.ts';
import { databaseUrl } from '../support/needs/database.ts';
import {
  endProcesses,
  type ServiceProcess,
  startCommand,
  temporaryFolder,
} from '../support/needs/process.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { KEYWORDS_ALONE } from '../support/retrieval-run.ts';
import { ROOT } from '../support/root.ts';

after(endProcesses);

/** A complete service in this process, on a database of its own. */
const service = await openOwnTestApp(KEYWORDS_ALONE, {}, { supervise: true });
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const worker = await startWorker(service);
after(() => worker.stop());

const DEMO = join(ROOT, 'test', 'demo', 'demo.ts');

interface RunningDemo extends ServiceProcess {
  /** The folder for temporary files. */
  temporary: string;
}

/** Runs the demo as a process. It looks for models in an empty folder and never downloads them. */
async function startDemo(args: readonly string[], env: Record<string, string> = {}): Promise<RunningDemo> {
  const folder = await temporaryFolder();
  const [temporary, models] = [join(folder, 'temporary'), join(folder, 'models')];
  await mkdir(temporary);
  const demo = startCommand(process.execPath, [DEMO, '--no-download', ...args], {
    cwd: folder,
    env: { TMPDIR: temporary, MEMORY_MODEL_DIR: models, ...env },
  });
  return { ...demo, temporary };
}

/** Each question asked, with the title of its first hit. */
function firstHits(lines: readonly string[]): Record<string, string> {
  const hits: Record<string, string> = {};
  let question = '';
  for (const line of lines) {
    question = /^\? (.+)$/.exec(line)?.[1] ?? question;
    const title = /^ {2}1 {2}(\S+)/.exec(line)?.[1];
    if (title !== undefined) hits[question] = title;
  }
  return hits;
}

async function assertNothingIsLeft(demo: RunningDemo): Promise<void> {
  assert.deepEqual(await readdir(demo.temporary), []);
  const url = demo.stdout.map((line) => /^service +(http:\S+),/.exec(line)?.[1]).find(Boolean);
  if (url === undefined) return;
  await assert.rejects(fetch(`${url}/livez`), (error: Error & { cause?: { code?: string } }) => {
    assert.equal(error.cause?.code, 'ECONNREFUSED');
    return true;
  });
}

/** It starts its own service on the embedded database, whatever the other tests run on. */
describe('the demo with its own service', {
  skip: databaseUrl === undefined ? false : 'needs no PostgreSQL',
}, () => {
  test('finds the right document first for every question and leaves no files behind', async () => {
    const demo = await startDemo([]);
    assert.equal(await demo.exited, 0, demo.stderr.join('\n'));
    assert.deepEqual(demo.stderr, []);
    assert.deepEqual(firstHits(demo.stdout), {
      'A customer sees PGW-4012 at the checkout, what do I have to do?': 'payment-runbook.en.md',
      'Wer bestellt die neuen Regale für die Paletten?': 'lager-besprechung.de.md',
      '门禁卡丢了要打哪个电话？': 'menjin-ka.zh.txt',
      ลาป่วยสามวันต้องใช้อะไร: 'kan-laa.th.txt',
      'почему принтеры не печатали этикетки': 'otchet-ob-avarii.ru.txt',
      '¿Qué pasa si el enlace de acceso caduca?': 'guia-alta-clientes.es.md',
      'How long are copies of the order data retained, and who tests restoring them?': 'backups.en.txt',
    });
    const text = demo.stdout.join('\n');
    assert.match(text, /^imports +\[#+\] 4 of 4$/m);
    assert.match(text, /^status +9 sources, (\d+) passages, \1 with an embedding$/m);
    assert.match(text, /^Around that hit in payment-runbook\.en\.md:$/m);
    // The small model made the vectors, and the output says so.
    assert.match(text, /^embeddings +memory\/test-small-1024, made here$/m);
    for (const line of demo.stdout) assert.ok(columns(line) <= 80, line);
    await assertNothingIsLeft(demo);
  });

  test('removes its files and exits with 130 on Ctrl-C', async () => {
    const demo = await startDemo([]);
    await demo.line(/^ingested/);
    demo.child.kill('SIGINT');
    assert.equal(await demo.exited, 130);
    assert.equal(demo.stderr.length, 1, demo.stderr.join('\n'));
    await assertNothingIsLeft(demo);
  });
});

describe('the demo on a running service', () => {
  test('lets the service make the embeddings, and asks the given questions about the documents of a folder', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'deep'));
    await writeFile(join(folder, 'apples.md'), '# Apples\n\nWe press apples in October.\n');
    await writeFile(join(folder, 'deep', 'pears.txt'), 'Pears are dried on the south wall.\n');
    await writeFile(join(folder, 'photo.jpg'), 'no document');
    const env = { MEMORY_API_TOKEN: (await service.company()).token };
    const questions = ['--ask', 'when are apples pressed', '--ask', 'where do pears dry'];
    for (const run of ['first', 'second']) {
      const demo = await startDemo(['--url', base, ...questions, folder], env);
      assert.equal(await demo.exited, 0, demo.stderr.join('\n'));
      assert.deepEqual(firstHits(demo.stdout), {
        'when are apples pressed': 'apples.md',
        'where do pears dry': 'deep/pears.txt',
      });
      const text = demo.stdout.join('\n');
      assert.match(text, /^embeddings +Xenova\/bge-m3, made by the service$/m);
      assert.match(text, /^status {6}2 sources/m, run);
      assert.deepEqual(await readdir(demo.temporary), []);
    }
  });

  test('prints one line with the fault and exits with 1', async () => {
    const cases: [string[], Record<string, string>, RegExp][] = [
      [['--url', 'http://127.0.0.1:1'], {}, /cannot be reached/],
      [['--url', 'somewhere'], {}, /--url: expected/],
      [['--url', base], { MEMORY_API_TOKEN: '' }, /MEMORY_API_TOKEN/],
      [['--url', base], { MEMORY_API_TOKEN: 'wrong-of-this-test' }, /401: unauthenticated/],
      [['/nowhere/at/all'], {}, /\/nowhere\/at\/all cannot be read/],
    ];
    for (const [args, env, expected] of cases) {
      const demo = await startDemo(args, env);
      assert.equal(await demo.exited, 1, args.join(' '));
      assert.equal(demo.stderr.length, 1, demo.stderr.join('\n'));
      assert.match(demo.stderr[0] ?? '', expected);
      assert.ok(!demo.stderr.join('').includes('wrong-of-this-test'));
      assert.deepEqual(await readdir(demo.temporary), []);
    }
  });
});
