import { existsSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EMBEDDING_DIM } from '../../../shared/embeddings.ts';
import type { ModelSettings } from '../../../worker/embedder/model.ts';
import type { EmbedTask, ModelAnswer } from '../../../worker/embedder/model-process.ts';

/**
 * Runs in the place of the model's process, for tests: it notes what it is asked, keeps some texts waiting until a test
 * releases them, and refuses others. Every other text gets the vector along the axis that its number names.
 */
export const HELD_MODEL = new URL(import.meta.url);

/** A text with this word waits until it is released. */
export const HELD = 'held';
/** A text with this word gets no vector. */
export const REFUSED = 'refused';

const LOOK_EVERY_MS = 10;
const askedFile = (modelDir: string) => path.join(modelDir, 'asked');
const releasedFile = (modelDir: string) => path.join(modelDir, 'released');

/** The texts that the model was asked for, in order. */
export async function askedOf(modelDir: string): Promise<string[]> {
  const lines = await readFile(askedFile(modelDir), 'utf8').catch(() => '');
  return lines.split('\n').filter((line) => line !== '');
}

/** Lets every text that is held go on, now and from now on. */
export async function releaseAll(modelDir: string): Promise<void> {
  await writeFile(releasedFile(modelDir), '');
}

/** The axis of a text's vector. */
export function axisOf(text: string): number {
  return Number(/\d+/.exec(text)?.[0] ?? 0) % EMBEDDING_DIM;
}

function send(answer: ModelAnswer): void {
  process.send?.(answer);
}

async function answer({ lane, text }: EmbedTask, modelDir: string): Promise<void> {
  await appendFile(askedFile(modelDir), `${text.replaceAll('\n', ' ')}\n`);
  send({ running: lane });
  const rssBytes = process.memoryUsage.rss();
  if (text.includes(REFUSED)) {
    send({ lane, error: 'RangeError', rssBytes });
    return;
  }
  while (text.includes(HELD) && !existsSync(releasedFile(modelDir))) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  const vector = new Float32Array(EMBEDDING_DIM);
  vector[axisOf(text)] = 1;
  send({ lane, vector, rssBytes });
}

if (process.argv[1] === import.meta.filename) {
  const { modelDir } = JSON.parse(process.argv[3] ?? '') as ModelSettings;
  process.on('message', (task: EmbedTask) => void answer(task, modelDir));
  process.on('disconnect', () => process.exit(0));
  send({ ready: true, rssBytes: process.memoryUsage.rss() });
}
