import assert from 'node:assert/strict';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { column, columns } from '../../support/columns.ts';
import { type Person } from '../cli.ts';
import { openCli } from '../cli-person.ts';
import { AGENTS, assertSilent, hookInput, readFixture, runHook } from './hook-runs.ts';
import { record, stage, stagedCaptures, transcriptInput } from './staging.ts';

const { base, openOther, owner } = await openCli();

const LONG = 'The gateway waits 40 seconds before it retries. '.repeat(5).trim();
const FIRST = record('user', 'How long does it wait?') + record('assistant', LONG);
const SHORT = record('user', 'Thanks.') + record('assistant', 'You are welcome.');

/** The state that the hooks of Claude Code have stored. */
const readState = async ({ home }: Person) =>
  JSON.parse(await readFile(join(home, '.config', 'team-memory', 'hooks', 'claude-code.json'), 'utf8')) as {
    lastStagedAt: string | null;
    lastError: { at: string; message: string } | null;
    unknownForms: { form: string; at: string; file: string }[];
  };

const notesOf = ({ home }: Person) => join(home, '.config', 'team-memory', 'hooks', 'unstaged');

describe('hook turn-end', () => {
  test('stages what is new after each turn, short turns with the next ones, and the end of the session the rest', async () => {
    const { company, person } = await owner();
    const turns: [string, 'turn-end' | 'session-end', number][] = [
      [SHORT, 'turn-end', 0],
      [FIRST, 'turn-end', 1],
      [SHORT, 'turn-end', 1],
      [FIRST, 'turn-end', 2],
      ['', 'turn-end', 2],
      [SHORT, 'turn-end', 2],
      ['', 'session-end', 3],
      ['', 'session-end', 3],
      [record('user', 'ok'), 'session-end', 4],
    ];
    let transcript = '';
    for (const [added, hook, captures] of turns) {
      transcript += added;
      const printed = await stage(person, hook, 'claude-code', transcript);
      const told = ['is too short to be staged', 'has 1 capture'][captures] ?? `has ${captures} captures`;
      assert.equal(printed, `The session ${told}.\n`);
    }
    const summaries = column(await stagedCaptures(company), 'summary');
    const thanks = 'Person:\nThanks.\n\nAgent:\nYou are welcome.';
    const question = `Person:\nHow long does it wait?\n\nAgent:\n${LONG}`;
    const both = `${thanks}\n\n${question}`;
    assert.deepEqual(summaries, [both, both, thanks, 'Person:\nok']);
  });

  for (const agent of AGENTS) {
    test(`stages each turn once if the hooks Stop, PreCompact and SessionEnd of ${agent} run at the same time`, async () => {
      const { company, person } = await owner();
      const transcript = await readFixture(agent, agent === 'codex' ? '0.171.0.jsonl' : '2.1.332.jsonl');
      const path = join(person.home, 'transcript.jsonl');
      await writeFile(path, transcript);
      const runs = (['stop', 'pre-compact', 'session-end'] as const).map(async (event) => {
        const input = await hookInput(agent, event, { transcript_path: path, session_id: 'one' });
        const hook = event === 'session-end' ? event : 'turn-end';
        return runHook(person, [hook, '--wait', '--agent', agent], input);
      });
      for (const { code } of await Promise.all(runs)) assert.equal(code, 0);
      const captures = await stagedCaptures(company);
      assert.equal(captures.length, 1);
      assert.equal(captures[0]?.summary.split('How long does the payment gateway').length, 2);
    });
  }

  test('returns at once, prints nothing, and stages in a process of its own', async () => {
    const { company, person } = await owner();
    const input = await transcriptInput(person, 'claude-code', FIRST);
    assertSilent(await runHook(person, ['turn-end', '--agent', 'claude-code'], input));
    const stop = AbortSignal.timeout(60_000);
    while ((await stagedCaptures(company)).length === 0) stop.throwIfAborted();
  });

  test('a later hook stages a session for which the service did not answer, or whose process was killed', async () => {
    for (const isKilled of [false, true]) {
      const { company, person } = await owner();
      const hook = ['session-end', '--wait', '--agent', 'claude-code'];
      const lost = join(person.home, 'lost.jsonl');
      await writeFile(lost, FIRST);
      const session = { transcript_path: lost, session_id: 'lost' };
      const input = await hookInput('claude-code', 'session-end', session);
      await runHook(person, hook, input, { MEMORY_API_TOKEN: 'tm_pat_revoked', MEMORY_API_PUBLIC_URL: base });
      assert.deepEqual(await stagedCaptures(company), []);
      const state = await readState(person);
      assert.equal(state.lastStagedAt, null);
      assert.match(state.lastError?.message ?? '', /./);
      const [note = '', ...more] = await readdir(notesOf(person));
      assert.deepEqual(more, []);
      if (isKilled) {
        // A process that is killed has noted the session, and not that it failed.
        const path = join(notesOf(person), note);
        const text = await readFile(path, 'utf8');
        await writeFile(path, text.replace('"hasFailed": true', '"hasFailed": false'));
        await stage(person, 'turn-end', 'claude-code', FIRST);
        assert.equal((await stagedCaptures(company)).length, 1, 'another process can still be at work');
        const anHourAgo = new Date(Date.now() - 3_600_000);
        await utimes(path, anHourAgo, anHourAgo);
      }
      for (let time = 0; time < 2; time += 1) await stage(person, 'turn-end', 'claude-code', FIRST);
      const captures = await stagedCaptures(company);
      assert.deepEqual(column(captures, 'sequence'), [1, 1]);
      assert.ok(captures.some(({ sessionId }) => sessionId === 'lost'));
      assert.deepEqual(await readdir(notesOf(person)), []);
      const after = await readState(person);
      assert.equal(after.lastError, null);
      assert.ok(after.lastStagedAt !== null);
    }
  });

  test('gives up a session whose transcript was removed', async () => {
    const { person } = await owner();
    const input = await hookInput('claude-code', 'session-end', {
      transcript_path: join(person.home, 'none.jsonl'),
    });
    const ended = await runHook(person, ['session-end', '--wait', '--agent', 'claude-code'], input);
    assert.deepEqual([ended.code, ended.stdout], [1, '']);
    assert.match((await readState(person)).lastError?.message ?? '', /cannot be read \(ENOENT\)/);
  });

  test('says which forms of a transcript are not known, on standard error and in the state file, until they are known', async () => {
    const { person } = await owner();
    const strange = `${JSON.stringify({ type: 'human_turn', message: { content: 'SECRET' } })}\n`;
    const hook = ['turn-end', '--wait', '--agent', 'claude-code'];
    const run = async (transcript: string) =>
      runHook(person, hook, await transcriptInput(person, 'claude-code', transcript));
    for (const transcript of [strange, strange + FIRST]) {
      const { code, stderr } = await run(transcript);
      assert.equal(code, 0);
      const told = /transcript\.jsonl has records in forms that are not known and not staged: human_turn\n$/;
      assert.match(stderr, told);
      const state = await readState(person);
      const path = join(person.home, 'transcript.jsonl');
      assert.deepEqual(columns(state.unknownForms, 'form', 'file'), [['human_turn', path]]);
      assert.ok(!JSON.stringify(state).includes('SECRET'));
    }
    assert.equal((await run(FIRST)).stderr, '');
    assert.deepEqual((await readState(person)).unknownForms, []);
  });

  test('stages although its state cannot be stored', async () => {
    const { company, person } = await owner();
    await writeFile(join(person.home, '.config', 'team-memory', 'hooks'), 'a file in place of the folder');
    const input = await transcriptInput(person, 'claude-code', FIRST);
    const { code } = await runHook(person, ['turn-end', '--wait', '--agent', 'claude-code'], input);
    assert.equal(code, 0);
    assert.equal((await stagedCaptures(company)).length, 1);
    const silent = await openOther(() => {});
    assertSilent(await runHook(person, ['turn-end', '--url', silent.url], input));
  });
});
