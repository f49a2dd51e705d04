import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractContacts } from '../../../worker/extract/calendar/contacts.ts';
import { extractNotebook } from '../../../worker/extract/json/notebook.ts';
import { extractPlainText } from '../../../worker/extract/plain-text.ts';
import { extractSubtitles } from '../../../worker/extract/subtitles.ts';
import { extracted, testFaults, testTexts, textOf } from './extraction.ts';

describe('plain text', () => {
  testTexts(extractPlainText, {
    'has no colours of a terminal': [
      '\u001b[32mINFO\u001b[0m started\r\n\u001b[1;38;5;196mERROR\u001b[m rejected\u001b[K\f',
      'INFO started\r\nERROR rejected\n\n',
    ],
    'has no titles and addresses that a terminal does not show': [
      '\u001b]0;window\u0007a \u001b]8;;https://x.example\u001b\\link\u001b]8;;\u001b\\ \u009b31mb\u001b(B',
      'a link b',
    ],
    'keeps what is after a command without an end': ['a\u001b]0;b\nc \u001b]d', 'a0;b\nc d'],
    'has what letters were struck over with': ['N\bNA\bAM\bME\bE\n_\bx\n\b', 'NAME\nx\n'],
    'has a line for each text that was written over another': ['10%\r20%\rdone\r\nx', '10%\n20%\ndone\r\nx'],
    'is not changed otherwise': ['# Title\n\tüß\r\n', '# Title\n\tüß\r\n'],
  });
});

describe('subtitles', () => {
  testTexts(extractSubtitles, {
    'are what is said, by whom, with a time for each paragraph': [
      'WEBVTT - Call\nKind: captions\n\nNOTE hidden\nhidden\n\nSTYLE\n::cue {}\n\nintro\n00:01.000 --> 00:04.000 align:start\n<v Ann>Hello <i>there</i> &amp; welcome.\n\n00:04.000 --> 00:06.000\n<v.loud Ben>Hi.</v>\n\n01:00:04.000 --> 01:00:06.000\n- Later\n\n01:00:06.000 --> 01:00:07.000\n# text\n',
      '[00:00:01] Ann: Hello there & welcome.\n\n[00:00:04] Ben: Hi.\n\n[01:00:04] - Later # text',
    ],
    'of SubRip have no numbers, positions and repeated lines': [
      '1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}In 1999\r\nit was\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\nit was\r\n2001\r\n\r\n3\r\n',
      '[00:00:01] In 1999 it was 2001',
    ],
    'keep text that has no time': ['One\n\nTwo\n', '[00:00:00] One Two'],
  });
});

describe('contacts', () => {
  testTexts(extractContacts, {
    'have a block for each, without pictures': [
      'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Okafor\r\nN:Okafor;Ann;;;\r\nORG:Northwind;Pumps\r\nTEL;TYPE=CELL:+49 1\r\nTEL:tel:+49 2\r\nitem1.EMAIL:ann@example.com\r\nADR:;;Main St 1;Berlin;;10115;\r\nPHOTO;ENCODING=b:AAAA\r\nNOTE:a\\, b\\nc\r\nEND:VCARD\r\nBEGIN:VCARD\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Eva\r\nEND:VCARD\r\n',
      'Contact: Ann Okafor\nOrganization: Northwind, Pumps\nEmail: ann@example.com\nPhone: +49 1; +49 2\nAddress: Main St 1, Berlin, 10115\nNote: a, b c\n\nContact: Müller, Eva',
    ],
    'are in the character set that they declare, by any of its names': [
      'BEGIN:VCARD\nFN;CHARSET=CP932;ENCODING=QUOTED-PRINTABLE:=83J=81[=83h\nEND:VCARD\n',
      'Contact: カード',
    ],
  });
  testFaults(extractContacts, { 'fail if it has none': ['invalid_contacts', ['FN:Ann', ''], /BEGIN:VCARD/] });
});

const notebook = (...cells: unknown[]) =>
  JSON.stringify({ nbformat: 4, metadata: { title: 'Flow', language_info: { name: 'python' } }, cells });

describe('a notebook', () => {
  testTexts(extractNotebook, {
    'has its text, its code and the outputs that are text': [
      notebook(
        { cell_type: 'markdown', source: ['# Flow\n', '[[a|b]]'] },
        {
          cell_type: 'code',
          source: '# no heading\nprint(1)\n',
          outputs: [
            { output_type: 'stream', text: ['\u001b[31m1\u001b[0m\n', '2\n'] },
            { data: { 'image/png': 'AAAA', 'text/plain': '<Figure size 1x1>' } },
            {
              data: {
                'text/html': '<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>',
                'text/plain': ['<pandas.Table at 0x1>'],
              },
            },
            { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: [] },
          ],
        },
        { cell_type: 'raw', source: '# raw' },
      ),
      '# Flow\nb\n\n```python\n# no heading\nprint(1)\n```\n\n```\n1\n2\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\nValueError: bad\n```\n\n\\# raw',
    ],
    'of the older form is read too': [
      JSON.stringify({
        worksheets: [
          {
            cells: [
              { cell_type: 'heading', level: 2, source: 'Flow' },
              { cell_type: 'code', input: 'a = "```"', outputs: [] },
            ],
          },
        ],
      }),
      '## Flow\n\n````\na = "```"\n````',
    ],
    'has an output that only names an object, unless it is shown otherwise': [
      notebook({ cell_type: 'code', source: '', outputs: [{ data: { 'text/plain': '<Response [200]>' } }] }),
      '```\n<Response [200]>\n```',
    ],
    'can be without cells': [notebook(), ''],
  });

  test('gives its title', async () => {
    assert.equal((await extracted(extractNotebook, notebook())).title, 'Flow');
  });

  testFaults(extractNotebook, {
    'fails if it is other JSON': ['invalid_notebook', ['[]', '{"cells":1}', '"a"']],
    'fails if it is no JSON': ['invalid_json', ['{']],
  });

  test('has as much text as its file', async () => {
    const cells = Array.from({ length: 2_000 }, (_, n) => ({ cell_type: 'code', source: `a${n}` }));
    assert.equal((await textOf(extractNotebook, notebook(...cells))).split('```python').length, 2_001);
  });
});
