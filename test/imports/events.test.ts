import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { recordedBy } from '../support/company.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import {
  importRows,
  letFileGo,
  plantImport,
  plantImports,
  sendRemoval,
  sendRetries,
  sendRetry,
} from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

/** No worker is at work here: what is put back stays where it is. */
const service = await openOwnTestApp();

/** Words of a file and of its name, which no event may hold. */
const SECRETS = { filename: 'narwhal-contract.txt', text: 'The narwhal pays on Tuesday.' };

type Answer = Pick<Awaited<ReturnType<Caller['send']>>, 'statusCode' | 'body' | 'json'>;

interface Decision {
  kind: string;
  state: 'queued' | 'failed' | 'cancelled';
  /** How many runs there were. */
  attempts: number;
  send: (caller: Caller, id: string) => PromiseLike<Answer>;
}

const DECISIONS: Record<string, Decision> = {
  'a retry of one import': { kind: 'memory.import_retry', state: 'failed', attempts: 1, send: sendRetry },
  'a retry of several imports': {
    kind: 'memory.import_retry',
    state: 'failed',
    attempts: 1,
    send: (caller, id) => sendRetries(caller, { ids: [id] }),
  },
  'a retry of all imports': {
    kind: 'memory.import_retry',
    state: 'failed',
    attempts: 1,
    send: (caller) => sendRetries(caller, { all: true }),
  },
  'a cancel of an import': { kind: 'memory.import_cancel', state: 'queued', attempts: 0, send: sendRemoval },
  'a removal of a failed import': {
    kind: 'memory.import_forget',
    state: 'failed',
    attempts: 1,
    send: sendRemoval,
  },
  'a removal of a cancelled import': {
    kind: 'memory.import_forget',
    state: 'cancelled',
    attempts: 1,
    send: sendRemoval,
  },
};

for (const [what, { kind, state, attempts, send }] of Object.entries(DECISIONS)) {
  describe(`audit events of ${what}`, () => {
    for (const inClient of [false, true]) {
      test(`${what} in ${inClient ? 'a client' : 'the Team layer'} is recorded once, without contents of the file`, async () => {
        const company = await service.company();
        const clientId = inClient ? await addClient(service, company) : null;
        const actor = await addPerson(service, company, { teamRole: 'admin' });
        const id = await plantImport(service, company, { state, clientId, ...SECRETS });
        const { events, text } = await recordedBy(service, company, async () => {
          const answer = await send(actor, id);
          assert.ok(answer.statusCode < 300, answer.body);
        });
        const told = { kind, subjectType: 'import', subjectId: id, detail: { attempts } };
        const whose = { actorId: actor.userId, teamId: company.teamId };
        assert.deepEqual(events, [{ ...told, ...whose }]);
        assert.doesNotMatch(text, /narwhal/i);
        const [listed] = await company.all.listTeamAudit({ subjectId: id });
        const layer = inClient ? 'client' : 'team';
        const clientName = inClient ? 'A client' : null;
        const names = { actorName: 'Someone', subjectName: null, clientName };
        const { id: eventId, at } = listed ?? {};
        assert.deepEqual(listed, {
          id: eventId,
          at,
          ...told,
          ...whose,
          ...names,
          tokenId: null,
          layer,
          clientId,
        });
      });
    }

    test(`${what} is rolled back together with its event if any statement fails`, async (t) => {
      const company = await service.company();
      const id = await plantImport(service, company, { state });
      let statementsLeft = 0;
      const app = await openFailingApp(t, service, () => {
        statementsLeft -= 1;
        return statementsLeft < 0 ? databaseError('XX000') : null;
      });
      const before = await importRows(service, company.teamId);
      let statements = 0;
      let answer = await send(via({ app }, company), id);
      for (; answer.statusCode >= 500; answer = await send(via({ app }, company), id)) {
        const now = await importRows(service, company.teamId);
        assert.deepEqual(now, before, `failed behind ${statements} statements`);
        statements += 1;
        statementsLeft = statements;
      }
      assert.ok(answer.statusCode < 300, answer.body);
      assert.ok(statements > 5, `failed at ${statements} statements`);
      const events = (await importRows(service, company.teamId)).filter((row) => row.startsWith('event '));
      assert.equal(events.length, 1);
    });
  });
}

test('a retry of several imports records one event for each import', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  for (const body of [null, { all: true }]) {
    const ids = [
      ...(await plantImports(service, company, 2)),
      ...(await plantImports(service, company, 2, { clientId })),
    ];
    const { events } = await recordedBy(service, company, () =>
      Promise.resolve(sendRetries(company, body ?? { ids })),
    );
    assert.deepEqual(events.map(({ subjectId }) => subjectId).sort(), ids);
  }
});

describe('requests that record no audit event', () => {
  const RECORD_NOTHING: Record<string, (company: SignedIn) => Promise<() => PromiseLike<unknown>>> = {
    'a retry of an import that has not failed': async (company) => {
      const id = await plantImport(service, company, { state: 'running' });
      return () => sendRetry(company, id);
    },
    'a retry of an import whose file was deleted': async (company) => {
      const id = await plantImport(service, company);
      await letFileGo(service, id);
      return () => sendRetry(company, id);
    },
    'a retry of several imports if one is refused': async (company) => {
      const ids = [
        await plantImport(service, company),
        await plantImport(service, company, { state: 'running' }),
      ];
      return () => sendRetries(company, { ids });
    },
    'a retry of all if none has failed': async (company) => () => sendRetries(company, { all: true }),
    'a cancel of a running import': async (company) => {
      const id = await plantImport(service, company, { state: 'running' });
      return () => sendRemoval(company, id);
    },
    'reading imports': async (company) => {
      const id = await plantImport(service, company);
      return async () => {
        for (const path of ['imports', `imports/${id}`, 'imports?state=failed']) {
          assert.equal((await company.send('GET', `/v1/memory/${path}`)).statusCode, 200, path);
        }
      };
    },
  };
  for (const [what, prepare] of Object.entries(RECORD_NOTHING)) {
    test(`records no event for ${what}`, async () => {
      const company = await service.company();
      const act = await prepare(company);
      const { events } = await recordedBy(service, company, async () => act());
      assert.deepEqual(events, []);
    });
  }
});
