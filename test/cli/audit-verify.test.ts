import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SignedIn } from '../support/app.ts';
import { printSeal, readEventIds, readSeals, recordEvents, sealAll, tamper } from '../support/audit-chain.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { assertRefused, openHomes, otherServices } from './cli.ts';

/** The tests break audit chains, so they have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();
const openOther = otherServices();

/** Runs the command in an empty home folder with the token of an account. */
async function auditVerify({ token }: { token: string }, ...args: string[]) {
  const person = await newPerson();
  return person.run(['audit-verify', '--url', base, ...args], { env: { MEMORY_API_TOKEN: token } });
}

async function openSealed(): Promise<SignedIn> {
  const company = await service.company();
  await recordEvents(database, company, 3);
  await sealAll(database);
  return company;
}

describe('cli audit-verify', () => {
  test('reports that the audit chain is intact, how many events are not sealed and the last seal', async () => {
    const company = await openSealed();
    await recordEvents(database, company, 2);
    const last = (await readSeals(database, company)).at(-1);
    assert.deepEqual(await auditVerify(company), {
      code: 0,
      stdout: `7 audit events, 2 of them not sealed yet. The chain is intact.\nseal 5:${last?.hash.toString('hex')}\n`,
      stderr: '',
    });
    const { stdout } = await auditVerify(await service.company());
    assert.equal(stdout, '2 audit events, 2 of them not sealed yet. The chain is intact.\n', 'no seal');
  });

  test('exits with 1 and names the first event at which the chain is broken', async () => {
    const company = await openSealed();
    const [, , broken = ''] = await readEventIds(database, company);
    await tamper(database, (tx) =>
      tx.query(`update memory.audit_event set kind = 'x' where id = $1`, [broken]),
    );
    const [first] = await readSeals(database, company);
    for (const args of [[], ['--seal', printSeal(first!)]]) {
      const ended = await auditVerify(company, ...args);
      assertRefused(ended, new RegExp(`is broken at event ${broken}: .*\\(5 events\\)\n$`));
    }
    assertRefused(await auditVerify({ token: 'a-token-of-no-one' }), /unauthenticated/);
  });

  test('with --seal, says that the chain contains the seal that it printed before', async () => {
    const company = await openSealed();
    const { stdout } = await auditVerify(company);
    const seal = /^seal (.+)$/m.exec(stdout)?.[1] ?? '';
    await recordEvents(database, company, 1);
    assert.deepEqual(await auditVerify(company, '--seal', seal), {
      code: 0,
      stdout:
        '6 audit events, 1 of them not sealed yet. The chain is intact.\n' +
        `The chain contains the seal ${seal}.\nseal ${seal}\n`,
      stderr: '',
    });
  });

  test('with --seal, exits with 1 if the chain does not contain the seal', async () => {
    const company = await openSealed();
    const seals = await readSeals(database, company);
    await tamper(database, async (tx) => {
      for (const table of ['audit_event', 'audit_seal']) {
        const column = table === 'audit_event' ? 'id' : 'event_id';
        await tx.query(`delete from memory.${table} where ${column} = $1`, [seals[4]?.eventId]);
      }
    });
    const [noted, last] = [printSeal(seals[4]!), printSeal(seals[3]!)];
    const ended = await auditVerify(company, '--seal', noted);
    assertRefused(ended, new RegExp(`not contain the seal ${noted}: .*\\(its last seal is ${last}\\)\n$`));
    const { code, stdout } = await auditVerify(company, '--seal', noted, '--json');
    assert.deepEqual([code, (JSON.parse(stdout) as { containsSeal: boolean }).containsSeal], [1, false]);
    assertRefused(await auditVerify(await service.company(), '--seal', noted), /\(nothing is sealed\)\n$/);
  });

  test('with --seal, refuses another form and a service that does not check seals', async () => {
    const company = await openSealed();
    for (const seal of ['5', `5 ${'a'.repeat(64)}`, `5:${'a'.repeat(63)}`]) {
      assertRefused(await auditVerify(company, '--seal', seal), /--seal: expected a number, a colon/);
    }
    const intact = '{"events":1,"unsealed":1,"firstBreak":null,"head":null}';
    const former = await openOther((_request, response) => response.end(intact));
    const ended = await auditVerify(company, '--seal', `5:${'a'.repeat(64)}`, '--url', former.url);
    assertRefused(ended, /--seal: the service does not check seals/);
  });
});
