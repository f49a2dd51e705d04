import fc from 'fast-check';
import { API_TOKEN } from '../../support/needs/process.ts';
import { get, quantile, type Reply, send } from '../load/client.ts';
import { type Operation, openRequests, type Schema } from '../load/random-request.ts';
import { startSystem } from '../load/system.ts';
import type { Scenario } from '../scenario.ts';

const REQUESTS = 3000;
const AT_ONCE = 4;

/** What would end the access of the callers, so that the rest would only be refused. */
const LEFT_OUT =
  /^(post \/v1\/auth\/(logout|password)|delete \/v1\/auth\/sessions|post \/v1\/company\/teams\/[^/]+\/archive|(delete|patch) \/v1\/(company|team)\/members)/;

/** Traces of the inside of the service, which no response contains. */
const LEAK = /node_modules|\.ts:\d|\bat \w+ \(|select .* from|syntax error at|\/work\/|pg-boss/i;

interface Problem {
  type?: unknown;
  title?: unknown;
  status?: unknown;
  detail?: unknown;
  code?: unknown;
  requestId?: unknown;
}

/** What is wrong with a response, or null. */
function faultOf(reply: Reply): string | null {
  const { status, failure, headers, text } = reply;
  if (status === 0) return `no response: ${failure}`;
  if (status >= 500) return `${status}`;
  if (!headers.has('x-request-id')) return `${status} without x-request-id`;
  if (status < 400) return null;
  if (LEAK.test(text)) return `${status} tells the inside of the service`;
  // A message that is no JSON-RPC is refused in JSON-RPC.
  if ((reply.json as { jsonrpc?: unknown } | null)?.jsonrpc === '2.0') return null;
  if (!headers.get('content-type')?.startsWith('application/problem+json'))
    return `${status} is no problem+json`;
  const { type, title, status: statusOfBody, detail, code, requestId } = (reply.json ?? {}) as Problem;
  const isWhole = [type, title, detail, code, requestId].every((field) => typeof field === 'string');
  return isWhole && statusOfBody === status ? null : `${status} has an incomplete problem`;
}

interface Document {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  components?: { schemas?: Record<string, Schema> };
}

/** Every operation of the OpenAPI document that the fuzzing calls. */
function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => !LEFT_OUT.test(`${method} ${path}`))
      .map(([method, operation]) => ({ ...operation, method, path })),
  );
}

export const fuzz: Scenario = {
  name: 'fuzz',
  summary: `sends ${REQUESTS} random requests to all operations (--seed); no 5xx, and every error is problem+json`,
  limitSeconds: 240,
  run: async (context, findings) => {
    const system = await startSystem(context);
    const { url } = system;
    const document = (await get(url, '/docs/json')).json as Document;
    const operations = operationsOf(document);
    const post = async (path: string, body: object, token?: null) =>
      (await send(url, { method: 'POST', path, body, ...(token === null && { token }) })).json as {
        token: string;
      };
    const invite = await post('/v1/team/invites', { email: 'member@example.com', role: 'member' });
    const joining = { token: invite.token, name: 'A member', password: 'correct-horse-battery-staple' };
    const { token: member } = await post('/v1/auth/join', joining, null);
    const callers = [...Array.from({ length: 6 }, () => API_TOKEN), member, member, 'no-such-token', null];
    const ids = ['00000000-0000-7000-8000-000000000000'];
    const requestOf = openRequests(document.components?.schemas ?? {}, ids);
    const requests = operations.map((operation) =>
      fc.record({
        operation: fc.constant(operation),
        request: requestOf(operation),
        token: fc.constantFrom(...callers),
      }),
    );
    const faults = new Map<string, number>();
    const statuses = new Map<number, number>();
    const times: number[] = [];
    let left = REQUESTS;
    const loop = async () => {
      while (left > 0) {
        left -= 1;
        context.signal.throwIfAborted();
        const drawn = fc.sample(fc.oneof(...requests), { seed: context.seed + left, numRuns: 1 });
        const [{ operation, request, token }] = drawn as [(typeof drawn)[number]];
        const reply = await send(url, { ...request, token });
        const [learned] = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{22}/.exec(reply.text) ?? [];
        // Old ones give way.
        if (learned !== undefined && ids.push(learned) > 200) ids.shift();
        times.push(reply.ms);
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        const fault = faultOf(reply);
        const line = `${operation.method.toUpperCase()} ${operation.path}: ${fault}`;
        if (fault !== null) faults.set(line, (faults.get(line) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
    const counts = [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${count} x ${status}`);
    findings.figure(`seed ${context.seed}: ${REQUESTS} requests to ${operations.length} operations`);
    findings.figure(counts.join(', '));
    findings.figure(
      `p99 ${quantile(times, 0.99).toFixed(0)} ms, slowest ${quantile(times, 1).toFixed(0)} ms`,
    );
    for (const [line, count] of [...faults].slice(0, 5)) findings.expect(false, `${line} (${count} times)`);
    findings.expect(faults.size <= 5, `${faults.size - 5} more kinds of wrong responses`);
    const errors = system.apis[0]?.stdout.filter((line) => /"level":[56]0/.test(line)) ?? [];
    findings.expect(
      errors.length === 0,
      `the API logged ${errors.length} errors: ${errors[0]?.slice(0, 300)}`,
    );
    await system.stop(findings);
  },
};
