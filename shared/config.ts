import { BlockList, isIP } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import { type FirstStartVariable, SETTINGS } from './settings/definitions.ts';
import { checkMailSettings, isMailOn } from './settings/mail-settings.ts';
import { MODEL_SETTINGS } from './settings/model-settings.ts';
import { type Environment, faultOf, readSettings, variableText } from './settings/read-settings.ts';
import { exampleOf, type Setting, type SettingValue, type Surroundings } from './settings/setting.ts';
import { withoutUnusedTraces } from './settings/trace-settings.ts';
import { warnOfUnknownVariables } from './settings/unknown-variables.ts';

type Values = { readonly [N in keyof typeof SETTINGS]: SettingValue<(typeof SETTINGS)[N]> };

/**
 * Every setting of the service. Read once at start-up and frozen; nothing reads the environment afterwards. A setting
 * is added in `settings/definitions.ts`.
 */
export interface Config extends Omit<Values, keyof ProfileValues> {
  /** Overrides the built-in profile of a known model; the profile of any other model. */
  readonly embeddingProfile: EmbeddingProfileSettings;
  /** The variables that are set but apply only at the first start. */
  readonly firstStartVariables: readonly FirstStartVariable[];
  /** Warnings for the operator about settings that are accepted but not recommended. */
  readonly warnings: readonly string[];
}

/** The settings that are one object in `Config`. */
type ProfileValues = Pick<
  Values,
  'embeddingPooling' | 'embeddingQueryPrefix' | 'embeddingPassagePrefix' | 'embeddingWeight'
>;

/** The input format of a model, how its output becomes one vector, and its weight. `undefined` means the default of the model. */
export interface EmbeddingProfileSettings {
  readonly pooling: 'cls' | 'mean' | undefined;
  /** Added before a search query, followed by a space. */
  readonly queryPrefix: string | undefined;
  /** Added before a stored text, followed by a space. */
  readonly passagePrefix: string | undefined;
  /** What the z-score by meaning is multiplied by in the fusion. */
  readonly weight: number | undefined;
}

/** The embedding model, the folder in which it is stored, where it is downloaded from, and the memory and threads that it can have. */
export type ModelSettings = Pick<
  Config,
  'embeddingModel' | 'modelDir' | 'modelHub' | 'embeddingProfile' | 'embeddingMegabytes' | 'embeddingThreads'
>;

/** The environment is not a valid configuration. `faults` has one line per variable, and never its value. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Reads what defaults depend on. */
function readSurroundings(env: Environment): Surroundings {
  const databaseUrl = variableText(env, SETTINGS.databaseUrl.variable);
  const constrained = process.constrainedMemory();
  const memoryBytes = Math.min(totalmem(), constrained > 0 ? constrained : Number.POSITIVE_INFINITY);
  return {
    hasDatabaseUrl: databaseUrl !== null && SETTINGS.databaseUrl.type.parse(databaseUrl) !== null,
    memoryMegabytes: memoryBytes / 2 ** 20,
    cores: availableParallelism(),
  };
}

/** Makes one frozen object of the settings of a model's profile. */
function withProfile<V extends ProfileValues>(
  values: V,
): Omit<V, keyof ProfileValues> & Pick<Config, 'embeddingProfile'> {
  const { embeddingPooling, embeddingQueryPrefix, embeddingPassagePrefix, embeddingWeight, ...others } =
    values;
  const embeddingProfile = Object.freeze({
    pooling: embeddingPooling ?? undefined,
    queryPrefix: embeddingQueryPrefix ?? undefined,
    passagePrefix: embeddingPassagePrefix ?? undefined,
    weight: embeddingWeight ?? undefined,
  });
  return { ...others, embeddingProfile };
}

/**
 * Reads only the settings of the model, for commands that need no other settings.
 * @throws ConfigError with every fault of these settings
 */
export function readModelSettings(env: Environment): ModelSettings {
  const faults: string[] = [];
  const values = readSettings(env, MODEL_SETTINGS, readSurroundings(env), faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return withProfile(values);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can connect to a host. A name can resolve to any address. */
function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family !== 0 && LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Checks the length of the service token: adds a line to `faults` or to `warnings` if it is too short. The worker checks
 * it in the same way, although it does not listen: the same environment must not start only one half of the service.
 */
function checkApiToken(token: string, host: string, faults: string[], warnings: string[]): void {
  if ([...token].length >= 16) return;
  const { variable } = SETTINGS.apiToken;
  if (isLoopback(host)) {
    warnings.push(`${variable} is shorter than 16 characters: others on this machine can guess it`);
  } else {
    const exception = `a shorter one is accepted only if ${SETTINGS.host.variable} is a loopback address`;
    faults.push(
      faultOf(variable, `a secret of at least 16 characters; ${exception}`, exampleOf(SETTINGS.apiToken)),
    );
  }
}

/** The variables that are set and apply at the first start only. */
function setAtFirstStart(env: Environment): FirstStartVariable[] {
  return Object.values<Setting>(SETTINGS)
    .filter(
      ({ appliesAtFirstStart, variable }) => appliesAtFirstStart && variableText(env, variable) !== null,
    )
    .map(({ variable }) => variable as FirstStartVariable);
}

/** The variable that many platforms set to the address of their database. */
const PLATFORM_DATABASE = 'DATABASE_URL';

/**
 * Uses the database of the platform where the service has no own address. Only on a platform, which sets `PORT`:
 * elsewhere the variable can belong to another program.
 */
function withPlatformDatabase(env: Environment): { env: Environment; isUsed: boolean } {
  const { variable } = SETTINGS.databaseUrl;
  const text = variableText(env, PLATFORM_DATABASE);
  const isUsed = variableText(env, variable) === null && variableText(env, 'PORT') !== null && text !== null;
  return isUsed ? { env: { ...env, [variable]: text }, isUsed } : { env, isUsed };
}

/**
 * Reads the configuration of a process that requires PostgreSQL.
 * @param kind of the process, for the message
 * @throws ConfigError as `readConfig`
 */
export function readPostgresConfig(env: Environment, kind: string): Config & { databaseUrl: string } {
  const config = readConfig(env);
  const { databaseUrl } = config;
  if (databaseUrl !== null) return Object.freeze({ ...config, databaseUrl });
  throw new ConfigError([
    faultOf(
      SETTINGS.databaseUrl.variable,
      `a PostgreSQL URL for a separate ${kind} process; \`npm start\` works without it`,
      exampleOf(SETTINGS.databaseUrl),
    ),
  ]);
}

/**
 * Reads the configuration from an environment.
 * @throws ConfigError with one line for each fault, which names the variable and the expected value
 */
export function readConfig(given: Environment): Config {
  const faults: string[] = [];
  const warnings: string[] = [];
  const { env, isUsed } = withPlatformDatabase(withoutUnusedTraces(given));
  if (isUsed) {
    warnings.push(
      `${PLATFORM_DATABASE} is used as ${SETTINGS.databaseUrl.variable}, because that is not set and PORT is`,
    );
  }
  const values = readSettings(env, SETTINGS, readSurroundings(env), faults);
  const token: string | null = values.apiToken;
  // Null if it is missing or not valid, which has been reported.
  if (token !== null) checkApiToken(token, values.host, faults, warnings);
  for (const key of ['databaseDirectUrl', 'databaseReplicaUrl'] as const) {
    if (values.databaseUrl !== null || values[key] === null) continue;
    const reason = `an address too, because ${SETTINGS[key].variable} is set`;
    faults.push(faultOf(SETTINGS.databaseUrl.variable, reason, exampleOf(SETTINGS.databaseUrl)));
  }
  checkMailSettings(env, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  if (isMailOn(values) && values.publicUrl === null && values.identityUrl === null) {
    const { variable } = SETTINGS.publicUrl;
    warnings.push(`${variable} is not set, so links in mails lead to this machine only`);
  }
  if (!values.rateLimits) warnings.push('MEMORY_RATE_LIMITS=off: only failed passwords are limited');
  warnings.push(...warnOfUnknownVariables(env));
  return Object.freeze({
    ...withProfile(values),
    databaseDirectUrl: values.databaseDirectUrl ?? values.databaseUrl,
    firstStartVariables: Object.freeze(setAtFirstStart(env)),
    warnings: Object.freeze(warnings),
  });
}
