import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractMarkdown } from '../../../../worker/extract/markdown/markdown.ts';
import { assertDamageIsTold, extracted, testTexts, textOf } from '../extraction.ts';

const headOf = async (content: string) => {
  const { title, date } = await extracted(extractMarkdown, content);
  return [title, date ?? null];
};
const picture = `data:image/png;base64,${'iVBORw0KGgo'.repeat(100)}`;

describe('the front matter of Markdown', () => {
  test('gives the title and the day of the document', async () => {
    assert.deepEqual(await headOf('---\ntitle: "Pump: manual"\ndate: 2023-04-05T10:00:00Z\n---\n# A'), [
      'Pump: manual',
      '2023-04-05',
    ]);
    assert.deepEqual(await headOf('---\r\nTitle: 2024\r\ndate: 2023/04/05\r\n...\r\n# A'), [
      '2024',
      '2023-04-05',
    ]);
    assert.deepEqual(await headOf('+++\ntitle = "Pump \\"manual\\"" # name\ndate = 2023-04-05\n+++\nA'), [
      'Pump "manual"',
      '2023-04-05',
    ]);
    assert.deepEqual(await headOf('---\ntitle:\ndate: 2023-02-31\n---\nA'), [null, null]);
  });

  testTexts(extractMarkdown, {
    'is lines of its fields, above the text': [
      '---\ntitle: Pump manual\ntags: [pump, safety]\nauthor:\n  name: Ann\nversion: 1.50\nnote: |\n  # no heading\n---\n\n# Pump\n\nText\n',
      'title: Pump manual\ntags: pump, safety\nauthor.name: Ann\nversion: 1.50\nnote: # no heading\n\n\n# Pump\n\nText\n',
    ],
    'can be TOML': ['+++\ntitle = "A"\ntags = ["b", \'c\']\n+++\nText', 'title: A\ntags: b, c\n\nText'],
    'is text if it is no mapping': ['---\n- a\n---\nText\n', '---\n- a\n---\nText\n'],
    'is kept as lines if it is not YAML': [
      '---\ntitle: a: b\n# c\n\t{\n---\nText',
      'title: a: b\n\\# c\n\t{\n\nText',
    ],
    'is text if it has no fields': ['---\n{ a\n---\nText', '---\n{ a\n---\nText'],
    'is text if it has no end': ['---\ntitle: a\n\nText', '---\ntitle: a\n\nText'],
    'is text if it is longer than 64 KiB': [
      `---\na: ${'x'.repeat(70_000)}\n---\nText`,
      `---\na: ${'x'.repeat(70_000)}\n---\nText`,
    ],
  });

  test('gives a title with a colon that has no quotation marks', async () => {
    assert.deepEqual(await headOf('---\ntitle: Pump: manual\ndate: "2023-04-05"\n---\nA'), [
      'Pump: manual',
      '2023-04-05',
    ]);
  });

  test('that expands to far more, or is nested deeply, is kept as it is written', async () => {
    const laughs = Array.from(
      { length: 12 },
      (_, n) => `a${n}: &a${n} [${n === 0 ? 'x' : `*a${n - 1}, `.repeat(9)}]`,
    );
    for (const yaml of [
      laughs.join('\n'),
      `a: ${'['.repeat(9_000)}`,
      `a: ${'[x,'.repeat(9_000)}${']'.repeat(9_000)}`,
    ]) {
      const text = await textOf(extractMarkdown, `---\n${yaml}\n---\nText`);
      assert.ok(text === `${yaml}\n\nText`, text.slice(0, 200));
    }
  });
});

describe('the text of Markdown', () => {
  testTexts(extractMarkdown, {
    'has what is written for a picture that is in the text itself': [
      `![photo of the pump](${picture})\n\nOpen ![](<${picture}> "x") the valve.`,
      'photo of the pump\n\nOpen  the valve.',
    ],
    'has no picture that is defined apart from its place': [
      `See ![the pump][image1] and ![][image2].\n\n[image1]: <${picture}>\n[image2]: ${picture}\n`,
      'See the pump and .\n\n\n\n',
    ],
    'has no picture in an element of HTML': [`<img src="${picture}" alt="the pump"> x`, 'the pump x'],
    'keeps pictures that are files, and short data': [
      '![a](b.png) `data:text/plain;base64,QQ==`',
      '![a](b.png) `data:text/plain;base64,QQ==`',
    ],
    'has no other long data': [`<a href="${picture}">x</a>`, '<a href="data:image/png;base64,…">x</a>'],
    'shows the names of links between notes, and what they show': [
      'See [[Pump manual#Safety|the manual]], [[Pump manual#Safety]], [[Pump\\|pumps]], [[#Parts]] and ![[diagram.png|300]].',
      'See the manual, Pump manual > Safety, pumps, Parts and diagram.png.',
    ],
    'shows the title of a callout, or its kind': [
      '> [!warning]- Careful\n> Do not open.\n\n> > [!NOTE]\n> > Text',
      '> Careful\n> Do not open.\n\n> > Note\n> > Text',
    ],
    'has no comments and no names of paragraphs': [
      'a %%private%% b\n\n%%\nprivate\n%%\n\nc <!-- one --> d <!--\ntwo\n--> e ^block-id\n',
      'a  b\n\n\nc  d \n e\n',
    ],
    'keeps signs that are no comment and no name': [
      '100%% sure\nx ^2 and 10 ^6\n<!-- open\n[[1]](a) [[ [[]]',
      '100%% sure\nx ^2 and 10 ^6\n<!-- open\n[[1]](a) [[ [[]]',
    ],
    'keeps code as it is': [
      '```sh\n[[ -f a ]] # %%x%% <!-- y --> ^abc\n```\n`[[a|b]]` [[a|b]]\n\n~~~\n%%\n~~~\n',
      '```sh\n[[ -f a ]] # %%x%% <!-- y --> ^abc\n```\n`[[a|b]]` b\n\n~~~\n%%\n~~~\n',
    ],
    'has no colours of a terminal': ['\u001b[32mok\u001b[0m', 'ok'],
  });

  test('without such marks is not changed', async () => {
    const text = fc.stringMatching(/^[a-z #>*\n|.()!-]{0,200}$/);
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        fc.pre(!given.startsWith('---'));
        assert.equal(await textOf(extractMarkdown, given), given);
      }),
    );
  });

  test('of one long line of openings is read in time', async () => {
    for (const opening of ['[[a', '![', '![a](data:', '<!--', '%%', '`', '<img data:', '> [!']) {
      const text = opening.repeat(200_000);
      assert.ok((await textOf(extractMarkdown, text)).length <= text.length);
    }
  });

  test('that is damaged is read, or its fault is told', () =>
    assertDamageIsTold(
      extractMarkdown,
      '---\ntitle: &a [b]\nc: *a\n---\n[[a|b]] %%c%% <!--d--> ![e](data:f) > [!g] h ^i-j',
    ));
});
