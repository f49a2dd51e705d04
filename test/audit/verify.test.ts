import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { SignedIn } from '../support/app.ts';
import {
  assertWholeChain,
  printSeal,
  readEventIds,
  readSeals,
  recordEvents,
  sealAll,
  tamper,
  verifyAudit,
} from '../support/audit-chain.ts';
import { column } from '../support/columns.ts';
import { openOwnTestApp } from '../support/own-service.ts';

/** What others sealed or broke would count here: a database of the tests' own. */
const service = await openOwnTestApp();
const { database } = service;

/** So many more events at once, with the columns that a list may show. */
async function addEvents({ companyId, ownerId, teamId }: SignedIn, count: number): Promise<void> {
  await database.query(
    `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, layer, subject_type)
     select $1, id, 'memory.search', $2, $3, 'team', 'query' from unnest($4::uuid[]) as id`,
    [companyId, ownerId, teamId, Array.from({ length: count }, newId)],
  );
}

const hex = (hash: Uint8Array | undefined) => Buffer.from(hash ?? []).toString('hex');

describe('GET /v1/company/audit/verify', () => {
  test('counts events that are not sealed yet', async () => {
    const company = await service.company();
    assert.deepEqual(await verifyAudit(company), {
      events: 2,
      unsealed: 2,
      firstBreak: null,
      head: null,
    });
  });

  test('returns the last seal and counts the events after it', async () => {
    const company = await service.company();
    await recordEvents(database, company, 3);
    await sealAll(database);
    const seals = await assertWholeChain(database, company);
    const head = { sequence: 5, hash: hex(seals.at(-1)?.hash) };
    assert.match(head.hash, /^[0-9a-f]{64}$/);
    assert.deepEqual(await verifyAudit(company), { events: 5, unsealed: 0, firstBreak: null, head });
    await recordEvents(database, company, 2);
    assert.deepEqual(await verifyAudit(company), { events: 7, unsealed: 2, firstBreak: null, head });
  });
});

describe('a chain of seals that is longer than one page of the verification', () => {
  for (const count of [1000, 2000, 2001]) {
    test(`verifies a chain of ${count} seals`, async () => {
      const company = await service.company();
      await addEvents(company, count - 2);
      await sealAll(database);
      const last = (await readSeals(database, company)).at(-1);
      const head = { sequence: count, hash: hex(last?.hash) };
      assert.deepEqual(await verifyAudit(company), {
        events: count,
        unsealed: 0,
        firstBreak: null,
        head,
      });
    });
  }

  test('reports a break at any position, with the seal before it', async () => {
    const company = await service.company();
    await addEvents(company, 2003);
    await sealAll(database);
    const seals = await readSeals(database, company);
    const change = (id: string, detail: string) =>
      tamper(database, (tx) =>
        tx.query('update memory.audit_event set detail = $3 where company_id = $1 and id = $2', [
          company.companyId,
          id,
          detail,
        ]),
      );
    // From the last to the first, so that each is the first break when it is made.
    for (const sequence of [2005, 2001, 2000, 1002, 1001, 1000, 999, 2, 1]) {
      const { eventId } = seals[sequence - 1]!;
      await change(eventId, '{"forged": true}');
      const { firstBreak, head } = await verifyAudit(company);
      assert.equal(firstBreak, eventId, `seal ${sequence}`);
      const before = seals[sequence - 2];
      assert.deepEqual(
        head,
        before === undefined ? null : { sequence: sequence - 1, hash: hex(before.hash) },
      );
    }
    await change(seals[0]!.eventId, '{}');
    assert.equal((await verifyAudit(company)).firstBreak, seals[1]?.eventId, 'the first is as it was');
  });

  test('finds a noted seal at any position, and none with another hash, above the last or after a break', async () => {
    const company = await service.company();
    await addEvents(company, 1003);
    await sealAll(database);
    const seals = await readSeals(database, company);
    const contains = async (seal: string) => {
      const { containsSeal, ...others } = await verifyAudit(company, seal);
      return { containsSeal, others };
    };
    const others = await verifyAudit(company);
    assert.ok(!('containsSeal' in others));
    for (const sequence of [1, 999, 1000, 1001, 1005]) {
      const seal = seals[sequence - 1]!;
      assert.deepEqual(await contains(printSeal(seal)), { containsSeal: true, others });
      const other = seals[sequence % seals.length]!;
      const forged = printSeal({ sequence, hash: other.hash });
      assert.deepEqual(await contains(forged), { containsSeal: false, others }, forged);
    }
    const { hash } = seals[1004]!;
    for (const sequence of [1006, 2000, 999_999_999_999_999]) {
      assert.deepEqual(await contains(printSeal({ sequence, hash })), { containsSeal: false, others });
    }
    await tamper(database, (tx) =>
      tx.query(`update memory.audit_event set kind = 'x' where id = $1`, [seals[999]?.eventId]),
    );
    const found = [999, 1000, 1001].map((sequence) => contains(printSeal(seals[sequence - 1]!)));
    assert.deepEqual(column(await Promise.all(found), 'containsSeal'), [true, false, false]);
  });

  for (const left of [1001, 2005]) {
    test(`reports seal ${left} when, of 2005 seals, only that one and the first are left`, async () => {
      const company = await service.company();
      await addEvents(company, 2003);
      await sealAll(database);
      const seals = await readSeals(database, company);
      await tamper(database, (tx) =>
        tx.query('delete from memory.audit_seal where company_id = $1 and sequence <> all ($2::bigint[])', [
          company.companyId,
          [1, left],
        ]),
      );
      const { firstBreak, head } = await verifyAudit(company);
      assert.deepEqual([firstBreak, head?.sequence], [seals[left - 1]?.eventId, 1]);
    });
  }
});

test('a chain that was resealed after a change has a different head', async () => {
  const company = await service.company();
  await recordEvents(database, company, 4);
  await sealAll(database);
  const { head } = await verifyAudit(company);
  await tamper(database, async (tx) => {
    await tx.query('delete from memory.audit_seal where company_id = $1 and sequence > 3', [
      company.companyId,
    ]);
    const [, , , changed, ...later] = await readEventIds(tx, company);
    await tx.query(`update memory.audit_event set detail = '{"n": 99}' where id = $1`, [changed]);
    await tx.query(
      'insert into memory.audit_unsealed (company_id, event_id) select $1, id from unnest($2::uuid[]) as id',
      [company.companyId, [changed, ...later]],
    );
  });
  await sealAll(database);
  const second = await verifyAudit(company);
  assert.deepEqual([second.firstBreak, second.head?.sequence], [null, head?.sequence]);
  assert.notEqual(second.head?.hash, head?.hash);
});
