import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { RECHECK_AFTER_MS } from '../../api/http/recheck-guards.ts';
import { answerVector } from '../../db/queue/query-embeddings.ts';
import { newId } from '../../shared/ids.ts';
import {
  openOtherApi,
  openServerMode,
  queryJobs,
  SMALL_CLAIM,
  sayOfWorker,
} from '../search/server-mode/server-mode.ts';
import { changeAccess } from '../support/access-changes.ts';
import { callerOf, via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { called, callTool } from '../support/mcp.ts';
import { until } from '../support/process-table.ts';
import { addClient, addPerson, addTeam, along, type Caller } from '../support/team.ts';
import { TEST_MODEL } from '../support/test-model.ts';

// No worker runs here: the tests write its heartbeat, and answer for it.
const service = await openServerMode({ MEMORY_QUERY_EMBEDDING_TIMEOUT_MS: '240000' });
const WORKER = newId();

interface Found {
  results: { title: string; text: string }[];
  mode: string;
  note?: string;
}

/** The id of the query that waits in the queue, once it is there. */
async function waitingQuery(t: { signal: AbortSignal }): Promise<string> {
  let id: string | undefined;
  await until(t.signal, async () => {
    id = (await queryJobs(service)).find(({ state }) => state === 'created')?.id;
    return id !== undefined;
  });
  return id!;
}

/** Answers a query as a worker does. */
async function answer(id: string): Promise<void> {
  await service.database.query(`update pgboss.job set state = 'active' where id = $1`, [id]);
  await answerVector(service.database, { id, vector: Float32Array.from(along(1)), model: TEST_MODEL });
}

const ingest = (caller: Caller, text: string, scope: object = {}) =>
  caller.ask.ingestSource({
    title: text,
    chunks: [{ text, embedding: along(1) }],
    scope,
    ...SMALL_CLAIM,
  });

describe('the tool search where the service makes query vectors', () => {
  test('finds by meaning, and whoami says so', async (t) => {
    const company = await service.company();
    await ingest(company, 'the lighthouse keeper');
    await sayOfWorker(service, WORKER, { state: 'ready' });
    const asked = called<Found>(company, 'search', { query: 'zzyzx' });
    await answer(await waitingQuery(t));
    const { results, mode, note } = await asked;
    assert.deepEqual(column(results, 'text'), ['the lighthouse keeper']);
    assert.deepEqual([mode, note], ['server', undefined]);
    const { embedding } = await called(company, 'whoami');
    assert.deepEqual(embedding, { mode: 'server', model: TEST_MODEL, search: 'server' });
  });

  test('finds by keywords if no vector is ready in time, and says so', async (t) => {
    const company = await service.company();
    await ingest(company, 'the lighthouse keeper');
    await sayOfWorker(service, WORKER, { state: 'ready' });
    const api = await openOtherApi(t, service, { queryEmbeddingTimeoutMs: 50 });
    const { results, mode, note } = await called<Found>(via(api, company), 'search', { query: 'lighthouse' });
    assert.equal(results.length, 1);
    assert.equal(mode, 'keyword');
    assert.match(note ?? '', /keywords only: the query vector was not ready in time/);
    await service.database.query(`delete from pgboss.job where name = 'embed.query'`);
  });

  for (const { what, client, expected } of [
    { what: 'the grant was deleted', client: 'named', expected: 'scope_forbidden' },
    { what: 'the grant was deleted', client: 'all', expected: 'ok' },
    { what: 'the account was closed', client: 'all', expected: 'unauthenticated' },
  ] as const) {
    test(`returns ${expected} after ${what} while it waited (client: ${client})`, async (t) => {
      const company = await service.company();
      await addTeam(service, company);
      const clientId = await addClient(service, company);
      const clients = { [clientId]: 'write' } as const;
      const person = await addPerson(service, company, { teamRole: 'member', clients });
      await ingest(person, 'the lighthouse of the client', { clientId });
      await sayOfWorker(service, WORKER, { state: 'ready' });
      // The Team is named by the argument, so the recheck must be for it.
      const unnamed = callerOf(service.app, { authorization: person.headers.authorization });
      const named = { team: company.teamId, client: client === 'all' ? 'all' : clientId };
      const asked = callTool<Found>(unnamed, 'search', { query: 'lighthouse', ...named });
      const id = await waitingQuery(t);
      await changeAccess(service, what, { company, person, clientId });
      // Anything shorter than this counts as one moment.
      await pause(RECHECK_AFTER_MS);
      await answer(id);
      const { isError, text } = await asked;
      assert.equal(isError ? text.split(':', 1)[0] : 'ok', expected, text);
      assert.ok(!text.includes('lighthouse of'), text);
    });
  }
});
