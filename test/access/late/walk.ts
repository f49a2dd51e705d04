import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AccessChange, changeAccess, type Request } from '../../support/access-changes.ts';
import type { SignedIn } from '../../support/app.ts';
import { ask, type Method } from '../../support/company.ts';
import { duringPause, openPausableApp, openPausedApp, type PausableApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { type LateRequest, REQUESTS, type RequestName } from './requests.ts';
import type { LateScene, Service } from './scene.ts';
import { type Answer, sendSlowly } from './slow-body.ts';
import { type Row, SENDERS, TABLE, WAITS } from './table.ts';

type Test = { after(fn: () => unknown): void };

/** Makes a Company with a client, and a person who sends requests. */
export async function openScene(service: Service, sender: keyof typeof SENDERS): Promise<LateScene> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const { client, ...ties } = { client: undefined, ...SENDERS[sender] };
  const clients = client === undefined ? {} : { [clientId]: client };
  const person = await addPerson(service, company, { ...ties, clients });
  return { company, clientId, person, hasGrant: client !== undefined };
}

/** Makes what a request needs, and returns the request. */
export async function prepare(service: Service, scene: LateScene, name: RequestName): Promise<Request> {
  const [routePart, bodyPart]: LateRequest = REQUESTS[name];
  const route = typeof routePart === 'string' ? routePart : await routePart(scene, service);
  const body = typeof bodyPart === 'function' ? await bodyPart(scene, service) : bodyPart;
  const [method, url] = route.split(' ') as [Method, string];
  return [scene.person, method, url, body];
}

/**
 * Sends a request, and runs `happen` while it waits.
 * @param pausable an app that tests share, where the request does not wait for its body
 */
export async function sendLate(
  t: Test,
  service: Service,
  request: Request,
  waits: Row[2],
  happen: () => Promise<unknown>,
  pausable?: PausableApp,
): Promise<Answer> {
  if (waits === 'body') return sendSlowly(t, service, request, happen);
  const point = { transaction: waits };
  const paused = pausable?.pauseAt(point) ?? (await openPausedApp(t, service, point));
  return duringPause(paused, (app) => ask(app, ...request), happen);
}

let tables: Promise<{ name: string; column: string }[]> | undefined;

/** Every row of a Company and its Team, with the jobs of the Team. */
async function rowsOf({ database }: Service, { companyId, teamId }: SignedIn): Promise<string[]> {
  // Contents of workspace files are left out: upkeep deletes those that no version refers to.
  tables ??= database.query(
    `select c.oid::regclass::text as name, min(a.attname::text) as column
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('company_id', 'team_id')
      where c.relkind = 'r' and c.relnamespace in ('identity'::regnamespace, 'memory'::regnamespace)
        and c.relname <> 'workspace_blob'
      group by c.oid`,
  );
  const selects = (await tables).map(
    ({ name, column }) =>
      `select '${name} ' || t::text as row from ${name} t
        where ${column} = ${column === 'company_id' ? '$1' : '$2'}::uuid`,
  );
  const jobs = `select 'job ' || name || ' ' || data::text from pgboss.job where data->>'teamId' = $2::text`;
  const rows = await database.query<{ row: string }>(`${[...selects, jobs].join(' union all ')} order by 1`, [
    companyId,
    teamId,
  ]);
  return rows.map(({ row }) => row);
}

/** Status and code; of a list of decisions, those of each; of any other success, the status and the body. */
function told(answer: Answer): string {
  if (answer.statusCode >= 300) return outcome(answer);
  if (answer.body === '') return String(answer.statusCode);
  const { results } = answer.json<{ results?: { problem?: { status: number; code: string } }[] }>();
  const problems = results?.flatMap(({ problem }) => problem ?? []) ?? [];
  if (problems.length > 0) return problems.map(({ status, code }) => `${status} ${code}`).join(', ');
  return `${answer.statusCode} ${answer.body}`;
}

async function check(
  t: Test,
  service: Service,
  pausable: PausableApp | undefined,
  [sender, name, waits]: Row,
  change: AccessChange,
  expected: string,
): Promise<void> {
  const scene = await openScene(service, sender);
  const request = await prepare(service, scene, name);
  const rows = () => rowsOf(service, scene.company);
  const before = await rows();
  let changed: string[] = [];
  const answer = await sendLate(
    t,
    service,
    request,
    waits,
    async () => {
      assert.deepEqual(await rows(), before);
      await changeAccess(service, change, scene);
      changed = await rows();
    },
    pausable,
  );
  if (/^2..$/.test(expected)) {
    assert.equal(String(answer.statusCode), expected, answer.body);
    assert.notDeepEqual(await rows(), changed);
  } else {
    assert.equal(told(answer), expected);
    assert.deepEqual(await rows(), changed);
  }
}

/** Makes a test of each answer in the rows that wait there. Call it within `describe`. */
export function testRows(service: Service, waits: readonly Row[2][]): void {
  let pausable: PausableApp | undefined;
  before(async () => {
    if (!waits.includes('body')) pausable = await openPausableApp(service);
  });
  after(() => pausable?.close());
  for (const row of TABLE) {
    const [sender, request, wait, unchanged, changed] = row;
    if (!waits.includes(wait)) continue;
    for (const [change, expected] of Object.entries({ 'nothing changed': unchanged, ...changed })) {
      if (expected === null) continue;
      test(`${request} by ${sender} returns ${expected} if ${change} ${WAITS[wait]}`, (t) =>
        check(t, service, pausable, row, change as AccessChange, expected));
    }
  }
}
