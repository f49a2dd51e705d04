import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Status } from '../../shared/schemas/status.ts';
import { API_TOKEN } from './needs/process.ts';

const IMPORTS_A_REQUEST = 5;

/** Where a service in a process of its own is asked, and what ends the asking: the test's own time-out. */
export interface Asked {
  url: string;
  signal: AbortSignal;
}

/** Paragraphs of a file: most make few chunks, every tenth and fiftieth more than one transaction writes. */
function paragraphs(index: number): number {
  if (index % 50 === 0) return 12_000;
  return index % 10 === 0 ? 4000 : 10 + (index % 7) * 60;
}

/** The text of the file with this number. No two have a paragraph in common. */
export function fileText(index: number): string {
  return Array.from(
    { length: paragraphs(index) },
    (_, n) =>
      `Paragraph ${n} of file${index}: the ${n * 7919 + index} pumps of plant ${index} were read by shift ${n}.`,
  ).join('\n\n');
}

/** Asks until there is an answer of success: the service may have been killed, before or after it did the work. */
export async function untilAnswered(
  { url, signal }: Asked,
  path: string,
  init: RequestInit = {},
): Promise<unknown> {
  for (;;) {
    const headers = { authorization: `Bearer ${API_TOKEN}`, ...init.headers };
    // A killed process takes the connection with it, whether it had begun or not.
    const response = await fetch(url + path, { ...init, headers, signal }).catch(() => null);
    if (response?.ok === true) return response.json().catch(() => null);
    signal.throwIfAborted();
    const refused = response !== null && response.status < 500 && response.status !== 409;
    assert.ok(!refused, `${response?.status} ${await response?.text()}`);
    await sleep(50, undefined, { signal });
  }
}

/**
 * Sends the files with the numbers from 0 on, each batch until it is accepted: the key makes one of several tries.
 * @param allowed how many may be sent by now
 */
export async function sendFiles(asked: Asked, files: number, allowed: () => number): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < files; first += IMPORTS_A_REQUEST) {
    while (first >= allowed()) await sleep(10, undefined, { signal: asked.signal });
    const items = Array.from({ length: Math.min(IMPORTS_A_REQUEST, files - first) }, (_, n) => ({
      filename: `file-${first + n}.txt`,
      text: fileText(first + n),
    }));
    const imports = await untilAnswered(asked, '/v1/memory/imports', {
      method: 'POST',
      body: JSON.stringify({ items }),
      headers: { 'content-type': 'application/json', 'idempotency-key': `batch-${first}` },
    });
    ids.push(...(imports as { imports: { id: string }[] }).imports.map((item) => item.id));
  }
  return ids;
}

/** Waits until the imports stand as `reached` wants them. */
export async function untilImports(
  asked: Asked,
  reached: (imports: Status['imports']) => boolean,
): Promise<Status['imports']> {
  for (;;) {
    const status = (await untilAnswered(asked, '/v1/memory/status')) as Status | null;
    if (status !== null && reached(status.imports)) return status.imports;
    await sleep(50, undefined, { signal: asked.signal });
  }
}
