import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { stageCapture } from '../support/captures.ts';
import { addClient } from '../support/team.ts';
import { openPlaces, type Passing } from './between.ts';
import { assertRefused, NO_TERMINAL, runAtTerminal } from './cli.ts';
import { type CliOwner, openCli } from './cli-person.ts';
import { captureStates, editor, keptText } from './consolidation.ts';

const { service, base, owner } = await openCli();
const between = openPlaces();

const CLAIM = '/v1/memory/consolidation/claim';
const COMPLETE = '/v1/memory/consolidation/complete';
const RELEASED = { staged: 1, claimed: 0, completed: 0 };
const TITLED = `text = text.replace('title: ', 'title: Checked');`;

/** An answer of the service that refuses a request. */
const refusal = (status: number, code: string) => ({ status, body: { code, detail: 'Not like this' } });

/** A person whose completions are refused: the first ones with these answers, in this order. */
async function refused(
  ...answers: ReturnType<typeof refusal>[]
): Promise<{ cli: CliOwner; passed: Passing[] }> {
  const left = [...answers];
  const { url, passed } = await between(base, ({ path }) =>
    path === COMPLETE ? (left.shift() ?? 'passes') : 'passes',
  );
  const cli = await owner(url);
  await stageCapture(cli.company);
  return { cli, passed };
}

describe('cli consolidate in an editor', () => {
  test('claims the captures for an hour, and names the client of each', async () => {
    const { cli, passed } = await refused();
    const clientId = await addClient(service, cli.company);
    await stageCapture(cli.company, { scope: { clientId } });
    const ended = await cli.person.run(['consolidate'], { env: await editor(cli.person, '') });
    assert.equal(ended.code, 0, ended.stderr);
    const claim = passed.find(({ path }) => path === CLAIM);
    assert.ok(claim);
    assert.equal((claim.body as { leaseSeconds: number }).leaseSeconds, 3600);
    const seen = await readFile(join(cli.person.home, 'seen.md'), 'utf8');
    assert.match(seen, /^# \w+ capture 1: session .*, Team layer$/m);
    assert.match(seen, /^# \w+ capture 2: session .*, A client$/m);
  });

  test('keeps what was written when the service refuses it, and says where', async () => {
    for (const [status, code] of [
      [409, 'batch_expired'],
      [400, 'invalid_request'],
    ] as const) {
      const { cli } = await refused(refusal(status, code));
      const ended = await cli.person.run(['consolidate'], { env: await editor(cli.person, TITLED) });
      assertRefused(ended, new RegExp(`${code}.*; what you wrote is kept in `));
      assert.match(await keptText(ended.stderr), /^title: Checked$/m);
      assert.deepEqual(await captureStates(cli.company), RELEASED);
    }
  });

  test('opens a text again that the service refuses', { skip: NO_TERMINAL }, async () => {
    const { cli } = await refused(refusal(400, 'invalid_request'));
    const env = await editor(cli.person, TITLED);
    const answers = [{ question: 'Edit again?', typed: '\r' }];
    const { code, shown } = await runAtTerminal(cli.person, ['consolidate'], answers, 0, env);
    assert.equal(code, 0, shown);
    assert.match(shown, /the service refused: invalid_request/);
    // The editor has opened the text of the first time, and has put the title in front of the earlier one.
    assert.match(shown, /^CheckedChecked +review +0 +[\w-]{36}\r$/m);
  });

  test('keeps what was written when the person does not correct it', { skip: NO_TERMINAL }, async () => {
    const { cli } = await refused();
    const env = await editor(cli.person, `text = text.replace('action: review', 'action: keep');`);
    const answers = [{ question: 'Edit again?', typed: 'n\r' }];
    const { code, shown } = await runAtTerminal(cli.person, ['consolidate'], answers, 0, env);
    assert.equal(code, 1, shown);
    assert.match(await keptText(shown), /^action: keep$/m);
    assert.deepEqual(await captureStates(cli.company), RELEASED);
  });

  test('gives the editor standard error when standard output is for the result', async () => {
    const { cli } = await refused();
    const env = await editor(cli.person, `console.log('shown by the editor'); ${TITLED}`);
    const ended = await cli.person.run(['consolidate', '--json'], { env });
    assert.equal(ended.stderr, 'shown by the editor\n');
    assert.equal((JSON.parse(ended.stdout) as { left: number }).left, 0);
  });

  test('refuses before it claims if there is neither an editor nor a terminal', async () => {
    const { cli, passed } = await refused();
    assertRefused(await cli.person.run(['consolidate']), /no editor can be opened: .*EDITOR is not set/);
    assert.deepEqual(passed, []);
  });
});
