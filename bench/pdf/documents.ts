import { seededRandom } from '../../test/support/generated-text.ts';
import type { Expected } from './judge.ts';

/** A row of a table. `<` is covered by the cell before it, `^` by the cell above. */
type Row = readonly string[];
export type Look = 'ruled' | 'plain' | 'zebra' | 'lines';

type Words<Is> = Is extends string ? { is: Is; text: string } : never;

/** A piece of a document, in reading order. In a text, `^1` is a superscript; each line of it is a line of its own. */
export type Block =
  | Words<'heading' | 'text' | 'caption' | 'note' | 'twice'>
  | { is: 'list'; items: readonly string[]; ordered: boolean }
  | { is: 'contents'; rows: readonly Row[] }
  | { is: 'code'; lines: readonly string[] }
  | { is: 'table'; rows: readonly Row[]; look: Look; head: boolean }
  | { is: 'columns'; count: number; blocks: readonly Block[] }
  | { is: 'beside'; how: Beside; sides: readonly (readonly Block[])[] };
export type Beside = 'grid' | 'flex' | 'absolute' | 'float' | 'table';

/** A document that a program makes a PDF of. */
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

const WORDS = {
  en: `account agreement annual approval archive assembly balance basin branch bridge budget building cabinet canal capacity
cargo catalogue ceiling chamber channel circuit climate coastal collection column committee concrete condition consignment
container contract cooling copper correction council courtyard customer damage decision delivery department deposit design
diagram discharge distance district document drainage electric element engine entrance equipment estimate evidence exhaust
expense extension factory failure filter fitting foundation freight furnace garden gasket gauge granite gravel harbour heating
horizon household humidity hydraulic important impression improvement industry inspection installation insulation insurance
inventory invoice journal junction kitchen laboratory ladder landscape leakage lecture length licence lighting limestone
machine maintenance management manual margin material measurement mechanic member message method mineral mixture monitor
mountain museum narrow natural northern notice number nursery observation office operation orchard order output packing panel
paper parish partner passage payment pension period permission pipeline planning platform pressure printer procedure product
project property protocol provision purchase quality quantity quarry railway receipt recommendation record reference
refinement region regulation reservoir resident result review river roof routine sample schedule season section sediment
service shelter shipment signal southern standard station storage stream structure supplier surface survey switch temperature
terminal timber transport treatment tunnel turbine valley valve vehicle ventilation village volume warehouse waterway weather
well-known workshop long-term`,
  he: `בית ספר עיר רחוב מים שמש ילד ילדה ספינה גשר נהר הר עץ פרח לחם שולחן חלון דלת מורה תלמיד עבודה זמן יום לילה שנה חודש שבוע
מחיר חשבון הזמנה לקוח חברה מכתב תשובה שאלה תוכנית פרויקט מערכת דוח בדיקה חדש גדול קטן ישן טוב ראשון אחרון נמל מחסן רכבת`,
  ar: `بيت مدرسة مدينة شارع ماء شمس ولد بنت سفينة جسر نهر جبل شجرة زهرة خبز طاولة نافذة باب معلم طالب عمل وقت يوم ليلة سنة شهر
أسبوع سعر حساب طلب عميل شركة رسالة جواب سؤال خطة مشروع نظام تقرير فحص جديد كبير صغير قديم الأول الأخير ميناء مخزن قطار السلام`,
  zh: `城市 河流 桥梁 学校 学生 老师 工作 时间 今天 明天 公司 客户 合同 价格 报告 检查 系统 项目 计划 问题 回答 仓库 火车 港口 天气 温度 压力
机器 维修 设备 产品 质量 运输 建筑 花园 山区 春天 大型 新的 重要`,
  ja: `都市 河川 学校 先生 仕事 時間 今日 会社 契約 価格 報告 検査 システム 計画 問題 倉庫 電車 天気 温度 圧力 機械 修理 製品 品質 建物 庭園
春の 大きな 新しい 大切な サービス データ`,
  ko: `도시 강물 학교 학생 선생님 작업 시간 오늘 내일 회사 고객 계약 가격 보고서 검사 시스템 계획 질문 대답 창고 기차 항구 날씨 온도 압력 기계
수리 제품 품질 운송 건물 정원 봄날 중요한 새로운`,
};
type Language = keyof typeof WORDS;

/** Draws texts, the same for the same seed. */
export class Draw {
  readonly #random: () => number;
  readonly #words: readonly string[];
  /** Whether words have spaces between them. */
  readonly #spaced: boolean;

  constructor(seed: string, language: Language = 'en') {
    const hash = [...seed].reduce((sum, char) => Math.imul(sum, 31) + char.charCodeAt(0), 7);
    this.#random = seededRandom(hash);
    this.#words = WORDS[language].split(/\s+/);
    this.#spaced = language !== 'zh' && language !== 'ja';
  }

  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  many<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, index) => make(index));
  }

  /** Many blocks, some for each. */
  series(least: number, most: number, make: (index: number) => Block[]): Block[] {
    return this.many(least, most, make).flat();
  }

  shuffled<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => [this.#random(), item] as const);
    return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  words(least: number, most = least): string {
    return this.many(least, most, () => this.pick(this.#words)).join(this.#spaced ? ' ' : '');
  }

  code(): string {
    return `${this.pick([...'BDFHKLMPRTX'])}${1000 + this.below(9000)}`;
  }

  amount(): string {
    return String(1 + this.below(90));
  }

  money(): string {
    const cents = String(this.below(100)).padStart(2, '0');
    return `${this.below(2) === 0 ? '' : `${1 + this.below(99)},`}${100 + this.below(900)}.${cents}`;
  }

  title(): string {
    const text = this.words(2, 4);
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  sentence(): string {
    if (!this.#spaced) return `${this.words(2, 3)}，${this.words(2, 4)}。`;
    const middle = this.below(3) === 0 ? `, ${this.code()} ${this.words(3, 6)}` : '';
    const text = `${this.words(5, 9)}${middle}.`;
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  text(least = 3, most = 6): string {
    return this.many(least, most, () => this.sentence()).join(this.#spaced ? ' ' : '');
  }

  paragraphs(least: number, most: number): Block[] {
    return this.many(least, most, () => text(this.text()));
  }

  heading(): Block {
    return { is: 'heading', text: this.title() };
  }

  table(look: Look, least: number, most: number, cells: readonly (() => string)[], head = true): Block {
    const rows = this.many(least, most, () => cells.map((cell) => cell()));
    return { is: 'table', look, head, rows: head ? [cells.map(() => this.words(1, 2)), ...rows] : rows };
  }

  /** A table of articles: a code, a name, a number and a price. */
  articles(look: Look, least: number, most: number): Block {
    const name = () => this.words(1, 2);
    return this.table(look, least, most, [() => this.code(), name, () => this.amount(), () => this.money()]);
  }

  chapters(least: number, most: number): Block[] {
    return this.series(least, most, () => [this.heading(), ...this.paragraphs(2, 4)]);
  }

  sides(count: number, least: number, most: number): Block[][] {
    return this.many(count, count, () => [this.heading(), ...this.paragraphs(least, most)]);
  }

  address(): Block {
    const lines = [
      this.title(),
      `${this.words(1)} ${this.amount()}`,
      `${10_000 + this.below(80_000)} ${this.words(1)}`,
    ];
    return text(lines.join('\n'));
  }
}

const text = (words: string): Block => ({ is: 'text', text: words });
const list = (items: readonly string[], ordered = false): Block => ({ is: 'list', items, ordered });
const columns = (count: number, blocks: readonly Block[]): Block => ({ is: 'columns', count, blocks });
const beside = (how: Beside, sides: readonly Block[][]): Block => ({ is: 'beside', how, sides });

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

function* expectedBlocks(blocks: readonly Block[]): Generator<Expected['blocks'][number]> {
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

/** What a reader must find in a document. */
export const expectedOf = ({ blocks, header, footer }: Document): Expected => ({
  blocks: [...expectedBlocks(blocks)],
  repeated: [header, footer],
});
