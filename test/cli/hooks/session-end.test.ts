import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_SUMMARY } from '../../../shared/schemas/captures.ts';
import { column } from '../../support/columns.ts';
import { openCli } from '../cli-person.ts';
import { AGENTS, assertSilent, hookInput, readFixture, runHook } from './hook-runs.ts';
import { record, stage, stagedCaptures } from './staging.ts';

const { newPerson, openOther, owner } = await openCli();
describe('hook session-end', () => {
  for (const agent of AGENTS) {
    test(`stages what person and agent have said to ${agent}, without tools, thoughts and recalled passages`, async () => {
      const { company, person } = await owner();
      const transcript = await readFixture(agent, 'transcript.jsonl');
      const printed = await stage(person, 'session-end', agent, transcript);
      assert.equal(printed, 'The session has 1 capture.\n');
      const [capture, ...more] = await stagedCaptures(company);
      const { session_id } = JSON.parse(await hookInput(agent, 'session-end')) as { session_id: string };
      assert.deepEqual(more, []);
      const { sessionId, sequence, layer, startedAt, endedAt, metadata, summary } = capture!;
      const times = ['2026-11-20T09:00:02.000Z', '2026-11-20T09:01:00.000Z'];
      assert.deepEqual([sessionId, sequence, layer, startedAt, endedAt], [session_id, 1, 'team', ...times]);
      assert.deepEqual(metadata, { agent, project: 'gateway', upTo: 4 });
      const said = [
        'Person:\nHow long does the payment gateway wait before it retries?',
        'Agent:\nI will look at the retry loop of the gateway.',
        'It waits 40 seconds, because the bank locks the account for 30. I have set the constant and its test to match that.',
        'Person:\nGood. Write that down for the others.',
      ];
      assert.equal(summary, said.join('\n\n'));
    });
  }

  test('divides a long session between messages, and a long message between lines', async () => {
    const { company, person } = await owner();
    const line = `${'word '.repeat(15)}\n`;
    const long = line.repeat(Math.ceil((2.5 * MAX_SUMMARY) / line.length)).trim();
    const smiles = record('user', `x${'🙂'.repeat(40_000)}`);
    const transcript = record('user', 'Explain everything.') + record('assistant', long) + smiles;
    const printed = await stage(person, 'session-end', 'claude-code', transcript);
    assert.equal(printed, 'The session has 5 captures.\n');
    const captures = await stagedCaptures(company);
    assert.deepEqual(column(captures, 'sequence'), [1, 2, 3, 4, 5]);
    for (const { summary } of captures) assert.ok(summary.length <= MAX_SUMMARY, `${summary.length}`);
    const said = captures.map(({ summary }) => summary.replaceAll(/^(?:Person|Agent):\n/gm, '')).join('');
    const count = (text: string, part: string) => text.split(part).length - 1;
    assert.deepEqual([count(said, 'word'), count(said, '🙂')], [count(long, 'word'), 40_000]);
    assert.ok(!said.includes('�'));
  });

  test('stages no session that is short, in which only one has spoken, or that has no transcript', async () => {
    const { company, person } = await owner();
    const short = [record('user', 'hello'), record('assistant', 'Hello!')].join('');
    const alone = record('user', 'a prompt that nobody answered '.repeat(20));
    for (const transcript of ['', short, alone]) {
      const printed = await stage(person, 'session-end', 'claude-code', transcript);
      assert.equal(printed, 'The session is too short to be staged.\n');
    }
    const input = await hookInput('codex', 'session-end', { transcript_path: null });
    const ended = await runHook(person, ['session-end', '--wait'], input);
    assert.deepEqual([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, /expected session_id and transcript_path/);
    assert.deepEqual(await stagedCaptures(company), []);
  });

  test('prints nothing, and ends well, whatever fails later', async () => {
    const stranger = await newPerson();
    const silent = await openOther(() => {});
    assertSilent(
      await runHook(stranger, ['session-end', '--url', silent.url], await hookInput('codex', 'session-end')),
    );
    assertSilent(await runHook(stranger, ['session-end'], 'no JSON'));
  });
});
