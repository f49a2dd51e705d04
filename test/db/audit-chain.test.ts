import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { asWorker, transaction, withoutScope } from '../../db/driver/database.ts';
import { call } from '../../db/queries/call.ts';
import { newId } from '../../shared/ids.ts';
import {
  assertWholeChain,
  printJsonb,
  readEventIds,
  readSeals,
  recordEvent,
  recordEvents,
  sealAll,
} from '../support/audit-chain.ts';
import { createTestCompany, type TestCompany } from '../support/needs/database.ts';
import { openOwnDatabase } from '../support/needs/own-database.ts';
import { ownerScope } from '../support/scopes.ts';
import { DENIED } from './isolation/walls.ts';

/** Sealing goes over the events of all Companies, so these tests have a database of their own. */
const database = await openOwnDatabase();
after(() => database.close());
await sealAll(database);

const seal = ({ companyId }: TestCompany, limit: number) =>
  asWorker(database, (tx) => call(tx, 'memory.seal_audit', companyId, limit));

test('audit seals and the list of unsealed events cannot be read or written by the service role', async () => {
  const company = await createTestCompany(database);
  await sealAll(database);
  await recordEvents(database, company, 1);
  const [event = ''] = (await readEventIds(database, company)).slice(-1);
  const ids = `'${company.companyId}', '${event}'`;
  for (const statement of [
    'select from memory.audit_seal',
    'update memory.audit_seal set event_id = event_id',
    'delete from memory.audit_seal',
    `insert into memory.audit_seal (company_id, event_id, sequence, hash) values (${ids}, 3, '')`,
    `insert into memory.audit_unsealed (company_id, event_id) values (${ids})`,
    `update memory.audit_unsealed set event_id = '${newId()}'`,
    'delete from memory.audit_unsealed',
    'truncate memory.audit_unsealed',
    'alter table memory.audit_seal disable trigger all',
    'alter table memory.audit_event disable trigger all',
    'alter table memory.audit_event disable row level security',
    `select memory.audit_hash(e, '') from memory.audit_event e`,
    'create or replace function memory.audit_hash(e memory.audit_event, p_previous bytea) returns bytea language sql return p_previous',
  ]) {
    const scoped = transaction(database, ownerScope(company), (tx) => tx.query(statement));
    await assert.rejects(scoped, { code: DENIED }, statement);
    const unscoped = withoutScope(database, (tx) => tx.query(statement));
    await assert.rejects(unscoped, { code: DENIED }, statement);
  }
  await sealAll(database);
  assert.equal((await assertWholeChain(database, company)).length, 3);
});

describe('sealing audit events', () => {
  for (const token of [null, newId()]) {
    test(`gives a hand-written event ${token === null ? '' : 'of an agent token '}the documented hash`, async () => {
      const company = await createTestCompany(database);
      const { companyId, ownerId, teamId } = company;
      await sealAll(database);
      const [id, subject] = [newId(), newId()];
      await database.query(
        `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, layer, subject_type, subject_id,
           detail, at, token_id) values ($1, $2, 'memory.search', $3, $4, 'team', 'query', $5, $6, $7, $8)`,
        [
          companyId,
          id,
          ownerId,
          teamId,
          subject,
          '{"topK": 8, "hits": []}',
          '2026-01-31T12:34:56.123456Z',
          token,
        ],
      );
      await sealAll(database);
      const [, before, last] = await readSeals(database, company);
      const text =
        `["${companyId}", "${id}", "memory.search", "${ownerId}", "${teamId}", null, "team", "query", ` +
        `"${subject}", {"hits": [], "topK": 8}, 1769862896123456${token === null ? '' : `, "${token}"`}]`;
      const expected = createHash('sha256').update(before!.hash).update(text).digest('hex');
      assert.equal(last?.hash.toString('hex'), expected);
      await assertWholeChain(database, company);
    });
  }

  test('seals details of every JSON type', async () => {
    const company = await createTestCompany(database);
    const details: Record<string, unknown>[] = [
      {},
      { b: 1, a: 2, aa: 3, é: 4, ab: 5, '😀': 6, zzz: 7, '': 8 },
      { text: 'say "no"\\ / \b\f\n\r\t\u0001\u001f\u007f\u2028 é 漢 😀' },
      { 'a "key"\n': [null, true, false, 0, -1, 0.5, 12345.678, Number.MAX_SAFE_INTEGER] },
      { deep: { er: [{}, [], [[{ x: [] }]]] } },
    ];
    for (const detail of details) {
      await transaction(database, ownerScope(company), (tx) => recordEvent(tx, detail));
      const [row] = await database.query<{ printed: string }>('select $1::jsonb::text as printed', [
        JSON.stringify(detail),
      ]);
      assert.equal(printJsonb(detail), row?.printed, 'the test prints as the database does');
    }
    await sealAll(database);
    assert.equal((await assertWholeChain(database, company)).length, details.length + 2);
  });

  test('seals at most the given number of events per run, oldest first, until all are sealed', async () => {
    const company = await createTestCompany(database);
    await recordEvents(database, company, 5);
    const ids = await readEventIds(database, company);
    for (const [sealed, all] of [
      [3, 3],
      [3, 6],
      [1, 7],
      [0, 7],
    ] as const) {
      assert.equal(await seal(company, 3), sealed);
      const seals = await readSeals(database, company);
      assert.deepEqual(
        seals.map(({ eventId }) => eventId),
        ids.slice(0, all),
      );
    }
    await assertWholeChain(database, company);
  });

  test('seals a late event after the events that are sealed already, even if its id is older', async () => {
    const company = await createTestCompany(database);
    const late = newId();
    await recordEvents(database, company, 2);
    await sealAll(database);
    await database.query(
      `insert into memory.audit_event (company_id, id, kind, actor_id, subject_type)
       values ($1, $2, 'memory.search', $3, 'query')`,
      [company.companyId, late, company.ownerId],
    );
    await recordEvents(database, company, 1);
    await sealAll(database);
    const order = (await assertWholeChain(database, company)).map(({ eventId }) => eventId);
    const [made, team, oldest, first, second, last] = await readEventIds(database, company);
    assert.equal(oldest, late);
    assert.deepEqual(order, [made, team, first, second, late, last]);
  });
});
