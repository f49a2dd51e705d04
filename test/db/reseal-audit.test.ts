import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { verifyAudit } from '../../core/identity/verify-audit.ts';
import type { Database } from '../../db/driver/database.ts';
import { transaction } from '../../db/driver/database.ts';
import { listAuditEvents } from '../../db/queries/identity/audit.ts';
import { migrate } from '../../db/startup/migrate.ts';
import { resealAudit } from '../../db/startup/reseal-audit.ts';
import { ensureServiceRoles } from '../../db/startup/service-role.ts';
import { newId } from '../../shared/ids.ts';
import { companyScope } from '../../shared/scope.ts';
import { assertWholeChain, readSeals, sealAll, tamper } from '../support/audit-chain.ts';
import { createTestCompany } from '../support/needs/database.ts';
import { openOwnDatabase } from '../support/needs/own-database.ts';

const DB = join(import.meta.dirname, '..', '..', 'db');
/** The last migration of the versions that stored texts and names in the events. */
const LAST = 29;
const logger = { info: () => undefined, warn: () => undefined };
/** The database of these tests: sealing goes over the events of all Companies. */
const present = await openOwnDatabase();
after(() => present.close());
const folder = await mkdtemp(join(tmpdir(), 'team-memory-reseal-'));
after(() => rm(folder, { recursive: true }));
const migrations = join(folder, 'migrations');
for (const file of (await readdir(join(DB, 'migrations'))).sort().slice(0, LAST)) {
  await cp(join(DB, 'migrations', file), join(migrations, file));
}

interface Old {
  database: Database;
  companyId: string;
  ownerId: string;
  erasedId: string;
  teamId: string;
  deletedTeamId: string;
  clientId: string;
  chunkIds: string[];
  /** Events, oldest first. */
  ids: string[];
}

/** A database as migration 0029 left it. */
async function openFormer(): Promise<Database> {
  const former = await openOwnDatabase({ prepared: false });
  after(() => former.close());
  await ensureServiceRoles(former);
  await migrate(former, { migrations });
  // The table and the column that they write came later.
  for (const trigger of [
    'add_layer on identity.team',
    'add_layer on identity.client',
    'tally_changed on memory.source',
  ])
    await former.query(`drop trigger ${trigger}`);
  return former;
}

/** A Company as migration 0031 finds it, in the database of the other tests. */
async function addOld(): Promise<Old> {
  const old = await fill(present);
  await present.query('insert into memory.audit_reseal (company_id) values ($1)', [old.companyId]);
  return old;
}

/** Adds a Company of the earlier version, with sealed events of each kind that changes, and unsealed ones. */
async function fill(database: Database): Promise<Old> {
  const made = {
    companyId: newId(),
    ownerId: newId(),
    erasedId: newId(),
    teamId: newId(),
    deletedTeamId: newId(),
    clientId: newId(),
    chunkIds: [newId(), newId(), newId()],
  };
  await database.transaction(async (tx) => {
    await tx.query(`insert into identity.company (id, name) values ($1, 'Old')`, [made.companyId]);
    await tx.query(
      `insert into identity.account (company_id, id, email, name, role, closed_at, erased_at) values
         ($1, $2, $4, 'Owner', 'owner', null, null), ($1, $3, null, 'Former', 'member', now(), now())`,
      [made.companyId, made.ownerId, made.erasedId, `${made.ownerId}@localhost`],
    );
    await tx.query(
      `insert into identity.team (company_id, id, name, deleted_at) values ($1, $2, 'Team', null), ($1, $3, 'Gone', now())`,
      [made.companyId, made.teamId, made.deletedTeamId],
    );
    await tx.query(
      `insert into identity.client (company_id, team_id, id, name) values ($1, $2, $3, 'Present name')`,
      [made.companyId, made.teamId, made.clientId],
    );
  });
  const ids: string[] = [];
  const [one = '', two = '', three = ''] = made.chunkIds;
  const search = { scope: {}, topK: 8, hitIds: [one, two] };
  const events: [kind: string, type: string, detail: object, teamId?: string, actorId?: string][] = [
    ['team.create', 'team', { name: 'Team' }],
    ['memory.search', 'query', { ...search, query: 'where Zoë lives', passageIds: [three] }],
    ['memory.search', 'query', search],
    ['memory.search', 'query', { ...search, query: 'asked by Zoë' }, made.teamId, made.erasedId],
    ['memory.search', 'query', { ...search, query: 'Zoë in a Team' }, made.deletedTeamId],
    ['team.client_create', 'client', { name: 'Zoë' }],
    ['team.client_change', 'client', { name: 'Zoë Z', state: 'active' }],
    ['team.client_archive', 'client', { name: 'Zoë Z' }],
    ['team.invite', 'invite', { email: 'zoë@localhost', role: 'member' }],
    ['auth.token_create', 'agent_token', { name: 'Laptop of Zoë', permissions: [] }],
    ['memory.ingest', 'source', { chunks: 1 }],
    // Not sealed before the upgrade.
    ['memory.search', 'query', { ...search, query: 'Zoë, asked late' }],
    ['team.client_create', 'client', { name: 'Zoë' }],
  ];
  let hash: Buffer = Buffer.alloc(0);
  for (const [
    index,
    [kind, type, detail, teamId = made.teamId, actorId = made.ownerId],
  ] of events.entries()) {
    const id = newId();
    ids.push(id);
    await database.query(
      `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type, subject_id, detail)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        made.companyId,
        id,
        kind,
        actorId,
        teamId,
        type,
        type === 'client' ? made.clientId : newId(),
        JSON.stringify(detail),
      ],
    );
    if (index >= events.length - 2) continue;
    const [sealed] = await database.query<{ hash: Buffer }>(
      `insert into memory.audit_seal (company_id, sequence, event_id, hash)
       select $1, $2, e.id, memory.audit_hash(e, $3) from memory.audit_event e where e.id = $4 returning hash`,
      [made.companyId, index + 1, hash, id],
    );
    assert.ok(sealed);
    hash = Buffer.from(sealed.hash);
    await database.query('delete from memory.audit_unsealed where event_id = $1', [id]);
  }
  return { database, ...made, ids };
}

/** What the start of this version does after the migrations. */
async function reseal({ database }: Old, eventsPerPiece = 4): Promise<void> {
  await resealAudit(database, logger, eventsPerPiece);
}

const ownerOf = ({ companyId, ownerId }: Old) => companyScope({ companyId, userId: ownerId });
const verify = (old: Old) => verifyAudit(old, ownerOf(old));

async function listDetails(old: Old) {
  const none = { kind: null, subjectId: null, teamId: null };
  const events = await transaction(old.database, ownerOf(old), (tx) =>
    listAuditEvents(tx, { after: null, limit: 100 }, none),
  );
  return new Map(events.map((event) => [event.id, event]));
}

const resealEvents = ({ database, companyId }: Old) =>
  database.query<{
    detail: { lastSeal: { sequence: number; hash: string } | null; firstBreak: string | null };
  }>(`select detail from memory.audit_event where company_id = $1 and kind = 'audit.reseal'`, [companyId]);

describe('an audit of an earlier version, after the upgrade,', () => {
  it('has no text of a search, no name of a client or token and no email in an event, and verifies', async () => {
    const old = await fill(await openFormer());
    const before = await readSeals(old.database, old);
    await migrate(old.database);
    await reseal(old);
    const left = await old.database.query(
      `select from memory.audit_event e where strpos(e::text, 'Zoë') > 0 or strpos(e::text, 'zoë') > 0
          or e.detail ?| '{query,hitIds,passageIds}'`,
    );
    assert.equal(left.length, 0);
    await sealAll(old.database);
    assert.equal((await assertWholeChain(old.database, old)).length, old.ids.length + 1);
    const { events, unsealed, firstBreak } = await verify(old);
    assert.deepEqual([events, unsealed, firstBreak], [old.ids.length + 1, 0, null]);
    const last = before.at(-1);
    assert.deepEqual(
      (await resealEvents(old)).map(({ detail }) => detail),
      [{ lastSeal: { sequence: 11, hash: last?.hash.toString('hex') }, firstBreak: null }],
    );
  });

  it('lists texts and hits as before, except those of erased persons and deleted Teams', async () => {
    const old = await addOld();
    await reseal(old);
    const all = await listDetails(old);
    const [one, two, three] = old.chunkIds;
    const shown = (index: number) => {
      const { hitIds, passageIds, query } = all.get(old.ids[index] ?? '')?.detail ?? {};
      return { hitIds, passageIds, query };
    };
    assert.deepEqual(shown(1), { hitIds: [one, two], passageIds: [three], query: 'where Zoë lives' });
    assert.deepEqual(shown(2), { hitIds: [one, two], passageIds: undefined, query: undefined });
    assert.deepEqual(shown(3), { hitIds: [one, two], passageIds: undefined, query: undefined });
    assert.deepEqual(shown(4), { hitIds: undefined, passageIds: undefined, query: undefined });
    assert.deepEqual(shown(11), { hitIds: [one, two], passageIds: undefined, query: 'Zoë, asked late' });
    const hashes = [1, 2, 3, 4, 11].map(
      (index) =>
        Object.keys(all.get(old.ids[index] ?? '')?.detail ?? {}).filter((key) => key.endsWith('Hash')).length,
    );
    assert.deepEqual(hashes, [2, 1, 2, 2, 2]);
    const [salt] = await old.database.query<{ salt: Buffer }>(
      'select query_salt as salt from memory.audit_search where event_id = $1',
      [old.ids[1]],
    );
    const hash = createHash('sha256')
      .update(salt?.salt ?? '')
      .update('where Zoë lives')
      .digest('hex');
    assert.equal(all.get(old.ids[1] ?? '')?.detail['queryHash'], hash);
    for (const index of [5, 6, 7]) assert.equal(all.get(old.ids[index] ?? '')?.subjectName, 'Present name');
    assert.deepEqual(all.get(old.ids[6] ?? '')?.detail, { state: 'active', changed: ['name', 'state'] });
  });

  it('shows the first break from before, although the new chain is whole', async () => {
    const old = await addOld();
    await tamper(old.database, (tx) =>
      tx.query(`update memory.audit_event set kind = 'x' where id = any ($1::uuid[])`, [
        [old.ids[2], old.ids[6]],
      ]),
    );
    await reseal(old);
    assert.equal((await resealEvents(old))[0]?.detail.firstBreak, old.ids[2]);
    await sealAll(old.database);
    await assertWholeChain(old.database, old);
    assert.equal((await verify(old)).firstBreak, old.ids[2]);
  });

  it('keeps a gap and a seal without an event as they were', async () => {
    for (const [statement, named] of [
      ['delete from memory.audit_event where id = $1', 4],
      ['delete from memory.audit_seal where event_id = $1', 5],
    ] as const) {
      const old = await addOld();
      await tamper(old.database, (tx) => tx.query(statement, [old.ids[4]]));
      await reseal(old);
      assert.equal((await resealEvents(old))[0]?.detail.firstBreak, old.ids[named], statement);
      assert.equal((await verify(old)).firstBreak, old.ids[named], statement);
    }
  });
});

describe('sealing an audit again', () => {
  it('goes on after each piece that was the last one before the process was killed', async () => {
    const whole = await addOld();
    await reseal(whole, 100);
    const expected = [...(await listDetails(whole)).values()].map(({ kind, detail }) => [
      kind,
      Object.keys(detail).sort(),
    ]);
    const old = await addOld();
    for (let pieces = 0; ; pieces += 1) {
      // The transaction of the second piece ends the process.
      let begun = 0;
      const killed: Database = {
        ...old.database,
        transaction: (fn, opening) => {
          begun += 1;
          return old.database.transaction(async (tx) => {
            const result = await fn(tx);
            if (begun === 2) throw new Error('killed');
            return result;
          }, opening);
        },
      };
      const isDone = await resealAudit(killed, logger, 3).then(
        () => true,
        (error: Error) => {
          assert.equal(error.message, 'killed');
          return false;
        },
      );
      if (isDone) break;
      assert.ok(pieces < 10);
    }
    const found = [...(await listDetails(old)).values()].map(({ kind, detail }) => [
      kind,
      Object.keys(detail).sort(),
    ]);
    assert.deepEqual(found, expected);
    assert.equal((await resealEvents(old)).length, 1);
    await sealAll(old.database);
    await assertWholeChain(old.database, old);
    assert.equal((await verify(old)).firstBreak, null);
  });

  it('is done once although several processes start, and a later start changes nothing', async () => {
    const old = await addOld();
    await Promise.all([1, 2, 3].map(() => resealAudit(old.database, logger, 2)));
    await sealAll(old.database);
    const seals = await readSeals(old.database, old);
    await reseal(old);
    assert.equal((await resealEvents(old)).length, 1);
    assert.deepEqual(await readSeals(old.database, old), seals);
    await assertWholeChain(old.database, old);
  });

  it('is not done for a Company that this version has made', async () => {
    const { companyId } = await createTestCompany(present);
    await resealAudit(present, logger);
    const events = await present.query<{ kind: string }>(
      'select kind from memory.audit_event where company_id = $1 order by id',
      [companyId],
    );
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['company.create', 'team.create'],
    );
  });

  it('waits for nothing that seals, and nothing is sealed until it has ended', async () => {
    const old = await addOld();
    await sealAll(old.database);
    assert.equal((await readSeals(old.database, old)).length, 11);
    await resealAudit(old.database, logger);
    await sealAll(old.database);
    assert.equal((await readSeals(old.database, old)).length, 14);
  });

  it('is the only change of an event or a seal that is allowed, and only while it runs', async () => {
    const old = await addOld();
    const refused = { code: '42501', message: /append-only/ };
    const change = (text: string) => present.query(text, [old.ids[1]]);
    for (const text of [
      `update memory.audit_event set kind = 'x' where id = $1`,
      `update memory.audit_event set detail = detail || '{"query": "another"}' where id = $1`,
      `update memory.audit_event set detail = '{}' where id = $1`,
      `update memory.audit_event set actor_id = gen_random_uuid(), detail = detail - '{query,hitIds,passageIds}'::text[] where id = $1`,
      'delete from memory.audit_event where id = $1',
      'update memory.audit_seal set sequence = sequence + 100 where event_id = $1',
      'delete from memory.audit_seal where event_id = $1',
    ]) {
      await assert.rejects(change(text), refused, text);
    }
    await resealAudit(old.database, logger);
    for (const text of [
      `update memory.audit_event set detail = detail where id = $1`,
      `update memory.audit_seal set hash = hash where event_id = $1`,
    ]) {
      await assert.rejects(change(text), refused, text);
    }
  });
});
