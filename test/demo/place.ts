import type { Static } from 'typebox';
import { readConfig } from '../../shared/config.ts';
import type { Health } from '../../shared/schemas/status.ts';
import type { DemoOptions } from './command-line.ts';
import { DemoError, reason } from './failure.ts';
import { type LoadedModel, loadModel, makeTestModel } from './model.ts';
import type { Report } from './report.ts';
import type { QueryMode } from './search.ts';
import { startService, type Undo } from './service.ts';

/** Where the demo works: a running service, and the model if one was loaded already. */
export interface Place {
  url: string;
  token: string;
  model: LoadedModel | null;
}

/** Settings that the demo shares with the service: the model's name and folder. */
function modelSettings() {
  const { MEMORY_EMBEDDING_MODEL, MEMORY_MODEL_DIR } = process.env;
  return readConfig({ MEMORY_API_TOKEN: 'none-is-needed-here', MEMORY_EMBEDDING_MODEL, MEMORY_MODEL_DIR });
}

/** Starts a service for the best model that can be had here. */
export async function ownPlace(options: DemoOptions, report: Report, undo: Undo): Promise<Place> {
  const { embeddingModel, modelDir } = modelSettings();
  const source = { folder: modelDir, download: options.download };
  let model: LoadedModel;
  try {
    model = await loadModel(embeddingModel, source, undo, (line) => report.fact('model', line));
  } catch (error) {
    report.fact(
      'model',
      `${embeddingModel} cannot be loaded (${reason(error)}). On with a small model made here, which knows shared letters and nothing of meaning.`,
    );
    model = await makeTestModel(undo);
  }
  report.fact('service', 'starting, on an embedded database in a folder of its own');
  const service = await startService({ name: model.embedder.name, folder: model.folder }, undo);
  return { ...service, model };
}

/** The service that the command line names. */
export function namedPlace(url: string): Place {
  const token = process.env['MEMORY_API_TOKEN']?.trim();
  if (!token) throw new DemoError('MEMORY_API_TOKEN: expected the credential for the service at --url');
  return { url, token, model: null };
}

/** The automatic mode: the service embeds if it says that it can, else the model that it names does, here. */
export async function chooseMode(
  health: Static<typeof Health>,
  place: Place,
  options: DemoOptions,
  report: Report,
  undo: Undo,
): Promise<QueryMode | null> {
  const { model, serverModeEnabled } = health.embedder;
  if (serverModeEnabled) {
    report.fact('embeddings', `${model}, made by the service`);
    return { mode: 'server' };
  }
  let embedder = place.model?.embedder;
  if (embedder?.name !== model) {
    const source = { folder: modelSettings().modelDir, download: options.download };
    try {
      embedder = (await loadModel(model, source, undo, (line) => report.fact('model', line))).embedder;
    } catch (error) {
      report.fact(
        'embeddings',
        `documents are stored, questions cannot be asked: ${model} cannot be loaded (${reason(error)})`,
      );
      return null;
    }
  }
  report.fact('embeddings', `${model}, made here`);
  return { mode: 'client', embedder };
}
