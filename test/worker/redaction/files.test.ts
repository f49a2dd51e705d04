import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { ask } from '../../support/company.ts';
import { file, workspaceOf } from '../../support/workspace.ts';
import { openIndexer, searchFiles } from '../files/indexer.ts';

const service = await openTestApp({ MEMORY_REDACTION: 'off' });
const indexer = openIndexer(service);
const OFF = { env: { MEMORY_REDACTION: 'off' } };

describe('the text of a workspace file', () => {
  it('is searched again when it is indexed, by the mode that the Team has then', async () => {
    const company = await service.company();
    const workspace = workspaceOf(service.app, company.headers);
    const setMode = (redaction: string) => ask(service, company, 'PATCH', '/v1/team', { redaction });
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
    assert.deepEqual(await searchFiles(service, company, 'heron'), [
      'Heron 1: password=[redacted: password]',
    ]);
    assert.deepEqual(await state(), ['yes']);
    assert.match((await workspace.content('team/heron.md')) ?? '', /hunter22/);

    await setMode('off');
    await push(2);
    await setMode('refuse');
    await indexer.indexAll(company, OFF);
    assert.deepEqual(await state(), ['failed']);
    assert.deepEqual(await searchFiles(service, company, 'heron'), []);
    const [event] = await service.database.query<{ detail: { code: string } }>(
      `select detail from memory.audit_event where team_id = $1 and kind = 'workspace.index_fail'`,
      [company.teamId],
    );
    assert.equal(event?.detail.code, 'secret_detected');
  });
});
