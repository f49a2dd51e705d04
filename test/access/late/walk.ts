import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeAccess, type Request, type Scene, sendTo } from '../../support/access-changes.ts';
import type { openTestApp } from '../../support/app.ts';
import { type Method } from '../../support/client/client.ts';
import { companyRows } from '../../support/company-rows.ts';
import { duringPause, type PausableApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import type { Answer } from '../../support/slow-body.ts';
import { openScene } from '../matrix/scene.ts';
import { requestOf, titleOf } from '../matrix/walk.ts';
import { clientOf, type LateCase } from './cases.ts';

export type Service = Awaited<ReturnType<typeof openTestApp>>;

type Test = { after(fn: () => unknown): void };

/** Sends a request, and runs `happen` while it waits. */
type SendLate = (request: Request, happen: () => Promise<unknown>) => Promise<Answer>;

/** The request of a row, in a Company of its own: all rows of the Company are compared, and no change is undone. */
async function prepare(service: Service, { row, sender }: LateCase) {
  const { company, cell, values } = await openScene(service, row, sender);
  const { caller, at } = cell;
  const { method, url, payload } = requestOf(row, values, cell);
  const request: Request = [caller, method as Method, url, payload];
  const isAboutTeam = row.route.includes('/v1/company/teams/:id');
  const scene: Scene = {
    company: { ...company, teamId: (isAboutTeam ? values['id'] : undefined) ?? company.teamId },
    person: caller,
    clientId: clientOf(row) === 'client B' ? at.clientB : at.clientA,
    importId: values['id'] ?? '',
  };
  return { company, request, scene };
}

/** Status and code; of a list of decisions, that of a decision. */
function told(answer: Answer): string {
  if (answer.body === '') return outcome(answer);
  const { results } = answer.json<{ results?: { problem?: { status: number; code: string } }[] }>();
  const problem = results?.[0]?.problem;
  return problem === undefined ? outcome(answer) : `${problem.status} ${problem.code}`;
}

/** Sends the request of a case, and takes access from its sender while it waits. */
export async function check(service: Service, late: LateCase, send: SendLate): Promise<void> {
  const { company, request, scene } = await prepare(service, late);
  const rows = () => companyRows(service, company);
  const before = await rows();
  let changed: string[] = [];
  const answer = await send(request, async () => {
    assert.deepEqual(await rows(), before);
    await changeAccess(service, late.change, scene);
    changed = await rows();
  });
  const { expected } = late;
  const got = told(answer);
  assert.equal(/^\d+$/.test(expected) ? got.slice(0, expected.length) : got, expected, answer.body);
  if (expected.startsWith('2')) assert.notDeepEqual(await rows(), changed);
  else assert.deepEqual(await rows(), changed);
}

/** By row and sender: how many transactions the request has, if nothing changes while it waits. */
const counted = new Map<string, number>();

async function countTransactions(service: Service, pausable: PausableApp, late: LateCase): Promise<number> {
  const key = `${titleOf(late.row)} ${late.sender}`;
  const known = counted.get(key);
  if (known !== undefined) return known;
  const { company, request } = await prepare(service, late);
  const before = await companyRows(service, company);
  const { answer, transactions } = await pausable.countTransactions((app) => sendTo({ app }, request));
  assert.equal(answer.statusCode, late.row.ok, answer.body);
  assert.notDeepEqual(await companyRows(service, company), before);
  assert.ok(transactions >= 2);
  counted.set(key, transactions);
  return transactions;
}

/** Sends the request of a case once for each of its transactions except the first, which resolves the caller. It waits there. */
export async function checkTransactions(
  service: Service,
  pausable: PausableApp,
  late: LateCase,
): Promise<void> {
  const count = await countTransactions(service, pausable, late);
  for (let transaction = 2; transaction <= count; transaction += 1) {
    await check(service, late, (request, happen) =>
      duringPause(pausable.pauseAt({ transaction }), (app) => sendTo(app, request), happen),
    );
  }
}

/** Makes a test of each case. Call it within `describe`. */
export function testCases(cases: readonly LateCase[], run: (t: Test, late: LateCase) => Promise<void>): void {
  for (const late of cases) {
    const { row, sender, change, expected } = late;
    test(`returns ${expected} to the caller "${sender}" if ${change} while it waited: ${titleOf(row)}`, (t) =>
      run(t, late));
  }
}
