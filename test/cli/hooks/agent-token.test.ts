import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createAgent } from '../../support/agent-tokens.ts';
import { addClient } from '../../support/team.ts';
import { assertRefused } from '../cli.ts';
import { openCli } from '../cli-person.ts';
import {
  AGENTS,
  assertSilent,
  commandOf,
  hookInput,
  printedBy,
  readFixture,
  runAsAgent,
  userHooks,
} from './hook-runs.ts';
import { capturesStagedLater, transcriptInput } from './staging.ts';

const { service, base, newPerson, owner } = await openCli();

/** A home without a session, an agent token for its hooks, and a text that they can find. */
async function withAgentToken() {
  const [company, person] = [await service.company(), await newPerson()];
  const stored = { title: 'Retries', text: 'The payment gateway waits 40 seconds before it retries.' };
  await company.ask.ingestSource(stored);
  const permissions = ['memory:read', 'memory:write'] as const;
  const { token } = await createAgent(service, company, company, { permissions });
  const env = { MEMORY_API_TOKEN: token, MEMORY_API_PUBLIC_URL: base };
  return { company, person, env };
}

describe('hooks that are installed with an agent token', () => {
  for (const agent of AGENTS) {
    test(`recall in ${agent} and stage`, async () => {
      const { company, person, env } = await withAgentToken();
      const client = ['--client', await addClient(service, company)];
      const installed = printedBy(await person.run(['hook', 'install', agent, ...client], { env }));
      assert.match(installed, /^They use MEMORY_API_TOKEN, which must be set where the agent runs\.$/m);
      const content = await userHooks(person, agent);
      const asAgent = (command: string, input: string) => runAsAgent(person, command, input, env);
      const prompt = await hookInput(agent, 'user-prompt-submit');
      const recalled = printedBy(await asAgent(commandOf(content, 'UserPromptSubmit'), prompt));
      assert.match(recalled, /waits 40 seconds/);
      const ended = await transcriptInput(person, agent, await readFixture(agent, 'transcript.jsonl'));
      assertSilent(await asAgent(commandOf(content, 'SessionEnd'), ended));
      const [capture] = await capturesStagedLater(company);
      assert.deepEqual([capture?.clientId, capture?.createdWith?.name], [client[1], 'An agent']);
    });
  }

  test('use the token also where a session is saved, a .env names a profile, and the session ends', async () => {
    const { person, env } = await withAgentToken();
    const signedIn = await owner();
    printedBy(await signedIn.person.run(['hook', 'install', 'codex'], { env }));
    const command = commandOf(await userHooks(signedIn.person, 'codex'), 'UserPromptSubmit');
    assert.ok(!command.includes('--profile'), command);
    const project = join(person.home, 'ledger');
    await mkdir(project);
    await writeFile(join(project, '.env'), 'MEMORY_PROFILE=another\nMEMORY_API_TOKEN=another\n');
    const prompt = await hookInput('codex', 'user-prompt-submit', { cwd: project });
    const ended = await runAsAgent(signedIn.person, `cd ${project} && ${command}`, prompt, env);
    assert.match(printedBy(ended), /waits 40 seconds/);
  });

  test('keep the profile that was named or signed in', async () => {
    const { person, text } = await owner();
    for (const args of [[], ['--profile', 'default']]) {
      await text('hook', 'install', 'codex', ...args);
      const command = commandOf(await userHooks(person, 'codex'), 'UserPromptSubmit');
      assert.match(command, / --profile default --url /);
    }
  });
});

describe('a profile that hides the token', () => {
  test('is named in the refusal, with the way to use the token', async () => {
    const { person, env } = await withAgentToken();
    const why = /with --profile, MEMORY_API_TOKEN is not used: .+ or leave --profile out/;
    for (const profile of ['default', 'work'])
      assertRefused(await person.run(['whoami', '--profile', profile], { env }), why);
    await writeFile(join(person.home, '.env'), `MEMORY_API_TOKEN=${env.MEMORY_API_TOKEN}\n`);
    assertRefused(
      await person.run(['whoami', '--url', base], { env: { MEMORY_PROFILE: 'work' } }),
      /with MEMORY_PROFILE in the environment, MEMORY_API_TOKEN of \.env is not used/,
    );
  });
});
