import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { NO_TERMINAL, openHomes, otherServices, runAtTerminal } from './cli.ts';

const newPerson = await openHomes();
const openOther = otherServices();

const env = { MEMORY_API_TOKEN: 'a-token-of-this-test' };

describe('the notice of another version', { skip: NO_TERMINAL }, () => {
  test('is shown in a terminal, once a day for each service, and never to a program', async () => {
    const embedder = { mode: 'server', model: 'm', dim: 1024, serverModeEnabled: true };
    const health = { ok: true, version: '9.9.9', commit: null, backend: 'pglite', embedder };
    const versionSent = Promise.withResolvers<void>();
    // The other answer of a command comes later than the version, however slow this machine is.
    let others = Promise.resolve();
    const { url, asked } = await openOther((request, response) => {
      if (request.url === '/v1/health') response.end(JSON.stringify(health), versionSent.resolve);
      else void others.then(() => response.end('{}'));
    });
    const person = await newPerson();
    const checks = () => asked.filter((path) => path === '/v1/health').length;
    const shown = async (...args: string[]) => (await runAtTerminal(person, args, [], 0, env)).shown;
    const notice =
      /^memory: this program has version [\d.]+, which is older than 9\.9\.9 .*npm install -g http:.*\/cli\.tgz/m;

    await person.run(['whoami', '--url', url], { env });
    await shown('whoami', '--json', '--url', url);
    const off = { ...env, MEMORY_NO_UPDATE_NOTIFIER: '1' };
    await runAtTerminal(person, ['whoami', '--url', url], [], 0, off);
    assert.equal(checks(), 0);

    others = versionSent.promise;
    assert.match(await shown('whoami', '--url', url), notice);
    assert.equal(checks(), 1);
    assert.doesNotMatch(await shown('whoami', '--url', url), /this program has version/);
    assert.equal(checks(), 1);
    const file = join(person.home, '.config', 'team-memory', 'versions.json');
    assert.deepEqual(Object.keys(JSON.parse(await readFile(file, 'utf8')) as object), [url]);
  });
});
