import fc from 'fast-check';
import { CALLERS, type CallerName, LAYERS } from './model.ts';

/*
 * Steps of a life as plain data. They name what they are about by how far back it lies (0 is the newest), so that
 * any part of a sequence is a sequence too, and a failing one shrinks to the few steps that it takes.
 */

/** A place among what there is, counted round. */
const anywhere = fc.nat({ max: 5 });
/** How far back among what there is: mostly the newest. */
const back = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: anywhere },
);

/** True once in about `n`. */
const onceIn = (n: number) => fc.nat({ max: n - 1 }).map((drawn) => drawn === n - 1);

const fullCaller = fc.constantFrom<CallerName>('owner', 'admin');
const anyCaller = fc.constantFrom<CallerName>(...CALLERS);

/** What a text is: `copy` is the content of another memory, `same` that of the one decided on. */
const newText = fc.oneof(
  { weight: 5, arbitrary: fc.constant('short' as const) },
  { weight: 2, arbitrary: fc.constant('long' as const) },
  { weight: 1, arbitrary: fc.constant('copy' as const) },
);
export type TextKind = 'short' | 'long' | 'copy' | 'same';

/** A memory to be superseded; `astray` may be in any state and layer, or not there at all. */
const superseding = fc.record({ back: anywhere, astray: onceIn(6) });

const capture = fc.record({
  do: fc.constant('capture' as const),
  by: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom<CallerName>('owner', 'anna', 'ben') },
    { weight: 1, arbitrary: anyCaller },
  ),
  layer: fc.constantFrom(...LAYERS),
  /** There even where the caller may not write. */
  astray: onceIn(5),
  session: fc.constantFrom('morning', 'evening'),
  sequence: fc.option(fc.nat({ max: 2 }), { freq: 3 }),
});

const claim = fc.record({
  do: fc.constant('claim' as const),
  /** Null is someone who has something to claim. */
  by: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: anyCaller }),
  whose: anywhere,
  limit: fc.integer({ min: 1, max: 4 }),
  client: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('a' as const, 'b' as const) },
  ),
});

const item = fc.record({
  captures: fc.array(anywhere, { minLength: 1, maxLength: 3, size: 'max' }),
  /** Of several layers, where the batch is. */
  mixed: onceIn(3),
  action: fc.oneof(
    { weight: 2, arbitrary: fc.constant('publish' as const) },
    { weight: 2, arbitrary: fc.constant('review' as const) },
    { weight: 1, arbitrary: fc.constant('discard' as const) },
  ),
  text: newText,
  named: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...LAYERS) },
  ),
  /** Asks for something that requires Full access, for any caller: another layer, to supersede. */
  presuming: onceIn(5),
  embedded: fc.boolean(),
  supersedes: fc.option(superseding, { freq: 2 }),
  /** Names a capture besides that is not of the batch. */
  stranger: onceIn(25),
});
export type ItemStep = typeof item extends fc.Arbitrary<infer T> ? T : never;

/** Who asks of a batch: null is its claimer. */
const asker = fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: anyCaller });

const complete = fc.record({
  do: fc.constant('complete' as const),
  by: asker,
  batch: back,
  /** A batch in whatever state, and not one that may still be completed. */
  late: onceIn(6),
  /** Its lease runs out first. */
  overdue: onceIn(6),
  items: fc.array(item, { maxLength: 3, size: 'max' }),
});

/** A complete that was accepted, once more. */
const repeat = fc.record({
  do: fc.constant('repeat' as const),
  by: asker,
  batch: back,
  /** Not quite the same again. */
  changed: onceIn(3),
});

const decision = fc.record({
  action: fc.oneof(
    { weight: 3, arbitrary: fc.constant('publish' as const) },
    { weight: 2, arbitrary: fc.constant('update' as const) },
    { weight: 1, arbitrary: fc.constantFrom('discard' as const, 'delete' as const) },
    { weight: 3, arbitrary: fc.constantFrom('reopen' as const, 'unpublish' as const, 'restore' as const) },
    { weight: 1, arbitrary: fc.constant('renew' as const) },
    { weight: 2, arbitrary: fc.constant('move' as const) },
  ),
  back,
  /** How far before the next version the version to restore is. */
  restores: fc.nat({ max: 4 }),
  /** Of any memory, and not of one that is in the right state. */
  astray: onceIn(5),
  /** Fields that the action takes, or any. */
  disorderly: onceIn(12),
  version: fc.oneof(
    { weight: 5, arbitrary: fc.constant('right' as const) },
    { weight: 3, arbitrary: fc.constant('none' as const) },
    { weight: 2, arbitrary: fc.constantFrom('stale' as const, 'ahead' as const) },
  ),
  title: fc.boolean(),
  text: fc.oneof(
    { weight: 4, arbitrary: newText },
    { weight: 1, arbitrary: fc.constant('same' as const) },
    { weight: 2, arbitrary: fc.constant(null) },
  ),
  supersedes: fc.option(superseding, { freq: 2 }),
  expiry: fc.option(fc.constantFrom('never' as const, 'later' as const), { freq: 1 }),
  target: fc.constantFrom(...LAYERS),
});
export type DecisionStep = typeof decision extends fc.Arbitrary<infer T> ? T : never;

const decide = fc.record({
  do: fc.constant('decide' as const),
  by: fc.oneof({ weight: 8, arbitrary: fullCaller }, { weight: 1, arbitrary: anyCaller }),
  /** The first, or all of them at once. */
  decisions: fc.array(decision, { minLength: 1, maxLength: 3, size: 'max' }),
  many: onceIn(3),
});

const purge = fc.record({
  do: fc.constant('purge' as const),
  by: fc.oneof({ weight: 5, arbitrary: fullCaller }, { weight: 1, arbitrary: anyCaller }),
  memory: anywhere,
  /** Of one that was made from captures of another layer, if any was. */
  mixed: fc.boolean(),
  /** Of one that was purged before, if any was. */
  gone: onceIn(6),
});

const expire = fc.record({
  do: fc.constant('expire' as const),
  memory: back,
  /** In any state, and not one in review or published. */
  astray: onceIn(4),
});

const step = fc.oneof(
  { weight: 4, arbitrary: capture },
  { weight: 2, arbitrary: claim },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lapse' as const), batch: back }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('work' as const) }) },
  { weight: 8, arbitrary: complete },
  { weight: 2, arbitrary: repeat },
  { weight: 14, arbitrary: decide },
  { weight: 2, arbitrary: purge },
  { weight: 2, arbitrary: expire },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('archive source' as const), by: anyCaller, memory: anywhere }),
  },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type StepOf<Do extends Step['do']> = Extract<Step, { do: Do }>;

const stretch = fc.array(step, { maxLength: 24, size: 'max' });

/**
 * A life: something is captured and most of it completed, and then anything happens. In parts of their own, so that few
 * lives are short, and few without a memory.
 */
export const life: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.array(capture, { maxLength: 10, size: 'max' }),
    // Every other one claims what the next one completes.
    fc.array(complete, { maxLength: 6, size: 'max' }),
    stretch,
    stretch,
  )
  .map((parts) => parts.flat());
