import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAgent } from '../support/agent-tokens.ts';
import { addPerson, addTeam } from '../support/team.ts';
import { closedAddress, type Person } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, newPerson, openOther, owner } = await openCli();

interface Check {
  name: string;
  state: string;
  detail: string;
  remedy: string | null;
}

const shown = (checks: Check[]) => checks.map(({ name, state }) => `${name} ${state}`);

/** Runs the checks. */
async function checksOf(person: Person, args: string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await person.run(['doctor', '--json', ...args], { env });
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { code, stderr, checks, find: (name: string) => checks.find((check) => check.name === name) };
}

describe('cli doctor', () => {
  test('prints a line for each check, and a remedy for what is wrong', async () => {
    const { company, person } = await owner();
    const { code, checks, find } = await checksOf(person);
    assert.equal(code, 0);
    const good = ['Address', 'Clock', 'Version', 'Credential', 'Team', 'Writing'].map((name) => `${name} ok`);
    assert.deepEqual(shown(checks), [...good, 'Vectors warning', 'Worker warning']);
    assert.equal(find('Team')?.detail, `Test Team (${company.teamId})`);
    for (const { state, remedy } of checks) assert.equal(remedy === null, state === 'ok');
    const { stdout } = await person.run(['doctor']);
    assert.match(stdout, /^Writing +ok +you can write in the Team \(access full\)$/m);
    assert.match(stdout, /^Vectors +warning +searches use only keywords.*\n +→ .*profile set --embed-with$/m);
    await person.run(['profile', 'set', '--embed-with', 'my-model']);
    const vectors = (await checksOf(person)).find('Vectors');
    assert.equal(vectors?.detail, 'those of queries are made with: my-model');
  });

  test('fails where nothing answers, without a credential, with a wrong one, and without a Team', async () => {
    const { company, person } = await owner();
    const nowhere = await closedAddress(openOther);
    const away = await checksOf(person, ['--url', nowhere], { MEMORY_API_TOKEN: 'a-token-of-this-test' });
    assert.deepEqual([away.code, away.checks.length], [1, 1]);
    assert.match(String(away.find('Address')?.detail), /cannot be reached/);
    assert.match(away.stderr, /^memory: 1 check failed\n$/);
    const stranger = await checksOf(await newPerson(), ['--url', base]);
    assert.match(String(stranger.find('Credential')?.detail), /not signed in/);
    assert.match(String(stranger.find('Credential')?.remedy), /memory login/);
    const wrong = await checksOf(person, ['--url', base], { MEMORY_API_TOKEN: 'wrong-of-this-test' });
    assert.match(String(wrong.find('Credential')?.detail), /unauthenticated/);
    await addTeam(service, company);
    const several = await checksOf(person);
    assert.deepEqual([several.code, several.find('Team')?.state], [1, 'failed']);
    assert.match(String(several.find('Team')?.remedy), /team use/);
  });

  test('tells who cannot write, and why', async () => {
    const { company, person } = await owner();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const agent = await createAgent(service, company, company, { permissions: ['memory:read'] });
    for (const [token, reason] of [
      [reader.token, /you can only read in this Team/],
      [agent.token, /the agent token does not permit writing/],
    ] as const) {
      const { code, find } = await checksOf(person, ['--url', base], { MEMORY_API_TOKEN: token });
      assert.deepEqual([code, find('Writing')?.state], [0, 'warning']);
      assert.match(String(find('Writing')?.detail), reason);
    }
  });

  test('warns of a clock that differs, and of another version', async () => {
    const other = await openOther((_request, response) => {
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
      const embedder = { mode: 'server', model: 'm', dim: 1024, serverModeEnabled: true };
      const health = { ok: true, version: '9.9.9', commit: null, backend: 'pglite', embedder };
      response.end(JSON.stringify(health));
    });
    const { find } = await checksOf(await newPerson(), ['--url', other.url]);
    assert.match(String(find('Clock')?.detail), /^3\d\d\d s ahead of that of the service$/);
    assert.deepEqual([find('Version')?.state, find('Version')?.detail.includes('9.9.9')], ['warning', true]);
  });
});
