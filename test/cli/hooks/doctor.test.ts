import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { createAgent } from '../../support/agent-tokens.ts';
import { closedAddress, type Person } from '../cli.ts';
import { openCli } from '../cli-person.ts';
import { AGENTS, commandOf, FILES, hookInput, printedBy, readJson, runHook, userHooks } from './hook-runs.ts';
import { stagedCaptures } from './staging.ts';

const { service, base, openOther, owner } = await openCli();

const ENOUGH_TIME = { MEMORY_HOOK_TIMEOUT_MS: '100000' };

interface Check {
  name: string;
  state: string;
  detail: string;
  remedy: string | null;
  output?: string;
}

/** A file with these commands for an event. */
const hooksOf = (event: string, ...commands: string[]) =>
  JSON.stringify({
    hooks: { [event]: commands.map((command) => ({ hooks: [{ type: 'command', command }] })) },
  });

/** The checks of hooks. */
async function hookChecks(
  person: Person,
  args: string[] = [],
  env: Record<string, string> = {},
  cwd = person.home,
) {
  const { code, stdout } = await person.run(['doctor', '--json', ...args], {
    env: { ...ENOUGH_TIME, ...env },
    cwd,
  });
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { code, checks: checks.filter(({ name }) => name === 'Hook') };
}

/** Moves what is stored of the failures of hooks into the past. */
async function ageFailures(person: Person, agent: string, hook: string, hours: number): Promise<void> {
  const path = join(dirname(person.sessionFile), 'hooks', `${agent}.${hook}.failing.json`);
  const record = await readJson<{ since: string }>(path);
  const since = new Date(Date.parse(record.since) - hours * 3_600_000).toISOString();
  await writeFile(path, JSON.stringify({ ...record, since }));
}

describe('doctor', () => {
  for (const agent of AGENTS) {
    test(`runs each hook of ${agent}, shows what it prints, and stages nothing`, async () => {
      const { company, person, text } = await owner();
      const project = join(person.home, 'ledger');
      await mkdir(project);
      const decided = 'What the team has already decided about the ledger: 40 seconds.';
      await company.api.ingestSource({ title: 'Decision', text: decided });
      await text('hook', 'install', agent);
      const { code, checks } = await hookChecks(person, [], {}, project);
      assert.equal(code, 0, JSON.stringify(checks));
      const content = await userHooks(person, agent);
      const of = (event: string) => checks.find(({ detail }) => detail.includes(`, ${event} (user) `));
      for (const event of Object.keys(content.hooks)) assert.equal(of(event)?.state, 'ok', event);
      assert.match(String(of('UserPromptSubmit')?.output), /already decided about .+: 40 seconds/);
      const staged = String(of('SessionEnd')?.output);
      assert.match(staged, /^Sessions are staged in the Team layer of Test Team\.$/);
      assert.deepEqual(await stagedCaptures(company), []);
      const { stdout } = await person.run(['doctor'], { env: ENOUGH_TIME, cwd: project });
      const works = /^Hook +ok +.+, UserPromptSubmit \(user\) works, and prints:\n +<team-memory-recall>$/m;
      assert.match(stdout, works);
    });
  }

  test('tells why a hook fails, and how to correct it', async () => {
    const { company, person, text } = await owner();
    await text('hook', 'install', 'codex');
    await rm(person.sessionFile);
    const { code, checks } = await hookChecks(person);
    assert.equal(code, 1);
    assert.deepEqual([...new Set(checks.map(({ state }) => state))], ['failed']);
    for (const { detail, remedy } of checks) {
      assert.match(detail, /failed: memory: you are not signed in/);
      assert.match(String(remedy), /install the hooks again: memory hook install codex$/);
    }
    const { token } = await createAgent(service, company, company, { permissions: ['memory:read'] });
    const env = { MEMORY_API_TOKEN: token };
    printedBy(await person.run(['hook', 'install', 'codex', '--url', base], { env }));
    const limited = await hookChecks(person, ['--url', base], env);
    const end = limited.checks.find(({ detail }) => detail.includes('SessionEnd'));
    assert.match(String(end?.detail), /the agent token does not permit writing/);
    const strange = hooksOf('SessionStart', 'no-such-program hook prompt --agent codex');
    await writeFile(join(person.home, FILES.codex.user), strange);
    const [missing] = (await hookChecks(person)).checks;
    assert.match(`${missing?.state} ${missing?.detail}`, /^failed .+no-such-program/);
  });

  test('does not run commands of a project that are of another program, or send a token elsewhere', async () => {
    const { company, person } = await owner();
    // A home is no project, but a folder in it is.
    const folder = join(person.home, 'ledger');
    await mkdir(join(folder, '.codex'), { recursive: true });
    const elsewhere = await openOther((_request, response) => response.end('{}'));
    printedBy(await person.run(['hook', 'install', 'codex']));
    const own = commandOf(await userHooks(person, 'codex'), 'UserPromptSubmit').split(' --agent ')[0];
    const [here, there] = [`--url ${base}`, `--url ${elsewhere.url}`];
    const installed = `${own} --agent codex ${here} --team ${company.teamId}`;
    const commands = [
      `touch ran; memory hook prompt --agent codex`,
      `${installed} ; touch ran`,
      installed.replace(here, there),
      // Of an option that is repeated, the last one counts.
      ...[there, `--url=${elsewhere.url}`].flatMap((other) => [
        installed.replace(here, `${here} ${other}`),
        `${installed} ${other}`,
      ]),
    ];
    const content = hooksOf('UserPromptSubmit', ...commands, installed);
    await writeFile(join(folder, '.codex', 'hooks.json'), content);
    await writeFile(join(folder, '.env'), `MEMORY_API_PUBLIC_URL=${elsewhere.url}\n`);
    const ended = await person.run(['doctor', '--json'], {
      cwd: folder,
      env: { ...ENOUGH_TIME, MEMORY_API_TOKEN: 'a-token-of-this-test', MEMORY_API_PUBLIC_URL: base },
    });
    const { checks } = JSON.parse(ended.stdout) as { checks: Check[] };
    const ofProject = checks.filter(({ detail }) => detail.includes('(project)'));
    assert.deepEqual(
      ofProject.map(({ state, detail }) => [state, detail.includes('was not run')]),
      [...commands.map(() => ['warning', true]), ['failed', false]],
    );
    const open = ['/v1/health', '/docs/json'];
    assert.ok(
      elsewhere.asked.every((path) => open.includes(path)),
      elsewhere.asked.join(' '),
    );
    await assert.rejects(readFile(join(folder, 'ran')), /ENOENT/);
  });

  test('warns of hooks that run twice, of forms that are not known, and of a session that was not staged', async () => {
    const { person, text } = await owner();
    await text('hook', 'install', 'codex');
    const plugin = join(person.home, '.codex/plugins/cache/team-memory/team-memory/0.1.0/hooks');
    await mkdir(plugin, { recursive: true });
    const content = hooksOf('UserPromptSubmit', 'no-such-memory hook prompt --agent codex');
    await writeFile(join(plugin, 'hooks.json'), content);
    const state = join(dirname(person.sessionFile), 'hooks');
    await mkdir(state, { recursive: true });
    const at = '2026-11-20T09:00:00.000Z';
    const stored = {
      lastStagedAt: at,
      lastError: { at, message: 'the service cannot be reached' },
      unknownForms: [{ form: 'event_msg/new_message', at, file: '/home/x/rollout.jsonl' }],
    };
    await writeFile(join(state, 'codex.json'), JSON.stringify(stored), { mode: 0o600 });
    const { checks } = await hookChecks(person);
    const all = checks.map(({ state: found, detail, remedy }) => `${found} ${detail} ${remedy}`).join('\n');
    for (const line of [
      /^failed Codex, UserPromptSubmit \(plugin\) failed: .*no-such-memory.* on the PATH/m,
      /^warning Codex runs these hooks several times.+hook uninstall codex.+codex plugin remove/m,
      /^warning Codex: the last session was not staged \(2026-11-20 09:00:00\): the service/m,
      /^warning Codex writes records of a form .+: event_msg\/new_message \(.+rollout\.jsonl\)/m,
      /^ok Codex: a session was last staged at 2026-11-20 09:00:00/m,
    ])
      assert.match(all, line);
    const refused = await person.run(['hook', 'install', 'codex', '--user']);
    assert.match(refused.stderr, /has these hooks too.+remove the plugin with codex plugin remove/);
  });
});

describe('a hook that has not worked for a day', () => {
  test('is mentioned at the next start of a session, once, until it has worked again', async () => {
    const { person } = await owner();
    const nowhere = await closedAddress(openOther);
    const away = { MEMORY_API_TOKEN: 'a-token-of-this-test', MEMORY_API_PUBLIC_URL: nowhere };
    const ask = async (env: Record<string, string> = {}) => {
      const input = await hookInput('codex', 'user-prompt-submit');
      return printedBy(await runHook(person, ['prompt', '--agent', 'codex'], input, env));
    };
    const start = async (env: Record<string, string> = {}) => {
      const input = await hookInput('codex', 'session-start', { cwd: person.home });
      return printedBy(await runHook(person, ['session-start', '--agent', 'codex'], input, env));
    };
    for (let round = 0; round < 2; round += 1) {
      assert.equal(await ask(away), '');
      assert.equal(await start(), '');
      await ageFailures(person, 'codex', 'prompt', 25);
      assert.equal(await ask(away), '');
      const { checks } = await hookChecks(person);
      assert.match(String(checks[0]?.detail), /^Codex: prompt has not worked since .+cannot be reached/);
      const [opening, told = '', closing] = (await start()).split('\n');
      assert.deepEqual([opening, closing], ['<team-memory-recall>', '</team-memory-recall>']);
      const why =
        'the hooks of the team memory \\(prompt\\) have not worked since .+cannot be reached.+ doctor';
      assert.match(told, new RegExp(`^Tell the person: ${why}$`));
      assert.equal(await start(), '');
      assert.equal(await ask(), '');
    }
  });

  test('is mentioned also if the start of the session fails or has no answer in time, next to what it finds', async () => {
    const { company, person } = await owner();
    const silent = await openOther(() => {});
    const slow = { MEMORY_API_TOKEN: 'a-token-of-this-test', MEMORY_API_PUBLIC_URL: silent.url };
    const project = join(person.home, 'gateway');
    await mkdir(project);
    const input = await hookInput('claude-code', 'session-start', { cwd: project });
    const start = async (env: Record<string, string> = {}) =>
      printedBy(await runHook(person, ['session-start', '--agent', 'claude-code'], input, env));
    const late = { ...slow, MEMORY_HOOK_TIMEOUT_MS: '1500' };
    assert.equal(await start(late), '');
    await ageFailures(person, 'claude-code', 'session-start', 25);
    assert.match(await start(late), /\(session-start\) have not worked since .+ no answer in time/);
    assert.equal(await start(late), '');
    await runHook(person, ['prompt', '--agent', 'claude-code'], 'no JSON');
    await ageFailures(person, 'claude-code', 'prompt', 25);
    const long = 'The gateway waits 40 seconds before it retries. '.repeat(60);
    for (const title of ['One', 'Two', 'Three'])
      await company.ask.ingestSource({ title, text: `${title}. ${long}` });
    const both = await start();
    assert.match(both, /^<team-memory-recall>\nTell the person.+\nStored by the Team/);
    assert.match(both, /waits 40 seconds[^]*<\/team-memory-recall>\n$/);
    assert.ok(Buffer.byteLength(both) <= 2000, `${Buffer.byteLength(both)}`);
  });
});
