import { DATABASE_SETTINGS } from './database-settings.ts';
import { MAIL_SETTINGS } from './mail-settings.ts';
import { MODEL_SETTINGS } from './model-settings.ts';
import type { Setting } from './setting.ts';
import { REDACTION_MODES } from './team-settings.ts';
import { TRACE_SETTINGS } from './trace-settings.ts';
import {
  ADDRESSES,
  ANY_TEXT,
  API_TOKEN,
  BASE_URL,
  COMMIT,
  EMAIL,
  HOST,
  integer,
  ORIGINS,
  oneOf,
  text,
  word,
} from './value-types.ts';

const DAY = 86_400; // seconds

/**
 * Every setting of the service, by its name in `Config`. The type of `Config`, its reading and the list of known
 * variables are made from these.
 *
 * To add a setting: docs/contributing/add-a-setting.md. The tests fail until all of its steps are done.
 */
export const SETTINGS = {
  apiToken: {
    variable: 'MEMORY_API_TOKEN',
    type: API_TOKEN,
    default: null,
    isRequired: true,
    isSecret: true,
    description:
      'Credential that acts as the Company Owner. A secret with fewer than 16 characters is accepted if only this machine can connect.',
  },
  ...DATABASE_SETTINGS,
  port: {
    variable: 'MEMORY_API_PORT',
    // The variable that many platforms set.
    otherVariables: ['PORT'],
    type: integer(0, 65_535),
    default: 8787,
    description: 'Port to listen on.',
  },
  host: {
    variable: 'MEMORY_API_HOST',
    type: HOST,
    default: ({ hasDatabaseUrl }) => (hasDatabaseUrl ? '0.0.0.0' : '127.0.0.1'),
    defaultInWords: '127.0.0.1 embedded, else 0.0.0.0',
    description: 'Address to listen on.',
  },
  publicUrl: {
    variable: 'MEMORY_API_PUBLIC_URL',
    type: BASE_URL,
    default: null,
    description:
      'Address of the service as browsers and terminals reach it. Links begin with it, and the cookie of the console is named after it.',
  },
  identityUrl: {
    variable: 'IDENTITY_AUTH_URL',
    type: BASE_URL,
    default: null,
    description: 'What links begin with, if it differs from the public address.',
  },
  trustedProxies: {
    variable: 'MEMORY_TRUSTED_PROXIES',
    type: ADDRESSES,
    default: '',
    description: 'Addresses or CIDR blocks of the proxies whose X-Forwarded-* headers are used.',
  },
  allowedOrigins: {
    variable: 'MEMORY_ALLOWED_ORIGINS',
    type: ORIGINS,
    default: '',
    description: 'Origins of other sites whose pages can call the API (CORS).',
  },
  maxConnections: {
    variable: 'MEMORY_MAX_CONNECTIONS',
    type: integer(1, 1_000_000),
    default: 1000,
    description: 'The most connections of one API process. More get 503 and are closed.',
  },
  drainSeconds: {
    variable: 'MEMORY_DRAIN_SECONDS',
    type: integer(0, 600),
    default: 3,
    description:
      'How long an API that gets SIGTERM still accepts requests, with /readyz at 503, so that load balancers leave it out before it closes.',
  },
  bodyMegabytes: {
    variable: 'MEMORY_BODY_MEGABYTES',
    type: integer(32, 65_536),
    default: 128,
    description: 'The most MiB of bodies over 1 MiB that one API process handles at the same time.',
  },
  redaction: {
    variable: 'MEMORY_REDACTION',
    type: word(...REDACTION_MODES),
    default: 'flag',
    description:
      'What is done about credentials in new text: nothing (off), report them (flag), store a mask in their place (redact), or refuse the text (refuse). A Team can be stricter.',
  },
  companyName: {
    variable: 'MEMORY_COMPANY_NAME',
    type: text(),
    example: 'Acme',
    default: 'Company',
    appliesAtFirstStart: true,
    description: 'Name of the Company that the first start creates, with a visible character.',
  },
  teamName: {
    variable: 'MEMORY_TEAM_NAME',
    type: text(),
    example: 'Payments',
    default: 'General',
    appliesAtFirstStart: true,
    description: 'Name of the Team that the first start creates, with a visible character.',
  },
  ownerEmail: {
    variable: 'MEMORY_OWNER_EMAIL',
    type: EMAIL,
    default: 'owner@localhost',
    appliesAtFirstStart: true,
    description: 'Email of the Company Owner whose account the first start creates.',
  },
  sessionIdleSeconds: {
    variable: 'MEMORY_SESSION_IDLE_SECONDS',
    type: integer(1, 3650 * DAY),
    default: 7 * DAY,
    description: 'A session that is not used for this time ends.',
  },
  sessionMaxSeconds: {
    variable: 'MEMORY_SESSION_MAX_SECONDS',
    type: integer(1, 3650 * DAY),
    default: 30 * DAY,
    description: 'Every session ends after this time.',
  },
  ...MODEL_SETTINGS,
  serverEmbeddings: {
    variable: 'MEMORY_API_SERVER_EMBEDDINGS',
    type: oneOf({ 1: true, 0: false }),
    example: '1',
    default: 0,
    description: '1: the worker makes vectors, and searches with embeddingMode "auto" or "server" use them.',
  },
  queryEmbeddingTimeoutMs: {
    variable: 'MEMORY_QUERY_EMBEDDING_TIMEOUT_MS',
    // Less than the time-out of a request, because the search must still be answered after it.
    type: integer(1, 240_000),
    default: 5000,
    description: 'How long a search waits for the vector of its query, in milliseconds.',
  },
  importPayloadDays: {
    variable: 'MEMORY_IMPORT_PAYLOAD_DAYS',
    type: integer(0, 3650),
    default: 30,
    description: 'How many days the file of a failed import is stored, for a retry.',
  },
  archiveDays: {
    variable: 'MEMORY_ARCHIVE_DAYS',
    type: integer(0, 3650),
    default: 30,
    description:
      'How many days an archived source can be restored. Until then its text is stored. 0: archived sources cannot be restored.',
  },
  auditSearchDays: {
    variable: 'MEMORY_AUDIT_SEARCH_DAYS',
    type: integer(0, 3650),
    example: '365',
    default: null,
    description:
      'How many days the audit stores what a search found, and its text if the search asked for that. Later, feedback on the search is refused. The event of the search is kept. Empty: no limit.',
  },
  importSeconds: {
    variable: 'MEMORY_IMPORT_SECONDS',
    // Small files get less: `worker/sandbox/reading-faults.ts`.
    type: integer(1, 600),
    default: 120,
    description: 'The most time for reading one imported file. Small files get less.',
  },
  importMegabytes: {
    variable: 'MEMORY_IMPORT_MEGABYTES',
    type: integer(128, 65_536),
    // Six files that are read at the same time, which the worker also keeps until they are stored, would otherwise
    // need more than half of the memory.
    example: '512',
    default: ({ memoryMegabytes }) => Math.max(128, Math.min(1024, Math.floor(memoryMegabytes / 12))),
    defaultInWords: '1024, on small machines a twelfth of the memory',
    description: 'The most MiB of memory for reading one imported file. A worker reads up to six at once.',
  },
  rateLimits: {
    variable: 'MEMORY_RATE_LIMITS',
    type: oneOf({ on: true, off: false }),
    default: 'on',
    description: 'off: only failed passwords, and what agent tokens archive, are limited.',
  },
  rateLimitPerMinute: {
    variable: 'MEMORY_RATE_LIMIT_PER_MINUTE',
    type: integer(1, 1_000_000),
    default: 600,
    description: 'API calls of one session per minute. All sessions of an account have five times as many.',
  },
  minFreeDiskMegabytes: {
    variable: 'MEMORY_MIN_FREE_DISK_MB',
    // At least two segments of the engine's log: the engine cannot continue if the next segment does not fit.
    type: integer(32, 1_000_000_000),
    default: 256,
    description: 'With the embedded database: changes are refused while less than this is free on its disk.',
  },
  sourceKeepVersions: {
    variable: 'MEMORY_SOURCE_KEEP_VERSIONS',
    type: integer(0, 1000),
    default: 10,
    description: 'How many former texts of a source are kept as versions. 0: none.',
  },
  workspaceKeepVersions: {
    variable: 'MEMORY_WORKSPACE_KEEP_VERSIONS',
    type: integer(1, 100_000),
    default: 10,
    description: 'How many versions of a workspace file are kept, in addition to the current one.',
  },
  indexFiles: {
    variable: 'MEMORY_INDEX_FILES',
    type: oneOf({ on: true, off: false }),
    default: 'on',
    description: 'off: searches do not find workspace files.',
  },
  teamMaxChunks: {
    variable: 'MEMORY_TEAM_MAX_CHUNKS',
    type: integer(0, Number.MAX_SAFE_INTEGER),
    example: '100000',
    default: null,
    description: 'The most passages of a Team, unless a Company Owner has set a quota for it.',
  },
  teamMaxBytes: {
    variable: 'MEMORY_TEAM_MAX_BYTES',
    type: integer(0, Number.MAX_SAFE_INTEGER),
    example: '1000000000',
    default: null,
    description: 'The most bytes that a Team stores, unless a Company Owner has set a quota for it.',
  },
  keepOriginals: {
    variable: 'MEMORY_KEEP_ORIGINALS',
    type: oneOf({ on: true, off: false }),
    default: 'on',
    description: 'off: the file of an import is deleted when the import is completed.',
  },
  metricsToken: {
    variable: 'MEMORY_METRICS_TOKEN',
    type: ANY_TEXT,
    default: null,
    defaultInWords: 'the API token',
    isSecret: true,
    description: 'Credential of /metrics.',
  },
  logLevel: {
    variable: 'MEMORY_LOG_LEVEL',
    type: word('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    description: 'The lowest level that is logged. SIGUSR2 switches between it and debug.',
  },
  logFormat: {
    variable: 'MEMORY_LOG_FORMAT',
    type: word('auto', 'json', 'text'),
    default: 'auto',
    description:
      'How log lines are written: as JSON (json) or for people (text). auto: for people if standard output is a terminal, else as JSON.',
  },
  commit: {
    variable: 'MEMORY_COMMIT',
    // The variables of Heroku and other platforms with buildpacks, and of Render.
    otherVariables: ['SOURCE_VERSION', 'HEROKU_SLUG_COMMIT', 'RENDER_GIT_COMMIT'],
    type: COMMIT,
    default: null,
    defaultInWords: 'that of the Git checkout, else none',
    description: 'The commit that /v1/health shows. A Git checkout shows its own.',
  },
  ...MAIL_SETTINGS,
  ...TRACE_SETTINGS,
} as const satisfies Record<string, Setting>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
/** A variable of the service. */
export type Variable = {
  [N in SettingName]:
    | Settings[N]['variable']
    | (Settings[N] extends { otherVariables: readonly (infer V)[] } ? V : never);
}[SettingName];
/** A variable that applies at the first start only. */
export type FirstStartVariable = {
  [N in SettingName]: Settings[N] extends { appliesAtFirstStart: true } ? Settings[N]['variable'] : never;
}[SettingName];
