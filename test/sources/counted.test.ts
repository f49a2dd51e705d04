import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_TOTAL } from '../../shared/schemas/common.ts';
import { openTestApp } from '../support/app.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

interface Page {
  items: unknown[];
  nextCursor: string | null;
  total?: number | null;
  totalAtLeast?: number;
}

async function read(caller: Caller, url: string): Promise<Page> {
  const answer = await caller.send('GET', url);
  assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`);
  return answer.json<Page>();
}

test('the total of sources follows filters, rights, archiving and expiry', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const total = async (caller: Caller, query = '') =>
    (await read(caller, `/v1/memory/sources?count=true&limit=1${query}`)).total;
  const [, second] = [await addSource(company, { tags: ['x'] }), await addSource(company)];
  await addSource(company, { scope: { clientId } });
  const member = await addPerson(service, company, { teamRole: 'member' });
  assert.deepEqual([await total(company), await total(member)], [3, 2]);
  assert.deepEqual([await total(company, `&clientId=${clientId}`), await total(company, '&tag=x')], [1, 1]);
  await archived(company, second.id);
  const due = await addSource(company);
  await service.database.query('update memory.source set expires_at = now() where id = $1', [due.id]);
  assert.deepEqual([await total(company, '&state=active'), await total(company, '&state=archived')], [2, 2]);
  assert.deepEqual([await total(company, '&kind=import'), await total(company, '&kind=ingest')], [0, 4]);
});

test(`above ${MAX_TOTAL} rows, a total is null, and how many there are at least is said`, async () => {
  const company = await service.company();
  const add = (rows: number) =>
    service.database.query(
      `insert into memory.source (team_id, id, layer_id, kind, state, title, content_hash, created_by)
       select $1, identity.new_id(), $1, 'ingest', 'active', 'A title', sha256(random()::text::bytea), $2
         from generate_series(1, $3::int)`,
      [company.teamId, company.ownerId, rows],
    );
  await add(MAX_TOTAL);
  // Tallies count the list without a text, and its rows are counted with one.
  for (const query of ['', '&q=title']) {
    const { total, totalAtLeast } = await read(company, `/v1/memory/sources?count=true${query}`);
    assert.deepEqual([total, totalAtLeast], [MAX_TOTAL, undefined]);
  }
  await add(1);
  for (const query of ['', '&q=title']) {
    const { total, totalAtLeast } = await read(company, `/v1/memory/sources?count=true${query}`);
    assert.deepEqual([total, totalAtLeast], [null, MAX_TOTAL]);
  }
});
