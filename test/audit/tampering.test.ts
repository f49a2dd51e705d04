import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Queryable } from '../../db/driver/database.ts';
import { newId } from '../../shared/ids.ts';
import type { SignedIn } from '../support/app.ts';
import { readEventIds, recordEvents, sealAll, tamper, verifyAudit } from '../support/audit-chain.ts';
import { openOwnTestApp } from '../support/own-service.ts';

/** A separate database, whose owner can do what no role of the service can. */
const service = await openOwnTestApp();
const { database } = service;

/** A Company with eight sealed and two unsealed events, oldest first, and another Company. */
interface Sealed {
  company: SignedIn;
  other: SignedIn;
  ids: string[];
}

async function openSealed(): Promise<Sealed> {
  const [company, other] = [await service.company(), await service.company()];
  await recordEvents(database, company, 6);
  await sealAll(database);
  await recordEvents(database, company, 2);
  const ids = await readEventIds(database, company);
  const { events, unsealed, firstBreak } = await verifyAudit(company);
  assert.deepEqual([events, unsealed, firstBreak, ids.length], [10, 2, null, 10]);
  return { company, other, ids };
}

const columns = await database.query<{ name: string; type: string }>(
  `select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = 'memory.audit_event'::regclass and attnum > 0 and not attisdropped`,
);

/** Another value for a column, in SQL, for each type. */
function anotherValue({ name, type }: { name: string; type: string }): string {
  if (name === 'layer') return `'client'`;
  const values: Record<string, string> = {
    uuid: 'gen_random_uuid()',
    text: `${name} || '!'`,
    jsonb: `detail || '{"n": 99}'`,
    'timestamp with time zone': `${name} + interval '1 microsecond'`,
  };
  assert.ok(values[type], `another value for ${type}`);
  return values[type];
}

describe('a changed audit event', () => {
  for (const column of columns) {
    test(`a changed ${column.name} makes the event the first break`, async () => {
      const { company, ids } = await openSealed();
      await tamper(database, (tx) =>
        tx.query(`update memory.audit_event set ${column.name} = ${anotherValue(column)} where id = $1`, [
          ids[4],
        ]),
      );
      const { firstBreak, head } = await verifyAudit(company);
      assert.deepEqual([firstBreak, head?.sequence], [ids[4], 4]);
    });
  }

  test('an infinite time makes the event the first break', async () => {
    const { company, ids } = await openSealed();
    await tamper(database, (tx) =>
      tx.query(`update memory.audit_event set at = 'infinity' where id = $1`, [ids[4]]),
    );
    assert.equal((await verifyAudit(company)).firstBreak, ids[4]);
  });

  test('an event that was moved to another Company is the first break in both', async () => {
    const { company, other, ids } = await openSealed();
    await tamper(database, (tx) =>
      tx.query('update memory.audit_event set company_id = $2 where id = $1', [ids[4], other.companyId]),
    );
    assert.equal((await verifyAudit(company)).firstBreak, ids[4]);
    assert.equal((await verifyAudit(other)).firstBreak, ids[4]);
  });
});

/** Deletes the seals with these numbers. */
const unseal = (tx: Queryable, { companyId }: SignedIn, sequences: readonly number[]) =>
  tx.query('delete from memory.audit_seal where company_id = $1 and sequence = any ($2::bigint[])', [
    companyId,
    sequences,
  ]);

const remove = (tx: Queryable, id: string | undefined) =>
  tx.query('delete from memory.audit_event where id = $1', [id]);

const insert = (tx: Queryable, { companyId, ownerId }: SignedIn, id: string) =>
  tx.query(
    `insert into memory.audit_event (company_id, id, kind, actor_id, subject_type)
     values ($1, $2, 'memory.search', $3, 'query')`,
    [companyId, id, ownerId],
  );

/** A statement about the Company. */
const inCompany =
  (text: string) =>
  (tx: Queryable, { company }: Sealed) =>
    tx.query(text, [company.companyId]);

/** Changes of the audit, and the position of the event that is reported. Events and seals count from 1. */
const TAMPERING: Record<
  string,
  { work: (tx: Queryable, sealed: Sealed) => Promise<unknown>; named: number }
> = {
  'an event was deleted': { work: (tx, { ids }) => remove(tx, ids[4]), named: 5 },
  'the first event was deleted': { work: (tx, { ids }) => remove(tx, ids[0]), named: 1 },
  'the last sealed event was deleted': { work: (tx, { ids }) => remove(tx, ids[7]), named: 8 },
  'an event was deleted with its seal': {
    work: async (tx, { company, ids }) => {
      await remove(tx, ids[4]);
      await unseal(tx, company, [5]);
    },
    named: 6,
  },
  'an event was deleted with its seal, and the later seals were renumbered': {
    work: async (tx, { company, ids }) => {
      await remove(tx, ids[4]);
      await unseal(tx, company, [5]);
      for (const sequence of [6, 7, 8]) {
        await tx.query(
          'update memory.audit_seal set sequence = sequence - 1 where company_id = $1 and sequence = $2',
          [company.companyId, sequence],
        );
      }
    },
    named: 6,
  },
  'a seal in the middle was deleted': { work: (tx, { company }) => unseal(tx, company, [5]), named: 6 },
  'the first seal was deleted': { work: (tx, { company }) => unseal(tx, company, [1]), named: 2 },
  'the last seals were deleted': {
    work: (tx, { company }) => unseal(tx, company, [7, 8]),
    named: 7,
  },
  'every seal was deleted': {
    work: (tx, { company }) => unseal(tx, company, [1, 2, 3, 4, 5, 6, 7, 8]),
    named: 1,
  },
  'the hash of a seal was changed': {
    work: inCompany(`update memory.audit_seal set hash = set_byte(hash, 31, get_byte(hash, 31) # 1)
                      where company_id = $1 and sequence = 5`),
    named: 5,
  },
  'the hash of the last seal was changed': {
    work: inCompany(`update memory.audit_seal set hash = '' where company_id = $1 and sequence = 8`),
    named: 8,
  },
  'the hash of a seal was copied to the next one': {
    work: inCompany(`update memory.audit_seal s set hash = o.hash from memory.audit_seal o
                      where s.company_id = $1 and s.sequence = 6 and o.company_id = $1 and o.sequence = 5`),
    named: 6,
  },
  'the seals of two events were swapped': {
    work: async (tx, { company, ids }) => {
      const point = (sequence: number, id: string | undefined) =>
        tx.query('update memory.audit_seal set event_id = $3 where company_id = $1 and sequence = $2', [
          company.companyId,
          sequence,
          id,
        ]);
      await point(4, newId());
      await point(6, ids[3]);
      await point(4, ids[5]);
    },
    named: 6,
  },
  'two events were changed': {
    work: async (tx, { ids }) => {
      await tx.query(`update memory.audit_event set kind = 'x' where id = any ($1::uuid[])`, [
        [ids[6], ids[3]],
      ]);
    },
    named: 4,
  },
  'an unsealed event was deleted': { work: (tx, { ids }) => remove(tx, ids[8]), named: 9 },
  'the mark for sealing of an unsealed event was deleted': {
    work: (tx, { ids }) => tx.query('delete from memory.audit_unsealed where event_id = $1', [ids[9]]),
    named: 10,
  },
};

describe('GET /v1/company/audit/verify after tampering', () => {
  for (const [what, { work, named }] of Object.entries(TAMPERING)) {
    test(`reports the first broken event: ${what}`, async () => {
      const sealed = await openSealed();
      const { company, other, ids } = sealed;
      await tamper(database, (tx) => work(tx, sealed));
      assert.equal(ids.indexOf((await verifyAudit(company)).firstBreak ?? '') + 1, named);
      // Later seals do not repair it.
      await recordEvents(database, company, 1);
      await sealAll(database);
      assert.equal(ids.indexOf((await verifyAudit(company)).firstBreak ?? '') + 1, named);
      assert.equal((await verifyAudit(other)).firstBreak, null);
    });
  }

  test('reports an event that was inserted without the trigger', async () => {
    const { company } = await openSealed();
    const id = newId();
    await tamper(database, (tx) => insert(tx, company, id));
    const { firstBreak, events, unsealed } = await verifyAudit(company);
    assert.deepEqual([firstBreak, events, unsealed], [id, 11, 3]);
  });

  for (const sequence of [0, -1]) {
    test(`reports an event that was inserted with a seal of sequence ${sequence}`, async () => {
      const { company } = await openSealed();
      const id = newId();
      const { head } = await verifyAudit(company);
      // The table can refuse the row, but the owner of the table can drop the check.
      await database.query(
        'alter table memory.audit_seal drop constraint if exists audit_seal_sequence_check',
      );
      await tamper(database, async (tx) => {
        await insert(tx, company, id);
        await tx.query(
          `insert into memory.audit_seal (company_id, sequence, event_id, hash)
           select $1, $2, $3, memory.audit_hash(e, '') from memory.audit_event e where e.id = $3`,
          [company.companyId, sequence, id],
        );
      });
      const found = await verifyAudit(company);
      assert.deepEqual([found.firstBreak, found.head], [id, head]);
    });
  }

  test('ignores a second mark for sealing on a sealed event and seals the later events', async () => {
    const { company, other, ids } = await openSealed();
    await database.query('insert into memory.audit_unsealed (company_id, event_id) values ($1, $2)', [
      company.companyId,
      ids[2],
    ]);
    await recordEvents(database, other, 2);
    await sealAll(database);
    for (const each of [company, other]) {
      const { unsealed, firstBreak } = await verifyAudit(each);
      assert.deepEqual([unsealed, firstBreak], [0, null]);
    }
  });
});
