/** Numbers as a numbered paragraph shows them (ISO/IEC 29500-1, 17.18.59). Two formats are of OpenDocument only. */

type Show = (value: number) => string;

const decimal: Show = (value) => String(value);

const ROMAN: readonly [value: number, letters: string][] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];
/** No one reads larger Roman numbers. They would be as long as they are large. */
const MAX_ROMAN = 4_999;

function roman(value: number): string {
  if (value < 1 || value > MAX_ROMAN) return decimal(value);
  let rest = value;
  let text = '';
  for (const [each, letters] of ROMAN) {
    while (rest >= each) {
      text += letters;
      rest -= each;
    }
  }
  return text;
}

/** The most times that a letter is repeated: `aaa` is 53 in the Latin alphabet. */
const MAX_REPEATS = 10;

/** Letters, repeated after the last of them: `z`, `aa`, `bb`. */
function letters(alphabet: string): Show {
  const all = [...alphabet];
  return (value) => {
    const times = Math.ceil(value / all.length);
    if (value < 1 || times > MAX_REPEATS) return decimal(value);
    return (all[(value - 1) % all.length] ?? '').repeat(times);
  };
}

/** Letters that count on after the last of them: `z`, `aa`, `ab`. */
function counted(alphabet: string): Show {
  const all = [...alphabet];
  return (value) => {
    if (value < 1) return decimal(value);
    let text = '';
    for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / all.length))
      text = (all[(rest - 1) % all.length] ?? '') + text;
    return text;
  };
}

/** Characters for the first numbers. Larger ones are decimal. */
function listed(characters: string): Show {
  const all = [...characters];
  return (value) => all[value - 1] ?? decimal(value);
}

/** Characters that follow each other in Unicode. */
const inRow = (first: number, count: number) =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => first + index));

/** The digits of another script, for those of the decimal number. */
function digits(characters: string): Show {
  const all = [...characters];
  return (value) => decimal(value).replace(/\d/g, (digit) => all[Number(digit)] ?? digit);
}

/** Chinese numbers up to 9,999: `二十一`. */
function counting(characters: string, units: string): Show {
  const [zero, ...ones] = [...characters];
  const places = ['', ...units];
  return (value) => {
    if (value < 1 || value > 9_999) return decimal(value);
    let text = '';
    let isGap = false;
    for (const [index, digit] of [...decimal(value)].entries()) {
      const place = decimal(value).length - 1 - index;
      if (digit === '0') {
        isGap = true;
        continue;
      }
      if (isGap) text += zero ?? '';
      isGap = false;
      // Ten to nineteen are written without the one.
      const isTen = place === 1 && index === 0 && digit === '1';
      text += (isTen ? '' : (ones[Number(digit) - 1] ?? '')) + (places[place] ?? '');
    }
    return text;
  };
}

const CHINESE = counting('零一二三四五六七八九', '十百千');
const CHINESE_DIGITS = digits('〇一二三四五六七八九');

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ORDINAL = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal: Show = (value) => `${value}${ENDINGS[ORDINAL.select(value)] ?? 'th'}`;

const ONES =
  'Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen'.split(
    ' ',
  );
const TENS = 'Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split(' ');
const ORDINAL_WORDS: Readonly<Record<string, string>> = {
  One: 'First',
  Two: 'Second',
  Three: 'Third',
  Five: 'Fifth',
  Eight: 'Eighth',
  Nine: 'Ninth',
  Twelve: 'Twelfth',
};

function cardinalText(value: number): string {
  if (value < 1 || value > 99) return decimal(value);
  if (value < 20) return ONES[value] ?? '';
  const one = value % 10;
  return `${TENS[Math.floor(value / 10) - 2]}${one === 0 ? '' : `-${ONES[one]?.toLowerCase()}`}`;
}

function ordinalText(value: number): string {
  if (value < 1 || value > 99) return ordinal(value);
  const one = value % 10;
  const rest = value < 20 ? value : one;
  if (rest === 0) return cardinalText(value).replace(/y$/, 'ieth');
  const word = ORDINAL_WORDS[ONES[rest] ?? ''] ?? `${ONES[rest]}th`;
  return value < 20 ? word : `${TENS[Math.floor(value / 10) - 2]}-${word.toLowerCase()}`;
}

const AIUEO = 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン';
const IROHA =
  'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン';
const CIRCLED = inRow(0x2460, 20) + inRow(0x3251, 15) + inRow(0x32b1, 15);

const FORMATS = new Map<string, Show>([
  ['none', () => ''],
  ['decimalZero', (value) => decimal(value).padStart(2, '0')],
  ['upperRoman', roman],
  ['lowerRoman', (value) => roman(value).toLowerCase()],
  ['upperLetter', letters(inRow(0x41, 26))],
  ['lowerLetter', letters(inRow(0x61, 26))],
  ['upperLetterCounted', counted(inRow(0x41, 26))],
  ['lowerLetterCounted', counted(inRow(0x61, 26))],
  ['ordinal', ordinal],
  ['cardinalText', cardinalText],
  ['ordinalText', ordinalText],
  ['hex', (value) => value.toString(16).toUpperCase()],
  ['numberInDash', (value) => `- ${value} -`],
  ['decimalFullWidth', digits('０１２３４５６７８９')],
  ['decimalFullWidth2', digits('０１２３４５６７８９')],
  ['decimalEnclosedCircle', listed(CIRCLED)],
  ['decimalEnclosedCircleChinese', listed(CIRCLED)],
  ['decimalEnclosedFullstop', listed(inRow(0x2488, 20))],
  ['decimalEnclosedParen', listed(inRow(0x2474, 20))],
  ['ideographEnclosedCircle', listed(inRow(0x3280, 10))],
  ['ideographDigital', CHINESE_DIGITS],
  ['japaneseDigitalTenThousand', CHINESE_DIGITS],
  ['taiwaneseDigital', CHINESE_DIGITS],
  ['chineseCounting', CHINESE],
  ['chineseCountingThousand', CHINESE],
  ['japaneseCounting', CHINESE],
  ['taiwaneseCounting', CHINESE],
  ['taiwaneseCountingThousand', CHINESE],
  ['chineseLegalSimplified', counting('零壹贰叁肆伍陆柒捌玖', '拾佰仟')],
  ['ideographLegalTraditional', counting('零壹貳參肆伍陸柒捌玖', '拾佰仟')],
  ['japaneseLegal', counting('零壱弐参四伍六七八九', '拾百阡')],
  ['koreanCounting', counting('영일이삼사오육칠팔구', '십백천')],
  ['koreanDigital', digits('영일이삼사오육칠팔구')],
  ['ideographTraditional', listed('甲乙丙丁戊己庚辛壬癸')],
  ['ideographZodiac', listed('子丑寅卯辰巳午未申酉戌亥')],
  ['ganada', listed('가나다라마바사아자차카타파하')],
  ['chosung', listed('ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ')],
  ['aiueoFullWidth', listed(AIUEO)],
  ['aiueo', listed(AIUEO)],
  ['irohaFullWidth', listed(IROHA)],
  ['iroha', listed(IROHA)],
  ['russianLower', letters('абвгдежзиклмнопрстуфхцчшщыэюя')],
  ['russianUpper', letters('АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ')],
  ['hebrew2', letters('אבגדהוזחטיכלמנסעפצקרשת')],
  ['arabicAlpha', letters('أبتثجحخدذرزسشصضطظعغفقكلمنهوي')],
  ['arabicAbjad', letters('أبجدهوزحطيكلمنسعفصقرشتثخذضظغ')],
  ['hindiNumbers', digits('०१२३४५६७८९')],
  ['thaiNumbers', digits('๐๑๒๓๔๕๖๗๘๙')],
]);

/**
 * Shows the number of a paragraph.
 * @param format the name of a number format. Unknown ones are decimal
 * @param pattern of a format of the document's own: its first numbers, such as `001, 002, ...`
 */
export function showListNumber(value: number, format: string, pattern = ''): string {
  if (format === 'custom') return decimal(value).padStart(/^\d{1,20}/.exec(pattern)?.[0].length ?? 0, '0');
  return (FORMATS.get(format) ?? decimal)(value);
}
