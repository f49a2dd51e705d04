import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import type { Method } from '../support/company.ts';
import { traces } from '../support/consolidation.ts';
import { importRows } from '../support/import-records.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { bodyOf, limitOf } from './refusal-order/bodies.ts';
import { ARCHIVED, type Fault } from './refusal-order/faults.ts';
import { openPlace, type Place } from './refusal-order/place.ts';
import { TABLE } from './refusal-order/table.ts';

const service = await openTestApp();
const active = await openPlace(service, { archived: false });
const archived = await openPlace(service, { archived: true });

/** Sends the request of a row with these faults. Where two change the same, the first has the last word. */
function send(row: string, { ids: existing, callers }: Place, ...faults: Fault[]) {
  const changes = faults.toReversed();
  const ids = changes.reduce((all, fault) => ({ ...all, ...fault.ids?.(all) }), existing);
  const body = changes.reduce((all, fault) => fault.body?.(all, ids) ?? all, bodyOf(row, ids));
  const payload = changes.reduce((text, fault) => fault.text?.(text) ?? text, JSON.stringify(body));
  const query = changes.flatMap((fault) => fault.query?.(ids) ?? []).join('&');
  const caller = faults.find((fault) => fault.caller)?.caller ?? 'an Owner';
  const headers = {
    ...callers[caller].headers,
    'content-type': 'application/json',
    ...Object.assign({}, ...changes.map((fault) => fault.headers)),
    ...(faults.some((fault) => fault.tooLong) && { 'content-length': String(limitOf(row) + 1) }),
  };
  const [method, path = ''] = row.split(' ');
  const url = `${path.replace(/:(\w+)/g, (_, name: string) => ids[name]!)}?${query}`;
  return service.app.inject({ method: method as Method, url, headers, ...(method !== 'GET' && { payload }) });
}

/** Refusals that protect the service. All others come after them, in any order. */
const PROTECTING = new Set([
  '401 unauthenticated',
  '403 team_forbidden',
  '403 company_role_required',
  '403 full_access_required',
  '413 payload_too_large',
  '415 unsupported_media_type',
]);

/** Whether a fault of a row is refused by a guard, or before the body is read. */
function protects(fault: Fault, faults: readonly Fault[]): boolean {
  return PROTECTING.has(fault.refusal) || faults.indexOf(fault) < faults.findIndex(({ tooLong }) => tooLong);
}

/** Whether a request with both faults shows which is refused first. It has one caller, and one record for each id. */
function tellsOrder(a: Fault, b: Fault): boolean {
  const [some, others] = [a, b].map((fault) => Object.keys(fault.ids?.(active.ids) ?? {}));
  return a.refusal !== b.refusal && !(a.caller && b.caller) && !some!.some((id) => others!.includes(id));
}

/** The rows that a refused request must not change. */
const stored = () =>
  Promise.all(
    [active, archived].map(async ({ company }) => [
      await traces(service, company),
      await importRows(service, company.teamId),
      await service.database.query('select id from memory.audit_event where company_id = $1 order by id', [
        company.companyId,
      ]),
    ]),
  );

describe('the order of refusals', () => {
  for (const [row, faults] of Object.entries(TABLE)) {
    test(`refuses each fault, and what protects before the others: ${row}`, async () => {
      const before = await stored();
      for (const [index, first] of faults.entries()) {
        for (const second of faults.slice(index)) {
          if (first !== second && !(protects(first, faults) && tellsOrder(first, second))) continue;
          const pair = new Set([first, second]);
          const places = pair.has(ARCHIVED) ? [archived] : [active];
          // A route that does not refuse an archived Team refuses the same there.
          if (pair.size === 1 && !faults.includes(ARCHIVED)) places.push(archived);
          for (const place of places) {
            const answer = await send(row, place, ...pair);
            assert.equal(outcome(answer), first.refusal, `${first.name}, then ${second.name}`);
          }
        }
      }
      assert.deepEqual(await stored(), before);
    });
  }

  test('every 404 has the same body', async () => {
    const requests = Object.entries(TABLE).flatMap(([row, faults]) =>
      faults.filter(({ refusal }) => refusal === '404 not_found').map((fault) => send(row, active, fault)),
    );
    await assertSameRefusal('404 not_found', requests);
  });
});
