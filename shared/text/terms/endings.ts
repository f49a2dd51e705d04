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
export interface Script {
  has: RegExp;
  /** The folded letters: one of them is typed wrongly, left out or added. */
  letters: readonly string[];
  endings: readonly string[];
  /** Only of scripts in which words are joined before and after others. */
  joined?: Joined;
}

export const SCRIPTS: readonly Script[] = [
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
