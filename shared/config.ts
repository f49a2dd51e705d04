import { BlockList, isIP } from 'node:net';
import { totalmem } from 'node:os';
import { canonicalEmail, isEmail } from './formats/email.ts';
import { SettingReader } from './settings/setting-reader.ts';
import { warnOfUnknownVariables } from './settings/unknown-variables.ts';

/** Every setting of the service. Read once at start-up and frozen; nothing reads the environment afterwards. */
export interface Config {
  /** The service token: a credential that acts as the server principal. Secret. */
  readonly apiToken: string;
  /** Connection URL of PostgreSQL, or null for the embedded database. Secret. */
  readonly databaseUrl: string | null;
  /** Folder of the embedded database. */
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Addresses or CIDR blocks of the proxies whose X-Forwarded-* headers are used. */
  readonly trustedProxies: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly publicUrl: string | null;
  readonly identityUrl: string | null;
  /** The most MiB of large bodies that can be in flight at the same time. */
  readonly bodyMegabytes: number;
  readonly maxConnections: number;
  readonly rateLimits: boolean;
  readonly rateLimitPerMinute: number;
  readonly logLevel: string;
  readonly companyName: string;
  readonly teamName: string;
  readonly ownerEmail: string;
  /** The variables that are set but apply only at the first start. */
  readonly firstStartVariables: readonly FirstStartVariable[];
  readonly sessionIdleSeconds: number;
  readonly sessionMaxSeconds: number;
  readonly serverEmbeddings: boolean;
  readonly embeddingModel: string;
  readonly modelDir: string;
  /** Base address of the model hub, with a final slash. */
  readonly modelHub: string;
  /** Overrides the built-in profile of a known model; the profile of any other model. */
  readonly embeddingProfile: EmbeddingProfileSettings;
  /** The most MiB of memory for the process that runs the model. */
  readonly embeddingMegabytes: number;
  /** Shorter than the time-out of a request, because the search must still be answered after it. */
  readonly queryEmbeddingTimeoutMs: number;
  readonly importPayloadDays: number;
  /** The most time for reading one imported file. Small files get less: `worker/extract/reading-time.ts`. */
  readonly importSeconds: number;
  readonly importMegabytes: number;
  readonly workspaceKeepVersions: number;
  /** With the embedded database: changes are refused while less than this is free on its disk. */
  readonly minFreeDiskMegabytes: number;
  readonly metricsToken: string | null;
  /** Warnings for the operator about settings that are accepted but not recommended. */
  readonly warnings: readonly string[];
}

/** The variables that apply at the first start only. */
const FIRST_START_VARIABLES = ['MEMORY_COMPANY_NAME', 'MEMORY_TEAM_NAME', 'MEMORY_OWNER_EMAIL'] as const;
export type FirstStartVariable = (typeof FIRST_START_VARIABLES)[number];

/** The input format of a model and how its output becomes one vector. `undefined` means the default of the model. */
export interface EmbeddingProfileSettings {
  readonly pooling: 'cls' | 'mean' | undefined;
  /** Added before a search query, followed by a space. */
  readonly queryPrefix: string | undefined;
  /** Added before a stored text, followed by a space. */
  readonly passagePrefix: string | undefined;
}

/** The embedding model, the folder in which it is stored, and where it is downloaded from. */
export type ModelSettings = Pick<Config, 'embeddingModel' | 'modelDir' | 'modelHub' | 'embeddingProfile'>;

/** The environment is not a valid configuration. `faults` has one line per variable, and never its value. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

function isAddressOrBlock(item: string): boolean {
  const [address = '', bits, ...rest] = item.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  // A block of all addresses (/0) is refused: it would trust every caller, and a trusted caller can claim any address.
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128);
}

function isOrigin(item: string): boolean {
  return URL.canParse(item) && /^https?:$/.test(new URL(item).protocol) && new URL(item).origin === item;
}

/** Memory of the machine or the container, in bytes. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return Math.min(totalmem(), constrained > 0 ? constrained : Number.POSITIVE_INFINITY);
}

/**
 * Default of MEMORY_EMBEDDING_MEGABYTES: 4 GiB, or three quarters of the memory of the machine or container if that
 * is less. A model of the size of XLM-RoBERTa-large in int8 needs 2.4 GB for a moment while it is loaded, and 1.3 to
 * 1.5 GB after that.
 */
function defaultEmbeddingMegabytes(): number {
  return Math.max(512, Math.min(4096, Math.floor((memoryBytes() / 2 ** 20) * 0.75)));
}

function readModel(reader: SettingReader): ModelSettings {
  const hub = reader.baseUrl('MEMORY_MODEL_HUB') ?? 'https://huggingface.co';
  return {
    embeddingModel: reader.text('MEMORY_EMBEDDING_MODEL', 'Xenova/bge-m3'),
    modelDir: reader.text('MEMORY_MODEL_DIR', '.data/models', 4096),
    modelHub: hub.endsWith('/') ? hub : `${hub}/`,
    embeddingProfile: Object.freeze({
      pooling: reader.oneOf<'cls' | 'mean' | undefined>('MEMORY_EMBEDDING_POOLING', undefined, {
        cls: 'cls',
        mean: 'mean',
      }),
      queryPrefix: reader.text('MEMORY_EMBEDDING_QUERY_PREFIX', '') || undefined,
      passagePrefix: reader.text('MEMORY_EMBEDDING_PASSAGE_PREFIX', '') || undefined,
    }),
  };
}

/**
 * Reads only the settings of the model, for commands that need no other settings.
 * @throws ConfigError with every fault of these settings
 */
export function readModelSettings(env: Readonly<Record<string, string | undefined>>): ModelSettings {
  const reader = new SettingReader(env);
  const settings = readModel(reader);
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return settings;
}

/**
 * Default of MEMORY_IMPORT_MEGABYTES: 1 GiB, or a twelfth of the memory of the machine or container if that is less.
 * Four files that are read at the same time, which the worker also keeps until they are stored, would otherwise need
 * more than half of the memory.
 */
function defaultImportMegabytes(): number {
  return Math.max(128, Math.min(1024, Math.floor(memoryBytes() / 2 ** 20 / 12)));
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can connect to a host. A name other than localhost can resolve to any address. */
function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Reads the service token. The worker checks it in the same way, although it does not listen: the same environment must
 * not start only one half of the service.
 */
function readApiToken(reader: SettingReader, host: string, warnings: string[]): string {
  const token = reader.raw('MEMORY_API_TOKEN');
  if (token === null) {
    reader.fault('MEMORY_API_TOKEN', 'a secret of at least 16 characters; it is required');
    return '';
  }
  if (/\s|\p{Cc}/u.test(token)) {
    reader.fault('MEMORY_API_TOKEN', 'a secret without spaces');
    return token;
  }
  if ([...token].length >= 16) return token;
  if (isLoopback(host)) {
    warnings.push('MEMORY_API_TOKEN is shorter than 16 characters: others on this machine can guess it');
  } else {
    reader.fault(
      'MEMORY_API_TOKEN',
      'a secret of at least 16 characters; a shorter one is accepted only if MEMORY_API_HOST is a loopback address',
    );
  }
  return token;
}

/**
 * Reads the configuration from an environment.
 * @throws ConfigError with one line for each fault, which names the variable and the expected value
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const reader = new SettingReader(env);
  const warnings: string[] = [];
  const databaseUrl = reader.url('MEMORY_DATABASE_URL', ['postgres:', 'postgresql:']);
  const host = reader.text('MEMORY_API_HOST', databaseUrl === null ? '127.0.0.1' : '0.0.0.0');
  const apiToken = readApiToken(reader, host, warnings);
  // PORT is read even if MEMORY_API_PORT overrides it, so that an invalid value is reported now and not later.
  const platformPort = reader.integer('PORT', 8787, 0, 65535);
  const ownerEmail = canonicalEmail(reader.text('MEMORY_OWNER_EMAIL', 'owner@localhost'));
  if (!isEmail(ownerEmail)) reader.fault('MEMORY_OWNER_EMAIL', 'an email address');
  const rateLimits = reader.oneOf('MEMORY_RATE_LIMITS', true, { on: true, off: false });
  if (!rateLimits) warnings.push('MEMORY_RATE_LIMITS=off: only failed passwords are limited');

  const config: Config = {
    apiToken,
    databaseUrl,
    dataDir: reader.text('MEMORY_DATA_DIR', '.data', 4096),
    // localhost can resolve to two addresses. Fastify then opens a second listener without the settings of the first.
    host: host.toLowerCase() === 'localhost' ? '127.0.0.1' : host,
    port: reader.integer('MEMORY_API_PORT', platformPort, 0, 65535),
    trustedProxies: reader.list('MEMORY_TRUSTED_PROXIES', 'IP addresses or CIDR blocks', isAddressOrBlock),
    allowedOrigins: reader.list(
      'MEMORY_ALLOWED_ORIGINS',
      'origins such as https://app.example.com',
      isOrigin,
    ),
    publicUrl: reader.baseUrl('MEMORY_API_PUBLIC_URL'),
    identityUrl: reader.baseUrl('IDENTITY_AUTH_URL'),
    bodyMegabytes: reader.integer('MEMORY_BODY_MEGABYTES', 128, 32, 65_536),
    maxConnections: reader.integer('MEMORY_MAX_CONNECTIONS', 1000, 1, 1_000_000),
    rateLimits,
    rateLimitPerMinute: reader.integer('MEMORY_RATE_LIMIT_PER_MINUTE', 600, 1, 1_000_000),
    logLevel: reader.oneOf(
      'MEMORY_LOG_LEVEL',
      'info',
      Object.fromEntries(LOG_LEVELS.map((level) => [level, level])),
    ),
    companyName: reader.text('MEMORY_COMPANY_NAME', 'Company'),
    teamName: reader.text('MEMORY_TEAM_NAME', 'General'),
    ownerEmail,
    firstStartVariables: Object.freeze(FIRST_START_VARIABLES.filter((name) => reader.raw(name) !== null)),
    sessionIdleSeconds: reader.integer('MEMORY_SESSION_IDLE_SECONDS', 7 * 86_400, 1, 3650 * 86_400),
    sessionMaxSeconds: reader.integer('MEMORY_SESSION_MAX_SECONDS', 30 * 86_400, 1, 3650 * 86_400),
    serverEmbeddings: reader.oneOf('MEMORY_API_SERVER_EMBEDDINGS', false, { '1': true, '0': false }),
    ...readModel(reader),
    embeddingMegabytes: reader.integer(
      'MEMORY_EMBEDDING_MEGABYTES',
      defaultEmbeddingMegabytes(),
      256,
      262_144,
    ),
    queryEmbeddingTimeoutMs: reader.integer('MEMORY_QUERY_EMBEDDING_TIMEOUT_MS', 5000, 1, 240_000),
    importPayloadDays: reader.integer('MEMORY_IMPORT_PAYLOAD_DAYS', 30, 0, 3650),
    importSeconds: reader.integer('MEMORY_IMPORT_SECONDS', 120, 1, 600),
    importMegabytes: reader.integer('MEMORY_IMPORT_MEGABYTES', defaultImportMegabytes(), 128, 65_536),
    workspaceKeepVersions: reader.integer('MEMORY_WORKSPACE_KEEP_VERSIONS', 10, 1, 100_000),
    // At least two segments of the engine's log: the engine cannot continue if the next segment does not fit.
    minFreeDiskMegabytes: reader.integer('MEMORY_MIN_FREE_DISK_MB', 256, 32, 1_000_000_000),
    metricsToken: reader.raw('MEMORY_METRICS_TOKEN'),
    warnings: Object.freeze([]),
  };
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  // Must be last: the reader knows all variables only after it has read them.
  warnings.push(...warnOfUnknownVariables(env, reader.known));
  return Object.freeze({ ...config, warnings: Object.freeze(warnings) });
}
