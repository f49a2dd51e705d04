import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { SourceVersion } from '../../shared/schemas/sources.ts';
import { columns } from '../support/columns.ts';
import { addSource } from '../support/source-library.ts';
import { assertRefused, runAtTerminal } from './cli.ts';
import { openCli } from './cli-person.ts';

const { owner } = await openCli();

/** The present text, as it is sent to a pipe. */
const TEXT = 'The port is 8443.\r\n\r\n\tEnds \u001b[2J without a line';

async function openSource() {
  const { company, person, text, data } = await owner();
  const { id } = await addSource(company, { title: 'Port', text: TEXT });
  const change = async (newText: string) => {
    const { updatedAt } = await company.api.getSource(id, { limit: 1 });
    await company.api.changeSource(id, { text: newText, baseUpdatedAt: updatedAt });
  };
  return { company, person, text, data, id, change };
}

describe('cli source', () => {
  test('text prints the present text or a version byte for byte, and escapes it only in a terminal', async () => {
    const { person, text, id, change } = await openSource();
    assert.equal(await text('source', 'text', id), TEXT);
    await change('Another one.\n');
    assert.equal(await text('source', 'text', id), 'Another one.\n');
    assert.equal(await text('source', 'text', id, '--version', '1'), TEXT);
    const { shown } = await runAtTerminal(person, ['source', 'text', id, '--version', '1'], []);
    assert.match(shown, /Ends \\u\{1b\}\[2J without/);
  });

  test('versions, diff and restore show what changed, and make an earlier text the present one', async () => {
    const { person, text, data, id, change } = await openSource();
    assert.equal(await text('source', 'versions', id), 'The source has had no other text.\n');
    assertRefused(await person.run(['source', 'diff', id]), /has had no other text/);
    await change('one\ntwo\nthree\n');
    await change('one\n2\nthree\n');
    const { items } = await data<{ items: SourceVersion[] }>('source', 'versions', id);
    assert.deepEqual(columns(items, 'version', 'characters'), [
      [2, 14],
      [1, TEXT.length],
    ]);
    assert.match(await text('source', 'versions', id), /Version +Stored \(UTC\) +Characters +By\n2 +20/);
    const diff = '--- version 2\n+++ present text\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';
    assert.equal(await text('source', 'diff', id), diff);
    assert.equal(await text('source', 'diff', id, '2'), diff);
    assert.match(
      await text('source', 'diff', id, '1', '2'),
      /^--- version 1\n\+\+\+ version 2\n@@[^]*\n\+three\n/,
    );
    assert.equal(await text('source', 'diff', id, '2', '2'), 'The texts are equal.\n');
    const { shown } = await runAtTerminal(person, ['source', 'diff', id], []);
    assert.ok(shown.includes('\u001b[31m-two\u001b[39m'), shown);
    assertRefused(await person.run(['source', 'diff', id, 'x']), /up to two versions/);
    assertRefused(await person.run(['source', 'restore', id]), /--version/);
    const restored = `Port (${id}) has the text of version 1 again.\n`;
    assert.equal(await text('source', 'restore', id, '--version', '1'), restored);
    assert.equal(await text('source', 'text', id), TEXT);
  });

  test('edit stores what an editor, a file or standard input has, and nothing if it is the same', async () => {
    const { person, text, id } = await openSource();
    const editor = join(person.home, 'editor.sh');
    await writeFile(editor, `#!/bin/sh\nprintf 'edited\\n' > "$1"\n`, { mode: 0o700 });
    const edited = await runAtTerminal(person, ['source', 'edit', id], [], 0, { EDITOR: editor });
    assert.match(edited.shown, /Port \([^)]+\) has a new text, in 1 passage\./);
    // The text before had no end of line, which editors add.
    assert.equal(await text('source', 'text', id), 'edited');
    const same = await runAtTerminal(person, ['source', 'edit', id], [], 0, { EDITOR: editor });
    assert.match(same.shown, /has this text already/);
    const piped = await person.run(['source', 'edit', id], { input: 'piped\n' });
    assert.match(piped.stdout, /has a new text/);
    assert.equal(await text('source', 'text', id), 'piped\n');
    await writeFile(join(person.home, 'new.md'), 'of a file');
    await text('source', 'edit', id, '--file', 'new.md');
    assert.equal(await text('source', 'text', id), 'of a file');
  });

  test('edit keeps what was written if the source was changed in the meantime', async () => {
    const { person, text, id } = await openSource();
    const editor = join(person.home, 'editor.sh');
    const client = `'${process.execPath}' '${join(import.meta.dirname, '../../cli/main.ts')}'`;
    const other = `echo theirs | ${client} source edit ${id} > /dev/null`;
    await writeFile(editor, `#!/bin/sh\nprintf mine > "$1"\n${other}\n`, { mode: 0o700 });
    const { code, shown } = await runAtTerminal(person, ['source', 'edit', id], [], 0, { EDITOR: editor });
    assert.equal(code, 1);
    const kept = /version_conflict: [^]*; what you wrote is kept in (\S+)/.exec(shown)?.[1] ?? shown;
    assert.equal(await readFile(kept, 'utf8'), 'mine');
    assert.equal(await text('source', 'text', id), 'theirs\n');
  });

  test('a source that was not ingested as one text says so', async () => {
    const { company, person } = await openSource();
    const { source } = await company.api.ingestSource({ title: 'Chunks', chunks: [{ text: 'a passage' }] });
    for (const command of ['text', 'edit'])
      assertRefused(await person.run(['source', command, source.id]), /has no text as it was sent/);
  });
});
