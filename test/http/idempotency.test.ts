import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { base64Of } from '../support/base64-vector.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, along, type Caller, CLAIM, inTeam } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const { database } = service;

const ingest = (caller: Caller, key: string, body: object) =>
  caller.ask.ingestSource({ title: 'x', ...body }, { 'idempotency-key': key });
const importFile = (caller: Caller, key: string, text: string) =>
  caller.ask.importFiles({ items: [{ filename: 'a.txt', text }] }, { 'idempotency-key': key });

async function count(company: SignedIn, table: 'source' | 'import' | 'idempotency_key'): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*) as n from memory.${table} where team_id = $1`,
    [company.teamId],
  );
  return row?.n ?? 0;
}

describe('an Idempotency-Key', () => {
  test('a repeated request returns the first status and body and has one effect', async () => {
    const company = await service.company();
    for (const [send, table] of [
      [() => ingest(company, 'k', { text: 'once' }), 'source'],
      [() => importFile(company, 'k', 'once'), 'import'],
    ] as const) {
      const first = await send();
      const again = await send();
      assert.deepEqual([again.statusCode, again.body], [first.statusCode, first.body]);
      assert.ok(first.statusCode === 201 || first.statusCode === 202);
      assert.equal(await count(company, table), 1);
    }
    const [events] = await database.query<{ n: number }>(
      `select count(*) as n from memory.audit_event
        where company_id = $1 and kind in ('memory.ingest', 'memory.import')`,
      [company.companyId],
    );
    assert.equal(events?.n, 2);
  });

  test('a repeated request returns the first response, however its path is spelled', async () => {
    const company = await service.company();
    const send = (path: string) =>
      company.send('POST', path, { title: 'x', text: 'once' }, { 'idempotency-key': 'k' });
    const first = await send('/v1/memory/ingest');
    for (const path of ['/v1/memory/%69ngest', '/v1/memory/ingest?x']) {
      const again = await send(path);
      assert.deepEqual([again.statusCode, again.body], [first.statusCode, first.body], path);
    }
    const [stored] = await database.query<{ route: string }>(
      'select route from memory.idempotency_key where team_id = $1',
      [company.teamId],
    );
    assert.equal(stored?.route, 'POST /v1/memory/ingest');
  });

  test('a request with its vector in the other encoding is another body', async () => {
    const company = await service.company();
    const send = (embedding: unknown) =>
      ingest(company, 'k', { chunks: [{ text: 'once', embedding }], ...CLAIM });
    assert.equal((await send(along(3))).statusCode, 201);
    assert.equal(outcome(await send(base64Of(along(3)))), '422 idempotency_key_reused');
  });

  test('a repeated request returns the stored response even if the record has changed since', async () => {
    const company = await service.company();
    const first = await ingest(company, 'k', { text: 'first', externalId: 'doc' });
    await ingest(company, 'other', { text: 'second', externalId: 'doc' });
    const again = await ingest(company, 'k', { text: 'first', externalId: 'doc' });
    assert.deepEqual([again.statusCode, again.body], [first.statusCode, first.body]);
  });

  test('the same key with another body returns 422 and keeps the first response', async () => {
    const company = await service.company();
    const first = await ingest(company, 'k', { text: 'first' });
    assert.equal(outcome(await ingest(company, 'k', { text: 'second' })), '422 idempotency_key_reused');
    assert.equal(
      outcome(await ingest(company, 'k', { text: 'first', uri: 'x:y' })),
      '422 idempotency_key_reused',
    );
    assert.equal((await ingest(company, 'k', { text: 'first' })).body, first.body);
    assert.equal(await count(company, 'source'), 1);
  });

  test('the same key of another caller, Team or route is a different key', async () => {
    const company = await service.company();
    const colleague = await addPerson(service, company, { teamRole: 'member' });
    const elsewhere = inTeam(company, await addTeam(service, company));
    const answers = [
      await ingest(company, 'k', { text: 'mine' }),
      await ingest(colleague, 'k', { text: 'theirs' }),
      await ingest(elsewhere, 'k', { text: 'elsewhere' }),
    ];
    assert.deepEqual(column(answers, 'statusCode'), [201, 201, 201]);
    assert.equal((await importFile(company, 'k', 'a file')).statusCode, 202);
  });

  test('concurrent requests with one key have one effect; each gets its response or 409', async () => {
    const company = await service.company();
    const long = Array.from({ length: 120 }, (_, n) => ({ text: `part ${n}` }));
    const batches = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => importFile(company, 'k', 'a race'))),
      Promise.all(
        Array.from({ length: 8 }, () => ingest(company, 'k', { chunks: long, externalId: 'race' })),
      ),
    ]);
    for (const [answers, status] of [
      [batches[0], 202],
      [batches[1], 201],
    ] as const) {
      const done = answers.filter((answer) => answer.statusCode === status);
      assert.ok(done.length >= 1);
      assert.equal(new Set(done.map((answer) => answer.body)).size, 1);
      for (const answer of answers) {
        if (answer.statusCode !== status) assert.equal(outcome(answer), '409 idempotency_in_progress');
      }
    }
    assert.equal(await count(company, 'import'), 1);
    const replayed = await importFile(company, 'k', 'a race');
    assert.equal(replayed.statusCode, 202);
  });

  test('a key of a rejected request can be used again', async () => {
    const company = await service.company();
    const stranger = await addClient(service, await service.company());
    assert.equal(outcome(await ingest(company, 'k', {})), '400 invalid_request');
    const outside = await ingest(company, 'k', { text: 'x', scope: { clientId: stranger } });
    assert.equal(outcome(outside), '403 scope_forbidden');
    assert.equal(await count(company, 'idempotency_key'), 0);
    assert.equal((await ingest(company, 'k', { text: 'x' })).statusCode, 201);
  });

  test('a repeated request is authorised again before the response is replayed', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'write' },
    });
    const send = () => ingest(member, 'k', { text: 'x', scope: { clientId } });
    const first = await send();
    assert.equal(first.statusCode, 201);
    const setGrant = (access: string) =>
      database.query('update identity.client_grant set access = $2 where user_id = $1', [
        member.userId,
        access,
      ]);
    await setGrant('read');
    assert.equal(outcome(await send()), '403 scope_forbidden');
    await setGrant('write');
    assert.equal((await send()).body, first.body);
    await database.query('delete from identity.team_member where user_id = $1', [member.userId]);
    assert.equal(outcome(await send()), '403 team_forbidden');
  });

  test('a key expires after a day', async () => {
    const company = await service.company();
    const first = await ingest(company, 'k', { text: 'a', externalId: 'doc' });
    const age = (hours: number) =>
      database.query(
        `update memory.idempotency_key set created_at = now() - make_interval(hours => $2) where team_id = $1`,
        [company.teamId, hours],
      );
    await age(23);
    assert.equal((await ingest(company, 'k', { text: 'a', externalId: 'doc' })).body, first.body);
    await age(25);
    assert.equal((await ingest(company, 'k', { text: 'b', externalId: 'doc' })).statusCode, 200);
    assert.equal((await ingest(company, 'k', { text: 'b', externalId: 'doc' })).statusCode, 200);
    assert.equal(await count(company, 'idempotency_key'), 1);
  });

  test('a key must have 1 to 300 characters, and only its hash is stored', async () => {
    const company = await service.company();
    for (const key of ['', '   ', 'x'.repeat(301)]) {
      assert.equal(outcome(await ingest(company, key, { text: 'x' })), '400 invalid_request');
    }
    assert.equal((await ingest(company, 'tell-tale'.padEnd(300, '-'), { text: 'x' })).statusCode, 201);
    const [row] = await database.query<{ row: string }>(
      'select k::text as row from memory.idempotency_key k where team_id = $1',
      [company.teamId],
    );
    assert.doesNotMatch(row?.row ?? '', /tell-tale/);
  });
});

test('a repeated push returns the first response and makes no version; another body returns 422', async () => {
  const company = await service.company();
  const owner = workspaceOf(service.app, company.headers);
  const push = (content: string, baseVersion?: number) =>
    owner.push([file('team/a', content, baseVersion)], { 'idempotency-key': 'k' });
  const { events } = await recordedBy(service, company, async () => {
    const first = await push('1');
    await owner.push([file('team/a', '2', 1)]);
    assert.deepEqual(await push('1'), first);
    const other = await push('3', 2);
    assert.deepEqual([other.status, other.code], [422, 'idempotency_key_reused']);
  });
  assert.equal(events.length, 2);
  assert.equal(await owner.content('team/a'), '2');
});
