import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Config, ConfigError, readConfig } from '../../shared/config.ts';
import { isEmail } from '../../shared/formats/names.ts';
import { SETTINGS as DEFINITIONS } from '../../shared/settings/definitions.ts';
import { type Setting as Definition, variablesOf } from '../../shared/settings/setting.ts';
import { TRACE_SETTINGS } from '../../shared/settings/trace-settings.ts';

const TOKEN = '0123456789abcdef';
const read = (env: Record<string, string | undefined>) => readConfig({ MEMORY_API_TOKEN: TOKEN, ...env });

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

const NO_ADDRESSES = ['host.example', '/path', '//host', 'ftp://host.example', 'javascript:alert(1)', 'http'];

interface Setting {
  key: keyof Config;
  fallback: unknown;
  /** What a value is read as. */
  accepted: [value: string, read: unknown][];
  refused: string[];
  /** Other variables that its values need. */
  needs?: Record<string, string>;
}

type Values = Pick<Setting, 'accepted' | 'refused'>;

const wholeNumbers = (min: number, max: number): Values => ({
  accepted: [
    [String(min), min],
    [String(max), max],
    [` ${min} `, min],
  ],
  refused: [String(min - 1), String(max + 1), '1.5', '1e3', '0x10', '+5', 'many', '5 5', '٥'],
});

const text = (max: number): Values => ({
  accepted: [
    ['Ärzte & Söhne', 'Ärzte & Söhne'],
    ['x'.repeat(max), 'x'.repeat(max)],
  ],
  refused: ['x'.repeat(max + 1)],
});

/** What the words of a setting are read as. Those that are not here are read as they are. */
const MEANINGS: Readonly<Record<string, unknown>> = { on: true, off: false, 1: true, 0: false };
const words = (all: readonly string[], isSwitch: boolean): Values => ({
  accepted: all.map((word) => [word, isSwitch ? MEANINGS[word] : word]),
  refused: [
    ...all.map((word) => word.toUpperCase()),
    'true',
    'yes',
    '2',
    '01',
    'constructor',
    'toString',
  ].filter((word) => !all.includes(word)),
});

/** The values of the types that many settings have, from what the type says that it accepts; null for others. */
function valuesOf(accepts: string): Values | null {
  const [, min, max] = /^a whole number from (\d+) to (\d+)$/.exec(accepts) ?? [];
  if (max !== undefined) return wholeNumbers(Number(min), Number(max));
  const [, length] = /^at most (\d+) characters$/.exec(accepts) ?? [];
  if (length !== undefined) return text(Number(length));
  const [, listed] = /^one of (.+)$/.exec(accepts) ?? [];
  const all = listed?.split(', ');
  return all === undefined ? null : words(all, all.length === 2 && all.every((word) => word in MEANINGS));
}

/** A base of links is taken without its last slash, and with nothing behind which a path could not stand. */
const baseAddress = (key: keyof Config): Setting => ({
  key,
  fallback: null,
  accepted: ['http:', 'https:'].flatMap((protocol) => [
    [`${protocol}//host.example:123/path`, `${protocol}//host.example:123/path`],
    [`${protocol}//host.example/`, `${protocol}//host.example`],
  ]),
  refused: [
    ...NO_ADDRESSES,
    'http://host.example/?a=b',
    'http://host.example/#part',
    'http://user:secret-of-user@host.example',
  ],
});

const COMMIT: Setting = {
  key: 'commit',
  fallback: null,
  accepted: ['0f3a', 'a'.repeat(40), 'release/1.2_3-x'].map((commit) => [commit, commit]),
  refused: ['a b', 'a'.repeat(101), '<a>'],
};

const PROFILE = { pooling: undefined, queryPrefix: undefined, passagePrefix: undefined };
const prefix = (name: 'queryPrefix' | 'passagePrefix'): Setting => ({
  key: 'embeddingProfile',
  fallback: PROFILE,
  accepted: [['query: ', { ...PROFILE, [name]: 'query:' }]],
  refused: ['x'.repeat(301)],
});

/** Settings of traces are checked only if traces are on. */
const TRACES_ON = { OTEL_TRACES_EXPORTER: 'otlp' };

const collectorAddress = (key: keyof Config): Setting => ({
  key,
  fallback: null,
  accepted: [['https://collector.example:4318/base', 'https://collector.example:4318/base']],
  refused: ['collector.example:4318', 'grpc://collector.example', '/v1/traces'],
});

const pairs = (key: keyof Config): Setting => ({
  key,
  fallback: null,
  accepted: [
    ['a.b=c', { 'a.b': 'c' }],
    ['authorization=Basic%20YQ==, x = 1%2C2', { authorization: 'Basic YQ==', x: '1,2' }],
  ],
  refused: ['word', '=value', 'a=1,', 'a=%zz'],
  needs: TRACES_ON,
});

/** The variables whose values have a form of their own, and those whose default depends on something. */
const SPECIAL: Record<string, Setting> = {
  MEMORY_DATABASE_URL: {
    key: 'databaseUrl',
    fallback: null,
    accepted: [
      [
        'postgres://user:secret@host:5432/name?sslmode=require',
        'postgres://user:secret@host:5432/name?sslmode=require',
      ],
      ['postgresql://host/name', 'postgresql://host/name'],
      ['postgres://user@one:5432,two/name', 'postgres://user@one:5432,two/name'],
    ],
    refused: [...NO_ADDRESSES, 'postgres://one,,two/name', 'postgres://one:port,two/name'],
  },
  MEMORY_DATABASE_DIRECT_URL: {
    key: 'databaseDirectUrl',
    fallback: null,
    accepted: [['postgres://user:secret@host:5433/name', 'postgres://user:secret@host:5433/name']],
    refused: NO_ADDRESSES,
    needs: { MEMORY_DATABASE_URL: 'postgres://host/name' },
  },
  MEMORY_DATABASE_REPLICA_URL: {
    key: 'databaseReplicaUrl',
    fallback: null,
    accepted: [['postgres://user:secret@one,two/name', 'postgres://user:secret@one,two/name']],
    refused: NO_ADDRESSES,
    needs: { MEMORY_DATABASE_URL: 'postgres://host/name' },
  },
  MEMORY_API_HOST: { key: 'host', fallback: '127.0.0.1', ...text(300) },
  MEMORY_COMMIT: COMMIT,
  SOURCE_VERSION: COMMIT,
  HEROKU_SLUG_COMMIT: COMMIT,
  RENDER_GIT_COMMIT: COMMIT,
  MEMORY_TRUSTED_PROXIES: {
    key: 'trustedProxies',
    fallback: [],
    accepted: [
      ['10.0.0.1', ['10.0.0.1']],
      ['10.0.0.0/8, fd00::/8,::1', ['10.0.0.0/8', 'fd00::/8', '::1']],
    ],
    refused: [
      '1',
      'true',
      'proxy.example',
      '10.0.0.0/33',
      '0.0.0.0/0',
      '::/0',
      '::1/129',
      '10.0.0.1,',
      '10.0.0.0/8/8',
      '10.0.0.1/',
    ],
  },
  MEMORY_ALLOWED_ORIGINS: {
    key: 'allowedOrigins',
    fallback: [],
    accepted: [['https://a.example, http://localhost:3000', ['https://a.example', 'http://localhost:3000']]],
    refused: ['*', 'a.example', 'https://a.example/', 'https://a.example/path', 'ftp://a.example', 'null'],
  },
  MEMORY_API_PUBLIC_URL: baseAddress('publicUrl'),
  IDENTITY_AUTH_URL: baseAddress('identityUrl'),
  MEMORY_OWNER_EMAIL: {
    key: 'ownerEmail',
    fallback: 'owner@localhost',
    accepted: [
      ['Boss@Example.COM', 'boss@example.com'],
      ['a@b', 'a@b'],
    ],
    refused: ['boss', '@example.com', 'boss@', 'a@b@c', 'a b@c', `${'x'.repeat(300)}@b`],
  },
  MEMORY_MODEL_HUB: {
    key: 'modelHub',
    fallback: 'https://huggingface.co/',
    accepted: [
      ['https://hub.example', 'https://hub.example/'],
      ['http://127.0.0.1:8080/models/', 'http://127.0.0.1:8080/models/'],
    ],
    refused: NO_ADDRESSES,
  },
  MEMORY_EMBEDDING_POOLING: {
    key: 'embeddingProfile',
    fallback: PROFILE,
    accepted: [
      ['cls', { ...PROFILE, pooling: 'cls' }],
      ['mean', { ...PROFILE, pooling: 'mean' }],
    ],
    refused: ['max', 'CLS'],
  },
  MEMORY_EMBEDDING_QUERY_PREFIX: prefix('queryPrefix'),
  MEMORY_EMBEDDING_PASSAGE_PREFIX: prefix('passagePrefix'),
  MEMORY_EMBEDDING_MEGABYTES: { key: 'embeddingMegabytes', fallback: 4096, ...wholeNumbers(256, 262_144) },
  MEMORY_IMPORT_MEGABYTES: { key: 'importMegabytes', fallback: 1024, ...wholeNumbers(128, 65_536) },
  MEMORY_BLOB_STORE: {
    key: 'blobStore',
    fallback: 'database',
    accepted: [
      ['database', 'database'],
      ['s3://memory-files', { bucket: 'memory-files', prefix: '', endpoint: null, region: null }],
      [
        's3://memory.files/a/b/?region=eu-central-1&endpoint=http%3A%2F%2Fhost.example%3A9000',
        {
          bucket: 'memory.files',
          prefix: 'a/b',
          endpoint: 'http://host.example:9000',
          region: 'eu-central-1',
        },
      ],
      [
        's3://files/a?endpoint=https://host.example',
        { bucket: 'files', prefix: 'a', endpoint: 'https://host.example', region: null },
      ],
    ],
    refused: [
      ...NO_ADDRESSES,
      's3',
      's3://',
      's3://Files',
      's3://files/a//b',
      's3://files/a b',
      's3://files?path=a',
      's3://files?region=a&region=b',
      's3://files?region=',
      's3://files?endpoint=host.example',
      's3://files?endpoint=http://user:secret-of-user@host.example',
      's3://key:secret-of-user@files/a',
      's3://files:80/a',
      's3://files/a#part',
    ],
  },
  MEMORY_METRICS_TOKEN: {
    key: 'metricsToken',
    fallback: null,
    accepted: [['a-token-for-metrics', 'a-token-for-metrics']],
    refused: [],
  },
  OTEL_SDK_DISABLED: {
    key: 'otelDisabled',
    fallback: false,
    accepted: [
      ['true', true],
      ['False', false],
    ],
    refused: ['1', 'yes'],
    needs: TRACES_ON,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorAddress('otlpEndpoint'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorAddress('otlpTracesEndpoint'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs('otlpHeaders'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs('otlpHeaders'),
  OTEL_RESOURCE_ATTRIBUTES: pairs('otelResourceAttributes'),
  OTEL_TRACES_SAMPLER_ARG: {
    key: 'traceSamplerShare',
    fallback: 1,
    accepted: [
      ['0', 0],
      ['.05', 0.05],
      ['0.05', 0.05],
      ['1', 1],
    ],
    refused: ['5', '1.1', '-0.1', '5%', '0x1', 'half'],
    needs: TRACES_ON,
  },
};

/** Every variable. What is not special follows from its definition. */
const SETTINGS: Record<string, Setting> = {
  ...Object.fromEntries(
    Object.entries<Definition>(DEFINITIONS).flatMap(([key, setting]) => {
      const values = valuesOf(setting.type.accepts);
      if (values === null || typeof setting.default === 'function') return [];
      const fallback = setting.default === null ? null : setting.type.parse(String(setting.default));
      const row = {
        key: key as keyof Config,
        fallback,
        needs: key in TRACE_SETTINGS ? TRACES_ON : {},
        ...values,
      };
      return variablesOf(setting).map((variable) => [variable, row] as const);
    }),
  ),
  ...SPECIAL,
};

describe('the configuration', () => {
  for (const [name, { key, fallback, accepted, refused, needs = {} }] of Object.entries(SETTINGS)) {
    test(`${name} has its default, accepts valid values and refuses invalid ones`, () => {
      for (const unset of [undefined, '', '  ']) assert.deepEqual(read({ [name]: unset })[key], fallback);
      for (const [value, expected] of accepted)
        assert.deepEqual(read({ ...needs, [name]: value })[key], expected, value);
      for (const value of refused) {
        const faults = faultsOf({ MEMORY_API_TOKEN: TOKEN, ...needs, [name]: value });
        assert.equal(faults.length, 1, `${value}: ${faults.join('; ')}`);
        assert.match(faults[0] ?? '', new RegExp(`^${name}: expected \\S.*, for example ${name}=\\S`));
      }
    });
  }

  test('a direct address of the database without the other one is a fault, and not an embedded database', () => {
    const env = { MEMORY_API_TOKEN: TOKEN, MEMORY_DATABASE_DIRECT_URL: 'postgres://host/name' };
    const [fault] = faultsOf(env);
    assert.match(fault ?? '', /^MEMORY_DATABASE_URL: expected an address too/);
  });

  test('variables of traces that are not valid are faults only if traces are on', () => {
    const invalid = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: 'word',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: 'half',
    };
    const names = Object.keys(invalid);
    const faultsWith = (env: Record<string, string>) =>
      faultsOf({ MEMORY_API_TOKEN: TOKEN, ...invalid, ...env }).map((fault) => fault.split(':')[0]);
    assert.deepEqual(faultsWith({}), []);
    assert.deepEqual(
      faultsWith({ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h' }),
      [],
    );
    const disabled = { OTEL_TRACES_EXPORTER: 'zipkin', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://host:port' };
    assert.deepEqual(faultsWith({ ...disabled, OTEL_SDK_DISABLED: 'TRUE' }), []);
    for (const on of [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h' },
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://h' },
      { OTEL_TRACES_EXPORTER: 'console' },
    ])
      assert.deepEqual(faultsWith(on).sort(), names.sort(), JSON.stringify(on));
    // A mistyped address or exporter does not turn traces off.
    assert.equal(faultsWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://host:port' }).length, names.length + 1);
    assert.equal(faultsWith({ OTEL_TRACES_EXPORTER: 'zipkin' }).length, names.length + 1);
    const valid = read({ ...invalid, OTEL_SERVICE_NAME: 'name', OTEL_SDK_DISABLED: 'true' });
    assert.deepEqual([valid.otelServiceName, valid.otelDisabled], ['name', true]);
  });

  test('every setting is in the table of this test', () => {
    const tested = new Set<string>(Object.values(SETTINGS).map(({ key }) => key));
    const untested = Object.keys(read({})).filter((key) => !tested.has(key));
    assert.deepEqual(untested, ['apiToken', 'firstStartVariables', 'warnings']);
  });

  test('the values of every variable are checked above', () => {
    const variables = Object.values<Definition>(DEFINITIONS).flatMap(variablesOf);
    assert.deepEqual(variables.sort(), ['MEMORY_API_TOKEN', ...Object.keys(SETTINGS)].sort());
  });

  test('MEMORY_API_TOKEN is required, cannot contain spaces, and warns on loopback if it is short', () => {
    for (const unset of [undefined, '', ' \t ']) {
      const faults = faultsOf({ MEMORY_API_TOKEN: unset });
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? '', /^MEMORY_API_TOKEN: /);
    }
    for (const broken of ['0123456789 abcdef', '0123456789\nabcdef', '0123456789\u0001abcdef']) {
      assert.equal(faultsOf({ MEMORY_API_TOKEN: broken }).length, 1);
    }
    assert.equal(read({}).apiToken, TOKEN);
    assert.deepEqual(read({}).warnings, []);
    const short = readConfig({ MEMORY_API_TOKEN: 'short-secret' });
    assert.equal(short.apiToken, 'short-secret');
    assert.match(short.warnings.join('\n'), /^MEMORY_API_TOKEN/);
    assert.ok(!short.warnings.join('\n').includes('short-secret'), 'the warning does not hold the value');
  });

  test('a MEMORY_API_TOKEN under 16 characters is accepted on loopback only', () => {
    const short = { MEMORY_API_TOKEN: 'fifteen-letters', MEMORY_DATABASE_URL: 'postgres://h/d' };
    for (const host of ['127.0.0.1', '127.9.8.7', '::1', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST']) {
      const { warnings } = readConfig({ ...short, MEMORY_API_HOST: host });
      assert.match(warnings.join('\n'), /^MEMORY_API_TOKEN/, host);
    }
    // The default host is every address with a database of its own, and loopback without.
    for (const host of [
      undefined,
      '0.0.0.0',
      '::',
      '10.0.0.1',
      '128.0.0.1',
      '::2',
      'memory.example',
      '127.x',
    ]) {
      const faults = faultsOf({ ...short, MEMORY_API_HOST: host });
      assert.equal(faults.length, 1, host);
      assert.match(faults[0] ?? '', /^MEMORY_API_TOKEN: expected .*16 characters.*MEMORY_API_HOST/);
      assert.ok(!faults[0]?.includes('fifteen-letters'));
    }
    assert.equal(faultsOf({ ...short, MEMORY_API_TOKEN: 'two words' }).length, 1, 'one line per variable');
    // Characters are code points: eight of these are 16 units of UTF-16.
    assert.equal(faultsOf({ ...short, MEMORY_API_TOKEN: '🔑'.repeat(8) }).length, 1);
    for (const token of ['🔑'.repeat(16), TOKEN]) {
      assert.deepEqual(faultsOf({ ...short, MEMORY_API_TOKEN: token }), []);
    }
  });

  test('MEMORY_API_PORT takes precedence over PORT, and both must be valid', () => {
    assert.equal(read({ PORT: '9001' }).port, 9001);
    assert.equal(read({ PORT: '9001', MEMORY_API_PORT: '9002' }).port, 9002);
    assert.equal(read({ PORT: '9001', MEMORY_API_PORT: '' }).port, 9001);
    assert.equal(faultsOf({ MEMORY_API_TOKEN: TOKEN, PORT: 'x', MEMORY_API_PORT: '9002' }).length, 1);
  });

  test('the database of a platform is used only if PORT is set and the service has no own address', () => {
    const platform = { PORT: '5000', DATABASE_URL: 'postgres://platform/d' };
    assert.equal(read(platform).databaseUrl, 'postgres://platform/d');
    assert.equal(read(platform).databaseDirectUrl, 'postgres://platform/d');
    assert.match(read(platform).warnings.join('\n'), /^DATABASE_URL is used as MEMORY_DATABASE_URL/m);
    assert.equal(read({ DATABASE_URL: 'postgres://platform/d' }).databaseUrl, null);
    const own = { ...platform, MEMORY_DATABASE_URL: 'postgres://own/d' };
    assert.equal(read(own).databaseUrl, 'postgres://own/d');
    assert.deepEqual(read(own).warnings, []);
  });

  test('the service listens on every address only if MEMORY_DATABASE_URL is set', () => {
    assert.equal(read({}).host, '127.0.0.1');
    assert.equal(read({ MEMORY_DATABASE_URL: 'postgres://h/d' }).host, '0.0.0.0');
    assert.equal(read({ MEMORY_DATABASE_URL: 'postgres://h/d', MEMORY_API_HOST: '::1' }).host, '::1');
  });

  test('MEMORY_RATE_LIMITS=off adds a warning', () => {
    assert.match(read({ MEMORY_RATE_LIMITS: 'off' }).warnings.join('\n'), /^MEMORY_RATE_LIMITS/);
  });

  test('an unknown MEMORY_ variable warns with the nearest name and without its value', () => {
    const nearest = {
      MEMORY_API_PROT: 'MEMORY_API_PORT',
      MEMORY_PORT: 'MEMORY_API_PORT',
      MEMORY_EMBEDING_MODEL: 'MEMORY_EMBEDDING_MODEL',
      MEMORY_RATELIMITS: 'MEMORY_RATE_LIMITS',
      MEMORY_DB_URL: 'MEMORY_DATABASE_URL',
      [`MEMORY_DATA_DIR${'x'.repeat(100_000)}`]: 'MEMORY_DATA_DIR',
    };
    for (const [name, meant] of Object.entries(nearest)) {
      assert.deepEqual(read({ [name]: 'SECRET' }).warnings, [
        `${name} is not a setting and is ignored. Did you mean ${meant}?`,
      ]);
    }
  });

  test('known, empty, test and unprefixed variables do not warn', () => {
    const known = Object.fromEntries(
      Object.entries(SETTINGS).flatMap(([name, { accepted }]) =>
        name === 'MEMORY_RATE_LIMITS' ? [] : [[name, accepted[0]?.[0]]],
      ),
    );
    const others = { MEMORY_API_PROT: ' ', MEMORY_TEST_DATABASE_URL: 'x', MEMORIES: 'x', API_PORT: 'x' };
    assert.deepEqual(read({ ...known, ...others }).warnings, []);
  });

  test('the configuration lists the variables of the first start that are set', () => {
    assert.deepEqual(read({}).firstStartVariables, []);
    assert.deepEqual(
      read({ MEMORY_TEAM_NAME: 'x', MEMORY_OWNER_EMAIL: 'a@b.example', MEMORY_COMPANY_NAME: '' })
        .firstStartVariables,
      ['MEMORY_TEAM_NAME', 'MEMORY_OWNER_EMAIL'],
    );
  });

  test('the configuration and its lists are frozen', () => {
    const config = read({ MEMORY_TRUSTED_PROXIES: '::1', MEMORY_ALLOWED_ORIGINS: 'https://a.example' });
    for (const part of [config, config.trustedProxies, config.allowedOrigins, config.warnings]) {
      assert.ok(Object.isFrozen(part));
    }
    assert.ok(Object.isFrozen(read({}).trustedProxies));
  });

  test('all faults are reported at once, in one line each and without values', () => {
    const broken = Object.fromEntries(
      Object.entries(SETTINGS)
        .filter(([, { refused }]) => refused.length > 0)
        .map(([name, { refused }]) => [name, `!${refused.at(-1)}SECRET\nsecond line ${'x'.repeat(5000)}`]),
    );
    const faults = faultsOf(broken);
    assert.deepEqual(
      faults.map((fault) => fault.split(':')[0]).sort(),
      ['MEMORY_API_TOKEN', ...Object.keys(broken)].sort(),
    );
    for (const fault of faults) {
      assert.ok(!fault.includes('\n'));
      assert.ok(!fault.includes('SECRET'), fault);
    }
  });

  test('any values give a configuration or faults that each name a variable', () => {
    const names = ['MEMORY_API_TOKEN', ...Object.keys(SETTINGS)];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.string({ unit: 'binary' })), (env) => {
        for (const fault of faultsOf(env)) {
          assert.ok(names.includes(fault.split(':')[0] ?? ''), fault);
          assert.ok(!fault.includes('\n'));
        }
      }),
    );
  });
});

test('an email has one @ between two parts without spaces', () => {
  for (const good of ['a@b', 'first.last+tag@sub.example.com', 'ü@例え.jp']) assert.ok(isEmail(good), good);
  for (const bad of ['', 'a', '@', 'a@', '@b', 'a@b@c', 'a @b', 'a@b\n', 'a\u0000@b'])
    assert.ok(!isEmail(bad), bad);
});
