import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expireItems, expireSources, inDays, storedStates } from '../../sources/expiry/expire.ts';
import { columns } from '../../support/columns.ts';
import { recordedBy } from '../../support/company.ts';
import { doJob } from '../../support/do-job.ts';
import { databaseError, failingDatabase } from '../../support/failing-database.ts';
import { addMemories, searchRows } from '../../support/memories.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, archiveTeam, type Caller } from '../../support/team.ts';
import { runJob } from './run-job.ts';

/** The job goes over the records of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;
const run = () => doJob(database, 'records.expire', {});

const expired = async (caller: Caller) => (await caller.api.getStatus()).expired;

describe('the job records.expire', () => {
  test('archives sources, memories and items in review that have expired, with one event each', async () => {
    const company = await service.company();
    const source = await addSource(company, { chunks: [{ text: 'a heron' }, { text: 'a gull' }] });
    const later = await addSource(company, { expiresAt: inDays(1) });
    const never = await addSource(company);
    const [memory] = await addMemories(company, 'published', [{ content: 'The heron rule.' }]);
    const [item] = await addMemories(company, 'review', [{}]);
    await expireSources(service, source.id, memory!.sourceId);
    await expireItems(service, item!.id);
    assert.equal(await expired(company), 3);

    const { events, text } = await recordedBy(service, company, async () => {
      assert.deepEqual(await run(), ['records.expire']);
    });
    const ids = [source.id, memory!.sourceId!, memory!.id, item!.id];
    assert.deepEqual(await storedStates(service, ...ids), ['archived', 'archived', 'archived', 'archived']);
    assert.deepEqual(await storedStates(service, later.id, never.id), ['active', 'active']);
    const { version, sourceId } = memory!;
    assert.deepEqual(columns(events, 'kind', 'subjectType', 'subjectId', 'detail'), [
      ['memory.expire', 'memory', memory!.id, { version, sourceId, chunks: 1 }],
      ['memory.expire', 'source', source.id, { chunks: 2 }],
      ['memory.expire', 'memory', item!.id, { version: item!.version }],
    ]);
    assert.doesNotMatch(text, /heron|gull/);
    assert.equal(await expired(company), 0);
    assert.deepEqual(await searchRows(service, company), { chunks: 2, terms: 2, vectors: 0, pending: 2 });

    const again = await recordedBy(service, company, run);
    assert.deepEqual(again.events, []);
  });

  test('archives any number of records, also of archived Teams and clients', async () => {
    const [first, second] = [await service.company(), await service.company()];
    const ids: string[] = [];
    for (let n = 0; n < 60; n += 1) ids.push((await addSource(first)).id);
    const clientId = await addClient(service, second);
    const ofClient = await addSource(second, { scope: { clientId } });
    const ofTeam = await addSource(second);
    await expireSources(service, ...ids, ofClient.id, ofTeam.id);
    await database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    await archiveTeam(service, second.teamId);
    await run();
    const states = await storedStates(service, ...ids, ofClient.id, ofTeam.id);
    assert.deepEqual(new Set(states), new Set(['archived']));
    assert.equal(states.length, 62);
  });

  test('archives a source once while its text is stored again', async () => {
    const company = await service.company();
    const body = { title: 'T', text: 'A heron.' };
    const { id } = await addSource(company, body);
    await expireSources(service, id);
    const { events } = await recordedBy(service, company, async () => {
      const answers = await Promise.all([
        run(),
        company.ask.ingestSource(body),
        run(),
        company.ask.ingestSource(body),
      ]);
      assert.deepEqual(
        answers.flatMap((answer) => ('statusCode' in answer ? [answer.statusCode] : [])).sort(),
        [200, 201],
      );
    });
    assert.deepEqual(events.map(({ kind }) => kind).sort(), ['memory.expire', 'memory.ingest']);
  });

  test('archives the records of the other layers if those of one cannot be archived, and fails', async () => {
    const [broken, sound] = [await service.company(), await service.company()];
    const ids = [(await addSource(broken)).id, (await addSource(sound)).id] as const;
    await expireSources(service, ...ids);
    let layers = 0;
    const failing = failingDatabase(database, (statement) => {
      if (!statement.includes('for update skip locked')) return null;
      layers += 1;
      return layers === 1 ? databaseError('XX000') : null;
    });
    const { completed, error } = await runJob(service, 'records.expire', { on: failing });
    assert.ok(error instanceof AggregateError);
    assert.deepEqual(completed, []);
    assert.deepEqual((await storedStates(service, ...ids)).sort(), ['active', 'archived']);
    await run();
    assert.deepEqual(await storedStates(service, ...ids), ['archived', 'archived']);
  });
});
