import { type Block, beside, columns, Draw, type Look, list, type Row, text } from './draw.ts';
import { type Language, WORDS } from './languages.ts';

/** A document that programs make files of. */
export interface Document {
  language: string;
  header: string;
  footer: string;
  landscape: boolean;
  /** Chosen at random: the font, and whether lines are justified and hyphenated. */
  serif: boolean;
  justified: boolean;
  size: number;
  blocks: readonly Block[];
}

const LOOKS: readonly Look[] = ['ruled', 'plain', 'zebra', 'lines'];
const withTable = (look: Look) => (d: Draw) => [
  d.heading(),
  ...d.paragraphs(1, 2),
  d.articles(look, 6, 22),
  ...d.paragraphs(1, 2),
];

/** The kinds of documents. */
const KINDS = {
  prose: (d: Draw) => d.chapters(3, 9),
  columns2: (d: Draw) => [d.heading(), columns(2, d.chapters(4, 8))],
  columns3: (d: Draw) => [d.heading(), columns(3, d.chapters(3, 6))],
  ruled: withTable('ruled'),
  unruled: withTable('plain'),
  zebra: withTable('zebra'),
  lines: withTable('lines'),
  long: (d: Draw) => [d.heading(), d.articles(d.pick(LOOKS), 70, 150), ...d.paragraphs(1, 2)],
  wrapped: (d: Draw) => {
    const cells = [() => d.words(1), () => d.text(1, 3), () => d.words(2, 14), () => d.money()];
    return [...d.paragraphs(1, 1), d.table(d.pick(LOOKS), 6, 14, cells), ...d.paragraphs(1, 1)];
  },
  numeric: (d: Draw) => {
    const cells = [() => d.words(1, 2), ...Array.from({ length: 5 }, () => () => d.money())];
    return [d.heading(), d.table(d.pick(LOOKS), 8, 24, cells)];
  },
  empty: (d: Draw) => {
    const some = (make: () => string) => () => (d.below(3) === 0 ? '' : make());
    const cells = [() => d.code(), some(() => d.words(1, 2)), some(() => d.money()), some(() => d.words(1))];
    return [d.heading(), d.table(d.pick(LOOKS), 8, 20, cells), ...d.paragraphs(1, 2)];
  },
  spans: (d: Draw): Block[] => {
    const rows = d.many(3, 6, () => {
      const group = d.many(2, 3, (at) => [at === 0 ? d.title() : '^', d.words(2), d.money(), d.money()]);
      return [[d.words(4), '<', '<', '<'], ...group];
    });
    const head = [d.title(), d.words(1), d.title(), '<'];
    return [...d.paragraphs(1, 1), { is: 'table', look: 'ruled', head: true, rows: [head, ...rows.flat()] }];
  },
  letter: (d: Draw) => [
    beside('table', [[d.address()], [d.address()]]),
    d.heading(),
    ...d.paragraphs(3, 5),
    d.address(),
  ],
  invoice: (d: Draw) => {
    const cells = [() => d.code(), () => d.words(2, 9), () => d.amount(), () => d.money(), () => d.money()];
    const sums = d.table('plain', 3, 3, [() => d.words(1, 2), () => d.money()], false);
    const articles = d.table(d.pick(LOOKS), 4, 9, cells);
    return [
      beside('float', [[d.address()], [d.address()]]),
      d.heading(),
      articles,
      sums,
      ...d.paragraphs(1, 1),
    ];
  },
  form: (d: Draw) => {
    const fields = () => d.table('lines', 4, 7, [() => d.title(), () => d.words(1, 4)], false);
    return d.series(3, 4, () => [d.heading(), fields()]);
  },
  contents: (d: Draw): Block[] => {
    const rows = d.many(12, 30, (at) => [d.title(), String(1 + at * 3)]);
    return [d.heading(), { is: 'contents', rows }, ...d.paragraphs(1, 2)];
  },
  lists: (d: Draw) =>
    d.series(3, 5, (at) => {
      const items = d.many(3, 9, () => d.text(1, 2));
      return [d.heading(), ...d.paragraphs(1, 1), list(items, at % 2 === 0)];
    }),
  notes: (d: Draw) => {
    const texts = d.many(3, 5, (at) => `${d.text(2, 3).slice(0, -1)}^${at + 1} ${d.text(1, 2)}`);
    const notes = texts.map((_, at): Block => ({ is: 'note', text: `${at + 1} ${d.sentence()}` }));
    return [d.heading(), ...texts.map(text), ...notes];
  },
  box: (d: Draw) => {
    const points = list(d.many(3, 4, () => d.words(3, 5)));
    return [d.heading(), beside('float', [d.paragraphs(2, 3), [d.heading(), points]]), ...d.paragraphs(1, 3)];
  },
  code: (d: Draw) =>
    d.series(3, 4, () => {
      const name = () => d.words(1).replace('-', '');
      const line = (at: number) => `${'  '.repeat(at % 3)}const ${name()} = ${d.code()} + ${d.amount()};`;
      return [...d.paragraphs(1, 1), { is: 'code', lines: d.many(4, 9, line) }];
    }),
  captions: (d: Draw) => {
    const caption = (at: number): Block => ({ is: 'caption', text: `Figure ${at + 1}: ${d.sentence()}` });
    return [
      d.heading(),
      columns(
        2,
        d.series(4, 6, (at) => [...d.paragraphs(1, 2), caption(at)]),
      ),
    ];
  },
  columnsWithTable: (d: Draw) => {
    const flowing = [...d.chapters(1, 2), d.articles('lines', 4, 7), ...d.chapters(1, 2)];
    return [columns(2, flowing), d.heading(), d.articles('ruled', 4, 8)];
  },
  shadow: (d: Draw) => d.series(3, 5, () => [{ is: 'twice', text: d.title() }, ...d.paragraphs(1, 3)]),
  // These are one page each. On several pages, the order of columns that continue would not be certain.
  grid: (d: Draw) => [d.heading(), beside('grid', d.sides(3, 1, 2))],
  flex: (d: Draw) => [d.heading(), beside('flex', d.sides(2, 2, 3)), ...d.paragraphs(1, 2)],
  absolute: (d: Draw) => [d.heading(), beside('absolute', d.sides(4, 1, 1))],
  slides: (d: Draw) => {
    const points = () => list(d.many(3, 5, () => d.words(2, 5)));
    return d.series(3, 6, () => [d.heading(), points(), points()]);
  },
  mixed: (d: Draw) => {
    const steps = list(
      d.many(3, 6, () => d.sentence()),
      true,
    );
    const table = () => d.articles(d.pick(LOOKS), 4, 10);
    return [...d.chapters(1, 2), table(), steps, ...d.chapters(1, 2), table()];
  },
} satisfies Record<string, (d: Draw) => Block[]>;

/**
 * Draws a document, the same for the same name. Half of the documents have a header and a footer.
 * @throws if the kind or the language is unknown
 */
export function drawDocument(name: string, kind: string, language: string): Document {
  if (!(kind in KINDS && language in WORDS)) throw new Error(`${name}: unknown kind or language`);
  const draw = new Draw(name, language as Language);
  const header = draw.below(2) === 0 ? '' : `${draw.title()} ${draw.code()}`;
  return {
    language,
    header,
    footer: header === '' ? '' : draw.words(3),
    landscape: draw.below(8) === 0,
    serif: draw.below(2) === 0,
    justified: draw.below(2) === 0,
    size: draw.pick([9, 10, 11, 12]),
    blocks: KINDS[kind as keyof typeof KINDS](draw),
  };
}

/** The cells of a row that have a text of their own. */
export const ownCells = (row: Row): string[] =>
  row.filter((cell) => cell !== '' && cell !== '<' && cell !== '^');

/** A text, or rows of a table. Rows of a list of contents need only be lines, not tables. */
export type ExpectedBlock = { text: string } | { rows: readonly (readonly string[])[]; lines?: true };

/** What a reader must find of blocks, in reading order. */
export function* expectedBlocks(blocks: readonly Block[]): Generator<ExpectedBlock> {
  for (const block of blocks) {
    if (block.is === 'table') yield { rows: block.rows.map(ownCells) };
    else if (block.is === 'contents') yield { rows: block.rows.map(ownCells), lines: true };
    else if (block.is === 'list')
      yield { text: block.items.map((item, at) => (block.ordered ? `${at + 1} ${item}` : item)).join('\n') };
    else if (block.is === 'code') yield { text: block.lines.join('\n') };
    else if (block.is === 'columns') yield* expectedBlocks(block.blocks);
    else if (block.is === 'beside') yield* expectedBlocks(block.sides.flat());
    else yield { text: block.text };
  }
}
