import { join } from 'node:path';
import { drawDocument } from '../../documents/documents.ts';
import type { Block } from '../../documents/draw.ts';
import type { Expected } from '../judge.ts';
import type { Made, Maker } from '../samples.ts';
import { expectedOf } from './drawn.ts';
import { PYTHON, runScript } from './scripts.ts';

/** One step of scripts/word.py. */
type Op = { op: string } & Record<string, unknown>;

const paragraph = (text: string, style?: string): Op => ({ op: 'paragraph', style, runs: [{ text }] });
const xml = (content: string): Op => ({ op: 'xml', xml: content });
const table = (rows: unknown): Op => ({ op: 'table', rows });
const r = (text: string, properties = '') =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const complexField = (code: string, result: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r>
   <w:r><w:fldChar w:fldCharType="separate"/></w:r>${r(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const simpleField = (code: string, result: string) =>
  `<w:fldSimple w:instr=" ${code} ">${r(result)}</w:fldSimple>`;
const changed = 'w:id="1" w:author="Ann" w:date="2024-05-03T09:00:00Z"';
const box = (text: string) => `<wps:txbx><w:txbxContent><w:p>${r(text)}</w:p></w:txbxContent></wps:txbx>`;
const shape = (text: string) =>
  `<w:drawing><wp:inline><wp:extent cx="2000000" cy="700000"/><wp:docPr id="7" name="Box"/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/>${box(text)}<wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing>`;
const vml = (text: string) =>
  `<w:pict><v:shape style="width:100pt;height:40pt"><v:textbox><w:txbxContent><w:p>${r(text)}</w:p></w:txbxContent></v:textbox></v:shape></w:pict>`;
const math = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;

/** What each file has, and what a reader must find. */
const CASES: Readonly<Record<string, readonly [ops: readonly Op[], expected: Expected]>> = {
  'mail-merge': [
    [
      paragraph('Employment contract'),
      xml(
        r('between ') +
          simpleField('MERGEFIELD Employer', 'Northwind Pumps') +
          r(' and ') +
          simpleField('MERGEFIELD Employee', 'Ann Miller') +
          r(', signed in May.'),
      ),
    ],
    { texts: ['Employment contract', 'between Northwind Pumps and Ann Miller, signed in May.'] },
  ],
  'complex-fields': [
    [
      xml(
        r('See ') +
          complexField('REF mark \\h', 'Table 7') +
          r(' on the page of ') +
          complexField('MERGEFIELD City', 'Kiel') +
          r('.'),
      ),
      paragraph('All valves are listed there.'),
    ],
    { texts: ['See Table 7 on the page of Kiel.', 'All valves are listed there.'] },
  ],
  'nested-field': [
    [
      xml(
        `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> IF </w:instrText></w:r>${complexField('MERGEFIELD Land', 'DE')}<w:r><w:instrText xml:space="preserve"> = "DE" "Steuer" "Tax" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${r('Steuer neunzehn')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`,
      ),
      paragraph('Zahlbar sofort.'),
    ],
    { texts: ['Steuer neunzehn', 'Zahlbar sofort.'] },
  ],
  hidden: [
    [
      {
        op: 'paragraph',
        runs: [
          { text: 'The price is ' },
          { text: 'secretly discounted', hidden: true },
          { text: 'fixed until June.' },
        ],
      },
      paragraph('Orders close on Friday.'),
    ],
    { texts: ['The price is fixed until June.', 'Orders close on Friday.'] },
  ],
  tracked: [
    [
      xml(
        `${r('The buyer pays ')}<w:del ${changed}><w:r><w:delText>obsolete wording</w:delText></w:r></w:del><w:ins ${changed}>${r('within thirty days')}</w:ins>${r(' by transfer.')}`,
      ),
      paragraph('The price is fixed.'),
    ],
    { texts: ['The buyer pays within thirty days by transfer.', 'The price is fixed.'] },
  ],
  moved: [
    [
      xml(`<w:moveFrom ${changed}>${r('Rent is due monthly.')}</w:moveFrom>`),
      paragraph('Keys are returned.'),
      xml(`<w:moveTo ${changed}>${r('Rent is due monthly.')}</w:moveTo>`),
    ],
    { texts: ['Keys are returned.', 'Rent is due monthly.'] },
  ],
  'nested-table': [
    [
      table([
        ['Field', 'Value'],
        ['Owner', [['Ann', 'Kiel']]],
        ['Phone', '6100'],
      ]),
      paragraph('Call before noon.'),
    ],
    {
      texts: ['Call before noon.'],
      tables: [
        {
          labels: ['Field', 'Value'],
          rows: [
            ['Owner', 'Ann Kiel'],
            ['Phone', '6100'],
          ],
        },
      ],
    },
  ],
  merged: [
    [
      table([
        ['Region', 'City', 'Price'],
        ['North', 'Kiel', '12.50'],
        ['^', 'Bremen', '14.00'],
        ['South', 'Ulm', '9.00'],
        ['Total of all', '<', '35.50'],
      ]),
      paragraph('Prices of May.'),
    ],
    {
      texts: ['Prices of May.'],
      tables: [
        {
          labels: ['Region', 'City', 'Price'],
          rows: [
            ['North', 'Kiel', '12.50'],
            ['^', 'Bremen', '14.00'],
            ['South', 'Ulm', '9.00'],
            ['Total of all', '<', '35.50'],
          ],
        },
      ],
    },
  ],
  'list-styles': [
    [
      paragraph('Open the valve.', 'List Number'),
      paragraph('Read the gauge.', 'List Number'),
      paragraph('Gloves', 'List Bullet'),
      paragraph('Lamp', 'List Bullet'),
      paragraph('A quotation of the board.', 'Intense Quote'),
    ],
    { texts: ['Open the valve.', 'Read the gauge.', 'Gloves', 'Lamp', 'A quotation of the board.'] },
  ],
  'text-box': [
    [
      paragraph('Before the box.'),
      xml(`<w:r>${shape('Emergency phone 6100 at the gate')}</w:r>`),
      paragraph('After the box.'),
    ],
    { texts: ['Before the box.', 'Emergency phone 6100 at the gate', 'After the box.'] },
  ],
  'text-box-with-fallback': [
    [
      paragraph('Before the box.'),
      xml(
        `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${shape('Emergency phone 6100 at the gate')}</mc:Choice><mc:Fallback>${vml('Emergency phone 6100 at the gate')}</mc:Fallback></mc:AlternateContent></w:r>`,
      ),
      paragraph('After the box.'),
    ],
    { texts: ['Before the box.', 'Emergency phone 6100 at the gate', 'After the box.'] },
  ],
  'text-box-vml': [
    [
      paragraph('Before the box.'),
      xml(`<w:r>${vml('Emergency phone 6100 at the gate')}</w:r>`),
      paragraph('After the box.'),
    ],
    { texts: ['Before the box.', 'Emergency phone 6100 at the gate', 'After the box.'] },
  ],
  equation: [
    [
      xml(
        `${r('The flow is ')}<m:oMath>${math('massflow')}${math('=')}<m:f><m:num>${math('volume')}</m:num><m:den>${math('duration')}</m:den></m:f></m:oMath>${r(' as shown.')}`,
      ),
      xml(
        `<m:oMathPara><m:oMath><m:sSup><m:e>${math('radius')}</m:e><m:sup>${math('two')}</m:sup></m:sSup></m:oMath></m:oMathPara>`,
      ),
      paragraph('Measure it twice.'),
    ],
    {
      texts: ['The flow is massflow = volume duration as shown.', 'radius two', 'Measure it twice.'],
      optional: ['frac over volume/duration (volume)/(duration) sup'],
    },
  ],
  ruby: [
    [
      xml(
        `${r('駅は ')}<w:r><w:ruby><w:rubyPr/><w:rt>${r('とうきょう')}</w:rt><w:rubyBase>${r('東京')}</w:rubyBase></w:ruby></w:r>${r(' です')}`,
      ),
    ],
    { texts: ['駅は', '東京', 'です'], optional: ['とうきょう'] },
  ],
  bidi: [
    [
      xml(
        `<w:pPr><w:bidi/></w:pPr><w:dir w:val="rtl">${r('שלום עולם ', '<w:rtl/>')}</w:dir><w:bdo w:val="ltr">${r('PO-4417')}</w:bdo>${r(' טוב', '<w:rtl/>')}`,
      ),
    ],
    { texts: ['שלום עולם PO-4417 טוב'] },
  ],
  breaks: [
    [
      xml(`<w:r><w:t>alpha</w:t><w:cr/><w:t>beta</w:t><w:tab/><w:t>gamma</w:t><w:br/><w:t>delta</w:t></w:r>`),
      xml(
        `<w:r><w:t>non</w:t><w:noBreakHyphen/><w:t>breaking and soft</w:t><w:softHyphen/><w:t>hyphen words</w:t></w:r>`,
      ),
    ],
    { texts: ['alpha beta gamma delta', 'non-breaking and softhyphen words'] },
  ],
  controls: [
    [
      xml(
        `${r('Customer: ')}<w:sdt><w:sdtContent>${r('Northwind Pumps')}</w:sdtContent></w:sdt><w:smartTag w:element="place">${r(' of Kiel')}</w:smartTag><w:hyperlink w:anchor="x">${r(', see terms')}</w:hyperlink>`,
      ),
    ],
    { texts: ['Customer: Northwind Pumps of Kiel, see terms'] },
  ],
  'imported-html': [
    [
      paragraph('Before the part.'),
      { op: 'html', text: '<html><body><p>Imported clause about <b>late delivery</b>.</p></body></html>' },
      paragraph('After the part.'),
    ],
    { texts: ['Before the part.', 'Imported clause about late delivery.', 'After the part.'] },
  ],
  'header-and-title': [
    [
      { op: 'title', text: 'Pump manual of Kiel' },
      { op: 'header', text: 'Confidential draft' },
      { op: 'heading', text: 'Safety', level: 1 },
      paragraph('Wear gloves at the pump.'),
      { op: 'page' },
      { op: 'heading', text: 'Repair', level: 1 },
      paragraph('Call the workshop first.'),
    ],
    {
      texts: ['Safety', 'Wear gloves at the pump.', 'Repair', 'Call the workshop first.'],
      optional: ['Confidential draft'],
      title: 'Pump manual of Kiel',
    },
  ],
  'program-title': [
    [
      { op: 'title', text: 'Microsoft Word - contract.docx' },
      paragraph('Wear gloves at the pump of the northern plant.'),
    ],
    { texts: ['Wear gloves at the pump of the northern plant.'], title: null },
  ],
};

/** Drawn blocks as steps, for those that python-docx has. */
function opsOf(blocks: readonly Block[]): Op[] {
  return blocks.flatMap((block): Op[] => {
    if (block.is === 'heading') return [{ op: 'heading', text: block.text, level: 1 }];
    if (block.is === 'table') return [table(block.rows)];
    if (block.is === 'list')
      return block.items.map((item) => paragraph(item, block.ordered ? 'List Number' : 'List Bullet'));
    return 'text' in block ? [paragraph(block.text)] : [];
  });
}

export const pythonDocx: Maker = {
  commands: [PYTHON],
  packages: 'python3-docx',
  make: async (work) => {
    const drawn = ['prose/de', 'ruled/en', 'lists/tr', 'spans/en', 'mixed/en', 'prose/ko'].map((of) => {
      const [kind = '', language = ''] = of.split('/');
      const name = `${kind}-${language}`;
      const { blocks } = drawDocument(`python-docx-${name}`, kind, language);
      return { name, ops: opsOf(blocks), expected: expectedOf(blocks) };
    });
    const all = [
      ...drawn,
      ...Object.entries(CASES).map(([name, [ops, expected]]) => ({ name, ops, expected })),
    ];
    const jobs = all.map(({ name, ops }) => ({ path: join(work, `${name}.docx`), ops }));
    await runScript('word.py', jobs);
    return all.map(
      ({ name, expected }, at): Made => ({ kind: 'docx', name, path: jobs[at]!.path, expected }),
    );
  },
};
