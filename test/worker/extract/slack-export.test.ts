import { describe } from 'node:test';
import { extractJson } from '../../../worker/extract/json.ts';
import { testTexts } from './extraction.ts';

/** 2024-01-31 10:20 in UTC, as seconds since 1970. */
const SECONDS = 1_706_696_400;
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
