import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { askQuestions, ingestSet, KEYWORDS_ALONE } from '../support/retrieval-run.ts';
import { NO_RETRIEVAL_SET, readRetrievalSet, retrievalFolder } from '../support/retrieval-set.ts';
import { countTermsNow } from '../support/term-counts.ts';

/** Enough questions to detect a fault, and still quick; `npm run bench:retrieval` asks all of them. */
const QUESTIONS = 200;
const HELD = 0.9;

const folder = retrievalFolder();

if (folder === null) {
  test('keyword search ranks the answering paragraph first', { skip: NO_RETRIEVAL_SET }, () => undefined);
} else {
  const service = await openTestApp(KEYWORDS_ALONE);
  for (const language of ['en', 'zh'] as const) {
    test(`keyword search ranks the answering paragraph first for ${HELD * 100} % of questions: ${language}`, async () => {
      const company = await service.company();
      const set = await readRetrievalSet(folder, language);
      await ingestSet(service, company, set);
      await countTermsNow(service.database, company);
      // Evenly from all articles, not only from the first ones.
      const step = Math.floor(set.questions.length / QUESTIONS);
      const questions = set.questions.filter((_, index) => index % step === 0).slice(0, QUESTIONS);
      const { hitAt1 } = await askQuestions(service, company, { ...set, questions });
      assert.equal(questions.length, QUESTIONS);
      assert.ok(hitAt1 >= HELD, `${(hitAt1 * 100).toFixed(1)} %`);
    });
  }
}
