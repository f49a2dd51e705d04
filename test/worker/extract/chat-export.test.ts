import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractJson } from '../../../worker/extract/json.ts';
import { cutText } from '../../support/cut-text.ts';
import { assertDamageIsTold, extracted, extractedInProcess, textOf } from './extraction.ts';

const read = (value: unknown) => extracted(extractJson, JSON.stringify(value));
const text = (value: unknown) => textOf(extractJson, JSON.stringify(value));

/** 2024-01-31 10:20 in UTC, as seconds since 1970. */
const SECONDS = 1_706_696_400;

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

describe('a ChatGPT export', () => {
  test('becomes one part per conversation, with the branch that was shown last', async () => {
    const { title, parts } = await read([
      PUMPS,
      { title: '水泵', mapping: { a: node(null, [], gpt('user', '漏水')) }, current_node: 'a' },
    ]);
    assert.equal(title, null);
    assert.deepEqual(
      parts.map((part) => part.text),
      [
        '# Pumps\n\n**User** (2024-01-31 10:20):\nWhich pump?\n\n**ChatGPT** (2024-01-31 10:20):\nThe blue one\n\n**User** (2024-01-31 10:20):\nشكرا',
        '# 水泵\n\n**User** (2024-01-31 10:20):\n漏水',
      ],
    );
  });

  test('of a single conversation has its title', async () => {
    for (const value of [PUMPS, [PUMPS]]) assert.equal((await read(value)).title, 'Pumps');
  });

  test('without a marked branch uses the latest branch', async () => {
    const later = gpt('assistant', 'newest', { create_time: SECONDS + 9 });
    const said = await text({
      title: 'x',
      mapping: {
        a: node(null, ['b', 'c', 'd'], gpt('user', 'question')),
        b: node('a', [], gpt('assistant', 'oldest')),
        c: node('a', [], later),
        d: node('a', [], gpt('assistant', 'older')),
      },
    });
    assert.match(said, /question[^]*newest/);
    assert.doesNotMatch(said, /old/);
  });

  test('omits hidden messages, and names content that is not text', async () => {
    const said = await text({
      title: 'x',
      current_node: 'e',
      mapping: {
        a: node(
          null,
          ['b'],
          gpt('user', 'hidden', { metadata: { is_visually_hidden_from_conversation: true } }),
        ),
        b: node('a', ['c'], gpt('assistant', '', { content: { content_type: 'code', text: 'search()' } })),
        c: node('b', ['d'], gpt('assistant', '', { content: { content_type: 'thoughts', thoughts: [] } })),
        d: node('c', ['e'], {
          ...gpt('user', ''),
          content: { content_type: 'multimodal_text', parts: [{ asset_pointer: 'file://1' }, 'look here'] },
          metadata: { attachments: [{ name: 'photo.jpg' }] },
        }),
        e: node('d', [], gpt('assistant', 'no time', { create_time: null })),
      },
    });
    assert.equal(
      said,
      '# x\n\n**User** (2024-01-31 10:20):\nlook here\nAttachment: photo.jpg\n\n**ChatGPT**:\nno time',
    );
  });

  test('ends if the parents of its messages form a circle or do not exist', async () => {
    const circle = { a: node('b', ['b'], gpt('user', 'one')), b: node('a', ['a'], gpt('user', 'two')) };
    assert.match(await text({ title: 'x', current_node: 'b', mapping: circle }), /one[^]*two/);
    assert.equal((await read({ title: 'x', mapping: circle })).parts.length, 0);
    const lost = { a: node('gone', [], gpt('user', 'one')) };
    assert.match(await text({ title: 'x', current_node: 'gone', mapping: lost }), /one/);
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
      [
        '# Pumps\n\n**User** (2024-01-31 10:20):\nปั๊มไหน\n\n**Claude** (2024-01-31 10:20):\n蓝色的',
        '**User** (2024-01-31 10:20):\nuntitled',
      ],
    );
  });

  test('omits tools and thoughts, and keeps pasted text', async () => {
    const said = await text([
      {
        name: 'x',
        chat_messages: [
          claude('assistant', 'not shown: tool', {
            content: [
              { type: 'thinking', thinking: 'a thought' },
              { type: 'text', text: 'first' },
              { type: 'tool_use', name: 'search', input: { q: 'a call' } },
              { type: 'tool_result', content: [{ type: 'text', text: 'a result' }] },
              { type: 'text', text: 'second' },
            ],
          }),
          claude('human', 'see', {
            content: [],
            attachments: [{ file_name: 'list.txt', extracted_content: 'pasted AB-0042' }],
            files: [{ file_name: 'photo.png' }],
          }),
          claude('system', 'a note of the system'),
        ],
      },
    ]);
    assert.equal(
      said,
      [
        '# x',
        '**Claude** (2024-01-31 10:20):\nfirst\n\nsecond',
        '**User** (2024-01-31 10:20):\nsee\n\npasted AB-0042\nAttachment: list.txt\nAttachment: photo.png',
      ].join('\n\n'),
    );
  });
});

describe('any chat export', () => {
  test('has no headings except the conversation titles, and no open code block', async () => {
    const said = fc
      .array(fc.constantFrom('# A', 'B', '===', '---', '```', '~~~~', '```js', '- x', '', '   ## C', '\r'), {
        maxLength: 10,
      })
      .map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(fc.array(said), async (messages) => {
        const chat = [{ name: 'Title', chat_messages: messages.map((message) => claude('human', message)) }];
        const { parts } = await read(chat);
        for (const part of parts) {
          const pieces = cutText(`${part.text}\n\n# End\n\nlast`);
          assert.deepEqual([...new Set(pieces.map(({ headings }) => headings.join()))], ['Title', 'End']);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('is recognised by its shape; similar JSON is read as data', async () => {
    for (const [value, expected] of [
      [{ mapping: { a: 'b' }, title: 't' }, 'mapping.a: b'],
      [[{ chat_messages: 'none' }], 'chat_messages: none'],
      [[PUMPS, { name: 'no conversation' }], 'name: no conversation'],
    ] as const) {
      const found = await text(value);
      assert.ok(found.includes(expected), found);
    }
  });

  test('that is damaged is read, or refused with a reported fault', async () => {
    for (const value of [PUMPS, [{ name: 'x', chat_messages: [claude('human', 'a')] }]]) {
      await assertDamageIsTold(extractJson, JSON.stringify(value));
    }
  });

  test('can be read in the reading process', async (t) => {
    const { title, parts } = await extractedInProcess(t, 'application/json', JSON.stringify([PUMPS]));
    assert.equal(title, 'Pumps');
    assert.match(parts[0]?.text ?? '', /^# Pumps\n\n\*\*User\*\*/);
  });
});
