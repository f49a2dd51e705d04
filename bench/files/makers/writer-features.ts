import { NAMESPACES } from '../../documents/open-document.ts';
import type { Expected } from '../judge.ts';

/** A text document that shows one feature of word processors. */
export interface Feature {
  body: string;
  styles?: string;
  expected: Expected;
  /** The formats that can have it. */
  formats?: readonly string[];
}

const p = (text: string) => `<text:p>${text}</text:p>`;
const h = (level: number, text: string) => `<text:h text:outline-level="${level}">${text}</text:h>`;
const cell = (content: string) => `<table:table-cell>${content}</table:table-cell>`;
const row = (...cells: string[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`;
const table = (name: string, columns: number, ...rows: string[]) =>
  `<table:table table:name="${name}"><table:table-column table:number-columns-repeated="${columns}"/>${rows.join('')}</table:table>`;
const characters = (name: string, properties: string) =>
  `<style:style style:name="${name}" style:family="text"><style:text-properties ${properties}/></style:style>`;
const change = (id: string, kind: string, content = '') =>
  `<text:changed-region text:id="${id}"><text:${kind}><office:change-info><dc:creator>Ann</dc:creator>
   <dc:date>2024-05-03T09:00:00</dc:date></office:change-info>${content}</text:${kind}></text:changed-region>`;
/** A space follows the number. */
const LABEL = `<style:list-level-properties text:list-level-position-and-space-mode="label-alignment">
  <style:list-level-label-alignment text:label-followed-by="space"/></style:list-level-properties>`;
const outline = `<text:outline-style style:name="Outline">${[1, 2, 3]
  .map(
    (level) =>
      `<text:outline-level-style text:level="${level}" style:num-format="1" style:num-suffix="." text:display-levels="${level}">${LABEL}</text:outline-level-style>`,
  )
  .join('')}</text:outline-style>`;
const clauses = `<text:list-style style:name="Clauses">${['Article ', '']
  .map(
    (prefix, at) =>
      `<text:list-level-style-number text:level="${at + 1}" style:num-format="1" style:num-prefix="${prefix}" style:num-suffix="."
     text:display-levels="${at + 1}">${LABEL}</text:list-level-style-number>`,
  )
  .join('')}</text:list-style>`;
const note = (kind: string, id: number, text: string) =>
  `<text:note text:id="n${id}" text:note-class="${kind}"><text:note-citation>${id}</text:note-citation>
   <text:note-body>${p(text)}</text:note-body></text:note>`;
const comment = (text: string) =>
  `<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-05-03T09:00:00</dc:date>${p(text)}</office:annotation>`;

/** What word processors can write, each in a document of its own. */
export const FEATURES: Readonly<Record<string, Feature>> = {
  'numbered-headings': {
    styles: outline,
    body: [
      h(1, 'Scope of delivery'),
      p('The pumps are delivered in May.'),
      h(2, 'Inspection'),
      p('Each pump is inspected.'),
      h(2, 'Warranty'),
      p('The warranty ends in June.'),
      h(1, 'Payment'),
      p('The price is due at once.'),
    ].join(''),
    expected: {
      texts: [
        '1. Scope of delivery',
        'The pumps are delivered in May.',
        '1.1. Inspection',
        'Each pump is inspected.',
        '1.2. Warranty',
        'The warranty ends in June.',
        '2. Payment',
        'The price is due at once.',
      ],
    },
  },
  clauses: {
    styles: clauses,
    body: `<text:list text:style-name="Clauses"><text:list-item>${p('Delivery of the pumps')}<text:list><text:list-item>${p('The supplier delivers to the gate.')}</text:list-item>
      <text:list-item>${p('The buyer unloads at once.')}</text:list-item></text:list></text:list-item><text:list-item>${p('Payment of the price')}</text:list-item></text:list>${p('Signed by both parties under Article 2.')}`,
    expected: {
      texts: [
        'Article 1. Delivery of the pumps',
        '1.1. The supplier delivers to the gate.',
        '1.2. The buyer unloads at once.',
        'Article 2. Payment of the price',
        'Signed by both parties under Article 2.',
      ],
    },
  },
  fields: {
    body: `<text:user-field-decls><text:user-field-decl office:value-type="string" office:string-value="Northwind Pumps" text:name="customer"/></text:user-field-decls>
      ${p('The contract with <text:user-field-get text:name="customer">Northwind Pumps</text:user-field-get> ends in May.')}
      ${p('See Table <text:sequence text:name="Table" text:formula="ooow:Table+1" style:num-format="1">1</text:sequence>: torque of the valves.')}
      ${p('Signed by <text:author-name text:fixed="true">Ann Miller</text:author-name>.')}
      ${p('Chapter <text:bookmark-start text:name="mark"/>Valves<text:bookmark-end text:name="mark"/> follows. See <text:bookmark-ref text:reference-format="text" text:ref-name="mark">Valves</text:bookmark-ref> below.')}`,
    expected: {
      texts: [
        'The contract with Northwind Pumps ends in May.',
        'See Table 1: torque of the valves.',
        'Signed by Ann Miller.',
        'Chapter Valves follows. See Valves below.',
      ],
    },
  },
  comments: {
    body:
      p(`The gate code is changed${comment('Legal has to confirm this code')} every month.`) +
      p('Deliveries arrive at seven.'),
    expected: {
      texts: [
        'The gate code is changed',
        'Legal has to confirm this code',
        'every month.',
        'Deliveries arrive at seven.',
      ],
      optional: ['Ann Comment by Comments 2024-05-03 09:00 UTC'],
    },
  },
  notes: {
    body:
      p(`The valve is tested${note('footnote', 1, 'Tested by the northern workshop.')} before delivery.`) +
      p(`The warranty is short${note('endnote', 2, 'Longer for public buyers.')} by design.`),
    expected: {
      texts: [
        'The valve is tested',
        'Tested by the northern workshop.',
        'before delivery.',
        'The warranty is short',
        'Longer for public buyers.',
        'by design.',
      ],
      optional: ['i'],
    },
  },
  'nested-table': {
    body:
      p('Contacts of the plant:') +
      table(
        'T1',
        2,
        row(p('Field'), p('Value')),
        row(p('Owner'), table('T2', 2, row(p('Ann'), p('Kiel'))) + '<text:p/>'),
        row(p('Phone'), p('6100')),
      ) +
      p('Call before noon.'),
    expected: {
      texts: ['Contacts of the plant:', 'Call before noon.'],
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
  },
  'list-in-cell': {
    body:
      table(
        'T1',
        2,
        row(p('Part'), p('Steps')),
        row(
          p('Valve'),
          `<text:list><text:list-item>${p('open slowly')}</text:list-item><text:list-item>${p('read gauge')}</text:list-item></text:list>`,
        ),
        row(p('Motor'), p('first line') + p('second line')),
      ) + p('End of table.'),
    expected: {
      texts: ['End of table.'],
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
  frame: {
    body:
      p('Before the box.') +
      p(
        `<draw:frame draw:name="F1" text:anchor-type="paragraph" svg:width="5cm" svg:height="2cm"><draw:text-box>${p('Box inside the margin with phone 6100.')}</draw:text-box></draw:frame>The paragraph at the box.`,
      ) +
      p('After the box.'),
    expected: {
      texts: [
        'Before the box.',
        'Box inside the margin with phone 6100.',
        'The paragraph at the box.',
        'After the box.',
      ],
    },
  },
  shape: {
    body:
      p('A plan of the hall.') +
      p(
        `<draw:custom-shape text:anchor-type="paragraph" svg:width="5cm" svg:height="2cm" svg:x="1cm" svg:y="1cm">${p('Emergency exit to the yard')}<draw:enhanced-geometry svg:viewBox="0 0 21600 21600" draw:type="rectangle" draw:enhanced-path="M 0 0 L 21600 0 21600 21600 0 21600 0 0 Z N"/></draw:custom-shape>`,
      ) +
      p('The plan is of May.'),
    expected: { texts: ['A plan of the hall.', 'Emergency exit to the yard', 'The plan is of May.'] },
  },
  hidden: {
    styles: characters('Hidden', 'text:display="none"'),
    body:
      p(
        'The price is <text:span text:style-name="Hidden">secretly discounted</text:span> fixed until June.',
      ) + p('Orders close on Friday.'),
    expected: { texts: ['The price is', 'fixed until June.', 'Orders close on Friday.'] },
  },
  'hidden-section': {
    formats: ['odt'],
    body:
      p('Shown paragraph about pumps.') +
      `<text:section text:name="S" text:display="none">${p('Invisible margin notes')}</text:section>` +
      p('Another shown paragraph.'),
    expected: { texts: ['Shown paragraph about pumps.', 'Another shown paragraph.'] },
  },
  tracked: {
    body: `<text:tracked-changes>${change('c1', 'deletion', p('obsolete wording'))}${change('c2', 'insertion')}</text:tracked-changes>
      ${p('The buyer pays <text:change text:change-id="c1"/><text:change-start text:change-id="c2"/>within thirty days<text:change-end text:change-id="c2"/> by transfer.')}`,
    expected: { texts: ['The buyer pays', 'within thirty days', 'by transfer.'] },
  },
  ruby: {
    body: p(
      '駅は <text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby> です',
    ),
    expected: {
      texts: ['駅は', '東京', 'です'],
      optional: ['とうきょう 東京とうきょう 東京(とうきょう 東京（とうきょう'],
    },
    formats: ['docx', 'odt'],
  },
  breaks: {
    body:
      p('alpha<text:tab/>beta<text:line-break/>gamma<text:s text:c="3"/>delta') +
      p('non&#x2011;breaking and soft&#xad;hyphen words'),
    expected: { texts: ['alpha beta gamma delta', 'non-breaking and softhyphen words'] },
  },
  equation: {
    body:
      p(
        'The flow is <draw:frame draw:name="O1" text:anchor-type="as-char" svg:width="4cm" svg:height="1cm"><draw:object><math:math><math:mrow><math:mi>massflow</math:mi><math:mo>=</math:mo><math:mfrac><math:mi>volume</math:mi><math:mi>duration</math:mi></math:mfrac></math:mrow></math:math></draw:object></draw:frame> as shown.',
      ) + p('Measure it twice.'),
    expected: {
      texts: ['The flow is', 'massflow = volume duration', 'as shown.', 'Measure it twice.'],
      optional: ['over frac massflow=volume/duration volume/duration (volume)/(duration)'],
    },
    formats: ['docx', 'odt'],
  },
  columns: {
    styles:
      '<style:style style:name="Two" style:family="section"><style:section-properties><style:columns fo:column-count="2"/></style:section-properties></style:style>',
    body:
      `<text:section text:style-name="Two" text:name="s">${p('Left column of the page.')}${p('Right column of the page.')}</text:section>` +
      p('Below both columns.'),
    expected: { texts: ['Left column of the page.', 'Right column of the page.', 'Below both columns.'] },
  },
};

/** A document with a feature as flat OpenDocument. */
export const writeFeature = ({ body, styles = '' }: Feature) => {
  const isCommon = styles.includes('outline-style') || styles.includes('list-style');
  return `<?xml version="1.0" encoding="UTF-8"?><office:document ${NAMESPACES} xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:math="http://www.w3.org/1998/Math/MathML" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
    <office:styles>${isCommon ? styles : ''}</office:styles><office:automatic-styles>${isCommon ? '' : styles}</office:automatic-styles>
    <office:body><office:text>${body}</office:text></office:body></office:document>`;
};
