import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/**
 * A reporter of `node --test`: what failed, and why, without all that passed. A run of two rounds prints thousands of
 * lines, and often only the last ones are kept. This reporter repeats the failures at the end.
 */
export default async function* failedTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail') continue;
    const { name, file, line, details, todo } = event.data;
    const error = details.error as Error & { failureType?: string };
    // A suite fails because of its tests, which are told of themselves; what is to be done yet may fail.
    if (error.failureType === 'subtestsFailed' || todo) continue;
    yield `✖ ${name} (${file}:${line})\n${inspect(error.cause ?? error)}\n`;
  }
}
