import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLogger } from '../../shared/logger.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import { type RunningWorker, startWorker } from '../../worker/worker.ts';
import { columns } from '../support/columns.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { PARTLY, unreadFile } from '../support/partly-reading-extractors.ts';
import { isOver, untilImport } from '../support/running-imports.ts';
import { addClient, type Caller } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';

const service = await openOwnTestApp({}, {}, { supervise: true });

const PAGES: Unread = { kind: 'page', names: [2, 5, 6], reason: 'no_text' };
/** Of a source that does not exist yet. */
const NOTHING = { chunks: [], unread: [] };
const BUDGET: Unread = { kind: 'attachment', names: ['budget.xlsx'], reason: 'not_read' };

describe('what could not be read of a file', () => {
  let worker: RunningWorker;
  before(async () => {
    const logger = createLogger('silent', 'test');
    worker = await startWorker({ ...service, logger }, { reading: PARTLY });
  });
  after(() => worker.stop());

  /** Imports a file of which this is not read, and waits until that has ended. */
  async function importPartly(
    caller: Caller,
    signal: AbortSignal,
    unread: readonly Unread[],
    text = 'The heron nests.',
  ): Promise<Import> {
    const items = [{ filename: 'a.txt', text: unreadFile(unread, text) }];
    const [accepted] = (await caller.api.importFiles({ items })).imports;
    assert.deepEqual(accepted?.unread, []);
    return untilImport(caller, accepted?.id, signal, isOver);
  }

  test('is told by its import and its source, also in lists', async ({ signal }) => {
    const company = await service.company();
    const { id, state, sourceId, unread } = await importPartly(company, signal, [PAGES, BUDGET]);
    assert.deepEqual([state, unread], ['completed', [PAGES, BUDGET]]);
    await company.api.ingestSource({ title: 'Walrus', text: 'It dives.' });
    assert.deepEqual(columns(await company.all.listImports(), 'id', 'unread'), [[id, [PAGES, BUDGET]]]);
    assert.deepEqual((await company.api.getSource(sourceId ?? '')).unread, [PAGES, BUDGET]);
    assert.deepEqual(columns(await company.all.listSources(), 'title', 'unread'), [
      ['Walrus', []],
      ['a.txt', [PAGES, BUDGET]],
    ]);
  });

  test('stays with its source while that is changed, moved, archived and restored', async ({ signal }) => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id, sourceId } = await importPartly(company, signal, [PAGES]);
    assert.ok(sourceId);
    const changed = await company.api.changeSource(sourceId, { title: 'Herons' });
    const moved = await company.api.changeSource(sourceId, { clientId });
    await company.api.archiveSource(sourceId);
    const archived = await company.api.getSource(sourceId);
    const restored = await company.api.restoreSource(sourceId);
    for (const source of [changed, moved, archived, restored]) assert.deepEqual(source.unread, [PAGES]);
    const imported = await company.api.getImport(id);
    assert.deepEqual([imported.clientId, imported.unread], [clientId, [PAGES]]);
  });

  test('is its own for the import of a file whose text is stored already', async ({ signal }) => {
    const company = await service.company();
    const first = await importPartly(company, signal, [PAGES]);
    const second = await importPartly(company, signal, [BUDGET]);
    assert.equal(second.sourceId, first.sourceId);
    assert.deepEqual([first.unread, second.unread], [[PAGES], [BUDGET]]);
    assert.deepEqual((await company.api.getSource(first.sourceId ?? '')).unread, [PAGES]);
  });

  test('is nothing for a file of which nothing could be read: that import fails', async ({ signal }) => {
    const company = await service.company();
    const { state, error, unread } = await importPartly(company, signal, [PAGES], ' ');
    assert.deepEqual([state, error?.code, unread], ['failed', 'no_text', []]);
  });

  test('is masked where its names have credentials', async ({ signal }) => {
    const company = await service.company();
    await company.api.changeSelectedTeam({ redaction: 'redact' });
    const token = ['gh', 'p_', 'aB3'.repeat(12)].join('');
    const given = { ...BUDGET, names: [`${token}.txt`] };
    const { sourceId, unread, redactions } = await importPartly(company, signal, [given]);
    const masked = [{ ...BUDGET, names: ['[redacted: github].txt'] }];
    assert.deepEqual(unread, masked);
    assert.deepEqual(columns(redactions ?? [], 'rule', 'path'), [['github', '/unread']]);
    const source = await company.api.getSource(sourceId ?? '');
    assert.deepEqual([source.unread, source.original], [masked, null]);
  });

  test('is told by the source of a workspace file, until a version is read in full', async ({ signal }) => {
    const company = await service.company();
    const workspace = workspaceOf(service.app, company.headers);
    /** Pushes the next version, and waits until its text is that of the source. */
    const push = async (text: string, word: string, version: number) => {
      const { status, code } = await workspace.push([file('team/notes/a.txt', text, version)]);
      assert.equal(status, 200, code);
      for (;;) {
        signal.throwIfAborted();
        const [source] = await company.all.listSources({ kind: 'file', q: 'a.txt' });
        const { chunks, unread } = source === undefined ? NOTHING : await company.api.getSource(source.id);
        if (chunks.some((chunk) => chunk.text.includes(word))) return unread;
      }
    };
    assert.deepEqual(await push(unreadFile([PAGES], 'The heron nests.'), 'heron', 0), [PAGES]);
    assert.deepEqual(await push('The walrus dives.', 'walrus', 1), []);
  });
});

test('a repeated request whose answer was stored by an earlier version is answered', async () => {
  const company = await service.company();
  const once = company.with({ 'idempotency-key': 'once' });
  const send = () => once.api.importFiles({ items: [{ filename: 'a.txt', text: 'The heron nests.' }] });
  const ingest = () => once.api.ingestSource({ title: 'Walrus', text: 'It dives.' });
  const [first, stored] = [await send(), await ingest()];
  await service.database.query(
    `update memory.idempotency_key
        set response = response #- '{imports,0,unread}' #- '{source,unread}'
                                #- '{imports,0,encoding}' #- '{source,encoding}'
      where team_id = $1`,
    [company.teamId],
  );
  assert.deepEqual(await send(), first);
  assert.deepEqual(await ingest(), stored);
});
