import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createLogger } from '../../shared/logger.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import { type RunningWorker, startWorker } from '../../worker/worker.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { PARTLY, unreadFile } from '../support/partly-reading-extractors.ts';
import { openHomes } from './cli.ts';
import { writeFolder } from './folder.ts';

const service = await openOwnTestApp({}, {}, { supervise: true });
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();

const UNREAD: Unread[] = [
  { kind: 'page', names: [2, 5, 6, 7], reason: 'no_text' },
  { kind: 'attachment', names: ['budget.xlsx'], reason: 'not_read' },
];
const WORDS = 'pages 2, 5-7 (no text: pictures or blank); attachment budget.xlsx (not read)';

describe('the terminal client', () => {
  let worker: RunningWorker;
  before(async () => {
    const logger = createLogger('silent', 'test');
    worker = await startWorker({ ...service, logger }, { reading: PARTLY });
  });
  after(() => worker.stop());

  /** A home with a folder of one file that is read in full, and one that is not. */
  async function openFolder() {
    const company = await service.company();
    const { home, run } = await newPerson();
    await writeFolder(join(home, 'docs'), {
      'a.txt': 'The heron nests.',
      'b.txt': unreadFile(UNREAD, 'The walrus dives.'),
    });
    return (...args: string[]) => run([...args, '--url', base], { env: { MEMORY_API_TOKEN: company.token } });
  }

  test('import ends with what could not be read of the files, and that is no failure', async () => {
    const run = await openFolder();
    const { code, stdout, stderr } = await run('import', 'docs');
    assert.deepEqual([code, stderr], [0, ''], stdout);
    const report = `\nImported, but not read in full:\n  b.txt: ${WORDS}\n2 files: 2 imported.\n`;
    assert.ok(stdout.endsWith(report), stdout);
  });

  test('import and sources print it as JSON', async () => {
    const run = await openFolder();
    const { files } = JSON.parse((await run('import', 'docs', '--json')).stdout) as { files: object[] };
    assert.deepEqual(files, [
      { name: 'a.txt', state: 'imported' },
      { name: 'b.txt', state: 'imported', unread: UNREAD },
    ]);
    const { stdout } = await run('sources', '--json');
    const { items } = JSON.parse(stdout) as { items: { title: string; unread: Unread[] }[] };
    const unread = Object.fromEntries(items.map((item) => [item.title, item.unread]));
    assert.deepEqual(unread, { 'a.txt': [], 'b.txt': UNREAD });
  });
});
