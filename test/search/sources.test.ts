import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived } from '../support/source-library.ts';
import {
  addClient,
  addPerson,
  addTeam,
  type Caller,
  faultyFields,
  withoutRequestId,
} from '../support/team.ts';
import { addImported, askForHerons, EVERYWHERE, heronsOf } from './heron-search.ts';

const service = await openTestApp();
const { database } = service;
const ask = (caller: Caller, body: object) => askForHerons(caller, body);
const hitsOf = (caller: Caller, body: object) => heronsOf(caller, body);

describe('a search with sourceIds', () => {
  async function cast() {
    const company = await service.company();
    const [mine, other] = [await addClient(service, company), await addClient(service, company)];
    const add = async (clientId?: string) =>
      (await addSource(company, { text: `heron ${newId()}`, scope: { clientId } })).id;
    return {
      company,
      mine,
      other,
      inTeam: await add(),
      inMine: await add(mine),
      inOther: await add(other),
      member: await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'read' } }),
    };
  }

  test('a search finds nothing in a source that is outside the scope or archived', async () => {
    const { company, mine, inTeam, inMine, member } = await cast();
    const found = async (caller: Caller, sourceIds: string[], scope: object) =>
      (await hitsOf(caller, { sourceIds, scope })).map((hit) => hit.source_id);
    assert.deepEqual(await found(member, [inMine], {}), []);
    assert.deepEqual(await found(member, [inTeam], { clientId: mine, include: ['client'] }), []);
    assert.deepEqual(await found(member, [inTeam, inMine], {}), [inTeam]);
    assert.deepEqual(await found(member, [inMine], { clientId: mine }), [inMine]);
    await archived(company, inMine);
    assert.deepEqual(await found(member, [inMine], { clientId: mine }), []);
    assert.deepEqual(await found(member, [inMine, inTeam], EVERYWHERE), [inTeam]);
  });

  test('a search returns the same 404 for a source that is inaccessible or does not exist', async () => {
    const { company, mine, inTeam, inMine, inOther, member } = await cast();
    const stranger = await service.company();
    const second = { ...company, teamId: await addTeam(service, company) };
    const unreachable = [
      inOther,
      newId(),
      'nonsense',
      '',
      `${inTeam} `,
      company.teamId,
      mine,
      (await addSource(stranger)).id,
      await addImported(service, second, 'heron'),
    ];
    const bodies = new Set<string>();
    for (const id of unreachable) {
      for (const sourceIds of [[id], [inTeam, id], [id, inMine]]) {
        for (const scope of [{}, { clientId: mine }, EVERYWHERE]) {
          const answer = await ask(member, { sourceIds, scope });
          assert.equal(outcome(answer), '404 not_found', `${id} in ${JSON.stringify(scope)}`);
          bodies.add(withoutRequestId(answer.body));
        }
      }
    }
    assert.equal(bodies.size, 1);
    assert.equal((await hitsOf(company, { sourceIds: [inOther] })).length, 1, 'the Owner reaches it');
  });

  test('a search returns 404 for a source of an archived client or one that is being written', async () => {
    const { company, mine, inMine, inTeam, member } = await cast();
    await database.query(`update memory.source set state = 'loading' where id = $1`, [inTeam]);
    assert.equal(outcome(await ask(company, { sourceIds: [inTeam] })), '404 not_found');
    await database.query(`update identity.client set state = 'archived' where id = $1`, [mine]);
    for (const caller of [company, member]) {
      assert.equal(outcome(await ask(caller, { sourceIds: [inMine] })), '404 not_found');
    }
  });

  test('a search returns 403 for a forbidden scope before 404 for a source', async () => {
    const { other, inOther, inTeam, member } = await cast();
    for (const id of [inOther, inTeam, newId()]) {
      const answer = await ask(member, { sourceIds: [id], scope: { clientId: other } });
      assert.equal(outcome(answer), '403 scope_forbidden');
    }
  });
});

test('a search returns 400 and names the field of an invalid filter', async () => {
  const company = await service.company();
  const id = newId();
  for (const [body, path] of [
    [{ kinds: [] }, '/kinds'],
    [{ kinds: 'ingest' }, '/kinds'],
    [{ kinds: ['ingest', 'ingest'] }, '/kinds'],
    [{ kinds: ['Ingest'] }, '/kinds/0'],
    [{ kinds: [null] }, '/kinds/0'],
    [{ kinds: null }, '/kinds'],
    [{ sourceIds: [] }, '/sourceIds'],
    [{ sourceIds: id }, '/sourceIds'],
    [{ sourceIds: Array.from({ length: 201 }, () => id) }, '/sourceIds'],
    [{ sourceIds: [1] }, '/sourceIds/0'],
    [{ sourceIds: null }, '/sourceIds'],
    [{ createdAfter: 'yesterday' }, '/createdAfter'],
    [{ createdAfter: '2025-03-01' }, '/createdAfter'],
    [{ createdAfter: '2025-03-01T08:00:00' }, '/createdAfter'],
    [{ createdAfter: '2016-12-31T23:59:60Z' }, '/createdAfter'],
    [{ createdAfter: '0000-06-01T00:00:00Z' }, '/createdAfter'],
    [{ createdAfter: 1_740_816_000_000 }, '/createdAfter'],
    [{ createdBefore: '2025-02-30T08:00:00Z' }, '/createdBefore'],
    [{ createdBefore: '' }, '/createdBefore'],
    [{ createdBefore: null }, '/createdBefore'],
    [{ minSimilarity: 1.01 }, '/minSimilarity'],
    [{ minSimilarity: -1.01 }, '/minSimilarity'],
    [{ minSimilarity: '0.5' }, '/minSimilarity'],
    [{ minSimilarity: null }, '/minSimilarity'],
    [{ explain: 'true' }, '/explain'],
    [{ explain: 1 }, '/explain'],
    [{ explain: null }, '/explain'],
    [{ filters: {} }, '/filters'],
    [{ kind: ['ingest'] }, '/kind'],
    [{ scope: { sourceIds: [id] } }, '/scope/sourceIds'],
  ] as const) {
    const answer = await ask(company, body);
    assert.equal(outcome(answer), '400 invalid_request', JSON.stringify(body).slice(0, 80));
    assert.deepEqual(faultyFields(answer), [path], JSON.stringify(body).slice(0, 80));
  }
  const ids = Array.from({ length: 200 }, () => id);
  assert.equal(outcome(await ask(company, { sourceIds: ids })), '404 not_found', '200 are not too many');
});
