import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  bytesWithin,
  countFitting,
  countJsonTokens,
  countTextInJson,
  countTextInJsonUpTo,
  countTokens,
  cutToJson,
  endOfFitting,
} from '../../api/mcp/text.ts';
import { readTable } from '../support/tables.ts';

/** Spaces, letters and escapes beside each other: what a character counts depends on its neighbours. */
const part = fc.oneof(
  fc.constantFrom(' ', 'a', 'b', 'A', 'B', 'é', '7', '\n', '"', '\\', '\u0001', 'д', '日', 'ཀ', '𝄞'),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);
const text = fc.array(part, { maxLength: 40, size: 'max' }).map((parts) => parts.join(''));

/**
 * Sentences of the Universal Declaration of Human Rights, one for each kind of character that is counted by itself, each
 * with the most tokens that a tokenizer of those named in api/mcp/text.ts made of it.
 */
const SENTENCES = readTable(`
  language   | tokens | sentence
  English    | 37     | Men and women of full age, without any limitation due to race, nationality or religion, have the right to marry and to found a family. They are entitled to equa
  Polish     | 49     | Małżeństwo może być zawarte jedynie za swobodnie wyrażoną pełną zgodą przyszłych małżonków.
  Vietnamese | 109    | Nam hay nữ đến tuổi thành niên đều có quyền kết hôn và xây dựng gia đình mà không có bất cứ một hạn chế nào về chủng tộc, quốc tịch hay
  Greek      | 95     | Γάμος δεν μπορεί να συναφθεί παρά μόνο με ελεύθερη και πλήρη συναίνεση των μελλονύμφων.
  Russian    | 48     | Брак может быть заключен только при свободном и полном согласии обеих вступающих в брак сторон.
  Kazakh     | 62     | Неке, тек екі жақтың өзара еркін және толық келісімі бойынша ғана қиылады.
  Hebrew     | 63     | נישואין יערכו רק מתוך הסמה חופשית ומלאה של בני הזוג המיועדים.
  Arabic     | 72     | لا يبرم عقد الزواج إلا برضى الطرفين الراغبين في الزواج رضى كاملا لا إكراه فيه.
  Hindi      | 171    | बालिग़ स्त्री-पुरुषों को बिना किसी जाति, राष्ट्रीयता या धर्म की रुकावटों के आपस में विवाह करने और परिवार को स्थापन करने का अधिकार है । उन्हें विवाह के विषय में
  Bengali    | 138    | বিয়েতে ইচ্ছুক নরনারীর স্বাধীন এবং পূর্ণ সম্মতিতে‌ই কেবল বিয়ে সম্পন্ন হবে।
  Thai       | 151    | การสมรส จะกระทำกันก็แต่ด้วยความยินยอมโดยอิสระและเต็มที่ของผู้ที่เจตนาจะเป็นคู่สมรส
  Chinese    | 101    | 人人有思想、良心和宗教自由的权利;此项权利包括改变他的宗教或信仰的自由,以及单独或集体、公开或秘密地以教义、实践、礼拜和戒律表示他的宗教或信仰的自由。
  Japanese   | 122    | 何人も、実行の時に国内法又は国際法により犯罪を構成しなかった作為又は不作為のために有罪とされることはない。また、犯罪が行われた時に適用される刑罰より重い刑罰は課せられない。
  Korean     | 147    | 성인 남녀는 인종, 국적 또는 종교에 따른 어떠한 제한도 없이 혼인하고 가정을 이룰 권리를 가진다. 그들은 혼인에 대하여, 혼인기간중 그리고 혼인해소시에 동등한 권리를 향유할 자격이 있다.
  Armenian   | 301    | Չափահաս տղամարդիկ ու կանայք, առանց որևէ ցեղային, ազգային կամ կրոնական սահմանափակման, իրավունք ունեն ամուսնանալ և ընտանիք հիմնել։ Նրանք հավասար իրավունքներ ունեն
  Tibetan    | 226    | བཟའ་མི་གཉིས་ཀས་རང་དབང་ཁས་ལེན་ཆ་ཚང་བྱེད་པ་ཁོ་ནའི་སྒོ་ནས་ཆང་ས་རྒྱག་དགོས་པ་ཡིན།
`);

describe('the estimate of tokens', () => {
  for (const { language, tokens: most, sentence = '' } of SENTENCES) {
    test(`covers ${language} for every tokenizer that was measured`, () => {
      const tokens = Number(most);
      const estimated = countTokens(sentence);
      assert.ok(tokens <= 1.25 * estimated, `${tokens} tokens, estimated ${estimated}`);
      assert.ok(estimated <= 2.2 * tokens, `${tokens} tokens, estimated ${estimated}`);
    });
  }

  test('is 2.5 for a character of a script that no tokenizer knows', () => {
    for (const character of ['አ', 'ཀ', 'မ', 'Ꭰ', '\ue000'])
      assert.equal(countTokens(character.repeat(100)), 250);
  });

  test('leaves a quarter for every text, because no tokenizer makes more tokens than bytes', () => {
    for (const repeated of ['1', '1 ', '~', '\t', 'a1', '٠', 'ⴰ', '𐌰', '😀']) {
      const text = repeated.repeat(1000);
      assert.ok(1.25 * countTokens(text) >= Buffer.byteLength(text), `${repeated}: ${countTokens(text)}`);
    }
  });

  test('is within the tokens that a number of bytes was allowed for', () => {
    fc.assert(
      fc.property(text, (given) => {
        const tokens = countTokens(given);
        assert.ok(Buffer.byteLength(given) >= bytesWithin(tokens - 1));
      }),
    );
  });

  test('of parts is at least that of the whole', () => {
    fc.assert(
      fc.property(text, text, fc.jsonValue(), (one, other, value) => {
        assert.ok(countTokens(one + other) <= countTokens(one) + countTokens(other));
        assert.ok(countTextInJson(one + other) <= countTextInJson(one) + countTextInJson(other));
        const whole = countJsonTokens({ text: one, value });
        assert.ok(whole <= countJsonTokens({ text: '', value }) + countTextInJson(one));
        assert.equal(countJsonTokens(value), countTokens(JSON.stringify(value)));
      }),
    );
  });

  test('stops at a bound, and cuts a text where one character more would not fit', () => {
    fc.assert(
      fc.property(text, fc.nat(100), (given, room) => {
        assert.equal(countTextInJsonUpTo(given, room), Math.min(countTextInJson(given), room));
        const cut = cutToJson(given, room);
        assert.ok(countTextInJson(cut) <= room);
        if (countTextInJson(given) <= room) assert.equal(cut, given);
        else if (room > 2) assert.ok(cut.endsWith('…') && given.startsWith(cut.slice(0, -1)));
        const end = endOfFitting(given, 0, room);
        if (end === given.length) return;
        const next = String.fromCodePoint(given.codePointAt(end)!);
        assert.ok(countTextInJson(given.slice(0, end) + next) > room);
      }),
    );
  });

  test('divides a text into parts that together are the text, and splits no surrogate pair', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 5, max: 20 }), (given, room) => {
        const parts: string[] = [];
        for (let at = 0; at < given.length; ) {
          const end = endOfFitting(given, at, room);
          parts.push(given.slice(at, end));
          at = end;
        }
        assert.equal(parts.join(''), given);
        assert.ok(parts.every((one) => one.isWellFormed() && countTextInJson(one) <= room));
      }),
    );
  });

  test('decides how many values of a list fit', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.nat(80), (values, room) => {
        const count = countFitting(values, room);
        assert.ok(count === 0 || countJsonTokens(values.slice(0, count)) <= room + 2);
        assert.ok(count === values.length || countFitting(values.slice(0, count + 1), room) === count);
      }),
    );
  });
});
