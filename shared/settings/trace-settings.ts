import { type Environment, variableText } from './read-settings.ts';
import { type Setting, variablesOf } from './setting.ts';
import { KEY_VALUE_PAIRS, SHARE, text, url, word } from './value-types.ts';

/** The samplers of the OpenTelemetry specification that need no server of their own. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * The settings of traces, a part of `SETTINGS`. Their variables and defaults are those of the OpenTelemetry
 * specification, so that a service is configured as all others of a deployment are.
 */
export const TRACE_SETTINGS = {
  otelDisabled: {
    variable: 'OTEL_SDK_DISABLED',
    type: { accepts: 'true or false', example: 'true', parse: parseBoolean },
    default: 'false',
    description: 'true: no traces, whatever the other variables of OpenTelemetry say.',
  },
  traceExporter: {
    variable: 'OTEL_TRACES_EXPORTER',
    type: word('otlp', 'console', 'none'),
    default: null,
    defaultInWords: 'otlp if an endpoint is set, else none',
    description: 'Where traces go: to a collector (otlp), to standard output (console), or nowhere.',
  },
  otlpEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: url('http:', 'https:'),
    example: 'http://127.0.0.1:4318',
    default: null,
    isSecret: true,
    description: 'Address of the collector. Traces are sent to the path v1/traces below it.',
  },
  otlpTracesEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    type: url('http:', 'https:'),
    example: 'http://127.0.0.1:4318/v1/traces',
    default: null,
    isSecret: true,
    description: 'Whole address that traces are sent to, in place of the path below the collector.',
  },
  otlpProtocol: {
    variable: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
    otherVariables: ['OTEL_EXPORTER_OTLP_PROTOCOL'],
    type: word('http/protobuf'),
    default: 'http/protobuf',
    description: 'Protocol of the collector.',
  },
  otlpHeaders: {
    variable: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    otherVariables: ['OTEL_EXPORTER_OTLP_HEADERS'],
    type: KEY_VALUE_PAIRS,
    example: 'x-api-key=password',
    default: null,
    isSecret: true,
    description: 'Headers of each request to the collector, for example its credential.',
  },
  otelServiceName: {
    variable: 'OTEL_SERVICE_NAME',
    type: text(255),
    example: 'team-memory',
    default: null,
    defaultInWords: 'team-memory-api, team-memory-worker, or team-memory for both in one process',
    description: 'Name of the service in its traces.',
  },
  otelResourceAttributes: {
    variable: 'OTEL_RESOURCE_ATTRIBUTES',
    type: KEY_VALUE_PAIRS,
    example: 'deployment.environment.name=production',
    default: null,
    description: 'Attributes of every trace, for example deployment.environment.name=production.',
  },
  traceSampler: {
    variable: 'OTEL_TRACES_SAMPLER',
    type: word(...SAMPLERS),
    default: 'parentbased_always_on',
    description:
      'Which traces are recorded. With parentbased, a caller that sends a trace decides for it; the rest is for all others.',
  },
  traceSamplerShare: {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    type: SHARE,
    default: 1,
    description: 'The share of traces that the samplers traceidratio record.',
  },
} as const satisfies Record<string, Setting>;

/** A boolean of the OpenTelemetry specification, in any case of letters. */
function parseBoolean(given: string): boolean | null {
  const lower = given.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : null;
}

/**
 * Whether the environment asks for traces. Decided by the texts, so that a mistyped exporter or address is a fault and
 * does not turn traces off.
 */
function asksForTraces(env: Environment): boolean {
  const { otelDisabled, traceExporter, otlpEndpoint, otlpTracesEndpoint } = TRACE_SETTINGS;
  if (parseBoolean(variableText(env, otelDisabled.variable) ?? '') === true) return false;
  const exporter = variableText(env, traceExporter.variable);
  if (exporter !== null) return exporter !== 'none';
  return [otlpEndpoint, otlpTracesEndpoint].some(({ variable }) => variableText(env, variable) !== null);
}

/**
 * The environment without the variables of traces that are not valid, if it asks for no traces. Platforms set these
 * variables for all their programs, and not all values of the specification are accepted here: the service must start
 * where it does not use them.
 */
export function withoutUnusedTraces(env: Environment): Environment {
  if (asksForTraces(env)) return env;
  const unused = Object.values<Setting>(TRACE_SETTINGS).flatMap((setting) =>
    variablesOf(setting).filter((name) => setting.type.parse(variableText(env, name) ?? '') === null),
  );
  return { ...env, ...Object.fromEntries(unused.map((name) => [name, undefined])) };
}
