import {
  BEGINNING_LENGTH as BEGINNING,
  beginningKey,
  exactKey,
  isSemitic,
  PIECE_LENGTH as PIECE,
  pieceKey,
  rootKey,
  rootStart,
  signKeys,
  wordKey,
} from './keys.ts';

/**
 * Endings of words by script, folded: of the languages with the most endings, the common ones. A short query is also
 * searched with each of them, so the lists are no grammar: an ending that fits no word finds nothing.
 */

const list = (endings: string): readonly string[] => [...new Set(endings.trim().split(/\s+/))];

/** English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish, Polish, Turkish and Finnish. */
const LATIN = list(`
  s es e en er n d ed ing ers ly y ies ied
  es ern em ens t te ten st in innen ung ungen
  x aux ent ez ons ant ee ees
  a o i as os is ar ir ado ada ados adas ando aron oes aes ais eis am em ia ie he hi ato ata ano ono
  je jes et or na arna erna orna ens ades
  u ow om ami ach owi iem ek ka ki ke ko ac ic ala al ali
  lar ler lari leri larda lerde larimiz lerimiz da de dan den ta tan ten im un um imiz si su sin ya ye yi di du ti dim mak mek iyor la nin nun
  ssa sta an lla lta lle elle essa esta vat ja ien iden issa ista iin illa ia oja ksi ni mme nsa een oon aan uun iden tiin
`);
const CYRILLIC = list(
  'а я о е ы и у ю й ь ой ей ом ем ам ям ах ях ами ями ов ев ого ему ому ым им ых их ая яя ое ее ые ие ую юю ть л ла ло ли ет ит ют ят ут ат ешь ал ала али ил ила или ию ия ии',
);
const GREEK = list(
  'α ασ εσ η ησ ο οσ οι ου ουσ ον ων ε ι ια ιου ιων μα ματα ματοσ ματων εισ εων ω ει ουν ουμε ετε ω αν ισ',
);
/** Particles, which Korean writes without a space after a noun. */
const HANGUL = list('은 는 이 가 을 를 에 의 로 와 과 도 만 들 에서 으로 에는 에게 까지 부터').map(
  (particle) => particle.normalize('NFD'),
);
const DEVANAGARI = list('ा े ी ि ो ों ें ँ ं ियां ियाँ ियों ाओं ाएं ाएँ एं ओं ने ना नी ता ते ती या ये यी');

/** The characters from a code point to another one. */
function between(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n));
}

/** What is joined before and after Hebrew and Arabic words. The empty one is the word without. */
interface Joined {
  before: readonly string[];
  after: readonly string[];
}
const HEBREW: Joined = {
  before: ['', ...list('ה ו ב כ ל מ ש וה בה לה מה שה כש וב ול')],
  after: ['', ...list('ימ ות י ה ת ו נו יה יו תי כמ המ יות')],
};
const ARABIC: Joined = {
  before: ['', ...list('ال و ب ل ف ك وال بال لل كال فال ول وب')],
  after: ['', ...list('ات ه ين ون ان ها هم ي نا تان تين ا كم')],
};

/** A script in which other forms of a word can be guessed. */
interface Script {
  has: RegExp;
  /** The folded letters: one of them is typed wrongly, left out or added. */
  letters: readonly string[];
  endings: readonly string[];
  /** Only of scripts in which words are joined before and after others. */
  joined?: Joined;
}

const SCRIPTS: readonly Script[] = [
  { has: /^\p{sc=Latin}/u, letters: [...'abcdefghijklmnopqrstuvwxyz'], endings: LATIN },
  { has: /^\p{sc=Cyrillic}/u, letters: [...'абвгдежзиклмнопрстуфхцчшщъыьэюяієґ'], endings: CYRILLIC },
  { has: /^\p{sc=Greek}/u, letters: [...'αβγδεζηθικλμνξοπρστυφχψω'], endings: GREEK },
  { has: /^\p{sc=Hebrew}/u, letters: [...'אבגדהוזחטיכלמנסעפצקרשת'], endings: [], joined: HEBREW },
  { has: /^\p{sc=Arabic}/u, letters: [...'ابتثجحخدذرزسشصضطظعغفقكلمنهويء'], endings: [], joined: ARABIC },
  {
    has: /^\p{sc=Devanagari}/u,
    letters: [...'अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौ्ंँ'],
    endings: DEVANAGARI,
  },
  {
    // The vowels and the last consonants of syllables, which foldWord takes apart.
    has: /^\p{sc=Hangul}/u,
    letters: [...between(0x1161, 0x1175), ...between(0x11a8, 0x11c2)],
    endings: HANGUL,
  },
];

/**
 * What a word of a short query can stand for is guessed: other forms of the word, words that it is a part of, words
 * without a typing error. Each guess is a key of stored words; most exist nowhere, so that they cost only a look into the
 * index. A question of ordinary length has enough words and needs no guesses.
 */

/** Queries with more words are not guessed. */
const MOST_WORDS = 4;
/** Guesses of a query at most, shared by its words. */
const MOST_GUESSES = 480;
/** A longer word has too many guesses. */
const MOST_LETTERS = 24;

/** How much a chunk with the guessed word counts, in percent of one with the word itself. */
const FORM = 100;
/** A word that is only spelled in another way is the word itself. */
const SPELLING = 150;
const REPLACED_ENDING = 80;
const ERROR = 90;
const PART = 60;
const INNER = 50;
const ROOT = 40;
const BEGINNING_PERCENT = 20;
const WHOLE_BEGINNING_PERCENT = 30;

const LEAST_STEM = 3;
/** Up to so many letters, another form can begin with as few as three letters of the word. */
const SHORT = 7;
/** A longer ending does not replace another: it would be too many guesses. */
const MOST_REPLACED = 2;
/** A shorter word with one other letter is another word. */
const LEAST_WITH_ERRORS = 4;
/** Where a letter can be wrong: if a later one is, the beginning of the word finds it. */
const MOST_WRONG = 6;
const CONSONANT = /[b-df-hj-np-tv-z]/;
const AFTER_DOUBLED = ['ed', 'ing', 'er', 'en', 'et', 'e', 'i', 'a'];
const TWO_FOR_ONE = /ae|oe|ue|aa/g;
const SHORT_SYLLABLE = /([^aeiou])([aeou])([^aeiou])$/;
const LONG_SYLLABLE = /([aeou])\1([^aeiou])$/;
const AFTER_OPEN = ['en', 'e'];
/** Letters that sound alike in many languages, so that one is typed for another. */
const SOUND_ALIKE = [
  'aeiouy',
  'ckqsz',
  'bp',
  'dt',
  'fvw',
  'gj',
  'mn',
  'аоеиыіяэ',
  'бп',
  'вф',
  'гк',
  'дт',
  'зс',
  'жш',
  'ιηυ',
  'οω',
];

/** Letters that are often left out, in many languages. */
const LEFT_OUT = { has: /^\p{sc=Latin}/u, letters: [...'aeiounrlst'] };

/** The guesses of a query, in parallel arrays that can be bound as SQL arrays. */
export interface Guesses {
  keys: number[];
  /** How much each counts, in percent. Below 0 for guesses that count, as much, only if the word exists nowhere. */
  percents: number[];
  /** For each of `keys`, the place of its word in `words`, from 1. */
  places: number[];
  /** The keys of the words that are guessed. */
  words: number[];
}

/**
 * Guesses the words of a query.
 * @param words folded
 * @param signs single ones, which are found in every bigram
 */
export function guessWords(team: number, words: readonly string[], signs: readonly string[]): Guesses {
  const guesses: Guesses = { keys: [], percents: [], places: [], words: [] };
  for (const sign of signs) {
    guesses.words.push(exactKey(team, sign));
    for (const key of signKeys(team, sign)) {
      guesses.keys.push(key);
      guesses.percents.push(FORM);
      guesses.places.push(guesses.words.length);
    }
  }
  if (words.length > MOST_WORDS) return guesses;
  const known = words.flatMap((word) => {
    const script = word.length <= MOST_LETTERS ? SCRIPTS.find(({ has }) => has.test(word)) : undefined;
    return script === undefined ? [] : [{ word, script }];
  });
  for (const { word, script } of known) {
    guesses.words.push(wordKey(team, word));
    const percents = guessWord(team, word, script);
    for (const [key, percent] of [...percents].slice(0, Math.floor(MOST_GUESSES / known.length))) {
      guesses.keys.push(key);
      guesses.percents.push(percent);
      guesses.places.push(guesses.words.length);
    }
  }
  return guesses;
}

/** Adds a guess. The highest percentage of a key counts. */
type Guess = (key: number, percent: number) => void;

/** The guesses of one word, with their percentages. What is guessed first is kept if there are too many. */
function guessWord(team: number, word: string, script: Script): Map<number, number> {
  const percents = new Map<number, number>();
  const guess: Guess = (key, percent) => {
    const known = percents.get(key);
    if (known === undefined || (percent > known && percent > 0)) percents.set(key, percent);
  };
  guessSpellings(team, word, guess);
  if (isSemitic(word)) {
    guessJoined(team, word, script, guess);
    guessLikelyErrors(team, word, guess);
  } else {
    guessForms(team, word, script, guess);
    guessLikelyErrors(team, word, guess);
    guessOtherEndings(team, word, script, guess);
    guessParts(team, word, script, guess);
  }
  guessErrors(team, word, script, guess);
  // The word itself is searched anyway.
  percents.delete(wordKey(team, word));
  return percents;
}

/** Other endings, and none. */
function guessForms(team: number, word: string, { endings }: Script, guess: Guess): void {
  for (const ending of endings) guess(wordKey(team, word + ending), FORM);
  const last = word.charAt(word.length - 1);
  if (CONSONANT.test(last)) {
    for (const ending of AFTER_DOUBLED) guess(wordKey(team, word + last + ending), FORM);
  }
  for (const { stem, removed } of stemsOf(word, endings)) {
    guess(wordKey(team, stem), FORM);
    // "logging" is a form of "log".
    if (stem.at(-1) === stem.at(-2)) guess(wordKey(team, stem.slice(0, -1)), REPLACED_ENDING);
    if (removed.startsWith('e')) for (const closed of closedForms(stem)) guess(wordKey(team, closed), FORM);
  }
  for (const open of openForms(word)) {
    for (const ending of AFTER_OPEN) guess(wordKey(team, open + ending), FORM);
  }
}

/** What is left of a word without each ending that it has. */
function stemsOf(word: string, endings: readonly string[]): { stem: string; removed: string }[] {
  return endings.flatMap((removed) => {
    const stem = word.slice(0, -removed.length);
    return stem.length >= LEAST_STEM && word.endsWith(removed) ? [{ stem, removed }] : [];
  });
}

/** Short endings in the place of another. */
function guessOtherEndings(team: number, word: string, { endings }: Script, guess: Guess): void {
  for (const { stem } of stemsOf(word, endings)) {
    for (const ending of endings) {
      if (ending.length <= MOST_REPLACED) guess(wordKey(team, stem + ending), REPLACED_ENDING);
    }
  }
}

/** Dutch words without an ending: "huiz-en" is "huis", "wek-en" is "week". */
function closedForms(stem: string): string[] {
  const last = stem.charAt(stem.length - 1);
  const voiceless = stem.slice(0, -1) + (last === 'z' ? 's' : last === 'v' ? 'f' : last);
  const doubled = voiceless.replace(SHORT_SYLLABLE, '$1$2$2$3');
  return [voiceless, doubled].filter((form) => form !== stem);
}

/** Dutch words before an ending: "huis" is "huiz-en", "week" is "wek-en". */
function openForms(word: string): string[] {
  const last = word.charAt(word.length - 1);
  const voiced = word.slice(0, -1) + (last === 's' ? 'z' : last === 'f' ? 'v' : last);
  const single = voiced.replace(LONG_SYLLABLE, '$1$2');
  return [voiced, single].filter((form) => form !== word);
}

/** Words that begin like the word, or that it is a part of, or that are a part of it. */
function guessParts(team: number, word: string, { letters }: Script, guess: Guess): void {
  const { length } = word;
  if (length >= BEGINNING) guess(beginningKey(team, word), WHOLE_BEGINNING_PERCENT);
  if (length >= PIECE) {
    guess(pieceKey(team, word.slice(-PIECE)), PART);
    for (let at = 0; at + PIECE < length; at++) guess(pieceKey(team, word.slice(at, at + PIECE)), INNER);
  }
  // Pieces with one letter that is not of the word: an ending, or what stands before it.
  for (const letter of letters) {
    if (length >= PIECE - 1) guess(pieceKey(team, word.slice(1 - PIECE) + letter), INNER);
    if (length === PIECE - 1) guess(pieceKey(team, letter + word), PART);
    if (length === PIECE) guess(pieceKey(team, letter + word.slice(0, -1)), INNER);
    if (length > PIECE) guess(pieceKey(team, word.slice(-PIECE, -1) + letter), INNER);
    if (length >= LEAST_STEM && length <= SHORT) {
      guess(beginningKey(team, word.slice(0, LEAST_STEM) + letter), BEGINNING_PERCENT);
    }
  }
  for (let rest = BEGINNING; rest <= length - LEAST_STEM; rest++)
    guess(wordKey(team, word.slice(-rest)), PART);
}

/** What is joined before and after words of scripts like Hebrew. */
function guessJoined(team: number, word: string, { joined }: Script, guess: Guess): void {
  const { before, after } = joined ?? { before: [''], after: [''] };
  const stems = new Set([word]);
  for (const end of after) {
    if (end !== '' && word.endsWith(end) && word.length - end.length >= 2)
      stems.add(word.slice(0, -end.length));
  }
  const withoutEnds = [...stems];
  for (const stem of withoutEnds) {
    for (const start of before) {
      if (start !== '' && stem.startsWith(start) && stem.length - start.length >= LEAST_STEM) {
        stems.add(stem.slice(start.length));
      }
    }
  }
  for (let at = 0; at + LEAST_STEM <= word.length && at < LEAST_STEM; at++)
    guess(rootKey(team, word, at), ROOT);
  guess(wordKey(team, word.slice(rootStart(word))), FORM);
  for (const stem of stems) {
    for (const end of after) for (const start of before) guess(wordKey(team, start + stem + end), FORM);
  }
}

/** Letters that are typed as two, and two that stand for one: "Mueller" is also spelled "Müller", which is folded. */
function guessSpellings(team: number, word: string, guess: Guess): void {
  const spelled = word.replace(TWO_FOR_ONE, (two) => two.charAt(0));
  if (spelled === word) return;
  guess(wordKey(team, spelled), SPELLING);
  if (spelled.length > BEGINNING) guess(beginningKey(team, spelled), WHOLE_BEGINNING_PERCENT);
}

/** Makes a guess of a word that is meant in the place of one with a typing error. */
const meantBy =
  (team: number, guess: Guess) =>
  (other: string): void =>
    guess(wordKey(team, other), -ERROR);

/**
 * The likely typing errors: a letter too many, two in the wrong order, one in the place of two, one that sounds alike, and a
 * common one that is left out.
 */
function guessLikelyErrors(team: number, word: string, guess: Guess): void {
  if (word.length < LEAST_WITH_ERRORS) return;
  const meant = meantBy(team, guess);
  for (let at = 0; at < word.length; at++) {
    const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
    meant(before + after);
    if (after !== '') meant(before + after.charAt(0) + letter + after.slice(1));
    meant(before + letter + letter + after);
    const alike = SOUND_ALIKE.find((letters) => letters.includes(letter)) ?? '';
    for (const other of alike) if (other !== letter) meant(before + other + after);
  }
  if (!LEFT_OUT.has.test(word)) return;
  for (let at = 1; at < word.length; at++) {
    for (const letter of LEFT_OUT.letters) meant(word.slice(0, at) + letter + word.slice(at));
  }
}

/** Words that differ in one letter. */
function guessErrors(team: number, word: string, { letters }: Script, guess: Guess): void {
  if (word.length < LEAST_WITH_ERRORS) return;
  const meant = meantBy(team, guess);
  for (let at = 0; at < word.length && at < MOST_WRONG; at++) {
    const before = word.slice(0, at);
    for (const letter of letters) {
      meant(before + letter + word.slice(at + 1));
      meant(before + letter + word.slice(at));
    }
  }
}
