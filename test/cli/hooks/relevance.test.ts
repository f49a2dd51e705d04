import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { relevantHits } from '../../../cli/hooks/recall.ts';
import type { Hit } from '../../../shared/schemas/search.ts';
import { NO_PLACE } from '../../../shared/schemas/sources.ts';
import { column } from '../../support/columns.ts';
import {
  NO_RETRIEVAL_SET,
  readRetrievalSet,
  retrievalFolder,
  withQuestions,
} from '../../support/retrieval-set.ts';

const folder = retrievalFolder();

/** A hit as far as a recall looks at it. */
const hitOf = (text: string) =>
  ({
    title: '',
    text,
    tags: [] as string[],
    location: { document_title: null, ...NO_PLACE },
  }) as unknown as Hit;

/** The share of these that are true. */
const share = (outcomes: readonly boolean[]) => outcomes.filter(Boolean).length / outcomes.length;

describe('the floor of a recall', () => {
  test('looks at the title, the headings and the tags too, and at words in other forms', () => {
    const hit = {
      ...hitOf('It waits 40 seconds.'),
      title: 'Payments',
      tags: ['gateway'],
      location: { document_title: null, ...NO_PLACE, headings: ['Retrying'] },
    };
    assert.deepEqual(relevantHits('Does the gateway retry a payment?', [hit]), [hit]);
    assert.deepEqual(relevantHits('Does the gateway retry a payment?', [hitOf(hit.text)]), []);
  });

  test('lets a code pass that the prompt and the text have in common, and no other code', () => {
    const [hit, other] = [
      hitOf('The gateway of the office is PGW-4012.'),
      hitOf('The other one is PGW-4013.'),
    ];
    assert.deepEqual(relevantHits('Why is PGW-4012 so slow on Mondays?', [hit, other]), [hit]);
  });

  for (const [language, related, unrelated] of [
    ['en', 0.8, 0.06],
    ['de', 0.72, 0.08],
    ['ru', 0.7, 0.06],
    ['zh', 0.4, 0.02],
  ] as const) {
    const skip = folder === null && NO_RETRIEVAL_SET;
    test(`lets questions in ${language} find their paragraph, and few find one of ten others`, {
      skip,
    }, async () => {
      const { paragraphs, questions } = withQuestions(await readRetrievalSet(folder ?? '', language), 200);
      const outcomes = questions.map(({ question, paragraph }) => {
        const own = paragraphs[paragraph];
        const others = paragraphs.filter(({ article }) => article !== own?.article);
        const ten = others.filter((_, index) => index % Math.ceil(others.length / 10) === 0);
        const passes = (texts: readonly { text: string }[]) =>
          relevantHits(question, column(texts, 'text').map(hitOf)).length > 0;
        return { own: passes(own === undefined ? [] : [own]), other: passes(ten) };
      });
      const found = share(column(outcomes, 'own'));
      const wrong = share(column(outcomes, 'other'));
      assert.ok(found >= related && wrong <= unrelated, `${found} of the related, ${wrong} of the unrelated`);
    });
  }
});
