import { availableParallelism } from 'node:os';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Piscina } from 'piscina';
import type { Config } from '../../../shared/config.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { yieldBetweenSteps } from '../../../shared/resources/async.ts';
import { compileSchema, type Validator } from './body-schema.ts';
import type {
  BodyRules,
  PassedFault,
  PassedMetadata,
  ThreadData,
  ThreadOutcome,
  ThreadTask,
} from './body-thread.ts';

/** A body that was parsed in a thread. */
export interface ParsedBody extends Omit<ThreadOutcome, 'metadata' | 'hash' | 'fault'> {
  hash: Buffer | null;
  fault: ServiceError | null;
}

const BODY_THREAD = new URL('./body-thread.ts', import.meta.url);

const revived = ({ code, message, errors }: PassedFault) =>
  new ServiceError(code, message, errors === undefined ? {} : { errors });

/** The threads that parse large bodies. They start with the first body, end when idle, and keep no process alive. */
export class BodyThreads {
  /** By the name of the route. Complete when the first body arrives. */
  readonly #data: ThreadData;
  readonly #file: URL;
  #pool: Piscina<ThreadTask, ThreadOutcome> | null = null;
  #isClosed = false;

  /** @param file what the threads run */
  constructor(rules: ReadonlyMap<string, BodyRules>, embeddingModel: string, file = BODY_THREAD) {
    this.#data = { rules, embeddingModel };
    this.#file = file;
  }

  /** The threads that run now. */
  get threads() {
    return this.#pool?.threads ?? [];
  }

  /**
   * Parses a body. A thread parses one at a time; the others wait. The budget of bodies in flight limits them.
   * @param task its bytes are moved, and cannot be read afterwards
   * @throws ServiceError `unavailable` if the thread ends before, for example because it has too little memory, or if the
   *   last thread ends while the body waits for one
   */
  async parse(task: ThreadTask): Promise<ParsedBody> {
    if (this.#isClosed) throw new ServiceError('unavailable');
    this.#pool ??= this.#start();
    const { body, metadata, hash, fault } = await this.#pool
      .run(task, { transferList: [task.bytes.buffer as ArrayBuffer] })
      .catch((cause: unknown) => {
        throw new ServiceError('unavailable', undefined, { cause });
      });
    await putMetadata(body, metadata);
    return {
      body,
      hash: hash === null ? null : Buffer.from(hash),
      fault: fault === null ? null : revived(fault),
    };
  }

  /** Waits for the bodies that are being parsed, and ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.close();
  }

  #start(): Piscina<ThreadTask, ThreadOutcome> {
    const pool: Piscina<ThreadTask, ThreadOutcome> = new Piscina({
      filename: this.#file.href,
      workerData: this.#data,
      minThreads: 0,
      maxThreads: Math.max(1, availableParallelism() - 1),
      // Short, because an idle thread keeps the texts that it parsed until V8 collects them.
      idleTimeout: 2000,
      // With atomics, one step of the event loop would receive the bodies of all threads that are ready.
      atomics: 'disabled',
      // The text of a body of 32 MiB, its parsed form and the copy that is passed on take up to 200 MiB.
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 12 },
    });
    // An idle thread that ends is replaced when it is needed. Without a listener the process would end.
    pool.on('error', () => undefined);
    // The thread is still counted when it ends.
    pool.on('workerDestroy', () => setImmediate(refuseWaiting, pool));
    return pool;
  }
}

/** Puts metadata back where it was. The event loop turns in between. */
async function putMetadata(body: unknown, metadata: readonly PassedMetadata[]): Promise<void> {
  const yieldIfDue = yieldBetweenSteps();
  for (const { list, index, json } of metadata) {
    const lists = body as Record<string, { metadata: unknown }[]>;
    const holder = list === null ? (body as { metadata: unknown }) : lists[list]![index]!;
    holder.metadata = JSON.parse(json);
    await yieldIfDue();
  }
}

/** Refuses the bodies that wait if no thread is left: the pool of piscina 5.3 starts another one only for the next body. */
function refuseWaiting(pool: Piscina<ThreadTask, ThreadOutcome>): void {
  if (pool.threads.length === 0 && pool.queueSize > 0) void pool.destroy();
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Parses large bodies. */
    bodyThreads: BodyThreads;
  }
  interface FastifyRequest {
    /** Whether a thread has checked the body. */
    isBodyChecked: boolean;
    /** What is wrong with a body that a thread parsed. It is thrown when the body is checked. */
    bodyFault: ServiceError | null;
    /** The hash for an Idempotency-Key of a body that a thread parsed. */
    bodyHash: Buffer | null;
  }
  interface FastifyContextConfig {
    /** The list of the body whose entries have an `embedding`. A thread makes Float32Arrays of them. */
    vectorList?: string;
  }
}

/**
 * A larger body is parsed and checked in a thread: parsing is one step of the event loop, and takes 150 ms for some
 * bodies of 32 MiB on a fast machine. For the worst of this length, two million numbers of one digit, it took 31 to 45 ms on
 * a slow one; decoding, the check of texts and the schema are steps of their own, of at most 30 ms.
 */
export const MAX_INLINE_BYTES = 4 * 1024 * 1024;

/** Bodies that a thread has already validated. */
const validated = new WeakSet<object>();

const routeName = (method: string, url: string) => `${method} ${url}`;

/** Parses and checks the body of a request in a thread. Its bytes cannot be read afterwards. */
export async function parseInThread(request: FastifyRequest, bytes: Uint8Array): Promise<unknown> {
  const { body, hash, fault } = await request.server.bodyThreads.parse({
    route: routeName(request.method, request.routeOptions.url ?? ''),
    bytes,
    isHashed: request.headers['idempotency-key'] !== undefined,
  });
  request.isBodyChecked = true;
  request.bodyFault = fault;
  request.bodyHash = hash;
  if (fault === null && typeof body === 'object' && body !== null) validated.add(body);
  return body;
}

/** A validator for a route with large bodies. It validates only what no thread has validated. */
function validatorOf(schema: object): Validator {
  const validate = compileSchema(schema);
  const check: Validator = (value) => {
    if (typeof value === 'object' && value !== null && validated.has(value)) return true;
    const isValid = validate(value);
    check.errors = validate.errors ?? null;
    return isValid;
  };
  return check;
}

/** Creates the threads of the app, and tells them what they must know of the routes that take large bodies. */
export default fp(function largeBodies(
  app: FastifyInstance,
  { embeddingModel }: Pick<Config, 'embeddingModel'>,
  done: () => void,
) {
  const rules = new Map<string, BodyRules>();
  const threads = new BodyThreads(rules, embeddingModel);
  app.decorate('bodyThreads', threads);
  app.decorateRequest('isBodyChecked', false);
  app.decorateRequest('bodyFault', null);
  app.decorateRequest('bodyHash', null);
  app.addHook('onRoute', (route) => {
    if ((route.bodyLimit ?? 0) <= MAX_INLINE_BYTES) return;
    const { vectorList = null, hasWorkspacePaths = false } = route.config ?? {};
    // What JSON can express: the types of a schema are not passed to a thread.
    const schema = JSON.parse(JSON.stringify(route.schema?.body)) as object;
    for (const method of [route.method].flat()) {
      rules.set(routeName(method, route.url), { schema, vectorList, hasWorkspacePaths });
    }
    route.validatorCompiler = ({ schema: part }) => validatorOf(part as object);
  });
  app.addHook('onClose', () => threads.close());
  done();
});
