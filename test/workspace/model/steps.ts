import fc from 'fast-check';
import { ALL_NAMES, CALLERS, type ClientName, LAYERS, type MemberName, type Name } from './model.ts';

/* Steps as plain data, so that any part of a sequence is a sequence too, and a failing one shrinks to what it takes. */

/** True once in about `n`. */
const onceIn = (n: number) => fc.nat({ max: n - 1 }).map((drawn) => drawn === n - 1);

const caller = fc.constantFrom(...CALLERS);
const writer = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('owner' as const, 'anna' as const, 'ben' as const) },
  { weight: 1, arbitrary: fc.constant('reader' as const) },
);
const client = fc.constantFrom<ClientName>('a', 'b');
/** Mostly those that stand in no one's way. */
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Name>('plain', 'other') },
  { weight: 3, arbitrary: fc.constantFrom(...ALL_NAMES) },
);
const place = { layer: fc.constantFrom(...LAYERS), name };

const pushedFile = fc.record({
  ...place,
  how: fc.oneof(
    { weight: 3, arbitrary: fc.constant('write' as const) },
    { weight: 1, arbitrary: fc.constant('delete' as const) },
  ),
  /** Few, so that files share them. */
  content: fc.nat({ max: 5 }),
  base: fc.oneof(
    { weight: 12, arbitrary: fc.constant('right' as const) },
    { weight: 1, arbitrary: fc.constantFrom('zero' as const, 'stale' as const, 'ahead' as const) },
  ),
});

const push = fc.record({
  do: fc.constant('push' as const),
  by: writer,
  files: fc.uniqueArray(pushedFile, {
    minLength: 1,
    maxLength: 3,
    selector: ({ layer, name: of }) => `${layer} ${of}`,
  }),
  /** Of a layer that the pusher writes, whatever was drawn. */
  withinReach: onceIn(6).map((drawn) => !drawn),
  process: fc.nat({ max: 1 }),
});

const pull = fc.record({
  do: fc.constant('pull' as const),
  by: caller,
  files: fc.array(fc.record({ ...place, version: fc.integer({ min: 1, max: 6 }) }), {
    minLength: 1,
    maxLength: 8,
    size: 'max',
  }),
  process: fc.nat({ max: 1 }),
});

const step = fc.oneof(
  { weight: 12, arbitrary: push },
  {
    weight: 1,
    /** A push that goes wrong before it is through, at one of its statements. */
    arbitrary: fc.record({ do: fc.constant('broken push' as const), push, at: fc.nat({ max: 2 }) }),
  },
  {
    weight: 2,
    /** An accepted push, once more. */
    arbitrary: fc.record({
      do: fc.constant('repeat' as const),
      back: fc.nat({ max: 3 }),
      changed: onceIn(4),
      process: fc.nat({ max: 1 }),
    }),
  },
  { weight: 3, arbitrary: pull },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      to: fc.constantFrom<MemberName>('anna', 'ben'),
      client,
      access: fc.constantFrom('read' as const, 'write' as const, null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('archive or restore client' as const), client }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('push to the archived Team' as const), push }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('prune' as const) }) },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type StepOf<Do extends Step['do']> = Extract<Step, { do: Do }>;

/** Some files, and then anything. */
export const steps: fc.Arbitrary<Step[]> = fc
  .tuple(fc.array(push, { maxLength: 6, size: 'max' }), fc.array(step, { maxLength: 24, size: 'max' }))
  .map((parts) => parts.flat());
