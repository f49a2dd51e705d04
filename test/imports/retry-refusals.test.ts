import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { SignedIn } from '../support/app.ts';
import {
  changesNothing,
  plantImport,
  plantImports,
  retried,
  sendRetries,
  sendRetry,
} from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson } from '../support/team.ts';

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

describe('permission to retry an import', () => {
  test('the author with write access and callers with Full access can retry an import', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const author = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'write' },
    });
    const other = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
    const [first = '', second = ''] = await plantImports(service, company, 2, {
      clientId,
      author: author.userId,
    });
    const forbidden = await refused(company, () => sendRetry(other, first));
    assert.equal(outcome(forbidden), '403 forbidden');
    assert.equal((await sendRetry(author, first)).statusCode, 202);
    assert.equal((await sendRetry(company, second)).statusCode, 202);
  });

  test('an author gets 403 after the grant was lowered, and 404 after it or the client is gone', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const author = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'write' },
    });
    const id = await plantImport(service, company, { clientId, author: author.userId });
    const outcomes: string[] = [];
    const steps = [
      () => company.api.giveClientGrant(author.userId, clientId, { access: 'read' }),
      () => company.api.revokeClientGrant(author.userId, clientId),
      () => company.api.archiveClient(clientId),
    ];
    for (const step of steps) {
      await step();
      outcomes.push(outcome(await refused(company, () => sendRetry(author, id))));
      assert.deepEqual(await retried(author, { all: true }), []);
    }
    assert.deepEqual(outcomes, ['403 forbidden', '404 not_found', '404 not_found']);
    assert.equal(outcome(await sendRetry(company, id)), '404 not_found', 'not with Full access either');
  });

  test('a Company Admin with read access gets 403, even for their own import', async () => {
    const company = await service.company();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const ids = [
      await plantImport(service, company, { author: reader.userId }),
      await plantImport(service, company),
    ];
    for (const id of ids) {
      assert.equal(outcome(await refused(company, () => sendRetry(reader, id))), '403 forbidden');
    }
    assert.equal(outcome(await sendRetry(reader, newId())), '404 not_found');
    assert.deepEqual(await refused(company, () => retried(reader, { all: true })), []);
  });
});
