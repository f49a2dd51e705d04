import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { asWorker, type Database, type Queryable, transaction } from '../../db/driver/database.ts';
import { insertAuditEvents } from '../../db/queries/audit.ts';
import { call } from '../../db/queries/call.ts';
import { newId } from '../../shared/ids.ts';
import type { AuditVerification } from '../../shared/schemas/audit.ts';
import type { TestCompany } from './needs/database.ts';
import { ownerScope } from './scopes.ts';
import type { Caller } from './team.ts';

/** What the route that verifies the audit answers, with a seal that was noted before, if one is given. */
export function verifyAudit(caller: Caller, seal?: string): Promise<AuditVerification> {
  return caller.api.verifyAudit({ seal });
}

type Owned = Pick<TestCompany, 'companyId'>;

/** An event with its columns in the order in which they are hashed. */
interface StoredEvent {
  id: string;
  columns: unknown[];
}

/** A link of the chain. */
export interface Seal {
  sequence: number;
  eventId: string;
  hash: Buffer;
}

/** A value as PostgreSQL prints jsonb: keys by length in bytes and then by bytes, a blank behind each comma and colon. */
export function printJsonb(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printJsonb).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).map((key) => ({ key, bytes: Buffer.from(key) }));
  keys.sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes));
  const fields = value as Record<string, unknown>;
  return `{${keys.map(({ key }) => `${JSON.stringify(key)}: ${printJsonb(fields[key])}`).join(', ')}}`;
}

/** The hash of an event behind another seal, in the documented form, without a word of the database's own. */
function hashBehind(previous: Buffer, event: StoredEvent): Buffer {
  return createHash('sha256').update(previous).update(printJsonb(event.columns)).digest();
}

/** Microseconds since 1970 of a UTC time such as `2026-01-31 12:34:56.123456`. */
function microseconds(time: string): number {
  return Date.parse(`${time.slice(0, 10)}T${time.slice(11, 19)}Z`) * 1000 + Number(time.slice(20));
}

async function readEvents(database: Queryable, { companyId }: Owned): Promise<Map<string, StoredEvent>> {
  const rows = await database.query<
    Record<string, unknown> & { id: string; at: string; token_id: string | null }
  >(
    `select company_id, id, kind, actor_id, team_id, client_id, layer, subject_type, subject_id, detail,
            token_id, to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as at
       from memory.audit_event where company_id = $1 order by id`,
    [companyId],
  );
  return new Map(
    rows.map(({ at, token_id: token, ...row }) => [
      row.id,
      { id: row.id, columns: [...Object.values(row), microseconds(at), ...(token === null ? [] : [token])] },
    ]),
  );
}

/** The seals of a Company, as they are stored. */
export function readSeals(database: Queryable, { companyId }: Owned): Promise<Seal[]> {
  return database.query<Seal & Record<string, unknown>>(
    'select sequence, event_id as "eventId", hash from memory.audit_seal where company_id = $1 order by sequence',
    [companyId],
  );
}

/** A seal as it is printed, for the verification with it. */
export const printSeal = ({ sequence, hash }: { sequence: number; hash: Uint8Array | string }) =>
  `${sequence}:${typeof hash === 'string' ? hash : Buffer.from(hash).toString('hex')}`;

/** The ids of a Company's events, oldest first. */
export async function readEventIds(database: Queryable, company: Owned): Promise<string[]> {
  return [...(await readEvents(database, company)).keys()];
}

/** Asserts that the Company's events stand in one chain, each once and without a gap, and that every hash is right. */
export async function assertWholeChain(database: Queryable, company: Owned): Promise<Seal[]> {
  const [events, seals] = [await readEvents(database, company), await readSeals(database, company)];
  assert.deepEqual(
    seals.map(({ sequence }) => sequence),
    Array.from({ length: events.size }, (_, index) => index + 1),
  );
  assert.deepEqual(seals.map(({ eventId }) => eventId).sort(), [...events.keys()].sort());
  let previous: Buffer = Buffer.alloc(0);
  for (const { sequence, eventId, hash } of seals) {
    const event = events.get(eventId);
    assert.ok(event);
    previous = hashBehind(previous, event);
    assert.equal(hash.toString('hex'), previous.toString('hex'), `the hash of seal ${sequence}`);
  }
  return seals;
}

/** Seals whatever waits, of all Companies: for a database of the test's own. */
export async function sealAll(database: Database): Promise<void> {
  const next = (after: string | null) => asWorker(database, (tx) => call(tx, 'memory.next_unsealed', after));
  for (let company = await next(null); company !== null; company = await next(company)) {
    const companyId = company;
    while ((await asWorker(database, (tx) => call(tx, 'memory.seal_audit', companyId, 500))) > 0);
  }
}

/** An event of the Company's Owner about a subject of its own, recorded as routes do. Tells the subject. */
export async function recordEvent(
  tx: Parameters<typeof insertAuditEvents>[0],
  detail: Record<string, unknown> = {},
): Promise<string> {
  const subjectId = newId();
  insertAuditEvents(tx, [{ kind: 'memory.search', subjectType: 'query', subjectId, clientId: null, detail }]);
  return subjectId;
}

/** So many more events of the Company, one transaction each. */
export async function recordEvents(database: Database, company: TestCompany, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await transaction(database, ownerScope(company), (tx) => recordEvent(tx, { n }));
  }
}

/**
 * Changes the audit with its triggers disabled, which only the owner of the tables can do. Use it in a database of
 * the test's own: other tests on the database would wait.
 */
export function tamper(database: Database, work: (tx: Queryable) => Promise<unknown>): Promise<void> {
  return database.transaction(async (tx) => {
    for (const state of ['disable', 'enable']) {
      if (state === 'enable') await work(tx);
      for (const table of ['audit_event', 'audit_seal']) {
        await tx.query(`alter table memory.${table} ${state} trigger user`);
      }
    }
  });
}
