import type { Logger } from '../../shared/logger.ts';
import type { ModelSettings } from './model.ts';

/** How the client of the model starts and watches its process. */
export interface ModelClientOptions {
  model: Omit<ModelSettings, 'allowDownload'>;
  /** What the process may hold. */
  megabytes: number;
  logger: Logger;
  /** Hears each time that the state changes. */
  changed?: () => void;
  /** The module that the process runs, where it is not the usual. */
  main?: URL;
  /** How long one run of the model may take, in milliseconds, and loading it. */
  runMs?: number;
  loadMs?: number;
  /** How long to wait until what could not be had is tried for again, in milliseconds. */
  retryMs?: number;
}
