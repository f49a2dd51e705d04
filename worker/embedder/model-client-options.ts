import type { ModelSettings as ConfiguredModel } from '../../shared/config.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ModelSettings } from './model.ts';

/** How the client of the model starts and watches its process. */
export interface ModelClientOptions {
  model: Omit<ModelSettings, 'allowDownload'>;
  /** The memory limit of the process. */
  megabytes: number;
  logger: Logger;
  /** Is called each time the state changes. */
  changed?: () => void;
  /** The module that the process runs, if not the default. */
  main?: URL;
  /** The time limits of one run of the model and of loading it, in milliseconds. */
  runMs?: number;
  loadMs?: number;
  /** The pause before a failed download or start is retried, in milliseconds. */
  retryMs?: number;
}

/** The model of the service, as its settings describe it. */
export function configuredModel(config: ConfiguredModel): Pick<ModelClientOptions, 'model' | 'megabytes'> {
  const model = {
    name: config.embeddingModel,
    modelDir: config.modelDir,
    hub: config.modelHub,
    profile: config.embeddingProfile,
    threads: config.embeddingThreads,
  };
  return { model, megabytes: config.embeddingMegabytes };
}
