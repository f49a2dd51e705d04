import assert from 'node:assert/strict';
import { outcome } from './sign-in.ts';
import { faultyFields, withoutRequestId } from './team.ts';

type Answer = Parameters<typeof outcome>[0];

/** Asserts that an answer is the 400 that names this field and no other. */
export function assertInvalid(answer: Answer, field: string): void {
  const about = `${field}: ${answer.body}`;
  assert.equal(outcome(answer), '400 invalid_request', about);
  assert.deepEqual(faultyFields(answer), [field], about);
}

/** Asserts that all answers are this refusal with the same body, except for the request id. */
export async function assertSameRefusal(
  refusal: string,
  answers: readonly (Answer | PromiseLike<Answer>)[],
): Promise<void> {
  const bodies = new Set<string>();
  for (const [index, sent] of answers.entries()) {
    const answer = await sent;
    assert.equal(outcome(answer), refusal, `answer ${index}`);
    bodies.add(withoutRequestId(answer.body));
  }
  assert.equal(bodies.size, 1);
}
