import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  countJobs,
  IMPORTS,
  letFileGo,
  plantImport,
  plantImports,
  readImport,
  retried,
  sendRetries,
  sendRetry,
} from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { addClient, addPerson } from '../support/team.ts';

/** No worker is at work here: what is put back stays where it is. */
const service = await openOwnTestApp();

describe('POST /v1/memory/imports/retry with all: true', () => {
  const idsOf = (imports: readonly { id: string }[]) => imports.map(({ id }) => id);

  test('queues every failed import whose file is stored, oldest first, and no other import', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const failed = [
      await plantImport(service, company),
      await plantImport(service, company, { clientId }),
      await plantImport(service, company),
    ];
    const gone = await plantImport(service, company);
    await letFileGo(service, gone);
    const others: string[] = [];
    for (const state of ['queued', 'running', 'completed', 'cancelled'] as const) {
      others.push(await plantImport(service, company, { state }));
    }
    assert.deepEqual(idsOf(await retried(company, { all: true })), failed);
    for (const id of failed) assert.equal(await countJobs(service, id), 1);
    for (const id of [gone, ...others]) assert.equal(await countJobs(service, id), 0);
    assert.equal((await readImport(company, gone)).state, 'failed');
  });

  test('with Full access retries imports of every author, except in archived clients and other Teams', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const [clientId, shelf] = [await addClient(service, company), await addClient(service, company)];
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'write', [shelf]: 'write' },
    });
    const author = member.userId;
    const expected = [
      await plantImport(service, company, { author }),
      await plantImport(service, company, { author, clientId }),
      await plantImport(service, company, { clientId }),
    ];
    await plantImport(service, company, { author, clientId: shelf });
    await plantImport(service, stranger);
    assert.equal((await company.ask.archiveClient(shelf)).statusCode, 204);
    const admin = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    assert.deepEqual(idsOf(await retried(admin, { all: true })), expected);
    assert.deepEqual(idsOf(await retried(admin, { all: true })), []);
    assert.deepEqual(idsOf(await retried(stranger, { all: true })).length, 1);
  });

  test('without Full access retries only own imports, where the caller can still write', async () => {
    const company = await service.company();
    const [writes, reads, none] = [
      await addClient(service, company),
      await addClient(service, company),
      await addClient(service, company),
    ];
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [writes]: 'write', [reads]: 'read' },
    });
    const author = member.userId;
    const expected = [
      await plantImport(service, company, { author }),
      await plantImport(service, company, { author, clientId: writes }),
    ];
    for (const clientId of [reads, none]) await plantImport(service, company, { author, clientId });
    for (const clientId of [null, writes, reads]) await plantImport(service, company, { clientId });
    assert.deepEqual(idsOf(await retried(member, { all: true })), expected);
  });

  test('queues more failed imports than one transaction retries', async () => {
    const company = await service.company();
    const ids = await plantImports(service, company, 501);
    assert.deepEqual(idsOf(await retried(company, { all: true })), ids);
  });
});

describe('concurrent retries and removals of imports', () => {
  test('concurrent retries and removals finish without a deadlock and queue each import at most once', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const ids = [
      ...(await plantImports(service, company, 15)),
      ...(await plantImports(service, company, 15, { clientId })),
    ];
    const removed = ids.filter((_, n) => n % 10 === 0);
    const shuffled = ids.filter((id) => !removed.includes(id)).toReversed();
    const sent = [
      ...ids.map((id) => sendRetry(company, id)),
      ...Array.from({ length: 5 }, () => sendRetries(company, { ids: shuffled })),
      ...Array.from({ length: 5 }, () => sendRetries(company, { all: true })),
      ...removed.map((id) => company.send('DELETE', `${IMPORTS}/${id}`)),
    ];
    for (const answer of await Promise.all(sent)) {
      assert.ok([202, 204, 404, 409].includes(answer.statusCode), answer.body);
    }
    for (const id of ids) {
      const jobs = await countJobs(service, id);
      assert.ok(removed.includes(id) ? jobs <= 1 : jobs === 1, `${jobs} jobs`);
    }
  });
});
