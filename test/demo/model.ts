import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Embedder, loadEmbedder } from '../../worker/embedder/model.ts';
import { TEST_MODEL, writeTestModel } from '../support/test-model.ts';
import { reason } from './failure.ts';
import { throwAwayFolder, type Undo } from './service.ts';

const HUB = 'https://huggingface.co/';
/** A hub that cannot be reached must not keep anyone waiting. */
const HUB_ANSWERS_WITHIN_MS = 5000;

export interface ModelSource {
  /** The folder in which models lie, and into which one is fetched. */
  folder: string;
  download: boolean;
}

/** A model ready to use, and the folder that it lies in. */
export interface LoadedModel {
  embedder: Embedder;
  folder: string;
}

/**
 * Loads the model of this name and no other: a vector must never bear another model's name.
 * @param say told before a long download
 * @throws Error of one line where it cannot be had
 */
export async function loadModel(
  name: string,
  { folder, download }: ModelSource,
  undo: Undo,
  say: (line: string) => void,
): Promise<LoadedModel> {
  if (name === TEST_MODEL) return makeTestModel(undo);
  const present = existsSync(join(folder, name, 'onnx', 'model_quantized.onnx'));
  if (!present && download) {
    await assertHubAnswers(name);
    say(`fetching ${name} into ${folder}, once; it may have some hundred megabytes`);
  }
  const embedder = await loadEmbedder({ name, modelDir: folder, allowDownload: download, hub: HUB });
  return { embedder, folder };
}

/** The small model that the project makes itself. */
export async function makeTestModel(undo: Undo): Promise<LoadedModel> {
  const folder = throwAwayFolder(undo);
  await writeTestModel(folder);
  const embedder = await loadEmbedder({ name: TEST_MODEL, modelDir: folder, allowDownload: false });
  return { embedder, folder };
}

async function assertHubAnswers(name: string): Promise<void> {
  const file = new URL(`${name}/resolve/main/config.json`, HUB);
  try {
    const response = await fetch(file, {
      method: 'HEAD',
      signal: AbortSignal.timeout(HUB_ANSWERS_WITHIN_MS),
    });
    if (response.ok) return;
    throw new Error(`the model hub answered ${response.status}`);
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    throw new Error(`no such model in the folder, and no download: ${reason(cause ?? error)}`, {
      cause: error,
    });
  }
}
