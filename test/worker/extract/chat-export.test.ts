import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractJson } from '../../../worker/extract/json/json.ts';
import { cutText } from '../../support/cut-text.ts';
import { extracted, testTexts } from './extraction.ts';

const read = (value: unknown) => extracted(extractJson, JSON.stringify(value));

/** 2024-01-31 10:20 in UTC, as seconds since 1970. */
const SECONDS = 1_706_696_400;
const AT = '(2024-01-31 10:20)';

const gpt = (role: string, said: unknown, more: object = {}) => ({
  author: { role },
  create_time: SECONDS + 0.5,
  content: { content_type: 'text', parts: [said] },
  ...more,
});
const node = (parent: string | null, children: string[], message: object | null = null) => ({
  parent,
  children,
  message,
});
/** A conversation, of nodes by their names. */
const chat = (mapping: object, current_node?: string) =>
  JSON.stringify({ title: 'x', mapping, current_node });

const PUMPS = {
  title: 'Pumps',
  current_node: 'd',
  mapping: {
    root: node(null, ['s']),
    s: node('root', ['a'], gpt('system', 'You are helpful')),
    a: node('s', ['b', 'c'], gpt('user', 'Which pump?')),
    b: node('a', [], gpt('assistant', 'An answer that was replaced')),
    c: node('a', ['t'], gpt('assistant', 'The blue one')),
    t: node('c', ['d'], gpt('tool', 'tool output')),
    d: node('t', [], gpt('user', 'شكرا')),
  },
};
const CIRCLE = { a: node('b', ['b'], gpt('user', 'one')), b: node('a', ['a'], gpt('user', 'two')) };

describe('a ChatGPT export', () => {
  test('becomes one part per conversation, with the branch that was shown last', async () => {
    const other = { title: '水泵', mapping: { a: node(null, [], gpt('user', '漏水')) }, current_node: 'a' };
    const { title, parts } = await read([PUMPS, other]);
    assert.equal(title, null);
    assert.deepEqual(
      parts.map((part) => part.text),
      [
        `# Pumps\n\n**User** ${AT}:\nWhich pump?\n\n**ChatGPT** ${AT}:\nThe blue one\n\n**User** ${AT}:\nشكرا`,
        `# 水泵\n\n**User** ${AT}:\n漏水`,
      ],
    );
    for (const value of [PUMPS, [PUMPS]]) assert.equal((await read(value)).title, 'Pumps', 'of a single one');
  });

  testTexts(extractJson, {
    'without a marked branch uses the latest branch': [
      chat({
        a: node(null, ['b', 'c', 'd'], gpt('user', 'question')),
        b: node('a', [], gpt('assistant', 'oldest')),
        c: node('a', [], gpt('assistant', 'newest', { create_time: SECONDS + 9 })),
        d: node('a', [], gpt('assistant', 'older')),
      }),
      `# x\n\n**User** ${AT}:\nquestion\n\n**ChatGPT** ${AT}:\nnewest`,
    ],
    'omits hidden messages, and names content that is not text': [
      chat(
        {
          a: node(
            null,
            ['b'],
            gpt('user', '-', { metadata: { is_visually_hidden_from_conversation: true } }),
          ),
          b: node('a', ['c'], gpt('assistant', '', { content: { content_type: 'code', text: 'search()' } })),
          c: node('b', ['d'], gpt('assistant', '', { content: { content_type: 'thoughts', thoughts: [] } })),
          d: node(
            'c',
            ['e'],
            gpt('user', '', {
              content: {
                content_type: 'multimodal_text',
                parts: [{ asset_pointer: 'file://1' }, 'look here'],
              },
              metadata: { attachments: [{ name: 'photo.jpg' }] },
            }),
          ),
          e: node('d', [], gpt('assistant', 'no time', { create_time: null })),
        },
        'e',
      ),
      `# x\n\n**User** ${AT}:\nlook here\nAttachment: photo.jpg\n\n**ChatGPT**:\nno time`,
    ],
    'ends if the parents of its messages form a circle': [chat(CIRCLE, 'b'), /one[^]*two/],
    'has no text if all its messages form a circle': [chat(CIRCLE), ''],
    'ends if the parent of a message does not exist': [
      chat({ a: node('gone', [], gpt('user', 'one')) }, 'gone'),
      /one/,
    ],
  });
});

const claude = (sender: string, said: string, more: object = {}) => ({
  sender,
  text: said,
  content: [{ type: 'text', text: said }],
  created_at: '2024-01-31T10:20:59.123456Z',
  ...more,
});

describe('a Claude export', () => {
  test('becomes one part per conversation', async () => {
    const { title, parts } = await read([
      { uuid: '1', name: 'Pumps', chat_messages: [claude('human', 'ปั๊มไหน'), claude('assistant', '蓝色的')] },
      { uuid: '2', name: '', chat_messages: [claude('human', 'untitled')] },
      { uuid: '3', name: 'Empty', chat_messages: [] },
    ]);
    assert.equal(title, null);
    assert.deepEqual(
      parts.map((part) => part.text),
      [`# Pumps\n\n**User** ${AT}:\nปั๊มไหน\n\n**Claude** ${AT}:\n蓝色的`, `**User** ${AT}:\nuntitled`],
    );
  });

  const answer = [
    { type: 'thinking', thinking: 'a thought' },
    { type: 'text', text: 'first' },
    { type: 'tool_use', name: 'search', input: { q: 'a call' } },
    { type: 'tool_result', content: [{ type: 'text', text: 'a result' }] },
    { type: 'text', text: 'second' },
  ];
  const pasted = [{ file_name: 'list.txt', extracted_content: 'pasted AB-0042' }];
  const messages = [
    claude('assistant', 'not shown: tool', { content: answer }),
    claude('human', 'see', { content: [], attachments: pasted, files: [{ file_name: 'photo.png' }] }),
    claude('system', 'a note of the system'),
  ];
  testTexts(extractJson, {
    'omits tools and thoughts, and keeps pasted text': [
      JSON.stringify([{ name: 'x', chat_messages: messages }]),
      `# x\n\n**Claude** ${AT}:\nfirst\n\nsecond\n\n**User** ${AT}:\nsee\n\npasted AB-0042\nAttachment: list.txt\nAttachment: photo.png`,
    ],
  });
});

describe('any chat export', () => {
  test('has no headings except the conversation titles, and no open code block', async () => {
    const line = fc.constantFrom(
      '# A',
      'B',
      '===',
      '---',
      '```',
      '~~~~',
      '```js',
      '- x',
      '',
      '   ## C',
      '\r',
    );
    const said = fc.array(line, { maxLength: 10 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(fc.array(said), async (messages) => {
        const chat_messages = messages.map((message) => claude('human', message));
        for (const { text } of (await read([{ name: 'Title', chat_messages }])).parts) {
          const pieces = cutText(`${text}\n\n# End\n\nlast`);
          assert.deepEqual([...new Set(pieces.map(({ headings }) => headings.join()))], ['Title', 'End']);
        }
      }),
      { numRuns: 300 },
    );
  });

  testTexts(extractJson, {
    'is recognised by its shape: with no message by its nodes it is data': [
      '{"mapping":{"a":"b"},"title":"t"}',
      /mapping\.a: b/,
    ],
    'is recognised by its shape: with no list of messages it is data': [
      '[{"chat_messages":"none"}]',
      'chat_messages: none',
    ],
    'is recognised by its shape: with something else beside it, it is data': [
      JSON.stringify([PUMPS, { name: 'no conversation' }]),
      /name: no conversation/,
    ],
  });
});

const FIRST = `${SECONDS}.000100`;
const EARLIER = { thread_ts: '1700000000.000100' };

/** A file of messages, a minute after each other. */
const slack = (...messages: object[]) =>
  JSON.stringify(
    messages.map((message, n) => ({
      type: 'message',
      user: 'U1',
      text: '',
      ts: `${SECONDS + 60 * n}.000100`,
      ...message,
    })),
  );
const anna = { user: 'U1', user_profile: { display_name: 'Anna', real_name: 'Anna A.', name: 'anna' } };
const somchai = { user: 'U2', user_profile: { display_name: '', real_name: 'สมชาย', name: 'somchai' } };

describe('a file of a Slack export', () => {
  testTexts(extractJson, {
    'is one part, with a name and time for each message': [
      slack(
        { ...anna, text: 'The pump leaks.\nAgain.' },
        { ...somchai, text: 'ปั๊มรั่ว' },
        { user: 'U3', text: '泵漏水' },
        { user: undefined, bot_id: 'B1', subtype: 'bot_message', username: 'monitor', text: 'down' },
      ),
      '**Anna** (2024-01-31 10:20):\nThe pump leaks.\nAgain.\n\n**สมชาย** (2024-01-31 10:21):\nปั๊มรั่ว\n\n' +
        '**U3** (2024-01-31 10:22):\n泵漏水\n\n**monitor** (2024-01-31 10:23):\ndown',
    ],
    'has the replies of a thread below its first message': [
      slack(
        { ...anna, text: 'question', thread_ts: FIRST },
        { text: 'other' },
        { text: 'answer', thread_ts: FIRST },
        { text: 'to one of yesterday', ...EARLIER },
        { text: 'last' },
        { text: 'that one too', ...EARLIER },
      ),
      /:\nquestion\n[^]*:\nanswer\n[^]*:\nother\n[^]*:\nto one of yesterday\n[^]*:\nthat one too\n[^]*:\nlast$/,
    ],
    'keeps text that someone typed in angle brackets': [
      slack({ ...anna, text: 'a &lt;@U1&gt; in Map&lt;string, number&gt;: &lt;b|c&gt;' }),
      /:\na <@U1> in Map<string, number>: <b\|c>$/,
    ],
    'shows people, channels, links and characters as people saw them': [
      slack(
        {
          ...anna,
          text: 'ask <@U2> or <@U9|eve> in <#C1|general>, <!here> <!subteam^S1|@ops>: <https://x.example/?a=1&amp;b=2|the manual>, <https://y.example>, <mailto:a@x.example|a@x.example>, 1 &lt; 2 &amp;lt; <!date^1^{date}|today>',
        },
        { ...somchai, text: 'ok' },
      ),
      /\nask @สมชาย or @eve in #general, @here @ops: the manual \(https:\/\/x\.example\/\?a=1&b=2\), https:\/\/y\.example, a@x\.example, 1 < 2 &lt; today\n/,
    ],
    'omits joins and leaves': [
      slack(
        { subtype: 'channel_join', text: '<@U1> has joined the channel' },
        { subtype: 'channel_leave', text: '<@U1> has left the channel' },
        { subtype: 'channel_topic', text: 'set the topic: pumps' },
        { subtype: 'thread_broadcast', text: 'heard by all' },
      ),
      '**U1** (2024-01-31 10:22):\nset the topic: pumps\n\n**U1** (2024-01-31 10:23):\nheard by all',
    ],
    'with joins only has no text': [slack({ subtype: 'channel_join', text: 'x' }, { text: ' ' }), ''],
    'includes attachments of apps and the names of files': [
      slack(
        { ...anna, text: 'see', files: [{ name: 'plan.pdf', title: 'Plan' }, { mode: 'hidden' }] },
        { ...anna, attachments: [{ title: 'Alarm', text: 'Hall 3' }, { fallback: 'plain' }] },
        {
          ...anna,
          blocks: [{ type: 'section', text: { text: 'in a block' }, fields: [{ text: 'a field' }] }],
        },
      ),
      /see\nAttachment: plan\.pdf\n\n[^]*Alarm\nHall 3\nplain\n\n[^]*in a block\na field$/,
    ],
    'is read as data if something in it is no message': [
      slack({ text: 'a' }, { type: 'other' }),
      /^type: other$/m,
    ],
  });
});
