import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Config, ConfigError, readConfig } from '../../shared/config.ts';
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

interface Values {
  /** Values, each with what it is read as; without that, it is read as it is. */
  accepted: readonly (string | readonly [value: string, read: unknown])[];
  refused: readonly string[];
}

const wholeNumbers = (min: number, max: number): Values => ({
  accepted: [
    [String(min), min],
    [String(max), max],
    [` ${min} `, min],
  ],
  refused: [String(min - 1), String(max + 1), '1.5', '1e3', '0x10', '+5', 'many', '5 5', '٥'],
});

const text = (max: number): Values => ({
  accepted: ['Ärzte & Söhne', 'x'.repeat(max)],
  refused: ['x'.repeat(max + 1)],
});

/** What the words of a setting are read as. Those that are not here are read as they are. */
const MEANINGS: Readonly<Record<string, unknown>> = { on: true, off: false, 1: true, 0: false };
const words = (all: readonly string[], isSwitch: boolean): Values => ({
  accepted: all.map((word) => [word, isSwitch ? MEANINGS[word] : word]),
  refused: [
    ...'true yes 2 01 constructor toString'.split(' '),
    ...all.map((word) => word.toUpperCase()),
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

const NO_ADDRESSES = ['host.example', '/path', '//host', 'ftp://host.example', 'javascript:alert(1)', 'http'];
const SECRET = 'user:secret-of-user@';

/** A base of links is taken without its last slash, and with nothing behind which a path could not stand. */
const BASE_ADDRESS: Values = {
  accepted: ['http://host.example:123/path', ['https://host.example/', 'https://host.example']],
  refused: [
    ...NO_ADDRESSES,
    'http://host.example/?a=b',
    'http://host.example/#part',
    `http://${SECRET}host.example`,
  ],
};

const COLLECTOR: Values = {
  accepted: ['https://collector.example:4318/base'],
  refused: ['collector.example:4318', 'grpc://collector.example', '/v1/traces'],
};

const PAIRS: Values = {
  accepted: [
    ['a.b=c', { 'a.b': 'c' }],
    ['authorization=Basic%20YQ==, x = 1%2C2', { authorization: 'Basic YQ==', x: '1,2' }],
  ],
  refused: ['word', '=value', 'a=1,', 'a=%zz'],
};

/** By setting: the values of those whose form is their own. */
const SPECIAL: Partial<Record<keyof typeof DEFINITIONS, Values>> = {
  databaseUrl: {
    accepted: [
      'postgres://user:secret@host:5432/name?sslmode=require',
      'postgresql://host/name',
      'postgres://user@one:5432,two/name',
    ],
    refused: [...NO_ADDRESSES, 'postgres://one,,two/name', 'postgres://one:port,two/name'],
  },
  databaseDirectUrl: { accepted: ['postgres://user:secret@host:5433/name'], refused: NO_ADDRESSES },
  databaseReplicaUrl: { accepted: ['postgres://user:secret@one,two/name'], refused: NO_ADDRESSES },
  commit: { accepted: ['0f3a', 'a'.repeat(40), 'release/1.2_3-x'], refused: ['a b', 'a'.repeat(101), '<a>'] },
  trustedProxies: {
    accepted: [
      ['10.0.0.1', ['10.0.0.1']],
      ['10.0.0.0/8, fd00::/8,::1', ['10.0.0.0/8', 'fd00::/8', '::1']],
    ],
    refused: [
      ['1', 'true', 'proxy.example', '0.0.0.0/0', '::/0', '::1/129'],
      ['/33', '/8/8', '/', ','].map((rest) => `10.0.0.0${rest}`),
    ].flat(),
  },
  allowedOrigins: {
    accepted: [['https://a.example, http://localhost:3000', ['https://a.example', 'http://localhost:3000']]],
    refused: ['*', 'a.example', 'https://a.example/', 'https://a.example/path', 'ftp://a.example', 'null'],
  },
  publicUrl: BASE_ADDRESS,
  identityUrl: BASE_ADDRESS,
  ownerEmail: {
    accepted: [['Boss@Example.COM', 'boss@example.com'], 'a@b', 'ü@例え.jp'],
    refused: ['boss', '@', '@b', 'boss@', 'a@b@c', 'a b@c', 'a@b\0', `${'x'.repeat(300)}@b`],
  },
  modelHub: {
    accepted: [['https://hub.example', 'https://hub.example/'], 'http://127.0.0.1:8080/models/'],
    refused: NO_ADDRESSES,
  },
  blobStore: {
    accepted: [
      'database',
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
      [...NO_ADDRESSES, 's3', 's3://', 's3://Files', `s3://${SECRET}files/a`],
      ['/a//b', '/a b', ':80/a', '/a#part'].map((rest) => `s3://files${rest}`),
      ['path=a', 'region=a&region=b', 'region=', 'endpoint=host.example'].map((ask) => `s3://files?${ask}`),
      [`s3://files?endpoint=http://${SECRET}host.example`],
    ].flat(),
  },
  metricsToken: { accepted: ['a-token-for-metrics'], refused: [] },
  otelDisabled: {
    accepted: [
      ['true', true],
      ['False', false],
    ],
    refused: ['1', 'yes'],
  },
  otlpEndpoint: COLLECTOR,
  otlpTracesEndpoint: COLLECTOR,
  otlpHeaders: PAIRS,
  otelResourceAttributes: PAIRS,
  embeddingWeight: {
    accepted: ['0', '.5', '0.625', '10'].map((weight) => [weight, Number(weight)]),
    refused: ['11', '10.1', '-1', '1e1', '50%', 'half'],
  },
  mailServer: {
    accepted: [
      [
        'smtps://ada:p%40ss@mail.example.com',
        {
          host: 'mail.example.com',
          port: 465,
          isSecure: true,
          credentials: { user: 'ada', password: 'p@ss' },
        },
      ],
      ['smtp://[::1]:2525/', { host: '::1', port: 2525, isSecure: false, credentials: null }],
      ['smtp://mail', { host: 'mail', port: 587, isSecure: false, credentials: null }],
    ],
    refused: [
      `https://${SECRET}mail.example.com`,
      `smtp://${SECRET}mail.example.com/path`,
      `smtp://${SECRET}mail.example.com?tls=no`,
      'smtp://ada@mail.example.com',
      'smtp://ada:%zz@mail.example.com',
      'mail.example.com:465',
    ],
  },
  mailFrom: {
    accepted: [
      ['Memory@Example.com', { name: null, address: 'memory@example.com' }],
      ['Team memory <memory@example.com>', { name: 'Team memory', address: 'memory@example.com' }],
    ],
    refused: [
      'memory',
      'a@example.com, b@example.com',
      'A <a@example.com> <b@example.com>',
      '"A" <a@example.com>',
    ],
  },
  traceSamplerShare: {
    accepted: ['0', '.05', '0.05', '1'].map((share) => [share, Number(share)]),
    refused: ['5', '1.1', '-0.1', '5%', '0x1', 'half'],
  },
};

/** The settings that are a part of one, with the name of the part. */
const PARTS: Readonly<Record<string, keyof Config['embeddingProfile']>> = {
  embeddingPooling: 'pooling',
  embeddingQueryPrefix: 'queryPrefix',
  embeddingPassagePrefix: 'passagePrefix',
  embeddingWeight: 'weight',
};

/** Every variable except that of the API token, with what it is set to, and what its setting is then. */
const ROWS = Object.entries<Definition>(DEFINITIONS).flatMap(([key, setting]) => {
  if (key === 'apiToken') return [];
  const { default: given, type } = setting;
  const byDefault =
    typeof given === 'function'
      ? given({ hasDatabaseUrl: false, memoryMegabytes: 1e6, cores: availableParallelism() })
      : given;
  const part = PARTS[key];
  const values = SPECIAL[key as keyof typeof DEFINITIONS] ?? valuesOf(type.accepts);
  assert.ok(values, `${key} has values of its own, which must be in the table`);
  const row = {
    ...values,
    read: (config: Config) =>
      part === undefined ? config[key as keyof Config] : (config.embeddingProfile[part] ?? null),
    fallback: byDefault === null ? null : type.parse(String(byDefault)),
    // Settings of traces are checked only if traces are on, and some addresses need the one of the database. Mail needs both of
    // its settings.
    needs: {
      ...(key in TRACE_SETTINGS ? { OTEL_TRACES_EXPORTER: 'otlp' } : {}),
      ...(key.startsWith('database') ? { MEMORY_DATABASE_URL: 'postgres://host/name' } : {}),
      ...(key === 'mailServer' ? { MEMORY_MAIL_FROM: 'memory@example.com' } : {}),
      ...(key === 'mailFrom' ? { MEMORY_SMTP_URL: 'smtp://mail.example.com' } : {}),
    },
  };
  return variablesOf(setting).map((variable) => ({ variable, ...row }));
});

describe('the configuration', () => {
  for (const { variable, read: readBy, fallback, accepted, refused, needs } of ROWS) {
    test(`${variable} has its default, accepts valid values and refuses invalid ones`, () => {
      for (const unset of [undefined, '', '  '])
        assert.deepEqual(readBy(read({ [variable]: unset })), fallback);
      for (const each of accepted) {
        const [value, expected] = typeof each === 'string' ? [each, each] : each;
        assert.deepEqual(readBy(read({ ...needs, [variable]: value })), expected, value);
      }
      for (const value of refused) {
        const faults = faultsOf({ MEMORY_API_TOKEN: TOKEN, ...needs, [variable]: value });
        assert.equal(faults.length, 1, `${value}: ${faults.join('; ')}`);
        assert.match(
          faults[0] ?? '',
          new RegExp(`^${variable}: expected \\S.*, for example ${variable}=\\S`),
        );
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
    const names = Object.keys(invalid).sort();
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h' };
    const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://host:port', OTEL_SDK_DISABLED: 'TRUE' };
    for (const [env, faulty] of [
      [{}, []],
      [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, []],
      [{ ...disabled, OTEL_TRACES_EXPORTER: 'zipkin' }, []],
      [endpoint, names],
      [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://h' }, names],
      [{ OTEL_TRACES_EXPORTER: 'console' }, names],
      // A mistyped address or exporter does not turn traces off.
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://host:port' }, ['OTEL_EXPORTER_OTLP_ENDPOINT', ...names]],
      [{ OTEL_TRACES_EXPORTER: 'zipkin' }, ['OTEL_TRACES_EXPORTER', ...names]],
    ] as [Record<string, string>, string[]][]) {
      const faults = faultsOf({ MEMORY_API_TOKEN: TOKEN, ...invalid, ...env });
      assert.deepEqual(faults.map((fault) => fault.split(':')[0]).sort(), faulty.toSorted());
    }
    const valid = read({ ...invalid, OTEL_SERVICE_NAME: 'name', OTEL_SDK_DISABLED: 'true' });
    assert.deepEqual([valid.otelServiceName, valid.otelDisabled], ['name', true]);
  });

  test('MEMORY_API_TOKEN is required, and cannot contain spaces', () => {
    const broken = ['0123456789 abcdef', '0123456789\nabcdef', '0123456789\u0001abcdef'];
    for (const given of [undefined, '', ' \t ', ...broken]) {
      const [fault, ...others] = faultsOf({ MEMORY_API_TOKEN: given });
      assert.match(fault ?? '', /^MEMORY_API_TOKEN: /);
      assert.deepEqual(others, []);
    }
    assert.deepEqual([read({}).apiToken, read({}).warnings], [TOKEN, []]);
  });

  test('a MEMORY_API_TOKEN under 16 characters is accepted on loopback only, with a warning', () => {
    const short = { MEMORY_API_TOKEN: 'fifteen-letters', MEMORY_DATABASE_URL: 'postgres://h/d' };
    for (const host of ['127.0.0.1', '127.9.8.7', '::1', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST']) {
      const { apiToken, warnings } = readConfig({ ...short, MEMORY_API_HOST: host });
      assert.equal(apiToken, 'fifteen-letters');
      assert.match(warnings.join('\n'), /^MEMORY_API_TOKEN(?![^]*fifteen-l)/, host);
    }
    // The default host is every address with a database of its own, and loopback without.
    for (const host of [undefined, ...'0.0.0.0 :: 10.0.0.1 128.0.0.1 ::2 memory.example 127.x'.split(' ')]) {
      const [fault, ...others] = faultsOf({ ...short, MEMORY_API_HOST: host });
      assert.match(
        fault ?? '',
        /^MEMORY_API_TOKEN: expected .*16 characters.*MEMORY_API_HOST(?!.*fifteen-l)/,
      );
      assert.deepEqual(others, [], host);
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
    const database = { MEMORY_DATABASE_URL: 'postgres://h/d' };
    assert.deepEqual([read({}).host, read(database).host], ['127.0.0.1', '0.0.0.0']);
    assert.equal(read({ ...database, MEMORY_API_HOST: '::1' }).host, '::1');
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

  test('known, empty, test and unprefixed variables do not warn, except MEMORY_RATE_LIMITS=off', () => {
    const given = ROWS.flatMap(({ variable, accepted: [first = ''] }) =>
      variable === 'MEMORY_RATE_LIMITS' ? [] : [[variable, typeof first === 'string' ? first : first[0]]],
    );
    const known = Object.fromEntries(given) as Record<string, string>;
    const others = { MEMORY_API_PROT: ' ', MEMORY_TEST_DATABASE_URL: 'x', MEMORIES: 'x', API_PORT: 'x' };
    assert.deepEqual(read({ ...known, ...others }).warnings, []);
    assert.match(read({ MEMORY_RATE_LIMITS: 'off' }).warnings.join('\n'), /^MEMORY_RATE_LIMITS/);
  });

  test('the configuration lists the variables of the first start that are set', () => {
    const given = { MEMORY_TEAM_NAME: 'x', MEMORY_OWNER_EMAIL: 'a@b.example', MEMORY_COMPANY_NAME: '' };
    assert.deepEqual(read({}).firstStartVariables, []);
    assert.deepEqual(read(given).firstStartVariables, ['MEMORY_TEAM_NAME', 'MEMORY_OWNER_EMAIL']);
  });

  test('all faults are reported at once, in one line each and without values', () => {
    const broken = Object.fromEntries(
      ROWS.filter(({ refused }) => refused.length > 0).map(({ variable, refused }) => [
        variable,
        `!${refused.at(-1)}SECRET\nsecond line ${'x'.repeat(5000)}`,
      ]),
    );
    const faults = faultsOf(broken);
    const names = faults.map((fault) => fault.split(':')[0]);
    assert.deepEqual(names.sort(), ['MEMORY_API_TOKEN', ...Object.keys(broken)].sort());
    for (const fault of faults) assert.doesNotMatch(fault, /\n|SECRET/);
  });

  test('any values give a configuration or faults that each name a variable', () => {
    const names = ['MEMORY_API_TOKEN', ...ROWS.map(({ variable }) => variable)];
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
