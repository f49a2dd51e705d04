import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blockedFiles, countDeletions, planSync, type Versioned } from '../../../cli/sync/plan.ts';
import { pushBatches } from '../../../cli/sync/remote.ts';

const PATHS = ['team/a', 'team/A', 'team/b', 'team/b/c', 'clients/x/a'];
const content = fc.constantFrom('one', 'two', 'three');
const versioned = fc.record({ sha256: content, version: fc.integer({ min: 1, max: 4 }) });

/** Files by path: each path may have one. */
function filesOf<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Map<string, Value>> {
  return fc
    .array(fc.option(value, { nil: undefined }), { minLength: PATHS.length, maxLength: PATHS.length })
    .map((values) => {
      const present = values.flatMap((one, place) =>
        one === undefined ? [] : [[PATHS[place] as string, one] as const],
      );
      return new Map(present);
    });
}

const three = fc.tuple(filesOf(versioned), filesOf(fc.record({ sha256: content })), filesOf(versioned));

/** What both sides have once a plan is done; what is kept aside goes under another name. */
function played([base, here, there]: [
  Map<string, Versioned>,
  Map<string, { sha256: string }>,
  Map<string, Versioned>,
]) {
  const sides = {
    here: new Map([...here].map(([path, { sha256 }]) => [path, sha256])),
    there: new Map([...there].map(([path, { sha256 }]) => [path, sha256])),
  };
  for (const action of planSync(base, here, there)) {
    const { path } = action;
    if (action.do === 'send') {
      assert.equal(action.baseVersion, there.get(path)?.version ?? 0);
      sides.there.set(path, action.sha256);
    } else if (action.do === 'delete there') {
      assert.equal(action.baseVersion, there.get(path)?.version);
      sides.there.delete(path);
    } else if (action.do === 'fetch') {
      assert.equal(action.over, here.get(path)?.sha256 ?? null);
      sides.here.set(path, action.there.sha256);
    } else if (action.do === 'delete here') {
      sides.here.delete(path);
    } else if (action.do === 'keep both') {
      sides.here.set(path, action.there.sha256);
      for (const side of [sides.here, sides.there]) side.set(`${path} (conflict)`, action.over);
    }
  }
  return sides;
}

test('the plan makes both sides equal after any changes, with all content that the other side has not seen and deleted', () => {
  fc.assert(
    fc.property(three, (states) => {
      const [base, ...sides] = states;
      const { here, there } = played(states);
      assert.deepEqual([...here].sort(), [...there].sort());
      for (const [path, { sha256 }] of sides.flatMap((side) => [...side])) {
        if (base.get(path)?.sha256 === sha256) continue;
        const kept = [here.get(path), here.get(`${path} (conflict)`)];
        assert.ok(kept.includes(sha256), `${sha256} of ${path} is lost`);
      }
    }),
  );
});

test('the plan gives an unchanged side the changes of the other, and is empty for equal sides', () => {
  fc.assert(
    fc.property(filesOf(versioned), filesOf(fc.record({ sha256: content })), (base, here) => {
      const { here: after } = played([base, here, base]);
      assert.deepEqual(
        [...after],
        [...here].map(([path, { sha256 }]) => [path, sha256]),
      );
      assert.deepEqual(planSync(base, base, base), []);
    }),
  );
});

test('no two new files of a plan exclude each other or a file that stays in the service', () => {
  fc.assert(
    fc.property(three, ([base, here, there]) => {
      const actions = planSync(base, here, there);
      const blocked = new Set(blockedFiles(actions, there.keys()).map(({ action }) => action.path));
      const gone = new Set(actions.filter((action) => action.do === 'delete there').map(({ path }) => path));
      const fresh = actions.filter(
        (action) => action.do === 'send' && action.baseVersion === 0 && !blocked.has(action.path),
      );
      const stay = [...there.keys()].filter((path) => !gone.has(path));
      for (const { path } of fresh) {
        for (const other of [...stay, ...fresh.map((action) => action.path)]) {
          if (other === path) continue;
          assert.notEqual(other.toLowerCase(), path.toLowerCase());
          assert.ok(!other.startsWith(`${path}/`) && !path.startsWith(`${other}/`), `${path} by ${other}`);
        }
      }
    }),
  );
});

test('a moved file does not count as a deletion, and both paths are in one request', () => {
  const paths = (folder: string) => Array.from({ length: 500 }, (_, n) => `team/${folder}/${n}`);
  const files = (folder: string) =>
    new Map(paths(folder).map((path, n) => [path, { version: 1, sha256: `content ${n}` }]));
  const base = files('old');
  const actions = planSync(base, files('new'), base);
  assert.deepEqual(countDeletions(actions), { here: 0, there: 0 });
  assert.deepEqual(countDeletions(planSync(base, new Map(), base)), { here: 0, there: 500 });
  const pushes = actions.filter((action) => action.do === 'send' || action.do === 'delete there');
  const batches = pushBatches(pushes, () => 1);
  assert.equal(batches.flat().length, 1000);
  for (const batch of batches) {
    assert.ok(batch.length <= 200);
    const half = batch.length / 2;
    const names = batch.map(({ path }) => path.split('/')[2]);
    assert.ok(batch.every((action, n) => action.do === (n < half ? 'delete there' : 'send')));
    assert.deepEqual(names.slice(0, half).sort(), names.slice(half).sort());
  }
});

test('each new file with the content of a deleted file counts as one move', () => {
  const same = { version: 1, sha256: 'same' };
  const base = new Map(['a', 'b', 'c', 'd'].map((name) => [`team/${name}`, same] as const));
  const left = new Map([['team/e', same]]);
  assert.deepEqual(countDeletions(planSync(base, left, base)), { here: 0, there: 3 });
  assert.deepEqual(countDeletions(planSync(base, base, left)), { here: 3, there: 0 });
  // What stays makes no move.
  const two = new Map([...base].slice(0, 2));
  assert.deepEqual(countDeletions(planSync(base, two, base)), { here: 0, there: 2 });
});

test('a request has one scope, at most 200 files, and at most 16 MiB unless one file is larger', () => {
  const mebibyte = 1024 * 1024;
  const send = (path: string) =>
    ({ do: 'send', path, baseVersion: 1, sha256: path, revived: false }) as const;
  const names = Array.from({ length: 450 }, (_, n) => `team/${n}`);
  const sizes = (paths: string[], bytes: number) =>
    pushBatches(paths.map(send), () => bytes).map((batch) => batch.length);
  assert.deepEqual(sizes(['clients/x/a', 'clients/y/a', ...names], 1), [1, 1, 200, 200, 50]);
  assert.deepEqual(sizes(['team/a', 'team/b', 'team/c'], 9 * mebibyte), [1, 1, 1]);
  assert.deepEqual(sizes(['team/a', 'team/b', 'team/c'], 6 * mebibyte), [2, 1]);
});
