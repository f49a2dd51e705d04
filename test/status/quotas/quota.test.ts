import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Team } from '../../../shared/schemas/teams.ts';
import type { Quota } from '../../../shared/settings/team-settings.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp, type SignedIn, type TestApp } from '../../support/app.ts';
import { via } from '../../support/client/client.ts';
import { recordsNothing } from '../../support/company.ts';
import { doJob } from '../../support/do-job.ts';
import { keepsFile, readImport, sendRetry, upload } from '../../support/import-records.ts';
import { addSource } from '../../support/source-library.ts';
import { addPerson, type Caller, inTeam } from '../../support/team.ts';
import { file, workspaceOf } from '../../support/workspace.ts';

const service = await openTestApp();
const { app, database } = service;

const pathOf = ({ teamId }: { teamId: string }) => `/v1/company/teams/${teamId}`;
const setQuota = (company: SignedIn, quota: object, caller: Caller = company) =>
  caller.send('PATCH', pathOf(company), { quota });
async function withQuota(quota: Quota): Promise<SignedIn> {
  const company = await service.company();
  assert.equal((await setQuota(company, quota)).statusCode, 200);
  return company;
}
const quotaOf = async (caller: Caller, asked: Pick<TestApp, 'app'> = service) =>
  (await via(asked, caller).api.getSelectedTeam()).quota;
const ingest = (
  caller: Caller,
  chunks: number,
  fields: object = {},
  headers: Record<string, string> = {},
) => {
  const given = Array.from({ length: chunks }, () => ({ text: newId() }));
  return caller.ask.ingestSource({ title: 'x', chunks: given, ...fields }, headers);
};
const codeOf = (answer: { json<T>(): T }) => answer.json<{ code?: string }>().code;

describe('the quota of a Team', () => {
  // Who may set it, and its event, are rows of test/access.
  test('is set by a Company Owner and shown, and setting it again records nothing', async () => {
    const company = await service.company();
    const quota = { chunks: 5, bytes: null };
    const answer = await company.send('PATCH', pathOf(company), { name: 'Harbour', quota });
    const { name, quota: shown } = answer.json<Team>();
    assert.deepEqual({ name, shown }, { name: 'Harbour', shown: quota });
    assert.deepEqual((await company.send('GET', pathOf(company))).json<Team>().quota, quota);
    assert.deepEqual(await quotaOf(company), quota);
    await recordsNothing(service, company, () => setQuota(company, quota));
  });

  test('is not changed by a Company Admin, who can still rename the Team', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    assert.equal(codeOf(await setQuota(company, { chunks: 1, bytes: 1 }, admin)), 'company_role_required');
    const renamed = await admin.send('PATCH', pathOf(company), { name: 'Quay' });
    assert.deepEqual(renamed.json<Team>().quota, { chunks: null, bytes: null });
  });

  test('is the default of the deployment until it is set, also to none', async () => {
    const limited = await openTestApp({ MEMORY_TEAM_MAX_CHUNKS: '2', MEMORY_TEAM_MAX_BYTES: '1000' });
    const company = await limited.company();
    const send = (chunks: number) => {
      const given = Array.from({ length: chunks }, () => ({ text: newId() }));
      return via(limited, company).ask.ingestSource({ title: 'x', chunks: given });
    };
    assert.deepEqual(await quotaOf(company, limited), { chunks: 2, bytes: 1000 });
    assert.equal((await send(2)).statusCode, 201);
    assert.equal(codeOf(await send(1)), 'quota_exceeded');
    const none = { chunks: null, bytes: null };
    await via(limited, company).send('PATCH', pathOf(company), { quota: none });
    assert.deepEqual(await quotaOf(company, limited), none);
    assert.equal((await send(3)).statusCode, 201);
  });
});

describe('a Team at its quota', () => {
  test('fills it exactly, and what is archived or purged can be added again', async () => {
    const company = await withQuota({ chunks: 3, bytes: null });
    const { id } = await addSource(company, { chunks: [{ text: 'one' }, { text: 'two' }] });
    assert.equal(codeOf(await ingest(company, 2)), 'quota_exceeded');
    assert.equal((await ingest(company, 1)).statusCode, 201);
    assert.equal(codeOf(await ingest(company, 1)), 'quota_exceeded');
    await company.ask.archiveSource(id);
    assert.equal((await ingest(company, 2)).statusCode, 201);
  });

  test('counts bytes of UTF-8, not characters', async () => {
    const company = await withQuota({ chunks: null, bytes: 12 });
    assert.equal(codeOf(await ingest(company, 0, { text: 'üüüüüüü' })), 'invalid_request');
    const send = (text: string) => company.ask.ingestSource({ title: 'x', text });
    const refused = await send('üüüüüüü');
    assert.match(
      refused.json<{ detail: string }>().detail,
      /^The Team uses 0 of 12 bytes, and this would add 14\./,
    );
    assert.equal((await send('üüüüüü')).statusCode, 201);
  });

  test('has no figures in what it refuses to an agent token that is limited to clients', async () => {
    const company = await withQuota({ chunks: 1, bytes: null });
    const limited = await createAgent(service, company, company, { clientIds: [] });
    const refused = await ingest(limited, 2);
    assert.equal(codeOf(refused), 'quota_exceeded');
    assert.match(
      refused.json<{ detail: string }>().detail,
      /^The Team has reached its quota of passages, and /,
    );
  });

  test('is over it after it was lowered: only additions are refused, and replacing by less is not', async () => {
    const company = await service.company();
    await ingest(company, 4, { externalId: 'a' });
    await ingest(company, 2, { externalId: 'b' });
    await setQuota(company, { chunks: 1, bytes: 1 });
    assert.equal(codeOf(await ingest(company, 5, { externalId: 'a' })), 'quota_exceeded');
    assert.equal((await ingest(company, 3, { externalId: 'a' })).statusCode, 200);
    assert.equal((await ingest(company, 3, { externalId: 'a' })).statusCode, 200);
    const found = await company.ask.searchMemory({
      query: 'x',
      scope: {},
      embeddingMode: 'keyword',
    });
    assert.equal(found.json<{ hits: object[] }>().hits.length, 5);
  });

  test('has no room for a text in place of a due one, which counts no longer', async () => {
    const company = await withQuota({ chunks: 4, bytes: null });
    const first = await ingest(company, 4, { externalId: 'a' });
    const { source } = first.json<{ source: { id: string } }>();
    await database.query(`update memory.source set expires_at = now() - interval '1 second' where id = $1`, [
      source.id,
    ]);
    assert.equal((await ingest(company, 4, { externalId: 'b' })).statusCode, 201);
    assert.equal(codeOf(await ingest(company, 4, { externalId: 'a' })), 'quota_exceeded');
  });

  test('is not the quota of another Team of the Company', async () => {
    const company = await withQuota({ chunks: 0, bytes: 0 });
    const made = await company.ask.createTeam({ name: 'Free' });
    const { team } = made.json<{ team: Team }>();
    const other = inTeam(company, team.id);
    assert.equal((await ingest(other, 2)).statusCode, 201);
    assert.equal(codeOf(await ingest(company, 1)), 'quota_exceeded');
  });

  test('writers at the same time exceed it by at most one request each, and nobody adds afterwards', async () => {
    const company = await withQuota({ chunks: 12, bytes: null });
    await ingest(company, 6);
    const sent = await Promise.all(Array.from({ length: 10 }, () => ingest(company, 3)));
    const added = sent.filter(({ statusCode }) => statusCode === 201).length;
    assert.ok(added >= 2, `${added} were accepted`);
    assert.ok(sent.every((answer) => answer.statusCode === 201 || codeOf(answer) === 'quota_exceeded'));
    const { usage } = await company.api.getSelectedTeam();
    assert.equal(usage?.chunks, 6 + 3 * added);
    // The embedded database runs one transaction at a time.
    if (database.backend === 'pglite') assert.equal(added, 2);
    assert.equal(codeOf(await ingest(company, 1)), 'quota_exceeded');
  });
});

describe('jobs of a Team at its quota', () => {
  test('an import fails, keeps its file, and completes when it is retried after the quota was raised', async () => {
    const company = await withQuota({ chunks: 0, bytes: null });
    const [waiting] = await upload(company, [{ filename: 'a.txt', text: 'Harbour fees.' }]);
    assert.ok(waiting);
    const { id: importId } = waiting;
    const job = { ...company, userId: company.ownerId, layerId: company.teamId, importId };
    const { companyId, teamId, userId, layerId } = job;
    const run = () => doJob(database, 'import.process', { companyId, teamId, userId, layerId, importId });
    await run();
    const failed = await readImport(company, importId);
    assert.deepEqual([failed.state, failed.error?.code], ['failed', 'quota_exceeded']);
    // Everyone who can read the layer can read the error: it has no figures of the Team.
    const refusal =
      /^The Team has reached its quota of passages, and this would add 1\. Archive or purge what/;
    assert.match(failed.error?.message ?? '', refusal);
    assert.ok(await keepsFile(service, importId));
    await setQuota(company, { chunks: 1, bytes: null });
    assert.equal((await sendRetry(company, importId)).statusCode, 202);
    await run();
    assert.equal((await readImport(company, importId)).state, 'completed');
    assert.ok(!(await keepsFile(service, importId)));
  });

  test('a pushed file is stored but not searchable if only its chunks are over the quota', async () => {
    const company = await withQuota({ chunks: 0, bytes: null });
    const workspace = workspaceOf(app, company.headers);
    assert.equal((await workspace.push([file('team/a.md', 'Harbour fees.')])).status, 200);
    const [row] = await database.query<{ data: object }>(
      `select data from pgboss.job where name = 'file.index' and data->>'teamId' = $1::text`,
      [company.teamId],
    );
    await doJob(database, 'file.index', row?.data ?? {});
    const [item] = await workspace.wholeManifest();
    assert.equal(item?.indexed, 'failed');
    const [event] = await database.query<{ detail: object }>(
      `select detail from memory.audit_event where team_id = $1 and kind = 'workspace.index_fail'`,
      [company.teamId],
    );
    assert.deepEqual(event?.detail, { code: 'quota_exceeded', version: 1 });
  });
});
