import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { EmbeddingProfileSettings } from '../../../shared/config.ts';
import type { Logger } from '../../../shared/logger.ts';
import { type ModelClient, openModelClient } from '../../../worker/embedder/model-client.ts';
import type { ModelClientOptions } from '../../../worker/embedder/model-client-options.ts';
import type { Lane } from '../../../worker/embedder/model-process.ts';
import { temporaryFolder } from '../../support/needs/process.ts';
import { childrenOf, running } from '../../support/process-table.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';
import { STARTS } from './misbehaving-model.ts';

/** Of processes that misbehave as the text of a task says. */
export const MISBEHAVING = new URL('./misbehaving-model.ts', import.meta.url);
/** Longer than any test waits. */
const NEVER_MS = 3_600_000;

/** A folder with the small model. */
export async function modelFolder(): Promise<string> {
  const modelDir = await temporaryFolder();
  await writeTestModel(modelDir);
  return modelDir;
}

export interface OpenedClient {
  client: ModelClient;
  /** What was logged, by level, and each state that was told of. */
  log: { level: 'info' | 'warn' | 'error'; line: string }[];
  states: string[];
  modelDir: string;
}

export interface Choice extends Partial<ModelClientOptions> {
  modelDir: string;
  hub?: string;
  /** What the misbehaving process does before it is ready. */
  load?: string;
}

/** A client whose log and states are heard, closed when the test is done. It never tries again of itself. */
export function openClient(t: TestContext, { modelDir, hub, load, ...options }: Choice): OpenedClient {
  const log: OpenedClient['log'] = [];
  const listen = (level: 'info' | 'warn' | 'error') => (first: unknown, second?: string) =>
    void log.push({ level, line: second ?? String(first) });
  const logger = { info: listen('info'), warn: listen('warn'), error: listen('error') } as unknown as Logger;
  const profile: EmbeddingProfileSettings = {
    pooling: undefined,
    queryPrefix: load,
    passagePrefix: undefined,
    weight: undefined,
  };
  const states: string[] = [];
  const client = openModelClient({
    model: {
      name: TEST_MODEL,
      modelDir,
      ...(hub === undefined ? {} : { hub }),
      ...(load === undefined ? {} : { profile }),
    },
    megabytes: 2048,
    logger,
    retryMs: NEVER_MS,
    changed: () => states.push(client.state().state),
    ...options,
  });
  t.after(() => client.close());
  return { client, log, states, modelDir };
}

/** One whose process does what each text says, with a folder of its own, in which it leaves traces. */
export async function openMisbehaving(t: TestContext, options: Partial<Choice> = {}): Promise<OpenedClient> {
  return openClient(t, { modelDir: await modelFolder(), main: MISBEHAVING, ...options });
}

export const waiting = (): AbortSignal => new AbortController().signal;

/** The first number of the vector of a text. */
export async function tell(client: ModelClient, text: string, lane: Lane = 'passage'): Promise<number> {
  const [number] = await client.embed(text, lane, waiting());
  assert.ok(number !== undefined);
  return number;
}

/** The processes that were started in a folder, the first first. */
export function startsIn(modelDir: string): number[] {
  const file = join(modelDir, STARTS);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}

/** The processes of this one that run: without the one that lists them. */
export const children = (): number[] => running(childrenOf(process.pid));

export const errorsOf = ({ log }: OpenedClient): string[] =>
  log.filter(({ level }) => level === 'error').map(({ line }) => line);
