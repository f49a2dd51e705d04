import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import { doJob } from '../../support/do-job.ts';
import { importNow } from '../../support/running-imports.ts';
import { listSources } from '../../support/source-library.ts';
import { file, workspaceOf } from '../../support/workspace.ts';
import { fileSources, openIndexer, searchFiles } from '../files/indexer.ts';

const service = await openTestApp({ MEMORY_REDACTION: 'off' });
const indexer = openIndexer(service);
const OFF = { env: { MEMORY_REDACTION: 'off' } };

describe('the text of a workspace file', () => {
  it('is searched again when it is indexed, by the mode that the Team has then', async () => {
    const company = await service.company();
    const workspace = workspaceOf(service.app, company.headers);
    const setMode = (redaction: string) => company.api.changeSelectedTeam({ redaction });
    const push = async (version: number) => {
      const pushed = await workspace.push([
        file('team/heron.md', `Heron ${version}: password=hunter22`, version - 1),
      ]);
      assert.equal(pushed.status, 200);
    };
    const state = async () => (await workspace.wholeManifest()).map(({ indexed }) => indexed);

    await push(1);
    await setMode('redact');
    await indexer.indexAll(company, OFF);
    assert.deepEqual(await searchFiles(company, 'heron'), ['Heron 1: password=[redacted: password]']);
    assert.deepEqual(await state(), ['yes']);
    assert.match((await workspace.content('team/heron.md')) ?? '', /hunter22/);

    await setMode('off');
    await push(2);
    await setMode('refuse');
    await indexer.indexAll(company, OFF);
    assert.deepEqual(await state(), ['failed']);
    assert.deepEqual(await searchFiles(company, 'heron'), []);
  });

  it('has a path that is searched again too', async () => {
    const company = await service.company();
    const workspace = workspaceOf(service.app, company.headers);
    const setMode = (redaction: string) => company.api.changeSelectedTeam({ redaction });
    const pushed = await workspace.push([
      file('team/password=hunter22/egret.md', 'An egret.'),
      file('team/password=hunter22 b.md', 'Another egret.'),
    ]);
    assert.equal(pushed.status, 200);
    await setMode('redact');
    await indexer.indexAll(company, OFF);
    const sources = await fileSources(company);
    assert.deepEqual(sources.map(({ uri, title }) => `${uri} ${title}`).sort(), [
      'team/password=[redacted: password] b.md password=[redacted: password] b.md',
      'team/password=[redacted: password] password=[redacted: password]',
    ]);
    await setMode('off');
    await workspace.push([file('team/password=hunter22 b.md', 'A third egret.', 1)]);
    await setMode('refuse');
    await indexer.indexAll(company, OFF);
    assert.equal((await fileSources(company)).length, 1);
  });
});

describe('the names of an import', () => {
  /** Imports a file whose names have credentials, and runs its job in a stricter mode. */
  async function importIn(mode: 'redact' | 'refuse') {
    const company = await service.company();
    const items = [
      { filename: 'password=hunter22 a.txt', title: 'On password=hunter33', text: 'Of terns.', tags: ['t'] },
      { filename: 'pwd=hunter44 b.txt', text: 'Of gulls.' },
    ];
    const ids = column((await company.api.importFiles({ items })).imports, 'id');
    await company.api.changeSelectedTeam({ redaction: mode });
    for (const importId of ids) {
      const [job] = await service.database.query<{ data: object }>(
        `select data from pgboss.job where data->>'importId' = $1::text`,
        [importId],
      );
      await doJob(service.database, 'import.process', job?.data ?? {}, OFF.env);
    }
    const imports = await Promise.all(ids.map((id) => importNow(company, id)));
    return { imports, sources: await listSources(company, '?kind=import') };
  }

  it('are searched again when the file is read, by the mode that the Team has then', async () => {
    const masked = await importIn('redact');
    assert.deepEqual(masked.sources.map(({ title, tags }) => ({ title, tags })).reverse(), [
      { title: 'On password=[redacted: password]', tags: ['t'] },
      { title: 'pwd=[redacted: password] b.txt', tags: [] },
    ]);
    assert.deepEqual(
      masked.imports.map(({ state, redactions }) => [state, redactions?.map(({ path }) => path)]),
      [
        ['completed', ['/filename', '/title']],
        ['completed', ['/filename']],
      ],
    );
    const refused = await importIn('refuse');
    for (const { error } of refused.imports) assert.equal(error?.code, 'secret_detected');
    assert.deepEqual(refused.sources, []);
  });
});
