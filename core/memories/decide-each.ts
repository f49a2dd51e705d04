import { isNoAnswer } from '../../db/driver/faults.ts';
import type { Decision, Memory } from '../../shared/schemas/library.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { type DecideDependencies, decide } from './decide.ts';

/** The outcome of one decision: the memory, or the error that it failed with. */
export type DecisionOutcome = { memory: Memory } | { error: unknown };

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
  for (const decision of decisions) {
    if (signal.aborted) break;
    // Each decision would wait just as long for a database that does not respond.
    const outcome: DecisionOutcome = noAnswer ?? (await tryDecision(deps, scope, decision, signal));
    if ('error' in outcome && isNoAnswer(outcome.error)) noAnswer = outcome;
    yield outcome;
  }
}

async function tryDecision(
  deps: DecideDependencies,
  scope: TeamScope,
  decision: Decision,
  signal: AbortSignal,
): Promise<DecisionOutcome> {
  try {
    return { memory: await decide(deps, scope, decision, signal) };
  } catch (error) {
    return { error };
  }
}
