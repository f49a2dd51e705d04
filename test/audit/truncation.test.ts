import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Queryable } from '../../db/driver/database.ts';
import type { SignedIn } from '../support/app.ts';
import { printSeal, readSeals, recordEvents, sealAll, tamper, verifyAudit } from '../support/audit-chain.ts';
import { openOwnTestApp } from '../support/own-service.ts';

/** A separate database, whose owner can do what no role of the service can. */
const service = await openOwnTestApp();
const { database } = service;

/** Ways to cut off the end of an audit of 8 sealed and 2 unsealed events, so that no record of it is left. */
const CUTS: Record<string, { statements: readonly string[]; events: number; sequence: number | null }> = {
  'the last sealed events with their seals, and the unsealed ones with their entries': {
    statements: [
      `delete from memory.audit_event where company_id = $1 and id in (
         select event_id from memory.audit_seal where company_id = $1 and sequence > 5)`,
      'delete from memory.audit_seal where company_id = $1 and sequence > 5',
      `delete from memory.audit_event where company_id = $1 and id in (
         select event_id from memory.audit_unsealed where company_id = $1)`,
      'delete from memory.audit_unsealed where company_id = $1',
    ],
    events: 5,
    sequence: 5,
  },
  'all events with their seals': {
    statements: ['audit_event', 'audit_seal', 'audit_unsealed'].map(
      (table) => `delete from memory.${table} where company_id = $1`,
    ),
    events: 0,
    sequence: null,
  },
};

async function cutOff(tx: Queryable, { companyId }: SignedIn, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await tx.query(statement, [companyId]);
}

describe('an audit whose end was cut off without a trace', () => {
  for (const [what, { statements, events, sequence }] of Object.entries(CUTS)) {
    it(`shows the cut only by a seal that was noted before: ${what}`, async () => {
      const company = await service.company();
      await recordEvents(database, company, 6);
      await sealAll(database);
      await recordEvents(database, company, 2);
      const noted = await verifyAudit(company);
      assert.deepEqual([noted.events, noted.head?.sequence], [10, 8]);
      const seals = (await readSeals(database, company)).map(printSeal);
      const contained = async () => {
        const kept = [];
        for (const seal of seals) {
          const { firstBreak, containsSeal } = await verifyAudit(company, seal);
          assert.equal(firstBreak, null);
          if (containsSeal === true) kept.push(seal);
        }
        return kept;
      };
      assert.deepEqual(await contained(), seals);
      await tamper(database, (tx) => cutOff(tx, company, statements));
      const found = await verifyAudit(company);
      assert.deepEqual(
        [found.events, found.firstBreak, found.head?.sequence ?? null],
        [events, null, sequence],
      );
      assert.deepEqual(await contained(), seals.slice(0, events));
      // Events that are sealed later reach the number of the noted seal, with another hash.
      await recordEvents(database, company, 8 - events);
      await sealAll(database);
      const later = await verifyAudit(company);
      assert.equal(later.head?.sequence, noted.head?.sequence);
      assert.notEqual(later.head?.hash, noted.head?.hash);
      assert.deepEqual(await contained(), seals.slice(0, events));
    });
  }
});
