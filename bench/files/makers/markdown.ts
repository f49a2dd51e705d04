import { join } from 'node:path';
import { writeHtml } from '../../documents/html.ts';
import { run, write } from '../../support/programs.ts';
import type { Expected } from '../judge.ts';
import type { Made, Maker } from '../samples.ts';
import { drawAll, madeOf } from './drawn.ts';

const PICTURE = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4'.repeat(40)}`;

/** Markdown that programs for notes, and converters, write. */
const CASES: Readonly<Record<string, readonly [source: string, expected: Expected]>> = {
  'front-matter': [
    '---\ntitle: Pump manual of Kiel\ndate: 2024-05-03\ntags: [pumps, kiel]\nauthor: Ann Miller\n---\n\n# Safety\n\nWear gloves at the pump.\n',
    {
      texts: ['Safety', 'Wear gloves at the pump.'],
      optional: ['title date tags author 2024-05-03 pumps kiel Ann Miller'],
      title: 'Pump manual of Kiel',
    },
  ],
  'front-matter-quoted': [
    '---\ntitle: "Pumps: the manual"\ndate: 2024-05-03T09:00:00+02:00\ndraft: false\ncategories:\n  - pumps\n---\nWear gloves at the pump.\n',
    {
      texts: ['Wear gloves at the pump.'],
      optional: ['title date draft false categories pumps 2024-05-03T09:00:00+02:00 2024-05-03'],
      title: 'Pumps: the manual',
    },
  ],
  'front-matter-toml': [
    '+++\ntitle = "Pump manual of Kiel"\ndate = 2024-05-03\n+++\n\nWear gloves at the pump.\n',
    {
      texts: ['Wear gloves at the pump.'],
      optional: ['title date 2024-05-03'],
      title: 'Pump manual of Kiel',
    },
  ],
  'no-front-matter': [
    'Before the rule.\n\n---\n\nAfter the rule.\n\n---\n\nEnd of the text.\n',
    { texts: ['Before the rule.', 'After the rule.', 'End of the text.'] },
  ],
  'data-picture': [
    `# Report\n\nBefore the picture.\n\n![Plan of the hall](${PICTURE})\n\nAfter the picture.\n`,
    { texts: ['Report', 'Before the picture.', 'Plan of the hall', 'After the picture.'] },
  ],
  'data-reference': [
    `Before the picture.\n\n![Plan of the hall][image1]\n\nAfter the picture.\n\n[image1]: <${PICTURE}>\n`,
    { texts: ['Before the picture.', 'Plan of the hall', 'After the picture.'], optional: ['image1'] },
  ],
  'data-html': [
    `Before the picture.\n\n<img src="${PICTURE}" alt="Plan of the hall" width="100">\n\nAfter the picture.\n`,
    {
      texts: ['Before the picture.', 'After the picture.'],
      optional: ['Plan of the hall img src alt width 100 alt="Plan width="100 src= img src='],
    },
  ],
  obsidian: [
    '---\naliases: [Badge desk]\n---\n> [!warning] Careful\n> Do not open.\n\nSee [[Pump manual#Safety|the manual]] and [[Valves]].\n\n- [ ] open task\n- [x] done task\n\n%%private note%%\n\nThe ==marked== words ^block-id\n',
    {
      texts: [
        'Careful',
        'Do not open.',
        'the manual',
        'and',
        'Valves',
        'open task',
        'done task',
        'The marked words',
      ],
      optional: [
        'aliases Badge desk warning See Pump manual Safety block-id x Manual#Safety|the manual#Safety',
      ],
    },
  ],
  notion: [
    '# Meeting of May\n\nCreated: May 3, 2024\nTags: Budget\n\n<aside>\n💡 Ask the workshop first.\n\n</aside>\n\n| Part | City |\n| --- | --- |\n| Valve | Kiel |\n',
    {
      texts: ['Meeting of May', 'Created: May 3, 2024', 'Tags: Budget', 'Ask the workshop first.'],
      tables: [{ labels: ['Part', 'City'], rows: [['Valve', 'Kiel']] }],
      optional: ['aside 💡'],
    },
  ],
  jupytext: [
    '---\njupyter:\n  jupytext:\n    text_representation:\n      extension: .md\n---\n\n# Analysis\n\nThe torque is measured.\n\n```python\ntorque = valve + 60\n```\n',
    {
      texts: ['Analysis', 'The torque is measured.', 'torque = valve + 60'],
      optional: [
        'jupyter jupytext text_representation extension md python jupyter.jupytext.text_representation.extension',
      ],
    },
  ],
};

const FORMATS = ['markdown', 'gfm', 'commonmark', 'markdown_strict', 'markdown_mmd'];

/** Markdown by hand, and by pandoc in its dialects. */
export const markdown: Maker = {
  commands: ['pandoc'],
  packages: 'pandoc',
  make: async (work) => {
    const made: Made[] = [];
    for (const [name, [source, expected]] of Object.entries(CASES))
      made.push({ kind: 'markdown', name, path: await write(join(work, `${name}.md`), source), expected });
    for (const format of FORMATS) {
      const kinds = format === 'gfm' || format === 'markdown_mmd' ? 'mixed lists prose/ru' : 'prose lists';
      const drawn = drawAll(`markdown-${format}`, kinds, work).map((one) => ({
        ...one,
        name: `${format}-${one.name}`,
        path: `${one.path}-${format}`,
      }));
      for (const { path, document } of drawn) {
        const source = await write(`${path}.html`, writeHtml(document, true));
        await run('pandoc', `-f html -t ${format}-raw_html -o`, `${path}.md`, source);
      }
      made.push(...madeOf(drawn, 'markdown', 'md'));
    }
    return made;
  },
};
