import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOOLS } from '../../api/mcp/tools/index.ts';
import { sendMessage } from '../support/mcp.ts';
import { folderOf } from './frame/programs.ts';
import { testsOf } from './frame/results.ts';
import { openRoom } from './frame/room.ts';
import { listen } from './frame/service.ts';
import '../support/needs/process.ts';
import { via } from '../support/client/client.ts';

const at = await listen();
const SOURCES = join(folderOf('llama.rn'), 'node_modules', 'llama.rn', 'cpp');
/** The linker leaves out what the converter does not use, so the whole library is not needed. */
const BUILD =
  'g++ -std=c++17 -O0 -ffunction-sections -fdata-sections -Wl,--gc-sections -I"$SOURCES" -I"$SOURCES/common" ' +
  '-o converter converter.cpp "$SOURCES/common/json-schema-to-grammar.cpp" "$SOURCES/llama-grammar.cpp"';

/** What the converter says of each schema. */
async function convert(schemas: readonly unknown[]): Promise<string[]> {
  const room = await openRoom('llama.rn');
  await copyFile(join(import.meta.dirname, 'grammar', 'converter.cpp'), join(room.home, 'converter.cpp'));
  await room.write('schemas', schemas.map((schema) => `${JSON.stringify(schema)}\n`).join(''));
  const { code, stdout, output } = await room.run(`${BUILD} && ./converter < schemas`, { SOURCES });
  assert.equal(code, 0, output);
  return stdout.trimEnd().split('\n');
}

const define = testsOf('Converters of schemas', 'llama.cpp, by the sources in llama.rn', 'llama.rn');

define('schemas compiled', 'compiles the arguments of every tool to a grammar', async () => {
  const answer = await sendMessage(via(at.service, at.owner), 'tools/list');
  const { tools } = answer.json<{ result: { tools: { name: string; inputSchema: unknown }[] } }>().result;
  assert.equal(tools.length, TOOLS.length);
  const faults = [
    { type: 'string', pattern: 'not anchored' },
    { type: 'string', maxLength: 2001 },
  ];
  const said = await convert([...tools.map(({ inputSchema }) => inputSchema), ...faults]);
  assert.deepEqual(
    tools.map(({ name }, index) => `${name}: ${said[index]}`),
    tools.map(({ name }) => `${name}: ok`),
  );
  // The converter refuses what it is known to refuse.
  for (const reason of said.slice(tools.length)) assert.notEqual(reason, 'ok');
  return `${tools.length} of ${TOOLS.length}`;
});
