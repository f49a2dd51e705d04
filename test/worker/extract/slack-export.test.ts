import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractJson } from '../../../worker/extract/json.ts';
import { assertDamageIsTold, extracted, textOf } from './extraction.ts';

const read = (value: unknown) => extracted(extractJson, JSON.stringify(value));
const text = (value: unknown) => textOf(extractJson, JSON.stringify(value));

/** 2024-01-31 10:20 in UTC, as seconds since 1970. */
const SECONDS = 1_706_696_400;

const slack = (seconds: number, message: object) => ({
  type: 'message',
  user: 'U1',
  text: '',
  ts: `${SECONDS + seconds}.000100`,
  ...message,
});
const anna = { user: 'U1', user_profile: { display_name: 'Anna', real_name: 'Anna A.', name: 'anna' } };
const somchai = { user: 'U2', user_profile: { display_name: '', real_name: 'สมชาย', name: 'somchai' } };

describe('a file of a Slack export', () => {
  test('is one part, with a name and time for each message', async () => {
    const { title, parts } = await read([
      slack(0, { ...anna, text: 'The pump leaks.\nAgain.' }),
      slack(60, { ...somchai, text: 'ปั๊มรั่ว' }),
      slack(120, { user: 'U3', text: '泵漏水' }),
      slack(180, {
        user: undefined,
        bot_id: 'B1',
        subtype: 'bot_message',
        username: 'monitor',
        text: 'down',
      }),
    ]);
    assert.equal(title, null);
    assert.deepEqual(parts, [
      {
        text: [
          '**Anna** (2024-01-31 10:20):\nThe pump leaks.\nAgain.',
          '**สมชาย** (2024-01-31 10:21):\nปั๊มรั่ว',
          '**U3** (2024-01-31 10:22):\n泵漏水',
          '**monitor** (2024-01-31 10:23):\ndown',
        ].join('\n\n'),
        place: null,
      },
    ]);
  });

  test('has the replies of a thread below its first message', async () => {
    const first = `${SECONDS}.000100`;
    const said = await text([
      slack(0, { ...anna, text: 'question', thread_ts: first }),
      slack(1, { text: 'other' }),
      slack(2, { text: 'answer', thread_ts: first }),
      slack(3, { text: 'to one of yesterday', thread_ts: '1700000000.000100' }),
      slack(4, { text: 'last' }),
      slack(5, { text: 'that one too', thread_ts: '1700000000.000100' }),
    ]);
    assert.deepEqual(
      said.split('\n').filter((line) => /^[a-z]/.test(line)),
      ['question', 'answer', 'other', 'to one of yesterday', 'that one too', 'last'],
    );
  });

  test('keeps text that someone typed in angle brackets', async () => {
    const said = await text([
      slack(0, { ...anna, text: 'a &lt;@U1&gt; in Map&lt;string, number&gt;: &lt;b|c&gt;' }),
    ]);
    assert.equal(said.split('\n').at(-1), 'a <@U1> in Map<string, number>: <b|c>');
  });

  test('shows people, channels, links and characters as people saw them', async () => {
    const said = await text([
      slack(0, {
        ...anna,
        text: 'ask <@U2> or <@U9|eve> in <#C1|general>, <!here> <!subteam^S1|@ops>: <https://x.example/?a=1&amp;b=2|the manual>, <https://y.example>, <mailto:a@x.example|a@x.example>, 1 &lt; 2 &amp;lt; <!date^1^{date}|today>',
      }),
      slack(1, { ...somchai, text: 'ok' }),
    ]);
    assert.ok(
      said.includes(
        'ask @สมชาย or @eve in #general, @here @ops: the manual (https://x.example/?a=1&b=2), https://y.example, a@x.example, 1 < 2 &lt; today',
      ),
      said,
    );
  });

  test('omits joins and leaves', async () => {
    const { parts } = await read([
      slack(0, { subtype: 'channel_join', text: '<@U1> has joined the channel' }),
      slack(1, { subtype: 'channel_leave', text: '<@U1> has left the channel' }),
      slack(2, { subtype: 'channel_topic', text: 'set the topic: pumps' }),
      slack(3, { subtype: 'thread_broadcast', text: 'heard by all' }),
    ]);
    assert.equal(parts.length, 1);
    assert.doesNotMatch(parts[0]?.text ?? '', /joined|left/);
    assert.match(parts[0]?.text ?? '', /pumps[^]*heard by all/);
  });

  test('with joins only has no text', async () => {
    const { parts } = await read([slack(0, { subtype: 'channel_join', text: 'x' }), slack(1, { text: ' ' })]);
    assert.deepEqual(parts, []);
  });

  test('includes attachments of apps and the names of files', async () => {
    const said = await text([
      slack(0, { ...anna, text: 'see', files: [{ name: 'plan.pdf', title: 'Plan' }, { mode: 'hidden' }] }),
      slack(1, { ...anna, attachments: [{ title: 'Alarm', text: 'Hall 3' }, { fallback: 'plain' }] }),
      slack(2, {
        ...anna,
        blocks: [
          { type: 'section', text: { type: 'mrkdwn', text: 'in a block' }, fields: [{ text: 'a field' }] },
        ],
      }),
    ]);
    assert.match(said, /see\nAttachment: plan\.pdf/);
    assert.match(said, /Alarm\nHall 3\nplain/);
    assert.match(said, /in a block\na field/);
    assert.doesNotMatch(said, /Attachment: *$/m);
  });
});

test('JSON that only resembles a Slack export is read as data', async () => {
  assert.match(await text([slack(0, { text: 'a' }), { type: 'other' }]), /type: other$/);
});

test('a damaged Slack export is read, or refused with a reported fault', () =>
  assertDamageIsTold(
    extractJson,
    JSON.stringify([
      slack(0, { ...anna, text: 'a <@U1> &amp; <https://x.example|x>', files: [{ name: 'n' }] }),
    ]),
  ));
