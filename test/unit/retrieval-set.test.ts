import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fromPublished } from '../support/retrieval-set.ts';

it('a published retrieval set is read with each question at its paragraph', () => {
  const set = fromPublished('en', {
    data: [
      {
        title: 'Herons',
        paragraphs: [
          {
            context: 'A heron is grey.',
            qas: [{ question: 'Which colour?' }, { question: 'What is grey?' }],
          },
          { context: 'It eats fish.', qas: [{ question: 'What does it eat?' }] },
        ],
      },
      { title: 'Owls', paragraphs: [{ context: 'An owl hunts at night.', qas: [{ question: 'When?' }] }] },
    ],
  });
  assert.deepEqual(
    set.paragraphs.map(({ article }) => article),
    ['Herons', 'Herons', 'Owls'],
  );
  assert.deepEqual(
    set.questions.map(({ question, paragraph }) => [question, set.paragraphs[paragraph]?.text]),
    [
      ['Which colour?', 'A heron is grey.'],
      ['What is grey?', 'A heron is grey.'],
      ['What does it eat?', 'It eats fish.'],
      ['When?', 'An owl hunts at night.'],
    ],
  );
});
