import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '../../../db/driver/database.ts';
import { insertCapture } from '../../../db/queries/captures.ts';
import { findTeamUsage, type Usage } from '../../../db/queries/status.ts';
import { newId } from '../../../shared/ids.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { sendCapture } from '../../support/captures.ts';
import { doJob } from '../../support/do-job.ts';
import { addMemory, decide } from '../../support/memories.ts';
import { imported, textFile } from '../../support/originals.ts';
import { ownerScope } from '../../support/scopes.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson, type Caller, readStatus } from '../../support/team.ts';
import { deletion, file, workspaceOf } from '../../support/workspace.ts';
import { countUsage } from './counted-usage.ts';

const service = await openTestApp();
const { app, database } = service;

const usageOf = async (caller: Caller) => (await caller.api.getSelectedTeam()).usage;

/** Asserts that the usage is what the rows of the Team have. */
async function assertExact(company: SignedIn, after: string): Promise<Usage> {
  const counted = await countUsage(database, company);
  assert.deepEqual(await usageOf(company), counted, after);
  return counted;
}

/** Numbers from 0 to below 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test('usage is what the rows have, whatever is added, replaced, archived and purged', async (t) => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const seed = Math.floor(Math.random() * 2 ** 31);
  t.diagnostic(`seed ${seed}`);
  const random = randomNumbers(seed);
  const below = (n: number) => Math.floor(random() * n);
  const text = () => `${newId()} Grüße ${'ü'.repeat(below(40))}`;
  const chunks = (n = 1 + below(4)) => Array.from({ length: n }, () => ({ text: text() }));
  const scope = () => (below(2) === 0 ? {} : { clientId });
  const sources: string[] = [];
  const archived: string[] = [];
  const memories: string[] = [];
  const files = new Map<string, number>();
  const workspace = workspaceOf(app, company.headers);
  const pick = (from: string[]) => from.splice(below(from.length), 1)[0];
  const push = async (path: string, changed: object) => {
    const { status, body } = await workspace.push([changed]);
    assert.equal(status, 200);
    files.set(path, body.files[0]?.version ?? 0);
  };
  const acts: Record<string, () => Promise<unknown>> = {
    ingest: async () => sources.push((await addSource(company, { scope: scope(), chunks: chunks() })).id),
    // So many that they are written before the source is visible.
    'ingest many chunks': async () =>
      sources.push((await addSource(company, { chunks: chunks(101 + below(20)) })).id),
    // The same file twice: its original is counted once in a Team.
    import: async () => {
      sources.push(await imported(service, company, textFile(`${newId()}.txt`, 'walrus')));
    },
    replace: () => company.ask.ingestSource({ title: 'x', externalId: 'one', chunks: chunks() }),
    'ingest again': () => company.ask.ingestSource({ title: 'x', text: 'The same.' }),
    archive: async () => {
      const id = pick(sources);
      if (id === undefined) return;
      await company.ask.archiveSource(id);
      archived.push(id);
    },
    'restore an archived source': async () => {
      const id = pick(archived);
      if (id === undefined) return;
      const restored = await company.ask.restoreSource(id);
      // Another import of the same file can be active.
      const isPrevented = outcome(restored) === '409 conflict';
      if (!isPrevented) assert.equal(restored.statusCode, 200, restored.body);
      (isPrevented ? archived : sources).push(id);
    },
    'purge an archived source': async () => {
      const id = pick(archived);
      if (id !== undefined) await company.ask.purgeSource(id);
    },
    purge: async () => {
      const id = pick(sources);
      if (id !== undefined) await company.ask.purgeSource(id);
    },
    capture: () => sendCapture(company, { summary: text() }),
    publish: async () => memories.push((await addMemory(company, 'published', { content: text() })).id),
    review: () => addMemory(company, 'review', { content: text() }),
    update: async () => {
      const [memoryId] = memories;
      if (memoryId !== undefined) await decide(company, { action: 'update', memoryId, content: text() });
    },
    unpublish: async () => {
      const memoryId = pick(memories);
      if (memoryId !== undefined) await decide(company, { action: 'unpublish', memoryId });
    },
    'purge a memory': async () => {
      const id = pick(memories);
      if (id !== undefined) await company.ask.purgeMemory(id);
    },
    push: () => {
      const path = `team/${below(3)}.md`;
      return push(path, file(path, text(), files.get(path) ?? 0));
    },
    'delete a file': async () => {
      const path = [...files.keys()][0];
      if (path === undefined) return;
      const version = files.get(path) ?? 0;
      files.delete(path);
      await workspace.push([deletion(path, version)]);
    },
  };
  const names = Object.keys(acts);
  // Each of them once, and then as it comes: more than the changes after which they are folded.
  const done = [...names, ...Array.from({ length: 40 }, () => names[below(names.length)] ?? '')];
  for (const name of done) {
    await acts[name]?.();
    await assertExact(company, name);
  }
  const { sources: active, chunks: stored, files: live, bytes } = await assertExact(company, 'all');
  assert.ok(active > 0 && stored > 0 && live >= 0 && bytes > 0);
  const [{ rows } = { rows: 0 }] = await database.query<{ rows: number }>(
    'select count(*)::int as rows from memory.usage_tally where team_id = $1',
    [company.teamId],
  );
  assert.ok(rows < 100, `${rows} rows: they were never folded`);
});

test('usage has the text of an indexed file, and loses it with the file', async () => {
  const company = await service.company();
  const workspace = workspaceOf(app, company.headers);
  await workspace.push([file('team/notes.md', 'Harbour fees are due in May.')]);
  const [{ data } = { data: {} }] = await database.query<{ data: object }>(
    `select data from pgboss.job where name = 'file.index' and data->>'teamId' = $1::text`,
    [company.teamId],
  );
  await doJob(database, 'file.index', data);
  const indexed = await assertExact(company, 'indexed');
  assert.deepEqual([indexed.sources, indexed.chunks, indexed.files], [1, 1, 1]);
  await workspace.push([deletion('team/notes.md', 1)]);
  const { sources, chunks, files, bytes } = await assertExact(company, 'deleted');
  // The deleted version is kept.
  assert.deepEqual({ sources, chunks, files, bytes }, { sources: 0, chunks: 0, files: 0, bytes: 28 });
});

test('a transaction finds what it has added, however often changes are folded', async () => {
  const company = await service.company();
  await addSource(company, { text: 'Stored before.' });
  const draft = {
    sessionId: 's',
    sequence: null,
    layerId: company.teamId,
    startedAt: null,
    endedAt: null,
    metadata: {},
  };
  await transaction(database, ownerScope(company), async (tx) => {
    for (let n = 1; n <= 100; n++) {
      await insertCapture(tx, { ...draft, id: newId(), summary: 'ten octets' });
      const { usage, added } = await findTeamUsage(tx);
      assert.deepEqual([usage.bytes, added], [14 + 10 * n, { chunks: 0, bytes: 10 * n }]);
    }
  });
  await assertExact(company, 'committed');
  const { added } = await transaction(database, ownerScope(company), findTeamUsage);
  assert.deepEqual(added, { chunks: 0, bytes: 0 });
});

test('sources that are due do not count, though no job has archived them', async () => {
  const company = await service.company();
  const { id } = await addSource(company, { text: 'Valid until noon.' });
  await database.query(`update memory.source set expires_at = now() - interval '1 second' where id = $1`, [
    id,
  ]);
  const { sources, chunks, bytes } = (await usageOf(company)) ?? {};
  assert.deepEqual({ sources, chunks, bytes }, { sources: 0, chunks: 0, bytes: 17 });
});

test('usage and quota are shown for Full access, of the whole Team, and not to others', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  await addSource(company, { scope: { clientId }, text: 'Only of the client.' });
  const admin = await addPerson(service, company, { teamRole: 'admin' });
  const expected = {
    usage: { sources: 1, chunks: 1, files: 0, bytes: 19 },
    quota: { chunks: null, bytes: null },
  };
  const team = await admin.api.getSelectedTeam();
  assert.deepEqual({ usage: team.usage, quota: team.quota }, expected);
  const status = await readStatus(admin);
  assert.deepEqual({ usage: status.usage, quota: status.quota }, expected);
  const whole = await createAgent(service, company, company);
  assert.deepEqual((await readStatus(whole)).usage, expected.usage);
  // A token that is limited to clients does not see what other clients hold.
  const limited = await createAgent(service, company, company, { clientIds: [] });
  const hidden = [await limited.api.getSelectedTeam(), await readStatus(limited)];
  for (const shown of hidden) assert.ok(!('usage' in shown) && !('quota' in shown));
  for (const ties of [{ teamRole: 'member' }, { companyRole: 'admin', companyGrant: 'read' }] as const) {
    const other = await addPerson(service, company, ties);
    const shown = await other.api.getSelectedTeam();
    assert.ok(!('usage' in shown) && !('quota' in shown));
    const figures = await readStatus(other);
    assert.ok(!('usage' in figures) && !('quota' in figures));
  }
});
