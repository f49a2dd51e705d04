import { isNoAnswer } from '../../db/driver/faults.ts';
import type { Decision } from '../../shared/schemas/library.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { DecideDependencies } from './decide.ts';
import { type Decided, decideChecked } from './decide-checked.ts';

/** The outcome of one decision: the memory, or the error that it failed with. */
export type DecisionOutcome = Decided | { error: unknown };

/**
 * Decides on memories one after the other, each in its own transaction. If one decision fails, the others are still made.
 * @param signal of the request: no further decision is made after it is closed
 * @returns each outcome as soon as it is known, in the order of the decisions
 */
export async function* decideEach(
  deps: DecideDependencies,
  scope: TeamScope,
  decisions: readonly Decision[],
  signal: AbortSignal,
): AsyncGenerator<DecisionOutcome> {
  let noAnswer: { error: unknown } | null = null;
  for (const [index, decision] of decisions.entries()) {
    if (signal.aborted) break;
    // Each decision would wait just as long for a database that does not respond.
    const outcome: DecisionOutcome = noAnswer ?? (await tryDecision(deps, scope, decision, signal, index));
    if ('error' in outcome && isNoAnswer(outcome.error)) noAnswer = outcome;
    yield outcome;
  }
}

async function tryDecision(
  deps: DecideDependencies,
  scope: TeamScope,
  decision: Decision,
  signal: AbortSignal,
  index: number,
): Promise<DecisionOutcome> {
  try {
    return await decideChecked(deps, scope, decision, signal, `/decisions/${index}`);
  } catch (error) {
    return { error };
  }
}
