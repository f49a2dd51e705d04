import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readTranscript } from '../../../cli/hooks/transcript.ts';
import { type Agent, readFixture } from './hook-runs.ts';

const folder = await mkdtemp(join(tmpdir(), 'transcripts-'));
after(() => rm(folder, { recursive: true }));

/** Reads a transcript: what was said, as lines, and the forms that are not known. */
async function read(text: string): Promise<{ said: string[]; unknownForms: string[] }> {
  const path = join(folder, 'transcript.jsonl');
  await writeFile(path, text);
  const { messages, unknownForms } = await readTranscript(path);
  return { said: messages.map(({ speaker, text: words }) => `${speaker}: ${words}`), unknownForms };
}

const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

const QUESTION = 'Person: How long does the payment gateway wait before it retries?';
const WAITS = 'Agent: I will look at the retry loop of the gateway.';
const ANSWER =
  'Agent: It waits 40 seconds, because the bank locks the account for 30. I have set the constant and its test to match that.';
const OTHERS = 'Person: There are MANY others: tell them.';
const THANKS = 'Person: Good. Write that down for the others.';
const WRITTEN = 'Agent: I have written it down for the others.';

const CODEX_SESSION = [QUESTION, WAITS, ANSWER, OTHERS, WRITTEN, THANKS, WRITTEN];
const SESSIONS: readonly [Agent, string, string[]][] = [
  ['codex', '0.145.0.jsonl', CODEX_SESSION],
  ['codex', '0.171.0.jsonl', CODEX_SESSION],
  [
    'claude-code',
    '2.1.332.jsonl',
    [
      QUESTION,
      WAITS,
      'Person: And look at the timeout of the bank too.',
      ANSWER,
      'Person: SLOWLY, please: run the tests.',
      'Agent: I run it.',
      'Person: FAIL please',
      'Person: Start the tests in the BACKGROUND',
      'Agent: I start it in the background.',
      ANSWER,
      WRITTEN,
      'Person: Ask a SUBAGENT',
      'Agent: I ask a subagent.',
      ANSWER,
      WRITTEN,
      THANKS,
      WRITTEN,
    ],
  ],
];

/** Codex: one message in each form. */
const event = (payload: object) => ({ type: 'event_msg', payload });
const item = (type: string, text: string, id = 'i') =>
  event({
    type: 'item_completed',
    item: { type, id, content: [{ type: type === 'UserMessage' ? 'text' : 'Text', text }] },
  });
const forModel = (role: string, text: string, id?: string) => ({
  type: 'response_item',
  payload: {
    type: 'message',
    role,
    id,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  },
});
const turn = event({ type: 'task_started', turn_id: 't' });

/** Claude Code: a record with a content. */
const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const assistant = (content: unknown, more: object = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', content },
  ...more,
});
const block = (text: string) => ({ type: 'text', text });

describe('readTranscript', () => {
  for (const [agent, file, said] of SESSIONS) {
    test(`reads what ${agent} has written as ${file}, each message once`, async () => {
      assert.deepEqual(await read(await readFixture(agent, file)), { said, unknownForms: [] });
    });

    test(`returns a list that only grows while ${agent} writes ${file}`, async () => {
      const records = (await readFixture(agent, file)).split('\n');
      let before: string[] = [];
      for (let count = 1; count <= records.length; count += 1) {
        // The summary of a compaction is known by the record after it.
        if (records.slice(count, count + 3).some((record) => record.includes('"type":"compacted"'))) continue;
        const { said: now } = await read(records.slice(0, count).join('\n'));
        assert.deepEqual(now.slice(0, before.length), before, `after ${count} records`);
        before = now;
      }
    });
  }

  test('reads each message of Codex once, whichever forms a file has for it, and if it changes between turns', async () => {
    const forms = [
      [event({ type: 'user_message', message: 'go on' }), event({ type: 'agent_message', message: 'Done.' })],
      [item('UserMessage', 'go on'), item('AgentMessage', 'Done.')],
      [forModel('user', 'go on'), forModel('assistant', 'Done.')],
    ] as const;
    const [events, items, models] = forms;
    const oneTurn = [
      ...forms.map((form) => [...form]),
      [events[0], items[0], events[1], items[1]],
      [models[0], events[0], items[0], events[1], items[1], models[1]],
      [events[0], events[1], items[0], items[1]],
    ];
    for (const records of oneTurn)
      assert.deepEqual(await read(lines(turn, ...records)), {
        said: ['Person: go on', 'Agent: Done.'],
        unknownForms: [],
      });
    const twice = ['Person: go on', 'Agent: Done.', 'Person: go on', 'Agent: Done.'];
    for (const first of oneTurn)
      for (const second of oneTurn) {
        const { said } = await read(lines(turn, ...first, turn, ...second));
        assert.deepEqual(said, twice, lines(turn, ...first, turn, ...second));
      }
    // Files of old versions do not say where turns start.
    for (const first of forms)
      for (const second of forms) assert.deepEqual((await read(lines(...first, ...second))).said, twice);
  });

  test('reads a message that was said twice in one turn of Codex twice', async () => {
    const twice = ['once more', 'once more'].flatMap((text) => [
      event({ type: 'user_message', message: text }),
      item('UserMessage', text),
    ]);
    assert.deepEqual((await read(lines(turn, ...twice))).said, ['Person: once more', 'Person: once more']);
  });

  test('reads an answer of Codex once whose forms differ: with a plan, or with what it cites', async () => {
    const records = [
      item('UserMessage', 'Plan it.'),
      item('AgentMessage', 'Here it is.', 'm1'),
      event({ type: 'item_completed', item: { type: 'Plan', id: 'm1-plan', text: '1. Look' } }),
      forModel('assistant', 'Here it is.\n<proposed_plan>\n1. Look\n</proposed_plan>', 'm1'),
      event({ type: 'agent_message', message: 'As before.' }),
      forModel('assistant', 'As before.\n<oai-mem-citation>\nMEMORY.md:1\n</oai-mem-citation>'),
    ];
    const said = ['Person: Plan it.', 'Agent: Here it is.', 'Agent: 1. Look', 'Agent: As before.'];
    assert.deepEqual((await read(lines(turn, ...records))).said, said);
  });

  test('leaves out what Codex writes in the name of the person', async () => {
    const texts = [
      '# AGENTS.md instructions for /home/ada\n\n<INSTRUCTIONS>\nRULES\n</INSTRUCTIONS>',
      '<user_instructions>\nRULES\n</user_instructions>',
      '<environment_context>\n<cwd>/home/ada</cwd>\n</environment_context>',
      '<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>',
      '<user_shell_command>\nls\n</user_shell_command>',
    ];
    const asked =
      '# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nMend it.';
    for (const say of [
      (text: string) => forModel('user', text),
      (text: string) => item('UserMessage', text),
    ]) {
      const records = texts.map(say);
      const { said } = await read(lines(turn, ...records, say(asked), forModel('assistant', 'Done.')));
      assert.deepEqual(said, ['Person: Mend it.', 'Agent: Done.']);
    }
  });

  test('leaves out what Claude Code writes in the name of the person, and of reminders only the tagged part', async () => {
    const notice =
      '<task-notification>\n<task-id>b1</task-id>\n<summary>done</summary>\n</task-notification>';
    const reminder = '<system-reminder>\nToday is Monday.\n</system-reminder>';
    const silent = [
      user(`${notice}\nRead the output file to retrieve the result: /tmp/b1.output`),
      user([block(notice)]),
      user(`${reminder}\n${notice}`),
      user('Look at this.', { origin: { kind: 'task-notification' } }),
      user(reminder),
      user([block(reminder), block(reminder)]),
      user('[Request interrupted by user]'),
      user([block('[Request interrupted by user for tool use]')]),
      user('<command-name>/compact</command-name>\n<command-args></command-args>'),
      user('<local-command-stdout>Compacted</local-command-stdout>'),
      user('<local-command-caveat>Caveat</local-command-caveat>'),
      user('<bash-input>ls</bash-input><bash-stdout>a.ts</bash-stdout>'),
      user([{ type: 'tool_result', tool_use_id: 't', content: [block('RESULT')] }]),
      user('SUMMARY', { isCompactSummary: true }),
      user('META', { isMeta: true }),
      user('SUBAGENT', { isSidechain: true }),
      assistant([block('API Error: 500')], { isApiErrorMessage: true }),
      { type: 'assistant', message: { model: '<synthetic>', content: [block('No response requested.')] } },
    ];
    for (const record of silent)
      assert.deepEqual(await read(lines(record)), { said: [], unknownForms: [] }, JSON.stringify(record));
    const said = [
      user(`${reminder}\nMend the loop.`),
      user(`Mend the loop.\n${reminder}`),
      user(`Mend <system-reminder>x <system-reminder>y</system-reminder></system-reminder>the loop.`),
      user([block(reminder), block('Mend the loop.')]),
      user([block(notice), block('Mend the loop.')]),
      user([block('[Request interrupted by user]'), block('Mend the loop.')]),
      user('[Request interrupted by user]\nMend the loop.'),
      user('Mend the loop.', { origin: { kind: 'human' } }),
    ];
    for (const record of said)
      assert.deepEqual((await read(lines(record))).said, ['Person: Mend the loop.'], JSON.stringify(record));
    const about = 'What does <system-reminder> mean, and <task-notification>?';
    assert.deepEqual((await read(lines(user(about)))).said, [`Person: ${about}`]);
  });

  test('reads what a person wrote to Claude Code while the agent was at work, and no notice of a task', async () => {
    const queued = (fields: object) => ({
      type: 'attachment',
      attachment: { type: 'queued_command', ...fields },
    });
    const records = [
      queued({ prompt: 'And the bank.', commandMode: 'prompt', origin: { kind: 'human' } }),
      queued({ prompt: [block('And the account.')] }),
      queued({ prompt: '<task-notification>x</task-notification>', commandMode: 'task-notification' }),
      queued({ prompt: 'x', commandMode: 'prompt', origin: { kind: 'peer' } }),
      queued({ prompt: 'x', commandMode: 'prompt', isMeta: true }),
    ];
    assert.deepEqual((await read(lines(...records))).said, [
      'Person: And the bank.',
      'Person: And the account.',
    ]);
  });

  test('reports the forms that it does not know, without what was said in them', async () => {
    const cases: [object, string][] = [
      [event({ type: 'person_said', message: 'SECRET' }), 'event_msg/person_said'],
      [item('PersonMessage', 'SECRET'), 'event_msg/item_completed/PersonMessage'],
      [
        event({
          type: 'item_completed',
          item: { type: 'UserMessage', content: [{ type: 'Prose', text: 'SECRET' }] },
        }),
        'event_msg/item_completed/UserMessage/Prose',
      ],
      [{ type: 'response_item', payload: { type: 'speech', content: 'SECRET' } }, 'response_item/speech'],
      [{ type: 'turn', payload: { text: 'SECRET' } }, 'turn/unnamed'],
      [{ type: 'human', message: { content: 'SECRET' } }, 'human'],
      [{ type: 'human', body: 'SECRET' }, 'human'],
      [{ role: 'user', content: 'SECRET' }, 'unnamed'],
      [user([{ type: 'prose', text: 'SECRET' }]), 'user/prose'],
      [user({ text: 'SECRET' }), 'user/object'],
      [{ type: 'user', text: 'SECRET' }, 'user'],
      [{ type: 'a secret that is no name', text: 'SECRET' }, 'unnamed'],
    ];
    for (const [record, form] of cases)
      assert.deepEqual(await read(lines(record)), { said: [], unknownForms: [form] }, JSON.stringify(record));
    const known = lines(user('Mend the loop.'));
    const someUnknown = await read(known + lines(cases[5]?.[0] ?? {}));
    assert.deepEqual(someUnknown, { said: ['Person: Mend the loop.'], unknownForms: ['human'] });
    // A record without text can be anything, and a file that has messages is not compressed.
    assert.deepEqual(
      (await read(`${known}${lines({ type: 'new-setting', value: 1 })}no JSON\n`)).unknownForms,
      [],
    );
    assert.deepEqual((await read('(\u00b5/\u00fd\n')).unknownForms, ['no JSON']);
  });
});
