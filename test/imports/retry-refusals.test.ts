import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { SignedIn } from '../support/app.ts';
import { changesNothing, plantImport, sendRetries } from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';

/** No worker is at work here: what is put back stays where it is. */
const service = await openOwnTestApp();
const refused = <T>(company: SignedIn, send: () => PromiseLike<T>) => changesNothing(service, company, send);

describe('refusal of an import retry', () => {
  test('returns 400 before the ids are looked up, then 403, then 404, then 409', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const [own, busy] = [
      await plantImport(service, company, { author: member.userId }),
      await plantImport(service, company, { author: member.userId, state: 'running' }),
    ];
    const theirs = await plantImport(service, company);
    const [unknown, nonsense] = [newId(), 'nonsense'];
    const send = (ids: string[], more: object = {}) => sendRetries(member, { ids, ...more });
    const cases: [ids: string[], refusal: string][] = [
      [[busy, unknown, theirs, own], '403 forbidden'],
      [[nonsense, busy, theirs], '403 forbidden'],
      [[own, busy, unknown], '404 not_found'],
      [[busy, nonsense], '404 not_found'],
      [[own, busy], '409 conflict'],
    ];
    for (const [ids, refusal] of cases) {
      assert.equal(outcome(await refused(company, () => send(ids))), refusal);
      assert.equal(outcome(await refused(company, () => send(ids.toReversed()))), refusal);
      const faulty = await refused(company, () => send(ids, { more: true }));
      assert.equal(outcome(faulty), '400 invalid_request');
    }
  });
});
