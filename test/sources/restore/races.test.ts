import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asWorker } from '../../../db/driver/database.ts';
import { call } from '../../../db/queries/call.ts';
import type { IngestResponse } from '../../../shared/schemas/sources.ts';
import type { SignedIn } from '../../support/app.ts';
import { via } from '../../support/client/client.ts';
import { column, columns } from '../../support/columns.ts';
import { recordedBy } from '../../support/company.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { openSecondApp } from '../../support/second-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, archived, listSources, readSource } from '../../support/source-library.ts';
import { keptRows } from './kept.ts';

/** The job that deletes what is kept goes over all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const ROUNDS = 6;

const newText = () => `The ocelot ${crypto.randomUUID()}`;

async function archivedSource(company: SignedIn, body: object): Promise<string> {
  const { id } = await addSource(company, body);
  await archived(company, id);
  return id;
}

/** Asserts that active sources have all their chunks, and that the chunks of all others are kept. */
async function assertWhole(company: SignedIn, sources: number): Promise<void> {
  const listed = await listSources(company, '?limit=200');
  assert.equal(listed.length, sources);
  for (const { id, state, chunks } of listed) {
    assert.equal((await readSource(company, id)).chunks.length, state === 'active' ? chunks : 0);
  }
  const kept = await keptRows(service, company);
  assert.equal(kept.sources, listed.filter(({ state }) => state === 'archived').length);
}

describe('requests to restore a source that race', () => {
  test('with each other: one of six restores it, and five get 409', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service, service.url);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await archivedSource(company, { text: newText() });
      const { events } = await recordedBy(service, company, async () => {
        const answers = await Promise.all(
          Array.from({ length: 6 }, (_, n) =>
            via(n % 2 === 0 ? service : second, company).ask.restoreSource(id),
          ),
        );
        const refused = Array.from({ length: 5 }, () => '409 conflict');
        assert.deepEqual(answers.map(outcome).sort(), ['200', ...refused]);
      });
      assert.deepEqual(columns(events, 'kind', 'subjectId'), [['memory.restore', id]]);
    }
    await assertWhole(company, ROUNDS);
  });

  test('with a restore of another source with its text or external id: one of both wins', async (t) => {
    const second = await openSecondApp(t, service, service.url);
    for (const same of ['text', 'externalId']) {
      for (let round = 0; round < ROUNDS; round++) {
        const company = await service.company();
        const common = same === 'text' ? { text: newText() } : { externalId: 'doc' };
        const [a, b] = [await archivedSource(company, common), await archivedSource(company, common)];
        const answers = await Promise.all([
          company.ask.restoreSource(a),
          via(second, company).ask.restoreSource(b),
        ]);
        assert.deepEqual(answers.map(outcome).sort(), ['200', '409 conflict']);
        await assertWhole(company, 2);
      }
    }
  });

  for (const named of [{}, { externalId: 'doc' }]) {
    const what = 'externalId' in named ? 'external id' : 'text';
    test(`with an ingest of its ${what}: there is one active source with it`, async (t) => {
      const second = await openSecondApp(t, service, service.url);
      for (let round = 0; round < ROUNDS; round++) {
        const company = await service.company();
        const old = newText();
        const id = await archivedSource(company, { ...named, text: old });
        const text = 'externalId' in named ? newText() : old;
        const [answer, stored] = await Promise.all([
          company.ask.restoreSource(id),
          via(second, company).ask.ingestSource({ title: 'x', ...named, text }),
        ]);
        const { source } = stored.json<IngestResponse>();
        const isRestored = outcome(answer) === '200';
        assert.deepEqual(
          [outcome(answer), outcome(stored), source.id === id],
          isRestored ? ['200', '200', true] : ['409 conflict', '201', false],
        );
        assert.deepEqual(column(await listSources(company, '?state=active'), 'id'), [source.id]);
        assert.equal((await readSource(company, source.id)).chunks[0]?.text, text);
        await assertWhole(company, isRestored ? 1 : 2);
      }
    });
  }

  test('with a purge: the source is gone', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service, service.url);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await archivedSource(company, { text: newText() });
      const [answer, purged] = await Promise.all([
        company.ask.restoreSource(id),
        via(second, company).ask.purgeSource(id),
      ]);
      assert.match(outcome(answer), /^(200|404 not_found)$/);
      assert.equal(outcome(purged), '204');
    }
    await assertWhole(company, 0);
    assert.deepEqual(await keptRows(service, company), { sources: 0, chunks: 0 });
  });

  test('with the job that deletes what is kept: it is restored whole, or not at all', async (t) => {
    const second = await openSecondApp(t, service, service.url);
    for (let round = 0; round < ROUNDS; round++) {
      const company = await service.company();
      const chunks = Array.from({ length: 5 }, (_, n) => ({ text: `${newText()} ${n}` }));
      const id = await archivedSource(company, { chunks });
      const prune = async () => {
        // As if this process had the setting 0: each transaction deletes one row.
        for (let n = 0; n < round; n++)
          await asWorker(second.database, (tx) => call(tx, 'memory.prune_kept_sources', 0, 1));
      };
      const [answer] = await Promise.all([company.ask.restoreSource(id), prune()]);
      const source = await readSource(company, id);
      if (outcome(answer) === '200') assert.deepEqual([source.state, source.chunks.length], ['active', 5]);
      else assert.deepEqual([outcome(answer), source.state], ['409 conflict', 'archived']);
      while ((await asWorker(service.database, (tx) => call(tx, 'memory.prune_kept_sources', 0, 100))) > 0);
      assert.deepEqual(await keptRows(service, company), { sources: 0, chunks: 0 });
    }
  });
});
