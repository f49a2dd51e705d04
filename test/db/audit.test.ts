import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transaction } from '../../db/driver/database.ts';
import { newId } from '../../shared/ids.ts';
import { companyScope, narrowScope, type Scope } from '../../shared/scope.ts';
import { createTestCompany, openTestDatabase } from '../support/needs/database.ts';
import { addClient, ownerScope } from '../support/scopes.ts';
import { DENIED } from './isolation/walls.ts';

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
    test(`cannot be changed with ${statement.split(' ')[0]}, not even by the owner of the table`, async () => {
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

  test('cannot be written with the id of another actor, or of an agent token that does not act', async () => {
    for (const [actorId, tokenId] of [
      [newId(), null],
      [company.ownerId, newId()],
    ]) {
      const forged = transaction(database, ownerScope(company), (tx) =>
        tx.query(
          `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type, token_id)
           values ($1, $2, 'memory.search', $3, $4, 'team', $5)`,
          [company.companyId, newId(), actorId, company.teamId, tokenId],
        ),
      );
      await assert.rejects(forged, { code: DENIED });
    }
  });

  test('are visible in a Team only to a scope that can read their layer', async () => {
    const home = await createTestCompany(database);
    const [client, other] = [await addClient(database, home), await addClient(database, home)];
    for (const [kind, clientId, layer] of [
      ['of.none', null, null],
      ['of.team', null, 'team'],
      ['of.client', client, 'client'],
      ['of.other', other, 'client'],
    ]) {
      await database.query(
        `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, client_id, layer, subject_type)
         values ($1, $2, $3, $4, $5, $6, $7, 'source')`,
        [home.companyId, newId(), kind, home.ownerId, home.teamId, clientId, layer],
      );
    }
    const shown = async (scope: Scope) => {
      const rows = await transaction(database, scope, (tx) =>
        tx.query<{ kind: string }>(`select kind from memory.audit_event where kind like 'of.%' order by 1`),
      );
      return rows.map(({ kind }) => kind);
    };
    const full = ownerScope(home, [client]);
    assert.deepEqual(await shown(full), ['of.client', 'of.none', 'of.team']);
    const ofClient = narrowScope(full, { clientId: client, include: ['client'] });
    assert.deepEqual(await shown(ofClient), ['of.client', 'of.none']);
    assert.deepEqual(await shown(narrowScope(full)), ['of.none', 'of.team']);
    const ofCompany = companyScope({ companyId: home.companyId, userId: home.ownerId });
    assert.deepEqual(await shown(ofCompany), ['of.client', 'of.none', 'of.other', 'of.team']);
  });
});
