import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transaction } from '../../db/database.ts';
import { newId } from '../../shared/ids.ts';
import { createTestCompany, openTestDatabase } from '../support/database.ts';
import { ownerScope } from '../support/scopes.ts';
import { DENIED } from '../support/walls.ts';

const database = await openTestDatabase();
const company = await createTestCompany(database);
// Where there is no row, none is refused.
await database.query(
  `insert into memory.audit_seal (company_id, sequence, event_id, hash) values ($1, 1, $2, sha256('x'))`,
  [company.companyId, newId()],
);

/** The statements that would change what was written. */
function refuseChange(table: string, column: string): void {
  for (const statement of [
    `update ${table} set ${column} = ${column}`,
    `delete from ${table}`,
    `truncate ${table}`,
  ]) {
    test(`refuse ${statement.split(' ')[0]}, to the owner of the table as well`, async () => {
      await assert.rejects(database.query(statement), { code: DENIED, message: /append-only/ });
      const asService = transaction(database, ownerScope(company), (tx) => tx.query(statement));
      await assert.rejects(asService, { code: DENIED });
    });
  }
}

describe('seals of audit events', () => {
  refuseChange('memory.audit_seal', 'hash');
});

describe('audit events', () => {
  refuseChange('memory.audit_event', 'kind');

  test('cannot be written in the name of someone else', async () => {
    const forged = transaction(database, ownerScope(company), (tx) =>
      tx.query(
        `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type)
         values ($1, $2, 'memory.search', $3, $4, 'team')`,
        [company.companyId, newId(), newId(), company.teamId],
      ),
    );
    await assert.rejects(forged, { code: DENIED });
  });

  test('outlive their Team', async () => {
    const gone = await createTestCompany(database);
    await database.query('delete from identity.team where id = $1', [gone.teamId]);
    const [row] = await database.query<{ events: number }>(
      'select count(*) as events from memory.audit_event where team_id = $1',
      [gone.teamId],
    );
    assert.equal(row?.events, 1);
  });
});
