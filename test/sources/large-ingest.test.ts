import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { prepareChunksNow } from '../../shared/text/prepared-chunks.ts';
import { sendHead } from '../http/sent-heads.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { along, CLAIM } from '../support/team.ts';

/** About 1,500 chunks: many transactions on either database. */
const TEXT = Array.from(
  { length: 20_000 },
  (_, n) => `Paragraph ${n}: pump ${n * 7919} of hall ${n % 97} was read and found to be in order.`,
).join('\n\n');

const app = await openTestApp();

describe('a large ingest', () => {
  let company: SignedIn;
  let url: string;

  before(async () => {
    company = await app.company();
    url = await app.app.listen({ host: '127.0.0.1', port: 0 });
  });

  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      headers: { ...company.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const isBeingWritten = async () => {
    const rows = await app.database.query(
      `select from memory.source where team_id = $1 and state = 'loading'`,
      [company.teamId],
    );
    return rows.length === 1;
  };

  test('a large ingest does not block other requests while its chunks are written', async () => {
    let answered = false;
    const ingest = post('/v1/memory/ingest', { title: 'Large', text: TEXT }).finally(() => {
      answered = true;
    });
    while (!(await isBeingWritten())) {
      assert.ok(!answered, 'its chunks are written batch by batch');
      await nextTurn();
    }

    // Over a socket, which is read only when the process gives the event loop a turn.
    const health = await fetch(`${url}/v1/health`);
    assert.equal(health.status, 200);
    const search = await post('/v1/memory/search', {
      query: 'pump 7919',
      queryEmbedding: Array.from({ length: 1024 }, (_, n) => n + 1),
      embeddingModel: app.config.embeddingModel,
      embeddingDim: 1024,
      scope: {},
    });
    assert.equal(search.status, 200);
    const { hits } = (await search.json()) as { hits: unknown[] };
    assert.deepEqual(hits, [], 'what is not wholly there is not found');
    assert.ok(await isBeingWritten(), 'both were answered before it was through');

    const answer = await ingest;
    assert.equal(answer.status, 201);
    const { chunks, source } = (await answer.json()) as { chunks: number; source: { chunks: number } };
    assert.equal(chunks, prepareChunksNow(company.teamId, { text: TEXT }).length);
    assert.equal(source.chunks, chunks);
  });

  test('stores nothing if the caller disconnects before it is written', async () => {
    const body = JSON.stringify({ title: 'Gone', text: `Gone. ${TEXT}` });
    const { request, answer } = sendHead(url, '/v1/memory/ingest', company.headers, Buffer.byteLength(body));
    request.end(body);
    while (!(await isBeingWritten())) await nextTurn();
    request.destroy();
    await assert.rejects(answer);
    while (await isBeingWritten()) await nextTurn();
    const stored = await app.database.query('select from memory.source where team_id = $1 and title = $2', [
      company.teamId,
      'Gone',
    ]);
    assert.deepEqual(stored, []);
  });

  test('each chunk of a large ingest keeps its own vector', async () => {
    // More chunks than a thread prepares in one portion.
    const chunks = Array.from({ length: 210 }, (_, n) => ({
      text: `Vector ${n}. ${'The pump leaks. '.repeat(26)}`,
      embedding: along(n),
    }));
    const answer = await company.ask.ingestSource({ title: 'Vectors', chunks, ...CLAIM });
    assert.equal(answer.statusCode, 201, answer.body);
    const rows = await app.database.query<{ axis: number }>(
      `select array_position(e.embedding::real[], 1) - 1 as axis from memory.chunk c
         join memory.chunk_embedding e on e.chunk_id = c.id where c.source_id = $1 order by c.ordinal`,
      [answer.json<{ source: { id: string } }>().source.id],
    );
    assert.deepEqual(column(rows, 'axis'), [...chunks.keys()]);
  });
});
