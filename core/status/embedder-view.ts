import type { WorkerRecord } from '../../db/queries/jobs/workers.ts';
import type { Config } from '../../shared/config.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import type { EmbedderState } from '../../shared/schemas/status.ts';

/** Whether a worker can make vectors: now, soon enough to wait for it, or not at all, with the reason. */
export type Readiness = 'ready' | 'soon' | { problem: string };

const PROBLEMS: Readonly<Record<EmbedderState['state'], string>> = {
  ready: '',
  loading: 'The worker is loading the model',
  fetching: 'The worker is fetching the model',
  missing: 'The worker cannot get the files of the model: its log says which, and where it looked',
  failing: 'The worker cannot load the model: its log says why',
};

/** The worker with the best state decides. */
const READINESS_ORDER: readonly EmbedderState['state'][] = [
  'ready',
  'loading',
  'fetching',
  'failing',
  'missing',
];

/**
 * Returns whether one of the live workers can make vectors.
 * @param model workers with another model do not count: their vectors cannot be compared with the stored ones
 */
export function readiness(workers: readonly Pick<WorkerRecord, 'embedder'>[], model: string): Readiness {
  const all = workers.flatMap(({ embedder }) => (embedder === null ? [] : [embedder]));
  const states = all.filter((embedder) => embedder.model === model);
  if (all.length > states.length && states.length === 0) {
    return { problem: 'Every worker that is running has another model' };
  }
  const best = READINESS_ORDER.find((state) => states.some((candidate) => candidate.state === state));
  if (best === 'ready') return 'ready';
  if (best === 'loading') return 'soon';
  if (best === undefined) return { problem: 'No worker that makes vectors is running' };
  const { fetched = null } = states.find(({ state }) => state === best) ?? {};
  const share = fetched === null ? '' : ` (${Math.round(fetched * 100)} %)`;
  return { problem: `${PROBLEMS[best]}${share}` };
}

function readinessOf(workers: readonly Pick<WorkerRecord, 'embedder'>[] | null, model: string): Readiness {
  return workers === null ? { problem: 'The database does not answer' } : readiness(workers, model);
}

/**
 * Describes how embeddings are made: by programs only, or by the service too, with the problem if it cannot make them now.
 * @param workers the live ones; null if the database does not answer
 */
export function embedderView(
  config: Pick<Config, 'serverEmbeddings' | 'embeddingModel'>,
  workers: readonly Pick<WorkerRecord, 'embedder'>[] | null,
) {
  const now = config.serverEmbeddings ? readinessOf(workers, config.embeddingModel) : 'ready';
  return {
    mode: config.serverEmbeddings ? ('server' as const) : ('client-provided' as const),
    model: config.embeddingModel,
    dim: EMBEDDING_DIM,
    serverModeEnabled: config.serverEmbeddings,
    ...(now === 'ready' ? {} : { problem: now === 'soon' ? PROBLEMS.loading : now.problem }),
  };
}
