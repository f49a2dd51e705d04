import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { SignedIn, TestApp } from '../support/app.ts';
import { passSeconds, requestKey, toldLimit } from '../support/limits.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { type Fate, openPlaces } from './between.ts';
import { importedNames, manyFiles, writeFolder } from './folder.ts';
import { isSending, openSenders, sentNames } from './folder-senders.ts';

const { service, base, newPerson, personWith, send } = await openSenders();
const openPlace = openPlaces();

const FILES = manyFiles(120);
const NAMES = Object.keys(FILES);

/** Sends requests until one is refused, and lets all but the last ten seconds of the minute pass. */
async function useUp({ app, database }: TestApp, { headers, companyId }: SignedIn): Promise<void> {
  for (;;) {
    const answer = await app.inject({ url: '/v1/auth/session', headers });
    if (answer.statusCode === 200) continue;
    const { reset } = toldLimit(answer);
    const [session] = await database.query<{ id: string }>(
      'select id from identity.session where company_id = $1',
      [companyId],
    );
    assert.ok(session);
    return passSeconds(database, requestKey({ session: session.id }), Math.max(reset - 10, 0));
  }
}

describe('cli import against a service that refuses', () => {
  test('waits as long as the service says after too many requests', async () => {
    const limited = await openOwnTestApp({ MEMORY_RATE_LIMITS: 'on', MEMORY_RATE_LIMIT_PER_MINUTE: '8' });
    const address = await limited.app.listen({ host: '127.0.0.1', port: 0 });
    const [company, person] = [await limited.company(), await newPerson()];
    await writeFolder(join(person.home, 'docs'), manyFiles(60));
    const place = await openPlace(address, async (request): Promise<Fate> => {
      // When it starts to send, its limit is used up and the minute is nearly over.
      if (isSending(request) && place.passed.filter(isSending).length === 1) await useUp(limited, company);
      return 'passes';
    });
    const ended = await send(person, company, place.url);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /^too many attempts \(rate_limited\), again in \d+ s \(1 of 8\)$/m);
    assert.equal((await importedNames(limited, company)).length, 60);
  });

  test('retries when the service is unavailable for a while', async () => {
    const { company, person } = await personWith({ 'a.txt': 'one' });
    const unavailable = (seconds: number): Fate => ({
      status: 503,
      headers: { 'retry-after': String(seconds) },
      body: { code: 'unavailable', detail: 'x' },
    });
    let asked = 0;
    const place = await openPlace(base, (request) => {
      // The first request of all: the time in its answer shows that a service is there.
      if (place.passed.length === 1) return unavailable(0);
      return isSending(request) && asked++ === 0 ? unavailable(1) : 'passes';
    });
    const ended = await send(person, company, place.url);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /cannot answer now \(503\), again in 0 s/);
    assert.match(ended.stdout, /cannot answer now \(503\), again in 1 s/);
    assert.deepEqual(await importedNames(service, company), ['a.txt']);
  });

  test('imports the other files when the service refuses one', async () => {
    const { company, person } = await personWith(FILES);
    const bad = NAMES[70] ?? '';
    const body = { code: 'unsupported_media_type', detail: '/items/20: its type is not known' };
    const place = await openPlace(base, (request) =>
      isSending(request) && sentNames(request).includes(bad) ? { status: 415, body } : 'passes',
    );
    const ended = await send(person, company, place.url);
    assert.deepEqual([ended.code, ended.stderr], [1, 'memory: 1 of 120 files were not imported\n']);
    assert.match(ended.stdout, new RegExp(`^not sent +${bad} +.*unsupported_media_type`, 'm'));
    assert.deepEqual(
      await importedNames(service, company),
      NAMES.filter((name) => name !== bad),
    );
  });

  test('ends at a refusal that concerns every file and reports how many were sent', async () => {
    const { company, person } = await personWith(FILES);
    let asked = 0;
    const body = { code: 'team_archived', detail: 'The Team is archived' };
    const place = await openPlace(base, (request) =>
      isSending(request) && asked++ === 1 ? { status: 409, body } : 'passes',
    );
    const ended = await send(person, company, place.url);
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^memory: the service refused: team_archived: The Team is archived\n$/);
    assert.match(ended.stdout, /^120 files: 50 sent but not read yet, 70 not reached\.$/m);
    assert.equal(asked, 2);
  });
});
