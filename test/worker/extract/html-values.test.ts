import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { htmlLines, isHtml } from '../../../worker/extract/json/html-values.ts';
import { extractJson } from '../../../worker/extract/json/json.ts';
import { extracted, testTexts } from './extraction.ts';

const teams = (...messages: unknown[]) => JSON.stringify({ messages });
const message = (content: string, more: object = {}) => ({
  id: '1',
  createdDateTime: '2024-05-03T07:15:02Z',
  from: { user: { displayName: 'Ann' } },
  body: { contentType: 'html', content },
  ...more,
});

describe('HTML in JSON', () => {
  testTexts(extractJson, {
    'becomes text where the object says that it is HTML': [
      '{"id":1,"body":{"contentType":"html","content":"a &amp; <b>b</b>"},"other":"a &amp; b"}',
      'id: 1\n\nbody.contentType: html\nbody.content: a & b\n\nother: a &amp; b',
    ],
    'becomes text where the value is a piece of a page': [
      '{"note":"<p>The gate code is <b>4417</b>.</p><p>Ring twice.</p>"}',
      'note: The gate code is 4417.\nRing twice.',
    ],
    'stays where it only looks a little like it': [
      '{"a":"<T> x","b":"<p","c":"x < y"}',
      'a: <T> x\nb: <p\nc: x < y',
    ],
    'has no colours of a terminal': ['{"log":"\\u001b[31mbad\\u001b[0m"}', 'log: bad'],
  });

  test('is the same text if it has only paragraphs and emphasis, which are not parsed as a page', () => {
    for (const html of [
      '<p>a &amp; <b>b</b>c</p><p>d<br/>e&nbsp; f</p>',
      '<div>a <em>b</em>\n c</div>\n<div class="x">d</div>',
      'a &lt;b&gt; &#39;c&#39; &quot;d&quot;',
      '<at id="0">Ben</at> thanks',
    ]) {
      assert.equal(htmlLines(html), htmlLines(`${html}<wbr>`), html);
    }
  });

  test('that is nested deeply stays as it is', async () => {
    const html = `${'<div>'.repeat(50_000)}x${'</div>'.repeat(50_000)}`;
    const { parts } = await extracted(extractJson, JSON.stringify({ html }));
    assert.equal(parts[0]?.text, `html: ${html}`);
  });

  test('is recognized by its first and its last element', () => {
    for (const value of ['<p>a</p>', ' <div class="a">b</div>\n', '<br/>a<br>', '<!DOCTYPE html><p>a</p>'])
      assert.ok(isHtml(value), value);
    for (const value of ['a', '<p>a', 'a</p>', '<price>1</price>', '<a', ''])
      assert.ok(!isHtml(value), value);
  });
});

describe('an export of Teams', () => {
  testTexts(extractJson, {
    'has who said what, and when': [
      teams(
        message('<p>The gate code is <b>4417</b></p>', { attachments: [{ name: 'plan.pdf' }] }),
        message('<at id="0">Ben</at> &nbsp;thanks', { from: { application: { displayName: 'Bot' } } }),
        message('a < b &amp; c', {
          body: { contentType: 'text', content: 'a < b &amp; c' },
          subject: 'Codes',
          from: null,
        }),
        message('', { messageType: 'systemEventMessage' }),
      ),
      '**Ann** (2024-05-03 07:15):\nThe gate code is 4417\nAttachment: plan.pdf\n\n**Bot** (2024-05-03 07:15):\nBen thanks\n\n**Unknown** (2024-05-03 07:15):\nCodes\na < b &amp; c',
    ],
    'can be the answer of its programming interface, with replies': [
      JSON.stringify({ value: [message('<p>a</p>', { replies: [message('<p>b</p>')] })] }),
      '**Ann** (2024-05-03 07:15):\na\n\n**Ann** (2024-05-03 07:15):\nb',
    ],
    'can be that of Skype': [
      JSON.stringify({
        conversations: [
          {
            displayName: 'Gate',
            MessageList: [
              {
                displayName: 'Ann',
                originalarrivaltime: '2024-05-03T07:15:02Z',
                messagetype: 'RichText/Html',
                content: '<p>Code <b>4417</b></p>',
              },
              {
                displayName: null,
                from: '8:ben',
                originalarrivaltime: 'x',
                messagetype: 'Text',
                content: 'a &lt; b',
              },
              { messagetype: 'ThreadActivity/AddMember', content: '<addmember/>' },
            ],
          },
        ],
      }),
      '# Gate\n\n**Ann** (2024-05-03 07:15):\nCode 4417\n\n**ben**:\na &lt; b',
    ],
    'is other JSON if a message has no body': [
      teams({ createdDateTime: '2024-05-03', body: 'x' }),
      'messages.createdDateTime: 2024-05-03\nmessages.body: x',
    ],
  });
});
