import { join } from 'node:path';
import { writeHtml } from '../../documents/html.ts';
import { run, write } from '../../support/programs.ts';
import type { Expected } from '../judge.ts';
import type { Made, Maker } from '../samples.ts';
import { drawAll, madeOf } from './drawn.ts';

/** A text in pandoc's Markdown that shows one feature. */
interface Feature {
  source: string;
  expected: Expected;
  /** Formats that do not have it. */
  not?: string;
}

const table = `| Part | Torque | City |
|------|-------:|------|
| Valve | 60 | Kiel |
| Motor | 85 | Lyon |`;
const readTable = {
  labels: ['Part', 'Torque', 'City'],
  rows: [
    ['Valve', '60', 'Kiel'],
    ['Motor', '85', 'Lyon'],
  ],
};

const FEATURES: Readonly<Record<string, Feature>> = {
  titled: {
    source: `---\ntitle: Pump manual of Kiel\nauthor: Ann Miller\ndate: 2024-05-03\n---\n\n# Safety\n\nWear gloves at the pump.\n\n# Repair\n\nCall the workshop first.\n`,
    expected: {
      texts: ['Safety', 'Wear gloves at the pump.', 'Repair', 'Call the workshop first.'],
      optional: ['Ann Miller 2024-05-03 title author date Contents Table of'],
      title: 'Pump manual of Kiel',
    },
  },
  math: {
    source:
      'The flow is $\\mathrm{massflow} = \\frac{\\mathrm{volume}}{\\mathrm{duration}}$ as shown.\n\n$$\\mathrm{power} = \\mathrm{torque} \\cdot \\mathrm{speed}$$\n\nMeasure it twice.\n',
    expected: {
      texts: [
        'The flow is massflow = volume duration as shown.',
        'power = torque speed',
        'Measure it twice.',
      ],
      optional: ['frac over volume/duration volume/duration (volume)/(duration)'],
    },
    not: 'epub html',
  },
  notes: {
    source:
      'The valve[^1] is tested before delivery.\n\nThe warranty[^2] is short.\n\n[^1]: Made in the northern workshop.\n\n[^2]: Longer for public buyers.\n',
    expected: {
      texts: [
        'The valve is tested before delivery.',
        'The warranty is short.',
        'Made in the northern workshop.',
        'Longer for public buyers.',
      ],
    },
  },
  tracked: {
    source:
      'The buyer pays [obsolete wording]{.deletion author="Ann" date="2024-05-03T09:00:00Z"}[within thirty days]{.insertion author="Ann" date="2024-05-03T09:00:00Z"} by transfer.\n\nThe price is fixed.\n',
    expected: { texts: ['The buyer pays within thirty days by transfer.', 'The price is fixed.'] },
    not: 'odt epub html rtf',
  },
  comments: {
    source:
      'The gate code [Legal has to confirm this]{.comment-start id="1" author="Ann" date="2024-05-03T09:00:00Z"}changes[]{.comment-end id="1"} every month.\n',
    expected: {
      texts: ['The gate code changes every month.', 'Legal has to confirm this'],
      optional: ['Ann Comment by Comments 2024-05-03 09:00 UTC'],
    },
    not: 'odt epub html rtf',
  },
  lists: {
    source:
      '1. Open the valve.\n\n    a. Read the gauge.\n    b. Write it down.\n\n2. Close the valve.\n\n- Gloves\n    - Leather\n- Lamp\n\nTorque\n:   How hard a screw is turned.\n\nFlow\n:   How much water passes.\n',
    expected: {
      texts: [
        'Open the valve.',
        'Read the gauge.',
        'Write it down.',
        'Close the valve.',
        'Gloves',
        'Leather',
        'Lamp',
        'Torque How hard a screw is turned.',
        'Flow How much water passes.',
      ],
    },
  },
  table: {
    source: `Torques of the plant:\n\n${table}\n\nChecked in May.\n`,
    expected: { texts: ['Torques of the plant:', 'Checked in May.'], tables: [readTable] },
  },
  grid: {
    source: `+-------+-----------------+\n| Part  | Steps           |\n+=======+=================+\n| Valve | - open slowly   |\n|       | - read gauge    |\n+-------+-----------------+\n| Motor | first line      |\n|       |                 |\n|       | second line     |\n+-------+-----------------+\n`,
    expected: {
      texts: [],
      tables: [
        {
          labels: ['Part', 'Steps'],
          rows: [
            ['Valve', ['open slowly read gauge', 'open slowly - read gauge']],
            ['Motor', 'first line second line'],
          ],
        },
      ],
    },
  },
  links: {
    source:
      'See [the manual](https://example.org/manual) and **bold**ly go, H~2~O, x^2^ and `code_name`.\n\n> A quotation of the board.\n\n```python\ndef torque(valve):\n    return valve * 60\n```\n',
    expected: {
      texts: [
        'See the manual and boldly go,',
        'and code_name.',
        'A quotation of the board.',
        'def torque(valve): return valve * 60',
      ],
      optional: ['H O x HO H2O x2 H₂O x²'],
    },
  },
};

const FORMATS = ['docx', 'odt', 'epub', 'html', 'rtf'];

/** Formats of text that pandoc writes, with the extension. */
const TEXT_FORMATS: readonly (readonly [format: string, extension: string])[] = [
  ['rst', 'rst'],
  ['asciidoc', 'adoc'],
  ['org', 'org'],
  ['latex', 'tex'],
  ['docbook5', 'xml'],
  ['ipynb', 'ipynb'],
];
/** Words of the markup of these formats. */
const MARKUP =
  'doi hypertarget label tightlist itemize enumerate begin end item document texorpdfstring section subsection begin{itemize} CUSTOM_ID PROPERTIES END def';

export const pandoc: Maker = {
  commands: ['pandoc'],
  packages: 'pandoc',
  make: async (work) => {
    const made: Made[] = [];
    for (const [name, { source, expected, not = '' }] of Object.entries(FEATURES)) {
      const file = await write(join(work, `${name}.md`), source);
      for (const format of FORMATS.filter((one) => !not.split(' ').includes(one))) {
        const path = join(work, `${name}.${format}`);
        await run('pandoc', '-s -f markdown -o', path, file);
        const title = expected.title === undefined ? {} : { title: format === 'rtf' ? null : expected.title };
        // A program that sets no title in the file shows it at the top.
        const texts = [...expected.texts, ...(expected.title == null ? [] : [expected.title])];
        made.push({
          kind: format,
          name: `${name}-${format}`,
          path,
          expected: { ...expected, texts, ...title, optional: [...(expected.optional ?? []), name] },
        });
      }
    }
    for (const [format, kinds] of [
      ['docx', 'prose lists mixed prose/zh ruled/ar'],
      ['odt', 'lists mixed prose/ko'],
      ['epub', 'prose mixed ruled prose/ja prose/ru'],
      ['html', 'prose mixed lists ruled/he prose/el prose/tr'],
      ['rtf', 'prose lists prose/pl ruled'],
    ] as const) {
      const drawn = drawAll(`pandoc-${format}`, kinds, work);
      for (const one of drawn) {
        const source = await write(`${one.path}-source.html`, writeHtml(one.document, true));
        await run('pandoc', '-s -f html --metadata pagetitle=- -o', `${one.path}.${format}`, source);
      }
      made.push(...madeOf(drawn, format));
    }
    for (const [format, extension] of TEXT_FORMATS) {
      for (const one of drawAll(`pandoc-${format}`, 'prose lists/de', work)) {
        const source = await write(`${one.path}-source.html`, writeHtml(one.document, true));
        // The preamble of LaTeX has hundreds of words.
        await run(
          'pandoc',
          `${format === 'latex' ? '' : '-s '}-f html-auto_identifiers --wrap=none -t ${format} -o`,
          `${one.path}.${extension}`,
          source,
        );
        const more = { optional: [MARKUP], ...(extension === 'xml' ? { isMarkup: true } : {}) };
        const [sample] = madeOf([one], 'text kinds', extension, more);
        if (sample !== undefined) made.push(sample);
      }
    }
    return made;
  },
};
