import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLogger } from '../../shared/logger.ts';
import { type RunningWorker, startWorker } from '../../worker/worker.ts';
import { columns } from '../support/columns.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { isOver, untilImport } from '../support/running-imports.ts';
import { addClient, type Caller } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';

const service = await openOwnTestApp({}, {}, { supervise: true });

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('the encoding of a file', () => {
  let worker: RunningWorker;
  before(async () => {
    worker = await startWorker({ ...service, logger: createLogger('silent', 'test') });
  });
  after(() => worker.stop());

  async function importBytes(caller: Caller, signal: AbortSignal, filename: string, content: Uint8Array) {
    const items = [{ filename, contentBase64: Buffer.from(content).toString('base64') }];
    const [accepted] = (await caller.api.importFiles({ items })).imports;
    assert.equal(accepted?.encoding, null);
    return untilImport(caller, accepted?.id, signal, isOver);
  }

  test('is told by its import and its source, also in lists, and is null for UTF-8', async ({ signal }) => {
    const company = await service.company();
    const old = await importBytes(company, signal, 'old.txt', utf16('The heron nests.'));
    const usual = await importBytes(company, signal, 'usual.txt', Buffer.from('The walrus dives.'));
    assert.deepEqual([old.encoding, usual.encoding], ['utf-16le', null]);
    assert.deepEqual(columns(await company.all.listImports(), 'id', 'encoding'), [
      [usual.id, null],
      [old.id, 'utf-16le'],
    ]);
    const { chunks, encoding } = await company.api.getSource(String(old.sourceId));
    assert.deepEqual([chunks.map(({ text }) => text), encoding], [['The heron nests.'], 'utf-16le']);
    assert.deepEqual(columns(await company.all.listSources(), 'title', 'encoding'), [
      ['usual.txt', null],
      ['old.txt', 'utf-16le'],
    ]);
  });

  test('stays with its source while that is moved, archived and restored', async ({ signal }) => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { sourceId } = await importBytes(company, signal, 'old.txt', utf16('The heron nests.'));
    const id = String(sourceId);
    const moved = await company.api.changeSource(id, { clientId });
    await company.api.archiveSource(id);
    const restored = await company.api.restoreSource(id);
    assert.deepEqual([moved.encoding, restored.encoding], ['utf-16le', 'utf-16le']);
  });

  test('is told by the source of a workspace file, of the version that is read', async ({ signal }) => {
    const company = await service.company();
    const workspace = workspaceOf(service.app, company.headers);
    const push = async (content: Buffer, word: string, version: number) => {
      const { status, code } = await workspace.push([file('team/notes/a.txt', content, version)]);
      assert.equal(status, 200, code);
      for (;;) {
        signal.throwIfAborted();
        const [found] = await company.all.listSources({ kind: 'file', q: 'a.txt' });
        if (found === undefined) continue;
        const { chunks, encoding } = await company.api.getSource(found.id);
        if (chunks.some(({ text }) => text.includes(word))) return encoding;
      }
    };
    assert.equal(await push(utf16('The heron nests.'), 'heron', 0), 'utf-16le');
    assert.equal(await push(Buffer.from('The walrus dives.'), 'walrus', 1), null);
  });
});
