/** How likely it is that a person wrote a text, or that wrong decoding made it. */

/**
 * Letters outside ASCII of languages, in lower case. A text in the wrong encoding has letters that no language has together,
 * such as `ø` as `ř` next to `æ` as `ć`.
 */
const ALPHABETS: readonly ReadonlySet<string>[] = [
  'äöüß',
  'éèêëàâçîïôùûüÿœæ',
  'áéíóúüñºª',
  'ãõáéíóúâêôàçüºª',
  'àèéìòùî',
  'àçèéíïòóúü·',
  'åäöé',
  'æøåéóòô',
  'ëïéèöüóá',
  'áðéíóúýþæö',
  'ąćęłńóśźż',
  'áčďéěíňóřšťúůýž',
  'áäčďéíĺľňóôŕšťúýž',
  'áéíóöőúüű',
  'čćđšž',
  'ăâîşţșț',
  'çğıöşüâîû',
  'ąčęėįšųūž',
  'āčēģīķļņšūž',
  'äõöüšž',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяё',
  'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
  'абвгдеёжзійклмнопрстуўфхцчшыьэюя',
  'абвгдђежзијклљмнњопрстћуфхцчџш',
  'абвгдѓежзѕијклљмнњопрстќуфхцчџш',
].map((letters) => new Set(letters));

/** Names of people and places mix the languages of Western Europe, so its letters together count as a poor alphabet. */
const WESTERN = new Set('áàâäãåæçéèêëíìîïñóòôöõøœúùûüýÿßðþºª');
/** The share of the letters that count as foreign in such a mixture. */
const MIXTURE = 0.35;

/** What occurs in text that was decoded wrongly. Each match is one character. */
const IMPLAUSIBLE: readonly RegExp[] = [
  /[\x80-\x9f\ufffd\p{Private_Use}\p{Unassigned}]/gu,
  // A capital letter after a small one: `perchÃ`.
  /(?<=\p{Lowercase_Letter})(?=\P{ASCII})\p{Uppercase_Letter}/gu,
  // A sign within a word: `Gr÷ße`. Quotation marks, hyphens and dots can be there.
  /(?<=\p{Letter})(?=\P{ASCII})[\p{Symbol}\p{Punctuation}\p{Number}](?<![’‘·•\u2010-\u2015、。・〜「」（）『』…])(?=\p{Letter})/gu,
  // Letters of Latin-1 that are signs of units and numerals, within a word.
  /(?<=\p{Letter})[µªº](?=\p{Letter})/gu,
  // A sign that is written apart from words, next to one.
  /(?<=\p{Letter})[©¦¤¬¶¨´¯¸ˇ˘˙˛˝≈≤≥√∞∂∑∏∫‰„‚](?!\p{Letter})/gu,
  /(?<!\p{Letter})[©¦¤¬¶¨´¯¸ˇ˘˙˛˝≈≤≥√∞∂∑∏∫‰](?=\p{Letter})/gu,
  // Two scripts in one word.
  /(?<=\p{Script=Latin})[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}\uff61-\uff9f]/gu,
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}\uff61-\uff9f](?=\p{Script=Latin})/gu,
  // A word of one letter: the Italian `è` is the Russian `и` in another encoding.
  /(?<!\p{Letter})[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}](?!\p{Letter})/gu,
  // A word of one narrow kana: the sign `±` is one in Japanese encodings.
  /(?<![\uff61-\uff9f])[\uff66-\uff9f](?![\uff61-\uff9f])/g,
  // Lines and blocks that programs of DOS drew on the screen.
  /[\u2500-\u259f]/g,
];
const NOT_ASCII = /\P{ASCII}/gu;
const ALPHABETIC = /(?=\P{ASCII})[\p{Script=Latin}\p{Script=Cyrillic}]/gu;

const countOf = (pattern: RegExp, text: string) => text.match(pattern)?.length ?? 0;

/** How many letters outside ASCII are not in the alphabet that has most of them. */
function foreignLetters(text: string): number {
  const letters = text.toLowerCase().match(ALPHABETIC) ?? [];
  const counts = new Map<string, number>();
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const outside = (alphabet: ReadonlySet<string>) =>
    [...counts].reduce((sum, [letter, times]) => sum + (alphabet.has(letter) ? 0 : times), 0);
  return Math.min(...ALPHABETS.map(outside), outside(WESTERN) + MIXTURE * letters.length);
}

/**
 * The quotation marks, dashes and signs that are the only characters outside ASCII of many English texts. Some are letters in other
 * encodings, so they count only beside spaces, digits and the like.
 */
const TYPOGRAPHIC =
  /[‘’“”–—…•€™©®£°\u00a0]|(?<![\p{L}\u00a1-\u{10ffff}])[§±×÷«»¼½¾](?![\p{L}\u00a1-\u{10ffff}])/gu;
const TYPOGRAPHIC_WEIGHT = 3;

/** One wrong character can be one that a person wrote. From so many on, two thirds of the characters must be right. */
const MIN_EVIDENCE = 3;
/** The weight of a text in which everything seems wrong. */
const MIN_WEIGHT = 0.01;

/** How likely it is that a person wrote a decoded text: 1 if nothing speaks against it, 0 if it cannot be. */
export function plausibilityOf(text: string): number {
  const all = Math.max(1, countOf(NOT_ASCII, text));
  if (countOf(TYPOGRAPHIC, text) === all) return TYPOGRAPHIC_WEIGHT;
  const wrong = IMPLAUSIBLE.reduce((sum, pattern) => sum + countOf(pattern, text), 0);
  if (wrong >= MIN_EVIDENCE && wrong * 3 > all) return 0;
  const implausible = Math.max(MIN_WEIGHT, 1 - wrong / all);
  const foreign = Math.max(MIN_WEIGHT, 1 - foreignLetters(text) / all);
  return implausible ** 2 * foreign;
}
